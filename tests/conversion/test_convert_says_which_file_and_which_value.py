"""Conversions name files that exist, keep what was read, and refuse positions that a joint cannot
have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from editor_app.cli import run_command
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.text.source import SourceText
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

CUROBO = """robot_cfg:
  kinematics:
    urdf_path: robots/small.urdf
    asset_root_path: robots/small
    usd_path: robots/small.usda
    base_link: base
    tool_frames: [hand]
    extra_links: {held: {parent_link_name: hand, link_name: held, joint_name: held_joint, joint_type: FIXED}}
    lock_joints: {slide_a: 0.02}
    cspace:
      joint_names: [j1, slide_a, j2]
      default_joint_position: [0.1, 0.02, 0.2]
      null_space_weight: [1.0, 2.0, 3.0]
      velocity_scale: 0.5
    collision_link_names: [upper, held]
    collision_spheres: {upper: [{center: [0, 0, 0.1], radius: 0.05}]}
    collision_sphere_buffer: 0.005
    extra_collision_spheres: {held: 4}
    self_collision_ignore: {upper: [held]}
    self_collision_buffer: {held: 0.01}
    future_key: {a: [1, 2]}
  note: mine
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    code = run_command("convert", [*map(str, arguments), "--format", "json", "--force"])
    err = capsys.readouterr().err
    return code, json.loads(err) if err.startswith("{") else err


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "robots").mkdir()
    urdf, xrdf = tmp_path / "robots" / "small.urdf", tmp_path / "small.xrdf"
    urdf.write_text(URDF_TEXT)
    xrdf.write_text(XRDF_TEXT)
    return urdf, xrdf


def kinematics(path: Path) -> dict[str, Any]:
    section: dict[str, Any] = yaml.safe_load(path.read_text())["robot_cfg"]["kinematics"]
    return section


def entries(report: Any) -> dict[str, str]:
    return {
        e["item"]: e["fate"] for conversion in report["conversions"] for e in conversion["entries"]
    }


@pytest.mark.parametrize("chosen", [None, "absolute", "relative"])
def test_a_curobo_file_names_a_urdf_that_is_there(
    small: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], chosen: str | None
) -> None:
    out = tmp_path / "config" / "small.curobo.yml"
    out.parent.mkdir()
    code, report = run(capsys, *small, out, *(["--curobo-urdf", chosen] if chosen else []))
    assert code == 0
    section = kinematics(out)
    # cuRobo joins the path to a folder: its own for an absolute one (which stays), or one that it
    # is given.
    urdf, folder = (
        Path(out.parent, section[key]).resolve() for key in ("urdf_path", "asset_root_path")
    )
    assert urdf == small[0].resolve()
    assert folder == small[0].parent.resolve()
    assert Path(section["urdf_path"]).is_absolute() == (chosen != "relative")
    assert entries(report)["urdf_path"] == "translated"


