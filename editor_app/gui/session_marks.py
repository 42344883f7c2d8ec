"""What the session marks on the robot as long as it is open, and in no file: locked spheres, closed intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal

from editor_app.model.findings import SphereRef
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere
from editor_app.operations import passages


class SphereLocks(QObject):
    """Spheres that no fit and no tool changes.

    Locks go by the spheres themselves, so that they stay when others are deleted, and come back with an undo; a
    locked sphere that is moved or resized by hand stays locked.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locked: set[tuple[str, str, CollisionSphere]] = set()

    def of(self, robot: RobotDescription, group: str, frame: str) -> tuple[CollisionSphere, ...]:
        """The locked spheres of a frame, in the order of its list."""
        return tuple(s for s in _spheres(robot, group, frame) if (group, frame, s) in self._locked)

    def holds(self, robot: RobotDescription | None, ref: SphereRef) -> bool:
        """Whether a sphere is there and locked."""
        spheres = _spheres(robot, ref.group, ref.frame)
        return ref.index < len(spheres) and (ref.group, ref.frame, spheres[ref.index]) in self._locked

    def toggle(self, robot: RobotDescription, refs: Iterable[SphereRef]) -> None:
        """Locks the spheres; unlocks them where all are locked."""
        refs = tuple(refs)
        keys = {
            (r.group, r.frame, spheres[r.index])
            for r in refs
            if r.index < len(spheres := _spheres(robot, r.group, r.frame))
        }
        self._locked = self._locked - keys if keys <= self._locked else self._locked | keys
        self.changed.emit()

    def follow(self, old: RobotDescription, new: RobotDescription) -> None:
        """A locked sphere that took another place in the same row of its list takes its lock along."""
        for group, frame in {(group, frame) for group, frame, _ in self._locked}:
            before, now = _spheres(old, group, frame), _spheres(new, group, frame)
            if before is not now and len(before) == len(now):
                self._locked |= {
                    (group, frame, b) for a, b in zip(before, now, strict=True) if (group, frame, a) in self._locked
                }

    def clear(self) -> None:
        """Another robot."""
        self._locked.clear()
        self.changed.emit()


def _spheres(robot: RobotDescription | None, group: str, frame: str) -> tuple[CollisionSphere, ...]:
    chosen = robot.xrdf.group(group) if robot is not None else None
    return chosen.spheres.get(frame, ()) if chosen is not None else ()


class ShownIntervals(QObject):
    """Closed intervals of joints, as sliders and the view show them.

    The intervals of the robot for which they were found: a step hides them, undo shows them again.
    """

    changed = Signal()

    def __init__(self, robot: Callable[[], object], parent: QObject) -> None:
        """`robot`: the present one."""
        super().__init__(parent)
        self._present = robot
        self._robot: object = None
        self._intervals: dict[str, tuple[passages.ClosedInterval, ...]] = {}

    def show(self, intervals: dict[str, tuple[passages.ClosedInterval, ...]]) -> None:
        """Joint -> intervals of the present robot."""
        self._robot, self._intervals = self._present(), intervals
        self.changed.emit()

    def of(self, joint: str) -> tuple[passages.ClosedInterval, ...]:
        """Of the present robot, from below; none where nobody looked for them."""
        return self._intervals.get(joint, ()) if self._robot is self._present() else ()

    def follow(self, *_: object) -> None:
        """The robot changed."""
        if self._intervals:
            self.changed.emit()
