"""The verbs pose and reach: where frames and spheres are at a configuration, and which one brings
tools to a place."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.document import Document
from editor_app.core.model.frozen import brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.inverse import Reach, ToolSolver, ToolTarget
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.tree import complete_pose, get_default_positions, get_tree
from editor_app.core.tasks.work import (
    Described,
    PoseLike,
    Refused,
    check_arguments,
    describe_robot,
    read_pose,
)


@dataclass(frozen=True, slots=True, eq=False)
class Spheres:
    """The spheres of a group, in the order of the file: sphere i is on the frame `frames[i]`.

    `centers` (n, 3) and `radii` (n,) in metres.
    """

    frames: tuple[str, ...]
    centers: F64
    radii: F64

    __repr__ = brief


@check_arguments
def default_pose(document: Document) -> dict[str, float]:
    """Every movable joint -> rad or m at the default configuration, mimic joints included."""
    tree = get_tree(document.robot)
    return dict(complete_pose(tree, get_default_positions(tree, document.robot.xrdf)))


@check_arguments
def frame_poses(document: Described, pose: PoseLike | None = None) -> dict[str, F64]:
    """Frame -> its pose (4, 4) in the base frame, after the modifiers of the XRDF.

    `pose`: joint -> rad or m; joints that it does not name stand at the default configuration,
    mimic joints follow. Raises Refused for a name that is no joint.
    """
    description = describe_robot(document)
    tree = get_tree(description)
    given = {} if pose is None else read_pose(pose)
    unknown = [name for name in given if name not in tree.joint_index]
    if unknown:
        raise Refused(
            f"the robot has no joint {', '.join(unknown)}; its joints: "
            f"{', '.join(tree.independent)}"
        )
    world = compute_forward(tree, {**get_default_positions(tree, description.xrdf), **given})
    return dict(zip(tree.frames, world, strict=True))


@check_arguments
def sphere_arrays(
    document: Document,
    pose: PoseLike | None = None,
    *,
    group: str | None = None,
    local: bool = False,
) -> Spheres:
    """The spheres of a geometry group in the base frame at `pose` (see `frame_poses`), or each in
    its own frame.

    `group`: default that of the world collision section, else of self-collision, else the first.
    Spheres on frames that the modifiers cut off are left out, unless `local`. Raises Refused for an
    unknown group.
    """
    xrdf = document.robot.xrdf
    names = [g.name for g in xrdf.geometry or ()]
    chosen = group or xrdf.world_group or xrdf.self_group or (names[0] if names else None)
    if group is not None and group not in names:
        raise Refused(
            f"the XRDF has no geometry group {group!r} (its groups: {', '.join(names) or 'none'})"
        )
    poses = {} if local else frame_poses(document, pose)
    spheres = xrdf.spheres_of(chosen) if chosen is not None else {}
    frames: list[str] = []
    centers: list[F64] = []
    radii: list[float] = []
    for frame, each in spheres.items():
        if not local and frame not in poses:
            continue
        for sphere in each:
            frames.append(frame)
            center = np.array(sphere.center, float)
            centers.append(center if local else poses[frame][:3, :3] @ center + poses[frame][:3, 3])
            radii.append(sphere.radius)
    return Spheres(tuple(frames), np.array(centers, float).reshape(-1, 3), np.array(radii, float))


@check_arguments
def reach(
    robot: Described,
    targets: ToolTarget | Sequence[ToolTarget],
    pose: PoseLike | None = None,
    *,
    locked: Collection[str] = (),
    weights: Mapping[str, float] | None = None,
    tries: int = 96,
    seed: int = 0,
) -> Reach:
    """The nearest posture to `pose` that brings every frame of `targets` to its place, or the best
    attempt.

    `pose`: joint -> rad or m; joints that it does not name stand at the default. `locked` joints
    stay; mimic joints follow. `weights`: joint -> how readily it moves where others could as well:
    1 as usual, 0.1 last, 0 not at all; joints without one have 1, or less where they carry another
    limb (a waist). `tries`: random beginnings when the way from `pose` does not reach; 0 follows
    that way alone. Collisions are not asked about: see `plan_to_tool` and `collide`. Raises Refused
    for a name that the robot does not have, two targets of one frame, and numbers that are no
    place, or no weight.
    """
    description = describe_robot(robot)
    tree = get_tree(description)
    standing = {
        **get_default_positions(tree, description.xrdf),
        **(read_pose(pose) if pose is not None else {}),
    }
    targets = targets_of(targets)
    solver = solver_of(tree, targets, standing, locked, weights)
    return solver.settled(targets, solver.search(targets, standing, tries, seed)[0])


def targets_of(given: ToolTarget | Sequence[ToolTarget]) -> Sequence[ToolTarget]:
    """One target is as good as a list of one."""
    return [given] if isinstance(given, ToolTarget) else given


def solver_of(
    tree: KinematicTree,
    targets: Sequence[ToolTarget],
    pose: Mapping[str, float],
    locked: Collection[str],
    weights: Mapping[str, float] | None = None,
) -> ToolSolver:
    """A solver of these targets' frames. Raises Refused as `reach` does."""
    frames = [target.frame for target in targets]
    unknown = [frame for frame in frames if frame not in tree.index]
    if unknown:
        raise Refused(refuse_name("frame", unknown[0], tree.frames))
    if not frames or len(set(frames)) < len(frames):
        raise Refused("name exactly one target per frame")
    weights = weights or {}
    joints = [name for name in (*locked, *weights, *pose) if name not in tree.joint_index]
    if joints:
        raise Refused(
            f"the robot has no joint {', '.join(map(repr, joints))}; its joints: "
            f"{', '.join(tree.independent)}"
        )
    for name, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0.0):
            raise Refused(f"the weight of {name!r} must be 0 or more, not {weight!r}")
    for target in targets:
        _check(target)
    return ToolSolver(tree, frames, pose, locked, weights)


def told_rest(attempt: Reach) -> str:
    """Describe the remaining error of an attempt, and the joints that limit it."""
    text = f"{max(attempt.distances) * 1e3:.1f} mm"
    if max(attempt.angles) > math.radians(0.05):
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
    if (
        turn.shape != (3, 3)
        or not np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
        or np.linalg.det(turn) < 0.0
    ):
        raise Refused(f"the rotation for {target.frame} is not a rotation matrix (3, 3)")
