"""Sensors of OpenRAVE's extension: <sensor> of a library and where it is attached -> the common model, and back.

What the model has no field for stands in its `parameters`, by path below <sensor>, and is written back from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from editor_app.formats.foreign.collada.transforms import floats
from editor_app.formats.xml import NewElement, XmlElement
from editor_app.formats.xml.morph import numbers_text
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
    kind = Sensor("", element.get("type") or "").kind
    leaves = dict(_leaves(element))
    sensor = Sensor("", element.get("type") or "", id=element.get("id"))

    def take(path: str, count: int | None = None) -> list[float] | None:
        values = _numbers(leaves.get(path, ""))
        if values is None or not values or (count is not None and len(values) != count):
            return None
        del leaves[path]
        return values

    def one(path: str) -> float | None:
        values = take(path, 1)
        return None if values is None else values[0]

    sensor = replace(sensor, measurement_time=one("measurement_time"))
    if kind is SensorKind.CAMERA:
        size, intrinsic, distortion = take("image_dimensions", 3), take("intrinsic", 6), take("distortion")
        width, height, channels = (int(v) for v in size) if size is not None else (None, None, None)
        matrix: Intrinsic | None = None
        if intrinsic is not None:
            a, b, c, d, e, f = intrinsic
            matrix = (a, b, c, d, e, f)
        camera = Camera(
            width,
            height,
            channels,
            leaves.pop("format", None),
            intrinsic=matrix,
            distortion=tuple(distortion) if distortion is not None else None,
        )
        sensor = replace(sensor, camera=camera if camera != Camera() else None)
    elif kind in _LASERS:
        angles, distances = take("angle_range", 2), take("distance_range", 2)
        # The example of the document says them one by one.
        low, high = angles if angles is not None else (one("angle_min"), one("angle_max"))
        near, far = distances if distances is not None else (one("range_min"), one("range_max"))
        step = one("angle_increment")
        scan = Scan(None, None, _radians(low), _radians(high), _radians(step))
        ray = Ray(
            scan if scan != Scan() else None,
            None,
            None if near is None else near * unit,
            None if far is None else far * unit,
            None,
            one("time_increment"),
        )
        sensor = replace(sensor, ray=ray if ray != Ray() else None)
    elif kind is SensorKind.IMU:
        imu = Imu(*(_matrix(take(path, 9)) for path in _COVARIANCES))
        sensor = replace(sensor, imu=imu if imu != Imu() else None)
    elif kind is SensorKind.STEREO_CAMERA:
        sensor = replace(sensor, eyes=tuple(_eyes(element, leaves, names or {})))
    elif kind is SensorKind.ODOMETRY:
        sensor = replace(sensor, target=leaves.pop("target", None))
    for path in ("interface_type/technique", "interface_type"):
        if f"{path}/interface" in leaves:
            sensor = replace(
                sensor, interface=leaves.pop(f"{path}/interface"), plugin=leaves.pop(f"{path}/plugin", None)
            )
            leaves.pop("interface_type/technique/@profile", None)
    return replace(sensor, parameters=FrozenDict(leaves))


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
    parts: list[E] = []

    def add(tag: str, values: tuple[float, ...] | None) -> None:
        if values is not None:
            parts.append(E(tag, text=numbers_text(values)))

    camera, ray, imu = sensor.camera, sensor.ray, sensor.imu
    if camera is not None:
        if camera.width is not None and camera.height is not None:
            channels = 3 if camera.channels is None else camera.channels
            add("image_dimensions", (camera.width, camera.height, channels))
        if camera.format is not None:
            parts.append(E("format", text=camera.format))
    time = sensor.measurement_time
    if time is None and sensor.update_rate:
        time = 1 / sensor.update_rate
    if camera is not None:
        add("intrinsic", camera.matrix())
        add("distortion", camera.distortion)
    if ray is not None:
        for tag, values in _ray_values(ray):
            add(tag, values)
    add("measurement_time", None if time is None else (time,))
    for tag, values in zip(
        _COVARIANCES, (imu.rotation, imu.angular_velocity, imu.linear_acceleration) if imu else (None,) * 3, strict=True
    ):
        add(tag, values)
    for eye in sensor.eyes:
        inner = () if eye.rectification is None else (E("rectification", text=numbers_text(eye.rectification)),)
        parts.append(E("instance_sensor", (("url", f"#{(ids or {}).get(eye.sensor, eye.sensor)}"),), inner))
    if sensor.target is not None:
        parts.append(E("target", text=sensor.target))
    parts += _parameters({k: v for k, v in sensor.parameters.items() if sensor.type == kind})
    if sensor.interface is not None:
        told = [E("interface", text=sensor.interface)]
        told += [] if sensor.plugin is None else [E("plugin", text=sensor.plugin)]
        technique = E("technique", (("profile", "OpenRAVE"),), tuple(told))
        parts.append(E("interface_type", children=(technique,)))
    return E("sensor", (("type", kind), ("id", identifier)), tuple(parts))


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


def _parameters(leaves: Mapping[str, str]) -> list[E]:
    """The inverse of `_leaves`."""
    order: list[str] = []
    below: dict[str, dict[str, str]] = {}
    for path, text in leaves.items():
        head, _, rest = path.partition("/")
        if head.startswith("@"):
            continue
        if head not in below:
            order.append(head)
        below.setdefault(head, {})[rest] = text
    elements = []
    for head in order:
        inner = below[head]
        attributes = tuple((k[1:], v) for k, v in inner.items() if k.startswith("@") and "/" not in k)
        deeper = {k: v for k, v in inner.items() if k and not k.startswith("@")}
        text = "" if deeper else inner.get("", "")
        elements.append(E(head.partition("[")[0], attributes, tuple(_parameters(deeper)), text))
    return elements


def _eyes(element: XmlElement, leaves: dict[str, str], names: Mapping[str, str]) -> Iterator[StereoEye]:
    for instance in element.all("instance_sensor"):
        identifier = (instance.get("url") or "").rpartition("#")[2]
        homography = instance.child("rectification")
        inner = " ".join(e.text for e in homography.walk()) if homography is not None else ""
        values = _numbers(inner)
        yield StereoEye(names.get(identifier, identifier), _matrix(values if values and len(values) == 9 else None))


def _matrix(values: list[float] | None) -> Matrix3 | None:
    if values is None:
        return None
    a, b, c, d, e, f, g, h, i = values
    return a, b, c, d, e, f, g, h, i


def _numbers(text: str) -> list[float] | None:
    """All of a text, or None when part of it is no finite number."""
    values = floats(text)
    pieces = text.split()
    if len(values) != len(pieces) or any(p.lower().lstrip("+-").startswith(("inf", "nan")) for p in pieces):
        return None
    return values


def _radians(value: float | None) -> float | None:
    return None if value is None else math.radians(value)
