"""Results for each pair: its class with the evidence, and the sentence that says why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from editor_app.core.arrays import F64, I32, I64, Bools
from editor_app.core.model.coercion import Validated
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.options import limited
from editor_app.core.model.pose import Pose
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.model import RIGID_RELATIONS, Relation, SphereModel

#: Pairs that overlap, or touch, in this share of the configurations or more always do: they are
#: built that way.
ALWAYS_SHARE = 0.95
#: 95 % quantile of the one-sided normal distribution, for the bound of a probability.
Z95 = 1.6449


class PairClass(StrEnum):
    """The class of a pair; the texts appear in reports."""

    ADJACENT = "adjacent"
    RIGID = "rigid"
    DEFAULT = "default"
    ALWAYS = "always"
    NEVER_CERTIFIED = "never (certified)"
    NEVER_SAMPLED = "never (sampled only)"
    CAN_COLLIDE = "can collide"
    #: Nothing is known yet: the analysis was stopped before the first sample.
    UNKNOWN = "not examined"


@dataclass(frozen=True, slots=True)
class AnalysisSettings(Validated):
    """`samples` configurations with this seed; `certify_seconds` of CPU time for proofs (0: none),
    counted in steps of a usual processor, so that the machine and its load do not decide what is
    proven.

    `search_starts`: starting points of the local search per pair that was never seen to collide (0:
    none). A pair that collides in `always_share` of the samples or more is "always". `tighten`:
    after the proofs, raise their clearance towards the smallest one that was seen, within half the
    time of `certify_seconds`.
    """

    samples: int = limited(100_000)
    seed: int = 0
    certify_seconds: float = limited(10.0, wanted="a number of seconds, 0 or more")
    search_starts: int = limited(12)
    always_share: float = ALWAYS_SHARE
    tighten: bool = True

    def requirements(self) -> Iterable[tuple[str, bool, str]]:
        yield "always_share", 0.0 < self.always_share <= 1.0, "above 0 and at most 1"


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """One pair. Clearances in metres, negative = overlap; infinite or None when not known.

    `first` comes before `second` in the tree. `probability`: share of the samples that collide;
    `probability_bound`: its 95 % upper bound (as for independent samples: 3 / samples when none
    collides, else Wilson's). `certified_clearance`: proven lower bound over all configurations.
    `witness`: the configuration of `clearance_min` (joints that do not matter to the pair at the
    default), `spheres` the two that are nearest there. `stale`: the robot changed since in a way
    that concerns the pair. `shrunk`: metres by which buffers below zero take the two nearer to each
    other than their spheres: what is proven is proven of spheres that are so much smaller.
    """

    pair: LinkPair
    first: str
    second: str
    kind: PairClass
    relation: Relation
    clearance_min: float
    clearance_default: float
    certified_clearance: float | None
    samples: int
    hits: int
    probability: float | None
    probability_bound: float | None
    witness: Pose | None
    spheres: tuple[SphereRef, SphereRef] | None
    stale: bool = False
    shrunk: float = 0.0

    @property
    def moves_as_one(self) -> bool:
        """True if the two are in one rigid group."""
        return self.relation in RIGID_RELATIONS

    @property
    def worst_depth(self) -> float:
        """Deepest known overlap in metres, 0 when none is known."""
        return max(0.0, -self.clearance_min)


#: What an `Analysis` has of each pair.
PAIR_ARRAYS = (
    "clearance_min",
    "clearance_default",
    "certified",
    "samples",
    "hits",
    "witness",
    "nearest",
    "stale",
)


@dataclass(frozen=True)
class Analysis:
    """All pairs of a model, as arrays in the order of `model.pairs`, and as `PairEvidence` on
    demand. Picklable.

    `witness` (n_pairs, n_variables) and `nearest` (n_pairs, 2; rows of model.spheres) belong to
    `clearance_min`; -1 where nothing is known. `certified` is NaN where nothing is proven.
    `complete`: nothing was cut short except proofs that ran into their time.
    """

    model: SphereModel
    settings: AnalysisSettings
    clearance_min: F64
    clearance_default: F64
    certified: F64
    samples: I64
    hits: I64
    witness: F64
    nearest: I32
    stale: Bools
    complete: bool = False
    #: What was being done when the result was taken, for partial ones.
    stage: str = ""
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0

    @classmethod
    def unexamined(cls, model: SphereModel, settings: AnalysisSettings | None = None) -> Analysis:
        """All pairs of a model before anything was computed: what the tree alone says of them."""
        n = len(model.pairs)
        return cls(
            model=model,
            settings=settings or AnalysisSettings(),
            clearance_min=np.full(n, np.inf),
            clearance_default=np.full(n, np.inf),
            certified=np.full(n, np.nan),
            samples=np.zeros(n, np.int64),
            hits=np.zeros(n, np.int64),
            witness=np.repeat(model.default[None, :], n, axis=0).reshape(n, len(model.variables)),
            nearest=np.full((n, 2), -1, np.int32),
            stale=np.zeros(n, bool),
        )

    def copied(self) -> Analysis:
        """Return a copy whose arrays may be written to."""
        return replace(self, **{name: getattr(self, name).copy() for name in PAIR_ARRAYS})

    def __len__(self) -> int:
        return len(self.model.pairs)

    def __iter__(self) -> Iterator[PairEvidence]:
        return (self.evidence(row) for row in range(len(self)))

    def __getitem__(self, pair: LinkPair) -> PairEvidence:
        """Raises KeyError when one of the frames takes no part in self-collision."""
        return self.evidence(self.model.pair_index[pair])

    def get(self, pair: LinkPair) -> PairEvidence | None:
        """The evidence of a pair, None when one of its frames takes no part in self-collision."""
        row = self.model.pair_index.get(pair)
        return None if row is None else self.evidence(row)

    def kind(self, row: int) -> PairClass:
        """Class of a pair: rigid and adjacent before always before default before the rest."""
        relation = Relation(int(self.model.relation[row]))
        if relation in RIGID_RELATIONS:
            return PairClass.RIGID
        if relation is Relation.ADJACENT:
            return PairClass.ADJACENT
        is_sampled, share = self.samples[row] > 0, self.probability(row)
        if relation is Relation.LOCKED and self.clearance_default[row] <= 0.0:
            return PairClass.ALWAYS
        is_loose = relation is Relation.LOOSE
        if (
            is_sampled
            and share is not None
            and share >= self.settings.always_share
            and not is_loose
        ):
            return PairClass.ALWAYS
        if self.clearance_default[row] <= 0.0:
            return PairClass.DEFAULT
        if self.clearance_min[row] <= TOUCHING:
            return PairClass.CAN_COLLIDE
        if is_loose:
            return PairClass.UNKNOWN
        if not math.isnan(self.certified[row]):
            return PairClass.NEVER_CERTIFIED
        return PairClass.NEVER_SAMPLED if is_sampled else PairClass.UNKNOWN

    def kinds(self) -> tuple[PairClass, ...]:
        """Class of every pair."""
        return tuple(self.kind(row) for row in range(len(self)))

    def probability(self, row: int) -> float | None:
        """Share of the samples in which the pair collides."""
        return float(self.hits[row] / self.samples[row]) if self.samples[row] else None

    def evidence(self, row: int) -> PairEvidence:
        """All that is known about a pair."""
        first, second = self.model.ordered(row)
        a, b = self.nearest[row].tolist()
        certified = float(self.certified[row])
        count, hits = int(self.samples[row]), int(self.hits[row])
        return PairEvidence(
            pair=self.model.link_pairs[row],
            first=first,
            second=second,
            kind=self.kind(row),
            relation=Relation(int(self.model.relation[row])),
            clearance_min=float(self.clearance_min[row]),
            clearance_default=float(self.clearance_default[row]),
            certified_clearance=None if math.isnan(certified) else certified,
            samples=count,
            hits=hits,
            probability=self.probability(row),
            probability_bound=probability_bound(hits, count) if count else None,
            witness=self.model.pose_of(self.witness[row], row) if a >= 0 else None,
            spheres=(self.model.refs[a], self.model.refs[b]) if a >= 0 else None,
            stale=bool(self.stale[row]),
            shrunk=-sum(min(self.model.buffers.get(frame, 0.0), 0.0) for frame in (first, second)),
        )

    def explain(self, pair: LinkPair) -> str:
        """Why the pair has its class, in one sentence with the limits and buffers it was computed
        for."""
        evidence = self.get(pair)
        if evidence is None:
            return (
                f"{pair.first} and {pair.second}: at least one has no spheres for self-collision."
            )
        return explain_evidence(evidence, self)


#: Clearances up to this many metres count as touching (see kernels_chain).
TOUCHING = 1e-7


def probability_bound(hits: int, samples: int) -> float:
    """95 % upper bound of a probability after `hits` in `samples`: the rule of three, or Wilson's
    one-sided bound."""
    if hits == 0:
        return min(1.0, 3.0 / samples)
    share, z = hits / samples, Z95
    middle = share + z * z / (2.0 * samples)
    spread = z * math.sqrt(share * (1.0 - share) / samples + z * z / (4.0 * samples * samples))
    return min(1.0, (middle + spread) / (1.0 + z * z / samples))


def explain_evidence(e: PairEvidence, analysis: Analysis) -> str:
    """One sentence: the class, its evidence, what it was computed for."""
    names = f"{e.first} and {e.second}"
    return (
        f"{names} {reason_of(e)} ({_conditions(e, analysis)}){'; out of date' if e.stale else ''}."
    )


def proven_mm(clearance: float, digits: int = 2) -> str:
    """A proven clearance (metres) in millimetres, never more than was proven: the last digit is
    rounded down."""
    unit = 10.0**digits
    return f"{math.floor(clearance * 1e3 * unit + 1e-6) / unit:.{digits}f}"


def reason_of(e: PairEvidence) -> str:
    """Why the pair has its class, as what is said of its two links: "can collide, up to 12.0 mm
    deep: …"."""
    sampled = f"in {e.samples:,} sampled configurations"
    # Meshes and hulls collide without a depth: their smallest clearance is 0.
    deep = f"{e.worst_depth * 1e3:.1f} mm deep"
    depth, up_to = (f", {deep}", f", up to {deep}") if e.worst_depth > 0.0 else ("", "")
    at_default = f" by {-e.clearance_default * 1e3:.1f} mm" if e.clearance_default < 0.0 else ""
    match e.kind:
        case PairClass.ADJACENT | PairClass.RIGID:
            how = (
                "are in one rigid group"
                if e.moves_as_one
                else "are adjacent: parent and child of one joint"
            )
            return how if e.clearance_min > 0.0 else f"{how}, and overlap{up_to.removeprefix(',')}"
        case PairClass.ALWAYS:
            if e.relation is Relation.LOCKED:
                return f"overlap{at_default}, and no movable joint is between them"
            return (
                f"overlap in {_percent(e.probability or 0.0)} of the configurations "
                f"({sampled}){up_to}"
            )
        case PairClass.DEFAULT:
            share = (
                ""
                if e.probability is None
                else f", and in {_percent(e.probability)} of the samples{up_to}"
            )
            return f"overlap{at_default} in the default configuration{share}"
        case PairClass.NEVER_CERTIFIED:
            seen = f"; the smallest sampled clearance is {e.clearance_min * 1e3:.2f} mm"
            return (
                f"never collide: proven to stay {proven_mm(e.certified_clearance or 0.0)} mm or "
                f"more apart{seen}"
            )
        case PairClass.NEVER_SAMPLED:
            bound = _percent(e.probability_bound or 0.0)
            return (
                f"were not seen to collide {sampled} (smallest clearance "
                f"{e.clearance_min * 1e3:.1f} mm; not proven: "
                f"with 95 % confidence the probability is below {bound})"
            )
        case PairClass.CAN_COLLIDE:
            if not e.hits:
                seen = (
                    f"not {sampled}, but in a configuration that the search found"
                    if e.samples
                    else "in a known configuration"
                )
                return f"can collide{depth}: {seen}"
            return (
                f"can collide{up_to}: in {_percent(e.probability or 0.0)} of the configurations "
                f"({sampled})"
            )
        case _ if e.relation is Relation.LOOSE:
            return "were not examined: a planar or floating joint moves them relative to each other"
        case _:
            return "were not examined yet"


def _conditions(e: PairEvidence, analysis: Analysis) -> str:
    buffers = analysis.model.buffers
    one, other = buffers.get(e.first, 0.0) * 1e3, buffers.get(e.second, 0.0) * 1e3
    return f"{analysis.model.options.sentence()}; self-collision buffers {one:g} and {other:g} mm"


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


@dataclass(frozen=True, slots=True)
class Contact:
    """Two spheres, the one whose frame comes first in the tree first; `gap` in metres is negative
    when they overlap.

    `points` are the centres in the robot's root frame (metres), for a line between them.
    """

    first: SphereRef
    second: SphereRef
    gap: float
    points: tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Overlap:
    """A pair that overlaps at a pose: depth of its deepest contact (metres, > 0), all contacts,
    deepest first."""

    pair: LinkPair
    depth: float
    contacts: tuple[Contact, ...]


@dataclass(frozen=True, slots=True)
class Witness:
    """A configuration with the clearance there (metres) and the two nearest spheres, first frame's
    first."""

    pose: Pose
    clearance: float
    spheres: tuple[SphereRef, SphereRef]


@dataclass(frozen=True)
class Distribution:
    """How often a clearance occurs: counts (bins,) between edges (bins + 1,) in metres; share of
    clearances <= 0."""

    counts: I64
    edges: F64
    share: float
    samples: int


@dataclass(frozen=True, slots=True)
class FreePose:
    """`positions`: every joint that moves by itself (rad or m). `changed`: joints that left where
    they started.

    `margin`: smallest distance of a controlled joint to a limit, as a share of its range.
    `dexterity`: smallest singular value of the worst tool's Jacobian, as a share of its median.
    `clearance` (m): of pairs not ignored, None without spheres on two bodies. `overlaps`: pairs
    that no position was found for. `by_meshes`: whether the clearance is that of the meshes, not of
    the spheres.
    """

    positions: FrozenDict[str, float]
    changed: tuple[str, ...]
    margin: float
    dexterity: float
    clearance: float | None
    overlaps: tuple[LinkPair, ...]
    #: How far (m) frames of the arms reach below the floor.
    below: float = 0.0
    by_meshes: bool = False

    @property
    def is_free(self) -> bool:
        return not self.overlaps
