"""Transmissions and embedded extensions (gazebo, ros2_control, …) as texts: changed, added, removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from editor_app.edit.commands.tools import at, the_joint, the_link, with_joint, with_link, with_urdf
from editor_app.formats.source import FormatError
from editor_app.formats.urdf.embedded import read_embedded
from editor_app.model.change import CannotApply
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Extension, Transmission


class Home(StrEnum):
    """Where an embedded element stands."""

    ROBOT = "robot"
    LINK = "link"
    JOINT = "joint"
    TRANSMISSIONS = "transmissions"


@dataclass(frozen=True, slots=True)
class Place:
    """The embedded element number `index` of the robot itself, or of the link or joint `name`."""

    home: Home
    index: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class SetEmbedded:
    """Another text for an element; with "" it is removed."""

    place: Place
    text: str

    @property
    def label(self) -> str:
        element = "transmission" if self.place.home is Home.TRANSMISSIONS else "extension"
        return f"{'Edit' if self.text.strip() else 'Delete'} {element}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        items = _items(robot, self.place)
        old = at(items, self.place.index, "element")
        if not self.text.strip():
            return _with(robot, self.place, [x for i, x in enumerate(items) if i != self.place.index])
        new = _read(self.text, self.place.home)
        if self.text.strip() == old.text.strip():
            return robot
        if _tag(new) != _tag(old):
            raise CannotApply(f"Here stands a <{_tag(old)}>. Delete it, and add the <{_tag(new)}>.")
        return _with(robot, self.place, [new if i == self.place.index else x for i, x in enumerate(items)])


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
        place = Place(self.home, 0, self.name)
        new, items = _read(self.text, self.home), list(_items(robot, place))
        # Beside its like, where writing puts it too.
        last = max((i for i, item in enumerate(items) if _tag(item) == _tag(new)), default=len(items) - 1)
        return _with(robot, place, [*items[: last + 1], new, *items[last + 1 :]])


def _tag(item: Extension | Transmission) -> str:
    return "transmission" if isinstance(item, Transmission) else item.tag


def _read(text: str, home: Home) -> Extension | Transmission:
    try:
        new = read_embedded(text)
    except FormatError as error:
        raise CannotApply(f"{error.message}." + (f" {error.remedy}" if error.remedy else "")) from None
    if isinstance(new, Transmission) != (home is Home.TRANSMISSIONS):
        wanted = "a <transmission>" if home is Home.TRANSMISSIONS else "something else than a <transmission>"
        raise CannotApply(f"Here must stand {wanted}.")
    return new


def _items(robot: RobotDescription, place: Place) -> Sequence[Any]:
    if place.home is Home.TRANSMISSIONS:
        return robot.urdf.transmissions
    if place.home is Home.ROBOT:
        return robot.urdf.extensions
    return (the_link if place.home is Home.LINK else the_joint)(robot, place.name).extensions


def _with(robot: RobotDescription, place: Place, items: list[Any]) -> RobotDescription:
    new = tuple(items)
    if place.home is Home.TRANSMISSIONS:
        return with_urdf(robot, transmissions=new)
    if place.home is Home.ROBOT:
        return with_urdf(robot, extensions=new)
    if place.home is Home.LINK:
        link = the_link(robot, place.name)
        return with_link(robot, link, replace(link, extensions=new))
    joint = the_joint(robot, place.name)
    return with_joint(robot, joint, replace(joint, extensions=new))
