"""The widgets of the fit panel and where they stand: the links, the figures of one link, what is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from editor_app.gui.bindings.panel import heading, muted_label, row_of
from editor_app.gui.fitting.budget_estimates import BudgetEstimates
from editor_app.gui.fitting.chart import QualityChart
from editor_app.gui.fitting.figures import FiguresTable
from editor_app.gui.fitting.fit_settings import FitForm
from editor_app.gui.fitting.link_list import LinkList
from editor_app.gui.session import Session
from editor_app.gui.widgets import PlainLabel, Scrolled, ThinBar, dress, fill, plain
from editor_app.model.counting import counted


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a fit is: the ticked links, and the links whose fits wait to be accepted.

    `is_guarded`: fits came just now, and a click cannot discard them yet. `was_taken`: the last fit was accepted.
    """

    ticked: tuple[str, ...]
    fits: frozenset[str]
    is_running: bool
    is_idle: bool
    is_guarded: bool
    was_taken: bool

    @property
    def is_one(self) -> bool:
        return len(self.ticked) == 1


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
        self.next_button = _button("Compute the mask", "The next step for a new robot")
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

    def show_stage(self, stage: Stage) -> None:
        """The buttons, and where the focus goes when its button cannot be used any more."""
        buttons = (self.start_button, self.cancel_button, self.next_button, self.accept_button)
        held = next((button for button in buttons if button.hasFocus()), None)
        self._show_work(stage)
        self._show_result(stage)
        if held is not None and (held.isHidden() or not held.isEnabled()):
            # The keyboard stays with the fit, and with its result.
            follows = self.accept_button if stage.fits else self.start_button
            (self.cancel_button if stage.is_running else follows).setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_work(self, stage: Stage) -> None:
        running, has_fits = stage.is_running, bool(stage.fits)
        guarded = has_fits and stage.is_guarded
        self.start_button.setText("Fit again" if has_fits or stage.was_taken else "Fit")
        self.start_button.setEnabled(bool(stage.ticked) and not guarded and (not running or stage.is_one))
        self.start_button.setDefault(not has_fits and not stage.was_taken)
        self.cancel_button.setText("Discard" if has_fits and not running else "Cancel")
        keeps = "Ends the work; finished fits can still be accepted (Esc)"
        self.cancel_button.setToolTip(plain(keeps if running and not stage.is_one else "Changes nothing (Esc)"))
        self.cancel_button.setEnabled(not stage.is_idle and (running or not guarded))

    def _show_result(self, stage: Stage) -> None:
        has_fits = bool(stage.fits)
        self.next_button.setVisible(stage.was_taken and not stage.is_one and stage.is_idle)
        self.next_button.setDefault(self.next_button.isVisibleTo(self))
        is_ready = has_fits and not stage.is_running
        self.accept_button.setEnabled(is_ready)
        self.accept_button.setDefault(has_fits)
        whole = stage.fits == set(stage.ticked)
        self.accept_button.setText("Accept" if whole or not is_ready else f"Accept {counted(len(stage.fits), 'link')}")


def _button(text: str, tip: str) -> QPushButton:
    return dress(QPushButton(text), tip=tip)


def _column(*rows: tuple[QWidget, int], least: int = 0) -> QWidget:
    part = QWidget()
    fill(QVBoxLayout(part), *rows, margins=0, spacing=4)
    part.setMinimumWidth(least)
    return part
