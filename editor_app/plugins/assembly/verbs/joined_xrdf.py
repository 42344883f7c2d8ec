"""Two XRDFs as one: what the part says stands behind what the base says, section by section;
spheres are not fitted again. The part has the names already that it has in the assembly; names that
both have are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from editor_app.core.document.commands import modifier_title
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.xrdf.versions import CannotConvert, convert_version
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    Modifier,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)
from editor_app.core.tasks.work import Refused

Spheres = FrozenDict[str, tuple[CollisionSphere, ...]]
Buffers = FrozenDict[str, float] | float | None


def joined_xrdf(base: RobotDescription, part: RobotDescription, out: Reporter) -> Xrdf:
    """The XRDF of both robots. Raises Refused where the base's version has no room for what the
    part says."""
    version = base.xrdf.format_version or "1.0"
    try:
        converted = convert_version(part, version if version in ("1.0", "2.0") else "1.0")
    except CannotConvert as error:
        remedy = "use convert --xrdf-version 1.0 with --merge or --keep GROUP"
        raise Refused(f"{out.source}: {error} {remedy}") from None
    old, new = base.xrdf, converted.xrdf
    for note in converted.notes:
        out.translated("format_version", note)
    spheres = {group.name: group.spheres for group in new.geometry or ()}
    count = sum(len(of_frame) for of_group in spheres.values() for of_frame in of_group.values())
    if count:
        out.taken("geometry", f"{format_count(count, 'sphere')} unchanged")
    xrdf = replace(
        old,
        modifiers=_modifiers(old, new, out),
        default_joint_positions=_positions(old, new, out),
        cspace=_cspace(old.cspace, new.cspace, out),
        tool_frames=_tool_frames(old, new, out),
    )
    return _with_collision(xrdf, new, out)


def _modifiers(old: Xrdf, new: Xrdf, out: Reporter) -> tuple[Modifier, ...] | None:
    kept = tuple(
        modifier for modifier in new.modifiers or () if not isinstance(modifier, SetBaseFrame)
    )
    for modifier in new.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            out.lost("set_base_frame", f"{modifier.frame}: the assembly has the base's")
        else:
            out.taken("modifiers", modifier_title(modifier))
    return (*(old.modifiers or ()), *kept) if kept else old.modifiers


def _positions(old: Xrdf, new: Xrdf, out: Reporter) -> FrozenDict[str, float] | None:
    if not new.default_joint_positions:
        return old.default_joint_positions
    out.taken("default_joint_positions", format_count(len(new.default_joint_positions), "position"))
    return FrozenDict({**(old.default_joint_positions or {}), **new.default_joint_positions})


def _tool_frames(old: Xrdf, new: Xrdf, out: Reporter) -> tuple[str, ...] | None:
    if not new.tool_frames:
        return old.tool_frames
    out.taken("tool_frames", ", ".join(new.tool_frames))
    return (*(old.tool_frames or ()), *new.tool_frames)


def _cspace(old: CSpace | None, new: CSpace | None, out: Reporter) -> CSpace | None:
    if new is None or not new.joint_names:
        return old
    out.taken(
        "cspace",
        f"{format_count(len(new.joint_names), 'joint')} with limits: {', '.join(new.joint_names)}",
    )
    if old is None:
        return new

    def limits(key: str, placeholder: float) -> tuple[float, ...] | None:
        values: list[tuple[float, ...] | None] = [getattr(old, key), getattr(new, key)]
        if values == [None, None]:
            return None
        joined: tuple[float, ...] = ()
        for cspace, numbers in zip((old, new), values, strict=True):
            names = cspace.joint_names or ()
            if numbers is None and names:
                out.invented(
                    f"cspace.{key}", f"{placeholder:g}, a placeholder, for {', '.join(names)}"
                )
            joined += (placeholder,) * len(names) if numbers is None else numbers
        return joined

    names = (*(old.joint_names or ()), *new.joint_names)
    accelerations = limits("acceleration_limits", PLACEHOLDER_ACCELERATION)
    return CSpace(names, accelerations, limits("jerk_limits", PLACEHOLDER_JERK))


def _with_collision(xrdf: Xrdf, new: Xrdf, out: Reporter) -> Xrdf:
    """With the part's spheres in the groups that the base's sections name, its buffers and ignored
    pairs."""
    world_name = xrdf.world_group or xrdf.self_group or new.world_group or new.self_group
    self_name = xrdf.self_group or world_name
    before = xrdf
    xrdf = _with_groups(xrdf, new, (world_name, self_name), out)
    used = {
        group.name for name in (new.world_group, new.self_group) for group in new.with_clones(name)
    }
    others = (group for group in new.geometry or () if group.name not in used)
    xrdf = replace(xrdf, geometry=(*(xrdf.geometry or ()), *others) or xrdf.geometry)
    for_world, for_self = xrdf.world_collision, xrdf.self_collision
    if new.world_collision is not None:
        for_world = for_world or CollisionSection(world_name)
        spheres = (before.spheres_of(world_name), new.spheres_of(new.world_group))
        for_world = replace(
            for_world,
            buffer_distance=_buffers("collision", for_world, new.world_collision, spheres, out),
        )
    if new.self_collision is not None:
        for_self = for_self or SelfCollisionSection(self_name)
        spheres = (before.spheres_of(self_name), new.spheres_of(new.self_group))
        buffers = _buffers("self_collision", for_self, new.self_collision, spheres, out)
        for_self = replace(
            for_self, buffer_distance=buffers, ignore=_ignored(for_self, new.self_collision, out)
        )
    return replace(xrdf, world_collision=for_world, self_collision=for_self)


def _with_groups(
    xrdf: Xrdf, new: Xrdf, names: tuple[str | None, str | None], out: Reporter
) -> Xrdf:
    """With the part's spheres in the two groups for obstacles and for self-collision, which may be
    one."""
    world_name, self_name = names
    for_world, for_self = new.spheres_of(new.world_group), new.spheres_of(new.self_group)
    if world_name == self_name:
        if for_world != for_self and for_world and for_self:
            raise Refused(
                f"{out.source} has different spheres for obstacles and self-collision, but the "
                "base has one "
                "group for both. To get one group, use convert --xrdf-version 1.0 with --merge or "
                "--keep GROUP"
            )
        return _with_spheres(xrdf, world_name, for_world or for_self)
    if world_name in {group.name for group in xrdf.with_clones(self_name)}:
        for_self = _beyond(for_self, for_world, out)
    elif self_name in {group.name for group in xrdf.with_clones(world_name)}:
        for_world = _beyond(for_world, for_self, out)
    return _with_spheres(_with_spheres(xrdf, world_name, for_world), self_name, for_self)


def _ignored(
    old: SelfCollisionSection, new: SelfCollisionSection, out: Reporter
) -> FrozenDict[str, tuple[str, ...]] | None:
    if not new.ignore:
        return old.ignore
    out.taken("ignore", f"{format_count(len(new.ignored_pairs()), 'pair')} within the part")
    return FrozenDict({**(old.ignore or {}), **new.ignore})


def _with_spheres(xrdf: Xrdf, name: str | None, spheres: Spheres) -> Xrdf:
    if name is None or not spheres:
        return xrdf
    group = xrdf.group(name) or GeometryGroup(name)
    return xrdf.with_group(replace(group, spheres=FrozenDict({**group.spheres, **spheres})))


def _beyond(more: Spheres, less: Spheres, out: Reporter) -> Spheres:
    """What of `more` is not in `less`, which is cloned."""
    rest = {
        frame: tuple(s for s in spheres if s not in less.get(frame, ()))
        for frame, spheres in more.items()
    }
    if any(
        sphere not in more.get(frame, ()) for frame, spheres in less.items() for sphere in spheres
    ):
        raise Refused(
            f"{out.source} lacks spheres in one of its two groups that the base's group would "
            "clone: merge the "
            "part's groups first with convert --merge"
        )
    return FrozenDict({frame: spheres for frame, spheres in rest.items() if spheres})


def _buffers(
    key: str,
    old: CollisionSection,
    new: CollisionSection,
    spheres: tuple[Spheres, Spheres],
    out: Reporter,
) -> Buffers:
    """A single number holds for all frames: it is written for each of them where the part has other
    numbers."""
    ours, theirs = old.buffer_distance, new.buffer_distance
    if theirs:
        told = (
            format_count(len(theirs), "buffer")
            if isinstance(theirs, FrozenDict)
            else f"{theirs:g} for all its links"
        )
        out.taken(f"{key}.buffer_distance", told)
    if theirs == ours or not (theirs or ours) or not (theirs or spheres[1]):
        return ours
    if isinstance(ours, FrozenDict | None) and isinstance(theirs, FrozenDict | None):
        return FrozenDict({**(ours or {}), **(theirs or {})})
    if ours is None and not spheres[0]:
        return theirs
    joined: dict[str, float] = {}
    for buffers, frames in zip((ours, theirs), spheres, strict=True):
        joined |= (
            buffers if isinstance(buffers, FrozenDict) else dict.fromkeys(frames, buffers or 0.0)
        )
    return FrozenDict(joined)


_CONTROL = re.compile(r"<ros2_control\b[^>]*?\bname\s*=\s*[\"']([^\"']*)")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


#: So many names of each kind are told.
_TOLD = 5


class NameClash(Refused):
    """Two robots have names in common; with `prefix` before the names of the part they have
    none."""

    def __init__(self, text: str, prefix: str) -> None:
        super().__init__(text)
        self.prefix = prefix

    def __reduce__(self) -> tuple[type[NameClash], tuple[str, str]]:
        return NameClash, (str(self), self.prefix)


def name_clashes(base: RobotDescription, part: RobotDescription) -> str:
    """The names by kind, for a sentence; "" where there are none.

    Geometry groups that the part's collision sections use clash with none: their spheres go into
    the base's groups.
    """
    both: list[tuple[str, list[str]]] = []
    for (kind, ours), (_, theirs) in zip(_names(base), _names(part), strict=True):
        shared = [name for name in dict.fromkeys(theirs) if name and name in set(ours)]
        both.append((kind, shared))
    both.append(("materials", _materials(base, part)))
    return "; ".join(f"{kind} {format_list(names, _TOLD)}" for kind, names in both if names)


def _names(robot: RobotDescription) -> list[tuple[str, list[str]]]:
    urdf, xrdf, srdf = robot.urdf, robot.xrdf, robot.srdf or Srdf()
    added = xrdf.added_frames
    controls = [
        match.group(1) for e in urdf.extensions if (match := _CONTROL.match(e.text)) is not None
    ]
    used = {
        group.name
        for name in (xrdf.world_group, xrdf.self_group)
        for group in xrdf.with_clones(name)
    }
    return [
        ("links", [*_named(urdf.links), *(frame.frame_name for frame in added)]),
        ("joints", [*_named(urdf.joints), *(frame.joint_name for frame in added)]),
        ("transmissions", _named(urdf.transmissions)),
        ("ros2_control systems", controls),
        ("sensors", _named(urdf.sensors)),
        ("geometry groups", [name for name in _named(xrdf.geometry or ()) if name not in used]),
        ("groups", _named(srdf.groups)),
        ("states", [f"{state.name} of {state.group}" for state in srdf.states]),
        ("tools", [f"{tcp.name} of {tcp.group}" for tcp in srdf.tcps]),
        ("end effectors", _named(srdf.end_effectors)),
    ]


def _named(things: Iterable[_Named]) -> list[str]:
    return [thing.name for thing in things]


def _materials(base: RobotDescription, part: RobotDescription) -> list[str]:
    """Materials that both define, in two ways."""
    ours, theirs = base.urdf.materials_by_name(), part.urdf.materials_by_name()
    return [name for name in theirs if name and name in ours and ours[name] != theirs[name]]
