"""Spheres by link from the files of other tools.

Bubblify (YAML): `collision_spheres: {link: [{center, radius}]}` with `metadata`.
ballpark (JSON): `spheres: {link: {centers: [[x, y, z]], radii: [r]}}`, with `ignore_pairs`.
foam (JSON): a list of spherizations, `[{spheres: [{origin, radius}], …}]`, of one mesh: which link it is for must be
said, or be the beginning of the file's name (`link0-spheres.json`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from editor_app.formats.exchange.plain_values import (
    Spheres,
    fail,
    load_plain,
    names,
    numbers,
    sphere_of,
    spheres_of_lists,
)
from editor_app.formats.exchange.report import ConversionReport, Reporter, counted
from editor_app.formats.source import SourceText
from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import Ball, Urdf
from editor_app.model.xrdf import CollisionSphere, LinkPair


@dataclass(frozen=True, slots=True)
class SphereList:
    """`pairs` are those that the tool would leave out of self-collision, if it says so."""

    spheres: Spheres
    report: ConversionReport
    pairs: tuple[LinkPair, ...] = ()


def is_sphere_list(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(v, dict) and ("spheres" in v or "radius" in v) for v in value)
    return isinstance(value, dict) and ("collision_spheres" in value or "spheres" in value)


def read_sphere_list(source: SourceText, links: Iterable[str] = (), link: str | None = None) -> SphereList:
    """Raises FormatError when no spheres are found, or when it is not known which link they are for."""
    value = load_plain(source)
    known = tuple(links)
    if isinstance(value, dict) and "collision_spheres" in value:
        out = Reporter("Bubblify", "XRDF 1.0")
        spheres = spheres_of_lists(value["collision_spheres"], "collision_spheres", out)
        for key in value:
            if key not in ("collision_spheres", "metadata"):
                out.lost(str(key), "not about spheres")
        return _done(source, spheres, out, known)
    if isinstance(value, dict) and isinstance(value.get("spheres"), dict):
        return _ballpark(source, value, known)
    if is_sphere_list(value):
        out = Reporter("foam", "XRDF 1.0")
        parts = value if isinstance(value, list) else [value]
        found: list[CollisionSphere] = []
        for part in parts:
            inner = part.get("spheres", [part]) if isinstance(part, dict) else [part]
            for sphere in inner if isinstance(inner, list) else ():
                one = sphere_of(sphere)
                if one is None:
                    out.lost("spheres", f"{str(sphere)[:60]} is no sphere")
                else:
                    found.append(one)
        return _done(source, FrozenDict({_link(source, known, link): tuple(found)}), out, known)
    raise fail(source, "No spheres of Bubblify, ballpark or foam are in this file")


def spheres_in_urdf(urdf: Urdf) -> SphereList:
    """The spheres among the collision geometry of a URDF, as foam and Bubblify write it."""
    out = Reporter("URDF", "XRDF 1.0")
    found: dict[str, tuple[CollisionSphere, ...]] = {}
    for link in urdf.links:
        balls = [
            CollisionSphere(c.origin.xyz, c.geometry.radius) for c in link.collisions if isinstance(c.geometry, Ball)
        ]
        rest = len(link.collisions) - len(balls)
        if balls:
            found[link.name] = tuple(balls)
        if rest:
            out.lost(f"collision of {link.name}", f"{counted(rest, 'geometry', 'geometries')} that are no spheres")
    out.taken(
        "collision spheres", f"{counted(sum(map(len, found.values())), 'sphere')} on {counted(len(found), 'link')}"
    )
    return SphereList(FrozenDict(found), out.report())


def _ballpark(source: SourceText, value: dict[str, object], known: tuple[str, ...]) -> SphereList:
    out = Reporter("ballpark", "XRDF 1.0")
    found: dict[str, tuple[CollisionSphere, ...]] = {}
    inner = value["spheres"]
    for name, part in inner.items() if isinstance(inner, dict) else ():
        if isinstance(part, list):
            found.update(spheres_of_lists({name: part}, "spheres", out))
            continue
        centers = part.get("centers") if isinstance(part, dict) else None
        radii = numbers(part.get("radii")) if isinstance(part, dict) else None
        triples = [numbers(c, 3) for c in centers] if isinstance(centers, list) else []
        if radii is None or len(radii) != len(triples) or None in triples:
            out.lost(f"spheres.{name}", "centres and radii do not match")
            continue
        found[str(name)] = tuple(
            CollisionSphere((c[0], c[1], c[2]), r) for c, r in zip(triples, radii, strict=True) if c is not None
        )
    pairs = []
    listed = value.get("ignore_pairs")
    for pair in listed if isinstance(listed, list) else ():
        both = names(pair)
        if both is not None and len(both) == 2 and both[0] != both[1]:
            pairs.append(LinkPair.of(both[0], both[1]))
    if pairs:
        out.translated("ignore_pairs", f"{counted(len(pairs), 'pair')} in self_collision.ignore")
    return _done(source, FrozenDict(found), out, known, tuple(pairs))


def _done(
    source: SourceText, spheres: Spheres, out: Reporter, known: tuple[str, ...], pairs: tuple[LinkPair, ...] = ()
) -> SphereList:
    filled = {f: s for f, s in spheres.items() if s}
    if not filled:
        raise fail(source, "No spheres are in this file")
    strangers = [f for f in filled if known and f not in known]
    if strangers:
        out.translated("spheres", f"taken over although the URDF has no such link: {', '.join(strangers)}")
    out.taken("spheres", f"{counted(sum(map(len, filled.values())), 'sphere')} on {counted(len(filled), 'link')}")
    return SphereList(FrozenDict(filled), out.report(), pairs)


def _link(source: SourceText, known: tuple[str, ...], link: str | None) -> str:
    if link is not None:
        return link
    stem = source.path.stem if source.path is not None else ""
    fits = [name for name in known if stem == name or stem.startswith((f"{name}-", f"{name}_", f"{name}."))]
    if fits:
        return max(fits, key=len)
    raise fail(source, "It is not said which link these spheres are for", "Name the link (--link).")
