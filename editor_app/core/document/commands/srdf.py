"""Edits of the SRDF: groups, postures, tools, its mask (pairs with reasons), and the SRDF as a
whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from editor_app.core.document.commands.tools import (
    check_finite,
    check_name,
    replace_by_key,
    the_srdf,
    the_srdf_group,
    with_srdf,
)
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.srdf import CollisionPair, GroupState, Srdf
from editor_app.core.model.xrdf import LinkPair


@dataclass(frozen=True, slots=True)
class SetSrdf:
    """Sets the SRDF as a whole (import, sections without a command of their own); None takes it
    away."""

    srdf: Srdf | None
    label: str = "Set SRDF"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return robot if robot.srdf == self.srdf else robot.with_srdf(self.srdf)


@dataclass(frozen=True, slots=True)
class StoreState:
    """Store a posture under a name: a new state of the group, which replaces a state of the same
    name.

    Joints that are in that one and not in `positions` keep what they have: several numbers of a
    floating joint are no position that a pose could tell.
    """

    name: str
    group: str
    positions: FrozenDict[str, float]
    label = Label("Store state {name}")

    @staticmethod
    def of_pose(
        name: str, group: str, joints: tuple[str, ...], pose: Mapping[str, float]
    ) -> StoreState:
        """The positions that the group's `joints` have in a pose."""
        return StoreState(name, group, FrozenDict({j: pose[j] for j in joints if j in pose}))

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        the_srdf_group(srdf, self.group)
        values = {
            j: (float(check_finite(v, f"The position of {j}")),) for j, v in self.positions.items()
        }
        old = _state(srdf, self.name, self.group)
        positions = FrozenDict({**(old.positions if old is not None else {}), **values})
        state = GroupState(check_name(self.name, "A state"), self.group, positions)
        return with_srdf(
            robot, states=replace_by_key(srdf.states, state, lambda s: (s.name, s.group))
        )


@dataclass(frozen=True, slots=True)
class SetStatePositions:
    """Gives joints of a posture other values, one number or several; an empty value takes the joint
    out of it."""

    name: str
    group: str
    values: FrozenDict[str, tuple[float, ...]]
    label = Label("Set {values:the joint} in state {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        old = _state(srdf, self.name, self.group)
        if old is None:
            raise CannotApply(f"The group {self.group!r} has no state {self.name!r}.")
        for joint, values in self.values.items():
            for value in values:
                check_finite(value, f"The position of {joint}")
            if joint not in old.positions and not _is_joint(robot, joint):
                raise CannotApply(f"The robot has no joint {joint!r}.")
        positions = {
            j: tuple(map(float, v)) for j, v in {**old.positions, **self.values}.items() if v
        }
        state = replace(old, positions=FrozenDict(positions))
        return with_srdf(robot, states=tuple(state if s is old else s for s in srdf.states))


def _state(srdf: Srdf, name: str, group: str) -> GroupState | None:
    return next((s for s in srdf.states if (s.name, s.group) == (name, group)), None)


def _is_joint(robot: RobotDescription, name: str) -> bool:
    virtual = robot.srdf.virtual_joints if robot.srdf is not None else ()
    return robot.urdf.joint(name) is not None or any(v.name == name for v in virtual)


@dataclass(frozen=True)
class SrdfMask:
    """Pairs as MoveIt's AllowedCollisionMatrix takes an SRDF.

    `disable_default_collisions` leaves a link out altogether, `enable_collisions` takes a pair in
    again, and `disable_collisions` has the last word.
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
        """Return the pairs to leave out: those that are named, and from `pairs` the ones that whole
        links take along."""
        return frozenset(self.disabled) | frozenset(p for p in pairs if self.ignores(p))

    def _whole(self, pair: LinkPair) -> str | None:
        return next((name for name in (pair.first, pair.second) if name in self.whole), None)


def with_srdf_pairs(
    robot: RobotDescription, ignored: Mapping[LinkPair, str], checked: Collection[LinkPair]
) -> RobotDescription:
    """Return `robot` with an SRDF that ignores the pairs `ignored`, with their reasons, and checks
    the pairs `checked`.

    A pair of a link that is left out altogether gets an `enable_collisions`. Raises CannotApply for
    a frame that is no link, and without an SRDF.
    """
    srdf = the_srdf(robot)
    rank = {link.name: i for i, link in enumerate(robot.urdf.links)}
    for name in (name for pair in ignored for name in (pair.first, pair.second)):
        if name not in rank:
            raise CannotApply(f"{name} is not a link of the URDF; an SRDF can only name links.")
    now = SrdfMask.of(srdf)
    fresh = {pair: why for pair, why in ignored.items() if not now.ignores(pair)}
    again = {pair for pair in checked if now.ignores(pair)}
    enabled = tuple(p for p in srdf.enabled_pairs if p.pair not in fresh)
    disabled = tuple(p for p in srdf.disabled_pairs if p.pair not in again)

    def entry(pair: LinkPair, reason: str | None) -> CollisionPair:
        first, second = sorted(
            (pair.first, pair.second), key=lambda name: rank.get(name, len(rank))
        )
        return CollisionPair(first, second, reason)

    without = SrdfMask.of(replace(srdf, enabled_pairs=enabled, disabled_pairs=disabled))
    added_enabled = (entry(pair, None) for pair in sorted(again) if without.ignores(pair))
    added_disabled = (
        entry(pair, why or None) for pair, why in fresh.items() if not without.ignores(pair)
    )
    return with_srdf(
        robot, enabled_pairs=(*enabled, *added_enabled), disabled_pairs=(*disabled, *added_disabled)
    )
