"""Inverse kinematics: random targets on ten arms, from forward kinematics; how many are missed, how
long it takes.

    python -m tests.bench.bench_reach [COUNT]

Each target is searched from the resting pose, with restarts. A step of a drag moves the target by
10 mm from a random pose and follows it, reachable or not. Milliseconds of one process.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.forward import compute_forward, compute_forward_batch
from editor_app.core.space.kinematics.inverse import ToolSolver, ToolTarget, rotation_vectors
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import SHARED, example_robots

COUNT = 1000
ARMS = (
    ("panda_description/urdf/panda.urdf", "panda_hand"),
    ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    ("xarm_description/urdf/xarm7.urdf", "link7"),
    ("z1_description/urdf/z1.urdf", "link06"),
    ("kinova_description/robots/kinova.urdf", "j2s6s200_link_6"),
    ("tiago_description/robots/tiago_no_hand.urdf", "arm_7_link"),
    ("baxter_description/urdf/baxter.urdf", "left_gripper"),
    ("pr2_description/urdf/pr2.urdf", "r_gripper_palm_link"),
    ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "left_rubber_hand"),
    ("talos_data/robots/talos_full_v2.urdf", "arm_left_7_link"),
)
SHARED_ARMS = (
    ("ur10e/ur10e.urdf", "tool0"),
    ("fanuc_m10ia/moveit_resources_fanuc_description/urdf/fanuc.urdf", "tool0"),
)


def searched(tree: KinematicTree, frame: str, count: int) -> str:
    """Figures of `count` searches."""
    worlds = compute_forward_batch(tree, tree.independent, sample_joints(tree, count, seed=3))[
        :, tree.index[frame]
    ]
    solver = ToolSolver(tree, [frame], {})
    missed, beyond, farthest, widest = 0, 0, 0.0, 0.0
    times = []
    for world in worlds:
        begin = time.process_time()
        reach = solver.search([ToolTarget(frame, world[:3, 3], world[:3, :3])], {})[0]
        times.append((time.process_time() - begin) * 1e3)
        pose = compute_forward(tree, reach.pose)[tree.index[frame]]
        away = float(np.linalg.norm(pose[:3, 3] - world[:3, 3]))
        angle = math.degrees(
            float(np.linalg.norm(rotation_vectors(world[:3, :3] @ pose[:3, :3].T)))
        )
        missed += away > 1e-4 or angle > 0.1
        farthest, widest = max(farthest, away), max(widest, angle)
        for name in solver.chain.variables:
            limits = tree.joints[tree.joint_index[name]].limits or (-math.inf, math.inf)
            beyond += not limits[0] <= reach.pose[name] <= limits[1]
    return (
        f"{missed:3d} of {count} missed, {beyond} beyond limits, worst {farthest * 1e3:.3f} mm "
        f"{widest:.3f}°; "
        f"search {np.median(times):.1f} ms, 95 % {np.percentile(times, 95):.0f}"
    )


def followed(tree: KinematicTree, frame: str, count: int) -> str:
    """Figures of the steps of a drag."""
    solver = ToolSolver(tree, [frame], {})
    rng = np.random.default_rng(0)
    times = []
    for row in sample_joints(tree, count, seed=4):
        pose = dict(zip(tree.independent, row.tolist(), strict=True))
        world = compute_forward(tree, pose)[tree.index[frame]]
        step = rng.normal(size=3)
        step *= 0.01 / np.linalg.norm(step)
        for k in range(1, 6):
            target = ToolTarget(frame, world[:3, 3] + k * step, world[:3, :3])
            begin = time.process_time()
            pose = dict(solver.follow([target], pose).pose)
            times.append((time.process_time() - begin) * 1e3)
    return (
        f"step {np.median(times):.2f} ms, 95 % {np.percentile(times, 95):.1f}, most "
        f"{max(times):.1f}"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    arms = [(example_robots() / name, frame) for name, frame in ARMS]
    arms += [
        (SHARED / "robots" / name, frame)
        for name, frame in SHARED_ARMS
        if (SHARED / "robots" / name).is_file()
    ]
    for path, frame in arms:
        tree = build_tree(read_urdf(SourceText.read(Path(path))).value)
        joints = len(ToolSolver(tree, [frame], {}).chain.variables)
        figures = f"{searched(tree, frame, count)}; {followed(tree, frame, max(20, count // 10))}"
        print(f"{path.stem:<22}{joints:3d} joints  {figures}", flush=True)


if __name__ == "__main__":
    main()
