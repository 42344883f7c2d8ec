"""Values of another program's robot file that an XRDF has too, written into a drafted one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor_app.core.formats.exchange.conversion import (
    ConversionItem,
    ConversionReport,
    Fate,
    XrdfConversion,
)
from editor_app.core.formats.exchange.sphere_lists import with_spheres
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS, GuessedPart, get_values
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    Modifier,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

#: Of limits, relative: below, a file says what is there.
_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class StatedValues:
    """The values of a robot file that URDF and SRDF lack. Joints and links are named as in the
    URDF; SI units.

    `controlled` are the driven joints in the order of the file; empty when it does not number them.
    """

    accelerations: FrozenDict[str, float] = FrozenDict()
    jerks: FrozenDict[str, float] = FrozenDict()
    positions: FrozenDict[str, float] = FrozenDict()
    controlled: tuple[str, ...] = ()
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict()

    @property
    def parts(self) -> set[GuessedPart]:
        """The values that are no guesses; a position of 0 may be one."""
        tables = {
            "acceleration_limits": self.accelerations,
            "jerk_limits": self.jerks,
            POSITIONS: [joint for joint, position in self.positions.items() if position],
        }
        stated = {(key, joint) for key, table in tables.items() for joint in table}
        return stated | ({("cspace", "")} if self.controlled else set())


def with_stated(xrdf: Xrdf, stated: StatedValues, urdf: Urdf, choose: bool) -> Xrdf:
    """Joints, limits, posture and spheres of the file in the place of guesses and placeholders.

    With `choose`, the joints that the file numbers are the controlled ones; otherwise a group was
    chosen for that.
    """
    structure = KinematicGraph(urdf)
    cspace = xrdf.cspace
    if choose and stated.controlled:
        cspace = cspace or CSpace(())
        xrdf = replace(xrdf, cspace=cspace)
    if cspace is not None:
        order = stated.controlled if choose and stated.controlled else cspace.joint_names or ()
        xrdf = replace(xrdf, cspace=with_limits(cspace, order, stated.accelerations, stated.jerks))
        positions = dict(xrdf.default_joint_positions or {})
        positions |= {n: structure.clamped(n) for n in order if n not in positions}
        positions |= {
            n: structure.clamped(n, v)
            for n, v in stated.positions.items()
            if v != 0 or n in positions
        }
        # A file that says nothing says zero, which is no posture for all robots.
        if any(stated.positions.values()) or set(order) - set(xrdf.default_joint_positions or {}):
            xrdf = replace(xrdf, default_joint_positions=FrozenDict(positions))
    return with_spheres(xrdf, stated.spheres)


def without_guesses(
    xrdf: Xrdf, stated: StatedValues | None, chosen: bool, listed: bool = False
) -> Xrdf:
    """Return the part of a draft that another file may use: values from an SRDF or another robot
    file.

    `chosen`: the joints are an SRDF's group. `listed`: spheres were given.
    """
    cspace = xrdf.cspace
    if cspace is not None:
        names = cspace.joint_names or ()
        has_accelerations = stated is not None and all(n in stated.accelerations for n in names)
        jerks = stated is not None and all(n in stated.jerks for n in names)
        cspace = CSpace(
            names,
            cspace.acceleration_limits if has_accelerations else None,
            cspace.jerk_limits if jerks else None,
        )
    if not chosen and (stated is None or not stated.controlled):
        cspace = None
    told = Xrdf(xrdf.format, xrdf.format_version, cspace=cspace)
    if listed:
        told = replace(
            told,
            geometry=xrdf.geometry,
            self_collision=SelfCollisionSection(xrdf.self_group),
            world_collision=CollisionSection(xrdf.world_group),
        )
    if stated is None:
        return (
            replace(told, default_joint_positions=xrdf.default_joint_positions) if chosen else told
        )
    positions = {name: value for name, value in stated.positions.items() if value}
    told = replace(told, default_joint_positions=FrozenDict(positions) if positions else None)
    return with_spheres(told, stated.spheres)


def with_limits(
    cspace: CSpace,
    order: tuple[str, ...],
    accelerations: Mapping[str, float],
    jerks: Mapping[str, float],
) -> CSpace:
    """The driven joints in their order, with limits of the file where they differ from those that
    are there."""
    names = order or cspace.joint_names or ()
    lists: list[tuple[float, ...] | None] = []
    for values, table, placeholder in (
        (cspace.acceleration_limits, accelerations, PLACEHOLDER_ACCELERATION),
        (cspace.jerk_limits, jerks, PLACEHOLDER_JERK),
    ):
        old_limits = dict(zip(cspace.joint_names or (), values or (), strict=False))
        new: list[float] = []
        for name in names:
            old, now = old_limits.get(name), table.get(name)
            if old is not None and (
                now is None or abs(old - now) <= _TOLERANCE * max(1.0, abs(old))
            ):
                new.append(old)
            else:
                new.append(placeholder if now is None else now)
        # A list that is short or absent stays so unless the file says otherwise.
        same = names == cspace.joint_names and tuple(new[: len(values or ())]) == tuple(
            values or ()
        )
        short = same and not any(n in table for n in names[len(values or ()) :])
        lists.append(values if short else tuple(new))
    return replace(cspace, joint_names=names, acceleration_limits=lists[0], jerk_limits=lists[1])


#: Items that a file may be silent about, and how the report calls them.
BASE, FRAMES, TOOLS, SPHERES = "base frame", "added frames", "tool_frames", "spheres"
WORLD_BUFFER, SELF_BUFFER = "collision.buffer_distance", "self_collision.buffer_distance"
IGNORE, ACCELERATION, JERK = (
    "self_collision.ignore",
    "cspace.acceleration_limits",
    "cspace.jerk_limits",
)


def brought_up_to_date(base: Xrdf, converted: XrdfConversion, urdf: Urdf | None) -> XrdfConversion:
    """`base` brought up to date. Its version, its groups of other names, and the modifiers that
    free joints stay."""
    new, silence = converted.xrdf, _Silence(converted.silent)
    tools = base.tool_frames if silence.keeps(TOOLS, base.tool_frames) else new.tool_frames
    cspace = _cspace(base.cspace, new.cspace, silence)
    # A guess never replaces a value.
    guesses = frozenset(
        part for part in converted.guesses if part[1] not in get_values(base, part[0])
    )
    positions = _positions(base, new, converted.guesses - guesses)
    xrdf = replace(
        base,
        modifiers=_modifiers(base, new, urdf, silence),
        default_joint_positions=positions or base.default_joint_positions,
        cspace=cspace,
        tool_frames=tools,
    )
    name = base.world_group or base.self_group or new.world_group or ""
    if not silence.keeps(SPHERES, any(base.spheres_of(name).values())):
        xrdf = xrdf.with_group(GeometryGroup(name, new.spheres_of(new.world_group)))
    elif base.group(name) is None:
        xrdf = xrdf.with_group(GeometryGroup(name))
    world, new_world = (
        base.world_collision or CollisionSection(name),
        new.world_collision or CollisionSection(),
    )
    self_section, new_self_section = (
        base.self_collision or SelfCollisionSection(name),
        new.self_collision or SelfCollisionSection(),
    )
    if not silence.keeps(WORLD_BUFFER, world.buffer_distance):
        world = replace(world, buffer_distance=new_world.buffer_distance)
    if not silence.keeps(SELF_BUFFER, self_section.buffer_distance):
        self_section = replace(self_section, buffer_distance=new_self_section.buffer_distance)
    if not silence.keeps(IGNORE, self_section.ignore):
        self_section = replace(self_section, ignore=new_self_section.ignore)
    self_group = self_section.geometry if SPHERES in silence.items else None
    xrdf = replace(
        xrdf,
        world_collision=replace(world, geometry=name),
        self_collision=replace(self_section, geometry=self_group or name),
    )
    report = _report(converted.report, silence.kept, base, xrdf)
    return replace(converted, xrdf=xrdf, report=report, guesses=guesses)


def _positions(base: Xrdf, new: Xrdf, idle: frozenset[GuessedPart]) -> FrozenDict[str, float]:
    """Joint -> position (rad, m) of `new`, but for its guesses in `idle`, and of `base` for other
    joints."""
    given = new.default_joint_positions or FrozenDict[str, float]()
    given = given.without(*(joint for key, joint in idle if key == POSITIONS))
    return FrozenDict({**(base.default_joint_positions or {}), **given})


class _Silence:
    """The `items` that a file says nothing of; `kept` are the items that the XRDF has, in the order
    asked for."""

    def __init__(self, items: frozenset[str]) -> None:
        self.items = items
        self.kept: list[str] = []

    def keeps(self, item: str, value: object) -> bool:
        """Whether the XRDF's `value` of an item stays, since the file has none."""
        if item in self.items and value and item not in self.kept:
            self.kept.append(item)
        return item in self.items


