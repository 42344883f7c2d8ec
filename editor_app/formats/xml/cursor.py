"""Which attribute of an XML text stands at a place, also while the text is typed and cannot be read as a whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAG = re.compile(r"<([A-Za-z_][\w.:-]*)")
_OPEN_VALUE = re.compile(r"([A-Za-z_][\w.:-]*)\s*=\s*([\"'])([^\"'<]*)$")
#: No tag of a robot is longer.
_MOST = 4000


@dataclass(frozen=True, slots=True)
class AttributeSpot:
    """The value between its quotes, from `start` to `end`; without its second quote, as far as it goes on its line."""

    element: str
    attribute: str
    value: str
    start: int
    end: int


def attribute_at(text: str, offset: int) -> AttributeSpot | None:
    """The attribute whose value covers an offset, its ends included; None elsewhere, and in comments."""
    begin = text.rfind("<", max(0, offset - _MOST), offset)
    tag = _TAG.match(text, begin) if begin >= 0 else None
    if tag is None or text.rfind("-->", 0, offset) < text.rfind("<!--", 0, offset):
        return None
    match = _OPEN_VALUE.search(text[tag.end() : offset])
    if match is None or _closes(text[tag.end() : offset - len(match.group())]):
        return None
    start, quote = offset - len(match.group(3)), match.group(2)
    end = offset
    while end < len(text) and text[end] not in f"{quote}<>\r\n":
        end += 1
    return AttributeSpot(tag.group(1), match.group(1), text[start:end], start, end)


def _closes(part: str) -> bool:
    """Whether a tag ends in its part up to an attribute: `>` outside of quotes."""
    return ">" in re.sub(r"\"[^\"]*\"|'[^']*'", "", part)
