"""What a robot file of another program says that an XRDF says as well, written into a drafted one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor_app.formats.exchange.report import ConversionReport, Fate
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    SelfCollisionSection,
    Xrdf,
)

#: Of limits, relative: below, a file says what is there.
_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class StatedValues:
    """What a robot file says beyond URDF and SRDF. Joints and links are named as in the URDF; SI units.

    `controlled` are the driven joints in the order of the file; empty when it does not number them.
    """

    accelerations: FrozenDict[str, float] = FrozenDict()
    jerks: FrozenDict[str, float] = FrozenDict()
    positions: FrozenDict[str, float] = FrozenDict()
    controlled: tuple[str, ...] = ()
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = FrozenDict()


def beside(report: ConversionReport) -> ConversionReport:
    """The report of SRDF to XRDF where the SRDF is written as well: nothing of it is lost."""
    entries = (replace(e, fate=Fate.KEPT) if e.fate == Fate.LOST else e for e in report.entries)
    return replace(report, entries=tuple(entries))


def with_stated(xrdf: Xrdf, stated: StatedValues, urdf: Urdf, choose: bool) -> Xrdf:
    """Joints, limits, posture and spheres of the file in the place of guesses and placeholders.

    With `choose`, the joints that the file numbers are the controlled ones; otherwise a group was chosen for that.
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
        positions |= {n: structure.clamped(n, v) for n, v in stated.positions.items() if v != 0 or n in positions}
        # A file that says nothing says zero, which is no posture for all robots.
        if any(stated.positions.values()) or set(order) - set(xrdf.default_joint_positions or {}):
            xrdf = replace(xrdf, default_joint_positions=FrozenDict(positions))
    return with_spheres(xrdf, stated.spheres)


def without_guesses(xrdf: Xrdf, stated: StatedValues | None, chosen: bool, listed: bool = False) -> Xrdf:
    """What another file may take for the robot's own out of a draft: what an SRDF or another robot file told it.

    `chosen`: the joints are an SRDF's group. `listed`: spheres were given.
    """
    cspace = xrdf.cspace
    if cspace is not None:
        names = cspace.joint_names or ()
        has_accelerations = stated is not None and all(n in stated.accelerations for n in names)
        jerks = stated is not None and all(n in stated.jerks for n in names)
        cspace = CSpace(
            names, cspace.acceleration_limits if has_accelerations else None, cspace.jerk_limits if jerks else None
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
        return replace(told, default_joint_positions=xrdf.default_joint_positions) if chosen else told
    positions = {name: value for name, value in stated.positions.items() if value}
    told = replace(told, default_joint_positions=FrozenDict(positions) if positions else None)
    return with_spheres(told, stated.spheres)


def with_limits(
    cspace: CSpace,
    order: tuple[str, ...],
    accelerations: Mapping[str, float],
    jerks: Mapping[str, float],
) -> CSpace:
    """The driven joints in their order, with limits of the file where they differ from those that are there."""
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
            if old is not None and (now is None or abs(old - now) <= _TOLERANCE * max(1.0, abs(old))):
                new.append(old)
            else:
                new.append(placeholder if now is None else now)
        # A list that is short or absent stays so unless the file says otherwise.
        same = names == cspace.joint_names and tuple(new[: len(values or ())]) == tuple(values or ())
        short = same and not any(n in table for n in names[len(values or ()) :])
        lists.append(values if short else tuple(new))
    return replace(cspace, joint_names=names, acceleration_limits=lists[0], jerk_limits=lists[1])


def with_spheres(xrdf: Xrdf, spheres: Mapping[str, tuple[CollisionSphere, ...]]) -> Xrdf:
    """The XRDF with other spheres for self-collision on some links; a group is made where there is none."""
    if not spheres:
        return xrdf
    name = xrdf.self_group or xrdf.world_group or "collision_spheres"
    group = xrdf.group(name) or GeometryGroup(name)
    for frame, values in spheres.items():
        group = group.with_spheres(frame, values)
    section = xrdf.self_collision or SelfCollisionSection()
    world = xrdf.world_collision or CollisionSection(geometry=name)
    return replace(
        xrdf.with_group(group),
        self_collision=replace(section, geometry=section.geometry or name),
        world_collision=world,
    )
