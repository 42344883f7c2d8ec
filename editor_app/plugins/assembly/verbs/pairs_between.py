"""Pairs between a part and what it was attached to: which of them need no check, and by what
evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from editor_app.core.formats.exchange.conversion import ADJACENT
from editor_app.core.formats.xrdf.mask_reasons import ADJACENT_REASON, RIGID_REASON
from editor_app.core.model.frozen import brief
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import adjacent_pairs, get_tree
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.masks.engine.masks import Decision, MaskOptions, MaskRow, propose_mask
from editor_app.features.masks.engine.meshes import meshes_available
from editor_app.features.masks.engine.model import Relation, build_sphere_model
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairClass
from editor_app.features.masks.verbs.mask_changes import srdf_reason
from editor_app.features.masks.verbs.pair_distances import (
    NothingToCompare,
    analyse_mask,
    analyse_mesh_pairs,
    pairs_across,
)

#: Configurations in which meshes or hulls are compared: some hundred times as slow as spheres.
MESH_SAMPLES = 4096

#: Spheres that overlap at the default configuration, or always.
_OVERLAPS = (PairClass.DEFAULT, PairClass.ALWAYS)
#: Runs a job, tells its progress, and gives its result.
RunJob = Callable[[Job], object]


@dataclass(frozen=True, slots=True, eq=False)
class PairsBetween:
    """`rows`: every pair with what was decided. `analysis`: None where nothing could be compared:
    only adjacent links have a row then."""

    rows: tuple[MaskRow, ...] = ()
    analysis: Analysis | None = None

    __repr__ = brief

    @property
    def ignored(self) -> tuple[MaskRow, ...]:
        return tuple(row for row in self.rows if row.decision is Decision.MASK)

    def srdf_reason(self, pair: LinkPair) -> str:
        """The SRDF's word for an ignored pair."""
        evidence = self.analysis.get(pair) if self.analysis is not None else None
        return ADJACENT if evidence is None else srdf_reason(evidence)

    def told(self) -> Iterator[str]:
        """Yield sentences about pairs to review: their spheres overlap at the default, or
        always."""
        for row in self.rows:
            if row.decision is Decision.UNDECIDED:
                yield (
                    f"{row.first} and {row.second}: {row.reason}; checked. Move the part or the "
                    "default position, fit "
                    "tighter, or ignore the pair"
                )
            elif row.decision is Decision.MASK and row.kind in _OVERLAPS:
                yield f"{row.first} and {row.second}: {row.reason}; ignored"


def pairs_between(
    placed: PlacedRobot,
    part: RobotDescription,
    settings: AnalysisSettings,
    run: RunJob,
) -> PairsBetween:
    """Return the pairs with one frame of the part, with what was decided.

    They are compared by their spheres; for an SRDF without spheres by the hulls of the meshes.
    Ignored are pairs that never move against each other or never collide by proof. What overlaps at
    the default, or always, is ignored where the links are adjacent, or the meshes never touch or
    always do. Adjacent links that cannot be compared are ignored. Raises ImportError.
    """
    compared = _compare_pairs(placed, part, settings, run)
    tree, pairs = get_tree(placed.robot), {row.pair for row in compared.rows}
    groups, frames = tree.rigid_groups(), frozenset(get_tree(part).frames)
    rows = list(compared.rows)
    for pair in sorted(adjacent_pairs(placed.robot) - pairs):
        if (pair.first in frames) == (pair.second in frames):
            continue
        first, second = sorted((pair.first, pair.second), key=tree.index.__getitem__)
        held = (PairClass.ADJACENT, ADJACENT_REASON)
        if groups[first] == groups[second]:
            held = (PairClass.RIGID, RIGID_REASON)
        rows.append(MaskRow(pair, first, second, Decision.MASK, *held, ignored_now=False))
    return replace(compared, rows=tuple(rows))


def _compare_pairs(
    placed: PlacedRobot, part: RobotDescription, settings: AnalysisSettings, run: RunJob
) -> PairsBetween:
    """Return the pairs that have spheres or meshes on both sides."""
    robot, frames, options = placed.robot, frozenset(get_tree(part).frames), ModelOptions()
    spheres = build_sphere_model(robot, options)
    mesh_settings = replace(settings, samples=min(settings.samples, MESH_SAMPLES))
    meshes = Task(analyse_mesh_pairs, placed, "hulls", options, mesh_settings, frames)
    has_spheres = bool(pairs_across(spheres, frames))
    if not has_spheres and (robot.srdf is None or not meshes_available()):
        return PairsBetween()
    try:
        result = run(
            Task(analyse_mask, robot, options, settings, frames) if has_spheres else meshes
        )
    except NothingToCompare:
        return PairsBetween()
    analysis = result[0] if isinstance(result, tuple) else result
    assert isinstance(analysis, Analysis)
    pairs = frozenset(pairs_across(analysis.model, frames))
    proposal = propose_mask(analysis, (), MaskOptions(mask_sampled_only=False))
    rows = [row for row in proposal.rows if row.pair in pairs]
    relations = zip(spheres.link_pairs, spheres.relation.tolist(), strict=True)
    adjacent = {pair for pair, relation in relations if relation == Relation.ADJACENT}
    rows = [_ignored_as_adjacent(row) if row.pair in adjacent else row for row in rows]
    overlapping = frozenset(row.pair for row in rows if row.kind in _OVERLAPS)
    if overlapping and meshes_available():
        # Meshes that come apart in a single sample collide in the others.
        always = replace(mesh_settings, always_share=1.0)
        job = Task(analyse_mesh_pairs, placed, "meshes", options, always, frames, overlapping)
        words = _mesh_words(job, overlapping, run)
        rows = [_by_meshes(row, words) for row in rows]
    return PairsBetween(tuple(rows), analysis)


def _ignored_as_adjacent(row: MaskRow) -> MaskRow:
    """Ignore adjacent links that overlap: checked, the robot would never be free."""
    if row.decision is not Decision.UNDECIDED:
        return row
    return replace(row, decision=Decision.MASK, reason=f"{row.reason}, adjacent")


def _mesh_words(job: Job, wanted: Iterable[LinkPair], run: RunJob) -> Mapping[LinkPair, str]:
    """Return why the meshes of a pair never touch, or that they always do; "" where they touch at
    times.

    Pairs without meshes are left out.
    """
    try:
        result = run(job)
    except NothingToCompare:
        return {}
    assert isinstance(result, tuple)
    analysis: Analysis = result[0]
    evidence = [each for pair in wanted if (each := analysis.get(pair)) is not None]
    words = {
        PairClass.NEVER_CERTIFIED: "never touch, proven",
        PairClass.NEVER_SAMPLED: "never touch in {} samples",
        PairClass.ALWAYS: "always touch, by construction",
    }
    return {each.pair: words.get(each.kind, "").format(each.samples) for each in evidence}


def _by_meshes(row: MaskRow, words: Mapping[LinkPair, str]) -> MaskRow:
    told = words.get(row.pair)
    if told is None:
        return row
    if not told:
        # A pair that is ignored stays so all the same: the report names it.
        return replace(row, reason=f"{row.reason}, and the meshes touch in some configurations")
    return replace(row, decision=Decision.MASK, reason=f"{row.reason}, and the meshes {told}")
