"""Attributes of URDF elements as numbers, vectors and poses, with a finding for what cannot be read
as such."""

from __future__ import annotations

import math
import re

from editor_app.core.formats.urdf.findings import E, FindingCollector, W
from editor_app.core.model.near_names import nearest
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.text.xml.document import XmlAttribute, XmlElement, numbers_in

_FOLLOWED = re.compile(r"\S\s")
_INFINITE = re.compile(r"([+-]?)inf(?:inity)?\Z", re.IGNORECASE)


class Values:
    """`version` is that of the URDF, as (major, minor)."""

    def __init__(self, report: FindingCollector, version: tuple[int, int]) -> None:
        self.report = report
        self.version = version
        self.text = report.document.source.text

    def number(self, element: XmlElement, name: str, *, infinite: bool = False) -> float | None:
        """The attribute as a finite number; None when it is absent or unreadable (which is
        reported).

        With `infinite`, "inf" gives infinity, with a finding.
        """
        attribute = element.attribute(name)
        if attribute is None:
            return None
        self._odd_spaces(element, attribute, trailing=True)
        return self._number(element, attribute, attribute.value.strip(), infinite)

    def required(self, element: XmlElement, name: str, *, infinite: bool = False) -> float | None:
        """Read a number as `number` does; an absent attribute is a finding too."""
        if element.attribute(name) is None:
            self.report.add("URDF022", E, f"<{element.tag}> lacks the attribute {name}", element)
            return None
        return self.number(element, name, infinite=infinite)

    def vector(self, element: XmlElement, name: str, length: int) -> tuple[float, ...] | None:
        """The attribute as `length` finite numbers between spaces; None when it is absent or
        unreadable."""
        attribute = element.attribute(name)
        if attribute is None:
            return None
        self._odd_spaces(element, attribute, trailing=False)
        pieces = attribute.value.split()
        if len(pieces) != length:
            self.report.add(
                "URDF020",
                E,
                f"{_shown(element, attribute)} has {len(pieces)} numbers where {length} are needed",
                attribute,
            )
            return None
        numbers = [self._number(element, attribute, piece, False) for piece in pieces]
        return None if None in numbers else tuple(n for n in numbers if n is not None)

    def origin(self, parent: XmlElement) -> Origin:
        """The pose of `parent`'s <origin>; what is absent or unreadable is zero."""
        element = self.child(parent, "origin")
        if element is None:
            return IDENTITY
        self.report_misspelt(element, attributes=("xyz", "rpy", "quat_xyzw"))
        xyz = self.vector(element, "xyz", 3) or IDENTITY.xyz
        rpy = self.vector(element, "rpy", 3) or IDENTITY.rpy
        quaternion: tuple[float, ...] | None = None
        attribute = element.attribute("quat_xyzw")
        if attribute is not None:
            if self.version < (1, 1):
                self.report.add(
                    "URDF024",
                    W,
                    'quat_xyzw needs <robot version="1.1">; it is ignored, as by urdfdom',
                    attribute,
                    lost=True,
                )
            else:
                if element.attribute("rpy") is not None:
                    self.report.add(
                        "URDF023",
                        E,
                        "both rpy and quat_xyzw are given; quat_xyzw is used here",
                        attribute,
                    )
                quaternion = self.vector(element, "quat_xyzw", 4)
                if quaternion is not None and math.hypot(*quaternion) < 1e-9:
                    message = "quat_xyzw is zero, which is no rotation; it is ignored"
                    self.report.add("URDF020", E, message, attribute, fatal=False)
                    quaternion = None
        return Origin(
            (xyz[0], xyz[1], xyz[2]),
            (rpy[0], rpy[1], rpy[2]),
            None
            if quaternion is None
            else (quaternion[0], quaternion[1], quaternion[2], quaternion[3]),
        )

    def child(self, element: XmlElement, tag: str) -> XmlElement | None:
        """The first child of that tag; further ones are reported, since every reader ignores
        them."""
        children = element.all(tag)
        for extra in children[1:]:
            self.report.add("URDF034", W, f"a second <{tag}> in <{element.tag}> is ignored", extra)
        return children[0] if children else None

    def report_misspelt(
        self,
        element: XmlElement,
        *,
        attributes: tuple[str, ...] = (),
        children: tuple[str, ...] | None = None,
    ) -> None:
        """Reports names that look like misspelt ones. Others are extensions of some program, which
        is nothing wrong."""
        for attribute in element.attributes:
            if attribute.name not in attributes and (near := _near(attribute.name, attributes)):
                self.report.add(
                    "URDF035",
                    W,
                    f"the attribute {attribute.name!r} of <{element.tag}> is unknown and ignored; "
                    "did you mean "
                    f"{near!r}?",
                    attribute,
                )
        for child in element.children if children else ():
            if child.tag not in (children or ()) and (near := _near(child.tag, children or ())):
                self.report.add(
                    "URDF035",
                    W,
                    f"<{child.tag}> in <{element.tag}> is unknown and ignored; did you mean "
                    f"<{near}>?",
                    child,
                )

    def _number(
        self, element: XmlElement, attribute: XmlAttribute, text: str, infinite: bool
    ) -> float | None:
        values = numbers_in(text)
        if values:
            return values[0]
        problem = f"{_shown(element, attribute)}: {text!r} is not a number"
        sign = _INFINITE.match(text)
        if sign is not None and infinite:
            message = f"{problem} that urdfdom reads; it is read as unbounded"
            self.report.add("URDF020", E, message, attribute, lost=False)
            return -math.inf if sign.group(1) == "-" else math.inf
        self.report.add("URDF020", E, f"{problem}; it is ignored", attribute)
        return None

    def _odd_spaces(self, element: XmlElement, attribute: XmlAttribute, *, trailing: bool) -> None:
        raw = self.text[attribute.value_start : attribute.value_end]
        # urdfdom splits vectors at spaces alone, and reads a number only if nothing follows it.
        # The raw text has tabs that XML takes as spaces, the value those that stand as &#9;.
        texts = (raw, attribute.value)
        pieces = texts if trailing else [piece for text in texts for piece in text.split(" ")]
        if any(piece and (piece.isspace() or _FOLLOWED.search(piece)) for piece in pieces):
            fault = "a trailing space" if trailing else "a tab or a line break"
            self.report.add(
                "URDF021",
                E,
                f"{_shown(element, attribute)} contains {fault}, which urdfdom does not read",
                attribute,
            )


def _shown(element: XmlElement, attribute: XmlAttribute) -> str:
    value = attribute.value if len(attribute.value) <= 60 else attribute.value[:57] + "..."
    return f"<{element.tag} {attribute.name}={value!r}>"


def _near(name: str, names: tuple[str, ...]) -> str | None:
    if ":" in name:
        return None
    swapped = next((k for k in names if sorted(k) == sorted(name.lower())), None)
    if swapped is not None:
        return swapped
    return nearest(name, names, cutoff=0.8)
