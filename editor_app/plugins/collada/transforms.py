"""Helpers of reading and writing: names, COLLADA's transforms as 4x4 matrices in metres, and pieces
kept word for word.

Those may come out of a file whose unit of length is not the metre. They stand in a URDF afterwards,
and in an exported file whose unit is the metre. Lengths that are known are turned into metres; an
<extra> of an unknown kind stays as it is, and gets an <asset> that tells its unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from editor_app.core.formats.exchange.meshes import make_plain_name
from editor_app.core.model.near_names import find_free_name
from editor_app.core.space.kinematics.transforms import Matrix as Matrix
from editor_app.core.space.kinematics.transforms import axis_transform as axis_transform
from editor_app.core.space.kinematics.transforms import build_origin as build_origin
from editor_app.core.space.kinematics.transforms import build_pose_matrix as build_pose_matrix
from editor_app.core.space.kinematics.transforms import matrix_to_quaternion
from editor_app.core.text.splices import Splice, apply_splices
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.morph import (
    build_piece,
    format_xml_number,
    format_xml_numbers,
    line_text,
)
from editor_app.core.text.xml.splices import escape

#: Element of a URDF that keeps a piece of COLLADA word for word; `where` tells its parent there.
EXTRA = "collada_extra"
#: Profile of the <technique> in which this editor says what COLLADA cannot.
OWN_PROFILE = "xrdf-editor"
OPENRAVE = "OpenRAVE"
MESH_FOLDER = "meshes"
#: Writers that give speeds and accelerations in radians although the format wants degrees.
RADIAN_WRITERS = ("OpenRAVE Collada Writer", "URDF Collada Writer")


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece of COLLADA word for word, in the URDF's extra: `where` is its parent in COLLADA,
    `owner` the link or joint that it belongs to."""

    where: str
    text: str
    owner: str = ""


def unique_sids(names: list[str], taken: set[str], ending: str) -> dict[str, str]:
    """Name -> SID that no other has; `ending` sets those apart that are taken. Adds them to
    `taken`."""
    sids: dict[str, str] = {}
    for name in names:
        base = make_plain_name(name) or ending.strip("_")
        sids[name] = find_free_name(f"{base}{ending}" if base in taken else base, taken)
        taken.add(sids[name])
    return sids


def file_name(text: str) -> str:
    """A text as it may be the name of a file."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)


def name_for(files: Mapping[str, bytes], folder: str, name: str, data: bytes) -> str:
    """The path in a folder that holds the content already, else one with a number that no other
    content has."""
    stem, dot, ending = file_name(name).rpartition(".")
    paths = chain(
        (f"{folder}/{file_name(name)}",), (f"{folder}/{stem}_{i}{dot}{ending}" for i in count(2))
    )
    return next(path for path in paths if files.get(path, data) == data)


TAGS = ("translate", "rotate", "matrix", "scale", "lookat", "skew")


def floats(text: str) -> list[float]:
    """The numbers of a text; what is none is left out."""
    numbers = []
    for word in text.split():
        try:
            value = float(word)
        except ValueError:
            continue
        numbers.append(value if math.isfinite(value) else 0.0)
    return numbers


def inner(element: XmlElement | None, *tags: str) -> XmlElement | None:
    """The first child of the first tag, in that the first of the second, and so on; None where one
    is absent."""
    for tag in tags:
        element = element.child(tag) if element is not None else None
    return element


def find_children(element: XmlElement | None, *tags: str) -> Sequence[XmlElement]:
    """The children of the element at a path of tags; none where it is absent."""
    parent = inner(element, *tags)
    return parent.children if parent is not None else ()


def each(element: XmlElement | None, *tags: str) -> Sequence[XmlElement]:
    """All children of the last tag, in the element at the path of the tags before it."""
    *path, last = tags
    parent = inner(element, *path)
    return parent.all(last) if parent is not None else ()


def floats_in(element: XmlElement | None, *tags: str) -> list[float]:
    """The numbers of the element at a path of tags; none where it is absent."""
    named = inner(element, *tags)
    return floats(named.text) if named is not None else []


def transform_of(element: XmlElement, unit: float) -> Matrix:
    """The matrix of one transform element; `unit` metres."""
    values = floats(element.text)
    result = np.eye(4)
    if element.tag == "translate" and len(values) == 3:
        result[:3, 3] = np.array(values) * unit
    elif element.tag == "rotate" and len(values) == 4:
        result = axis_transform(values[:3], math.radians(values[3]))
    elif element.tag == "matrix" and len(values) == 16:
        result = np.array(values).reshape(4, 4)
        result[:3, 3] *= unit
    elif element.tag == "scale" and len(values) == 3:
        result[:3, :3] = np.diag(values)
    elif element.tag == "lookat" and len(values) == 9:
        eye, target, up = (np.array(values[i : i + 3]) for i in (0, 3, 6))
        z = eye - target
        z /= float(np.linalg.norm(z)) or 1.0
        x = np.cross(up, z)
        x /= float(np.linalg.norm(x)) or 1.0
        result[:3, 0], result[:3, 1], result[:3, 2], result[:3, 3] = (
            x,
            np.cross(z, x),
            z,
            eye * unit,
        )
    return result


def product(elements: Iterable[XmlElement], unit: float) -> Matrix:
    """The transforms among `elements`, in their order."""
    result = np.eye(4)
    for element in elements:
        if element.tag in TAGS:
            result = result @ transform_of(element, unit)
    return result


def is_rigid(matrix: Matrix) -> bool:
    """Return whether it turns and moves alone: neither scales nor mirrors."""
    turn = matrix[:3, :3]
    return bool(np.allclose(turn @ turn.T, np.eye(3), atol=1e-9)) and float(np.linalg.det(turn)) > 0


def axis_angle(matrix: Matrix) -> tuple[float, float, float, float]:
    """(x, y, z, degrees), by way of the quaternion, which is right at half turns, too."""
    w, *vector = matrix_to_quaternion(matrix)
    length = math.hypot(*vector)
    if length < 1e-15:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (v / length for v in vector)
    return x, y, z, math.degrees(2 * math.atan2(length, w))


#: Which numbers of an element are lengths.
_LENGTHS = {"matrix": (3, 7, 11), "lookat": (0, 1, 2, 3, 4, 5)}
#: Elements whose numbers all are.
_ALL = ("translate", "distance_range", "range_min", "range_max", "half_extents", "radius", "height")
#: Types of <extra> whose lengths are all known.
_READ_KINDS = ("manipulator", "attach_sensor")
#: What the schema wants of an <asset>. Always the same, so that the same robot gives the same
#: bytes.
TIMES = tuple(build_piece(tag, text="2000-01-01T00:00:00") for tag in ("created", "modified"))


def with_unit(text: str, element: XmlElement, unit: float) -> tuple[str, str]:
    """The text of an element, and what was done to it; "" for nothing."""
    if own_unit(element) is not None:
        return text, ""
    if element.tag == "extra" and element.get("type") not in _READ_KINDS:
        # An <extra> of an unknown kind, if it has numbers, with an <asset> that tells their unit.
        has_numbers = any(
            floats(e.text) or any(floats(a.value) for a in e.attributes) for e in element.walk()
        )
        asset = element.child("asset")
        if not has_numbers or (asset or element).self_closing:
            return text, ""
        addition = build_piece("unit", meter=format_xml_number(unit))
        addition = build_piece("asset", *TIMES, addition) if asset is None else addition
        place = (element.start_end if asset is None else asset.end_start) - element.start
        return text[:place] + line_text(addition) + text[place:], "the unit is stored with it"
    splices, is_doubtful = _lengths_in_metres(element, unit)
    if splices:
        return apply_splices(text, splices), "lengths converted to metres"
    if is_doubtful and element.tag not in ("extra", "sensor", "deceleration"):
        return text, "numbers that may or may not be lengths are unchanged"
    return text, ""


def _lengths_in_metres(element: XmlElement, unit: float) -> tuple[list[Splice], bool]:
    """Splices of the element's text, and whether it has numbers that may be lengths or not."""
    splices = []
    is_doubtful = False
    for inner in element.walk():
        values = floats(inner.text)
        if not values or inner.children:
            continue
        tag = inner.parent.tag if inner.tag == "float" and inner.parent is not None else inner.tag
        lengths = _LENGTHS.get(tag, range(len(values)) if tag in _ALL else None)
        if lengths is None or len(values) <= max(lengths):
            is_doubtful = is_doubtful or (lengths is None and tag not in TAGS)
            continue
        scaled = [v * unit if i in lengths else v for i, v in enumerate(values)]
        span = inner.start_end - element.start, inner.end_start - element.start
        splices.append(Splice(*span, format_xml_numbers(scaled)))
    return splices, is_doubtful


