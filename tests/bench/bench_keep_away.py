"""Planned paths of six robots, each held against distances at 20,000 places that know nothing of
the planner.

    python -m tests.bench.bench_keep_away [QUERIES]

Robots are of example-robot-data, with spheres that are made here; pairs that overlap in a third of
all configurations are masked. Where a robot is nearer to an obstacle, or to itself, than was asked,
and the plan does not say so, the program ends with an error. What keeping away costs stands beside
it, as a ratio of CPU times.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace

import numpy as np

import editor_app
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import BoxShape, CylinderShape, Obstacle, Scene, SphereShape
from editor_app.core.model.xrdf import LinkPair
from editor_app.plugins.motion.engine.model import build_motion_model
from editor_app.plugins.motion.engine.results import (
    NOTHING_KEPT,
    KeepAway,
    PlannerSettings,
    Stretch,
)
from editor_app.plugins.motion.verbs.plan import Planned, plan_between
from tests.bench.timing import report
from tests.helpers.clearances import between, obstacle_clearances, self_clearances
from tests.helpers.robots import example_mappings, example_robots

URDFS = (
    "ur_description/urdf/ur5_robot.urdf", "panda_description/urdf/panda.urdf", "kinova_description/robots/kinova.urdf",
    "ur_description/urdf/ur10_robot.urdf", "xarm_description/urdf/xarm7.urdf", "z1_description/urdf/z1.urdf",
)  # fmt: skip
KEEP = KeepAway(0.02, 0.002)
PLACES = 20_000
SCENE = Scene(
    (
        Obstacle(
            "post", CylinderShape(0.04, 1.0), (0.55, 0.35, 0.5), (0.9659258, 0.258819, 0.0, 0.0)
        ),
        Obstacle("ball", SphereShape(0.1), (-0.45, 0.45, 0.5)),
        Obstacle(
            "shelf", BoxShape((0.4, 0.2, 0.03)), (0.2, -0.55, 0.6), (0.9659258, 0.0, 0.0, 0.258819)
        ),
    )
)


def overlapping(robot: RobotDescription) -> frozenset[LinkPair]:
    """Pairs that no path could keep apart: joined ones, and those that overlap in a third of all
    configurations."""
    model = build_motion_model(robot)
    spots, _ = model.row_clearances(model.random_values(300, 1), 0.0)
    often = np.flatnonzero(np.bincount(spots[:, 1], minlength=model.row_count) > 100).tolist()
    unchecked = np.flatnonzero(~model.checked).tolist()
    return frozenset(model.spheres.link_pairs[row] for row in {*often, *unchecked})


def least(
    robot: RobotDescription, pairs: frozenset[LinkPair], planned: Planned
) -> tuple[float, float]:
    """What is left of the clearance that was asked for, at the worst of all places: itself,
    obstacles; metres."""
    assert planned.path is not None
    points = between(np.array(planned.path.points), PLACES)
    path = replace(planned.path, points=tuple(map(tuple, points.tolist())))
    masked = frozenset(frozenset((pair.first, pair.second)) for pair in pairs)
    told = {frozenset(each.names): each for each in planned.nearer}
    left = []
    for asked, gaps in (
        (KEEP.itself, self_clearances(robot, path, masked, KEEP.itself + 0.02)),
        (KEEP.obstacles, obstacle_clearances(robot, path, SCENE)),
    ):
        rest = [math.inf]
        for names, clearance in gaps.items():
            near = told.get(frozenset(names))
            kept = (
                asked
                if near is None
                else 0.0
                if near.stretch is Stretch.WHOLE
                else 0.9 * near.clearance
            )
            rest.append(float(clearance.min()) - kept)
        left.append(min(rest))
    return left[0], left[1]


def main() -> None:
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    wrong = 0
    for name in URDFS:
        document = editor_app.open_robot(
            example_robots() / name, packages=example_mappings(), new_xrdf=True
        )
        document.execute(editor_app.fit(document, budget=60).change)
        robot = document.robot
        pairs = overlapping(robot)
        model = build_motion_model(robot, SCENE, pairs)
        values = model.random_values(4000, 0)
        free = values[model.first_collisions(values) < 0][: 2 * queries]
        if len(free) < 2 * queries:
            print(
                f"{robot.urdf.name}: {len(free)} of {len(values):,} random configurations are free"
            )
            continue
        worst, seconds, solved, nearer = [math.inf, math.inf], {KEEP: 0.0, NOTHING_KEPT: 0.0}, 0, 0
        for k in range(queries):
            ends = model.pose(free[2 * k]), model.pose(free[2 * k + 1])
            for keep in seconds:
                settings = PlannerSettings(2.0, seed=k, keep_away=keep)
                begin = time.process_time()
                planned = plan_between(robot, *ends, settings=settings, model=model)
                seconds[keep] += time.process_time() - begin
                if keep is KEEP and planned.path is not None:
                    solved, nearer = solved + 1, nearer + bool(planned.nearer)
                    worst = [
                        min(pair) for pair in zip(worst, least(robot, pairs, planned), strict=True)
                    ]
        wrong += min(worst) < -1e-9
        print(
            f"{robot.urdf.name}: {solved} of {queries} paths, {nearer} with something nearer at an "
            "end;\n"
            f"  at {PLACES:,} places of each {worst[0] * 1e3:.4f} mm more from itself than is "
            "asked, "
            f"{worst[1] * 1e3:.4f} mm more from obstacles"
        )
        report("  keeping away, beside keeping nothing", seconds[KEEP], seconds[NOTHING_KEPT])
    sys.exit(f"{wrong} robots come nearer than their plans say" if wrong else 0)


if __name__ == "__main__":
    main()
