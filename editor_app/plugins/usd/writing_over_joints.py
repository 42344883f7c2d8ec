"""The joints of a robot where they differ from the stage that it came from. Degrees for joints that
turn, else units of the stage."""

from __future__ import annotations

import math

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_list
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.over_names import StageNames
from editor_app.plugins.usd.reading.values import JointPrim, ReadStage
from editor_app.plugins.usd.writing_prims import MOST_NAMES, FindPrim

_TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
#: Where an effort limit and a friction may be stated besides the property that is written.
_EFFORTS = ("newton:effortLimit", "urdf:limit:effort")
_FRICTIONS = ("physxJoint:jointFriction", "mjc:frictionloss", "urdf:dynamics:friction")


class JointChanges:
    """Overs of the joints of a robot that differ from the joints of the stage."""

    def __init__(
        self,
        robot: RobotDescription,
        read: ReadStage,
        names: StageNames,
        out: Reporter,
        find_prim: FindPrim,
    ) -> None:
        self._robot, self._read, self._out, self._find_prim = robot, read, out, find_prim
        stated = {joint.name: joint for joint in read.urdf.joints}
        self._names = names
        self._pairs = {
            joint.name: (joint, stated[names.joints[joint.name]])
            for joint in robot.urdf.joints
            if joint.name in names.joints
        }

    def write(self) -> None:
        """Write limits, dynamics and mimics."""
        changed = []
        for name, (joint, theirs) in self._pairs.items():
            place = self._read.places.joints.get(theirs.name)
            if place is None:
                if joint.limit != theirs.limit or joint.type != theirs.type:
                    self._out.lost(f"joint {name}", "the stage has no prim for it")
                continue
            lines: list[str] = []
            schemas: list[str] = []
            self._limit(joint, theirs, place, lines, schemas)
            self._drive(joint, theirs, place, lines, schemas)
            self._mimic(joint, theirs, place, lines)
            if lines:
                over = self._find_prim(place.prim)
                over.lines += lines
                over.schemas += [
                    each for each in schemas if each not in {*place.schemas, *over.schemas}
                ]
                changed.append(name)
        if changed:
            self._out.translated(
                "joints", f"limits, dynamics or mimics of {format_list(changed, MOST_NAMES)}"
            )
        missing = [
            name
            for name in self._names.joints.values()
            if name not in {t.name for _, t in self._pairs.values()}
        ]
        rest = [
            joint.name for joint in self._robot.urdf.joints if joint.name not in self._pairs
        ] + missing
        if rest:
            self._out.lost(
                f"joints {format_list(rest, MOST_NAMES)}", "the stage has no such joints"
            )

    def write_positions(self) -> None:
        """Write the default positions where the stage starts elsewhere: as targets of drives, and
        states."""
        start = {**self._read.start, **next(iter(self._read.states.values()), {})}
        written = []
        for name, position in (self._robot.xrdf.default_joint_positions or {}).items():
            if name not in self._pairs:
                continue
            theirs = self._pairs[name][1]
            place = self._read.places.joints.get(theirs.name)
            at = theirs.clamped(start.get(theirs.name, 0.0))
            if place is None or theirs.name not in start or abs(position - at) <= 1e-6:
                continue
            over, text = (
                self._find_prim(place.prim),
                format_xml_number(position / self._unit(place)),
            )
            drive = _drive_name(place)
            if f"PhysicsDriveAPI:{drive}" not in {*place.schemas, *over.schemas}:
                over.schemas.append(f"PhysicsDriveAPI:{drive}")
            over.lines.append(f"float drive:{drive}:physics:targetPosition = {text}")
            if f"state:{drive}:physics:position" in place.stated:
                over.lines.append(f"float state:{drive}:physics:position = {text}")
            written.append(name)
        if written:
            self._out.translated(
                "default_joint_positions",
                f"targets of the drives of {format_list(written, MOST_NAMES)}",
            )

    # -- one joint

    def _unit(self, place: JointPrim) -> float:
        """Radians or metres in a unit of the stage."""
        return math.pi / 180 if place.axis.startswith("rot") else self._read.places.metres

    def _force(self, place: JointPrim) -> float:
        """Newtons or newton metres in a unit of the stage."""
        places = self._read.places
        return places.kilograms * places.metres ** (2 if place.axis.startswith("rot") else 1)

    def _limit(
        self, joint: Joint, theirs: Joint, place: JointPrim, lines: list[str], schemas: list[str]
    ) -> None:
        if joint.type is not theirs.type and not (
            joint.type in _TURNING and theirs.type in _TURNING
        ):
            self._out.lost(f"type of {joint.name}", f"{joint.type}; the stage keeps {theirs.type}")
            return
        if not place.axis:
            return
        endless = (-math.inf, math.inf)
        ours, old = joint.position_limits or endless, theirs.position_limits or endless
        if all(map(_is_same, ours, old)):
            return
        if place.kind == "ball":
            self._out.lost(
                f"limits of {joint.name}", "a spherical joint has one cone for its three axes"
            )
            return
        if ours[0] > ours[1]:
            self._out.lost(f"limits of {joint.name}", "the lower one is above the upper one")
            return
        names = ("physics:lowerLimit", "physics:upperLimit")
        if place.kind == "generic":
            names = (f"limit:{place.axis}:physics:low", f"limit:{place.axis}:physics:high")
            schemas.append(f"PhysicsLimitAPI:{place.axis}")
        for key, value in zip(names, ours, strict=True):
            lines.append(f"float {key} = {_number(value / self._unit(place))}")

    def _drive(
        self, joint: Joint, theirs: Joint, place: JointPrim, lines: list[str], schemas: list[str]
    ) -> None:
        """Write effort, velocity, damping and friction."""
        if not place.axis:
            return
        drive, unit, force = _drive_name(place), self._unit(place), self._force(place)
        values = [(_values(joint)[key], _values(theirs)[key]) for key in range(4)]
        (
            (effort, old_effort),
            (speed, old_speed),
            (damping, old_damping),
            (friction, old_friction),
        ) = values
        if not _is_same(effort, old_effort):
            schemas.append(f"PhysicsDriveAPI:{drive}")
            keys = (
                f"drive:{drive}:physics:maxForce",
                *(key for key in _EFFORTS if key in place.stated),
            )
            lines += [f"float {key} = {_number(effort / force)}" for key in keys]
        if not _is_same(speed, old_speed):
            of_axis = f"physxJointAxis:{place.axis}:maxJointVelocity"
            stated = [f"physxJointAxis:{drive}:maxJointVelocity", of_axis, "newton:velocityLimit"]
            # A joint has one limit for all its axes, unless an axis has its own.
            key = "physxJoint:maxJointVelocity" if place.joints == 1 else of_axis
            schemas.append(
                "PhysxJointAPI" if place.joints == 1 else f"PhysxJointAxisAPI:{place.axis}"
            )
            own_keys = (each for each in stated if each in place.stated and place.joints == 1)
            keys = tuple(dict.fromkeys((key, *own_keys)))
            lines += [f"float {key} = {_number(speed / unit)}" for key in keys]
        if not (_is_same(damping, old_damping) and _is_same(friction, old_friction)):
            self._dynamics(joint.name, place, (damping, friction), lines, schemas)

    def _dynamics(
        self,
        name: str,
        place: JointPrim,
        values: tuple[float, float],
        lines: list[str],
        schemas: list[str],
    ) -> None:
        """Write damping and friction."""
        if place.joints > 1:
            self._out.lost(
                f"damping and friction of {name}", "the joint of the stage has one for all its axes"
            )
            return
        damping, friction = values
        schemas.append("NewtonJointAPI")
        per_unit = (
            damping
            * self._unit(place)
            / (1.0 if place.axis.startswith("trans") else self._force(place))
        )
        lines += [
            f"float newton:damping = {_number(per_unit)}",
            f"float newton:friction = {_number(friction)}",
        ]
        lines += [f"float {key} = {_number(friction)}" for key in _FRICTIONS if key in place.stated]

    def _mimic(self, joint: Joint, theirs: Joint, place: JointPrim, lines: list[str]) -> None:
        ours, old = joint.mimic, theirs.mimic
        if joint.name in self._robot.xrdf.freed_joints:
            ours = None
        if ours is None and old is None:
            return
        leader = self._names.joints.get(ours.joint) if ours is not None else None
        if ours is None or old is None or leader != old.joint:
            self._out.lost(
                f"mimic of {joint.name}", "the stage keeps its own coupling, or has none"
            )
            return
        if _is_same(ours.multiplier, old.multiplier) and _is_same(ours.offset, old.offset):
            return
        leading = self._read.places.joints.get(old.joint)
        unit = self._unit(place)
        gear = ours.multiplier * (self._unit(leading) if leading is not None else unit) / unit
        offset = ours.offset / unit
        instances = sorted(
            {key.split(":")[1] for key in place.stated if key.startswith("physxMimicJoint:")}
        )
        for instance in instances:
            lines.append(f"float physxMimicJoint:{instance}:gearing = {_number(0.0 - gear)}")
            lines.append(f"float physxMimicJoint:{instance}:offset = {_number(0.0 - offset)}")
        if "newton:mimicJoint" in place.stated:
            lines.append(f"float newton:mimicCoef0 = {_number(offset)}")
            lines.append(f"float newton:mimicCoef1 = {_number(gear)}")


def _drive_name(place: JointPrim) -> str:
    """The name of the drive of a freedom."""
    if place.kind in ("rot", "trans"):
        return "angular" if place.kind == "rot" else "linear"
    return place.axis


def _values(joint: Joint) -> tuple[float, float, float, float]:
    """Effort, velocity, damping and friction; 0 for one that is not stated."""
    limit, dynamics = joint.limit, joint.dynamics
    return (
        (limit.effort or 0.0) if limit is not None else 0.0,
        (limit.velocity or 0.0) if limit is not None else 0.0,
        (dynamics.damping or 0.0) if dynamics is not None else 0.0,
        (dynamics.friction or 0.0) if dynamics is not None else 0.0,
    )


def _number(value: float) -> str:
    return format_xml_number(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _is_same(one: float, other: float) -> bool:
    """Whether two numbers are one in single precision."""
    return one == other or abs(one - other) <= 1e-6 * max(abs(one), abs(other)) + 1e-9
