"""Preview of an import or export, item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.body_choices import BodyChoices
from editor_app.core.document.choices import no_attaching, no_ignoring, no_merging
from editor_app.core.document.commands.urdf_robot import AttachToWorld
from editor_app.core.formats.exchange.codec import ChoiceValue, Conversion, Offer
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.registry import choices as format_choices
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.tasks.worker import JobError
from editor_app.core.verbs.convert import ConversionOutcome, PreviewJob
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import ChoiceBox, choice_box
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import Rows
from editor_app.window.jobs import Jobs
from editor_app.window.widgets import (
    STRETCH,
    PlainLabel,
    ThinBar,
    dress,
    fill_layout,
    icon,
    plain_text,
)

_SIGNS = {
    Fate.TAKEN: ("check", "text"),
    Fate.TRANSLATED: ("arrows-left-right", "text"),
    Fate.KEPT: ("archive", "muted"),
    Fate.INVENTED: ("pencil-simple", "warning"),
    Fate.LOST: ("warning", "warning"),
}
#: Pixels that Qt keeps free on either side of a text in a cell.
_MARGIN = 3
#: What can be offered, in this order.
WORLD, MERGE, IGNORE, POSITIONS = "world", "merge", "ignore", "positions"


class BodyBoxes(QWidget):
    """The choices that simulators offer when they read a URDF, for an export.

    Boxes for the choices in `offered`; what cannot be done is greyed and says why.
    """

    changed = Signal()

    def __init__(self, robot: RobotDescription, shown: Pose, offered: Sequence[str]) -> None:
        super().__init__()
        self._world = QCheckBox("A&ttach it to a new link", self)
        self._name = QLineEdit(AttachToWorld().world, self)
        self._merge = QCheckBox("&Merge links without inertial into their parents", self)
        self._ignore = QCheckBox("&Ignore linked bodies", self)
        self._positions = ChoiceBox(self)
        self._name.setAccessibleName("Name of the new link")
        self._name.setFixedWidth(self._name.fontMetrics().averageCharWidth() * 22)
        world = fill_layout(QHBoxLayout(), self._world, self._name, STRETCH)
        fill_layout(QVBoxLayout(self), world, self._merge, self._ignore, margins=0)
        for box, key, reason in (
            (self._world, WORLD, no_attaching(robot)),
            (self._merge, MERGE, no_merging(robot)),
            (self._ignore, IGNORE, no_ignoring(robot)),
        ):
            box.setVisible(key in offered)
            box.setEnabled(reason is None)
            box.setToolTip(plain_text(reason or ""))
            box.toggled.connect(self._tell)
        self._name.setVisible(WORLD in offered)
        self._name.setEnabled(False)
        self._world.toggled.connect(self._name.setEnabled)
        self._name.editingFinished.connect(self._tell)
        self._told = self.choices()
        self._fill(robot, shown)
        self._positions.setVisible(POSITIONS in offered)
        self._positions.activated.connect(self._tell)

    def add_to(self, form: QFormLayout) -> None:
        if any(not box.isHidden() for box in (self._world, self._merge, self._ignore)):
            form.addRow("The robot", self)
        else:
            self.hide()
        if not self._positions.isHidden():
            self._positions.setAccessibleName("Initial joint positions")
            form.addRow("Initial joint positions", self._positions)

    def choices(self) -> BodyChoices:
        name = self._name.text().strip()
        return BodyChoices(
            (name or AttachToWorld().world) if self._world.isChecked() else None,
            self._merge.isChecked(),
            self._ignore.isChecked(),
            self._positions.currentData() or (),
        )

    def _fill(self, robot: RobotDescription, shown: Pose) -> None:
        movable = {j.name for j in robot.urdf.joints if j.is_movable and j.mimic is None}

        def texts(positions: Sequence[tuple[str, float]]) -> tuple[str, ...]:
            return tuple(f"{name}={value!r}" for name, value in positions if name in movable)

        self._positions.addItem("the defaults of the XRDF", ())
        if now := texts([*shown.items()]):
            self._positions.addItem("current pose", now)
        for state in robot.srdf.states if robot.srdf is not None else ():
            single = [
                (joint, values[0]) for joint, values in state.positions.items() if len(values) == 1
            ]
            if named := texts(single):
                self._positions.addItem(f"the state {state.name} of {state.group}", named)

    def _tell(self) -> None:
        now = self.choices()
        if now != self._told:
            self._told = now
            self.changed.emit()


class ConversionDialog(dialogs.Dialog):
    """`conversion` is what would be done with the present choices; None until it is known, or when
    it cannot be."""

    #: The conversion, or why there is none, is shown.
    worked_out = Signal()
    #: Names of one missing file, as `Outcome.missing` has them: the user wants to say where it is.
    locating_requested = Signal(tuple)

    def __init__(
        self,
        parent: QWidget | None,
        jobs: Jobs,
        title: str,
        verb: str,
        job: PreviewJob,
        choices: Mapping[str, Offer],
        bodies: BodyBoxes | None = None,
    ) -> None:
        super().__init__(parent, "conversion", title, (760, 520))
        self._jobs = jobs
        self._job = job
        #: Where the user chose to have the result written; None while that is the place of the job.
        self.output: Path | None = None
        self._work = self.slot(jobs)
        self.conversion: Conversion | None = None
        self._form = QFormLayout()
        self.boxes: dict[str, QComboBox] = {}
        self._offer(choices)
        #: The text of the file that is changed where it differs, unless it is to be written anew.
        self._existing = job.existing
        self.patch_box = QCheckBox("&Update only differing parts", self)
        self.patch_box.setVisible(self._existing is not None)
        self.patch_box.setChecked(self._existing is not None)
        if self._existing is not None:
            self._form.addRow("The file exists", self.patch_box)
            self.patch_box.toggled.connect(self.recalculate)
        self.bodies = bodies
        if bodies is not None:
            bodies.setParent(self)
            bodies.add_to(self._form)
            bodies.changed.connect(self.recalculate)
        self.summary = dress(PlainLabel(), wrap=True)
        self.progress = ThinBar("Preparing the conversion")
        self.progress.set_share(None)
        self.tree = Rows("Report of the conversion", ("Item", "Result"), 1, folds=True)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.tree.setWordWrap(True)
        self.tree.setUniformRowHeights(False)
        self.tree.setItemDelegate(_WrappedCells(self.tree))
        self.tree.header().sectionResized.connect(lambda *_: self.tree.scheduleDelayedItemsLayout())
        self.files = dress(PlainLabel(), look="muted", wrap=True)
        self._missing: list[tuple[str, ...]] = []
        self.locate = dress(
            QPushButton(icon("folder-open"), "&Locate…"),
            id="locate",
            name="Folder of the missing file",
        )
        self.locate.setAutoDefault(False)
        self.locate.hide()
        self.locate.clicked.connect(lambda: self.locating_requested.emit(self._missing[0]))
        self.accept_button = self.button(verb, "do")
        self.lay_out(
            self._form, self.summary, self.locate, self.progress, (self.tree, 1), self.files
        )
        self.recalculate()

    def offer_output(self, ending: str, kinds: str) -> None:
        """Says where the result will be written, with a button that chooses another place."""
        row, place = QHBoxLayout(), ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        place.set_text(str(self._job.output))
        button = dress(QPushButton("&Other place…"), name="Choose where to write")
        button.setAutoDefault(False)

        def choose() -> None:
            chosen = dialogs.save_target(self, "Write to", str(self._job.output), kinds, ending)
            if chosen is not None:
                self.output = chosen
                self._job = replace(self._job, output=self.output)
                place.set_text(str(self.output))
                self.recalculate()

        button.clicked.connect(choose)
        row.addWidget(place, 1)
        row.addWidget(button)
        self._form.addRow("Write to", row)

    def look_again(self, packages: tuple[tuple[str, Path], ...]) -> None:
        """Read the files again, with these folders of packages and missing files."""
        self._job = replace(self._job, packages=packages)
        self.recalculate()

    @property
    def is_working(self) -> bool:
        return self._work.is_running

    def recalculate(self, *_: object) -> None:
        """Works out the conversion with what is chosen, in the background."""
        chosen: dict[str, ChoiceValue] = {
            name: box.currentData() for name, box in self.boxes.items()
        }
        self.conversion = None
        self.accept_button.setEnabled(False)
        self.tree.clear()
        self.files.setText("")
        self.locate.hide()
        self.summary.setText("Preparing preview …")
        self.progress.show()
        ask = self._job.ask if not self.boxes else None
        bodies = self.bodies.choices() if self.bodies is not None else BodyChoices()
        options = replace(self._job.options, choices=FrozenDict(chosen))
        existing = self._existing if self.patch_box.isChecked() else None
        job = replace(self._job, options=options, bodies=bodies, existing=existing, ask=ask)
        self._work.run(
            self.windowTitle(),
            job,
            self._done,
            failed=self._failed,
            progress=lambda _, sentence: self.summary.setText(f"{sentence} …"),
        )

    def _done(self, outcome: ConversionOutcome) -> None:
        self.progress.hide()
        self._offer(dict(outcome.offers))
        self._missing = [*outcome.missing]
        self.locate.setVisible(bool(self._missing))
        self.locate.setToolTip(plain_text(", ".join(names[0] for names in self._missing)))
        self.conversion = outcome.conversion
        if outcome.conversion is None:
            self._show_nothing(outcome.error)
        else:
            self._show(outcome.conversion)
        self.accept_button.setEnabled(self.conversion is not None)
        self.worked_out.emit()

    def _failed(self, error: JobError) -> None:
        self.progress.hide()
        if error.traceback:
            self._show_nothing(str(error))
            self._jobs.failed_unexpectedly.emit(None, error)
        else:
            # A library ended the process: no fault of this program.
            self._show_nothing(
                f"A file is damaged, or reading it needs too much memory. {error.message}"
            )
        self.worked_out.emit()

    def _offer(self, choices: Mapping[str, Offer]) -> None:
        titles = {choice.name: choice.title for choice in format_choices()}
        for name, values in choices.items():
            if name in self.boxes:
                continue
            # The first value is the proposal.
            box = self.boxes[name] = choice_box(
                titles[name], values, self.recalculate, values[0][1]
            )
            self._form.addRow(titles[name], box)

    def _show_nothing(self, reason: str) -> None:
        self.tree.clear()
        self.summary.setText(reason)
        self.files.setText("")

    def _show(self, conversion: Conversion) -> None:
        self.tree.clear()
        total = {fate: sum(len(r.of(fate)) for r in conversion.reports) for fate in Fate}
        self.summary.setText(
            ", ".join(f"{number} {fate}" for fate, number in total.items() if number) or "Nothing"
        )
        for fate in reversed(Fate):
            entries = [(r, e) for r in conversion.reports for e in r.of(fate)]
            if not entries:
                continue
            head = self.tree.add(
                (f"{str(fate).capitalize()} ({len(entries)})",), sign=(0, icon(*_SIGNS[fate]))
            )
            for report, entry in entries:
                tip = f"{report.source} → {report.target}: {entry.detail or entry.item}"
                self.tree.add((entry.item, entry.detail), under=head, tips={1: tip})
        # Long items must not leave what becomes of them without room; and rows are as high as their
        # text is long.
        self.tree.resizeColumnToContents(0)
        self.tree.setColumnWidth(
            0, min(self.tree.columnWidth(0), self.tree.viewport().width() * 2 // 5)
        )
        self.tree.scheduleDelayedItemsLayout()
        folder = conversion.files[0][0].parent
        names = [
            str(p.relative_to(folder) if p.is_relative_to(folder) else p)
            for p, _ in conversion.files
        ]
        notes = "".join(f"\n{note}" for note in conversion.notes)
        self.files.setText(f"Files in {folder}: {format_list(names, 4)}{notes}")


class _WrappedCells(QStyledItemDelegate):
    """Rows as high as their text is when it is broken at the width of its column; a tree asks
    without a width."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        width = self._tree.columnWidth(index.column()) - 2 * _MARGIN
        if index.column() == 0:
            width -= self._tree.indentation() * (2 if index.parent().isValid() else 1)
        flags = int(Qt.TextFlag.TextWordWrap)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        height = option.fontMetrics.boundingRect(0, 0, max(width, 40), 10_000, flags, text).height()
        return QSize(size.width(), size.height() + max(height - option.fontMetrics.height(), 0))
