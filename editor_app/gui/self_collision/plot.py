"""How far apart the two links of a pair are, over all configurations."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.gui.plain_text import plain
from editor_app.gui.self_collision.looks import clearance_colour, share
from editor_app.gui.theme import colours, tabular_font
from editor_app.self_collision.results import Distribution


class DistributionPlot(QWidget):
    """How often the pair is how far apart, over all configurations; a mark at 0 and at the one that is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._distribution: Distribution | None = None
        self._at: float | None = None
        self._worst = 0.0
        self.setMinimumHeight(34)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Distribution of the pair's distances")

    def show_distribution(self, distribution: Distribution | None, at: float | None, worst: float = 0.0) -> None:
        """`worst`: the least clearance (m) that a search came upon, where it is less than in all samples."""
        self._distribution, self._at, self._worst = distribution, at, worst
        if distribution is not None:
            self.setToolTip(
                plain(
                    f"Clearances in {distribution.samples:,} sampled configurations: "
                    f"{distribution.edges[0] * 1e3:.1f} to {distribution.edges[-1] * 1e3:.1f} mm; "
                    f"{share(distribution.share)} collide"
                )
            )
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        distribution = self._distribution
        if distribution is None:
            return
        painter = QPainter(self)
        now = colours()
        font = tabular_font(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        area = QRectF(self.rect()).adjusted(2, 4, -2, -14)
        low, high = min(0.0, self._worst, float(distribution.edges[0])), max(0.0, float(distribution.edges[-1]))
        span = max(high - low, 1e-9)

        def x(value: float) -> float:
            return area.left() + (value - low) / span * area.width()

        # The root shows rare ones, too.
        heights = np.sqrt(distribution.counts / max(1, int(distribution.counts.max())))
        painter.setPen(Qt.PenStyle.NoPen)
        for height, left, right in zip(heights, distribution.edges[:-1], distribution.edges[1:], strict=True):
            middle = (float(left) + float(right)) / 2
            colour = clearance_colour(middle if abs(middle) > 0.02 else (0.02 if middle > 0 else -0.02))
            painter.setBrush(colour)
            tall = float(height) * area.height()
            painter.drawRect(QRectF(x(left), area.bottom() - tall, max(1.0, x(right) - x(left) - 0.5), tall))
        painter.setPen(QPen(QColor(now.muted), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(int(x(0.0)), int(area.top()), int(x(0.0)), int(area.bottom()))
        if self._at is not None:
            painter.setPen(QPen(QColor(now.accent), 2))
            painter.drawLine(int(x(self._at)), int(area.top()), int(x(self._at)), int(area.bottom()))
        painter.setPen(QColor(now.muted))
        text = QRectF(area.left(), area.bottom() + 1, area.width(), 13)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft, f"{low * 1e3:.0f}")
        painter.drawText(text, Qt.AlignmentFlag.AlignRight, f"{high * 1e3:.0f} mm")
        if 24 < x(0.0) < area.right() - 50:
            painter.drawText(QRectF(x(0.0) - 10, area.bottom() + 1, 20, 13), Qt.AlignmentFlag.AlignHCenter, "0")
        painter.end()
