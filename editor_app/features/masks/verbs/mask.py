"""The verb mask: which pairs of links can collide, with the evidence, and the mask that follows
from it.

Decided here, for every caller: what is compared, whose mask is judged (the XRDF's or the SRDF's),
and the step that writes the proposal.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    never,
    run_job,
    silent,
)
from editor_app.core.verbs.reading_notes import list_reading_notes
from editor_app.features.masks.engine.masks import (
    MaskOptions,
    MaskProposal,
    MaskState,
    conflicts,
    propose_mask,
)
from editor_app.features.masks.engine.mesh_look import NO_LOOK, MeshLook
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.options import USUAL_RULES, ModelOptions
from editor_app.features.masks.engine.options import MaskRules as MaskRules
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairEvidence
from editor_app.features.masks.verbs.mask_changes import (
    WriteMaskText,
    list_masked_pairs,
    srdf_reason,
)
from editor_app.features.masks.verbs.mesh_look import maker_pairs, mesh_look
from editor_app.features.masks.verbs.pair_distances import (
    NothingToCompare,
    analyse_mask,
    analyse_mesh_pairs,
)

Geometry = Literal["spheres", "hulls", "meshes"]
#: Configurations by default: meshes are some hundred times as slow as spheres.
_SAMPLES: dict[str, int] = {"spheres": 100_000, "hulls": 4096, "meshes": 4096}


@dataclass(frozen=True, eq=False)
class Mask:
    """The mask of `robot`. `ignored`: pairs that the file's mask leaves out now.

    `hidden`: pairs that are ignored although they can collide. `missed`: pairs that are checked
    although they overlap at the default configuration, or always. `notes`: what was left out of the
    comparison.
    """

    robot: RobotDescription
    file: MaskFile
    geometry: Geometry
    analysis: Analysis
    ignored: frozenset[LinkPair]
    hidden: tuple[PairEvidence, ...]
    missed: tuple[PairEvidence, ...]
    notes: tuple[str, ...]
    with_reasons: bool
    wall_seconds: float
    options: MaskOptions = MaskOptions()
    #: What the meshes say, where they were asked.
    look: MeshLook = NO_LOOK

    __repr__ = brief

    def after(self, look: MeshLook) -> Mask:
        """Return the mask with the evidence of meshes."""
        words = look.words
        hidden = tuple(e for e in self.hidden if e.pair not in words.needless)
        return replace(self, options=replace(self.options, meshes=words), look=look, hidden=hidden)

    def checking(self, pairs: Iterable[LinkPair]) -> Mask:
        """Return the mask with these pairs checked, whatever the evidence for ignoring them."""
        checked = frozenset(pairs)
        decided = FrozenDict({**self.options.decided, **dict.fromkeys(checked, False)})
        options = replace(self.options, decided=decided)
        look = replace(
            self.look, hidden=tuple(each for each in self.look.hidden if each.pair not in checked)
        )
        return replace(self, options=options, look=look)

    @cached_property
    def proposal(self) -> MaskProposal:
        """The mask that follows from the evidence and the options."""
        return propose_mask(self.analysis, self.ignored, self.options)

    @property
    def change(self) -> Change | TextChange:
        """The step that makes the proposal the file's mask. Raises CannotApply where the file has
        no place for it."""
        return write_step(
            self.robot, self.file, self.proposal, self.analysis, reasons=self.with_reasons
        )


@check_arguments
def mask(
    document: Document,
    *,
    file: MaskFile = MaskFile.XRDF,
    geometry: Geometry | None = None,
    samples: int | None = None,
    certify: float = 10.0,
    seed: int = 0,
    options: ModelOptions | None = None,
    rules: MaskRules = USUAL_RULES,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Mask:
    """Judges a mask and proposes another; the document is left as it is: see `Mask.change`.

    `file`: whose mask. `geometry`: what may collide; default the spheres, or the hulls of the
    collision meshes where there are no spheres on two links. `samples`: configurations (default
    100,000; 4,096 on hulls and meshes). `certify`: CPU seconds for proofs. `options`: limits,
    margins, locked joints. `rules`: what is ignored. Raises Refused, Cancelled, ImportError without
    python-fcl.
    """
    started = time.perf_counter()
    robot = document.robot
    if file is MaskFile.SRDF and robot.srdf is None:
        raise Refused("no SRDF to check: name one, or create one first")
    options = options or ModelOptions()
    spheres = build_sphere_model(robot, options)
    chosen: Geometry = geometry or ("spheres" if len(spheres.pairs) else "hulls")
    if chosen == "spheres" and not len(spheres.pairs):
        raise Refused(
            "fewer than two frames have collision spheres. Fit spheres and name their geometry "
            "group in the "
            "section self_collision, or compare mesh hulls"
        )
    settings = AnalysisSettings(_SAMPLES[chosen] if samples is None else samples, seed, certify)
    analysis, notes = analyse_robot(
        document, chosen, options, settings, executor=executor, progress=progress, cancel=cancel
    )
    ignored = list_masked_pairs(robot, file, analysis.model.link_pairs)
    disagreements = conflicts(analysis, ignored)
    wanted = MaskOptions(
        keep_handmade=rules.keep,
        mask_sampled_only=not rules.certified_only,
        mask_default=rules.mask_default,
        mask_always=rules.mask_always,
        parted_by_guess=parted_by_guess(document, analysis.model.link_pairs),
        trusted=_trusted(robot, file, analysis.model.link_pairs)
        if rules.trust_srdf
        else frozenset(),
    )
    result = Mask(
        robot,
        file,
        chosen,
        analysis,
        ignored,
        tuple(evidence for evidence, state in disagreements if state is MaskState.CONFLICT),
        tuple(evidence for evidence, state in disagreements if state is MaskState.MISSING),
        (*list_reading_notes(document), *notes, *analysis.model.notes, *_no_mask(robot, file)),
        rules.reasons,
        time.perf_counter() - started,
        wanted,
    )
    if not rules.compare_meshes:
        return result
    maker = maker_pairs(robot, analysis) if file is MaskFile.XRDF else frozenset()
    try:
        look = mesh_look(
            document, analysis, seed=seed, maker=maker, progress=progress, cancel=cancel
        )
    except NothingToCompare:
        look = NO_LOOK
    return replace(result.after(look), wall_seconds=time.perf_counter() - started)


def _no_mask(robot: RobotDescription, file: MaskFile) -> tuple[str, ...]:
    """Return the note that the file has no mask to judge."""
    if file is MaskFile.SRDF or robot.xrdf.self_collision is not None:
        return ()
    return ("The XRDF has no section self_collision: all pairs are checked.",)


def _trusted(
    robot: RobotDescription, file: MaskFile, pairs: Collection[LinkPair]
) -> frozenset[LinkPair]:
    if file is MaskFile.SRDF or robot.srdf is None:
        raise Refused("no SRDF next to the XRDF to trust: name the SRDF too")
    return list_masked_pairs(robot, MaskFile.SRDF, pairs)


def guessed_positions(document: Document) -> frozenset[str]:
    """Joints whose default position nobody gave: it is not in the XRDF, or still the value that a
    draft guessed."""
    guessed = document.guesses.joints(POSITIONS)
    given = set(document.robot.xrdf.default_joint_positions or ()).difference(guessed)
    return frozenset(get_tree(document.robot).independent) - given


def parted_by_guess(document: Document, pairs: Iterable[LinkPair]) -> frozenset[LinkPair]:
    """The pairs whose links hang on moving joints of separate branches, one of them at a position
    that was guessed."""
    guessed = guessed_positions(document)
    tree = get_tree(document.robot)
    parted = []
    for pair in pairs if guessed else ():
        above, below = (
            {j.name: j for j in tree.path(tree.root, frame)} for frame in (pair.first, pair.second)
        )
        sides = [
            [j for j in a.values() if j.name not in b and j.is_movable]
            for a, b in ((above, below), (below, above))
        ]
        followed = {
            follow.source
            for side in sides
            for j in side
            if (follow := tree.follows.get(j.name)) is not None
        }
        if all(sides) and followed & guessed:
            parted.append(pair)
    return frozenset(parted)


def analyse_robot(
    document: Document,
    geometry: Geometry,
    options: ModelOptions,
    settings: AnalysisSettings,
    *,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> tuple[Analysis, tuple[str, ...]]:
    """The evidence for every pair, and what was wrong with meshes. Raises Refused, Cancelled,
    ImportError."""
    job: Job
    if geometry == "spheres":
        job = Task(analyse_mask, document.robot, options, settings)
    else:
        job = Task(analyse_mesh_pairs, locate_robot(document), geometry, options, settings)
    try:
        result = run_job(job, executor=executor, progress=progress, cancel=cancel)
    except NothingToCompare as error:
        raise Refused(str(error)) from error
    return result if isinstance(result, tuple) else (result, ())


def write_step(
    robot: RobotDescription,
    file: MaskFile,
    proposal: MaskProposal,
    analysis: Analysis,
    *,
    reasons: bool = False,
    anew: bool = False,
) -> Change | TextChange:
    """The step that makes the proposal the file's mask; `anew`: the XRDF is new, and its mask gets
    its usual order.

    Raises CannotApply where the file has no place for it.
    """
    if file is MaskFile.SRDF:
        srdf_words = {row.pair: srdf_reason(analysis.get(row.pair)) for row in proposal.rows}
        return SetMask.exactly(robot, file, proposal.pairs, within=srdf_words, reasons=srdf_words)
    disputed = {row.pair: row.reason for row in proposal.disputed if row.ignored_then}
    words: Mapping[LinkPair, str] = proposal.reasons if reasons else disputed
    # Why pairs are checked that their maker's mask ignores.
    checked = "; ".join(
        f"{row.first} and {row.second} {row.reason}"
        for row in proposal.disputed
        if not row.ignored_then
    )
    mask = SetMask.exactly(robot, file, proposal.pairs, reasons=words, anew=anew)
    return WriteMaskText(robot, mask, checked) if reasons or words or checked else mask
