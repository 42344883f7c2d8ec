"""Which link a joint hangs on, which one it carries, and how its axis stands: edits that leave a
URDF a tree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.document.commands.tools import get_joint
from editor_app.core.document.commands.urdf_parts import replace_urdf, with_joint
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import (
    build_origin_matrix,
    invert,
    matrix_origin,
    matrix_to_quaternion,
    skew,
    transform,
)
from editor_app.core.space.kinematics.tree import build_tree

#: Digits behind the point of a computed origin, in metres and radians: 0.30000000000000004 says no
#: more than 0.3.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class SetParent:
    """Hangs a joint, with all that it carries, on another link.

    The origin stays as written, so that the branch moves in space; with `keep_place` it is computed
    so that the branch stays where it is while all joints rest at zero, or at what is nearest to it
    within their limits.
    """

    joint: str
    parent: str
    keep_place: bool = False
    label = Label("Hang {joint} on {parent}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = get_joint(robot, self.joint)
        if old.parent == self.parent:
            return robot
        new = replace(old, parent=self.parent)
        reason = connection_problem(robot.urdf, old, new)
        if reason is not None:
            raise CannotApply(reason)
        if self.keep_place:
            new = replace(new, origin=_origin_in_place(robot.urdf, old, self.parent))
        return with_joint(robot, old, new)


@dataclass(frozen=True, slots=True)
class SetChild:
    """Lets a joint carry another link; a joint that carried that one takes the old link in
    exchange."""

    joint: str
    child: str
    label = Label("Let {joint} carry {child}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf, old = robot.urdf, get_joint(robot, self.joint)
        if old.child == self.child:
            return robot
        reason = exchange_problem(urdf, old, self.child)
        if reason is not None:
            raise CannotApply(reason)
        other = urdf.joint_to(self.child)
        joints = (
            replace(j, child=self.child)
            if j is old
            else replace(j, child=old.child)
            if j is other
            else j
            for j in urdf.joints
        )
        return replace_urdf(robot, joints=tuple(joints))


def parents_for(urdf: Urdf, joint: Joint) -> list[str]:
    """The links that a joint can hang on: all that it does not carry itself."""
    below = set(KinematicGraph(urdf).below(joint.child))
    return [link.name for link in urdf.links if link.name not in below]


def children_for(urdf: Urdf, joint: Joint) -> list[str]:
    """The links that a joint can carry: its present child, and the links of other branches."""
    graph = KinematicGraph(urdf)
    unfit, above = set(graph.below(joint.child)), joint.parent
    while above not in unfit:
        unfit.add(above)
        above = graph.incoming[above].parent if above in graph.incoming else above
    return [
        n
        for n in dict.fromkeys(link.name for link in urdf.links)
        if n == joint.child or n not in unfit
    ]


def exchange_problem(urdf: Urdf, joint: Joint, child: str) -> str | None:
    """Why a joint cannot carry another link, None when it can."""
    new = replace(joint, child=child)
    other = urdf.joint_to(child)
    if other is None:
        return connection_problem(urdf, joint, new)
    swapped = replace(other, child=joint.child)
    exchanged = replace(
        urdf, joints=tuple(new if j is joint else swapped if j is other else j for j in urdf.joints)
    )
    for changed in (new, swapped):
        reason = connection_problem(exchanged, changed, changed)
        if reason is not None:
            return f"{joint.name} and {other.name} cannot swap their child links. {reason}"
    return None


def connection_problem(urdf: Urdf, old: Joint, new: Joint) -> str | None:
    """Why a joint cannot connect the links that `new` names, None when it can; `old` is what stands
    in `urdf`."""
    for link in (new.parent, new.child):
        if urdf.link(link) is None:
            return f"The robot has no link {link!r}."
    if new.parent == new.child:
        return f"{new.name} cannot connect {new.child} to itself."
    others = [j for j in urdf.joints if j is not old]
    carrier = next((j for j in others if j.child == new.child), None)
    if carrier is not None:
        return f"{new.child} is already the child of joint {carrier.name}; a link has one parent."
    if new.parent in KinematicGraph(replace(urdf, joints=(*others, new))).below(new.child):
        return f"{new.parent} is below {new.child}: the links would form a loop."
    return None


def _origin_in_place(urdf: Urdf, joint: Joint, parent: str) -> Origin:
    tree = build_tree(urdf)
    for link in (joint.parent, parent):
        if link not in tree.index:
            raise CannotApply(
                f"The position of {link} is unknown: it is not connected to the root."
            )
    world = compute_forward(tree, {})
    place = (
        invert(world[tree.index[parent]])
        @ world[tree.index[joint.parent]]
        @ build_origin_matrix(joint.origin)
    )
    origin = matrix_origin(place)
    x, y, z = (round(v, _DIGITS) + 0.0 for v in origin.xyz)
    if joint.origin.quat_xyzw is not None:
        qw, qx, qy, qz = matrix_to_quaternion(place[:3, :3])
        return Origin((x, y, z), (0.0, 0.0, 0.0), (qx, qy, qz, qw))
    roll, pitch, yaw = (round(v, _DIGITS) + 0.0 for v in origin.rpy)
    return Origin((x, y, z), (roll, pitch, yaw))


#: How far a component may be from 0 or 1 so that the axis is a unit axis that was written with
#: noise.
_NOISE = 1e-6


@dataclass(frozen=True, slots=True)
class StraightenAxis:
    """Makes the axis of a joint a unit axis of its frame, and leaves every frame where it is in
    every pose.

    An axis that is one already but for its length or noise is written exactly. An axis askew
    becomes z: what turns it there goes into the joint's origin, and is taken back by a fixed joint
    behind it, with a link between them. So the link that the joint carries keeps its frame, and
    nothing that hangs on it has to be written anew.
    """

    joint: str
    label = Label("Turn the axis of {joint} into its origin")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf, joint = robot.urdf, get_joint(robot, self.joint)
        place = next(i for i, other in enumerate(urdf.joints) if other is joint)
        length = math.hypot(*joint.axis)
        if not joint.is_movable or not length:
            raise CannotApply(f"{self.joint} has no axis to move into its origin.")
        unit = (joint.axis[0] / length, joint.axis[1] / length, joint.axis[2] / length)
        exact = unit_axis(unit)
        if exact is not None:
            return with_joint(robot, joint, replace(joint, axis=exact))
        between = find_free_name(f"{joint.child}_axis", {link.name for link in urdf.links})
        back = find_free_name(f"{joint.name}_back", {j.name for j in urdf.joints})
        turn = _turn(np.array(unit))
        turned = replace(
            joint,
            origin=_origin(build_origin_matrix(joint.origin) @ turn),
            axis=(0.0, 0.0, 1.0),
            child=between,
        )
        fixed = Joint(back, JointType.FIXED, between, joint.child, _origin(turn.T))
        joints = (*urdf.joints[:place], turned, fixed, *urdf.joints[place + 1 :])
        links = [*urdf.links]
        at = next((i for i, link in enumerate(links) if link.name == joint.child), len(links))
        links.insert(at, Link(between))
        return replace_urdf(robot, links=tuple(links), joints=joints)


def unit_axis(axis: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """The unit axis, forwards or backwards, that an axis of length 1 is but for noise; None for one
    askew."""
    rounded = [float(round(v)) if abs(v - round(v)) <= _NOISE else math.nan for v in axis]
    if sum(abs(v) for v in rounded) != 1:
        return None
    # No -0.0, which would be written so.
    x, y, z = (v + 0.0 for v in rounded)
    return x, y, z


def _turn(axis: np.ndarray) -> np.ndarray:
    """(4, 4): a rotation that takes z to the axis, the shortest one."""
    # To an axis that points nearly the other way, half a turn about x is made first: the rest is a
    # small turn.
    first = np.diag([1.0, -1.0, -1.0]) if axis[2] < -0.999999 else np.eye(3)
    tip = first[:, 2]
    k = skew(np.cross(tip, axis))
    return transform((np.eye(3) + k + k @ k / (1 + float(tip @ axis))) @ first)


def _origin(matrix: np.ndarray) -> Origin:
    origin = matrix_origin(matrix)
    # No -0.0, which would be written so.
    x, y, z, roll, pitch, yaw = (v + 0.0 for v in (*origin.xyz, *origin.rpy))
    return Origin((x, y, z), (roll, pitch, yaw))
