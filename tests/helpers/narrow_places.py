"""Words that are cut off, and what is wider than its place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from editor_app.window.bindings.choice_box import CutLine
from editor_app.window.bindings.elision import ElidedLabel


def too_narrow(top: QWidget) -> list[str]:
    """What is cut off, wider than its place, or scrolls sideways among the visible widgets below
    `top`."""
    faults = []
    for widget in top.findChildren(QWidget):
        if widget.isVisible():
            fault = _fault(widget)
            if fault:
                faults.append(
                    f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()!r}: "
                    f"{fault}"
                )
    return faults


def _fault(widget: QWidget) -> str:
    if isinstance(widget, QScrollArea):
        inside = widget.widget()
        if inside is not None and inside.width() > widget.viewport().width():
            return f"{inside.width()} pixels wide in {widget.viewport().width()}"
    if isinstance(widget, QAbstractScrollArea):
        # Lines of text may be longer than the window.
        is_text = isinstance(widget, QPlainTextEdit | QTextEdit)
        return (
            "scrolls sideways" if widget.horizontalScrollBar().isVisible() and not is_text else ""
        )
    if isinstance(widget, QLabel):
        return "" if isinstance(widget, ElidedLabel) else _cut_label(widget)
    if isinstance(widget, QPushButton | QCheckBox | QToolButton):
        shows_text = not isinstance(widget, QToolButton) or (
            widget.toolButtonStyle() is not Qt.ToolButtonStyle.ToolButtonIconOnly
            or widget.icon().isNull()
        )
        cut = bool(widget.text()) and shows_text and widget.sizeHint().width() > widget.width() + 1
        return (
            f"{widget.text()!r} needs {widget.sizeHint().width()} of {widget.width()}"
            if cut
            else ""
        )
    if isinstance(widget, QComboBox):
        return _cut_line(widget) if widget.isEditable() else _cut_choice(widget)
    if isinstance(widget, QHeaderView):
        return _cut_head(widget)
    if isinstance(widget, QTabBar):
        tabs = range(widget.count())
        return ", ".join(
            widget.tabText(i)
            for i in tabs
            if widget.tabSizeHint(i).width() > widget.tabRect(i).width()
        )
    return ""


def _cut_label(label: QLabel) -> str:
    if label.wordWrap():
        least = label.heightForWidth(label.width())
        return (
            f"{label.text()[:60]!r} needs {least} of {label.height()} pixels of height"
            if least > label.height() + 1
            else ""
        )
    if "…" in label.text() or not label.pixmap().isNull():
        return ""
    if label.textFormat() is Qt.TextFormat.AutoText and "<b>" in label.text():
        width = label.sizeHint().width()
    else:
        # The sign before the letter of a short cut is not shown.
        text = label.text().replace("&", "") if label.buddy() is not None else label.text()
        metrics = QFontMetrics(label.font())
        width = max((metrics.horizontalAdvance(line) for line in text.splitlines()), default=0)
    return (
        f"{label.text()!r} needs {width} of {label.width()}"
        if width > label.contentsRect().width() + 1
        else ""
    )


def _cut_choice(box: QComboBox) -> str:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    field = box.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box
    )
    width = QFontMetrics(box.font()).horizontalAdvance(box.currentText())
    return (
        f"{box.currentText()!r} needs {width} of {field.width()}" if width > field.width() else ""
    )


def _cut_line(box: QComboBox) -> str:
    line = box.lineEdit()
    return "" if isinstance(line, CutLine) else "cuts its text without an ellipsis"


def _cut_head(head: QHeaderView) -> str:
    if head.orientation() is not Qt.Orientation.Horizontal:
        return ""
    cut = []
    for section in range(head.count()):
        title = str(head.model().headerData(section, head.orientation()) or "")
        width = max(
            (head.fontMetrics().horizontalAdvance(line) for line in title.splitlines()), default=0
        )
        if not head.isSectionHidden(section) and width > head.sectionSize(section):
            cut.append(f"{title!r} needs {width} of {head.sectionSize(section)}")
    return ", ".join(cut)
