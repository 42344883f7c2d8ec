"""Spheres by link, as other tools write and read them.

Bubblify (YAML): `collision_spheres: {link: [{center, radius}]}` with `metadata`. ballpark (JSON):
`spheres: {link: {centers: [[x, y, z]], radii: [r]}}`, with `ignore_pairs`. pyroki (JSON): `{link:
{centers: [[x, y, z]], radii: [r]}}`, what its `sphere_decomposition` takes and ballpark's
`save_json` writes; others list `{link: [{origin, radius}]}`. foam (JSON): a list of spherizations,
`[{spheres: [{origin, radius}], …}]`, of one mesh: which link it is for must be said, or be the
beginning of the file's name (`link0-spheres.json`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Offer,
    Part,
    ReadContext,
    Subject,
    Writer,
    get_source,
)
from editor_app.core.formats.exchange.conversion import Reporter, TextConversion
from editor_app.core.formats.exchange.plain_values import report_repeated
from editor_app.core.formats.exchange.sphere_lists import (
    SphereList,
    Spheres,
    bubblify_text,
    count_spheres_on_links,
    sphere_of,
    spheres_of_links,
    spheres_of_lists,
    tell_buffers,
    tell_other_group,
)
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, LinkPair, Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import fail, load_plain, read_finite_numbers, read_text_list

#: Programs whose lists are written, and how they are called.
KINDS = (("ballpark", "ballpark"), ("pyroki", "pyroki"), ("bubblify", "Bubblify"), ("foam", "foam"))


def is_sphere_list(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(v, dict) and ("spheres" in v or "radius" in v) for v in value)
    return isinstance(value, dict) and (
        "collision_spheres" in value or "spheres" in value or _is_by_link(value)
    )


def _is_by_link(value: dict[str, object]) -> bool:
    """Whether every key of a mapping is a link, with its spheres."""
    return bool(value) and all(
        (isinstance(part, dict) and {"centers", "radii"} <= part.keys())
        or (
            isinstance(part, list)
            and bool(part)
            and all(isinstance(s, dict) and "radius" in s for s in part)
        )
        for part in value.values()
    )


def read_sphere_list(
    source: SourceText, links: Iterable[str] = (), link: str | None = None
) -> SphereList:
    """Raises FormatError when no spheres are found, or when it is not known which link they are
    for."""
    repeated: list[str] = []
    value = load_plain(source, repeated)
    link_names = tuple(links)
    if isinstance(value, dict) and "collision_spheres" in value:
        out = Reporter("Bubblify", "XRDF 1.0")
        report_repeated(repeated, out)
        spheres = spheres_of_lists(value["collision_spheres"], "collision_spheres", out)
        for key in value:
            if key not in ("collision_spheres", "metadata"):
                out.lost(str(key), "not about spheres")
        return _done(source, spheres, out, link_names)
    if isinstance(value, dict) and (isinstance(value.get("spheres"), dict) or _is_by_link(value)):
        return _ballpark(source, value, link_names, repeated)
    if is_sphere_list(value):
        out = Reporter("foam", "XRDF 1.0")
        report_repeated(repeated, out)
        parts = value if isinstance(value, list) else [value]
        spheres_read: list[CollisionSphere] = []
        for part in parts:
            inner = part.get("spheres", [part]) if isinstance(part, dict) else [part]
            for sphere in inner if isinstance(inner, list) else [inner]:
                one = sphere_of(sphere)
                if one is None:
                    out.unread("spheres", f"{str(sphere)[:60]} is not a sphere")
                else:
                    spheres_read.append(one)
        return _done(
            source,
            FrozenDict({_link(source, link_names, link): tuple(spheres_read)}),
            out,
            link_names,
        )
    raise fail(source, "The file has no spheres of Bubblify, ballpark or foam")


def _ballpark(
    source: SourceText,
    value: dict[str, object],
    link_names: tuple[str, ...],
    repeated: Iterable[str],
) -> SphereList:
    out = Reporter("ballpark" if "spheres" in value else "pyroki", "XRDF 1.0")
    report_repeated(repeated, out)
    by_link: dict[str, tuple[CollisionSphere, ...]] = {}
    inner = value.get("spheres", value)
    for name, part in inner.items() if isinstance(inner, dict) else ():
        if isinstance(part, list):
            by_link.update(spheres_of_lists({name: part}, "spheres", out))
            continue
        centers = part.get("centers") if isinstance(part, dict) else None
        radii = read_finite_numbers(part.get("radii")) if isinstance(part, dict) else None
        triples = [read_finite_numbers(c, 3) for c in centers] if isinstance(centers, list) else []
        if radii is None or len(radii) != len(triples) or None in triples:
            out.unread(f"spheres.{name}", "a centre of 3 numbers is needed for each radius")
            continue
        by_link[str(name)] = tuple(
            CollisionSphere((c[0], c[1], c[2]), r)
            for c, r in zip(triples, radii, strict=True)
            if c is not None
        )
    pairs = _pairs(value, out) if "spheres" in value else ()
    return _done(source, FrozenDict(by_link), out, link_names, pairs)


def _pairs(value: dict[str, object], out: Reporter) -> tuple[LinkPair, ...]:
    """The pairs of ballpark; other keys beside its spheres are reported."""
    pairs = []
    given = value.get("ignore_pairs")
    for pair in given if isinstance(given, list) else () if given is None else [given]:
        both = read_text_list(pair) or ()
        if len(both) == 2 and both[0] != both[1]:
            pairs.append(LinkPair.of(both[0], both[1]))
        else:
            out.unread("ignore_pairs", f"{str(pair)[:60]} is not a pair of links")
    for key in value:
        if key not in ("spheres", "ignore_pairs"):
            out.lost(str(key), "not about spheres")
    if pairs:
        out.translated(
            "ignore_pairs", f"{format_count(len(pairs), 'pair')} in self_collision.ignore"
        )
    return tuple(pairs)


def _done(
    source: SourceText,
    spheres: Spheres,
    out: Reporter,
    link_names: tuple[str, ...],
    pairs: tuple[LinkPair, ...] = (),
) -> SphereList:
    filled = {f: s for f, s in spheres.items() if s}
    if not filled:
        raise fail(source, "The file has no spheres")
    strangers = [f for f in filled if link_names and f not in link_names]
    if strangers:
        out.translated(
            "spheres", f"copied, although the URDF has no such link: {', '.join(strangers)}"
        )
    out.taken("spheres", count_spheres_on_links(filled))
    return SphereList(FrozenDict(filled), out.report(), pairs)


def _link(source: SourceText, link_names: tuple[str, ...], link: str | None) -> str:
    if link is not None:
        return link
    stem = source.path.stem if source.path is not None else ""
    fits = [
        name
        for name in link_names
        if stem == name or stem.startswith((f"{name}-", f"{name}_", f"{name}."))
    ]
    if fits:
        return max(fits, key=len)
    raise fail(
        source, "The file does not name the link of these spheres", "Name the link (--link)."
    )


def _read(file: InputFile, context: ReadContext) -> SphereList:
    links = [link.name for link in context.urdf.links] if context.urdf is not None else []
    return read_sphere_list(get_source(file), links, context.options.text("link"))


def _offers(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    links = [link.name for link in context.urdf.links] if context.urdf is not None else []
    return (
        {"link": (("as the file says", None), *((name, name) for name in links))} if links else {}
    )


def sphere_list_text(
    robot: RobotDescription, kind: str, link: str | None, place: Location
) -> TextConversion:
    """A file of one of the `KINDS`: radii without buffers, in metres and the links' axes. foam's
    holds one `link`.

    Raises FormatError, at `place`, without spheres, when foam's link is not said or has none, or
    for a number that is not finite.
    """
    xrdf = robot.xrdf
    out = Reporter(f"XRDF {xrdf.format_version}", dict(KINDS)[kind])
    spheres = spheres_of_links(xrdf, robot.urdf, out)
    if kind == "foam":
        if link is None and len(spheres) > 1:
            raise FormatError("A foam list is for one link", place, "Name the link (--link).")
        others = [name for name in spheres if link not in (None, name)]
        if others:
            out.lost(
                "geometry",
                f"the spheres of {format_count(len(others), 'other link')}: foam has a file for "
                "each link",
            )
        spheres = {name: of_link for name, of_link in spheres.items() if name not in others}
    if not spheres:
        remedy = (
            "Fit spheres, or name an XRDF with spheres."
            if link is None
            else "Name a link that has spheres (--link)."
        )
        raise FormatError("No spheres to list", place, remedy)
    if not all(
        math.isfinite(n)
        for of_link in spheres.values()
        for s in of_link
        for n in (*s.center, s.radius)
    ):
        raise FormatError("A sphere has a number that is not finite", place)
    out.taken("geometry", count_spheres_on_links(spheres))
    pairs = sorted(xrdf.ignored_pairs())
    if pairs and kind == "ballpark":
        out.translated("self_collision.ignore", f"ignore_pairs, {format_count(len(pairs), 'pair')}")
    _tell_losses(xrdf, kind, bool(pairs), out)
    return TextConversion(_TEXTS[kind](spheres, pairs), out.report())


def _tell_losses(xrdf: Xrdf, kind: str, has_pairs: bool, out: Reporter) -> None:
    tell_buffers(xrdf, "a list of spheres", out)
    if has_pairs and kind != "ballpark":
        out.lost("self_collision.ignore", f"{dict(KINDS)[kind]} cannot store pairs; ballpark can")
    tell_other_group(xrdf, "a list", out)
    for name in ("cspace", "default_joint_positions", "tool_frames"):
        if getattr(xrdf, name):
            out.lost(name, "a list contains only spheres")


_ByLink = Mapping[str, Sequence[CollisionSphere]]


def _arrays(spheres: _ByLink) -> dict[str, dict[str, object]]:
    return {
        name: {"centers": [list(s.center) for s in of_link], "radii": [s.radius for s in of_link]}
        for name, of_link in spheres.items()
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


_TEXTS: dict[str, Callable[[_ByLink, Sequence[LinkPair]], str]] = {
    "ballpark": lambda spheres, pairs: _json(
        {"spheres": _arrays(spheres), "ignore_pairs": [[pair.first, pair.second] for pair in pairs]}
    ),
    "pyroki": lambda spheres, pairs: _json(_arrays(spheres)),
    "bubblify": bubblify_text,
    "foam": lambda spheres, pairs: _json(
        [
            {
                "spheres": [
                    {"origin": list(s.center), "radius": s.radius}
                    for of_link in spheres.values()
                    for s in of_link
                ]
            }
        ]
    ),
}


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    is_yaml = output.suffix.lower() in (".yaml", ".yml")
    kind = options.text("sphere_list") or ("bubblify" if is_yaml else "ballpark")
    if (kind == "bubblify") is not is_yaml:
        ending = ".spheres.yaml" if kind == "bubblify" else ".spheres.json"
        raise FormatError(
            f"{dict(KINDS)[kind]} does not read {output.suffix}",
            Location(str(output)),
            f"Name it *{ending}.",
        )
    written = sphere_list_text(
        subject.robot, kind, options.text("link"), Location(subject.first_name)
    )
    return subject.written([(output, written.text)], written.report)


CODEC = Codec(
    name="spheres",
    title="Lists of &spheres",
    pattern="*.json *.yaml *.yml",
    recognise=lambda sample: is_sphere_list(sample.value),
    vague=True,
    read=_read,
    joins=True,
    offers=_offers,
    choices=(Choice("link", "Link of the spheres", "link of a sphere list without names"),),
    writer=Writer(
        _write,
        endings=(".spheres.json", ".spheres.yaml", ".spheres.yml"),
        proposal=".spheres.json",
        holds=frozenset({Part.SPHERES}),
        choices=(
            Choice(
                "sphere_list",
                "Program that reads the list",
                "program that reads the sphere list: ballpark (with pairs), pyroki, Bubblify or "
                "foam (one link)",
                (("from the file name", None), *((title, kind) for kind, title in KINDS)),
            ),
        ),
    ),
)
