"""Where spheres of two links meet although their meshes do not: there the spheres of a link have to be tight."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from editor_app.motion.model import MotionModel
from editor_app.self_collision.types import F64, I64

#: Points that are kept for each frame.
MOST = 300


def crowds(
    model: MotionModel, values: F64, rows: Collection[int], shrink: Mapping[str, float]
) -> tuple[dict[str, F64], dict[str, int]]:
    """Frame -> points (k, 4: x, y, z in metres in the frame, weight) in the middle of the deepest overlaps, and
    frame -> in how many of the configurations (n, variables) its spheres overlap others.

    `rows`: pairs that are looked at. `shrink`: frame -> metres that its radii are smaller for self-collision.
    """
    spheres = model.spheres
    less = np.array([shrink.get(frame, 0.0) for frame in spheres.frames])
    chosen = np.array(sorted(rows), np.int64)
    grown = max(0.0, -2 * float(less.min(initial=0.0)))
    spots, gaps = model.row_clearances(values, grown, chosen)
    frames = np.asarray(spheres.pairs, np.int64)[spots[:, 1]]
    gaps = gaps + less[frames].sum(axis=1)
    spots, frames = spots[gaps < 0.0], frames[gaps < 0.0]
    if not len(spots):
        return {}, {}
    poses = model.body_poses(values[np.unique(spots[:, 0])])
    at = poses[np.searchsorted(np.unique(spots[:, 0]), spots[:, 0])]
    one, other = (_placed(model, at, spots[:, 2 + k]) for k in range(2))
    radii = [spheres.spheres[spots[:, 2 + k], 3] - less[frames[:, k]] for k in range(2)]
    way = other - one
    length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
    middle = one + way * ((length - radii[1] + radii[0]) / 2 / length)[:, None]
    meetings = np.bincount(spots[:, 0])[spots[:, 0]]
    points: dict[str, list[F64]] = {}
    counts: dict[str, int] = {}
    for k in range(2):
        local = _in_frames(model, at, frames[:, k], middle)
        for frame in np.unique(frames[:, k]).tolist():
            mine = frames[:, k] == frame
            name = spheres.frames[frame]
            points.setdefault(name, []).append(np.column_stack([local[mine], 1.0 / meetings[mine]]))
            counts[name] = counts.get(name, 0) + int(mine.sum())
    return {name: _some(np.concatenate(each)) for name, each in points.items()}, counts


def _some(points: F64) -> F64:
    """At most MOST of the points, evenly, as heavy together."""
    if len(points) <= MOST:
        return points
    chosen = np.linspace(0, len(points) - 1, MOST).astype(int)
    return np.asarray(points[chosen] * [1.0, 1.0, 1.0, len(points) / MOST], float)


def _placed(model: MotionModel, poses: F64, numbers: I64) -> F64:
    """(n, 3) centres of spheres in the root's frame; poses (n, bodies, 3, 4)."""
    body = _bodies_of_spheres(model)[numbers]
    pose = poses[np.arange(len(numbers)), body]
    return np.asarray(np.einsum("nij,nj->ni", pose[:, :, :3], model.spheres.spheres[numbers, :3]) + pose[:, :, 3])


def _in_frames(model: MotionModel, poses: F64, frames: I64, points: F64) -> F64:
    """(n, 3) points of the root's frame in frames."""
    pose = poses[np.arange(len(frames)), model.spheres.frame_body[frames]]
    in_body = np.einsum("nji,nj->ni", pose[:, :, :3], points - pose[:, :, 3])
    at = model.spheres.frame_pose[frames]
    return np.asarray(np.einsum("nji,nj->ni", at[:, :, :3], in_body - at[:, :, 3]), float)


def _bodies_of_spheres(model: MotionModel) -> I64:
    counts = np.diff(model.spheres.starts)
    return np.repeat(np.asarray(model.spheres.frame_body, np.int64), counts)
