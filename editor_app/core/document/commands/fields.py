"""Set one field of anything in the document (see `field_paths`) as one step, under the rules of its
`Target`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from editor_app.core.document.commands.field_paths import Path, get_field, new_limit, with_field
from editor_app.core.document.commands.list_rules import LIST_RULES
from editor_app.core.document.commands.lists import RenameItem, set_item
from editor_app.core.document.commands.srdf import SetSrdf
from editor_app.core.document.commands.srdf_parts import SetMargins
from editor_app.core.document.commands.tools import check_name
from editor_app.core.document.commands.urdf import (
    RenameJoint,
    RenameLink,
    SetJoint,
    SetLink,
    SetMaterial,
)
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.commands.urdf_texts import SetSensor
from editor_app.core.formats.urdf.sensors import SensorPlace, list_sensors
from editor_app.core.model.coercion import MisfitError, conformed
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.ros_settings import InitialPositions, MotionLimit
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import Srdf, ToolCenterPoint
from editor_app.core.model.urdf import (
    BOUNDED,
    Joint,
    Link,
    Urdf,
    Visual,
)
from editor_app.core.model.xrdf import AddFrame, Modifier


@runtime_checkable
class Target(Protocol):
    """Something in the document that has fields, found again by its name or place."""

    @property
    def title(self) -> str:
        """The name that steps call it by."""

    def read(self, robot: RobotDescription) -> Any:
        """The thing as it is; None when there is none."""

    def put(self, robot: RobotDescription, old: Any, new: Any) -> RobotDescription:
        """The robot with `new` in the place of `old`, under the rules for such things. Raises
        CannotApply."""


@dataclass(frozen=True, slots=True)
class SetField:
    """Gives one field of `target` another value; None takes out what may be absent."""

    target: Target
    path: Path
    value: Any
    label: str = "Edit"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        thing = self.target.read(robot)
        if thing is None:
            raise CannotApply(f"The {self.target.title} does not exist.")
        try:
            # What may stand at the path is said by the fields of the thing, not by this command.
            new = conformed(with_field(thing, self.path, self.value))
        except MisfitError as error:
            raise CannotApply(str(error)) from error
        return robot if new == thing else self.target.put(robot, thing, new)


@dataclass(frozen=True, slots=True)
class OfRobot:
    """Name and version of the URDF."""

    @property
    def title(self) -> str:
        return "robot"

    def read(self, robot: RobotDescription) -> Urdf:
        return robot.urdf

    def put(self, robot: RobotDescription, old: Urdf, new: Urdf) -> RobotDescription:
        name, version = (new.name, None) if new.name != old.name else (None, new.version)
        return SetRobot(name, version).apply(robot)


@dataclass(frozen=True, slots=True)
class OfJoint:
    """A joint of the URDF; references follow its name."""

    title: str

    def read(self, robot: RobotDescription) -> Joint | None:
        return robot.urdf.joint(self.title)

    def put(self, robot: RobotDescription, old: Joint, new: Joint) -> RobotDescription:
        if new.name != old.name:
            return RenameJoint(old.name, new.name).apply(robot)
        if new.type in BOUNDED and new.limit is None and new.type is not old.type:
            new = replace(new, limit=new_limit(new))
        return SetJoint(old.name, new).apply(robot)


@dataclass(frozen=True, slots=True)
class OfMotionLimit:
    """The limits of a joint in joint_limits.yaml. A limit that is given a value counts, one that
    loses it does not."""

    title: str

    def read(self, robot: RobotDescription) -> MotionLimit | None:
        return None if robot.limits is None else robot.limits.joints.get(self.title, MotionLimit())

    def put(self, robot: RobotDescription, old: MotionLimit, new: MotionLimit) -> RobotDescription:
        limits = robot.limits
        assert limits is not None
        for kind in ("velocity", "acceleration", "jerk"):
            value, has = getattr(new, f"max_{kind}"), f"has_{kind}_limits"
            if value is not None and value < 0.0:
                raise CannotApply(f"max_{kind} is a magnitude: enter it without a sign.")
            if value != getattr(old, f"max_{kind}"):
                new = replace(new, **{has: True if value is not None else None})
        return replace(robot, limits=replace(limits, joints=limits.joints.set(self.title, new)))


@dataclass(frozen=True, slots=True)
class OfInitialPositions:
    """initial_positions.yaml."""

    title: str = "initial_positions.yaml"

    def read(self, robot: RobotDescription) -> InitialPositions | None:
        return robot.positions

    def put(
        self, robot: RobotDescription, old: InitialPositions, new: InitialPositions
    ) -> RobotDescription:
        return replace(robot, positions=new)


@dataclass(frozen=True, slots=True)
class OfLink:
    """A link of the URDF; references follow its name."""

    title: str

    def read(self, robot: RobotDescription) -> Link | None:
        return robot.urdf.link(self.title)

    def put(self, robot: RobotDescription, old: Link, new: Link) -> RobotDescription:
        if new.name != old.name:
            return RenameLink(old.name, new.name).apply(robot)
        return SetLink(old.name, new).apply(robot)


@dataclass(frozen=True, slots=True)
class PartOf:
    """A part of something that has fields, such as a visual of a link."""

    whole: Target
    path: Path

    @property
    def title(self) -> str:
        return self.whole.title

    def read(self, robot: RobotDescription) -> Any:
        return get_field(self.whole.read(robot), self.path)

    def put(self, robot: RobotDescription, old: Any, new: Any) -> RobotDescription:
        whole = self.whole.read(robot)
        return self.whole.put(robot, whole, with_field(whole, self.path, new))


@dataclass(frozen=True, slots=True)
class PaintOf:
    """The material of a visual: the definition that its name leads to, which is changed for all
    that name it."""

    link: str
    visual: int

    @property
    def title(self) -> str:
        return self.link

    def read(self, robot: RobotDescription) -> Visual | None:
        visual: Visual | None = get_field(robot.urdf.link(self.link), ("visuals", self.visual))
        if visual is None or visual.material is None or not visual.material.name:
            return visual
        return replace(
            visual, material=robot.urdf.material(visual.material.name) or visual.material
        )

    def put(self, robot: RobotDescription, old: Visual, new: Visual) -> RobotDescription:
        material = new.material
        if (
            material is not None
            and material.name
            and robot.urdf.material(material.name) is not None
        ):
            return SetMaterial(material).apply(robot)
        path = ("visuals", self.visual, "material")
        return SetField(OfLink(self.link), path, material).apply(robot)


@dataclass(frozen=True, slots=True)
class OfSensor:
    """A sensor, wherever in the URDF it stands."""

    place: SensorPlace
    title: str = "sensor"

    def read(self, robot: RobotDescription) -> Sensor | None:
        return next((p.sensor for p in list_sensors(robot.urdf) if p.place == self.place), None)

    def put(self, robot: RobotDescription, old: Sensor, new: Sensor) -> RobotDescription:
        return SetSensor(self.place, new).apply(robot)


@dataclass(frozen=True, slots=True)
class OfModifier:
    """A modifier of the XRDF; what refers to an added frame follows its name."""

    index: int
    title: str = "modifier"

    def read(self, robot: RobotDescription) -> Modifier | None:
        present = robot.xrdf.modifiers or ()
        return present[self.index] if self.index < len(present) else None

    def put(self, robot: RobotDescription, old: Modifier, new: Modifier) -> RobotDescription:
        if (
            isinstance(old, AddFrame)
            and isinstance(new, AddFrame)
            and new.frame_name != old.frame_name
        ):
            return RenameItem("xrdf.modifiers", self.index, new.frame_name).apply(robot)
        return set_item("xrdf.modifiers", self.index, new).apply(robot)


@dataclass(frozen=True, slots=True)
class OfSrdf:
    """Name, version and margins of the SRDF."""

    title: str = "SRDF"

    def read(self, robot: RobotDescription) -> Srdf | None:
        return robot.srdf

    def put(self, robot: RobotDescription, old: Srdf, new: Srdf) -> RobotDescription:
        if new.margins != old.margins:
            return SetMargins(new.margins).apply(robot)
        if not new.name:
            raise CannotApply("The robot needs a name.")
        return SetSrdf(new).apply(robot)


@dataclass(frozen=True, slots=True)
class OfTool:
    """A tool centre point of Tesseract."""

    title: str
    group: str

    def read(self, robot: RobotDescription) -> ToolCenterPoint | None:
        tcps = robot.srdf.tcps if robot.srdf is not None else ()
        return next((t for t in tcps if (t.name, t.group) == (self.title, self.group)), None)

    def put(
        self, robot: RobotDescription, old: ToolCenterPoint, new: ToolCenterPoint
    ) -> RobotDescription:
        if (new.name, new.group) == (old.name, old.group):
            return set_item("srdf.tcps", (new.name, new.group), new).apply(robot)
        srdf = robot.srdf or Srdf()
        check_name(new.name, "A tool centre point")
        if any((t.name, t.group) == (new.name, new.group) for t in srdf.tcps):
            raise CannotApply(f"{new.group} already has a tool centre point {new.name}.")
        return robot.with_srdf(replace(srdf, tcps=tuple(new if t is old else t for t in srdf.tcps)))


@dataclass(frozen=True, slots=True)
class OfItem:
    """The item with the key `title` of a list (see `LIST_RULES`); references follow its name."""

    path: str
    title: str

    def read(self, robot: RobotDescription) -> Any:
        items = LIST_RULES[self.path].list_entries(get_field(robot, self.path))
        return next((item for key, item in items if key == self.title), None)

    def put(self, robot: RobotDescription, old: Any, new: Any) -> RobotDescription:
        return set_item(self.path, self.title, new).apply(robot)
