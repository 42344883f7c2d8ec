"""Labels that give way where there is too little room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.gui.bindings.elision import DistinctNames
from editor_app.gui.widgets import PlainLabel, tell

#: Pixels beside the text, together.
_MARGIN = 4
#: Where a line may break within a word: a space without width.
_BREAK = "\u200b"
#: Words of so many characters are broken, at the signs that names have between their parts.
_LONG = 24


class ElidedLabel(PlainLabel):
    """A label that gives way: what does not fit ends in an ellipsis, and the whole is its tooltip.

    With `names`, the one of these that stands in the text is cut, and keeps the part in which they differ. With
    `between`, the text is a row of parts with that between them, of which the last ones are left out whole. The
    label takes the room that is left; with another size policy than `Ignored`, that of the whole text where there is so
    much.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        *,
        names: DistinctNames | None = None,
        between: str = "",
    ) -> None:
        super().__init__(parent=parent)
        self.whole_text = ""
        self._mode = mode
        self._names = names
        self._between = between
        self._name = ""
        self._short = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str, name: str = "", short: str = "") -> None:
        """`name`: which part of the text is one of the names; without it the whole text is. `short` stands for a text
        that does not fit, as the number alone.
        """
        if (text, name or text, short) != (self.whole_text, self._name, self._short):
            self.whole_text, self._name, self._short = text, name or text, short
            self._elide()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The room of the whole text, also while only a part is shown."""
        return QSize(
            QFontMetrics(self.font()).horizontalAdvance(self.whole_text) + _MARGIN, super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        """For the ellipsis."""
        return QSize(QFontMetrics(self.font()).horizontalAdvance("…") + _MARGIN, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        metrics, room = QFontMetrics(self.font()), max(0, self.width() - _MARGIN)
        if metrics.horizontalAdvance(self.whole_text) <= room:
            shown = self.whole_text
        elif self._between:
            parts = self.whole_text.split(self._between)
            while len(parts) > 1 and metrics.horizontalAdvance(self._between.join(parts)) > room:
                parts.pop()
            shown = metrics.elidedText(self._between.join(parts), self._mode, room)
        elif self._short or self._names is None:
            shown = metrics.elidedText(self._short or self.whole_text, self._mode, room)
        else:
            before, _, after = self.whole_text.partition(self._name)
            room -= metrics.horizontalAdvance(before) + metrics.horizontalAdvance(after)
            shown = before + self._names.cut(self._name, room, metrics.horizontalAdvance) + after
        if shown != self.text():
            super().setText(shown)
        tell(self, self.whole_text if shown != self.whole_text else "")


class WrappedLabel(PlainLabel):
    """Sentences in as many lines as they need. Long names break at their underscores, so that none widens a panel."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        self._whole = ""
        super().__init__("", parent)
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._whole = text
        super().setText(" ".join(_breakable(word) if len(word) > _LONG else word for word in text.split(" ")))

    def text(self) -> str:
        """As it was given."""
        return self._whole


def _breakable(word: str) -> str:
    return word.replace("_", f"_{_BREAK}").replace("/", f"/{_BREAK}")
