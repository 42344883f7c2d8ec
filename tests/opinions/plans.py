"""What another planner, curobo-metal on the CPU, finds with XRDFs, side by side; its paths are held against the meshes.

    python -P -m tests.opinions plans ROBOT.urdf OURS.xrdf VENDORS.xrdf

Queries are random pairs of poses that the meshes leave free, the same for every file. Told are queries whose ends the
file leaves free, those solved, and solved ones whose path touches by meshes. It is asked in an environment of its own,
and left out by name where that is missing (torch 2.13 or newer):

    python3 -m venv .curobo-metal && .curobo-metal/bin/pip install curobo-metal    (or XRDF_EDITOR_CUROBO_METAL_PYTHON)
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from tests.opinions.planning import read_model
from tests.opinions.planning_truth import Robot, Toucher, Truth, truth_of

ROOT = Path(__file__).resolve().parents[2]
#: Radians, or metres, between poses of a path that are held against the meshes.
STEP = 0.02


def python() -> Path | None:
    """The interpreter that has curobo-metal."""
    named = os.environ.get("XRDF_EDITOR_CUROBO_METAL_PYTHON")
    path = Path(named) if named else ROOT / ".curobo-metal" / "bin" / "python"
    return path if path.is_file() else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.xrdf")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=900, help="for all queries of one file (default: 900)")


def run(options: argparse.Namespace) -> int:
    """0, or 2 without the environment."""
    interpreter = python()
    if interpreter is None:
        print("curobo-metal is not installed: left out (see --help)")
        return 2
    robot = Robot(options.urdf, {})
    starts: np.ndarray | None = None
    for path in options.files:
        model = read_model(path)
        truth = truth_of(robot, model.joints, {}, 20 * options.queries, options.seed)
        if starts is None:
            free = truth.values[~truth.collides]
            starts, goals = free[0 : 2 * options.queries : 2], free[1 : 2 * options.queries : 2]
        question = {
            "urdf": str(options.urdf.resolve()), "xrdf": str(path.resolve()), "joints": list(truth.joints),
            "starts": starts.tolist(), "goals": goals.tolist(),
        }  # fmt: skip
        print(f"{path}: {told(question, truth, interpreter, options.seconds)}", flush=True)
    return 0


def told(question: dict[str, Any], truth: Truth, interpreter: Path, seconds: int) -> str:
    """One line about a file."""
    program = Path(__file__).with_name("plans_process.py")
    try:
        done = subprocess.run(
            [interpreter, "-I", program], input=json.dumps(question), capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {seconds} s"
    if done.returncode:
        return f"it failed: {done.stderr.strip().splitlines()[-1]}"
    answer = json.loads(done.stdout)
    solved = [path for path in answer["paths"] if path is not None]
    touching = sum(touches_on(path, answer["joints"], truth) for path in solved)
    return (
        f"ends free in {sum(answer['free'])} of {len(answer['free'])} queries, {len(solved)} solved, "
        f"{touching} of these touch by meshes; {sum(answer['seconds']):.1f} CPU s"
    )


def touches_on(path: list[list[float]], joints: list[str], truth: Truth) -> bool:
    """Whether the meshes of a judged pair touch at poses along a path."""
    values = along(np.array(path))[:, [joints.index(name) for name in truth.joints]]
    return bool(Toucher(truth.robot, truth.joints, truth.locked, truth.pairs)(values).any())


def along(points: np.ndarray) -> np.ndarray:
    """(m, joints): poses of a path (n, joints), no more than `STEP` apart in any joint."""
    poses = [points[:1]]
    for one, other in itertools.pairwise(points):
        count = max(1, int(np.ceil(np.abs(other - one).max() / STEP)))
        poses.append(one + np.arange(1, count + 1)[:, None] / count * (other - one))
    return np.concatenate(poses)
