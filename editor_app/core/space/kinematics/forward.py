"""Forward kinematics: poses of all frames, for one configuration or many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from editor_app.core.space.kinematics.structure import KinematicTree, resting_position
from editor_app.core.space.kinematics.transforms import Matrix, invert


def compute_forward(tree: KinematicTree, pose: Mapping[str, float]) -> Matrix:
    """(n_frames, 4, 4) poses in the root frame, in the order of `tree.frames`.

    `pose`: joint -> rad or m. Independent joints that are missing stand at 0 clamped to their
    limits; mimic joints follow, whatever `pose` says of them.
    """
    motion = tree.motion
    local = motion.constant.copy()
    if len(motion.moving):
        local_moving(tree, _independent(tree, pose)[None, :], local)
    world = np.empty_like(local)
    parent = tree.parent
    for i in range(len(parent)):
        if parent[i] < 0:
            world[i] = local[i]
        else:
            np.dot(world[parent[i]], local[i], out=world[i])
    return world


def compute_forward_batch(
    tree: KinematicTree,
    joint_names: Sequence[str],
    q: npt.ArrayLike,
    rest: Mapping[str, float] | None = None,
) -> Matrix:
    """(k, n_frames, 4, 4) poses for `q` (k, len(joint_names)) in rad or m.

    Independent joints that are not named stand as in `rest`, else at 0 clamped to their limits;
    mimic joints follow. Raises KeyError for a name that is not an independent joint, ValueError for
    a wrong shape.
    """
    values = np.asarray(q, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(joint_names):
        raise ValueError(f"q is {values.shape}, but there are {len(joint_names)} joint names")
    column = {name: i for i, name in enumerate(tree.independent)}
    full = np.repeat(_independent(tree, rest or {})[None, :], len(values), axis=0)
    for i, name in enumerate(joint_names):
        full[:, column[name]] = values[:, i]
    motion = tree.motion
    n = len(tree.frames)
    # Frame by frame over all configurations: `world[i]` is (k, 4, 4).
    world = np.empty((n, len(values), 4, 4))
    positions = joint_positions(tree, full)
    place = {int(frame): m for m, frame in enumerate(motion.moving)}
    for i in range(n):
        constant = motion.constant[i]
        if tree.parent[i] < 0:
            world[i] = constant
            continue
        above = world[tree.parent[i]]
        if i not in place:
            np.matmul(above.reshape(-1, 4), constant, out=world[i].reshape(-1, 4))
            continue
        position = positions[:, place[i], None, None]
        if motion.turning[place[i]]:
            local = (
                constant + np.sin(position) * motion.sine[i] + _versine(position) * motion.cosine[i]
            )
        else:
            local = constant + position * motion.linear[i]
        np.matmul(above, local, out=world[i])
    return np.ascontiguousarray(world.transpose(1, 0, 2, 3))


def joint_positions(tree: KinematicTree, independent: Matrix) -> Matrix:
    """(k, len(tree.movable)) positions from (k, len(tree.independent)): mimic joints follow."""
    motion = tree.motion
    if not independent.shape[1]:
        return np.broadcast_to(motion.offset, (len(independent), len(motion.offset))).copy()
    source = np.where(motion.source < 0, 0, motion.source)
    factor = np.where(motion.source < 0, 0.0, motion.multiplier)
    positions: Matrix = independent[:, source] * factor + motion.offset
    return positions


def local_moving(tree: KinematicTree, independent: Matrix, local: Matrix) -> None:
    """Writes the transforms of the moving frames relative to their parents into `local` (n_frames,
    4, 4)."""
    motion = tree.motion
    q = joint_positions(tree, independent)[0][:, None, None]
    moving = motion.moving
    local[moving] += (
        np.sin(q) * motion.sine[moving]
        + _versine(q) * motion.cosine[moving]
        + q * motion.linear[moving]
    )


def relative_pose(tree: KinematicTree, world: Matrix, frame: str, base: str) -> Matrix:
    """(4, 4) pose of `frame` in `base`, from the result of `forward`. Raises KeyError for an
    unknown frame."""
    pose: Matrix = invert(world[tree.index[base]]) @ world[tree.index[frame]]
    return pose


def joint_axes(tree: KinematicTree, world: Matrix) -> tuple[Matrix, Matrix]:
    """Points (m, 3) and unit directions (m, 3) of the axes of `tree.movable` in the root frame,
    from `forward`.

    A joint turns about, or slides along, its axis, so both hold before and after its own motion.
    """
    moving = tree.motion.moving
    axes = np.array([tree.joints[i - 1].axis for i in moving]).reshape(-1, 3)
    directions = np.einsum("mij,mj->mi", world[moving, :3, :3], axes)
    return world[moving, :3, 3], directions


def _independent(tree: KinematicTree, pose: Mapping[str, float]) -> Matrix:
    values = [
        float(pose[name]) if name in pose else resting_position(tree.joints[tree.joint_index[name]])
        for name in tree.independent
    ]
    return np.array(values, dtype=np.float64)


def _versine(angle: Matrix) -> Matrix:
    """1 - cos, without the cancellation that costs small angles half of their digits."""
    result: Matrix = 2.0 * np.square(np.sin(0.5 * angle))
    return result
