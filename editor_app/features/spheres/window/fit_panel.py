"""The panel that fits spheres to the ticked links. A fit is shown, then accepted or discarded."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeWidgetItem

from editor_app.core.document.commands.fitted_spheres import SetFittedSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.work import locate_robot
from editor_app.core.tasks.worker import JobError
from editor_app.features.spheres.engine.links import LinkFit, LinkMesh
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.verbs.chosen_meshes import tool_weights
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.verbs.link_fits import round_spheres
from editor_app.features.spheres.verbs.surface_kind import surface_words
from editor_app.features.spheres.window.context import BudgetEstimates, FitContext
from editor_app.features.spheres.window.figures import Summary, summarize_links
from editor_app.features.spheres.window.fit_layout import FitLayout
from editor_app.features.spheres.window.fit_work import FitCurve, FitNews, FitRun, PresentFigures, PreviewWork
from editor_app.features.spheres.window.link_list import result_text
from editor_app.window.jobs import JobSlot
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import plain_text

#: Up to so many links are fitted anew at each change of the settings.
LIVE = 4
#: Spheres that are proposed for a link without spheres.
USUAL = 16


class FitPanel(FitLayout):
    """`start`, then `accept` or `cancel`. The selected links are ticked, all of them where nothing is selected, until
    somebody ticks others. A fit of a few links follows each change of the settings."""

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
        self._started = 0.0
        self._starts_later = False
        self._was_active = False
        self._fast = False
        self._fits: dict[str, LinkFit] = {}
        #: The mesh of each fit, None where planes cut it; words for its surface; spheres that stay.
        self._meshes: dict[str, LinkMesh | None] = {}
        self._surfaces: dict[str, str] = {}
        self._kept: dict[str, tuple[CollisionSphere, ...]] = {}
        #: What was accepted last, as long as links have these very spheres: the list has their figures.
        self._given: dict[str, tuple[CollisionSphere, ...]] = {}
        self._mode = "cover"
        self._ticked: tuple[str, ...] = ()
        #: The selected links are ticked.
        self._follows = True
        #: Until the user chooses them, the kind of amount and the budget follow the links. Numbers belong to links.
        self._amount_is_usual = self._budget_is_usual = True
        self._numbers: dict[str, float] = {}
        #: The sentence on the last accepted fit, until something else is done: the next step is offered.
        self._taken = ""
        self.present = PresentFigures(context, self._show)
        self.curve = FitCurve(context, self.form.mode.currentData, self)
        works = {
            "measure": lambda: self.present.work(self.one) if self.one else None,
            "curve": lambda: self.curve.work(self.one) if self.one and self._fits and not self._keeps_any else None,
        }
        self._work = PreviewWork(context, works, self)
        self._fill_later = after(self, self._fill, Wait.FIT_LIST)
        self._timer = after(self, self._begin, Wait.REFIT)
        #: A fit that ends in the moment of a click on Cancel must not be discarded by it.
        self._just_finished = after(self, self._end_guard, Wait.DISCARD_GUARD)
        self._guarded = False
        self._connect()
        context.warm_preview()
        self.form.begin_with(context.defaults())
        self._on_mount()
        self._on_kind()

    def _connect(self) -> None:
        form, session, context, work = self.form, self._session, self._context, self._work
        form.changed.connect(self._on_form)
        form.amount.changed.connect(self._amount_chosen)
        form.bodies_chosen.connect(self._choose_bodies)
        form.geometry_kind.currentIndexChanged.connect(lambda _: context.set_kind(form.geometry_kind.currentData()))
        form.mount.toggled.connect(context.use_mount)
        form.at_tool.toggled.connect(lambda _: self._show_weights())
        self.list.itemChanged.connect(self._on_item)
        self.selected_button.clicked.connect(self.follow_selection)
        self.all_button.clicked.connect(lambda: self.tick(self.list.links))
        self.none_button.clicked.connect(lambda: self.tick(()))
        self.empty_button.clicked.connect(lambda: self.tick(k for k in self.list.links if not context.present(k)))
        self.start_button.clicked.connect(self.start)
        self.cancel_button.clicked.connect(self.cancel)
        self.accept_button.clicked.connect(self.accept)
        self.next_button.clicked.connect(self.next_asked)
        self.chart.chosen.connect(lambda number: form.amount.set_value(number, "number"))
        work.changed.connect(self._show)
        self.curve.changed.connect(self._show)
        work.failed.connect(self._failed)
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
    def is_running(self) -> bool:
        """Links are fitted, or wait for their shapes to be compared."""
        return self._fit.is_running or self._starts_later or self._timer.isActive()

    @property
    def is_idle(self) -> bool:
        """Nothing is fitted and nothing waits to be accepted."""
        return not self.is_running and not self._fits

    @property
    def is_ready(self) -> bool:
        """True if a proposal is up to date and can be accepted."""
        return bool(self._fits) and not self.is_running

    @property
    def is_busy(self) -> bool:
        """True if anything is computed, or about to be."""
        return self.is_running or self._work.is_busy

    @property
    def fits(self) -> dict[str, LinkFit]:
        return dict(self._fits)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked links, in the order of the list."""
        return self.list.chosen

    @property
    def one(self) -> str | None:
        """The only link that is ticked."""
        return self._ticked[0] if len(self._ticked) == 1 else None

    @property
    def _keeps_any(self) -> bool:
        """Whether the fits leave spheres as they are."""
        return any(self._kept.values())

    @property
    def _is_several_at_work(self) -> bool:
        """More links than follow the settings are fitted or wait to be accepted. A selection must not end that."""
        return len(self._ticked) > LIVE and not self.is_idle

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
        if self._is_several_at_work:
            self._fit.drop()
            self._clear()
        self.follow_selection()
        self.start()

    def start(self) -> None:
        """Fits the ticked links, the costly ones first, once their shapes are compared."""
        if not self._ticked:
            self._session.refused.emit("Select or tick a link that has shapes first.")
        elif self._context.is_comparing:
            self._starts_later = True
            self.told.setText("Comparing collision and visual shapes…")
            self._show()
        else:
            self._fast = False
            if not self.one:
                self._clear()
            self._begin()

    def cancel(self) -> None:
        """Ends the work. Of several links, finished fits can still be accepted. Without work it discards the fits."""
        self._end(several=len(self._ticked) > 1 and self._fit.is_running)

    def _end(self, *, several: bool) -> None:
        """`several`: more than one link was being fitted."""
        waited = self._starts_later
        self._starts_later = False
        self._timer.stop()
        self._fit.drop()
        self.list.end_bars("cancelled")
        if several and self._fits:
            self.told.setText(
                f"Cancelled. {len(self._fits)} of {len(self._meshes)} links are fitted: accept or discard them."
            )
            self._show()
            return
        self._clear()
        if several or waited:
            self.told.setText("Cancelled; no link was fitted.")

    def accept(self) -> None:
        """Accepts the fits, as one step."""
        if not self.is_ready:
            return
        spheres = {link: each for link, each in self._context.proposed.items() if each and link in self._fits}
        if not spheres:
            self._session.refused.emit(
                f"{next(iter(self._fits))} would lose all its spheres, because the fit found none."
            )
            return
        where = format_count(len(spheres), "link") if len(spheres) > 1 else next(iter(spheres))
        given = f"{format_count(sum(map(len, spheres.values())), 'sphere')} to {where}"
        change = SetFittedSpheres(
            self._context.group,
            FrozenDict(spheres),
            f"Fit {given}",
            world_buffer=self.form.world_buffer.value,
            self_buffer=self.form.self_buffer.value,
        )
        results = {link: (self._fits[link].result, spheres[link], self._meshes.get(link)) for link in spheres}
        rest = [link for link in self._ticked if link not in self._fits]
        by_button, one = self.accept_button.hasFocus(), self.one
        self._clear(keep=True)
        self._given = spheres
        if not self._session.execute(change, selection=Selection(links=(one,)) if one else None):
            return
        self.accepted.emit(results)
        self._taken = f"Added {given}."
        if rest:
            # After a cancel the user goes on with the links that have no fit.
            self.tick(rest)
            self._taken = f"Added {given}. {format_count(len(rest), 'link')} without a fit stay ticked."
        self.told.setText(self._taken)
        self._show()
        if by_button:
            (self.start_button if one else self.next_button).setFocus(Qt.FocusReason.OtherFocusReason)

    # -- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.is_running:
            self.accept() if self._fits else self.start()
        elif key == Qt.Key.Key_Escape and not self.is_idle:
            self.cancel()
        else:
            super().keyPressEvent(event)

    # -- which links

    def _fill(self) -> None:
        links = self._context.links_with_mesh()
        if self.list.links != links:
            self._fit.drop()
            self.list.set_links(links)
            self._on_selection()
        self.list.show_present(lambda link: len(self._context.present(link)))
        self._show_weights()
        self._retarget()

    def _on_selection(self) -> None:
        if not self._follows or self._is_several_at_work:
            return
        chosen = set(self._session.selection.frames) & set(self.list.links)
        self.list.tick((chosen or set(self.list.links)).__contains__)

    def _on_item(self, item: QTreeWidgetItem, column: int) -> None:
        self.list.take_weight(item, column)
        if not self.list.is_ticking:
            # By hand.
            self._follows = self._follows and self.list.chosen == self._ticked
        self._retarget()

    def _retarget(self) -> None:
        ticked = self.list.chosen
        if ticked != self._ticked:
            was_live = not self.is_idle and len(self._ticked) <= LIVE
            if was_live:
                self._fit.drop()
                self._clear()
            self._ticked = ticked
            self._suggest_amount()
            self._need_figures()
            if was_live and 0 < len(ticked) <= LIVE:
                # A user who fits link after link goes on with the next one.
                self.start()
        self._show()

    def _suggest_amount(self) -> None:
        """Until the user chooses: as many spheres as the link has, or the usual budget of several links."""
        amount, one = self.form.amount, self.one
        usual = ("number" if one else "budget") if self._amount_is_usual else None
        if one and (usual or amount.amount.id) == "number":
            kept = len(self._locked(one))
            amount.suggest(self._numbers.get(one) or max(0, len(self._context.present(one)) - kept) or USUAL, usual)
        elif self._ticked and not one and (usual or amount.amount.id) == "budget":
            budget = self._context.budget_for(len(self._ticked)) if self._budget_is_usual else None
            amount.suggest(budget or amount.values["budget"], usual)

    def _amount_chosen(self, _: bool) -> None:
        amount = self.form.amount.amount.id
        self._amount_is_usual = self._amount_is_usual and amount == ("number" if self.one else "budget")
        if amount == "budget":
            self._budget_is_usual = False
        elif amount == "number" and self.one:
            self._numbers[self.one] = self.form.amount.value

    # -- following

    def _on_opened(self) -> None:
        self._fit.drop()
        self._clear()
        self.curve.forget()
        self.present.forget()
        self._numbers, self._given = {}, {}
        self._taken = ""
        self._ticked = ()
        self._follows = self._amount_is_usual = self._budget_is_usual = True
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
        if link in self._ticked:
            self.present.forget(link)
            self._need_figures()
            self._on_form(False)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        self.curve.forget_refusals()
        if self.one:
            self._show_one(self.one)
        if self._taken:
            # The user went on.
            self._taken = ""
            self.told.setText("")
        name = self._context.group
        before, now = old.xrdf.group(name), new.xrdf.group(name)
        if before is None or now is None or before.spheres is not now.spheres:
            if self.is_idle:
                kept = {link: each for link, each in self._given.items() if self._context.present(link) == each}
                given, self._given = self._given, kept
                self.list.clear_results(given.keys() - kept.keys())
            changed = [
                k for k in self._ticked if not (before and now) or before.spheres.get(k) is not now.spheres.get(k)
            ]
            self._present_changed(bool(changed))

    def _present_changed(self, *changes: bool) -> None:
        self.list.show_present(lambda link: len(self._context.present(link)))
        if any(changes) or not changes:
            self.present.forget()
            if self._fits and self._keeps_any and len(self._ticked) <= LIVE:
                self.told.setText("The current spheres changed; refitting around them.")
                self._timer.start()
            self._need_figures()
        self._show()

    def _on_kind(self) -> None:
        """Another kind of geometry was chosen elsewhere, or by comparing."""
        self.form.geometry_kind.choose(self._context.kind)
        self.present.forget()
        self._fill()
        self._need_figures()
        if self._starts_later and not self._context.is_comparing:
            self._starts_later = False
            self.told.setText("")
            self.start()
        else:
            self._refit()

    def _on_mount(self) -> None:
        mount, box = self._context.mount, self.form.mount
        with QSignalBlocker(box):
            box.setChecked(self._context.mount_used)
        where = f"The base ends at {mount.reason}, at z = {mount.height:.4g} m" if mount is not None else ""
        box.setToolTip(
            plain_text(f"{where}; its spheres do not reach below" if where else "This robot has no mounting plane")
        )
        self._refit()
        self._show()

    def _on_locks(self) -> None:
        self._suggest_amount()
        self._refit()
        self._show()

    def _show_weights(self) -> None:
        self.list.show_weights(tool_weights(self._session.robot) if self.form.at_tool.isChecked() else {})

    def _on_form(self, live: bool) -> None:
        self._fast = live
        if self.one:
            self._timer.start()
        else:
            self._refit()
        self._show()

    def _refit(self) -> None:
        """The shapes or planes changed: a fit of a few links is made anew."""
        if not self.is_idle and 0 < len(self._ticked) <= LIVE:
            self._timer.start()

    # -- running

    def _begin(self) -> None:
        context = self._context
        self._timer.stop()
        self._fit.drop()
        self._drop_curve()
        self._taken = ""
        meshes = {link: mesh for link in self._ticked if (mesh := context.mesh(link)) is not None}
        try:
            settings = self.form.settings(fast=self._fast)
        except FittingError as why:
            self._clear()
            self.told.setText(str(why))
            return
        document = self._session.document
        if not meshes:
            return
        choices = self._choices(meshes)
        clips, self._kept = choices.clips or {}, dict(choices.locked or {})
        self._meshes = {link: None if clips.get(link) else mesh for link, mesh in meshes.items()}
        self._surfaces = {link: surface_words(context.kind_of(link), context.surfaces.kind(link)) for link in meshes}
        self._mode = self.form.mode_id
        # The figures of one link stay until there are new ones.
        self._fits = {link: fit for link, fit in self._fits.items() if link == self.one}
        self._guarded = False
        self.form.outlook.estimates.stop()
        for link in meshes:
            self.list.start_bar(link)
        self.progress.set_share(0.0)
        self._started = time.monotonic()
        self._fit.run(
            "Fitting spheres",
            FitRun(
                locate_robot(document),
                tuple(meshes.values()),
                settings,
                self.form.total,
                choices,
                context.robot_executor,
            ),
            lambda _: self._finished(),
            in_thread=True,
            each=self._hear,
            failed=self._failed,
            cancelled=lambda: self._end(several=len(meshes) > 1),
            quiet=self.one is not None,
        )
        self._show()

    def fit_of(self, links: Iterable[str]) -> tuple[FitChoices, FitSettings | None]:
        """Return the choices and settings for a fit of these links; no settings if their numbers contradict."""
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
                planes = (*planes, Plane(_vector(-pose[:3, :3].T @ pose[:3, 3]), _vector(pose[2, :3])))
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
        return self._context.present(link) if self.form.keep.isChecked() else self._context.locked(link)

    def _hear(self, news: FitNews) -> None:
        if news.sentence:
            self.told.setText(news.sentence)
        for link in news.links:
            self.list.set_progress(link, news.share)
            if link == self.one:
                self.progress.set_share(news.share)
        if news.fits:
            proposed = {link: each for link, each in self._context.proposed.items() if link in self._fits}
            for fit in news.fits:
                self._fits[fit.link] = fit
                spheres = (*self._kept.get(fit.link, ()), *round_spheres(fit.result.spheres, self._mode))
                if spheres:
                    proposed[fit.link] = spheres
                # The share that the mount leaves open, as the tree measures it.
                text, bad = result_text(fit, fit.result.given_up, self._surfaces.get(fit.link, ""))
                self.list.show_fit(fit.link, self._summary_of(fit, len(spheres)), text, bad=bad)
            self._context.propose(proposed)
            self._show()

    def _finished(self) -> None:
        if not self.one:
            # From the moment when the end can be seen: clicks that wait are handled before.
            self._guarded = True
            QTimer.singleShot(0, self._just_finished, self._just_finished.start)
        proposed = self._context.proposed
        where = self.one or format_count(len(proposed), "link")
        lost = {link: fit.result.given_up for link, fit in self._fits.items() if fit.result.given_up > 0}
        cost = "; ".join(f"{share * 100:.1f} % of {link}" for link, share in lost.items())
        self.told.setText(
            f"{format_count(sum(map(len, proposed.values())), 'sphere')} on {where} in "
            f"{time.monotonic() - self._started:.1f} s."
            + (
                f" {cost} below the mounting plane is uncovered; untick Keep base above mounting plane to cover it."
                if cost
                else ""
            )
        )
        if self.one:
            self._work.need_later("curve")
        self._show()

    def _end_guard(self) -> None:
        self._guarded = False
        self._show()

    def _failed(self, error: JobError) -> None:
        expected = isinstance(error.exception, (FittingError, MemoryError))
        self._fit.drop()
        self.list.end_bars("")
        if not self._fits or self.one:
            self._clear()
        self.told.setText(error.message if expected else "The fit failed. The error report names the cause.")
        self._show()
        if not expected:
            self._context.window_jobs.failed_unexpectedly.emit(None, error)

    def _clear(self, *, keep: bool = False) -> None:
        """Discards the fits. `keep`: their figures stay, because the fits were accepted."""
        self._timer.stop()
        self._drop_curve()
        fits, self._fits = self._fits, {}
        if fits:
            self._context.propose({})
            if not keep:
                self.list.clear_results(self.list.links)
        self.told.setText("")
        self._show()

    # -- figures of one link

    def _need_figures(self) -> None:
        if self.one:
            self._work.need_later("measure")

    def _drop_curve(self) -> None:
        self._work.drop("curve")
        self.curve.stop()

    # -- showing

    def _show(self) -> None:
        self.title.setText(self._words())
        self.show_details(self.one is not None)
        if self.one:
            self._show_one(self.one)
        form, ticked = self.form, self._ticked
        locked = self.is_running and len(ticked) > LIVE
        form.setEnabled(bool(self.list.links) and not locked)
        form.offer_bodies(
            *((self._context.bodies(self.one), self._context.bodies_used(self.one)) if self.one else ({}, frozenset()))
        )
        form.mount.setEnabled(self._context.mount is not None)
        shared_out = form.total is not None and len(ticked) > 1
        form.at_tool.setEnabled(shared_out)
        if not shared_out:
            form.outlook.hide()
        elif not self.is_running:
            form.outlook.show_for(ticked, form.total or 0, *self.fit_of(ticked))
        self.selected_button.setEnabled(not self._is_several_at_work)
        for button in (self.all_button, self.none_button, self.empty_button):
            button.setEnabled(not locked)
        stage = {"running": self.is_running, "guarded": self._guarded, "taken": bool(self._taken)}
        self.show_stage(len(self._ticked), len(self._fits), **stage)
        if self._was_active == self.is_idle:
            self._was_active = not self.is_idle
            self.active_changed.emit(self._was_active)

    def _words(self) -> str:
        if not self._session.has_robot:
            return "Open a robot first"
        if not self.list.links:
            return "Loading meshes…" if self._context.meshes.is_loading else "This robot has no shapes"
        return self.one or f"{len(self._ticked)} of {len(self.list.links)} links"

    def _summary_of(self, fit: LinkFit, count: int) -> Summary:
        """`count`: with the spheres that stay."""
        return summarize_links(count, [(fit.result.quality, fit.result.certificate)] if count else [])

    def _show_one(self, link: str) -> None:
        figures, fit = self.present.of(link), self._fits.get(link)
        count = len(self._context.present(link))
        now = Summary(count) if figures is None or figures.note else summarize_links(count, [(figures, figures.proof)])
        then = self._summary_of(fit, len(self._context.proposed.get(link, ()))) if fit is not None else None
        self.figures.show_figures(now, then, stale=self.is_running)
        self.figures.show_surface(self.present.caption(link))
        result, kept = (fit.result if fit is not None else None), len(self._locked(link))
        notes = [*self.present.notes(link, result, kept, is_busy=self._work.is_busy), self.curve.problem]
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
