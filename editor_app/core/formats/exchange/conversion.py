"""Helpers of conversions: the fate of each item, groups and their joints, pairs as a mapping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import GuessedPart
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.xrdf import LinkPair, Xrdf


class Fate(StrEnum):
    """The fate of one item of the input."""

    TAKEN = "taken over"
    TRANSLATED = "translated"
    KEPT = "kept aside"
    #: The target needs it, the input does not say it: a guess of this program, which the user has
    #: to look at.
    INVENTED = "invented"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class ConversionItem:
    """An item of the input, named as the input names it.

    `detail`: how many, what it became, or why it is lost. `is_unread`: it cannot be read, here,
    where it is lost, or by the program that the file is for; that is a fault of the input. Other
    losses have no place in the target. `missing`: names of a file that was not found, any of which
    the user can locate.
    """

    fate: Fate
    item: str
    detail: str = ""
    is_unread: bool = False
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.fate}: {self.item}" + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True, slots=True)
class ConversionReport:
    """`source` and `target` name the formats ("SRDF", "XRDF 1.0", …)."""

    source: str
    target: str
    entries: tuple[ConversionItem, ...] = ()

    def of(self, fate: Fate) -> tuple[ConversionItem, ...]:
        return tuple(entry for entry in self.entries if entry.fate == fate)

    @property
    def is_lossless(self) -> bool:
        return not self.of(Fate.LOST)

    def kept_beside(self) -> ConversionReport:
        """The report where another file is written as well, which holds what would be lost."""
        moved = (e.fate == Fate.LOST and not e.is_unread for e in self.entries)
        entries = (
            replace(e, fate=Fate.KEPT) if is_kept else e
            for e, is_kept in zip(self.entries, moved, strict=True)
        )
        return replace(self, entries=tuple(entries))

    def lines(self) -> list[str]:
        """Lines for a terminal."""
        return [f"{self.source} -> {self.target}", *(f"  {entry}" for entry in self.entries)]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        entries = [{"fate": str(e.fate), "item": e.item, "detail": e.detail} for e in self.entries]
        return {"source": self.source, "target": self.target, "entries": entries}


def summarize_reports(reports: Iterable[ConversionReport]) -> str:
    """How many items had each fate in all reports: `4 taken over, … 1 lost`."""
    counts = Counter(entry.fate for report in reports for entry in report.entries)
    return ", ".join(f"{counts.get(fate, 0)} {fate}" for fate in Fate)


@dataclass(frozen=True, slots=True)
class TextConversion:
    """The text of a new file, and what became of the robot in it."""

    text: str
    report: ConversionReport


class Reporter:
    """Collects entries; empty counts are not worth one."""

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target
        self.entries: list[ConversionItem] = []
        #: Values of the XRDF that no input states.
        self.guesses: set[GuessedPart] = set()

    def guess(self, key: str, joints: Iterable[str]) -> None:
        """Note that the values of these joints under a key of the XRDF are this program's."""
        self.guesses.update((key, joint) for joint in joints)

    def taken(self, item: str, detail: str = "") -> None:
        self.entries.append(ConversionItem(Fate.TAKEN, item, detail))

    def translated(self, item: str, detail: str) -> None:
        self.entries.append(ConversionItem(Fate.TRANSLATED, item, detail))

    def kept(self, item: str, detail: str = "") -> None:
        self.entries.append(ConversionItem(Fate.KEPT, item, detail))

    def invented(self, item: str, detail: str) -> None:
        self.entries.append(ConversionItem(Fate.INVENTED, item, detail))

    def lost(self, item: str, detail: str) -> None:
        self.entries.append(ConversionItem(Fate.LOST, item, detail))

    def unread(self, item: str, detail: str, missing: tuple[str, ...] = ()) -> None:
        """Report a part of the input that cannot be read; `missing`: names of the file that it
        needs."""
        self.entries.append(
            ConversionItem(Fate.LOST, item, detail, is_unread=True, missing=missing)
        )

    def not_found(self, item: str, detail: str, name: str) -> None:
        """Report a file that was not found under a name, which the result keeps."""
        self.entries.append(ConversionItem(Fate.LOST, item, detail, missing=(name,)))

    def unread_elsewhere(self, item: str, detail: str) -> None:
        """Report a part of the input that is read here, but not by the program that the file is
        for."""
        self.entries.append(ConversionItem(Fate.TRANSLATED, item, detail, is_unread=True))

    def report(self) -> ConversionReport:
        return ConversionReport(self.source, self.target, tuple(self.entries))


