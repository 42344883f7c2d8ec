"""Which leaf of a `<sensor>` is which value of the model: in URDF, and in the SDF that Gazebo's
extension holds.

URDF: https://wiki.ros.org/urdf/XML/sensor; what it has no place for (OpenRAVE's) has one after the
same manner. SDF: http://sdformat.org/spec?elem=sensor.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.sensors import Camera, Imu, Ray, Scan, Sensor, StereoEye
from editor_app.core.text.source import SourceText
from editor_app.core.text.splices import apply_splices
from editor_app.core.text.xml.document import XmlElement, numbers_in, parse_xml
from editor_app.core.text.xml.morph import Wanted, format_xml_number, format_xml_numbers, morph
from editor_app.core.text.xml.splices import NewElement

_STEP = re.compile(r"(.+?)(?:\[(\d+)\])?\Z")


def leaves_of(element: XmlElement) -> dict[str, str]:
    """All leaves below an element, its own attributes among them, in the order of the text."""
    leaves: dict[str, str] = {}
    for path, each in (("", element), *_elements(element, "")):
        prefix = f"{path}/" if path else ""
        leaves |= {f"{prefix}@{attribute.name}": attribute.value for attribute in each.attributes}
        if path and not each.children and (each.text or not each.attributes):
            leaves[path] = each.text
    return leaves


def children_of(element: XmlElement) -> frozenset[str]:
    """The paths of all elements below one."""
    return frozenset(path for path, _ in _elements(element, ""))


def fresh(tag: str, leaves: Mapping[str, str]) -> NewElement:
    """A new element with such leaves. Raises ValueError for a path that is none."""
    return _wanted(tag, leaves).element()


def edited(text: str, old: Mapping[str, str], new: Mapping[str, str], indent: str = "") -> str:
    """`text`, an element that was read as `old`, made to mean `new`: what is alike in both is not
    touched.

    `indent` is the white space before the element. Raises ValueError for what XML cannot hold.
    """
    document = parse_xml(SourceText.from_text(indent + text))
    root = document.root
    written = leaves_of(root)
    containers = children_of(root) - written.keys()
    # Values keep the spelling of `old`: in a row of numbers, equal numbers keep their digits.
    before = {path: old.get(path, value) for path, value in written.items()}
    target = {path: value for path, value in before.items() if path not in old or path in new}
    for path, value in new.items():
        if old.get(path) != value:
            target[path] = value
        elif path in containers and not any(other.startswith(f"{path}/") for other in target):
            target[path] = ""
    splices = morph(document, root, _wanted(root.tag, before), _wanted(root.tag, target))
    return apply_splices(indent + text, splices)[len(indent) :]


# --------------------------------------------------------------------------------------------------
# inside


def _wanted(tag: str, leaves: Mapping[str, str], step: str = "") -> Wanted:
    attributes: list[tuple[str, str | None]] = []
    inner: dict[str, dict[str, str]] = {}
    text = ""
    for path, value in leaves.items():
        head, _, rest = path.partition("/")
        if head.startswith("@") and not rest:
            attributes.append((head[1:], value))
        elif head and not head.startswith("@"):
            inner.setdefault(head, {})[rest] = value
        elif path == "":
            text = value
        else:
            raise ValueError(f"{path!r} is not the path of a leaf")
    if text and inner:
        raise ValueError(f"<{tag}> has text and cannot have <{_tag(next(iter(inner)))}> in it")
    items = tuple(_wanted(_tag(name), below, name) for name, below in inner.items())
    return Wanted(tag, tuple(attributes), items=items, key=(step,), text=text)


def _elements(element: XmlElement, prefix: str) -> Iterator[tuple[str, XmlElement]]:
    """All elements below one, each with its path."""
    counts: dict[str, int] = {}
    for child in element.children:
        counts[child.tag] = number = counts.get(child.tag, 0) + 1
        path = prefix + (child.tag if number == 1 else f"{child.tag}[{number}]")
        yield path, child
        yield from _elements(child, f"{path}/")


def _tag(step: str) -> str:
    match = _STEP.match(step)
    if match is None or not match.group(1):
        raise ValueError(f"{step!r} is not the name of an element")
    return match.group(1)


_TEXT, _NUM, _INT, _SIX, _NINE, _LIST = (
    "text",
    "number",
    "whole number",
    "6 numbers",
    "9 numbers",
    "numbers",
)
_COUNTS = {_NUM: 1, _INT: 1, _SIX: 6, _NINE: 9}

#: field, kind of value, path in URDF, path in SDF (None: there is none)
_TABLE: tuple[tuple[str, str, str, str | None], ...] = (
    ("update_rate", _NUM, "@update_rate", "update_rate"),
    ("measurement_time", _NUM, "@measurement_time", None),
    ("camera.width", _INT, "camera/image/@width", "camera/image/width"),
    ("camera.height", _INT, "camera/image/@height", "camera/image/height"),
    ("camera.channels", _INT, "camera/image/@channels", None),
    ("camera.format", _TEXT, "camera/image/@format", "camera/image/format"),
    ("camera.hfov", _NUM, "camera/image/@hfov", "camera/horizontal_fov"),
    ("camera.near", _NUM, "camera/image/@near", "camera/clip/near"),
    ("camera.far", _NUM, "camera/image/@far", "camera/clip/far"),
    ("camera.intrinsic", _SIX, "camera/intrinsic/@values", None),
    ("camera.distortion", _LIST, "camera/distortion/@values", None),
    *(
        (
            f"ray.{plane}.{name}",
            kind,
            f"ray/{plane}/@{name}",
            f"ray/scan/{plane}/{name}" if name in sdf else None,
        )
        for plane in ("horizontal", "vertical")
        for sdf in (("samples", "resolution", "min_angle", "max_angle"),)
        for name, kind in (
            ("samples", _INT),
            ("resolution", _NUM),
            ("min_angle", _NUM),
            ("max_angle", _NUM),
            ("increment", _NUM),
        )
    ),
    ("ray.min_range", _NUM, "ray/range/@min", "ray/range/min"),
    ("ray.max_range", _NUM, "ray/range/@max", "ray/range/max"),
    ("ray.range_resolution", _NUM, "ray/range/@resolution", "ray/range/resolution"),
    ("ray.time_increment", _NUM, "ray/@time_increment", None),
    ("imu.rotation", _NINE, "imu/@rotation_covariance", None),
    ("imu.angular_velocity", _NINE, "imu/@angular_velocity_covariance", None),
    ("imu.linear_acceleration", _NINE, "imu/@linear_acceleration_covariance", None),
    ("target", _TEXT, "odometry/@target", None),
    ("interface", _TEXT, "openrave/@interface", None),
    ("plugin", _TEXT, "openrave/@plugin", None),
    ("id", _TEXT, "openrave/@id", None),
)
#: Values that are an object of their own as soon as their element is there: field, path in URDF,
#: path in SDF.
_OBJECTS: tuple[tuple[str, str, str], ...] = (
    ("camera", "camera", "camera"),
    ("ray", "ray", "ray"),
    ("ray.horizontal", "ray/horizontal", "ray/scan/horizontal"),
    ("ray.vertical", "ray/vertical", "ray/scan/vertical"),
    ("imu", "imu", "imu"),
)
_MAKE = {"camera": Camera, "ray": Ray, "ray.horizontal": Scan, "ray.vertical": Scan, "imu": Imu}


@dataclass(frozen=True)
class Dialect:
    """`ray` is the tag of a scanner, which newer SDF calls lidar; `other` are the fields that stand
    as the other dialect writes them, since files mix the two."""

    is_urdf: bool
    ray: str = "ray"
    other: frozenset[str] = frozenset()

    def for_element(self, element: XmlElement) -> Dialect:
        """The dialect as an element speaks it."""
        newer = element.child("ray") is None and element.child("lidar") is not None
        spoken = replace(self, ray="lidar") if newer else self
        names = set(leaves_of(element)) | children_of(element)
        other = {
            name
            for name, urdf, sdf in ((*((n, u, s) for n, _, u, s in _TABLE), *_OBJECTS))
            if sdf is not None
            and not _names_element(spoken, urdf, sdf, names, self.is_urdf)
            and _names_element(spoken, urdf, sdf, names, not self.is_urdf)
        }
        return replace(spoken, other=frozenset(other)) if other else spoken

    @cached_property
    def paths(self) -> dict[str, tuple[str, str]]:
        """field -> (kind of value, path)."""
        paths = {}
        for name, kind, urdf, sdf in _TABLE:
            path = urdf if self.is_urdf != (name in self.other) else sdf
            if path is not None:
                paths[name] = (kind, self.named(path))
        return paths

    @cached_property
    def objects(self) -> dict[str, str]:
        """field -> path of its element."""
        return {
            name: self.named(urdf if self.is_urdf != (name in self.other) else sdf)
            for name, urdf, sdf in _OBJECTS
        }

    def named(self, path: str) -> str:
        """A path with the tag of scanners as it is here."""
        return self.ray + path[3:] if path == "ray" or path.startswith("ray/") else path


def _names_element(dialect: Dialect, urdf: str, sdf: str, names: set[str], in_urdf: bool) -> bool:
    return dialect.named(urdf if in_urdf else sdf) in names


URDF = Dialect(is_urdf=True)
GAZEBO = Dialect(is_urdf=False)


def sensor_of(
    base: Sensor, leaves: Mapping[str, str], elements: frozenset[str], dialect: Dialect
) -> tuple[Sensor, tuple[str, ...]]:
    """`base` with all that the leaves say, and what of them could not be read."""
    left = dict(leaves)
    values, notes = _readable_values(left, dialect)
    made = with_objects(
        values, {name for name, path in dialect.objects.items() if path in elements}
    )
    for path in dialect.objects.values():
        left.pop(path, None)
    eyes, left = _eyes(left) if dialect.is_urdf else ((), left)
    # What stands for an element alone, without meaning: those on the way to the values above.
    used = {p.rpartition("/")[0] for _, p in dialect.paths.values()} | set(dialect.objects.values())
    parameters = {p: v for p, v in left.items() if v or p not in used}
    return replace(base, eyes=eyes, parameters=FrozenDict(parameters), **made), notes


def with_objects(values: Mapping[str, Any], present: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a sensor out of values by their dotted names; objects that are `present` are
    there without values, too."""
    made = dict(values)
    # Inner objects come after the outer ones in the table, and are values of them.
    for name in reversed(_MAKE):
        inside = {key: value for key, value in made.items() if key.rpartition(".")[0] == name}
        if name in present or inside:
            made[name] = _MAKE[name](
                **{key.rpartition(".")[2]: value for key, value in inside.items()}
            )
    return {name: value for name, value in made.items() if "." not in name}


