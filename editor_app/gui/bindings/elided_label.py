"""Labels that give way where there is too little room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.gui.bindings.elision import DistinctNames
from editor_app.gui.plain_text import PlainLabel, tell

#: Where a line may break within a word: a space without width.
_BREAK = "\u200b"
#: Words of so many characters are broken, at the signs that names have between their parts.
_LONG = 24


class ElidedLabel(PlainLabel):
    """A label that gives way: what does not fit ends in an ellipsis, and the whole is its tooltip.

    With `names`, the one of these that stands in the text is cut, and keeps the part in which they differ.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        *,
        names: DistinctNames | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self._whole = ""
        self._mode = mode
        self._names = names
        self._name = ""
        self._short = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def whole_text(self) -> str:
        return self._whole

    def set_text(self, text: str, name: str = "", short: str = "") -> None:
        """`name`: which part of the text is one of the names; without it the whole text is. `short` stands for a text
        that does not fit, as the number alone.
        """
        if (text, name or text, short) != (self._whole, self._name, self._short):
            self._whole, self._name, self._short = text, name or text, short
            self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        metrics, room = QFontMetrics(self.font()), max(0, self.width() - 4)
        if self._short and metrics.horizontalAdvance(self._whole) > room:
            shown = metrics.elidedText(self._short, self._mode, room)
        elif self._names is None or metrics.horizontalAdvance(self._whole) <= room:
            shown = metrics.elidedText(self._whole, self._mode, room)
        else:
            before, _, after = self._whole.partition(self._name)
            room -= metrics.horizontalAdvance(before) + metrics.horizontalAdvance(after)
            shown = before + self._names.cut(self._name, room, metrics.horizontalAdvance) + after
        if shown != self.text():
            super().setText(shown)
        tell(self, self._whole if shown != self._whole else "")


class WrappedLabel(PlainLabel):
    """Sentences in as many lines as they need. Long names break at their underscores, so that none widens a panel."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        self._whole = ""
        super().__init__("", parent)
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._whole = text
        words = (
            w.replace("_", f"_{_BREAK}").replace("/", f"/{_BREAK}") if len(w) > _LONG else w for w in text.split(" ")
        )
        super().setText(" ".join(words))

    def text(self) -> str:
        """As it was given."""
        return self._whole


def _breakable(word: str) -> str:
    return word.replace("_", f"_{_BREAK}").replace("/", f"/{_BREAK}")
