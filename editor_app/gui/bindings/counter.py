"""A number with its words at the end of the status bar; a click shows what was counted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QStatusBar, QToolButton

from editor_app.gui.icons import icon
from editor_app.gui.plain_text import plain


class Counter(QToolButton):
    """Hidden until somebody shows it."""

    def __init__(self, status: QStatusBar, tip: str, show: Callable[[], object]) -> None:
        super().__init__(status)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(16, 16))
        self.setToolTip(plain(tip))
        self.clicked.connect(lambda: show())
        self.hide()
        status.addPermanentWidget(self)

    def tell(self, text: str, sign: str, *, is_bad: bool) -> None:
        """Another text, with the red sign `sign` or the mark of what is well."""
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self.setIcon(icon(sign if is_bad else "check-circle", "error" if is_bad else "muted"))
