"""Joints as prims of UsdPhysics, with attributes of PhysX and Newton. Degrees for joints that turn,
else metres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from editor_app.core.model.urdf import Joint, JointType, Vector3
from editor_app.core.space.kinematics.transforms import (
    NO_DIRECTION,
    Matrix,
    build_axis_rotation,
    matrix_to_quaternion,
)
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.writing_prims import Prim, vector_text

_AXES = "XYZ"
_TYPES = {
    JointType.REVOLUTE: "PhysicsRevoluteJoint",
    JointType.CONTINUOUS: "PhysicsRevoluteJoint",
    JointType.PRISMATIC: "PhysicsPrismaticJoint",
    JointType.FIXED: "PhysicsFixedJoint",
    JointType.PLANAR: "PhysicsJoint",
}


@dataclass(frozen=True)
class Leader:
    """The leader of a joint: `path` and axis of its prim."""

    path: str
    axis: str


@dataclass(frozen=True)
class Connected:
    """The prims that a joint connects, and where it is on the first one: (4, 4) in metres; its own
    frame on the second.

    `collide`: whether the two may touch each other.
    """

    body0: str
    body1: str
    frame: Matrix
    collide: bool = False


def axis_of(axis: Vector3) -> tuple[str, Matrix]:
    """(X, Y or Z; rotation (3, 3) that turns it to `axis`): USD knows the axes of a joint's frame
    alone."""
    direction = np.asarray(axis, dtype=float)
    length = float(np.linalg.norm(direction))
    if not length > NO_DIRECTION:
        return "X", np.eye(3)
    direction = direction / length
    number = int(np.argmax(np.abs(direction)))
    start = np.eye(3)[number]
    across, cosine = np.cross(start, direction), float(start @ direction)
    sine = float(np.linalg.norm(across))
    if not sine > NO_DIRECTION:
        # A half turn about another axis, exact.
        turn = (
            np.eye(3)
            if cosine > 0
            else np.diag([1.0 if k == (number + 1) % 3 else -1.0 for k in range(3)])
        )
        return _AXES[number], turn
    return _AXES[number], build_axis_rotation(across.tolist(), math.atan2(sine, cosine))


def fixed_prim(name: str, link: Connected) -> Prim:
    """The prim of a fixed joint."""
    return Prim(name, "PhysicsFixedJoint", lines=_frames(link, np.eye(3)))


def joint_prim(
    joint: Joint, name: str, link: Connected, *, target: float | None, leader: Leader | None
) -> Prim:
    """The prim of a joint that is not floating. `target`: its default position (rad or m), the
    target of its drive."""
    if joint.type is JointType.FIXED:
        return fixed_prim(name, link)
    token, turn = axis_of(joint.axis)
    prim = Prim(name, _TYPES[joint.type], lines=[*_frames(link, turn), *_kept(joint)])
    if joint.type is JointType.PLANAR:
        _lock(prim, [f"trans{token}", *(f"rot{other}" for other in _AXES if other != token)])
        return prim
    prim.lines.append(f'uniform token physics:axis = "{token}"')
    limits = joint.position_limits
    if limits is not None and limits[0] <= limits[1]:
        for key, value in zip(("lowerLimit", "upperLimit"), limits, strict=True):
            prim.lines.append(f"float physics:{key} = {format_xml_number(_of_unit(joint, value))}")
    _add_drive(prim, joint, target)
    _add_dynamics(prim, joint)
    if leader is not None:
        _add_mimic(prim, joint, token, leader)
    return prim


def _kept(joint: Joint) -> list[str]:
    """Elements of the URDF that no simulator reads, under the names of urdf-usd-converter."""
    return [
        f"custom double urdf:{tag}:{field.name} = {format_xml_number(number)}"
        for tag, element in (
            ("calibration", joint.calibration),
            ("safety_controller", joint.safety),
        )
        if element is not None
        for field in fields(element)
        if (number := getattr(element, field.name)) is not None
    ]


def _of_unit(joint: Joint, value: float) -> float:
    """An angle (rad) in degrees; a distance as it is."""
    return value if joint.type is JointType.PRISMATIC else math.degrees(value)


def _instance(joint: Joint) -> str:
    return "linear" if joint.type is JointType.PRISMATIC else "angular"


def _frames(link: Connected, turn: Matrix) -> list[str]:
    rotation = link.frame[:3, :3] @ turn
    return [
        *(["bool physics:collisionEnabled = 1"] if link.collide else []),
        f"rel physics:body0 = <{link.body0}>",
        f"rel physics:body1 = <{link.body1}>",
        f"point3f physics:localPos0 = {vector_text(link.frame[:3, 3])}",
        "point3f physics:localPos1 = (0, 0, 0)",
        f"quatf physics:localRot0 = {vector_text(matrix_to_quaternion(rotation))}",
        f"quatf physics:localRot1 = {vector_text(matrix_to_quaternion(turn))}",
    ]


def _lock(prim: Prim, directions: Sequence[str]) -> None:
    """A direction whose lower limit is above the upper one is locked."""
    for direction in directions:
        prim.schemas.append(f"PhysicsLimitAPI:{direction}")
        prim.lines += [
            f"float limit:{direction}:physics:low = 1",
            f"float limit:{direction}:physics:high = -1",
        ]


def _limit(value: float | None) -> float | None:
    return value if value is not None and 0 < value < math.inf else None


def _add_drive(prim: Prim, joint: Joint, target: float | None) -> None:
    """A drive without gains, which moves nothing until a user sets them: its force and its target
    are the robot's."""
    effort, kind = _limit(joint.limit.effort if joint.limit is not None else None), _instance(joint)
    prim.schemas.append(f"PhysicsDriveAPI:{kind}")
    prim.lines.append(f'uniform token drive:{kind}:physics:type = "force"')
    if effort is not None:
        prim.lines.append(f"float drive:{kind}:physics:maxForce = {format_xml_number(effort)}")
    prim.lines += [
        f"float drive:{kind}:physics:stiffness = 0",
        f"float drive:{kind}:physics:damping = 0",
    ]
    if target is not None:
        position = format_xml_number(_of_unit(joint, target))
        prim.lines.append(f"float drive:{kind}:physics:targetPosition = {position}")


