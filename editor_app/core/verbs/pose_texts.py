"""Joint positions as text: what people paste from terminals, messages and tables, and what they
copy into programs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from editor_app.core.formats.trajectories import parse_trajectory
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.expressions import ExpressionError, evaluate
from editor_app.core.model.options import option
from editor_app.core.model.printable import printable_json
from editor_app.core.space.kinematics.structure import TreeJoint
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Described,
    PoseLike,
    Refused,
    check_arguments,
    describe_robot,
    read_pose,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import (
    load_plain,
    read_finite_number,
    read_finite_numbers,
    read_text_list,
)
from editor_app.core.text.yaml.scalars import format_string

#: Degrees and millimetres of joint values; without a unit radians and metres are meant.
JOINT_UNITS = {
    "deg": math.pi / 180.0,
    "°": math.pi / 180.0,
    "rad": 1.0,
    "mm": 1e-3,
    "cm": 1e-2,
    "m": 1.0,
}
#: Characters that are read: a longer text is no pose.
MOST = 1_000_000
_ASSIGNED = re.compile(r"^\s*[^\s=:,;]+\s*=", re.MULTILINE)
_WAYS = (
    "Copy `joint: value` lines, `joint=45deg`, a JointState message, CSV with joint names, or one "
    "number per "
    "joint of the c-space."
)


#: Names that a sentence lists; of more it tells the number.
_LISTED = 5
#: Beyond a limit by less than this (rad, m) is the limit, in fewer digits.
_SLACK = 1e-4


@dataclass(frozen=True, eq=False)
class PastedPose(Mapping[str, float]):
    """Joint -> rad or m, of joints of the robot; and what of the text is not followed, or is out of
    the ordinary.

    `unknown`: joints that the robot does not have. `fixed`: joints that cannot move. `following`:
    joints that mimic another one, which says where they are. `outside`: joints whose position is
    outside their limits; it stands.
    """

    positions: Mapping[str, float]
    unknown: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    following: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    def __getitem__(self, joint: str) -> float:
        return self.positions[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    def told(self, locked: Collection[str] = ()) -> tuple[str, bool]:
        """How many joints are set, and what was left out, in sentences; and whether something was,
        or is outside.

        `locked`: joints that stay where they are, because somebody said so.
        """
        held = [joint for joint in self.positions if joint in locked]
        set_joints = set(self.positions) - {*held, *self.fixed, *self.following}
        parts = [
            f"{title}: {format_list(joints, _LISTED)}."
            for title, joints in (
                ("Not in this robot", self.unknown),
                ("Locked, so unchanged", held),
                ("Fixed, so left out", self.fixed),
                (
                    "Outside the limits, but set anyway",
                    [joint for joint in self.outside if joint in set_joints],
                ),
            )
            if joints
        ]
        follows = (
            f" {format_list(self.following, _LISTED)} "
            f"{'follow others' if len(self.following) > 1 else 'follows another'}."
        )
        first = f"Set {format_count(len(set_joints), 'joint')}." + (
            follows if self.following else ""
        )
        return " ".join([first, *parts]), bool(parts)


@check_arguments
def parse_pose(robot: Described, text: str) -> PastedPose:
    """Joint -> rad or m of a text: lines `joint: value` (YAML, JSON), `joint=45deg`, a
    `sensor_msgs/JointState` or `JointTrajectory` as `ros2 topic echo` prints it, CSV with joint
    names in its first line, or bare numbers in the order of the c-space (of all joints, when they
    are as many).

    Of several rows the last one counts. Joints that the robot does not have are left out, and named
    by the result. Raises Refused when nothing else is left, and for what is no number.
    """
    robot = describe_robot(robot)
    if len(text) > MOST or not text.strip():
        raise Refused(f"the text contains no pose. {_WAYS}")
    tree = get_tree(robot)
    orders = [order for order in (robot.xrdf.controlled, tree.independent) if order]
    positions = _read(text, orders, [joint.name for joint in tree.joints])
    robot_positions = {name: value for name, value in positions.items() if name in tree.joint_index}
    if not robot_positions:
        listed = ", ".join(list(positions)[:5])
        raise Refused(f"the robot has no joint {listed}; its joints: {', '.join(tree.independent)}")
    joints = [tree.joints[tree.joint_index[name]] for name in robot_positions]
    return PastedPose(
        robot_positions,
        tuple(name for name in positions if name not in robot_positions),
        tuple(joint.name for joint in joints if not joint.is_movable),
        tuple(joint.name for joint in joints if joint.is_movable and joint.mimic is not None),
        tuple(joint.name for joint in joints if _is_outside(joint, robot_positions[joint.name])),
    )


def _is_outside(joint: TreeJoint, position: float) -> bool:
    if joint.limits is None or not joint.is_movable:
        return False
    lower, upper = joint.limits
    return not lower - _SLACK <= position <= upper + _SLACK


def typed_positions(text: str, joints: Iterable[str] = ()) -> dict[str, float]:
    """Joint -> rad or m of `j1=0.3 j2=45deg`, apart by spaces, commas or semicolons.

    `joints`: names of the robot, which may have blanks and `=`. Other such names are in quotes.
    Raises Refused.
    """
    values: dict[str, float] = {}
    entry, place = _entry_of(joints), 0
    text = text.strip().strip(",;").rstrip()
    while place < len(text):
        match = entry.match(text, place)
        if match is None:
            word = re.split(r"[\s;,]", text[place:].lstrip(" ;,\t\n"), maxsplit=1)[0]
            raise Refused(
                f'{word!r} is not a joint value; write JOINT=VALUE, such as elbow=45deg or "joint '
                '1"=45deg'
            )
        name = (
            match["joint"]
            or match["bare"]
            or re.sub(r"\\(.)", r"\1", match["double"] or match["single"])
        )
        if name in values:
            raise Refused(f"the joint {name!r} has two values")
        values[name], place = _value(name, match["value"]), match.end()
    return values


def _entry_of(joints: Iterable[str]) -> re.Pattern[str]:
    """`NAME=VALUE` with what is before it: the longest name of a joint, one in quotes, or a
    word."""
    names = "|".join(re.escape(name) for name in sorted(joints, key=len, reverse=True) if name)
    return re.compile(
        rf"[\s;,]*(?:(?P<joint>{names or '(?!)'})|\"(?P<double>(?:[^\"\\]|\\.)+)\"|'(?P<single>(?:[^'\\]|\\.)+)'"
        r"|(?P<bare>[^\s=;,]+))\s*=\s*(?P<value>[^\s;,]+)"
    )


def pose_text(pose: PoseLike, kind: Literal["yaml", "python"] = "yaml") -> str:
    """`pose` (joint -> rad or m) as YAML lines, or as a dict of Python; both come back by
    `parse_pose`."""
    if kind == "python":
        # JSON's texts are Python's and, without line separators, YAML's.
        names = (
            (printable_json(json.dumps(name, ensure_ascii=False)), value)
            for name, value in read_pose(pose).items()
        )
        entries = [(name, repr(float(value))) for name, value in names]
        return "pose = {\n" + "".join(f"    {name}: {value},\n" for name, value in entries) + "}\n"
    return "".join(
        f"{yaml_name(name)}: {float(value)!r}\n" for name, value in read_pose(pose).items()
    )


def yaml_name(name: str) -> str:
    """A name as YAML 1.1 and 1.2 read it back as text: bare where that is certain, else in
    quotes."""
    return format_string(name, "")


def _read(text: str, orders: Sequence[Sequence[str]], joints: Sequence[str]) -> dict[str, float]:
    # `ros2 topic echo` ends every message with three dashes; Python names what it assigns.
    text = next((part for part in reversed(re.split(r"(?m)^---\s*$", text)) if part.strip()), text)
    text = re.sub(r"^\s*\w+\s*=\s*(?=[\[{(])", "", text)
    is_assigned = _ASSIGNED.search(text) or _entry_of(joints).match(text)
    if is_assigned and not (any("=" in name for name in joints) and _is_mapping_of(text, joints)):
        return typed_positions(text, joints)
    bare = _bare_numbers(text)
    if bare is not None:
        return _in_order(bare, orders)
    head = text.lstrip().split("\n", 1)[0]
    if (
        "\n" in text.strip()
        and re.search(r"[,;\t]", head)
        and ":" not in head
        and head[:1] not in "[{"
    ):
        return _row_of_table(text)
    try:
        value = load_plain(SourceText.from_text(text))
    except FormatError as error:
        raise Refused(f"the text is not a pose: {error.message}. {_WAYS}") from None
    return _from_value(value, text, orders)


def _is_mapping_of(text: str, joints: Sequence[str]) -> bool:
    """Whether a text is YAML whose keys are joints."""
    try:
        value = load_plain(SourceText.from_text(text))
    except FormatError:
        return False
    return isinstance(value, dict) and bool(value) and all(str(name) in joints for name in value)


def _from_value(value: Any, text: str, orders: Sequence[Sequence[str]]) -> dict[str, float]:
    if isinstance(value, list) and (row := read_finite_numbers(value)) is not None:
        return _in_order(list(row), orders)
    if isinstance(value, dict):
        for key in ("joint_state", "joint_states", "state"):
            if isinstance(value.get(key), dict):
                value = value[key]
        labels = read_text_list(value.get("name", value.get("joint_names")))
        row = read_finite_numbers(value.get("position", value.get("positions")))
        if labels and row is not None:
            if len(labels) != len(row):
                raise Refused(
                    f"the message names {len(labels)} joints and has {len(row)} positions"
                )
            return dict(zip(labels, row, strict=True))
        if value and all(isinstance(entry, (int, float, str)) for entry in value.values()):
            return {str(name): _value(str(name), str(entry)) for name, entry in value.items()}
    try:
        trajectory = parse_trajectory(SourceText.from_text(text), is_csv=False)
    except FormatError as error:
        raise Refused(f"the text is not a pose: {error.message}. {_WAYS}") from None
    return dict(trajectory.pose(len(trajectory) - 1))


def _row_of_table(text: str) -> dict[str, float]:
    try:
        trajectory = parse_trajectory(SourceText.from_text(text.strip() + "\n"), is_csv=True)
    except FormatError as error:
        raise Refused(f"the table is not a pose: {error.message}. {_WAYS}") from None
    return dict(trajectory.pose(len(trajectory) - 1))


def _bare_numbers(text: str) -> list[float] | None:
    """Numbers alone, with units or without, in brackets or not."""
    parts = [part for part in re.split(r"[\s,;]+", text.strip().strip("[](){}").strip()) if part]
    try:
        return [evaluate(part, JOINT_UNITS, 1.0) for part in parts] if parts else None
    except ExpressionError:
        return None


def _in_order(values: list[float], orders: Sequence[Sequence[str]]) -> dict[str, float]:
    for order in orders:
        if len(order) == len(values):
            return dict(zip(order, values, strict=True))
    counts = " or ".join(str(len(order)) for order in dict.fromkeys(map(tuple, orders)))
    raise Refused(
        f"{len(values)} numbers without names; the robot has {counts or 'no'} joints. {_WAYS}"
    )


def _value(name: str, given: str) -> float:
    plain = read_finite_number(given)
    return number_in(given, f"the value of {name!r}") if plain is None else plain


def number_in(text: str, subject: str, units: Mapping[str, float] = JOINT_UNITS) -> float:
    """A number in radians or metres, or with a unit: 40mm, 90deg, pi/2. Raises Refused, which
    begins with `subject`."""
    try:
        return evaluate(text, dict(units), 1.0)
    except ExpressionError as error:
        raise Refused(f"{subject}: {error}") from None


def quantity(typed: str | None, help_text: str, metavar: str = "LENGTH") -> Any:
    """Return a dataclass field that is an option with a unit: 40mm, 90deg. `typed`: its default as
    text."""
    return option(typed, help_text, metavar, type=str, parse=number_in)
