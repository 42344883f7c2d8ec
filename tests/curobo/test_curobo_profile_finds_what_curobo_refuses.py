"""Profile cuRobo: an error for each robot that cuRobo's loader refuses, none for those that it
takes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document.commands import StraightenAxis
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.origin import Origin
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.curobo import MUTATIONS, URDF, XRDF, Curobo, Mutation, curobo

CASES = pytest.mark.parametrize("case", MUTATIONS, ids=lambda m: m.name)


def findings(urdf: str, xrdf: str, profile: Profile = Profile.CUROBO) -> tuple[Finding, ...]:
    source = read_xrdf(SourceText.from_text(xrdf))
    robot = RobotDescription(read_urdf(SourceText.from_text(urdf)).value, source.value)
    return run_rules(CheckContext(robot, source, profile))


def errors(urdf: str, xrdf: str) -> dict[str, Finding]:
    return {f.code: f for f in findings(urdf, xrdf) if f.severity is Severity.ERROR}


@CASES
def test_errors_are_what_curobo_refuses(case: Mutation) -> None:
    by_code = errors(*case.apply())
    assert bool(by_code) == (case.refused or bool(case.ours)), sorted(by_code)
    if case.code:
        assert case.code in by_code
    assert not case.refused or case.code, "what is refused has a finding that says so"
    assert not case.refused or case.source, "and a place in cuRobo's sources"


def test_curobo_itself_says_the_same(tmp_path: Path) -> None:
    with curobo() as loader:
        wrong = []
        for case in MUTATIONS:
            answer = _asked(loader, case.apply(), tmp_path)
            if (answer is not None) != case.refused:
                wrong.append((case.name, answer))
    assert not wrong


def _asked(loader: Curobo, texts: tuple[str, str], folder: Path) -> str | None:
    """Why cuRobo refuses a robot."""
    for name, text in zip(("robot.urdf", "robot.xrdf"), texts, strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    error: str | None = loader.load(
        urdf=str(folder / "robot.urdf"), xrdf=str(folder / "robot.xrdf")
    )["error"]
    return error


def mended(urdf: str, xrdf: str, fix: Change | TextChange) -> tuple[str, str]:
    if hasattr(fix, "apply_text"):
        return urdf, fix.apply_text(xrdf)
    us, xs = read_urdf(SourceText.from_text(urdf)), read_xrdf(SourceText.from_text(xrdf))
    robot = fix.apply(RobotDescription(us.value, xs.value))
    return patch_urdf(us, robot.urdf).text, patch_xrdf(xs, robot.xrdf).text


#: Codes of this profile, each of which has a remedy that needs no thought.
MENDABLE = (
    "XRDF208",
    "XRDF213",
    "XRDF312",
    "XRDF901",
    "XRDF902",
    "XRDF903",
    "XRDF904",
    "XRDF905",
    "XRDF006",
    "XRDF908",
    "XRDF909",
    "XRDF710",
)
MENDED = [
    m
    for m in MUTATIONS
    if m.code in MENDABLE and m.name not in ("axis 0", "spheres of one link alone")
]


@pytest.mark.parametrize("case", MENDED, ids=lambda m: m.name)
def test_each_remedy_makes_a_robot_without_errors(case: Mutation) -> None:
    texts = remedied(case)
    assert not errors(*texts)


def remedied(case: Mutation) -> tuple[str, str]:
    """By the first remedies of what is found, one after the other."""
    texts = case.apply()
    for _ in range(6):
        by_code = errors(*texts)
        if not by_code:
            break
        finding = by_code.get(case.code) or next(iter(by_code.values()))
        assert finding.fixes, finding
        texts = mended(*texts, finding.fixes[0])
    return texts


def test_curobo_takes_what_the_remedies_made(tmp_path: Path) -> None:
    with curobo() as loader:
        refused = [
            (m.name, e) for m in MENDED if (e := _asked(loader, remedied(m), tmp_path)) is not None
        ]
    assert not refused


def test_numbers_in_quotes_that_curobo_does_not_read_are_no_errors() -> None:
    """By its sources alone: it takes the one group that `collision` names."""
    group = (
        "  other:\n    spheres:\n      l1:\n        - center: [0, 0, 0]\n          radius: '0.05'\n"
    )
    assert "XRDF006" not in errors(
        URDF, XRDF.replace("geometry:\n  body:", f"geometry:\n{group}  body:")
    )
    for profile in (Profile.SPECIFICATION, Profile.CUMOTION):
        told = findings(URDF, XRDF.replace("radius: 0.05", "radius: '0.05'"), profile)
        assert [f.severity for f in told if f.code == "XRDF006"] == [Severity.WARNING]


def test_a_leader_with_a_tool_frame_below_itself_is_no_error() -> None:
    """By its sources alone: the joint that leads is in the chain then."""
    (case,) = [m for m in MUTATIONS if m.code == "XRDF909"]
    urdf, xrdf = case.apply()
    assert "XRDF909" not in errors(urdf, xrdf.replace("[jaw_too]", "[jaw, jaw_too]"))


def test_an_axis_is_told_with_the_digits_that_make_it_wrong() -> None:
    finding = errors(URDF.replace('xyz="0 0 1"', 'xyz="0 0 0.9999999"', 1), XRDF)["XRDF903"]
    assert "is 0 0 0.9999999 in the URDF" in finding.message


def test_the_robot_of_the_table_has_no_error_in_any_profile() -> None:
    for profile in (Profile.SPECIFICATION, Profile.CUMOTION, Profile.CUROBO):
        assert not [f for f in findings(URDF, XRDF, profile) if f.severity is Severity.ERROR]


def test_the_findings_are_of_this_profile_alone() -> None:
    for case in MUTATIONS:
        for profile in (Profile.SPECIFICATION, Profile.CUMOTION):
            assert not [f for f in findings(*case.apply(), profile) if f.code.startswith("XRDF9")]


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS])
def test_straightening_an_axis_moves_no_frame(kind: JointType) -> None:
    rng = np.random.default_rng(7)
    axes = [tuple(rng.normal(size=3)) for _ in range(30)]
    axes += [
        (0.0, 0.0, -3.0),
        (0.0, 1e-9, -1.0),
        (1e-8, 0.0, -1.0 + 1e-9),
        (0.3, 0.0, -1e6),
        (2.0, 0.0, 0.0),
    ]
    for axis in axes:
        origin = Origin(tuple(rng.normal(size=3)), tuple(rng.normal(size=3)))
        limit = Limit(-1.0, 2.0, 5.0, 3.0)
        joint = Joint(
            "j", kind, "a", "b", origin, (float(axis[0]), float(axis[1]), float(axis[2])), limit
        )
        fixed = Joint("f", JointType.FIXED, "b", "c", Origin((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
        urdf = Urdf("r", "1.0", (Link("a"), Link("b"), Link("c")), (joint, fixed))
        new = StraightenAxis("j").apply(RobotDescription(urdf, Xrdf())).urdf
        turned = new.joint("j")
        assert turned is not None
        assert sum(abs(v) == 1 for v in turned.axis) == 1
        assert math.hypot(*turned.axis) == 1
        assert turned.limit == limit
        before, after = build_tree(urdf), build_tree(new)
        for value in (-0.7, 0.0, 1.9):
            old, now = compute_forward(before, {"j": value}), compute_forward(after, {"j": value})
            for frame in "abc":
                assert np.allclose(
                    old[before.index[frame]], now[after.index[frame]], atol=1e-6 * 1.01
                )
