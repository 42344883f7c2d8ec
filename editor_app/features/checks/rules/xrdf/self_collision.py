"""XRDF4xx: the obstacle section, and what it shares with self-collision; XRDF5xx: self-collision
(what needs sampling is in `verdicts`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from editor_app.core.document import commands
from editor_app.core.document.commands.collision import Section
from editor_app.core.document.commands.tools import join_changes
from editor_app.core.model.findings import Finding, Severity, SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import nearest
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change
from editor_app.core.model.xrdf import CollisionSection, LinkPair, SelfCollisionSection
from editor_app.core.space.kinematics.tree import adjacent_pairs
from editor_app.core.text.yaml.nodes import Scalar
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule

_OBSTACLES = "world_collision"


def list_collision_sections(c: CheckContext) -> Iterable[tuple[str, Section, CollisionSection]]:
    """(key in the file, name in the model, section) of the collision sections that are there."""
    if c.world is not None:
        yield c.world_key, "world_collision", c.world
    if c.self_collision is not None:
        yield "self_collision", "self_collision", c.self_collision


def geometry_is_named(
    c: CheckContext, key: str, which: Section, section: CollisionSection
) -> Iterable[Finding]:
    """XRDF401 and XRDF501: the section names an existing geometry group."""
    names = [g.name for g in c.geometry or ()]
    if section.geometry is None:
        message = f"{key} names no geometry group."
    elif section.geometry not in names:
        group_names = ", ".join(repr(n) for n in names) or "none"
        message = (
            f"{key} uses the geometry group {section.geometry!r}, which does not exist (groups: "
            f"{group_names})."
        )
    else:
        return
    options = [commands.SetCollisionGeometry(which, name) for name in names]
    path = (key,) if section.geometry is None else (key, "geometry")
    yield flaw(ERROR, message, path, section=key, fixes=options)


@rule(
    "XRDF401", "The obstacle section names no geometry group", _OBSTACLES, "world geometry version"
)
def world_geometry(c: CheckContext) -> Iterable[Finding]:
    if c.world is not None:
        yield from geometry_is_named(c, c.world_key, "world_collision", c.world)


@rule(
    "XRDF402",
    "A buffer on a frame that does not exist",
    _OBSTACLES,
    "world self_collision urdf modifiers version",
)
def buffered_frames_exist(c: CheckContext) -> Iterable[Finding]:
    for key, which, section in list_collision_sections(c):
        if not isinstance(section.buffer_distance, FrozenDict):
            continue
        for frame, value in section.buffer_distance.items():
            path = (key, "buffer_distance", frame)
            delete = (fixes.remove_buffer(which, frame),)
            if not math.isfinite(value):
                message = (
                    f"{key}: the buffer of {frame!r} is {value:g}; write a distance in metres."
                )
                yield flaw(ERROR, message, path, links=(frame,), section=key, fixes=delete)
            elif frame not in c.frames:
                message = f"{key}: buffer_distance: {c.why_no_frame(frame)}"
                close = nearest(frame, c.frames) if frame not in c.urdf_links else None
                is_free = close is not None and close not in section.buffer_distance
                replaced = (
                    (commands.ReplaceName("xrdf", Named.LINK, frame, close),)
                    if close and is_free
                    else ()
                )
                yield flaw(
                    ERROR, message, path, links=(frame,), section=key, fixes=(*replaced, *delete)
                )


@rule(
    "XRDF403",
    "A buffer without spheres",
    _OBSTACLES,
    "world self_collision geometry urdf modifiers version",
    needs_urdf=False,
)
def buffers_have_spheres(c: CheckContext) -> Iterable[Finding]:
    for key, which, section in list_collision_sections(c):
        if not isinstance(section.buffer_distance, FrozenDict):
            continue
        spheres = c.xrdf.spheres_of(section.geometry)
        for frame in section.buffer_distance:
            if frame in spheres or (c.has_urdf and frame not in c.frames):
                continue
            message = (
                f"{key}: {frame!r} has a buffer but no spheres in {section.geometry!r}, so the "
                "buffer has no effect."
            )
            options = (fixes.remove_buffer(which, frame),)
            yield flaw(
                WARNING,
                message,
                (key, "buffer_distance", frame),
                links=(frame,),
                section=key,
                fixes=options,
            )


@rule("XRDF404", "No obstacle section", _OBSTACLES, "world geometry version")
def world_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.world is None:
        message = f"{c.world_key} is missing: obstacles will not be avoided."
        options = [
            commands.AddCollisionSection("world_collision", g.name) for g in c.geometry or ()
        ]
        yield flaw(INFO, message, section=c.world_key, fixes=options)


@rule(
    "XRDF405",
    "A buffer that cancels a sphere",
    _OBSTACLES,
    "world self_collision geometry profile version",
)
def buffers_leave_something(c: CheckContext) -> Iterable[Finding]:
    for key, which, section in list_collision_sections(c):
        if section.buffer_distance is None:
            continue
        # In 1.0 a negative self buffer is a usual way to switch off; 2.0's library refuses the
        # file.
        severity = ERROR if c.is_v2 else WARNING
        swallowed: dict[str, list[SphereRef]] = {}
        for group in c.xrdf.with_clones(section.geometry):
            for frame, spheres in group.spheres.items():
                buffer = section.buffer(frame)
                for index, sphere in enumerate(spheres if buffer < 0 else ()):
                    if sphere.radius > 0 and sphere.radius + buffer <= 0:
                        swallowed.setdefault(frame, []).append(SphereRef(group.name, frame, index))
        for frame, refs in swallowed.items():
            count = "a sphere" if len(refs) == 1 else f"{len(refs)} spheres"
            refused = (
                "; cuMotion's library (1.0 and later) refuses that in format 2.0" if c.is_v2 else ""
            )
            others = sorted({r.group for r in refs} - {section.geometry})
            cloned = f", cloned from {', '.join(others)}" if others else ""
            message = (
                f"{key}: the buffer {section.buffer(frame):g} m of {frame!r} cancels {count} "
                f"there{cloned} "
                f"(radius + buffer <= 0){refused}."
            )
            options = (fixes.remove_buffer(which, frame),)
            path = (key, "buffer_distance", frame)
            yield flaw(
                severity,
                message,
                path,
                links=(frame,),
                spheres=tuple(refs),
                section=key,
                fixes=options,
            )


@rule(
    "XRDF406",
    "The buffer is a single number",
    _OBSTACLES,
    "world self_collision geometry version profile urdf modifiers source",
    needs_urdf=False,
)
def buffers_are_mappings(c: CheckContext) -> Iterable[Finding]:
    for key, which, section in list_collision_sections(c):
        value = section.buffer_distance
        if value is None or isinstance(value, FrozenDict):
            continue
        # cuRobo takes one number against obstacles, when it is written with a dot, and none against
        # itself.
        node = c.source.node((key, "buffer_distance")) if c.source is not None else None
        whole = isinstance(node, Scalar) and node.value.strip().lstrip("+-").isdigit()
        refused = c.profile is Profile.CUROBO and (which == "self_collision" or whole)
        severity: Severity = ERROR if refused or c.profile is Profile.CUMOTION else WARNING
        message = (
            f"{key}: buffer_distance is the single number {value:g}; write a mapping from frame to "
            "distance."
        )
        buffers = FrozenDict(dict.fromkeys(c.xrdf.spheres_of(section.geometry), value))
        option = fixes.offer(
            f"Write {value:g} for each frame with spheres", commands.SetAllBuffers(which, buffers)
        )
        yield flaw(
            severity,
            message,
            (key, "buffer_distance"),
            section=key,
            fixes=(option,) if buffers else (),
        )


_SECTION = "self_collision"


@rule("XRDF501", "Self-collision names no geometry group", _SECTION, "self_collision geometry")
def self_geometry(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is not None:
        yield from geometry_is_named(c, _SECTION, "self_collision", c.self_collision)


@rule(
    "XRDF502",
    "Self-collision and obstacles use different groups",
    _SECTION,
    "self_collision world geometry version profile",
)
def groups_agree(c: CheckContext) -> Iterable[Finding]:
    world, self_group = c.xrdf.world_group, c.xrdf.self_group
    if world is None or self_group is None or world == self_group:
        return
    if c.profile is Profile.CUROBO:
        severity, who = ERROR, "cuRobo refuses it"
    elif not c.is_v2:
        severity, who = WARNING, "Isaac 3.0 refuses it in version 1.0"
    else:
        return
    message = f"self_collision uses the group {self_group!r}, {c.world_key} uses {world!r}: {who}."
    options = (
        commands.SetCollisionGeometry("self_collision", world),
        commands.SetCollisionGeometry("world_collision", self_group),
    )
    yield flaw(severity, message, (_SECTION, "geometry"), fixes=options)


@rule("XRDF504", "An ignored frame does not exist", _SECTION, "self_collision urdf modifiers")
def masked_frames_exist(c: CheckContext) -> Iterable[Finding]:
    ignore = c.self_collision.ignore if c.self_collision else None
    for frame, others in (ignore or {}).items():
        if frame not in c.frames:
            yield _unknown(c, frame, (_SECTION, "ignore", frame))
        for index, other in enumerate(others):
            if other not in c.frames:
                yield _unknown(c, other, (_SECTION, "ignore", frame, index))


def _unknown(c: CheckContext, name: str, path: tuple[str | int, ...]) -> Finding:
    close = nearest(name, c.frames) if name not in c.urdf_links else None
    options = fixes.corrected("xrdf", Named.LINK, "ignore", name, close)
    return flaw(
        ERROR, f"self_collision.ignore: {c.why_no_frame(name)}", path, links=(name,), fixes=options
    )


@rule("XRDF505", "An entry of the mask without effect", _SECTION, "self_collision")
def masks_make_sense(c: CheckContext) -> Iterable[Finding]:
    ignore = c.self_collision.ignore if c.self_collision else None
    for frame, others in (ignore or {}).items():
        seen: set[str] = set()
        for index, other in enumerate(others):
            if other == frame:
                message = f"self_collision.ignore pairs {frame!r} with itself, which has no effect."
            elif other in seen:
                message = f"self_collision.ignore names {other!r} twice under {frame!r}."
            else:
                seen.add(other)
                continue
            options = (commands.DeleteIgnoreEntry(frame, index),)
            path = (_SECTION, "ignore", frame, index)
            yield flaw(WARNING, message, path, links=(frame, other), fixes=options)


@rule("XRDF506", "A redundant entry of the mask", _SECTION, "self_collision")
def masks_stand_once(c: CheckContext) -> Iterable[Finding]:
    ignore = c.self_collision.ignore if c.self_collision else None
    first: dict[LinkPair, str] = {}
    for frame, others in (ignore or {}).items():
        for index, other in enumerate(others):
            pair = LinkPair.of(frame, other)
            if frame != other and first.get(pair, frame) != frame:
                message = (
                    f"The pair {frame!r}, {other!r} is listed in both directions; once is enough."
                )
                options = (commands.DeleteIgnoreEntry(frame, index), commands.TidyIgnore())
                path = (_SECTION, "ignore", frame, index)
                yield flaw(INFO, message, path, links=(frame, other), fixes=options)
            first.setdefault(pair, frame)


def _adjacent(c: CheckContext) -> tuple[LinkPair, ...]:
    """Return the adjacent frames that both take part in self-collision, in the order of the
    tree."""
    spheres = c.xrdf.spheres_of(c.xrdf.self_group)
    active = {
        f for f, of_frame in spheres.items() if any(c.xrdf.self_radius(f, s) > 0 for s in of_frame)
    }
    rank = {frame: i for i, frame in enumerate(c.tree.frames)}
    pairs = (p for p in adjacent_pairs(c.robot) if p.first in active and p.second in active)
    return tuple(sorted(pairs, key=lambda p: sorted((rank[p.first], rank[p.second]))))


@rule(
    "XRDF507", "Adjacent links are not ignored", _SECTION, "self_collision geometry urdf modifiers"
)
def adjacent_links_are_masked(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is None:
        return
    masked = c.self_collision.ignored_pairs()
    for pair in _adjacent(c):
        if pair in masked:
            continue
        path = c.tree.path(pair.first, pair.second)
        joints = ", ".join(joint.name for joint in path)
        moving = sum(joint.is_movable for joint in path)
        if moving > 1:
            # Links that two joints turn, with a bare one between, may stay apart at every position.
            continue
        how = "adjacent" if moving else "parts of one rigid group"
        message = (
            f"{pair.first!r} and {pair.second!r} are {how} (joined by {joints}) but not ignored: "
            "if they "
            "overlap at the joint, they collide "
            f"{'at every position of the joint' if moving else 'in every pose'}."
        )
        names = (pair.first, pair.second)
        yield flaw(
            WARNING, message, (_SECTION, "ignore"), links=names, fixes=(fixes.mask_pairs((pair,)),)
        )


@rule(
    "XRDF510",
    "No self-collision section",
    _SECTION,
    "self_collision geometry world profile urdf modifiers",
    needs_urdf=False,
)
def check_self_collision_section(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is None:
        required = c.profile is Profile.CUROBO and c.world is not None
        message = "self_collision is missing: self-collisions will not be avoided."
        options = [_add_section(c, group.name) for group in c.geometry or ()]
        if required:
            message = "self_collision is missing: cuRobo requires it if collision is present."
        severity = ERROR if required else INFO
        yield flaw(severity, message, fixes=options)


def _add_section(c: CheckContext, group: str) -> Change:
    """The section, with the mask without which adjacent links would always be in collision."""
    add = commands.AddCollisionSection("self_collision", group)
    with_section = c.robot.with_xrdf(replace(c.xrdf, self_collision=SelfCollisionSection(group)))
    pairs = _adjacent(replace(c, robot=with_section)) if c.has_urdf else ()
    return join_changes((add, commands.SetMask(pairs=pairs)) if pairs else (add,), str(add.label))


@rule(
    "XRDF511",
    "Self-collision without a mask",
    _SECTION,
    "self_collision profile urdf modifiers geometry",
    needs_urdf=False,
)
def mask_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is None or c.self_collision.ignore is not None:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    pairs = _adjacent(c) if c.has_urdf else ()
    why = (
        "cuRobo requires it" if severity is ERROR else "adjacent links would always be in collision"
    )
    options = (fixes.mask_pairs(pairs),) if pairs else ()
    message = f"self_collision has no ignore: {why}."
    yield flaw(severity, message, (_SECTION,), fixes=options)
