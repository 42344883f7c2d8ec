"""Low-discrepancy samples of a robot's joint space, the same for the same seed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.inverse import UNBOUNDED_SLIDE
from editor_app.core.space.kinematics.sobol import Sobol
from editor_app.core.space.kinematics.structure import KinematicTree, TreeJoint
from editor_app.core.space.kinematics.transforms import Matrix


def sampling_range(joint: TreeJoint) -> tuple[float, float]:
    """(lower, upper) in rad or m that a joint is sampled within: its limits, else a whole turn or
    ±1 m.

    A limit that is infinite is replaced on its side alone; a turning joint is never sampled over
    more than its limits, also where they span several turns.
    """
    span = UNBOUNDED_SLIDE if joint.type is JointType.PRISMATIC else math.pi
    if joint.limits is None:
        return -span, span
    lower, upper = joint.limits
    if math.isinf(lower) and math.isinf(upper):
        return -span, span
    if math.isinf(lower):
        return upper - 2 * span, upper
    if math.isinf(upper):
        return lower, lower + 2 * span
    return lower, upper


def sampling_ranges(
    tree: KinematicTree, joint_names: Sequence[str] | None = None
) -> tuple[Matrix, Matrix]:
    """Lower and upper (n,) of the named joints (all independent ones if None). Raises KeyError for
    an unknown name."""
    names = tree.independent if joint_names is None else joint_names
    ranges = [sampling_range(tree.joints[tree.joint_index[name]]) for name in names]
    lower, upper = np.array(ranges, dtype=np.float64).reshape(-1, 2).T
    return lower, upper


def sample_joints(
    tree: KinematicTree,
    count: int,
    *,
    joint_names: Sequence[str] | None = None,
    seed: int = 0,
    start: int = 0,
) -> Matrix:
    """(count, n) scrambled Sobol points within the limits of the named joints (all independent ones
    if None).

    `start` skips the first points of the sequence, so that it can be drawn in pieces. Raises
    KeyError for an unknown joint.
    """
    lower, upper = sampling_ranges(tree, joint_names)
    points = Sobol(len(lower), seed, start + max(count, 1)).unit(np.arange(start, start + count))
    return lower + (upper - lower) * points
