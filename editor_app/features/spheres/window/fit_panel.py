"""The panel that fits spheres to the ticked links. A fit is shown, then accepted or discarded."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeWidgetItem

from editor_app.core.document.commands.fitted_spheres import SetFittedSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.work import locate_robot
from editor_app.core.tasks.worker import JobError
from editor_app.features.spheres.engine.links import LinkFit
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.fit_session import (
    FitInputs,
    FitSession,
    FitStage,
    FitState,
    UsualAmount,
)
from editor_app.features.spheres.verbs.chosen_meshes import tool_weights
from editor_app.features.spheres.verbs.fit import FitProgress
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.verbs.surface_kind import surface_words
from editor_app.features.spheres.window.context import BudgetEstimates, FitContext
from editor_app.features.spheres.window.figures import Summary, summarize_links
from editor_app.features.spheres.window.fit_layout import FitLayout
from editor_app.features.spheres.window.fit_work import (
    FitCurve,
    PresentFigures,
    PreviewWork,
    fit_inputs,
)
from editor_app.features.spheres.window.link_list import result_text
from editor_app.window.jobs import JobSlot
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import plain_text


class FitPanel(FitLayout):
    """`start`, then `accept` or `cancel`. The selected links are ticked, all of them where nothing
    is selected, until somebody ticks others. A fit of a few links follows each change of the
    settings."""

    #: {link: (FitResult, its spheres, mesh that the figures are of or None)} of an accepted fit.
    accepted = Signal(object)
    #: (bool): whether links are fitted, or a fit waits to be accepted.
    active_changed = Signal(bool)
    #: Somebody wants to go on: with a tighter fit, or with the self-collision mask.
    next_asked = Signal()

    def __init__(self, context: FitContext, estimates: BudgetEstimates) -> None:
        super().__init__(context.session, estimates)
        self.setAccessibleName("Fit spheres")
        self._context = context
        self._session = context.session
        self._fit = JobSlot(context.window_jobs)
        self.fit_session = FitSession(self._on_state)
        self._amount = UsualAmount()
        self._is_fast = False
        #: The selected links are ticked.
        self._follows = True
        self.present = PresentFigures(context, self._show)
        self.curve = FitCurve(context, self.form.mode.currentData, self)
        works = {
            "measure": lambda: self.present.work(self.one) if self.one else None,
            "curve": lambda: (
                self.curve.work(self.one)
                if self.one and self.fits and not self.state.keeps_any
                else None
            ),
        }
        self._work = PreviewWork(context, works, self)
        self._fill_later = after(self, self._fill, Wait.FIT_LIST)
        self._timer = after(self, self._begin, Wait.REFIT)
        #: A fit that ends in the moment of a click on Cancel must not be discarded by it.
        self._just_finished = after(self, self.fit_session.end_guard, Wait.DISCARD_GUARD)
        self._connect()
        context.warm_preview()
        self.form.begin_with(context.defaults())
        self._on_mount()
        self._on_kind()

    def _connect(self) -> None:
        form, session, context, work = self.form, self._session, self._context, self._work
        form.changed.connect(self._on_form)
        form.amount.changed.connect(
            lambda _: self._amount.choose(form.amount.amount.id, form.amount.value, self.one)
        )
        form.bodies_chosen.connect(self._choose_bodies)
        form.geometry_kind.currentIndexChanged.connect(
            lambda _: context.set_kind(form.geometry_kind.currentData())
        )
        form.mount.toggled.connect(context.use_mount)
        form.at_tool.toggled.connect(lambda _: self._show_weights())
        self.list.itemChanged.connect(self._on_item)
        self.selected_button.clicked.connect(self.follow_selection)
        self.all_button.clicked.connect(lambda: self.tick(self.list.links))
        self.none_button.clicked.connect(lambda: self.tick(()))
        self.empty_button.clicked.connect(
            lambda: self.tick(k for k in self.list.links if not context.present(k))
        )
        self.start_button.clicked.connect(self.start)
        self.cancel_button.clicked.connect(self.cancel)
        self.accept_button.clicked.connect(self.accept)
        self.next_button.clicked.connect(self.next_asked)
        self.chart.chosen.connect(lambda number: form.amount.set_value(number, "number"))
        work.changed.connect(self._show)
        self.curve.changed.connect(self._show)
        work.failed.connect(self._fail)
        session.document_opened.connect(lambda _: self._on_opened())
        session.tree_changed.connect(lambda _: self._fill())
        session.selection_changed.connect(lambda _: self._on_selection())
        session.active_group_changed.connect(lambda _: self._present_changed())
        session.robot_settled.connect(self._on_robot)
        # A tighter fit that somebody has seen is not the next step any more.
        context.meshes.geometry_changed.connect(self._on_geometry)
        context.meshes.finished.connect(self._fill)
        context.bodies_changed.connect(self._on_bodies)
        context.kind_changed.connect(self._on_kind)
        context.mount_changed.connect(self._on_mount)
        session.locks.changed.connect(self._on_locks)

    # -- what others call

    @property
    def state(self) -> FitState:
        return self.fit_session.state

    @property
    def is_running(self) -> bool:
        return self.state.is_running

    @property
    def is_idle(self) -> bool:
        return self.state.is_idle

    @property
    def is_ready(self) -> bool:
        return self.state.is_ready

    @property
    def is_busy(self) -> bool:
        """True if anything is computed, or about to be."""
        return self.is_running or self._work.is_busy

    @property
    def fits(self) -> Mapping[str, LinkFit]:
        return self.state.fits

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked links, in the order of the list."""
        return self.list.chosen

    @property
    def one(self) -> str | None:
        return self.state.one

    def tick(self, links: Iterable[str]) -> None:
        """Ticks these links. The selection does not count any more."""
        self._follows = False
        self.list.tick(frozenset(links).__contains__)

    def follow_selection(self) -> None:
        """Ticks the selected links, now and after each new selection."""
        self._follows = True
        self._on_selection()

    def fit_selected(self) -> None:
        """Fits the selected links with the present settings. Fits of other links are discarded."""
        if self.state.is_large:
            self.fit_session.discard()
        self.follow_selection()
        self.start()

    def start(self) -> None:
        """Fits the ticked links, the costly ones first, once their shapes are compared."""
        if not self.state.ticked:
            self._session.refused.emit("Select or tick a link that has shapes first.")
        elif self._context.is_comparing:
            self.fit_session.wait_for_shapes()
        else:
            self._is_fast = False
            if not self.one:
                self.fit_session.discard()
            self._begin()

    def cancel(self) -> None:
        """Ends the work. Of several links, finished fits can still be accepted. Without work it
        discards the fits."""
        self.list.end_bars("cancelled")
        self.fit_session.cancel()

    def accept(self) -> None:
        """Accepts the fits, as one step."""
        state, by_button = self.state, self.accept_button.hasFocus()
        if state.is_ready and not state.proposed:
            self._session.refused.emit(
                f"{next(iter(state.fits))} would lose all its spheres, because the fit found none."
            )
            return
        results = self.fit_session.accept(self._execute)
        if not results:
            return
        self.accepted.emit(results)
        if rest := [link for link in state.ticked if link not in state.fits]:
            self.tick(rest)
        if by_button:
            (self.start_button if self.one else self.next_button).setFocus(
                Qt.FocusReason.OtherFocusReason
            )

    def _execute(self, spheres: Mapping[str, tuple[CollisionSphere, ...]], label: str) -> bool:
        form, one = self.form, self.one
        buffers = {"world_buffer": form.world_buffer.value, "self_buffer": form.self_buffer.value}
        change = SetFittedSpheres(self._context.group, FrozenDict(spheres), label, **buffers)
        return self._session.execute(change, selection=Selection(links=(one,)) if one else None)

    # -- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.is_running:
            self.accept() if self.fits else self.start()
        elif key == Qt.Key.Key_Escape and not self.is_idle:
            self.cancel()
        else:
            super().keyPressEvent(event)

    # -- which links

    def _fill(self) -> None:
        links = self._context.links_with_mesh()
        if self.list.links != links:
            self.fit_session.change_links()
            self.list.set_links(links)
            self._on_selection()
        self.list.show_present(lambda link: len(self._context.present(link)))
        self._show_weights()
        self._retarget()

    def _on_selection(self) -> None:
        if not self._follows or self.state.is_large:
            return
        chosen = set(self._session.selection.frames) & set(self.list.links)
        self.list.tick((chosen or set(self.list.links)).__contains__)

    def _on_item(self, item: QTreeWidgetItem, column: int) -> None:
        self.list.take_weight(item, column)
        if not self.list.is_ticking:
            # By hand.
            self._follows = self._follows and self.list.chosen == self.state.ticked
        self._retarget()

    def _retarget(self) -> None:
        if self.list.chosen != self.state.ticked:
            goes_on = self.fit_session.tick(self.list.chosen)
            self._suggest_amount()
            self._need_figures()
            if goes_on:
                # A user who fits link after link goes on with the next one.
                self.start()
        self._show()

    def _suggest_amount(self) -> None:
        """Until the user chooses: as many spheres as the link has, or the usual budget of several
        links."""
        amount, one, usual = self.form.amount, self.one, self._amount.kind(self.one)
        kind = usual or amount.amount.id
        if one and kind == "number":
            amount.suggest(
                self._amount.number(one, len(self._context.present(one)) - len(self._locked(one))),
                usual,
            )
        elif self.state.ticked and not one and kind == "budget":
            budget = (
                self._context.budget_for(len(self.state.ticked))
                if self._amount.is_budget_usual
                else None
            )
            amount.suggest(budget or amount.values["budget"], usual)

    # -- following

    def _on_opened(self) -> None:
        self.fit_session.close()
        self.curve.forget()
        self.present.forget()
        self._amount, self._follows = UsualAmount(), True
        self.form.begin_with(self._context.defaults())
        self.list.forget()
        self._fill()
        self._on_selection()

    def _on_geometry(self, links: tuple[str, ...]) -> None:
        for link in links:
            self.curve.forget(link)
            self.present.forget(link)
        # Many meshes come one after the other, and each of them would fill the whole list.
        self._fill_later.soon()

    def _choose_bodies(self, used: frozenset[int]) -> None:
        if self.one:
            if not used:
                self._session.refused.emit("Select at least one body.")
            self._context.use_bodies(self.one, used)
            self._show()

    def _on_bodies(self, link: str) -> None:
        if link in self.state.ticked:
            self.present.forget(link)
            self._need_figures()
            self._on_form(False)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        self.curve.forget_refusals()
        if self.one:
            self._show_one(self.one)
        self.fit_session.change_robot()
        name = self._context.group
        before, now = old.xrdf.group(name), new.xrdf.group(name)
        if before is None or now is None or before.spheres is not now.spheres:
            self.list.clear_results(self.fit_session.change_spheres(self._context.present))
            ticked = self.state.ticked
            changed = [
                k
                for k in ticked
                if not (before and now) or before.spheres.get(k) is not now.spheres.get(k)
            ]
            self._present_changed(bool(changed))

    def _present_changed(self, *changes: bool) -> None:
        self.list.show_present(lambda link: len(self._context.present(link)))
        if any(changes) or not changes:
            self.present.forget()
            self.fit_session.change_kept_spheres()
            self._need_figures()
        self._show()

    def _on_kind(self) -> None:
        """Another kind of geometry was chosen elsewhere, or by comparing."""
        self.form.geometry_kind.choose(self._context.kind)
        self.present.forget()
        self._fill()
        self._need_figures()
        if self.state.stage is not FitStage.WAITING:
            self.fit_session.change_inputs()
        elif not self._context.is_comparing:
            self.start()

    def _on_mount(self) -> None:
        mount, box = self._context.mount, self.form.mount
        with QSignalBlocker(box):
            box.setChecked(self._context.mount_used)
        where = (
            f"The base ends at {mount.reason}, at z = {mount.height:.4g} m"
            if mount is not None
            else ""
        )
        box.setToolTip(
            plain_text(
                f"{where}; its spheres do not reach below"
                if where
                else "This robot has no mounting plane"
            )
        )
        self.fit_session.change_inputs()
        self._show()

    def _on_locks(self) -> None:
        self._suggest_amount()
        self.fit_session.change_inputs()
        self._show()

    def _show_weights(self) -> None:
        self.list.show_weights(
            tool_weights(self._session.robot) if self.form.at_tool.isChecked() else {}
        )

    def _on_form(self, live: bool) -> None:
        self._is_fast = live
        self.fit_session.change_inputs(begins=True)
        self._show()

    # -- running

    def _begin(self) -> None:
        context = self._context
        meshes = {
            link: mesh for link in self.state.ticked if (mesh := context.mesh(link)) is not None
        }
        try:
            settings = self.form.settings(fast=self._is_fast)
        except FittingError as why:
            self.fit_session.discard(str(why))
            return
        if not meshes:
            self.fit_session.discard()
            return
        surfaces = {
            link: surface_words(context.kind_of(link), context.surfaces.kind(link))
            for link in meshes
        }
        robot, choices = locate_robot(self._session.document), self._choices(meshes)
        self.fit_session.begin(
            FitInputs(robot, tuple(meshes.values()), settings, self.form.total, choices, surfaces)
        )

    def _on_state(self, old: FitState, new: FitState) -> None:
        """Run the fit that the state names, and show the state."""
        self._end_work(old, new)
        if new.proposed is not old.proposed:
            self._context.propose(new.proposed)
        if new.is_guarded and not old.is_guarded:
            # From the moment when the end can be seen: clicks that wait are handled before.
            QTimer.singleShot(0, self._just_finished, self._just_finished.start)
        self.told.setText(new.message)
        if new.is_computing and new.inputs is not None and new.inputs is not old.inputs:
            self._run(new.inputs)
        if (
            new.fits is not old.fits
            or new.stage is not old.stage
            or new.is_guarded is not old.is_guarded
        ):
            self._show()
        if new.is_idle is not old.is_idle:
            self.active_changed.emit(not new.is_idle)

    def _end_work(self, old: FitState, new: FitState) -> None:
        """End the run, the curve and the results in the list that are of the state before."""
        if old.is_computing and (not new.is_computing or new.inputs is not old.inputs):
            self._fit.drop()
            self.list.end_bars("")
        if new.stage is FitStage.STALE:
            # Each change, until none comes for a while.
            self._timer.start()
        else:
            self._timer.stop()
        if old.stage is FitStage.SHOWN and new.stage is not FitStage.SHOWN:
            self._work.drop("curve")
            self.curve.stop()
        if (
            old.fits
            and not new.fits
            and new.stage is not FitStage.ACCEPTED
            and not new.is_computing
        ):
            self.list.clear_results(self.list.links)

    def _run(self, inputs: FitInputs) -> None:
        self.form.outlook.estimates.stop()
        for link in inputs.links:
            self.list.start_bar(link)
        self.progress.set_share(0.0)
        started = time.monotonic()

        def finish(_: object) -> None:
            self.fit_session.finish(inputs, time.monotonic() - started)
            if self.one:
                self._work.need_later("curve")

        self._fit.run(
            "Fitting spheres",
            Task(fit_inputs, inputs, self._context.robot_executor),
            finish,
            in_thread=True,
            each=partial(self._on_fit_progress, inputs),
            failed=partial(self._fail, inputs=inputs),
            cancelled=self.cancel,
            quiet=len(inputs.links) == 1,
        )

    def fit_of(self, links: Iterable[str]) -> tuple[FitChoices, FitSettings | None]:
        """Return the choices and settings for a fit of these links; no settings if their numbers
        contradict."""
        with contextlib.suppress(FittingError):
            return self._choices(links), self.form.settings()
        return self._choices(links), None

    def _choices(self, links: Iterable[str]) -> FitChoices:
        """Planes, locked spheres and weights from the form."""
        form, context = self.form, self._context
        clips = {}
        for link in links:
            pose = self._session.transform(link)
            planes = context.planes_of(link)
            if form.ground.isChecked() and pose is not None:
                planes = (
                    *planes,
                    Plane(_vector(-pose[:3, :3].T @ pose[:3, 3]), _vector(pose[2, :3])),
                )
            clips[link] = planes
        return FitChoices(
            mount=False,
            clips=clips,
            weights=self.list.weights,
            more_at_tool=form.at_tool.isChecked(),
            locked={link: self._locked(link) for link in links},
            symmetry=form.mirror.currentData(),
        )

    def _locked(self, link: str) -> tuple[CollisionSphere, ...]:
        """Spheres that a fit keeps."""
        return (
            self._context.present(link)
            if self.form.keep.isChecked()
            else self._context.locked(link)
        )

    def _on_fit_progress(self, inputs: FitInputs, progress: FitProgress) -> None:
        if not self.fit_session.receive(inputs, progress):
            return
        for link in progress.links:
            self.list.set_progress(link, progress.links_share)
            if link == self.one:
                self.progress.set_share(progress.links_share)
        for fit in progress.fits:
            # The share that the mount leaves open, as the tree measures it.
            text, bad = result_text(fit, fit.result.given_up, inputs.surfaces.get(fit.link, ""))
            self.list.show_fit(fit.link, self._summary_of(fit), text, bad=bad)

    def _fail(self, error: JobError, inputs: FitInputs | None = None) -> None:
        expected = isinstance(error.exception, (FittingError, MemoryError))
        self.fit_session.fail(
            error.message if expected else "The fit failed. The error report names the cause.",
            inputs,
        )
        if not expected:
            self._context.window_jobs.failed_unexpectedly.emit(None, error)

    # -- figures of one link

    def _need_figures(self) -> None:
        if self.one:
            self._work.need_later("measure")

    # -- showing

    def _show(self) -> None:
        self.title.setText(self._words())
        self.show_details(self.one is not None)
        if self.one:
            self._show_one(self.one)
        form, state = self.form, self.state
        ticked, locked = state.ticked, state.is_running and state.is_large
        form.setEnabled(bool(self.list.links) and not locked)
        form.offer_bodies(
            *(
                (self._context.bodies(self.one), self._context.bodies_used(self.one))
                if self.one
                else ({}, frozenset())
            )
        )
        form.mount.setEnabled(self._context.mount is not None)
        shared_out = form.total is not None and len(ticked) > 1
        form.at_tool.setEnabled(shared_out)
        if not shared_out:
            form.outlook.hide()
        elif not self.is_running:
            form.outlook.show_for(ticked, form.total or 0, *self.fit_of(ticked))
        self.selected_button.setEnabled(not state.is_large)
        for button in (self.all_button, self.none_button, self.empty_button):
            button.setEnabled(not locked)
        self.show_stage(state)

    def _words(self) -> str:
        if not self._session.has_robot:
            return "Open a robot first"
        if not self.list.links:
            return (
                "Loading meshes…" if self._context.meshes.is_loading else "This robot has no shapes"
            )
        return self.one or f"{len(self.state.ticked)} of {len(self.list.links)} links"

    def _summary_of(self, fit: LinkFit) -> Summary:
        count = len(self.state.proposed.get(fit.link, ()))
        return summarize_links(
            count, [(fit.result.quality, fit.result.certificate)] if count else []
        )

    def _show_one(self, link: str) -> None:
        figures, fit = self.present.of(link), self.fits.get(link)
        count = len(self._context.present(link))
        now = (
            Summary(count)
            if figures is None or figures.note
            else summarize_links(count, [(figures, figures.proof)])
        )
        then = self._summary_of(fit) if fit is not None else None
        self.figures.show_figures(now, then, stale=self.is_running)
        self.figures.show_surface(self.present.caption(link))
        result, kept = (fit.result if fit is not None else None), len(self._locked(link))
        notes = [
            *self.present.notes(link, result, kept, is_busy=self._work.is_busy),
            self.curve.problem,
        ]
        self.notes.setText("\n".join(line for line in dict.fromkeys(notes) if line))
        self.progress.setVisible(self.is_running)
        self.chart.set_points(
            {number: each.quality for number, each in self.curve.points(link).items()},
            busy=self._work.kind == "curve",
            inside=self.form.mode_id == "inside",
            refusals=self.curve.refusals(link),
        )
        self.chart.set_current(then.count if then is not None else None)


def _vector(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
