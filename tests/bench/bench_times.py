"""Times of 100 random motions of six robots, held against differences between their points, and
against toppra.

    python -m tests.bench.bench_times [MOTIONS PER ROBOT]

Four robots have first files made here, as `xrdf-editor new` makes them. Per robot: motions, the
share with corners; motions beyond a limit (divided differences of a point each millisecond) and
colliding ones (20,000 places each); time as a share of that of stops at all corners; time over
toppra's on the very same curve, which has no limit of jerk, its mean and worst; of the motions that
take over a tenth longer, their number, and the worst of them with the limits of jerk lifted, over
toppra on the curve that they have then; CPU time. Exit code 1 when a motion is beyond a limit or
collides. toppra's columns stay empty without it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.verbs.open import open_robot
from editor_app.features.draft.verbs.new import NewSettings, new
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.plugins.motion.engine.limits import JointLimits, list_limits
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.planner import free_configurations, plan_path
from editor_app.plugins.motion.engine.timing import time_path
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.times import judge_times, time_motion
from tests.helpers.robots import example_mappings, example_robots, sample_urdf, shared_robots

#: Below example-robot-data.
BARE = (
    "xarm_description/urdf/xarm7.urdf",
    "kinova_description/robots/kinova.urdf",
    "z1_description/urdf/z1.urdf",
    "panda_description/urdf/panda.urdf",
)
#: Times over toppra's that are looked into.
SLOW = 1.1
FIRST = NewSettings(
    True, True, choices=FitChoices(effort="fast"), samples=20_000, certify=0.0, cost_samples=0
)


def robots() -> list[tuple[str, RobotDescription]]:
    """Two with files, four with first files."""
    folder = shared_robots() / "ur10e"
    with_files = [
        ("ur10e", open_robot(folder / "ur10e.urdf", folder / "ur10e_v2.xrdf").robot),
        (sample_urdf().stem, open_robot(sample_urdf()).robot),
    ]
    made = [
        (
            Path(name).stem,
            new(
                example_robots() / name, packages=example_mappings(), settings=FIRST
            ).document.robot,
        )
        for name in BARE
    ]
    return with_files + made


def paths(model: MotionModel, count: int) -> list[Trajectory]:
    """Planned between random free configurations; every other one with corners, where there are
    enough."""
    joints = tuple(model.variables[k] for k in model.moving.tolist())
    ends, _ = free_configurations(model, 12 * count, 1)
    with_corners: list[Trajectory] = []
    straight: list[Trajectory] = []
    for start, goal in zip(ends[::2], ends[1::2], strict=False):
        planned = plan_path(model, start, goal)
        if planned.path is not None:
            chosen = with_corners if len(planned.path) > 2 else straight
            chosen.append(
                Trajectory(joints, tuple(map(tuple, planned.path[:, model.moving].tolist())))
            )
        if len(with_corners) >= count // 2 and len(with_corners) + len(straight) >= count:
            break
    return (with_corners[: max(count - len(straight), count // 2)] + straight)[:count]


def excess(motion: Trajectory, limits: JointLimits, step: float) -> float:
    """The greatest divided difference of first, second or third order as a share of the limits."""
    points = np.array(motion.points)
    bounds = (limits.velocity, limits.acceleration, limits.jerk)
    return max(
        float(np.max(np.abs(np.diff(points, order, axis=0)) / step**order / bound))
        for order, bound in enumerate(bounds, 1)
    )


def toppra_seconds(motion: Trajectory, limits: JointLimits) -> float | None:
    """The time of toppra on the curve of a motion, from rest to rest."""
    try:
        import toppra
        from toppra import algorithm, constraint
    except ImportError:
        return None
    points = np.array(motion.points)[::10]
    curve = toppra.SplineInterpolator(np.linspace(0.0, 1.0, len(points)), points)
    bounds = [
        constraint.JointVelocityConstraint(np.column_stack([-limits.velocity, limits.velocity])),
        constraint.JointAccelerationConstraint(
            np.column_stack([-limits.acceleration, limits.acceleration])
        ),
    ]
    grid = np.linspace(0.0, 1.0, 1001)
    peer = algorithm.TOPPRA(bounds, curve, gridpoints=grid).compute_trajectory(0.0, 0.0)
    return None if peer is None else float(peer.duration)


def without_jerk(path: Trajectory, limits: JointLimits, model: MotionModel) -> float:
    """The time of a path whose jerk nothing limits, over toppra's on its curve."""
    free = replace(limits, jerk=np.full(len(limits.joints), np.inf))
    timed = time_path(np.array(path.points), free, 0.001, model)
    peer = toppra_seconds(
        Trajectory(path.joints, tuple(map(tuple, timed.positions.tolist()))), limits
    )
    return float(timed.times[-1]) / peer if peer is not None else float("nan")


def collides(model: MotionModel, motion: Trajectory) -> bool:
    """Whether one of 20,000 places touches."""
    table = np.repeat(model.default[None, :], 20_000, axis=0)
    at = np.linspace(0.0, len(motion) - 1.0, len(table))
    for name, column in zip(motion.joints, np.array(motion.points).T, strict=True):
        table[:, model.variables.index(name)] = np.interp(at, np.arange(len(motion)), column)
    return bool((model.first_collisions(table) >= 0).any())


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 17
    wrong = 0
    heads = ("motions", "corners", "beyond", "collide", "of stops")
    print(
        f"{'robot':<10}{''.join(f'{head:>9}' for head in heads)}{'over toppra':>18}{'slow':>5}{'lifted':>6}{'CPU':>8}"
    )
    for name, robot in robots():
        model = motion_model_of(robot)
        beyond = colliding = corners = 0
        shares, ratios, seconds, lifted = [], [], [], []
        for path in paths(model, count):
            limits, _ = list_limits(robot, path.joints).assumed()
            begin = time.process_time()
            usual = time_motion(robot, path, model=model)
            seconds.append(time.process_time() - begin)
            timed = time_motion(robot, path, step=0.001, model=model)
            corners += timed.corners > 0
            beyond += excess(timed.motion, limits, 0.001) > 1.0 + 1e-6 or bool(
                judge_times(robot, usual.motion)
            )
            colliding += collides(model, usual.motion)
            shares.append(usual.duration / usual.stopping)
            peer = toppra_seconds(timed.motion, limits)
            if peer is not None:
                ratios.append(usual.duration / peer)
                if ratios[-1] > SLOW:
                    lifted.append(without_jerk(path, limits, model))
        wrong += beyond + colliding
        told = f"{np.mean(ratios):.3f} {np.max(ratios):.3f}" if ratios else ""
        told += f"{len(lifted):>4} {max(lifted):.3f}" if lifted else " " * 10
        counts = "".join(f"{number:>9}" for number in (len(shares), corners, beyond, colliding))
        milliseconds = np.median(seconds) * 1e3
        print(
            f"{name:<10}{counts}{np.mean(shares):>9.2f}{told:>18}{milliseconds:>6.0f} ms",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    import logging

    logging.disable(logging.WARNING)
    sys.exit(main())
