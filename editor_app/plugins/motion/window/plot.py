"""The clearance of a trajectory over time; a click goes there, the worst moment is marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.window.bindings.quantity import with_minus
from editor_app.window.theme import colours, tabular_font

#: Clearances above this many metres are drawn at the upper edge: what matters is near contact.
CEILING = 0.25
#: Pixels within which a click means the worst moment.
NEAR = 8


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """Smallest clearance in metres at a time; `worst` marks one of them."""

    seconds: float
    clearance: float


class ClearancePlot(QWidget):
    """The line of contact is dashed; what lies below it is filled."""

    #: Seconds.
    clicked = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._readings: tuple[PlotPoint, ...] = ()
        #: Clearances at the lower and the upper edge, in metres.
        self._range = (0.0, CEILING)
        self._duration = 0.0
        self._at = 0.0
        self._worst: PlotPoint | None = None
        self.setMinimumHeight(56)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Clearance over time")

    def sizeHint(self) -> QSize:
        return QSize(400, 96)

    def show_readings(
        self, readings: Sequence[PlotPoint], duration: float, worst: PlotPoint | None
    ) -> None:
        self._readings, self._duration, self._worst = tuple(readings), duration, worst
        values = [min(reading.clearance, CEILING) for reading in self._readings]
        low, high = min((0.0, *values)), max((0.01, *values))
        self._range = (low - 0.05 * (high - low), high)
        self.update()

    def set_place(self, seconds: float) -> None:
        self._at = seconds
        self.update()

    # -- painting

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(44, 6, -8, -16)

    def _point(self, reading: PlotPoint) -> QPointF:
        area, (low, high) = self._area(), self._range
        x = (
            area.left()
            + (reading.seconds / self._duration if self._duration > 0.0 else 0.0) * area.width()
        )
        return QPointF(
            x,
            area.bottom() - (min(reading.clearance, CEILING) - low) / (high - low) * area.height(),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        now = colours()
        if self.hasFocus():
            painter.setPen(QPen(QColor(now.accent), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if not self._readings:
            painter.setPen(QColor(now.muted))
            text = "Drop a trajectory here, store poses, or plan a motion."
            painter.drawText(
                self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text
            )
            painter.end()
            return
        font = tabular_font(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        area, (low, high) = self._area(), self._range
        contact = area.bottom() + low / (high - low) * area.height()
        points = [self._point(reading) for reading in self._readings]
        painter.setPen(Qt.PenStyle.NoPen)
        bad = QColor(now.error)
        bad.setAlphaF(0.35)
        painter.setBrush(bad)
        painter.setClipRect(QRectF(area.left(), contact, area.width(), area.bottom() - contact + 1))
        painter.drawPolygon(
            QPolygonF([QPointF(points[0].x(), contact), *points, QPointF(points[-1].x(), contact)])
        )  # fmt: skip
        painter.setClipping(False)
        painter.setPen(QPen(QColor(now.error), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(area.left(), contact), QPointF(area.right(), contact))
        painter.setPen(QPen(QColor(now.text), 1.4))
        painter.drawPolyline(QPolygonF(points))
        self._paint_labels(painter, area, contact, high)
        if self._worst is not None:
            worst = self._point(self._worst)
            painter.setPen(
                QPen(QColor(now.error if self._worst.clearance <= 0.0 else now.warning), 2)
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(worst, 4.5, 4.5)
        painter.setPen(QPen(QColor(now.accent), 2))
        x = self._point(PlotPoint(self._at, 0.0)).x()
        painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom() + 4))
        painter.end()

    def _paint_labels(self, painter: QPainter, area: QRectF, contact: float, high: float) -> None:
        painter.setPen(QColor(colours().muted))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        capped = any(reading.clearance > CEILING for reading in self._readings)
        painter.drawText(
            QRectF(0, area.top() - 6, 40, 12), right, f"{'>' if capped else ''}{high * 1e3:.0f} mm"
        )
        if contact - area.top() > 12:
            painter.drawText(QRectF(0, contact - 6, 40, 12), right, "0")
        if area.bottom() - contact > 12:
            low = with_minus(f"{self._range[0] * 1e3:.0f} mm")
            painter.drawText(QRectF(0, area.bottom() - 8, 40, 12), right, low)
        below = QRectF(area.left(), area.bottom() + 3, area.width(), 13)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0 s")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"{self._duration:.2f} s")

    # -- the pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event.position(), snap=True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position(), snap=False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -0.01, Qt.Key.Key_Right: 0.01}.get(Qt.Key(event.key()))
        if step is None or not self._readings:
            super().keyPressEvent(event)
            return
        self.clicked.emit(min(max(0.0, self._at + step * self._duration), self._duration))

    def _go(self, place: QPointF, *, snap: bool) -> None:
        if not self._readings:
            return
        if snap and self._worst is not None:
            worst = self._point(self._worst)
            if abs(worst.x() - place.x()) <= NEAR:
                self.clicked.emit(self._worst.seconds)
                return
        area = self._area()
        share = (place.x() - area.left()) / max(1.0, area.width())
        self.clicked.emit(min(max(0.0, share), 1.0) * self._duration)
