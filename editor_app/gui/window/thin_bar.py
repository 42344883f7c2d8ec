"""A progress bar that paints when the window paints.

QProgressBar repaints at once with every pixel that it gains; in a window with OpenGL each of these is a whole frame.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.gui.theme import colours


class ThinBar(QWidget):
    """Shows a share between 0 and 1, or that nobody knows how far the work is: a band that stands still."""

    def __init__(self, name: str, height: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.share: float | None = 0.0

    def set_share(self, share: float | None) -> None:
        """Values outside of 0 to 1 are moved to the ends; None: not known."""
        self.share = None if share is None else min(1.0, max(0.0, share))
        self.setAccessibleDescription("running" if self.share is None else f"{round(100 * self.share)} %")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        now = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        radius = whole.height() / 2
        painter.setBrush(QColor(now.border))
        painter.drawRoundedRect(whole, radius, radius)
        start, length = (0.3, 0.4) if self.share is None else (0.0, self.share)
        if length > 0:
            left = whole.left() + start * whole.width()
            filled = QRectF(left, whole.top(), max(whole.height(), whole.width() * length), whole.height())
            painter.setBrush(QColor(now.accent))
            painter.drawRoundedRect(filled, radius, radius)
        painter.end()
