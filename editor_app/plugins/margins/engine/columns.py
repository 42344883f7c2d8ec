"""A deviating robot as a chain of one-number movements, called columns.

Each movable joint is a column. Each frame with a tolerance adds six in front of the joint that
leads to it: three slides and three turns along the axes of the joint frame. A variable is one
independent deviation: of a joint with all its followers, or of one of the six. Metres and radians
throughout, in the frame of the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.plugins.margins.tolerances import Tolerances


@dataclass(frozen=True, eq=False)
class ColumnState:
    """`poses` (k, frames, 4, 4); `points`, `directions` (k, c, 3): the axes of the columns. In the
    root's frame."""

    poses: F64
    points: F64
    directions: F64

    def rows(self, chosen: slice | I64) -> ColumnState:
        """Return the state of some of the configurations."""
        return ColumnState(self.poses[chosen], self.points[chosen], self.directions[chosen])


@dataclass(frozen=True, eq=False)
class Columns:
    """`frame` (c,): index of the frame that a column moves; `turning` (c,); `axis` (c, 3): in the
    joint frame.

    `is_error` (c,): a column of a frame's tolerance. `scaled` (c, v): deviation of the column per
    variable in -1..1. `rates` (c, n): position of the column's joint per independent joint of the
    tree. `sizes` (v,): radians or metres of a variable at 1; `labels`: names of the variables.
    """

    tree: KinematicTree
    frame: I64
    turning: Bools
    axis: F64
    is_error: Bools
    scaled: F64
    rates: F64
    sizes: F64
    labels: tuple[str, ...]

    @classmethod
    def of(cls, tree: KinematicTree, tolerances: Tolerances) -> Columns:
        """Build the columns. The tolerances fit the tree (`Tolerances.check`)."""
        tree_variables = [*tolerances.joints]
        rows: list[tuple[int, bool, F64, bool, dict[int, float]]] = []
        rates: list[F64] = []
        labels, sizes = list(tree_variables), list(tolerances.joints.values())
        place = {name: k for k, name in enumerate(tree.independent)}
        for i, joint in enumerate(tree.joints, start=1):
            tolerance = tolerances.frames.get(tree.frames[i])
            for turning, size in (
                ((False, tolerance.position), (True, tolerance.angle)) if tolerance else ()
            ):
                for letter, axis in zip("xyz", np.eye(3) if size > 0.0 else (), strict=False):
                    rows.append((i, turning, axis, True, {len(labels): size}))
                    rates.append(np.zeros(len(place)))
                    labels.append(f"{tree.frames[i]} {'about' if turning else 'along'} {letter}")
                    sizes.append(size)
            if not joint.is_movable:
                continue
            follow, rate = tree.follows[joint.name], np.zeros(len(place))
            scales = {
                k: tolerances.joints[name]
                for k, name in enumerate(tree_variables)
                if name == joint.name
            }
            if follow.source is not None:
                rate[place[follow.source]] = follow.multiplier
                if follow.source != joint.name and follow.source in tolerances.joints:
                    leader = tolerances.joints[follow.source]
                    scales[tree_variables.index(follow.source)] = follow.multiplier * leader
            rows.append((i, joint.type is not JointType.PRISMATIC, joint.axis, False, scales))
            rates.append(rate)
        scaled = np.zeros((len(rows), len(labels)))
        for row, (*_, scales) in zip(scaled, rows, strict=True):
            row[list(scales)] = list(scales.values())
        return cls(
            tree,
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.bool_),
            np.array([row[2] for row in rows], float).reshape(-1, 3),
            np.array([row[3] for row in rows], np.bool_),
            scaled,
            np.array(rates, float).reshape(len(rows), len(place)),
            np.array(sizes, float),
            tuple(labels),
        )

    @property
    def variable_count(self) -> int:
        return len(self.sizes)

    @cached_property
    def _by_frame(self) -> list[list[int]]:
        lists: list[list[int]] = [[] for _ in self.tree.frames]
        for column, frame in enumerate(self.frame.tolist()):
            lists[frame].append(column)
        return lists

    def chain(self, frame: int, above: int = -1) -> I64:
        """Columns that move a frame against the frame `above` (default: the root), the nearest to
        it first."""
        frames: list[int] = []
        while frame not in (above, -1):
            frames.append(frame)
            frame = self.tree.parent[frame]
        return np.array(
            [column for each in reversed(frames) for column in self._by_frame[each]], np.int64
        )

    def common(self, one: int, other: int) -> int:
        """The index of the last frame that both hang on."""
        tree = self.tree
        while one != other:
            if tree.depth[one] >= tree.depth[other]:
                one = tree.parent[one]
            else:
                other = tree.parent[other]
        return one

    def state(self, values: F64, deviations: F64 | None = None) -> ColumnState:
        """Return the exact poses at (k, independent joints) with deviations (k, variables) in
        -1..1; default none.

        One row of values may have many rows of deviations.
        """
        tree, motion = self.tree, self.tree.motion
        moved = (
            np.zeros((len(values), len(self.frame)))
            if deviations is None
            else deviations @ self.scaled.T
        )
        count = len(moved)
        positions = moved + values @ self.rates.T
        positions[:, ~self.is_error] += motion.offset
        world = np.empty((len(tree.frames), count, 4, 4))
        points, directions = np.empty((2, count, len(self.frame), 3))
        for i, parent in enumerate(tree.parent):
            if parent < 0:
                world[i] = motion.constant[i]
                continue
            world[i] = world[parent] @ tree.joints[i - 1].origin
            for column in self._by_frame[i]:
                points[:, column] = world[i, :, :3, 3]
                directions[:, column] = world[i, :, :3, :3] @ self.axis[column]
                if self.is_error[column] and deviations is None:
                    continue
                turning = bool(self.turning[column])
                world[i] = world[i] @ _movement(
                    self.axis[column], positions[:, column], turning=turning
                )
        return ColumnState(world.transpose(1, 0, 2, 3), points, directions)


def _movement(axis: F64, amount: F64, *, turning: bool) -> F64:
    """(k, 4, 4): turns about, or slides along, an axis through the origin."""
    result = np.broadcast_to(np.eye(4), (len(amount), 4, 4)).copy()
    if not turning:
        result[:, :3, 3] = amount[:, None] * axis
        return result
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, versine = np.sin(amount), 2.0 * np.square(np.sin(0.5 * amount))
    result[:, :3, :3] += sine[:, None, None] * skew + versine[:, None, None] * (skew @ skew)
    return result
