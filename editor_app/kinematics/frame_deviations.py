"""How far the frames of two robots are apart at the same joint positions: whether two URDFs are one mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from editor_app.kinematics.forward import forward_batch
from editor_app.kinematics.inverse import rotation_vectors
from editor_app.kinematics.sobol import Sobol
from editor_app.kinematics.structure import KinematicTree, TreeJoint, complete_pose
from editor_app.kinematics.transforms import Matrix, invert
from editor_app.model.brief import brief
from editor_app.model.pose import EMPTY_POSE, Pose

#: Configurations that are computed at once.
_AT_ONCE = 256
#: Radians each way, for joints that turn without limits.
_ANY_TURN = math.pi
#: Metres each way, for joints that slide without limits.
_ANY_SHIFT = 1.0


@dataclass(frozen=True, slots=True)
class FrameDeviation:
    """The greatest distance (metres) and turn (radians, 0 to π) of a frame, each with the joint positions of it."""

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
class Deviations:
    """`frames`: those that both robots have, farthest first, as seen from the frame `base`, in `configurations`.

    The joints `moved` were moved, those that both robots have and that mimic no other; `still`: joints that only one of
    them moves by itself, which stayed at 0 clamped to their limits.
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


def apart(old: Matrix, new: Matrix) -> tuple[Matrix, Matrix]:
    """Metres and radians (0 to π) between poses (..., 4, 4)."""
    turns = np.swapaxes(old[..., :3, :3], -1, -2) @ new[..., :3, :3]
    return np.linalg.norm(old[..., :3, 3] - new[..., :3, 3], axis=-1), np.linalg.norm(rotation_vectors(turns), axis=-1)


def frame_deviations(
    old: KinematicTree,
    new: KinematicTree,
    samples: int,
    progress: Callable[[float], None] = lambda share: None,
) -> Deviations | None:
    """Seen, not proven: all joints at rest, each alone at both of its ends, and `samples` random configurations.

    Joints move within the limits that both robots have; a pose outside of either is not asked. None where the two have
    no frame in common.
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
        seen = [_from_base(tree, moved, q, place) for tree, place in zip((old, new), places, strict=True)]
        for values, greatest, where in zip(apart(*seen), (distances, angles), (farthest, turned), strict=True):
            best = values.argmax(axis=0)
            most = values[best, np.arange(len(common))]
            better = most > greatest
            greatest[better], where[better] = most[better], q[best[better]]
        count += len(q)
        progress(min(1.0, count / (samples + 1 + 2 * len(moved))))

    def pose(row: Matrix) -> Pose:
        return complete_pose(old, dict(zip(moved, row.tolist(), strict=True)))

    frames = [
        FrameDeviation(frame, float(distances[i]), float(angles[i]), pose(farthest[i]), pose(turned[i]))
        for i, frame in enumerate(common)
    ]
    ordered = sorted(frames, key=lambda frame: -frame.distance)
    return Deviations(common[0], count, tuple(moved), still, tuple(ordered))


def _from_base(tree: KinematicTree, joints: list[str], q: Matrix, places: np.ndarray) -> Matrix:
    """(k, frames, 4, 4) poses in the first of the frames."""
    world = forward_batch(tree, joints, q)[:, places]
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
    """The limits that hold in both; where they have no position in common, the one of the old robot that is nearest."""
    bounds = []
    for name in names:
        (a, b), (c, d) = (_limits(tree.joints[tree.joint_index[name]]) for tree in (old, new))
        low, high = max(a, c), min(b, d)
        bounds.append((low, high) if low <= high else (min(max(a, c), b),) * 2)
    both = np.array(bounds).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _limits(joint: TreeJoint) -> tuple[float, float]:
    reach = _ANY_TURN if joint.type.value in ("revolute", "continuous") else _ANY_SHIFT
    return joint.limits or (-reach, reach)
