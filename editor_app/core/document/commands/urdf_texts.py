"""Transmissions and embedded extensions (gazebo, ros2_control, …) as texts, and sensors: changed,
added, removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from editor_app.core.document.commands.tools import (
    check_name,
    get_item,
    get_joint,
    get_link,
    refuse_not_finite,
)
from editor_app.core.document.commands.urdf_parts import replace_urdf, with_joint, with_link
from editor_app.core.formats.urdf.embedded import read_embedded
from editor_app.core.formats.urdf.sensors import SensorPlace, list_sensors, with_sensor
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.urdf import Extension, Transmission
from editor_app.core.text.source import FormatError


class Home(StrEnum):
    """The parent of an embedded element."""

    ROBOT = "robot"
    LINK = "link"
    JOINT = "joint"
    TRANSMISSIONS = "transmissions"


@dataclass(frozen=True, slots=True)
class EmbeddedPlace:
    """The embedded element number `index` of the robot itself, or of the link or joint `name`."""

    home: Home
    index: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class SetEmbedded:
    """Another text for an element; with "" it is removed."""

    place: EmbeddedPlace
    text: str

    @property
    def label(self) -> str:
        element = "transmission" if self.place.home is Home.TRANSMISSIONS else "extension"
        return f"{'Edit' if self.text.strip() else 'Delete'} {element}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        items = _items(robot, self.place)
        old = get_item(items, self.place.index, "element")
        if not self.text.strip():
            return _with(
                robot, self.place, [x for i, x in enumerate(items) if i != self.place.index]
            )
        new = _read(self.text, self.place.home)
        if self.text.strip() == old.text.strip():
            return robot
        if _tag(new) != _tag(old):
            raise CannotApply(
                f"This element is a <{_tag(old)}>. Delete it, then add the <{_tag(new)}>."
            )
        return _with(
            robot, self.place, [new if i == self.place.index else x for i, x in enumerate(items)]
        )


@dataclass(frozen=True, slots=True)
class AddEmbedded:
    """One more element at the end of the robot, a link or a joint."""

    home: Home
    text: str
    name: str = ""

    @property
    def label(self) -> str:
        return "Add transmission" if self.home is Home.TRANSMISSIONS else "Add extension"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        place = EmbeddedPlace(self.home, 0, self.name)
        new, items = _read(self.text, self.home), list(_items(robot, place))
        # Beside its like, where writing puts it too.
        last = max(
            (i for i, item in enumerate(items) if _tag(item) == _tag(new)), default=len(items) - 1
        )
        return _with(robot, place, [*items[: last + 1], new, *items[last + 1 :]])


def _tag(item: Extension | Transmission) -> str:
    return "transmission" if isinstance(item, Transmission) else item.tag


def _read(text: str, home: Home) -> Extension | Transmission:
    try:
        new = read_embedded(text)
    except FormatError as error:
        raise CannotApply(f"{error.message}." + (f" {error.fix}" if error.fix else "")) from None
    if isinstance(new, Transmission) != (home is Home.TRANSMISSIONS):
        wanted = (
            "a <transmission>"
            if home is Home.TRANSMISSIONS
            else "an element other than <transmission>"
        )
        raise CannotApply(f"This must be {wanted}.")
    return new


def _items(robot: RobotDescription, place: EmbeddedPlace) -> Sequence[Any]:
    if place.home is Home.TRANSMISSIONS:
        return robot.urdf.transmissions
    if place.home is Home.ROBOT:
        return robot.urdf.extensions
    return (get_link if place.home is Home.LINK else get_joint)(robot, place.name).extensions


def _with(robot: RobotDescription, place: EmbeddedPlace, items: list[Any]) -> RobotDescription:
    new = tuple(items)
    if place.home is Home.TRANSMISSIONS:
        return replace_urdf(robot, transmissions=new)
    if place.home is Home.ROBOT:
        return replace_urdf(robot, extensions=new)
    if place.home is Home.LINK:
        link = get_link(robot, place.name)
        return with_link(robot, link, replace(link, extensions=new))
    joint = get_joint(robot, place.name)
    return with_joint(robot, joint, replace(joint, extensions=new))


@dataclass(frozen=True, slots=True)
class SetSensor:
    """Gives a sensor other values. Within Gazebo's extension, the element around a sensor names its
    link."""

    place: SensorPlace
    sensor: Sensor
    label: str = "Edit sensor"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = next((p for p in list_sensors(robot.urdf) if p.place == self.place), None)
        if old is None:
            raise CannotApply("The sensor does not exist.")
        if self.sensor == old.sensor:
            return robot
        if self.sensor.name != old.sensor.name:
            check_name(self.sensor.name, "A sensor")
            if self.place.extension is None and any(
                s.name == self.sensor.name for s in robot.urdf.sensors
            ):
                raise CannotApply(f"The sensor {self.sensor.name!r} already exists.")
        if self.sensor.parent != old.sensor.parent:
            if self.place.extension is not None:
                raise CannotApply(
                    "This sensor is part of an extension of its link and cannot be moved out of it "
                    "here."
                )
            get_link(robot, self.sensor.parent)
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
