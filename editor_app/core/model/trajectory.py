"""A trajectory, or a list of poses: joint positions one after the other, with times where they are
known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.pose import Pose

#: Positions of joints in one trajectory at most: of seven joints a hundred times a second, two
#: hours.
MOST_POSITIONS = 5_000_000


@dataclass(frozen=True, slots=True)
class Trajectory:
    """`points` (n rows of len(joints)) in radians or metres; `times` (n) in seconds from the start,
    not falling.

    `labels` (n, or none): what the rows are called. `moves`: whether the robot goes from each point
    to the next; if not, the points are poses that have nothing to do with each other. `velocities`,
    `accelerations`: rows like `points`, per second and per second squared, where the file gives
    them.
    """

    joints: tuple[str, ...]
    points: tuple[tuple[float, ...], ...]
    times: tuple[float, ...] | None = None
    labels: tuple[str, ...] = ()
    moves: bool = True
    velocities: tuple[tuple[float, ...], ...] | None = None
    accelerations: tuple[tuple[float, ...], ...] | None = None

    __repr__ = brief

    @classmethod
    def of_pose(cls, pose: Mapping[str, float], label: str = "") -> Trajectory:
        """One pose: joint -> rad or m."""
        return cls(
            tuple(pose), (tuple(map(float, pose.values())),), None, (label,) if label else (), False
        )

    def __len__(self) -> int:
        return len(self.points)

    def pose(self, index: int) -> Pose:
        """Joint -> position at one point."""
        return FrozenDict(zip(self.joints, self.points[index], strict=True))

    def only(self, index: int) -> Trajectory:
        """One point alone."""
        return Trajectory.of_pose(self.pose(index), self.label(index))

    def label(self, index: int) -> str:
        return self.labels[index] if self.labels else f"#{index + 1}"