def _cspace(base: CSpace | None, new: CSpace | None, silence: _Silence) -> CSpace | None:
    if base is None or new is None:
        return new or base
    if silence.keeps(ACCELERATION, base.acceleration_limits):
        new = replace(new, acceleration_limits=_limits(new, base, "acceleration_limits"))
    if silence.keeps(JERK, base.jerk_limits):
        new = replace(new, jerk_limits=_limits(new, base, "jerk_limits"))
    return new


def _modifiers(
    base: Xrdf, new: Xrdf, urdf: Urdf | None, silence: _Silence
) -> tuple[Modifier, ...] | None:
    stated = {place: m for m in new.modifiers or () if (place := _stated(m)) is not None}
    # Without a modifier the root is the base: to say so is the same.
    root = KinematicGraph(urdf).root if urdf is not None else None
    implied = None if any(isinstance(m, SetBaseFrame) for m in stated.values()) else (BASE, root)
    modifiers: list[Modifier] = []
    for modifier in base.modifiers or ():
        place = _stated(modifier)
        if place is None or silence.keeps(place[0], modifier) or place == implied:
            modifiers.append(modifier)
        elif place in stated:
            modifiers.append(stated.pop(place))
    return (*modifiers, *stated.values()) or base.modifiers


def _stated(modifier: Modifier) -> tuple[str, str] | None:
    """(item, name): the base or the added frame that a modifier states; None for one that frees
    joints."""
    if isinstance(modifier, SetBaseFrame):
        return BASE, modifier.frame
    return (FRAMES, modifier.frame_name) if isinstance(modifier, AddFrame) else None


