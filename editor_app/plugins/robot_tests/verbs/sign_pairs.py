"""The verbs review_mask and sign_pairs: why each ignored pair is ignored, who decided it, and its
signature."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from enum import StrEnum

from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.document import Document
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.mask_reasons import ADJACENT_REASON, RIGID_REASON, set_reason
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import (
    Cancel,
    PlacedRobot,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    never,
    silent,
)
from editor_app.core.text.source import SourceText
from editor_app.features.masks.engine.results import (
    Analysis,
    PairClass,
    PairEvidence,
    explain_evidence,
    proven_mm,
)
from editor_app.features.masks.verbs.mask import mask
from editor_app.features.masks.verbs.mask_changes import list_masked_pairs
from editor_app.plugins.robot_tests.verbs.signatures import (
    Signature,
    pair_digests,
    pair_reasons,
    read_signature,
    usual_mask_file,
)

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
#: Words of the program itself, which are no reasons that somebody gave.
_OWN_WORDS = frozenset(
    {ADJACENT_REASON, RIGID_REASON, "never", "default", "always", "user", "adjacent"}
)


class DecisionState(StrEnum):
    ADJACENT = "adjacent"
    RIGID = "rigid"
    PROVEN = "proven"
    #: No planner compares the two links.
    WITHOUT_SPHERES = "without spheres"
    SIGNED = "signed"
    #: The robot changed since in a way that the decision rests on.
    WITHDRAWN = "withdrawn"
    OPEN = "open"


#: Pairs that need no signature: the structure says why they are ignored, or a proof holds.
_DECIDED = FrozenDict(
    {
        PairClass.ADJACENT: DecisionState.ADJACENT,
        PairClass.RIGID: DecisionState.RIGID,
        PairClass.NEVER_CERTIFIED: DecisionState.PROVEN,
    }
)


@dataclass(frozen=True, slots=True)
class PairDecision:
    """An ignored pair. `evidence`: None for a pair without spheres. `changed`: parts that are not
    as signed."""

    pair: LinkPair
    names: tuple[str, str]
    state: DecisionState
    reason: str
    why: str
    evidence: PairEvidence | None = None
    signature: Signature | None = None
    changed: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if the pair has neither a signature that holds, nor a proof, nor a structure that
        explains it."""
        is_unsigned = self.state in (DecisionState.OPEN, DecisionState.WITHDRAWN)
        return is_unsigned and self.evidence is not None and self.evidence.kind not in _DECIDED

    @property
    def sentence(self) -> str:
        """Who decided, or what is missing; without a point."""
        if self.signature is None:
            return "no signature" if self.state is DecisionState.OPEN else self.state.value
        if self.changed:
            return f"{self.signature.told}; withdrawn: {' and '.join(self.changed)} changed since"
        unbound = "" if self.signature.digests else "; holds for any state: sign again to bind it"
        return f"{self.signature.told}{unbound}"


@dataclass(frozen=True)
class MaskReview:
    """The ignored pairs of a file, open and withdrawn pairs first, and the evidence about them."""

    file: MaskFile
    decisions: tuple[PairDecision, ...]
    analysis: Analysis
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def is_decided(self) -> bool:
        """True if each ignored pair is adjacent, rigid, proven or signed."""
        return not self.undecided

    @property
    def undecided(self) -> tuple[PairDecision, ...]:
        return tuple(each for each in self.decisions if each.is_open)

    @property
    def told(self) -> str:
        """One sentence without a point: how many pairs have each state."""
        counts = {
            state: sum(each.state is state for each in self.decisions) for state in DecisionState
        }
        parts = ", ".join(f"{count} {state.value}" for state, count in counts.items() if count)
        return (
            f"{format_count(len(self.decisions), 'ignored pair')}: {parts}"
            if parts
            else "no ignored pairs"
        )


@dataclass(frozen=True, slots=True)
class SignInText:
    """The step that writes reasons of ignored pairs into the text of an XRDF."""

    reasons: FrozenDict[LinkPair, str]

    @property
    def label(self) -> str:
        return f"Sign {format_count(len(self.reasons), 'pair')}"

    def apply_text(self, text: str) -> str:
        """Raises CannotApply for a pair that is not ignored, or whose list cannot hold a
        comment."""
        for pair, reason in self.reasons.items():
            text = set_reason(read_xrdf(SourceText.from_text(text)), pair, reason)
        return text


@dataclass(frozen=True, slots=True)
class SignInSrdf:
    """The step that writes reasons of disabled pairs into an SRDF."""

    reasons: FrozenDict[LinkPair, str]

    @property
    def label(self) -> str:
        return f"Sign {format_count(len(self.reasons), 'pair')} in the SRDF"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for pair, reason in self.reasons.items():
            robot = set_item("srdf.disabled_pairs", pair, reason).apply(robot)
        return robot


