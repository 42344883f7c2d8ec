"""The values of a sensor as rows: what a sensor of its kind can have, and all that its file says beyond that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from editor_app.edit.commands.fields import field_of, with_field
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER, Quantity
from editor_app.model.change import CannotApply
from editor_app.model.sensors import Sensor, SensorKind

_CAMERAS = (SensorKind.CAMERA, SensorKind.DEPTH_CAMERA, SensorKind.STEREO_CAMERA, SensorKind.FLASH_LASER)
_RAYS = (SensorKind.LASER_2D, SensorKind.LASER_3D, SensorKind.SONAR)


@dataclass(frozen=True, slots=True)
class ValueRow:
    """`quantity` is None for a text. `with_value` gives the sensor with another value; None takes it away."""

    label: str
    value: Any
    quantity: Quantity | None
    with_value: Callable[[Any], Sensor]
    note: str = ""


def value_rows(sensor: Sensor) -> list[ValueRow]:
    """Place, rate, and what a sensor of its kind has; then all other parameters of the file, by their paths."""
    names = (*"xyz", "Roll", "Pitch", "Yaw")
    rows = [_pose(sensor, name, f"origin.{'xyz' if i < 3 else 'rpy'}.{i % 3}") for i, name in enumerate(names)]
    rows = [*rows, _field(sensor, "Update rate / Hz", "update_rate", NUMBER)]
    if sensor.measurement_time is not None:
        rows.append(_field(sensor, "Time of a measurement / s", "measurement_time", NUMBER))
    if sensor.kind in _CAMERAS or sensor.camera is not None:
        rows += [
            _whole(sensor, "Image width / px", "camera.width"),
            _whole(sensor, "Image height / px", "camera.height"),
            _field(sensor, "Angle of view", "camera.hfov", ANGLE),
            _field(sensor, "Nearest", "camera.near", LENGTH),
            _field(sensor, "Farthest", "camera.far", LENGTH),
            _field(sensor, "Format", "camera.format", None),
            _numbers(sensor, "Intrinsic matrix", "camera.intrinsic", 6),
            _numbers(sensor, "Distortion", "camera.distortion", None),
        ]
    if sensor.kind in _RAYS or sensor.ray is not None:
        rows += [
            _whole(sensor, "Rays", "ray.horizontal.samples"),
            _field(sensor, "From angle", "ray.horizontal.min_angle", ANGLE),
            _field(sensor, "To angle", "ray.horizontal.max_angle", ANGLE),
            _field(sensor, "Nearest", "ray.min_range", LENGTH),
            _field(sensor, "Farthest", "ray.max_range", LENGTH),
            _field(sensor, "Resolution", "ray.range_resolution", LENGTH),
        ]
        if sensor.kind is not SensorKind.LASER_2D or (sensor.ray is not None and sensor.ray.vertical is not None):
            rows += [
                _whole(sensor, "Planes", "ray.vertical.samples"),
                _field(sensor, "Lowest plane", "ray.vertical.min_angle", ANGLE),
                _field(sensor, "Highest plane", "ray.vertical.max_angle", ANGLE),
            ]
    if sensor.kind is SensorKind.ODOMETRY:
        rows.append(_field(sensor, "Follows", "target", None))
    for name, label in (("interface", "OpenRAVE interface"), ("plugin", "OpenRAVE plugin"), ("id", "COLLADA id")):
        if getattr(sensor, name) is not None:
            rows.append(_field(sensor, label, name, None))
    return [*rows, *(_parameter(sensor, path) for path in sensor.parameters)]


def _pose(sensor: Sensor, label: str, path: str) -> ValueRow:
    quantity = ANGLE if "rpy" in path else LENGTH
    # A number of a pose that is taken away is 0.
    return ValueRow(
        label, field_of(sensor, path), quantity, lambda value: with_field(sensor, path, float(value or 0.0))
    )


def _field(sensor: Sensor, label: str, path: str, quantity: Quantity | None) -> ValueRow:
    def write(value: Any) -> Sensor:
        text = value if quantity is not None else (str(value).strip() if value is not None else None)
        changed: Sensor = with_field(sensor, path, text if text != "" else None)
        return changed

    return ValueRow(label, field_of(sensor, path), quantity, write, path)


def _whole(sensor: Sensor, label: str, path: str) -> ValueRow:
    def write(value: Any) -> Sensor:
        if value is not None and (value != int(value) or value < 0):
            raise CannotApply(f"{label.split(' /')[0]}: a whole number is needed, not {value:g}.")
        changed: Sensor = with_field(sensor, path, None if value is None else int(value))
        return changed

    return ValueRow(label, field_of(sensor, path), NUMBER, write, path)


def _numbers(sensor: Sensor, label: str, path: str, count: int | None) -> ValueRow:
    present = field_of(sensor, path)

    def write(value: Any) -> Sensor:
        try:
            values = tuple(float(v) for v in str(value or "").replace(",", " ").split())
        except ValueError:
            raise CannotApply(f"{label}: numbers are needed, with blanks between them.") from None
        if values and count is not None and len(values) != count:
            raise CannotApply(f"{label}: {count} numbers are needed, not {len(values)}.")
        changed: Sensor = with_field(sensor, path, values or None)
        return changed

    return ValueRow(label, None if present is None else " ".join(f"{v:g}" for v in present), None, write, path)


def _parameter(sensor: Sensor, path: str) -> ValueRow:
    def write(value: Any) -> Sensor:
        changed: Sensor = with_field(sensor, ("parameters", path), None if value is None else str(value).strip())
        return changed

    return ValueRow(path, sensor.parameters[path], None, write, "As it stands in the file, by its path")
