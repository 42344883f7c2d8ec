"""What a batch has to tell of each robot and of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.model.brief import brief


@dataclass(frozen=True, slots=True)
class BatchRobot:
    """`record`: steps, figures and findings, plain values. `files`: what was written, by name below the robot's folder.

    `reused`: nothing had to be done. `changes`: what differs from the last run. `seconds`: of the steps, wall time.
    """

    name: str
    record: Mapping[str, Any]
    files: tuple[str, ...]
    seconds: Mapping[str, float]
    reused: bool
    changes: tuple[str, ...]
    has_picture: bool = False

    __repr__ = brief

    @property
    def problems(self) -> int:
        """Steps that were refused or failed, and errors."""
        steps = len([step for step in self.record["steps"] if step["state"] != "done"])
        return steps + self.count("error")

    def count(self, severity: str) -> int:
        """Findings of a severity: error, warning, info."""
        return len([finding for finding in self.record["findings"] if finding["severity"] == severity])


@dataclass(frozen=True, slots=True)
class BatchReport:
    """`gone`: robots of the last run that are not in the fleet any more. `page`: the report for people.

    `notes`: what was wrong with the folder of the results.
    """

    robots: tuple[BatchRobot, ...]
    gone: tuple[str, ...]
    page: Path
    wall_seconds: float
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def is_sound(self) -> bool:
        """Whether every step of every robot was done, and none has an error."""
        return not any(robot.problems for robot in self.robots)
