"""Overlays of the view, and the free areas next to them: rectangles in pixels, y downwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Signal
from PySide6.QtWidgets import QWidget

from editor_app.core.arrays import F64
from editor_app.window.timers import after

#: Share of the width and of the height that stays for the robot, also where cards lie over the
#: rest.
LEAST = 0.5
#: Directions (2, n) in which a rectangle is told apart from what lies beside it.
_TURNS = np.linspace(0.0, np.pi, 24, endpoint=False)
_DIRECTIONS = np.stack([np.cos(_TURNS), np.sin(_TURNS)])
#: Pixels that roundings may cost.
_ROUNDING = 1.0


class Rectangle(NamedTuple):
    """Pixels of the view, from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)

    def meets(self, other: Rectangle) -> bool:
        """Return whether the two have more than an edge in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        along = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0 and along > 0

    def over(self, margin: float) -> Rectangle:
        """`margin` times smaller, with the same middle."""
        x, y = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        w, h = (self.right - self.left) / 2 / margin, (self.bottom - self.top) / 2 / margin
        return Rectangle(x - w, y - h, x + w, y + h)


def find_free_areas(covers: Iterable[Rectangle], width: float, height: float) -> set[Rectangle]:
    """Areas of the view to fit something into: the whole, and what is left when covers are kept
    out.

    A cover is kept out by one of its sides, or it may be that nothing comes to lie under it; each
    such choice of all covers is one area. At least `LEAST` of width and height are left.
    """
    insets = {(0.0, 0.0, 0.0, 0.0)}
    for cover in covers:
        insets |= {
            (max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
            for a in insets
            for b in _ways_around(cover, width, height)
        }
    return {_without(inset, width, height) for inset in insets}


def _ways_around(
    cover: Rectangle, width: float, height: float
) -> Iterator[tuple[float, float, float, float]]:
    """What is cut off (left, top, right, bottom) so that a cover is outside; ways that leave much
    come alone."""
    ways = [
        (cover.right / width, (cover.right, 0.0, 0.0, 0.0)),
        (cover.bottom / height, (0.0, cover.bottom, 0.0, 0.0)),
        (1.0 - cover.left / width, (0.0, 0.0, width - cover.left, 0.0)),
        (1.0 - cover.top / height, (0.0, 0.0, 0.0, height - cover.top)),
    ]
    cheap = [way for share, way in ways if share <= 1.0 - LEAST]
    yield from cheap or [min(ways)[1]]


def _without(inset: tuple[float, float, float, float], width: float, height: float) -> Rectangle:
    left, top, right, bottom = (max(pixels, 0.0) for pixels in inset)
    across = min(1.0, (1.0 - LEAST) * width / max(left + right, 1e-9))
    along = min(1.0, (1.0 - LEAST) * height / max(top + bottom, 1e-9))
    return Rectangle(left * across, top * along, width - right * across, height - bottom * along)


def are_clear(seen: F64, covers: Iterable[Rectangle]) -> bool:
    """Return whether a line parts each cover from (n, 2) points: then nothing between the points
    lies under one either."""
    rectangles = list(covers)
    if not rectangles or not len(seen):
        return True
    along = seen @ _DIRECTIONS
    low, high = along.min(axis=0), along.max(axis=0)
    for left, top, right, bottom in rectangles:
        corners = (
            np.array([[left, top], [right, top], [left, bottom], [right, bottom]]) @ _DIRECTIONS
        )
        beside = (corners.min(axis=0) >= high - _ROUNDING) | (
            corners.max(axis=0) <= low + _ROUNDING
        )
        if not beside.any():
            return False
    return True


_SEEN = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)
#: Pixels between a widget and the edges that it is placed at.
_EDGE = 12


class Overlays(QObject):
    """A card, a legend, a note that is made with the view as its parent is known without being told
    of."""

    #: Something came, went, or has another place or size.
    changed = Signal()
    #: Something was not there before: it and what is made room by are to be seen in the same frame.
    came = Signal()

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        #: Children of the view that hide nothing of the robot, or only what the pointer is at.
        self.passing: list[QWidget] = []
        self._beside: list[QWidget] = []
        self._ended = False
        #: What they took when last asked; None: something has changed since.
        self._covers: tuple[Rectangle, ...] | None = None
        self._later = after(self, self.changed)

    def let_pass(self, *widgets: QWidget) -> None:
        """Framing takes no notice of these children of the view."""
        self.passing.extend(widgets)
        self._covers = None

    def add(self, widget: QWidget) -> None:
        """A widget or a window over the view, not its child: nothing moves because it comes, but
        what is fitted then stays beside it."""
        self._beside.append(widget)
        self._covers = None
        self.watch(widget)

    def let_go(self, widget: QWidget) -> None:
        """Forget a widget that is removed or will be deleted."""
        if widget in self._beside:
            self._beside.remove(widget)
            widget.removeEventFilter(self)
            self._covers = None

    def watch(self, widget: QObject) -> None:
        """Tells of its changes from now on; for each child of the view once it is made."""
        widget.installEventFilter(self)

    def settle(self) -> None:
        """A frame is drawn: what has changed until now is told at once."""
        if self._later.isActive():
            self._later.stop()
            self.changed.emit()

    def end(self) -> None:
        self._ended = True
        self._later.stop()

    def widgets(self) -> list[QWidget]:
        """All that lie over the view now."""
        children = [
            child
            for child in self._view.children()
            if isinstance(child, QWidget) and not child.isWindow()
        ]
        mine = [
            child
            for child in children
            if child not in self.passing and child.isVisibleTo(self._view)
        ]
        return mine + [
            widget for widget in self._beside if widget.isVisible() and self._view.isVisible()
        ]

    def covers(self) -> tuple[Rectangle, ...]:
        """Return the covered rectangles of the view, in its pixels."""
        if self._covers is None:
            self._covers = tuple(self._place_of(widget) for widget in self.widgets())
        return self._covers

    def free_place(
        self, size: QSize, is_free: Callable[[Rectangle], bool], notice: QWidget
    ) -> QPoint | None:
        """Return the place nearest to the middle of the lower edge at which a notice of that size
        hides nothing; or None.

        `is_free`: whether a place hides nothing of the robot; `notice`: it may stay where it is.
        """
        taken = [self._place_of(widget) for widget in self.widgets() if widget is not notice]
        w, h = size.width(), size.height()
        right, lowest = self._view.width() - w - _EDGE, self._view.height() - h - _EDGE
        usual = ((self._view.width() - w) / 2, lowest - 16.0)
        across = {
            usual[0],
            float(_EDGE),
            right,
            *(t.right + _EDGE for t in taken),
            *(t.left - w - _EDGE for t in taken),
        }
        along = {usual[1], float(_EDGE)} | {
            y for t in taken for y in (t.bottom + _EDGE, t.top - h - _EDGE)
        }
        corners = [
            (x, y)
            for x in across
            for y in along
            if 0 <= x <= right + _EDGE and 0 <= y <= lowest + _EDGE
        ]
        for x, y in sorted(
            corners, key=lambda at: (abs(at[0] - usual[0]) + abs(at[1] - usual[1]), at)
        ):
            place = Rectangle(x, y, x + w, y + h)
            if not any(place.meets(other) for other in taken) and is_free(place):
                return QPoint(int(x), int(y))
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _SEEN and not self._ended and watched not in self.passing:
            self._covers = None
            if watched not in self._beside:
                if not self._later.isActive():
                    self._later.start()
                if event.type() is QEvent.Type.Show:
                    self.came.emit()
        return False

    def _place_of(self, widget: QWidget) -> Rectangle:
        parent = widget.parentWidget()
        at = widget.pos()
        if widget.isWindow():
            at = self._view.mapFromGlobal(at)
        elif parent is not None and parent is not self._view:
            at = self._view.mapFromGlobal(parent.mapToGlobal(at))
        return Rectangle(at.x(), at.y(), at.x() + widget.width(), at.y() + widget.height())
