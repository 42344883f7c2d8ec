"""A frame that shows that the view has the focus: letters count there while it is seen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget

from editor_app.gui.theme import colours

#: Pixels of a line.
_WIDTH = 2


class FocusFrame(QObject):
    """Four thin lines over the edges of a widget: one widget over all of it would be blended with every frame."""

    def __init__(self, widget: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._widget = widget
        self.lines = [QWidget(parent) for _ in range(4)]
        for line in self.lines:
            line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            line.setAutoFillBackground(True)
            line.hide()
        self.apply_theme()
        widget.installEventFilter(self)

    def apply_theme(self) -> None:
        """Takes the accent of the present theme."""
        for line in self.lines:
            palette = line.palette()
            palette.setColor(QPalette.ColorRole.Window, QColor(colours().accent))
            line.setPalette(palette)

    def place(self) -> None:
        """Along the edges of the widget, where it is now."""
        area = self._widget.geometry()
        x, y, w, h = area.x(), area.y(), area.width(), area.height()
        places = (
            (x, y, w, _WIDTH),
            (x, y + h - _WIDTH, w, _WIDTH),
            (x, y, _WIDTH, h),
            (x + w - _WIDTH, y, _WIDTH, h),
        )
        for line, place in zip(self.lines, places, strict=True):
            line.setGeometry(*place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            for line in self.lines:
                line.setVisible(event.type() == QEvent.Type.FocusIn)
                line.raise_()
        return False
