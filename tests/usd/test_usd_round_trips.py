"""A robot that is written as USD and read from it has the names, colours, limits, spheres and pairs
that it had."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from tests.helpers.robots import sample_urdf

pytest.importorskip("pxr", reason="the extra is not installed")

URDF = """<robot name="two.parts">
<material name="green"><color rgba="0.2 0.7 0.4 0.5"/></material>
<link name="base.0"><visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="green"/></visual>
<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="base_0"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial></link>
<joint name="turn.1" type="revolute"><parent link="base.0"/><child link="base_0"/><origin xyz="0 0 0.5"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
</robot>
"""


def write_converted(files: list[Path], output: Path) -> None:
    for path, data in editor_app.convert(files, output).files:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def test_names_colours_and_limits_come_back(tmp_path: Path) -> None:
    (tmp_path / "two.urdf").write_text(URDF)
    stage, back = tmp_path / "two.usda", tmp_path / "back.urdf"
    write_converted([tmp_path / "two.urdf"], stage)
    write_converted([stage], back)
    robot = editor_app.open_robot(back).robot.urdf
    assert [link.name for link in robot.links] == ["base.0", "base_0"]
    (joint,) = robot.joints
    assert (joint.name, joint.parent, joint.child, joint.axis) == (
        "turn.1",
        "base.0",
        "base_0",
        (0.0, 1.0, 0.0),
    )
    assert joint.limit is not None
    assert (
        joint.limit.lower,
        joint.limit.upper,
        joint.limit.effort,
        joint.limit.velocity,
    ) == pytest.approx((-1.0, 2.0, 3.0, 4.0))
    material = robot.links[0].visuals[0].material
    assert material is not None
    assert material.rgba == pytest.approx((0.2, 0.7, 0.4, 0.5), abs=2e-6)


def test_spheres_and_ignored_pairs_of_the_sample_come_back(tmp_path: Path) -> None:
    sample = sample_urdf()
    stage = tmp_path / "heron.usda"
    write_converted([sample, sample.with_suffix(".xrdf")], stage)
    write_converted([stage], tmp_path / "back.urdf")
    before, after = (
        editor_app.open_robot(sample).robot,
        editor_app.open_robot(tmp_path / "back.urdf").robot,
    )
    counts = [
        {frame: len(s) for frame, s in each.xrdf.spheres_of(each.xrdf.self_group).items()}
        for each in (before, after)
    ]
    assert counts[0] == counts[1]
    assert [joint.name for joint in after.urdf.joints if joint.type.value != "fixed"] == [
        joint.name for joint in before.urdf.joints if joint.type.value != "fixed"
    ]
