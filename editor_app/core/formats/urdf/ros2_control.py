"""Joints in `<ros2_control>` of a URDF: the range of their commands, and the start of the simulated
hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from editor_app.core.model.urdf import Extension, Urdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.core.text.yaml.plain import read_finite_number


@dataclass(frozen=True, slots=True)
class CommandRange:
    """`min` and `max` of a command interface: rad or m, per second and so on; None where the file
    has none."""

    interface: str
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class ControlledJoint:
    """A joint of a `<ros2_control>` system; `initial`: `initial_value` of its position, rad or
    m."""

    name: str
    system: str
    commands: tuple[CommandRange, ...]
    initial: float | None


def controlled_joints(urdf: Urdf) -> tuple[ControlledJoint, ...]:
    """The joints of all systems, in the order of the file. An element that makes no sense has
    none."""
    return tuple(joint for extension in urdf.extensions for joint in _joints(extension))


@lru_cache(maxsize=64)
def _joints(extension: Extension) -> tuple[ControlledJoint, ...]:
    if extension.tag != "ros2_control":
        return ()
    try:
        root = parse_xml(SourceText.from_text(extension.text)).root
    except FormatError:
        return ()
    system = root.get("name") or ""
    return tuple(_joint(element, system) for element in root.all("joint"))


def _joint(element: XmlElement, system: str) -> ControlledJoint:
    commands = tuple(
        CommandRange(each.get("name") or "", _param(each, "min"), _param(each, "max"))
        for each in element.all("command_interface")
    )
    states = [each for each in element.all("state_interface") if each.get("name") == "position"]
    initial = next(
        (value for each in states if (value := _param(each, "initial_value")) is not None), None
    )
    return ControlledJoint(element.get("name") or "", system, commands, initial)


def _param(element: XmlElement, name: str) -> float | None:
    return next(_numbers(element, name), None)


def _numbers(element: XmlElement, name: str) -> Iterator[float]:
    for param in element.all("param"):
        value = (
            read_finite_number((param.text or "").strip()) if param.get("name") == name else None
        )
        if value is not None:
            yield value
