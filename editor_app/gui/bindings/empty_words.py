"""What an empty table says: why there is nothing in it, or what brings something."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView

from editor_app.gui.plain_text import PlainLabel

_MARGIN = 16


class EmptyWords(PlainLabel):
    """A sentence in the middle of a view while its model has no rows. The view has its model already."""

    def __init__(self, view: QAbstractItemView, text: str = "") -> None:
        super().__init__(text, view.viewport())
        self._view = view
        self.setProperty("muted", True)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.viewport().installEventFilter(self)
        model = view.model()
        for signal in (model.rowsInserted, model.rowsRemoved, model.modelReset, model.layoutChanged):
            signal.connect(self._follow)
        self._follow()

    def say(self, text: str) -> None:
        """Another sentence; "" for none."""
        self.setText(text)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _follow(self, *_: object) -> None:
        self.setVisible(bool(self.text()) and self._view.model().rowCount(self._view.rootIndex()) == 0)
        self._place()

    def _place(self) -> None:
        self.setGeometry(self._view.viewport().rect().adjusted(_MARGIN, 0, -_MARGIN, 0))
