"""Numbers that are absurd for this robot (a key too many makes 82 m of 82 mm), and masses and
inertias of no body.

Planners do not read inertias, simulators do: MuJoCo refuses URDF080 of a link that moves by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import degrees, hypot, inf, isfinite, pi
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from editor_app.core.document.commands.fields import OfLink, SetField
from editor_app.core.document.commands.tools import get_link
from editor_app.core.model.findings import Finding, FindingSubject, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.urdf import (
    BOUNDED,
    Inertial,
    Joint,
    JointType,
    Link,
    Urdf,
    finite_range,
    sizes_of,
)
from editor_app.core.model.xrdf import AddFrame
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry
from editor_app.core.space.geometry.mass import USUAL_DENSITY, fill_solid, impossible, solid_of_link
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.space.kinematics.transforms import build_pose_matrix, inertia_tensor
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.rule import INFO, WARNING, CheckContext, flaw, rule

#: So many times what is usual in the robot, and so many times what is large in it.
ABSURD, BEYOND_LARGE = 100.0, 10.0
#: With fewer others there is nothing usual: metres that no robot has.
FEWEST, LONGEST = 3, 100.0
#: Speeds (also accelerations and jerks) and efforts so large mean that there is no limit.
NO_LIMIT, NO_EFFORT_LIMIT = 1e5, 1e9


@dataclass(frozen=True, slots=True)
class _Length:
    """A length of the URDF in metres; `phrase` names it for a sentence, `link` or `joint` it
    belongs to."""

    value: float
    phrase: str
    link: str | None = None
    joint: str | None = None


@rule("URDF070", "Implausible length for this robot", "urdf", "urdf", file="urdf")
def lengths(c: CheckContext) -> Iterable[Finding]:
    every = list(_lengths(c.urdf))
    for place in _absurd([length.value for length in every]):
        length = every[place]
        yield _finding(c, length.link, length.joint, length.phrase, f"{length.value:g} m")


@rule("URDF071", "Implausible mass for this robot", "urdf", "urdf", file="urdf")
def masses(c: CheckContext) -> Iterable[Finding]:
    weighed = [
        (link.name, link.inertial.mass) for link in c.urdf.links if link.inertial is not None
    ]
    total = sum(mass for _, mass in weighed if isfinite(mass))
    for link, mass in weighed:
        others = total - mass
        # Not by the usual: a gripper's screw and a robot's foot are both right.
        if isfinite(mass) and len(weighed) >= FEWEST and 0 < others < mass / ABSURD:
            yield _finding(c, link, None, f"the mass of link {link!r}", f"{mass:g} kg")


@rule("URDF072", "Implausible limit for this robot", "urdf", "urdf", file="urdf")
def limits(c: CheckContext) -> Iterable[Finding]:
    for turning, unit in ((True, "rad"), (False, "m")):
        kinds = (JointType.REVOLUTE, JointType.CONTINUOUS) if turning else (JointType.PRISMATIC,)
        joints = [
            joint for joint in c.urdf.joints if joint.type in kinds and joint.limit is not None
        ]
        for name, per, effort in (
            ("lower", "", ""),
            ("upper", "", ""),
            ("velocity", "/s", ""),
            # A torso beside a finger: forces differ by more than a digit.
            *((("effort", "", "Nm"),) if turning else ()),
            ("acceleration", "/s²", ""),
            ("jerk", "/s³", ""),
        ):
            limit_values = [
                (joint, abs(value))
                for joint in joints
                if (value := getattr(joint.limit, name)) is not None
            ]
            limit_values = [
                (joint, value)
                for joint, value in limit_values
                if isfinite(value) and value < NO_LIMIT
            ]
            # A shoulder beside fingers drives with a thousand times as much.
            least = 10_000.0 if effort else 100.0 if turning else 10.0
            for place in _absurd([value for _, value in limit_values], least=least):
                joint, value = limit_values[place]
                limit_name = f"the {name} limit of joint {joint.name!r}"
                yield _finding(c, None, joint.name, limit_name, f"{value:g} {effort or unit + per}")


@rule("URDF025", "Position limits without effect", "urdf", "urdf urdf_source", file="urdf")
def endless_positions(c: CheckContext) -> Iterable[Finding]:
    for joint in c.urdf.joints:
        span, limit = joint.position_limits, joint.limit
        if (
            joint.type not in BOUNDED
            or limit is None
            or (span is not None and all(map(isfinite, span)))
        ):
            continue
        written = f"its limits are {limit.lower or 0.0:g} to {limit.upper or 0.0:g}"
        if joint.type is JointType.PRISMATIC:
            message = (
                f"Joint {joint.name!r} can slide without end: {written}. Masks and plans need a "
                "range "
            )
            message += "and are refused. Write the real limits."
        else:
            low, high = map(degrees, finite_range(*(span or (-inf, inf)), 2.0 * pi))
            message = (
                f"Joint {joint.name!r} can turn without end: {written}. Masks and plans use one "
                "turn, "
            )
            message += f"{low:.4g}° to {high:.4g}°."
        place, remedies = _joint_location(c, joint.name), fixes.bound_turn(joint)
        yield flaw(WARNING, message, joints=(joint.name,), location=place, fixes=remedies)


@rule("URDF026", "Limits without effect", "urdf", "urdf urdf_source", file="urdf")
def endless_rates(c: CheckContext) -> Iterable[Finding]:
    for joint in c.urdf.joints:
        for name in ("effort", "velocity", "acceleration", "deceleration", "jerk"):
            value = getattr(joint.limit, name, None)
            if (
                value is not None
                and isfinite(value)
                and value >= (NO_EFFORT_LIMIT if name == "effort" else NO_LIMIT)
            ):
                message = (
                    f"The {name} limit of joint {joint.name!r} is {value:g}, which no joint "
                    "reaches: it has "
                )
                message += "nothing. Write the manufacturer's number."
                yield flaw(
                    WARNING, message, joints=(joint.name,), location=_joint_location(c, joint.name)
                )


@rule(
    "XRDF315",
    "Implausible sphere or added frame for this robot",
    "geometry",
    "urdf geometry modifiers",
)
def spheres(c: CheckContext) -> Iterable[Finding]:
    usual = _usual([length.value for length in _lengths(c.urdf)])
    if usual is None:
        return
    most = ABSURD * usual
    for group in c.geometry or ():
        for frame, items in group.spheres.items():
            for i, sphere in enumerate(items):
                path = ("geometry", group.name, "spheres", frame, i)
                for key, value in (("center", hypot(*sphere.center)), ("radius", sphere.radius)):
                    if isfinite(value) and value > most:
                        words = "is away from its frame" if key == "center" else "is its radius"
                        message = (
                            f"Sphere {i + 1} of {frame}: {value:g} m {words}, "
                            f"{_times(value, usual)}"
                        )
                        yield Finding(
                            "XRDF315",
                            WARNING,
                            message,
                            (*path, key),
                            subject=FindingSubject(links=(frame,)),
                        )
    for i, modifier in enumerate(c.modifiers or ()):
        if (
            isinstance(modifier, AddFrame)
            and (value := hypot(*modifier.fixed_transform.position)) > most
        ):
            message = (
                f"The added frame {modifier.frame_name!r} is {value:g} m from its parent, "
                f"{_times(value, usual)}"
            )
            yield flaw(WARNING, message, ("modifiers", i), section="modifiers")


def _finding(
    c: CheckContext, link: str | None, joint: str | None, quantity: str, value: str
) -> Finding:
    source = c.urdf_source
    place = _joint_location(c, joint or "")
    if source is not None and link is not None:
        place = source.link_location(link)
    message = f"{quantity} is {value}: a hundred times the usual value. Is a digit wrong?"
    return flaw(
        WARNING,
        message,
        links=(link,) if link else (),
        joints=(joint,) if joint else (),
        location=place,
    )


def _joint_location(c: CheckContext, joint: str) -> Location | None:
    return c.urdf_source.joint_location(joint) if c.urdf_source is not None else None


def _times(value: float, usual: float) -> str:
    return f"{value / usual:.0f} times the usual value in this robot. Is a digit wrong?"


def _usual(values: Sequence[float]) -> float | None:
    positive = [value for value in values if isfinite(value) and value > 1e-6]
    return median(positive) if len(positive) >= FEWEST else None


def _absurd(values: Sequence[float], least: float = 0.0) -> list[int]:
    """The places of values beyond all others; below `least` none is, however small the others
    are."""
    usual = _usual(values)
    if usual is None:
        return [
            i for i, value in enumerate(values) if isfinite(value) and value > max(LONGEST, least)
        ]
    positive = sorted(value for value in values if isfinite(value) and value > 1e-6)
    # A quarter may be larger: among few values the absurd ones are not what is large.
    large = positive[3 * (len(positive) - 1) // 4]
    return [
        i
        for i, value in enumerate(values)
        if isfinite(value)
        and value > least
        and value > ABSURD * usual
        and value > BEYOND_LARGE * large
    ]


def _lengths(urdf: Urdf) -> Iterable[_Length]:
    for joint in urdf.joints:
        yield _Length(_away(joint.origin), f"the origin of joint {joint.name!r}", joint=joint.name)
        yield from _prismatic(joint)
    for link in urdf.links:
        for kind, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for shape in shapes:
                yield _Length(
                    _away(shape.origin),
                    f"the origin of a {kind} of link {link.name!r}",
                    link=link.name,
                )
                for size in sizes_of(shape.geometry):
                    yield _Length(
                        size, f"the size of a {kind} of link {link.name!r}", link=link.name
                    )
        if link.inertial is not None:
            yield _Length(
                _away(link.inertial.origin),
                f"the centre of mass of link {link.name!r}",
                link=link.name,
            )


def _prismatic(joint: Joint) -> Iterable[_Length]:
    if joint.type is JointType.PRISMATIC and joint.limit is not None:
        for name in ("lower", "upper"):
            value = abs(getattr(joint.limit, name) or 0.0)
            if value < NO_LIMIT:
                yield _Length(value, f"the {name} limit of joint {joint.name!r}", joint=joint.name)


def _away(origin: Origin) -> float:
    return hypot(*origin.xyz)


#: A shape of the file leaves out motors and cables: so much beside it (a share of its size) is
#: still of this shape.
_BESIDE = 0.25
#: Metres that the smallest link may be beside its shape.
_LEAST_BESIDE = 0.005
#: kg/m³ of the box around a shape: nothing is heavier than osmium, and what is lighter than foam
#: weighs too little.
_DENSEST, _LIGHTEST = 22_600.0, 2.0
#: Share of the moment of the filled box below which digits are missing, not material.
_TOO_LITTLE = 1e-3
#: Along the axes, the edges and the diagonals of a cube: 13 slabs that a hull lies between.
_DIRECTIONS = np.array([d for d in product((-1, 0, 1), repeat=3) if d > (0, 0, 0)], float)
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1)[:, None]


@dataclass(frozen=True, slots=True)
class FillWithShape:
    """The fix that fills the shapes of a link with one material: at its mass, or where no material
    has that mass at the usual density. Meshes are read when it is applied, not when a rule offers
    it."""

    link: str
    urdf_path: Path | None
    packages: FrozenDict[str, Path]

    @property
    def label(self) -> str:
        return f"Compute the inertia of {self.link} from its shape"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        """Raises CannotApply where no shape encloses a volume."""
        link = get_link(robot, self.link)
        solid = solid_of_link(robot.urdf, link, MeshStore(self.urdf_path, self.packages))
        if solid is None:
            raise CannotApply(f"No shape of {self.link} encloses a volume.")
        mass = link.inertial.mass if link.inertial is not None else 0.0
        if not _LIGHTEST <= mass / solid.volume <= _DENSEST:
            mass = solid.volume * USUAL_DENSITY
        return SetField(OfLink(self.link), "inertial", fill_solid(solid, mass), self.label).apply(
            robot
        )


@rule("URDF080", "Impossible inertia", "urdf", "urdf urdf_source urdf_path mappings", file="urdf")
def inertias(c: CheckContext) -> Iterable[Finding]:
    for link, inertial in _weighed(c.urdf):
        yield from _inertia_finding(c, link, WARNING, impossible(inertial))


@rule(
    "URDF081",
    "Impossible inertia for this shape",
    "urdf",
    "urdf urdf_source urdf_path mappings",
    file="urdf",
    slow=True,
)
def inertias_of_shapes(c: CheckContext) -> Iterable[Finding]:
    store = MeshStore(c.urdf_path, c.mappings)
    for link, inertial in _weighed(c.urdf):
        if not impossible(inertial):
            message = c.memory.recall(
                "no such shape",
                (link, c.urdf_path, c.mappings),
                lambda link=link, inertial=inertial: _of_no_such_shape(c, link, inertial, store),  # type: ignore[misc]
            )
            yield from _inertia_finding(c, link, INFO, message)


def _weighed(urdf: Urdf) -> Iterable[tuple[Link, Inertial]]:
    """The links with an inertial of finite numbers; without any mass or moment it is that of a bare
    frame."""
    for link in urdf.links:
        inertial = link.inertial
        if inertial is None or not np.isfinite([inertial.mass, *inertial.inertia]).all():
            continue
        if inertial.mass or any(inertial.inertia):
            yield link, inertial


def _inertia_finding(
    c: CheckContext, link: Link, severity: Severity, message: str
) -> Iterable[Finding]:
    if message:
        place = c.urdf_source.inertial_location(link.name) if c.urdf_source is not None else None
        text = f"Inertia of {link.name!r}: {message[0].lower()}{message[1:]}"
        fixes = (
            (FillWithShape(link.name, c.urdf_path, c.mappings),)
            if link.visuals or link.collisions
            else ()
        )
        yield flaw(severity, text, links=(link.name,), location=place, fixes=fixes)


def _of_no_such_shape(c: CheckContext, link: Link, inertial: Inertial, store: MeshStore) -> str:
    """Why no body within the link's shapes, or a little beside them, has that; "" where one can, or
    without shapes."""
    parts = [p for kind in ("visual", "collision")
             for p in link_geometry(c.urdf, c.urdf_path, link, kind, store=store).parts]  # fmt: skip
    points, _ = merge_parts(parts)
    if not len(points):
        return ""
    place = build_pose_matrix(inertial.origin)
    # About the centre of mass, in the axes of the inertia.
    points = (points - place[:3, 3]) @ place[:3, :3]
    low, high = points.min(axis=0), points.max(axis=0)
    beside = max(_BESIDE * float((high - low).max()), _LEAST_BESIDE)
    along = points @ _DIRECTIONS.T
    outside = float(max((along.min(axis=0)).max(), (-along.max(axis=0)).max()))
    if outside > beside:
        return f"The centre of mass is {1000 * outside:.0f} mm outside the link's shape."
    volume = float(np.prod(high - low + _LEAST_BESIDE))
    density = inertial.mass / volume
    if not _LIGHTEST <= density <= _DENSEST:
        than = "heavier than any metal" if density > 1 else "lighter than any foam"
        return (
            f"{inertial.mass:g} kg in the box around the link's shape is {density:.3g} kg/m³, "
            f"{than}."
        )
    return _moments_beyond(inertial, points, low, high, beside)


def _moments_beyond(
    inertial: Inertial,
    points: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    beside: float,
) -> str:
    """A moment is at most the mass times the square of the largest distance from its axis, wherever
    the material is."""
    moments, axes = np.linalg.eigh(inertia_tensor(inertial))
    sizes = high - low + _LEAST_BESIDE
    squares = (sizes**2).sum() - sizes**2
    box = np.sort(inertial.mass / 12 * squares)
    turned = points @ axes
    for i, moment in enumerate(moments):
        across = np.delete(turned, i, axis=1)
        reach = float(np.sqrt((across**2).sum(axis=1).max())) + beside
        if moment > inertial.mass * reach**2:
            most = inertial.mass * reach**2
            return (
                f"A principal moment is {moment:.3g} kg m²; with all its mass at the ends, the "
                "shape would have "
                f"{most:.3g}."
            )
        if moment < _TOO_LITTLE * box[i]:
            return (
                f"A principal moment is {moment:.3g} kg m²; a solid box around the shape has "
                f"{box[i]:.3g}."
            )
    return ""
