"""The panel that fits the whole robot: links with a tick and a progress bar each, in several processes at once."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.edit.commands.tools import count
from editor_app.gui.bindings.number_field import NumberField, Origin, ScrubLabel
from editor_app.gui.bindings.panel import heading, muted_label, row_of
from editor_app.gui.bindings.quantity import LENGTH, NUMBER
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.fit_settings import EFFORTS, MODES, Amount, AmountRow, combo
from editor_app.gui.jobs import RunningJob
from editor_app.gui.theme import colours, tabular_font
from editor_app.tasks.fit_changes import fitted_change
from editor_app.tasks.fitting import FitOneJob, PlanRobot, as_spheres
from editor_app.tasks.job import Report

if TYPE_CHECKING:
    from editor_app.fitting.robot import LinkFit, LinkJob
    from editor_app.fitting.settings import FitSettings
    from editor_app.tasks.worker import JobError

_TICK, _NOW, _NEW, _RESULT = range(4)
USUAL = 16
AMOUNTS = (
    Amount("budget", "Total budget", NUMBER, 10, 2000, 160, True),
    Amount("tolerance", "Tolerance", LENGTH, 0.002, 0.1, 0.02),
    Amount("number", "Number per link", NUMBER, 1, 128, USUAL, True),
)


@dataclass(eq=False)
class _Run:
    """One fit of a robot; `fractions` is read by the thread that feeds the status bar."""

    jobs: list[RunningJob] = field(default_factory=list)
    fractions: dict[str, float] = field(default_factory=dict)
    left: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    status: RunningJob | None = None
    started: float = field(default_factory=time.monotonic)
    error: JobError | None = None

    @property
    def fraction(self) -> float:
        return sum(self.fractions.values()) / max(1, len(self.fractions))


class RobotFitPanel(QWidget):
    """`start`, then `accept` or `discard`; `stop` ends early and offers what is finished."""

    #: {link: (Certificate or None, spheres)} of an accepted fit.
    accepted = Signal(object)
    active_changed = Signal(bool)

    def __init__(self, context: FitContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Fit the whole robot")
        self._context = context
        self._session = context.session
        self._run: _Run | None = None
        self._fits: dict[str, LinkFit] = {}
        self._mode = "cover"
        self._items: dict[str, QTreeWidgetItem] = {}
        self._bars: dict[str, QProgressBar] = {}
        self._budget_is_usual = True
        self._build()
        session = self._session
        session.document_opened.connect(lambda _: self._on_opened())
        session.tree_changed.connect(lambda _: self._fill())
        session.robot_changed.connect(lambda *_: self._count_now())
        session.active_group_changed.connect(lambda _: self._count_now())
        context.meshes.finished.connect(self._fill)
        context.kind_changed.connect(self._kind_changed)
        self._fill()

    def _build(self) -> None:
        self.list = QTreeWidget()
        self.list.setAccessibleName("Links to fit")
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAlternatingRowColors(True)
        self.list.setHeaderLabels(["Link", "Now", "Fitted", "Result"])
        self.list.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        header = self.list.header()
        header.setStretchLastSection(True)
        for column in (_TICK, _NOW, _NEW):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemChanged.connect(lambda *_: self._show())
        self.all_button = QPushButton("All")
        self.none_button = QPushButton("None")
        self.empty_button = QPushButton("Without spheres")
        self.empty_button.setToolTip("Tick the links that have no spheres yet")
        self.all_button.clicked.connect(lambda: self._tick(lambda link: True))
        self.none_button.clicked.connect(lambda: self._tick(lambda link: False))
        self.empty_button.clicked.connect(lambda: self._tick(lambda link: not self._context.present(link)))
        left = QVBoxLayout()
        left.setSpacing(4)
        left.addWidget(self.list, 1)
        left.addWidget(row_of(self.all_button, self.none_button, self.empty_button, QLabel(), stretch=3))

        self.amount = AmountRow(self._session, AMOUNTS)
        self.amount.field.edited.connect(self._budget_chosen)
        self.amount.slider.valueChanged.connect(self._budget_chosen)
        self.mode = combo("Mode", MODES)
        self.effort = combo("Effort", EFFORTS)
        self.effort.setCurrentIndex(1)
        self.geometry_kind = combo("Geometry", (("collision", "Collision meshes", ""), ("visual", "Visual meshes", "")))
        self.geometry_kind.currentIndexChanged.connect(
            lambda *_: self._context.set_kind(str(self.geometry_kind.currentData()))
        )
        self.world_buffer = self._buffer("World buffer")
        self.self_buffer = self._buffer("Self buffer")
        self.title = heading("")
        self.told = muted_label("")
        self.start_button = QPushButton("Fit")
        self.start_button.setDefault(True)
        self.start_button.clicked.connect(self.start)
        self.stop_button = QPushButton("Cancel")
        self.stop_button.setToolTip("Ends the work; what is finished can still be taken (Esc)")
        self.stop_button.clicked.connect(self.stop)
        self.discard_button = QPushButton("Discard")
        self.discard_button.setToolTip("Leaves everything as it was (Esc)")
        self.discard_button.clicked.connect(self.discard)
        self.accept_button = QPushButton("Accept")
        self.accept_button.clicked.connect(self.accept)
        right = QVBoxLayout()
        right.setSpacing(5)
        right.addWidget(self.title)
        right.addWidget(self.amount)
        right.addWidget(row_of(self.mode, self.effort, self.geometry_kind))
        buffers = QHBoxLayout()
        for text, entry in (("World buffer", self.world_buffer), ("Self buffer", self.self_buffer)):
            form = QFormLayout()
            form.addRow(ScrubLabel(text, entry), entry)
            buffers.addLayout(form)
        right.addLayout(buffers)
        right.addWidget(self.told, 1)
        right.addWidget(row_of(QLabel(), self.start_button, self.stop_button, self.discard_button, self.accept_button))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(12)
        layout.addLayout(left, 3)
        layout.addLayout(right, 2)

    def _buffer(self, name: str) -> NumberField:
        entry = NumberField(LENGTH, name)
        entry.set_value(None, origin=Origin.DEFAULT, empty="as it is")
        entry.set_step(0.001)
        entry.edited.connect(lambda value, _: entry.set_value(value))
        self._session.display_changed.connect(entry.set_display)
        entry.set_display(self._session.display)
        return entry

    # -- what others call

    @property
    def is_running(self) -> bool:
        return self._run is not None

    @property
    def fits(self) -> dict[str, LinkFit]:
        return dict(self._fits)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked links, in the order of the list."""
        return tuple(k for k, item in self._items.items() if item.checkState(_TICK) is Qt.CheckState.Checked)

    def start(self) -> None:
        """Shares out, then fits the ticked links, the costly ones first."""
        meshes = tuple(mesh for link in self.chosen if (mesh := self._context.mesh(link)) is not None)
        if not meshes or self._run is not None:
            return
        self.discard()
        self._mode = str(self.mode.currentData())
        run = self._run = _Run(fractions=dict.fromkeys((m.link for m in meshes), 0.0))
        for link in run.fractions:
            self._bar(link)
        self.told.setText("Preparing the meshes and sharing out the spheres…")
        total = round(self.amount.value) if self.amount.amount.id == "budget" else None
        plan = PlanRobot(meshes, self._settings(), total)
        run.jobs.append(
            self._context.robot_jobs.run(
                "Sharing out the spheres",
                plan,
                on_done=lambda jobs: self._planned(run, jobs),
                on_error=lambda error: self._failed(run, error),
                quiet=True,
            )
        )
        run.status = self._context.window_jobs.run_in_thread(
            "Fitting the robot", lambda report: _follow(run, report), on_cancelled=self.stop
        )
        self.active_changed.emit(True)
        self._show()

    def stop(self) -> None:
        """Ends the work; what is finished stays proposed."""
        run, self._run = self._run, None
        if run is None:
            return
        run.over.set()
        for job in run.jobs:
            job.cancel()
        for link in tuple(self._bars):
            if link not in self._fits:
                self._unbar(link, "cancelled")
        if run.error is None and self._fits:
            self.told.setText(
                f"Cancelled. {len(self._fits)} of {len(run.fractions)} links are fitted: take them or not."
            )
        if not self._fits:
            self.active_changed.emit(False)
        self._show()

    def accept(self) -> None:
        """Takes everything that is fitted, as one step."""
        robot = self._session.robot
        if self._run is not None or robot is None:
            return
        spheres = {link: each for link, each in self._context.proposed.items() if each and link in self._fits}
        if not spheres:
            return
        label = f"Fit {count(sum(map(len, spheres.values())), 'sphere')} to {count(len(spheres), 'link')}"
        change = fitted_change(
            robot,
            self._context.group,
            spheres,
            label,
            world_buffer=self.world_buffer.value,
            self_buffer=self.self_buffer.value,
        )
        results = {link: (self._fits[link].result.certificate, spheres[link]) for link in spheres}
        self._clear()
        if self._session.execute(change):
            self.accepted.emit(results)

    def discard(self) -> None:
        """Nothing happened."""
        if self._run is not None:
            self.stop()
        self._clear()

    # -- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._fits and self._run is None:
                self.accept()
            elif self._run is None:
                self.start()
        elif key == Qt.Key.Key_Escape and (self._run is not None or self._fits):
            if self._run is not None:
                self.stop()
            else:
                self.discard()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._count_now()

    # -- the list

    def _on_opened(self) -> None:
        self.discard()
        self._budget_is_usual = True
        self._fill()

    def _kind_changed(self) -> None:
        self.geometry_kind.blockSignals(True)
        self.geometry_kind.setCurrentIndex(self.geometry_kind.findData(self._context.kind))
        self.geometry_kind.blockSignals(False)
        self._fill()

    def _fill(self) -> None:
        links = self._context.links_with_mesh()
        if tuple(self._items) != links:
            if self._run is not None:
                self.stop()
            ticked = {k: item.checkState(_TICK) for k, item in self._items.items()}
            self.list.blockSignals(True)
            self.list.clear()
            self._items, self._bars = {}, {}
            for link in links:
                item = QTreeWidgetItem([link, "", "", ""])
                item.setCheckState(_TICK, ticked.get(link, Qt.CheckState.Checked))
                for column in (_NOW, _NEW):
                    item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    item.setFont(column, tabular_font(self.font()))
                self.list.addTopLevelItem(item)
                self._items[link] = item
            self.list.blockSignals(False)
        self._count_now()

    def _tick(self, wanted: object) -> None:
        assert callable(wanted)
        self.list.blockSignals(True)
        for link, item in self._items.items():
            item.setCheckState(_TICK, Qt.CheckState.Checked if wanted(link) else Qt.CheckState.Unchecked)
        self.list.blockSignals(False)
        self._show()

    def _count_now(self) -> None:
        for link, item in self._items.items():
            now = len(self._context.present(link))
            item.setText(_NOW, str(now) if now else "none")
        self._show()

    def _budget_chosen(self, *_: object) -> None:
        if self.amount.amount.id == "budget":
            self._budget_is_usual = False

    # -- running

    def _settings(self) -> FitSettings:
        from editor_app.fitting.settings import FitSettings

        amount, value = self.amount.amount.id, self.amount.value
        return FitSettings(
            number=round(value) if amount == "number" else 1 if amount == "budget" else None,
            tolerance_m=value if amount == "tolerance" else None,
            mode=self.mode.currentData(),
            effort=self.effort.currentData(),
        )

    def _bar(self, link: str) -> None:
        bar = QProgressBar()
        bar.setRange(0, 1000)
        bar.setTextVisible(False)
        bar.setFixedHeight(8)
        bar.setAccessibleName(f"Progress of {link}")
        holder = QWidget()
        layout = QHBoxLayout(holder)
        layout.setContentsMargins(4, 0, 8, 0)
        layout.addWidget(bar)
        self._bars[link] = bar
        self._items[link].setText(_RESULT, "")
        self._items[link].setText(_NEW, "")
        self.list.setItemWidget(self._items[link], _RESULT, holder)

    def _unbar(self, link: str, text: str, *, bad: bool = False) -> None:
        self._bars.pop(link, None)
        item = self._items.get(link)
        if item is None:
            return
        self.list.removeItemWidget(item, _RESULT)
        item.setText(_RESULT, text)
        item.setToolTip(_RESULT, text)
        now = colours()
        from PySide6.QtGui import QColor

        item.setForeground(_RESULT, QColor(now.error if bad else now.text))

    def _planned(self, run: _Run, jobs: list[LinkJob]) -> None:
        if run is not self._run:
            return
        run.left = len(jobs)
        shared = len(run.fractions) - len(jobs)
        self.told.setText(f"{count(shared, 'link')} with the mesh of another: fitted once." if shared else "Fitting…")
        for job in jobs:

            def progress(fraction: float, text: str, links: tuple[str, ...] = job.links) -> None:
                for link in links:
                    run.fractions[link] = fraction
                    if link in self._bars:
                        self._bars[link].setValue(round(1000 * fraction))

            run.jobs.append(
                self._context.robot_jobs.run(
                    f"Fitting {job.links[0]}",
                    FitOneJob(job),
                    on_done=lambda fits: self._take(run, fits),
                    on_error=lambda error: self._failed(run, error),
                    on_progress=progress,
                    quiet=True,
                )
            )

    def _take(self, run: _Run, fits: list[LinkFit]) -> None:
        if run is not self._run:
            return
        proposed = dict(self._context.proposed)
        for fit in fits:
            self._fits[fit.link] = fit
            run.fractions[fit.link] = 1.0
            spheres = as_spheres(fit.result.spheres, self._mode)
            if spheres:
                proposed[fit.link] = spheres
            text, bad = _result_text(fit)
            self._unbar(fit.link, text, bad=bad)
            if fit.link in self._items:
                self._items[fit.link].setText(_NEW, str(len(spheres)))
        self._context.propose(proposed)
        run.left -= 1
        if run.left == 0:
            self._run = None
            run.over.set()
            total = sum(map(len, proposed.values()))
            seconds = time.monotonic() - run.started
            self.told.setText(f"{total} spheres on {len(proposed)} links in {seconds:.1f} s.")
        self._show()

    def _failed(self, run: _Run, error: JobError) -> None:
        from editor_app.fitting.settings import FittingError

        if run is not self._run:
            return
        run.error = error
        self.stop()
        if isinstance(error.exception, FittingError):
            self.told.setText(str(error.exception))
        else:
            self.told.setText("The fit failed.")
            self._context.window_jobs.failed_unexpectedly.emit(None, error)

    def _clear(self) -> None:
        had = bool(self._fits)
        self._fits = {}
        if had:
            self._context.propose({})
        self.told.setText("")
        for link, item in self._items.items():
            if link in self._bars:
                self._unbar(link, "")
            item.setText(_NEW, "")
            item.setText(_RESULT, "")
        if had:
            self.active_changed.emit(False)
        self._show()

    # -- showing

    def _show(self) -> None:
        chosen, running, done = self.chosen, self._run is not None, bool(self._fits)
        if self._session.robot is None:
            self.title.setText("No robot is open")
        elif not self._items:
            loading = self._context.meshes.is_loading
            self.title.setText("Loading meshes…" if loading else "No link of this robot has a mesh")
        else:
            self.title.setText(f"{len(chosen)} of {len(self._items)} links")
        if self._budget_is_usual and chosen and not running and self.amount.amount.id == "budget":
            wanted = USUAL * len(chosen)
            if self.amount.value != wanted:
                self.amount.set_value(wanted)
                self._budget_is_usual = True
        for widget in (self.amount, self.mode, self.effort, self.geometry_kind, self.all_button, self.none_button):
            widget.setEnabled(not running)
        self.empty_button.setEnabled(not running)
        self.start_button.setVisible(not running)
        self.start_button.setText("Fit again" if done else "Fit")
        self.start_button.setEnabled(bool(chosen))
        self.start_button.setDefault(not done)
        self.accept_button.setDefault(done)
        self.stop_button.setVisible(running)
        self.discard_button.setVisible(done and not running)
        self.accept_button.setVisible(done and not running)
        whole = len(self._fits) >= len(chosen)
        self.accept_button.setText("Accept" if whole else f"Accept {count(len(self._fits), 'link')}")
        self.accept_button.setToolTip("Puts the fitted spheres in the place of the present ones, as one step (Return)")


def _follow(run: _Run, report: Report) -> None:
    """Feeds the status bar until the run is over."""
    while not run.over.wait(0.2):
        done = sum(f >= 1 for f in run.fractions.values())
        report.progress(run.fraction, f"{done} of {len(run.fractions)} links")


def _result_text(fit: LinkFit) -> tuple[str, bool]:
    """What is told about a link, and whether it is bad."""
    result = fit.result
    quality = result.quality
    if quality is None or not len(result.spheres):
        return " ".join(result.notes) or "nothing to fit", True
    parts = []
    bad = False
    if result.certificate is not None:
        bad = not result.certificate.certified
        parts.append("✗ open" if bad else "✓ certified")
    else:
        parts.append(f"{100 * quality.surface_coverage:.1f} % covered")
    parts.append(f"stands out {1000 * quality.protrusion_max:.1f} mm at most")
    if fit.shared_with:
        parts.append(f"same mesh as {', '.join(fit.shared_with)}")
    return ", ".join(parts + list(result.notes)), bad
