"""Runs in the environment of curobo-metal: one question on standard input, one answer on standard output, both JSON.

Question: `urdf`, `xrdf` (paths), `joints`, `starts`, `goals`. Answer: `paths` (each a list of points, or null), `free`
(of starts and goals), `seconds` (of the processor). curobo-metal 1.0.1 reads the XRDF, moves the spheres, decides about
self-collision and plans by its roadmap. Its trajectory optimiser is not asked: it gives every motion half a second, so
that long ones never arrive. Its roadmap alone calls every pose feasible: the self-collision check is handed to it.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from typing import Any

import torch
import yaml
from curobo._src.collision.collision_robot_scene import RobotSceneCollision
from curobo._src.collision.collision_robot_scene_cfg import RobotSceneCollisionCfg
from curobo._src.graph_planner.graph_planner_prm import PRMGraphPlanner
from curobo._src.types.content_path import ContentPath
from curobo._src.util.xrdf_util import convert_xrdf_to_curobo
from curobo.motion_planner import MotionPlannerCfg
from curobo.types import DeviceCfg

#: Poses at a time: 10,000 pairs of spheres of 2,000 poses would take gigabytes.
CHUNK = 100


def _take_negative_buffers_off(xrdf: dict[str, Any]) -> None:
    """It refuses self-collision buffers below zero, which the format allows and NVIDIA's cuRobo adds up: they come off
    the radii, which without obstacles is the same."""
    section = xrdf["self_collision"]
    buffers = section.setdefault("buffer_distance", {})
    spheres = xrdf["geometry"][section["geometry"]]["spheres"]
    for frame, by in buffers.items():
        if by < 0.0:
            for sphere in spheres.get(frame, ()):
                sphere["radius"] += by
            buffers[frame] = 0.0


def answered(question: dict[str, Any]) -> dict[str, Any]:
    with open(question["xrdf"], encoding="utf-8") as file:
        xrdf = yaml.safe_load(file)
    if "world_collision" in xrdf:
        # It knows the names of version 1.0.
        xrdf["collision"], xrdf["format_version"] = xrdf.pop("world_collision"), 1.0
    _take_negative_buffers_off(xrdf)
    places = ContentPath(robot_urdf_absolute_path=question["urdf"], robot_xrdf_absolute_path=question["xrdf"])
    robot = convert_xrdf_to_curobo(places, xrdf)
    device = DeviceCfg(torch.device("cpu"))
    settings = MotionPlannerCfg.create(robot, device_cfg=device, use_cuda_graph=False)
    checker = RobotSceneCollision(
        RobotSceneCollisionCfg.load_from_config(settings.ik_solver_config.robot_config, None, device_cfg=device)
    )

    def is_free(poses: torch.Tensor) -> torch.Tensor:
        parts = [
            checker.get_scene_self_collision_distance_from_joints(part[:, None, :])[1].reshape(-1) <= 0
            for part in poses.split(CHUNK)
        ]
        return torch.cat(parts) if parts else torch.ones(0, dtype=torch.bool)

    graph = settings.graph_planner_config
    graph.check_feasibility_fn = is_free
    planner = PRMGraphPlanner(graph, None)
    order = [question["joints"].index(name) for name in planner.joint_names]
    starts, goals = (
        torch.tensor([[pose[k] for k in order] for pose in question[key]], dtype=torch.float32)
        for key in ("starts", "goals")
    )
    free = [bool(a and b) for a, b in zip(is_free(starts).tolist(), is_free(goals).tolist(), strict=True)]
    paths, seconds = [], []
    for k, both in enumerate(free):
        began = time.process_time()
        path = None
        if both:
            result = planner.find_path(starts[k : k + 1], goals[k : k + 1], interpolate_waypoints=False)
            path = result.plan_waypoints[0].tolist() if bool(result.success.any()) else None
        paths.append(path)
        seconds.append(time.process_time() - began)
    return {"joints": list(planner.joint_names), "paths": paths, "free": free, "seconds": seconds}


if __name__ == "__main__":
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(sys.stderr):
        answer = answered(json.load(sys.stdin))
    json.dump(answer, sys.stdout)
