"""Spheres by link: lists of other tools, and the spheres among the collision shapes of a URDF.

What a list says that cannot be read is reported, not raised.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import reduce

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter, TextConversion
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.urdf.patch import DRAKE, DRAKE_URI, proximity_element
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.urdf import Ball, Proximity, Urdf
from editor_app.core.model.xrdf import (
    CollisionSection,
    CollisionSphere,
    FixedTransform,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
    ignore_mapping,
)
from editor_app.core.text.source import FormatError
from editor_app.core.text.splices import Splice, apply_splices
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.morph import Wanted, format_xml_number, format_xml_numbers, morph
from editor_app.core.text.xml.splices import delete_element, replace_element, set_attribute
from editor_app.core.text.yaml.plain import read_finite_number, read_finite_numbers
from editor_app.core.text.yaml.plan import Flow
from editor_app.core.text.yaml.writing import yaml_text

Spheres = FrozenDict[str, tuple[CollisionSphere, ...]]


@dataclass(frozen=True, slots=True)
class SphereList:
    """`pairs` are the pairs of links that the tool would leave out of self-collision, if it says
    so."""

    spheres: Spheres
    report: ConversionReport
    pairs: tuple[LinkPair, ...] = ()


def spheres_in_urdf(urdf: Urdf) -> SphereList:
    """The spheres among the collision geometry of a URDF, as foam and Bubblify write it."""
    out = Reporter("URDF", "XRDF 1.0")
    spheres: dict[str, tuple[CollisionSphere, ...]] = {}
    for link in urdf.links:
        balls = [
            CollisionSphere(c.origin.xyz, c.geometry.radius)
            for c in link.collisions
            if isinstance(c.geometry, Ball)
        ]
        rest = len(link.collisions) - len(balls)
        if balls:
            spheres[link.name] = tuple(balls)
        if rest:
            out.lost(
                f"collision of {link.name}",
                f"{format_count(rest, 'geometry', 'geometries')} that are not spheres",
            )
    out.taken("collision spheres", count_spheres_on_links(spheres))
    return SphereList(FrozenDict(spheres), out.report())


def is_all_spheres(urdf: Urdf) -> bool:
    """Return whether the collision geometry of a URDF is spheres and nothing else."""
    shapes = [collision.geometry for link in urdf.links for collision in link.collisions]
    return bool(shapes) and all(isinstance(shape, Ball) for shape in shapes)


def with_sphere_list(xrdf: Xrdf, listed: SphereList, urdf: Urdf) -> Xrdf:
    """The XRDF with these spheres in the group for obstacles (and for itself, when that is the
    same)."""
    name = xrdf.world_group or xrdf.self_group or f"{urdf.name or 'robot'}_collision_spheres"
    xrdf = with_spheres(xrdf, listed.spheres, name)
    if not listed.pairs:
        return xrdf
    section = xrdf.self_collision or SelfCollisionSection()
    pairs = (*section.ignored_pairs(), *listed.pairs)
    ignore = ignore_mapping(pairs, [link.name for link in urdf.links])
    return replace(xrdf, self_collision=replace(section, ignore=ignore))


def with_spheres(
    xrdf: Xrdf, spheres: Mapping[str, tuple[CollisionSphere, ...]], name: str = ""
) -> Xrdf:
    """The XRDF with other spheres on some links, in the group `name`, else in that for
    self-collision; a group is made where there is none, and serves a section that has none."""
    if not spheres:
        return xrdf
    name = name or xrdf.self_group or xrdf.world_group or "collision_spheres"
    group = xrdf.group(name) or GeometryGroup(name)
    for frame, of_frame in spheres.items():
        group = group.with_spheres(frame, of_frame)
    world, section = (
        xrdf.world_collision or CollisionSection(),
        xrdf.self_collision or SelfCollisionSection(),
    )
    return replace(
        xrdf.with_group(group),
        world_collision=replace(world, geometry=world.geometry or name),
        self_collision=replace(section, geometry=section.geometry or name),
    )


def count_spheres_on_links(spheres: Mapping[str, Sized]) -> str:
    """How many they are, for a report."""
    return (
        f"{format_count(sum(map(len, spheres.values())), 'sphere')} on "
        f"{format_count(len(spheres), 'link')}"
    )


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
            out.unread(item, f"{bad} of its entries do not map a link to its spheres")
    elif value is not None:
        out.unread(
            item,
            f"{str(value)[:40]!r} is neither a mapping of links to spheres nor a list of mappings",
        )
    for link, spheres in entries:
        if spheres is None:
            spheres = []
        if not isinstance(spheres, list):
            out.unread(f"{item}.{link}", "not a list of spheres")
            continue
        read = [sphere_of(s) for s in spheres]
        bad = sum(s is None for s in read)
        if bad:
            out.unread(
                f"{item}.{link}",
                f"{bad} of {len(read)} entries are not spheres with a centre and a radius",
            )
        kept = tuple(s for s in read if s is not None)
        by_link[str(link)] = by_link.get(str(link), ()) + kept
    return FrozenDict(by_link)


def tell_strangers(
    frames: Iterable[str], structure: KinematicGraph | None, out: Reporter, item: str
) -> None:
    """Names the frames that the URDF does not have; they are taken over all the same, and found as
    mistakes."""
    gone = [f for f in dict.fromkeys(frames) if structure is not None and f not in structure.links]
    if gone:
        out.translated(item, f"copied, although the URDF has no such link: {', '.join(gone)}")


def tell_strange_joints(
    joints: Iterable[str], structure: KinematicGraph | None, out: Reporter
) -> None:
    """Report the joints that the structure does not have."""
    gone = [j for j in dict.fromkeys(joints) if structure is not None and j not in structure.joints]
    if gone:
        out.translated("joints", f"copied, although the URDF has no such joint: {', '.join(gone)}")


def sphere_of(value: object) -> CollisionSphere | None:
    """`{center: [x, y, z], radius: r}`; `origin` and `position` are other tools' names of the
    centre."""
    if isinstance(value, list):
        four = read_finite_numbers(value, 4)
        return None if four is None else CollisionSphere((four[0], four[1], four[2]), four[3])
    if not isinstance(value, dict):
        return None
    place = next((value[k] for k in ("center", "origin", "position", "xyz") if k in value), None)
    center, radius = (
        read_finite_numbers(place, 3),
        read_finite_number(value.get("radius", value.get("r"))),
    )
    if center is None or radius is None:
        return None
    return CollisionSphere((center[0], center[1], center[2]), radius)


def spheres_of_links(xrdf: Xrdf, urdf: Urdf, out: Reporter) -> dict[str, list[CollisionSphere]]:
    """Link of the URDF -> spheres against obstacles (metres, in its axes), for formats that know
    links alone.

    Spheres of a frame that the XRDF adds stand on the link that the frame is fixed to; a radius of
    0 or less is left out, since it means no sphere.
    """
    group = xrdf.world_group or xrdf.self_group
    links = {link.name for link in urdf.links}
    spheres: dict[str, list[CollisionSphere]] = {}
    places = added_places(xrdf)
    for frame, of_frame in xrdf.spheres_of(group).items():
        link, way = find_carrier(frame, places, links)
        moved = [reduce(moved_by, way, sphere) for sphere in of_frame]
        if link is None:
            out.lost(
                f"spheres of {frame}",
                "neither a link of the URDF nor an added frame that is fixed to one",
            )
            continue
        if link != frame:
            out.translated(f"spheres of {frame}", f"on {link}, where that frame is fixed")
        kept = [s for s in moved if s.radius > 0]
        if len(kept) < len(moved):
            out.lost(
                f"spheres of {frame}",
                f"{format_count(len(moved) - len(kept), 'sphere')} without a positive radius",
            )
        if kept:
            spheres.setdefault(link, []).extend(kept)
    return spheres


def tell_other_group(xrdf: Xrdf, target: str, out: Reporter) -> None:
    """Says that spheres for self-collision are lost in `target`, which has one set: that against
    obstacles."""
    group = xrdf.world_group or xrdf.self_group
    if xrdf.self_group not in (None, group):
        out.lost(
            f"geometry.{xrdf.self_group}", f"{target} has one set of spheres; {group} was used"
        )


def tell_buffers(xrdf: Xrdf, target: str, out: Reporter) -> None:
    """Says that buffers are lost in `target`, which has radii alone."""
    for key, section in (
        ("collision", xrdf.world_collision),
        ("self_collision", xrdf.self_collision),
    ):
        if section is not None and section.buffer_distance:
            out.lost(
                f"{key}.buffer_distance", f"{target} has no buffers; radii are written without them"
            )


#: Frame -> (the frame that it is fixed to, its place there).
Places = Mapping[str, tuple[str, FixedTransform]]


def added_places(xrdf: Xrdf) -> Places:
    """Return the places of the frames that the XRDF adds."""
    return {
        each.frame_name: (each.parent_frame_name, each.fixed_transform)
        for each in xrdf.added_frames
    }


def find_carrier(
    frame: str, places: Places, carriers: Container[str]
) -> tuple[str | None, list[FixedTransform]]:
    """The first of `carriers` that a frame is or is fixed to, and the places on the way to it, the
    nearest first; None where the frame is fixed to none of them."""
    way: list[FixedTransform] = []
    passed = set()
    while frame not in carriers:
        if frame in passed or frame not in places:
            return None, []
        passed.add(frame)
        frame, place = places[frame]
        way.append(place)
    return frame, way


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


def spheres_urdf_text(
    source: UrdfSource, xrdf: Xrdf, contacts: Mapping[str, Proximity] = FrozenDict()
) -> TextConversion:
    """The URDF with the collision geometry of every link replaced by its spheres against obstacles.

    The spheres touch in Drake as the shapes of their link do, else by `contacts` (link -> how).

    Raises FormatError when a value is not finite.
    """
    out = Reporter(f"XRDF {xrdf.format_version}", "URDF with spheres")
    spheres = spheres_of_links(xrdf, source.value, out)
    splices: list[Splice] = []
    for link, element in zip(source.value.links, source.link_elements, strict=True):
        proximity = link.proximity or contacts.get(link.name)
        if proximity is not None and proximity.hydroelastic and not proximity.mesh_resolution_hint:
            # Drake can do without it for boxes and meshes alone.
            sizes = [sphere.radius for sphere in spheres.get(link.name, ())]
            proximity = replace(proximity, mesh_resolution_hint=max(sizes, default=0.0) / 2)
            out.invented(
                f"mesh_resolution_hint of {link.name}", "half the radius of its largest sphere"
            )
        wanted = [_collision(s, i, proximity) for i, s in enumerate(spheres.get(link.name, ()))]
        kinds = {collision.proximity for collision in link.collisions}
        if wanted and len(kinds) > 1:
            out.lost(
                f"drake:proximity_properties of {link.name}",
                "its collision shapes do not all have the same",
            )
        splices += _replaced(source, element.link, element.collisions, wanted)
    document = source.document
    if contacts and document.root.get(DRAKE) is None:
        splices += set_attribute(document, document.root, DRAKE, DRAKE_URI)
    text = apply_splices(source.source.text, splices)
    written = read_urdf(source.source.with_text(text))
    counts = {link.name: len(link.collisions) for link in written.value.links}
    if any(counts.get(link, 0) != len(of_link) for link, of_link in spheres.items()):
        raise FormatError(
            "The spheres cannot be written", source.document.location(source.document.root)
        )
    total = sum(map(len, spheres.values()))
    out.translated(
        "geometry",
        f"{format_count(total, 'sphere')} as collision geometry of "
        f"{format_count(len(spheres), 'link')}",
    )
    bare = [
        link.name for link in source.value.links if link.collisions and not spheres.get(link.name)
    ]
    if bare:
        out.lost("collision geometry", f"of links without spheres: {', '.join(bare)}")
    tell_buffers(xrdf, "a URDF", out)
    return TextConversion(text, out.report())


def _replaced(
    source: UrdfSource, link: XmlElement, old_elements: Sequence[XmlElement], new: Sequence[Wanted]
) -> list[Splice]:
    """New collision elements in the place of the old ones, as a whole: none of them is one of
    those, changed."""
    if not old_elements:
        return morph(
            source.document, link, Wanted("link"), Wanted("link", items=tuple(new)), lambda p, t: ()
        )
    splices = [s for element in old_elements for s in delete_element(source.document, element)]
    if new:
        splices[0] = replace_element(source.document, old_elements[0], [w.element() for w in new])
    return splices


def _collision(sphere: CollisionSphere, index: int, proximity: Proximity | None) -> Wanted:
    origin = Wanted("origin", (("xyz", format_xml_numbers(sphere.center)), ("rpy", "0 0 0")))
    ball = Wanted("sphere", (("radius", format_xml_number(sphere.radius)),))
    touch = () if proximity is None else (proximity_element(proximity),)
    return Wanted(
        "collision",
        parts=(origin, Wanted("geometry", parts=(ball,)), *touch),
        key=("new", str(index)),
    )


def bubblify_text(
    spheres: Mapping[str, Sequence[CollisionSphere]], pairs: Sequence[LinkPair]
) -> str:
    """Bubblify's YAML, whose `collision_spheres` cuRobo reads, too (metres); it has no place for
    `pairs`."""
    listed = {
        n: [{"center": Flow(s.center), "radius": s.radius} for s in of_link]
        for n, of_link in spheres.items()
    }
    metadata = {"total_spheres": sum(map(len, spheres.values()))}
    return yaml_text({"collision_spheres": listed, "metadata": metadata}, "<new list of spheres>")
