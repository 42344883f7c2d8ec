"""The mask: the pairs that self-collision leaves out, in an XRDF (`ignore`) or an SRDF
(`disable_collisions`).

An XRDF ignores a pair that is listed under either of its frames. A new entry is listed once, under
the frame that comes first in the kinematic structure; existing entries keep their place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from editor_app.core.document.commands.srdf import SrdfMask, with_srdf_pairs
from editor_app.core.document.commands.tools import check_name, removed, replace_xrdf, the_section
from editor_app.core.drafting.bodies import link_order
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection, ignore_mapping, rank_in
from editor_app.core.space.kinematics.tree import get_tree

Ignore = FrozenDict[str, tuple[str, ...]]

NO_IGNORE: Ignore = FrozenDict()


def ignore_of(robot: RobotDescription, pairs: Iterable[LinkPair]) -> Ignore:
    """`pairs` as an `ignore` mapping: each once, keys and lists in the order of the kinematic
    structure."""
    return ignore_mapping(pairs, get_tree(robot).frames)


class MaskFile(StrEnum):
    """The file that a mask is in: `self_collision.ignore` of an XRDF, or `disable_collisions` of an
    SRDF."""

    XRDF = "XRDF"
    SRDF = "SRDF"

    @property
    def other(self) -> MaskFile:
        return MaskFile.SRDF if self is MaskFile.XRDF else MaskFile.XRDF


@dataclass(frozen=True, slots=True)
class SetMask:
    """Leave pairs out of the self-collision of one file, and check others again. Other entries keep
    their place."""

    file: MaskFile = MaskFile.XRDF
    #: The pairs to leave out; those that are left out already do not matter.
    pairs: tuple[LinkPair, ...] = ()
    #: Reasons that an SRDF gets. `WriteMaskText` writes them into an XRDF, as comments.
    reasons: FrozenDict[LinkPair, str] = FrozenDict()
    #: The pairs to check again.
    checked: tuple[LinkPair, ...] = ()
    label: str = ""
    #: Sort all entries of the XRDF as in a new file: from the base to the tools, left before right.
    anew: bool = False

    def __post_init__(self) -> None:
        if not self.label:
            # Values that are no pairs are refused, with the name of their field, when the step is
            # executed.
            with suppress(AttributeError, TypeError):
                object.__setattr__(self, "label", self._default_label())

    @classmethod
    def exactly(
        cls,
        robot: RobotDescription,
        file: MaskFile,
        wanted: Collection[LinkPair],
        *,
        within: Collection[LinkPair] | None = None,
        reasons: Mapping[LinkPair, str] = FrozenDict(),
        label: str = "Write the mask",
        anew: bool = False,
    ) -> SetMask:
        """Return the step after which the file ignores exactly `wanted`, of the pairs `within`
        (default: all).

        Pairs that the file cannot have are left out: in an SRDF frames that the XRDF adds, with
        `anew` links without spheres. An SRDF gives a pair without a reason as the user's. Raises
        CannotApply without a section for the mask.
        """
        rank = frame_rank(robot)
        wanted = frozenset(wanted)
        if file is MaskFile.SRDF:
            links = {link.name for link in robot.urdf.links}
            scope = sorted(p for p in within or () if p.first in links and p.second in links)
            ignored = SrdfMask.of(robot.srdf).within(scope)
            reasons = {pair: reasons.get(pair, "User") for pair in scope}
        else:
            ignored = _section(robot).ignored_pairs()
            if anew:
                spheres = robot.xrdf.spheres_of(robot.xrdf.self_group)
                wanted = frozenset(
                    p for p in wanted if spheres.get(p.first) and spheres.get(p.second)
                )
            scope = sorted(
                within if within is not None else wanted | ignored,
                key=lambda pair: sorted((rank(pair.first), rank(pair.second))),
            )
        pairs = tuple(pair for pair in scope if pair in wanted and pair not in ignored)
        checked = tuple(pair for pair in scope if pair not in wanted and pair in ignored)
        return cls(file, pairs, FrozenDict(reasons), checked, label, anew)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if self.file is MaskFile.SRDF:
            reasons = {pair: self.reasons.get(pair, "") for pair in self.pairs}
            return with_srdf_pairs(robot, reasons, self.checked)
        gone = {LinkPair.of(pair.first, pair.second) for pair in self.checked}
        for pair in sorted(gone - _section(robot).ignored_pairs()):
            raise CannotApply(f"{pair.first} and {pair.second} are not ignored.")
        if gone:
            robot = _filtered(robot, lambda frame, other: LinkPair.of(frame, other) not in gone)
        section, rank = _section(robot), frame_rank(robot)
        ignored = set(section.ignored_pairs())
        ignore: dict[str, tuple[str, ...]] = dict(section.ignore or NO_IGNORE)
        for pair in self.pairs:
            if pair.first == pair.second:
                raise CannotApply(
                    f"{pair.first} cannot be ignored against itself: a frame is never checked "
                    "against itself."
                )
            pair = LinkPair.of(
                check_name(pair.first, "A frame"), check_name(pair.second, "A frame")
            )
            if pair not in ignored:
                ignored.add(pair)
                first, second = _ordered(pair, rank)
                ignore[first] = (*ignore.get(first, ()), second)
        result = ignore_mapping(ignored, _reading_order(robot)) if self.anew else FrozenDict(ignore)
        return robot if result == section.ignore else _with_ignore(robot, result)

    def _default_label(self) -> str:
        verbs = ("disable", "enable") if self.file is MaskFile.SRDF else ("ignore", "check")
        parts = []
        for verb, pairs in zip(verbs, (self.pairs, self.checked), strict=True):
            different = tuple(dict.fromkeys(pairs))
            if different:
                parts.append(
                    f"{verb} "
                    f"{different[0] if len(different) == 1 else format_count(len(different), 'pair')}"
                )
        if not parts:
            return "Edit the mask"
        words = " and ".join(parts)
        if self.file is MaskFile.SRDF:
            words += " in the SRDF"
        elif self.checked:
            words += " again"
        return f"{words[:1].upper()}{words[1:]}"


@dataclass(frozen=True, slots=True)
class SetIgnore:
    """Sets `ignore` as a whole; None removes the key."""

    ignore: Ignore | None
    label: str = "Set ignored pairs"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        section = _section(robot)
        return (
            robot
            if self.ignore == section.ignore and self.ignore is not None
            else _with_ignore(robot, self.ignore)
        )


@dataclass(frozen=True, slots=True)
class TidyIgnore:
    """Takes out what masks nothing more: a pair's second entry, entries twice in a list, a frame
    against itself.

    Of a pair that is written both ways, the entry under the frame first in the kinematic structure
    stays.
    """

    label: str = "Tidy ignored pairs"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        ignore = _section(robot).ignore or NO_IGNORE
        rank = frame_rank(robot)
        seen: set[tuple[str, str]] = set()

        def kept(frame: str, other: str) -> bool:
            first, second = _ordered(LinkPair.of(frame, other), rank)
            reverse = frame == second and second in ignore.get(first, ())
            if frame == other or reverse or (frame, other) in seen:
                return False
            seen.add((frame, other))
            return True

        return _filtered(robot, kept)


@dataclass(frozen=True, slots=True)
class DeleteIgnoreEntry:
    """Takes one entry out of one frame's list; a list that is empty then goes with its key."""

    frame: str
    index: int
    label = Label("Delete an ignored pair of {frame}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        ignore = _present(robot)
        left = removed(ignore.get(self.frame, ()), (self.index,), "ignored frame")
        return _with_ignore(
            robot, ignore.set(self.frame, left) if left else ignore.without(self.frame)
        )


def redundant_entries(robot: RobotDescription) -> int:
    """How many entries of `ignore` TidyIgnore would take out."""
    section = robot.xrdf.self_collision
    if section is None or section.ignore is None:
        return 0
    return sum(len(others) for others in section.ignore.values()) - len(section.ignored_pairs())


def frame_rank(robot: RobotDescription) -> Callable[[str], tuple[int, str]]:
    """A sort key for frames: place in the kinematic structure; names that it does not have come
    last."""
    return rank_in(get_tree(robot).frames)


def _reading_order(robot: RobotDescription) -> tuple[str, ...]:
    """The frames from the base to the tools, left before right; frames that the XRDF adds come
    last."""
    order = link_order(robot.urdf)
    return (*order, *(frame for frame in get_tree(robot).frames if frame not in set(order)))


def _ordered(pair: LinkPair, rank: Callable[[str], tuple[int, str]]) -> tuple[str, str]:
    return (
        (pair.first, pair.second)
        if rank(pair.first) <= rank(pair.second)
        else (pair.second, pair.first)
    )


def _filtered(robot: RobotDescription, kept: Callable[[str, str], bool]) -> RobotDescription:
    """The robot with those entries of `ignore`; a frame that loses its last entry goes, one without
    any stays."""
    ignore = _section(robot).ignore or NO_IGNORE
    changed = False
    result: dict[str, tuple[str, ...]] = {}
    for frame, others in ignore.items():
        left = tuple(other for other in others if kept(frame, other))
        changed = changed or len(left) != len(others)
        if left or not others:
            result[frame] = others if len(left) == len(others) else left
    return _with_ignore(robot, FrozenDict(result)) if changed else robot


def _section(robot: RobotDescription) -> SelfCollisionSection:
    section: SelfCollisionSection = the_section(robot, "self_collision")
    return section


def _present(robot: RobotDescription) -> Ignore:
    section = robot.xrdf.self_collision
    if section is None or section.ignore is None:
        raise CannotApply("No pairs are ignored.")
    return section.ignore


def _with_ignore(robot: RobotDescription, ignore: Ignore | None) -> RobotDescription:
    return replace_xrdf(robot, self_collision=replace(_section(robot), ignore=ignore))
