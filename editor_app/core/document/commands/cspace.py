"""Controlled joints, default positions and tool frames (an ordered list, whose first is the end
effector).

The c-space has its joints, acceleration and jerk limits in three parallel lists. A file may hold
lists of different lengths. The commands keep what belongs to one joint together all the same, and
invent no limit: where one is needed to keep the others in place, it is the one that the user gives.
Limits in rad/s² and rad/s³, or m/s² and m/s³ for prismatic joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from editor_app.core.document.commands.list_rules import check_tool_frame
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.tools import (
    check_finite,
    check_name,
    get_item,
    inserted,
    move_item,
    removed,
    replace_xrdf,
    the_section,
)
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS, GuessedPart
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, CSpace
from editor_app.core.space.kinematics.tree import get_tree

LimitKind = Literal["acceleration", "jerk"]
Limits = tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class AddCSpace:
    """Adds the section with these joints; without any, with empty lists."""

    joints: tuple[str, ...] = ()
    acceleration: float = PLACEHOLDER_ACCELERATION
    jerk: float = PLACEHOLDER_JERK

    label = "Add section c-space"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if robot.xrdf.cspace is not None:
            raise CannotApply("The section c-space already exists.")
        robot = replace_xrdf(robot, cspace=CSpace((), (), ()))
        return (
            AddJoints(self.joints, self.acceleration, self.jerk).apply(robot)
            if self.joints
            else robot
        )


@dataclass(frozen=True, slots=True)
class AddJoints:
    """Adds joints in front of `index`, or at the end, all with the same two limits.

    Joints in front of them that lack a limit get it, too: else the new limits would be taken for
    theirs.
    """

    joints: tuple[str, ...]
    acceleration: float = PLACEHOLDER_ACCELERATION
    jerk: float = PLACEHOLDER_JERK
    index: int | None = None
    label = Label("Add {joints:the joint} to the c-space")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        cspace = _cspace(robot)
        names = cspace.joint_names or ()
        for i, joint in enumerate(self.joints):
            check_name(joint, "A joint")
            if joint in names or joint in self.joints[:i]:
                raise CannotApply(f"{joint} is already in the c-space.")
        if not self.joints:
            return robot
        place = len(names) if self.index is None else max(0, min(self.index, len(names)))

        def grown(limits: Limits, kind: LimitKind) -> Limits:
            value = _limit(getattr(self, kind), kind)
            padded = (limits or ()) + (value,) * (place - len(limits or ()))
            return inserted(padded, place, (value,) * len(self.joints))

        return _with_lists(robot, inserted(names, place, self.joints), grown)


@dataclass(frozen=True, slots=True)
class RemoveJoints:
    """Takes joints (by their places) and their limits out: they are locked at their default
    position then."""

    indices: tuple[int, ...]
    label = Label("Remove {indices:joint} from the c-space")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        cspace = _cspace(robot)
        if not self.indices:
            return robot

        def shrunk(limits: Limits, kind: LimitKind) -> Limits:
            return limits and removed(
                limits, (i for i in self.indices if i < len(limits)), f"{kind} limit"
            )

        return _with_lists(robot, removed(cspace.joint_names or (), self.indices, "joint"), shrunk)


@dataclass(frozen=True, slots=True)
class MoveJoint:
    """Puts the joint at `index` at place `to`, with its limits."""

    index: int
    to: int

    label = "Reorder the c-space"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        names = _cspace(robot).joint_names or ()
        get_item(names, self.index, "joint")
        get_item(names, self.to, "place")
        return ReorderJoints(move_item(tuple(range(len(names))), self.index, self.to)).apply(robot)


@dataclass(frozen=True, slots=True)
class ReorderJoints:
    """Puts the joints in another order, each with its limits; `order` are the present places in the
    new order."""

    order: tuple[int, ...]

    label = "Reorder the c-space"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        cspace = _cspace(robot)
        names = cspace.joint_names or ()
        if sorted(self.order) != list(range(len(names))):
            raise CannotApply(f"The order must name each of the {len(names)} joints once.")
        if self.order == tuple(range(len(names))):
            return robot

        def ordered(limits: Limits, kind: LimitKind) -> Limits:
            if not limits:
                return limits
            indices = [i for i in self.order if i < len(limits)]
            for new, old in zip(self.order, indices, strict=False):
                if new != old:
                    raise CannotApply(
                        f"{names[new]} has no {kind} limit. Set it before reordering the joints."
                    )
            return (*(limits[i] for i in indices), *limits[len(names) :])

        return _with_lists(robot, tuple(names[i] for i in self.order), ordered)


@dataclass(frozen=True, slots=True)
class SetLimits:
    """Set the limits of joints by their index. Joints before them that have none get the limit of
    the next joint that is set."""

    kind: LimitKind
    values: tuple[tuple[int, float], ...]

    @property
    def label(self) -> str:
        return f"Set {self.kind} limit" + (
            "" if len(self.values) == 1 else f" of {len(self.values)} joints"
        )

    def apply(self, robot: RobotDescription) -> RobotDescription:
        cspace = _cspace(robot)
        limits = list(_limits(cspace, self.kind))
        for index, value in sorted(self.values):
            get_item(cspace.joint_names or (), index, "joint")
            _limit(value, self.kind)
            limits.extend([value] * (index + 1 - len(limits)))
            limits[index] = value
        return _with_limits(robot, self.kind, limits)

    def given_parts(self, robot: RobotDescription) -> Iterator[GuessedPart]:
        names = robot.xrdf.controlled
        yield from (
            (f"{self.kind}_limits", names[index]) for index, _ in self.values if index < len(names)
        )


@dataclass(frozen=True, slots=True)
class SetAllLimits:
    """Sets one limit of every joint at once."""

    kind: LimitKind
    value: float
    label = Label("Set {kind} limit of all joints")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        joints = len(_cspace(robot).joint_names or ())
        return SetLimits(self.kind, tuple((i, self.value) for i in range(joints))).apply(robot)

    def given_parts(self, robot: RobotDescription) -> Iterator[GuessedPart]:
        yield from ((f"{self.kind}_limits", joint) for joint in robot.xrdf.controlled)


@dataclass(frozen=True, slots=True)
class MatchLimits:
    """Makes the limit lists as long as the list of joints: cuts what is too much, appends what
    lacks."""

    acceleration: float = PLACEHOLDER_ACCELERATION
    jerk: float = PLACEHOLDER_JERK

    label = "Complete the limits of the c-space"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        joints = len(_cspace(robot).joint_names or ())
        kinds: tuple[tuple[LimitKind, float], ...] = (
            ("acceleration", self.acceleration),
            ("jerk", self.jerk),
        )
        for kind, value in kinds:
            limits = _limits(_cspace(robot), kind)
            padding = (_limit(value, kind),) * (joints - len(limits))
            robot = _with_limits(robot, kind, (*limits[:joints], *padding))
        return robot


def _cspace(robot: RobotDescription) -> CSpace:
    cspace: CSpace = the_section(robot, "cspace")
    return cspace


def _with_lists(
    robot: RobotDescription, names: tuple[str, ...], change: Callable[[Limits, LimitKind], Limits]
) -> RobotDescription:
    """With other joints, and both lists of limits changed alike."""
    cspace = _cspace(robot)
    limits = change(cspace.acceleration_limits, "acceleration"), change(cspace.jerk_limits, "jerk")
    return replace_xrdf(robot, cspace=CSpace(names, *limits))


def _limit(value: float, kind: LimitKind) -> float:
    if check_finite(value, f"The {kind} limit") < 0:
        raise CannotApply(f"The {kind} limit must be positive, not {value:g}.")
    return value


def _limits(cspace: CSpace, kind: LimitKind) -> tuple[float, ...]:
    limits: tuple[float, ...] | None = getattr(cspace, f"{kind}_limits")
    return limits or ()


def _with_limits(
    robot: RobotDescription, kind: LimitKind, limits: Iterable[float]
) -> RobotDescription:
    changed: Any = {f"{kind}_limits": tuple(limits)}
    return replace_xrdf(robot, cspace=replace(_cspace(robot), **changed))


NO_POSITIONS: FrozenDict[str, float] = FrozenDict()


@dataclass(frozen=True, slots=True)
class SetDefaultsFromPose:
    """Makes a pose the default: for each joint that one number moves and that follows no other
    one."""

    pose: Pose

    label = "Use pose as default"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        positions = {
            joint: self.pose[joint] for joint in get_tree(robot).independent if joint in self.pose
        }
        return SetItems("xrdf.default_joint_positions", FrozenDict(positions)).apply(robot)

    def given_parts(self, robot: RobotDescription) -> Iterator[GuessedPart]:
        yield from (
            (POSITIONS, joint) for joint in get_tree(robot).independent if joint in self.pose
        )


@dataclass(frozen=True, slots=True)
class SetToolFrames:
    """Sets the whole list; None removes the section."""

    frames: tuple[str, ...] | None
    label: str = "Set tool frames"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for i, frame in enumerate(self.frames or ()):
            check_tool_frame(frame, (self.frames or ())[:i])
        return replace_xrdf(robot, tool_frames=self.frames)


@dataclass(frozen=True, slots=True)
class ConfirmGuesses:
    """Confirms guessed values as they are, so that their comments are removed.

    `parts`: key of the XRDF and joint; "" for the value of the key as a whole.
    """

    parts: tuple[tuple[str, str], ...]
    label = Label("Confirm {parts:guessed value}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        """Return the robot itself: the values stay."""
        return robot

    def given_parts(self, robot: RobotDescription) -> Iterator[GuessedPart]:
        """Yield the parts."""
        yield from self.parts
