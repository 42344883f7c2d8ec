"""A strip over the view for what waits to be applied."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from editor_app.window.widgets import OverFrame, PlainLabel, empty, fill_layout


class Strip(OverFrame):
    """Hidden until `show_up`."""

    def __init__(self, name: str, spoken: str, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName(name)
        self.setAccessibleName(spoken)
        self._layout = fill_layout(QHBoxLayout(self), margins=(10, 6, 8, 6), spacing=8)
        over.installEventFilter(self)
        self.hide()

    def apply(self) -> None:
        """Return was pressed."""
        raise AssertionError("every strip applies something")

    def close_box(self) -> None:
        """Esc was pressed."""
        self.hide()

    def clear(self) -> None:
        """Takes its widgets away."""
        empty(self._layout)

    def show_up(self) -> None:
        self.show()
        self.raise_()
        over = self.parentWidget()
        if over is not None:
            room = over.width() - 8
            self._wrap(False)
            self.adjustSize()
            if self.width() > room:
                self._wrap(True)
                self.resize(room, self.heightForWidth(room))
            self.move(
                max(4, (over.width() - self.width()) // 2), over.height() - self.height() - 12
            )
            # The legend of the heat map makes room.
            QCoreApplication.postEvent(over, QEvent(QEvent.Type.LayoutRequest))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.apply()
        elif event.key() == Qt.Key.Key_Escape:
            self.close_box()
            parent = self.parentWidget()
            if parent is not None:
                parent.setFocus()
        else:
            super().keyPressEvent(event)

    def _wrap(self, wraps: bool) -> None:
        """Words over several lines; Qt would break them early, wherever it may."""
        for label in self.findChildren(PlainLabel):
            label.setWordWrap(wraps)
