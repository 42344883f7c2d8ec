"""The widgets of the fit panel and where they stand: the links, the figures of one link, what is asked for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from editor_app.gui.bindings.panel import heading, muted_label, row_of
from editor_app.gui.fitting.budget_estimates import BudgetEstimates
from editor_app.gui.fitting.chart import QualityChart
from editor_app.gui.fitting.figures import FiguresTable
from editor_app.gui.fitting.fit_settings import FitForm
from editor_app.gui.fitting.link_list import LinkList
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.session import Session
from editor_app.gui.widgets import Scrolled, dress, fill
from editor_app.gui.window.thin_bar import ThinBar


class FitLayout(QWidget):
    """Links at the left, settings and buttons at the right; between them the details, as long as one link is ticked.

    No button stands where another one stood before: a click that comes too late does nothing else than it was meant to.
    """

    def __init__(self, session: Session, estimates: BudgetEstimates, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = LinkList()
        self.selected_button = _button("Selected", "Tick the selected links, and follow the selection")
        self.all_button = _button("All", "Tick all links")
        self.empty_button = _button("Without spheres", "Tick the links that have no spheres yet")
        self.none_button = _button("None", "Tick no link")
        self.told = muted_label("")
        self.figures = FiguresTable()
        self.notes = dress(muted_label(""), align=Qt.AlignmentFlag.AlignTop)
        self.notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.progress = ThinBar("Progress of the fit", 5)
        self.chart = QualityChart()
        self.form = FitForm(session, estimates)
        self.title = heading("")
        self.start_button = _button("Fit", "Fits spheres to the ticked links and shows them beside the present ones")
        self.cancel_button = _button("Cancel", "")
        self.next_button = _button("Compute the mask", "Which links can touch: the next step for a new robot")
        self.accept_button = _button("Accept", "Puts the fitted spheres in the place of the present ones (Return)")
        ticks = row_of(
            self.selected_button, self.all_button, self.empty_button, self.none_button, PlainLabel(), stretch=4
        )
        self._links = _column((self.list, 1), (self.told, 0), (ticks, 0), least=200)
        figures = _column((Scrolled(_column((self.figures, 0), (self.notes, 1))), 1), (self.progress, 0), least=325)
        self.details = QSplitter(Qt.Orientation.Horizontal)
        self.details.setChildrenCollapsible(False)
        self.details.addWidget(figures)
        self.details.addWidget(self.chart)
        buttons = row_of(
            self.start_button, self.cancel_button, self.next_button, PlainLabel(), self.accept_button, stretch=3
        )
        settings = _column((self.title, 0), (Scrolled(self.form), 1), (buttons, 0))
        layout = fill(QHBoxLayout(self), margins=(8, 6, 8, 6), spacing=12)
        for part, stretch in ((self._links, 4), (self.details, 8), (settings, 5)):
            layout.addWidget(part, stretch)
        self._row = layout
        QWidget.setTabOrder(self.form.amount.choice, self.form.amount.slider)

    def show_details(self, shown: bool) -> None:
        """Beside one link its figures and its curve; several links have a row each, which is wider."""
        self.details.setVisible(shown)
        self._row.setStretch(0, 4 if shown else 9)
        for button in (self.empty_button, self.none_button):
            button.setVisible(not shown)
        self.list.set_narrow(shown)


def _button(text: str, tip: str) -> QPushButton:
    return dress(QPushButton(text), tip=tip)


def _column(*rows: tuple[QWidget, int], least: int = 0) -> QWidget:
    part = QWidget()
    fill(QVBoxLayout(part), *rows, margins=0, spacing=4)
    part.setMinimumWidth(least)
    return part
