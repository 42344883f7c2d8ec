"""The commands for all lists and mappings of the model: labels, refusals, types, and the commands
they replace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from editor_app.core.document import commands
from editor_app.core.document.commands.list_rules import LIST_RULES
from editor_app.core.document.commands.lists import (
    InsertItem,
    MoveItem,
    RemoveItems,
    RenameItem,
    SetItems,
    set_item,
)
from editor_app.core.document.commands.old_names import OLD_NAMES, find_old_command
from editor_app.core.document.commands.tools import AllOf
from editor_app.core.model.coercion import MisfitError, conformed
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import (
    EndEffector,
    Group,
    GroupState,
    PairMargin,
    Srdf,
    ToolCenterPoint,
    VirtualJoint,
)
from editor_app.core.model.xrdf import CollisionSphere, LinkPair, SetBaseFrame
from tests.helpers.small_robot import small_robot

PAIR = LinkPair("base", "hand")
BASE, EYE, ARM = SetBaseFrame("base"), Sensor("eye", "camera", "hand"), Group("arm")
TCP, CLAW = ToolCenterPoint("pen", "arm"), EndEffector("claw", "hand", "arm")
STAND = VirtualJoint("stand", "fixed", "world", "base")
SPHERES = (CollisionSphere((0.0, 0.0, 0.0), 0.1), CollisionSphere((0.0, 0.0, 0.1), 0.1))
BUFFERS = "xrdf.self_collision.buffer_distance"
LABELS: list[tuple[Any, str]] = [
    (InsertItem("xrdf.modifiers", BASE), "Add base frame base"),
    (set_item("xrdf.modifiers", 0, BASE), "Change base frame base"),
    (RemoveItems("xrdf.modifiers", (0, 2)), "Delete 2 modifiers"),
    (MoveItem("xrdf.modifiers", 0, 1), "Reorder modifiers"),
    (RenameItem("xrdf.modifiers", 0, "tip"), "Rename frame to tip"),
    (InsertItem("xrdf.tool_frames", "hand"), "Add tool frame hand"),
    (set_item("xrdf.tool_frames", 0, "hand"), "Set tool frame hand"),
    (RemoveItems("xrdf.tool_frames", (0,)), "Remove 1 tool frame"),
    (MoveItem("xrdf.tool_frames", 0, 1), "Reorder tool frames"),
    (set_item("xrdf.default_joint_positions", "j1", 0.5), "Set default position of j1"),
    (
        SetItems("xrdf.default_joint_positions", FrozenDict({"j1": 0.5, "j2": 0.5})),
        "Set 2 default positions",
    ),
    (RemoveItems("xrdf.default_joint_positions", ("j1",)), "Delete default position of j1"),
    (RenameItem("xrdf.default_joint_positions", "j1", "j2"), "Move default position from j1 to j2"),
    (set_item(BUFFERS, "hand", 0.01), "Set self-collision buffer of hand"),
    (RemoveItems(BUFFERS, ("hand", "base")), "Delete self-collision buffer of 2 frames"),
    (RenameItem(BUFFERS, "hand", "base"), "Move self-collision buffer from hand to base"),
    (RemoveItems("xrdf.geometry", ("fine",)), "Delete geometry group fine"),
    (RemoveItems("xrdf.geometry", ("fine", "coarse")), "Delete 2 geometry groups"),
    (RenameItem("xrdf.geometry", "fine", "coarse"), "Rename geometry group fine to coarse"),
    (InsertItem("srdf.groups", ARM), "Add group arm"),
    (set_item("srdf.groups", "hand", ARM), "Edit group arm"),
    (RemoveItems("srdf.groups", ("arm", "hand")), "Delete 2 groups"),
    (RemoveItems("srdf.states", (("up", "arm"),)), "Delete state up"),
    (set_item("srdf.tcps", ("pen", "arm"), TCP), "Set tool centre point pen"),
    (InsertItem("srdf.end_effectors", CLAW), "Add end effector claw"),
    (set_item("srdf.end_effectors", "hook", CLAW), "Edit end effector claw"),
    (RemoveItems("srdf.end_effectors", ("claw",)), "Delete end effector claw"),
    (RemoveItems("srdf.end_effectors", ("claw", "hook")), "Delete 2 entries of the SRDF"),
    (InsertItem("srdf.virtual_joints", STAND), "Add virtual joint stand"),
    (set_item("srdf.virtual_joints", "foot", STAND), "Edit virtual joint stand"),
    (InsertItem("srdf.passive_joints", "j1"), "Make j1 passive"),
    (RemoveItems("srdf.passive_joints", ("j1",)), "Delete passive joint j1"),
    (set_item("srdf.joint_properties", ("j1", "weight"), "2"), "Set property weight of j1"),
    (set_item("srdf.joint_properties", ("j1", "weight"), None), "Remove property weight of j1"),
    (RemoveItems("srdf.joint_properties", (("j1", "weight"),)), "Delete 1 entry of the SRDF"),
    (set_item("srdf.margins.pairs", PAIR, 0.1), "Set margin of base and hand"),
    (set_item("srdf.sphere_approximations", "hand", SPHERES), "Set 2 spheres of hand in the SRDF"),
    (
        SetItems("srdf.sphere_approximations", FrozenDict({"hand": SPHERES, "base": ()})),
        "Edit spheres of 2 links",
    ),
    (set_item("srdf.configs", "calibration_config", "a.yaml"), "Set calibration config"),
    (RemoveItems("srdf.configs", ("calibration_config",)), "Delete config calibration_config"),
    (InsertItem("srdf.default_disabled_links", "hand"), "Disable hand by default"),
    (RemoveItems("srdf.default_disabled_links", ("hand",)), "Check hand by default"),
    (set_item("srdf.enabled_pairs", PAIR, None), "Check base and hand anyway"),
    (RemoveItems("srdf.enabled_pairs", (PAIR,)), "Delete the exception for base and hand"),
    (set_item("srdf.disabled_pairs", PAIR, "User"), "Disable 1 pair"),
    (RemoveItems("srdf.disabled_pairs", (PAIR,)), "Enable 1 pair"),
    (InsertItem("urdf.sensors", EYE), "Add sensor eye"),
]


@pytest.mark.parametrize(("change", "label"), LABELS, ids=[label for _, label in LABELS])
def test_a_step_has_the_label_of_its_list(change: Any, label: str) -> None:
    assert change.label == label
    assert conformed(change) == change


def test_each_list_has_a_labelled_step() -> None:
    labelled = {change.path for change, _ in LABELS}
    assert labelled == set(LIST_RULES) - {"xrdf.world_collision.buffer_distance"}


SRDF = Srdf(
    "small",
    groups=(ARM, Group("wrist", subgroups=("arm",))),
    states=(GroupState("up", "arm", FrozenDict({"stand": (0.0,)})),),
    virtual_joints=(STAND,),
    passive_joints=("j2",),
)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            InsertItem("xrdf.tools", "hand"),
            "'xrdf.tools' is not a list that can be edited. Use one of xrdf.modifiers",
        ),
        (InsertItem("srdf.configs", "a.yaml"), "have keys: use SetItems"),
        (RenameItem("srdf.states", ("up", "arm"), "down"), "cannot be renamed"),
        (set_item("srdf.groups", "gone", Group("new")), "The group 'gone' does not exist"),
        (set_item("srdf.groups", "wrist", ARM), "The group 'arm' already exists"),
        (InsertItem("srdf.groups", ARM), "The group 'arm' already exists"),
        (RemoveItems("srdf.states", (("down", "arm"),)), "The group 'arm' has no state 'down'"),
        (RemoveItems("srdf.disabled_pairs", (PAIR,)), "base and hand are not disabled"),
        (MoveItem("srdf.groups", 0, 2), "No place number 3"),
        (set_item("xrdf.tool_frames", 5, "hand"), "No tool frame number 6"),
        (RenameItem("xrdf.default_joint_positions", "gone", "j1"), "gone has no default position"),
    ],
)
def test_a_step_that_cannot_be_saved_is_refused(change: Any, reason: str) -> None:
    with pytest.raises(CannotApply, match=reason):
        change.apply(small_robot().with_srdf(SRDF))


def test_a_list_without_an_srdf_cannot_be_edited() -> None:
    with pytest.raises(CannotApply, match="no SRDF"):
        InsertItem("srdf.groups", ARM).apply(small_robot())


def test_references_follow_a_new_name_and_go_with_their_item() -> None:
    robot = small_robot().with_srdf(SRDF)
    renamed = SetItems("srdf.groups", FrozenDict({"arm": Group("lower")})).apply(robot).srdf
    assert renamed is not None
    assert (renamed.groups[1].subgroups, renamed.states[0].group) == (("lower",), "lower")
    stand = (
        set_item("srdf.virtual_joints", "stand", VirtualJoint("foot", "fixed", "world", "base"))
        .apply(robot)
        .srdf
    )
    assert stand is not None
    assert stand.states[0].positions == {"foot": (0.0,)}
    without = RemoveItems("srdf.groups", ("arm",)).apply(robot).srdf
    assert without is not None
    assert (without.states, [group.name for group in without.groups]) == ((), ["wrist"])


def test_a_step_that_changes_nothing_returns_the_robot_itself() -> None:
    robot = small_robot().with_srdf(SRDF)
    for change in (
        InsertItem("srdf.passive_joints", "j2"),
        set_item("srdf.groups", "arm", ARM),
        RemoveItems("xrdf.tool_frames", ()),
        RemoveItems("srdf.end_effectors", ("gone",)),
        set_item("srdf.margins.pairs", PAIR, None),
    ):
        assert change.apply(robot) is robot


def test_pairs_are_found_whichever_way_round_they_are_written() -> None:
    robot = small_robot().with_srdf(SRDF)
    turned = LinkPair("hand", "base")
    with_margin = set_item("srdf.margins.pairs", turned, 0.1).apply(robot)
    changed = set_item("srdf.margins.pairs", PAIR, 0.2).apply(with_margin)
    assert changed.srdf is not None
    assert changed.srdf.margins is not None
    assert changed.srdf.margins.pairs == (PairMargin("hand", "base", 0.2),)
    assert RemoveItems("srdf.margins.pairs", (turned,)).apply(changed).srdf.margins.pairs == ()  # type: ignore[union-attr]


def test_values_become_those_of_their_list() -> None:
    change = conformed(SetItems("xrdf.default_joint_positions", {"j1": np.float64(0.5)}))  # type: ignore[arg-type]
    assert change == set_item("xrdf.default_joint_positions", "j1", 0.5)
    assert type(change.values["j1"]) is float
    with pytest.raises(MisfitError, match=r"InsertItem\.value must be a text, not 1"):
        conformed(InsertItem("xrdf.tool_frames", 1))
    with pytest.raises(MisfitError, match=r"RemoveItems\.keys\[0\] must be a whole number"):
        conformed(RemoveItems("xrdf.tool_frames", ("hand",)))


STATE_UP = ("up", "arm")
#: Old command and arguments -> the change of now.
OLD: dict[str, tuple[tuple[Any, ...], Any]] = {
    "AddModifier": ((BASE, 0), InsertItem("xrdf.modifiers", BASE, 0)),
    "SetModifier": ((1, BASE), set_item("xrdf.modifiers", 1, BASE)),
    "DeleteModifiers": (((1,),), RemoveItems("xrdf.modifiers", (1,))),
    "MoveModifier": ((1, 0), MoveItem("xrdf.modifiers", 1, 0)),
    "RenameAddedFrame": ((0, "tip"), RenameItem("xrdf.modifiers", 0, "tip")),
    "AddToolFrame": (("hand",), InsertItem("xrdf.tool_frames", "hand")),
    "SetToolFrame": ((1, "hand"), set_item("xrdf.tool_frames", 1, "hand")),
    "RemoveToolFrames": (((1,),), RemoveItems("xrdf.tool_frames", (1,))),
    "MoveToolFrame": ((1, 0), MoveItem("xrdf.tool_frames", 1, 0)),
    "SetDefaultPositions": (({"j1": 0.5},), set_item("xrdf.default_joint_positions", "j1", 0.5)),
    "DeleteDefaultPositions": ((("j1",),), RemoveItems("xrdf.default_joint_positions", ("j1",))),
    "RenameDefaultPosition": (("j1", "j2"), RenameItem("xrdf.default_joint_positions", "j1", "j2")),
    "SetBuffer": (("self_collision", {"hand": 0.1}), set_item(BUFFERS, "hand", 0.1)),
    "DeleteBuffers": (("self_collision", ("hand",)), RemoveItems(BUFFERS, ("hand",))),
    "RenameBufferFrame": (("self_collision", "hand", "base"), RenameItem(BUFFERS, "hand", "base")),
    "RenameGroup": (("fine", "coarse"), RenameItem("xrdf.geometry", "fine", "coarse")),
    "DeleteGroup": (("fine",), RemoveItems("xrdf.geometry", ("fine",))),
    "SetSrdfGroup": ((ARM, "hand"), set_item("srdf.groups", "hand", ARM)),
    "DeleteSrdfGroup": (("arm",), RemoveItems("srdf.groups", ("arm",))),
    "DeleteState": (STATE_UP, RemoveItems("srdf.states", (STATE_UP,))),
    "SetTcp": ((TCP,), set_item("srdf.tcps", ("pen", "arm"), TCP)),
    "DisablePairs": (((PAIR,),), set_item("srdf.disabled_pairs", PAIR, "User")),
    "EnablePairs": (((PAIR,),), RemoveItems("srdf.disabled_pairs", (PAIR,))),
    "LeaveLinkOut": (("hand", False), RemoveItems("srdf.default_disabled_links", ("hand",))),
    "CheckAllTheSame": (((PAIR,),), set_item("srdf.enabled_pairs", PAIR, None)),
    "DeleteExceptions": (((PAIR,),), RemoveItems("srdf.enabled_pairs", (PAIR,))),
    "SetEndEffector": ((CLAW,), InsertItem("srdf.end_effectors", CLAW)),
    "SetVirtualJoint": ((STAND, "foot"), set_item("srdf.virtual_joints", "foot", STAND)),
    "SetPassiveJoint": (
        ("j1", False),
        AllOf((RemoveItems("srdf.passive_joints", ("j1",)),), "Make j1 active"),
    ),
    "SetJointProperty": (
        ("j1", "weight", "2"),
        set_item("srdf.joint_properties", ("j1", "weight"), "2"),
    ),
    "SetPairMargin": ((PAIR, 0.1), set_item("srdf.margins.pairs", PAIR, 0.1)),
    "SetSphereApproximation": (
        ("hand", SPHERES),
        set_item("srdf.sphere_approximations", "hand", SPHERES),
    ),
    "SetConfig": (("calibration_config", "a"), set_item("srdf.configs", "calibration_config", "a")),
    "AddSensor": ((EYE,), InsertItem("urdf.sensors", EYE)),
}


@pytest.mark.parametrize("name", OLD)
def test_an_old_command_makes_the_change_of_now(name: str) -> None:
    values, expected = OLD[name]
    with pytest.warns(DeprecationWarning, match=rf"commands\.{name} is commands\.\w+ now"):
        make = getattr(commands, name)
    assert make(*values) == expected
    assert hasattr(commands, OLD_NAMES[name][0])


def test_old_commands_keep_their_parameters() -> None:
    with pytest.warns(DeprecationWarning, match="now"):
        make = find_old_command("SetBuffer")
    assert make(section="self_collision", distances={"hand": 0.1}) == set_item(BUFFERS, "hand", 0.1)
    with pytest.warns(DeprecationWarning, match="now"):
        make = find_old_command("DeleteSrdfParts")
    first, second = (
        RemoveItems("srdf.end_effectors", ("claw",)),
        RemoveItems("srdf.margins.pairs", (PAIR,)),
    )
    assert make(end_effectors=("claw",)) == first
    assert make(end_effectors=("claw",), margins=(PAIR,)) == AllOf(
        (first, second), "Delete 2 entries of the SRDF"
    )


def test_every_old_list_command_is_compared() -> None:
    others = {
        "CopySpheres",
        "NameSrdf",
        "RenameIgnoredFrame",
        "ForgetIgnoredFrame",
        "DeleteSrdfParts",
    }
    masks = {"MaskPairs", "UnmaskPairs", "SetSrdfPairs"}
    assert set(OLD) == set(OLD_NAMES) - others - masks
