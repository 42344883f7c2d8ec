"""Helpers of the commands: sentences, checks of values, edits of tuples and sections, several
changes as one step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

from editor_app.core.model.robot import CannotApply, Change, RobotDescription, steps_of
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.urdf import Joint, Link
from editor_app.core.model.xrdf import GeometryGroup

T = TypeVar("T")

SectionName = Literal[
    "modifiers",
    "default_joint_positions",
    "cspace",
    "tool_frames",
    "world_collision",
    "self_collision",
    "geometry",
]

SECTION_TITLES: dict[SectionName, str] = {
    "modifiers": "modifiers",
    "default_joint_positions": "default joint positions",
    "cspace": "c-space",
    "tool_frames": "tool frames",
    "world_collision": "world collision",
    "self_collision": "self-collision",
    "geometry": "geometry",
}


def set_or_remove(value: object) -> str:
    """The verb of a step after which a field has `value`."""
    return "Remove" if value is None else "Set"


def check_finite(value: float, quantity: str) -> float:
    """`value`, which has to be a finite number. Raises CannotApply."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise CannotApply(f"{quantity} must be a finite number, not {value!r}.")
    return value


def refuse_not_finite(new: object, old: object, subject: str, path: str = "") -> None:
    """Refuses numbers that are none, or infinite, by their field's name; what `old` has there as
    well may stay.

    Raises CannotApply.
    """
    if new is old:
        return
    if isinstance(new, float) and not math.isfinite(new):
        # Not by ==: no number that is none equals another.
        if repr(new) != repr(old):
            raise CannotApply(
                f"The {path.removeprefix('.')} of {subject} must be a finite number, not {new}."
            )
    elif isinstance(new, tuple):
        before = old if isinstance(old, tuple) else ()
        for i, part in enumerate(new):
            refuse_not_finite(part, before[i] if i < len(before) else None, subject, f"{path}[{i}]")
    elif is_dataclass(new) and not isinstance(new, type):
        for field in fields(new):
            refuse_not_finite(
                getattr(new, field.name),
                getattr(old, field.name, None),
                subject,
                f"{path}.{field.name}",
            )


#: Characters of a name. YAML cannot read a key of more than 1,024 characters back, and names get
#: prefixes.
LONGEST_NAME = 255


def check_name(name: str, item_kind: str) -> str:
    """Return `name`, which has a visible character, no blanks at its ends, and at most LONGEST_NAME
    characters.

    Raises CannotApply.
    """
    if is_name(name):
        return name
    if not name.strip():
        raise CannotApply(f"{item_kind} needs a name.")
    if name != name.strip():
        raise CannotApply(f"{item_kind} {name!r} starts or ends with a space. Remove it.")
    raise CannotApply(
        f"{item_kind} {name[:20]}… has {len(name):,} characters. Choose a name of at most "
        f"{LONGEST_NAME}."
    )


def is_name(name: str) -> bool:
    """Return whether `named` accepts a name."""
    return 0 < len(name) <= LONGEST_NAME and name == name.strip()


def get_item(values: Sequence[T], index: int, item_kind: str) -> T:
    """Return the element at `index`. Raises CannotApply when there is none; negative indices do not
    count from the end."""
    if not 0 <= index < len(values):
        raise CannotApply(f"No {item_kind} number {index + 1}: the list has {len(values)} entries.")
    return values[index]


def inserted(values: tuple[T, ...], index: int | None, new: Iterable[T]) -> tuple[T, ...]:
    """`values` with `new` in front of `index`; None or too large an index appends."""
    place = len(values) if index is None else max(0, min(index, len(values)))
    return (*values[:place], *new, *values[place:])


def move_item(values: tuple[T, ...], index: int, to: int) -> tuple[T, ...]:
    """`values` with the element at `index` at place `to` of the result. Raises CannotApply."""
    element = get_item(values, index, "entry")
    get_item(values, to, "place")
    rest = values[:index] + values[index + 1 :]
    return (*rest[:to], element, *rest[to:])


def removed(values: tuple[T, ...], indices: Iterable[int], item_kind: str) -> tuple[T, ...]:
    """`values` without those at `indices`. Raises CannotApply when one does not exist."""
    gone = set(indices)
    for index in gone:
        get_item(values, index, item_kind)
    return tuple(value for i, value in enumerate(values) if i not in gone)


def refuse_taken_names(robot: RobotDescription, link: str | None, joint: str | None) -> None:
    """Raises CannotApply for a name that a link, joint or added frame has already, or that is
    none."""
    added = robot.xrdf.added_frames
    if link is not None:
        check_name(link, "A link")
        if robot.urdf.link(link) is not None or link in [frame.frame_name for frame in added]:
            raise CannotApply(f"The frame {link!r} already exists.")
    if joint is not None:
        check_name(joint, "A joint")
        if robot.urdf.joint(joint) is not None or joint in [frame.joint_name for frame in added]:
            raise CannotApply(f"The joint {joint!r} already exists.")


