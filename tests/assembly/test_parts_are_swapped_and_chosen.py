"""A part takes another's place on its mount; which tools and joints count is asked; a gripper is
closed, open, half."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.document.commands import SetJoint
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.state import FileKind
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.core.space.kinematics.tree import get_default_positions, get_tree
from editor_app.core.tasks.work import Refused
from editor_app.plugins.assembly.verbs.assembly_parts import (
    attached_parts,
    detach,
    free_mount,
    swap,
)
from editor_app.plugins.assembly.verbs.compose import Assembly, Attachment, compose
from editor_app.plugins.assembly.verbs.hand_variants import (
    hand_variants,
    variant_named,
    with_variant,
)
from tests.helpers.gripper import gripper
from tests.helpers.robots import copy_of_sample

XYZ, RPY = (0.05, 0.01, 0.02), (0.1, -0.2, 1.5)


@pytest.fixture
def arm(tmp_path: Path) -> Document:
    return open_document(copy_of_sample(tmp_path / "arm"))


@pytest.fixture
def hand(tmp_path: Path) -> Document:
    return gripper(tmp_path / "hand")


def place_of(robot: RobotDescription, frame: str) -> np.ndarray:
    tree = get_tree(robot)
    return np.asarray(
        compute_forward(tree, get_default_positions(tree, robot.xrdf))[tree.index[frame]]
    )


def default_of(document: Document, joint: str) -> float:
    positions = document.robot.xrdf.default_joint_positions
    assert positions is not None
    return positions[joint]


def taken(base: Document, assembly: Assembly) -> None:
    base.replace_texts(assembly.texts, assembly.label)


def test_a_frame_of_the_part_stands_on_the_mount(arm: Document, hand: Document) -> None:
    attachment = Attachment(hand, "flange_link", XYZ, RPY, "g_", frame="tcp")
    assembly = compose(arm, [attachment], samples=5, certify=0)
    mount = place_of(arm.robot, "flange_link") @ build_origin_matrix(Origin(XYZ, RPY))
    assert np.allclose(place_of(assembly.robot, "g_tcp"), mount, atol=1e-9)
    assert assembly.parts[0].frame == "g_tcp"
    with pytest.raises(Refused, match=r"no frame 'left' fixed to its root"):
        compose(
            arm, [Attachment(hand, "flange_link", prefix="g_", frame="left")], samples=5, certify=0
        )


def test_a_part_takes_anothers_place_in_one_step(
    arm: Document, hand: Document, tmp_path: Path
) -> None:
    before = {kind: arm.text(kind) for kind in FileKind}
    first = Attachment(hand, "flange_link", XYZ, RPY, "g_", frame="tcp")
    taken(arm, compose(arm, [first], samples=5, certify=0))
    # Where it was moved to since, by the handles, is where the next one stands.
    mount = arm.robot.urdf.joint("g_base_mount")
    assert mount is not None
    moved = Origin((0.1, 0.0, 0.0), (0.0, 0.0, 0.5))
    arm.execute(SetJoint(mount.name, replace(mount, origin=moved)))
    tcp = place_of(arm.robot, "g_tcp")
    xrdf = hand.text(FileKind.XRDF) or ""
    other = gripper(tmp_path / "other", xrdf=xrdf.replace("tcp", "point"))
    assembly = swap(arm, other, "g_left", prefix="h_", frame="point", samples=5, certify=0)
    assert assembly.label == "Replace gripper.urdf by gripper.urdf"
    assert "gripper.urdf was removed from flange_link" in assembly.notes[0]
    assert np.allclose(place_of(assembly.robot, "h_point"), tcp, atol=1e-9)
    robot = assembly.robot
    assert robot.urdf.link("g_base") is None
    assert not [
        name for name in robot.xrdf.spheres_of(robot.xrdf.self_group) if name.startswith("g_")
    ]
    assert robot.xrdf.tool_frames is not None
    assert robot.xrdf.tool_frames[-1] == "h_point"
    assert [part.prefix for part in assembly.parts] == ["h_"]
    steps = arm.position
    taken(arm, assembly)
    assert arm.position == steps + 1
    assert [part.prefix for part in attached_parts(arm)] == ["h_"]
    off = detach(arm)
    assert off.is_exact
    assert {kind: off.texts.get(kind) for kind in FileKind} == before
    with pytest.raises(Refused, match="does not belong to an attached part"):
        free_mount(arm, "base_link")


def test_tools_and_joints_are_those_that_were_asked_for(
    arm: Document, hand: Document, tmp_path: Path
) -> None:
    bare = gripper(tmp_path / "bare", xrdf=None)
    assembly = compose(arm, [Attachment(bare, "flange_link", XYZ, RPY, "g_")], samples=5, certify=0)
    cspace = assembly.robot.xrdf.cspace
    assert cspace is not None
    assert cspace.joint_names == (arm.robot.xrdf.cspace or cspace).joint_names, (
        "behind an arm, fingers are locked"
    )
    [choices] = assembly.choices
    grip = next(each for each in choices.joints if each.name == "g_grip")
    assert not grip.counts
    tools = ("g_base",)
    joints = (*(cspace.joint_names or ()), "g_grip")
    attachment = Attachment(bare, "flange_link", XYZ, RPY, "g_", tools=tools, joints=joints)
    asked = compose(arm, [attachment], samples=5, certify=0)
    assert asked.robot.xrdf.tool_frames == tools
    assert asked.robot.xrdf.cspace is not None
    assert asked.robot.xrdf.cspace.joint_names == joints
    assert len(asked.robot.xrdf.cspace.acceleration_limits or ()) == len(joints)
    told = "\n".join(asked.reports[0].lines())
    assert "as requested: g_base" in told
    with pytest.raises(Refused, match=r"no independent joint 'g_gripp'.*g_grip"):
        compose(
            arm,
            [Attachment(hand, "flange_link", prefix="g_", joints=("g_gripp",))],
            samples=5,
            certify=0,
        )
    with pytest.raises(Refused, match=r"no frame 'nowhere'"):
        compose(
            arm,
            [Attachment(hand, "flange_link", prefix="g_", tools=("nowhere",))],
            samples=5,
            certify=0,
        )


def test_a_gripper_is_closed_open_or_half(arm: Document, hand: Document) -> None:
    assembly = compose(
        arm, [Attachment(hand, "flange_link", XYZ, RPY, "g_", variant="half")], samples=5, certify=0
    )
    taken(arm, assembly)
    assert default_of(arm, "g_grip") == 0.015
    assert any("half: g_grip 0.015" in line for line in assembly.reports[0].lines())
    names = {
        each.name: (each.positions["g_grip"], each.source)
        for each in hand_variants(arm.robot, "g_base")
    }
    assert names == {
        "closed": (0.0, "the limits of its joints"),
        "half": (0.015, "between closed and open"),
        "open": (0.03, "the SRDF's state g_open"),
    }
    steps, mask = arm.position, arm.robot.xrdf.ignored_pairs()
    arm.execute(with_variant(arm.robot, "open", "g_base"))
    assert arm.position == steps + 1
    assert default_of(arm, "g_grip") == 0.03
    assert arm.robot.xrdf.ignored_pairs() == mask
    with pytest.raises(
        Refused, match=r"no variant 'opn'; it has closed, half, open; the nearest name is open"
    ):
        variant_named(arm.robot, "opn", "g_base")
    with pytest.raises(Refused, match="no link 'upper_arm'; the links are: base, left"):
        variant_named(hand.robot, "open", "upper_arm")


def test_the_command_line_swaps_and_chooses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm, out = copy_of_sample(tmp_path / "arm"), tmp_path / "arm" / "all.urdf"
    gripper(tmp_path / "hand")
    hand = str(tmp_path / "hand" / "gripper.urdf")
    quick = ["--samples", "5", "--certify", "0"]
    asked = ["--frame", "tcp", "--variant", "closed", "--tool", "g_tcp", "--joints", ""]
    cspace = open_document(arm).robot.xrdf.cspace
    assert cspace is not None
    joints = cspace.joint_names or ()
    asked[-1] = f"{joints[0]},g_grip"
    place = ["--at", "flange_link", "--prefix", "g_"]
    assert run_command("compose", [str(arm), hand, *place, *asked, *quick, "-o", str(out)]) in (
        0,
        1,
    )
    xrdf = open_document(out).robot.xrdf
    assert xrdf.tool_frames == ("g_tcp",)
    assert xrdf.cspace is not None
    assert xrdf.cspace.joint_names == (joints[0], "g_grip")
    assert default_of(open_document(out), "g_grip") == 0.0
    capsys.readouterr()
    other = tmp_path / "arm" / "other.urdf"
    swapped = ["--replace", "g_left", "--prefix", "h_", "--frame", "tcp", "--variant", "open"]
    assert run_command("compose", [str(out), hand, *swapped, *quick, "-o", str(other)]) in (0, 1)
    assert "gripper.urdf was removed from flange_link" in capsys.readouterr().out
    assert [part.prefix for part in attached_parts(open_document(other))] == ["h_"]
    assert run_command("compose", [str(out), hand, *place, *swapped, *quick]) == 2
    assert "remove --at" in capsys.readouterr().err
    assert run_command("variant", [str(other), "--link", "h_base"]) == 0
    told = capsys.readouterr().out
    assert "closed: h_grip 0 (the limits of its joints)" in told
    assert (
        run_command("variant", [str(other), "--link", "h_base", "--set", "half", "--in-place"]) == 0
    )
    assert default_of(open_document(other), "h_grip") == 0.015
