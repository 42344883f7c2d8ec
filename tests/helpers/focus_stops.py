"""What Tab stops at, and what a screen reader says there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QScrollArea, QWidget


def stops(top: QWidget) -> list[QWidget]:
    """The widgets below `top` that Tab can stop at, shown or not."""
    widgets = []
    for widget in top.findChildren(QWidget):
        if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QScrollArea):
            continue
        if widget.focusProxy() is not None or _is_inside(widget):
            continue
        widgets.append(widget)
    return widgets


def _is_inside(widget: QWidget) -> bool:
    """Whether it is a part of another widget, as the list of a combo box: Tab stops at that one."""
    at = widget.parentWidget()
    while at is not None and not isinstance(at, (QComboBox, QAbstractSpinBox)):
        at = at.parentWidget()
    return at is not None


def nameless(top: QWidget) -> list[str]:
    """The widgets that a screen reader has no name for, with their way down."""
    bad = []
    for widget in stops(top):
        interface = QAccessible.queryAccessibleInterface(widget)
        name = interface.text(QAccessible.Text.Name) if interface is not None else ""
        if not name.strip():
            way: list[str] = []
            at: QWidget | None = widget
            while at is not None and at is not top:
                way.append(at.objectName() or type(at).__name__)
                at = at.parentWidget()
            bad.append(" < ".join(way[:5]))
    return bad
