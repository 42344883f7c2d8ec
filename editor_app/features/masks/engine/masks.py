"""From an analysis to a mask: what to ignore and why, what the user must decide, and how masks
differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from editor_app.core.formats.xrdf.mask_reasons import ADJACENT_REASON, RIGID_REASON
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.model import Relation
from editor_app.features.masks.engine.results import (
    Analysis,
    PairClass,
    PairEvidence,
    proven_mm,
    reason_of,
)

Ignore = FrozenDict[str, tuple[str, ...]]


class MaskState(StrEnum):
    """How a pair's place in a mask goes with its class."""

    CHECKED = "checked"
    IGNORED = "ignored"
    #: Ignored although it can collide: the mask hides a possible collision.
    CONFLICT = "ignored although it collides"
    #: Checked although it overlaps at the default, or always, or by construction: the robot is
    #: never free.
    MISSING = "checked although it always collides"

    @property
    def is_conflict(self) -> bool:
        """True if mask and evidence disagree."""
        return self in (MaskState.CONFLICT, MaskState.MISSING)


class Decision(StrEnum):
    MASK = "mask"
    CHECK = "check"
    #: Overlaps at the default configuration, or always: only the user can say whether that is
    #: right.
    UNDECIDED = "decide"


@dataclass(frozen=True, slots=True)
class MeshWords:
    """The evidence of meshes about pairs of spheres, as reasons: `needless` to check, collisions
    `hidden` by ignoring them; `disputed`: their maker's mask ignores them; `thin`: spheres never
    collide, the meshes do."""

    needless: FrozenDict[LinkPair, str] = FrozenDict()
    hidden: FrozenDict[LinkPair, str] = FrozenDict()
    disputed: FrozenDict[LinkPair, str] = FrozenDict()
    thin: FrozenDict[LinkPair, str] = FrozenDict()


NO_WORDS = MeshWords()


@dataclass(frozen=True, slots=True)
class MaskOptions:
    """`decided`: the user's answers for single pairs (True: mask), which win. `keep_handmade`: what
    is ignored now stays ignored, even if nothing speaks for it; pairs of frames without spheres
    always stay.

    `mask_default`, `mask_always`: ignore all pairs that overlap at the default, or always.
    `parted_by_guess`: pairs of links on separate branches with joints whose default position nobody
    gave. Their overlap there says nothing (two arms that stand in each other at zero): they are for
    the user to decide all the same. `meshes`: pairs that are needless to check are ignored, and
    those whose collisions go unseen say so. `trusted`: pairs that are ignored because their maker's
    mask ignores them, whatever the evidence.
    """

    mask_adjacent: bool = True
    mask_sampled_only: bool = True
    keep_handmade: bool = True
    mask_default: bool = False
    mask_always: bool = False
    parted_by_guess: frozenset[LinkPair] = frozenset()
    decided: FrozenDict[LinkPair, bool] = FrozenDict()
    meshes: MeshWords = NO_WORDS
    trusted: frozenset[LinkPair] = frozenset()


@dataclass(frozen=True, slots=True)
class MaskRow:
    """One pair of a proposal. `reason` is short enough for a comment; `first` comes before `second`
    in the tree."""

    pair: LinkPair
    first: str
    second: str
    decision: Decision
    kind: PairClass
    reason: str
    ignored_now: bool
    #: Ignored, or to be decided, although the meshes collide in some configurations.
    hides: bool = False
    #: Its maker's mask ignores the pair, although the meshes collide.
    is_disputed: bool = False

    @property
    def ignored_then(self) -> bool:
        """True if the mask of the proposal ignores the pair; undecided pairs stay as they are."""
        return (
            self.ignored_now
            if self.decision is Decision.UNDECIDED
            else self.decision is Decision.MASK
        )


@dataclass(frozen=True, slots=True)
class MaskProposal:
    """Rows in the order of the tree; `others`: ignored pairs that name frames without spheres,
    which stay."""

    rows: tuple[MaskRow, ...]
    others: frozenset[LinkPair] = frozenset()

    @property
    def pairs(self) -> frozenset[LinkPair]:
        """All pairs that the proposed mask ignores."""
        return frozenset(row.pair for row in self.rows if row.ignored_then) | self.others

    @property
    def added(self) -> tuple[MaskRow, ...]:
        return tuple(row for row in self.rows if row.ignored_then and not row.ignored_now)

    @property
    def removed(self) -> tuple[MaskRow, ...]:
        return tuple(row for row in self.rows if row.ignored_now and not row.ignored_then)

    @property
    def todo(self) -> tuple[MaskRow, ...]:
        """The pairs that the user has to decide."""
        return tuple(row for row in self.rows if row.decision is Decision.UNDECIDED)

    @property
    def reasons(self) -> Mapping[LinkPair, str]:
        """Why each ignored pair is ignored, for comments."""
        return {row.pair: row.reason for row in self.rows if row.ignored_then}

    @property
    def disputed(self) -> tuple[MaskRow, ...]:
        """Pairs on which their maker's mask and the meshes do not agree."""
        return tuple(row for row in self.rows if row.is_disputed)


