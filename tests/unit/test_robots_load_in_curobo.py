"""Bare URDFs of real robots: drafted, given spheres, freed of errors by the first remedies, they load in cuRobo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from editor_app.checks.context import CheckContext
from editor_app.checks.runner import check
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.formats.urdf.patch import patch_urdf
from editor_app.formats.xrdf import draft_xrdf, patch_xrdf, read_xrdf
from editor_app.model.findings import Finding, Severity
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import Profile, RobotDescription
from editor_app.model.xrdf import CollisionSphere, GeometryGroup
from tests.helpers.curobo import curobo
from tests.helpers.robots import example_urdfs, sample_urdf

NAMES = (
    "a1", "panda", "ur3_robot", "ur5_robot", "ur10_robot", "xarm7", "z1", "kinova", "so100", "so101", "double_pendulum",
    "double_pendulum_continuous", "allegro_left_hand", "finger_edu", "tiago_no_hand", "talos_left_arm", "ur5_gripper",
    "ur3_gripper", "go1", "solo12", "b1-z1", "baxter",
)  # fmt: skip


def loadable(path: Path) -> tuple[str, str, list[str]]:
    """(URDF, XRDF, errors that no remedy took away)."""
    urdf_source = read_urdf(SourceText.read(path))
    urdf_text, source = urdf_source.source.text, read_xrdf(SourceText.from_text(draft_xrdf(urdf_source.urdf)))
    group = source.xrdf.world_group or "g"
    ball = CollisionSphere((0.0, 0.0, 0.0), 0.02)
    shaped = [link.name for link in urdf_source.urdf.links if link.collisions]
    spheres = GeometryGroup(group, FrozenDict(dict.fromkeys(shaped, (ball,))))
    xrdf_text = patch_xrdf(source, replace(source.xrdf.with_group(spheres))).text
    found: list[Finding] = []
    for _ in range(200):
        us, xs = read_urdf(SourceText.from_text(urdf_text)), read_xrdf(SourceText.from_text(xrdf_text))
        context = CheckContext(RobotDescription(us.urdf, xs.xrdf), xs, Profile.CUROBO)
        found = [f for f in check(context) if f.severity is Severity.ERROR]
        mendable = next((f for f in found if f.fixes), None)
        if mendable is None:
            break
        fix = mendable.fixes[0]
        if hasattr(fix, "apply_text"):
            xrdf_text = fix.apply_text(xrdf_text)
        else:
            robot = fix.apply(context.robot)
            urdf_text, xrdf_text = patch_urdf(us, robot.urdf).text, patch_xrdf(xs, robot.xrdf).text
    return urdf_text, xrdf_text, [f"{f.code} {f.message}" for f in found]


def _robots() -> list[Path]:
    by_name = {path.stem: path for path in example_urdfs()}
    return [sample_urdf(), *(by_name[name] for name in NAMES if name in by_name)]


@pytest.mark.parametrize("path", _robots(), ids=lambda p: p.stem)
def test_remedies_leave_no_error(path: Path) -> None:
    assert loadable(path)[2] == []


def test_they_load_in_curobo(tmp_path: Path) -> None:
    with curobo() as loader:
        refused = []
        for path in _robots():
            urdf, xrdf, _ = loadable(path)
            (tmp_path / "r.urdf").write_text(urdf, encoding="utf-8")
            (tmp_path / "r.xrdf").write_text(xrdf, encoding="utf-8")
            answer = loader.load(urdf=str(tmp_path / "r.urdf"), xrdf=str(tmp_path / "r.xrdf"))
            if answer["error"] is not None:
                refused.append((path.stem, answer["error"][:200]))
    assert not refused
