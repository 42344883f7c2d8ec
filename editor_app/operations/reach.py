"""The verb reach: joint positions that bring tools to where they are wanted, within the limits of the joints."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from editor_app.kinematics.inverse import Reach, ToolSolver, ToolTarget
from editor_app.kinematics.structure import KinematicTree
from editor_app.kinematics.tree import default_positions, tree_of
from editor_app.operations.described import Described, description_of
from editor_app.operations.work import Refused

__all__ = ["Reach", "ToolTarget", "reach", "solver_of", "told_rest"]


def reach(
    robot: Described,
    targets: Sequence[ToolTarget],
    pose: Mapping[str, float] | None = None,
    *,
    locked: Collection[str] = (),
    tries: int = 96,
    seed: int = 0,
) -> Reach:
    """The nearest posture to `pose` that brings every frame of `targets` to its place, or the best attempt.

    `pose`: joint -> rad or m; joints that it does not name stand at the default. `locked` joints stay; mimic joints
    follow. `tries`: random beginnings when the way from `pose` does not reach; 0 follows that way alone. Collisions are
    not asked about: see `plan_to_tool` and `collide`. Raises Refused for a name that the robot does not have, two
    targets of one frame, and numbers that are no place.
    """
    description = description_of(robot)
    tree = tree_of(description)
    standing = {**default_positions(tree, description.xrdf), **(pose or {})}
    return solver_of(tree, targets, standing, locked).search(targets, standing, tries, seed)[0]


def solver_of(
    tree: KinematicTree, targets: Sequence[ToolTarget], pose: Mapping[str, float], locked: Collection[str]
) -> ToolSolver:
    """A solver of these targets' frames. Raises Refused as `reach` does."""
    frames = [target.frame for target in targets]
    unknown = [frame for frame in frames if frame not in tree.index]
    if unknown:
        raise Refused(f"there is no frame {', '.join(map(repr, unknown))}")
    if not frames or len(set(frames)) < len(frames):
        raise Refused("name one target for each frame that is to be brought to its place")
    joints = [name for name in (*locked, *pose) if name not in tree.joint_index]
    if joints:
        raise Refused(
            f"there is no joint {', '.join(map(repr, joints))}; the joints are: {', '.join(tree.independent)}"
        )
    for target in targets:
        _check(target)
    return ToolSolver(tree, frames, pose, locked)


def told_rest(attempt: Reach) -> str:
    """What an attempt is short of, and the joints that keep it from more."""
    text = f"{max(attempt.distances) * 1e3:.1f} mm"
    if max(attempt.angles) > 1e-6:
        text += f" and {math.degrees(max(attempt.angles)):.1f}°"
    held = f" ({', '.join(attempt.at_limits)} at the limit)" if attempt.at_limits else ""
    return f"{text} short{held}"


def _check(target: ToolTarget) -> None:
    position = np.asarray(target.position, float)
    if position.shape != (3,) or not np.isfinite(position).all():
        raise Refused(f"the position for {target.frame} is not three numbers")
    if target.rotation is None:
        return
    turn = np.asarray(target.rotation, float)
    if turn.shape != (3, 3) or not np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) or np.linalg.det(turn) < 0.0:
        raise Refused(f"the rotation for {target.frame} is no rotation matrix (3, 3)")
