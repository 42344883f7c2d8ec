"""Pose of a frame in another one, and how far the frames of two robots are apart at the same joint
positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from editor_app.core.model.frozen import brief
from editor_app.core.model.pose import EMPTY_POSE, Pose
from editor_app.core.space.kinematics.forward import compute_forward_batch
from editor_app.core.space.kinematics.inverse import rotation_vectors
from editor_app.core.space.kinematics.sobol import Sobol
from editor_app.core.space.kinematics.structure import KinematicTree, complete_pose
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    invert,
    matrix_to_quaternion,
    matrix_to_rpy,
)

#: Configurations that are computed at once.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class FrameDeviation:
    """The greatest distance (metres) and turn (radians, 0 to π) of a frame, each with the joint
    positions of it."""

    frame: str
    distance: float
    angle: float
    farthest: Pose = EMPTY_POSE
    most_turned: Pose = EMPTY_POSE

    #: Metres and radians: less is lost digits.
    SEEN: ClassVar[float] = 1e-9

    @property
    def is_seen(self) -> bool:
        return max(self.distance, self.angle) > self.SEEN

    @property
    def told(self) -> str:
        """The distance as people read it."""
        return f"{self.distance * 1e3:.2f} mm"

    @property
    def told_turn(self) -> str:
        return f"{math.degrees(self.angle):.2f}°"


@dataclass(frozen=True)
class FrameDeviations:
    """`frames`: those that both robots have, farthest first, as seen from the frame `base`, in
    `configurations`.

    The joints `moved` were moved, those that both robots have and that mimic no other; `still`:
    joints that only one of them moves by itself, which stayed at 0 clamped to their limits.
    """

    base: str
    configurations: int
    moved: tuple[str, ...]
    still: tuple[str, ...]
    frames: tuple[FrameDeviation, ...]

    __repr__ = brief

    @property
    def farthest(self) -> FrameDeviation | None:
        """The frame with the greatest distance; None without common frames."""
        return self.frames[0] if self.frames else None

    @property
    def most_turned(self) -> FrameDeviation | None:
        return max(self.frames, key=lambda frame: frame.angle, default=None)


def measure_pose_deviation(old: Matrix, new: Matrix) -> tuple[Matrix, Matrix]:
    """Metres and radians (0 to π) between poses (..., 4, 4)."""
    turns = np.swapaxes(old[..., :3, :3], -1, -2) @ new[..., :3, :3]
    return np.linalg.norm(old[..., :3, 3] - new[..., :3, 3], axis=-1), np.linalg.norm(
        rotation_vectors(turns), axis=-1
    )


def frame_deviations(
    old: KinematicTree,
    new: KinematicTree,
    samples: int,
    progress: Callable[[float], None] = lambda share: None,
) -> FrameDeviations | None:
    """Seen, not proven: all joints at rest, each alone at both of its ends, and `samples` random
    configurations.

    Joints move within the limits that both robots have; a pose outside of either is not asked. None
    where the two have no frame in common.
    """
    common = [frame for frame in old.frames if frame in new.index]
    if not common:
        return None
    moved = [name for name in old.independent if name in new.independent]
    still = tuple(sorted(set(old.independent) ^ set(new.independent)))
    low, high = _bounds(old, new, moved)
    places = [np.array([tree.index[frame] for frame in common]) for tree in (old, new)]
    distances, angles = np.full(len(common), -1.0), np.full(len(common), -1.0)
    farthest, turned = (np.zeros((len(common), len(moved))) for _ in range(2))
    count = 0
    for q in _configurations(low, high, samples):
        seen = [
            _from_base(tree, moved, q, place)
            for tree, place in zip((old, new), places, strict=True)
        ]
        for values, greatest, where in zip(
            measure_pose_deviation(*seen), (distances, angles), (farthest, turned), strict=True
        ):
            best = values.argmax(axis=0)
            most = values[best, np.arange(len(common))]
            better = most > greatest
            greatest[better], where[better] = most[better], q[best[better]]
        count += len(q)
        progress(min(1.0, count / (samples + 1 + 2 * len(moved))))

    def pose(row: Matrix) -> Pose:
        return complete_pose(old, dict(zip(moved, row.tolist(), strict=True)))

    frames = [
        FrameDeviation(
            frame, float(distances[i]), float(angles[i]), pose(farthest[i]), pose(turned[i])
        )
        for i, frame in enumerate(common)
    ]
    ordered = sorted(frames, key=lambda frame: -frame.distance)
    return FrameDeviations(common[0], count, tuple(moved), still, tuple(ordered))


def _from_base(tree: KinematicTree, joints: list[str], q: Matrix, places: np.ndarray) -> Matrix:
    """(k, frames, 4, 4) poses in the first of the frames."""
    world = compute_forward_batch(tree, joints, q)[:, places]
    seen: Matrix = invert(world[:, 0])[:, None] @ world
    return seen


def _configurations(low: Matrix, high: Matrix, samples: int) -> Iterator[Matrix]:
    """Rest, the ends of each joint alone, random ones; at most `_AT_ONCE` at a time."""
    rest = np.clip(0.0, low, high)
    ends = np.repeat(rest[None, :], 1 + 2 * len(low), axis=0)
    for i in range(len(low)):
        ends[1 + 2 * i, i], ends[2 + 2 * i, i] = low[i], high[i]
    for first in range(0, len(ends), _AT_ONCE):
        yield ends[first : first + _AT_ONCE]
    if not len(low):
        return
    points = Sobol(len(low), 0, samples)
    for first in range(0, samples, _AT_ONCE):
        yield low + (high - low) * points.unit(np.arange(first, min(first + _AT_ONCE, samples)))


def _bounds(old: KinematicTree, new: KinematicTree, names: list[str]) -> tuple[Matrix, Matrix]:
    """The limits that hold in both; where they have no position in common, the one of the old robot
    that is nearest."""
    bounds = []
    for name in names:
        (a, b), (c, d) = (tree.joints[tree.joint_index[name]].span for tree in (old, new))
        low, high = max(a, c), min(b, d)
        bounds.append((low, high) if low <= high else (min(max(a, c), b),) * 2)
    both = np.array(bounds).reshape(-1, 2)
    return both[:, 0], both[:, 1]


Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class FramePose:
    """`matrix` (4, 4): the pose of `frame` in `reference`. Metres and radians."""

    frame: str
    reference: str
    matrix: Matrix

    __repr__ = brief

    @property
    def position(self) -> Triple:
        x, y, z = self.matrix[:3, 3].tolist()
        return x, y, z

    @property
    def rpy(self) -> Triple:
        """Roll, pitch, yaw about the fixed axes x, y, z in this order, as URDF has them."""
        return matrix_to_rpy(self.matrix)

    @property
    def quaternion_wxyz(self) -> tuple[float, float, float, float]:
        """The unit quaternion with w >= 0: the order of XRDF, cuRobo, MuJoCo and Eigen's
        constructor."""
        return matrix_to_quaternion(self.matrix)

    @property
    def quaternion_xyzw(self) -> tuple[float, float, float, float]:
        """The unit quaternion in the order of ROS messages, scipy and pinocchio."""
        w, x, y, z = self.quaternion_wxyz
        return x, y, z, w

    @property
    def axis_angle(self) -> tuple[Triple, float]:
        """The unit axis, in the reference frame, and the angle from 0 to π; the axis is x where
        nothing is turned."""
        w, x, y, z = self.quaternion_wxyz
        sine = math.hypot(x, y, z)
        if sine == 0.0:
            return (1.0, 0.0, 0.0), 0.0
        return (x / sine, y / sine, z / sine), 2.0 * math.atan2(sine, w)


def compute_target_pose(reference: Matrix, now: Matrix, place: Matrix, *, relative: bool) -> Matrix:
    """(4, 4) in the base frame: where a frame that is at `now` is to go, with `reference` (4, 4) in
    the base frame too.

    Absolute: `place` is its new pose in the reference. Relative: `place` is a shift along the
    reference's axes, and a turn about these axes through the frame's origin; with the frame itself
    as reference this is `now · place`.
    """
    if not relative:
        result: Matrix = reference @ place
        return result
    axes = reference[:3, :3]
    result = np.eye(4)
    result[:3, :3] = axes @ place[:3, :3] @ axes.T @ now[:3, :3]
    result[:3, 3] = now[:3, 3] + axes @ place[:3, 3]
    return result
