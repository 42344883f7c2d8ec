"""Poses: where joints stand by default, and what follows from the values that are given."""

from __future__ import annotations

from collections.abc import Mapping

from editor_app.kinematics.follow import resting_position
from editor_app.kinematics.structure import KinematicTree
from editor_app.model.frozen import FrozenDict
from editor_app.model.pose import EMPTY_POSE, Pose
from editor_app.model.xrdf import Xrdf


def default_positions(tree: KinematicTree, xrdf: Xrdf | None = None) -> Pose:
    """A value for every movable joint in tree order: `default_joint_positions`, else 0 clamped to the limits.

    Mimic joints follow; a default that is given for one of them has no effect (rule XRDF603).
    """
    given = xrdf.default_joint_positions if xrdf is not None else None
    return complete_pose(tree, given or EMPTY_POSE)


def complete_pose(tree: KinematicTree, pose: Mapping[str, float], rest: Mapping[str, float] | None = None) -> Pose:
    """A value for every movable joint in tree order: mimic joints follow (chains too), names that are not movable go.

    An independent joint that `pose` lacks stands as in `rest`, else at 0 clamped to its limits. Values are not
    clamped: a pose may show what lies outside the limits.
    """
    independent: dict[str, float] = {}
    for name in tree.independent:
        value = pose.get(name)
        if value is None and rest is not None:
            value = rest.get(name)
        independent[name] = resting_position(tree.joints[tree.joint_index[name]]) if value is None else float(value)
    result: dict[str, float] = {}
    for name in tree.movable:
        follow = tree.follows[name]
        result[name] = follow.offset
        if follow.source is not None:
            result[name] += follow.multiplier * independent[follow.source]
    return FrozenDict(result)