@check_arguments
def review_mask(
    document: Document,
    *,
    file: MaskFile | None = None,
    samples: int = 20_000,
    certify: float = 10.0,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> MaskReview:
    """Return why each pair is ignored: its evidence, its reason, who signed it, and what changed
    since.

    `file`: whose mask; default the XRDF, or the SRDF if the XRDF has no mask. `samples`, `seed`,
    `certify`: as of `mask`. Raises Refused, Cancelled.
    """
    file = file or usual_mask_file(document.robot)
    judged = mask(
        document,
        file=file,
        samples=samples,
        certify=certify,
        seed=seed,
        executor=executor,
        progress=progress,
        cancel=cancel,
    )
    ignored, reasons = (
        list_masked_pairs(document.robot, file, judged.analysis.model.link_pairs),
        pair_reasons(document, file),
    )
    decisions = decide_pairs(locate_robot(document), reasons, ignored, judged.analysis)
    return MaskReview(file, decisions, judged.analysis, judged.notes)


def decide_again(document: Document, review: MaskReview) -> MaskReview:
    """Return the review after pairs were signed: the evidence stays."""
    pairs, reasons = (each.pair for each in review.decisions), pair_reasons(document, review.file)
    return replace(
        review, decisions=decide_pairs(locate_robot(document), reasons, pairs, review.analysis)
    )


def decide_pairs(
    placed: PlacedRobot,
    reasons: Mapping[LinkPair, str],
    ignored: Iterable[LinkPair],
    analysis: Analysis,
) -> tuple[PairDecision, ...]:
    """Return the decisions about ignored pairs by evidence that was computed before."""
    decisions = []
    for pair in sorted(ignored):
        evidence, signature = analysis.get(pair), read_signature(reasons.get(pair, ""))
        changed = () if signature is None else signature.changed_parts(pair_digests(placed, pair))
        if changed:
            state = DecisionState.WITHDRAWN
        elif signature is not None:
            state = DecisionState.SIGNED
        else:
            state = DecisionState.WITHOUT_SPHERES if evidence is None else _state_of(evidence)
        names = (pair.first, pair.second) if evidence is None else (evidence.first, evidence.second)
        why = (
            "at least one has no spheres"
            if evidence is None
            else explain_evidence(evidence, analysis)
        )
        decisions.append(
            PairDecision(
                pair, names, state, reasons.get(pair, ""), why, evidence, signature, changed
            )
        )
    order = [*DecisionState][::-1]
    return tuple(sorted(decisions, key=lambda each: (order.index(each.state), each.pair)))


def _state_of(evidence: PairEvidence) -> DecisionState:
    return _DECIDED.get(evidence.kind, DecisionState.OPEN)


@check_arguments
def sign_pairs(
    document: Document,
    pairs: Iterable[LinkPair] | Mapping[LinkPair, str],
    *,
    by: str,
    reason: str = "",
    date: str | None = None,
    file: MaskFile | None = None,
) -> Change | TextChange:
    """Return the step that signs ignored pairs: it writes name, date and the digests of the present
    state behind each.

    `pairs`: the pairs, or pair -> its reason. `reason`: for pairs without one; default the reason
    that the file has. `date`: as 2026-11-29; default today. Raises Refused for a pair that is not
    ignored, or without a name or reason.
    """
    file = file or usual_mask_file(document.robot)
    by, date = by.strip(), date or datetime.date.today().isoformat()
    if (
        not by
        or any(not each.isprintable() for each in (by, reason))
        or _DATE.search(by)
        or "sha:" in by + reason
    ):
        raise Refused(
            "a signature needs a name, and a reason of one line; neither may contain a date or sha:"
        )
    if _DATE.fullmatch(date) is None:
        raise Refused(f"the date must look like 2026-11-29, not {date!r}")
    given = dict(pairs) if isinstance(pairs, Mapping) else dict.fromkeys(pairs, "")
    ignored = list_masked_pairs(document.robot, file, given)
    present, placed = pair_reasons(document, file), locate_robot(document)
    texts = {}
    for pair, words_given in given.items():
        if pair not in ignored:
            raise Refused(
                f"the {file} does not ignore {pair.first} and {pair.second}: there is nothing to "
                "sign"
            )
        words = words_given.strip() or reason.strip() or _reason_in(present.get(pair, ""))
        if not words:
            raise Refused(
                f"the pair {pair.first} and {pair.second} has no reason yet: give one (--reason)"
            )
        texts[pair] = Signature(by, date, words, pair_digests(placed, pair)).text
    if not texts:
        raise Refused("no pairs to sign")
    return SignInText(FrozenDict(texts)) if file is MaskFile.XRDF else SignInSrdf(FrozenDict(texts))


def _reason_in(text: str) -> str:
    """Return the reason that somebody gave before; "" for words of the program."""
    signature = read_signature(text)
    words = text if signature is None else signature.reason
    return "" if words.casefold() in _OWN_WORDS else words


def proven_pairs(decisions: Iterable[PairDecision]) -> dict[LinkPair, str]:
    """Return the pairs that a proof decides -> the reason that states it; pairs with a signature
    that holds stay."""
    return dict(_proven(decisions))


def _proven(decisions: Iterable[PairDecision]) -> Iterator[tuple[LinkPair, str]]:
    for each in decisions:
        evidence = each.evidence
        if (
            evidence is not None
            and evidence.kind is PairClass.NEVER_CERTIFIED
            and each.state is not DecisionState.SIGNED
        ):
            yield (
                each.pair,
                f"proven to stay {proven_mm(evidence.certified_clearance or 0.0)} mm or more apart",
            )
