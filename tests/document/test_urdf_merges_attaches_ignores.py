"""Merging links without mass, attaching to the world and ignoring linked bodies: the robot stays
the same robot."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document.commands import SetMask
from editor_app.core.document.commands.urdf_merging import MergeLinks, merge_plan
from editor_app.core.document.commands.urdf_robot import (
    AttachToWorld,
    DetachFromWorld,
    IgnoreLinkedBodies,
    SetRobot,
    linked_pairs,
    parse_positions,
    world_joint,
)
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.model.xrdf import CollisionSphere, LinkPair, Xrdf
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.core.space.geometry.mesh import merge_parts as merged_parts
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.robots import example_robots, sample_urdf

TEXT = """<?xml version="1.0"?>
<robot name="r">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="plate">
    <visual><origin xyz="0.1 0 0" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry></visual>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
  </link>
  <!-- turns on the plate -->
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="flange"/>
  <link name="tool0"/>
  <link name="wheel"/>
  <joint name="fix" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 1" rpy="0.3 0 1.5"/></joint>
  <joint name="turn" type="revolute"><parent link="plate"/><child link="arm"/><origin xyz="0 0.5 0" rpy="0 0.2 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="end" type="fixed"><parent link="arm"/><child link="flange"/><origin xyz="0 0 0.25"/></joint>
  <joint name="tip" type="fixed"><parent link="flange"/><child link="tool0"/><origin rpy="0 1.5 0"/></joint>
  <joint name="roll" type="continuous"><parent link="arm"/><child link="wheel"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def robot_of(text: str = TEXT) -> RobotDescription:
    urdf = read_urdf(SourceText.from_text(text)).value
    xrdf = read_xrdf(SourceText.from_text(draft_xrdf(urdf))).value
    return RobotDescription(urdf, replace(xrdf, tool_frames=("tool0",)))


def places(robot: RobotDescription, names: set[str]) -> dict[str, np.ndarray]:
    tree = build_tree(robot.urdf)
    pose = FrozenDict((joint, 0.37) for joint in tree.movable)
    transforms = compute_forward(tree, pose)
    return {name: transforms[tree.index[name]] for name in tree.frames if name in names}


def surface(urdf: Urdf, robot: RobotDescription, kind: str) -> np.ndarray:
    """Corners of all primitive shapes in the root's frame, sorted."""
    at = places(robot, {link.name for link in urdf.links})
    points = []
    for link in urdf.links:
        shapes = link.visuals if kind == "visual" else link.collisions
        if any(isinstance(s.geometry, Mesh) for s in shapes) or not shapes:
            continue
        vertices = merged_parts(link_geometry(urdf, None, link.name, kind).parts)[0]  # type: ignore[arg-type]
        points.append(vertices @ at[link.name][:3, :3].T + at[link.name][:3, 3])
    corners = np.concatenate(points).round(9) + 0.0 if points else np.zeros((0, 3))
    return corners[np.lexsort(corners.T)]


def test_links_without_inertial_become_part_of_their_parents() -> None:
    robot = robot_of()
    plan = merge_plan(robot)
    assert plan.merged == (("plate", "base"), ("flange", "arm"))
    assert dict(plan.kept) == {
        "tool0": "it is a tool frame of the XRDF",
        "wheel": "its joint roll is continuous",
    }
    merged = MergeLinks().apply(robot)
    assert [link.name for link in merged.urdf.links] == ["base", "arm", "tool0", "wheel"]
    left = {link.name for link in merged.urdf.links}
    before, after = places(robot, left), places(merged, left)
    for name in left:
        np.testing.assert_allclose(after[name], before[name], atol=1e-10)
    for kind in ("visual", "collision"):
        np.testing.assert_allclose(
            surface(merged.urdf, merged, kind), surface(robot.urdf, robot, kind), atol=1e-8
        )
    read = read_urdf(SourceText.from_text(TEXT))
    out = patch_urdf(read, merged.urdf)
    assert "<!-- turns on the plate -->" in out.text
    assert read_urdf(SourceText.from_text(out.text)).value == merged.urdf


def test_spheres_and_masks_move_along_and_what_would_change_stays() -> None:
    robot = SetMask(pairs=(LinkPair.of("plate", "arm"),)).apply(robot_of())
    group = robot.xrdf.self_group
    assert group is not None
    ball = CollisionSphere((0.1, 0.0, 0.0), 0.2)
    spheres = robot.xrdf.group(group).with_spheres("plate", (ball,))  # type: ignore[union-attr]
    merged = MergeLinks(("plate",)).apply(robot.with_xrdf(robot.xrdf.with_group(spheres)))
    moved = merged.xrdf.spheres_of(group)["base"]
    place = places(robot, {"plate"})["plate"]
    assert moved[0].center == pytest.approx(tuple(place[:3, :3] @ (0.1, 0, 0) + place[:3, 3]))
    assert moved[0].radius == 0.2
    assert merged.xrdf.self_collision is not None
    assert LinkPair.of("base", "arm") in merged.xrdf.self_collision.ignored_pairs(), (
        "masked as the plate was"
    )
    names = {n for p in merged.xrdf.self_collision.ignored_pairs() for n in (p.first, p.second)}
    assert "plate" not in names
    # The base has spheres too, and is ignored against other links than the plate: together they
    # cannot be masked.
    both = spheres.with_spheres("base", (ball,))
    assert (
        "ignored against other links"
        in dict(merge_plan(robot.with_xrdf(robot.xrdf.with_group(both))).kept)["plate"]
    )