def replace_xrdf(robot: RobotDescription, **sections: Any) -> RobotDescription:
    """`robot` with these fields of its XRDF; those that are equal stay the objects that they
    were."""
    changed = {
        name: value for name, value in sections.items() if getattr(robot.xrdf, name) != value
    }
    return robot.with_xrdf(replace(robot.xrdf, **changed)) if changed else robot


def with_srdf(robot: RobotDescription, **parts: Any) -> RobotDescription:
    """`robot` with these fields of its SRDF, itself where none changes. Raises CannotApply without
    an SRDF."""
    srdf = the_srdf(robot)
    changed = replace(srdf, **parts)
    return robot if changed == srdf else robot.with_srdf(changed)


def replace_by_key(values: tuple[T, ...], new: T, key: Callable[[T], object]) -> tuple[T, ...]:
    """`values` with `new` in the place of each value of the same key, or at the end."""
    same = [key(value) == key(new) for value in values]
    if not any(same):
        return (*values, new)
    return tuple(new if is_same else value for value, is_same in zip(values, same, strict=True))


def the_srdf(robot: RobotDescription) -> Srdf:
    """The SRDF. Raises CannotApply when there is none."""
    if robot.srdf is None:
        raise CannotApply("The robot has no SRDF. Open or create one first.")
    return robot.srdf


def the_srdf_group(srdf: Srdf, name: str) -> Group:
    """The group of the SRDF. Raises CannotApply when there is none."""
    group = srdf.group(name)
    if group is None:
        raise CannotApply(f"The SRDF has no group {name!r}.")
    return group


def get_link(robot: RobotDescription, name: str) -> Link:
    """The link of the URDF. Raises CannotApply when there is none."""
    link = robot.urdf.link(name)
    if link is None:
        raise CannotApply(f"The robot has no link {name!r}.")
    return link


def get_joint(robot: RobotDescription, name: str) -> Joint:
    """The joint of the URDF. Raises CannotApply when there is none."""
    joint = robot.urdf.joint(name)
    if joint is None:
        raise CannotApply(f"The robot has no joint {name!r}.")
    return joint


def the_section(robot: RobotDescription, section: SectionName) -> Any:
    """A section of the XRDF. Raises CannotApply when it is not there."""
    present = getattr(robot.xrdf, section)
    if present is None:
        raise CannotApply(f"The XRDF has no section {SECTION_TITLES[section]}. Add it first.")
    return present


def the_group(robot: RobotDescription, name: str) -> GeometryGroup:
    """The geometry group of that name. Raises CannotApply that lists those there are."""
    group = robot.xrdf.group(name)
    if group is None:
        names = ", ".join(g.name for g in robot.xrdf.geometry or ())
        raise CannotApply(
            f"The XRDF has no geometry group {name!r}. "
            + (f"There are: {names}." if names else "Add a geometry group first.")
        )
    return group


class ToldChange(NamedTuple):
    """`told`: what goes with the change, or was guessed for it; "" for nothing."""

    change: Change
    told: str = ""


class Compound:
    """A change that is made of others."""

    __slots__ = ()

    def steps(self, robot: RobotDescription) -> Iterator[RobotDescription]:
        """The robot after each of the changes. Raises CannotApply."""
        raise NotImplementedError

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return (robot, *self.steps(robot))[-1]


@dataclass(frozen=True, slots=True)
class AllOf(Compound):
    """Applies `changes` in turn: all of them, or none when one is refused."""

    changes: tuple[Change, ...]
    label: str

    def steps(self, robot: RobotDescription) -> Iterator[RobotDescription]:
        for change in self.changes:
            steps = tuple(steps_of(change, robot))
            yield from steps
            robot = (robot, *steps)[-1]


def join_changes(changes: Sequence[Change], label: str) -> Change:
    """The change itself where it is one, and several as one step of that label."""
    return changes[0] if len(changes) == 1 else AllOf(tuple(changes), label)


@dataclass(frozen=True, slots=True)
class Several(Compound):
    """Applies `changes` in turn and leaves out those that do not fit (any more).

    Made for fixes: one of them may mend what another was for. When none fits, the last refusal is
    raised.
    """

    label: str
    changes: tuple[Change, ...]

    def steps(self, robot: RobotDescription) -> Iterator[RobotDescription]:
        start, refusal = robot, None
        for change in self.changes:
            try:
                steps = tuple(steps_of(change, robot))
            except CannotApply as error:
                refusal = error
                continue
            yield from steps
            robot = (robot, *steps)[-1]
        if robot is start and refusal is not None:
            raise refusal
