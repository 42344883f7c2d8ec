"""Pieces of COLLADA that are kept word for word, out of a file whose unit of length is not the metre.

They stand in a URDF afterwards, and in an exported file whose unit is the metre. Lengths that are known are turned into
metres; an <extra> of an unknown kind stays as it is, and gets an <asset> that tells its unit.
"""

from __future__ import annotations

from editor_app.formats.foreign.collada.transforms import TAGS, floats
from editor_app.formats.xml import XmlElement
from editor_app.formats.xml.morph import number_text, numbers_text
from editor_app.formats.xml.new_document import line_text, piece
from editor_app.formats.xml.splices import Splice, apply_splices

#: Which numbers of an element are lengths.
_LENGTHS = {"matrix": (3, 7, 11), "lookat": (0, 1, 2, 3, 4, 5)}
#: Elements whose numbers all are.
_ALL = ("translate", "distance_range", "range_min", "range_max", "half_extents", "radius", "height")
#: Types of <extra> whose lengths are all known.
_READ_KINDS = ("manipulator", "attach_sensor")
#: What the schema wants of an <asset>.
_TIMES = tuple(piece(tag, text="2000-01-01T00:00:00") for tag in ("created", "modified"))


def with_unit(text: str, element: XmlElement, unit: float) -> tuple[str, str]:
    """The text of an element, and what was done to it; "" for nothing."""
    asset = element.child("asset")
    if asset is not None and asset.child("unit") is not None:
        return text, ""
    if element.tag == "extra" and element.get("type") not in _READ_KINDS:
        return _with_asset(text, element, asset, unit)
    splices, is_doubtful = _lengths_in_metres(element, unit)
    if splices:
        return apply_splices(text, splices), "lengths turned into metres"
    if is_doubtful and element.tag not in ("extra", "sensor", "deceleration"):
        return text, "numbers of which it is not known whether they are lengths stay as they are"
    return text, ""


def _with_asset(text: str, element: XmlElement, asset: XmlElement | None, unit: float) -> tuple[str, str]:
    """An <extra> of an unknown kind, if it has numbers, with an <asset> that tells their unit."""
    has_numbers = any(floats(e.text) or any(floats(a.value) for a in e.attributes) for e in element.walk())
    if not has_numbers or (asset or element).self_closing:
        return text, ""
    addition, place = piece("unit", meter=number_text(unit)), element.start_end
    if asset is None:
        addition = piece("asset", *_TIMES, addition)
    else:
        place = asset.end_start
    place -= element.start
    return text[:place] + line_text(addition) + text[place:], "the unit is told with it"


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
        splices.append(Splice(*span, numbers_text(scaled)))
    return splices, is_doubtful


def unit_told(extra: XmlElement) -> float:
    """The unit that an <extra> tells of itself; the metre where it does not."""
    asset = extra.child("asset")
    unit = asset.child("unit") if asset is not None else None
    values = floats((unit.get("meter") if unit is not None else None) or "1")
    return values[0] if values and values[0] > 0 else 1.0
