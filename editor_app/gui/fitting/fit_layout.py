"""The widgets of the fit panel and where they stand: what is asked for, the figures of both, the chart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.bindings.panel import heading, muted_label, row_of
from editor_app.gui.bindings.scrolled import Scrolled
from editor_app.gui.fitting.chart import QualityChart
from editor_app.gui.fitting.figures import FiguresTable
from editor_app.gui.fitting.fit_settings import FitForm
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.session import Session
from editor_app.gui.window.thin_bar import ThinBar


class FitLayout(QWidget):
    """Three columns in a splitter; what the widgets do is the panel's business."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = FitForm(session)
        self.title = heading("")
        self.title.setWordWrap(True)
        self.figures = FiguresTable()
        self.notes = muted_label("")
        self.notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.notes.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.progress = ThinBar("Progress of the fit", 5)
        self.accept_button = QPushButton("Accept")
        self.accept_button.setToolTip("Puts the proposed spheres in the place of the present ones (Return)")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Leaves everything as it was (Esc)")
        self.start_button = QPushButton("Fit")
        self.start_button.setToolTip("Fits spheres to the selected links and shows them beside the present ones")
        self.chart = QualityChart()
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        for part, stretch in ((self._left(), 3), (self._middle(), 3), (self._right(), 4)):
            parts.addWidget(part)
            parts.setStretchFactor(parts.count() - 1, stretch)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(parts)
        for first, second in (
            (self.form.amount.choice, self.form.amount.slider),
            (self.start_button, self.cancel_button),
            (self.cancel_button, self.accept_button),
        ):
            QWidget.setTabOrder(first, second)

    def _left(self) -> QWidget:
        return _column((self.title, 0), (Scrolled(self.form), 1), margins=(8, 6, 4, 4), least=290)

    def _middle(self) -> QWidget:
        area = Scrolled(_column((self.figures, 0), (self.notes, 1), margins=(0, 0, 0, 0)))
        buttons = row_of(PlainLabel(), self.start_button, self.cancel_button, self.accept_button)
        return _column((area, 1), (self.progress, 0), (buttons, 0), margins=(8, 6, 8, 6), least=330)

    def _right(self) -> QWidget:
        return _column((self.chart, 1), margins=(4, 6, 8, 6))


def _column(*rows: tuple[QWidget, int], margins: tuple[int, int, int, int], least: int = 0) -> QWidget:
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(*margins)
    column.setSpacing(4)
    for widget, stretch in rows:
        column.addWidget(widget, stretch)
    part.setMinimumWidth(least)
    return part
