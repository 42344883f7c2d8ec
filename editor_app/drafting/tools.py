"""The tool frame of a chain: a frame made for it, the palm of a hand, a fixed leaf beyond the last joint, its link."""

from __future__ import annotations

from editor_app.drafting.bodies import BodyTree
from editor_app.drafting.words import WEAK, is_hand, says, tool_rank


def tool_of(tree: BodyTree, end: str, *, is_palm: bool, effector: str | None = None) -> tuple[str, str]:
    """(frame, reason) for the chain whose last body begins with the link `end`.

    `effector`: the parent link of an SRDF end effector, when it is in this body. `is_palm`: the body carries fingers.
    """
    members = tree.members[end] if is_palm else _carried(tree, end)
    best = _made_for_it(tree, members, end, is_palm=is_palm)
    if effector is not None and effector in members:
        # MoveIt names the link that the hand is mounted on: a frame beyond it is better.
        beyond = best is not None and best[0] != effector and best[0] in set(tree.subtree(effector))
        if not beyond:
            return effector, "it carries the SRDF's end effector"
    return best or _last(tree, members, end)


def _made_for_it(tree: BodyTree, members: tuple[str, ...], end: str, *, is_palm: bool) -> tuple[str, str] | None:
    named = [name for name in members if tool_rank(name) and not says("sensor", name)]
    best = max(named, key=lambda name: (tool_rank(name), tree.order[name]), default=None)
    fingers = {joint.parent for joint in tree.branches(end)} if is_palm else set()
    # A palm is better than a flange or a tip, and not as good as a TCP.
    if fingers and (best is None or tool_rank(best) <= WEAK):
        return tree.common(fingers), "it carries the fingers"
    return None if best is None else (best, "its name is that of a frame made for the task")


def _last(tree: BodyTree, members: tuple[str, ...], end: str) -> tuple[str, str]:
    hands = [name for name in members if is_hand(name) and not says("sensor", name)]
    if hands:
        # The first of the body is the link that the last joint moves; frames on it were made for a purpose.
        return max(hands, key=lambda name: (name != end, -tree.order[name])), "its name is that of a hand or a foot"
    leaves = [name for name in members[1:] if not tree.below.get(name) and not says("sensor", name)]
    if leaves:
        depth = {name: len(tree.path(name)) for name in leaves}
        best = max(leaves, key=lambda name: (depth[name], -tree.order[name]))
        return best, "a fixed frame beyond the last joint"
    return end, "the link that the last joint moves"


def _carried(tree: BodyTree, end: str) -> tuple[str, ...]:
    """The links of a body, and of those behind it that only follow other joints."""
    carried = list(tree.members[end])
    for joint in tree.branches(end):
        if joint.mimic is not None:
            carried.extend(_carried(tree, joint.child))
    return tuple(carried)
