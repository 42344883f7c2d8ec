"""The panel: matrix, list, overlaps at this pose, cost against the meshes, another mask; the
selected pair beside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.libraries import install_command
from editor_app.core.model.counting import format_count
from editor_app.core.model.options import ends_of
from editor_app.features.masks.engine.options import Limits, MaskRequest, ModelOptions, Uncontrolled
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.verbs.pair_distances import meshes_available
from editor_app.features.masks.window.compare_page import ComparePage
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.live import LiveOverlaps, OverlapsPage
from editor_app.features.masks.window.looks import CLASS_NAMES, ColourBy
from editor_app.features.masks.window.matrix import MatrixView
from editor_app.features.masks.window.painting import MatrixLegend
from editor_app.features.masks.window.pair_keys import PairKeys
from editor_app.features.masks.window.pair_pane import PairPane
from editor_app.features.masks.window.pair_table import Filter, PairListPage
from editor_app.features.masks.window.pairs_dialog import WriteMaskDialog
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.lists import lead_down
from editor_app.window.widgets import (
    STRETCH,
    PlainLabel,
    WhenSeen,
    action_button,
    checkable,
    dress,
    fill_layout,
    icon,
    plain_text,
    popup,
    side_by_side,
    tab_through,
)

_PAGES = ("Matrix", "List", "At this pose", "Compare")
MATRIX, LIST, OVERLAPS = range(3)
_COMPUTE = "Compute the mask"
_CALIBRATED = (
    "The view and “At this pose” show the calibrated robot. The mask and its evidence use the "
    "joint origins of the "
    "URDF, as other programs do."
)


class AddedPage(QWidget):
    """A page that a plug-in adds; Tab stops at `stops`."""

    stops: tuple[QWidget, ...] = ()


class SelfCollisionPanel(QWidget):
    """One selection for all of its pages: `session.selection.pairs`."""

    def __init__(
        self,
        controller: MaskController,
        live: LiveOverlaps,
        registry: ActionRegistry,
        makers: Mapping[str, Callable[[QWidget], AddedPage]],
    ) -> None:
        """`makers`: title of an added page -> what makes it."""
        super().__init__()
        self._controller = controller
        self._live = live
        self._registry = registry
        self.matrix = MatrixView(controller, self)
        self.matrix.menu_requested.connect(self._show_menu)
        self.pane = PairPane(controller, registry, self)
        self.listing = PairListPage(controller, self)
        self.listing.menu_requested.connect(self._show_menu)
        self.overlaps = OverlapsPage(controller, live, self)
        self.added = {title: make(self) for title, make in makers.items()}
        self.pages = (*_PAGES[:-1], *self.added, _PAGES[-1])
        self.comparison = ComparePage(controller, self)
        self.keys = PairKeys(
            controller, registry, self.matrix, self.listing.table, self.comparison.table
        )
        self.empty = dress(
            PlainLabel(parent=self), look="muted", align=Qt.AlignmentFlag.AlignCenter, wrap=True
        )
        self._first = QStackedWidget(self)
        self._first.addWidget(self.matrix)
        self._first.addWidget(self.empty)
        self.stack = QStackedWidget(self)
        for page in (
            self._first,
            self.listing,
            self.overlaps,
            *self.added.values(),
            self.comparison,
        ):
            self.stack.addWidget(page)
        self.legend = MatrixLegend(controller, self)
        self.matrix.rows_changed.connect(self.legend.set_folded)
        self.legend.set_folded(any(row.is_collapsed for row in self.matrix.rows))
        self.calibrated = dress(PlainLabel(_CALIBRATED, self), look="muted", wrap=True)
        self._make_bar()
        splitter = side_by_side((self.stack, 3), (self.pane, 2))
        splitter.setSizes([720, 480])
        self.pane.setMinimumWidth(300)
        fill_layout(
            QVBoxLayout(self),
            self._bar,
            self.calibrated,
            (splitter, 1),
            self.legend,
            margins=(4, 4, 4, 2),
            spacing=3,
        )
        boxes = (
            self.file,
            self.colour_by,
            self.kind,
            self.text,
            self.conflicts_button,
            self.todo_button,
        )
        compared, stops = (
            self.comparison,
            (stop for page in self.added.values() for stop in page.stops),
        )
        heads = (self.overlaps.again_button, self.overlaps.table, *stops)
        choices = (compared.source, compared.open_button, compared.take_button, compared.table)
        tab_through(self, *boxes, self._first, self.listing, *heads, *choices, self.pane)
        # Counting pairs takes time, which opening a robot need not wait for.
        self._seen = WhenSeen(
            self,
            self.refresh,
            (controller.analysis_changed, controller.mask_changed, controller.running_changed),
        )
        controller.session.document_opened.connect(self._on_opened)
        controller.session.calibration_changed.connect(
            lambda origins: self.calibrated.setVisible(bool(origins))
        )
        self.calibrated.setVisible(bool(controller.session.calibration))
        live.changed.connect(self._count_overlaps)
        self.refresh()
        self._count_overlaps()

    def sizeHint(self) -> QSize:
        return QSize(900, 300)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._controller.session.has_robot:
            self._live.wake()

    # -- the bar

    def _make_bar(self) -> None:
        controller = self._controller
        self.compute_button = dress(
            QPushButton(self), id="compute-mask", icon=icon("play"), run=self._compute
        )
        write = self._registry["mask.write"]
        write.setIconText(write.text().replace("&", ""))
        self.write_button = dress(action_button(write, self), id="write-the-mask")
        self.write_button.setAutoRaise(False)
        tip = "Settings of the computation"
        options = dress(
            QToolButton(self), name="Mask options", tip=tip, icon=icon("gear-six"), flat=True
        )
        options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options_button, self.options = options, OptionsMenu(controller, options)
        options.setMenu(self.options)
        bar = self._bar = fill_layout(
            QHBoxLayout(), self.compute_button, options, self.write_button, spacing=3
        )
        bar.addSpacing(8)
        group = QButtonGroup(self)
        self.tabs = [
            checkable(dress(QToolButton(self), name=page, flat=True), False) for page in self.pages
        ]
        for number, tab in enumerate(self.tabs):
            tab.setText(self.pages[number])
            group.addButton(tab, number)
            bar.addWidget(tab)
        self.tabs[0].setChecked(True)
        group.idClicked.connect(self.show_page)
        hues = choice_box(
            "Colour by", [(by.value, by) for by in ColourBy], self.set_colour_by, parent=self
        )
        self.colour_by = dress(hues, tip="Meaning of the colours")
        masks = [(f"Mask of the {file}", file) for file in MaskFile]
        tip = "Mask to show and edit; the other mask is shown next to it"
        self.file = dress(
            choice_box("Mask of the file", masks, controller.masks.choose_file, parent=self),
            tip=tip,
        )
        kinds = [(str(kind), kind) for kind in Filter]
        self.kind = choice_box("Show which pairs", kinds, self.listing.filter.set_kind, parent=self)
        self.text = dress(QLineEdit(self), name="Filter pairs", hint="Filter by link")
        self.text.setClearButtonEnabled(True)
        self.text.textChanged.connect(self.listing.filter.set_text)
        lead_down(self.text, self.listing.table)
        go_on, decide = (
            partial(self._registry.trigger, "mask.next_conflict"),
            partial(self.show_list, Filter.TO_DECIDE),
        )
        self.conflicts_button = self._count_button(
            "warning-circle", "error", "Next conflict (F7)", lambda: go_on()
        )
        self.todo_button = self._count_button(
            "question", "warning", "List undecided pairs", lambda: decide()
        )
        fill_layout(
            bar,
            self.file,
            self.colour_by,
            self.kind,
            self.text,
            STRETCH,
            self.conflicts_button,
            self.todo_button,
        )
        self._keep_places(bar)
        self.show_page(0)

    def _keep_places(self, bar: QHBoxLayout) -> None:
        """Gives the bar the height of its tallest widget, and buttons whose text changes the width
        of the longest."""
        widgets = (
            self.compute_button,
            self.write_button,
            self.file,
            self.colour_by,
            self.kind,
            self.text,
            *self.tabs,
        )
        bar.addStrut(max(widget.sizeHint().height() for widget in widgets))
        for button, text in (
            (self.compute_button, _COMPUTE),
            (self.tabs[OVERLAPS], f"{_PAGES[OVERLAPS]} (88)"),
        ):
            present = button.text()
            button.setText(text)
            button.setMinimumWidth(button.sizeHint().width())
            button.setText(present)

    def _compute(self) -> None:
        controller = self._controller
        controller.cancel() if controller.state.is_analysing else controller.compute()

    def _count_button(
        self, name: str, role: str, tip: str, run: Callable[[], object]
    ) -> QToolButton:
        button = dress(QToolButton(self), tip=tip, icon=icon(name, role), flat=True, run=run)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    # -- pages

    def show_page(self, number: int) -> None:
        """Show one of `pages`, by its number."""
        self.tabs[number].setChecked(True)
        self.stack.setCurrentIndex(number)
        pages = {self.colour_by: MATRIX, self.legend: MATRIX, self.kind: LIST, self.text: LIST}
        for widget, page in pages.items():
            widget.setVisible(number == page)

    def set_colour_by(self, by: ColourBy) -> None:
        """Meaning of the colours."""
        self.matrix.set_colour_by(by)
        self.legend.set_colour_by(by)

    def show_list(self, kind: Filter) -> None:
        """The list with only those."""
        self.kind.choose(kind)
        self.listing.filter.set_kind(kind)
        self.show_page(LIST)

    def show_overlaps(self) -> None:
        self.show_page(OVERLAPS)

    def show_added(self, title: str) -> AddedPage:
        """Bring a page that a plug-in added to the front. Raises KeyError."""
        self.show_page(self.pages.index(title))
        return self.added[title]

    def compare_with(self, path: Path) -> None:
        """Shows where the mask differs from that of another file."""
        if self.comparison.compare_with(path):
            self.show_page(len(self.pages) - 1)

    def propose(self) -> WriteMaskDialog:
        """Opens the preview of what would be written."""
        dialog = WriteMaskDialog(self._controller, self.window())
        dialog.show()
        return dialog

    def refresh(self, *_: object) -> None:
        controller = self._controller
        reason = controller.reason_not_to_compute
        running = controller.state.is_analysing
        self.compute_button.setIcon(icon("x" if running else "play"))
        self.compute_button.setText("Cancel" if running else _COMPUTE)
        tip = reason or "Sample, search and prove (Shift+M)"
        if running:
            tip = "Stop and keep the results so far"
        elif reason is None and controller.state.failure:
            tip = f"The last computation failed: {controller.state.failure}"
        self.compute_button.setToolTip(plain_text(tip))
        self.compute_button.setEnabled(running or reason is None)
        analysis = controller.state.analysis
        has_pairs = reason is None and controller.state.grounds is not None
        self._first.setCurrentIndex(0 if has_pairs else 1)
        self.pane.setVisible(has_pairs)
        self.empty.setText(reason or "")
        self.file.setVisible(controller.state.has_srdf)
        self.file.setCurrentIndex(list(MaskFile).index(controller.state.file))
        conflicts = {e.pair for e in controller.state.conflicts}
        left, undecided = len(conflicts & controller.state.skipped), controller.state.undecided
        self.conflicts_button.setText(
            format_count(len(conflicts), "conflict") + (f", {left} left" if left else "")
        )
        self.conflicts_button.setVisible(analysis is not None and bool(conflicts))
        self.todo_button.setText(f"{len(undecided)} undecided")
        # What the number counts, so that it can be found again where the mask is written.
        always = sum(e.kind is PairClass.ALWAYS for e in undecided)
        parts = (
            (always, "always overlap; Write the mask… ticks them"),
            (len(undecided) - always, "overlap at the default position; please decide"),
        )
        lines = (f"{number} {text}" for number, text in parts if number)
        self.todo_button.setToolTip(
            plain_text("\n".join(("List the undecided pairs, which are still checked", *lines)))
        )
        self.todo_button.setVisible(bool(undecided))
        if analysis is not None:
            kinds = Counter(analysis.kinds())
            self.tabs[MATRIX].setToolTip(
                plain_text("\n".join(f"{n} {CLASS_NAMES[k]}" for k, n in kinds.most_common()))
            )

    def _count_overlaps(self) -> None:
        ready = self._live.is_ready
        text = f"At this pose ({self._live.at_pose.count})" if ready else "At this pose"
        if text != self.tabs[OVERLAPS].text():
            self.tabs[OVERLAPS].setText(text)

    def _on_opened(self, _: object) -> None:
        if self._controller.session.has_robot and self.isVisible():
            self._live.wake()

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        self._registry.fill_context_menu(menu, "pairs")
        popup(menu, place)


_LIMITS = (("<limit>", Limits.HARD), ("<safety_controller> (soft)", Limits.SOFT))
_UNCONTROLLED = (
    ("move within their limits", Uncontrolled.OVER_LIMITS),
    ("locked at the default", Uncontrolled.LOCKED),
)
_SOLIDS = (("none", None), ("hulls of the meshes", "hulls"), ("meshes", "meshes"))
_MARGIN_TIP = "Removed from both ends of every revolute joint's range; negative values widen it"


class OptionsMenu(QMenu):
    """Choices hold for the next computation."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        form = QWidget(self)
        layout = QFormLayout(form)
        layout.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        self.samples = QSpinBox(form)
        self.samples.setRange(*ends_of(MaskRequest, "samples"))
        self.samples.setSingleStep(100_000)
        self.samples.setGroupSeparatorShown(True)
        self.certify = dress(
            _number(form, MaskRequest, "certify", " s"), tip="CPU time of all cores together"
        )
        self.seed = QSpinBox(form)
        self.seed.setRange(*ends_of(MaskRequest, "seed"))
        self.margin = dress(_number(form, ModelOptions, "margin", "°"), tip=_MARGIN_TIP)
        self.margin_linear = dress(
            _number(form, ModelOptions, "margin_linear", " mm"), tip="The same for prismatic joints"
        )
        self.limits = choice_box("Joint limits", _LIMITS, self.apply, parent=form)
        self.uncontrolled = choice_box(
            "Joints outside the c-space", _UNCONTROLLED, self.apply, parent=form
        )
        self.solids = choice_box("Second opinion", _SOLIDS, self.apply, parent=form)
        if not meshes_available():
            self.solids.setEnabled(False)
            self.solids.setToolTip(
                plain_text(
                    f"The comparison with meshes needs python-fcl: {install_command('compute')}"
                )
            )
        for text, widget in (
            ("&Samples", self.samples),
            ("&Time for proofs", self.certify),
            ("S&eed", self.seed),
            ("&Joint limits", self.limits),
            ("&Margin of the limits", self.margin),
            ("Margin of pr&ismatic joints", self.margin_linear),
            ("Joints &outside the c-space", self.uncontrolled),
            ("Second &opinion", self.solids),
        ):
            layout.addRow(text, widget)
        action = QWidgetAction(self)
        action.setDefaultWidget(form)
        self.addAction(action)
        self.refresh()
        for box in (self.samples, self.certify, self.seed, self.margin, self.margin_linear):
            box.editingFinished.connect(self.apply)
        self.aboutToShow.connect(self.refresh)
        self.aboutToHide.connect(self.apply)

    def refresh(self) -> None:
        """Shows what holds."""
        settings, options = self._controller.masks.settings, self._controller.masks.options
        self.samples.setValue(settings.samples)
        self.certify.setValue(settings.certify_seconds)
        self.seed.setValue(settings.seed)
        self.margin.setValue(math.degrees(options.margin))
        self.margin_linear.setValue(options.margin_linear * 1e3)
        for combo, value in (
            (self.limits, options.limits),
            (self.uncontrolled, options.uncontrolled),
            (self.solids, self._controller.masks.solids),
        ):
            combo.setCurrentIndex(combo.findData(value))

    def apply(self, *_: object) -> None:
        """Takes the choices over."""
        linear, uncontrolled = self.margin_linear.value() * 1e-3, self.uncontrolled.currentData()
        options = ModelOptions(self.limits.currentData(), self._angle(), linear, uncontrolled)
        samples, seconds, seed = self.samples.value(), self.certify.value(), self.seed.value()
        settings = replace(
            self._controller.masks.settings, samples=samples, certify_seconds=seconds, seed=seed
        )
        self._controller.masks.set_options(options, settings, self.solids.currentData())

    def _angle(self) -> float:
        # What was not typed here keeps every digit.
        old = self._controller.masks.options.margin
        return (
            old
            if abs(math.degrees(old) - self.margin.value()) < 0.05
            else math.radians(self.margin.value())
        )


def _number(parent: QWidget, settings: type, name: str, unit: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox(parent)
    box.setRange(*ends_of(settings, name))
    box.setDecimals(1)
    box.setSuffix(unit)
    return box
