"""Sensors of a URDF: `<sensor>` of the robot itself, and those within `<gazebo>` and links, which
are SDF's.

Both are read into one model, `core.model.sensors`. A sensor is read as leaves, path -> text
("camera/image/@width"), of which a table says which field they are; edits are differences between
leaves, so that everything else stays.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from editor_app.core.formats.urdf.findings import FindingCollector, W
from editor_app.core.formats.urdf.sensor_table import (
    GAZEBO,
    URDF,
    Dialect,
    children_of,
    edited,
    fields_of,
    fresh,
    leaves_of,
    sensor_of,
)
from editor_app.core.model.lineage import Trace
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.urdf import Extension, Urdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlDocument, XmlElement, numbers_in, parse_xml
from editor_app.core.text.xml.morph import Wanted, format_xml_numbers
from editor_app.core.text.xml.splices import NewElement, render

_TAG = re.compile(r"sensor(?::(\w+))?\Z")
#: Attributes of SDF's `<pose>` with which its numbers do not mean the sensor's place on its link in
#: radians.
_POSE_ATTRIBUTES = ("relative_to", "frame", "degrees", "rotation_format")


@dataclass(frozen=True, slots=True)
class SensorPlace:
    """The place of a sensor: number `index` of `Urdf.sensors`, or of an extension of the robot, a
    link or a joint."""

    index: int
    extension: int | None = None
    link: str | None = None
    joint: str | None = None


@dataclass(frozen=True, slots=True)
class PlacedSensor:
    """`link` is that whose frame `origin` is in, "" when unknown: the parent, or the child of its
    joint.

    `looks_along_z` says which axis of its frame is that of view: x in Gazebo, z in URDF and
    COLLADA.
    """

    sensor: Sensor
    place: SensorPlace
    link: str
    looks_along_z: bool


def list_sensors(urdf: Urdf) -> tuple[PlacedSensor, ...]:
    """All sensors of a robot, wherever they stand; sensors in extensions know their link."""
    children = {j.name: j.child for j in urdf.joints}
    placed_sensors = [
        PlacedSensor(s, SensorPlace(i), s.parent or children.get(s.joint or "", ""), True)
        for i, s in enumerate(urdf.sensors)
    ]
    links = {link.name for link in urdf.links}
    for place, extension in _extensions(urdf):
        for i, (sensor, dialect) in enumerate(_embedded(extension)):
            owner = (
                extension.reference
                if place.link is None and place.joint is None
                else place.link or place.joint
            )
            joint = (
                owner
                if owner is not None and owner not in links and owner in children
                else sensor.joint
            )
            parent = (
                sensor.parent or (owner if owner in links else children.get(owner or "", "")) or ""
            )
            placed = replace(sensor, parent=parent, joint=joint)
            placed_sensors.append(
                PlacedSensor(placed, replace(place, index=i), parent, dialect.is_urdf)
            )
    return tuple(placed_sensors)


def with_sensor(urdf: Urdf, place: SensorPlace, sensor: Sensor | None) -> Urdf:
    """The robot with another sensor at a place, or without it. Raises ValueError for what cannot
    stand there."""
    if place.extension is None:
        if not 0 <= place.index < len(urdf.sensors):
            raise ValueError("The sensor does not exist.")
        kept = (
            *urdf.sensors[: place.index],
            *(() if sensor is None else (sensor,)),
            *urdf.sensors[place.index + 1 :],
        )
        return replace(urdf, sensors=kept)

    def changed(extensions: tuple[Extension, ...]) -> tuple[Extension, ...]:
        number = place.extension
        assert number is not None
        new = _with_embedded(extensions[number], place.index, sensor)
        return tuple(new if i == number else e for i, e in enumerate(extensions))

    if place.link is not None:
        links = (
            replace(x, extensions=changed(x.extensions)) if x.name == place.link else x
            for x in urdf.links
        )
        return replace(urdf, links=tuple(links))
    if place.joint is not None:
        joints = (
            replace(x, extensions=changed(x.extensions)) if x.name == place.joint else x
            for x in urdf.joints
        )
        return replace(urdf, joints=tuple(joints))
    return replace(urdf, extensions=changed(urdf.extensions))


def read_sensor(element: XmlElement) -> tuple[Sensor, tuple[str, ...]]:
    """A `<sensor>` of the robot itself, and what of it could not be read."""
    return _read(element, URDF)


def sensor_element(sensor: Sensor) -> NewElement:
    """A new `<sensor>` of the robot. Raises ValueError for what XML cannot hold, or values that are
    not finite."""
    return fresh("sensor", _leaves(sensor, URDF))


def check_sensors(report: FindingCollector, urdf: Urdf, elements: Sequence[XmlElement]) -> None:
    """Faults of the sensors of the robot itself."""
    links, joints = {link.name for link in urdf.links}, {joint.name for joint in urdf.joints}
    seen: set[str] = set()
    for sensor, element in zip(urdf.sensors, elements, strict=True):
        where = (sensor.parent,) if sensor.parent in links else ()
        subject = f"sensor {sensor.name!r}"
        if not sensor.name:
            report.add("URDF056", W, "a sensor has no name", element, links=where)
        elif sensor.name in seen:
            report.add(
                "URDF056", W, f"two sensors have the name {sensor.name!r}", element, links=where
            )
        seen.add(sensor.name)
        if not sensor.parent and sensor.joint is None:
            report.add("URDF056", W, f"{subject} has no parent link", element, links=())
        elif sensor.parent and sensor.parent not in links:
            report.add(
                "URDF056",
                W,
                f"{subject} names the link {sensor.parent!r}, which does not exist",
                element,
                links=(),
            )
        if sensor.joint is not None and sensor.joint not in joints:
            message = f"{subject} names the joint {sensor.joint!r}, which does not exist"
            report.add("URDF056", W, message, element, links=where)
        for note in read_sensor(element)[1]:
            report.add("URDF057", W, f"{subject}: {note}; it is ignored", element, links=where)


def sensor_items(
    wanted: tuple[Sensor, ...],
    read: tuple[Sensor, ...],
    trace: Trace,
    document: XmlDocument,
    elements: Sequence[XmlElement],
) -> tuple[list[Wanted], list[Wanted]]:
    """The robot's own sensors as they were read from `elements`, and as they shall be, for `morph`.

    `trace` says which sensors as read the wanted ones are. Raises ValueError for what cannot be
    written.
    """
    if wanted == read:
        return [], []
    texts = [document.text_of(e) for e in elements]
    before = [Wanted("sensor", key=("sensors", i), verbatim=text) for i, text in enumerate(texts)]
    after = []
    for sensor, place in zip(wanted, trace.steps(range(len(wanted))), strict=True):
        if not isinstance(place, int):
            after.append(Wanted("sensor", key=None, verbatim=render(sensor_element(sensor))))
            continue
        indent = _indent(document.source.text, elements[place])
        text = _edited(texts[place], read[place], sensor, URDF, indent)
        after.append(Wanted("sensor", key=("sensors", place), verbatim=text))
    return before, after


# --------------------------------------------------------------------------------------------------
# within extensions


def _extensions(urdf: Urdf) -> Iterator[tuple[SensorPlace, Extension]]:
    for i, extension in enumerate(urdf.extensions):
        # What is kept of a COLLADA robot word for word is nothing of this one: sensors that sit
        # nowhere.
        if "sensor" in extension.text and extension.tag != "collada_extra":
            yield SensorPlace(0, i), extension
    for link in urdf.links:
        for i, extension in enumerate(link.extensions):
            if "sensor" in extension.text:
                yield SensorPlace(0, i, link=link.name), extension
    for joint in urdf.joints:
        for i, extension in enumerate(joint.extensions):
            if "sensor" in extension.text:
                yield SensorPlace(0, i, joint=joint.name), extension


@lru_cache(maxsize=1024)
def _embedded(extension: Extension) -> tuple[tuple[Sensor, Dialect], ...]:
    try:
        root = parse_xml(SourceText.from_text(extension.text)).root
    except FormatError:
        return ()
    elements = _sensor_elements(root)
    return tuple((_read(e, _dialect(e))[0], _dialect(e)) for e in elements)


def _with_embedded(extension: Extension, index: int, sensor: Sensor | None) -> Extension:
    document = parse_xml(SourceText.from_text(extension.text))
    elements = _sensor_elements(document.root)
    if not 0 <= index < len(elements):
        raise ValueError("The sensor does not exist.")
    element, (old, dialect) = elements[index], _embedded(extension)[index]
    text = extension.text
    if sensor is None:
        start = len(text[: element.start].rstrip(" \t"))
        start = (
            len(text[:start].removesuffix("\n").removesuffix("\r"))
            if element is not document.root
            else start
        )
        if element is document.root:
            raise ValueError(
                "It is the only content of an element of its link; delete that element in the text."
            )
        return replace(extension, text=text[:start] + text[element.end :])
    # Link and joint come from the element around it.
    sensor = replace(sensor, parent=old.parent, joint=old.joint)
    new = _edited(document.text_of(element), old, sensor, dialect, _indent(text, element))
    return replace(extension, text=text[: element.start] + new + text[element.end :])


def _sensor_elements(root: XmlElement) -> list[XmlElement]:
    return [e for e in (root, *root.children) if _TAG.match(e.tag)]


def _dialect(element: XmlElement) -> Dialect:
    """SDF's, unless it has what only URDF's has."""
    is_urdf = element.child("parent") is not None or element.child("origin") is not None
    return URDF if is_urdf or element.attribute("update_rate") is not None else GAZEBO


def _indent(text: str, element: XmlElement) -> str:
    """The white space before an element, where nothing else stands before it on its line."""
    space = text[
        max(text.rfind("\n", 0, element.start), text.rfind("\r", 0, element.start))
        + 1 : element.start
    ]
    return "" if space.strip() else space


# --------------------------------------------------------------------------------------------------
# text <-> model


def _read(element: XmlElement, dialect: Dialect) -> tuple[Sensor, tuple[str, ...]]:
    leaves = leaves_of(element)
    notes: list[str] = []
    prefixed = _TAG.match(element.tag)
    kind = leaves.pop("@type", None)
    if kind is None and prefixed is not None:
        kind = prefixed.group(1)
    name = leaves.pop("@name", "")
    parent, joint = "", None
    if dialect.is_urdf:
        parent, joint = leaves.pop("parent/@link", ""), leaves.pop("parent/@joint", None)
    origin = _origin(leaves, dialect, notes)
    base = Sensor(name, kind or "", parent, origin, joint)
    sensor, unread = sensor_of(base, leaves, children_of(element), dialect.for_element(element))
    return sensor, (*notes, *unread)


def _origin(leaves: dict[str, str], dialect: Dialect, notes: list[str]) -> Origin:
    if not dialect.is_urdf:
        text = leaves.pop("pose", "")
        pose = _numbers(text, 6)
        if pose is None:
            if text:
                notes.append(f"pose: {text!r} is not six numbers")
            return IDENTITY
        x, y, z, roll, pitch, yaw = pose
        if leaves.get("pose/@degrees") in ("true", "1"):
            roll, pitch, yaw = math.radians(roll), math.radians(pitch), math.radians(yaw)
        return Origin((x, y, z), (roll, pitch, yaw))
    vectors: dict[str, tuple[float, ...]] = {}
    for key, length in (("xyz", 3), ("rpy", 3), ("quat_xyzw", 4)):
        text = leaves.pop(f"origin/@{key}", "")
        values = _numbers(text, length)
        if values is not None:
            vectors[key] = values
        elif text:
            notes.append(f"origin: {key}={text!r} is not {length} numbers")
    x, y, z = vectors.get("xyz", IDENTITY.xyz)
    roll, pitch, yaw = vectors.get("rpy", IDENTITY.rpy)
    quaternion = vectors.get("quat_xyzw")
    if quaternion is None or not any(quaternion):
        return Origin((x, y, z), (roll, pitch, yaw))
    qx, qy, qz, qw = quaternion
    return Origin((x, y, z), (roll, pitch, yaw), (qx, qy, qz, qw))


def _numbers(text: str, length: int) -> tuple[float, ...] | None:
    values = numbers_in(text)
    return values if values is not None and len(values) == length else None


def _leaves(sensor: Sensor, dialect: Dialect) -> dict[str, str]:
    leaves = {"@name": sensor.name}
    if sensor.type:
        leaves["@type"] = sensor.type
    fields, containers = fields_of(sensor, dialect)
    leaves.update({path: text for path, text in fields.items() if path.startswith("@")})
    origin = sensor.origin
    if dialect.is_urdf:
        if sensor.parent or sensor.joint is None:
            leaves["parent/@link"] = sensor.parent
        if sensor.joint is not None:
            leaves["parent/@joint"] = sensor.joint
        if origin != IDENTITY:
            leaves["origin/@xyz"] = format_xml_numbers(origin.xyz)
            if origin.quat_xyzw is None:
                leaves["origin/@rpy"] = format_xml_numbers(origin.rpy)
            else:
                leaves["origin/@quat_xyzw"] = format_xml_numbers(origin.quat_xyzw)
    elif origin != IDENTITY:
        if origin.quat_xyzw is not None:
            raise ValueError("Gazebo's <pose> has roll, pitch and yaw, not a quaternion.")
        leaves["pose"] = format_xml_numbers((*origin.xyz, *origin.rpy))
    for container in containers:
        leaves.setdefault(container, "")
    leaves.update(fields)
    leaves.update(sensor.parameters)
    return leaves


def _edited(text: str, old: Sensor, new: Sensor, dialect: Dialect, indent: str) -> str:
    if old == new:
        return text
    root = parse_xml(SourceText.from_text(text)).root
    dialect = dialect.for_element(root)
    if old.origin != new.origin and any(
        f"pose/@{name}" in leaves_of(root) for name in _POSE_ATTRIBUTES
    ):
        raise ValueError(
            "This pose has attributes that give its numbers another meaning; edit it in the text."
        )
    if old.type != new.type and root.attribute("type") is None and ":" in root.tag:
        raise ValueError("The type of this sensor is its tag; edit it in the text.")
    before, after = _leaves(old, dialect), _leaves(new, dialect)
    if root.attribute("type") is None and old.type == new.type:
        before.pop("@type", None)
        after.pop("@type", None)
    result = edited(text, before, after, indent)
    again, _ = _read(parse_xml(SourceText.from_text(result)).root, dialect)
    if again != new:
        names = [n for n in Sensor.__dataclass_fields__ if getattr(again, n) != getattr(new, n)]
        raise ValueError(
            f"The {', '.join(names).replace('_', ' ')} of the sensor cannot be written."
        )
    return result
