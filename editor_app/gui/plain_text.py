"""Text from files is shown as plain text.

Labels and tooltips of Qt show a text that looks like HTML as HTML: a link named `<img src='/dev/zero'>` would make
the window read that file. Every label of the window is a PlainLabel, every tooltip with a text that is not fixed goes
through `plain`, every text of a menu or a button through `no_mnemonic`; a test walks all of them with hostile names.
"""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QLabel, QWidget


class PlainLabel(QLabel):
    """A label that shows its text as plain text. Its text format must not be changed."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Before the text is set: Qt interprets it then.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


def plain(text: str) -> str:
    """`text` for a tooltip, or for another place where Qt guesses whether it is HTML: it is shown as plain text."""
    if not GuiQt.mightBeRichText(text):
        return text
    return "<qt>" + html.escape(text).replace("\n", "<br>") + "</qt>"


def tell(widget: QWidget, text: str) -> None:
    """Sets the tooltip of a widget, as plain text. Nothing is done if the widget has it already."""
    tip = plain(text)
    if tip != widget.toolTip():
        widget.setToolTip(tip)


def no_mnemonic(text: str) -> str:
    """`text` for a menu, tab or button, with & doubled: a single & would underline the next character."""
    return text.replace("&", "&&")
