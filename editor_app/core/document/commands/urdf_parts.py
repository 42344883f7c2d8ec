"""A robot with other parts of its URDF; its masks follow the joints.

Masks are literal: every pair that they do not name is checked. So a pair of links that becomes
adjacent is ignored in the step that makes it so, and a pair that nothing holds together any more is
checked again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.tools import is_name
from editor_app.core.formats.exchange.conversion import ADJACENT
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import solid_frames
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, Link, Urdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import adjacent_pairs, get_tree

#: Reasons of an SRDF for links that a joint holds together, or that never move against each other.
_HELD_REASONS = frozenset({"adjacent", "never", "always"})


def replace_urdf(robot: RobotDescription, **parts: Any) -> RobotDescription:
    """Return `robot` with these fields of its URDF and masks that follow; `robot` itself where none
    changes."""
    changed = replace(robot.urdf, **parts)
    return robot if changed == robot.urdf else follow_joints(robot, robot.with_urdf(changed))


def with_link(robot: RobotDescription, old: Link, new: Link) -> RobotDescription:
    """Return `robot` with `new` in the place of the link `old` of its URDF."""
    return replace_urdf(
        robot, links=tuple(new if link is old else link for link in robot.urdf.links)
    )


def with_joint(robot: RobotDescription, old: Joint, new: Joint) -> RobotDescription:
    """Return `robot` with `new` in the place of the joint `old` of its URDF."""
    return replace_urdf(
        robot, joints=tuple(new if joint is old else joint for joint in robot.urdf.joints)
    )


def follow_joints(before: RobotDescription, robot: RobotDescription) -> RobotDescription:
    """Return `robot` with masks that follow a change of links and joints since `before`.

    Pairs that became adjacent are ignored. Pairs that were adjacent or in one rigid group, and are
    neither now, are checked again. An XRDF without a section self_collision, and an SRDF without
    disabled pairs, have no mask to follow.
    """
    has_xrdf_mask = robot.xrdf.self_collision is not None
    has_srdf_mask = robot.srdf is not None and bool(robot.srdf.disabled_pairs)
    if not (has_xrdf_mask or has_srdf_mask) or _structure(before.urdf) == _structure(robot.urdf):
        return robot
    gained = sorted(
        p
        for p in adjacent_pairs(robot) - adjacent_pairs(before)
        if is_name(p.first) and is_name(p.second)
    )
    ignored = robot.xrdf.ignored_pairs() | (
        robot.srdf.disabled() if robot.srdf is not None else frozenset()
    )
    lost = _parted(before, robot, ignored)
    if has_xrdf_mask:
        robot = SetMask(pairs=tuple(gained)).apply(robot)
        if again := lost & robot.xrdf.ignored_pairs():
            robot = SetMask(checked=tuple(sorted(again))).apply(robot)
    if has_srdf_mask:
        assert robot.srdf is not None
        links = {link.name for link in robot.urdf.links}
        held = {
            p.pair
            for p in robot.srdf.disabled_pairs
            if (p.reason or "").casefold() in _HELD_REASONS
        }
        fresh = FrozenDict({p: ADJACENT for p in gained if {p.first, p.second} <= links})
        robot = SetMask(
            MaskFile.SRDF, tuple(fresh), FrozenDict(fresh), tuple(sorted(lost & held))
        ).apply(robot)
    return robot


def _structure(urdf: Urdf) -> tuple[list[tuple[object, ...]], list[str]]:
    """Return what decides which links are adjacent."""
    joints: list[tuple[object, ...]] = [
        (joint.parent, joint.child, joint.type) for joint in urdf.joints
    ]
    return joints, [link.name for link in urdf.links if link.visuals or link.collisions]


def _parted(
    before: RobotDescription, robot: RobotDescription, ignored: frozenset[LinkPair]
) -> frozenset[LinkPair]:
    """Return the `ignored` pairs that joints held together before, and hold no more.

    Pairs without geometry stay as they are: nothing is compared there.
    """
    solid = solid_frames(robot.urdf, robot.xrdf)
    candidates = frozenset(pair for pair in ignored if pair.first in solid and pair.second in solid)
    return _held(before, candidates) - _held(robot, candidates)


def _held(robot: RobotDescription, pairs: frozenset[LinkPair]) -> frozenset[LinkPair]:
    groups, adjacent = get_tree(robot).rigid_groups(), adjacent_pairs(robot)
    return frozenset(
        p
        for p in pairs
        if p in adjacent or groups.get(p.first, p.first) == groups.get(p.second, p.second)
    )
