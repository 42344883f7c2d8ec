"""The verb diff and its command: what differs in meaning, how far frames are apart; spelling is no
difference."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import editor_app
from editor_app.__main__ import main
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import KinematicTree, build_tree
from editor_app.core.text.source import SourceText

ARM = """<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <visual><origin rpy="3.141592653589793 0 0"/><geometry><box size="0.1 0.1 0.4"/></geometry>
    <material name="grey"/></visual>
    <collision><geometry><mesh filename="upper.stl"/></geometry></collision>
  </link>
  <link name="fore"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 2"/><limit lower="-2" upper="2" effort="10" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.4" rpy="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="10" velocity="1"/></joint>
  <gazebo reference="upper"><mu1>0.2</mu1></gazebo>
</robot>
"""
SRDF = """<robot name="arm"><group name="arm"><chain base_link="base" tip_link="fore"/></group>
<group_state name="home" group="arm"><joint name="elbow" value="0.5"/></group_state>
<disable_collisions link1="base" link2="upper" reason="Adjacent"/></robot>
"""


def written(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def sentences(result: editor_app.RobotDiff, kind: str = "urdf") -> list[str]:
    return [f"{each.path}: {each.sentence}" for each in result.differences[kind]]


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    written(tmp_path / "old", "upper.stl", "solid a\nendsolid a\n")
    return written(tmp_path / "old", "arm.urdf", ARM)


def changed(arm: Path, *changes: tuple[str, str], mesh: str = "solid a\nendsolid a\n") -> Path:
    text = arm.read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    written(arm.parent.parent / "new", "upper.stl", mesh)
    return written(arm.parent.parent / "new", "arm.urdf", text)


def test_other_spelling_is_no_difference(arm: Path) -> None:
    other = changed(
        arm,
        ('<axis xyz="0 0 2"/>', '<axis xyz="0 0 1.0"/>'),
        (
            '<origin rpy="3.141592653589793 0 0"/>',
            '<origin rpy="0 3.141592653589793 3.141592653589793"/>',
        ),
        ('<material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>\n', ""),
        (
            '<material name="grey"/>',
            '<material name="g"><color rgba="0.5 0.5 0.5 1.0"/></material>',
        ),
        ("<mu1>0.2</mu1>", "\n  <mu1>0.2</mu1>"),
        ("<mesh filename", "<mesh  filename"),
    )
    assert editor_app.diff(arm, other).is_same


def test_every_part_of_a_urdf_is_told_with_its_path(arm: Path) -> None:
    other = changed(
        arm,
        ('<mass value="2"/>', '<mass value="2.25"/>'),
        ('xyz="0 0 0.4" rpy="0 0 0.3"', 'xyz="0.003 0 0.404" rpy="0 0 0.4"'),
        ('upper="1.5"', 'upper="1.75"'),
        ("<mu1>0.2</mu1>", "<mu1>0.3</mu1>"),
        ('<link name="fore"/>', '<link name="fore"/><link name="tool"/>'),
        (
            "</robot>",
            '<joint name="mount" type="fixed"><parent link="fore"/><child '
            'link="tool"/></joint></robot>',
        ),
        mesh="solid b\nendsolid b\n",
    )
    assert sentences(editor_app.diff(arm, other)) == [
        "links.upper.inertial.mass: 2 → 2.25",
        "links.upper.collisions.geometry.filename: the file's content differs",
        "links: added tool",
        "joints.elbow.origin: xyz [0, 0, 0.4], rpy [0, 0, 0.3] → xyz [0.003, 0, 0.404], rpy [0, 0, "
        "0.4], "
        "moved by 5 mm, turned by 5.73°",
        "joints.elbow.limit.upper: 1.5 → 1.75",
        "joints: added mount",
        'extensions: removed <gazebo reference="upper"><mu1>0.2</mu1></gazebo>',
        'extensions: added <gazebo reference="upper"><mu1>0.3</mu1></gazebo>',
    ]


def test_numbers_within_the_tolerance_are_equal_and_those_that_look_alike_are_told_apart(
    arm: Path,
) -> None:
    other = changed(arm, ('<mass value="2"/>', '<mass value="2.0000001"/>'))
    assert sentences(editor_app.diff(arm, other)) == ["links.upper.inertial.mass: 2.0 → 2.0000001"]
    assert editor_app.diff(arm, other, tolerance=1e-6).is_same
    with pytest.raises(editor_app.Refused, match="tolerance must be 0 or more"):
        editor_app.diff(arm, other, tolerance=-1.0)


def test_the_srdf_beside_is_compared_and_told_where_only_one_has_it(arm: Path) -> None:
    other = changed(arm)
    written(arm.parent, "arm.srdf", SRDF)
    assert editor_app.diff(arm, other).notes == (
        f"{arm} has an SRDF, {other} has none: not compared.",
    )
    new = (
        SRDF.replace('value="0.5"', 'value="0.6"')
        .replace("Adjacent", "Never")
        .replace('tip_link="fore"', 'tip_link="upper"')
    )
    written(other.parent, "arm.srdf", new)
    assert sentences(editor_app.diff(arm, other), "srdf") == [
        "groups.arm.chains: [[base, fore]] → [[base, upper]]",
        "states.arm.home.positions.elbow: [0.5] → [0.6]",
        "disable_collisions.reason.base, upper: Adjacent → Never",
    ]
    alone = editor_app.diff(arm.with_suffix(".srdf"), other.with_suffix(".srdf"))
    assert alone.deviations is None
    assert len(alone.differences["srdf"]) == 3


def test_names_are_mapped_wherever_they_stand(arm: Path) -> None:
    text = ARM
    for name in ("base", "upper", "fore", "shoulder", "elbow"):
        text = text.replace(f'"{name}"', f'"left_{name}"')
    other = written(arm.parent.parent / "new", "arm.urdf", text)
    written(other.parent, "upper.stl", "solid a\nendsolid a\n")
    assert not editor_app.diff(arm, other).is_same
    kept = editor_app.diff(arm, other, names=["*=left_*"])
    # The reference of an extension follows; its text is its own.
    assert {each.path for each in kept.differences["urdf"]} <= {"extensions"}
    assert kept.is_same_mechanism
    assert kept.deviations is not None
    assert kept.deviations.moved == ("left_shoulder", "left_elbow")
    with pytest.raises(editor_app.Refused, match="one \\* on both sides"):
        editor_app.diff(arm, other, names=["a*=b"])


def test_what_stands_for_a_path_is_one(arm: Path) -> None:
    with os.scandir(arm.parent) as entries:
        entry: Any = next(each for each in entries if each.name == arm.name)
    assert editor_app.diff(arm, entry).is_same


def test_two_kinds_cannot_be_compared(arm: Path) -> None:
    srdf = written(arm.parent, "other.srdf", SRDF)
    with pytest.raises(editor_app.Refused, match="two files of the same kind"):
        editor_app.diff(arm, srdf)


def far_apart(
    trees: Sequence[KinematicTree], frame: str, base: str, pose: dict[str, float]
) -> tuple[float, float]:
    """Metres and radians by single poses and by the trace of the turn: another way than the
    verb's."""
    seen = []
    for tree in trees:
        world = compute_forward(tree, pose)
        seen.append(np.linalg.inv(world[tree.index[base]]) @ world[tree.index[frame]])
    trace = float(np.trace(seen[0][:3, :3].T @ seen[1][:3, :3]))
    return float(np.linalg.norm(seen[0][:3, 3] - seen[1][:3, 3])), math.acos(
        max(-1.0, min(1.0, (trace - 1.0) / 2.0))
    )


