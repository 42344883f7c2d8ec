"""Spheres by link: what other tools fit, and the spheres among the collision shapes of a URDF."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.formats.exchange.groups import ignore_mapping
from editor_app.formats.exchange.plain_values import Spheres
from editor_app.formats.exchange.report import ConversionReport, Reporter
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import Ball, Urdf
from editor_app.model.xrdf import (
    CollisionSection,
    CollisionSphere,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
)


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
    out.taken(
        "collision spheres", f"{counted(sum(map(len, spheres.values())), 'sphere')} on {counted(len(spheres), 'link')}"
    )
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
