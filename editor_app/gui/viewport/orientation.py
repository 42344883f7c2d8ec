"""The orientation widget: the axes as they lie in the view; a click on one looks along it, a drag orbits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from editor_app.gui.theme import colours
from editor_app.gui.viewport.camera import Camera
from editor_app.gui.viewport.palette import AXES, rgb

#: Direction -> the view from there.
_BALLS: tuple[tuple[int, int, str], ...] = (
    (0, 1, "front"),
    (0, -1, "back"),
    (1, 1, "left"),
    (1, -1, "right"),
    (2, 1, "top"),
    (2, -1, "bottom"),
)
_RADIUS = 8.5


class OrientationWidget(QWidget):
    """Painted by Qt: crisp at any scaling, and no actor to keep out of picks and pictures."""

    #: Name of a standard view.
    view_asked = Signal(str)

    def __init__(self, camera: Camera, orbit: Callable[[float, float], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._camera = camera
        self._orbit = orbit
        self._hovered: str | None = None
        self._last: QPointF | None = None
        self._dragged = False
        self._drawn: tuple[float, ...] = ()
        self.setMouseTracking(True)
        self.setFixedSize(self.sizeHint())
        self.setAccessibleName("Orientation: click an axis to look along it")
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def sizeHint(self) -> QSize:
        return QSize(84, 84)

    def places(self) -> list[tuple[str, int, int, QPointF, float]]:
        """(view, axis, sign, middle of the ball, nearness to the viewer), farthest first."""
        axes = np.stack([self._camera.right, self._camera.up, self._camera.backward])
        middle = QPointF(self.width() / 2, self.height() / 2)
        arm = self.width() / 2 - _RADIUS - 2
        handles = []
        for axis, sign, name in _BALLS:
            x, y, z = axes[:, axis] * sign
            handles.append((name, axis, sign, middle + QPointF(x * arm, -y * arm), float(z)))
        return sorted(handles, key=lambda entry: entry[4])

    def follow(self) -> None:
        """Draws again when the camera has turned since the last time."""
        axes = tuple(self._camera.backward)
        if axes != self._drawn:
            self._drawn = axes
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        now = colours()
        middle = QPointF(self.width() / 2, self.height() / 2)
        if self._hovered is not None or self.underMouse():
            disc = QColor(now.text)
            disc.setAlphaF(0.08)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(disc)
            painter.drawEllipse(self.rect())
        font = QFont(self.font())
        font.setPixelSize(11)
        font.setBold(True)
        painter.setFont(font)
        for name, axis, sign, place, z in self.places():
            # What points away fades into the ground.
            fade = 0.62 + 0.38 * (z + 1) / 2
            tones = zip(AXES[axis], rgb(now.base), strict=True)
            colour = QColor.fromRgbF(*(fade * tone + (1 - fade) * ground for tone, ground in tones))
            if sign > 0:
                painter.setPen(QPen(colour, 2.2))
                painter.drawLine(middle, place)
            lit = name == self._hovered
            painter.setPen(QPen(colour.lighter(125) if lit else colour, 1.6))
            fill = QColor(colour)
            if sign < 0:
                fill.setAlphaF(0.75 if lit else 0.22)
            elif lit:
                fill = fill.lighter(118)
            painter.setBrush(fill)
            painter.drawEllipse(place, _RADIUS, _RADIUS)
            if sign > 0 or lit:
                painter.setPen(QColor("#ffffff") if sign > 0 or not now.is_dark else QColor(now.text))
                box = QRectF(place.x() - _RADIUS, place.y() - _RADIUS, 2 * _RADIUS, 2 * _RADIUS)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, ("" if sign > 0 else "−") + "XYZ"[axis])
        painter.end()

    def _at(self, position: QPointF) -> str | None:
        for name, _, _, place, _ in reversed(self.places()):
            if QPointF.dotProduct(position - place, position - place) <= (_RADIUS + 2) ** 2:
                return name
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._last, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._last is not None and event.buttons() & Qt.MouseButton.LeftButton:
            step = at - self._last
            if self._dragged or step.manhattanLength() >= 3:
                self._dragged = True
                self._last = at
                self._orbit(step.x() * 2.0, step.y() * 2.0)
            return
        hovered = self._at(at)
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._last is not None and not self._dragged:
            name = self._at(event.position())
            if name is not None:
                self.view_asked.emit(name)
        self._last = None

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            name = self._at(QPointF(event.pos()))
            text = f"Look from the {name}" if name else "Click an axis to look along it; drag to orbit"
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
