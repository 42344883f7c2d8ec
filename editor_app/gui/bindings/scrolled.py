"""Lines of a panel that scroll where the panel is lower than they are, so that they never ask it to be higher."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class Scrolled(QScrollArea):
    """Frameless; as wide as the lines need, beside the bar that may stand there."""

    def __init__(self, lines: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._lines = lines
        self.setWidget(lines)

    def minimumSizeHint(self) -> QSize:
        lines = self._lines.minimumSizeHint()
        return QSize(lines.width() + self.verticalScrollBar().sizeHint().width(), min(lines.height(), 40))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._lines and event.type() is QEvent.Type.LayoutRequest:
            # Qt looks at its bars only.
            self.updateGeometry()
        return super().eventFilter(watched, event)
