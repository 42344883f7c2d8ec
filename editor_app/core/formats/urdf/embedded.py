"""Elements that URDF itself does not define, and transmissions, from a text that somebody typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.formats.urdf.reader import read_urdf
from editor_app.core.model.findings import Location
from editor_app.core.model.urdf import Extension, Transmission, Urdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import Splice, apply_splices
from editor_app.core.text.xml.document import XmlDocument, XmlElement
from editor_app.core.text.xml.morph import build_piece
from editor_app.core.text.xml.splices import render, set_attribute, set_text

_HEAD = "<robot>"
_MODELLED = ("link", "joint", "material", "inertial", "visual", "collision", "origin", "sensor")


def read_embedded(text: str) -> Extension | Transmission:
    """The one element that `text` is. Raises FormatError with a sentence for the user."""
    text = text.strip()
    if not re.match(r"<[^!?/\s]", text):
        raise FormatError(
            "This is not an XML element", Location("<text>"), "Begin with a tag such as <gazebo …>."
        )
    try:
        source = read_urdf(SourceText.from_text(f"{_HEAD}{text}</robot>"))
    except FormatError as error:
        place = error.location
        line = f" in line {place.line}" if place is not None and place.line is not None else ""
        raise FormatError(
            f"This is not well-formed XML{line}: {error.message}", Location("<text>")
        ) from None
    children = source.document.root.children
    if len(children) != 1 or (children[0].start, children[0].end) != (
        len(_HEAD),
        len(_HEAD) + len(text),
    ):
        raise FormatError(
            "There is more than one element", Location("<text>"), "Add each element separately."
        )
    if source.document.tolerated:
        raise FormatError(source.document.tolerated[0].message, Location("<text>"))
    if children[0].tag in _MODELLED:
        raise FormatError(
            f"<{children[0].tag}> is a URDF element", Location("<text>"), "Edit it in its place."
        )
    elements: tuple[Extension | Transmission, ...] = (
        *source.value.transmissions,
        *source.value.extensions,
    )
    return elements[0]


Embedded = TypeVar("Embedded", Extension, Transmission)


def with_names_in_text(old: Embedded, new: Embedded) -> Embedded:
    """`new`, whose link or joints have other names than in `old`: its text says so, too, else it is
    the same."""
    if new == old:
        return old

    try:
        source = read_urdf(SourceText.from_text(f"{_HEAD}{old.text}</robot>"))
        if len(source.value.transmissions) + len(source.value.extensions) != 1:
            return new
        if isinstance(new, Transmission):
            urdf = replace(source.value, transmissions=(new,))
        else:
            urdf = replace(source.value, extensions=(new,))
        written = patch_urdf(source, urdf).text
    except FormatError:
        # Its text makes no sense by itself, as that of a prefix which is declared further out: the
        # names are what saving goes by.
        return new
    return replace(new, text=written.removeprefix(_HEAD).removesuffix("</robot>"))


#: Elements whose own name no other program may find twice.
_NAMED = ("transmission", "actuator", "ros2_control")
#: Elements named after a quantity, and attributes that name no part of the robot.
_QUANTITIES = ("param", "command_interface", "state_interface")
_NO_NAMES = ("type", "filename", "plugin", "version")


def with_prefix_in_text(old: Embedded, prefix: str, names: Collection[str]) -> Embedded:
    """An embedded element with `prefix` before its own name, and before each of `names` (links and
    joints).

    A name stands in an attribute, or is the whole text of an element without children; Gazebo's
    `model::link` has it behind the colons.
    """
    prefixed: Urdf = _prefixed(f"{_HEAD}{old.text}</robot>", prefix, names)
    elements: tuple[Extension | Transmission, ...] = (*prefixed.transmissions, *prefixed.extensions)
    if len(elements) == 1 and isinstance(elements[0], type(old)):
        return elements[0]
    # Its text makes no sense by itself: the names are what saving goes by.
    if isinstance(old, Transmission):
        return replace(
            old, name=prefix + old.name, joints=tuple(prefix + joint for joint in old.joints)
        )
    return (
        replace(old, reference=prefix + old.reference)
        if old.reference in names and old.reference
        else old
    )


def _prefixed(text: str, prefix: str, names: Collection[str]) -> Urdf:
    """What is left of a text that makes no sense is nothing."""
    try:
        source = read_urdf(SourceText.from_text(text))
        splices = list(_prefixes(source.document, prefix, names))
        return read_urdf(source.source.with_text(apply_splices(text, splices))).value
    except (FormatError, ValueError):
        return Urdf()


def _prefixes(document: XmlDocument, prefix: str, names: Collection[str]) -> Iterator[Splice]:
    def with_prefix(value: str) -> str:
        model, colons, name = value.rpartition("::")
        return f"{model}{colons}{prefix}{name}" if name in names else value

    def is_name(element: XmlElement, attribute: str) -> bool:
        return attribute not in _NO_NAMES and not (
            attribute == "name" and element.tag in _QUANTITIES
        )

    for element in (e for child in document.root.children for e in child.walk()):
        for attribute in element.attributes:
            new = (
                with_prefix(attribute.value)
                if is_name(element, attribute.name)
                else attribute.value
            )
            if attribute.name == "name" and element.tag in _NAMED:
                new = prefix + attribute.value
            yield from set_attribute(document, element, attribute.name, new)
        if not element.children and element.tag not in _NO_NAMES and element.text:
            yield from set_text(document, element, with_prefix(element.text))


def transmission_template(joint: str) -> str:
    """A simple transmission for a joint, as ros_control reads it."""

    parts = (
        build_piece("type", text="transmission_interface/SimpleTransmission"),
        build_piece(
            "joint",
            build_piece("hardwareInterface", text="hardware_interface/PositionJointInterface"),
            name=joint,
        ),
        build_piece(
            "actuator", build_piece("mechanicalReduction", text="1"), name=f"{joint}_motor"
        ),
    )
    return render(build_piece("transmission", *parts, name=f"{joint}_transmission"))
