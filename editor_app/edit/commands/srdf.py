"""Edits of the SRDF: groups, postures, tools, pairs with reasons, and the SRDF as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from editor_app.edit.commands.tools import (
    add_or_edit,
    finite,
    named,
    placed,
    the_srdf,
    the_srdf_group,
    with_named,
    with_srdf,
)
from editor_app.model.change import CannotApply, Label
from editor_app.model.frozen import FrozenDict
from editor_app.model.references import Named, with_renamed
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import CollisionPair, Group, GroupState, Srdf, ToolCenterPoint
from editor_app.model.xrdf import LinkPair


@dataclass(frozen=True, slots=True)
class SetSrdf:
    """Sets the SRDF as a whole (import, sections without a command of their own); None takes it away."""

    srdf: Srdf | None
    label: str = "Set SRDF"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return robot if robot.srdf == self.srdf else robot.with_srdf(self.srdf)


@dataclass(frozen=True, slots=True)
class SetSrdfGroup:
    """Adds a group, or replaces that of the name `old`; states, tools and subgroups follow a new name."""

    group: Group
    old: str | None = None
    label = Label("{old} group {group.name}", old=add_or_edit)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        name = named(self.group.name, "A group")
        changed = with_srdf(robot, groups=with_named(srdf.groups, self.group, self.old, "group"))
        return changed if self.old is None else with_renamed(changed, Named.SRDF_GROUP, self.old, name)


@dataclass(frozen=True, slots=True)
class DeleteSrdfGroup:
    """Deletes a group with its states and tools; as a subgroup, it leaves the others."""

    name: str
    label = Label("Delete group {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        the_srdf_group(srdf, self.name)
        effectors = [e.name for e in srdf.end_effectors if e.group == self.name]
        if effectors:
            raise CannotApply(f"The end effector {effectors[0]!r} is of this group: delete it first.")
        groups = tuple(g for g in srdf.groups if g.name != self.name)
        return with_renamed(with_srdf(robot, groups=groups), Named.SRDF_GROUP, self.name, None)


@dataclass(frozen=True, slots=True)
class StoreState:
    """Stores a posture under a name: a new state of the group, or in the place of that of the same name.

    Joints that are in that one and not in `positions` keep what they have: several numbers of a floating joint are no
    position that a pose could tell.
    """

    name: str
    group: str
    positions: FrozenDict[str, float]
    label = Label("Store state {name}")

    @staticmethod
    def of_pose(name: str, group: str, joints: tuple[str, ...], pose: Mapping[str, float]) -> StoreState:
        """The positions that the group's `joints` have in a pose."""
        return StoreState(name, group, FrozenDict({j: pose[j] for j in joints if j in pose}))

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        the_srdf_group(srdf, self.group)
        values = {j: (float(finite(v, f"The position of {j}")),) for j, v in self.positions.items()}
        old = _state(srdf, self.name, self.group)
        positions = FrozenDict({**(old.positions if old is not None else {}), **values})
        state = GroupState(named(self.name, "A state"), self.group, positions)
        return with_srdf(robot, states=placed(srdf.states, state, lambda s: (s.name, s.group)))


@dataclass(frozen=True, slots=True)
class SetStatePositions:
    """Gives joints of a posture other values, one number or several; an empty value takes the joint out of it."""

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
                finite(value, f"The position of {joint}")
            if joint not in old.positions and not _is_joint(robot, joint):
                raise CannotApply(f"There is no joint {joint!r}.")
        positions = {j: tuple(map(float, v)) for j, v in {**old.positions, **self.values}.items() if v}
        state = replace(old, positions=FrozenDict(positions))
        return with_srdf(robot, states=tuple(state if s is old else s for s in srdf.states))


@dataclass(frozen=True, slots=True)
class DeleteState:
    """Deletes one posture of a group."""

    name: str
    group: str
    label = Label("Delete state {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        states = tuple(s for s in srdf.states if (s.name, s.group) != (self.name, self.group))
        if states == srdf.states:
            raise CannotApply(f"The group {self.group!r} has no state {self.name!r}.")
        return with_srdf(robot, states=states)


@dataclass(frozen=True, slots=True)
class SetTcp:
    """Adds a tool centre point, or replaces that of the same name and group."""

    tcp: ToolCenterPoint
    label = Label("Set tool centre point {tcp.name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf, tcp = the_srdf(robot), self.tcp
        named(tcp.name, "A tool centre point")
        the_srdf_group(srdf, tcp.group)
        for value in (*tcp.xyz, *(tcp.wxyz or ()), *(tcp.rpy or ())):
            finite(value, f"A number of {tcp.name}")
        return with_srdf(robot, tcps=placed(srdf.tcps, tcp, lambda t: (t.name, t.group)))


@dataclass(frozen=True, slots=True)
class DisablePairs:
    """Leaves pairs out of collision checking, for a reason; of those that are disabled already the reason changes."""

    pairs: tuple[LinkPair, ...]
    reason: str | None = "User"
    label = Label("Disable {pairs:pair}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return with_srdf(robot, disabled_pairs=with_pairs(the_srdf(robot).disabled_pairs, self.pairs, self.reason))


@dataclass(frozen=True, slots=True)
class EnablePairs:
    """Checks pairs again that are disabled."""

    pairs: tuple[LinkPair, ...]
    label = Label("Enable {pairs:pair}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        wanted = {LinkPair.of(p.first, p.second) for p in self.pairs}
        for pair in wanted - srdf.disabled():
            raise CannotApply(f"{pair.first} and {pair.second} are not disabled.")
        return with_srdf(robot, disabled_pairs=tuple(p for p in srdf.disabled_pairs if p.pair not in wanted))


def with_pairs(
    entries: tuple[CollisionPair, ...], pairs: Iterable[LinkPair], reason: str | None
) -> tuple[CollisionPair, ...]:
    """`entries` with these pairs, for a reason; of those that stand there already the reason changes."""
    wanted = dict.fromkeys(LinkPair.of(p.first, p.second) for p in pairs)
    for pair in wanted:
        if pair.first == pair.second:
            raise CannotApply(f"{pair.first} is never checked against itself.")
    present = {entry.pair for entry in entries}
    kept = (replace(entry, reason=reason) if entry.pair in wanted else entry for entry in entries)
    return (*kept, *(CollisionPair(p.first, p.second, reason) for p in wanted if p not in present))


def _state(srdf: Srdf, name: str, group: str) -> GroupState | None:
    return next((s for s in srdf.states if (s.name, s.group) == (name, group)), None)


def _is_joint(robot: RobotDescription, name: str) -> bool:
    virtual = robot.srdf.virtual_joints if robot.srdf is not None else ()
    return robot.urdf.joint(name) is not None or any(v.name == name for v in virtual)