def propose_mask(
    analysis: Analysis, current: Collection[LinkPair] = (), options: MaskOptions | None = None
) -> MaskProposal:
    """A mask that follows the evidence; `current` are the pairs that are ignored now.

    Joined and never-colliding pairs are ignored, colliding ones are checked; overlaps at the
    default and permanent ones are to-do entries until `options.decided` says otherwise.
    """
    options = options or MaskOptions()
    now = frozenset(current)
    rows = tuple(_row(evidence, evidence.pair in now, options) for evidence in analysis)
    return MaskProposal(
        rows, frozenset(pair for pair in now if pair not in analysis.model.pair_index)
    )


def _row(e: PairEvidence, ignored: bool, options: MaskOptions) -> MaskRow:
    decision, reason = _with_meshes(e, options)
    answer = options.decided.get(e.pair)
    if answer is not None:
        decision = Decision.MASK if answer else Decision.CHECK
        reason = f"{'ignored' if answer else 'checked'} by hand; {reason}"
    elif ignored and decision is Decision.CHECK and options.keep_handmade:
        decision, reason = Decision.MASK, f"kept from the file; {reason}"
    hides, is_disputed = e.pair in options.meshes.hidden, e.pair in options.meshes.disputed
    return MaskRow(e.pair, e.first, e.second, decision, e.kind, reason, ignored, hides, is_disputed)


def _with_meshes(e: PairEvidence, options: MaskOptions) -> tuple[Decision, str]:
    """What becomes of the pair by the evidence, by what its meshes say and its maker, and by what
    is ignored alike."""
    decision, reason = _decide(e, options)
    words = options.meshes
    if e.pair in words.disputed:
        reason = words.disputed[e.pair]
    elif e.pair in words.hidden:
        reason = f"{reason}; {words.hidden[e.pair]}"
    if e.pair in options.trusted and decision is not Decision.MASK:
        return Decision.MASK, f"as in the SRDF; {reason}"
    if e.pair in words.thin and decision is Decision.MASK:
        # A mask outlives its spheres: other ones, fitted later, see the collisions only if the pair
        # is checked.
        return Decision.CHECK, f"{words.thin[e.pair]}; {reason}"
    if e.pair in words.needless and decision is Decision.CHECK:
        return Decision.MASK, words.needless[e.pair]
    if e.kind is PairClass.DEFAULT and e.pair in options.parted_by_guess:
        return decision, f"{reason}, guessed; links of separate branches"
    if (e.kind is PairClass.DEFAULT and options.mask_default) or (
        e.kind is PairClass.ALWAYS and options.mask_always
    ):
        return Decision.MASK, f"{reason}; all such pairs are ignored"
    return decision, reason


def _decide(e: PairEvidence, options: MaskOptions) -> tuple[Decision, str]:
    match e.kind:
        case PairClass.ADJACENT:
            return Decision.MASK if options.mask_adjacent else Decision.CHECK, ADJACENT_REASON
        case PairClass.RIGID:
            return Decision.MASK, RIGID_REASON
        case PairClass.NEVER_CERTIFIED:
            smaller = (
                f" by spheres that buffers shrink by {e.shrunk * 1e3:.2f} mm"
                if e.shrunk > 0.0
                else ""
            )
            return (
                Decision.MASK,
                f"never, certified {proven_mm(e.certified_clearance or 0.0)} mm{smaller}",
            )
        case PairClass.NEVER_SAMPLED:
            reason = (
                f"never in {e.samples} samples, not certified (p < "
                f"{e.probability_bound or 0.0:.1g})"
            )
            return Decision.MASK if options.mask_sampled_only else Decision.CHECK, reason
        case PairClass.DEFAULT:
            amount = f" {-e.clearance_default * 1e3:.1f} mm" if e.clearance_default < 0.0 else ""
            return Decision.UNDECIDED, f"overlaps{amount} at the default configuration"
        case PairClass.ALWAYS:
            return Decision.UNDECIDED, f"always overlaps{_up_to(e)}"
        case PairClass.CAN_COLLIDE:
            share = f"{(e.probability or 0.0) * 100:.3g} % of samples"
            return Decision.CHECK, f"can collide{_up_to(e)}, in {share}"
        case _ if e.relation is Relation.LOOSE:
            return Decision.CHECK, "not examined: a planar or floating joint is between them"
        case _:
            return Decision.CHECK, "not examined"


