"""Pairs that only the thickness of spheres lets collide: often overlapping spheres around meshes that never touch.

A base and the upper arm that passes close above it are an example. Experts leave such pairs out of self-collision; a
planner that checks them refuses half of all configurations for nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editor_app.model.xrdf import LinkPair
from editor_app.operations.mask import Mask
from editor_app.operations.pair_distances import AnalyseMeshes, NothingToCompare
from editor_app.operations.work import Cancel, Cancelled, Progress, never, run_jobs, silent
from editor_app.self_collision.chains import chain_of
from editor_app.self_collision.model import ModelOptions
from editor_app.self_collision.results import AnalysisSettings, PairClass

if TYPE_CHECKING:
    from editor_app.edit.document import Document

__all__ = ["NeedlessPair", "needless_pairs"]

#: A pair whose spheres overlap in a smaller share of the configurations costs little: it stays checked.
_COSTLY = 0.02
#: Between links with more moving joints, samples are too thin to say that meshes never touch.
_JOINTS = 3
_SAMPLES = 16_384
#: Meshes that were seen nearer to each other than this (metres) may touch between two samples,
_APART = 2e-3
#: unless their spheres overlap so often that no robot would be built like that: the links pass close to each other.
_BUILT_SO = 0.25


@dataclass(frozen=True, slots=True)
class NeedlessPair:
    """`share` of the configurations in which the spheres overlap; the meshes, in `samples`, came as near as `gap` (m).

    `proven`: the meshes cannot touch.
    """

    pair: LinkPair
    first: str
    second: str
    share: float
    gap: float
    samples: int
    proven: bool

    @property
    def reason(self) -> str:
        """Short enough for a comment."""
        how = "proven never to touch" if self.proven else f"apart in {self.samples:,} samples"
        return f"meshes {how}, {self.gap * 1000:.1f} mm at least; the spheres overlap in {self.share:.0%}"


def needless_pairs(
    document: Document,
    judged: Mask,
    partial: Collection[str] = (),
    *,
    seed: int = 0,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> tuple[NeedlessPair, ...]:
    """The pairs that `judged` checks, whose spheres often overlap, and whose collision meshes never touch.

    `partial`: links whose collision meshes stand for a part of them only, and say nothing. Empty where there are no
    meshes. Raises Cancelled, ImportError without python-fcl.
    """
    analysis, ignored = judged.analysis, judged.proposal.pairs
    model = analysis.model
    costly = {}
    for row, evidence in enumerate(analysis):
        if evidence.kind is not PairClass.CAN_COLLIDE or evidence.pair in ignored:
            continue
        chain = chain_of(model, row)
        few = chain is not None and len(chain.variables) <= _JOINTS
        if few and (evidence.probability or 0.0) >= _COSTLY and not {evidence.first, evidence.second} & set(partial):
            costly[evidence.pair] = evidence
    if not costly:
        return ()

    def tell(number: int, share: float, text: str) -> None:
        if cancel():
            raise Cancelled
        progress(share, text)

    job = AnalyseMeshes(
        document.robot,
        document.urdf_path,
        tuple(document.packages.items()),
        "meshes",
        ModelOptions(),
        AnalysisSettings(_SAMPLES, seed, 2.0),
        frozenset(costly),
    )
    try:
        ((meshes, _),) = run_jobs([job], executor=None, cancel=cancel, on_progress=tell)
    except NothingToCompare:
        return ()
    found = []
    for pair, evidence in costly.items():
        seen = meshes.get(pair)
        if seen is None or seen.kind not in (PairClass.NEVER_CERTIFIED, PairClass.NEVER_SAMPLED):
            continue
        proven = seen.certified_clearance is not None
        share = evidence.probability or 0.0
        if proven or seen.clearance_min >= _APART or share >= _BUILT_SO:
            names = evidence.first, evidence.second
            found.append(NeedlessPair(pair, *names, share, seen.clearance_min, seen.samples, proven))
    return tuple(found)
