"""Frames, masses and inertias of robots out of SDF files, against Drake's own reader of SDF, in
random poses.

    nice python -P -m tests.opinions sdf_frames ROBOT.sdf ... --drake V/bin/python --models FOLDER

Drake needs an environment without this program: python3 -m venv V && V/bin/pip install drake.
Prints for each file the links and joints that were compared, and the largest differences: of frames
in metres and parts of a rotation, of masses in kilograms, and of spatial inertias as a share. Files
that one of the two refuses are listed with the reason.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.formats.exchange.codec import ConvertOptions, ReadContext, Surroundings
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.urdf import Inertial, Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import invert, link_tensor
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.sdf.read import model_names, read_sdf
from tests.helpers.documents import CLEAN

#: Drake takes an axis within 1e-8 of a coordinate axis for that one.
_PRECISION, _SECONDS = 1e-8, 300


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="ROBOT.sdf")
    parser.add_argument("--drake", type=Path, required=True, help="a Python that has Drake")
    parser.add_argument(
        "--models", type=Path, help="a folder with models (model.config) that the files include"
    )
    parser.add_argument(
        "--poses", type=int, default=60, help="random configurations for each robot (default: 60)"
    )


def run(options: argparse.Namespace) -> int:
    """1 for a robot whose frames, masses or inertias differ."""
    packages = {
        each.parent.name: each.parent
        for each in sorted((options.models or Path("no")).rglob("model.config"))
    }
    compared = wrong = 0
    for path in options.files:
        try:
            robots = _robots(path, packages)
        except FormatError as error:
            print(f"refused {path}: {error.message}", flush=True)
            continue
        theirs = _by_drake(options.drake, path, packages, options.poses)
        if isinstance(theirs, str):
            print(f"skipped {path}: Drake: {theirs}", flush=True)
            continue
        for model, urdf in robots.items():
            common, joints, *differences = _compare(urdf, model, theirs)
            is_wrong = not common or max(differences) > _PRECISION
            compared, wrong = compared + 1, wrong + is_wrong
            far, mass, inertia = differences
            line = (
                f"{common} links, {joints} joints, frames {far:.1e}, masses {mass:.1e}, inertias "
                f"{inertia:.1e}"
            )
            print(f"{'differs' if is_wrong else 'same   '} {path} {model}: {line}", flush=True)
    print(f"{compared} compared, {wrong} differ")
    return int(wrong > 0)


def _robots(path: Path, packages: Mapping[str, Path]) -> dict[str, Urdf]:
    """Each model of a file as the editor reads it. Raises FormatError."""
    surroundings = Surroundings(
        lambda *_: read_xrdf(SourceText.from_text(CLEAN)), packages=packages
    )
    robots = {}
    for name in model_names(path, packages):
        files = read_sdf(path, ReadContext(ConvertOptions.of(model=name), surroundings))
        assert files.urdf is not None
        robots[name] = files.urdf.value
    return robots


def _by_drake(
    python: Path, path: Path, packages: Mapping[str, Path], poses: int
) -> dict[str, Any] | str:
    """What Drake holds of a file, or its reason against it."""
    task = {
        "sdf": str(path.absolute()),
        "packages": {n: str(f) for n, f in packages.items()},
        "poses": poses,
    }
    program = Path(__file__).with_name("sdf_frames_process.py")
    done = subprocess.run(
        [python, "-P", program],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2][-150:]
    answer: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
    return answer


def _names(urdf: Urdf, model: str, theirs: Mapping[str, Any]) -> dict[str, str]:
    """Link -> body of Drake, which calls it by its model as well."""
    present = theirs["bodies"]
    return {link.name: body for link in urdf.links if (body := f"{model}::{link.name}") in present}


def _compare(
    urdf: Urdf, model: str, theirs: Mapping[str, Any]
) -> tuple[int, int, float, float, float]:
    """Links and joints that both have, and the largest differences of frames, masses and
    inertias."""
    names = _names(urdf, model, theirs)
    if not names:
        return 0, 0, 0.0, 0.0, 0.0
    tree, first = build_tree(urdf), next(iter(names))
    far = 0.0
    joints: set[str] = set()
    for pose in theirs["poses"]:
        positions = {}
        for joint in urdf.joints:
            value = _position(f"{model}::{joint.name}", pose["joints"])
            if joint.is_movable and value is not None:
                positions[joint.name] = value
        joints |= positions.keys()
        ours = dict(zip(tree.frames, compute_forward(tree, positions), strict=True))
        frames = {link: np.array(pose["frames"][body]) for link, body in names.items()}
        for link, frame in frames.items():
            below = invert(ours[first]) @ ours[link]
            far = max(far, float(np.abs(below - invert(frames[first]) @ frame).max()))
    mass = inertia = 0.0
    for part in urdf.links:
        if part.name in names and part.inertial is not None:
            body = theirs["bodies"][names[part.name]]
            mass = max(mass, abs(part.inertial.mass - body["mass"]))
            wanted = np.array(body["inertia"])
            small, middle, large = np.linalg.eigvalsh(link_tensor(part.inertial))
            # Drake has a ball in the place of an inertia that no body can have.
            if np.isfinite(wanted).all() and small > 0 and large <= small + middle:
                share = np.abs(_spatial(part.inertial) - wanted).max() / max(
                    1.0, float(np.abs(wanted).max())
                )
                inertia = max(inertia, float(share))
    return len(names), len(joints), far, mass, inertia


def _position(name: str, positions: Mapping[str, float]) -> float | None:
    """Drake calls a joint by the model of its child, which may be inside that of the joint."""
    if name in positions:
        return positions[name]
    scope, mark, last = name.rpartition("::")
    inner = (
        each for each in positions if each.startswith(scope + mark) and each.endswith(mark + last)
    )
    return next((positions[each] for each in inner), None)


def _spatial(inertial: Inertial) -> F64:
    """(6, 6) about the origin of a link, rotation first, as Drake writes it."""
    mass, centre = inertial.mass, np.array(inertial.origin.xyz)
    cross = np.array(
        [[0, -centre[2], centre[1]], [centre[2], 0, -centre[0]], [-centre[1], centre[0], 0]]
    )
    about = link_tensor(inertial) + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return np.block([[about, mass * cross], [-mass * cross, mass * np.eye(3)]])
