"""Places that meshes of other links reach in free configurations: there a link's spheres have to be
tight."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from editor_app.core.arrays import F64
from editor_app.plugins.motion.engine.model import MotionModel

#: Points that are kept for each frame.
MOST = 3_000
#: Spheres so near to each other tell where to look, and how far around, metres.
_NEAR, _AROUND = 0.02, 0.05
#: Configurations that are looked at for each pair.
_CONFIGURATIONS = 400


def crowds(
    model: MotionModel, values: F64, rows: Collection[int], surfaces: Mapping[str, F64]
) -> dict[str, F64]:
    """Frame -> points (k, 4: x, y, z in metres in the frame, weight) of other links that come close
    to it.

    `values` (n, variables): configurations without touching meshes. `rows`: pairs that are looked
    at. `surfaces`: frame -> points (m, 3) of the surface of its mesh, metres.
    """
    spheres = model.spheres
    spots, _ = model.row_clearances(values, _NEAR, np.array(sorted(rows), np.int64))
    points: dict[str, list[F64]] = {}
    for row in np.unique(spots[:, 1]).tolist():
        mine = spots[spots[:, 1] == row]
        count = len(mine)
        mine = mine[np.linspace(0, count - 1, min(count, _CONFIGURATIONS)).astype(int)]
        poses = model.body_poses(values[mine[:, 0]])
        frames = [int(frame) for frame in spheres.pairs[row]]
        placed = [_poses_of(model, poses, frame) for frame in frames]
        for k in range(2):
            other = surfaces.get(spheres.frames[frames[1 - k]])
            if other is None:
                continue
            relative = np.linalg.inv(placed[k]) @ placed[1 - k]
            came = np.einsum("nij,mj->nmi", relative[:, :3, :3], other) + relative[:, None, :3, 3]
            centres = _in_frame(model, frames[k], spheres.spheres[mine[:, 2 + k], :3])
            reach = spheres.spheres[mine[:, 2 + k], 3] + _AROUND
            near = np.linalg.norm(came - centres[:, None], axis=2) < reach[:, None]
            chosen = came[near]
            weights = np.full((len(chosen), 1), count / len(mine))
            points.setdefault(spheres.frames[frames[k]], []).append(np.hstack([chosen, weights]))
    return {name: _some(np.concatenate(each)) for name, each in points.items()}


def blame(
    model: MotionModel, values: F64, rows: Collection[int], shrink: Mapping[str, float]
) -> dict[str, int]:
    """Frame -> in how many of the configurations (n, variables) its spheres overlap others, counted
    by pair.

    `rows`: pairs that are looked at. `shrink`: frame -> metres that its radii are smaller for
    self-collision.
    """
    spheres = model.spheres
    less = np.array([shrink.get(frame, 0.0) for frame in spheres.frames])
    grown = max(0.0, -2 * float(less.min(initial=0.0)))
    spots, gaps = model.row_clearances(values, grown, np.array(sorted(rows), np.int64))
    frames = np.asarray(spheres.pairs, np.int64)[spots[:, 1]]
    counts = np.bincount(
        frames[gaps + less[frames].sum(axis=1) < 0.0].ravel(), minlength=len(spheres.frames)
    )
    return {spheres.frames[frame]: int(counts[frame]) for frame in np.flatnonzero(counts).tolist()}


def _some(points: F64) -> F64:
    """At most MOST of the points, evenly, as heavy together."""
    if len(points) <= MOST:
        return points
    chosen = np.linspace(0, len(points) - 1, MOST).astype(int)
    return np.asarray(points[chosen] * [1.0, 1.0, 1.0, len(points) / MOST], float)


def _poses_of(model: MotionModel, poses: F64, frame: int) -> F64:
    """(n, 4, 4) of a frame in the root's, from poses (n, bodies, 3, 4)."""
    body = np.zeros((len(poses), 4, 4))
    body[:, :3] = poses[:, model.spheres.frame_body[frame]]
    body[:, 3, 3] = 1.0
    in_body = np.eye(4)
    in_body[:3] = model.spheres.frame_pose[frame][:3]
    return np.asarray(body @ in_body)


def _in_frame(model: MotionModel, frame: int, points: F64) -> F64:
    """(n, 3) points of a frame's body in the frame."""
    pose = model.spheres.frame_pose[frame]
    return np.asarray((points - pose[:3, 3]) @ pose[:3, :3])
