"""OMPL's RRT-Connect among the spheres of a file: spheres are read, moved and compared as in
`planning`."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.opinions.planning import Model, placed_on
from tests.opinions.planning_truth import Truth

#: Radians, or metres, between poses of an edge that are looked at: as fine as paths are held
#: against the meshes.
STEP = 0.02


class Spheres:
    """Whether no spheres of a pair that counts overlap at a pose."""

    def __init__(self, model: Model, truth: Truth) -> None:
        self._truth = truth
        home, pairs = placed_on(model, truth.robot)
        rows: dict[str, np.ndarray] = {}
        centres, radii, count = [], [], 0
        self._links: list[str] = []
        for name, (link, at) in home.items():
            spheres = model.spheres[name]
            rows[name] = np.arange(count, count + len(spheres))
            count += len(spheres)
            centres.append(spheres[:, :3] @ at[:3, :3].T + at[:3, 3])
            radii.append(spheres[:, 3])
            self._links += [link] * len(spheres)
        self._centres, self._radii = np.concatenate(centres), np.concatenate(radii)
        grids = [np.meshgrid(rows[a], rows[b], indexing="ij") for a, b in pairs]
        self._first = np.concatenate([one.ravel() for one, _ in grids])
        self._second = np.concatenate([other.ravel() for _, other in grids])
        self._reach = (self._radii[self._first] + self._radii[self._second]) ** 2

    def free(self, values: np.ndarray) -> bool:
        """`values` (joints,) in the order of the truth."""
        truth = self._truth
        chosen = {name: values[k : k + 1] for k, name in enumerate(truth.joints)}
        frames = truth.robot.frames(truth.robot.values(chosen, truth.locked, 1), 1)
        placed = np.concatenate([frames[link] for link in self._links])
        points = np.einsum("nij,nj->ni", placed[:, :3, :3], self._centres) + placed[:, :3, 3]
        gaps = points[self._first] - points[self._second]
        return not bool((np.einsum("ni,ni->n", gaps, gaps) < self._reach).any())


def answered(
    folder: Path, model: Model, truth: Truth, starts: np.ndarray, goals: np.ndarray, seconds: float
) -> dict[str, Any]:
    """`paths`, `joints`, `free` (both ends), `seconds` of the processor; at most `seconds` for a
    query.

    `folder`: where OMPL was installed. `starts` and `goals` (n, joints) in the order of the truth.
    """
    if str(folder) not in sys.path:
        # Behind everything else: its numpy is not this one.
        sys.path.append(str(folder))
    base, geometric, util = (
        importlib.import_module(f"ompl.{part}") for part in ("base", "geometric", "util")
    )
    util.setLogLevel(util.LOG_NONE)
    count, spheres = len(truth.joints), Spheres(model, truth)
    joints = [truth.robot.by_name[name] for name in truth.joints]
    space, bounds = base.RealVectorStateSpace(count), base.RealVectorBounds(count)
    for k, joint in enumerate(joints):
        bounds.setLow(k, joint.lower)
        bounds.setHigh(k, joint.upper)
    space.setBounds(bounds)
    paths: list[list[list[float]] | None] = []
    free, times = [], []
    for start, goal in zip(starts, goals, strict=True):
        began = time.process_time()
        free.append(spheres.free(start) and spheres.free(goal))
        paths.append(
            _planned(base, geometric, space, spheres, (start, goal), seconds) if free[-1] else None
        )
        times.append(time.process_time() - began)
    return {"joints": list(truth.joints), "paths": paths, "free": free, "seconds": times}


def _planned(
    base: Any,
    geometric: Any,
    space: Any,
    spheres: Spheres,
    ends: tuple[np.ndarray, np.ndarray],
    seconds: float,
) -> list[list[float]] | None:
    def values(state: Any) -> np.ndarray:
        return np.array([state[k] for k in range(len(ends[0]))])

    def state(at: np.ndarray) -> Any:
        made = space.allocState()
        for k, value in enumerate(at.tolist()):
            made[k] = value
        return made

    info = base.SpaceInformation(space)
    info.setStateValidityChecker(lambda each: spheres.free(values(each)))
    # A share of the longest way between two configurations, which is never shorter than that of one
    # joint.
    info.setStateValidityCheckingResolution(STEP / space.getMaximumExtent())
    info.setup()
    problem = base.ProblemDefinition(info)
    problem.setStartAndGoalStates(state(ends[0]), state(ends[1]))
    planner = geometric.RRTConnect(info)
    planner.setProblemDefinition(problem)
    planner.setup()
    planner.solve(seconds)
    if not problem.hasExactSolution():
        return None
    return [values(each).tolist() for each in problem.getSolutionPath().getStates()]
