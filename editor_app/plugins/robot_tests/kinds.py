"""The kinds of test that a test file can have: one frozen class per kind, one field per key.

Reader, JSON Schema, completion, hover and manual read the metadata of the fields: a new key is one
line here, and its use in `verbs/judges.py`. Lengths are metres, angles radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import KeyDescription, Named
from editor_app.core.text.yaml.vocabulary import Step, Vocabulary
from editor_app.core.verbs.schema import DRAFT, Schema, record_schema
from editor_app.plugins.robot_tests.forms import (
    COUNT,
    FILE,
    FLAG,
    GEOMETRY,
    LENGTH,
    NAME,
    NAMES,
    PAIR,
    POSE,
    PROGRAMS,
    QUANTITY,
    SHARE,
    VECTOR,
    PoseGiven,
    TestKey,
    key_field,
)

_JOINT, _FRAME = Named.JOINT, Named.LINK
_AT = (
    "The configuration: default, a state of the SRDF, or joint -> position (other joints at their "
    "default)."
)


class TestKind:
    """A kind of test. `KEY`: its key in the file. `CODE`: of the finding when it fails. `MEANS`:
    one sentence.

    `ONE_OF`: keys of which a test has at least one.
    """

    KEY: ClassVar[str]
    CODE: ClassVar[str]
    MEANS: ClassVar[str]
    ONE_OF: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class Free(TestKind):
    KEY, CODE, MEANS = "free", "TEST010", "The robot is within its limits and free of collisions."

    at: PoseGiven = key_field(POSE, _AT, "rad or m", _JOINT)
    clearance: float = key_field(
        LENGTH, "Least distance between links, and to obstacles.", "m", default=0.0
    )
    geometry: str = key_field(
        GEOMETRY, "Shapes to compare: spheres (default), hulls, meshes, both.", default="spheres"
    )


@dataclass(frozen=True, slots=True)
class Collides(TestKind):
    KEY, CODE, MEANS = "collides", "TEST011", "The robot is within its limits and collides."

    at: PoseGiven = key_field(POSE, _AT, "rad or m", _JOINT)
    pair: tuple[str, ...] = key_field(
        PAIR, "The links that collide, or a link and an obstacle.", names=_FRAME, default=()
    )
    depth: float = key_field(LENGTH, "Least depth of the overlap.", "m", default=0.0)
    geometry: str = key_field(
        GEOMETRY, "Shapes to compare: spheres (default), hulls, meshes, both.", default="spheres"
    )


@dataclass(frozen=True, slots=True)
class PathExists(TestKind):
    KEY, CODE, MEANS = (
        "plan",
        "TEST012",
        "The planner connects two configurations by a motion that is proven free.",
    )

    start: PoseGiven = key_field(POSE, _AT, "rad or m", _JOINT)
    goal: PoseGiven = key_field(POSE, _AT, "rad or m", _JOINT)
    clearance: float = key_field(LENGTH, "Least clearance along the motion.", "m", default=0.0)
    seconds: float = key_field(LENGTH, "Time limit of the planner (default: 5).", "s", default=5.0)


@dataclass(frozen=True, slots=True)
class MotionStays(TestKind):
    KEY, CODE, MEANS = (
        "motion",
        "TEST023",
        "A recorded motion stays possible: its points and the lines between them are free and "
        "within the limits.",
    )

    file: str = key_field(FILE, "The motion: a trajectory file or a bag.")
    clearance: float = key_field(LENGTH, "Least clearance along the motion.", "m", default=0.0)
    between: bool = key_field(
        FLAG, "Whether the lines between the points count (default: true).", default=True
    )
    rates: bool = key_field(
        FLAG,
        "Whether velocity, acceleration and jerk limits count (default: false).",
        default=False,
    )


@dataclass(frozen=True, slots=True)
class Reaches(TestKind):
    KEY, CODE, MEANS = "reach", "TEST013", "A frame reaches a pose within the joint limits."

    frame: str = key_field(NAME, "The frame, for example a tool frame.", names=_FRAME)
    position: tuple[float, ...] = key_field(VECTOR, "Target x, y, z.", "m")
    rpy: tuple[float, ...] = key_field(
        VECTOR, "Target roll, pitch, yaw; without it any orientation.", "rad", default=()
    )
    relative_to: str = key_field(
        NAME, "The frame of the target (default: the base).", names=_FRAME, default=""
    )
    free: bool = key_field(
        FLAG, "Whether the posture must be free of collisions (default: false).", default=False
    )


@dataclass(frozen=True, slots=True)
class FrameAt(TestKind):
    KEY, CODE, MEANS = "frame", "TEST014", "A frame has a given pose at a configuration."

    frame: str = key_field(NAME, "The frame.", names=_FRAME)
    position: tuple[float, ...] = key_field(VECTOR, "Expected x, y, z.", "m")
    at: PoseGiven = key_field(POSE, _AT, "rad or m", _JOINT, default="default")
    relative_to: str = key_field(
        NAME, "The frame of the numbers (default: the base).", names=_FRAME, default=""
    )
    rpy: tuple[float, ...] = key_field(
        VECTOR, "Expected roll, pitch, yaw; without it any orientation.", "rad", default=()
    )
    within: float = key_field(
        LENGTH, "Largest distance from the position (default: 0.1 mm).", "m", default=1e-4
    )
    within_angle: float = key_field(
        LENGTH, "Largest turn from the orientation (default: 0.001).", "rad", default=1e-3
    )


@dataclass(frozen=True, slots=True)
class DistanceIs(TestKind):
    KEY, CODE, MEANS = (
        "distance",
        "TEST024",
        "Two points on the robot have a given distance at a configuration.",
    )

    frames: tuple[str, ...] = key_field(PAIR, "The frames of the two points.", names=_FRAME)
    distance: float = key_field(LENGTH, "Expected distance.", "m")
    at: PoseGiven = key_field(POSE, _AT, "rad or m", _JOINT, default="default")
    first: tuple[float, ...] = key_field(
        VECTOR, "The point in the first frame (default: its origin).", "m", default=()
    )
    second: tuple[float, ...] = key_field(
        VECTOR, "The point in the second frame (default: its origin).", "m", default=()
    )
    within: float = key_field(LENGTH, "Largest difference (default: 0.1 mm).", "m", default=1e-4)


@dataclass(frozen=True, slots=True)
class SameMechanism(TestKind):
    KEY, CODE, MEANS = (
        "mechanism",
        "TEST015",
        "Frames and joint limits are the same as in another file.",
    )

    file: str = key_field(FILE, "The URDF, for example the one of the last release.")
    within: float = key_field(
        LENGTH, "Largest distance between frames (default: 1 µm).", "m", default=1e-6
    )
    within_angle: float = key_field(
        LENGTH, "Largest turn between frames (default: 1e-6).", "rad", default=1e-6
    )


@dataclass(frozen=True, slots=True)
class MaskHolds(TestKind):
    KEY, CODE, MEANS = (
        "mask",
        "TEST016",
        "Every ignored pair is adjacent, rigid or proven never to collide, or carries a signed "
        "reason.",
    )

    samples: int = key_field(COUNT, "Random configurations (default: 20000).", default=20_000)
    seconds: float = key_field(LENGTH, "Time limit of the proofs (default: 10).", "s", default=10.0)


@dataclass(frozen=True, slots=True)
class SpheresFit(TestKind):
    KEY, CODE, MEANS = (
        "spheres",
        "TEST017",
        "The spheres of a link, or of the robot, are within bounds.",
    )
    ONE_OF = (
        "coverage_at_least",
        "protrusion_at_most",
        "number_at_least",
        "number_at_most",
        "self_buffer",
        "obstacle_buffer",
    )

    link: str = key_field(
        NAME, "The link (default: every link with spheres).", names=_FRAME, default=""
    )
    coverage_at_least: float = key_field(
        SHARE, "Share of the surface inside the spheres.", default=None
    )
    protrusion_at_most: float = key_field(
        LENGTH, "How far spheres protrude at most, by proof.", "m", default=None
    )
    number_at_least: int = key_field(COUNT, "Number of spheres.", default=None)
    number_at_most: int = key_field(COUNT, "Number of spheres.", default=None)
    self_buffer: float = key_field(
        QUANTITY, "Buffer of the link for self-collision.", "m", default=None
    )
    obstacle_buffer: float = key_field(
        QUANTITY, "Buffer of the link for obstacles.", "m", default=None
    )


@dataclass(frozen=True, slots=True)
class CostWithin(TestKind):
    KEY, CODE, MEANS = (
        "cost",
        "TEST018",
        "False and missed collisions of spheres and mask, compared with the meshes.",
    )
    ONE_OF = ("false_collisions_at_most", "missed_collisions_at_most")

    false_collisions_at_most: float = key_field(
        SHARE, "Share of the free configurations that the spheres refuse.", default=None
    )
    missed_collisions_at_most: float = key_field(
        SHARE, "Share of the colliding configurations that the spheres accept.", default=None
    )
    samples: int = key_field(COUNT, "Random configurations (default: 2000).", default=2000)
    seed: int = key_field(COUNT, "Seed of the configurations (default: 0).", default=0)


@dataclass(frozen=True, slots=True)
class LimitsAre(TestKind):
    KEY, CODE, MEANS = (
        "limits",
        "TEST019",
        "The limits of a joint are the values of its data sheet.",
    )
    ONE_OF = ("lower", "upper", "velocity", "acceleration", "jerk")

    joint: str = key_field(NAME, "The joint.", names=_JOINT)
    lower: float = key_field(QUANTITY, "Lower position limit.", "rad or m", default=None)
    upper: float = key_field(QUANTITY, "Upper position limit.", "rad or m", default=None)
    velocity: float = key_field(LENGTH, "Velocity limit.", "rad/s or m/s", default=None)
    acceleration: float = key_field(LENGTH, "Acceleration limit.", "rad/s² or m/s²", default=None)
    jerk: float = key_field(LENGTH, "Jerk limit.", "rad/s³ or m/s³", default=None)


@dataclass(frozen=True, slots=True)
class Controls(TestKind):
    KEY, CODE, MEANS = (
        "controls",
        "TEST007",
        "Controlled joints, tool frames and default configuration are these.",
    )
    ONE_OF = ("joints", "tools", "default")

    joints: tuple[str, ...] = key_field(
        NAMES, "The joints of the c-space in their order.", names=_JOINT, default=()
    )
    tools: tuple[str, ...] = key_field(
        NAMES, "The tool frames in their order.", names=_FRAME, default=()
    )
    default: PoseGiven = key_field(
        POSE, "Joint -> default position.", "rad or m", _JOINT, default=None
    )


@dataclass(frozen=True, slots=True)
class LoadsIn(TestKind):
    KEY, CODE, MEANS = (
        "loads",
        "TEST020",
        "Programs load the files: check reports no error for them.",
    )

    programs: tuple[str, ...] = key_field(PROGRAMS, "The programs, as check --profile names them.")


KINDS: Mapping[str, type[TestKind]] = FrozenDict(
    {
        kind.KEY: kind
        for kind in (
            Free,
            Collides,
            PathExists,
            MotionStays,
            Reaches,
            FrameAt,
            DistanceIs,
            SameMechanism,
            MaskHolds,
            SpheresFit,
            CostWithin,
            LimitsAre,
            Controls,
            LoadsIn,
        )
    }
)
FORMAT = "robot-tests"
#: How the name of a test file ends.
ENDING = ".tests.yaml"


def entries_of_kind(kind: type[TestKind]) -> Mapping[str, TestKey]:
    """Return key -> entry of a kind, in their order."""
    return FrozenDict({each.name: each.metadata["entry"] for each in fields(kind)})  # type: ignore[arg-type]


#: The keys of the file and of each of its tests that belong to no kind.
_HEAD: Mapping[str, KeyDescription] = FrozenDict(
    {
        "format": KeyDescription(f"The file's format: always {FORMAT}.", values=(FORMAT,)),
        "format_version": KeyDescription("Version of the format: 1.", values=("1",)),
        "scene": KeyDescription("File with obstacles, relative to the folder of this file."),
        "tests": KeyDescription("The tests, each with a name and one kind.", "list"),
    }
)
_NAME_PLACE = KeyDescription("What the test is about, for reports; each name once.")


def _places() -> dict[tuple[Step, ...], KeyDescription]:
    places: dict[tuple[Step, ...], KeyDescription] = {(key,): place for key, place in _HEAD.items()}
    test = ("tests", "#")
    places[(*test, "name")] = _NAME_PLACE
    for key, kind in KINDS.items():
        places[(*test, key)] = KeyDescription(kind.MEANS, "mapping")
        for name, each in entries_of_kind(kind).items():
            path = (*test, key, name)
            places[path] = each.place
            if each.names is not None and each.place.shape == "mapping":
                places[(*path, "*")] = KeyDescription(
                    each.place.means, unit=each.place.unit, key_names=each.names
                )
            elif each.place.shape == "list" and (each.names is not None or each.form is PROGRAMS):
                values = tuple(each.form.schema["items"].get("enum", ()))
                places[(*path, "#")] = KeyDescription(
                    each.place.means, names=each.names, values=values
                )
    return places


VOCABULARY = Vocabulary(FrozenDict(_places()))


def suite_schema() -> Schema:
    """Return the JSON Schema (draft 7) of test files."""
    kinds = {key: _kind_schema(kind) for key, kind in KINDS.items()}
    test = {
        "type": "object",
        "properties": {"name": {"type": "string", "description": _NAME_PLACE.sentence}, **kinds},
        "required": ["name"],
        "additionalProperties": False,
        "minProperties": 2,
        "maxProperties": 2,
    }
    head: dict[str, Schema] = {
        "format": {"const": FORMAT},
        "format_version": {"const": 1},
        "scene": {"type": "string"},
        "tests": {"type": ["array", "null"], "items": test},
    }
    described = {
        key: {**schema, "description": _HEAD[key].sentence} for key, schema in head.items()
    }
    record = record_schema(("format", "format_version", "tests"), **described)
    return {"$schema": DRAFT, "title": "Tests of a robot", **record, "additionalProperties": False}


def _kind_schema(kind: type[TestKind]) -> Schema:
    entries = entries_of_kind(kind)
    required = tuple(name for name, each in entries.items() if each.is_required)
    properties = {
        name: {**each.form.schema, "description": each.place.sentence}
        for name, each in entries.items()
    }
    schema = {
        **record_schema(required, **properties),
        "additionalProperties": False,
        "description": kind.MEANS,
    }
    if kind.ONE_OF:
        schema["anyOf"] = [{"required": [name]} for name in kind.ONE_OF]
    # A kind whose keys all have defaults may be written without any.
    return schema if required or kind.ONE_OF else {**schema, "type": ["object", "null"]}


def suite_file_name(stem: str) -> str:
    """Return the name of the test file of a robot whose file has this stem."""
    return stem + ENDING
