"""Closed intervals of joints, as sliders and the view show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from editor_app.operations.passages import ClosedInterval


class ShownIntervals(QObject):
    """The intervals of the robot for which they were found: a step hides them, undo shows them again."""

    changed = Signal()

    def __init__(self, robot: Callable[[], object], parent: QObject) -> None:
        """`robot`: the present one."""
        super().__init__(parent)
        self._present = robot
        self._robot: object = None
        self._intervals: dict[str, tuple[ClosedInterval, ...]] = {}

    def show(self, intervals: dict[str, tuple[ClosedInterval, ...]]) -> None:
        """Joint -> intervals of the present robot."""
        self._robot, self._intervals = self._present(), intervals
        self.changed.emit()

    def of(self, joint: str) -> tuple[ClosedInterval, ...]:
        """Of the present robot, from below; none where nobody looked for them."""
        return self._intervals.get(joint, ()) if self._robot is self._present() else ()

    def follow(self, *_: object) -> None:
        """The robot changed."""
        if self._intervals:
            self.changed.emit()
