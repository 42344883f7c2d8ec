"""The few lines of style sheet that fields and sections need beyond the application's."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from editor_app.gui.theme import Colours


def panel_style(c: Colours) -> str:
    """For the root of a panel; states and origins are dynamic properties, so that colour is never set in code."""
    return f"""
QLineEdit[figure="true"] {{ background: {c.base}; border: 1px solid {c.border}; border-radius: 3px; padding: 2px 4px; }}
QLineEdit[figure="true"]:focus {{ border: 1px solid {c.accent}; }}
QLineEdit[figure="true"][origin="default"] {{ color: {c.muted}; font-style: italic; }}
QLineEdit[figure="true"][origin="guessed"] {{ color: {c.warning}; font-style: italic; }}
QLineEdit[figure="true"][invalid="true"] {{ border: 1px solid {c.error}; }}
QLineEdit[figure="true"]:disabled, QLineEdit[figure="true"]:read-only {{ color: {c.faint}; background: {c.window}; }}
QComboBox[invalid="true"] {{ color: {c.error}; }}
QLabel[scrub="true"] {{ color: {c.muted}; }}
QLabel[scrub="true"]:hover {{ color: {c.accent}; }}
QLabel[unit="true"] {{ color: {c.faint}; }}
QLabel[chip="true"] {{ color: {c.accent}; font-weight: 600; }}
QTableView {{ background: {c.base}; border: 1px solid {c.border}; border-radius: 3px; gridline-color: {c.border}; }}
QTableView:focus {{ border: 1px solid {c.accent}; }}
QTableView::item {{ padding: 0px 4px; }}
QTableView QLineEdit {{ border-radius: 0px; padding: 0px 3px; }}
QFrame[messageBar="true"] {{ background: {c.base}; border: 1px solid {c.warning}; border-radius: 3px; }}
QFrame[sectionHeader="true"] {{ background: {c.window}; border: none; border-top: 1px solid {c.border}; }}
QFrame[sectionHeader="true"]:hover {{ background: {c.hover}; }}
QFrame[sectionHeader="true"]:focus {{ border: 1px solid {c.accent}; }}
QToolButton[flat="true"] {{ border: none; border-radius: 3px; padding: 2px; }}
QToolButton[flat="true"]:hover {{ background: {c.hover}; }}
QToolButton[flat="true"]:focus {{ border: 1px solid {c.accent}; }}
"""


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Sets a property that the style sheet asks for, and draws the widget accordingly."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
