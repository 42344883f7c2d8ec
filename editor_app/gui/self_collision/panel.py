"""The panel: matrix, list, overlaps at this pose, cost against the meshes, another mask; the selected pair beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.bindings.choice_box import ChoiceBox
from editor_app.gui.bindings.lists import lead_down
from editor_app.gui.icons import icon
from editor_app.gui.jobs import Jobs
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.self_collision.blocking_page import BlockingPage
from editor_app.gui.self_collision.compare_page import ComparePage
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.legend import Legend
from editor_app.gui.self_collision.live import LiveOverlaps
from editor_app.gui.self_collision.looks import CLASS_NAMES, ColourBy
from editor_app.gui.self_collision.matrix import MatrixView
from editor_app.gui.self_collision.options import OptionsMenu
from editor_app.gui.self_collision.overlaps_page import OverlapsPage
from editor_app.gui.self_collision.pair_actions import SECTIONS, PairAction
from editor_app.gui.self_collision.pair_list import PairListPage
from editor_app.gui.self_collision.pair_pane import PairPane
from editor_app.gui.self_collision.pair_table import FILTER_NAMES, Filter
from editor_app.gui.self_collision.proposal import WriteMaskDialog
from editor_app.gui.widgets import STRETCH, dress, fill, tab_through
from editor_app.model.counting import counted
from editor_app.operations.mask_changes import MaskFile
from editor_app.self_collision.results import PairClass, PairEvidence

PAGES = ("Matrix", "List", "At this pose", "Blocking", "Compare")
MATRIX, LIST, OVERLAPS, BLOCKING, COMPARE = range(5)


class SelfCollisionPanel(QWidget):
    """One selection for all of its pages: `session.selection.pairs`."""

    def __init__(
        self,
        controller: MaskController,
        live: LiveOverlaps,
        jobs: Jobs,
        free: Callable[[tuple[str, ...]], object],
        parent: QWidget | None = None,
    ) -> None:
        """`free(links)`: looks for a tighter fit of two links."""
        super().__init__(parent)
        self._controller = controller
        self._live = live
        self.matrix = MatrixView(controller, self)
        self.matrix.pair_activated.connect(controller.show_witness)
        self.matrix.menu_requested.connect(self._show_menu)
        self.pane = PairPane(controller, self)
        self.listing = PairListPage(controller, self.matrix.keys.watch, self)
        self.listing.menu_requested.connect(self._show_menu)
        self.overlaps = OverlapsPage(controller, live, self)
        self.blocking = BlockingPage(controller, jobs, free, self)
        self.comparison = ComparePage(controller, self)
        self.matrix.keys.watch(self.comparison.table)
        self.empty = dress(PlainLabel(parent=self), look="muted", align=Qt.AlignmentFlag.AlignCenter, wrap=True)
        self._first = QStackedWidget(self)
        self._first.addWidget(self.matrix)
        self._first.addWidget(self.empty)
        self.stack = QStackedWidget(self)
        for page in (self._first, self.listing, self.overlaps, self.blocking, self.comparison):
            self.stack.addWidget(page)
        self.legend = Legend(controller, self)
        self.matrix.rows_changed.connect(self.legend.set_folded)
        self.legend.set_folded(any(row.is_collapsed for row in self.matrix.rows))
        self.calibrated = PlainLabel(
            "The robot is shown calibrated, and “At this pose” is about that. The mask and its evidence use the joint "
            "origins of the URDF, as the programs do that read it.",
            self,
        )
        self.calibrated.setWordWrap(True)
        self.calibrated.setProperty("muted", True)
        self._make_bar()
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(self.stack)
        splitter.addWidget(self.pane)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([720, 480])
        splitter.setChildrenCollapsible(False)
        self.pane.setMinimumWidth(300)
        fill(QVBoxLayout(self), self._bar, self.calibrated, (splitter, 1), self.legend, margins=(4, 4, 4, 2), spacing=3)
        boxes = (self.file, self.colour_by, self.kind, self.text, self.conflicts_button, self.todo_button)
        again, button, compared = self.overlaps.again_button, self.blocking.button, self.comparison
        heads = (again, self.overlaps.table, button, self.blocking.free_button, self.blocking.tree)
        choices = (compared.source, compared.open_button, compared.take_button, compared.table)
        tab_through(self, *boxes, self._first, self.listing, *heads, *choices, self.pane)
        for signal in (controller.analysis_changed, controller.mask_changed, controller.running_changed):
            signal.connect(self.refresh)
        controller.session.document_opened.connect(self._on_opened)
        controller.session.calibration_changed.connect(self._on_calibration)
        self._on_calibration(controller.session.calibration)
        live.changed.connect(self._count_overlaps)
        self.refresh()
        self._count_overlaps()

    def sizeHint(self) -> QSize:
        return QSize(900, 300)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._controller.session.document is not None:
            self._live.wake()

    def _on_calibration(self, origins: object) -> None:
        self.calibrated.setVisible(bool(origins))

    # -- the bar

    def _make_bar(self) -> None:
        controller = self._controller
        self.compute_button = QPushButton(self)
        self.compute_button.setObjectName("compute-mask")
        self.compute_button.clicked.connect(
            lambda: controller.cancel() if controller.is_running else controller.compute()
        )
        self.write_button = QPushButton(icon("floppy-disk-back"), "Write the mask…", self)
        self.write_button.setObjectName("write-the-mask")
        self.write_button.setToolTip("See what a mask after this evidence changes, then write it as one step")
        self.write_button.clicked.connect(self.propose)
        self.options_button = QToolButton(self)
        self.options_button.setIcon(icon("gear-six"))
        self.options_button.setAutoRaise(True)
        self.options_button.setToolTip("What the mask is computed for")
        self.options_button.setAccessibleName("Options of the mask")
        self.options_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options = OptionsMenu(controller, self.options_button)
        self.options_button.setMenu(self.options)
        self.tabs: list[QToolButton] = []
        group = QButtonGroup(self)
        bar = self._bar = QHBoxLayout()
        bar.setSpacing(3)
        for widget in (self.compute_button, self.options_button, self.write_button):
            bar.addWidget(widget)
        bar.addSpacing(8)
        for number, title in enumerate(PAGES):
            tab = QToolButton(self)
            tab.setText(title)
            tab.setCheckable(True)
            tab.setAutoRaise(True)
            tab.setAccessibleName(title)
            group.addButton(tab, number)
            self.tabs.append(tab)
            bar.addWidget(tab)
        self.tabs[0].setChecked(True)
        group.idClicked.connect(self.show_page)
        self.colour_by = dress(ChoiceBox(self), name="Colour by", tip="What the colours of the matrix tell")
        for by in ColourBy:
            self.colour_by.addItem(by.value, by)
        self.colour_by.activated.connect(lambda i: self.set_colour_by(self.colour_by.itemData(i)))
        self.file = ChoiceBox(self)
        self.file.setAccessibleName("Whose mask")
        self.file.setToolTip("The mask that is shown and edited here; the other one is shown beside it")
        for file in MaskFile:
            self.file.addItem(f"Mask of the {file}", file)
        self.file.activated.connect(lambda i: controller.set_file(self.file.itemData(i)))
        self.kind = dress(ChoiceBox(self), name="Show which pairs")
        self.kind.addItems(FILTER_NAMES)
        self.kind.activated.connect(lambda i: self.listing.filter.set_kind(Filter(i)))
        self.text = dress(QLineEdit(self), name="Filter pairs", hint="Filter by link")
        self.text.setClearButtonEnabled(True)
        self.text.textChanged.connect(self.listing.filter.set_text)
        lead_down(self.text, self.listing.table)
        self.conflicts_button = self._count_button("warning-circle", "error", "Next conflict (F7)")
        self.conflicts_button.clicked.connect(lambda: self.matrix.keys.next_conflict())
        self.todo_button = self._count_button("question", "warning", "List what only you can decide")
        self.todo_button.clicked.connect(lambda: self.show_list(Filter.TO_DECIDE))
        fill(bar, self.file, self.colour_by, self.kind, self.text, STRETCH, self.conflicts_button, self.todo_button)
        self.show_page(0)

    def _count_button(self, name: str, role: str, tip: str) -> QToolButton:
        button = dress(QToolButton(self), tip=tip, icon=icon(name, role), flat=True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    # -- pages

    def show_page(self, number: int) -> None:
        """Matrix, list, overlaps, cost against the meshes, comparison: 0 to 4."""
        self.tabs[number].setChecked(True)
        self.stack.setCurrentIndex(number)
        self.colour_by.setVisible(number == MATRIX)
        self.kind.setVisible(number == LIST)
        self.text.setVisible(number == LIST)
        self.legend.setVisible(number == MATRIX)

    def set_colour_by(self, by: ColourBy) -> None:
        """What the colours of the matrix tell."""
        self.matrix.set_colour_by(by)
        self.legend.set_colour_by(by)

    def show_list(self, kind: Filter) -> None:
        """The list with only those."""
        self.kind.setCurrentIndex(kind)
        self.listing.filter.set_kind(kind)
        self.show_page(LIST)

    def show_overlaps(self) -> None:
        self.show_page(OVERLAPS)

    def show_cost(self) -> None:
        self.show_page(BLOCKING)
        self.blocking.weigh()

    def compare_with(self, path: Path) -> None:
        """Shows where the mask differs from that of another file."""
        if self.comparison.compare_with(path):
            self.show_page(COMPARE)

    def propose(self) -> WriteMaskDialog:
        """Opens the preview of what would be written."""
        dialog = WriteMaskDialog(self._controller, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        return dialog

    def refresh(self, *_: object) -> None:
        controller = self._controller
        reason = controller.reason_not_to_compute
        running = controller.is_running
        self.compute_button.setIcon(icon("x" if running else "play"))
        self.compute_button.setText("Cancel" if running else "Compute the mask")
        self.compute_button.setToolTip(
            plain("Stop; what is known stays" if running else reason or "Sample, search and prove (Shift+M)")
        )
        self.compute_button.setEnabled(running or reason is None)
        analysis = controller.analysis
        self.write_button.setEnabled(analysis is not None)
        has_pairs = controller.grounds is not None
        self._first.setCurrentIndex(0 if has_pairs else 1)
        self.pane.setVisible(has_pairs)
        self.empty.setText(reason or "")
        self.file.setVisible(controller.has_srdf)
        self.file.setCurrentIndex(list(MaskFile).index(controller.file))
        conflicts = {e.pair for e in controller.conflicts()}
        left, undecided = len(conflicts & controller.left), controller.undecided()
        self.conflicts_button.setText(counted(len(conflicts), "conflict") + (f", {left} left" if left else ""))
        self.conflicts_button.setVisible(analysis is not None and bool(conflicts))
        self.todo_button.setText(f"{len(undecided)} to decide")
        self.todo_button.setToolTip(plain(_to_decide(undecided)))
        self.todo_button.setVisible(bool(undecided))
        if analysis is not None:
            kinds = Counter(analysis.kinds())
            self.tabs[MATRIX].setToolTip(plain("\n".join(f"{n} {CLASS_NAMES[k]}" for k, n in kinds.most_common())))

    def _count_overlaps(self) -> None:
        ready = self._live.is_ready
        text = f"At this pose ({self._live.at_pose.count})" if ready else "At this pose"
        if text != self.tabs[OVERLAPS].text():
            self.tabs[OVERLAPS].setText(text)

    def _on_opened(self, document: object) -> None:
        if document is not None and self.isVisible():
            self._live.wake()

    def _show_menu(self, place: QPoint) -> None:
        menu = make_pair_menu(self._controller, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)


def _to_decide(undecided: Sequence[PairEvidence]) -> str:
    """What the number counts, so that it can be found again where the mask is written."""
    always = sum(e.kind is PairClass.ALWAYS for e in undecided)
    parts = (
        (always, "always overlap: Write the mask… ticks them beforehand"),
        (len(undecided) - always, "overlap at the default configuration: they wait for your tick"),
    )
    lines = (f"{number} {text}" for number, text in parts if number)
    return "\n".join(("List the pairs that only you can decide, and that are still checked", *lines))


def make_pair_menu(controller: MaskController, parent: QWidget) -> QMenu:
    """What can be done with the selected pairs: the table of `pair_actions`, greyed with the reason."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    number = len(controller.selected)
    n = f" {number} pairs" if number > 1 else ""
    file = f" in {controller.file_name()}" if controller.has_srdf else ""
    for section in SECTIONS:
        if menu.actions():
            menu.addSeparator()
        for each in section:
            keys = ", ".join(each.keys(controller.keymap))
            text = each.text.format(n=n, file=file) + (f"\t{keys}" if keys else "")
            action = menu.addAction(icon(each.icon), text)
            reason = each.why_not(controller)
            action.setEnabled(reason is None)
            action.setToolTip(plain(reason or ""))
            action.triggered.connect(partial(_perform, each, controller))
    return menu


def _perform(action: PairAction, controller: MaskController, *_: object) -> None:
    action.perform(controller)
