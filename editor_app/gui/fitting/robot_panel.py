"""The panel that fits the whole robot: which links, how many spheres; the result is seen before it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.edit.commands.fitted_spheres import SetFittedSpheres
from editor_app.gui.bindings.number_field import NumberField, Origin, ScrubLabel
from editor_app.gui.bindings.panel import heading, muted_label, row_of
from editor_app.gui.bindings.quantity import LENGTH, NUMBER
from editor_app.gui.bindings.scrolled import Scrolled
from editor_app.gui.fitting.budget_outlook import BudgetOutlook
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.fit_settings import EFFORTS, GEOMETRIES, MODES, Amount, AmountRow, choose_defaults, combo
from editor_app.gui.fitting.robot_list import FitFigures, LinkList, result_text
from editor_app.gui.fitting.robot_run import RobotRun
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.operations.fit_choices import FitChoices
from editor_app.operations.link_fits import as_spheres
from editor_app.operations.link_meshes import surface_words
from editor_app.tasks.worker import JobError

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkFit, LinkMesh
    from editor_app.fitting.settings import FitSettings

USUAL = 16
#: Milliseconds after the end of a fit in which it cannot be discarded.
GUARD = 900
AMOUNTS = (
    Amount("budget", "Total budget", NUMBER, 10, 2000, 160, True),
    Amount("tolerance", "Tolerance", LENGTH, 0.002, 0.1, 0.02),
    Amount("number", "Number per link", NUMBER, 1, 128, USUAL, True),
)


class RobotFitPanel(QWidget):
    """`start`, then `accept` or `discard`; `stop` ends early and offers what is finished."""

    #: {link: (FitResult, spheres, mesh that they were fitted to)} of an accepted fit.
    accepted = Signal(object)
    active_changed = Signal(bool)
    #: Somebody wants to go on with the self-collision mask.
    mask_asked = Signal()

    def __init__(self, context: FitContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Fit the whole robot")
        self._context = context
        self._session = context.session
        self._run: RobotRun | None = None
        self._starts_later = False
        self._fits: dict[str, LinkFit] = {}
        #: What links are fitted to, and what their figures are of, in words.
        self._meshes: dict[str, LinkMesh] = {}
        self._surfaces: dict[str, str] = {}
        #: Share of a link's surface that the mount costs.
        self._open: dict[str, float] = {}
        self._mode = "cover"
        self._budget_is_usual = True
        #: What was taken last, as long as nothing else was done: the next step is offered.
        self._taken = ""
        #: A click meant for Cancel, when the fit ends at that moment, must not throw away what is finished.
        self._just_finished = QTimer(self, singleShot=True, interval=GUARD)
        self._just_finished.timeout.connect(self._end_guard)
        self._guarded = False
        self._build()
        session = self._session
        session.document_opened.connect(lambda _: self._on_opened())
        session.tree_changed.connect(lambda _: self._fill())
        session.robot_settled.connect(lambda *_: self._on_robot())
        session.active_group_changed.connect(lambda _: self._count_now())
        context.meshes.finished.connect(self._fill)
        context.kind_changed.connect(self._kind_changed)
        context.mount_changed.connect(self._on_mount)
        self._kind_changed()
        self._on_mount()

    def _build(self) -> None:
        self.list = LinkList()
        self.list.itemChanged.connect(self._on_item)
        self.all_button = QPushButton("All")
        self.none_button = QPushButton("None")
        self.empty_button = QPushButton("Without spheres")
        self.empty_button.setToolTip("Tick the links that have no spheres yet")
        self.all_button.clicked.connect(lambda: self.list.tick(lambda link: True))
        self.none_button.clicked.connect(lambda: self.list.tick(lambda link: False))
        self.empty_button.clicked.connect(lambda: self.list.tick(lambda link: not self._context.present(link)))
        left = QVBoxLayout()
        left.setSpacing(4)
        left.addWidget(self.list, 1)
        # Below the list that it is about there is room for two lines.
        self.told = muted_label("")
        left.addWidget(row_of(self.all_button, self.none_button, self.empty_button, self.told, stretch=3))

        self.amount = AmountRow(self._session, AMOUNTS)
        self.amount.changed.connect(self._budget_chosen)
        self.mode = combo("Mode", MODES)
        self.effort = combo("Effort", EFFORTS)
        choose_defaults(self.mode, self.effort, self._context.defaults())
        self.geometry_kind = combo("Geometry", GEOMETRIES)
        # The row has two more boxes: in a narrow panel its longest entry may be cut.
        self.geometry_kind.setMinimumContentsLength(12)
        self.geometry_kind.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.geometry_kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.geometry_kind.currentIndexChanged.connect(
            lambda *_: self._context.set_kind(self.geometry_kind.currentData())
        )
        self.mount = QCheckBox("Nothing of the base below the &mount")
        self.mount.setChecked(True)
        self.mount.toggled.connect(self._context.use_mount)
        self.at_tool = QCheckBox("More at the &tool")
        self.at_tool.setChecked(True)
        self.at_tool.setToolTip("A total budget gives more spheres to what the robot works with")
        self.at_tool.toggled.connect(self._on_at_tool)
        self.outlook = BudgetOutlook(self._context.estimates, self)
        self.outlook.chosen.connect(lambda total: self.amount.set_value(total, "budget"))
        self.world_buffer = self._buffer("World buffer")
        self.self_buffer = self._buffer("Self buffer")
        self.title = heading("")
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
        self.next_button = QPushButton("Compute the mask")
        self.next_button.setToolTip("Which links can touch: the next step for a new robot")
        self.next_button.clicked.connect(self.mask_asked)
        self._buttons = (
            self.start_button,
            self.stop_button,
            self.discard_button,
            self.accept_button,
            self.next_button,
        )
        settings = QWidget()
        rows = QVBoxLayout(settings)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(5)
        rows.addWidget(self.title)
        rows.addWidget(self.amount)
        rows.addWidget(row_of(self.mode, self.effort, self.geometry_kind, stretch=2))
        buffers = QHBoxLayout()
        for text, entry in (("World buffer", self.world_buffer), ("Self buffer", self.self_buffer)):
            form = QFormLayout()
            form.addRow(ScrubLabel(text, entry), entry)
            buffers.addLayout(form)
        rows.addLayout(buffers)
        rows.addWidget(self.outlook)
        rows.addWidget(row_of(self.mount, self.at_tool))
        rows.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(5)
        right.addWidget(Scrolled(settings), 1)
        right.addWidget(row_of(PlainLabel(), *self._buttons))
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
        """Links are fitted, or wait until it is known what to fit to."""
        return self._run is not None or self._starts_later

    @property
    def fits(self) -> dict[str, LinkFit]:
        return dict(self._fits)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked links, in the order of the list."""
        return self.list.chosen

    @property
    def is_idle(self) -> bool:
        """Nothing is computed and nothing waits to be accepted."""
        return not self.is_running and not self._fits

    def start(self) -> None:
        """Shares out, then fits the ticked links, the costly ones first; waits until it is known what to fit to."""
        if self._context.is_comparing:
            self._starts_later = True
            self.told.setText("Comparing collision and visual shapes…")
            self._show()
            return
        meshes = tuple(mesh for link in self.chosen if (mesh := self._context.mesh(link, whole=True)) is not None)
        if not meshes or self._run is not None:
            return
        self.discard()
        self._taken = ""
        self._mode = str(self.mode.currentData())
        self._meshes = {mesh.link: mesh for mesh in meshes}
        context = self._context
        self._surfaces = {
            link: surface_words(context.kind_of(link), context.measured_kind(link)) for link in self._meshes
        }
        total = round(self.amount.value) if self.amount.amount.id == "budget" else None
        choices = FitChoices(self._context.mount_used, weights=self.list.weights, more_at_tool=self.at_tool.isChecked())
        self.outlook.stop()
        run = self._run = RobotRun(self._context, meshes, self._settings(), total, choices, self)
        for mesh in meshes:
            self.list.start_bar(mesh.link)
        run.told.connect(self.told.setText)
        run.progressed.connect(self.list.set_progress)
        run.fitted.connect(self._take)
        run.finished.connect(self._finished)
        run.failed.connect(self._failed)
        run.cancel_asked.connect(self.stop)
        self.active_changed.emit(True)
        run.start()
        self._show()

    def stop(self) -> None:
        """Ends the work; what is finished stays proposed."""
        run = self._end_run()
        if self._starts_later:
            self._starts_later = False
            self.told.setText("Cancelled before a link was fitted.")
            self._show()
        if run is None:
            return
        self.list.end_bars("cancelled")
        if self._fits:
            self.told.setText(
                f"Cancelled. {len(self._fits)} of {len(run.fractions)} links are fitted: take them or not."
            )
        else:
            self.told.setText("Cancelled before a link was fitted.")
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
        given = f"{counted(sum(map(len, spheres.values())), 'sphere')} to {counted(len(spheres), 'link')}"
        change = SetFittedSpheres(
            self._context.group,
            FrozenDict(spheres),
            f"Fit {given}",
            world_buffer=self.world_buffer.value,
            self_buffer=self.self_buffer.value,
        )
        results = {link: (self._fits[link].result, spheres[link], self._meshes.get(link)) for link in spheres}
        rest = [link for link in self.chosen if link not in self._fits]
        by_button = self.accept_button.hasFocus()
        self._clear(keep=True)
        if self._session.execute(change):
            self.accepted.emit(results)
            self._taken = f"Gave {given}. Which of them can touch is the next question."
            if rest:
                # After a cancel the user goes on with these, not with all of them.
                self.list.tick(lambda link: link in rest)
                self._taken = f"Gave {given}. {counted(len(rest), 'link')} without a fit stay ticked."
            self.told.setText(self._taken)
            self._show()
            if by_button:
                self.next_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def discard(self) -> None:
        """Nothing happened."""
        self.stop()
        self._clear()

    # -- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._fits and not self.is_running:
                self.accept()
            elif not self.is_running:
                self.start()
        elif key == Qt.Key.Key_Escape and not self.is_idle:
            if self.is_running:
                self.stop()
            else:
                self.discard()
        else:
            super().keyPressEvent(event)

    # -- the list

    def _on_item(self, item: QTreeWidgetItem, column: int) -> None:
        self.list.take_weight(item, column)
        self._show()

    def _on_mount(self) -> None:
        mount = self._context.mount
        self.mount.blockSignals(True)
        self.mount.setChecked(self._context.mount_used)
        self.mount.blockSignals(False)
        self.mount.setEnabled(mount is not None and self._run is None)
        where = f"The base ends at {mount.reason}, at z = {mount.height:.4g} m" if mount is not None else ""
        self.mount.setToolTip(
            plain(f"{where}: no sphere of it reaches into the table" if where else "This robot stands on no plane")
        )

    def _on_at_tool(self) -> None:
        self._show_weights()
        self._show()

    def _show_weights(self) -> None:
        from editor_app.operations.fit_choices import tool_weights

        robot = self._session.robot
        self.list.show_weights(tool_weights(robot) if robot is not None and self.at_tool.isChecked() else {})

    def _on_opened(self) -> None:
        self.discard()
        self.list.forget_results()
        self.list.forget_weights()
        self._taken = ""
        self.told.setText("")
        self._budget_is_usual = True
        choose_defaults(self.mode, self.effort, self._context.defaults())
        self._fill()

    def _on_robot(self) -> None:
        if self._taken:
            # Somebody went on.
            self._taken = ""
            self.told.setText("")
        self._count_now()

    def _kind_changed(self) -> None:
        self.geometry_kind.blockSignals(True)
        self.geometry_kind.setCurrentIndex(self.geometry_kind.findData(self._context.kind))
        self.geometry_kind.blockSignals(False)
        self._fill()
        if self._starts_later and not self._context.is_comparing:
            self._starts_later = False
            self.told.setText("")
            self.start()
            self._show()

    def _fill(self) -> None:
        links = self._context.links_with_mesh()
        if self.list.links != links:
            if self._run is not None:
                self.stop()
            self.list.set_links(links)
        self._count_now()

    def _count_now(self) -> None:
        self.list.show_present(lambda link: len(self._context.present(link)))
        self._show_weights()
        self._show()

    def _budget_chosen(self, *_: object) -> None:
        if self.amount.amount.id == "budget":
            self._budget_is_usual = False
        self._show()

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

    def _end_run(self) -> RobotRun | None:
        run, self._run = self._run, None
        if run is not None:
            run.stop()
            run.deleteLater()
        return run

    def _take(self, fits: list[LinkFit]) -> None:
        proposed = dict(self._context.proposed)
        for fit in fits:
            self._fits[fit.link] = fit
            spheres = as_spheres(fit.result.spheres, self._mode)
            if spheres:
                proposed[fit.link] = spheres
            # What the mount costs, as the tree measures it.
            lost = self._open[fit.link] = fit.result.given_up
            text, bad = result_text(fit, lost, self._surfaces.get(fit.link, ""))
            self.list.show_fit(fit.link, FitFigures.of(fit, len(spheres)), text, bad=bad)
        self._context.propose(proposed)
        self._show()

    def _finished(self) -> None:
        run = self._end_run()
        # Counted from when the end can be seen: a click that waited for it is worked off before.
        self._guarded = True
        QTimer.singleShot(0, self._just_finished, self._just_finished.start)
        proposed = self._context.proposed
        total = sum(map(len, proposed.values()))
        seconds = f" in {run.seconds:.1f} s" if run is not None else ""
        cost = "; ".join(f"{share * 100:.1f} % of {link}" for link, share in self._open.items() if share > 0)
        self.told.setText(
            f"{counted(total, 'sphere')} on {counted(len(proposed), 'link')}{seconds}."
            + (f" The mount leaves open {cost}: switch it off to cover that, too." if cost else "")
        )
        self._show()

    def _end_guard(self) -> None:
        self._guarded = False
        self._show()

    def _failed(self, error: JobError) -> None:
        from editor_app.fitting.settings import FittingError

        self.stop()
        if isinstance(error.exception, FittingError):
            self.told.setText(str(error.exception))
        else:
            self.told.setText("The fit failed.")
            self._context.window_jobs.failed_unexpectedly.emit(None, error)

    def _clear(self, *, keep: bool = False) -> None:
        """Nothing is proposed any more; `keep`: the figures stand, because it was taken over."""
        had = bool(self._fits)
        self._fits, self._open = {}, {}
        if had:
            self._context.propose({})
        self.told.setText("")
        if had and not keep:
            self.list.clear_results()
        if had:
            self.active_changed.emit(False)
        self._show()

    # -- showing

    def _show(self) -> None:
        self.title.setText(self._words())
        self._show_settings()
        self._show_buttons()

    def _words(self) -> str:
        if self._session.robot is None:
            return "No robot is open"
        if not self.list.links:
            return "Loading meshes…" if self._context.meshes.is_loading else "No link of this robot has shapes"
        return f"{len(self.chosen)} of {len(self.list.links)} links"

    def _show_settings(self) -> None:
        chosen, running = self.chosen, self.is_running
        by_budget = self.amount.amount.id == "budget"
        if self._budget_is_usual and chosen and not running and by_budget:
            usual = self._context.budget_for(len(chosen))
            if self.amount.value != usual:
                self.amount.suggest(usual)
        for widget in (
            self.amount,
            self.mode,
            self.effort,
            self.geometry_kind,
            self.outlook,
            self.all_button,
            self.none_button,
            self.empty_button,
        ):
            widget.setEnabled(not running)
        self.mount.setEnabled(not running and self._context.mount is not None)
        self.at_tool.setEnabled(not running and by_budget)
        if by_budget and chosen and not running:
            self.outlook.show_for(chosen, round(self.amount.value), self.list.shown_weights)
        else:
            self.outlook.hide()

    def _show_buttons(self) -> None:
        chosen, running, has_fits = self.chosen, self.is_running, bool(self._fits)
        guarded = has_fits and self._guarded
        buttons = (self.start_button, self.stop_button, self.discard_button, self.accept_button)
        held = next((button for button in buttons if button.hasFocus()), None)
        self.start_button.setVisible(not running)
        self.start_button.setText("Fit again" if has_fits or self._taken else "Fit")
        self.start_button.setEnabled(bool(chosen) and not guarded)
        self.start_button.setDefault(not has_fits and not self._taken)
        self.accept_button.setDefault(has_fits)
        self.next_button.setDefault(bool(self._taken))
        self.stop_button.setVisible(running)
        self.discard_button.setVisible(has_fits and not running)
        self.discard_button.setEnabled(not guarded)
        # There from the start, so that a click meant for Cancel does not meet it when the fit ends at that moment.
        self.accept_button.setVisible(running or has_fits)
        self.accept_button.setEnabled(has_fits and not running)
        self.next_button.setVisible(bool(self._taken) and not running and not has_fits)
        whole = len(self._fits) >= len(chosen)
        self.accept_button.setText("Accept" if whole or running else f"Accept {counted(len(self._fits), 'link')}")
        self.accept_button.setToolTip("Puts the fitted spheres in the place of the present ones, as one step (Return)")
        if held is not None and held.isHidden():
            # The keyboard stays with the fit, and with its result.
            follows = self.stop_button if running else self.accept_button if has_fits else self.start_button
            follows.setFocus(Qt.FocusReason.OtherFocusReason)
