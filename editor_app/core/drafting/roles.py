"""Roles of the independent joints: an arm's, a wheel's, a finger's, a head's, a leg's joint.

Told from the structure first (what turns without end and carries nothing, what is short beside the
chain that carries it, what stands on the ground), from names second. Every answer comes with its
reason.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.words import says
from editor_app.core.model.urdf import Joint, JointType

#: A branch this short beside the chain that carries it is a finger.
_FINGER_SHARE = 0.4
#: Joints above a palm, at least; and joints of a head or another side branch, at most.
_ARM_JOINTS, _SIDE_JOINTS = 3, 3
#: A wheel hangs on the base by no more moving joints than these: suspension, swivel.
_WHEEL_DEPTH = 3
#: Sliding no further than this is a suspension (metres).
_SUSPENSION = 0.1
#: Limbs that end within this share of the robot's height above its lowest limb stand on the ground.
_STANDING = 0.12
#: A jaw opens to one side, and no further than this (radians; metres for one that slides).
_JAW_RANGE, _JAW_START = 2.6, 0.25


class Role(StrEnum):
    """The role of a joint outside of the c-space."""

    WHEEL = "wheel"
    FINGER = "finger"
    HEAD = "head"
    LEG = "leg"
    SIDE = "side branch"
    OTHER = "not on the chosen chain"


@dataclass(frozen=True)
class Roles:
    """`by_joint`: joint -> its role and the reason; joints that no role was found for are for
    control.

    `ends`: first link of the last body of each chain that remains, in tree order. `palms`: bodies
    that carry fingers.
    """

    by_joint: dict[str, tuple[Role, str]]
    ends: tuple[str, ...]
    palms: frozenset[str]


def recognise(tree: BodyTree) -> Roles:
    """The roles of the joints of a robot that move by themselves."""
    joint_roles: dict[str, tuple[Role, str]] = {}
    _wheels(tree, joint_roles)
    palms = _fingers(tree, joint_roles)
    ends = _ends(tree, joint_roles)
    if not ends and palms:
        # Nothing else moves: what looks like a finger is what the robot works with.
        joint_roles, palms = (
            {name: role for name, role in joint_roles.items() if role[0] is not Role.FINGER},
            set(),
        )
        ends = _ends(tree, joint_roles)
    ends = _without_legs(tree, joint_roles, ends)
    ends = _without_side_branches(tree, joint_roles, ends)
    return Roles(joint_roles, tuple(ends), frozenset(palms))


def has_range(joint: Joint) -> bool:
    """Return whether a joint can move at all: limits of 0 to 0 hold it where it is."""
    limits = joint.position_limits
    return limits is None or limits[1] > limits[0]


def _moving_to(tree: BodyTree, joint: Joint) -> list[Joint]:
    return [upper for upper in tree.path(joint.child) if upper.is_movable and upper.mimic is None]


def _spins(joint: Joint) -> bool:
    limits = joint.position_limits
    if joint.type is JointType.CONTINUOUS:
        return True
    endless = limits is None or limits[1] - limits[0] > 20 * math.pi
    return joint.type is JointType.REVOLUTE and (endless or not has_range(joint))


def _wheels(tree: BodyTree, joint_roles: dict[str, tuple[Role, str]]) -> None:
    moving_below = tree.below_counts(lambda joint: joint.is_movable)
    spinning = [j for j in tree.independent if _spins(j) and not moving_below[j.child]]
    by_type = Counter(joint.type for joint in spinning)
    for joint in spinning:
        word = says("wheel", joint.name, joint.child)
        above = _moving_to(tree, joint)[:-1] if tree.movers_to(joint.child) <= _WHEEL_DEPTH else []
        near = tree.movers_to(joint.child) <= _WHEEL_DEPTH and all(
            _spins(j) or _is_suspension(j) for j in above
        )
        if near and by_type[joint.type] > 1:
            reason = "it is continuous, carries nothing, and the base has another joint like it"
            joint_roles[joint.name] = Role.WHEEL, reason
        elif word is not None:
            joint_roles[joint.name] = (
                Role.WHEEL,
                f"it is continuous, carries nothing, and its name contains {word!r}",
            )
        else:
            continue
        for upper in above if near else ():
            if upper.name not in joint_roles:
                joint_roles[upper.name] = Role.WHEEL, f"it carries only the wheel of {joint.name}"


def _is_suspension(joint: Joint) -> bool:
    limits = joint.position_limits
    return (
        joint.type is JointType.PRISMATIC
        and limits is not None
        and limits[1] - limits[0] <= _SUSPENSION
    )


def _fingers(tree: BodyTree, joint_roles: dict[str, tuple[Role, str]]) -> set[str]:
    reasons: dict[str, tuple[str, list[Joint]]] = {}
    moving_below = tree.below_counts(lambda joint: joint.is_movable)
    movers_below = tree.below_counts(lambda joint: joint.is_movable and joint.mimic is None)
    for head in tree.members:
        branches = [joint for joint in tree.branches(head) if joint.name not in joint_roles]
        if not branches or tree.movers_to(head) < _ARM_JOINTS:
            continue
        length = max(tree.length(head), 1e-9)
        if any(tree.reach(j) > _FINGER_SHARE * length for j in branches):
            continue
        reason = _hand_reason(tree, branches, moving_below, movers_below)
        if reason is not None:
            reasons[head] = reason, branches
    return _behind_palms(tree, joint_roles, reasons)


def _behind_palms(
    tree: BodyTree,
    joint_roles: dict[str, tuple[Role, str]],
    reasons: dict[str, tuple[str, list[Joint]]],
) -> set[str]:
    """Fingers may carry fingers: they belong to the palm that is nearest the base. Returns these
    palms."""
    palms: set[str] = set()
    beyond: set[str] = set()
    marked: set[str] = set()
    for head in tree.members:
        upper = tree.above.get(head)
        if upper is not None and tree.body[upper.parent] in beyond:
            beyond.add(head)
        elif head in reasons:
            palms.add(head)
            beyond.add(head)
        if head not in reasons or head in marked:
            continue
        reason, branches = reasons[head]
        for link in (name for j in branches for name in tree.subtree(j.child)):
            marked.add(link)
            joint = tree.above[link]
            if joint.is_movable and joint.mimic is None:
                joint_roles[joint.name] = Role.FINGER, reason
    return palms


def _hand_reason(
    tree: BodyTree,
    branches: list[Joint],
    moving_below: Mapping[str, int],
    movers_below: Mapping[str, int],
) -> str | None:
    """Why what hangs on a body behind an arm are fingers; None when it is the arm that goes on."""
    carrier = tree.common({j.parent for j in branches})
    if len(branches) > 1:
        return (
            None
            if _are_no_fingers(tree, branches, movers_below)
            else f"one of {len(branches)} short branches on {carrier}"
        )
    only = branches[0]
    if moving_below[only.child] and not says("finger", only.name, only.child):
        return None
    if only.mimic is not None:
        return f"it mimics {only.mimic.joint}"
    word = says("finger", only.name, only.child)
    if _opens_to_one_side(only) and (only.type is JointType.PRISMATIC or word):
        return f"the last joint on {carrier}, which opens to one side only" + (
            f" ({word!r})" if word else ""
        )
    return None


def _are_no_fingers(tree: BodyTree, branches: list[Joint], movers_below: Mapping[str, int]) -> bool:
    """A head, by its names, or arms on a trunk: these have as many joints as an arm."""
    if any(says("finger", j.name, j.child) for j in branches):
        return False
    if any(says("head", j.name, j.child) for j in branches):
        return True
    deep = max(movers_below[j.child] + (j.is_movable and j.mimic is None) for j in branches)
    return deep >= 6 and max(tree.reach(j) for j in branches) > 0.25


def _opens_to_one_side(joint: Joint) -> bool:
    limits = joint.position_limits
    if limits is None:
        return False
    lower, upper = limits
    return min(abs(lower), abs(upper)) <= _JAW_START and 0 < upper - lower <= _JAW_RANGE


def _ends(tree: BodyTree, joint_roles: dict[str, tuple[Role, str]]) -> list[str]:
    """The bodies behind which no joint for control moves, and in front of which one does, in tree
    order."""
    free = {j.name for j in tree.independent if j.name not in joint_roles and has_range(j)}
    if not free:
        free = {j.name for j in tree.independent if j.name not in joint_roles}
    free_below = tree.below_counts(lambda joint: joint.name in free)
    # The last joint for control leads to this very body; what follows by mimic belongs to it.
    return [
        head
        for head in tree.members
        if not free_below[head] and head in tree.above and tree.above[head].name in free
    ]


def _joints_to(
    tree: BodyTree, joint_roles: dict[str, tuple[Role, str]], ends: Collection[str]
) -> dict[str, list[Joint]]:
    """End -> the joints for control that lead to this end and to no other."""
    every = {tree.above[end].name for end in ends}
    ends_below = tree.below_counts(lambda joint: joint.name in every)
    return {
        end: [
            joint
            for joint in tree.path(
                end, lambda joint: ends_below[joint.child] + (joint.name in every) == 1
            )
            if joint.is_movable and joint.mimic is None and joint.name not in joint_roles
        ]
        for end in ends
    }


def _without_legs(
    tree: BodyTree, joint_roles: dict[str, tuple[Role, str]], ends: list[str]
) -> list[str]:
    """Without the limbs that the robot stands on, when it has others to work with."""
    if len(ends) < 2:
        return ends
    end_joints = _joints_to(tree, joint_roles, ends)
    named = {
        end
        for end in ends
        if end_joints[end] and all(says("leg", j.name, j.child) for j in end_joints[end][:2])
    }
    for legs, reason in (
        (_standing(tree, end_joints), "it ends on the ground; other limbs do not"),
        (named, "its joints have the usual names of a leg"),
    ):
        rest = [end for end in ends if end not in legs]
        if len(legs) >= 2 and any(len(end_joints[end]) >= _ARM_JOINTS + 1 for end in rest):
            for joint in (joint for end in legs for joint in end_joints[end]):
                joint_roles[joint.name] = Role.LEG, reason
            return rest
    return ends


def _standing(tree: BodyTree, end_joints: dict[str, list[Joint]]) -> set[str]:
    """The ends that reach the ground from well above it: end -> its joints."""
    lowest = {end: min(tree.places[name][2] for name in tree.subtree(end)) for end in end_joints}
    every = [place[2] for place in tree.places.values()]
    ground, height = min(lowest.values()), max(every) - min(every)
    standing = set()
    for end, joints in end_joints.items():
        if len(joints) >= 2:
            start = tree.places[joints[0].child][2]
            if lowest[end] - ground <= _STANDING * height and start - lowest[end] > 0.2 * height:
                standing.add(end)
    return standing


def _without_side_branches(
    tree: BodyTree, joint_roles: dict[str, tuple[Role, str]], ends: list[str]
) -> list[str]:
    end_joints = _joints_to(tree, joint_roles, ends)
    longest = max((len(joints) for joints in end_joints.values()), default=0)
    kept = []
    for end in ends:
        joints = end_joints[end]
        word = next((w for j in joints for w in (says("head", j.name, j.child),) if w), None)
        most = _SIDE_JOINTS + (word is not None)
        if (
            len(ends) < 2
            or len(joints) > most
            or 3 * len(joints) > 2 * longest
            or (word is None and 2 * len(joints) > longest)
        ):
            kept.append(end)
            continue
        beside = f"{len(joints)} joint{'s' if len(joints) > 1 else ''} next to a chain of {longest}"
        for joint in joints:
            if word is not None:
                joint_roles[joint.name] = Role.HEAD, f"{beside}, called {word!r}"
            else:
                joint_roles[joint.name] = Role.SIDE, beside
    return kept