def _add_dynamics(prim: Prim, joint: Joint) -> None:
    """Velocity limit, damping and friction: for PhysX and for Newton."""
    speed = _limit(joint.limit.velocity if joint.limit is not None else None)
    dynamics, kind = joint.dynamics, _instance(joint)
    damping = _limit(dynamics.damping) if dynamics is not None else None
    friction = _limit(dynamics.friction) if dynamics is not None else None
    newton: list[str] = []
    axis: list[str] = []
    if speed is not None:
        text = format_xml_number(_of_unit(joint, speed))
        prim.schemas.append("PhysxJointAPI")
        prim.lines.append(f"float physxJoint:maxJointVelocity = {text}")
        newton.append(f"float newton:velocityLimit = {text}")
    if damping is not None:
        # Per degree and second, of joints that turn.
        text = format_xml_number(damping / _of_unit(joint, 1.0))
        axis.append(f"float physxJointAxis:{kind}:viscousFrictionCoefficient = {text}")
        newton.append(f"float newton:damping = {text}")
    if friction is not None:
        for key in ("dynamicFrictionEffort", "staticFrictionEffort"):
            axis.append(f"float physxJointAxis:{kind}:{key} = {format_xml_number(friction)}")
        newton.append(f"float newton:friction = {format_xml_number(friction)}")
    if axis:
        prim.schemas.append(f"PhysxJointAxisAPI:{kind}")
        if speed is not None:
            # PhysX reads the values of the joint no more where an axis has its own.
            axis.append(
                f"float physxJointAxis:{kind}:maxJointVelocity = "
                f"{format_xml_number(_of_unit(joint, speed))}"
            )
    if newton:
        prim.schemas.append("NewtonJointAPI")
    prim.lines += [*axis, *newton]


def _add_mimic(prim: Prim, joint: Joint, token: str, leader: Leader) -> None:
    """Newton: position = coef0 + coef1 · leader; PhysX: position + gearing · leader + offset = 0.

    PhysX names the instance by a rotation, also for joints that slide.
    """
    assert joint.mimic is not None
    offset, multiplier = _of_unit(joint, joint.mimic.offset), joint.mimic.multiplier
    rotation = f"physxMimicJoint:rot{token}"
    prim.schemas += ["NewtonMimicAPI", f"PhysxMimicJointAPI:rot{token}"]
    prim.lines += [
        f"rel newton:mimicJoint = <{leader.path}>",
        f"float newton:mimicCoef0 = {format_xml_number(offset)}",
        f"float newton:mimicCoef1 = {format_xml_number(multiplier)}",
        f"rel {rotation}:referenceJoint = <{leader.path}>",
        f'uniform token {rotation}:referenceJointAxis = "rot{leader.axis}"',
        f"float {rotation}:gearing = {format_xml_number(0.0 - multiplier)}",
        f"float {rotation}:offset = {format_xml_number(0.0 - offset)}",
    ]
