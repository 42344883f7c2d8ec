"""Which fields of URDF, XRDF and SRDF name a link (or frame), a joint, a geometry group, a group of the SRDF.

One row for each field. Renaming, deleting, repairing and merging go through these rows, so that a field that is added
to the model is added here, and followed everywhere. A name that a thing has itself (the name of a link, of an added
frame, of a group) is no reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Generic, Literal, TypeVar

from editor_app.model.change import CannotApply
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import CollisionPair, Srdf
from editor_app.model.urdf import Extension, Urdf
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    Modifier,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

#: The new name for a name; None deletes the reference.
Rename = Callable[[str], str | None]
#: (the name, a sentence part that says what names it).
Mentions = Iterator[tuple[str, str]]
DocumentName = Literal["urdf", "xrdf", "srdf"]
DOCUMENTS: tuple[DocumentName, ...] = ("urdf", "xrdf", "srdf")
D = TypeVar("D", Urdf, Xrdf, Srdf)
V = TypeVar("V")
C = TypeVar("C", CollisionSection, SelfCollisionSection)


class Named(StrEnum):
    """What a reference names."""

    #: A link of the URDF or a frame that the XRDF adds: they share their names.
    LINK = "link"
    JOINT = "joint"
    GEOMETRY_GROUP = "geometry group"
    SRDF_GROUP = "group of the SRDF"


@dataclass(frozen=True)
class ReferenceField(Generic[D]):
    """One field. `title` is what messages call it; `moves_along`: merging a link takes it along or drops it.

    `mentions(document)` goes through the references; `renamed(document, rename)` gives the document with other names,
    or raises CannotApply where two entries would become one.
    """

    document: DocumentName
    named: Named
    title: str
    mentions: Callable[[D], Mentions]
    renamed: Callable[[D, Rename], D]
    moves_along: bool = False


def reference_fields(named: Named, documents: Iterable[DocumentName] = DOCUMENTS) -> list[ReferenceField[Any]]:
    """The rows for one kind of thing, in the order of the documents."""
    wanted = frozenset(documents)
    return [field for field in FIELDS if field.named is named and field.document in wanted]


def mentions(robot: RobotDescription, named: Named, name: str) -> Iterator[tuple[ReferenceField[Any], str]]:
    """(field, what names it) of all that refers to a name."""
    for field in reference_fields(named):
        document = getattr(robot, field.document)
        if document is not None:
            yield from ((field, sentence) for other, sentence in field.mentions(document) if other == name)


def with_renamed(
    robot: RobotDescription,
    named: Named,
    old: str,
    new: str | None,
    documents: Iterable[DocumentName] = DOCUMENTS,
    *,
    title: str | None = None,
) -> RobotDescription:
    """The robot with `new` wherever `old` is referred to; None deletes the references. What says neither is shared.

    `title` is the one field that is meant. Raises CannotApply where something speaks of `new` already, so that two
    entries would become one.
    """

    def rename(name: str) -> str | None:
        return new if name == old else name

    for field in reference_fields(named, documents):
        document = getattr(robot, field.document)
        if document is None or (title is not None and field.title != title):
            continue
        if all(name != old for name, _ in field.mentions(document)):
            continue
        try:
            changed = field.renamed(document, rename)
        except _Clash:
            raise CannotApply(f"{field.title} mentions both {old} and {new}. Delete one of them first.") from None
        robot = _with_document(robot, field.document, changed)
    return robot


def _with_document(robot: RobotDescription, name: DocumentName, document: Any) -> RobotDescription:
    if name == "urdf":
        return robot.with_urdf(document)
    return robot.with_xrdf(document) if name == "xrdf" else robot.with_srdf(document)


# -- pieces of rows


class _Clash(Exception):
    """Two entries of a mapping would become one."""


def _names(names: tuple[str, ...], rename: Rename) -> tuple[str, ...]:
    return tuple(new for name in names if (new := rename(name)) is not None)


def _keys(mapping: FrozenDict[str, V], rename: Rename) -> FrozenDict[str, V]:
    kept = [(new, value) for key, value in mapping.items() if (new := rename(key)) is not None]
    renamed = FrozenDict(kept)
    if len(renamed) != len(kept):
        raise _Clash
    return renamed


def _same(names: Iterable[str], sentence: str) -> Mentions:
    return ((name, sentence) for name in names)


# -- URDF


def _of_joints(urdf: Urdf) -> Mentions:
    for joint in urdf.joints:
        yield joint.parent, f"the joint {joint.name!r} hangs on it"
        yield joint.child, f"the joint {joint.name!r} carries it"


def _with_joint_ends(urdf: Urdf, rename: Rename) -> Urdf:
    joints = tuple(
        replace(j, parent=rename(j.parent) or j.parent, child=rename(j.child) or j.child) for j in urdf.joints
    )
    return replace(urdf, joints=joints)


def _sensor_links(urdf: Urdf, rename: Rename) -> Urdf:
    return replace(urdf, sensors=tuple(replace(s, parent=rename(s.parent) or s.parent) for s in urdf.sensors))


def _sensor_joints(urdf: Urdf, rename: Rename) -> Urdf:
    sensors = tuple(s if s.joint is None else replace(s, joint=rename(s.joint)) for s in urdf.sensors)
    return replace(urdf, sensors=sensors)


def _extensions(urdf: Urdf, rename: Rename) -> Urdf:
    def renamed(extension: Extension) -> Extension | None:
        if extension.reference is None:
            return extension
        new = rename(extension.reference)
        return None if new is None else replace(extension, reference=new)

    return replace(urdf, extensions=tuple(e for old in urdf.extensions if (e := renamed(old)) is not None))


def _extension_references(urdf: Urdf) -> Mentions:
    return _same(
        (e.reference for e in urdf.extensions if e.reference is not None), "an extension of the URDF refers to it"
    )


def _mimics(urdf: Urdf, rename: Rename) -> Urdf:
    joints = []
    for joint in urdf.joints:
        leader = rename(joint.mimic.joint) if joint.mimic is not None else None
        mimic = replace(joint.mimic, joint=leader) if joint.mimic is not None and leader is not None else None
        joints.append(replace(joint, mimic=mimic))
    return replace(urdf, joints=tuple(joints))


def _transmissions(urdf: Urdf, rename: Rename) -> Urdf:
    return replace(urdf, transmissions=tuple(replace(t, joints=_names(t.joints, rename)) for t in urdf.transmissions))


# -- XRDF


def _modifiers(xrdf: Xrdf, change: Callable[[Modifier], Modifier | None]) -> Xrdf:
    changed = tuple(new for modifier in xrdf.modifiers or () if (new := change(modifier)) is not None)
    return replace(xrdf, modifiers=changed or None)


def _base_frames(xrdf: Xrdf, rename: Rename) -> Xrdf:
    def change(modifier: Modifier) -> Modifier | None:
        if not isinstance(modifier, SetBaseFrame):
            return modifier
        new = rename(modifier.frame)
        return None if new is None else replace(modifier, frame=new)

    return _modifiers(xrdf, change)


def _parent_frames(xrdf: Xrdf, rename: Rename) -> Xrdf:
    def change(modifier: Modifier) -> Modifier | None:
        if not isinstance(modifier, AddFrame):
            return modifier
        new = rename(modifier.parent_frame_name)
        return None if new is None else replace(modifier, parent_frame_name=new)

    return _modifiers(xrdf, change)


def _freed_joints(xrdf: Xrdf, rename: Rename) -> Xrdf:
    def change(modifier: Modifier) -> Modifier | None:
        # The joint of an added frame is its own, never one of the URDF.
        if not isinstance(modifier, RemoveMimicAttributes):
            return modifier
        new = rename(modifier.joint_name)
        return None if new is None else replace(modifier, joint_name=new)

    return _modifiers(xrdf, change)


def _of_modifiers(kind: type[V], name: Callable[[V], str], sentence: Callable[[V], str]) -> Callable[[Xrdf], Mentions]:
    return lambda xrdf: ((name(m), sentence(m)) for m in xrdf.modifiers or () if isinstance(m, kind))


def _buffers(section: C, rename: Rename) -> C:
    if not isinstance(section.buffer_distance, FrozenDict):
        return section
    return replace(section, buffer_distance=_keys(section.buffer_distance, rename))


def _of_buffers(section: CollisionSection | None) -> Mentions:
    buffers = section.buffer_distance if section is not None else None
    return _same(buffers if isinstance(buffers, FrozenDict) else (), "the XRDF gives it a buffer distance")


def _ignore(xrdf: Xrdf, rename: Rename) -> Xrdf:
    section = xrdf.self_collision
    if section is None or section.ignore is None:
        return xrdf
    lists = {frame: (others, _names(others, rename)) for frame, others in section.ignore.items()}
    # A list that loses its last entry goes; one that was empty stays.
    kept = FrozenDict((frame, new) for frame, (old, new) in lists.items() if new or not old)
    return replace(xrdf, self_collision=replace(section, ignore=_keys(kept, rename)))


def _of_ignore(xrdf: Xrdf) -> Mentions:
    ignore = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
    for frame, others in (ignore or {}).items():
        yield from _same((frame, *others), "the XRDF masks it")


def _of_spheres(xrdf: Xrdf) -> Mentions:
    for group in xrdf.geometry or ():
        yield from _same(group.spheres, f"it has spheres in the group {group.name!r}")


def _spheres(xrdf: Xrdf, rename: Rename) -> Xrdf:
    groups = tuple(replace(g, spheres=_keys(g.spheres, rename)) for g in xrdf.geometry or ())
    return replace(xrdf, geometry=groups)


def _cspace_joints(xrdf: Xrdf, rename: Rename) -> Xrdf:
    cspace = xrdf.cspace
    if cspace is None or cspace.joint_names is None:
        return xrdf
    gone = {i for i, name in enumerate(cspace.joint_names) if rename(name) is None}

    def rest(values: tuple[float, ...] | None) -> tuple[float, ...] | None:
        return values if values is None or not gone else tuple(v for i, v in enumerate(values) if i not in gone)

    names = _names(cspace.joint_names, rename)
    limits = {"acceleration_limits": rest(cspace.acceleration_limits), "jerk_limits": rest(cspace.jerk_limits)}
    return replace(xrdf, cspace=replace(cspace, joint_names=names, **limits))


def _geometry_of(key: Literal["world_collision", "self_collision"]) -> ReferenceField[Xrdf]:
    title = {"world_collision": "collision.geometry", "self_collision": "self_collision.geometry"}[key]

    def named(xrdf: Xrdf) -> Mentions:
        section: CollisionSection | None = getattr(xrdf, key)
        if section is not None and section.geometry is not None:
            yield section.geometry, f"{title} names it"

    def renamed(xrdf: Xrdf, rename: Rename) -> Xrdf:
        section: CollisionSection | None = getattr(xrdf, key)
        if section is None or section.geometry is None:
            return xrdf
        changed: Any = {key: replace(section, geometry=rename(section.geometry))}
        return replace(xrdf, **changed)

    return ReferenceField("xrdf", Named.GEOMETRY_GROUP, title, named, renamed)


def _clones(xrdf: Xrdf, rename: Rename) -> Xrdf:
    def changed(clone: tuple[str, ...] | None) -> tuple[str, ...] | None:
        new = _names(clone or (), rename)
        return clone if new == (clone or ()) else new or None

    return replace(xrdf, geometry=tuple(replace(g, clone=changed(g.clone)) for g in xrdf.geometry or ()))


def _of_clones(xrdf: Xrdf) -> Mentions:
    for group in xrdf.geometry or ():
        yield from _same(group.clone or (), f"the group {group.name!r} takes over its spheres")


# -- SRDF


def _of_group_links(srdf: Srdf) -> Mentions:
    for group in srdf.groups:
        links = (*group.links, *(link for chain in group.chains for link in chain))
        yield from _same(links, f"it belongs to the group {group.name!r} of the SRDF")


def _group_links(srdf: Srdf, rename: Rename) -> Srdf:
    groups = []
    for group in srdf.groups:
        ends = [(rename(base), rename(tip)) for base, tip in group.chains]
        chains = tuple((base, tip) for base, tip in ends if base is not None and tip is not None)
        groups.append(replace(group, links=_names(group.links, rename), chains=chains))
    return replace(srdf, groups=tuple(groups))


def _of_pairs(srdf: Srdf) -> Mentions:
    pairs = (link for pair in srdf.disabled_pairs for link in (pair.link1, pair.link2))
    return _same(pairs, "the SRDF disables collisions of it")


def _pairs(pairs: tuple[CollisionPair, ...], rename: Rename) -> tuple[CollisionPair, ...]:
    renamed = ((pair, rename(pair.link1), rename(pair.link2)) for pair in pairs)
    return tuple(replace(p, link1=a, link2=b) for p, a, b in renamed if a is not None and b is not None)


def _margins(srdf: Srdf, rename: Rename) -> Srdf:
    if srdf.margins is None:
        return srdf
    renamed = ((pair, rename(pair.link1), rename(pair.link2)) for pair in srdf.margins.pairs)
    pairs = tuple(replace(p, link1=a, link2=b) for p, a, b in renamed if a is not None and b is not None)
    return replace(srdf, margins=replace(srdf.margins, pairs=pairs))


def _of_margins(srdf: Srdf) -> Mentions:
    pairs = srdf.margins.pairs if srdf.margins is not None else ()
    return _same((link for pair in pairs for link in (pair.link1, pair.link2)), "the SRDF speaks of it")


def _end_effector_links(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((e, rename(e.parent_link)) for e in srdf.end_effectors)
    return replace(srdf, end_effectors=tuple(replace(e, parent_link=new) for e, new in renamed if new is not None))


def _virtual_links(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((v, rename(v.child_link)) for v in srdf.virtual_joints)
    return replace(srdf, virtual_joints=tuple(replace(v, child_link=new) for v, new in renamed if new is not None))


def _of_group_joints(srdf: Srdf) -> Mentions:
    for group in srdf.groups:
        yield from _same(group.joints, f"it belongs to the group {group.name!r} of the SRDF")


def _of_states(srdf: Srdf) -> Mentions:
    for state in srdf.states:
        yield from _same(state.positions, f"the state {state.name!r} of the SRDF gives its joint a position")


def _joint_properties(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((p, rename(p.joint)) for p in srdf.joint_properties)
    return replace(srdf, joint_properties=tuple(replace(p, joint=new) for p, new in renamed if new is not None))


def _state_groups(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((s, rename(s.group)) for s in srdf.states)
    return replace(srdf, states=tuple(replace(s, group=new) for s, new in renamed if new is not None))


def _tcp_groups(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((t, rename(t.group)) for t in srdf.tcps)
    return replace(srdf, tcps=tuple(replace(t, group=new) for t, new in renamed if new is not None))


def _effector_groups(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((e, rename(e.group)) for e in srdf.end_effectors)
    return replace(srdf, end_effectors=tuple(replace(e, group=new) for e, new in renamed if new is not None))


def _parent_groups(srdf: Srdf, rename: Rename) -> Srdf:
    effectors = (
        e if e.parent_group is None else replace(e, parent_group=rename(e.parent_group)) for e in srdf.end_effectors
    )
    return replace(srdf, end_effectors=tuple(effectors))


LINK, JOINT, GEOMETRY_GROUP, SRDF_GROUP = Named

FIELDS: tuple[ReferenceField[Any], ...] = (
    ReferenceField("urdf", LINK, "joint", _of_joints, _with_joint_ends, moves_along=True),
    ReferenceField("urdf", LINK, "extensions", _extension_references, _extensions),
    ReferenceField(
        "urdf",
        LINK,
        "sensor",
        lambda urdf: ((s.parent, f"the sensor {s.name!r} sits on it") for s in urdf.sensors),
        _sensor_links,
    ),
    ReferenceField("urdf", JOINT, "extensions", _extension_references, _extensions),
    ReferenceField(
        "urdf",
        JOINT,
        "sensor",
        lambda urdf: ((s.joint, f"the sensor {s.name!r} sits on it") for s in urdf.sensors if s.joint is not None),
        _sensor_joints,
    ),
    ReferenceField(
        "urdf",
        JOINT,
        "transmission",
        lambda urdf: ((joint, "a transmission drives its joint") for t in urdf.transmissions for joint in t.joints),
        _transmissions,
    ),
    ReferenceField(
        "urdf",
        JOINT,
        "mimic",
        lambda urdf: ((j.mimic.joint, "a joint mimics its joint") for j in urdf.joints if j.mimic is not None),
        _mimics,
    ),
    ReferenceField(
        "xrdf",
        LINK,
        "tool_frames",
        lambda xrdf: _same(xrdf.tool_frames or (), "it is a tool frame of the XRDF"),
        lambda xrdf, rename: replace(xrdf, tool_frames=_names(xrdf.tool_frames or (), rename)),
    ),
    ReferenceField(
        "xrdf",
        LINK,
        "set_base_frame",
        _of_modifiers(SetBaseFrame, lambda m: m.frame, lambda m: "it is the base frame of the XRDF"),
        _base_frames,
    ),
    ReferenceField(
        "xrdf",
        LINK,
        "add_frame",
        _of_modifiers(
            AddFrame, lambda m: m.parent_frame_name, lambda m: f"the XRDF adds the frame {m.frame_name!r} to it"
        ),
        _parent_frames,
    ),
    ReferenceField(
        "xrdf",
        LINK,
        "buffer_distance of world_collision",
        lambda xrdf: _of_buffers(xrdf.world_collision),
        lambda xrdf, rename: replace(xrdf, world_collision=_buffers(xrdf.world_collision, rename)),
        moves_along=True,
    ),
    ReferenceField(
        "xrdf",
        LINK,
        "buffer_distance of self_collision",
        lambda xrdf: _of_buffers(xrdf.self_collision),
        lambda xrdf, rename: replace(xrdf, self_collision=_buffers(xrdf.self_collision, rename)),
        moves_along=True,
    ),
    ReferenceField("xrdf", LINK, "ignore", _of_ignore, _ignore, moves_along=True),
    ReferenceField("xrdf", LINK, "geometry", _of_spheres, _spheres, moves_along=True),
    ReferenceField(
        "xrdf",
        JOINT,
        "remove_mimic_attributes",
        _of_modifiers(RemoveMimicAttributes, lambda m: m.joint_name, lambda m: "the XRDF frees its joint"),
        _freed_joints,
    ),
    ReferenceField(
        "xrdf",
        JOINT,
        "default_joint_positions",
        lambda xrdf: _same(xrdf.default_joint_positions or (), "the XRDF gives its joint a position"),
        lambda xrdf, rename: replace(
            xrdf, default_joint_positions=_keys(xrdf.default_joint_positions or FrozenDict(), rename)
        ),
    ),
    ReferenceField(
        "xrdf",
        JOINT,
        "cspace.joint_names",
        lambda xrdf: _same((xrdf.cspace.joint_names if xrdf.cspace else None) or (), "the XRDF controls its joint"),
        _cspace_joints,
    ),
    _geometry_of("world_collision"),
    _geometry_of("self_collision"),
    ReferenceField("xrdf", GEOMETRY_GROUP, "clone", _of_clones, _clones),
    ReferenceField("srdf", LINK, "group", _of_group_links, _group_links),
    ReferenceField(
        "srdf",
        LINK,
        "end_effector",
        lambda srdf: _same((e.parent_link for e in srdf.end_effectors), "an end effector of the SRDF hangs on it"),
        _end_effector_links,
    ),
    ReferenceField(
        "srdf",
        LINK,
        "virtual_joint",
        lambda srdf: _same((v.child_link for v in srdf.virtual_joints), "a virtual joint of the SRDF leads to it"),
        _virtual_links,
    ),
    ReferenceField(
        "srdf",
        LINK,
        "disable_collisions",
        _of_pairs,
        lambda srdf, rename: replace(srdf, disabled_pairs=_pairs(srdf.disabled_pairs, rename)),
        moves_along=True,
    ),
    ReferenceField(
        "srdf",
        LINK,
        "enable_collisions",
        lambda srdf: _same((n for p in srdf.enabled_pairs for n in (p.link1, p.link2)), "the SRDF speaks of it"),
        lambda srdf, rename: replace(srdf, enabled_pairs=_pairs(srdf.enabled_pairs, rename)),
    ),
    ReferenceField(
        "srdf",
        LINK,
        "disable_default_collisions",
        lambda srdf: _same(srdf.default_disabled_links, "the SRDF speaks of it"),
        lambda srdf, rename: replace(srdf, default_disabled_links=_names(srdf.default_disabled_links, rename)),
    ),
    ReferenceField("srdf", LINK, "pair_margin", _of_margins, _margins),
    ReferenceField(
        "srdf",
        LINK,
        "link_sphere_approximation",
        lambda srdf: _same(srdf.sphere_approximations, "the SRDF speaks of it"),
        lambda srdf, rename: replace(srdf, sphere_approximations=_keys(srdf.sphere_approximations, rename)),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "group",
        _of_group_joints,
        lambda srdf, rename: replace(
            srdf, groups=tuple(replace(g, joints=_names(g.joints, rename)) for g in srdf.groups)
        ),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "group_state",
        _of_states,
        lambda srdf, rename: replace(
            srdf, states=tuple(replace(s, positions=_keys(s.positions, rename)) for s in srdf.states)
        ),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "passive_joint",
        lambda srdf: _same(srdf.passive_joints, "the SRDF speaks of its joint"),
        lambda srdf, rename: replace(srdf, passive_joints=_names(srdf.passive_joints, rename)),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "joint_property",
        lambda srdf: _same((p.joint for p in srdf.joint_properties), "the SRDF speaks of its joint"),
        _joint_properties,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "subgroup",
        lambda srdf: ((inner, f"the group {g.name!r} includes it") for g in srdf.groups for inner in g.subgroups),
        lambda srdf, rename: replace(
            srdf, groups=tuple(replace(g, subgroups=_names(g.subgroups, rename)) for g in srdf.groups)
        ),
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "group_state",
        lambda srdf: ((s.group, f"the state {s.name!r} is of it") for s in srdf.states),
        _state_groups,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "tcp",
        lambda srdf: ((t.group, f"the tool {t.name!r} is of it") for t in srdf.tcps),
        _tcp_groups,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "end_effector",
        lambda srdf: ((e.group, f"the end effector {e.name!r} is of this group") for e in srdf.end_effectors),
        _effector_groups,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "parent_group",
        lambda srdf: (
            (e.parent_group, f"the end effector {e.name!r} hangs on it")
            for e in srdf.end_effectors
            if e.parent_group is not None
        ),
        _parent_groups,
    ),
)
