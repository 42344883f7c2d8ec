"""Sensors of the robot, also those within Gazebo's extension: where they sit, and the values that
they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt

from editor_app.core.document.commands.field_paths import Path, get_field, with_field
from editor_app.core.document.commands.fields import OfSensor
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.urdf_texts import DeleteSensors, SetSensor
from editor_app.core.document.selection import Selection
from editor_app.core.formats.urdf.sensors import PlacedSensor, list_sensors
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.sensors import OPENRAVE_TYPES, URDF_TYPES, Sensor, SensorKind
from editor_app.window.bindings.forms import ChoiceField, Field, Text, field_column
from editor_app.window.bindings.panel import NewItemField, heading, muted_label, row_of, tool_button
from editor_app.window.bindings.quantity import ANGLE, LENGTH, NUMBER, Quantity
from editor_app.window.bindings.rows_model import Column
from editor_app.window.srdf.panel import list_link_names
from editor_app.window.urdf.panel import LockingPanel

#: Offered for a new sensor; any other text can be typed afterwards.
_TYPES = (
    "camera",
    "depth",
    "ray",
    "imu",
    "force_torque",
    "contact",
    "gps",
    "magnetometer",
    "sonar",
    *OPENRAVE_TYPES,
)


@dataclass(frozen=True, slots=True)
class _Row:
    placed: PlacedSensor
    feature: RobotFeature


class SensorsPanel(LockingPanel):
    """A row per sensor above, the values of the chosen one below."""

    purpose = "Cameras, scanners and other sensors."

    def build(self) -> None:
        def column(row: Field, **looks: Any) -> Column[_Row]:
            return field_column(
                row,
                lambda r: OfSensor(r.placed.place, r.placed.sensor.name),
                thing=lambda r: r.placed.sensor,
                robot=lambda: self.robot,
                **looks,
            )

        columns = [
            column(Text("Sensor", "name", title="Edit sensor {value}"), stretch=True),
            column(
                Text("Type", "type", title="Edit sensor {name}"),
                note=lambda r: str(r.placed.sensor.kind),
                problem=_odd_type,
            ),
            # The link that it sits on, also where the file says so by a joint or by the element
            # around it.
            replace(
                column(
                    ChoiceField("On link", "parent", list_link_names, title="Edit sensor {name}"),
                    problem=lambda r: (
                        None
                        if r.placed.link in list_link_names(self.robot)
                        else "This link does not exist."
                    ),
                    note=lambda r: (
                        ""
                        if r.placed.place.extension is None
                        else "Defined in an extension of the link."
                    ),
                    stretch=True,
                ),
                read=lambda r: r.placed.link,
            ),
        ]
        self.view = self.table(
            "Sensors",
            columns,
            self._rows,
            delete=lambda rows: DeleteSensors(tuple(row.placed.place for row in rows)),
            chosen=lambda rows: Selection(features=tuple(row.feature for row in rows)),
            feature=lambda row: row.feature,
            leads=True,
        )
        needs = "A sensor needs a name, a type and a link."
        entries = (
            NewItemField("Name of a new sensor", "New sensor…", missing=needs),
            NewItemField(
                "Type of a new sensor",
                "",
                "type",
                lambda robot: _TYPES,
                needs,
                stays=True,
                starts=True,
            ),
            NewItemField(
                "Link of a new sensor", "Link…", "link", list_link_names, needs, stays=True
            ),
        )
        add = tool_button("plus", "Add", name="Add sensor")
        self.name, self.type, self.link = self.entries(entries, self._add, add)
        self.under(self.view, row_of(self.name, self.type))
        self.put(row_of(self.link, add))
        self.title = self.put(heading(""))
        values: list[Column[_Value]] = [
            Column("Value", "label", note=lambda v: v.note, stretch=True),
            Column("", "shown", write=self._write, quantity=lambda v: v.quantity, stretch=True),
        ]
        self.values = self.table(
            "Values of the sensor", values, self._values, delete=self._clear, most_rows=14
        )
        self.hint = self.put(
            muted_label(
                "Delete removes a value. Gazebo cameras look along x, URDF cameras along z."
            )
        )
        self.bind(self._show_details)
        self.session.selection_changed.connect(self._offer_link)

    @property
    def chosen(self) -> PlacedSensor | None:
        """The sensor of the chosen row."""
        return self.view.chosen[-1].placed if self.view.chosen else None

    # -- what is shown

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        seen: Counter[str] = Counter()
        rows = []
        for placed in list_sensors(robot.urdf):
            name = placed.sensor.name
            rows.append(_Row(placed, RobotFeature(FeatureKind.SENSOR, name, number=seen[name])))
            seen[name] += 1
        return rows

    def _values(self, robot: RobotDescription) -> list[_Value]:
        return _values_of(self.chosen.sensor) if self.chosen is not None else []

    def _show_details(self, robot: RobotDescription) -> None:
        wanted = self.session.selection.links[-1:]
        if wanted and wanted[0] in list_link_names(robot):
            self.link.set_value(wanted[0], "Link…")
        placed = self.chosen
        for widget in (self.title, self.values, self.hint):
            widget.setVisible(placed is not None)
        if placed is not None:
            self.title.setText(f"{placed.sensor.name}: {placed.sensor.kind}")

    def _offer_link(self, selection: Selection) -> None:
        if self.isVisible() and selection.links:
            self._show_details(self.robot)

    # -- changes

    def _write(self, cells: list[tuple[_Value, Any]]) -> Change:
        if self.chosen is None:
            raise CannotApply("Select a sensor first.")
        value, entry = cells[0]
        label = f"Edit {value.label.split(' /')[0].lower()} of the sensor"
        return SetSensor(self.chosen.place, value.written(self.chosen.sensor, entry), label)

    def _clear(self, rows: list[_Value]) -> Change | None:
        if self.chosen is None:
            return None
        sensor = self.chosen.sensor
        for value in rows:
            sensor = value.written(sensor, None)
        return SetSensor(self.chosen.place, sensor, f"Remove values of sensor {sensor.name}")

    def ask_for(self, link: str) -> None:
        """A new sensor on that link: its name is typed next."""
        self.link.set_value(link)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add(self, name: str, kind: str, link: str) -> bool:
        if not self.execute(InsertItem("urdf.sensors", Sensor(name, kind, link))):
            return False
        self.view.select_row(
            next(
                i for i, r in enumerate(self.view.rows_model.items) if r.placed.sensor.name == name
            )
        )
        return True


def _odd_type(row: _Row) -> str | None:
    kind = row.placed.sensor.type
    is_usual = not kind or kind in URDF_TYPES or kind in OPENRAVE_TYPES
    return None if is_usual else "Unknown in URDF, SDF and COLLADA."


# -- the values of a sensor


@dataclass(frozen=True, slots=True)
class _Value:
    """One value, at `path` of a sensor. `quantity` is None for a text.

    `read(label, entry)` makes what the sensor has of what is typed; of nothing, None. It raises
    CannotApply.
    """

    label: str
    path: Path
    quantity: Quantity | None
    read: Callable[[str, Any], Any]
    #: As a cell of the table has it.
    shown: Any = None

    @property
    def note(self) -> str:
        if isinstance(self.path, tuple):
            return "Path in the file"
        return "" if self.path.startswith("origin.") else self.path

    def written(self, sensor: Sensor, entry: Any) -> Sensor:
        """The sensor with the value that was typed; None takes it away. Raises CannotApply."""
        changed: Sensor = with_field(sensor, self.path, self.read(self.label, entry))
        return changed


def _number(label: str, entry: Any) -> Any:
    return entry


def _place(label: str, entry: Any) -> float:
    # A number of a pose that is taken away is 0.
    return float(entry or 0.0)


def _text(label: str, entry: Any) -> str | None:
    return str(entry).strip() or None if entry is not None else None


def _parameter(label: str, entry: Any) -> str | None:
    return str(entry).strip() if entry is not None else None


def _whole(label: str, entry: Any) -> int | None:
    if entry is not None and (entry != int(entry) or entry < 0):
        raise CannotApply(f"{label.split(' /')[0]}: enter a whole number, not {entry:g}.")
    return None if entry is None else int(entry)


def _numbers(label: str, entry: Any, count: int | None = None) -> tuple[float, ...] | None:
    try:
        values = tuple(float(v) for v in str(entry or "").replace(",", " ").split())
    except ValueError:
        raise CannotApply(f"{label}: enter numbers separated by spaces.") from None
    if values and count is not None and len(values) != count:
        raise CannotApply(f"{label}: enter {count} numbers, not {len(values)}.")
    return values or None


_CAMERAS = (
    SensorKind.CAMERA,
    SensorKind.DEPTH_CAMERA,
    SensorKind.STEREO_CAMERA,
    SensorKind.FLASH_LASER,
)
_RAYS = (SensorKind.LASER_2D, SensorKind.LASER_3D, SensorKind.SONAR)
_POSE = (
    *(_Value(name, f"origin.xyz.{i}", LENGTH, _place) for i, name in enumerate("xyz")),
    *(
        _Value(name, f"origin.rpy.{i}", ANGLE, _place)
        for i, name in enumerate(("Roll", "Pitch", "Yaw"))
    ),
    _Value("Update rate / Hz", "update_rate", NUMBER, _number),
)
_CAMERA = (
    _Value("Image width / px", "camera.width", NUMBER, _whole),
    _Value("Image height / px", "camera.height", NUMBER, _whole),
    _Value("Angle of view", "camera.hfov", ANGLE, _number),
    _Value("Nearest", "camera.near", LENGTH, _number),
    _Value("Farthest", "camera.far", LENGTH, _number),
    _Value("Format", "camera.format", None, _text),
    _Value("Intrinsic matrix", "camera.intrinsic", None, partial(_numbers, count=6)),
    _Value("Distortion", "camera.distortion", None, _numbers),
)
_RAY = (
    _Value("Rays", "ray.horizontal.samples", NUMBER, _whole),
    _Value("From angle", "ray.horizontal.min_angle", ANGLE, _number),
    _Value("To angle", "ray.horizontal.max_angle", ANGLE, _number),
    _Value("Nearest", "ray.min_range", LENGTH, _number),
    _Value("Farthest", "ray.max_range", LENGTH, _number),
    _Value("Resolution", "ray.range_resolution", LENGTH, _number),
)
_PLANES = (
    _Value("Planes", "ray.vertical.samples", NUMBER, _whole),
    _Value("Lowest plane", "ray.vertical.min_angle", ANGLE, _number),
    _Value("Highest plane", "ray.vertical.max_angle", ANGLE, _number),
)
#: Shown only where the file has them.
_RARE = (
    _Value("OpenRAVE interface", "interface", None, _text),
    _Value("OpenRAVE plugin", "plugin", None, _text),
    _Value("COLLADA id", "id", None, _text),
)


def _values_of(sensor: Sensor) -> list[_Value]:
    """Place, rate, and what a sensor of its kind has; then all other parameters of the file, by
    their paths."""
    values = [*_POSE]
    if sensor.measurement_time is not None:
        values.append(_Value("Time of a measurement / s", "measurement_time", NUMBER, _number))
    if sensor.kind in _CAMERAS or sensor.camera is not None:
        values += _CAMERA
    if sensor.kind in _RAYS or sensor.ray is not None:
        values += _RAY
        if sensor.kind is not SensorKind.LASER_2D or (
            sensor.ray is not None and sensor.ray.vertical is not None
        ):
            values += _PLANES
    if sensor.kind is SensorKind.ODOMETRY:
        values.append(_Value("Follows", "target", None, _text))
    values += [value for value in _RARE if get_field(sensor, value.path) is not None]
    values += [_Value(path, ("parameters", path), None, _parameter) for path in sensor.parameters]
    return [replace(value, shown=_shown(get_field(sensor, value.path))) for value in values]


def _shown(value: Any) -> Any:
    return " ".join(f"{number:g}" for number in value) if isinstance(value, tuple) else value