def test_a_urdf_that_is_not_there_yet_is_told(
    small: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dae = tmp_path / "robot.dae"
    assert run(capsys, *small, dae)[0] == 0
    _, report = run(capsys, dae, tmp_path / "robot.curobo.yml")
    assert any("robot.urdf, which does not exist yet" in note for note in report["notes"])


@pytest.mark.parametrize("way", ["input", "update"])
def test_what_a_curobo_file_said_is_in_the_next_one(
    small: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    first, xrdf = tmp_path / "first.curobo.yml", tmp_path / "between.xrdf"
    first.write_text(CUROBO)
    assert run(capsys, small[0], first, xrdf)[0] == 0
    if way == "input":
        out = tmp_path / "out.curobo.yml"
        code, report = run(capsys, small[0], first, out)
    else:
        xrdf.write_text(xrdf.read_text().replace("radius: 0.05", "radius: 0.07"))
        out = first
        code, report = run(capsys, small[0], xrdf, out, "--update")
    assert code == 0
    before, after = (
        yaml.safe_load(CUROBO)["robot_cfg"],
        yaml.safe_load(out.read_text())["robot_cfg"],
    )
    assert after["note"] == "mine"
    old, new = before["kinematics"], after["kinematics"]
    same = (
        "urdf_path",
        "asset_root_path",
        "usd_path",
        "extra_collision_spheres",
        "future_key",
        "lock_joints",
    )
    assert {key: new[key] for key in same} == {key: old[key] for key in same}
    assert set(new["collision_link_names"]) == {"upper", "held"}
    assert new["self_collision_ignore"] == {"upper": ["held"]}
    # The joints come in another order: each keeps its own weight.
    weights = dict(
        zip(new["cspace"]["joint_names"], new["cspace"]["null_space_weight"], strict=True)
    )
    assert weights == {"j1": 1.0, "slide_a": 2.0, "j2": 3.0}
    assert new["cspace"]["velocity_scale"] == 0.5
    assert new["collision_spheres"]["upper"][0]["radius"] == (0.05 if way == "input" else 0.07)
    assert "lost" not in {
        fate
        for item, fate in entries(report).items()
        if item in ("future_key", "cspace.velocity_scale")
    }


TWO_GROUPS = CLEAN.replace("format_version: 1.0", "format_version: 2.0").replace(
    "\ncollision:", "\nworld_collision:"
)


@pytest.fixture
def two_groups(tmp_path: Path) -> tuple[Path, Path]:
    """An XRDF 2.0 with one group for obstacles and another for itself."""
    urdf, xrdf = tmp_path / "arm.urdf", tmp_path / "arm.xrdf"
    urdf.write_text(URDF)
    xrdf.write_text(CLEAN)
    source = read_xrdf(SourceText.from_text(TWO_GROUPS)).value
    name = source.world_group
    assert name
    text = TWO_GROUPS.replace(
        "self_collision:\n  geometry: " + name, "self_collision:\n  geometry: own", 1
    )
    xrdf.write_text(
        text
        + "  own:\n    spheres:\n      base:\n        - center: [0, 0, 1]\n          radius: 0.3\n"
    )
    assert read_xrdf(SourceText.read(xrdf)).value.self_group == "own"
    return urdf, xrdf


def test_two_groups_become_one_as_the_command_line_says(
    two_groups: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "one.xrdf"
    code, told = run(capsys, *two_groups, out, "--xrdf-version", "1.0")
    assert code == 2
    assert "Choose whether to merge" in told
    world = read_xrdf(SourceText.read(two_groups[1])).value.world_group
    assert world
    code, told = run(capsys, *two_groups, out, "--xrdf-version", "1.0", "--keep", "nonsense")
    assert code == 2
    assert f"{world!r} and 'own'" in told
    for arguments, group, has_own in (
        (("--keep", world), world, False),
        (("--keep", "own"), "own", True),
        (("--merge",), world, True),
    ):
        code, _ = run(capsys, *two_groups, out, "--xrdf-version", "1.0", *arguments)
        assert code == 0
        xrdf = read_xrdf(SourceText.read(out)).value
        assert (xrdf.format_version, xrdf.world_group, xrdf.self_group) == ("1.0", group, group)
        radii = {sphere.radius for spheres in xrdf.spheres_of(group).values() for sphere in spheres}
        assert (0.3 in radii) == has_own


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ("slide_b=0.01", "mimics 'slide_a' (times 1, plus 0)"),
        ("j1=5", "5 of j1 is outside its limits -3 to 3"),
        ("0,0,0.5,0", "0.5 of slide_a is outside its limits 0 to 0.04"),
        ("wrist=0", "is fixed and has no position"),
    ],
)
def test_positions_that_a_joint_cannot_have_are_refused(
    small: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    position: str,
    sentence: str,
) -> None:
    out = tmp_path / "out.xrdf"
    code, told = run(capsys, *small, out, "--joint", position)
    assert code == 2
    assert sentence in told
    assert not out.exists()


def test_numbers_for_followers_are_left_out_aloud(
    small: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = run(capsys, *small, tmp_path / "out.xrdf", "--joint", "1,-9,0.01,0.02")
    assert code == 0
    assert entries(report)["initial positions of slide_b"] == "kept aside"
    positions = read_xrdf(SourceText.read(tmp_path / "out.xrdf")).value.default_joint_positions
    assert positions == {"j1": 1.0, "j2": -9.0, "slide_a": 0.01}
