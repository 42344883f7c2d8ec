"""Sensors of OpenRAVE's extension: <sensor> of a library and where it is attached -> the common
model, and back.

What the model has no field for stands in its `parameters`, by path below <sensor>, and is written
back from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from editor_app.core.formats.urdf.sensor_table import fresh, get_sensor_field, with_objects
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.sensors import Matrix3, Scan, Sensor, SensorKind, StereoEye
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.morph import build_piece, format_xml_numbers
from editor_app.core.text.xml.splices import NewElement
from editor_app.plugins.collada.transforms import floats

E = NewElement
#: Elements below each other in a <sensor>.
_DEEPEST = 50
#: Wrappers of a plain value, which the documents use and leave out at will.
_WRAPPERS = ("float", "int", "bool", "string", "float2", "float3", "int3", "float2x3", "float3x3")


class _Unit(NamedTuple):
    """Of numbers: what is made of one that is read, with the metres of the file's unit; and of one
    that is written."""

    read: Callable[[float, float], float]
    write: Callable[[float], float] = float


_PLAIN, _WHOLE = _Unit(lambda value, _: value), _Unit(lambda value, _: int(value))
_DEGREES, _METRES = (
    _Unit(lambda value, _: math.radians(value), math.degrees),
    _Unit(lambda value, unit: value * unit),
)


class _Row(NamedTuple):
    """A leaf of <sensor>, and the fields of the model that it says for these kinds. Its `numbers`
    are one for each field, or all for the one field; 0: any count, None: a text."""

    path: str
    fields: tuple[str, ...]
    kinds: Collection[SensorKind]
    numbers: int | None = 1
    unit: _Unit = _PLAIN

    def values(self, text: str, unit: float) -> Sequence[object] | None:
        """Of the fields; None for a text that does not say them."""
        if self.numbers is None:
            return (text,)
        told = _numbers(text)
        if not told or self.numbers not in (0, len(told)):
            return None
        read = tuple(self.unit.read(value, unit) for value in told)
        return read if len(self.fields) == self.numbers else (read,)

    def text(self, values: Sequence[Any]) -> str:
        """Of the values of the fields."""
        if self.numbers is None:
            return str(values[0])
        return format_xml_numbers(
            [self.unit.write(v) for v in (values if len(values) == self.numbers else values[0])]
        )


_CAMERAS, _IMUS = (SensorKind.CAMERA,), (SensorKind.IMU,)
_LASERS = (SensorKind.LASER_2D, SensorKind.LASER_3D, SensorKind.FLASH_LASER)
_NEAREST, _FARTHEST = "ray.min_range", "ray.max_range"
_FIRST, _LAST = "ray.horizontal.min_angle", "ray.horizontal.max_angle"
_TABLE = (
    _Row(
        "image_dimensions",
        ("camera.width", "camera.height", "camera.channels"),
        _CAMERAS,
        3,
        _WHOLE,
    ),
    _Row("format", ("camera.format",), _CAMERAS, None),
    _Row("intrinsic", ("camera.intrinsic",), _CAMERAS, 6),
    _Row("distortion", ("camera.distortion",), _CAMERAS, 0),
    _Row("angle_range", (_FIRST, _LAST), _LASERS, 2, _DEGREES),
    _Row("distance_range", (_NEAREST, _FARTHEST), _LASERS, 2, _METRES),
    _Row("angle_increment", ("ray.horizontal.increment",), _LASERS, 1, _DEGREES),
    _Row("time_increment", ("ray.time_increment",), _LASERS),
    _Row("measurement_time", ("measurement_time",), tuple(SensorKind)),
    _Row("rotation_covariance", ("imu.rotation",), _IMUS, 9),
    _Row("angular_velocity_covariance", ("imu.angular_velocity",), _IMUS, 9),
    _Row("linear_acceleration_covariance", ("imu.linear_acceleration",), _IMUS, 9),
)
#: The example of the document says them one by one.
_ONE_BY_ONE = (
    _Row("angle_min", (_FIRST,), _LASERS, 1, _DEGREES),
    _Row("angle_max", (_LAST,), _LASERS, 1, _DEGREES),
    _Row("range_min", (_NEAREST,), _LASERS, 1, _METRES),
    _Row("range_max", (_FARTHEST,), _LASERS, 1, _METRES),
)


def read_collada_sensor(
    element: XmlElement, unit: float, names: Mapping[str, str] | None = None
) -> Sensor:
    """A <sensor> without name and place; `names`: id of the library -> name of the sensor (for
    stereo cameras).

    Raises ValueError for one that is nested deeper than any description of a sensor.
    """
    left = dict(_leaves(element))
    sensor = Sensor("", element.get("type") or "", id=element.get("id"))
    values: dict[str, Any] = {}
    for row in (*_TABLE, *_ONE_BY_ONE):
        if sensor.kind in row.kinds and row.path in left and not values.keys() & set(row.fields):
            told = row.values(left[row.path], unit)
            if told is not None:
                del left[row.path]
                values |= zip(row.fields, told, strict=True)
    sensor = replace(sensor, **with_objects(values))
    if sensor.kind is SensorKind.STEREO_CAMERA:
        sensor = replace(sensor, eyes=tuple(_eyes(element, names or {})))
    elif sensor.kind is SensorKind.ODOMETRY:
        sensor = replace(sensor, target=left.pop("target", None))
    for path in ("interface_type/technique", "interface_type"):
        if f"{path}/interface" in left:
            interface, plugin = (left.pop(f"{path}/{key}", None) for key in ("interface", "plugin"))
            sensor = replace(sensor, interface=interface, plugin=plugin)
            left.pop("interface_type/technique/@profile", None)
    return replace(sensor, parameters=FrozenDict(left))


def build_collada_sensor(
    sensor: Sensor, identifier: str, ids: Mapping[str, str] | None = None
) -> E:
    """<sensor>; `ids`: name of a sensor -> its id in the library (for stereo cameras). Lengths in
    metres.

    Raises ValueError for what OpenRAVE has no type for.
    """
    kind = sensor.openrave_type
    if kind is None:
        raise ValueError(f"OpenRAVE has no type for a {sensor.kind}")
    rows = ((row, [_written(sensor, field) for field in row.fields]) for row in _TABLE)
    parts = [
        build_piece(row.path, text=row.text(values)) for row, values in rows if None not in values
    ]
    for eye in sensor.eyes:
        inner = (
            ()
            if eye.rectification is None
            else (build_piece("rectification", text=format_xml_numbers(eye.rectification)),)
        )
        parts.append(
            build_piece(
                "instance_sensor", *inner, url=f"#{(ids or {}).get(eye.sensor, eye.sensor)}"
            )
        )
    if sensor.target is not None:
        parts.append(build_piece("target", text=sensor.target))
    if sensor.type == kind:
        parts += fresh(
            "sensor", {k: v for k, v in sensor.parameters.items() if not k.startswith("@")}
        ).children
    if sensor.interface is not None:
        told = [build_piece("interface", text=sensor.interface)]
        told += [] if sensor.plugin is None else [build_piece("plugin", text=sensor.plugin)]
        technique = build_piece("technique", *told, profile="OpenRAVE")
        parts.append(build_piece("interface_type", technique))
    return build_piece("sensor", *parts, type=kind, id=identifier)


def _written(sensor: Sensor, field: str) -> Any:
    """The value of a field; where there is none, what others say of it."""
    value = get_sensor_field(sensor, field)
    if value is not None:
        return value
    if field == "camera.intrinsic" and sensor.camera is not None:
        return sensor.camera.matrix()
    if (
        field == "ray.horizontal.increment"
        and sensor.ray is not None
        and sensor.ray.horizontal is not None
    ):
        return _increment(sensor.ray.horizontal)
    if field == "measurement_time" and sensor.update_rate:
        return 1 / sensor.update_rate
    return 3 if field == "camera.channels" else None


def _increment(scan: Scan) -> float | None:
    if scan.samples is None or scan.samples < 2 or scan.min_angle is None or scan.max_angle is None:
        return None
    return (scan.max_angle - scan.min_angle) / (scan.samples - 1)


def _leaves(element: XmlElement, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Path -> text, attributes as `@name`, the second of two elements of one tag as `tag[2]`."""
    if depth > _DEEPEST:
        raise ValueError(f"its elements are nested more than {_DEEPEST} deep")
    counts: dict[str, int] = {}
    for child in element.children:
        if not path and child.tag == "instance_sensor":
            continue
        counts[child.tag] = counts.get(child.tag, 0) + 1
        leaf_path = path + child.tag + (f"[{counts[child.tag]}]" if counts[child.tag] > 1 else "")
        inner = child
        if (
            len(child.children) == 1
            and child.children[0].tag in _WRAPPERS
            and not child.children[0].children
        ):
            inner = child.children[0]
        for attribute in child.attributes:
            yield f"{leaf_path}/@{attribute.name}", attribute.value
        if inner.children:
            yield from _leaves(child, f"{leaf_path}/", depth + 1)
        else:
            yield leaf_path, " ".join(inner.text.split())


def _eyes(element: XmlElement, names: Mapping[str, str]) -> Iterator[StereoEye]:
    for instance in element.all("instance_sensor"):
        identifier = (instance.get("url") or "").rpartition("#")[2]
        homography = instance.child("rectification")
        inner = " ".join(e.text for e in homography.walk()) if homography is not None else ""
        values = _numbers(inner)
        matrix = cast(Matrix3, values) if values and len(values) == 9 else None
        yield StereoEye(names.get(identifier, identifier), matrix)


def _numbers(text: str) -> tuple[float, ...] | None:
    """All of a text, or None when part of it is no finite number."""
    values = floats(text)
    pieces = text.split()
    if len(values) != len(pieces) or any(
        p.lower().lstrip("+-").startswith(("inf", "nan")) for p in pieces
    ):
        return None
    return tuple(values)
