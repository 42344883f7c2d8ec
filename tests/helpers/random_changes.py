"""Random edits of a robot, for properties that hold after any sequence of commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from editor_app.core.document import commands as c
from editor_app.core.document.commands.fields import OfModifier
from editor_app.core.document.commands.tools import SECTION_TITLES
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSphere,
    FixedTransform,
    LinkPair,
    RemoveMimicAttributes,
    SetBaseFrame,
)

FRAMES = ("base", "upper", "fore", "hand", "finger_a", "finger_b", "tcp", "camera")
JOINTS = ("j1", "j2", "slide_a", "slide_b")
NAMES = ("spheres", "coarse", "fine", "own", "with blank", "né: x", "1")

frames = st.sampled_from(FRAMES)
joints = st.sampled_from(JOINTS)
EMPTY_SECTIONS = ["modifiers", "default_joint_positions", "tool_frames", "geometry"]
names = st.sampled_from(NAMES)
numbers = st.one_of(
    st.floats(-2.0, 2.0, allow_nan=False),
    st.sampled_from([0.0, 0.1, -0.01, 1.0, 1e-17, -1.19904e-17, 0.30000000000000004, 123456.789]),
)
positive = st.floats(0.0, 1e4, allow_nan=False)
places = st.integers(0, 3)
spheres = st.builds(CollisionSphere, st.tuples(numbers, numbers, numbers), numbers)
some_spheres = st.lists(spheres, min_size=1, max_size=3).map(tuple)
sections = st.sampled_from(["world_collision", "self_collision"])
buffer_paths = sections.map(lambda section: f"xrdf.{section}.buffer_distance")
positions = st.just("xrdf.default_joint_positions")
tool_frames = st.just("xrdf.tool_frames")
ordered = st.sampled_from(["xrdf.tool_frames", "xrdf.modifiers"])
pairs = st.lists(
    st.tuples(frames, frames).filter(lambda ab: ab[0] != ab[1]).map(lambda ab: LinkPair.of(*ab)),
    min_size=1,
    max_size=3,
).map(tuple)
transforms = st.builds(
    FixedTransform,
    st.tuples(numbers, numbers, numbers),
    st.sampled_from([(1.0, 0.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.5), (0.0, 0.0, 1.0, 0.0)]),
)
modifiers = st.one_of(
    st.builds(AddFrame, frames, frames, st.sampled_from(["tcp_joint", "extra"]), transforms),
    st.builds(SetBaseFrame, frames),
    st.builds(
        RemoveMimicAttributes,
        st.just("slide_b"),
        st.just((0.0, 0.04)),
        st.one_of(st.none(), st.floats(0.0, 5.0)),
    ),
)


def refs(robot: RobotDescription) -> st.SearchStrategy[tuple[SphereRef, ...]]:
    """Some spheres that the robot has; none when it has none."""
    all_refs = [
        SphereRef(group.name, frame, i)
        for group in robot.xrdf.geometry or ()
        for frame, spheres in group.spheres.items()
        for i in range(len(spheres))
    ]
    if not all_refs:
        return st.just(())
    return st.lists(st.sampled_from(all_refs), max_size=4, unique=True).map(tuple)


def changes(robot: RobotDescription) -> st.SearchStrategy[Change]:
    """One change; it may well be refused by `robot`."""
    groups = st.sampled_from([g.name for g in robot.xrdf.geometry or ()] or ["spheres"])
    buffers = st.dictionaries(frames, numbers, max_size=3).map(FrozenDict)
    kinds: list[Callable[[], st.SearchStrategy[Any]]] = [
        lambda: refs(robot).flatmap(
            lambda r: st.tuples(*(st.tuples(st.just(x), spheres) for x in r)).map(
                lambda v: c.SetSpheres(v)
            )
        ),
        lambda: st.builds(c.AddSpheres, groups, frames, some_spheres, st.one_of(st.none(), places)),
        lambda: st.builds(c.DeleteSpheres, refs(robot)),
        lambda: st.builds(c.DuplicateSpheres, refs(robot), st.tuples(numbers, numbers, numbers)),
        lambda: st.builds(
            c.ReplaceSpheres,
            groups,
            st.dictionaries(frames, st.lists(spheres, max_size=2).map(tuple), max_size=2).map(
                FrozenDict
            ),
        ),
        lambda: st.builds(c.AddGroup, names),
        lambda: st.builds(c.CopyGroup, groups, names),
        lambda: st.builds(c.RenameItem, st.just("xrdf.geometry"), groups, names),
        lambda: st.builds(c.RemoveItems, st.just("xrdf.geometry"), groups.map(lambda g: (g,))),
        lambda: st.builds(
            c.SetClone, groups, st.one_of(st.none(), st.lists(groups, max_size=2).map(tuple))
        ),
        lambda: st.builds(c.AddCollisionSection, sections, st.one_of(st.none(), groups)),
        lambda: st.builds(c.SetCollisionGeometry, sections, st.one_of(st.none(), groups)),
        lambda: st.builds(c.SetItems, buffer_paths, buffers),
        lambda: st.builds(c.RemoveItems, buffer_paths, frames.map(lambda f: (f,))),
        lambda: st.builds(c.RenameItem, buffer_paths, frames, frames),
        lambda: st.builds(c.SetAllBuffers, sections, st.one_of(st.none(), buffers, numbers)),
        lambda: st.builds(c.ExpandBuffer, sections),
        lambda: st.builds(c.SetMask, st.just(c.MaskFile.XRDF), pairs, anew=st.booleans()),
        lambda: st.builds(c.SetMask, checked=pairs),
        lambda: st.just(c.TidyIgnore()),
        lambda: pairs.map(lambda p: c.SetIgnore(c.ignore_of(robot, p))),
        lambda: st.just(c.SetIgnore(None)),
        lambda: st.builds(
            c.SetItems, positions, st.dictionaries(joints, numbers, max_size=3).map(FrozenDict)
        ),
        lambda: st.builds(c.RemoveItems, positions, joints.map(lambda j: (j,))),
        lambda: st.builds(c.RenameItem, positions, joints, joints),
        lambda: st.dictionaries(joints, numbers, max_size=4).map(
            lambda p: c.SetDefaultsFromPose(FrozenDict(p))
        ),
        lambda: st.builds(
            c.AddCSpace, st.lists(joints, unique=True).map(tuple), positive, positive
        ),
        lambda: st.builds(
            c.AddJoints,
            st.lists(joints, max_size=2, unique=True).map(tuple),
            positive,
            positive,
            st.one_of(places),
        ),
        lambda: st.builds(c.RemoveJoints, st.lists(places, max_size=2).map(tuple)),
        lambda: st.builds(c.MoveJoint, places, places),
        lambda: st.builds(
            c.SetLimits,
            st.sampled_from(["acceleration", "jerk"]),
            st.lists(st.tuples(places, positive), max_size=2).map(tuple),
        ),
        lambda: st.builds(c.SetAllLimits, st.sampled_from(["acceleration", "jerk"]), positive),
        lambda: st.builds(c.MatchLimits, positive, positive),
        lambda: st.builds(c.InsertItem, tool_frames, frames, st.one_of(st.none(), places)),
        lambda: st.builds(c.set_item, tool_frames, places, frames),
        lambda: st.builds(
            c.ConfirmGuesses,
            st.tuples(st.tuples(st.sampled_from(["acceleration_limits", "jerk_limits"]), joints)),
        ),
        lambda: st.builds(c.RemoveItems, ordered, places.map(lambda i: (i,))),
        lambda: st.builds(c.MoveItem, ordered, places, places),
        lambda: st.builds(
            c.InsertItem, st.just("xrdf.modifiers"), modifiers, st.one_of(st.none(), places)
        ),
        lambda: st.builds(c.set_item, st.just("xrdf.modifiers"), places, modifiers),
        lambda: st.builds(c.RenameItem, st.just("xrdf.modifiers"), places, frames),
        lambda: st.builds(
            c.SetField,
            places.map(OfModifier),
            st.sampled_from(["frame_name", "parent_frame_name", "frame"]),
            frames,
        ),
        lambda: st.builds(
            c.AddSection,
            st.sampled_from(["modifiers", "default_joint_positions", "tool_frames", "geometry"]),
        ),
        lambda: st.builds(c.RemoveSection, st.sampled_from(list(SECTION_TITLES))),
    ]
    # The kind first: building every strategy for every draw costs far more than the draw.
    return st.sampled_from(kinds).flatmap(lambda kind: kind())