#: What pairs get as reason that the XRDF masks without saying why.
ADJACENT, UNKNOWN = "Adjacent", "User"
GROUP, STATE = "manipulator", "default"


@dataclass(frozen=True, slots=True)
class SrdfConversion:
    srdf: Srdf
    report: ConversionReport


@dataclass(frozen=True, slots=True)
class XrdfConversion:
    """`reasons` are for comments: XRDF has no place for them. `silent`: items that the source says
    nothing of. `guesses`: values that the source does not state.

    `aside` is what XRDF has no place for and its own format takes back, as a value of that format's
    codec.
    """

    xrdf: Xrdf
    report: ConversionReport
    reasons: FrozenDict[LinkPair, str] = FrozenDict()
    silent: frozenset[str] = frozenset()
    guesses: frozenset[GuessedPart] = frozenset()
    aside: object = None


class NeedsChoice(ValueError):
    """The conversion needs a decision; the message lists the choices."""


def choose_group(srdf: Srdf, structure: KinematicGraph, name: str | None) -> Group | None:
    """The group that is named, else the only one with joints that move and that is part of no other
    choice.

    An end effector's group is no choice. Raises NeedsChoice.
    """
    if name is not None:
        return _named_group(srdf, structure, name)
    effectors = {e.group for e in srdf.end_effectors}
    choices = [g for g in srdf.groups if list_planned_joints(srdf, g, structure)]
    arms = [g for g in choices if g.name not in effectors] or choices
    sets = {g.name: list_planned_joints(srdf, g, structure) for g in arms}
    if len({frozenset(s) for s in sets.values()}) > 1:
        # A group that holds just the arm and its gripper leaves the arm as the choice.
        whole = [g for g in arms if not g.subgroups]
        if len({frozenset(sets[g.name]) for g in whole}) != 1:
            raise NeedsChoice(f"Several groups are possible: {', '.join(sets)}. Name one.")
        arms = whole
    return arms[0] if arms else None


def _named_group(srdf: Srdf, structure: KinematicGraph, name: str) -> Group:
    """The group of that name, all of whose members exist. Raises NeedsChoice."""
    chosen = srdf.group(name)
    if chosen is None:
        raise NeedsChoice(
            f"The SRDF has no group {name!r}; its groups: {', '.join(g.name for g in srdf.groups)}"
        )
    missing = srdf.missing_members(chosen, structure.links, structure.joints)
    if missing:
        raise NeedsChoice(
            f"The group {name!r} names joints or links that the URDF does not have: "
            f"{', '.join(missing)}"
        )
    if not list_planned_joints(srdf, chosen, structure):
        usable = [
            group.name for group in srdf.groups if list_planned_joints(srdf, group, structure)
        ]
        raise NeedsChoice(
            f"The group {name!r} has no movable joint; groups with movable joints: "
            f"{', '.join(usable)}"
        )
    return chosen


def masked_pairs(xrdf: Xrdf, links: Collection[str], form: str, out: Reporter) -> list[LinkPair]:
    """The ignored pairs of these links, sorted, told as what they become; pairs of other frames are
    told as lost."""
    ignored = sorted(xrdf.ignored_pairs())
    pairs = [pair for pair in ignored if pair.first in links and pair.second in links]
    if pairs:
        out.translated("self_collision.ignore", f"{form}, {format_count(len(pairs), 'pair')}")
    if len(pairs) < len(ignored):
        out.lost(
            "self_collision.ignore",
            f"{format_count(len(ignored) - len(pairs), 'pair')} of frames that are not links",
        )
    return pairs
