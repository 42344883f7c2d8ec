"""Self-collision in a window: runs the analyses of a `MaskSession`, and puts the robot to
configurations of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.selection import Selection
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import CannotApply, Change, TextChange
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import locate_robot
from editor_app.core.tasks.worker import JobError
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import Analysis, Distribution, Witness
from editor_app.features.masks.verbs.evidence import DamagedEvidence, kept_evidence
from editor_app.features.masks.verbs.mask_session import EvidenceStatus, MaskSession, PairsState
from editor_app.features.masks.verbs.pair_distances import Solids, pair_details, search_pair
from editor_app.features.masks.verbs.robot_pairs import has_pairs
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import Wait, after


@dataclass(frozen=True, slots=True)
class ShownWitness:
    """The robot is at the configuration `place` of the known configurations of a pair."""

    pair: LinkPair
    witness: Witness
    place: int


class MaskController(QObject):
    """One per window: what panels and actions of self-collision share. `state`: what they show."""

    #: Other evidence, or none.
    analysis_changed = Signal()
    #: Other pairs are ignored, another file's mask is shown, or other pairs are conflicts.
    mask_changed = Signal()
    opinion_changed = Signal()
    look_changed = Signal()
    running_changed = Signal()
    #: The robot was put to a witness of a pair, or back: Shown or None.
    shown_changed = Signal(object)
    #: Configurations and distances of the selected pair came.
    details_changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._jobs = jobs
        self._work = JobSlot(jobs)
        self._asking = JobSlot(jobs, self.look_changed.emit)
        self._recalling = JobSlot(jobs, quiet=True)
        self._refreshing = JobSlot(jobs)
        self._refresh_later = after(self, self._refresh, Wait.EVIDENCE)
        self._recall_later = after(self, self._recall, Wait.EVIDENCE)
        self._stopped = False
        self.shown: ShownWitness | None = None
        self.witnesses: tuple[Witness, ...] = ()
        self.distribution: Distribution | None = None
        self._details_of: LinkPair | None = None
        self._my_pose: Pose | None = None
        self._posing = False
        #: The pair that is selected to be shown at once: another one that is shown until then needs
        #: no end of its own.
        self._next: LinkPair | None = None
        self.masks = MaskSession(session.document, self._report)
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(self.masks.follow_edit)
        session.pose_changed.connect(self._on_pose)
        session.selection_changed.connect(self._on_selection)
        self._on_opened(session.document)

    @property
    def state(self) -> PairsState:
        return self.masks.state

    @property
    def selected(self) -> tuple[LinkPair, ...]:
        return self.session.selection.pairs

    @property
    def reason_not_to_compute(self) -> str | None:
        """Why there is nothing to compute; None when there is."""
        if not self.session.has_robot:
            return "Open a robot first."
        if not has_pairs(self.session.robot):
            return "Self-collision needs spheres on at least two links. Fit spheres first."
        return None

    # -- events

    def _report(self, old: PairsState, new: PairsState) -> None:
        is_other_robot = old.document is not new.document
        is_edited = is_other_robot or old.edits != new.edits
        is_examined = is_edited or old.analysis is not new.analysis
        if is_edited:
            self._forget_details()
            # Its depth is of spheres before the edit.
            self._set_shown(None)
        if is_examined:
            self._plan_work()
        for signal, is_changed in (
            (self.analysis_changed, is_examined),
            (self.look_changed, old.look is not new.look),
            (self.opinion_changed, is_other_robot or old.opinion is not new.opinion),
            (self.mask_changed, is_other_robot or old.mask_key != new.mask_key),
            (self.running_changed, old.status is not new.status),
        ):
            if is_changed:
                signal.emit()

    def _plan_work(self) -> None:
        """Other pairs, or other evidence: look for evidence of earlier sessions, or examine what is
        out of date."""
        self._refresh_later.stop()
        self._refreshing.drop()
        if self.state.look is None:
            self._asking.cancel()
        if self._stopped or not self.session.has_robot:
            return
        if self.state.analysis is None:
            self._recall_later.start()
        elif self.state.status is EvidenceStatus.STALE:
            self._refresh_later.start()

    def _on_opened(self, document: object) -> None:
        self._work.drop()
        self._recalling.drop()
        self._recall_later.stop()
        self._my_pose = None
        self.masks.open(self.session.document)
        self._set_shown(None)

    # -- computing

    def compute(self) -> None:
        """Run the analysis; what comes in between is shown, and stays when it is cancelled."""
        if (job := self.masks.analyse()) is not None:
            self._refreshing.drop()
            refuse = partial(self._jobs.refuse, self.session.refused.emit)
            self._run("Computing the mask", job, self._done, refuse, each=self.masks.take)

    def compare_with_meshes(self, solids: Solids) -> None:
        """The second opinion: the same pairs on hulls or meshes."""
        if not self.state.is_analysing:
            job = self.masks.compare(solids)
            take = lambda result: self.masks.take_opinion(result[0], solids)  # noqa: E731
            self._run(f"Comparing with {solids}", job, take, self._refuse_meshes)

    def _run(
        self,
        name: str,
        job: Job,
        take: Callable[[Any], object],
        refuse: Callable[[JobError], object],
        **choices: Any,
    ) -> None:
        def fail(error: JobError) -> None:
            self.masks.end(error.message)
            refuse(error)

        self._work.run(name, job, take, failed=fail, cancelled=self.masks.end, **choices)

    def _refuse_meshes(self, error: JobError) -> None:
        self.session.refused.emit(f"The comparison with meshes failed: {error.message}")

    def cancel(self) -> None:
        """Stop computing; what is known stays."""
        self._work.cancel()

    def stop(self) -> None:
        """The window closes: no work is begun any more."""
        self._stopped = True
        self._refresh_later.stop()
        self._recall_later.stop()
        self._recalling.drop()

    def _done(self, analysis: Analysis) -> None:
        self.masks.finish(analysis)
        if self.masks.solids is not None:
            self.compare_with_meshes(self.masks.solids)
        if any(self.state.mask_state(each) is MaskState.CONFLICT for each in self.state.conflicts):
            # It may be the thickness of the spheres alone.
            self.ask_meshes()

    @property
    def is_asking(self) -> bool:
        """True if the mask is being compared with the meshes."""
        return self._asking.is_running

    def ask_meshes(self) -> None:
        """Find the pairs that need no check, and the collisions that go unseen; see
        `PairsState.look`."""
        if self.is_asking or (job := self.masks.ask_meshes()) is None:
            return

        def fail(error: JobError) -> None:
            self.masks.fail_look()
            self._refuse_meshes(error)

        take = self.masks.take_look
        self._asking.run(
            "Comparing the mask with the meshes",
            job,
            take,
            failed=fail,
            about=lambda: self.state.analysis,
        )

    def _recall(self) -> None:
        """Look in the cache for evidence about the robot as it is."""
        if self.state.status is not EvidenceStatus.NONE:
            return
        placed, options = locate_robot(self.session.document), self.masks.options
        self._recalling.run(
            "Reading the kept analysis",
            lambda _: kept_evidence(placed, options),
            self.masks.recall,
            in_thread=True,
            about=lambda: self.session.robot,
            stale=self._recall_later.start,
            failed=self._tell_damaged,
        )

    def _tell_damaged(self, error: JobError) -> None:
        if isinstance(error.exception, DamagedEvidence):
            self.session.message.emit(error.message)
        else:
            self._jobs.failed_unexpectedly.emit(None, error)

    def _refresh(self) -> None:
        if (job := self.masks.refresh()) is not None:
            take = self.masks.take_refreshed
            # What fails stays hatched: the next computation says why.
            self._refreshing.run("Examining edited pairs", job, take, failed=lambda _: None)

    # -- the mask

    def execute(self, make: Callable[[], Change | TextChange | None]) -> bool:
        """Execute the step that `make` returns; return whether it changed the document."""
        before = self.session.document.position
        try:
            if (step := make()) is not None:
                self.session.execute(step)
        except CannotApply as error:
            self.session.refused.emit(str(error))
        return self.session.document.position != before

    # -- looking at pairs

    def select(self, pairs: Iterable[LinkPair]) -> None:
        self.session.select(Selection(pairs=tuple(pairs)))

    def select_and_show(self, pair: LinkPair, others: Iterable[LinkPair] = ()) -> None:
        """Selects `pair`, after `others`, and puts the robot to its worst known configuration."""
        self._next = pair
        try:
            self.select((*others, pair))
        finally:
            self._next = None
        if not self.show_witness(pair):
            self._set_shown(None)

    def select_spheres(self, pair: LinkPair) -> None:
        """The two nearest spheres of a pair, to be shrunk or moved."""
        evidence = self.state.evidence(pair)
        refs = evidence.spheres if evidence is not None else None
        if self.shown is not None and self.shown.pair == pair:
            refs = self.shown.witness.spheres
        if refs is not None:
            self.session.select(Selection(spheres=refs))

    def known_witnesses(self, pair: LinkPair) -> tuple[Witness, ...]:
        """The worst known configuration first, then the others that were found."""
        evidence = self.state.evidence(pair)
        witnesses = list(self.witnesses) if self._details_of == pair else []
        if evidence is not None and evidence.witness is not None and evidence.spheres is not None:
            worst = Witness(evidence.witness, evidence.clearance_min, evidence.spheres)
            witnesses = [
                worst,
                *(w for w in witnesses if abs(w.clearance - worst.clearance) > 1e-6),
            ]
        return tuple(sorted(witnesses, key=lambda w: w.clearance))

    def show_witness(self, pair: LinkPair, place: int = 0) -> bool:
        """The robot goes to a known configuration of small clearance; where it stood is
        remembered."""
        witnesses = self.known_witnesses(pair)
        if not witnesses:
            return False
        place %= len(witnesses)
        if self._my_pose is None:
            self._my_pose = self.session.pose
        self._posing = True
        try:
            self.session.set_pose(witnesses[place].pose)
        finally:
            self._posing = False
        self._set_shown(ShownWitness(pair, witnesses[place], place))
        self.session.look_requested.emit()
        return True

    def step_witness(self, by: int) -> None:
        """To the next or the previous known configuration of the pair."""
        if self.shown is not None:
            self.show_witness(self.shown.pair, self.shown.place + by)
        elif self.selected:
            self.show_witness(self.selected[-1])

    @property
    def can_go_back(self) -> bool:
        return self._my_pose is not None

    def back(self) -> bool:
        """To where the robot stood before the first witness; False when there is nothing to go back
        to."""
        pose, self._my_pose = self._my_pose, None
        self._set_shown(None)
        if pose is None:
            return False
        self.session.set_pose(pose)
        return True

    def next_conflict(self, by: int = 1) -> bool:
        """Selects and shows the next pair on which mask and evidence disagree, and that was not
        left as it is."""
        conflicts = [e.pair for e in self.state.conflicts if e.pair not in self.state.skipped]
        if not conflicts or self.state.analysis is None:
            return False
        rows = self.state.analysis.model.pair_index
        row = rows.get(self.selected[-1], -1) if self.selected else -1
        after = (
            [p for p in conflicts if rows[p] > row]
            if by > 0
            else [p for p in conflicts[::-1] if rows[p] < row]
        )
        pair = (after or (conflicts if by > 0 else conflicts[::-1]))[0]
        self.select_and_show(pair)
        return True

    def leave_and_go_on(self) -> None:
        """Leaves the selected conflicts as they are, and goes to the next one."""
        conflicts = {e.pair for e in self.state.conflicts}
        for pair in conflicts.intersection(self.selected):
            self.masks.skip(pair)
        if not self.next_conflict():
            left = len(conflicts & self.state.skipped)
            rest = f"{left}, which you skipped" if left else "none"
            self.session.message.emit(f"Remaining conflicts: {rest}.")

    def shrink(self, pair: LinkPair) -> None:
        """Shrinks the overlapping spheres of a pair until they overlap no more at this pose, as one
        step."""
        robot = self.session.robot
        try:
            change = self.masks.robot_pairs.shrinking(
                pair, robot, self.masks.options, self.session.pose
            )
        except CannotApply as error:
            self.session.refused.emit(str(error))
            return
        if change is None:
            return
        # The robot stays where it is, so that the look goes on.
        if self.session.execute(change):
            self.session.message.emit(f"{change.label}: no overlap at this pose.")

    def overlaps_here(self, pair: LinkPair) -> bool:
        """Return whether spheres of the pair overlap at this pose."""
        return self.masks.robot_pairs.overlap(
            pair, self.session.robot, self.masks.options, self.session.pose
        )

    def search_closer(self, pair: LinkPair) -> None:
        """Search for a closer configuration, and show it."""
        analysis = self.state.analysis
        if analysis is None or pair not in analysis.model.pair_index:
            return
        evidence = analysis[pair]

        def take(witness: Witness) -> None:
            if self.state.analysis is None or self.state.analysis.model is not analysis.model:
                return
            # The user may look at another pair by now: the sentence names this one, and the robot
            # stays.
            names = f"{evidence.first} and {evidence.second}"
            if self.masks.take_witness(analysis, pair, witness):
                self.session.message.emit(
                    f"Found a closer configuration of {names}: {millimetres(witness.clearance)}."
                )
            else:
                self.session.message.emit(f"No closer configuration of {names} found.")
            if self.selected and self.selected[-1] == pair:
                self.show_witness(pair)

        job = Task(
            search_pair, analysis.model, analysis.model.pair_index[pair], evidence.witness or Pose()
        )
        self._jobs.run("Searching closer", job, on_done=take)

    def ask_details(self) -> None:
        """Finds the closest configurations and the distribution of distances of the selected
        pair."""
        pair = self.selected[-1] if self.selected else None
        robot = self.session.robot
        if self._stopped or pair == self._details_of or pair is None:
            return
        model = self.masks.robot_pairs.model(robot, self.masks.options)
        if pair not in model.pair_index:
            return
        self._forget_details()
        self._details_of = pair

        def take(details: Any) -> None:
            if self._details_of == pair:
                self.witnesses, self.distribution = details
                self.details_changed.emit()

        job = Task(pair_details, model, model.pair_index[pair])
        self._jobs.run("Examining the pair", job, on_done=take, on_error=lambda _: None, quiet=True)

    def _forget_details(self) -> None:
        # The job itself runs on: to end it would end a warm process, and its answer is not taken
        # any more.
        self._details_of, shown = None, self.distribution is not None
        self.witnesses, self.distribution = (), None
        if shown:
            self.details_changed.emit()

    def _on_selection(self, selection: Selection) -> None:
        if self._details_of is not None and (
            not selection.pairs or selection.pairs[-1] != self._details_of
        ):
            self._forget_details()
        if (
            self.shown is not None
            and selection.pairs
            and selection.pairs[-1] not in (self.shown.pair, self._next)
        ):
            self._set_shown(None)

    def _on_pose(self, pose: object) -> None:
        if not self._posing and self.shown is not None:
            # A joint was moved by hand: what is on the screen is no witness any more.
            self._my_pose = None
            self._set_shown(None)

    def _set_shown(self, shown: ShownWitness | None) -> None:
        if shown != self.shown:
            self.shown = shown
            self.shown_changed.emit(shown)


def millimetres(value: float) -> str:
    """ "12.3 mm apart", "4.5 mm deep"."""
    return f"{value * 1e3:.1f} mm apart" if value > 0 else f"{-value * 1e3:.1f} mm deep"
