"""Plays a trajectory: where it stands in time, and the pose that goes with it."""

from __future__ import annotations

import bisect
import math
import time

from PySide6.QtCore import QObject, QTimer, Signal

from editor_app.gui.session import Session
from editor_app.model.pose import Pose
from editor_app.model.trajectory import Trajectory

#: Milliseconds between two frames.
FRAME = 33
#: Radians (or metres) a second of a trajectory that has no times.
PACE = 1.0


class Player(QObject):
    """`seconds` runs from 0 to `duration`. Moving it poses the robot."""

    #: The place in time is another.
    moved = Signal(float)
    #: Playing began or ended.
    playing_changed = Signal(bool)
    #: Another trajectory, or none.
    trajectory_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._trajectory: Trajectory | None = None
        self._clock: list[float] = []
        self.seconds = 0.0
        self.speed = 1.0
        self.loop = False
        self._last = 0.0
        self._timer = QTimer(self, interval=FRAME)
        self._timer.timeout.connect(self._tick)

    @property
    def trajectory(self) -> Trajectory | None:
        return self._trajectory

    @property
    def duration(self) -> float:
        return self._clock[-1] if self._clock else 0.0

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def set_trajectory(self, trajectory: Trajectory | None) -> None:
        """Stands at its start; the robot moves with the next seek."""
        self.pause()
        self._trajectory = trajectory
        self._clock = clock_of(trajectory) if trajectory is not None else []
        self.seconds = 0.0
        self.trajectory_changed.emit()

    def seconds_at(self, index: int, share: float = 0.0) -> float:
        """The time of a point, or of a share of the way to the next."""
        if share == 0.0 or index + 1 >= len(self._clock):
            return self._clock[min(index, len(self._clock) - 1)]
        return self._clock[index] + share * (self._clock[index + 1] - self._clock[index])

    def pose_at(self, seconds: float) -> Pose:
        """Between two points of a motion, in a straight line; of poses that do not move, the last one."""
        trajectory = self._trajectory
        assert trajectory is not None
        k = min(max(bisect.bisect_right(self._clock, seconds) - 1, 0), len(self._clock) - 1)
        if k + 1 >= len(self._clock) or not trajectory.moves:
            return trajectory.pose(k)
        span = self._clock[k + 1] - self._clock[k]
        share = min(1.0, (seconds - self._clock[k]) / span) if span > 0.0 else 0.0
        one, other = trajectory.points[k], trajectory.points[k + 1]
        return Pose(
            {j: a + share * (b - a) for j, a, b in zip(trajectory.joints, one, other, strict=True)}
        )  # fmt: skip

    def seek(self, seconds: float) -> None:
        """Goes there, and poses the robot."""
        if self._trajectory is None:
            return
        self.seconds = min(max(0.0, seconds), self.duration)
        self._session.set_pose(self.pose_at(self.seconds))
        self.moved.emit(self.seconds)

    def play(self) -> None:
        """From the present place, or from the start when it stands at the end."""
        if self._trajectory is None or self.is_playing:
            return
        if self.seconds >= self.duration:
            self.seek(0.0)
        self._last = time.monotonic()
        self._timer.start()
        self.playing_changed.emit(True)

    def pause(self) -> None:
        if self.is_playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def _tick(self) -> None:
        now = time.monotonic()
        seconds = self.seconds + (now - self._last) * self.speed
        self._last = now
        if seconds >= self.duration:
            if self.loop and self.duration > 0.0:
                seconds = math.fmod(seconds, self.duration)
            else:
                self.seek(self.duration)
                self.pause()
                return
        self.seek(seconds)


def clock_of(trajectory: Trajectory) -> list[float]:
    """Seconds of each point: the file's times, or a steady pace."""
    if trajectory.times is not None and trajectory.times[-1] > 0.0:
        return list(trajectory.times)
    clock = [0.0]
    for one, other in zip(trajectory.points[:-1], trajectory.points[1:], strict=True):
        way = max((abs(a - b) for a, b in zip(one, other, strict=True)), default=0.0)
        clock.append(clock[-1] + (max(way / PACE, 0.02) if trajectory.moves else 1.0))
    return clock
