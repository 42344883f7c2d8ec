"""joint_limits.yaml, kinematics.yaml and initial_positions.yaml: text <-> model; what was not
edited keeps its bytes.

Keys that MoveIt does not read, and values that make no sense, stay in the text and are in no model.

ROS001 W a value of the wrong type for its key: left out
ROS002 E a whole number where MoveIt declares a floating-point parameter: ROS 2 refuses to start
ROS014 W a duplicate key in one mapping: the last one is used
ROS016 E a unit (!degrees and the like) in a file that ROS 2 reads without units: MoveIt does not start
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar, cast

from editor_app.core.formats.file_part import FilePart
from editor_app.core.model.findings import Finding, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.lineage import Lineage
from editor_app.core.model.ros_settings import (
    InitialPositions,
    MotionLimit,
    MotionLimits,
    Settings,
    Solver,
    Solvers,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.changes import with_changes
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import Mapping as YamlMapping
from editor_app.core.text.yaml.nodes import (
    YamlTree,
    collect_entries,
    find_key_node,
    find_node,
    find_repeated_keys,
    resolve_alias,
)
from editor_app.core.text.yaml.plain import read_finite_number
from editor_app.core.text.yaml.scalars import to_value
from editor_app.core.text.yaml.writing import yaml_text

AnySettings = TypeVar("AnySettings", bound=Settings)
#: Field of the robot -> how its file is called, and what it holds.
SETTINGS_KINDS: Mapping[str, tuple[str, type[Settings]]] = {
    "limits": ("joint_limits.yaml", MotionLimits),
    "kinematics": ("kinematics.yaml", Solvers),
    "positions": ("initial_positions.yaml", InitialPositions),
}
#: Where the links of a calibrated arm of Universal Robots are: nothing of solvers.
_CALIBRATION = "default_kinematics.yaml"
#: Keys that a parameter file of ROS 2 has around what it sets.
_AROUND = ("/**", "ros__parameters", "robot_description_planning", "robot_description_kinematics")
_JOINT_LIMITS, _INITIAL = "joint_limits", "initial_positions"
#: Tag of a value -> radians or metres of one such unit, as xacro has them.
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}
_FACTORS = ("default_velocity_scaling_factor", "default_acceleration_scaling_factor")


@dataclass(frozen=True, eq=False)
class SettingsSource(FilePart[AnySettings]):
    """A file as read. All settings are below the keys `around`."""

    around: tuple[str, ...]
    tree: YamlTree

    @property
    def kind(self) -> str:
        return next(
            kind for kind, (_, held) in SETTINGS_KINDS.items() if isinstance(self.value, held)
        )

    @cached_property
    def top(self) -> frozenset[str]:
        """The first keys, below those around everything."""
        root = None if self.tree.root is None else find_node(self.tree.root, self.around)
        return frozenset(collect_entries(root)) if isinstance(root, YamlMapping) else frozenset()

    def location(self, *path: str) -> Location:
        """Return the location of the key at `path`, below the outer keys; else the beginning of the
        file."""
        key = find_key_node(self.tree.root, (*self.around, *path))
        return self.source.location(key.start if key is not None else 0)


class _Reader:
    """Reads the values of one file and keeps what is wrong with them."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.tree = compose_document(source)
        value = None if self.tree.root is None else to_value(self.tree.root)
        if value is not None and not isinstance(value, dict):
            raise FormatError(
                "This is not a mapping of settings",
                source.location(0),
                "Check that this is the right file.",
            )
        self.around: tuple[str, ...] = ()
        self.findings: list[Finding] = []
        root: dict[str, Any] = value or {}
        while (
            key := next((key for key in _AROUND if isinstance(root.get(key), dict)), None)
        ) is not None:
            self.around, root = (*self.around, key), root[key]
        self.root = root
        for path, keys in find_repeated_keys(self.tree):
            name, lines = (
                str(path[-1]),
                ", ".join(str(source.line_column(key.start)[0]) for key in keys),
            )
            message = (
                f"{name} appears {len(keys)} times in one mapping (lines {lines}): the last one is "
                "used."
            )
            place = source.location(keys[0].start)
            self.findings.append(
                Finding(
                    "ROS014", Severity.WARNING, message, (), place, lost=".".join(map(str, path))
                )
            )

    def tell(self, code: str, severity: Severity, message: str, *path: str) -> None:
        key = find_key_node(self.tree.root, (*self.around, *path))
        place = self.source.location(key.start if key is not None else 0)
        lost = _dotted(path) if code == "ROS001" else ""
        self.findings.append(Finding(code, severity, message, (), place, lost=lost))

    def mapping(self, value: object, *path: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        if value is not None:
            self.tell(
                "ROS001",
                Severity.WARNING,
                f"{_dotted(path)} needs keys and values below it.",
                *path,
            )
        return {}

    def number(self, value: object, *path: str, strict: bool = True) -> float | None:
        """A number in radians or metres. `strict`: ROS 2 reads the file, and wants a floating-point
        number.

        xacro reads initial_positions.yaml, and knows units; so does `rosparam` of ROS 1.
        """
        read = read_finite_number(value)
        node = find_node(self.tree.root, (*self.around, *path))
        unit = resolve_alias(node).tag if node is not None else None
        if unit in UNITS and read is not None:
            read *= UNITS[unit]
            if strict:
                message = (
                    f"{_dotted(path)} has the unit {unit}, with which MoveIt 2 does not start: "
                    f"write {read:.6g}."
                )
                self.tell("ROS016", Severity.ERROR, message, *path)
            return read
        if read is None:
            if value is not None:
                self.tell(
                    "ROS001",
                    Severity.WARNING,
                    f"{_dotted(path)} needs a number, not {value!r}.",
                    *path,
                )
        elif strict and isinstance(value, int):
            message = (
                f"{_dotted(path)} is a whole number, {value}: ROS 2 needs {float(value)} here; "
                "otherwise MoveIt "
                "does not start."
            )
            self.tell("ROS002", Severity.ERROR, message, *path)
        return read

    def truth(self, value: object, *path: str) -> bool | None:
        if value is None or isinstance(value, bool):
            return value
        self.tell(
            "ROS001",
            Severity.WARNING,
            f"{_dotted(path)} needs true or false, not {value!r}.",
            *path,
        )
        return None


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(path)


def _limits(reader: _Reader) -> MotionLimits:
    joints = {}
    for name, value in reader.mapping(reader.root.get(_JOINT_LIMITS), _JOINT_LIMITS).items():
        entry, path = reader.mapping(value, _JOINT_LIMITS, name), (_JOINT_LIMITS, name)
        read: dict[str, Any] = {}
        for field in fields(MotionLimit):
            take: Callable[..., Any] = (
                reader.truth if field.name.startswith("has_") else reader.number
            )
            read[field.name] = take(entry.get(field.name), *path, field.name)
        joints[name] = MotionLimit(**read)
    velocity, acceleration = (reader.number(reader.root.get(key), key) for key in _FACTORS)
    return MotionLimits(velocity, acceleration, FrozenDict(joints))


def _solvers(reader: _Reader) -> Solvers:
    groups = {}
    for name, value in reader.root.items():
        entry = reader.mapping(value, name)
        solver = entry.get("kinematics_solver")
        if solver is not None and not isinstance(solver, str):
            message = f"{name}.kinematics_solver needs the name of a plugin, not {solver!r}."
            reader.tell("ROS001", Severity.WARNING, message, name, "kinematics_solver")
        numbers = (
            reader.number(entry.get(field.name), name, field.name) for field in fields(Solver)[1:]
        )
        groups[name] = Solver(solver if isinstance(solver, str) else None, *numbers)
    return Solvers(FrozenDict(groups))


def _initial(reader: _Reader) -> InitialPositions:
    above = (_INITIAL,) if _INITIAL in reader.root else ()
    entries = reader.mapping(reader.root.get(_INITIAL), _INITIAL) if above else reader.root
    positions = {
        name: reader.number(value, *above, name, strict=False) for name, value in entries.items()
    }
    return InitialPositions(
        FrozenDict({name: value for name, value in positions.items() if value is not None})
    )


_READERS: Mapping[type, Callable[[_Reader], Settings]] = {
    MotionLimits: _limits,
    Solvers: _solvers,
    InitialPositions: _initial,
}


def kind_of_settings(name: str) -> str | None:
    """Which settings a file of that name has: a key of SETTINGS_KINDS."""
    kinds = (kind for kind, (ending, _) in SETTINGS_KINDS.items() if name.endswith(ending))
    return None if name == _CALIBRATION else next(kinds, None)


def read_settings(kind: type[AnySettings], source: SourceText) -> SettingsSource[AnySettings]:
    """Raises FormatError, with file, line and remedy, for what is no YAML or no mapping."""
    reader = _Reader(source)
    value = cast(AnySettings, _READERS[kind](reader))
    return SettingsSource(source, value, tuple(reader.findings), reader.around, reader.tree)


def plain_settings(value: Settings) -> dict[str, Any]:
    """Return keys and values as the file has them."""
    if isinstance(value, MotionLimits):
        factors = {key: factor for key in _FACTORS if (factor := getattr(value, key)) is not None}
        return {
            **factors,
            _JOINT_LIMITS: {name: _entries(limit) for name, limit in value.joints.items()},
        }
    if isinstance(value, Solvers):
        return {name: _entries(solver) for name, solver in value.groups.items()}
    return {_INITIAL: dict(value.joints)}


def _entries(thing: MotionLimit | Solver) -> dict[str, Any]:
    return {
        field.name: entry
        for field in fields(thing)
        if (entry := getattr(thing, field.name)) is not None
    }


def settings_text(value: Settings, name: str = "settings") -> str:
    """The text of a new file."""
    return yaml_text(plain_settings(value), name)


def patch_settings(
    old: SettingsSource[AnySettings], value: AnySettings, lineage: Lineage[Any] | None = None
) -> SettingsSource[AnySettings]:
    """The file with what differs in `value`, read again. `lineage` says which entries are which,
    where it is known.

    Raises FormatError for what cannot be written.
    """
    if value is old.value or value == old.value:
        return old
    kind = type(value)
    if old.tree.root is None:
        # Nothing but comments: these stay.
        return read_settings(kind, old.source.with_text(old.source.text + settings_text(value)))
    before, after = plain_settings(old.value), plain_settings(value)
    if isinstance(value, InitialPositions) and _INITIAL not in old.top:
        before, after = before[_INITIAL], after[_INITIAL]
    if not after and not old.around:
        # Nothing is left that a mapping could be patched to: its comments are.
        comments = [line for line in old.source.text.splitlines() if line.startswith("#")]
        return read_settings(kind, old.source.with_text("\n".join([*comments, "{}"]) + "\n"))
    for key in reversed(old.around):
        before, after = {key: before}, {key: after}
    name = "groups" if isinstance(value, Solvers) else "joints"
    trace, entries = (
        Lineage.between(old.value, value, lineage).settled().child(name),
        getattr(value, name),
    )
    origins = zip(trace.steps(entries), entries, strict=True)
    renamed = {str(origin): new for origin, new in origins if origin is not None and origin != new}
    written = read_settings(kind, with_changes(old.source, before, after, renamed).source)
    if written.value != value:
        raise FormatError(
            "A value cannot be written into this file",
            old.source.location(0),
            "Edit its text instead.",
        )
    return written
