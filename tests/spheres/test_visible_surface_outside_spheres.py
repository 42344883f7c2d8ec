"""What can be seen of a robot outside its spheres is reported with its deepest spot: by fit, check
and the figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from editor_app import check, compose, fit, open_robot, save
from editor_app.cli import run_command as main
from editor_app.core.document.commands import SetFittedSpheres
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.urdf import Box
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.mesh import build_primitive, merge_parts
from editor_app.core.space.geometry.uncovered import uncovered
from editor_app.features.spheres.verbs.fit import FittedLink
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.verbs.link_figures import figures_of
from editor_app.features.spheres.verbs.link_fits import stack_spheres
from editor_app.plugins.assembly.verbs.compose import Attachment

SHIN = (
    '<link name="shin"><visual><geometry><box size="{0} 0.1 0.1"/></geometry></visual>'
    '<collision><geometry><box size="0.2 0.1 0.08"/></geometry></collision></link>'
)
JOINT = (
    '<link name="root"/><joint name="j" type="revolute"><parent link="root"/><child link="{0}"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)
FAST = FitChoices(effort="fast")


def leg(folder: Path, length: float = 0.2) -> Path:
    path = folder / "leg.urdf"
    path.write_text(f'<robot name="leg">{SHIN.format(length)}{JOINT.format("shin")}</robot>')
    return path


def deepest(each: FittedLink, corners: np.ndarray) -> float:
    rows = stack_spheres(each.spheres)
    return float(
        (np.linalg.norm(corners[:, None] - rows[None, :, :3], axis=2) - rows[:, 3]).min(1).max()
    )


def test_a_shin_that_is_thicker_than_its_collision_box_is_reported_everywhere(
    tmp_path: Path,
) -> None:
    path = leg(tmp_path)
    document = open_robot(path, new_xrdf=True)
    fitted = fit(document, number=8, geometry="collision", choices=FAST)
    (each,) = fitted.links
    corners = np.array(
        [[x, y, z] for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
    )
    visible = each.visible
    assert visible is not None
    assert visible.deepest == pytest.approx(deepest(each, corners), abs=1e-9)
    assert visible.deepest > 0.002
    assert visible.spot is not None
    assert np.abs(visible.spot) == pytest.approx((0.1, 0.05, 0.05))
    (remark,) = fitted.remarks
    assert f"up to {1000 * visible.deepest:.1f} mm" in remark
    document.execute(fitted.change)
    save(document, tmp_path / "leg.xrdf")
    (finding,) = [each for each in check(document, slow=True) if each.code == "XRDF317"]
    assert remark.partition(": ")[2] in finding.message
    assert figures_of(each.mesh, stack_spheres(each.spheres)).visible == visible


def test_the_report_of_a_fit_has_the_visible_surface_and_no_remark_where_all_is_covered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--spheres", "8", "--effort", "fast", "--format", "json"]
    assert main("fit", [str(leg(tmp_path)), *options, "--geometry", "visual"]) == 0
    out, err = capsys.readouterr()
    (link,) = json.loads(out)["links"]
    assert link["visible_uncovered"]["deepest"] == 0.0
    assert "visible surface" not in err
    assert main("fit", [str(leg(tmp_path)), *options, "--geometry", "collision"]) == 0
    out, err = capsys.readouterr()
    (link,) = json.loads(out)["links"]
    assert link["visible_uncovered"]["share"] > 0.02
    assert link["visible_uncovered"]["deepest"] > 0.002
    assert "of its visible surface is outside its spheres" in err


def test_what_lies_within_the_covered_shape_cannot_be_seen() -> None:
    outer, inner = (
        merge_parts(build_primitive(Box((size, size, size))).parts) for size in (0.2, 0.1)
    )
    rows = np.array(
        [[x, y, z, 0.05] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    )
    assert uncovered(inner, rows).deepest > 0.03
    assert uncovered(inner, rows, outer).deepest == 0.0
    # The faces of the shape itself are seen.
    seen = uncovered(outer, rows, outer)
    assert seen.deepest == uncovered(outer, rows).deepest > 0.05
    assert seen.share == uncovered(outer, rows).share > 0.3


def test_locked_spheres_that_lie_away_are_remarked(tmp_path: Path) -> None:
    document = open_robot(leg(tmp_path), new_xrdf=True)
    far = CollisionSphere((1.0, 0.0, 0.0), 0.01)
    fitted = fit(document, number=4, choices=FitChoices(effort="fast", locked={"shin": (far,)}))
    assert any("sphere 1 is 890 mm away" in remark for remark in fitted.remarks)


def test_composing_reports_what_spheres_of_the_part_leave_uncovered(tmp_path: Path) -> None:
    base, hand = tmp_path / "arm.urdf", tmp_path / "hand.urdf"
    box = (
        '<link name="{0}"><collision><geometry><box size="0.08 0.1 '
        '0.08"/></geometry></collision></link>'
    )
    base.write_text(f'<robot name="arm">{box.format("tip")}{JOINT.format("tip")}</robot>')
    hand.write_text(f'<robot name="hand">{box.format("palm")}</robot>')
    document = open_robot(hand, new_xrdf=True)
    for z, count in ((0.0, 0), (0.02, 1)):
        change = SetFittedSpheres(
            "hand_collision_spheres",
            FrozenDict({"palm": (CollisionSphere((0.0, 0.0, z), 0.0755),)}),
            "Fit",
        )
        document.execute(change)
        both = compose(
            open_robot(base, new_xrdf=True), [Attachment(document, "tip", (0.2, 0, 0))], samples=10
        )
        notes = [note for note in both.notes if "of its surface is outside its spheres" in note]
        assert len(notes) == count
