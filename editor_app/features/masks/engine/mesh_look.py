"""Comparison of a mask for spheres with the meshes: needless checks, and hidden collisions.

Spheres are thicker than what they stand for. A base and the upper arm that passes close above it
may overlap in half of all configurations although their meshes never touch: experts leave such
pairs out of self-collision. Other spheres overlap in every configuration, so that the pair has to
be ignored, although the meshes touch in some of them only: then the mask hides those, and that has
to be said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.model.counting import Share, format_percent
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.progress import Progress, silent
from editor_app.features.masks.engine.chains import build_chain
from editor_app.features.masks.engine.masks import MeshWords
from editor_app.features.masks.engine.meshes import MeshModel, analyse_meshes, count_touches
from editor_app.features.masks.engine.results import (
    Analysis,
    AnalysisSettings,
    PairClass,
    PairEvidence,
    proven_mm,
)

#: From the links whose visible shapes are compared (None: those with partial collision shapes), and
#: the links that are needed, to meshes.
LoadMeshes = Callable[[Collection[str] | None, Collection[str]], MeshModel | None]
#: Classes of the pairs that a mask has to ignore, or a planner finds no motion.
NEEDS_MASK = (PairClass.ADJACENT, PairClass.ALWAYS, PairClass.DEFAULT)
#: A pair whose spheres overlap in a smaller share of the configurations costs little: it stays
#: checked.
_COSTLY = 0.02
#: Between links with more moving joints, samples are too thin to say that meshes never touch.
_JOINTS = 3
_SAMPLES = 16_384
#: For a share: pairs that are ignored already.
_FEW = 1024
#: For a share of rough shapes, which are boxes and cylinders for the most part.
_MORE = 4096
#: Meshes that were seen nearer to each other than this (metres) may touch between two samples,
_APART = 2e-3
#: unless their spheres overlap so often that no robot would be built like that: the links pass
#: close to each other.
_BUILT_SO = 0.25


@dataclass(frozen=True, slots=True)
class NeedlessPair:
    """`share` of the configurations in which the spheres overlap; the meshes, in `samples`, came as
    near as `gap` (m).

    `proven` (m): the meshes stay so far apart in every configuration; None where they were only
    seen apart.
    """

    pair: LinkPair
    first: str
    second: str
    share: float
    gap: float
    samples: int
    proven: float | None

    @property
    def reason(self) -> str:
        """Short enough for a comment."""
        how = f"not touching in {self.samples:,} samples, smallest gap {self.gap * 1000:.1f} mm"
        if self.proven is not None:
            how = f"proven to stay {proven_mm(self.proven, 1)} mm or more apart"
        share = f"{self.share * 100:.0f} %" if self.share >= 0.01 else "less than 1 %"
        return f"meshes {how}; the spheres overlap in {share}"


@dataclass(frozen=True, slots=True)
class HiddenPair:
    """A pair that is ignored, for its class `kind`; its meshes touch in `share` of `samples`, and
    do not always touch.

    `at_default`: also in the default configuration. `is_thin`: its spheres never overlap, and it is
    checked. `is_rough`: only the collision shapes touch; the visible shapes, which are compared
    instead, do not.
    """

    pair: LinkPair
    first: str
    second: str
    share: float
    samples: int
    kind: PairClass
    at_default: bool = False
    is_thin: bool = False
    is_rough: bool = False

    @property
    def reason(self) -> str:
        """Short enough for a comment."""
        if self.is_rough:
            return (
                f"the collision shapes touch in {self.share_in_words} of {self.samples:,} samples, "
                "the visible shapes "
                "in none"
            )
        why = (
            "which the spheres are too small to detect" if self.is_thin else "which the mask hides"
        )
        return f"the meshes touch in {self.share_in_words} of {self.samples:,} samples, {why}"

    @property
    def share_in_words(self) -> str:
        """A whole percentage; never 0%."""
        return f"{self.share * 100:.0f} %" if self.share >= 0.01 else "less than 1 %"


@dataclass(frozen=True, slots=True)
class DisputedPair:
    """A pair that its maker's mask never checks, although its meshes touch in `touching` of the
    configurations.

    With the pair ignored, and with it checked, the rest as it is: `passed`, of the configurations
    in which meshes touch those that spheres and mask let pass; `refused`, of the free ones those
    that they refuse.
    """

    pair: LinkPair
    first: str
    second: str
    touching: Share
    passed_ignored: Share
    passed_checked: Share
    refused_ignored: Share
    refused_checked: Share

    @property
    def reason(self) -> str:
        """Short enough for a comment; what is decided by comes first, for a narrow column cuts the
        end."""
        passed, kept, refused, free = (
            format_percent(share.value, 2)
            for share in (
                self.passed_ignored,
                self.passed_checked,
                self.refused_checked,
                self.refused_ignored,
            )
        )
        return (
            f"ignored: {passed} missed collisions, {free} false collisions; checked: {kept} and "
            f"{refused}; "
            f"meshes touch in {format_percent(self.touching.value, 2)} of {self.touching.of:,} "
            "samples, "
            "never by the manufacturer's mask"
        )


@dataclass(frozen=True, slots=True)
class MeshLook:
    """`needless`: pairs to ignore although their spheres can collide; `hidden`: pairs whose
    collisions go unseen. `disputed`: pairs on which their maker's mask and the meshes do not agree.
    `thin`: pairs to check although their spheres never collide. `rough`: ignored pairs of which
    only the collision shapes touch, as programs see that read these shapes."""

    needless: tuple[NeedlessPair, ...] = ()
    hidden: tuple[HiddenPair, ...] = ()
    disputed: tuple[DisputedPair, ...] = ()
    thin: tuple[HiddenPair, ...] = ()
    rough: tuple[HiddenPair, ...] = ()

    @property
    def words(self) -> MeshWords:
        """The reasons for a proposal."""
        return MeshWords(
            FrozenDict({each.pair: each.reason for each in self.needless}),
            FrozenDict({each.pair: each.reason for each in self.hidden}),
            FrozenDict({each.pair: each.reason for each in self.disputed}),
            FrozenDict({each.pair: each.reason for each in self.thin}),
        )


NO_LOOK = MeshLook()


def look_at_meshes(
    robot: RobotDescription,
    urdf_path: Path | None,
    mappings: Mapping[str, Path],
    analysis: Analysis,
    *,
    seed: int = 0,
    only: Collection[LinkPair] | None = None,
    needless: bool = True,
    seen: Collection[str] | None = None,
    load: LoadMeshes | None = None,
    on_progress: Progress = silent,
) -> MeshLook | None:
    """Compare the pairs of `analysis` with the meshes: those that cost much when they are checked,
    and those that are adjacent, or overlap always or at the default. None where no link in question
    has a mesh that can be loaded.

    `only`: hidden collisions are looked for among these pairs alone, whatever their class.
    `needless` False: pairs that are needless to check are not looked for. `seen`: as of
    `MeshModel.of_robot`: the shapes are the ones that a cost compares. `load`: returns meshes that
    were loaded before. The numbers of a pair do not depend on which other pairs are asked. Raises
    ImportError without python-fcl.
    """
    costly = _costly(analysis) if needless else {}
    certain = {
        e.pair: e
        for e in analysis
        if (e.kind in NEEDS_MASK if only is None else e.pair in only) and not e.moves_as_one
    }
    links = {name for pair in (*costly, *certain) for name in (pair.first, pair.second)}
    if not links:
        return NO_LOOK
    on_progress(0.0, "Loading the meshes")
    options = analysis.model.options

    def of_robot(seen: Collection[str] | None, links: Collection[str]) -> MeshModel | None:
        return MeshModel.of_robot(
            robot, urdf_path, mappings, options=options, seen=seen, links=links
        )

    load = load or of_robot
    meshes = load(seen, links)
    if meshes is None:
        return None
    needless_pairs = _needless_pairs(meshes, costly, seed, on_progress)
    hidden = _hidden_pairs(meshes, certain, seed, on_progress)
    colliding = {each.pair for each in hidden}
    ignored = certain | {each.pair: costly[each.pair] for each in needless_pairs}
    by_sight = {
        p: e for p, e in ignored.items() if p not in colliding and meshes.seen & {p.first, p.second}
    }
    rough = _rough_pairs(load, by_sight, seed, on_progress)
    return MeshLook(tuple(needless_pairs), tuple(hidden), rough=tuple(rough))


# -- inside


def _needless_pairs(
    meshes: MeshModel, costly: Mapping[LinkPair, PairEvidence], seed: int, on_progress: Progress
) -> list[NeedlessPair]:
    """Return the `costly` pairs whose meshes never touch."""
    asked = costly.keys() & set(meshes.model.pair_index)
    if not asked:
        return []
    sampled = analyse_meshes(
        meshes, AnalysisSettings(_SAMPLES, seed, 2.0), on_progress, asked, until_hit=True
    )
    both = (_needless(e, sampled[pair]) for pair, e in costly.items() if pair in asked)
    return [each for each in both if each is not None]


def _hidden_pairs(
    meshes: MeshModel,
    ignored: Mapping[LinkPair, PairEvidence],
    seed: int,
    on_progress: Progress,
    samples: int = _FEW,
) -> list[HiddenPair]:
    """Return the `ignored` pairs whose meshes touch in some samples, and not in all
    configurations."""
    asked = ignored.keys() & set(meshes.model.pair_index)
    if not asked:
        return []
    sampled = count_touches(meshes, asked, samples, seed, on_progress)
    always = {meshes.model.link_pairs[row] for row in meshes.always.tolist()}
    both = (
        (e, sampled[pair]) for pair, e in ignored.items() if pair in asked and pair not in always
    )
    return [
        HiddenPair(
            e.pair,
            e.first,
            e.second,
            m.hits / m.samples,
            m.samples,
            e.kind,
            m.clearance_default <= 0.0,
        )
        for e, m in both
        if m.hits
    ]


def _rough_pairs(
    load: LoadMeshes, ignored: Mapping[LinkPair, PairEvidence], seed: int, on_progress: Progress
) -> list[HiddenPair]:
    """Return the `ignored` pairs whose collision shapes touch in some samples; their visible shapes
    never do."""
    if not ignored:
        return []
    links = {name for pair in ignored for name in (pair.first, pair.second)}
    shapes = load((), links)
    if shapes is None:
        return []
    return [
        replace(each, is_rough=True)
        for each in _hidden_pairs(shapes, ignored, seed, on_progress, _MORE)
    ]


def _costly(analysis: Analysis) -> dict[LinkPair, PairEvidence]:
    """Return the pairs that cost much when they are checked."""
    costly = {}
    for row, evidence in enumerate(analysis):
        if evidence.kind is PairClass.CAN_COLLIDE and (evidence.probability or 0.0) >= _COSTLY:
            chain = build_chain(analysis.model, row)
            if chain is not None and len(chain.variables) <= _JOINTS:
                costly[evidence.pair] = evidence
    return costly


def _needless(spheres: PairEvidence, meshes: PairEvidence) -> NeedlessPair | None:
    if meshes.kind not in (PairClass.NEVER_CERTIFIED, PairClass.NEVER_SAMPLED):
        return None
    proven = meshes.certified_clearance
    share = spheres.probability or 0.0
    if not (proven is not None or meshes.clearance_min >= _APART or share >= _BUILT_SO):
        return None
    names = spheres.first, spheres.second
    return NeedlessPair(spheres.pair, *names, share, meshes.clearance_min, meshes.samples, proven)
