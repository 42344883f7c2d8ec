"""Text from files is shown as it stands there.

Labels and tooltips of Qt take a text that looks like HTML for HTML: a link named `<img src='/dev/zero'>` would make
the window read that file. Every label of the window is a PlainLabel, every tooltip with a text that is not fixed goes
through `plain`, every text of a menu or a button through `no_mnemonic`; a test walks all of them with hostile names.
"""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QLabel, QWidget


class PlainLabel(QLabel):
    """A label that shows its text as it is. Its text format is not to be changed."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Before there is a text: Qt interprets it when it is set.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


def plain(text: str) -> str:
    """`text` for a tooltip, or for another place where Qt guesses whether it is HTML: shown as it is."""
    if not GuiQt.mightBeRichText(text):
        return text
    return "<qt>" + html.escape(text).replace("\n", "<br>") + "</qt>"


def tell(widget: QWidget, text: str) -> None:
    """Shows `text` as it is while the pointer rests on the widget; costs nothing where it is told already."""
    tip = plain(text)
    if tip != widget.toolTip():
        widget.setToolTip(tip)


def no_mnemonic(text: str) -> str:
    """`text` for a menu, a tab or a button, where & would underline the character after it."""
    return text.replace("&", "&&")
