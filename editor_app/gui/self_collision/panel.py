"""The panel: matrix, list, overlaps at this pose, spheres that block, another mask; the selected pair beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.edit.selection import Selection
from editor_app.formats.source import FormatError
from editor_app.gui.icons import icon
from editor_app.gui.jobs import Jobs
from editor_app.gui.self_collision.comparing import mask_of_file
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.live import LiveOverlaps
from editor_app.gui.self_collision.looks import CLASS_NAMES, SIGNS, ColourBy
from editor_app.gui.self_collision.matrix import MatrixView
from editor_app.gui.self_collision.options import OptionsMenu
from editor_app.gui.self_collision.pair_pane import PairPane
from editor_app.gui.self_collision.proposal import WriteMaskDialog
from editor_app.gui.self_collision.tables import (
    FILTER_NAMES,
    Column,
    Filter,
    Line,
    LinesModel,
    PairFilter,
    PairTable,
    make_table,
)
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision import Blocking, PairClass, compare_masks
from editor_app.tasks.self_collision import RankBlocking

_LEGEND = "   ".join(f"{SIGNS[kind]} {CLASS_NAMES[kind]}" for kind in PairClass)
PAGES = ("Matrix", "List", "At this pose", "Blocking", "Compare")


class SelfCollisionPanel(QWidget):
    """One selection for all of its pages: `session.selection.pairs`."""

    def __init__(
        self, controller: MaskController, live: LiveOverlaps, jobs: Jobs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._live = live
        self._jobs = jobs
        self._other: tuple[str, frozenset[LinkPair]] | None = None
        self._mine = False
        self.matrix = MatrixView(controller, self)
        self.matrix.pair_activated.connect(controller.show_witness)
        self.matrix.menu_requested.connect(self._show_menu)
        self.pane = PairPane(controller, self)
        self._make_pages()
        self._make_bar()
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(self.stack)
        splitter.addWidget(self.pane)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([720, 480])
        splitter.setChildrenCollapsible(False)
        self.pane.setMinimumWidth(300)
        self.legend = QLabel(self)
        self.legend.setProperty("muted", True)
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.legend.setText(f"{_LEGEND}   ! conflict   ◥ ignored   ▨ edited   blue apart, red overlapping")
        self.legend.setToolTip(
            "Blue: apart, red: overlapping, the paper's colour at 0. A cut corner: the mask ignores the pair. "
            "Hatched: the robot was edited since. A red frame: mask and evidence disagree."
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 2)
        layout.setSpacing(3)
        layout.addLayout(self._bar)
        layout.addWidget(splitter, 1)
        layout.addWidget(self.legend)
        for signal in (controller.analysis_changed, controller.mask_changed, controller.running_changed):
            signal.connect(self.refresh)
        controller.analysis_changed.connect(self._show_comparison)
        controller.mask_changed.connect(self._show_comparison)
        controller.session.selection_changed.connect(self._follow_selection)
        controller.session.document_opened.connect(self._on_opened)
        live.changed.connect(self._show_overlaps)
        self.refresh()
        self._show_overlaps()

    def sizeHint(self) -> QSize:
        return QSize(900, 300)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._controller.session.document is not None:
            self._live.wake()

    # -- parts

    def _make_pages(self) -> None:
        controller = self._controller
        self.pairs = PairTable(controller, self)
        self.filter = PairFilter(self.pairs, controller, self)
        self.list = make_table("Link pairs", self, self._choose_row)
        self.list.setModel(self.filter)
        self.list.setSortingEnabled(True)
        self.list.sortByColumn(Column.STATE, Qt.SortOrder.AscendingOrder)
        self.list.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.list.selectionModel().selectionChanged.connect(self._take_list_selection)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(
            lambda point: self._show_menu(self.list.viewport().mapToGlobal(point))
        )
        self.overlaps = LinesModel(("Link", "Link", "Depth, mm", "Spheres"), (2, 3), self)
        self.overlap_list = make_table("Overlaps at this pose", self, self._choose_overlap)
        self.overlap_list.setModel(self.overlaps)
        self.blocking = LinesModel(("Sphere", "Collisions", "Not of the meshes", "With"), (1, 2), self)
        self.blocking_list = make_table("Spheres that block most", self, self._choose_sphere)
        self.blocking_list.setModel(self.blocking)
        self.differences = LinesModel(("Link", "Link", "Ignored by", "What speaks for it"), (), self)
        self.difference_list = make_table("Differences of the masks", self, self._choose_difference)
        self.difference_list.setModel(self.differences)
        self.stack = QStackedWidget(self)
        self.empty = QLabel(self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("muted", True)
        self.empty.setWordWrap(True)
        first = QStackedWidget(self)
        first.addWidget(self.matrix)
        first.addWidget(self.empty)
        self._first = first
        for page in (first, self.list, self.overlap_list, self._blocking_page(), self._comparison_page()):
            self.stack.addWidget(page)

    def _blocking_page(self) -> QWidget:
        self.rank_button = QPushButton(icon("sort-descending"), "Rank the spheres", self)
        self.rank_button.setToolTip("Count the collisions that each sphere causes and the meshes do not have")
        self.rank_button.clicked.connect(self.rank)
        self.rank_text = QLabel("Which spheres cause collisions that the meshes do not have?", self)
        self.rank_text.setProperty("muted", True)
        return _page(self.rank_button, self.rank_text, self.blocking_list)

    def _comparison_page(self) -> QWidget:
        self.compare_button = QPushButton(icon("git-diff"), "Open another mask…", self)
        self.compare_button.setToolTip("Compare with the mask of another XRDF, or of an SRDF")
        self.compare_button.clicked.connect(self._ask_file)
        self.compare_text = QLabel("Another XRDF or an SRDF: where do the masks differ, and who is right?", self)
        self.compare_text.setProperty("muted", True)
        return _page(self.compare_button, self.compare_text, self.difference_list)

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
        self.colour_by = QComboBox(self)
        self.colour_by.setAccessibleName("Colour by")
        self.colour_by.setToolTip("What the colours of the matrix tell")
        for by in ColourBy:
            self.colour_by.addItem(by.value, by.value)
        self.colour_by.activated.connect(lambda i: self.matrix.set_colour_by(ColourBy(self.colour_by.itemData(i))))
        self.kind = QComboBox(self)
        self.kind.setAccessibleName("Show which pairs")
        self.kind.addItems(FILTER_NAMES)
        self.kind.activated.connect(lambda i: self.filter.set_kind(Filter(i)))
        self.text = QLineEdit(self)
        self.text.setPlaceholderText("Filter by link")
        self.text.setAccessibleName("Filter pairs")
        self.text.setClearButtonEnabled(True)
        self.text.textChanged.connect(self.filter.set_text)
        self.conflicts_button = self._count_button("warning-circle", "error", "Next conflict (N)")
        self.conflicts_button.clicked.connect(lambda: controller.next_conflict())
        self.todo_button = self._count_button("question", "warning", "List what only you can decide")
        self.todo_button.clicked.connect(lambda: self.show_list(Filter.TO_DECIDE))
        bar.addWidget(self.colour_by)
        bar.addWidget(self.kind)
        bar.addWidget(self.text)
        bar.addStretch(1)
        bar.addWidget(self.conflicts_button)
        bar.addWidget(self.todo_button)
        self.show_page(0)

    def _count_button(self, name: str, role: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(name, role))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAutoRaise(True)
        button.setToolTip(tip)
        return button

    # -- pages

    def show_page(self, number: int) -> None:
        """Matrix, list, overlaps, blocking spheres, comparison: 0 to 4."""
        self.tabs[number].setChecked(True)
        self.stack.setCurrentIndex(number)
        self.colour_by.setVisible(number == 0)
        self.kind.setVisible(number == 1)
        self.text.setVisible(number == 1)

    def show_list(self, kind: Filter) -> None:
        """The list with only those."""
        self.kind.setCurrentIndex(kind)
        self.filter.set_kind(kind)
        self.show_page(1)

    def show_overlaps(self) -> None:
        self.show_page(2)

    def refresh(self, *_: object) -> None:
        controller = self._controller
        reason = controller.reason_not_to_compute
        running = controller.is_running
        self.compute_button.setIcon(icon("x" if running else "play"))
        self.compute_button.setText("Cancel" if running else "Compute the mask")
        self.compute_button.setToolTip(
            "Stop; what is known stays" if running else reason or "Sample, search and prove (Shift+M)"
        )
        self.compute_button.setEnabled(running or reason is None)
        analysis = controller.analysis
        self.write_button.setEnabled(analysis is not None)
        self._first.setCurrentIndex(0 if analysis is not None else 1)
        text = reason or "Nothing is known yet about which links can collide. “Compute the mask” finds out."
        self.empty.setText("Computing …" if running else text)
        conflicts, todo = len(controller.conflicts()), len(controller.undecided())
        self.conflicts_button.setText(_plural(conflicts, "conflict"))
        self.conflicts_button.setVisible(analysis is not None and conflicts > 0)
        self.todo_button.setText(f"{todo} to decide")
        self.todo_button.setVisible(todo > 0)
        if analysis is not None:
            kinds = Counter(analysis.kinds())
            self.tabs[0].setToolTip("\n".join(f"{n} {CLASS_NAMES[k]}" for k, n in kinds.most_common()))
        self.filter.invalidate()

    def propose(self) -> WriteMaskDialog:
        """Opens the preview of what would be written."""
        dialog = WriteMaskDialog(self._controller, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
        return dialog

    # -- the list

    def _pair_of(self, row: int) -> LinkPair:
        source = self.filter.mapToSource(self.filter.index(row, 0))
        return self.pairs.pairs[source.row()].pair

    def _choose_row(self, row: int) -> None:
        self._controller.show_witness(self._pair_of(row))

    def _take_list_selection(self, *_: object) -> None:
        if self._mine:
            return
        rows = [index.row() for index in self.list.selectionModel().selectedRows()]
        current = self.list.currentIndex().row()
        rows.sort(key=lambda row: row == current)
        self._mine = True
        try:
            self._controller.select(self._pair_of(row) for row in rows)
        finally:
            self._mine = False

    def _follow_selection(self, selection: Selection) -> None:
        if self._mine or not selection.pairs:
            return
        for row in range(self.filter.rowCount()):
            if self._pair_of(row) == selection.pairs[-1]:
                self._mine = True
                try:
                    self.list.selectRow(row)
                    self.list.scrollTo(self.filter.index(row, 0))
                finally:
                    self._mine = False
                return

    # -- overlaps, ranking, comparison

    def _show_overlaps(self) -> None:
        found = self._live.overlaps
        self.overlaps.show(
            [
                Line(
                    (*_in_order(self._live, o.pair), f"{o.depth * 1e3:.1f}", str(len(o.contacts))),
                    o,
                    "Click to select the spheres that overlap",
                )
                for o in found
            ]
        )
        self.tabs[2].setText(f"At this pose ({len(found)})" if self._live.is_ready else "At this pose")

    def _choose_overlap(self, row: int) -> None:
        overlap = self.overlaps.lines[row].value
        spheres = dict.fromkeys(ref for c in overlap.contacts for ref in (c.first, c.second))
        self._controller.session.select(Selection(spheres=tuple(spheres), pairs=(overlap.pair,)))

    def rank(self) -> None:
        """Ranks the spheres by the collisions that they cause and the meshes do not have."""
        controller = self._controller
        document = controller.session.document
        if document is None or controller.reason_not_to_compute is not None:
            return
        job = RankBlocking(
            document.robot, document.urdf_path, controller.mappings(), controller.options, controller.ignored
        )
        self.rank_button.setEnabled(False)
        self._jobs.run(
            "Ranking the spheres",
            job,
            on_done=self._show_ranking,
            on_cancelled=lambda: self.rank_button.setEnabled(True),
            on_error=lambda error: self._rank_failed(error.message),
        )

    def _rank_failed(self, message: str) -> None:
        self.rank_button.setEnabled(True)
        self.rank_text.setText(f"The ranking failed: {message}")

    def _show_ranking(self, found: tuple[tuple[Blocking, ...], bool]) -> None:
        ranked, asked = found
        self.rank_button.setEnabled(True)
        samples = ranked[0].samples if ranked else 0
        if not ranked:
            self.rank_text.setText("No sphere of an unmasked pair collides.")
        elif asked:
            self.rank_text.setText(f"Of {samples:,} configurations, those in which a sphere collides.")
        else:
            self.rank_text.setText(f"Of {samples:,} configurations; no meshes to compare with: every collision counts.")
        self.blocking.show([self._blocking_line(b) for b in ranked])

    def _blocking_line(self, b: Blocking) -> Line:
        others = dict.fromkeys(f for p in b.pairs for f in (p.first, p.second) if f != b.sphere.frame)
        name = f"{b.sphere.frame} [{b.sphere.index + 1}]"
        return Line((name, f"{b.collisions:,}", f"{b.needless:,}", ", ".join(others)), b, "Click to select the sphere")

    def _choose_sphere(self, row: int) -> None:
        self._controller.session.select(Selection(spheres=(self.blocking.lines[row].value.sphere,)))

    def _ask_file(self) -> None:
        dialog = QFileDialog(self.window(), "Compare with the mask of", "", "Masks (*.xrdf *.yaml *.yml *.srdf)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.compare_with(Path(name)))
        dialog.open()

    def compare_with(self, path: Path) -> None:
        """Shows where the mask differs from that of another file."""
        try:
            self._other = (path.name, mask_of_file(path))
        except (OSError, FormatError) as error:
            self._controller.session.refused.emit(str(error))
            return
        self.show_page(4)
        self._show_comparison()

    def _show_comparison(self) -> None:
        controller, session = self._controller, self._controller.session
        if self._other is None:
            return
        name, pairs = self._other
        if controller.analysis is None:
            self.compare_text.setText(f"{name}: compute the mask to see what speaks for either side.")
            self.differences.show([])
            return
        known = session.tree.frames if session.tree is not None else ()
        found = compare_masks(controller.analysis, {"this mask": controller.ignored, name: pairs}, known)
        count = _plural(len(found), "difference")
        self.compare_text.setText(f"{name}: {count}." if found else f"{name} ignores the same pairs.")
        order = {frame: i for i, frame in enumerate(known)}
        self.differences.show(
            [
                Line(
                    (
                        *sorted((d.pair.first, d.pair.second), key=lambda f: order.get(f, len(order))),
                        ", ".join(d.ignored_in),
                        d.explanation.partition(": ")[2],
                    ),
                    d.pair,
                    d.explanation,
                )
                for d in found
            ]
        )

    def _choose_difference(self, row: int) -> None:
        pair = self.differences.lines[row].value
        self._controller.select((pair,))
        self._controller.show_witness(pair)

    def _on_opened(self, document: object) -> None:
        self._other = None
        self.differences.show([])
        self.blocking.show([])
        if document is not None and self.isVisible():
            self._live.wake()

    # -- menu

    def _show_menu(self, place: QPoint) -> None:
        menu = self.make_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def make_menu(self) -> QMenu:
        """What can be done with the selected pairs."""
        controller = self._controller
        chosen = controller.selected
        menu = QMenu(self)
        n = f" {len(chosen)} pairs" if len(chosen) > 1 else ""
        some = bool(chosen)
        masked = [pair in controller.ignored for pair in chosen]
        entries: tuple[tuple[str, str, Callable[[], object], bool], ...] = (
            ("eye-slash", f"Mask{n}\tM", lambda: controller.mask(chosen), not all(masked)),
            ("eye", f"Check{n}\tU", lambda: controller.unmask(chosen), any(masked)),
            ("arrow-counter-clockwise", f"Reset{n}\tR", lambda: controller.reset(chosen), some),
            ("robot", "Show on the robot\tEnter", lambda: controller.show_witness(chosen[-1]), some),
            ("magnifying-glass", "Search closer", lambda: controller.search_closer(chosen[-1]), some),
            ("circles-three", "Select the nearest spheres", lambda: controller.select_spheres(chosen[-1]), some),
            ("arrow-u-up-left", "Back to my pose\tB", controller.back, controller.can_go_back),
            ("warning-circle", "Next conflict\tN", controller.next_conflict, bool(controller.conflicts())),
        )
        for name, text, run, on in entries:
            action = menu.addAction(icon(name), text)
            action.setEnabled(on)
            action.triggered.connect(partial(_call, run))
        return menu


def _call(run: Callable[[], object], *_: object) -> None:
    run()


def _page(button: QPushButton, text: QLabel, table: QTableView) -> QWidget:
    page = QWidget()
    button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    row = QHBoxLayout()
    row.addWidget(button)
    row.addWidget(text, 1)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(3)
    layout.addLayout(row)
    layout.addWidget(table, 1)
    return page


def _in_order(live: LiveOverlaps, pair: LinkPair) -> tuple[str, str]:
    distances = live.distances
    row = distances.model.pair_index.get(pair) if distances is not None else None
    return (pair.first, pair.second) if distances is None or row is None else distances.model.ordered(row)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
