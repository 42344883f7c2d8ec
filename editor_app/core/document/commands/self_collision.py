"""The pairs of frames that self-collision leaves out (`ignore`).

A pair is masked when it stands under either of its frames. New entries stand once, under the frame that comes
first in the kinematic structure; what is written already stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from editor_app.core.document.commands.tools import named, removed, the_section, with_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection, ignore_mapping, rank_in
from editor_app.core.space.kinematics.tree import tree_of

Ignore = FrozenDict[str, tuple[str, ...]]

NO_IGNORE: Ignore = FrozenDict()


def ignore_of(robot: RobotDescription, pairs: Iterable[LinkPair]) -> Ignore:
    """`pairs` as an `ignore` mapping: each once, keys and lists in the order of the kinematic structure."""
    return ignore_mapping(pairs, tree_of(robot).frames)


@dataclass(frozen=True, slots=True)
class MaskPairs:
    """Leaves pairs out of self-collision; those that are left out already do not matter."""

    pairs: tuple[LinkPair, ...]
    label = Label("Ignore {pairs:the pair}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        section = _section(robot)
        masked = set(section.ignored_pairs())
        rank = frame_rank(robot)
        ignore: dict[str, tuple[str, ...]] = dict(section.ignore or NO_IGNORE)
        for pair in self.pairs:
            if pair.first == pair.second:
                raise CannotApply(f"{pair.first} cannot be ignored against itself: a frame is never checked so.")
            pair = LinkPair.of(named(pair.first, "A frame"), named(pair.second, "A frame"))
            if pair not in masked:
                masked.add(pair)
                first, second = _ordered(pair, rank)
                ignore[first] = (*ignore.get(first, ()), second)
        if ignore == (section.ignore or NO_IGNORE):
            return robot
        return _with_ignore(robot, FrozenDict(ignore))


@dataclass(frozen=True, slots=True)
class UnmaskPairs:
    """Checks pairs again, whichever way round and however often they are written."""

    pairs: tuple[LinkPair, ...]
    label = Label("Check {pairs:the pair} again")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        section = _section(robot)
        masked = section.ignored_pairs()
        gone = {LinkPair.of(pair.first, pair.second) for pair in self.pairs}
        for pair in gone - masked:
            raise CannotApply(f"{pair.first} and {pair.second} are not ignored.")
        return _filtered(robot, lambda frame, other: LinkPair.of(frame, other) not in gone)


@dataclass(frozen=True, slots=True)
class SetIgnore:
    """Sets `ignore` as a whole; None removes the key."""

    ignore: Ignore | None
    label: str = "Set ignored pairs"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        section = _section(robot)
        return robot if self.ignore == section.ignore and self.ignore is not None else _with_ignore(robot, self.ignore)


@dataclass(frozen=True, slots=True)
class TidyIgnore:
    """Takes out what masks nothing more: a pair's second entry, entries twice in a list, a frame against itself.

    Of a pair that is written both ways, the entry under the frame first in the kinematic structure stays.
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
        return _with_ignore(robot, ignore.set(self.frame, left) if left else ignore.without(self.frame))


def redundant_entries(robot: RobotDescription) -> int:
    """How many entries of `ignore` TidyIgnore would take out."""
    section = robot.xrdf.self_collision
    if section is None or section.ignore is None:
        return 0
    return sum(len(others) for others in section.ignore.values()) - len(section.ignored_pairs())


def frame_rank(robot: RobotDescription) -> Callable[[str], tuple[int, str]]:
    """A sort key for frames: place in the kinematic structure; names that it does not have come last."""
    return rank_in(tree_of(robot).frames)


def _ordered(pair: LinkPair, rank: Callable[[str], tuple[int, str]]) -> tuple[str, str]:
    return (pair.first, pair.second) if rank(pair.first) <= rank(pair.second) else (pair.second, pair.first)


def _filtered(robot: RobotDescription, kept: Callable[[str, str], bool]) -> RobotDescription:
    """The robot with those entries of `ignore`; a frame that loses its last entry goes, one without any stays."""
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
        raise CannotApply("There are no ignored pairs.")
    return section.ignore


def _with_ignore(robot: RobotDescription, ignore: Ignore | None) -> RobotDescription:
    return with_xrdf(robot, self_collision=replace(_section(robot), ignore=ignore))
