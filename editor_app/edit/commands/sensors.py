"""Edits of sensors, wherever in the URDF they stand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.edit.commands.tools import named, refuse_not_finite
from editor_app.formats.source import FormatError
from editor_app.formats.urdf.sensors import SensorPlace, sensors_of, with_sensor
from editor_app.model.change import CannotApply, Label
from editor_app.model.robot import RobotDescription
from editor_app.model.sensors import Sensor


@dataclass(frozen=True, slots=True)
class AddSensor:
    """Adds a sensor to the robot, as an element of its own."""

    sensor: Sensor
    label = Label("Add sensor {sensor.name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        sensor, urdf = self.sensor, robot.urdf
        named(sensor.name, "A sensor")
        if any(s.name == sensor.name for s in urdf.sensors):
            raise CannotApply(f"There is a sensor {sensor.name!r} already.")
        if urdf.link(sensor.parent) is None:
            raise CannotApply(f"There is no link {sensor.parent!r}.")
        refuse_not_finite(sensor, None, f"sensor {sensor.name}")
        return robot.with_urdf(replace(urdf, sensors=(*urdf.sensors, sensor)))


@dataclass(frozen=True, slots=True)
class SetSensor:
    """Gives a sensor other values. Within Gazebo's extension, its link is that of the element around it."""

    place: SensorPlace
    sensor: Sensor
    label: str = "Edit sensor"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = next((p for p in sensors_of(robot.urdf) if p.place == self.place), None)
        if old is None:
            raise CannotApply("There is no such sensor.")
        if self.sensor == old.sensor:
            return robot
        if self.sensor.name != old.sensor.name:
            named(self.sensor.name, "A sensor")
            if self.place.extension is None and any(s.name == self.sensor.name for s in robot.urdf.sensors):
                raise CannotApply(f"There is a sensor {self.sensor.name!r} already.")
        if self.sensor.parent != old.sensor.parent:
            if self.place.extension is not None:
                raise CannotApply("This sensor stands within an extension of its link, and cannot leave it here.")
            if robot.urdf.link(self.sensor.parent) is None:
                raise CannotApply(f"There is no link {self.sensor.parent!r}.")
        refuse_not_finite(self.sensor, old.sensor, f"sensor {self.sensor.name}")
        try:
            urdf = with_sensor(robot.urdf, self.place, self.sensor)
        except (ValueError, FormatError) as error:
            raise CannotApply(str(error)) from None
        return robot.with_urdf(urdf)


@dataclass(frozen=True, slots=True)
class DeleteSensors:
    """Deletes sensors."""

    places: tuple[SensorPlace, ...]
    label = Label("Delete {places:sensor}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf = robot.urdf
        # From the last on, so that the places of the others stay.
        for place in sorted(self.places, key=lambda p: -p.index):
            try:
                urdf = with_sensor(urdf, place, None)
            except (ValueError, FormatError) as error:
                raise CannotApply(str(error)) from None
        return robot if urdf is robot.urdf else robot.with_urdf(urdf)
