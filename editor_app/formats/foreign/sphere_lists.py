"""Spheres by link from the files of other tools.

Bubblify (YAML): `collision_spheres: {link: [{center, radius}]}` with `metadata`.
ballpark (JSON): `spheres: {link: {centers: [[x, y, z]], radii: [r]}}`, with `ignore_pairs`.
foam (JSON): a list of spherizations, `[{spheres: [{origin, radius}], …}]`, of one mesh: which link it is for must be
said, or be the beginning of the file's name (`link0-spheres.json`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from editor_app.formats.exchange.codec import Choice, Codec, InputFile, Offer, ReadContext, source_of
from editor_app.formats.exchange.report import Reporter
from editor_app.formats.exchange.sphere_lists import SphereList, Spheres, sphere_of, spheres_of_lists, spheres_on_links
from editor_app.formats.source import SourceText
from editor_app.formats.yaml.plain import fail, load_plain, names, numbers
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import CollisionSphere, LinkPair


def is_sphere_list(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(v, dict) and ("spheres" in v or "radius" in v) for v in value)
    return isinstance(value, dict) and ("collision_spheres" in value or "spheres" in value)


def read_sphere_list(source: SourceText, links: Iterable[str] = (), link: str | None = None) -> SphereList:
    """Raises FormatError when no spheres are found, or when it is not known which link they are for."""
    value = load_plain(source)
    link_names = tuple(links)
    if isinstance(value, dict) and "collision_spheres" in value:
        out = Reporter("Bubblify", "XRDF 1.0")
        spheres = spheres_of_lists(value["collision_spheres"], "collision_spheres", out)
        for key in value:
            if key not in ("collision_spheres", "metadata"):
                out.lost(str(key), "not about spheres")
        return _done(source, spheres, out, link_names)
    if isinstance(value, dict) and isinstance(value.get("spheres"), dict):
        return _ballpark(source, value, link_names)
    if is_sphere_list(value):
        out = Reporter("foam", "XRDF 1.0")
        parts = value if isinstance(value, list) else [value]
        spheres_read: list[CollisionSphere] = []
        for part in parts:
            inner = part.get("spheres", [part]) if isinstance(part, dict) else [part]
            for sphere in inner if isinstance(inner, list) else ():
                one = sphere_of(sphere)
                if one is None:
                    out.lost("spheres", f"{str(sphere)[:60]} is no sphere")
                else:
                    spheres_read.append(one)
        return _done(source, FrozenDict({_link(source, link_names, link): tuple(spheres_read)}), out, link_names)
    raise fail(source, "No spheres of Bubblify, ballpark or foam are in this file")


def _ballpark(source: SourceText, value: dict[str, object], link_names: tuple[str, ...]) -> SphereList:
    out = Reporter("ballpark", "XRDF 1.0")
    by_link: dict[str, tuple[CollisionSphere, ...]] = {}
    inner = value["spheres"]
    for name, part in inner.items() if isinstance(inner, dict) else ():
        if isinstance(part, list):
            by_link.update(spheres_of_lists({name: part}, "spheres", out))
            continue
        centers = part.get("centers") if isinstance(part, dict) else None
        radii = numbers(part.get("radii")) if isinstance(part, dict) else None
        triples = [numbers(c, 3) for c in centers] if isinstance(centers, list) else []
        if radii is None or len(radii) != len(triples) or None in triples:
            out.lost(f"spheres.{name}", "centres and radii do not match")
            continue
        by_link[str(name)] = tuple(
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
    return _done(source, FrozenDict(by_link), out, link_names, tuple(pairs))


def _done(
    source: SourceText, spheres: Spheres, out: Reporter, link_names: tuple[str, ...], pairs: tuple[LinkPair, ...] = ()
) -> SphereList:
    filled = {f: s for f, s in spheres.items() if s}
    if not filled:
        raise fail(source, "No spheres are in this file")
    strangers = [f for f in filled if link_names and f not in link_names]
    if strangers:
        out.translated("spheres", f"taken over although the URDF has no such link: {', '.join(strangers)}")
    out.taken("spheres", spheres_on_links(filled))
    return SphereList(FrozenDict(filled), out.report(), pairs)


def _link(source: SourceText, link_names: tuple[str, ...], link: str | None) -> str:
    if link is not None:
        return link
    stem = source.path.stem if source.path is not None else ""
    fits = [name for name in link_names if stem == name or stem.startswith((f"{name}-", f"{name}_", f"{name}."))]
    if fits:
        return max(fits, key=len)
    raise fail(source, "It is not said which link these spheres are for", "Name the link (--link).")


def _read(file: InputFile, context: ReadContext) -> SphereList:
    links = [link.name for link in context.urdf.links] if context.urdf is not None else []
    return read_sphere_list(source_of(file), links, context.options.text("link"))


def _offers(file: InputFile, urdf: Urdf | None) -> Mapping[str, Offer]:
    links = [link.name for link in urdf.links] if urdf is not None else []
    return {"link": (("as the file says", None), *((name, name) for name in links))} if links else {}


CODEC = Codec(
    name="spheres",
    title="Lists of &spheres",
    pattern="*.json *.yaml *.yml",
    recognise=lambda sample: is_sphere_list(sample.value),
    vague=True,
    read=_read,
    joins=True,
    offers=_offers,
    choices=(Choice("link", "Link of the spheres", "link that a list of spheres without names is for"),),
)
