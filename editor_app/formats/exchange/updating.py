"""What a file of another program says, brought into an XRDF that is there: what it says nothing of stays."""

from __future__ import annotations

from dataclasses import replace

from editor_app.formats.exchange.groups import XrdfConversion
from editor_app.formats.exchange.report import ConversionReport, Entry, Fate
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    CSpace,
    GeometryGroup,
    Modifier,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

#: Items that a file may be silent about, and how the report calls them.
BASE, FRAMES, TOOLS, SPHERES = "base frame", "added frames", "tool_frames", "spheres"
WORLD_BUFFER, SELF_BUFFER = "collision.buffer_distance", "self_collision.buffer_distance"
IGNORE, ACCELERATION, JERK = "self_collision.ignore", "cspace.acceleration_limits", "cspace.jerk_limits"


def brought_up_to_date(base: Xrdf, made: XrdfConversion, urdf: Urdf | None) -> XrdfConversion:
    """`base` brought up to date. Its version, its groups of other names, and the modifiers that free joints stay."""
    new, silent = made.xrdf, made.silent
    kept: list[str] = []

    def stays(item: str, is_there: object) -> bool:
        if item in silent and is_there:
            kept.append(item)
        return item in silent

    tools = base.tool_frames if stays(TOOLS, base.tool_frames) else new.tool_frames
    cspace = new.cspace
    if cspace is not None and base.cspace is not None:
        if stays(ACCELERATION, base.cspace.acceleration_limits):
            cspace = replace(cspace, acceleration_limits=_limits(cspace, base.cspace, "acceleration_limits"))
        if stays(JERK, base.cspace.jerk_limits):
            cspace = replace(cspace, jerk_limits=_limits(cspace, base.cspace, "jerk_limits"))
    positions = FrozenDict({**(base.default_joint_positions or {}), **(new.default_joint_positions or {})})
    xrdf = replace(
        base,
        modifiers=_modifiers(base, made, urdf, kept),
        default_joint_positions=positions or base.default_joint_positions,
        cspace=cspace or base.cspace,
        tool_frames=tools,
    )
    name = base.world_group or base.self_group or new.world_group or ""
    if not stays(SPHERES, any(base.spheres_of(name).values())):
        xrdf = xrdf.with_group(GeometryGroup(name, new.spheres_of(new.world_group)))
    elif base.group(name) is None:
        xrdf = xrdf.with_group(GeometryGroup(name))
    world = base.world_collision or CollisionSection(name)
    self_section = base.self_collision or SelfCollisionSection(name)
    own_group = (self_section.geometry if SPHERES in silent else None) or name
    if not stays(WORLD_BUFFER, world.buffer_distance):
        world = replace(world, buffer_distance=new.world_collision.buffer_distance if new.world_collision else None)
    if not stays(SELF_BUFFER, self_section.buffer_distance):
        self_section = replace(
            self_section, buffer_distance=new.self_collision.buffer_distance if new.self_collision else None
        )
    if not stays(IGNORE, self_section.ignore):
        self_section = replace(self_section, ignore=new.self_collision.ignore if new.self_collision else None)
    xrdf = replace(
        xrdf,
        world_collision=replace(world, geometry=name),
        self_collision=replace(self_section, geometry=own_group),
    )
    return replace(made, xrdf=xrdf, report=_report(made.report, kept, base, xrdf))


def _modifiers(base: Xrdf, made: XrdfConversion, urdf: Urdf | None, kept: list[str]) -> tuple[Modifier, ...] | None:
    new = {type(m): m for m in made.xrdf.modifiers or () if isinstance(m, SetBaseFrame)}.get(SetBaseFrame)
    frames = {m.frame_name: m for m in made.xrdf.modifiers or () if isinstance(m, AddFrame)}
    root = KinematicGraph(urdf).root if urdf is not None else None
    modifiers: list[Modifier] = []
    for modifier in base.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            # Without a modifier the root is the base: to say so is the same.
            same = modifier.frame == (new.frame if isinstance(new, SetBaseFrame) else root)
            if BASE in made.silent or same:
                modifiers.append(modifier)
                kept += [BASE] if BASE in made.silent else []
                new = None
        elif isinstance(modifier, AddFrame):
            if FRAMES in made.silent:
                modifiers.append(modifier)
                kept += [FRAMES] if FRAMES not in kept else []
            elif modifier.frame_name in frames:
                modifiers.append(frames.pop(modifier.frame_name))
        else:
            modifiers.append(modifier)
    modifiers += [*([new] if new is not None else []), *frames.values()]
    return tuple(modifiers) or base.modifiers


def _limits(cspace: CSpace, base: CSpace, key: str) -> tuple[float, ...]:
    """The limits of the XRDF where it has them; placeholders for other joints."""
    base_limits = dict(zip(base.joint_names or (), getattr(base, key) or (), strict=False))
    values = getattr(cspace, key) or ()
    return tuple(base_limits.get(name, value) for name, value in zip(cspace.joint_names or (), values, strict=False))


def _report(report: ConversionReport, kept: list[str], base: Xrdf, now: Xrdf) -> ConversionReport:
    # No placeholder was taken where the XRDF has a limit.
    beside = tuple(source for item in kept for source in _SOURCES.get(item, ()))
    entries = [e for e in report.entries if not (beside and e.item.endswith(beside) and e.detail.startswith("absent"))]
    entries += [Entry(Fate.KEPT, f"{item} of the XRDF", "the file says nothing of it") for item in kept]
    if base.self_group != now.self_group and base.self_group is not None:
        detail = f"the file has one set of spheres: {now.self_group} is used for both"
        entries.append(Entry(Fate.TRANSLATED, f"self_collision.geometry {base.self_group}", detail))
    return replace(report, entries=tuple(entries))


#: How cuRobo and Lula call the limits.
_SOURCES = {ACCELERATION: ("max_acceleration", "acceleration_limits"), JERK: ("max_jerk", "jerk_limits")}
