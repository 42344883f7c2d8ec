"""The verb variant: a gripper closed, open or half, by the states of the SRDF, or else by the
limits of its fingers.

A variant is default positions of the joints that move fingers. Spheres and masks stay: a pair that
is ignored because it always overlaps at the default is looked at again by `check`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editor_app.core.document.commands import AllOf
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.roles import Role, recognise
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import hint, refuse_name
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.urdf import Collision, Visual
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.structure import TreeJoint
from editor_app.core.space.kinematics.tree import get_default_positions, get_tree
from editor_app.core.tasks.work import Refused

CLOSED, HALF, OPEN = "closed", "half", "open"
_WORDS = {OPEN: re.compile(r"open", re.IGNORECASE), CLOSED: re.compile(r"clos", re.IGNORECASE)}
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Variant:
    """`positions` (rad or m) of the joints that move fingers; `source`: where they come from, in
    words."""

    name: str
    positions: FrozenDict[str, float]
    source: str

    @property
    def told(self) -> str:
        """For reports and lists."""
        numbers = ", ".join(f"{joint} {position:.4g}" for joint, position in self.positions.items())
        return f"{self.name}: {numbers} ({self.source})"


def hand_variants(robot: RobotDescription, link: str | None = None) -> tuple[Variant, ...]:
    """Closed, half and open, as far as the robot says, and the other states of its fingers.

    `link`: what hangs below it alone; None: all hands. Empty for a robot without fingers that a
    joint closes.
    """
    fingers = finger_joints(robot, link)
    if not fingers:
        return ()
    variants = _by_states(robot, fingers)
    for name, positions in _by_limits(robot, fingers).items():
        variants.setdefault(name, Variant(name, positions, "the limits of its joints"))
    if HALF not in variants and OPEN in variants and CLOSED in variants:
        closed, opened = variants[CLOSED].positions, variants[OPEN].positions
        middle = {name: 0.5 * (closed[name] + opened[name]) for name in closed if name in opened}
        variants[HALF] = Variant(HALF, FrozenDict(middle), "between closed and open")
    first = [variants.pop(name) for name in (CLOSED, HALF, OPEN) if name in variants]
    return (*first, *variants.values())


def variant_named(robot: RobotDescription, name: str, link: str | None = None) -> Variant:
    """Raises Refused, with those that the robot has."""
    variants = hand_variants(robot, link)
    variant = next((each for each in variants if each.name == name), None)
    if variant is None:
        where = f" below {link}" if link is not None else ""
        names = [each.name for each in variants]
        if not names:
            raise Refused(f"no gripper{where}: no finger joint at the end of an arm")
        raise Refused(
            f"the gripper has no variant {name!r}; it has {', '.join(names)}{hint(name, names)}"
        )
    return variant


def with_variant(robot: RobotDescription, name: str, link: str | None = None) -> Change:
    """The step after which the gripper stands like this by default. Raises Refused as
    `variant_named`."""
    variant = variant_named(robot, name, link)
    return AllOf((SetItems("xrdf.default_joint_positions", variant.positions),), f"Gripper {name}")


def hand_of(robot: RobotDescription, link: str) -> str | None:
    """The nearest frame from `link` upwards below which there are fingers; None without any."""
    tree = get_tree(robot)
    fingers = {joint.child for joint in finger_joints(robot).values()}
    frame: str | None = link if link in tree.index else None
    while frame is not None:
        joint = tree.joint_to(frame)
        if frame not in fingers and fingers.intersection(tree.subtree(frame)):
            return frame
        frame = None if joint is None else joint.parent
    return None


def finger_joints(robot: RobotDescription, link: str | None = None) -> dict[str, TreeJoint]:
    """The joints that close fingers and follow no other, below `link` or anywhere. Raises Refused
    for no link."""
    tree, bodies = get_tree(robot), BodyTree.of(robot.urdf)
    if link is not None and link not in tree.index:
        raise Refused(refuse_name("link", link, tree.frames))
    roles = recognise(bodies).by_joint
    below = set(tree.frames if link is None else tree.subtree(link))
    return {
        joint.name: joint
        for joint in tree.joints
        if joint.child in below and joint.mimic is None and joint.is_movable
        if joint.name in roles and roles[joint.name][0] is Role.FINGER
    }


def _by_states(robot: RobotDescription, fingers: Mapping[str, TreeJoint]) -> dict[str, Variant]:
    """By name, which is open or closed where the state's says so."""
    variants: dict[str, Variant] = {}
    moving = set(_moved_by(robot, fingers))
    for state in robot.srdf.states if robot.srdf is not None else ():
        values = {
            name: value[0]
            for name, value in state.positions.items()
            if name in fingers and len(value) == 1
        }
        if not values or not set(state.positions) <= moving:
            continue
        name = next((name for name, word in _WORDS.items() if word.search(state.name)), state.name)
        before = variants.get(name)
        if before is None:
            variants[name] = Variant(name, FrozenDict(values), f"the SRDF's state {state.name}")
        elif not set(values) & set(before.positions):
            # The other hand of two.
            both = FrozenDict({**before.positions, **values})
            variants[name] = Variant(name, both, f"{before.source}, {state.name}")
    return variants