def _limits(cspace: CSpace, base: CSpace, key: str) -> tuple[float, ...]:
    """The limits of the XRDF where it has them; placeholders for other joints."""
    base_limits = dict(zip(base.joint_names or (), getattr(base, key) or (), strict=False))
    values = getattr(cspace, key) or ()
    return tuple(
        base_limits.get(name, value)
        for name, value in zip(cspace.joint_names or (), values, strict=False)
    )


def _report(report: ConversionReport, kept: list[str], base: Xrdf, now: Xrdf) -> ConversionReport:
    # No placeholder was taken where the XRDF has a limit.
    beside = tuple(source for item in kept for source in _SOURCES.get(item, ()))
    entries = [
        e
        for e in report.entries
        if not (beside and e.item.endswith(beside) and e.detail.startswith("absent"))
    ]
    entries += [
        ConversionItem(Fate.KEPT, f"{item} of the XRDF", "the file has no value for it")
        for item in kept
    ]
    if base.self_group != now.self_group and base.self_group is not None:
        detail = f"the file has one set of spheres: {now.self_group} is used for both"
        entries.append(
            ConversionItem(Fate.TRANSLATED, f"self_collision.geometry {base.self_group}", detail)
        )
    return replace(report, entries=tuple(entries))


#: How cuRobo and Lula call the limits.
_SOURCES = {
    ACCELERATION: ("max_acceleration", "acceleration_limits"),
    JERK: ("max_jerk", "jerk_limits"),
}
