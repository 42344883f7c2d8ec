"""Several changes as one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editor_app.model.change import CannotApply, Change
from editor_app.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class AllOf:
    """Applies `changes` in turn: all of them, or none when one is refused."""

    changes: tuple[Change, ...]
    label: str

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for change in self.changes:
            robot = change.apply(robot)
        return robot


def together(changes: Sequence[Change], label: str) -> Change:
    """The change itself where it is one, and several as one step of that label."""
    return changes[0] if len(changes) == 1 else AllOf(tuple(changes), label)


@dataclass(frozen=True, slots=True)
class Several:
    """Applies `changes` in turn and leaves out those that do not fit (any more).

    Made for fixes: one of them may mend what another was for. When none fits, the last refusal is raised.
    """

    label: str
    changes: tuple[Change, ...]

    def apply(self, robot: RobotDescription) -> RobotDescription:
        start, refusal = robot, None
        for change in self.changes:
            try:
                robot = change.apply(robot)
            except CannotApply as error:
                refusal = error
        if robot is start and refusal is not None:
            raise refusal
        return robot
