"""The self-collision of an open robot: its evidence, its masks and their edits, as states without
Qt.

`MaskSession` has a method for each event. Each leaves a new frozen `PairsState`, which views show
and compare by `is`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.document.document import Document
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import locate_robot
from editor_app.features.masks.engine.masks import MaskProposal, MaskState, mask_state
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import (
    Analysis,
    AnalysisSettings,
    PairClass,
    PairEvidence,
    Witness,
)
from editor_app.features.masks.verbs.evidence import Evidence, keep_evidence, keep_look
from editor_app.features.masks.verbs.mask import parted_by_guess, write_step
from editor_app.features.masks.verbs.mask_changes import list_masked_pairs, srdf_reason
from editor_app.features.masks.verbs.mesh_look import NO_LOOK, MeshLook, maker_pairs, mesh_look
from editor_app.features.masks.verbs.pair_distances import (
    Solids,
    analyse_mask,
    analyse_mesh_pairs,
    refresh_mask,
)
from editor_app.features.masks.verbs.robot_pairs import (
    KeptEvidence,
    RobotPairs,
    concerns_pairs,
    has_pairs,
    with_witness,
)

#: Samples on meshes: some hundred times as slow as on spheres.
MESH_SAMPLES = 2048


class EvidenceStatus(StrEnum):
    """State of the pairs of the present robot."""

    NONE = "not computed"
    ANALYSING = "being computed"
    CURRENT = "up to date"
    #: Pairs that an edit concerns are not examined yet.
    STALE = "partly out of date"
    FAILED = "failed"


@dataclass(frozen=True, eq=False, kw_only=True)
class PairsState:
    """A frozen state that panel and matrix show. `ignored`: pairs that the mask of `file` leaves
    out; `beside`: pairs that the other file leaves out, None without it. `skipped`: conflicts that
    the user saw and leaves as they are.

    `edits`: number of edits that concerned the pairs. `opinion`: the same pairs on `opinion_of`.
    `look`: what the meshes say of the analysis, None until they are compared. `failure`: why the
    last analysis failed, until the next edit.
    """

    document: Document
    robot: RobotDescription
    #: Makes the pairs of a robot that was not analysed.
    blank: Callable[[RobotDescription], Analysis | None]
    edits: int = 0
    file: MaskFile = MaskFile.XRDF
    ignored: frozenset[LinkPair] = frozenset()
    beside: frozenset[LinkPair] | None = None
    srdf_mask: SrdfMask = field(default_factory=SrdfMask)
    skipped: frozenset[LinkPair] = frozenset()
    is_analysing: bool = False
    failure: str = ""
    analysis: Analysis | None = None
    opinion: Analysis | None = None
    opinion_of: Solids = "meshes"
    look: MeshLook | None = None
    #: Pairs whose meshes are apart, and the URDF of the meshes: other spheres change nothing of it.
    apart: tuple[Urdf | None, frozenset[LinkPair]] = (None, frozenset())
    evidence_cache: tuple[KeptEvidence, KeptEvidence] = field(
        default_factory=lambda: (KeptEvidence(), KeptEvidence())
    )

    __repr__ = brief

    @cached_property
    def grounds(self) -> Analysis | None:
        """The analysis; before the first one, the pairs with what the tree says of them. None
        without pairs."""
        return self.analysis or self.blank(self.robot)

    @property
    def status(self) -> EvidenceStatus:
        if self.is_analysing:
            return EvidenceStatus.ANALYSING
        if self.failure:
            return EvidenceStatus.FAILED
        if self.analysis is None:
            return EvidenceStatus.NONE
        return EvidenceStatus.STALE if self.analysis.stale.any() else EvidenceStatus.CURRENT

    @cached_property
    def pairs(self) -> tuple[PairEvidence, ...]:
        """The results for every pair, in the order of the tree; the same tuple until one of them
        changes."""
        return self.evidence_cache[0].pairs(self.grounds)

    @cached_property
    def opinion_pairs(self) -> tuple[PairEvidence, ...]:
        """The results of the second opinion for every pair."""
        return self.evidence_cache[1].pairs(self.opinion)

    def evidence(self, pair: LinkPair) -> PairEvidence | None:
        """Return the result for one pair; None without spheres on both links."""
        return self.evidence_cache[0].get(self.grounds, pair)

    @property
    def seen_apart(self) -> frozenset[LinkPair]:
        """Pairs of which only thick spheres collide, as far as the meshes of this URDF were
        compared."""
        return self.apart[1] if self.robot.urdf is self.apart[0] else frozenset()

    def mask_state(self, evidence: PairEvidence) -> MaskState:
        """Compare mask and evidence of a pair: one whose meshes never touch is rightly ignored."""
        state = mask_state(evidence, evidence.pair in self.ignored)
        if state is MaskState.CONFLICT and evidence.pair in self.seen_apart:
            return MaskState.IGNORED
        return state

    def is_hidden_by_a_mask(self, evidence: PairEvidence) -> bool:
        """Return whether a mask that ignores the pair hides a possible collision, as far as that is
        known."""
        return (
            mask_state(evidence, True) is MaskState.CONFLICT
            and evidence.pair not in self.seen_apart
        )

    @cached_property
    def conflicts(self) -> tuple[PairEvidence, ...]:
        """Pairs on which mask and evidence disagree, in the order of the tree."""
        return tuple(each for each in self.pairs if self.mask_state(each).is_conflict)

    @cached_property
    def undecided(self) -> tuple[PairEvidence, ...]:
        """Overlaps at the default, and permanent ones, that are still checked: only the user can
        say."""
        kinds = (PairClass.DEFAULT, PairClass.ALWAYS)
        return tuple(e for e in self.pairs if e.kind in kinds and e.pair not in self.ignored)

    @cached_property
    def parted_by_guess(self) -> frozenset[LinkPair]:
        """Pairs of links on separate branches whose default positions nobody gave; none before
        there is evidence."""
        analysis = self.analysis
        return (
            frozenset()
            if analysis is None
            else parted_by_guess(self.document, analysis.model.link_pairs)
        )

    @property
    def has_srdf(self) -> bool:
        return self.robot.srdf is not None

    def file_name(self, file: MaskFile | None = None) -> str:
        """The name of the file whose mask it is, for texts."""
        file = file or self.file
        path = self.document.xrdf_path if file is MaskFile.XRDF else self.document.srdf_path
        return path.name if path is not None else f"the {file}"

    def words_beside(self, pair: LinkPair) -> str:
        """Describe the pair in the other file: "ignored in heron.srdf (Adjacent)"; "" without
        another file."""
        if self.beside is None:
            return ""
        other = self.file.other
        if pair not in self.beside:
            return f"checked in {self.file_name(other)}"
        reason = self.srdf_mask.reason(pair) if other is MaskFile.SRDF else ""
        return f"ignored in {self.file_name(other)}" + (f" ({reason})" if reason else "")

    @property
    def mask_key(self) -> tuple[object, ...]:
        """Equal to that of another state if both have the same masks, skipped pairs and look at the
        meshes."""
        return (
            self.file,
            self.ignored,
            self.beside,
            self.srdf_mask,
            self.skipped,
            self.has_srdf,
            id(self.look),
        )

    # -- changes of the mask

    def ignore(self, pairs: Iterable[LinkPair]) -> SetMask | None:
        """Return the step that ignores the pairs; None if they are ignored already."""
        wanted = tuple(pair for pair in pairs if pair not in self.ignored)
        reasons = {pair: srdf_reason(self.evidence(pair)) for pair in wanted}
        return SetMask(self.file, wanted, FrozenDict(reasons)) if wanted else None

    def check(self, pairs: Iterable[LinkPair]) -> SetMask | None:
        """Return the step that checks the pairs again; None if they are checked already."""
        wanted = tuple(pair for pair in pairs if pair in self.ignored)
        return SetMask(self.file, checked=wanted) if wanted else None

    def is_as_opened(self, pairs: Iterable[LinkPair]) -> bool:
        """Return whether the mask has the pairs as the file had them when it was opened."""
        chosen = frozenset(pairs)
        return self._at_first(chosen) & chosen == self.ignored & chosen

    def _at_first(self, pairs: frozenset[LinkPair]) -> frozenset[LinkPair]:
        return list_masked_pairs(self.document.history[0].state.robot, self.file, pairs)

    def reset(self, pairs: Iterable[LinkPair]) -> SetMask | None:
        """Return the step that masks the pairs as the file did when it was opened; None if they are
        so."""
        chosen = frozenset(pairs)
        if self.is_as_opened(chosen):
            return None
        mask = SrdfMask.of(self.document.history[0].state.robot.srdf)
        reasons = {pair: mask.reason(pair) for pair in chosen}
        return self._exactly(
            self._at_first(chosen) & chosen,
            chosen,
            reasons,
            f"Reset {format_count(len(chosen), 'pair')}",
        )

    def _exactly(
        self,
        masked: frozenset[LinkPair],
        within: frozenset[LinkPair],
        reasons: Mapping[LinkPair, str],
        label: str,
    ) -> SetMask:
        wanted = (self.ignored - within) | masked
        robot = self.document.robot
        return SetMask.exactly(
            robot, self.file, wanted, within=within, reasons=reasons, label=label
        )

    def take_over(
        self,
        masked: frozenset[LinkPair],
        checked: frozenset[LinkPair],
        reasons: Mapping[LinkPair, str],
        label: str,
    ) -> SetMask:
        """Return the step that ignores some pairs and checks others; `reasons` are for an SRDF.
        Raises CannotApply."""
        words = {pair: reasons.get(pair) or srdf_reason(self.evidence(pair)) for pair in masked}
        return self._exactly(masked - checked, masked | checked, words, label)

    def write(self, proposal: MaskProposal, *, with_reasons: bool) -> Change | TextChange | None:
        """Return the step that writes a whole mask, with its reasons as comments, or in the SRDF's
        own words.

        None without an analysis. Raises CannotApply where the file has no place for it.
        """
        document = self.document
        if self.analysis is None:
            return None
        # A file that is not on disk yet has no order that somebody gave it.
        anew = document.xrdf_digest is None
        return write_step(
            document.robot, self.file, proposal, self.analysis, reasons=with_reasons, anew=anew
        )


class MaskSession:
    """Receives what happens to the robot and to its analyses; `state` is the result. It starts
    nothing by itself.

    `changed` is called with the state before and after each event.
    """

    def __init__(
        self,
        document: Document,
        changed: Callable[[PairsState, PairsState], object] = lambda old, new: None,
    ) -> None:
        self.options = ModelOptions()
        self.settings = AnalysisSettings()
        #: What the second opinion compares after each analysis; None for no second opinion.
        self.solids: Solids | None = None
        self.robot_pairs = RobotPairs()
        self._changed = changed
        #: The robot that the look at the meshes is about.
        self._look_of: RobotDescription | None = None
        self._state = PairsState(document=document, robot=document.robot, blank=self._make_blank)
        self._set()

    @property
    def state(self) -> PairsState:
        return self._state

    def _set(self, state: PairsState | None = None, **values: Any) -> None:
        """Set fields of the state, the robot, and what follows from them; of `state`, if it is
        another robot's."""
        state = replace(state or self.state, **values)
        robot, file, before = state.document.robot, state.file, self.state.ignored
        state = replace(state, robot=robot)
        # An SRDF can leave out whole links, and so pairs that it does not name.
        grounds = state.grounds if robot.srdf is not None else None
        pairs = grounds.model.link_pairs if grounds is not None else ()
        ignored = list_masked_pairs(robot, file, pairs)
        old = self._state
        self._state = replace(
            state,
            # Views compare by identity.
            ignored=before if ignored == before else ignored,
            beside=list_masked_pairs(robot, file.other, pairs) if robot.srdf is not None else None,
            srdf_mask=SrdfMask.of(robot.srdf),
        )
        self._changed(old, self._state)

    def _make_blank(self, robot: RobotDescription) -> Analysis | None:
        return (
            self.robot_pairs.unexamined(robot, self.options, self.settings)
            if has_pairs(robot)
            else None
        )

    # -- the robot

    def open(self, document: Document) -> None:
        """Another robot: nothing is known of it."""
        self.robot_pairs.forget()
        self._look_of = None
        self._set(PairsState(document=document, robot=document.robot, blank=self._make_blank))

    def follow_edit(self, old: RobotDescription, new: RobotDescription) -> None:
        """Take the edit over at once: only the pairs that it concerns are measured, and stale until
        examined."""
        file = MaskFile.XRDF if new.srdf is None else self.state.file
        if concerns_pairs(old, new):
            self._carry_over(file=file)
        else:
            self._set(file=file)

    def set_options(
        self, options: ModelOptions, settings: AnalysisSettings, solids: Solids | None
    ) -> None:
        """Take effect with the next analysis; other ranges of joints make what is known out of
        date."""
        self.settings, self.solids = settings, solids
        if options != self.options:
            self.options = options
            self._carry_over()

    def _carry_over(self, **values: Any) -> None:
        analysis, robot = self.state.analysis, self.state.document.robot
        # Another mask alone changes nothing of what the meshes say.
        is_about_look = (
            self._look_of is not None
            and analysis is not None
            and robot.urdf is self._look_of.urdf
            and self.robot_pairs.is_about(analysis, robot, self.options)
        )
        look = self.state.look if is_about_look else None
        if analysis is not None:
            analysis = self.robot_pairs.carried(analysis, robot, self.options)
        edits = self.state.edits + 1
        self._set(analysis=analysis, look=look, opinion=None, edits=edits, failure="", **values)

    # -- the mask

    def choose_file(self, file: MaskFile) -> None:
        """Show and edit the mask of that file from now on."""
        if file is not self.state.file and (file is MaskFile.XRDF or self.state.has_srdf):
            self._set(file=file, skipped=frozenset())

    def skip(self, pair: LinkPair) -> None:
        """The user saw the conflict and leaves it as it is."""
        self._set(skipped=self.state.skipped | {pair})

    # -- analyses

    def analyse(self) -> Job | None:
        """Begin an analysis: return its job; None without spheres on two links."""
        if not has_pairs(self.state.document.robot):
            return None
        self._set(is_analysing=True, failure="")
        return Task(analyse_mask, self.state.document.robot, self.options, self.settings)

    def compare(self, solids: Solids) -> Job:
        """Begin the second opinion: return its job, the same pairs on hulls or meshes."""
        self._set(is_analysing=True, failure="")
        settings = replace(
            self.settings, samples=min(MESH_SAMPLES, self.settings.samples), certify_seconds=2.0
        )
        return Task(
            analyse_mesh_pairs, locate_robot(self.state.document), solids, self.options, settings
        )

    def take(self, analysis: Analysis, **values: Any) -> None:
        """An analysis, also before it is complete; of a robot that was edited meanwhile, its edited
        pairs are stale."""
        robot = self.state.document.robot
        if not self.robot_pairs.is_about(analysis, robot, self.options):
            analysis = self.robot_pairs.carried(analysis, robot, self.options)
        self._look_of = None
        self._set(analysis=analysis, look=None, **values)

    def finish(self, analysis: Analysis) -> None:
        """The analysis is complete: keep it for later sessions."""
        self.take(analysis, is_analysing=False)
        keep_evidence(analysis)

    def take_opinion(self, opinion: Analysis, solids: Solids) -> None:
        """The second opinion is complete."""
        self._set(is_analysing=False, opinion=opinion, opinion_of=solids)

    def end(self, failure: str = "") -> None:
        """The analysis ended, was cancelled or failed; what is known stays."""
        self._set(is_analysing=False, failure=failure)

    def refresh(self) -> Job | None:
        """Return the job that examines the pairs that edits concern; None where there are none."""
        analysis = self.state.analysis
        if analysis is None or self.state.is_analysing or not analysis.stale.any():
            return None
        return Task(
            refresh_mask, analysis, self.robot_pairs.model(self.state.document.robot, self.options)
        )

    def take_refreshed(self, analysis: Analysis) -> None:
        """The pairs that edits concern are examined: keep the evidence for later sessions."""
        self.take(analysis)
        keep_evidence(analysis)

    def recall(self, kept: Evidence | None) -> None:
        """The evidence of an earlier session."""
        if kept is not None and self.state.status is EvidenceStatus.NONE:
            self.take(kept.analysis)
            if kept.look is not None:
                self._set_look(kept.look)

    def take_witness(self, of: Analysis, pair: LinkPair, witness: Witness) -> bool:
        """A search in `of` found a configuration of a pair; return whether it is closer than the
        known ones."""
        analysis = self.state.analysis
        is_closer = witness.clearance < of[pair].clearance_min - 1e-9
        if is_closer and analysis is not None:
            self._set(analysis=with_witness(analysis, pair, witness))
        return is_closer

    # -- the meshes

    def ask_meshes(self) -> Job | None:
        """Return the job that compares the mask with the meshes; None without an analysis, or if it
        is compared."""
        state, document = self.state, self.state.document
        if state.analysis is None or state.look is not None:
            return None
        maker = maker_pairs(document.robot, state.analysis)
        placed = locate_robot(document)
        return Task(mesh_look, placed, state.analysis, seed=self.settings.seed, maker=maker)

    def take_look(self, look: MeshLook) -> None:
        """Take the comparison of the analysis with the meshes, and keep it for later sessions."""
        self._set_look(look)
        if self.state.analysis is not None:
            keep_look(locate_robot(self.state.document), self.state.analysis, look)

    def fail_look(self) -> None:
        """The meshes cannot be compared: they are not asked again for this analysis."""
        self._set(look=NO_LOOK)

    def _set_look(self, look: MeshLook) -> None:
        robot = self.state.document.robot
        self._look_of = robot
        apart = self.state.seen_apart | {each.pair for each in look.needless}
        self._set(look=look, apart=(robot.urdf, apart))
