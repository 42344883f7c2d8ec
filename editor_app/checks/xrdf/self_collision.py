"""XRDF5xx: self-collision (508, 509 and 512, which need sampling, are in `sampled`)."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, INFO, WARNING, flaw, rule
from editor_app.checks.xrdf.collision import geometry_is_named
from editor_app.edit import commands
from editor_app.model.change import Change
from editor_app.model.findings import Finding
from editor_app.model.near_names import nearest
from editor_app.model.profile import Profile
from editor_app.model.xrdf import LinkPair

_SECTION = "self_collision"


@rule("XRDF501", "Self-collision names no geometry group", _SECTION, "self_collision geometry")
def self_geometry(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is not None:
        yield from geometry_is_named(c, _SECTION, "self_collision", c.self_collision)


@rule(
    "XRDF502",
    "Self-collision uses another group than obstacles",
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
    options: list[Change] = [commands.ForgetIgnoredFrame(name)]
    close = nearest(name, c.frames)
    if close is not None and name not in c.urdf_links:
        options.insert(0, commands.RenameIgnoredFrame(name, close))
    return flaw(ERROR, f"self_collision.ignore: {c.why_no_frame(name)}", path, links=(name,), fixes=options)


@rule("XRDF505", "A pointless entry of the mask", _SECTION, "self_collision")
def masks_make_sense(c: CheckContext) -> Iterable[Finding]:
    ignore = c.self_collision.ignore if c.self_collision else None
    for frame, others in (ignore or {}).items():
        seen: set[str] = set()
        for index, other in enumerate(others):
            if other == frame:
                message = f"self_collision.ignore pairs {frame!r} with itself, which means nothing."
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
                message = f"The pair {frame!r}, {other!r} is ignored both ways round; once is enough."
                options = (commands.DeleteIgnoreEntry(frame, index), commands.TidyIgnore())
                path = (_SECTION, "ignore", frame, index)
                yield flaw(INFO, message, path, links=(frame, other), fixes=options)
            first.setdefault(pair, frame)


def adjacent_pairs(c: CheckContext) -> tuple[LinkPair, ...]:
    """Frames that take part in self-collision, and whose rigid bodies are one or are joined by one moving joint."""
    spheres = c.xrdf.spheres_of(c.xrdf.self_group)
    active = {f for f, of_frame in spheres.items() if any(c.xrdf.self_radius(f, s) > 0 for s in of_frame)}
    rank = {frame: i for i, frame in enumerate(c.tree.frames)}
    pairs = c.tree.adjacent_pairs(active & c.frames)
    return tuple(sorted(pairs, key=lambda p: sorted((rank[p.first], rank[p.second]))))


@rule("XRDF507", "Adjacent links are not ignored", _SECTION, "self_collision geometry urdf modifiers")
def adjacent_links_are_masked(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is None:
        return
    masked = c.self_collision.ignored_pairs()
    for pair in adjacent_pairs(c):
        if pair in masked:
            continue
        path = c.tree.path(pair.first, pair.second)
        joints = ", ".join(joint.name for joint in path)
        moving = any(joint.is_movable for joint in path)
        how = "adjacent" if moving else "parts of one rigid body"
        message = (
            f"{pair.first!r} and {pair.second!r} are {how} (joined by {joints}) but not ignored: where they overlap at "
            f"the joint, they collide {'at every position of the joint' if moving else 'in every pose'}."
        )
        names = (pair.first, pair.second)
        yield flaw(WARNING, message, (_SECTION, "ignore"), links=names, fixes=(fixes.mask((pair,)),))


@rule("XRDF510", "No self-collision section", _SECTION, "self_collision geometry world profile")
def section_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.self_collision is None:
        required = c.profile is Profile.CUROBO and c.world is not None
        message = "self_collision is missing: self-collisions will not be avoided."
        options = [commands.AddCollisionSection("self_collision", g.name) for g in c.geometry or ()]
        if required:
            message = "self_collision is missing: cuRobo requires it where collision is there."
        severity = ERROR if required else INFO
        yield flaw(severity, message, fixes=options)


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
    pairs = adjacent_pairs(c) if c.has_urdf else ()
    why = "cuRobo requires it" if severity is ERROR else "adjacent links would always be in collision"
    options = (fixes.mask(pairs),) if pairs else ()
    message = f"self_collision has no ignore: {why}."
    yield flaw(severity, message, (_SECTION,), fixes=options)