def _moved_by(robot: RobotDescription, fingers: Mapping[str, TreeJoint]) -> list[str]:
    """The joints, and those that follow them."""
    follows = get_tree(robot).follows
    return [name for name, follow in follows.items() if name in fingers or follow.source in fingers]


def _by_limits(
    robot: RobotDescription, fingers: Mapping[str, TreeJoint]
) -> dict[str, FrozenDict[str, float]]:
    """Open is where a joint takes the tips of the fingers apart; nothing, where no joint does."""
    limited = {name: joint.span for name, joint in fingers.items() if joint.limits == joint.span}
    middle = {name: 0.5 * (low + high) for name, (low, high) in limited.items()}
    opened: dict[str, float] = {}
    closed: dict[str, float] = {}
    for name, (low, high) in limited.items():
        spreads = [_spread(robot, fingers, {**middle, name: position}) for position in (low, high)]
        if abs(spreads[1] - spreads[0]) < _LEAST:
            continue
        closed[name], opened[name] = (low, high) if spreads[1] > spreads[0] else (high, low)
    if not opened:
        return {}
    return {CLOSED: FrozenDict(closed), OPEN: FrozenDict(opened)}


def _spread(
    robot: RobotDescription, fingers: Mapping[str, TreeJoint], positions: Mapping[str, float]
) -> float:
    """Metres between the tips of each hand, summed; of a hand with one finger, to its palm."""
    tree = get_tree(robot)
    poses = compute_forward(tree, {**get_default_positions(tree, robot.xrdf), **positions})
    moving = set(_moved_by(robot, fingers))
    palms: dict[str, list[str]] = {}
    for joint in tree.joints:
        if joint.name in moving and not any(
            each.name in moving for each in tree.path(tree.root, joint.parent)
        ):
            palms.setdefault(joint.parent, []).append(joint.child)
    total = 0.0
    for palm, heads in palms.items():
        tips = [_middle(robot, tip, poses) for head in heads for tip in _tips(robot, head, moving)]
        if len(tips) == 1:
            tips.append(_middle(robot, palm, poses))
        total += sum(float(np.linalg.norm(a - b)) for i, a in enumerate(tips) for b in tips[:i])
    return total


def _tips(robot: RobotDescription, head: str, moving: set[str]) -> list[str]:
    """The last links of a finger that a joint moves."""
    tree = get_tree(robot)
    below = tree.subtree(head)
    parents = {joint.parent for joint in tree.joints if joint.name in moving}
    heads = {joint.child for joint in tree.joints if joint.name in moving}
    return [frame for frame in below if frame in heads and frame not in parents]


def _middle(robot: RobotDescription, frame: str, poses: np.ndarray) -> np.ndarray:
    """Where about the body of a link is: the middle of its spheres, else its centre of mass, else
    its shapes."""
    pose = poses[get_tree(robot).index[frame]]
    centers: Sequence[Sequence[float]] = [
        sphere.center
        for group in robot.xrdf.geometry or ()
        for sphere in group.spheres.get(frame, ())
    ]
    link = robot.urdf.link(frame)
    if not centers and link is not None:
        inertial = (
            [link.inertial.origin.xyz]
            if link.inertial is not None and any(link.inertial.origin.xyz)
            else []
        )
        shapes: Sequence[Collision | Visual] = (*link.collisions, *link.visuals)
        centers = inertial or [shape.origin.xyz for shape in shapes]
    local = np.mean(centers, axis=0) if len(centers) else np.zeros(3)
    return np.asarray(pose[:3, :3] @ local + pose[:3, 3])
