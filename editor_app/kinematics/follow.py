"""Where joints stand by default, and who follows whom: mimic chains resolved to the joint at their end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from editor_app.kinematics.structure import Follow, KinematicTree, TreeJoint
from editor_app.model.findings import Finding, Severity, Subject
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import on_loops
from editor_app.model.pose import EMPTY_POSE, Pose
from editor_app.model.xrdf import Xrdf


def resolve_follows(
    joints: dict[str, TreeJoint], kept: Collection[str]
) -> tuple[dict[str, Follow], tuple[Finding, ...]]:
    """Follow of every movable joint, and what was wrong. `kept` names the joints that the new base leaves.

    A mimic that cannot be followed (unknown joint, loop) is taken away in `joints`, which is changed in place.
    A chain that ends at a joint outside `kept`, or at one that no number moves, gives a constant.
    """
    problems = [*_drop_unknown(joints), *_drop_loops(joints)]
    follows: dict[str, Follow] = {}
    for name, joint in joints.items():
        if not joint.is_movable:
            continue
        chain: list[TreeJoint] = []
        end = joint
        while end.name not in follows and end.mimic is not None:
            chain.append(end)
            end = joints[end.mimic.joint]
        if end.name not in follows and end.name in kept and end.is_movable:
            follows[end.name] = Follow(end.name)
        follow = follows.get(end.name) or Follow(None, 0.0, resting_position(end))
        for step in reversed(chain):
            assert step.mimic is not None
            follow = Follow(
                follow.source,
                step.mimic.multiplier * follow.multiplier,
                step.mimic.multiplier * follow.offset + step.mimic.offset,
            )
            follows[step.name] = follow
        follows.setdefault(name, follow)
    return follows, tuple(problems)


def resting_position(joint: TreeJoint) -> float:
    """Where a joint without a default stands: 0 clamped to its limits; 0 too where no number moves it."""
    if joint.limits is None:
        return 0.0
    return min(max(0.0, joint.limits[0]), joint.limits[1])


def _drop_unknown(joints: dict[str, TreeJoint]) -> list[Finding]:
    problems = []
    for name, joint in joints.items():
        if joint.mimic is not None and joint.mimic.joint not in joints:
            problems.append(_problem(name, f"joint {name!r} mimics {joint.mimic.joint!r}, which does not exist"))
            joints[name] = replace(joint, mimic=None)
    return problems


def _drop_loops(joints: dict[str, TreeJoint]) -> list[Finding]:
    loops = on_loops({name: joint.mimic.joint for name, joint in joints.items() if joint.mimic is not None})
    for name in loops:
        joints[name] = replace(joints[name], mimic=None)
    return [
        _problem(name, f"joint {name!r} mimics itself, perhaps by way of others") for name in joints if name in loops
    ]


def _problem(joint: str, message: str) -> Finding:
    return Finding(
        "TREE007",
        Severity.ERROR,
        f"{message}; it moves by itself here",
        subject=Subject(joints=(joint,), section="urdf"),
    )


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
