"""What both directions between SRDF and XRDF share: results, groups and their joints, pairs as a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editor_app.formats.exchange.report import ConversionReport
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.srdf import Group, Srdf
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import LinkPair, Xrdf

#: What pairs get as reason that the XRDF masks without saying why.
ADJACENT, UNKNOWN = "Adjacent", "User"
GROUP, STATE = "manipulator", "default"


@dataclass(frozen=True, slots=True)
class SrdfConversion:
    srdf: Srdf
    report: ConversionReport


@dataclass(frozen=True, slots=True)
class XrdfConversion:
    """`reasons` are for comments: XRDF has no place for them. `silent`: items that the source says nothing of.

    `aside` is what XRDF has no place for and its own format takes back, as a value of that format's codec.
    """

    xrdf: Xrdf
    report: ConversionReport
    reasons: FrozenDict[LinkPair, str] = FrozenDict()
    silent: frozenset[str] = frozenset()
    aside: object = None


class NeedsChoice(ValueError):
    """The conversion needs a decision; the message lists the choices."""


def choose_group(srdf: Srdf, structure: KinematicGraph, name: str | None) -> Group | None:
    """The group that is named, else the only one with joints that move and that is part of no other choice.

    An end effector's group is no choice. Raises NeedsChoice.
    """
    if name is not None:
        chosen = srdf.group(name)
        if chosen is None:
            raise NeedsChoice(f"There is no group {name!r}; there are: {', '.join(g.name for g in srdf.groups)}")
        return chosen
    effectors = {e.group for e in srdf.end_effectors}
    choices = [g for g in srdf.groups if group_joints(srdf, g, structure)]
    arms = [g for g in choices if g.name not in effectors] or choices
    sets = {g.name: group_joints(srdf, g, structure) for g in arms}
    if len({frozenset(s) for s in sets.values()}) > 1:
        # A group that holds just the arm and its gripper leaves the arm as the choice.
        whole = [g for g in arms if not g.subgroups]
        if len({frozenset(sets[g.name]) for g in whole}) != 1:
            raise NeedsChoice(f"Several groups could be meant: {', '.join(sets)}. Name one.")
        arms = whole
    return arms[0] if arms else None


def group_joints(srdf: Srdf, group: Group, structure: KinematicGraph) -> tuple[str, ...]:
    """The movable joints of a group that mimic none and are not passive: chains, joints, links, subgroups."""
    joints: dict[str, None] = {}
    seen: set[str] = set()

    def add(one: Group) -> None:
        if one.name in seen:
            return
        seen.add(one.name)
        for base, tip in one.chains:
            joints.update(dict.fromkeys(structure.movable(structure.chain(base, tip) or ())))
        direct = [structure.joints[n] for n in one.joints if n in structure.joints]
        direct += [structure.incoming[n] for n in one.links if n in structure.incoming]
        joints.update(dict.fromkeys(structure.movable(direct)))
        for name in one.subgroups:
            inner = srdf.group(name)
            if inner is not None:
                add(inner)

    add(group)
    return tuple(name for name in joints if name not in srdf.passive_joints)


def ignore_mapping(pairs: Mapping[LinkPair, object], urdf: Urdf) -> FrozenDict[str, tuple[str, ...]]:
    """Each pair once, under the link that stands first in the URDF."""
    rank = {link.name: i for i, link in enumerate(urdf.links)}

    def place(name: str) -> tuple[int, str]:
        return rank.get(name, len(rank)), name

    ordered = sorted((sorted((p.first, p.second), key=place) for p in pairs), key=lambda ab: [place(n) for n in ab])
    ignore: dict[str, tuple[str, ...]] = {}
    for first, second in ordered:
        ignore[first] = (*ignore.get(first, ()), second)
    return FrozenDict(ignore)
