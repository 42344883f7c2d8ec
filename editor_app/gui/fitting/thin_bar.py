"""A progress bar that paints when the window paints.

QProgressBar repaints at once with every pixel that it gains; in a window with OpenGL each of these is a whole frame.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.gui.theme import colours


class ThinBar(QWidget):
    """Shows a share between 0 and 1."""

    def __init__(self, name: str, height: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._share = 0.0

    @property
    def share(self) -> float:
        return self._share

    def set_share(self, share: float) -> None:
        """Values outside of 0 to 1 are moved to the ends."""
        self._share = min(1.0, max(0.0, share))
        self.setAccessibleDescription(f"{round(100 * self._share)} %")
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
        if self._share > 0:
            done = QRectF(whole.left(), whole.top(), max(whole.height(), whole.width() * self._share), whole.height())
            painter.setBrush(QColor(now.accent))
            painter.drawRoundedRect(done, radius, radius)
        painter.end()