def own_unit(element: XmlElement) -> float | None:
    """The unit in metres that the asset of an element tells; None where it tells none."""
    unit = inner(element, "asset", "unit")
    if unit is None:
        return None
    values = floats(unit.get("meter") or "1")
    return values[0] if values and values[0] > 0 else 1.0


_ATTRIBUTE = re.compile(
    r"""(\b(?:link|link0|link1|joint|target|axis)\s*=\s*)(["'])([^"'#<>&]*)\2"""
)
_SYMBOL = re.compile(r"(<(?:csymbol|param|SIDREF)\b[^>]*>\s*)([^<\s]+)(\s*</)")


def with_names(
    text: str, link: Callable[[str], str | None], joint: Callable[[str], str | None]
) -> str:
    """`link` and `joint` find names by SID paths."""

    def named(reference: str, kind: str) -> str | None:
        if kind.startswith("link"):
            return link(reference)
        name = joint(reference)
        if name is None or kind == "joint":
            return name
        parts = reference.split("/")
        # Behind the joint an axis may stand.
        return f"{name}/{parts[-1]}" if len(parts) > 1 and joint(parts[-1]) is None else name

    return _replaced(text, named)


def with_sids(text: str, links: Mapping[str, str], joints: Mapping[str, str], model: str) -> str:
    """Name -> SID, for links and joints."""

    def path(reference: str, kind: str) -> str | None:
        first, second = (links, joints) if kind.startswith("link") else (joints, links)
        for table in (
            first,
            {} if kind in ("joint", "axis") or kind.startswith("link") else second,
        ):
            if reference in table:
                return f"{model}/{table[reference]}"
        head, _, axis = reference.rpartition("/")
        return f"{model}/{joints[head]}/{make_plain_name(axis)}" if head in joints else None

    return _replaced(text, path)


def _replaced(text: str, name_for: Callable[[str, str], str | None]) -> str:
    def attribute(match: re.Match[str]) -> str:
        kind = match.group(1).split("=")[0].strip()
        name = name_for(match.group(3), kind)
        quote = match.group(2)
        return (
            match.group()
            if name is None
            else f"{match.group(1)}{quote}{escape(name, quote)}{quote}"
        )

    def symbol(match: re.Match[str]) -> str:
        name = name_for(match.group(2), "target")
        return (
            match.group() if name is None else f"{match.group(1)}{escape(name, '')}{match.group(3)}"
        )

    return _SYMBOL.sub(symbol, _ATTRIBUTE.sub(attribute, text))
