"""Numbers of a file that are none: what is said of them, since they are read as if they were not there."""

from __future__ import annotations

import math

from editor_app.formats.exchange.report import Reporter
from editor_app.formats.foreign.collada.documents import Documents
from editor_app.formats.xml import XmlElement

#: Tag -> how many numbers it has; 0 for one or in a wrapper of its own.
_COUNTS = {
    "translate": 3,
    "rotate": 4,
    "matrix": 16,
    "scale": 3,
    "lookat": 9,
    "inertia": 3,
    "mass": 1,
    "min": 0,
    "max": 0,
    "float": 1,
}
#: Who has more has heard enough.
_MOST = 20


def tell_numbers(documents: Documents, out: Reporter) -> None:
    """Reports what stands where numbers should, with its line."""
    unreadable = 0
    for document in documents.all:
        for element in document.root.walk():
            reason = _wrong(element)
            if reason is None:
                continue
            unreadable += 1
            if unreadable <= _MOST:
                out.lost(f"{element.tag}", f"{document.xml.location(element)}: {reason}")
    if unreadable > _MOST:
        out.lost("numbers", f"{unreadable - _MOST} more that are none")


def _wrong(element: XmlElement) -> str | None:
    joint_axis = (
        element.tag == "axis" and element.parent is not None and element.parent.tag in ("revolute", "prismatic")
    )
    count = 3 if joint_axis else _COUNTS.get(element.tag)
    if count is None:
        return None
    pieces = element.text.split()
    for piece in pieces:
        try:
            value = float(piece)
        except ValueError:
            return f"{piece[:30]!r} is no number; it was left out"
        if not math.isfinite(value):
            return f"{piece[:30]} is no finite number; 0 stands for it"
    if count and len(pieces) != count and not element.children:
        return f"{len(pieces)} numbers where {count} belong; it was left out"
    return None
