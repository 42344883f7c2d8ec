"""Dynamic properties that the style sheet of the theme asks for."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Sets a property that the style sheet asks for, and draws the widget accordingly."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
