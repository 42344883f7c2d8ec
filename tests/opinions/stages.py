"""What OpenUSD and Newton hold of USD stages of robots: faults, frames in random poses, masses and
inertias.

    nice python -P -m tests.opinions stages ROBOT.urdf ... --newton V/bin/python

Frames are computed from the joints of the stage alone, by usd-core, and compared with the frames of
the URDF. Newton needs an environment without this program: python3 -m venv V && V/bin/pip install
'newton[importers]'
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import editor_app
from editor_app.core.arrays import F64
from editor_app.core.document.opening import open_document
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.kinematics.transforms import link_tensor
from tests.helpers.usd_stage import Stage, write_stage

#: Metres, and shares of mass and inertia: USD and Newton have single precision.
_FAR, _SHARE, _FAR_IN_NEWTON = 2e-7, 1e-6, 3e-6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robots", nargs="+", type=Path, metavar="ROBOT.urdf")
    parser.add_argument(
        "--poses", type=int, default=60, help="random configurations for each robot (default: 60)"
    )
    parser.add_argument("--newton", type=Path, help="a Python that has Newton")


def run(options: argparse.Namespace) -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(options.robots):
            document = open_document(path)
            stage = write_stage(document, Path(folder, f"{number}.usda"))
            urdf, random = document.robot.urdf, np.random.default_rng(1)
            poses = [_random_pose(urdf, random) for _ in range(options.poses)]
            wanted = [editor_app.frame_poses(document, pose) for pose in poses]
            far = max(
                _distance(stage.poses(pose), frames)
                for pose, frames in zip(poses, wanted, strict=True)
            )
            share = max((_share(stage, link) for link in urdf.links), default=0.0)
            line = (
                f"{path.stem}: {len(stage.faults)} faults, frames {far:.1e} m, masses and inertias "
                f"{share:.1e}"
            )
            is_wrong = bool(stage.faults) or far > _FAR or share > _SHARE
            if options.newton is not None:
                newton = _by_newton(
                    options.newton, stage, Path(folder, f"{number}.usda"), poses, wanted
                )
                line += f", Newton {newton:.1e} m"
                is_wrong = is_wrong or newton > _FAR_IN_NEWTON
            wrong += is_wrong
            print(f"{'differs' if is_wrong else 'same   '} {line}", flush=True)
    return 1 if wrong else 0


def _random_pose(urdf: Urdf, random: np.random.Generator) -> dict[str, float]:
    pose = {}
    for joint in urdf.joints:
        if joint.is_movable:
            lower, upper = np.clip(joint.position_limits or (-3.0, 3.0), -3.0, 3.0)
            pose[joint.name] = float(random.uniform(min(lower, upper), max(lower, upper)))
    # Several times: a leader may follow another joint.
    for joint in urdf.joints * 3:
        if joint.mimic is not None and joint.name in pose and joint.mimic.joint in pose:
            pose[joint.name] = joint.mimic.multiplier * pose[joint.mimic.joint] + joint.mimic.offset
    return pose


def _distance(placed: Mapping[str, F64], wanted: Mapping[str, F64]) -> float:
    """Metres between frames; endless where one is missing."""
    missing = np.full((4, 4), np.inf)
    return max(
        (float(np.abs(placed.get(n, missing)[:3, 3] - m[:3, 3]).max()) for n, m in wanted.items()),
        default=0.0,
    )


def _share(stage: Stage, link: editor_app.urdf.Link) -> float:
    """How far mass and inertia of a link differ from the URDF; 0 where its values are
    impossible."""
    if link.inertial is None or not link.inertial.mass > 0:
        return 0.0
    kilograms, _, tensor = stage.inertia(link.name)
    wanted = link_tensor(link.inertial)
    share = abs(kilograms / link.inertial.mass - 1)
    is_possible = np.linalg.eigvalsh(wanted)[0] > 0
    return (
        max(share, float(np.abs(tensor - wanted).max() / np.abs(wanted).max()))
        if is_possible
        else share
    )


def _by_newton(
    python: Path,
    stage: Stage,
    path: Path,
    poses: list[dict[str, float]],
    wanted: list[dict[str, F64]],
) -> float:
    """Metres between Newton's bodies and the frames of the URDF."""
    paths = {str(prim.GetPath()): name for name, prim in stage.prims.items()}
    joints = {name: str(prim.GetPath()) for name, prim in stage.joints.items()}
    named = [
        {joints[name]: value for name, value in pose.items() if name in joints} for pose in poses
    ]
    process = Path(__file__).with_name("stages_process.py")
    task = json.dumps({"stage": str(path), "poses": named})
    done = subprocess.run([python, process], input=task, capture_output=True, text=True, check=True)
    bodies = json.loads(done.stdout.splitlines()[-1])
    worst = 0.0
    for frames, placed in zip(wanted, bodies, strict=True):
        for body, place in placed.items():
            worst = max(worst, float(np.abs(frames[paths[body]][:3, 3] - place).max()))
    return worst
