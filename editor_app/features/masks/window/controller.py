"""Looking at pairs: the robot at their worst configurations, one conflict after the other, distances of one pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.selection import Selection
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.job import as_job
from editor_app.features.masks.engine.results import Distribution, Witness
from editor_app.features.masks.verbs.pair_distances import pair_details, search_pair
from editor_app.features.masks.verbs.robot_pairs import with_witness
from editor_app.features.masks.window.masking import Masking
from editor_app.window.jobs import Jobs
from editor_app.window.session import Session


@dataclass(frozen=True, slots=True)
class ShownWitness:
    """The robot stands at the configuration `place` of those that are known of a pair."""

    pair: LinkPair
    witness: Witness
    place: int


class MaskController(Masking):
    """One per window: what panels and actions of self-collision share."""

    #: The robot was put to a witness of a pair, or back: Shown or None.
    shown_changed = Signal(object)
    #: Configurations and distances of the selected pair came.
    details_changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(session, jobs, parent)
        self.shown: ShownWitness | None = None
        self.witnesses: tuple[Witness, ...] = ()
        self.distribution: Distribution | None = None
        self._details_of: LinkPair | None = None
        self._my_pose: Pose | None = None
        self._posing = False
        #: The pair that is selected to be shown at once: another one that is shown until then needs no end of its own.
        self._next: LinkPair | None = None
        session.pose_changed.connect(self._on_pose)
        session.selection_changed.connect(self._on_selection)
        self._on_opened(session.document)

    @property
    def selected(self) -> tuple[LinkPair, ...]:
        return self.session.selection.pairs

    # -- following edits

    def _on_opened(self, document: object) -> None:
        self._forget_details()
        self._my_pose = None
        super()._on_opened(document)
        self._set_shown(None)

    def _follow(self) -> None:
        self._forget_details()
        super()._follow()

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
        evidence = self.evidence(pair)
        refs = evidence.spheres if evidence is not None else None
        if self.shown is not None and self.shown.pair == pair:
            refs = self.shown.witness.spheres
        if refs is not None:
            self.session.select(Selection(spheres=refs))

    def known_witnesses(self, pair: LinkPair) -> tuple[Witness, ...]:
        """The worst known configuration first, then the others that were found."""
        evidence = self.evidence(pair)
        witnesses = list(self.witnesses) if self._details_of == pair else []
        if evidence is not None and evidence.witness is not None and evidence.spheres is not None:
            worst = Witness(evidence.witness, evidence.clearance_min, evidence.spheres)
            witnesses = [worst, *(w for w in witnesses if abs(w.clearance - worst.clearance) > 1e-6)]
        return tuple(sorted(witnesses, key=lambda w: w.clearance))

    def show_witness(self, pair: LinkPair, place: int = 0) -> bool:
        """The robot goes to a known configuration of small clearance; where it stood is remembered."""
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
        """To where the robot stood before the first witness; False when there is nothing to go back to."""
        pose, self._my_pose = self._my_pose, None
        self._set_shown(None)
        if pose is None:
            return False
        self.session.set_pose(pose)
        return True

    def next_conflict(self, by: int = 1) -> bool:
        """Selects and shows the next pair on which mask and evidence disagree, and that was not left as it is."""
        conflicts = [e.pair for e in self.conflicts() if e.pair not in self.left]
        if not conflicts or self.analysis is None:
            return False
        rows = self.analysis.model.pair_index
        row = rows.get(self.selected[-1], -1) if self.selected else -1
        after = [p for p in conflicts if rows[p] > row] if by > 0 else [p for p in conflicts[::-1] if rows[p] < row]
        pair = (after or (conflicts if by > 0 else conflicts[::-1]))[0]
        self.select_and_show(pair)
        return True

    def leave_and_go_on(self) -> None:
        """Leaves the selected conflicts as they are, and goes to the next one."""
        conflicts = {e.pair for e in self.conflicts()}
        for pair in self.selected:
            if pair in conflicts:
                self.leave(pair)
        if not self.next_conflict():
            left = len(conflicts & self.left)
            rest = f"{left}, which you skipped" if left else "none"
            self.session.message.emit(f"Remaining conflicts: {rest}.")

    def shrink(self, pair: LinkPair) -> None:
        """Shrinks the overlapping spheres of a pair until they overlap no more at this pose, as one step."""
        robot = self.session.robot
        try:
            change = self.robot_pairs.shrinking(pair, robot, self.options, self.session.pose)
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
        return self.robot_pairs.overlap(pair, self.session.robot, self.options, self.session.pose)

    def search_closer(self, pair: LinkPair) -> None:
        """Looks for a closer configuration, and goes there when there is one."""
        analysis = self.analysis
        if analysis is None or pair not in analysis.model.pair_index:
            return
        evidence = analysis[pair]
        row = analysis.model.pair_index[pair]

        def take(witness: Witness) -> None:
            if self.analysis is None or self.analysis.model is not analysis.model:
                return
            # The user may look at another pair by now: the sentence names this one, and the robot stays.
            names = f"{evidence.first} and {evidence.second}"
            if witness.clearance < evidence.clearance_min - 1e-9:
                self.analysis = with_witness(self.analysis, pair, witness)
                self.analysis_changed.emit()
                self.session.message.emit(f"Found a closer configuration of {names}: {millimetres(witness.clearance)}.")
            else:
                self.session.message.emit(f"No closer configuration of {names} found.")
            if self.selected and self.selected[-1] == pair:
                self.show_witness(pair)

        job = as_job(search_pair, analysis.model, row, evidence.witness or Pose())
        self._jobs.run("Searching closer", job, on_done=take)

    def ask_details(self) -> None:
        """Finds the closest configurations and the distribution of distances of the selected pair."""
        pair = self.selected[-1] if self.selected else None
        robot = self.session.robot
        if self._stopped or pair == self._details_of or pair is None:
            return
        model = self.robot_pairs.model(robot, self.options)
        if pair not in model.pair_index:
            return
        self._forget_details()
        self._details_of = pair

        def take(details: Any) -> None:
            if self._details_of == pair:
                self.witnesses, self.distribution = details
                self.details_changed.emit()

        job = as_job(pair_details, model, model.pair_index[pair])
        self._jobs.run("Examining the pair", job, on_done=take, on_error=lambda _: None, quiet=True)

    def _forget_details(self) -> None:
        # The job itself runs on: to end it would end a warm process, and its answer is not taken any more.
        self._details_of, shown = None, self.distribution is not None
        self.witnesses, self.distribution = (), None
        if shown:
            self.details_changed.emit()

    def _on_selection(self, selection: Selection) -> None:
        if self._details_of is not None and (not selection.pairs or selection.pairs[-1] != self._details_of):
            self._forget_details()
        if self.shown is not None and selection.pairs and selection.pairs[-1] not in (self.shown.pair, self._next):
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
