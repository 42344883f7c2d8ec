"""Times of motions: the fastest within the limits of the joints, and whether times that a file
gives keep to them.

Limits of velocity are the URDF's, of acceleration and jerk the XRDF's (else the URDF's, version
1.2); where MoveIt's joint_limits.yaml is stricter, its own. The path stays the proven one: a motion
rests at its corners, or passes them on a curve that is proven free again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import MOST_POSITIONS, Trajectory
from editor_app.core.space.kinematics.straight import TOLERANCE
from editor_app.core.space.kinematics.tool_chain import tool_chain
from editor_app.core.space.kinematics.tree import complete_pose, get_default_positions, get_tree
from editor_app.core.tasks.work import Described, Refused, check_arguments, describe_robot
from editor_app.plugins.motion.engine.limit_check import beyond_limits
from editor_app.plugins.motion.engine.limits import list_limits
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.results import NOTHING_KEPT, BeyondLimit, KeepAway
from editor_app.plugins.motion.engine.timing import time_path
from editor_app.plugins.motion.verbs.collide import motion_model_of, pose_variables

#: Metres by which a straight line with times may be left: as much again as one without.
STRAIGHT = 2.0 * TOLERANCE
#: Seconds between two points of a motion that is given out.
STEP = 0.01


@dataclass(frozen=True)
class Timed:
    """`motion`: with times, velocities and accelerations, from rest to rest.

    `stopping`: seconds it would take with a rest at every corner; `rounded` of its `corners` are
    passed without one, on a curve that leaves the path by `deviation` at most (joint -> rad or m).
    `use`: joint -> greatest velocity, acceleration and jerk as shares of its limits. `notes`: what
    was assumed.
    """

    motion: Trajectory
    stopping: float
    corners: int
    rounded: int
    deviation: FrozenDict[str, float]
    use: FrozenDict[str, tuple[float, float, float]]
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.motion.times[-1] if self.motion.times else 0.0

    @property
    def sentence(self) -> str:
        """How long it takes, and what it does at corners."""
        text = f"{self.duration:.2f} s within the limits of velocity, acceleration and jerk"
        if not self.corners:
            return text
        away = max(self.deviation.values(), default=0.0)
        stops = self.corners - self.rounded
        if not self.rounded:
            return f"{text}, with a stop at {_corners(stops)}"
        curve = (
            f"{text}; {_corners(self.rounded)} rounded by {away:.2g} rad or m at most, proven free"
        )
        return f"{curve} ({self.stopping:.2f} s with stops)" + (
            f"; a stop at {_corners(stops)}" if stops else ""
        )


def _scaling(robot: RobotDescription) -> tuple[str, ...]:
    """What MoveIt would do to the speed where a request names none."""
    limits = robot.limits
    if limits is None:
        return ()
    factors = limits.default_velocity_scaling_factor, limits.default_acceleration_scaling_factor
    velocity, acceleration = (1.0 if factor is None else factor for factor in factors)
    if velocity == acceleration == 1.0:
        return ()
    return (
        f"These times use the full limits. MoveIt scales motions without factors by {velocity:g} "
        "(velocity) and "
        f"{acceleration:g} (acceleration), from joint_limits.yaml.",
    )


def _corners(count: int) -> str:
    return "1 corner" if count == 1 else f"{count} corners"


@check_arguments
def time_motion(
    robot: Described,
    path: Trajectory,
    *,
    speed: float = 1.0,
    step: float = STEP,
    exact: bool = False,
    straight: str | None = None,
    scene: Scene = EMPTY_SCENE,
    mask: MaskFile | None = None,
    keep_away: KeepAway = NOTHING_KEPT,
    model: MotionModel | None = None,
) -> Timed:
    """The fastest times for a path (its own are left aside), one point every `step` seconds.

    `speed`: share of the velocities in the limits, 0 to 1; the same motion in slow motion. `exact`:
    a rest at every corner, so that the path stays what it is; else corners are rounded where the
    robot is proven free of itself and of the `scene` along the curve, and so is the straight line
    between any two points; both keep `keep_away` (metres), as the path does if it was planned so.
    `straight`: a frame that goes from its first to its last place within 0.2 mm of the straight
    line. Raises Refused, SceneError.
    """
    if not path.moves:
        raise Refused("these poses are not a motion: only a motion has times")
    if not 0.0 < speed <= 1.0:
        raise Refused(f"speed must be a share of the limits above 0 and at most 1, not {speed:g}")
    if not 0.0 < step <= 1.0:
        raise Refused(f"step must be in seconds, above 0 and at most 1, not {step:g}")
    description = describe_robot(robot)
    model = model or motion_model_of(description, scene, mask)
    pose_variables(model, description, path)
    limits, notes = list_limits(description, path.joints).assumed()
    notes += _scaling(description)
    points = np.array(path.points, float)
    prover = (
        model.keeping(keep_away)
        if not exact and model.row_count and _is_driven(model, path)
        else None
    )
    keeps = _keeps_straight(description, path, straight) if straight is not None else None
    timed = time_path(points, limits.scaled(speed), step, prover, keeps)
    if timed.positions.size > MOST_POSITIONS:
        raise Refused(
            f"the motion takes {timed.times[-1]:.0f} s: too long for a point every {step:g} s"
        )
    motion = Trajectory(
        path.joints,
        _rows(timed.positions),
        tuple(timed.times.tolist()),
        velocities=_rows(timed.velocities),
        accelerations=_rows(timed.accelerations),
    )
    use = timed.use * (speed ** np.arange(1, 4))[:, None]
    return Timed(
        motion,
        timed.stopping,
        timed.corners,
        timed.rounded,
        FrozenDict(zip(path.joints, timed.deviation.tolist(), strict=True)),
        FrozenDict(
            {joint: (use[0, k], use[1, k], use[2, k]) for k, joint in enumerate(path.joints)}
        ),
        notes,
    )


@check_arguments
def judge_times(robot: Described, trajectory: Trajectory) -> tuple[BeyondLimit, ...]:
    """Joints that are faster than their limits allow, worst first: where, when, by how much. Empty
    without times.

    Limits that no file gives are not judged; nothing is blamed that rounding in the file can
    explain.
    """
    return beyond_limits(trajectory, list_limits(describe_robot(robot), trajectory.joints))


def _keeps_straight(robot: RobotDescription, path: Trajectory, frame: str) -> Callable[[F64], bool]:
    tree = get_tree(robot)
    if frame not in tree.index:
        raise Refused(f"the robot has no frame {frame!r}")
    standing = complete_pose(tree, {**get_default_positions(tree, robot.xrdf), **path.pose(0)})
    chain = tool_chain(tree, [frame], standing, {*tree.independent} - {*path.joints})
    columns = [path.joints.index(name) for name in chain.variables]

    def keeps(positions: F64) -> bool:
        _, tools = chain.poses(positions[:, columns])
        away = tools[:, 0, :3, 3] - tools[0, 0, :3, 3]
        length = float(np.linalg.norm(away[-1]))
        along = away[-1] / length if length > 0.0 else away[-1]
        return bool(np.linalg.norm(away - np.outer(away @ along, along), axis=1).max() <= STRAIGHT)

    return keeps


def _is_driven(model: MotionModel, path: Trajectory) -> bool:
    """Whether joints of the path that follow others are left to do so: else a curve says nothing
    about the robot."""
    return {*path.joints} <= {*model.variables}


def _rows(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, table.tolist()))
