"""The joints of a stage: what they connect, how they move, and what drives them. Metres and
radians."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import UsdPhysics

from editor_app.core.model.urdf import ENDLESS_SLIDE, ENDLESS_TURN
from editor_app.core.space.kinematics.transforms import Matrix, invert, transform
from editor_app.plugins.usd.reading.scene import (
    UsdScene,
    read_number,
    read_vector,
    rigid,
    turn_of,
    value,
)
from editor_app.plugins.usd.reading.values import display_name

#: The degrees of freedom of a joint in their order: along the axes of its frame, then about them.
AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
#: From here on, a velocity, or a force in SI units, limits nothing: PhysX writes 1e6°/s, floats end
#: at 3.4e38.
_NO_LIMIT = 1e6
_KINDS = {
    UsdPhysics.RevoluteJoint: ("rot", "angular"),
    UsdPhysics.PrismaticJoint: ("trans", "linear"),
    UsdPhysics.SphericalJoint: ("ball", "angular"),
    UsdPhysics.FixedJoint: ("fixed", ""),
    UsdPhysics.DistanceJoint: ("distance", ""),
}


@dataclass(frozen=True, slots=True)
class Freedom:
    """One degree of freedom, a word of AXES. Limits in rad or m, infinite without one; the rest
    None where unstated.

    `start`: where the file puts it; `target`: where its drive moves it to.
    """

    axis: str
    lower: float = -math.inf
    upper: float = math.inf
    effort: float | None = None
    velocity: float | None = None
    damping: float | None = None
    friction: float | None = None
    start: float | None = None
    target: float | None = None
    is_driven: bool = False

    @property
    def slides(self) -> bool:
        return self.axis.startswith("trans")

    @property
    def direction(self) -> Matrix:
        """(3,) in the frame of the joint."""
        return np.asarray(np.eye(3)["XYZ".index(self.axis[-1])])


@dataclass(eq=False)
class UsdJoint:
    """`ends`: the paths of its two bodies, None for the world; `frames`: its frame in each, (4, 4)
    in metres."""

    prim: Any
    ends: tuple[Any, Any]
    frames: tuple[Matrix, Matrix]
    kind: str
    freedoms: tuple[Freedom, ...]
    is_excluded: bool
    #: Axes whose lower limit is above the upper one: they do not move.
    locked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return display_name(self.prim)

    def displacement(self, scene: UsdScene) -> Matrix:
        """(4, 4): its second frame in its first one, as the file places the bodies."""
        first, second = (
            scene.frame(path) @ frame for path, frame in zip(self.ends, self.frames, strict=True)
        )
        return invert(first) @ second


def read_usd_joint(scene: UsdScene, prim: Any) -> UsdJoint | None:
    """Read a joint; None between two prims of one body, or of the world. Raises FormatError."""
    targets = [joint_target(prim, name) for name in ("physics:body0", "physics:body1")]
    ends = tuple(scene.body_of(path) if path is not None else None for path in targets)
    if ends[0] == ends[1]:
        return None
    frames = []
    for side, (target, body) in enumerate(zip(targets, ends, strict=True)):
        at = scene.stage.GetPrimAtPath(target) if target is not None else None
        matrix = scene.matrix(at if at else None)
        place = read_vector(prim, f"physics:localPos{side}")
        position = np.array([*(np.zeros(3) if place is None else place), 1.0])
        turn = rigid(matrix)[:3, :3] @ turn_of(value(prim, f"physics:localRot{side}", None))
        frames.append(invert(scene.frame(body)) @ transform(turn, (matrix @ position)[:3]))
    kind, drive = next(
        (each for schema, each in _KINDS.items() if prim.IsA(schema)), ("generic", "")
    )
    axis = str(value(prim, "physics:axis", "X"))
    axis = axis if axis in ("X", "Y", "Z") else "X"
    freedoms, locked = _freedoms(scene, prim, kind, axis, drive)
    excluded = bool(value(prim, "physics:excludeFromArticulation", False))
    return UsdJoint(prim, ends, (frames[0], frames[1]), kind, freedoms, excluded, locked)  # type: ignore[arg-type]


def joint_target(prim: Any, name: str) -> Any:
    """Return the path of the prim that a relationship of a joint names; None for none."""
    relation = prim.GetRelationship(name)
    targets = relation.GetForwardedTargets() if relation else []
    return targets[0].GetPrimPath() if targets else None


def _freedoms(
    scene: UsdScene, prim: Any, kind: str, axis: str, drive: str
) -> tuple[tuple[Freedom, ...], tuple[str, ...]]:
    if kind == "fixed":
        return (), ()
    if kind == "distance":
        return tuple(Freedom(name) for name in AXES), ()
    limits: dict[str, tuple[float, float]] = {}
    if kind in ("rot", "trans"):
        limits[kind + axis] = _range(
            scene, prim, kind + axis, "physics:lowerLimit", "physics:upperLimit"
        )
    elif kind == "ball":
        # The cone is about `axis`; about the axis itself the joint turns freely.
        across = [letter for letter in "XYZ" if letter != axis]
        limits = {f"rot{letter}": (-math.inf, math.inf) for letter in "XYZ"}
        for letter, name in zip(
            across, ("physics:coneAngle0Limit", "physics:coneAngle1Limit"), strict=True
        ):
            cone = read_number(prim, name)
            if cone is not None and 0 <= cone < 180:
                limits[f"rot{letter}"] = (-math.radians(cone), math.radians(cone))
    else:
        names = {name: (f"limit:{name}:physics:low", f"limit:{name}:physics:high") for name in AXES}
        limits = {name: _range(scene, prim, name, low, high) for name, (low, high) in names.items()}
    moving = tuple(
        _freedom(
            scene, prim, name, limits[name], (drive, name) if kind in ("rot", "trans") else (name,)
        )
        for name in AXES
        if name in limits and limits[name][0] <= limits[name][1]
    )
    return moving, tuple(name for name, (low, high) in limits.items() if low > high)


def _unit(scene: UsdScene, axis: str) -> float:
    """Metres or radians in a unit of the stage."""
    return scene.metres if axis.startswith("trans") else math.pi / 180


def _range(scene: UsdScene, prim: Any, axis: str, low: str, high: str) -> tuple[float, float]:
    far, unit = (ENDLESS_SLIDE if axis.startswith("trans") else ENDLESS_TURN), _unit(scene, axis)
    ends = []
    for name, endless in ((low, -math.inf), (high, math.inf)):
        stated = read_number(prim, name)
        end = endless if stated is None else stated * unit
        ends.append(end if abs(end) < far else math.copysign(math.inf, end))
    return ends[0], ends[1]


def _freedom(
    scene: UsdScene, prim: Any, axis: str, limits: tuple[float, float], drives: tuple[str, ...]
) -> Freedom:
    """`drives`: the names that the drive and the state of this freedom may have."""
    unit, kilograms = _unit(scene, axis), scene.kilograms
    slides = axis.startswith("trans")
    # Forces are in kg m/s² of the stage, torques in kg m²/s².
    force = kilograms * scene.metres ** (1 if slides else 2)
    first = {
        key: next(
            (
                got
                for name in drives
                if (got := read_number(prim, pattern.format(name))) is not None
            ),
            None,
        )
        for key, pattern in _DRIVE.items()
    }
    per_unit = read_number(prim, "newton:damping")
    # Of a joint that turns, for each degree per second.
    damping = per_unit / unit * (1.0 if slides else force) if per_unit else _first(prim, _DAMPING)
    return Freedom(
        axis,
        *limits,
        # Efforts in grams and centimetres are large numbers.
        _limited(
            first["force"],
            *(read_number(prim, name) for name in _EFFORTS),
            unit=force,
            most=_NO_LIMIT / force,
        ),
        _limited(first["velocity"], *(read_number(prim, name) for name in _SPEEDS), unit=unit),
        damping,
        _first(prim, _FRICTION),
        _scaled(first["state"], unit),
        _scaled(first["target"], unit),
        is_driven=any(first[key] for key in ("stiffness", "damping"))
        or any(first[key] is not None for key in ("force", "target")),
    )


def _scaled(stated: float | None, unit: float) -> float | None:
    return None if stated is None else stated * unit


def _limited(*stated: float | None, unit: float, most: float = _NO_LIMIT) -> float | None:
    """The first limit that bounds anything, in SI units."""
    return next((limit * unit for limit in stated if limit is not None and 0 < limit < most), None)


def _first(prim: Any, names: Iterable[str]) -> float | None:
    return next(
        (got for name in names if (got := read_number(prim, name)) is not None and got > 0), None
    )


_DRIVE = {
    "force": "drive:{}:physics:maxForce",
    "target": "drive:{}:physics:targetPosition",
    "stiffness": "drive:{}:physics:stiffness",
    "damping": "drive:{}:physics:damping",
    "state": "state:{}:physics:position",
    # It counts before that of the joint, which has one for all its axes.
    "velocity": "physxJointAxis:{}:maxJointVelocity",
}
_EFFORTS = ("newton:effortLimit", "urdf:limit:effort")
_SPEEDS = ("physxJoint:maxJointVelocity", "newton:velocityLimit")
_DAMPING = ("mjc:damping", "urdf:dynamics:damping")
_FRICTION = (
    "physxJoint:jointFriction",
    "newton:friction",
    "mjc:frictionloss",
    "urdf:dynamics:friction",
)


@dataclass(frozen=True, slots=True)
class Coupling:
    """position = multiplier · position(leader) + offset, in rad or m. `leader`: the path of a
    joint."""

    leader: Any
    multiplier: float
    offset: float


def coupling(scene: UsdScene, joint: UsdJoint, joints: Mapping[Any, UsdJoint]) -> Coupling | None:
    """Return the leader of a joint by PhysX (position + gearing · leader + offset = 0) or Newton;
    None for a free one.

    Offsets are in degrees or units of length, as are gears between a joint that turns and one that
    slides.
    """
    prim = joint.prim
    names = {
        name.split(":")[1]
        for name in prim.GetPropertyNames()
        if name.startswith("physxMimicJoint:")
    }
    for instance in sorted(names):
        start = f"physxMimicJoint:{instance}"
        leader = joint_target(prim, f"{start}:referenceJoint")
        if leader in joints:
            gear, offset = (
                read_number(prim, f"{start}:gearing"),
                read_number(prim, f"{start}:offset"),
            )
            return _coupling(
                scene, joint, leader, joints, -(1.0 if gear is None else gear), -(offset or 0.0)
            )
    leader = joint_target(prim, "newton:mimicJoint")
    if leader in joints and value(prim, "newton:mimicEnabled", True):
        offset, gear = (
            read_number(prim, "newton:mimicCoef0"),
            read_number(prim, "newton:mimicCoef1"),
        )
        return _coupling(scene, joint, leader, joints, 1.0 if gear is None else gear, offset or 0.0)
    return None


def _coupling(
    scene: UsdScene,
    joint: UsdJoint,
    leader: Any,
    joints: Mapping[Any, UsdJoint],
    gear: float,
    offset: float,
) -> Coupling | None:
    if len(joint.freedoms) != 1 or len(joints[leader].freedoms) != 1 or joints[leader] is joint:
        return None
    unit, leader_unit = (_unit(scene, each.freedoms[0].axis) for each in (joint, joints[leader]))
    return Coupling(leader, gear * unit / leader_unit, offset * unit)
