"""URDF as frozen values: every element and attribute of URDF 1.0 to 1.2. Metres, radians,
kilograms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from operator import attrgetter
from typing import Any

# `Quaternion` and `IDENTITY` are imported for scripts, which use this module as `editor_app.urdf`.
from editor_app.core.model.frozen import remembers
from editor_app.core.model.origin import IDENTITY as IDENTITY
from editor_app.core.model.origin import Origin as Origin
from editor_app.core.model.origin import Quaternion as Quaternion
from editor_app.core.model.origin import Vector3 as Vector3
from editor_app.core.model.sensors import Sensor


class _Quick:
    """Scenes of thousands go to worker processes: the way of dataclasses with slots takes three
    times as long."""

    __slots__: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Box(_Quick):
    """`size`: full edge lengths, metres. The origin is the centre."""

    size: Vector3


@dataclass(frozen=True, slots=True)
class Cylinder(_Quick):
    """Along z, centred."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """Along z, the origin in the middle. `length` is the length of the cylindrical part, metres
    (URDF 1.1)."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Ball(_Quick):
    """A `<sphere>`. Its name is Ball because a CollisionSphere is something else."""

    radius: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """`filename` exactly as written (package://, file://, relative, …). A negative scale factor
    mirrors the mesh."""

    filename: str
    scale: Vector3 = (1.0, 1.0, 1.0)


Geometry = Box | Cylinder | Capsule | Ball | Mesh


def sizes_of(geometry: Geometry) -> tuple[float, ...]:
    """Edge lengths, or radius and length, in metres. Empty for a mesh: its size is in its file."""
    if isinstance(geometry, Mesh):
        return ()
    if isinstance(geometry, Box):
        return geometry.size
    return (geometry.radius,) if isinstance(geometry, Ball) else (geometry.radius, geometry.length)


@dataclass(frozen=True, slots=True)
class Material:
    """`rgba` in 0..1. A material with a name and nothing else refers to a material that is defined
    elsewhere."""

    name: str = ""
    rgba: tuple[float, float, float, float] | None = None
    texture: str | None = None


@dataclass(frozen=True, slots=True)
class Visual:
    geometry: Geometry
    origin: Origin = IDENTITY
    material: Material | None = None
    name: str | None = None


class Hydroelastic(StrEnum):
    """How a shape gives way in Drake's hydroelastic contact; a shape without one touches in
    points."""

    RIGID = "rigid"
    COMPLIANT = "compliant"


@dataclass(frozen=True, slots=True)
class Proximity:
    """How a shape touches others in Drake: its `drake:proximity_properties`. None: not in the file,
    Drake's default.

    Metres, pascals, seconds per metre, seconds, newtons per metre; friction has no unit. The
    numbers are called as their elements; source:
    https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html
    """

    hydroelastic: Hydroelastic | None = None
    mesh_resolution_hint: float | None = None
    hydroelastic_modulus: float | None = None
    hunt_crossley_dissipation: float | None = None
    relaxation_time: float | None = None
    point_contact_stiffness: float | None = None
    mu_dynamic: float | None = None
    mu_static: float | None = None


@dataclass(frozen=True, slots=True)
class Collision:
    geometry: Geometry
    origin: Origin = IDENTITY
    name: str | None = None
    proximity: Proximity | None = None


@dataclass(frozen=True, slots=True)
class Inertial:
    """`inertia` is (ixx, ixy, ixz, iyy, iyz, izz) in kg m² about the centre of mass, in the axes of
    `origin`."""

    mass: float
    inertia: tuple[float, float, float, float, float, float]
    origin: Origin = IDENTITY


@dataclass(frozen=True, slots=True)
class Extension:
    """An element that URDF does not define (gazebo, …), as its text in the file."""

    tag: str
    text: str
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()
    extensions: tuple[Extension, ...] = ()

    @property
    def proximity(self) -> Proximity | None:
        """How the link touches in Drake; None where its collision shapes say nothing, or not all
        the same."""
        [first, *others] = {collision.proximity for collision in self.collisions} or {None}
        return None if others else first

    @property
    def shapes(self) -> tuple[Visual | Collision, ...]:
        """The visual ones first."""
        return (*self.visuals, *self.collisions)


#: Placeholders for limits that a URDF must have and that are unknown. They are small, so that they
#: do no harm. Radians per second, metres per second, newton metres or newtons.
PLACEHOLDER_TURNING_SPEED, PLACEHOLDER_SLIDING_SPEED, PLACEHOLDER_EFFORT = 1.0, 0.1, 100.0


class JointType(StrEnum):
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FIXED = "fixed"
    FLOATING = "floating"
    PLANAR = "planar"


#: The joint types with one position. XRDF can control these.
MOVABLE = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC})
#: The joint types that must have limits.
BOUNDED = frozenset({JointType.REVOLUTE, JointType.PRISMATIC})
#: Position limits from here on bound nothing: radians of a joint that turns, metres of one that
#: slides.
ENDLESS_TURN, ENDLESS_SLIDE = 1e4, 1e3
#: Metres from a frame, or between two. Nothing is computed with what is farther away: single
#: precision, in which distances are sampled and shown, resolves no more than a millimetre there.
FARTHEST = 1e4


