"""What a list selects comes into view: gently, only when it is small or hidden, and with a way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal

from editor_app.gui.viewport.camera import Camera, View, direction
from editor_app.gui.viewport.eye_bounds import Room
from editor_app.gui.viewport.free_area import are_clear

Array = NDArray[np.float64]
Hidden = Callable[[Array], float]


#: Pixels across below which something counts as small.
SMALL = 56
#: Room around it, as a multiple of its size: its neighbours say where it is.
MARGIN, NEAREST = 4.0, 1.5
#: Share of its points behind something from which on something counts as hidden.
HIDDEN = 0.75
#: Turns and heights (degrees) that are tried, the nearest first, to look past what is in front.
_TURNS = (0, 25, -25, 50, -50, 80, -80, 115, -115, 150, -150, 180)
_HEIGHTS = (0, 25, -25, 50)
_MILLISECONDS = 220
_KEPT = 30


class SelectionFollower(QObject):
    """Moves a camera; remembers where it stood."""

    #: A move has come to its end, and was not stopped.
    arrived = Signal()

    def __init__(self, camera: Camera, move: Callable[[Callable[[], None]], None], parent: QObject) -> None:
        """`move` runs a step of the camera as one that a person asked for."""
        super().__init__(parent)
        self._camera = camera
        self._move = move
        self._before: list[View] = []
        self._from = self._to = camera.view
        self._animation = QVariantAnimation(self, duration=_MILLISECONDS)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(self._step)
        self._animation.finished.connect(self.arrived)

    @property
    def can_go_back(self) -> bool:
        return bool(self._before)

    @property
    def is_moving(self) -> bool:
        return self._animation.state() == QVariantAnimation.State.Running

    def look_at(self, points: Array, hidden: Hidden, beside: Sequence[Room]) -> None:
        """Brings (n, 3) points into view, unless they can be seen well already.

        `hidden` tells the share of them, 0 to 1, that something is in front of, as seen from a point. `beside` is to
        be seen with them where the camera moves.
        """
        view = self._camera.view
        if hidden(self._camera.eye) >= HIDDEN:
            view = self._clear_view(points.mean(axis=0), hidden)
        if view != self._camera.view or not self.is_seen(points):
            target = self._framed(points, view, beside)
            self.remember()
            self._go(target)

    def keep(self, points: Array, margin: float) -> None:
        """Shows all of (n, 3) points, from the same side, when one of them is outside the view."""
        if self.is_moving or self.holds(points):
            return
        now = self._camera.view
        target = self._camera.fitted(points, margin, least=now.distance)
        # Nothing better, where something lies over most of the view.
        same = np.allclose(target.focus, now.focus, atol=1e-4 * now.distance)
        if not same or target.distance >= 1.001 * now.distance:
            self.remember()
            self._go(target)

    @property
    def was_last_to_move(self) -> bool:
        """Whether the camera stands where the last move of this took it."""
        return self._camera.view == self._to

    def holds(self, points: Array) -> bool:
        """Whether all of (n, 3) points lie in the view, and behind no card or band at its edges."""
        width, height = self._camera.size()
        seen = self._camera.project(points)
        # What was fitted to an edge lies on it, but for roundings.
        inside = (seen[:, :2] >= -1).all(axis=1) & (seen[:, 0] <= width + 1) & (seen[:, 1] <= height + 1)
        return bool((inside & (seen[:, 2] > 0)).all()) and are_clear(seen[:, :2], self._camera.covers())

    def _clear_view(self, middle: Array, hidden: Hidden) -> View:
        """The direction nearest to the present one from which most can be seen."""
        view = self._camera.view
        best, least = view, hidden(self._camera.eye)
        for height in _HEIGHTS:
            for turn in _TURNS:
                elevation = float(np.clip(view.elevation + np.radians(height), -np.pi / 2, np.pi / 2))
                turned = replace(view, azimuth=view.azimuth + float(np.radians(turn)), elevation=elevation)
                share = hidden(middle + direction(turned) * view.distance)
                if share < least - 0.05:
                    best, least = turned, share
                if share == 0.0:
                    return turned
        return best

    def is_seen(self, points: Array) -> bool:
        """Whether the middle of the points lies in the view, and they are not too small in it to be made out."""
        seen = self._camera.project(points)
        if not np.isfinite(seen).all() or (seen[:, 2] <= 0).any():
            return False
        low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        x, y = (low + high) / 2
        return self._camera.is_free(x, y) and float((high - low).max()) >= SMALL

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

    def _framed(self, points: Array, view: View, beside: Sequence[Room]) -> View:
        nearest = self._camera.fitted(points, NEAREST, view=view).distance
        farthest = self._camera.fitted(points, MARGIN, view=view).distance
        # No nearer and no farther than it takes.
        distance = min(max(self._camera.view.distance, nearest), farthest)
        return self._camera.fitted(points, NEAREST, beside, view=view, least=distance)

    def _go(self, target: View) -> None:
        self.stop()
        self._from, self._to = self._camera.view, target
        self._animation.start()

    def _step(self, share: float) -> None:
        a, b = self._from, self._to
        focus = tuple(p + (q - p) * share for p, q in zip(a.focus, b.focus, strict=True))
        turned = (b.azimuth - a.azimuth + np.pi) % (2 * np.pi) - np.pi
        between = replace(
            b,
            focus=(focus[0], focus[1], focus[2]),
            # Equal factors in equal times: a steady approach.
            distance=a.distance * (b.distance / a.distance) ** share,
            azimuth=a.azimuth + turned * share,
            elevation=a.elevation + (b.elevation - a.elevation) * share,
        )
        # Not by a rounding beside it: where the camera stands tells who moved it last.
        view = between if share < 1.0 else b
        self._move(lambda: self._camera.set_view(view))
