"""Of the queries that a planner on the exact meshes solves, how many the editor's planner solves
with XRDFs.

    python -P -m tests.opinions queries ROBOT.urdf OURS.xrdf VENDORS.xrdf

Queries are random pairs of poses that the meshes leave free, the same for every file. The planner
on meshes is a plain RRT-Connect (Kuffner and LaValle 2000) over python-fcl: own reader, own
kinematics, nothing of the editor. Told for each file are the queries that `plan` solves, those
whose path touches by meshes, the median time, and why others failed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.opinions.planning import read_model
from tests.opinions.planning_truth import Robot, Toucher, Truth, truth_of
from tests.opinions.plans import along

#: Radians, or metres, that a branch grows at most.
GROWTH = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.xrdf")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--mesh-seconds", type=float, default=10.0, help="for a query, of the planner on meshes"
    )
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="for a query, of the editor's planner"
    )
    parser.add_argument("--package", action="append", default=[], metavar="NAME=FOLDER")


def run(options: argparse.Namespace) -> int:
    packages = {
        name: Path(folder) for name, _, folder in (text.partition("=") for text in options.package)
    }
    robot, model = Robot(options.urdf, packages), read_model(options.files[0])
    # Pairs that touch by design are told by many poses.
    truth = truth_of(
        robot, model.joints, model.locked, max(2000, 20 * options.queries), options.seed
    )
    free = truth.values[~truth.collides][: 2 * options.queries]
    toucher = Toucher(robot, truth.joints, truth.locked, truth.pairs)
    rng = np.random.default_rng(options.seed)
    solved = [
        (start, goal)
        for start, goal in zip(free[0::2], free[1::2], strict=True)
        if is_solvable(toucher, robot, truth, start, goal, options.mesh_seconds, rng)
    ]
    print(f"{len(free) // 2} queries, {len(solved)} solved on meshes", flush=True)
    for path in options.files:
        print(
            f"{path}: "
            f"{told(options.urdf, path, solved, truth, toucher, packages, options.seconds)}",
            flush=True,
        )
    return 0


def is_solvable(
    toucher: Toucher,
    robot: Robot,
    truth: Truth,
    start: np.ndarray,
    goal: np.ndarray,
    seconds: float,
    rng: np.random.Generator,
) -> bool:
    """Whether two trees, each grown to the other, meet within so many seconds."""
    end = time.perf_counter() + seconds
    lower = np.array([robot.by_name[name].lower for name in truth.joints])
    upper = np.array([robot.by_name[name].upper for name in truth.joints])
    trees = [start[None], goal[None]]
    target = goal
    while time.perf_counter() < end:
        tree, far = grown(toucher, trees[0], target)
        trees[0] = tree
        if far is not None:
            trees[1], met = grown(toucher, trees[1], far, whole=True)
            if met is not None and np.array_equal(met, far):
                return True
        trees.reverse()
        target = lower + rng.random(len(lower)) * (upper - lower)
    return False


def grown(
    toucher: Toucher, tree: np.ndarray, target: np.ndarray, *, whole: bool = False
) -> tuple[np.ndarray, np.ndarray | None]:
    """The tree with a branch towards `target` (`whole`: as far as it is free), and its end; None
    without a branch."""
    nearest = tree[np.argmin(((tree - target) ** 2).sum(axis=1))]
    way = target - nearest
    longest = float(np.abs(way).max())
    if not whole and longest > GROWTH:
        target = nearest + way * (GROWTH / longest)
    poses = along(np.stack([nearest, target]))
    touching = np.flatnonzero(toucher(poses).any(axis=1))
    if not len(touching):
        return np.concatenate([tree, target[None]]), target
    if touching[0] < 2:
        return tree, None
    last = poses[touching[0] - 1]
    return np.concatenate([tree, last[None]]), last


def told(
    urdf: Path,
    path: Path,
    queries: list[tuple[np.ndarray, np.ndarray]],
    truth: Truth,
    toucher: Toucher,
    packages: dict[str, Path],
    seconds: float,
) -> str:
    """One line about a file."""
    import editor_app
    from editor_app.plugins.motion.engine.results import PlannerSettings

    document = editor_app.open_robot(urdf, path, packages=packages)
    settings = PlannerSettings(seconds=seconds)
    touching, times, outcomes = 0, [], Counter[str]()
    for ends in queries:
        start, goal = (dict(zip(truth.joints, each.tolist(), strict=True)) for each in ends)
        planned = editor_app.plan_between(document, start, goal, settings=settings)
        if planned.path is None:
            outcomes[str(planned.outcome)] += 1
            continue
        times.append(planned.cpu_seconds)
        order = [planned.path.joints.index(name) for name in truth.joints]
        touching += bool(toucher(along(np.array(planned.path.points)[:, order])).any())
    median = f"{1000 * statistics.median(times):.1f} ms" if times else "none"
    others = "".join(f"; {words}: {count}" for words, count in sorted(outcomes.items()))
    return (
        f"{len(times)} of {len(queries)} solved in {seconds:g} s, {touching} of these paths touch "
        "by meshes; median "
        f"{median} of the processor{others}"
    )
