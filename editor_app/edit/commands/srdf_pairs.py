"""The SRDF's mask: which pairs it leaves out and why, the edit that makes it what is wanted, and its defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from editor_app.edit.commands.srdf import with_pairs
from editor_app.edit.commands.tools import the_link, the_srdf, with_srdf
from editor_app.model.change import CannotApply, Label
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import CollisionPair, Srdf
from editor_app.model.xrdf import LinkPair


@dataclass(frozen=True)
class SrdfMask:
    """Pairs as MoveIt's AllowedCollisionMatrix takes an SRDF.

    `disable_default_collisions` leaves a link out altogether, `enable_collisions` takes a pair in again, and
    `disable_collisions` has the last word.
    """

    disabled: Mapping[LinkPair, str] = field(default_factory=dict)
    enabled: frozenset[LinkPair] = frozenset()
    whole: frozenset[str] = frozenset()

    @classmethod
    def of(cls, srdf: Srdf | None) -> SrdfMask:
        if srdf is None:
            return cls()
        disabled: dict[LinkPair, str] = {}
        for p in srdf.disabled_pairs:
            if p.link1 != p.link2:
                # Of a pair that stands there twice, the first reason that says something.
                disabled[p.pair] = disabled.get(p.pair) or p.reason or ""
        enabled = frozenset(p.pair for p in srdf.enabled_pairs)
        return cls(disabled, enabled, frozenset(srdf.default_disabled_links))

    def ignores(self, pair: LinkPair) -> bool:
        return pair in self.disabled or (pair not in self.enabled and self._whole(pair) is not None)

    def reason(self, pair: LinkPair) -> str:
        """Why the pair is left out, in the words of the file; "" where it gives none."""
        if pair in self.disabled:
            return self.disabled[pair]
        whole = self._whole(pair)
        return f"all of {whole}" if whole is not None and pair not in self.enabled else ""

    def within(self, pairs: Iterable[LinkPair]) -> frozenset[LinkPair]:
        """What is left out: the pairs that are named, and from `pairs` the ones that whole links take along."""
        return frozenset(self.disabled) | frozenset(p for p in pairs if self.ignores(p))

    def _whole(self, pair: LinkPair) -> str | None:
        return next((name for name in (pair.first, pair.second) if name in self.whole), None)


@dataclass(frozen=True, slots=True)
class SetSrdfPairs:
    """Leaves pairs out of the SRDF's collision checking, with their reasons, and checks others again.

    Pairs that are so already do not matter. A pair of a link that is left out altogether gets an `enable_collisions`.
    """

    ignored: FrozenDict[LinkPair, str] = FrozenDict()
    checked: tuple[LinkPair, ...] = ()
    label: str = ""

    def __post_init__(self) -> None:
        if not self.label:
            try:
                label = self._words()
            except (AttributeError, TypeError):
                # No pairs: the refusal names the field when the step is taken.
                label = "Edit the pairs of the SRDF"
            object.__setattr__(self, "label", label)

    def _words(self) -> str:
        parts = []
        for verb, pairs in (("disable", tuple(self.ignored)), ("enable", self.checked)):
            if pairs:
                parts.append(f"{verb} {pairs[0] if len(pairs) == 1 else counted(len(pairs), 'pair')}")
        words = " and ".join(parts)
        return f"{words[:1].upper()}{words[1:]} in the SRDF"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        rank = {link.name: i for i, link in enumerate(robot.urdf.links)}
        for name in (name for pair in self.ignored for name in (pair.first, pair.second)):
            if name not in rank:
                raise CannotApply(f"{name} is no link of the URDF, and an SRDF knows no other frames.")
        now = SrdfMask.of(srdf)
        fresh = {pair: why for pair, why in self.ignored.items() if not now.ignores(pair)}
        again = {pair for pair in self.checked if now.ignores(pair)}
        enabled = tuple(p for p in srdf.enabled_pairs if p.pair not in fresh)
        disabled = tuple(p for p in srdf.disabled_pairs if p.pair not in again)

        def entry(pair: LinkPair, reason: str | None) -> CollisionPair:
            first, second = sorted((pair.first, pair.second), key=lambda name: rank.get(name, len(rank)))
            return CollisionPair(first, second, reason)

        without = SrdfMask.of(replace(srdf, enabled_pairs=enabled, disabled_pairs=disabled))
        added_enabled = (entry(pair, None) for pair in sorted(again) if without.ignores(pair))
        added_disabled = (entry(pair, why or None) for pair, why in fresh.items() if not without.ignores(pair))
        return with_srdf(robot, enabled_pairs=(*enabled, *added_enabled), disabled_pairs=(*disabled, *added_disabled))


@dataclass(frozen=True, slots=True)
class LeaveLinkOut:
    """Leaves a link out of collision checking altogether (`disable_default_collisions`), or no longer."""

    link: str
    out: bool = True

    @property
    def label(self) -> str:
        return f"Leave {self.link} out by default" if self.out else f"Check {self.link} by default"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        links = the_srdf(robot).default_disabled_links
        if self.out == (self.link in links):
            return robot
        if not self.out:
            return with_srdf(robot, default_disabled_links=tuple(name for name in links if name != self.link))
        return with_srdf(robot, default_disabled_links=(*links, the_link(robot, self.link).name))


@dataclass(frozen=True, slots=True)
class CheckAllTheSame:
    """Checks pairs of links that are left out altogether (`enable_collisions`), with a reason if there is one.

    Of pairs that stand there already the reason changes.
    """

    pairs: tuple[LinkPair, ...]
    reason: str | None = None
    label = Label("Check {pairs:the pair} all the same")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        entries = the_srdf(robot).enabled_pairs
        changed = with_pairs(entries, self.pairs, self.reason)
        for entry in changed[len(entries) :]:
            the_link(robot, entry.link1)
            the_link(robot, entry.link2)
        return with_srdf(robot, enabled_pairs=changed)


@dataclass(frozen=True, slots=True)
class DeleteExceptions:
    """Takes pairs out of `enable_collisions`."""

    pairs: tuple[LinkPair, ...]
    label = Label("Delete the exception for {pairs:the pair}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        gone = {LinkPair.of(p.first, p.second) for p in self.pairs}
        kept = tuple(p for p in the_srdf(robot).enabled_pairs if p.pair not in gone)
        return with_srdf(robot, enabled_pairs=kept)
