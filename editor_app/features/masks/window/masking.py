"""Edits of a mask: pair by pair, as a whole, or taken over from another; each as one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.job import as_job
from editor_app.core.tasks.work import locate_robot, verb_job
from editor_app.core.tasks.worker import JobError
from editor_app.features.masks.engine.masks import MaskProposal, MaskState, mask_state
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairClass, PairEvidence
from editor_app.features.masks.verbs.evidence import DamagedEvidence, Evidence, keep_evidence, keep_look, kept_evidence
from editor_app.features.masks.verbs.mask import parted_by_guess, write_step
from editor_app.features.masks.verbs.mask_changes import list_masked_pairs, srdf_reason
from editor_app.features.masks.verbs.mesh_look import NO_LOOK, MeshLook, maker_pairs, mesh_look
from editor_app.features.masks.verbs.pair_distances import AnalyseMeshes, Solids, analyse_mask, refresh_mask
from editor_app.features.masks.verbs.robot_pairs import KeptEvidence, RobotPairs, concerns_pairs, has_pairs
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import Wait, after

#: Samples on meshes: some hundred times as slow as on spheres.
MESH_SAMPLES = 2048


class EvidenceKeeper(QObject):
    """The analysis of the open robot, and the second opinion of its meshes."""

    #: Other evidence, or none.
    analysis_changed = Signal()
    running_changed = Signal()
    opinion_changed = Signal()
    look_changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._jobs = jobs
        self.options = ModelOptions()
        self.settings = AnalysisSettings()
        self.solids: Solids | None = None
        self.analysis: Analysis | None = None
        self.opinion: Analysis | None = None
        #: What the meshes say of the analysis; None until they were asked.
        self.look: MeshLook | None = None
        self._look_of: RobotDescription | None = None
        #: Pairs whose meshes were seen apart, and of which URDF: other spheres change nothing of it.
        self._apart: tuple[Urdf | None, frozenset[LinkPair]] = None, frozenset()
        self._asking = JobSlot(jobs, self.look_changed.emit)
        #: What the second opinion is of.
        self.opinion_of: Solids = "meshes"
        self._stopped = False
        self._work = JobSlot(jobs, self.running_changed.emit)
        self._recalling = JobSlot(jobs, quiet=True)
        self._refreshing = JobSlot(jobs)
        self.robot_pairs = RobotPairs()
        self._evidence, self._opinion_evidence = KeptEvidence(), KeptEvidence()
        self._timer = after(self, self._refresh, Wait.EVIDENCE)
        self._recall_later = after(self, self._recall, Wait.EVIDENCE)
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(self._on_robot)

    # -- questions

    @property
    def is_running(self) -> bool:
        return self._work.is_running

    @property
    def reason_not_to_compute(self) -> str | None:
        """Why there is nothing to compute; None when there is."""
        if not self.session.has_robot:
            return "Open a robot first."
        if not has_pairs(self.session.document.robot):
            return "Self-collision needs spheres on at least two links. Fit spheres first."
        return None

    @property
    def grounds(self) -> Analysis | None:
        """The analysis; before one was computed, the pairs with what the tree alone says of them, if there are any."""
        if self.analysis is not None:
            return self.analysis
        robot = self.session.robot
        return self.robot_pairs.unexamined(robot, self.options, self.settings) if self.session.has_robot else None

    @property
    def pairs(self) -> tuple[PairEvidence, ...]:
        """The results for every pair, in the order of the tree; the same tuple until something changes."""
        return self._evidence.pairs(self.grounds)

    @property
    def opinion_pairs(self) -> tuple[PairEvidence, ...]:
        """The results of the second opinion for every pair."""
        return self._opinion_evidence.pairs(self.opinion)

    def evidence(self, pair: LinkPair) -> PairEvidence | None:
        return self._evidence.get(self.grounds, pair)

    # -- computing

    def compute(self) -> None:
        """Runs the analysis; what comes in between is shown, and stays when it is cancelled."""
        robot = self.session.robot
        if self.reason_not_to_compute is not None:
            return
        self._cancel_refresh()
        job = as_job(analyse_mask, robot, self.options, self.settings)
        self._work.run("Computing the mask", job, self._done, each=self._take)

    def cancel(self) -> None:
        """Stops computing; what is known stays."""
        self._work.cancel()

    def stop(self) -> None:
        """The window closes: nothing is begun any more."""
        self._stopped = True
        self._timer.stop()
        self._recall_later.stop()
        self._recalling.drop()

    def set_options(self, options: ModelOptions, settings: AnalysisSettings, solids: Solids | None) -> None:
        """Takes effect with the next computation; other ranges of joints make what is known out of date."""
        self.settings, self.solids = settings, solids
        if options != self.options:
            self.options = options
            self._follow()

    def _take(self, analysis: Analysis) -> None:
        robot = self.session.robot
        if not self.session.has_robot:
            return
        if not self.robot_pairs.is_about(analysis, robot, self.options):
            # The robot was edited meanwhile.
            analysis = self.robot_pairs.carried(analysis, robot, self.options)
        self._forget_look()
        self.analysis = analysis
        self.analysis_changed.emit()

    def _done(self, analysis: Analysis) -> None:
        self._take(analysis)
        keep_evidence(analysis)
        if self.analysis is not None and self.analysis.stale.any():
            self._timer.start()
        if self.solids is not None:
            self.compare_with_meshes(self.solids)

    def compare_with_meshes(self, solids: Solids) -> None:
        """The second opinion: the same pairs on hulls or meshes."""
        document = self.session.document
        if self.is_running:
            return
        settings = replace(self.settings, samples=min(MESH_SAMPLES, self.settings.samples), certify_seconds=2.0)
        job = AnalyseMeshes(locate_robot(document), solids, self.options, settings)
        self._work.run(
            f"Comparing with {solids}",
            job,
            lambda result: self._take_opinion(result[0], solids),
            failed=self._not_asked,
        )

    @property
    def is_asking(self) -> bool:
        """True if the meshes are being asked about the mask."""
        return self._asking.is_running

    def ask_meshes(self) -> None:
        """Asks which pairs are needless to check, and which collisions go unseen; see `look`."""
        document, analysis = self.session.document, self.analysis
        if analysis is None or self.look is not None or self.is_asking:
            return

        def take(look: MeshLook) -> None:
            self._take_look(look)
            keep_look(placed, analysis, look)

        def failed(error: JobError) -> None:
            self.look = NO_LOOK
            self._not_asked(error)

        maker = maker_pairs(document.robot, analysis)
        placed = locate_robot(document)
        job = verb_job(mesh_look, placed, analysis, seed=self.settings.seed, maker=maker)
        name = "Comparing the mask with the meshes"
        self._asking.run(name, job, take, failed=failed, about=lambda: self.analysis)

    @property
    def seen_apart(self) -> frozenset[LinkPair]:
        """Pairs of which only thick spheres collide, as far as the meshes of this URDF were asked."""
        (urdf, pairs), robot = self._apart, self.session.robot
        return pairs if robot.urdf is urdf else frozenset()

    def _not_asked(self, error: JobError) -> None:
        self.session.refused.emit(f"The comparison with meshes failed: {error.message}")

    def _look_holds(self) -> bool:
        """Whether spheres, joints and meshes are those that the look was about: another mask alone changes nothing."""
        robot, analysis = self.session.robot, self.analysis
        if self._look_of is None or analysis is None or robot.urdf is not self._look_of.urdf:
            return False
        return self.robot_pairs.is_about(analysis, robot, self.options)

    def _forget_look(self) -> None:
        self._asking.cancel()
        if self.look is not None:
            self.look = None
            self.look_changed.emit()

    def _take_opinion(self, opinion: Analysis, solids: Solids) -> None:
        self.opinion, self.opinion_of = opinion, solids
        self.opinion_changed.emit()

    # -- evidence of earlier sessions

    def _recall(self) -> None:
        """Looks in the cache for evidence about the robot as it is."""
        session = self.session
        if self._stopped or self.analysis is not None or self.is_running or not session.has_robot:
            return
        placed, options = locate_robot(session.document), self.options

        def take(kept: Evidence | None) -> None:
            if kept is not None and self.analysis is None and not self.is_running:
                self._take(kept.analysis)
                self._take_look(kept.look)

        self._recalling.run(
            "Reading the kept analysis",
            lambda _: kept_evidence(placed, options),
            take,
            in_thread=True,
            about=lambda: session.robot,
            stale=self._recall_later.start,
            failed=self._tell_damaged,
        )

    def _tell_damaged(self, error: JobError) -> None:
        if isinstance(error.exception, DamagedEvidence):
            self.session.message.emit(error.message)
        else:
            self._jobs.failed_unexpectedly.emit(None, error)

    def _take_look(self, look: MeshLook | None) -> None:
        robot = self.session.robot
        if look is not None:
            self.look, self._look_of = look, robot
            self._apart = robot.urdf, self.seen_apart | {each.pair for each in look.needless}
            self.look_changed.emit()

    # -- following edits

    def _on_opened(self, document: object) -> None:
        self.cancel()
        self._cancel_refresh()
        self.robot_pairs.forget()
        self._forget_look()
        self.analysis = self.opinion = None
        self.analysis_changed.emit()
        self.opinion_changed.emit()
        self._recalling.drop()
        self._recall_later.stop()
        if self.session.has_robot:
            self._recall_later.start()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if concerns_pairs(old, new):
            self._follow()

    def _follow(self) -> None:
        """Takes the edit over at once: only the pairs that it concerns are measured, and hatched until examined."""
        self._cancel_refresh()
        if not self._look_holds():
            self._forget_look()
        if self.opinion is not None:
            self.opinion = None
            self.opinion_changed.emit()
        robot = self.session.robot
        if self.analysis is None:
            self.analysis_changed.emit()
            self._recall_later.start()
            return
        self.analysis = self.robot_pairs.carried(self.analysis, robot, self.options)
        self.analysis_changed.emit()
        if self.analysis.stale.any() and not self.is_running:
            self._timer.start()

    def _cancel_refresh(self) -> None:
        self._timer.stop()
        self._refreshing.drop()

    def _refresh(self) -> None:
        robot = self.session.robot
        if self.analysis is None or self.is_running:
            return
        job = as_job(refresh_mask, self.analysis, self.robot_pairs.model(robot, self.options))
        # What fails is hatched on: the next computation tells why.
        self._refreshing.run("Examining edited pairs", job, self._take_refreshed, failed=lambda _: None)

    def _take_refreshed(self, analysis: Analysis) -> None:
        self._take(analysis)
        keep_evidence(analysis)


class Masking(EvidenceKeeper):
    """The mask that is looked at and edited: the XRDF's, or that of the SRDF beside it."""

    #: Other pairs are ignored, another file's mask is looked at, or other pairs are conflicts.
    mask_changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(session, jobs, parent)
        self.file = MaskFile.XRDF
        #: What the mask that is edited leaves out.
        self.ignored: frozenset[LinkPair] = frozenset()
        #: The same of the other file; None when there is none.
        self.beside: frozenset[LinkPair] | None = None
        self.srdf_mask = SrdfMask()
        #: Conflicts that the user has seen and leaves as they are, until the robot is opened again.
        self.left: frozenset[LinkPair] = frozenset()
        #: Of which pairs and mask the conflicts are known, and which they are.
        self._conflicts: tuple[tuple[object, ...], tuple[PairEvidence, ...]] | None = None
        #: Of which model and robot the pairs are known that a guess parts, and which they are.
        self._parted: tuple[tuple[object, ...], frozenset[LinkPair]] | None = None
        # Pairs of a whole link that an SRDF leaves out are known when the pairs are.
        self.analysis_changed.connect(self._read_masks)
        # Which pairs are conflicts depends on what the meshes said.
        self.look_changed.connect(self.mask_changed)

    # -- questions

    @property
    def has_srdf(self) -> bool:
        return self.session.robot.srdf is not None

    def file_name(self, file: MaskFile | None = None) -> str:
        """The name of the file whose mask it is, for texts."""
        document, file = self.session.document, file or self.file
        path = document.xrdf_path if file is MaskFile.XRDF else document.srdf_path
        return path.name if path is not None else f"the {file}"

    def state(self, evidence: PairEvidence) -> MaskState:
        """How the mask goes with what is known: a pair whose meshes never touch is rightly ignored."""
        state = mask_state(evidence, evidence.pair in self.ignored)
        if state is MaskState.CONFLICT and evidence.pair in self.seen_apart:
            return MaskState.IGNORED
        return state

    def is_hidden_by_a_mask(self, evidence: PairEvidence) -> bool:
        """Return whether a mask that ignores the pair hides a possible collision, as far as that is known."""
        is_conflict = mask_state(evidence, True) is MaskState.CONFLICT
        return is_conflict and evidence.pair not in self.seen_apart

    def conflicts(self) -> tuple[PairEvidence, ...]:
        """Pairs on which mask and evidence disagree, in the order of the tree."""
        pairs, ignored = self.pairs, self.ignored
        now = (pairs, ignored, self.seen_apart)
        if self._conflicts is None or any(a is not b for a, b in zip(self._conflicts[0], now, strict=True)):
            self._conflicts = (now, tuple(e for e in pairs if self.state(e).is_conflict))
        return self._conflicts[1]

    def parted_by_guess(self) -> frozenset[LinkPair]:
        """Pairs of links on separate branches whose default positions nobody gave; none before there is evidence."""
        document, analysis = self.session.document, self.analysis
        if analysis is None:
            return frozenset()
        now = (analysis.model, document.robot)
        if self._parted is None or any(a is not b for a, b in zip(self._parted[0], now, strict=True)):
            self._parted = (now, parted_by_guess(document, analysis.model.link_pairs))
        return self._parted[1]

    def undecided(self) -> tuple[PairEvidence, ...]:
        """Overlaps at the default, and permanent ones, that are still checked: only the user can say."""
        kinds = (PairClass.DEFAULT, PairClass.ALWAYS)
        return tuple(e for e in self.pairs if e.kind in kinds and e.pair not in self.ignored)

    def words_beside(self, pair: LinkPair) -> str:
        """Describe the pair in the other file: "ignored in heron.srdf (Adjacent)"; "" without another file."""
        if self.beside is None:
            return ""
        other = self.file.other
        if pair not in self.beside:
            return f"checked in {self.file_name(other)}"
        reason = self.srdf_mask.reason(pair) if other is MaskFile.SRDF else ""
        return f"ignored in {self.file_name(other)}" + (f" ({reason})" if reason else "")

    # -- which mask

    def _done(self, analysis: Analysis) -> None:
        super()._done(analysis)
        if any(self.state(each) is MaskState.CONFLICT for each in self.conflicts()):
            # It may be the thickness of the spheres alone.
            self.ask_meshes()

    def set_file(self, file: MaskFile) -> None:
        """Looks at, and edits, the mask of that file from now on."""
        if file is not self.file and (file is MaskFile.XRDF or self.has_srdf):
            self.file = file
            self.left = frozenset()
            self._read_masks(told=True)

    def _on_opened(self, document: object) -> None:
        self.file, self.left = MaskFile.XRDF, frozenset()
        super()._on_opened(document)
        self._read_masks(told=True)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        super()._on_robot(old, new)
        if new.srdf is None:
            self.file = MaskFile.XRDF
        if new.xrdf is not old.xrdf or new.srdf is not old.srdf:
            self._read_masks(told=(new.srdf is None) is not (old.srdf is None))

    def _read_masks(self, *, told: bool = False) -> None:
        robot = self.session.robot
        before = self.ignored, self.beside, self.srdf_mask
        # The spheres are put together only where an SRDF may leave whole links out.
        grounds = self.grounds if robot.srdf is not None else None
        pairs = grounds.model.link_pairs if grounds is not None else ()
        self.srdf_mask = SrdfMask.of(robot.srdf)
        self.ignored = list_masked_pairs(robot, self.file, pairs)
        has_srdf = self.file is MaskFile.SRDF or robot.srdf is not None
        self.beside = list_masked_pairs(robot, self.file.other, pairs) if has_srdf else None
        if self.ignored == before[0]:
            self.ignored = before[0]
        if told or before != (self.ignored, self.beside, self.srdf_mask):
            self.mask_changed.emit()

    # -- single pairs

    def mask(self, pairs: Iterable[LinkPair]) -> None:
        """One step; pairs that are ignored already do not matter."""
        wanted = tuple(p for p in pairs if p not in self.ignored)
        if wanted:
            reasons = {p: srdf_reason(self.evidence(p)) for p in wanted}
            self.session.execute(SetMask(self.file, wanted, FrozenDict(reasons)))

    def unmask(self, pairs: Iterable[LinkPair]) -> None:
        wanted = tuple(p for p in pairs if p in self.ignored)
        if wanted:
            self.session.execute(SetMask(self.file, checked=wanted))

    def as_opened(self, pairs: Iterable[LinkPair]) -> bool:
        """Return whether the mask has the pairs as the file had them when it was opened."""
        chosen = frozenset(pairs)
        return self._at_first(chosen) & chosen == self.ignored & chosen

    def _at_first(self, pairs: frozenset[LinkPair]) -> frozenset[LinkPair]:
        return list_masked_pairs(self.session.document.history[0].state.robot, self.file, pairs)

    def reset(self, pairs: Iterable[LinkPair]) -> None:
        """Puts pairs back to how the file had them when it was opened."""
        document, chosen = self.session.document, frozenset(pairs)
        if not chosen:
            return
        wanted = (self.ignored - chosen) | (self._at_first(chosen) & chosen)
        if wanted == self.ignored:
            return
        label = f"Reset {len(chosen)} pair{'s' if len(chosen) != 1 else ''}"
        mask = SrdfMask.of(document.history[0].state.robot.srdf)
        reasons = {p: mask.reason(p) for p in chosen}
        robot = document.robot
        self.session.execute(SetMask.exactly(robot, self.file, wanted, within=chosen, reasons=reasons, label=label))

    def leave(self, pair: LinkPair) -> None:
        """The conflict is seen and stays: the next one is looked for without it."""
        if pair not in self.left:
            self.left |= {pair}
            self.mask_changed.emit()

    # -- whole masks

    def write(self, proposal: MaskProposal, *, with_reasons: bool) -> bool:
        """The whole proposal as one step, with the reasons as comments, or in the SRDF's own words."""
        document = self.session.document
        if self.analysis is None:
            return False
        try:
            # A file that is not on disk yet has no order that somebody gave it.
            anew = document.xrdf_digest is None
            step = write_step(document.robot, self.file, proposal, self.analysis, reasons=with_reasons, anew=anew)
            before = document.position
            self.session.execute(step)
            return document.position != before
        except CannotApply as error:
            self.session.refused.emit(str(error))
            return False

    def take_over(
        self,
        masked: Iterable[LinkPair],
        checked: Iterable[LinkPair],
        reasons: Mapping[LinkPair, str],
        label: str,
    ) -> bool:
        """Ignores some pairs and checks others, as one step; `reasons` are for an SRDF. Whether it was done."""
        document = self.session.document
        masked, checked = frozenset(masked), frozenset(checked)
        wanted = (self.ignored | masked) - checked
        words = {p: reasons.get(p) or srdf_reason(self.evidence(p)) for p in masked}
        try:
            step = SetMask.exactly(
                document.robot, self.file, wanted, within=masked | checked, reasons=words, label=label
            )
        except CannotApply as error:
            self.session.refused.emit(str(error))
            return False
        return self.session.execute(step)