@dataclass(frozen=True, slots=True)
class Limit:
    """Radians or metres, per second and so on. The last three belong to URDF 1.2.

    None: not in the file. A bound is 0 then; of the others there is no limit.
    """

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    acceleration: float | None = None
    deceleration: float | None = None
    jerk: float | None = None


@dataclass(frozen=True, slots=True)
class Mimic:
    """position = multiplier · position(joint) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Dynamics:
    damping: float | None = None
    friction: float | None = None


@dataclass(frozen=True, slots=True)
class SafetyController:
    k_velocity: float | None = None
    k_position: float | None = None
    soft_lower_limit: float | None = None
    soft_upper_limit: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    reference_position: float | None = None
    rising: float | None = None
    falling: float | None = None


@dataclass(frozen=True, slots=True)
class Joint:
    name: str
    type: JointType
    parent: str
    child: str
    origin: Origin = IDENTITY
    #: As written. The kinematics normalises it.
    axis: Vector3 = (1.0, 0.0, 0.0)
    limit: Limit | None = None
    mimic: Mimic | None = None
    dynamics: Dynamics | None = None
    safety: SafetyController | None = None
    calibration: Calibration | None = None
    extensions: tuple[Extension, ...] = ()

    @property
    def is_movable(self) -> bool:
        """True if the joint has one position (revolute, continuous or prismatic)."""
        return self.type in MOVABLE

    @property
    def position_limits(self) -> tuple[float, float] | None:
        """(lower, upper) in radians or metres; None for a continuous joint, and for one without a
        single position.

        A bound of `ENDLESS_TURN` or `ENDLESS_SLIDE` and more is infinite here; None as well where
        both bounds are.
        """
        limit = self.limit or Limit()
        return position_range(self.type, limit.lower, limit.upper) if self.type in BOUNDED else None

    def clamped(self, value: float = 0.0) -> float:
        """The nearest value within the limits. Without limits, or with lower > upper: `value`
        itself."""
        lower, upper = self.position_limits or (value, value)
        return value if lower > upper else min(max(value, lower), upper)

    def position_text(self, value: float) -> str:
        """A position in the unit of files and, of a joint that turns, in degrees, too."""
        if self.type is JointType.PRISMATIC:
            return f"{value:.4g} m"
        return f"{value:.4g} rad ({math.degrees(value):.4g}°)"


def position_range(
    kind: JointType, lower: float | None, upper: float | None
) -> tuple[float, float] | None:
    """The bounds as `Joint.position_limits` has them; one that is absent or no number is 0, as
    urdfdom takes it."""
    far = ENDLESS_SLIDE if kind is JointType.PRISMATIC else ENDLESS_TURN
    bounds = (0.0 if value is None or math.isnan(value) else value for value in (lower, upper))
    low, high = (math.copysign(math.inf, value) if abs(value) >= far else value for value in bounds)
    return None if math.isinf(low) and math.isinf(high) else (low, high)


def finite_range(lower: float, upper: float, width: float) -> tuple[float, float]:
    """The bounds (rad or m) where both are finite; else a range of that width at the finite one, or
    around 0."""
    if math.isinf(lower):
        lower = -0.5 * width if math.isinf(upper) else upper - width
    return lower, (lower + width if math.isinf(upper) else upper)


@dataclass(frozen=True, slots=True)
class Transmission:
    name: str
    type: str | None
    joints: tuple[str, ...]
    actuators: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Urdf:
    """The content of a URDF. `links` and `joints` in document order; names are unique if `check`
    finds no fault."""

    name: str = ""
    version: str = "1.0"
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    materials: tuple[Material, ...] = ()
    transmissions: tuple[Transmission, ...] = ()
    extensions: tuple[Extension, ...] = ()
    #: The `<sensor>` elements of the robot. Sensors in extensions (Gazebo's) stay there:
    #: `core.formats.urdf.sensors`.
    sensors: tuple[Sensor, ...] = ()

    def link(self, name: str) -> Link | None:
        """Return the first link of that name."""
        return _first_by(_name_of, self.links).get(name)

    def joint(self, name: str) -> Joint | None:
        """Return the first joint of that name."""
        return _first_by(_name_of, self.joints).get(name)

    def joint_to(self, link: str) -> Joint | None:
        """Return the first joint that carries a link; None for a root."""
        return _first_by(_child_of, self.joints).get(link)

    def material(self, name: str) -> Material | None:
        """The definition of a material: a global one, else the first inline one that has a colour
        or a texture."""
        return next((material for material in self._definitions() if material.name == name), None)

    def materials_by_name(self) -> dict[str, Material]:
        """The definition of each name that has one, as `material` tells it: for many names."""
        by_name: dict[str, Material] = {}
        for material in self._definitions():
            by_name.setdefault(material.name, material)
        return by_name

    def _definitions(self) -> Iterator[Material]:
        inline = (v.material for link in self.links for v in link.visuals if v.material is not None)
        return (
            m for m in chain(self.materials, inline) if m.rgba is not None or m.texture is not None
        )


_name_of = attrgetter("name")
_child_of = attrgetter("child")


@remembers(6)
def _first_by(key: Callable[[Any], str], elements: tuple[Any, ...]) -> dict[str, Any]:
    """Return the first element for each key: a search for each link of a robot would take the
    square of its links."""
    return {key(element): element for element in reversed(elements)}
