"""Spheres by link: lists of other tools, and the spheres among the collision shapes of a URDF.

What a list says that cannot be read is reported, not raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, replace

from editor_app.formats.exchange.groups import ignore_mapping
from editor_app.formats.exchange.report import ConversionReport, Reporter
from editor_app.formats.yaml.plain import number, numbers
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.urdf import Ball, Urdf
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    FixedTransform,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
)

Spheres = FrozenDict[str, tuple[CollisionSphere, ...]]


@dataclass(frozen=True, slots=True)
class SphereList:
    """`pairs` are the pairs of links that the tool would leave out of self-collision, if it says so."""

    spheres: Spheres
    report: ConversionReport
    pairs: tuple[LinkPair, ...] = ()


def spheres_in_urdf(urdf: Urdf) -> SphereList:
    """The spheres among the collision geometry of a URDF, as foam and Bubblify write it."""
    out = Reporter("URDF", "XRDF 1.0")
    spheres: dict[str, tuple[CollisionSphere, ...]] = {}
    for link in urdf.links:
        balls = [
            CollisionSphere(c.origin.xyz, c.geometry.radius) for c in link.collisions if isinstance(c.geometry, Ball)
        ]
        rest = len(link.collisions) - len(balls)
        if balls:
            spheres[link.name] = tuple(balls)
        if rest:
            out.lost(f"collision of {link.name}", f"{counted(rest, 'geometry', 'geometries')} that are no spheres")
    out.taken("collision spheres", spheres_on_links(spheres))
    return SphereList(FrozenDict(spheres), out.report())


def is_all_spheres(urdf: Urdf) -> bool:
    """Whether the collision geometry of a URDF is spheres and nothing else."""
    shapes = [collision.geometry for link in urdf.links for collision in link.collisions]
    return bool(shapes) and all(isinstance(shape, Ball) for shape in shapes)


def with_sphere_list(xrdf: Xrdf, listed: SphereList, urdf: Urdf) -> Xrdf:
    """The XRDF with these spheres in the group for obstacles (and for itself, when that is the same)."""
    name = xrdf.world_group or xrdf.self_group or f"{urdf.name or 'robot'}_collision_spheres"
    group = xrdf.group(name) or GeometryGroup(name)
    for frame, spheres in listed.spheres.items():
        group = group.with_spheres(frame, spheres)
    xrdf = xrdf.with_group(group)
    world = xrdf.world_collision or CollisionSection()
    section = xrdf.self_collision or SelfCollisionSection()
    if listed.pairs:
        pairs = dict.fromkeys((*section.ignored_pairs(), *listed.pairs), "")
        section = replace(section, ignore=ignore_mapping(pairs, urdf))
    return replace(
        xrdf,
        world_collision=replace(world, geometry=world.geometry or name),
        self_collision=replace(section, geometry=section.geometry or name),
    )


def spheres_on_links(spheres: Mapping[str, Sized]) -> str:
    """How many they are, for a report."""
    return f"{counted(sum(map(len, spheres.values())), 'sphere')} on {counted(len(spheres), 'link')}"


def spheres_of_lists(value: object, item: str, out: Reporter) -> Spheres:
    """`{link: [{center, radius}, …]}`, or a list of such one-key mappings, as Lula writes it."""
    by_link: dict[str, tuple[CollisionSphere, ...]] = {}
    entries: list[tuple[object, object]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = [pair for part in value if isinstance(part, dict) for pair in part.items()]
        bad = sum(not isinstance(part, dict) for part in value)
        if bad:
            out.lost(item, f"{bad} of its entries are no mapping of a link to its spheres")
    elif value is not None:
        out.lost(item, f"{str(value)[:40]!r} is neither a mapping of links to spheres nor a list of such")
    for link, spheres in entries:
        if spheres is None:
            spheres = []
        if not isinstance(spheres, list):
            out.lost(f"{item}.{link}", "no list of spheres")
            continue
        read = [sphere_of(s) for s in spheres]
        bad = sum(s is None for s in read)
        if bad:
            out.lost(f"{item}.{link}", f"{bad} of its entries are no spheres with a centre and a radius")
        kept = tuple(s for s in read if s is not None)
        by_link[str(link)] = by_link.get(str(link), ()) + kept
    return FrozenDict(by_link)


def tell_strangers(frames: Iterable[str], structure: KinematicGraph | None, out: Reporter, item: str) -> None:
    """Names the frames that the URDF does not have; they are taken over all the same, and found as mistakes."""
    gone = [f for f in dict.fromkeys(frames) if structure is not None and f not in structure.links]
    if gone:
        out.translated(item, f"taken over although the URDF has no such link: {', '.join(gone)}")


def tell_strange_joints(joints: Iterable[str], structure: KinematicGraph | None, out: Reporter) -> None:
    """The same for joints."""
    gone = [j for j in dict.fromkeys(joints) if structure is not None and j not in structure.joints]
    if gone:
        out.translated("joints", f"taken over although the URDF has no such joint: {', '.join(gone)}")


def sphere_of(value: object) -> CollisionSphere | None:
    """`{center: [x, y, z], radius: r}`; `origin` and `position` are other tools' names of the centre."""
    if isinstance(value, list):
        four = numbers(value, 4)
        return None if four is None else CollisionSphere((four[0], four[1], four[2]), four[3])
    if not isinstance(value, dict):
        return None
    place = next((value[k] for k in ("center", "origin", "position", "xyz") if k in value), None)
    center, radius = numbers(place, 3), number(value.get("radius", value.get("r")))
    if center is None or radius is None:
        return None
    return CollisionSphere((center[0], center[1], center[2]), radius)


