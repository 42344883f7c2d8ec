"""RMPflow's configuration: what it says of self-collision is around the XRDF's spheres, and what is
tuned stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from editor_app.cli import run_command
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.plugins.rmpflow.codec import capsule_around, read_rmpflow, rmpflow_text
from tests.helpers.breadth import examples

URDF = """\
<robot name="arm">
  <link name="base"/><link name="plate"/><link name="upper"/><link name="fore"/><link name="wrist"/><link name="tool"/>
  <joint name="bolt" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 0.1" rpy="0 1.57079633 0"/>
  </joint>
  <joint name="j1" type="revolute"><parent link="plate"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="3"/></joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="2"/></joint>
  <joint name="j3" type="revolute"><parent link="fore"/><child link="wrist"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="2.5"/></joint>
  <joint name="mount" type="fixed"><parent link="wrist"/><child link="tool"/><origin xyz="0 0 0.1"/></joint>
</robot>
"""
XRDF = """\
format: xrdf
format_version: 1.0
default_joint_positions: {j1: 0, j2: 0, j3: 0}
cspace: {joint_names: [j1, j2, j3], acceleration_limits: [1, 1, 1], jerk_limits: [1, 1, 1]}
tool_frames: [tcp]
modifiers:
  - add_frame: {frame_name: tcp, parent_frame_name: tool, joint_name: to_tcp, joint_type: FIXED,
      fixed_transform: {position: [0, 0, 0.05], orientation: {w: 1, xyz: [0, 0, 0]}}}
collision: {geometry: s}
self_collision: {geometry: s, ignore: {upper: [fore]}}
geometry:
  s:
    spheres:
      base: [{center: [0, 0, 0.05], radius: 0.1}]
      plate: [{center: [0.2, 0, 0], radius: 0.08}]
      upper: [{center: [0, 0, 0.2], radius: 0.07}]
      fore: [{center: [0, 0, 0.1], radius: 0.06}]
      wrist: [{center: [0, 0, 0.02], radius: 0.05}]
      tool: [{center: [0.03, 0, 0.04], radius: 0.02}]
"""
THEIRS = """\
# Tuned on the robot by hand.
joint_limit_buffers: [.02, .03]   # two joints
rmp_params:
    joint_velocity_cap_rmp:
        max_velocity: 1.7  # the cell's, not the robot's
body_capsules:
  # What it stands on.
  - name: table
    pt1: [0, 0, -.1]
    pt2: [0, 0, -.2]
    radius: .3
  - name: base
    pt1: [0, 0, 0]
    pt2: [0, 0, .1]
    radius: .05   # too small
body_collision_controllers:
  - name: wrist
    radius: .01
    note: kept
