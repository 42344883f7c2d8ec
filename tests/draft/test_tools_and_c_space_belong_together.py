"""XRDF710, 711: every joint of the c-space moves a tool frame, every tool frame is moved; 313,
314."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from editor_app.features.spheres.verbs.fit import fit
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.robots import example_urdfs


def findings(
    document: Document, code: str, profile: Profile = Profile.SPECIFICATION
) -> list[Finding]:
    context = CheckContext(document.robot, document.xrdf_now, profile, urdf_path=document.urdf_path)
    return [
        f
        for f in run_rules(context, slow=code in ("XRDF313", "XRDF314", "XRDF316"))
        if f.code == code
    ]


def test_a_finger_in_the_c_space_is_told_and_locked(tmp_path: Path) -> None:
    document = make_document(
        tmp_path, CLEAN.replace("parent_frame_name: left", "parent_frame_name: hand")
    )
    (finding,) = findings(document, "XRDF710")
    assert finding.severity is Severity.WARNING
    assert "'grip'" in finding.message
    assert "left" in finding.message
    document.execute(finding.fixes[0])
    assert document.robot.xrdf.cspace is not None
    assert document.robot.xrdf.cspace.joint_names == ("shoulder", "elbow")
    assert findings(document, "XRDF710") == []
    # What is locked keeps a position of its own.
    assert dict(document.robot.xrdf.default_joint_positions or ())["grip"] == 0.2


def test_a_tool_that_nothing_moves_is_told(tmp_path: Path) -> None:
    document = make_document(
        tmp_path, CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool, base]")
    )
    (finding,) = findings(document, "XRDF711")
    assert "'base'" in finding.message
    assert "fixed to the base" in finding.message
    document.execute(finding.fixes[0])
    assert findings(document, "XRDF711") == []


def test_a_joint_amid_the_chain_is_missed_but_a_locked_lift_is_not(tmp_path: Path) -> None:
    path = next(p for p in example_urdfs() if p.stem == "tiago_no_hand")
    document = open_document(path, new_xrdf=True)
    cspace = document.robot.xrdf.cspace
    assert cspace is not None
    names = cspace.joint_names or ()
    assert findings(document, "XRDF710") == findings(document, "XRDF711") == []

    def without(name: str) -> list[Finding]:
        kept = tuple(n for n in names if n != name)
        xrdf = replace(document.robot.xrdf, cspace=replace(cspace, joint_names=kept))
        robot = document.robot.with_xrdf(xrdf)
        return [f for f in run_rules(CheckContext(robot)) if f.code == "XRDF711"]

    assert without("torso_lift_joint") == []
    assert "'arm_4_joint'" in without("arm_4_joint")[0].message


def with_spheres(
    document: Document, link: str, *spheres: tuple[float, float, float, float]
) -> Document:
    xrdf = document.robot.xrdf
    group = xrdf.group(xrdf.world_group)
    assert group is not None
    rows = tuple(CollisionSphere((x, y, z), r) for x, y, z, r in spheres)
    from editor_app.core.document.commands import ReplaceSpheres
    from editor_app.core.model.frozen import FrozenDict

    document.execute(ReplaceSpheres(group.name, FrozenDict({link: rows}), "Spheres"))
    return document


def test_spheres_below_the_mount_are_told_and_shrunk_to_it() -> None:
    path = next(p for p in example_urdfs() if p.stem == "panda")
    spheres = (0, 0, 0.06, 0.094), (0, 0, 0.06, 0.06), (0.1, 0, -0.02, 0.05), (-0.1, 0, -0.02, 0.01)
    document = with_spheres(open_document(path, new_xrdf=True), "panda_link0", *spheres)
    (finding,) = findings(document, "XRDF313")
    assert finding.severity is Severity.WARNING
    assert "70.0 mm" in finding.message
    assert "3 of the 4" in finding.message
    document.execute(finding.fixes[0])
    assert findings(document, "XRDF313") == []
    xrdf = document.robot.xrdf
    left = xrdf.spheres_of(xrdf.world_group)["panda_link0"]
    assert [s.radius for s in left] == pytest.approx([0.06, 0.06])
    other = with_spheres(open_document(path, new_xrdf=True), "panda_link1", (0, 0, -0.5, 0.1))
    assert findings(other, "XRDF313") == [], "only the base stands on it"


def test_a_remedy_that_bares_a_link_says_so_and_is_told_by_the_next_check() -> None:
    path = next(p for p in example_urdfs() if p.stem == "panda")
    spheres = [(x, y, -0.02, 0.12) for x in (-0.1, 0.0) for y in (-0.06, 0.0, 0.06)]
    document = with_spheres(
        open_document(path, new_xrdf=True), "panda_link0", *spheres, (-0.1, 0.0, 0.01, 0.012)
    )
    assert findings(document, "XRDF316") == []
    (finding,) = findings(document, "XRDF313")
    before, after = re.findall(r"([\d.]+) %", finding.fixes[0].label)
    assert float(before) > 60
    assert float(after) < 3
    document.execute(finding.fixes[0])
    assert findings(document, "XRDF313") == []
    (bare,) = findings(document, "XRDF316")
    assert bare.severity is Severity.WARNING
    assert "most of the link" in bare.message
    document.execute(
        fit(document, links=["panda_link0"], number=8, choices=FitChoices(effort="fast")).change
    )
    assert findings(document, "XRDF316") == findings(document, "XRDF313") == []


def test_spheres_on_partial_collision_shapes_are_told() -> None:
    path = next(p for p in example_urdfs() if p.stem == "g1_29dof_rev_1_0")
    foot = "left_ankle_roll_link"
    balls = [(x, y, -0.03, 0.005) for x in (-0.05, 0.12) for y in (-0.025, 0.025)]
    document = with_spheres(open_document(path, new_xrdf=True), foot, *balls)
    (finding,) = findings(document, "XRDF314")
    assert foot in finding.message
    assert "visual geometry" in finding.message
    covered = [(x, 0, -0.02, 0.05) for x in np.linspace(-0.06, 0.14, 8).tolist()]
    assert findings(with_spheres(document, foot, *covered), "XRDF314") == []


def test_what_the_mount_leaves_open_is_no_fault_of_the_collision_shapes() -> None:
    path = next(p for p in example_urdfs() if p.stem == "z1")
    document = open_document(path, new_xrdf=True)
    fitted = fit(
        document, links=["link00"], number=4, geometry="auto", choices=FitChoices(effort="fast")
    )
    (each,) = fitted.links
    assert each.geometry == "visual"
    assert each.lost > 0.2, "spheres that stay above the table cannot cover the foot"
    document.execute(fitted.change)
    assert findings(document, "XRDF314") == []
    # A head of the base that is left bare is told.
    document = with_spheres(document, "link00", (0, 0, 0.012, 0.012))
    assert len(findings(document, "XRDF314")) == 1
