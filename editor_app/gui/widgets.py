"""Widgets are dressed and put into a row or a column by one call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, SignalInstance
from PySide6.QtGui import QFont, QIcon
from PySide6.QtWidgets import QBoxLayout, QFrame, QLayout, QWidget

from editor_app.gui.plain_text import plain

_Box = TypeVar("_Box", bound=QBoxLayout)
_Widget = TypeVar("_Widget", bound=QWidget)
#: Between two items: takes the room that is left.
STRETCH = None


class OverFrame(QFrame):
    """Lies over another widget, and keeps its place when one that it filters the events of changes its size."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        raise NotImplementedError


def dress(
    widget: _Widget,
    *,
    id: str = "",  # noqa: A002
    name: str = "",
    tip: str = "",
    hint: str = "",
    icon: QIcon | None = None,
    look: str = "",
    font: QFont | None = None,
    align: Qt.AlignmentFlag | None = None,
    flat: bool = False,
    wrap: bool = False,
    run: Callable[..., object] | SignalInstance | None = None,
) -> _Widget:
    """Gives a widget what is named, and returns it. What the widget cannot have raises AttributeError.

    `id`: object name; `name`: what screen readers say; `tip`: tooltip, shown as it is; `hint`: placeholder of an empty
    field; `look`: property of the style sheet ("muted", "heading"); `flat`: raised only under the pointer; `wrap`: its
    text breaks into lines; `run`: what a click does.
    """
    dressed: Any = widget
    if id:
        widget.setObjectName(id)
    if name:
        widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(plain(tip))
    if look:
        widget.setProperty(look, True)
    for value, set_value in ((hint, "setPlaceholderText"), (flat, "setAutoRaise"), (wrap, "setWordWrap")):
        if value:
            getattr(dressed, set_value)(value)
    if icon is not None:
        dressed.setIcon(icon)
    if font is not None:
        widget.setFont(font)
    if align is not None:
        dressed.setAlignment(align)
    if run is not None:
        dressed.clicked.connect(run)
    return widget


def fill(
    box: _Box,
    *items: QWidget | QLayout | tuple[QWidget | QLayout | None, int] | None,
    margins: int | tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> _Box:
    """Adds items in their order; a number beside an item is its share of the room.

    Margins and spacing in pixels; margins: one for all sides, or left, top, right and bottom.
    """
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for entry in items:
        item, share = entry if isinstance(entry, tuple) else (entry, 0)
        if item is STRETCH:
            box.addStretch(1)
        elif isinstance(item, QLayout):
            box.addLayout(item, share)
        elif item is not None:
            box.addWidget(item, share)
    return box
