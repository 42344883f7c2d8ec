"""What a list selects comes into view: gently, only when it is small or out of sight, and with a way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from editor_app.gui.viewport.camera import Camera, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Pixels across below which something counts as small.
SMALL = 56
#: Room around it, as a multiple of its size: its neighbours say where it is.
MARGIN, NEAREST = 4.0, 1.5
_MILLISECONDS = 220
_KEPT = 30


class SelectionFollower(QObject):
    """Moves a camera; remembers where it stood."""

    def __init__(
        self,
        camera: Camera,
        size: Callable[[], tuple[int, int]],
        move: Callable[[Callable[[], None]], None],
        parent: QObject | None = None,
    ) -> None:
        """`size`: of the view, in pixels; `move` runs a step of the camera as one that a person asked for."""
        super().__init__(parent)
        self._camera = camera
        self._size = size
        self._move = move
        self._before: list[View] = []
        self._from = self._to = camera.view
        self._animation = QVariantAnimation(self, duration=_MILLISECONDS)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(self._step)

    @property
    def can_go_back(self) -> bool:
        return bool(self._before)

    @property
    def is_moving(self) -> bool:
        return self._animation.state() == QVariantAnimation.State.Running

    def look_at(self, points: Array) -> bool:
        """Brings (n, 3) points into view, unless they can be seen well already; whether the camera moves."""
        if not len(points) or self.is_seen(points):
            return False
        target = self._framed(points)
        self.remember()
        self._go(target)
        return True

    def is_seen(self, points: Array) -> bool:
        """Whether the middle of the points lies in the view, and they are not too small in it to be made out."""
        width, height = self._size()
        seen = self._camera.project(points)
        if not np.isfinite(seen).all() or (seen[:, 2] <= 0).any():
            return False
        low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        x, y = (low + high) / 2
        return 0 <= x <= width and 0 <= y <= height and float((high - low).max()) >= SMALL

    def remember(self) -> None:
        """The present view is one to come back to."""
        self._before = [*self._before[-_KEPT:], self._camera.view]

    def back(self) -> None:
        """To the view before the last move; nothing where there was none."""
        if self._before:
            self._go(self._before.pop())

    def forget(self) -> None:
        """Another robot."""
        self.stop()
        self._before = []

    def stop(self) -> None:
        self._animation.stop()

    # -- inside

    def _framed(self, points: Array) -> View:
        now = self._camera.view
        self._camera.fit_points(points, margin=NEAREST)
        nearest = self._camera.view.distance
        self._camera.fit_points(points, margin=MARGIN)
        target = self._camera.view
        self._camera.set_view(now)
        # No nearer and no farther than it takes.
        return replace(target, distance=min(max(now.distance, nearest), target.distance))

    def _go(self, target: View) -> None:
        self.stop()
        self._from, self._to = self._camera.view, target
        self._animation.start()

    def _step(self, share: float) -> None:
        a, b = self._from, self._to
        focus = tuple(p + (q - p) * share for p, q in zip(a.focus, b.focus, strict=True))
        # Equal factors in equal times: a steady approach.
        distance = a.distance * (b.distance / a.distance) ** share
        turned = (b.azimuth - a.azimuth + np.pi) % (2 * np.pi) - np.pi
        view = replace(
            b,
            focus=(focus[0], focus[1], focus[2]),
            distance=distance,
            azimuth=b.azimuth if share >= 1.0 else a.azimuth + turned * share,
            elevation=a.elevation + (b.elevation - a.elevation) * share,
        )
        self._move(lambda: self._camera.set_view(view))
