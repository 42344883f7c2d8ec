"""What another planner, OMPL or curobo-metal, finds with XRDFs, side by side; its paths are held
against the meshes.

    python -P -m tests.opinions plans ROBOT.urdf OURS.xrdf VENDORS.xrdf

Queries are random pairs of poses that the meshes leave free, the same for every file. Told are
queries whose ends the file leaves free, those solved, and solved ones whose path touches by meshes.
A planner that is missing is left out by name:

    .venv/bin/pip install --target .ompl ompl                                      (or XRDF_EDITOR_OMPL)
    python3 -m venv .curobo-metal && .curobo-metal/bin/pip install curobo-metal    (or XRDF_EDITOR_CUROBO_METAL_PYTHON)

OMPL, which MoveIt plans with, knows no robots: spheres are read, moved and compared here as in
`planning`, with nothing of the editor. curobo-metal (torch 2.13 or newer) reads the XRDF itself.
Queries that take too long are given up, and told.
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

from tests.opinions import plans_ompl
from tests.opinions.planning import read_model
from tests.opinions.planning_truth import Robot, Toucher, Truth, truth_of

ROOT = Path(__file__).resolve().parents[2]
#: Radians, or metres, between poses of a path that are held against the meshes.
STEP = 0.02


PLANNERS = ("ompl", "curobo-metal")


def python() -> Path | None:
    """The interpreter that has curobo-metal."""
    named = os.environ.get("XRDF_EDITOR_CUROBO_METAL_PYTHON")
    path = Path(named) if named else ROOT / ".curobo-metal" / "bin" / "python"
    return path if path.is_file() else None


def ompl_folder() -> Path | None:
    """Where OMPL was installed for this interpreter."""
    path = Path(os.environ.get("XRDF_EDITOR_OMPL") or ROOT / ".ompl")
    return path if (path / "ompl").is_dir() else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.xrdf")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=int, default=900, help="for all queries of one file (default: 900)"
    )
    parser.add_argument(
        "--planner", choices=PLANNERS, action="append", help="only this one; repeatable"
    )
    parser.add_argument("--package", action="append", default=[], metavar="NAME=FOLDER")


def run(options: argparse.Namespace) -> int:
    """0, or 2 without any of the planners."""
    wanted = options.planner or PLANNERS
    interpreter = python() if "curobo-metal" in wanted else None
    folder = ompl_folder() if "ompl" in wanted else None
    for name in wanted:
        if (folder if name == "ompl" else interpreter) is None:
            print(f"{name} is not installed: left out (see --help)")
    if interpreter is None and folder is None:
        return 2
    packages = {
        name: Path(place) for name, _, place in (text.partition("=") for text in options.package)
    }
    robot = Robot(options.urdf, packages)
    # A mesh that is missing leaves poses free that are not.
    for note in robot.notes:
        print(f"note: {note}")
    starts: np.ndarray | None = None
    for path in options.files:
        model = read_model(path)
        locked = {
            k: v for k, v in model.locked.items() if k not in model.joints and k in robot.by_name
        }
        # Pairs that touch by design are told by many poses.
        truth = truth_of(robot, model.joints, locked, max(2000, 20 * options.queries), options.seed)
        if starts is None:
            free = truth.values[~truth.collides]
            starts, goals = free[0 : 2 * options.queries : 2], free[1 : 2 * options.queries : 2]
        if folder is not None:
            answer = plans_ompl.answered(
                folder, model, truth, starts, goals, options.seconds / len(starts)
            )
            print(f"{path}: OMPL: {summary(answer, truth)}", flush=True)
        if interpreter is not None:
            question = {
                "urdf": str(options.urdf.resolve()), "xrdf": str(path.resolve()), "joints": list(truth.joints),
                "starts": starts.tolist(), "goals": goals.tolist(), "limit": options.seconds / len(starts),
            }  # fmt: skip
            print(
                f"{path}: curobo-metal: {told(question, truth, interpreter, options.seconds)}",
                flush=True,
            )
    return 0


def told(question: dict[str, Any], truth: Truth, interpreter: Path, seconds: int) -> str:
    """One line about a file."""
    program = Path(__file__).with_name("plans_process.py")
    try:
        done = subprocess.run(
            [interpreter, "-I", program],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            # Its queries end by themselves; the clock of a busy machine, and what loading takes,
            # are on top.
            timeout=4 * seconds + 300,
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {4 * seconds + 300} s"
    if done.returncode:
        return f"it failed: {done.stderr.strip().splitlines()[-1]}"
    return summary(json.loads(done.stdout), truth)


def summary(answer: dict[str, Any], truth: Truth) -> str:
    """`paths` and `joints` of an answer against the meshes, beside its `free` and `seconds`."""
    solved = [path for path in answer["paths"] if path is not None]
    touching = sum(touches_on(path, answer["joints"], truth) for path in solved)
    late = f", {answer['late']} given up at the limit" if answer.get("late") else ""
    return (
        f"ends free in {sum(answer['free'])} of {len(answer['free'])} queries, {len(solved)} "
        f"solved{late}, "
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
