"""The verb margins: how much clearance is left when joints and frames deviate, as a proven bound
per pair of links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.kinematics.structure import KinematicTree, get_default_positions
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PoseLike,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    make_stoppable,
    make_trajectory,
    never,
    silent,
)
from editor_app.features.masks.engine.model import collect_self_spheres
from editor_app.plugins.margins.engine import bounds, search
from editor_app.plugins.margins.engine.columns import Columns
from editor_app.plugins.margins.tolerances import Tolerances
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.verbs.collide import comparing_model


@dataclass(frozen=True)
class ProvenPairMargin:
    """A pair of links with buffers included, in metres. No deviation within the tolerances leaves
    less than `margin`.

    `clearance`: nominal. `reached`: the least clearance that a search among the deviations finds:
    the margin is between it and the proven one. `sampled`: the least one of random deviations; None
    without samples. `index`, `share`: the configuration, and the share of the way to the next.
    `deviations`: joint or axis of a frame -> radians or metres, which leave `reached`; zeros are
    left out.
    """

    first: str
    second: str
    clearance: float
    margin: float
    reached: float
    sampled: float | None
    index: int
    share: float
    pose: Pose
    deviations: FrozenDict[str, float]

    @property
    def loss(self) -> float:
        """Clearance that deviations take at most, metres."""
        return self.clearance - self.margin


@dataclass(frozen=True)
class Margins:
    """`pairs`: every checked pair, that with the least margin first. `is_path`: the margins hold on
    the straight ways between the configurations, too."""

    tolerances: Tolerances
    pairs: tuple[ProvenPairMargin, ...]
    is_path: bool
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def least(self) -> ProvenPairMargin:
        return self.pairs[0]

    @property
    def is_safe(self) -> bool:
        """True if every pair stays apart whatever the deviations are."""
        return all(pair.margin > 0.0 for pair in self.pairs)


def frame_spheres(
    robot: RobotDescription, tree: KinematicTree
) -> dict[str, bounds.BufferedSpheres]:
    """Frame -> its self-collision spheres with buffers, of frames in the tree."""
    return {
        frame: bounds.BufferedSpheres(
            tree.index[frame],
            np.array([sphere.center for _, sphere, _ in rows], float),
            np.array([radius for *_, radius in rows], float),
        )
        for frame, rows in collect_self_spheres(robot.xrdf).items()
        if frame in tree.index
    }


def checked_pairs(model: MotionModel) -> list[tuple[str, str]]:
    """The pairs of frames that count."""
    return [model.names(row) for row in model.rows.tolist() if not model.is_touch(row)]


def joint_table(robot: RobotDescription, trajectory: Trajectory) -> F64:
    """(n, independent joints) in radians or metres; joints that the trajectory does not name are at
    their default.

    Raises Refused for a name that is no joint of the robot, for numbers that are not finite, and
    for no points.
    """
    tree = get_tree(robot)
    strange = [name for name in trajectory.joints if name not in tree.joint_index]
    if strange:
        raise Refused(refuse_name("joint", strange[0], tree.independent))
    rest = get_default_positions(tree, robot.xrdf)
    table = np.repeat(
        np.array([[rest[name] for name in tree.independent]], float), len(trajectory), axis=0
    )
    points = np.array(trajectory.points, float).reshape(len(trajectory), len(trajectory.joints))
    if not len(table) or not np.isfinite(points).all():
        raise Refused("the trajectory has no points, or a position that is not finite")
    for column, name in enumerate(tree.independent):
        if name in trajectory.joints:
            table[:, column] = points[:, trajectory.joints.index(name)]
    return table


@check_arguments
def margins(
    robot: Described,
    poses: PoseLike,
    tolerances: Tolerances,
    *,
    mask: MaskFile | None = None,
    samples: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Margins:
    """Bound the clearance of each checked pair of links at configurations, or along a motion, from
    below.

    `poses`: joint -> rad or m, or a trajectory; joints without a position have their default. Where
    the trajectory moves, the bounds hold on the straight line in joint space between its points as
    well. `samples`: compare with so many random deviations (half of them at the corners of the
    tolerances). `mask`: as of `collide`. Raises Refused, Cancelled.
    """
    description, trajectory = describe_robot(robot), make_trajectory(poses)
    tree = get_tree(description)
    tolerances.check(tree)
    model = comparing_model(description, file=mask)
    columns, spheres, pairs = (
        Columns.of(tree, tolerances),
        frame_spheres(description, tree),
        checked_pairs(model),
    )
    if not pairs:
        raise Refused(
            "no pair of links with spheres is checked: fit spheres to two links, or change the mask"
        )
    values = joint_table(description, trajectory)
    is_path = trajectory.moves and len(values) > 1
    tick = make_stoppable(progress, cancel)
    results = []
    for number, (first, second) in enumerate(pairs):
        share = number / len(pairs)
        tick(share, "Bounding clearances")
        one, other = spheres[first], spheres[second]
        stop = partial(tick, share, "Bounding clearances")
        least = search.least_margin(columns, one, other, values, is_path=is_path, stop=stop)
        results.append(_named(columns, (first, second), (one, other), values, least, samples, seed))
    progress(1.0, "Done")
    results.sort(key=lambda pair: pair.margin)
    return Margins(tolerances, tuple(results), is_path, model.notes)


def _named(
    columns: Columns,
    names: tuple[str, str],
    spheres: tuple[bounds.BufferedSpheres, bounds.BufferedSpheres],
    values: F64,
    least: search.Least,
    samples: int | None,
    seed: int,
) -> ProvenPairMargin:
    end = values[min(least.index + 1, len(values) - 1)]
    at = values[least.index] + least.share * (end - values[least.index])
    sampled = bounds.sample_clearance(columns, *spheres, at, samples, seed) if samples else None
    moved = zip(columns.labels, (least.deviations * columns.sizes).tolist(), strict=True)
    pose = FrozenDict(zip(columns.tree.independent, at.tolist(), strict=True))
    deviations = FrozenDict({label: size for label, size in moved if size})
    return ProvenPairMargin(
        *names,
        least.clearance,
        least.margin,
        least.reached,
        sampled,
        least.index,
        least.share,
        pose,
        deviations,
    )
