"""Sensors of OpenRAVE's extension: <sensor> of a library and where it is attached -> the common model, and back.

What the model has no field for stands in its `parameters`, by path below <sensor>, and is written back from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from editor_app.formats.foreign.collada.transforms import floats
from editor_app.formats.urdf.sensor_table import fresh
from editor_app.formats.xml.document import XmlElement
from editor_app.formats.xml.morph import numbers_text, piece
from editor_app.formats.xml.splices import NewElement
from editor_app.model.frozen import FrozenDict
from editor_app.model.sensors import Camera, Imu, Intrinsic, Matrix3, Ray, Scan, Sensor, SensorKind, StereoEye

E = NewElement
#: Elements below each other in a <sensor>.
_DEEPEST = 50
_COVARIANCES = ("rotation_covariance", "angular_velocity_covariance", "linear_acceleration_covariance")
_LASERS = (SensorKind.LASER_2D, SensorKind.LASER_3D, SensorKind.FLASH_LASER)
#: Wrappers of a plain value, which the documents use and leave out at will.
_WRAPPERS = ("float", "int", "bool", "string", "float2", "float3", "int3", "float2x3", "float3x3")


def read_sensor(element: XmlElement, unit: float, names: Mapping[str, str] | None = None) -> Sensor:
    """A <sensor> without name and place; `names`: id of the library -> name of the sensor (for stereo cameras).

    Raises ValueError for one that is nested deeper than any description of a sensor.
    """
    leaves = _Leaves(element)
    sensor = Sensor("", element.get("type") or "", id=element.get("id"))
    sensor = replace(sensor, measurement_time=leaves.number("measurement_time"))
    kind = sensor.kind
    if kind is SensorKind.CAMERA:
        sensor = replace(sensor, camera=_camera(leaves))
    elif kind in _LASERS:
        sensor = replace(sensor, ray=_ray(leaves, unit))
    elif kind is SensorKind.IMU:
        imu = Imu(*(cast(Matrix3 | None, leaves.numbers(path, 9)) for path in _COVARIANCES))
        sensor = replace(sensor, imu=imu if imu != Imu() else None)
    elif kind is SensorKind.STEREO_CAMERA:
        sensor = replace(sensor, eyes=tuple(_eyes(element, names or {})))
    elif kind is SensorKind.ODOMETRY:
        sensor = replace(sensor, target=leaves.text("target"))
    for path in ("interface_type/technique", "interface_type"):
        if f"{path}/interface" in leaves.left:
            sensor = replace(sensor, interface=leaves.text(f"{path}/interface"), plugin=leaves.text(f"{path}/plugin"))
            leaves.text("interface_type/technique/@profile")
    return replace(sensor, parameters=FrozenDict(leaves.left))


class _Leaves:
    """The values of a <sensor> by path, each taken once; `left` are those that no field of the model has taken."""

    def __init__(self, element: XmlElement) -> None:
        self.left = dict(_leaves(element))

    def text(self, path: str) -> str | None:
        return self.left.pop(path, None)

    def numbers(self, path: str, count: int | None = None) -> tuple[float, ...] | None:
        """Finite numbers, as many as `count`; None, and nothing is taken, when others are there."""
        values = _numbers(self.left.get(path, ""))
        if not values or (count is not None and len(values) != count):
            return None
        del self.left[path]
        return values

    def number(self, path: str) -> float | None:
        values = self.numbers(path, 1)
        return None if values is None else values[0]


def _camera(leaves: _Leaves) -> Camera | None:
    size, intrinsic = leaves.numbers("image_dimensions", 3), leaves.numbers("intrinsic", 6)
    distortion = leaves.numbers("distortion")
    width, height, channels = (int(v) for v in size) if size is not None else (None, None, None)
    camera = Camera(
        width,
        height,
        channels,
        leaves.text("format"),
        intrinsic=cast(Intrinsic | None, intrinsic),
        distortion=distortion,
    )
    return camera if camera != Camera() else None


def _ray(leaves: _Leaves, unit: float) -> Ray | None:
    angles, distances = leaves.numbers("angle_range", 2), leaves.numbers("distance_range", 2)
    # The example of the document says them one by one.
    low, high = angles if angles is not None else (leaves.number("angle_min"), leaves.number("angle_max"))
    near, far = distances if distances is not None else (leaves.number("range_min"), leaves.number("range_max"))
    scan = Scan(None, None, _radians(low), _radians(high), _radians(leaves.number("angle_increment")))
    ray = Ray(
        scan if scan != Scan() else None,
        None,
        None if near is None else near * unit,
        None if far is None else far * unit,
        None,
        leaves.number("time_increment"),
    )
    return ray if ray != Ray() else None


def _ray_values(ray: Ray) -> Iterator[tuple[str, tuple[float, ...] | None]]:
    """(tag, numbers) of a laser; angles in degrees."""
    scan = ray.horizontal or Scan()
    if scan.min_angle is not None and scan.max_angle is not None:
        yield "angle_range", (math.degrees(scan.min_angle), math.degrees(scan.max_angle))
    if ray.min_range is not None and ray.max_range is not None:
        yield "distance_range", (ray.min_range, ray.max_range)
    step = _increment(scan)
    yield "angle_increment", None if step is None else (math.degrees(step),)
    yield "time_increment", None if ray.time_increment is None else (ray.time_increment,)


def sensor_element(sensor: Sensor, identifier: str, ids: Mapping[str, str] | None = None) -> E:
    """<sensor>; `ids`: name of a sensor -> its id in the library (for stereo cameras). Lengths in metres.

    Raises ValueError for what OpenRAVE has no type for.
    """
    kind = sensor.openrave_type
    if kind is None:
        raise ValueError(f"OpenRAVE has no type for a {sensor.kind}")
    camera, ray, imu = sensor.camera or Camera(), sensor.ray or Ray(), sensor.imu or Imu()
    time = sensor.measurement_time
    if time is None and sensor.update_rate:
        time = 1 / sensor.update_rate
    values: tuple[tuple[str, str | tuple[float, ...] | None], ...] = (
        ("image_dimensions", _image_dimensions(camera)),
        ("format", camera.format),
        ("intrinsic", camera.matrix()),
        ("distortion", camera.distortion),
        *_ray_values(ray),
        ("measurement_time", None if time is None else (time,)),
        *zip(_COVARIANCES, (imu.rotation, imu.angular_velocity, imu.linear_acceleration), strict=True),
    )
    parts = [
        piece(tag, text=value if isinstance(value, str) else numbers_text(value))
        for tag, value in values
        if value is not None
    ]
    for eye in sensor.eyes:
        inner = () if eye.rectification is None else (piece("rectification", text=numbers_text(eye.rectification)),)
        parts.append(piece("instance_sensor", *inner, url=f"#{(ids or {}).get(eye.sensor, eye.sensor)}"))
    if sensor.target is not None:
        parts.append(piece("target", text=sensor.target))
    if sensor.type == kind:
        parts += fresh("sensor", {k: v for k, v in sensor.parameters.items() if not k.startswith("@")}).children
    if sensor.interface is not None:
        told = [piece("interface", text=sensor.interface)]
        told += [] if sensor.plugin is None else [piece("plugin", text=sensor.plugin)]
        technique = piece("technique", *told, profile="OpenRAVE")
        parts.append(piece("interface_type", technique))
    return piece("sensor", *parts, type=kind, id=identifier)


def _image_dimensions(camera: Camera) -> tuple[float, ...] | None:
    """Width, height, channels, where the size is known."""
    if camera.width is None or camera.height is None:
        return None
    return camera.width, camera.height, 3 if camera.channels is None else camera.channels


def _increment(scan: Scan) -> float | None:
    if scan.increment is not None:
        return scan.increment
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
        if len(child.children) == 1 and child.children[0].tag in _WRAPPERS and not child.children[0].children:
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
    if len(values) != len(pieces) or any(p.lower().lstrip("+-").startswith(("inf", "nan")) for p in pieces):
        return None
    return tuple(values)


def _radians(value: float | None) -> float | None:
    return None if value is None else math.radians(value)