"""


def robot() -> RobotDescription:
    xrdf = read_xrdf(SourceText.from_text(XRDF)).value
    return RobotDescription(read_urdf(SourceText.from_text(URDF)).value, xrdf)


def test_a_new_file_holds_the_base_and_what_is_near_the_tool() -> None:
    text, report = rmpflow_text(robot())
    value = load_plain(SourceText.from_text(text))
    assert (value["format"], value["api_version"], value["joint_limit_buffers"]) == (
        "rmpflow",
        2.0,
        [0.01] * 3,
    )
    assert value["rmp_params"]["joint_velocity_cap_rmp"]["max_velocity"] == 2.0
    [capsule] = value["body_capsules"]
    assert capsule["name"] == "base"
    ends, radius = np.array([capsule["pt1"], capsule["pt2"]]), capsule["radius"]
    # The plate's axes are turned: its sphere stands 0.2 m below it.
    for centre, of in (((0, 0, 0.05), 0.1), ((0, 0, -0.1), 0.08)):
        along = np.clip(
            (np.array(centre) - ends[0]) @ (ends[1] - ends[0]) / ((ends[1] - ends[0]) ** 2).sum(),
            0,
            1,
        )
        assert np.linalg.norm(ends[0] + along * (ends[1] - ends[0]) - centre) + of <= radius
    assert radius < 0.11
    # Behind the last two joints; the sphere of the tool is around its own, which stands aside.
    assert value["body_collision_controllers"] == [
        {"name": "fore", "radius": pytest.approx(0.16, abs=1e-6)},
        {"name": "wrist", "radius": pytest.approx(0.07, abs=1e-6)},
        {"name": "tool", "radius": pytest.approx(0.07, abs=1e-6)},
    ]
    assert {"self_collision.ignore"} <= {entry.item for entry in report.of(Fate.LOST)}
    assert {"rmp_params"} <= {entry.item for entry in report.of(Fate.INVENTED)}
    # And back: what it says is around what was said.
    again = read_rmpflow(SourceText.from_text(text), robot().urdf)
    assert [s.radius for s in again.spheres["tool"]] == [pytest.approx(0.07, abs=1e-6)]
    row = again.spheres["base"]
    assert [row[0].center, row[-1].center] == [
        pytest.approx(capsule["pt1"]),
        pytest.approx(capsule["pt2"]),
    ]
    assert {s.radius for s in row} == {radius}


def test_a_file_that_is_there_keeps_what_is_tuned_and_its_comments(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.xrdf").write_text(XRDF)
    path = tmp_path / "rmp_flow.yaml"
    path.write_text(THEIRS)
    assert recognise_format(path).name == "rmpflow"
    files = [str(tmp_path / name) for name in ("arm.urdf", "arm.xrdf")]
    assert run_command("convert", [*files, str(path), "--update"]) == 0
    text = path.read_text()
    for line in (
        "# Tuned on the robot by hand.",
        "# the cell's, not the robot's",
        "# What it stands on.",
        "# two joints",
    ):
        assert line in text
    value = load_plain(SourceText.from_text(text))
    assert value["joint_limit_buffers"] == [0.02, 0.03, 0.03]
    assert value["rmp_params"] == {"joint_velocity_cap_rmp": {"max_velocity": 1.7}}
    table, base = value["body_capsules"]
    assert table == {"name": "table", "pt1": [0, 0, -0.1], "pt2": [0, 0, -0.2], "radius": 0.3}
    assert base["radius"] > 0.1
    wrist, *others = value["body_collision_controllers"]
    assert wrist == {"name": "wrist", "radius": pytest.approx(0.07, abs=1e-6), "note": "kept"}
    assert [entry["name"] for entry in others] == ["fore", "tool"]
    # Nothing is otherwise a second time.
    assert run_command("convert", [*files, str(path), "--update"]) == 0
    assert path.read_text() == text
    assert run_command("convert", [files[0], str(path), str(tmp_path / "read.xrdf")]) == 0
    assert "wrist" in (tmp_path / "read.xrdf").read_text()
    with pytest.raises(FormatError, match="rmp_params is missing"):
        rmpflow_text(robot(), SourceText.from_text("format: xrdf\n"))


spheres = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        arrays.arrays(np.float64, (n, 3), elements=st.floats(-2, 2, width=32)),
        arrays.arrays(np.float64, n, elements=st.floats(0.0009765625, 1, width=32)),
    )
)


@given(spheres)
@settings(max_examples=examples(100), deadline=None)
def test_a_capsule_holds_all_spheres_and_is_no_larger_than_a_ball_around_them(
    values: tuple[np.ndarray, np.ndarray],
) -> None:
    centres, radii = values
    first, last, radius = capsule_around(centres, radii)
    length = float(np.linalg.norm(last - first))
    axis = (last - first) / length if length else np.zeros(3)
    along = np.clip((centres - first) @ axis, 0, length)
    away = np.linalg.norm(first + along[:, None] * axis - centres, axis=1)
    assert (away + radii).max() <= radius + 1e-7
    assert (
        radius <= (np.linalg.norm(centres - centres.mean(axis=0), axis=1) + radii).max() * 2 + 1e-9
    )