def _up_to(e: PairEvidence) -> str:
    """The depth, where there is one: meshes and hulls collide without."""
    return f", up to {e.worst_depth * 1e3:.1f} mm" if e.worst_depth > 0.0 else ""


def mask_state(evidence: PairEvidence, ignored: bool) -> MaskState:
    """How the pair's place in a mask goes with what is known about it."""
    if ignored:
        return MaskState.CONFLICT if evidence.kind is PairClass.CAN_COLLIDE else MaskState.IGNORED
    certain = evidence.kind in (PairClass.DEFAULT, PairClass.ALWAYS)
    joined = (PairClass.ADJACENT, PairClass.RIGID)
    if certain or (evidence.kind in joined and evidence.clearance_default <= 0.0):
        return MaskState.MISSING
    return MaskState.CHECKED


def conflicts(
    analysis: Analysis, ignored: Collection[LinkPair]
) -> tuple[tuple[PairEvidence, MaskState], ...]:
    """Pairs whose collisions the mask hides although they are possible, and certain ones that it
    misses."""
    states = ((evidence, mask_state(evidence, evidence.pair in ignored)) for evidence in analysis)
    return tuple(entry for entry in states if entry[1].is_conflict)


@dataclass(frozen=True, slots=True)
class MaskDifference:
    """A pair on which masks differ, with the masks that ignore it and those that check it, by name.

    `verdict` says who is right and why, beside the names of the two links; `explanation` is the
    whole sentence.
    """

    pair: LinkPair
    ignored_in: tuple[str, ...]
    checked_in: tuple[str, ...]
    evidence: PairEvidence | None
    explanation: str
    verdict: str = ""


def compare_masks(
    analysis: Analysis, masks: Mapping[str, Collection[LinkPair]], frame_names: Collection[str] = ()
) -> tuple[MaskDifference, ...]:
    """Return the differences of masks (any number, by name) in the order of the tree, with the
    evidence of each side.

    `frame_names`: the frames of the tree, to tell frames without spheres from frames that the robot
    does not have.
    """
    sets = {name: frozenset(pairs) for name, pairs in masks.items()}
    everything = frozenset().union(*sets.values()) if sets else frozenset()
    differing = [pair for pair in everything if not all(pair in mask for mask in sets.values())]
    index = analysis.model.pair_index
    differing.sort(key=lambda pair: (index.get(pair, len(index)), pair))
    result = []
    for pair in differing:
        yes = tuple(name for name, mask in sets.items() if pair in mask)
        no = tuple(name for name in sets if name not in yes)
        evidence = analysis.get(pair)
        explanation, verdict = _difference(pair, yes, no, evidence, analysis, frame_names)
        result.append(MaskDifference(pair, yes, no, evidence, explanation, verdict))
    return tuple(result)


def _difference(
    pair: LinkPair,
    yes: Sequence[str],
    no: Sequence[str],
    evidence: PairEvidence | None,
    analysis: Analysis,
    frame_names: Collection[str],
) -> tuple[str, str]:
    """(the explanation, the verdict)."""
    head = f"Ignored by {' and '.join(yes)}, checked by {' and '.join(no)}: "
    if evidence is None:
        strangers = [
            name for name in (pair.first, pair.second) if frame_names and name not in frame_names
        ]
        bare = [name for name in (pair.first, pair.second) if name not in analysis.model.index]
        if strangers:
            why = f"the robot has no frame {' and no '.join(strangers)}"
        else:
            why = f"{' and '.join(bare)} {'has' if len(bare) == 1 else 'have'} no spheres"
        return f"{head}{why}, so this makes no difference.", f"Makes no difference: {why}."
    verdict = {
        PairClass.ADJACENT: f"{' and '.join(yes)} is right",
        PairClass.RIGID: f"{' and '.join(yes)} is right",
        PairClass.NEVER_CERTIFIED: "both are safe, ignoring it saves time",
        PairClass.NEVER_SAMPLED: "ignoring it is likely safe",
        PairClass.CAN_COLLIDE: f"{' and '.join(yes)} hides a possible collision",
        PairClass.DEFAULT: "please decide",
        PairClass.ALWAYS: "please decide",
        PairClass.UNKNOWN: "not examined yet",
    }[evidence.kind]
    explanation = f"{head}{verdict}. {analysis.explain(pair)}"
    if not verdict.startswith(tuple(yes)):
        verdict = f"{verdict[0].upper()}{verdict[1:]}"
    return explanation, verdict + (
        "." if evidence.kind is PairClass.UNKNOWN else f": they {reason_of(evidence)}."
    )