def test_what_speaks_of_a_link_keeps_it() -> None:
    for addition, why in (
        ('<gazebo reference="plate"><mu1>1</mu1></gazebo>', "extension"),
        ('<transmission name="t"><joint name="fix"/></transmission>', "transmission"),
    ):
        robot = robot_of(TEXT.replace("</robot>", addition + "</robot>"))
        assert why in dict(merge_plan(robot).kept)["plate"]
    with pytest.raises(CannotApply, match="tool frame"):
        MergeLinks(("tool0",)).apply(robot_of())


@pytest.mark.parametrize("name", ["pr2.urdf", "romeo_small.urdf", "tiago_pro.urdf", "xarm7.urdf"])
def test_real_robots_move_as_before_when_merged_and_come_back(name: str, tmp_path: Path) -> None:
    path = next(example_robots().rglob(name))
    document = Document(
        read_urdf(SourceText.read(path)), read_xrdf(SourceText.from_text("format: xrdf\n"))
    )
    text, robot = document.urdf_text, document.robot
    plan = merge_plan(robot)
    assert plan.merged
    document.execute(MergeLinks())
    left = {link.name for link in document.robot.urdf.links}
    before, after = places(robot, left), places(document.robot, left)
    for frame in left:
        np.testing.assert_allclose(after[frame], before[frame], atol=1e-9)
    if shutil.which("check_urdf"):
        file = tmp_path / "r.urdf"
        file.write_text(document.urdf_text)
        assert (
            subprocess.run(["check_urdf", str(file)], capture_output=True, check=False).returncode
            == 0
        )
    document.undo()
    assert document.urdf_text == text


def test_attached_to_the_world_and_detached_again() -> None:
    read = read_urdf(SourceText.read(sample_urdf()))
    robot = RobotDescription(read.value, Xrdf())
    place = Origin((0.0, 0.0, 0.8))
    attached = AttachToWorld(origin=place).apply(robot)
    text = patch_urdf(read, attached.urdf).text
    assert '<link name="world"/>' in text
    assert build_tree(attached.urdf).root == "world"
    joint = world_joint(attached.urdf)
    assert joint is not None
    assert joint.origin == place
    with pytest.raises(CannotApply, match="already"):
        AttachToWorld().apply(attached)
    assert DetachFromWorld().apply(attached).urdf == read.value
    with pytest.raises(CannotApply):
        DetachFromWorld().apply(robot)
    with pytest.raises(CannotApply, match="tool frame"):
        DetachFromWorld().apply(attached.with_xrdf(Xrdf(tool_frames=("world",))))


def test_linked_bodies_are_masked_through_what_has_no_mass() -> None:
    robot = robot_of()
    pairs = linked_pairs(robot.urdf)
    assert {
        LinkPair.of("base", "arm"),
        LinkPair.of("arm", "tool0"),
        LinkPair.of("wheel", "flange"),
    } <= set(pairs)
    assert LinkPair.of("base", "wheel") not in pairs
    done = IgnoreLinkedBodies().apply(robot)
    assert done.xrdf.self_collision is not None
    assert done.xrdf.self_collision.ignored_pairs() == set(pairs)
    assert IgnoreLinkedBodies().apply(done) is done


def test_initial_positions_by_name_or_in_order() -> None:
    urdf = robot_of().urdf
    assert parse_positions(urdf, ["0.5, -1"]) == {"turn": 0.5, "roll": -1.0}
    assert parse_positions(urdf, ["turn=0.5"]) == {"turn": 0.5}
    assert parse_positions(urdf, ["turn:=0.5", "roll=2"]) == {"turn": 0.5, "roll": 2.0}
    for wrong, why in (
        ("1", "2 joints"),
        ("fix=1", "fixed"),
        ("nix=1", "does not exist"),
        ("turn=x", "not a number"),
    ):
        with pytest.raises(CannotApply, match=why):
            parse_positions(urdf, [wrong])


def test_the_version_is_no_older_than_what_the_robot_needs() -> None:
    text = TEXT.replace('<robot name="r">', '<robot name="r" version="1.1">')
    text = text.replace('<sphere radius="0.5"/>', '<capsule radius="0.5" length="1"/>')
    read = read_urdf(SourceText.from_text(text))
    robot = RobotDescription(read.value, Xrdf())
    with pytest.raises(CannotApply, match="capsule of plate"):
        SetRobot(version="1.0").apply(robot)
    newer = SetRobot(version="1.2").apply(robot)
    assert patch_urdf(read, newer.urdf).text == text.replace('version="1.1"', 'version="1.2"')
    named = SetRobot(name="other").apply(robot)
    assert patch_urdf(read, named.urdf).text == text.replace('robot name="r"', 'robot name="other"')
