"""One field of anything in the document, by its path: read, and set as one step under the rules of what it belongs to.

A path is attributes and places, such as `limit.lower` or `visuals.0.origin.xyz.2`; a part on the way that the document
does not have is made with its beginnings when a field in it is set. What a field belongs to is a `Target`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, runtime_checkable

from editor_app.core.document.commands.modifiers import RenameAddedFrame, SetModifier
from editor_app.core.document.commands.srdf import SetSrdf, SetTcp
from editor_app.core.document.commands.srdf_parts import SetEndEffector, SetMargins, SetVirtualJoint
from editor_app.core.document.commands.tools import check_name
from editor_app.core.document.commands.urdf import RenameJoint, RenameLink, SetJoint, SetLink, SetMaterial
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.commands.urdf_texts import SetSensor
from editor_app.core.formats.urdf.sensors import SensorPlace, list_sensors
from editor_app.core.model.coercion import MisfitError, conformed
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin, Vector3
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.ros_settings import InitialPositions, MotionLimit
from editor_app.core.model.sensors import Camera, Ray, Scan, Sensor
from editor_app.core.model.srdf import CollisionMargins, EndEffector, Srdf, ToolCenterPoint, VirtualJoint
from editor_app.core.model.urdf import (
    BOUNDED,
    Calibration,
    Collision,
    Dynamics,
    Hydroelastic,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Proximity,
    SafetyController,
    Urdf,
    Visual,
)
from editor_app.core.model.xrdf import AddFrame, Modifier
from editor_app.core.space.kinematics.transforms import quaternion_to_rpy

#: Attributes and places, as one text with dots or one by one (where a name may have a dot itself).
Path = str | tuple[str | int, ...]


# -- fields


def split_path(path: Path) -> tuple[str | int, ...]:
    """The attributes and places of a path, one by one."""
    if isinstance(path, tuple):
        return path
    return tuple(int(part) if part.isdigit() else part for part in path.split("."))


def get_field(thing: Any, path: Path) -> Any:
    """The value at `path`; None where the document has none."""
    for part in split_path(path):
        thing = None if thing is None else _read(thing, part)
    return thing


def with_field(thing: Any, path: Path, value: Any) -> Any:
    """`thing` with another value at `path`; None takes it out, and a part of which nothing is left.

    Raises CannotApply where there is no such field.
    """
    if not split_path(path):
        raise CannotApply("SetField.path names no field.")
    first, *rest = split_path(path)
    if not rest:
        return _replaced(thing, first, value)
    inner = _read(thing, first)
    if inner is None:
        if value is None:
            return thing
        inner = new_part(thing, str(first))
    changed = with_field(inner, tuple(rest), value)
    if isinstance(changed, _EMPTY_IS_NONE) and all(getattr(changed, f.name) is None for f in fields(changed)):
        changed = None
    return _replaced(thing, first, changed)


def rpy_of(posed: Origin | ToolCenterPoint) -> Vector3:
    """Roll, pitch and yaw (radians), also where the rotation stands as a quaternion."""
    if isinstance(posed, ToolCenterPoint):
        wxyz, rpy = posed.wxyz, posed.rpy or (0.0, 0.0, 0.0)
    else:
        quaternion, rpy = posed.quat_xyzw, posed.rpy
        wxyz = (quaternion[3], *quaternion[:3]) if quaternion is not None else None
    if wxyz is None:
        return rpy
    # Four zeros turn nothing; that is for the findings to say.
    return quaternion_to_rpy(wxyz) if math.hypot(*wxyz) > 1e-9 else (0.0, 0.0, 0.0)


def _read(thing: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return thing[part] if isinstance(thing, tuple) and part < len(thing) else None
    if isinstance(thing, FrozenDict):
        return thing.get(part)
    if part == "rpy" and isinstance(thing, Origin | ToolCenterPoint):
        return rpy_of(thing)
    return getattr(thing, part, None)


def _replaced(thing: Any, part: str | int, value: Any) -> Any:
    if isinstance(part, int):
        if not isinstance(thing, tuple):
            raise CannotApply(f"{type(thing).__name__} has names instead of numbers.")
        if part >= len(thing):
            raise CannotApply(f"No number {part + 1} in {len(thing)}.")
        return tuple(value if i == part else old for i, old in enumerate(thing))
    if isinstance(thing, FrozenDict):
        return thing.without(part) if value is None else thing.set(part, value)
    if part == "rpy" and isinstance(thing, Origin):
        # Angles stand in the place of the quaternion.
        return replace(thing, rpy=value, quat_xyzw=None)
    if part == "rpy" and isinstance(thing, ToolCenterPoint):
        return replace(thing, rpy=value, wxyz=None)
    if not hasattr(thing, part):
        raise CannotApply(f"{type(thing).__name__} has no {part.replace('_', ' ')}.")
    return replace(thing, **{part: value})


# -- beginnings of parts


def new_limit(joint: Joint) -> Limit:
    """Limits to begin with, None where there are none: half a turn either way, or 10 cm. All of it is a placeholder."""
    if joint.type is JointType.PRISMATIC:
        return Limit(0.0, 0.1, 100.0, 0.1)
    turn = math.pi if joint.type is JointType.REVOLUTE else 0.0
    return Limit(-turn, turn, 100.0, 1.0)


def _new_safety(joint: Joint) -> SafetyController:
    bounds = joint.position_limits or (math.inf, math.inf)
    lower, upper = (bound if math.isfinite(bound) else None for bound in bounds)
    return SafetyController(10.0, 15.0, lower, upper)


#: Grey, where a material has no colour yet.
GREY = (0.7, 0.7, 0.7, 1.0)
_NEW: dict[tuple[type, str], Callable[[Any], Any]] = {
    (Joint, "limit"): new_limit,
    (Joint, "dynamics"): lambda _: Dynamics(0.0, 0.0),
    (Joint, "safety"): _new_safety,
    (Joint, "calibration"): lambda _: Calibration(rising=0.0),
    # What Drake asks of a compliant shape; rubber.
    (Collision, "proximity"): lambda _: Proximity(
        Hydroelastic.COMPLIANT, mesh_resolution_hint=0.01, hydroelastic_modulus=1e7
    ),
    (Material, "rgba"): lambda _: GREY,
    (Sensor, "camera"): lambda _: Camera(),
    (Sensor, "ray"): lambda _: Ray(),
    (Ray, "horizontal"): lambda _: Scan(),
    (Ray, "vertical"): lambda _: Scan(),
    (Srdf, "margins"): lambda _: CollisionMargins(),
}
#: Parts of a joint or a shape, which say nothing when they are empty.
_EMPTY_IS_NONE = (Limit, Dynamics, SafetyController, Calibration, Proximity)


def new_part(thing: Any, part: str) -> Any:
    """Return the initial value of a part that `thing` does not have. Raises CannotApply."""
    make = _NEW.get((type(thing), part))
    if make is None:
        raise CannotApply(f"No {part.replace('_', ' ')} is set yet.")
    return make(thing)


# -- what fields belong to


@runtime_checkable
class Target(Protocol):
    """Something in the document that has fields, found again by its name or place."""

    @property
    def title(self) -> str:
        """The name that steps call it by."""

    def read(self, robot: RobotDescription) -> Any:
        """The thing as it is; None when there is none."""

    def put(self, robot: RobotDescription, old: Any, new: Any) -> RobotDescription:
        """The robot with `new` in the place of `old`, under the rules for such things. Raises CannotApply."""


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
    """The limits of a joint in joint_limits.yaml. A limit that is given a value counts, one that loses it does not."""

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

    def put(self, robot: RobotDescription, old: InitialPositions, new: InitialPositions) -> RobotDescription:
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
    """The material of a visual: the definition that its name leads to, which is changed for all that name it."""

    link: str
    visual: int

    @property
    def title(self) -> str:
        return self.link

    def read(self, robot: RobotDescription) -> Visual | None:
        visual: Visual | None = get_field(robot.urdf.link(self.link), ("visuals", self.visual))
        if visual is None or visual.material is None or not visual.material.name:
            return visual
        return replace(visual, material=robot.urdf.material(visual.material.name) or visual.material)

    def put(self, robot: RobotDescription, old: Visual, new: Visual) -> RobotDescription:
        material = new.material
        if material is not None and material.name and robot.urdf.material(material.name) is not None:
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
        if isinstance(old, AddFrame) and isinstance(new, AddFrame) and new.frame_name != old.frame_name:
            return RenameAddedFrame(self.index, new.frame_name).apply(robot)
        return SetModifier(self.index, new).apply(robot)


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

    def put(self, robot: RobotDescription, old: ToolCenterPoint, new: ToolCenterPoint) -> RobotDescription:
        if (new.name, new.group) == (old.name, old.group):
            return SetTcp(new).apply(robot)
        srdf = robot.srdf or Srdf()
        check_name(new.name, "A tool centre point")
        if any((t.name, t.group) == (new.name, new.group) for t in srdf.tcps):
            raise CannotApply(f"{new.group} already has a tool centre point {new.name}.")
        return robot.with_srdf(replace(srdf, tcps=tuple(new if t is old else t for t in srdf.tcps)))


@dataclass(frozen=True, slots=True)
class OfEffector:
    """An end effector of the SRDF."""

    title: str

    def read(self, robot: RobotDescription) -> EndEffector | None:
        effectors = robot.srdf.end_effectors if robot.srdf is not None else ()
        return next((e for e in effectors if e.name == self.title), None)

    def put(self, robot: RobotDescription, old: EndEffector, new: EndEffector) -> RobotDescription:
        return SetEndEffector(new, old.name).apply(robot)


@dataclass(frozen=True, slots=True)
class OfVirtualJoint:
    """A virtual joint of the SRDF; groups, states and properties follow its name."""

    title: str

    def read(self, robot: RobotDescription) -> VirtualJoint | None:
        joints = robot.srdf.virtual_joints if robot.srdf is not None else ()
        return next((v for v in joints if v.name == self.title), None)

    def put(self, robot: RobotDescription, old: VirtualJoint, new: VirtualJoint) -> RobotDescription:
        return SetVirtualJoint(new, old.name).apply(robot)
