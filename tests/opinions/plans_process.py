"""Runs in the environment of curobo-metal: one question on standard input, one answer on standard
output, both JSON.

Question: `urdf`, `xrdf` (paths), `joints`, `starts`, `goals`, `limit` (seconds of the processor for
a query). Answer: `paths` (each a list of points, or null), `free` (of starts and goals), `seconds`
(of the processor), `late` (how many queries were given up at their limit).

curobo-metal 1.0.1 reads the XRDF, moves the spheres, says which pairs of them count, and plans by
its roadmap. Its trajectory optimiser is not asked: it gives every motion half a second, so that
long ones never arrive. Its roadmap alone calls every pose feasible: self-collision is handed to it.
What decides about that makes gradients of all pairs for each pose as well, which takes 30 times as
long as the distances: these are subtracted here, of its spheres and pairs, and held against its own
verdict before the first query.
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
#: Nodes that a roadmap grows by and up to, and candidates for each. Its own 128, 2,048 and 10 take
#: a processor minutes.
NODES, MOST_NODES, CANDIDATES = 64, 1024, 2


class _Late(Exception):
    """A query has used up its time."""


def _take_negative_buffers_off(xrdf: dict[str, Any]) -> None:
    """It refuses self-collision buffers below zero, which the format allows and NVIDIA's cuRobo
    adds up: they come off the radii, which without obstacles is the same."""
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
    places = ContentPath(
        robot_urdf_absolute_path=question["urdf"], robot_xrdf_absolute_path=question["xrdf"]
    )
    robot = convert_xrdf_to_curobo(places, xrdf)
    device = DeviceCfg(torch.device("cpu"))
    settings = MotionPlannerCfg.create(robot, device_cfg=device, use_cuda_graph=False)
    checker = RobotSceneCollision(
        RobotSceneCollisionCfg.load_from_config(
            settings.ik_solver_config.robot_config, None, device_cfg=device
        )
    )

    first, second = (
        checker.self_collision_cost.config.self_collision_kin_config.collision_pairs.long().unbind(
            1
        )
    )

    def is_apart(poses: torch.Tensor) -> torch.Tensor:
        spheres = checker._spheres(checker._get_kinematics(poses[:, None, :], None)).reshape(
            len(poses), -1, 4
        )
        centres, radii = spheres[..., :3], spheres[..., 3].clamp_min(0.0)
        gaps = (
            (centres[:, first] - centres[:, second]).norm(dim=-1)
            - radii[:, first]
            - radii[:, second]
        )
        return gaps.amin(dim=1) >= 0.0

    until = float("inf")

    def is_free(poses: torch.Tensor) -> torch.Tensor:
        parts = []
        for part in poses.split(CHUNK):
            if time.process_time() > until:
                raise _Late
            parts.append(is_apart(part))
        return torch.cat(parts)

    graph = settings.graph_planner_config
    graph.new_nodes_per_iteration, graph.max_nodes, graph.sample_rejection_ratio = (
        NODES,
        MOST_NODES,
        CANDIDATES,
    )
    graph.check_feasibility_fn = is_free
    planner = PRMGraphPlanner(graph, None)
    low, high = planner.action_bound_lows, planner.action_bound_highs
    poses = low + torch.rand(CHUNK, len(low), generator=torch.Generator().manual_seed(0)) * (
        high - low
    )
    told = (
        checker.get_scene_self_collision_distance_from_joints(poses[:, None, :])[1].reshape(-1) <= 0
    )
    if not torch.equal(is_apart(poses), told):
        raise RuntimeError(
            "curobo-metal decides about self-collision in another way than its spheres and pairs "
            "say"
        )
    order = [question["joints"].index(name) for name in planner.joint_names]
    starts, goals = (
        torch.tensor([[pose[k] for k in order] for pose in question[key]], dtype=torch.float32)
        for key in ("starts", "goals")
    )
    free = [
        bool(a and b)
        for a, b in zip(is_free(starts).tolist(), is_free(goals).tolist(), strict=True)
    ]
    paths, seconds, late = [], [], 0
    for k, both in enumerate(free):
        began = time.process_time()
        until = began + question["limit"]
        path = None
        if both:
            try:
                result = planner.find_path(
                    starts[k : k + 1], goals[k : k + 1], interpolate_waypoints=False
                )
                path = result.plan_waypoints[0].tolist() if bool(result.success.any()) else None
            except _Late:
                late += 1
        paths.append(path)
        seconds.append(time.process_time() - began)
    return {
        "joints": list(planner.joint_names),
        "paths": paths,
        "free": free,
        "seconds": seconds,
        "late": late,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(sys.stderr), torch.no_grad():
        answer = answered(json.load(sys.stdin))
    json.dump(answer, sys.stdout)