def _readable_values(
    left: dict[str, str], dialect: Dialect
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Field -> value, taken out of `left`, and a note for each value that cannot be read."""
    values: dict[str, Any] = {}
    notes: list[str] = []
    for name, (kind, path) in dialect.paths.items():
        text = left.pop(path, None)
        if text is None:
            continue
        value = _value(kind, text)
        if value is None:
            notes.append(
                f"{path}: {text!r} is not a {kind}"
                if kind in (_NUM, _INT)
                else f"{path}: not {kind}"
            )
        else:
            values[name] = value
    return values, tuple(notes)


def fields_of(sensor: Sensor, dialect: Dialect) -> tuple[dict[str, str], tuple[str, ...]]:
    """The leaves of all fields, and the elements that have to be there. Raises ValueError for what
    has no place."""
    leaves: dict[str, str] = {}
    for name, kind, _, _ in _TABLE:
        value = get_sensor_field(sensor, name)
        if value is None:
            continue
        if name not in dialect.paths:
            raise ValueError(
                f"Gazebo cannot store the {name.replace('.', ' ').replace('_', ' ')} of a sensor."
            )
        leaves[dialect.paths[name][1]] = _text(kind, value, name)
    for i, eye in enumerate(sensor.eyes):
        if not dialect.is_urdf:
            raise ValueError("Gazebo cannot store the two sensors of a stereo camera.")
        step = "stereo/camera" if i == 0 else f"stereo/camera[{i + 1}]"
        leaves[f"{step}/@sensor"] = eye.sensor
        if eye.rectification is not None:
            leaves[f"{step}/@rectification"] = _text(_NINE, eye.rectification, "rectification")
    return leaves, tuple(
        path for name, path in dialect.objects.items() if get_sensor_field(sensor, name) is not None
    )


def get_sensor_field(sensor: Sensor, name: str) -> Any:
    """The value of a field by its dotted name; None below one that is absent."""
    value: Any = sensor
    for part in name.split("."):
        value = None if value is None else getattr(value, part)
    return value


def _eyes(leaves: dict[str, str]) -> tuple[tuple[StereoEye, ...], dict[str, str]]:
    left, eyes = dict(leaves), []
    for i in range(1, 1000):
        step = "stereo/camera" if i == 1 else f"stereo/camera[{i}]"
        sensor = left.pop(f"{step}/@sensor", None)
        if sensor is None:
            break
        matrix = left.get(f"{step}/@rectification")
        values = None if matrix is None else _value(_NINE, matrix)
        if values is not None:
            del left[f"{step}/@rectification"]
        eyes.append(StereoEye(sensor, values))
    return tuple(eyes), left


def _value(kind: str, text: str) -> Any:
    if kind == _TEXT:
        return text
    values = numbers_in(text)
    if values is None or kind == _LIST:
        return values
    if len(values) != _COUNTS[kind]:
        return None
    if kind in (_SIX, _NINE):
        return values
    return values[0] if kind == _NUM else int(values[0]) if values[0].is_integer() else None


def _text(kind: str, value: Any, name: str) -> str:
    if kind == _TEXT:
        return str(value)
    values = value if isinstance(value, tuple) else (value,)
    if not all(math.isfinite(v) for v in values):
        raise ValueError(f"The {name} of a sensor must be finite.")
    return (
        format_xml_numbers(values)
        if isinstance(value, tuple)
        else str(value)
        if kind == _INT
        else format_xml_number(value)
    )