@given(st.lists(st.floats(-0.05, 0.05), min_size=6, max_size=6), st.booleans())
def test_frames_deviate_as_single_poses_say(
    tmp_path_factory: pytest.TempPathFactory, shift: Sequence[float], flip: bool
) -> None:
    folder = tmp_path_factory.mktemp("arms")
    old = written(folder, "old.urdf", ARM)
    x, y, z, *turn = shift
    text = ARM.replace(
        'xyz="0 0 0.4" rpy="0 0 0.3"',
        f'xyz="{x} {y} {0.4 + z}" rpy="{turn[0]} {turn[1]} {0.3 + turn[2]}"',
    )
    new = written(folder, "new.urdf", text.replace('xyz="0 0 2"', 'xyz="0 0 -2"') if flip else text)
    result = editor_app.diff(old, new, samples=64).deviations
    assert result is not None
    assert result.base == "base"
    assert result.configurations == 5 + 64
    trees = [build_tree(read_urdf(SourceText.read(path)).value) for path in (old, new)]
    for frame in result.frames:
        distance, _ = far_apart(trees, frame.frame, "base", dict(frame.farthest))
        assert distance == pytest.approx(frame.distance, abs=1e-12)
        _, angle = far_apart(trees, frame.frame, "base", dict(frame.most_turned))
        assert angle == pytest.approx(frame.angle, abs=1e-6)
        # Nowhere among other configurations it is farther by more than what random ones miss.
        for shoulder in (-2.0, 0.0, 2.0):
            assert (
                far_apart(trees, frame.frame, "base", {"shoulder": shoulder})[0]
                <= frame.distance + 1e-12
            )


def test_the_command_tells_lines_json_and_a_page(
    arm: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = changed(arm, ('xyz="0 0 0.4" rpy="0 0 0.3"', 'xyz="0.004 0 0.4" rpy="0 0 0.3"'))
    assert main(["diff", str(arm), str(arm)]) == 0
    assert (
        capsys.readouterr().out == "Frames: no deviation in 4,101 configurations, seen from base\n"
    )
    assert main(["diff", str(arm), str(other)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("joints.elbow.origin: ")
    assert lines[0].endswith("moved by 4 mm")
    assert lines[2].startswith("  largest deviation 4.00 mm of fore at shoulder=")
    assert main(["diff", str(arm), str(other), "--format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["deviations"]["frames"][0]["frame"] == "fore"
    assert record["deviations"]["frames"][0]["distance_m"] == pytest.approx(0.004)
    assert main(["diff", str(arm), str(other), "--format", "html"]) == 1
    page = capsys.readouterr().out
    assert "<h2>Frames</h2>" in page
    assert "moved by 4 mm" in page