def spheres_of_links(xrdf: Xrdf, urdf: Urdf, out: Reporter) -> dict[str, list[CollisionSphere]]:
    """Link of the URDF -> spheres against obstacles (metres, in its axes), for formats that know links alone.

    Spheres of a frame that the XRDF adds stand on the link that the frame is fixed to; a radius of 0 or less is left
    out, since it means no sphere.
    """
    group = xrdf.world_group or xrdf.self_group
    links = {link.name for link in urdf.links}
    spheres: dict[str, list[CollisionSphere]] = {}
    frames = {m.frame_name: m for m in xrdf.modifiers or () if isinstance(m, AddFrame)}
    for frame, of_frame in xrdf.spheres_of(group).items():
        link, moved = _on_link(frame, of_frame, frames, links)
        if link is None:
            out.lost(f"spheres of {frame}", "neither a link of the URDF nor an added frame that is fixed to one")
            continue
        if link != frame:
            out.translated(f"spheres of {frame}", f"on {link}, where that frame is fixed")
        kept = [s for s in moved if s.radius > 0]
        if len(kept) < len(moved):
            out.lost(f"spheres of {frame}", f"{counted(len(moved) - len(kept), 'sphere')} without a positive radius")
        if kept:
            spheres.setdefault(link, []).extend(kept)
    return spheres


def tell_buffers(xrdf: Xrdf, target: str, out: Reporter) -> None:
    """Says that buffers are lost in `target`, which has radii alone."""
    for key, section in (("collision", xrdf.world_collision), ("self_collision", xrdf.self_collision)):
        if section is not None and section.buffer_distance:
            out.lost(f"{key}.buffer_distance", f"{target} has no buffers; the radii are those without")


def _on_link(
    frame: str, spheres: tuple[CollisionSphere, ...], frames: Mapping[str, AddFrame], links: set[str]
) -> tuple[str | None, list[CollisionSphere]]:
    """The link that a frame is fixed to, and the spheres in that link's axes."""
    link_spheres = list(spheres)
    seen: set[str] = set()
    while frame not in links:
        added = frames.get(frame)
        if added is None or frame in seen:
            return None, []
        seen.add(frame)
        link_spheres = [moved_by(s, added.fixed_transform) for s in link_spheres]
        frame = added.parent_frame_name
    return frame, link_spheres


def moved_by(sphere: CollisionSphere, place: FixedTransform) -> CollisionSphere:
    """A sphere of a frame, in the axes in which the frame has this place.

    p' = t + q p q*, by p' = p + 2 w (v x p) + 2 v x (v x p) for a unit quaternion (w, v).
    """
    w, x, y, z = place.orientation_wxyz
    norm = (w * w + x * x + y * y + z * z) ** 0.5 or 1.0
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    px, py, pz = sphere.center
    cx, cy, cz = y * pz - z * py, z * px - x * pz, x * py - y * px
    dx, dy, dz = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    tx, ty, tz = place.position
    center = (px + 2 * (w * cx + dx) + tx, py + 2 * (w * cy + dy) + ty, pz + 2 * (w * cz + dz) + tz)
    return CollisionSphere(center, sphere.radius)
