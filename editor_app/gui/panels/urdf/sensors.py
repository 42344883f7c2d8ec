"""Sensors of the robot: where they sit, what they see; those within Gazebo's extension too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Qt

from editor_app.edit.commands.fields import OfSensor
from editor_app.edit.commands.sensors import AddSensor, DeleteSensors, SetSensor
from editor_app.edit.selection import Selection
from editor_app.formats.urdf.sensors import PlacedSensor, sensors_of
from editor_app.gui.bindings.forms import Choice, Field, Text, field_column
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import heading, muted_label, row_of, tool_button
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import EntryField
from editor_app.gui.panels.urdf.read_only import LockingPanel
from editor_app.gui.panels.urdf.sensor_values import ValueRow, value_rows
from editor_app.gui.widgets import dress
from editor_app.model.change import CannotApply, Change
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.robot import RobotDescription
from editor_app.model.sensors import OPENRAVE_TYPES, URDF_TYPES, Sensor

#: Offered for a new sensor; any other text can be typed afterwards.
_TYPES = ("camera", "depth", "ray", "imu", "force_torque", "contact", "gps", "magnetometer", "sonar", *OPENRAVE_TYPES)


@dataclass(frozen=True, slots=True)
class _Row:
    placed: PlacedSensor
    feature: Feature


class SensorsPanel(LockingPanel):
    """A row per sensor above, the values of the chosen one below."""

    purpose = "Cameras, scanners and other sensors."

    def build(self) -> None:
        def column(row: Field, **looks: Any) -> Column[_Row]:
            return field_column(
                row,
                lambda r: OfSensor(r.placed.place, r.placed.sensor.name),
                thing=lambda r: r.placed.sensor,
                robot=lambda: self.session.robot,
                **looks,
            )

        columns = [
            column(Text("Sensor", "name", title="Edit sensor {value}"), stretch=True),
            column(
                Text("Type", "type", title="Edit sensor {name}"),
                note=lambda r: str(r.placed.sensor.kind),
                problem=_odd_type,
            ),
            # The link that it sits on, also where the file says so by a joint or by the element around it.
            replace(
                column(
                    Choice("On link", "parent", lambda robot, sensor: self._links(), title="Edit sensor {name}"),
                    problem=lambda r: None if r.placed.link in self._links() else "There is no such link.",
                    note=lambda r: (
                        "" if r.placed.place.extension is None else "Stands within an extension of the link."
                    ),
                    stretch=True,
                ),
                read=lambda r: r.placed.link,
            ),
        ]
        self.view = self.table("Sensors", columns, self._rows, delete=self._delete)
        self.view.rows_selected.connect(self._choose)
        self.name, self.type = EntryField("Name of a new sensor"), NameBox("Type of a new sensor", "type")
        self.link = NameBox("Link of a new sensor", "link")
        self.name.setPlaceholderText("New sensor…")
        self.type.set_choices(_TYPES)
        self.type.set_value("camera")
        self.type.chosen.connect(self.type.set_value)
        for box in (self.type, self.link):
            box.rejected.connect(self.tell)
        self.link.chosen.connect(self.link.set_value)
        self.add = dress(tool_button("plus", "Add"), name="Add sensor", run=self._add)
        self.name.returnPressed.connect(self._add)
        self.body.addWidget(self.under(self.view, row_of(self.name, self.type)))
        self.body.addWidget(row_of(self.link, self.add))
        self.title = heading("")
        self.body.addWidget(self.title)
        values: list[Column[ValueRow]] = [
            Column("Value", lambda r: r.label, note=lambda r: r.note, stretch=True),
            Column(
                "",
                lambda r: r.value,
                write=self._write,
                quantity=_quantity,
                stretch=True,
            ),
        ]
        self.values = self.table("Values of the sensor", values, self._values, delete=self._clear, most_rows=14)
        self.hint = muted_label("Delete takes a value away. Cameras of Gazebo look along x, cameras of URDF along z.")
        self.body.addWidget(self.hint)
        self.bind(self._show_details)
        self.session.selection_changed.connect(self._follow)

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        return (robot.urdf,)

    @property
    def chosen(self) -> PlacedSensor | None:
        """The sensor of the chosen row."""
        rows, items = self.view.selected_rows(), self.view.rows_model.rows
        return items[rows[-1]].placed if rows and rows[-1] < len(items) else None

    # -- what is shown

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        seen: Counter[str] = Counter()
        rows = []
        for placed in sensors_of(robot.urdf):
            name = placed.sensor.name
            rows.append(_Row(placed, Feature(FeatureKind.SENSOR, name, number=seen[name])))
            seen[name] += 1
        return rows

    def _values(self, robot: RobotDescription) -> list[ValueRow]:
        placed = self.chosen
        return value_rows(placed.sensor) if placed is not None else []

    def _links(self) -> list[str]:
        robot = self.session.robot
        return [link.name for link in robot.urdf.links] if robot is not None else []

    def _show_details(self, robot: RobotDescription) -> None:
        self.link.set_choices(self._links())
        wanted = self.session.selection.links[-1:] or ((self.link.value,) if self.link.value else ())
        self.link.set_value(wanted[0] if wanted and wanted[0] in self._links() else None, "Link…")
        placed = self.chosen
        for widget in (self.title, self.values, self.hint):
            widget.setVisible(placed is not None)
        if placed is not None:
            self.title.setText(f"{placed.sensor.name}: {placed.sensor.kind}")

    def _choose(self, rows: tuple[int, ...]) -> None:
        items = self.view.rows_model.rows
        features = tuple(items[i].feature for i in rows if i < len(items))
        if features and features != self.session.selection.features:
            self.session.select(Selection(features=features))
        self.refresh()

    def _follow(self, selection: Selection) -> None:
        if not self.isVisible():
            return
        wanted = [f for f in selection.features if f.kind is FeatureKind.SENSOR]
        place = next((i for i, r in enumerate(self.view.rows_model.rows) if wanted and r.feature == wanted[-1]), None)
        if place is not None and place not in self.view.selected_rows():
            self.view.select_row(place)
        elif selection.links and self.session.robot is not None:
            self._show_details(self.session.robot)

    def update_view(self, robot: RobotDescription) -> None:
        self._follow(self.session.selection)

    # -- changes

    def _write(self, cells: list[tuple[ValueRow, Any]]) -> Change:
        placed = self.chosen
        if placed is None:
            raise CannotApply("Choose a sensor first.")
        row, value = cells[0]
        return SetSensor(placed.place, row.with_value(value), f"Edit {row.label.split(' /')[0].lower()} of the sensor")

    def _clear(self, rows: list[ValueRow]) -> Change | None:
        placed = self.chosen
        if placed is None:
            return None
        sensor, labels = placed.sensor, {row.label for row in rows}
        for label in labels:
            # Each from what the one before it left.
            row = next((r for r in value_rows(sensor) if r.label == label), None)
            sensor = row.with_value(None) if row is not None else sensor
        return SetSensor(placed.place, sensor, f"Remove values of sensor {sensor.name}")

    def _delete(self, rows: list[_Row]) -> Change:
        return DeleteSensors(tuple(row.placed.place for row in rows))

    def ask_for(self, link: str) -> None:
        """A new sensor on that link: its name is typed next."""
        self.link.set_value(link)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add(self) -> None:
        if not (self.type.commit() and self.link.commit()):
            return
        name, kind, link = self.name.text().strip(), self.type.value, self.link.value
        if not name or kind is None or link is None:
            self.tell("A sensor needs a name, a type and the link that it sits on.")
            return
        if self.execute(AddSensor(Sensor(name, kind, link))):
            self.name.clear()
            added = next(i for i, r in enumerate(self.view.rows_model.rows) if r.placed.sensor.name == name)
            self.view.select_row(added)


def _quantity(row: ValueRow) -> Any:
    return row.quantity


def _odd_type(row: _Row) -> str | None:
    kind = row.placed.sensor.type
    return (
        None if not kind or kind in URDF_TYPES or kind in OPENRAVE_TYPES else "No type that URDF, SDF or COLLADA has."
    )
