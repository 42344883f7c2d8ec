"""What is known about the pairs of the open robot, and what can be done with them; panels and actions share it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from editor_app.edit.commands.self_collision import MaskPairs, UnmaskPairs
from editor_app.edit.selection import Selection
from editor_app.gui.jobs import Jobs, RunningJob
from editor_app.gui.session import Session
from editor_app.gui.settings import Settings
from editor_app.model.change import CannotApply
from editor_app.model.findings import SphereRef
from editor_app.model.pose import Pose
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision import (
    Analysis,
    AnalysisSettings,
    MaskProposal,
    MaskState,
    ModelOptions,
    PairClass,
    PairEvidence,
    SphereModel,
    build_sphere_model,
    carry_over,
    mask_state,
)
from editor_app.self_collision.witnesses import Distribution, Witness
from editor_app.tasks.mask_changes import ignored_pairs, mask_change, write_mask
from editor_app.tasks.self_collision import AnalyseMask, PairDetails, RefreshMask, SearchPair, SecondOpinion
from editor_app.tasks.worker import JobError

if TYPE_CHECKING:
    from editor_app.tasks.self_collision import Solids

#: Milliseconds of quiet after an edit before the pairs that it concerns are examined again.
REFRESH_DELAY = 600
#: Samples on meshes: some hundred times as slow as on spheres.
MESH_SAMPLES = 2048


@dataclass(frozen=True, slots=True)
class Shown:
    """The robot stands at the configuration `place` of `of` known ones of a pair."""

    pair: LinkPair
    witness: Witness
    place: int


class MaskController(QObject):
    """One per window."""

    #: Other evidence, or none.
    analysis_changed = Signal()
    #: Other pairs are ignored.
    mask_changed = Signal()
    running_changed = Signal()
    #: The robot was put to a witness of a pair, or back: Shown or None.
    shown_changed = Signal(object)
    #: Configurations and distances of the selected pair came.
    details_changed = Signal()
    opinion_changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._jobs = jobs
        self._window_settings = settings
        self.options = ModelOptions()
        self.settings = AnalysisSettings()
        self.solids: Solids | None = None
        self.analysis: Analysis | None = None
        self.opinion: Analysis | None = None
        self.ignored: frozenset[LinkPair] = frozenset()
        self.shown: Shown | None = None
        self.witnesses: tuple[Witness, ...] = ()
        self.distribution: Distribution | None = None
        self._details_of: LinkPair | None = None
        self._my_pose: Pose | None = None
        self._posing = False
        self._stopped = False
        self._job: RunningJob | None = None
        self._refresh_job: RunningJob | None = None
        self._details_job: RunningJob | None = None
        self._model: tuple[RobotDescription, ModelOptions, SphereModel] | None = None
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_DELAY)
        self._timer.timeout.connect(self._refresh)
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        session.pose_changed.connect(self._on_pose)
        session.selection_changed.connect(self._on_selection)
        self._on_opened(session.document)

    # -- questions

    @property
    def is_running(self) -> bool:
        return self._job is not None

    @property
    def model(self) -> SphereModel | None:
        """Of the present robot and options."""
        robot = self.session.robot
        if robot is None:
            return None
        if self._model is None or self._model[0] is not robot or self._model[1] != self.options:
            self._model = (robot, self.options, build_sphere_model(robot, self.options))
        return self._model[2]

    @property
    def reason_not_to_compute(self) -> str | None:
        """Why there is nothing to compute; None when there is."""
        if self.session.document is None:
            return "Open a robot first."
        model = self.model
        if model is None or not len(model.pairs):
            return "Self-collision needs spheres on two links at least: fit spheres first."
        return None

    def evidence(self, pair: LinkPair) -> PairEvidence | None:
        return self.analysis.get(pair) if self.analysis is not None else None

    def state(self, evidence: PairEvidence) -> MaskState:
        return mask_state(evidence, evidence.pair in self.ignored)

    def conflicts(self) -> tuple[PairEvidence, ...]:
        """Pairs on which mask and evidence disagree, in the order of the tree."""
        if self.analysis is None:
            return ()
        return tuple(e for e in self.analysis if self.state(e) in (MaskState.CONFLICT, MaskState.MISSING))

    def undecided(self) -> tuple[PairEvidence, ...]:
        """Overlaps at the default, and permanent ones, that are still checked: only the user can say."""
        if self.analysis is None:
            return ()
        kinds = (PairClass.DEFAULT, PairClass.ALWAYS)
        return tuple(e for e in self.analysis if e.kind in kinds and e.pair not in self.ignored)

    @property
    def selected(self) -> tuple[LinkPair, ...]:
        return self.session.selection.pairs

    # -- computing

    def compute(self) -> None:
        """Runs the analysis; what comes in between is shown, and stays when it is cancelled."""
        robot = self.session.robot
        if robot is None or self.reason_not_to_compute is not None:
            return
        self.cancel()
        self._cancel_refresh()
        self._job = self._jobs.run(
            "Computing the mask",
            AnalyseMask(robot, self.options, self.settings),
            on_done=self._done,
            on_partial=self._take,
            on_error=self._failed,
            on_cancelled=self._ended,
        )
        self.running_changed.emit()

    def cancel(self) -> None:
        """Stops computing; what is known stays."""
        if self._job is not None:
            self._job.cancel()

    def stop(self) -> None:
        """The window closes: nothing is begun any more."""
        self._stopped = True
        self._timer.stop()

    def set_options(self, options: ModelOptions, settings: AnalysisSettings, solids: Solids | None) -> None:
        """Takes effect with the next computation; other ranges of joints make what is known out of date."""
        self.settings, self.solids = settings, solids
        if options != self.options:
            self.options = options
            self._follow()

    def _take(self, analysis: Analysis) -> None:
        model = self.model
        if model is None:
            return
        if analysis.model.options != self.options or self._job_robot_changed(model, analysis):
            analysis = carry_over(analysis, model)
        self.analysis = analysis
        self.analysis_changed.emit()

    def _job_robot_changed(self, model: SphereModel, analysis: Analysis) -> bool:
        old = analysis.model
        same = old.frames == model.frames and old.spheres.tobytes() == model.spheres.tobytes()
        return not (same and old.default.tobytes() == model.default.tobytes())

    def _done(self, analysis: Analysis) -> None:
        self._job = None
        self._take(analysis)
        self.running_changed.emit()
        if self.analysis is not None and self.analysis.stale.any():
            self._timer.start()
        if self.solids is not None:
            self.compare_with_meshes(self.solids)

    def _ended(self) -> None:
        self._job = None
        self.running_changed.emit()

    def _failed(self, error: JobError) -> None:
        self._ended()
        self._jobs.failed_unexpectedly.emit(None, error)

    def compare_with_meshes(self, solids: Solids) -> None:
        """The second opinion: the same pairs on hulls or meshes."""
        document = self.session.document
        if document is None or self.is_running:
            return
        settings = replace(self.settings, samples=min(MESH_SAMPLES, self.settings.samples), certify_seconds=2.0)
        self._job = self._jobs.run(
            f"Comparing with {solids}",
            SecondOpinion(document.robot, document.urdf_path, self.mappings(), solids, self.options, settings),
            on_done=self._take_opinion,
            on_error=self._opinion_failed,
            on_cancelled=self._ended,
        )
        self.running_changed.emit()

    def mappings(self) -> tuple[tuple[str, Path], ...]:
        return tuple((prefix, Path(folder)) for prefix, folder in self._window_settings.mesh_folders.items())

    def _take_opinion(self, opinion: Analysis) -> None:
        self.opinion = opinion
        self._ended()
        self.opinion_changed.emit()

    def _opinion_failed(self, error: JobError) -> None:
        self._ended()
        self.session.refused.emit(f"The meshes could not be asked: {error.message}")

    # -- following edits

    def _on_opened(self, document: object) -> None:
        self.cancel()
        self._cancel_refresh()
        self._forget_details()
        self._model = None
        self.analysis = self.opinion = self._my_pose = None
        robot = self.session.robot
        self.ignored = ignored_pairs(robot) if robot is not None else frozenset()
        self._set_shown(None)
        self.analysis_changed.emit()
        self.opinion_changed.emit()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        ignored = ignored_pairs(new)
        if _matters(old, new):
            self._follow()
        if ignored != self.ignored:
            self.ignored = ignored
            self.mask_changed.emit()

    def _follow(self) -> None:
        """Takes the edit over at once: only the pairs that it concerns are measured, and hatched until examined."""
        self._cancel_refresh()
        self._forget_details()
        if self.opinion is not None:
            self.opinion = None
            self.opinion_changed.emit()
        model = self.model
        if self.analysis is None or model is None:
            return
        self.analysis = carry_over(self.analysis, model)
        self.analysis_changed.emit()
        if self.analysis.stale.any() and not self.is_running:
            self._timer.start()

    def _cancel_refresh(self) -> None:
        self._timer.stop()
        if self._refresh_job is not None:
            self._refresh_job.cancel()
            self._refresh_job = None

    def _refresh(self) -> None:
        model = self.model
        if self.analysis is None or model is None or self.is_running:
            return

        def take(analysis: Analysis) -> None:
            self._refresh_job = None
            self._take(analysis)

        def end(*_: object) -> None:
            self._refresh_job = None

        self._refresh_job = self._jobs.run(
            "Examining edited pairs", RefreshMask(self.analysis, model), on_done=take, on_error=end, on_cancelled=end
        )

    # -- masking

    def mask(self, pairs: Iterable[LinkPair]) -> None:
        """One step; pairs that are ignored already do not matter."""
        wanted = tuple(p for p in pairs if p not in self.ignored)
        if wanted:
            self.session.execute(MaskPairs(wanted))

    def unmask(self, pairs: Iterable[LinkPair]) -> None:
        wanted = tuple(p for p in pairs if p in self.ignored)
        if wanted:
            self.session.execute(UnmaskPairs(wanted))

    def reset(self, pairs: Iterable[LinkPair]) -> None:
        """Puts pairs back to how the file had them when it was opened."""
        document, chosen = self.session.document, frozenset(pairs)
        if document is None or not chosen:
            return
        first = ignored_pairs(document.history[0].state.robot)
        count = f"{len(chosen)} pair{'s' if len(chosen) != 1 else ''}"
        wanted = (self.ignored - chosen) | (first & chosen)
        if wanted != self.ignored:
            self.session.execute(mask_change(document.robot, wanted, f"Reset {count}"))

    def write(self, proposal: MaskProposal, *, with_reasons: bool) -> bool:
        """The whole proposal as one step."""
        document = self.session.document
        if document is None:
            return False
        try:
            return write_mask(document, proposal.pairs, proposal.reasons if with_reasons else None)
        except CannotApply as error:
            self.session.refused.emit(str(error))
            return False

    # -- looking at pairs

    def select(self, pairs: Iterable[LinkPair]) -> None:
        self.session.select(Selection(pairs=tuple(pairs)))

    def select_spheres(self, pair: LinkPair) -> None:
        """The two nearest spheres of a pair, to be shrunk or moved."""
        found = self._spheres(pair)
        if found is not None:
            self.session.select(Selection(spheres=found))

    def _spheres(self, pair: LinkPair) -> tuple[SphereRef, SphereRef] | None:
        if self.shown is not None and self.shown.pair == pair:
            return self.shown.witness.spheres
        evidence = self.evidence(pair)
        return evidence.spheres if evidence is not None else None

    def known_witnesses(self, pair: LinkPair) -> tuple[Witness, ...]:
        """The worst known configuration first, then the others that were found."""
        evidence = self.evidence(pair)
        found = list(self.witnesses) if self._details_of == pair else []
        if evidence is not None and evidence.witness is not None and evidence.spheres is not None:
            worst = Witness(evidence.witness, evidence.clearance_min, evidence.spheres)
            found = [worst, *(w for w in found if abs(w.clearance - worst.clearance) > 1e-6)]
        return tuple(sorted(found, key=lambda w: w.clearance))

    def show_witness(self, pair: LinkPair, place: int = 0) -> bool:
        """The robot goes to a known configuration of small clearance; where it stood is remembered."""
        known = self.known_witnesses(pair)
        if not known:
            return False
        place %= len(known)
        if self._my_pose is None:
            self._my_pose = self.session.pose
        self._posing = True
        try:
            self.session.set_pose(known[place].pose)
        finally:
            self._posing = False
        self._set_shown(Shown(pair, known[place], place))
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
        """Selects and shows the next pair on which mask and evidence disagree."""
        found = [e.pair for e in self.conflicts()]
        if not found or self.analysis is None:
            return False
        rows = self.analysis.model.pair_index
        here = rows.get(self.selected[-1], -1) if self.selected else -1
        after = [p for p in found if rows[p] > here] if by > 0 else [p for p in found[::-1] if rows[p] < here]
        pair = (after or (found if by > 0 else found[::-1]))[0]
        self.select((pair,))
        self.show_witness(pair)
        return True

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
            if witness.clearance < evidence.clearance_min - 1e-9:
                self.analysis = _with_witness(self.analysis, row, witness)
                self.analysis_changed.emit()
                self.session.message.emit(f"A closer configuration was found: {millimetres(witness.clearance)}.")
            else:
                self.session.message.emit("No closer configuration was found.")
            self.show_witness(pair)

        job = SearchPair(analysis.model, row, evidence.witness or Pose())
        self._jobs.run("Searching closer", job, on_done=take)

    def ask_details(self) -> None:
        """Finds the closest configurations and the distribution of distances of the selected pair."""
        pair = self.selected[-1] if self.selected else None
        model = self.model
        if self._stopped or pair == self._details_of or pair is None or model is None:
            return
        if pair not in model.pair_index:
            return
        self._forget_details()
        self._details_of = pair

        def take(found: Any) -> None:
            self._details_job = None
            if self._details_of == pair:
                self.witnesses, self.distribution = found
                self.details_changed.emit()

        def end(*_: object) -> None:
            self._details_job = None

        job = PairDetails(model, model.pair_index[pair])
        self._details_job = self._jobs.run(
            "Looking at the pair", job, on_done=take, on_error=end, on_cancelled=end, quiet=True
        )

    def _forget_details(self) -> None:
        # The job itself runs on: to end it would end a warm process, and its answer is not taken any more.
        self._details_of = None
        self.witnesses, self.distribution = (), None
        self.details_changed.emit()

    def _on_selection(self, selection: Selection) -> None:
        if self._details_of is not None and (not selection.pairs or selection.pairs[-1] != self._details_of):
            self._forget_details()
        if self.shown is not None and selection.pairs and selection.pairs[-1] != self.shown.pair:
            self._set_shown(None)

    def _on_pose(self, pose: object) -> None:
        if not self._posing and self.shown is not None:
            # A joint was moved by hand: what is on the screen is no witness any more.
            self._my_pose = None
            self._set_shown(None)

    def _set_shown(self, shown: Shown | None) -> None:
        if shown != self.shown:
            self.shown = shown
            self.shown_changed.emit(shown)


def millimetres(value: float) -> str:
    """ "12.3 mm apart", "4.5 mm deep"."""
    return f"{value * 1e3:.1f} mm apart" if value > 0 else f"{-value * 1e3:.1f} mm deep"


def _with_witness(analysis: Analysis, row: int, witness: Witness) -> Analysis:
    model = analysis.model
    clearance, values, nearest = analysis.clearance_min.copy(), analysis.witness.copy(), analysis.nearest.copy()
    clearance[row] = witness.clearance
    values[row] = model.values(witness.pose)
    places = {ref: i for i, ref in enumerate(model.refs)}
    nearest[row] = [places[ref] for ref in witness.spheres]
    return replace(analysis, clearance_min=clearance, witness=values, nearest=nearest)


def _matters(old: RobotDescription, new: RobotDescription) -> bool:
    """Whether more than the mask itself changed of what self-collision is computed from."""
    if new.urdf is not old.urdf:
        return True
    a, b = old.xrdf, new.xrdf
    if a is b:
        return False
    one = replace(a.self_collision, ignore=None) if a.self_collision else None
    other = replace(b.self_collision, ignore=None) if b.self_collision else None
    return (
        one != other
        or a.geometry is not b.geometry
        or a.modifiers is not b.modifiers
        or a.default_joint_positions is not b.default_joint_positions
        or a.cspace is not b.cspace
    )
