"""What each command does to the model, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from editor_app.core.document import commands as c
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSphere,
    CSpace,
    FixedTransform,
    LinkPair,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
)
from tests.helpers.small_robot import small_robot

BALL = CollisionSphere((1.0, 2.0, 3.0), 0.5)
UPPER0, UPPER1, HAND0 = (
    SphereRef("spheres", f, i) for f, i in (("upper", 0), ("upper", 1), ("hand", 0))
)


@pytest.fixture
def robot() -> RobotDescription:
    return small_robot()


def with_(robot: RobotDescription, **sections: object) -> RobotDescription:
    return robot.with_xrdf(replace(robot.xrdf, **sections))  # type: ignore[arg-type]


def refused(robot: RobotDescription, change: Change) -> str:
    with pytest.raises(CannotApply) as refusal:
        change.apply(robot)
    return str(refusal.value)


# -- spheres


def test_spheres_are_set_where_they_are_and_others_are_shared(robot: RobotDescription) -> None:
    after = c.SetSpheres(((UPPER1, BALL),), "Move 1 sphere").apply(robot)
    assert after.xrdf.group("spheres").spheres["upper"] == (  # type: ignore[union-attr]
        robot.xrdf.group("spheres").spheres["upper"][0],  # type: ignore[union-attr]
        BALL,
    )
    assert (
        after.xrdf.group("spheres").spheres["hand"] is robot.xrdf.group("spheres").spheres["hand"]  # type: ignore[union-attr]
    )
    assert after.xrdf.cspace is robot.xrdf.cspace
    same = c.get_sphere(robot, UPPER1)
    assert c.SetSpheres(((UPPER1, same),)).apply(robot) is robot


@pytest.mark.parametrize("index", [None, 0, 1, 2, 99])
def test_refs_say_where_added_spheres_are(robot: RobotDescription, index: int | None) -> None:
    change = c.AddSpheres("spheres", "upper", (BALL, replace(BALL, radius=0.7)), index)
    after = change.apply(robot)
    assert [c.get_sphere(after, ref) for ref in change.refs(robot)] == list(change.spheres)
    assert len(after.xrdf.group("spheres").spheres["upper"]) == 4  # type: ignore[union-attr]


def test_refs_say_where_duplicates_are(robot: RobotDescription) -> None:
    change = c.DuplicateSpheres((UPPER1, HAND0, UPPER0), (0.0, 0.0, 1.0))
    after = change.apply(robot)
    for new, old in zip(change.refs(robot), change.references, strict=True):
        was, now = c.get_sphere(robot, old), c.get_sphere(after, new)
        assert now.center == (was.center[0], was.center[1], was.center[2] + 1.0)
        assert now.radius == was.radius


def test_the_last_sphere_of_a_frame_takes_its_entry_along(robot: RobotDescription) -> None:
    after = c.DeleteSpheres((HAND0, UPPER0)).apply(robot)
    spheres = after.xrdf.group("spheres").spheres  # type: ignore[union-attr]
    assert list(spheres) == ["upper"]
    assert spheres["upper"] == (c.get_sphere(robot, UPPER1),)


def test_whole_frames_are_replaced_at_once(robot: RobotDescription) -> None:
    change = c.ReplaceSpheres(
        "spheres", FrozenDict({"hand": (), "fore": (BALL, BALL)}), "Fit 2 links"
    )
    after = change.apply(robot).xrdf.group("spheres")
    assert after is not None
    assert list(after.spheres) == ["upper", "fore"]
    assert change.refs(robot) == (SphereRef("spheres", "fore", 0), SphereRef("spheres", "fore", 1))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (c.SetSpheres(((SphereRef("spheres", "upper", 7), BALL),)), "no sphere number 8"),
        (c.SetSpheres(((UPPER0, CollisionSphere((0.0, float("nan"), 0.0), 1.0)),)), "finite"),
        (c.AddSpheres("nowhere", "upper", (BALL,)), "There are: spheres"),
        (c.AddSpheres("spheres", "", (BALL,)), "needs a name"),
        (c.DeleteSpheres((SphereRef("spheres", "fore", 0),)), "no sphere"),
        (
            c.AddSpheres("spheres", "fore", (CollisionSphere((0.0, 0.0, 0.0), float("inf")),)),
            "radius",
        ),
    ],
)
def test_spheres_that_cannot_be(robot: RobotDescription, change: Change, words: str) -> None:
    assert words in refused(robot, change)


# -- geometry groups


def test_a_renamed_group_is_followed_everywhere(robot: RobotDescription) -> None:
    robot = c.AddGroup("fine", clone=("spheres",)).apply(robot)
    after = c.RenameItem("xrdf.geometry", "spheres", "coarse").apply(robot).xrdf
    assert [g.name for g in after.geometry or ()] == ["coarse", "fine"]
    assert after.world_group == after.self_group == "coarse"
    assert after.geometry is not None
    assert after.geometry[1].clone == ("coarse",)
    assert after.geometry[0].spheres is robot.xrdf.geometry[0].spheres  # type: ignore[index]


def test_a_deleted_group_leaves_no_reference(robot: RobotDescription) -> None:
    robot = c.AddGroup("fine", clone=("spheres",)).apply(robot)
    after = c.RemoveItems("xrdf.geometry", ("spheres",)).apply(robot).xrdf
    assert after.world_group is None
    assert after.self_group is None
    assert after.geometry is not None
    assert after.geometry[0].clone is None


def test_a_group_cannot_clone_itself(robot: RobotDescription) -> None:
    robot = c.AddGroup("fine", clone=("spheres",)).apply(robot)
    assert "clone itself" in refused(robot, c.SetClone("spheres", ("fine",)))
    assert "clone itself" in refused(robot, c.SetClone("fine", ("fine",)))
    assert "no geometry group" in refused(robot, c.SetClone("fine", ("none",)))
    assert "already" in refused(robot, c.RenameItem("xrdf.geometry", "fine", "spheres"))
    copied = c.CopyGroup("fine", c.free_group_name(robot.xrdf, "fine")).apply(robot)
    assert copied.xrdf.group("fine_2") == replace(robot.xrdf.group("fine"), name="fine_2")  # type: ignore[type-var]


# -- collision


def test_buffers_are_set_deleted_and_moved_in_their_place(robot: RobotDescription) -> None:
    after = c.SetItems(
        "xrdf.world_collision.buffer_distance", FrozenDict({"fore": 0.1, "upper": 0.2})
    ).apply(robot)
    assert list(after.xrdf.world_collision.buffer_distance.items()) == [  # type: ignore[union-attr]
        ("upper", 0.2),
        ("hand", 0.02),
        ("fore", 0.1),
    ]
    after = c.RenameItem("xrdf.world_collision.buffer_distance", "upper", "base").apply(after)
    assert list(after.xrdf.world_collision.buffer_distance) == ["base", "hand", "fore"]  # type: ignore[union-attr, arg-type]
    after = c.RemoveItems("xrdf.world_collision.buffer_distance", ("hand",)).apply(after)
    assert list(after.xrdf.world_collision.buffer_distance) == ["base", "fore"]  # type: ignore[union-attr, arg-type]
    assert after.xrdf.self_collision is robot.xrdf.self_collision
    assert c.set_item("xrdf.world_collision.buffer_distance", "hand", 0.02).apply(robot) is robot
    assert "already" in refused(
        robot, c.RenameItem("xrdf.world_collision.buffer_distance", "upper", "hand")
    )
    assert "no world collision buffer" in refused(
        robot, c.RemoveItems("xrdf.world_collision.buffer_distance", ("fore",))
    )


def test_one_number_for_all_frames_is_written_per_frame(robot: RobotDescription) -> None:
    robot = c.SetAllBuffers("self_collision", 0.005).apply(robot)
    assert "one number" in refused(
        robot, c.set_item("xrdf.self_collision.buffer_distance", "hand", 0.1)
    )
    after = c.ExpandBuffer("self_collision").apply(robot)
    assert after.xrdf.self_collision.buffer_distance == {"upper": 0.005, "hand": 0.005}  # type: ignore[union-attr]
    assert after.xrdf.self_collision.ignore is robot.xrdf.self_collision.ignore  # type: ignore[union-attr]


def test_collision_sections_come_and_go(robot: RobotDescription) -> None:
    for section in ("world_collision", "self_collision"):
        bare = c.RemoveSection(section).apply(robot)  # type: ignore[arg-type]
        assert getattr(bare.xrdf, section) is None
        assert "Add it first" in refused(bare, c.SetCollisionGeometry(section, "spheres"))  # type: ignore[arg-type]
        back = c.AddCollisionSection(section, "spheres").apply(bare)  # type: ignore[arg-type]
        assert getattr(back.xrdf, section).geometry == "spheres"
        assert "already" in refused(back, c.AddCollisionSection(section))  # type: ignore[arg-type]
    assert type(back.xrdf.self_collision) is SelfCollisionSection


# -- masked pairs


def ignored(robot: RobotDescription) -> dict[str, tuple[str, ...]]:
    assert robot.xrdf.self_collision is not None
    return dict(robot.xrdf.self_collision.ignore or {})


def test_a_pair_is_masked_once_under_the_frame_first_in_the_tree(robot: RobotDescription) -> None:
    pairs = (
        LinkPair.of("upper", "base"),
        LinkPair("tcp", "finger_a"),
        LinkPair.of("fore", "upper"),
    )
    after = c.SetMask(pairs=pairs).apply(robot)
    assert ignored(after)["base"] == ("upper",)
    assert ignored(after)["upper"] == ("fore",)
    assert LinkPair.of("tcp", "finger_a") in after.xrdf.self_collision.ignored_pairs()  # type: ignore[union-attr]
    assert c.SetMask(pairs=pairs).apply(after) is after
    assert "itself" in refused(robot, c.SetMask(pairs=(LinkPair("hand", "hand"),)))


def test_a_pair_is_unmasked_whichever_way_it_is_written(robot: RobotDescription) -> None:
    after = c.SetMask(checked=(LinkPair.of("upper", "fore"),)).apply(robot)
    assert ignored(after) == {"fore": ("hand",)}
    assert "not ignored" in refused(after, c.SetMask(checked=(LinkPair.of("upper", "fore"),)))


def test_a_whole_mask_keeps_entries_that_stay(robot: RobotDescription) -> None:
    robot = c.SetIgnore(
        FrozenDict({"upper": ("fore", "fore"), "fore": ("hand",), "base": ()})
    ).apply(robot)
    wanted = {
        LinkPair.of("upper", "fore"),
        LinkPair.of("hand", "base"),
        LinkPair.of("base", "fore"),
    }
    step = c.SetMask.exactly(robot, c.MaskFile.XRDF, wanted)
    assert (set(step.pairs), step.checked) == (
        wanted - robot.xrdf.ignored_pairs(),
        (LinkPair.of("fore", "hand"),),
    )
    assert ignored(step.apply(robot)) == {"upper": ("fore", "fore"), "base": ("fore", "hand")}
    assert list(ignored(c.SetMask(anew=True).apply(robot)).items()) == [
        ("upper", ("fore",)),
        ("fore", ("hand",)),
    ]
    assert (
        c.SetMask.exactly(robot, c.MaskFile.XRDF, (), label="Reset 2 pairs").label
        == "Reset 2 pairs"
    )


def test_former_commands_of_masks_warn_and_work(robot: RobotDescription) -> None:
    old: Any = c
    pair, other = LinkPair.of("upper", "base"), LinkPair.of("upper", "fore")
    with pytest.warns(DeprecationWarning, match=r"commands\.MaskPairs is commands\.SetMask now"):
        assert old.MaskPairs((pair,)) == c.SetMask(pairs=(pair,))
    with pytest.warns(DeprecationWarning, match="UnmaskPairs"):
        assert old.UnmaskPairs((pair,)) == c.SetMask(checked=(pair,))
    with pytest.warns(DeprecationWarning, match="SetSrdfPairs"):
        step = old.SetSrdfPairs(FrozenDict({pair: "Never"}), (other,))
    assert step == c.SetMask(c.MaskFile.SRDF, (pair,), FrozenDict({pair: "Never"}), (other,))
    assert step.label == "Disable base and upper and enable fore and upper in the SRDF"


def test_tidying_keeps_what_is_masked(robot: RobotDescription) -> None:
    mess = FrozenDict({"fore": ("upper", "hand", "hand", "fore"), "upper": ("fore",), "base": ()})
    robot = c.SetIgnore(mess).apply(robot)
    assert c.redundant_entries(robot) == 3
    after = c.TidyIgnore().apply(robot)
    assert ignored(after) == {"fore": ("hand",), "upper": ("fore",), "base": ()}
    assert after.xrdf.self_collision.ignored_pairs() == robot.xrdf.self_collision.ignored_pairs()  # type: ignore[union-attr]
    assert c.redundant_entries(after) == 0
    assert c.TidyIgnore().apply(after) is after


def test_pairs_as_a_whole_are_in_tree_order(robot: RobotDescription) -> None:
    pairs = [LinkPair.of("hand", "fore"), LinkPair.of("base", "upper"), LinkPair.of("base", "fore")]
    ignore = c.ignore_of(robot, pairs)
    assert list(ignore.items()) == [("base", ("upper", "fore")), ("fore", ("hand",))]
    after = c.SetIgnore(ignore).apply(robot)
    assert after.xrdf.self_collision.ignored_pairs() == frozenset(pairs)  # type: ignore[union-attr]


# -- default joint positions


def test_a_pose_becomes_the_default_of_joints_that_follow_no_other(robot: RobotDescription) -> None:
    pose = FrozenDict({"j1": 1.0, "j2": 2.0, "slide_a": 0.02, "slide_b": 0.02})
    after = c.SetDefaultsFromPose(pose).apply(robot)
    assert after.xrdf.default_joint_positions == {"j1": 1.0, "j2": 2.0, "slide_a": 0.02}
    freed = c.InsertItem(
        "xrdf.modifiers", RemoveMimicAttributes("slide_b", (0.0, 0.04), 1.0)
    ).apply(robot)
    assert "slide_b" in (
        c.SetDefaultsFromPose(pose).apply(freed).xrdf.default_joint_positions or ()
    )


def test_default_positions_keep_their_places(robot: RobotDescription) -> None:
    after = c.SetItems(
        "xrdf.default_joint_positions", FrozenDict({"slide_a": 0.01, "j1": 2.0})
    ).apply(robot)
    assert list((after.xrdf.default_joint_positions or {}).items()) == [
        ("j1", 2.0),
        ("j2", 1.0),
        ("slide_a", 0.01),
    ]
    after = c.RenameItem("xrdf.default_joint_positions", "j1", "slide_b").apply(after)
    assert list(after.xrdf.default_joint_positions or ()) == ["slide_b", "j2", "slide_a"]
    after = c.RemoveItems("xrdf.default_joint_positions", ("slide_b", "j2")).apply(after)
    assert list(after.xrdf.default_joint_positions or ()) == ["slide_a"]
    assert "already" in refused(robot, c.RenameItem("xrdf.default_joint_positions", "j1", "j2"))
    assert "no default position" in refused(
        robot, c.RemoveItems("xrdf.default_joint_positions", ("slide_a",))
    )


# -- c-space

RAGGED = CSpace(("a", "b", "c"), (1.0, 2.0), (10.0, 20.0, 30.0, 40.0))


def test_limits_stay_with_their_joint(robot: RobotDescription) -> None:
    robot = with_(robot, cspace=CSpace(("a", "b", "c"), (1.0, 2.0, 3.0), (10.0, 20.0, 30.0)))
    moved = c.MoveJoint(0, 2).apply(robot).xrdf.cspace
    assert moved == CSpace(("b", "c", "a"), (2.0, 3.0, 1.0), (20.0, 30.0, 10.0))
    fewer = c.RemoveJoints((1,)).apply(robot).xrdf.cspace
    assert fewer == CSpace(("a", "c"), (1.0, 3.0), (10.0, 30.0))
    more = c.AddJoints(("x",), 9.0, 99.0, 1).apply(robot).xrdf.cspace
    assert more == CSpace(("a", "x", "b", "c"), (1.0, 9.0, 2.0, 3.0), (10.0, 99.0, 20.0, 30.0))


def test_ragged_limits_stay_with_their_joint(robot: RobotDescription) -> None:
    robot = with_(robot, cspace=RAGGED)
    swapped = c.MoveJoint(0, 1).apply(robot).xrdf.cspace
    assert swapped == CSpace(("b", "a", "c"), (2.0, 1.0), (20.0, 10.0, 30.0, 40.0))
    assert "c has no acceleration limit" in refused(robot, c.MoveJoint(2, 0))
    assert c.RemoveJoints((2, 0)).apply(robot).xrdf.cspace == CSpace(("b",), (2.0,), (20.0, 40.0))
    more = c.AddJoints(("x",), 9.0, 99.0).apply(robot).xrdf.cspace
    assert more == CSpace(
        ("a", "b", "c", "x"), (1.0, 2.0, 9.0, 9.0), (10.0, 20.0, 30.0, 99.0, 40.0)
    )
    one = c.SetLimits("acceleration", ((2, 7.0),)).apply(robot).xrdf.cspace
    assert one == replace(RAGGED, acceleration_limits=(1.0, 2.0, 7.0))
    every = c.SetAllLimits("jerk", 5.0).apply(robot).xrdf.cspace
    assert every == replace(RAGGED, jerk_limits=(5.0, 5.0, 5.0, 40.0))
    whole = c.MatchLimits(8.0, 80.0).apply(robot).xrdf.cspace
    assert whole == CSpace(("a", "b", "c"), (1.0, 2.0, 8.0), (10.0, 20.0, 30.0))


def test_absent_lists_of_the_c_space(robot: RobotDescription) -> None:
    robot = with_(robot, cspace=CSpace(("a", "b")))
    assert c.RemoveJoints((0,)).apply(robot).xrdf.cspace == CSpace(("b",))
    assert c.MoveJoint(0, 1).apply(robot).xrdf.cspace == CSpace(("b", "a"))
    assert c.AddJoints(("x",), 1.0, 2.0).apply(robot).xrdf.cspace == CSpace(
        ("a", "b", "x"), (1.0,) * 3, (2.0,) * 3
    )
    assert c.AddCSpace(("a",), 1.0, 2.0).apply(with_(robot, cspace=None)).xrdf.cspace == CSpace(
        ("a",), (1.0,), (2.0,)
    )
    assert "positive" in refused(robot, c.SetAllLimits("jerk", -1.0))
    assert "already" in refused(robot, c.AddJoints(("a",)))
    assert "number 6" in refused(robot, c.RemoveJoints((5,)))


# -- tool frames


def test_tool_frames_are_an_ordered_list(robot: RobotDescription) -> None:
    assert c.InsertItem("xrdf.tool_frames", "fore", 0).apply(robot).xrdf.tool_frames == (
        "fore",
        "tcp",
        "hand",
    )
    assert c.MoveItem("xrdf.tool_frames", 1, 0).apply(robot).xrdf.tool_frames == ("hand", "tcp")
    assert c.set_item("xrdf.tool_frames", 1, "base").apply(robot).xrdf.tool_frames == (
        "tcp",
        "base",
    )
    assert c.RemoveItems("xrdf.tool_frames", (0,)).apply(robot).xrdf.tool_frames == ("hand",)
    assert c.SetToolFrames(None).apply(robot).xrdf.tool_frames is None
    assert "already" in refused(robot, c.InsertItem("xrdf.tool_frames", "hand"))
    assert "number 3" in refused(robot, c.MoveItem("xrdf.tool_frames", 2, 0))


# -- modifiers


def test_a_renamed_frame_is_followed_everywhere(robot: RobotDescription) -> None:
    for change in (
        c.InsertItem("xrdf.modifiers", AddFrame("camera", "tcp", "camera_joint")),
        c.InsertItem("xrdf.modifiers", SetBaseFrame("tcp")),
        c.AddSpheres("spheres", "tcp", (BALL,)),
        c.set_item("xrdf.world_collision.buffer_distance", "tcp", 0.1),
        c.set_item("xrdf.self_collision.buffer_distance", "tcp", 0.2),
        c.SetIgnore(FrozenDict({"tcp": ("hand",), "fore": ("tcp", "hand")})),
    ):
        robot = change.apply(robot)
    after = c.RenameItem("xrdf.modifiers", 1, "tool_tip").apply(robot)
    assert "'tcp'" not in repr(after.xrdf)
    assert repr(after.xrdf).count("'tool_tip'") == repr(robot.xrdf).count("'tcp'")
    assert c.RenameItem("xrdf.modifiers", 1, "tcp").apply(after).xrdf == robot.xrdf
    assert after.xrdf.cspace is robot.xrdf.cspace


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (c.InsertItem("xrdf.modifiers", AddFrame("hand", "base", "x")), "already"),
        (c.InsertItem("xrdf.modifiers", AddFrame("tcp", "base", "x")), "already"),
        (c.InsertItem("xrdf.modifiers", AddFrame("x", "base", "j1")), "already"),
        (c.InsertItem("xrdf.modifiers", AddFrame("x", "x", "xj")), "own parent"),
        (
            c.InsertItem(
                "xrdf.modifiers",
                AddFrame("x", "base", "xj", FixedTransform((0.0, 0.0, 0.0), (0.0,) * 4)),
            ),
            "quaternion",
        ),
        (c.InsertItem("xrdf.modifiers", RemoveMimicAttributes("slide_b", (1.0, 0.0))), "above"),
        (c.set_item("xrdf.modifiers", 9, SetBaseFrame("hand")), "number 10"),
        (c.RenameItem("xrdf.modifiers", 0, "x"), "adds no frame"),
        (c.RenameItem("xrdf.modifiers", 1, "hand"), "already"),
        (c.RemoveItems("xrdf.modifiers", (2,)), "number 3"),
    ],
)
def test_modifiers_that_cannot_be(robot: RobotDescription, change: Change, words: str) -> None:
    assert words in refused(robot, change)


def test_modifiers_are_an_ordered_list(robot: RobotDescription) -> None:
    first, second = robot.xrdf.modifiers or ()
    assert c.MoveItem("xrdf.modifiers", 0, 1).apply(robot).xrdf.modifiers == (second, first)
    assert c.RemoveItems("xrdf.modifiers", (0,)).apply(robot).xrdf.modifiers == (second,)
    assert c.set_item("xrdf.modifiers", 0, SetBaseFrame("upper")).apply(robot).xrdf.modifiers == (
        SetBaseFrame("upper"),
        second,
    )
    assert c.InsertItem("xrdf.modifiers", SetBaseFrame("upper"), 0).apply(robot).xrdf.modifiers == (
        SetBaseFrame("upper"),
        first,
        second,
    )


# -- format and sections


def test_versions_and_sections(robot: RobotDescription) -> None:
    assert c.SetFormatVersion("2.0").apply(robot).xrdf.format_version == "2.0"
    assert c.SetFormatVersion("1.0").apply(robot) is robot
    assert "1.0 and 2.0" in refused(robot, c.SetFormatVersion("3.0"))
    assert "xrdf" in refused(robot, c.SetFormat("srdf"))
    for section in ("modifiers", "default_joint_positions", "tool_frames", "geometry"):
        bare = c.RemoveSection(section).apply(robot)  # type: ignore[arg-type]
        assert getattr(bare.xrdf, section) is None
        assert len(getattr(c.AddSection(section).apply(bare).xrdf, section)) == 0  # type: ignore[arg-type]
        assert "already" in refused(robot, c.AddSection(section))  # type: ignore[arg-type]
        assert "no section" in refused(bare, c.RemoveSection(section))  # type: ignore[arg-type]
