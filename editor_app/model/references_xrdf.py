"""The fields of the XRDF that name a link, joint or group: see model/references.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeVar

from editor_app.model.frozen import FrozenDict
from editor_app.model.reference_field import (
    Mentions,
    Named,
    ReferenceField,
    Rename,
    V,
    all_say,
    keys_of,
    names_of,
)
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    Modifier,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

LINK, JOINT, GEOMETRY_GROUP, SRDF_GROUP = Named
C = TypeVar("C", CollisionSection, SelfCollisionSection)


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
    return replace(section, buffer_distance=keys_of(section.buffer_distance, rename))


def _of_buffers(section: CollisionSection | None) -> Mentions:
    buffers = section.buffer_distance if section is not None else None
    return all_say(buffers if isinstance(buffers, FrozenDict) else (), "the XRDF gives it a buffer distance")


def _ignore(xrdf: Xrdf, rename: Rename) -> Xrdf:
    section = xrdf.self_collision
    if section is None or section.ignore is None:
        return xrdf
    lists = {frame: (others, names_of(others, rename)) for frame, others in section.ignore.items()}
    # A list that loses its last entry goes; one that was empty stays.
    kept = FrozenDict((frame, new) for frame, (old, new) in lists.items() if new or not old)
    return replace(xrdf, self_collision=replace(section, ignore=keys_of(kept, rename)))


def _of_ignore(xrdf: Xrdf) -> Mentions:
    ignore = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
    for frame, others in (ignore or {}).items():
        yield from all_say((frame, *others), "the XRDF ignores its collisions")


def _of_spheres(xrdf: Xrdf) -> Mentions:
    for group in xrdf.geometry or ():
        yield from all_say(group.spheres, f"it has spheres in the group {group.name!r}")


def _spheres(xrdf: Xrdf, rename: Rename) -> Xrdf:
    groups = tuple(replace(g, spheres=keys_of(g.spheres, rename)) for g in xrdf.geometry or ())
    return replace(xrdf, geometry=groups)


def _cspace_joints(xrdf: Xrdf, rename: Rename) -> Xrdf:
    cspace = xrdf.cspace
    if cspace is None or cspace.joint_names is None:
        return xrdf
    gone = {i for i, name in enumerate(cspace.joint_names) if rename(name) is None}

    def rest(values: tuple[float, ...] | None) -> tuple[float, ...] | None:
        return values if values is None or not gone else tuple(v for i, v in enumerate(values) if i not in gone)

    names = names_of(cspace.joint_names, rename)
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
        new = names_of(clone or (), rename)
        return clone if new == (clone or ()) else new or None

    return replace(xrdf, geometry=tuple(replace(g, clone=changed(g.clone)) for g in xrdf.geometry or ()))


def _of_clones(xrdf: Xrdf) -> Mentions:
    for group in xrdf.geometry or ():
        yield from all_say(group.clone or (), f"the group {group.name!r} takes over its spheres")


XRDF_FIELDS: tuple[ReferenceField[Any], ...] = (
    ReferenceField(
        "xrdf",
        LINK,
        "tool_frames",
        lambda xrdf: all_say(xrdf.tool_frames or (), "it is a tool frame of the XRDF"),
        lambda xrdf, rename: replace(xrdf, tool_frames=names_of(xrdf.tool_frames or (), rename)),
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
        lambda xrdf: all_say(xrdf.default_joint_positions or (), "the XRDF gives its joint a position"),
        lambda xrdf, rename: replace(
            xrdf, default_joint_positions=keys_of(xrdf.default_joint_positions or FrozenDict(), rename)
        ),
    ),
    ReferenceField(
        "xrdf",
        JOINT,
        "cspace.joint_names",
        lambda xrdf: all_say((xrdf.cspace.joint_names if xrdf.cspace else None) or (), "the XRDF controls its joint"),
        _cspace_joints,
    ),
    _geometry_of("world_collision"),
    _geometry_of("self_collision"),
    ReferenceField("xrdf", GEOMETRY_GROUP, "clone", _of_clones, _clones),
)
