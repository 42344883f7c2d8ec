"""Names of links, joints and groups: renaming leaves none behind, whatever the field, and deleting
takes them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import pytest

from editor_app.core.document.commands import RenameJoint, RenameLink
from editor_app.core.document.commands.lists import RenameItem, set_item
from editor_app.core.model import srdf as srdf_model
from editor_app.core.model import xrdf as xrdf_model
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.references import DOCUMENTS, FIELDS, mentions, rename_references
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.ros_settings import (
    InitialPositions,
    MotionLimit,
    MotionLimits,
    Solver,
    Solvers,
)
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import (
    CollisionMargins,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    JointProperty,
    PairMargin,
    Srdf,
    ToolCenterPoint,
    VirtualJoint,
)
from editor_app.core.model.urdf import Extension, Joint, JointType, Link, Mimic, Transmission, Urdf
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

SPHERES = (CollisionSphere((0.0, 0.0, 0.0), 0.1),)
#: Every field that names a link names `link`, and so on.
LINK, JOINT, GEOMETRY, GROUP = "the link", "the joint", "the geometry", "the group"


def robot() -> RobotDescription:
    urdf = Urdf(
        "r",
        links=(Link("root"), Link(LINK), Link("tip")),
        joints=(
            Joint(JOINT, JointType.REVOLUTE, "root", LINK),
            Joint("j2", JointType.REVOLUTE, LINK, "tip", mimic=Mimic(JOINT)),
        ),
        transmissions=(
            Transmission(
                "t",
                None,
                (JOINT,),
                (),
                f'<transmission name="t"><joint name="{JOINT}"/></transmission>',
            ),
        ),
        extensions=tuple(
            Extension("gazebo", f'<gazebo reference="{name}"/>', name) for name in (LINK, JOINT)
        ),
        sensors=(Sensor(name="s", parent=LINK, joint=JOINT),),
    )
    xrdf = Xrdf(
        modifiers=(
            SetBaseFrame(LINK),
            AddFrame("f", LINK, "fj"),
            RemoveMimicAttributes(JOINT, (0.0, 1.0)),
        ),
        default_joint_positions=FrozenDict({JOINT: 0.5, "j2": 0.0}),
        cspace=CSpace((JOINT, "j2"), (1.0, 2.0), (3.0, 4.0)),
        tool_frames=(LINK, "tip"),
        world_collision=CollisionSection(GEOMETRY, FrozenDict({LINK: 0.1, "tip": 0.2})),
        self_collision=SelfCollisionSection(
            GEOMETRY, FrozenDict({LINK: 0.1}), FrozenDict({LINK: ("tip",), "root": (LINK, "tip")})
        ),
        geometry=(
            GeometryGroup(GEOMETRY, FrozenDict({LINK: SPHERES, "tip": SPHERES})),
            GeometryGroup("g2", FrozenDict({LINK: SPHERES}), (GEOMETRY,)),
        ),
    )
    srdf = Srdf(
        groups=(
            Group(GROUP, ((LINK, "tip"), ("root", LINK)), (JOINT,), (LINK,)),
            Group("g2", subgroups=(GROUP,)),
        ),
        states=(GroupState("home", GROUP, FrozenDict({JOINT: (0.0,)})),),
        tcps=(ToolCenterPoint("tcp", GROUP),),
        end_effectors=(EndEffector("e", LINK, GROUP, "g2"), EndEffector("e2", "tip", "g2", GROUP)),
        virtual_joints=(VirtualJoint("v", "fixed", "world", LINK),),
        passive_joints=(JOINT,),
        disabled_pairs=(CollisionPair(LINK, "tip"), CollisionPair("root", LINK)),
        enabled_pairs=(CollisionPair(LINK, "tip"),),
        default_disabled_links=(LINK,),
        margins=CollisionMargins(0.0, (PairMargin("tip", LINK, 0.1),)),
        sphere_approximations=FrozenDict({LINK: SPHERES}),
        joint_properties=(JointProperty(JOINT, "weight", "1"),),
    )
    return RobotDescription(
        urdf,
        xrdf,
        srdf,
        MotionLimits(joints=FrozenDict({JOINT: MotionLimit(max_velocity=1.0)})),
        Solvers(FrozenDict({GROUP: Solver("kdl")})),
        InitialPositions(FrozenDict({JOINT: 0.1})),
    )


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, FrozenDict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, (tuple, list)):
        for inner in value:
            yield from strings(inner)
    elif is_dataclass(value):
        for field in fields(value):
            yield from strings(getattr(value, field.name))


@pytest.mark.parametrize(
    ("change", "old"),
    [
        (RenameLink(LINK, "new"), LINK),
        (RenameJoint(JOINT, "new"), JOINT),
        (RenameItem("xrdf.geometry", GEOMETRY, "new"), GEOMETRY),
        (
            set_item(
                "srdf.groups",
                GROUP,
                Group("new", ((LINK, "tip"), ("root", LINK)), (JOINT,), (LINK,)),
            ),
            GROUP,
        ),
    ],
)
def test_a_new_name_stands_everywhere_and_back_again_it_is_the_same_robot(
    change: Any, old: str
) -> None:
    before = robot()
    after = change.apply(before)
    assert old in set(strings(before))
    assert old not in set(strings(after))
    assert list(strings(after)).count("new") == list(strings(before)).count(old)
    back: Any = {
        LINK: RenameLink,
        JOINT: RenameJoint,
        GEOMETRY: partial(RenameItem, "xrdf.geometry"),
    }.get(old)
    if back is not None:
        assert back("new", old).apply(after) == before


def test_every_field_has_a_reference_in_this_robot() -> None:
    """So that the tests above speak of all of them."""
    full = robot()
    for field in FIELDS:
        name = {Named.LINK: LINK, Named.JOINT: JOINT, Named.GEOMETRY_GROUP: GEOMETRY}.get(
            field.named, GROUP
        )
        assert any(f is field for f, _ in mentions(full, field.named, name)), (
            f"{field.document} {field.title}"
        )


@pytest.mark.parametrize("named", list(Named))
def test_deleting_takes_every_reference_out(named: Named) -> None:
    name = {
        Named.LINK: LINK,
        Named.JOINT: JOINT,
        Named.GEOMETRY_GROUP: GEOMETRY,
        Named.SRDF_GROUP: GROUP,
    }[named]
    after = rename_references(robot(), named, name, None, [d for d in DOCUMENTS if d != "urdf"])
    left = [field for field, _ in mentions(after, named, name) if field.document != "urdf"]
    assert left == []
    cspace = after.xrdf.cspace
    assert cspace is not None
    if named is Named.JOINT:
        assert (cspace.joint_names, cspace.acceleration_limits, cspace.jerk_limits) == (
            ("j2",),
            (2.0,),
            (4.0,),
        )


def test_what_says_nothing_of_a_name_is_shared() -> None:
    before = robot()
    after = rename_references(before, Named.GEOMETRY_GROUP, GEOMETRY, "new")
    assert after.urdf is before.urdf
    assert after.srdf is before.srdf
    assert rename_references(before, Named.LINK, "nobody", "new") is before


def test_two_entries_never_become_one() -> None:
    spheres = GeometryGroup(GEOMETRY, FrozenDict({LINK: SPHERES, "ghost": SPHERES}))
    both = robot().with_xrdf(Xrdf(geometry=(spheres,)))
    with pytest.raises(CannotApply, match=r"mentions both the link and ghost"):
        RenameLink(LINK, "ghost").apply(both)


def test_an_added_frame_takes_the_xrdf_along_and_nothing_else() -> None:
    before = robot()
    xrdf = Xrdf(
        modifiers=(AddFrame(LINK, "root", "x"), AddFrame("on it", LINK, "y")), tool_frames=(LINK,)
    )
    after = RenameItem("xrdf.modifiers", 0, "new").apply(
        RobotDescription(Urdf("r"), xrdf, before.srdf)
    )
    assert after.srdf is before.srdf
    assert LINK not in set(strings(after.xrdf))


#: What the texts of the model are: a new field has to be given its place here, and in the map when
#: it names a thing.
TEXTS = {
    "AddFrame": {
        "frame_name": "own",
        "parent_frame_name": "link",
        "joint_name": "own",
        "joint_type": "text",
    },
    "SetBaseFrame": {"frame": "link"},
    "RemoveMimicAttributes": {"joint_name": "joint", "velocity_key": "text"},
    "GeometryGroup": {"name": "own", "spheres": "link", "clone": "geometry group"},
    "CollisionSection": {"geometry": "geometry group", "buffer_distance": "link"},
    "SelfCollisionSection": {
        "geometry": "geometry group",
        "buffer_distance": "link",
        "ignore": "link",
    },
    "LinkPair": {"first": "link", "second": "link"},
    "CSpace": {"joint_names": "joint"},
    "Xrdf": {
        "format": "text",
        "format_version": "text",
        "default_joint_positions": "joint",
        "tool_frames": "link",
    },
    "Group": {
        "name": "own",
        "chains": "link",
        "joints": "joint",
        "links": "link",
        "subgroups": "group of the SRDF",
    },
    "GroupState": {"name": "own", "group": "group of the SRDF", "positions": "joint"},
    "ToolCenterPoint": {"name": "own", "group": "group of the SRDF"},
    "EndEffector": {
        "name": "own",
        "parent_link": "link",
        "group": "group of the SRDF",
        "parent_group": "group of the SRDF",
    },
    "VirtualJoint": {"name": "own", "type": "text", "parent_frame": "text", "child_link": "link"},
    "JointProperty": {"joint": "joint", "name": "text", "value": "text"},
    "CollisionPair": {"link1": "link", "link2": "link", "reason": "text"},
    "PairMargin": {"link1": "link", "link2": "link"},
    "Srdf": {
        "name": "own",
        "version": "text",
        "passive_joints": "joint",
        "default_disabled_links": "link",
        "sphere_approximations": "link",
        "configs": "text",
    },
}


def test_every_text_of_the_model_is_known_to_be_a_reference_or_none() -> None:
    texts_by_class: dict[str, set[str]] = {}
    for module in (xrdf_model, srdf_model):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__:
                texts = {f.name for f in fields(kind) if "str" in str(f.type)}
                if texts:
                    texts_by_class[name] = texts
    assert texts_by_class == {name: set(texts) for name, texts in TEXTS.items()}
