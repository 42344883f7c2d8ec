"""Which joints of a robot are controlled, where its tools are, and what stays locked: asked for, or
guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.roles import Role, Roles, has_range, recognise
from editor_app.core.drafting.words import (
    NAMED_FOR_IT,
    SUREST,
    WEAK,
    is_hand,
    says,
    side,
    tool_rank,
)
from editor_app.core.model.coercion import Validated
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.options import comma_separated, option
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.srdf import Group, GroupState, Srdf
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.urdf import Joint, Urdf


@dataclass(frozen=True, slots=True)
class ControlRequest(Validated):
    """The joints that the user wants controlled; empty fields are guessed. `group` names a group of
    the SRDF; at most one of the three (`base` and `tools`; `group`; `joints`) says which joints are
    controlled. `tools` may accompany any of them."""

    base: str | None = option(None, "first link of the chains (default: the root)", "LINK")
    tools: tuple[str, ...] = option((), "a tool frame; repeatable", "FRAME", flag="tool")
    group: str | None = option(None, "control the joints of this SRDF group", "NAME")
    joints: tuple[str, ...] = option(
        (), "control exactly these joints", "A,B", type=comma_separated
    )


NOTHING_ASKED = ControlRequest()


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """A tool frame and why it is one; `guessed` is False when the user named it."""

    frame: str
    reason: str
    guessed: bool = True


@dataclass(frozen=True, slots=True)
class LockedJoint:
    """A joint outside the c-space: where it stays (rad or m), what it is, and why it is not
    controlled."""

    joint: str
    position: float
    role: Role
    reason: str


@dataclass(frozen=True, slots=True)
class ControlPlan:
    """`joints`: the c-space, in the order of the URDF. `positions`: a position for every joint that
    moves by itself, within its limits. `state`: the SRDF's states that positions come from.
    `reason`: why these joints."""

    base: str
    joints: tuple[str, ...]
    tools: tuple[ToolChoice, ...]
    locked: tuple[LockedJoint, ...]
    positions: FrozenDict[str, float]
    reason: str
    guessed: bool
    states: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    #: The file that positions come from where no state gives them; empty where they are guessed.
    begins: str = ""

    def beginning(self, urdf: Urdf, positions: Mapping[str, float], source: str) -> ControlPlan:
        """With these positions (joint -> rad or m) where motion begins, which `source` gives,
        within the limits."""
        joints = {joint.name: joint for joint in urdf.joints}
        begin = {
            name: joints[name].clamped(positions.get(name, old))
            for name, old in self.positions.items()
        }
        locked = tuple(replace(entry, position=begin[entry.joint]) for entry in self.locked)
        return replace(self, positions=FrozenDict(begin), locked=locked, begins=source)


def plan_control(
    urdf: Urdf, srdf: Srdf | None = None, request: ControlRequest = NOTHING_ASKED
) -> ControlPlan:
    """The plan for a robot. Raises CannotApply when the request names what the robot does not
    have."""
    tree = BodyTree.of(urdf)
    roles = recognise(tree)
    groups: tuple[Group, ...] = ()
    guessed = False
    if request.joints:
        joints, reason = _named_joints(tree, request.joints), "the named joints"
    elif request.group is not None:
        joints, reason = (
            _joints_of_named(tree, srdf, request.group),
            f"the SRDF's group {request.group}",
        )
    elif request.tools or request.base:
        joints, reason = _chain_joints(tree, roles, request)
    else:
        guessed = True
        groups = arm_groups(tree, srdf, frozenset(roles.by_joint)) if srdf is not None else ()
        joints = tuple(
            dict.fromkeys(n for g in groups if srdf is not None for n in joints_of(tree, srdf, g))
        )
        # A jaw at the end of a group's chain opens and closes; it takes the tool nowhere.
        joints = (
            tuple(n for n in joints if roles.by_joint.get(n, (None,))[0] is not Role.FINGER)
            or joints
        )
        reason = "the SRDF's " + _listed("group", [g.name for g in groups])
        if not joints:
            joints, reason = _guessed_joints(tree, roles)
    order = {joint.name: i for i, joint in enumerate(tree.joints)}
    joints = tuple(sorted(joints, key=order.__getitem__))
    tools = _tools(tree, roles, joints, srdf, request)
    positions, states = _positions(tree, srdf)
    controlled = set(joints)
    locked = tuple(
        LockedJoint(joint.name, positions[joint.name], *_why_locked(roles, joint))
        for joint in tree.independent
        if joint.name not in controlled
    )
    base = request.base or tree.root
    return ControlPlan(base, joints, tools, locked, positions, reason, guessed, states)


def request_text(request: ControlRequest) -> str:
    """The request as options of the command line; empty for none."""
    parts = [f"--base {request.base}"] if request.base else []
    parts += [f"--tool {tool}" for tool in request.tools]
    parts += [f"--group {request.group}"] if request.group else []
    parts += [f"--joints {','.join(request.joints)}"] if request.joints else []
    return " ".join(parts)


def _named_joints(tree: BodyTree, names: tuple[str, ...]) -> tuple[str, ...]:
    by_name = {joint.name: joint for joint in tree.joints}
    for name in names:
        joint = by_name.get(name)
        if joint is None:
            movable = ", ".join(j.name for j in tree.independent)
            raise CannotApply(
                f"The robot has no joint {name!r}. Joints that can be controlled: "
                f"{movable or 'none'}."
            )
        if not joint.is_movable:
            raise CannotApply(f"Joint {name!r} is {joint.type.value}: it cannot be controlled.")
        if joint.mimic is not None:
            raise CannotApply(
                f"Joint {name!r} mimics {joint.mimic.joint!r}: control {joint.mimic.joint!r} "
                "instead."
            )
    return tuple(dict.fromkeys(names))


def _joints_of_named(tree: BodyTree, srdf: Srdf | None, name: str) -> tuple[str, ...]:
    if srdf is None:
        raise CannotApply(f"The group {name!r} needs an SRDF: name it (--srdf FILE).")
    group = srdf.group(name)
    if group is None:
        group_names = ", ".join(g.name for g in srdf.groups) or "none"
        raise CannotApply(f"The SRDF has no group {name!r}. Its groups: {group_names}.")
    missing = srdf.missing_members(group, tree.places, {joint.name for joint in tree.joints})
    if missing:
        raise CannotApply(
            f"The SRDF's group {name!r} names joints or links that the robot does not have: "
            f"{', '.join(missing)}."
        )
    joints = joints_of(tree, srdf, group)
    if not joints:
        usable = [each.name for each in srdf.groups if joints_of(tree, srdf, each)]
        raise CannotApply(
            f"The SRDF's group {name!r} has no joint that can be controlled. Groups with such "
            "joints: "
            f"{', '.join(usable) or 'none'}."
        )
    return joints


def _known_link(tree: BodyTree, name: str, role: str) -> str:
    if name not in tree.places:
        raise CannotApply(f"Unknown {role}: {refuse_name('link', name, tree.links)}.")
    return name


def _chain_joints(
    tree: BodyTree, roles: Roles, request: ControlRequest
) -> tuple[tuple[str, ...], str]:
    base = _known_link(tree, request.base, "base") if request.base else tree.root
    below = set(tree.subtree(base))
    tips = [_known_link(tree, name, "tool") for name in request.tools]
    if not tips:
        tips = [end for end in roles.ends if end in below and end != base]
        if not tips:
            raise CannotApply(f"No joint below the base {base!r} moves.")
    for tip in tips:
        if tip not in below:
            raise CannotApply(f"The tool {tip!r} is not below the base {base!r}.")
    paths = (tree.graph.chain(base, tip) or () for tip in tips)
    names = tuple(dict.fromkeys(name for path in paths for name in tree.graph.movable(path)))
    if not names:
        raise CannotApply(
            f"No movable joint between the base {base!r} and {_listed('tool', tips)}."
        )
    return names, f"the chain from {base} to {', '.join(tips)}"


def _guessed_joints(tree: BodyTree, roles: Roles) -> tuple[tuple[str, ...], str]:
    free = {joint.name for joint in tree.independent if joint.name not in roles.by_joint}
    moving = {joint.name for joint in tree.independent if joint.name in free and has_range(joint)}
    # Limits of 0 to 0 on every joint are limits that nobody wrote.
    free = moving or free
    ends = set(roles.ends)
    to_ends = tree.below_counts(lambda joint: joint.child in ends)
    names = tuple(
        j.name for j in tree.independent if j.name in free and (j.child in ends or to_ends[j.child])
    )
    if not names:
        return (), "nothing moves"
    chains = "the only chain" if len(roles.ends) == 1 else f"the {len(roles.ends)} chains"
    return names, f"{chains} of the robot, without wheels, fingers, head and legs"


def _tools(
    tree: BodyTree,
    roles: Roles,
    joints: tuple[str, ...],
    srdf: Srdf | None,
    request: ControlRequest,
) -> tuple[ToolChoice, ...]:
    if request.tools:
        moved = {
            joint.name for name in request.tools if name in tree.places for joint in tree.path(name)
        }
        if not moved.intersection(joints) and all(name in tree.places for name in request.tools):
            ends = ", ".join(_chain_ends(tree, joints)) or "nothing"
            named = _listed("tool", list(request.tools))
            raise CannotApply(f"The controlled joints do not move the {named}; they move: {ends}.")
        return tuple(
            ToolChoice(_known_link(tree, n, "tool"), "named", guessed=False) for n in request.tools
        )
    effectors = (
        [e.parent_link for e in srdf.end_effectors if e.parent_link in tree.places]
        if srdf is not None
        else []
    )
    chosen: list[tuple[tuple[int, float, int], ToolChoice]] = []
    for end in _chain_ends(tree, joints):
        members = set(tree.members[end])
        effector = next(
            (name for name in effectors if name in members and not _is_finger(roles, tree, name)),
            None,
        )
        frame, reason = tool_of(tree, end, is_palm=end in roles.palms, effector=effector)
        last = tree.above[end].name
        rank = (side(frame) or side(last), -round(tree.places[frame][1], 6), tree.order[frame])
        chosen.append((rank, ToolChoice(frame, reason)))
    return tuple(choice for _, choice in sorted(chosen, key=lambda entry: entry[0]))


def _is_finger(roles: Roles, tree: BodyTree, link: str) -> bool:
    joint_roles = (roles.by_joint.get(joint.name) for joint in tree.path(link))
    return any(role is not None and role[0] is Role.FINGER for role in joint_roles)


def _chain_ends(tree: BodyTree, joints: tuple[str, ...]) -> list[str]:
    """The bodies that a joint of the c-space leads to, and behind which there is none."""
    chosen = set(joints)
    chosen_below = tree.below_counts(lambda joint: joint.name in chosen)
    return [
        name
        for name in tree.links[1:]
        if tree.above[name].name in chosen and not chosen_below[name]
    ]


def _why_locked(roles: Roles, joint: Joint) -> tuple[Role, str]:
    if joint.name in roles.by_joint:
        return roles.by_joint[joint.name]
    if not has_range(joint):
        return Role.OTHER, "its limits leave no range"
    return Role.OTHER, "it is not on a chosen chain"


def _positions(tree: BodyTree, srdf: Srdf | None) -> tuple[FrozenDict[str, float], tuple[str, ...]]:
    positions = {joint.name: joint.clamped() for joint in tree.independent}
    joints = {joint.name: joint for joint in tree.independent}
    states = []
    for state in ready_states(srdf) if srdf is not None else ():
        used = False
        for name, values in state.positions.items():
            if name in joints and len(values) == 1:
                positions[name] = joints[name].clamped(values[0])
                used = True
        if used:
            states.append(state.name)
    return FrozenDict(positions), tuple(dict.fromkeys(states))


def _listed(noun: str, names: list[str]) -> str:
    return f"{noun}{'s' if len(names) != 1 else ''} {', '.join(names)}"


def tool_of(
    tree: BodyTree, end: str, *, is_palm: bool, effector: str | None = None
) -> tuple[str, str]:
    """(frame, reason) for the chain whose last body begins with the link `end`.

    `effector`: the parent link of an SRDF end effector, when it is in this body. `is_palm`: the
    body carries fingers.
    """
    members = tree.members[end] if is_palm else _carried(tree, end)
    best = _made_for_it(tree, members, end, is_palm=is_palm)
    if effector is not None and effector in members:
        # MoveIt names the link that the hand is mounted on: a frame beyond it is better.
        beyond = best is not None and best[0] != effector and best[0] in set(tree.subtree(effector))
        if not beyond:
            return effector, "it carries the SRDF's end effector"
    return best or _last(tree, members, end)


def _made_for_it(
    tree: BodyTree, members: tuple[str, ...], end: str, *, is_palm: bool
) -> tuple[str, str] | None:
    named = [name for name in members if tool_rank(name) and not says("sensor", name)]
    best = max(named, key=lambda name: (tool_rank(name), tree.order[name]), default=None)
    if best is not None and tool_rank(best) < SUREST:
        # Of the flange that a gripper is mounted on and a frame within the gripper, the task is
        # done at the latter.
        beyond = set(tree.subtree(best)).intersection(
            name for name in named if tool_rank(name) >= NAMED_FOR_IT
        )
        best = max(
            {best, *beyond}, key=lambda name: (name != best, tool_rank(name), tree.order[name])
        )
    fingers = {joint.parent for joint in tree.branches(end)} if is_palm else set()
    # A palm is better than a flange or a tip, and not as good as a TCP.
    if fingers and (best is None or tool_rank(best) <= WEAK):
        return tree.common(fingers), "it carries the fingers"
    return None if best is None else (best, "it has the usual name of a tool frame")


def _last(tree: BodyTree, members: tuple[str, ...], end: str) -> tuple[str, str]:
    hands = [name for name in members if is_hand(name) and not says("sensor", name)]
    if hands:
        # The first of the body is the link that the last joint moves; frames on it were made for a
        # purpose.
        return max(
            hands, key=lambda name: (name != end, -tree.order[name])
        ), "it has the usual name of a hand or a foot"
    leaves = [name for name in members[1:] if not tree.below.get(name) and not says("sensor", name)]
    if leaves:
        best = max(leaves, key=lambda name: (tree.depth(name), -tree.order[name]))
        return best, "a fixed frame beyond the last joint"
    return end, "the child link of the last joint"


def _carried(tree: BodyTree, end: str) -> tuple[str, ...]:
    """The links of a body, and of those behind it that only follow other joints."""
    carried = list(tree.members[end])
    for joint in tree.branches(end):
        if joint.mimic is not None:
            carried.extend(_carried(tree, joint.child))
    return tuple(carried)


#: A state with one of these names is where motion begins; the first that is there is taken. A hand
#: begins open.
READY = (
    "ready",
    "home",
    "default",
    "rest",
    "neutral",
    "start",
    "half_sitting",
    "standing",
    "arm_up",
    "stow",
    "open",
)


def joints_of(tree: BodyTree, srdf: Srdf, group: Group) -> tuple[str, ...]:
    """The joints of a group that can be controlled, its subgroups' included, in the order of the
    URDF."""
    names = set(list_planned_joints(srdf, group, tree.graph))
    return tuple(joint.name for joint in tree.independent if joint.name in names)


def arm_groups(tree: BodyTree, srdf: Srdf, locked: frozenset[str]) -> tuple[Group, ...]:
    """The groups to control: those that carry an end effector, else the longest chains that are no
    hand or head.

    `locked`: joints that structure or name show to be no arm's; a group of nothing else is no arm.
    """
    carrying = {e.parent_group for e in srdf.end_effectors if e.parent_group}
    if not carrying:
        # Some name the arm itself as the group of the end effector.
        carrying = {
            e.group for e in srdf.end_effectors if set(_joints(tree, srdf, e.group)) - locked
        }
    named = [group for group in srdf.groups if group.name in carrying]
    candidates = [g for g in named if joints_of(tree, srdf, g)] or [
        g for g in srdf.groups if _is_arm(tree, srdf, g, locked)
    ]
    sets = {group.name: frozenset(joints_of(tree, srdf, group)) for group in candidates}
    chosen: list[Group] = []
    for group in sorted(candidates, key=lambda g: -len(sets[g.name])):
        # Of chains within each other the longest; a group that joins several chains is no chain
        # itself.
        if not any(sets[group.name] <= sets[other.name] for other in chosen):
            chosen.append(group)
    return tuple(sorted(chosen, key=lambda g: srdf.groups.index(g)))


def _joints(tree: BodyTree, srdf: Srdf, name: str) -> tuple[str, ...]:
    group = srdf.group(name)
    return joints_of(tree, srdf, group) if group is not None else ()


def _is_arm(tree: BodyTree, srdf: Srdf, group: Group, locked: frozenset[str]) -> bool:
    joints = joints_of(tree, srdf, group)
    free = [name for name in joints if name not in locked]
    if (
        len(free) < 2
        or len(free) < len(joints)
        or says("leg", group.name)
        or says("head", group.name)
    ):
        return False
    by_name = {joint.name: joint for joint in tree.independent}
    deepest = max(free, key=lambda name: tree.depth(by_name[name].child))
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
