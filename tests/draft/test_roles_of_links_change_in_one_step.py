"""Roles of links: tool frames, controlled and locked joints and names change as one step, or say
why they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import CannotApply
from editor_app.core.verbs.link_roles import (
    change_control,
    change_tool_frames,
    lock_joints,
    rename_frame,
)
from tests.helpers.documents import CLEAN, make_document

POSE = Pose({"shoulder": 0.25, "elbow": -0.5, "grip": 0.3})


def tools_of(document: Document) -> tuple[str, ...] | None:
    return document.robot.xrdf.tool_frames


def test_frames_become_tool_frames_and_cease_to_be_some(document: Document) -> None:
    document.execute(change_tool_frames(document.robot, ("hand", "tool", "left")))
    assert tools_of(document) == ("tool", "hand", "left")
    assert document.undo_label == "Add 2 tool frames"
    # All of them are some now: the same command takes them out.
    document.execute(change_tool_frames(document.robot, ("hand", "tool")))
    assert tools_of(document) == ("left",)
    assert document.position == 2
    document.undo()
    document.undo()
    assert document.xrdf_text == CLEAN


def test_the_joint_above_a_link_leaves_and_enters_the_c_space(document: Document) -> None:
    document.execute(change_control(document.robot, ("lower", "left")))
    cspace = document.robot.xrdf.cspace
    assert cspace is not None
    assert cspace.joint_names == ("shoulder",)
    document.execute(change_control(document.robot, ("lower",)))
    cspace = document.robot.xrdf.cspace
    assert cspace is not None
    assert cspace.joint_names == ("shoulder", "elbow")
    assert document.undo_label == "Add elbow to the c-space"


def test_a_missing_c_space_is_made_in_the_same_step(tmp_path: Path) -> None:
    start, end = CLEAN.index("cspace:"), CLEAN.index("tool_frames:")
    document = make_document(tmp_path, CLEAN[:start] + CLEAN[end:])
    document.execute(change_control(document.robot, ("upper",)))
    cspace = document.robot.xrdf.cspace
    assert cspace is not None
    assert cspace.joint_names == ("shoulder",)
    assert document.position == 1


def test_a_locked_joint_keeps_its_position(document: Document) -> None:
    document.execute(lock_joints(document.robot, ("lower",), POSE))
    xrdf = document.robot.xrdf
    assert xrdf.cspace is not None
    assert xrdf.cspace.joint_names == ("shoulder", "grip")
    assert xrdf.default_joint_positions == FrozenDict({"shoulder": 0.0, "elbow": -0.5, "grip": 0.2})
    assert document.position == 1
    assert document.undo_label == "Lock elbow"
    with pytest.raises(CannotApply, match="elbow is already locked at this position"):
        lock_joints(document.robot, ("lower",), POSE)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ("hand", "hand is the child of a fixed joint, wrist."),
        ("base", "base is the root and has no parent joint."),
        ("right", "follow follows grip."),
        ("side", "side is not part of the kinematic structure."),
    ],
)
def test_what_no_joint_of_its_own_moves_says_why(
    document: Document, frame: str, reason: str
) -> None:
    for make in (
        lambda: change_control(document.robot, (frame,)),
        lambda: lock_joints(document.robot, (frame,), POSE),
    ):
        with pytest.raises(CannotApply) as refusal:
            make()
        assert str(refusal.value) == reason


def test_links_and_added_frames_are_renamed(document: Document) -> None:
    document.execute(rename_frame(document.robot, "lower", "forearm"))
    assert document.robot.urdf.link("forearm") is not None
    document.execute(rename_frame(document.robot, "tool", "tcp"))
    assert tools_of(document) == ("tcp",)
    with pytest.raises(CannotApply, match="The robot has no link nobody"):
        rename_frame(document.robot, "nobody", "anybody")
