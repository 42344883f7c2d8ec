"""Plain values of YAML and JSON as what a model wants; what is not so is reported, not raised."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from editor_app.formats.exchange.report import Reporter
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.scalars import to_value
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.xrdf import CollisionSphere

Spheres = FrozenDict[str, tuple[CollisionSphere, ...]]


def load_plain(source: SourceText) -> Any:
    """The value of a YAML or JSON file. Raises FormatError with the place."""
    if source.text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(source.text)
        except (json.JSONDecodeError, RecursionError):
            # Flow YAML begins like JSON; if it is neither, the YAML reader knows the place.
            pass
    tree = compose(source)
    return None if tree.root is None else to_value(tree.root)


def number(value: object) -> float | None:
    """A finite number, also one that YAML 1.1 takes for text (`1e-4`)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, (int, float)):
        try:
            found = float(value)
        except OverflowError:
            return None
        return found if math.isfinite(found) else None
    return None


def numbers(value: object, count: int | None = None) -> tuple[float, ...] | None:
    """A list of finite numbers, of that length if one is given."""
    if not isinstance(value, list):
        return None
    found = [number(v) for v in value]
    if None in found or (count is not None and len(found) != count):
        return None
    return tuple(v for v in found if v is not None)


def names(value: object) -> tuple[str, ...] | None:
    """A list of texts; None when it is none."""
    if not isinstance(value, list):
        return None
    return tuple(str(v) for v in value if isinstance(v, (str, int)) and not isinstance(v, bool))


def spheres_of_lists(value: object, item: str, out: Reporter) -> Spheres:
    """`{link: [{center, radius}, …]}`, or a list of such one-key mappings, as Lula writes it."""
    found: dict[str, tuple[CollisionSphere, ...]] = {}
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
        found[str(link)] = found.get(str(link), ()) + kept
    return FrozenDict(found)


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


def fail(source: SourceText, message: str, remedy: str | None = None) -> FormatError:
    return FormatError(message, source.location(0), remedy)
