"""Elements and attributes with their spans. Offsets count code points of `SourceText.text`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from editor_app.formats.source import SourceText
from editor_app.model.findings import Finding, Location

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z", re.ASCII)


def numbers_in(text: str) -> tuple[float, ...] | None:
    """The numbers of a text, with blanks between them; None where a piece is none, or has no finite value."""
    pieces = text.split()
    values = tuple(map(float, pieces)) if all(map(_NUMBER.match, pieces)) else (math.nan,)
    return values if all(map(math.isfinite, values)) else None


@dataclass(frozen=True, slots=True)
class XmlAttribute:
    """`value` with references resolved.

    [start, end) spans `name="value"`, [value_start, value_end) what stands between the quotes.
    """

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int

    @property
    def quote_offset(self) -> int:
        """Where the opening quote stands."""
        return self.value_start - 1


@dataclass(slots=True, eq=False)
class XmlElement:
    """An element: [start, end) is all of it, [start, start_end) the start tag, [end_start, end) the end tag.

    A self-closing element has no end tag: `end_start == end == start_end`. `tag` is as written, prefix included.
    Compared by identity, and not changed after parsing.
    """

    tag: str
    start: int
    start_end: int
    parent: XmlElement | None
    attributes: tuple[XmlAttribute, ...] = ()
    self_closing: bool = False
    end_start: int = -1
    end: int = -1
    children: list[XmlElement] = field(default_factory=list)
    #: Own character data in pieces, references resolved.
    chunks: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Own character data without that of the children, stripped."""
        return "".join(self.chunks).strip()

    def attribute(self, name: str) -> XmlAttribute | None:
        """The attribute of that name."""
        return next((a for a in self.attributes if a.name == name), None)

    def get(self, name: str) -> str | None:
        """The value of an attribute, references resolved; None when it is absent."""
        attribute = self.attribute(name)
        return None if attribute is None else attribute.value

    def child(self, tag: str) -> XmlElement | None:
        """The first child of that tag."""
        return next((c for c in self.children if c.tag == tag), None)

    def all(self, tag: str) -> list[XmlElement]:
        """All children of that tag, in document order."""
        return [c for c in self.children if c.tag == tag]

    def walk(self) -> Iterator[XmlElement]:
        """The element and all below it, in document order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def __repr__(self) -> str:
        return f"<XmlElement {self.tag} at {self.start}>"


@dataclass(frozen=True, slots=True, eq=False)
class XmlDocument:
    """`tolerated`: what is not well-formed and was read all the same (codes XML001…, see `parse.py`)."""

    source: SourceText
    root: XmlElement
    tolerated: tuple[Finding, ...] = ()

    def location(self, place: XmlElement | XmlAttribute | int) -> Location:
        """File, line and column of an element, an attribute, or an offset."""
        return self.source.location(place if isinstance(place, int) else place.start)

    def text_of(self, element: XmlElement) -> str:
        """The element as it stands in the file."""
        return self.source.text[element.start : element.end]
