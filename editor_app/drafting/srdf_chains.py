"""What an SRDF says about the arms of a robot: groups, end effectors, states."""

from __future__ import annotations

from collections.abc import Iterator

from editor_app.drafting.bodies import BodyTree
from editor_app.drafting.words import says
from editor_app.model.srdf import Group, GroupState, Srdf

#: A state with one of these names is where motion begins; the first that is there is taken. A hand begins open.
READY = ("ready", "home", "default", "rest", "neutral", "start", "half_sitting", "standing", "arm_up", "stow", "open")


def joints_of(tree: BodyTree, srdf: Srdf, group: Group) -> tuple[str, ...]:
    """The joints of a group that move by themselves, its subgroups' included, in the order of the URDF."""
    names = set(_members(tree, srdf, group, set()))
    return tuple(joint.name for joint in tree.independent if joint.name in names)


def _members(tree: BodyTree, srdf: Srdf, group: Group, seen: set[str]) -> Iterator[str]:
    if group.name in seen:
        return
    seen.add(group.name)
    yield from group.joints
    for link in group.links:
        if link in tree.above:
            yield tree.above[link].name
    for base, tip in group.chains:
        yield from between(tree, base, tip)
    for name in group.subgroups:
        inner = srdf.group(name)
        if inner is not None:
            yield from _members(tree, srdf, inner, seen)


def between(tree: BodyTree, base: str, tip: str) -> tuple[str, ...]:
    """Names of the joints below `base` on the way to `tip`; the whole way when `base` is not above `tip`."""
    if tip not in tree.places:
        return ()
    path = tree.path(tip)
    start = next((i for i, joint in enumerate(path) if joint.parent == base), 0)
    return tuple(joint.name for joint in path[start:])


def arm_groups(tree: BodyTree, srdf: Srdf, locked: frozenset[str]) -> tuple[Group, ...]:
    """The groups to control: those that carry an end effector, else the longest chains that are no hand or head.

    `locked`: joints that structure or name show to be no arm's; a group of nothing else is no arm.
    """
    carrying = {e.parent_group for e in srdf.end_effectors if e.parent_group}
    if not carrying:
        # Some name the arm itself as the group of the end effector.
        carrying = {e.group for e in srdf.end_effectors if set(_joints(tree, srdf, e.group)) - locked}
    named = [group for group in srdf.groups if group.name in carrying]
    candidates = [g for g in named if joints_of(tree, srdf, g)] or [
        g for g in srdf.groups if _is_arm(tree, srdf, g, locked)
    ]
    sets = {group.name: frozenset(joints_of(tree, srdf, group)) for group in candidates}
    chosen: list[Group] = []
    for group in sorted(candidates, key=lambda g: -len(sets[g.name])):
        # Of chains within each other the longest; a group that joins several chains is no chain itself.
        if not any(sets[group.name] <= sets[other.name] for other in chosen):
            chosen.append(group)
    return tuple(sorted(chosen, key=lambda g: srdf.groups.index(g)))


def _joints(tree: BodyTree, srdf: Srdf, name: str) -> tuple[str, ...]:
    group = srdf.group(name)
    return joints_of(tree, srdf, group) if group is not None else ()


def _is_arm(tree: BodyTree, srdf: Srdf, group: Group, locked: frozenset[str]) -> bool:
    joints = joints_of(tree, srdf, group)
    free = [name for name in joints if name not in locked]
    if len(free) < 2 or len(free) < len(joints) or says("leg", group.name) or says("head", group.name):
        return False
    by_name = {joint.name: joint for joint in tree.independent}
    deepest = max(free, key=lambda name: len(tree.path(by_name[name].child)))
    way = {joint.name for joint in tree.path(by_name[deepest].child)}
    return set(free) <= way


def ready_states(srdf: Srdf) -> tuple[GroupState, ...]:
    """One state per group: ready, home, or the like; none for groups without."""
    chosen: dict[str, tuple[int, GroupState]] = {}
    for state in srdf.states:
        name = state.name.lower()
        rank = next((i for i, word in enumerate(READY) if word in name), None)
        if rank is not None and (state.group not in chosen or rank < chosen[state.group][0]):
            chosen[state.group] = rank, state
    return tuple(state for _, state in chosen.values())
