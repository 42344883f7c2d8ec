"""cricket's generated code, compiled with VAMP's own headers, against the editor's spheres at
random configurations.

Asked are `fkcc_gen` of CoMMALab/cricket, its folder `resources/templates`, and KavrakiLab/vamp's
folder `src/impl`:

    XRDF_EDITOR_CRICKET=BUILD/fkcc_gen XRDF_EDITOR_CRICKET_TEMPLATES=cricket/resources/templates
    XRDF_EDITOR_VAMP=vamp/src/impl  python -P -m tests.opinions cricket ROBOT.urdf ROBOT.xrdf

cricket a2ad9d6 builds with pinocchio 3 (`pip install "pin<4" "cmeel-urdfdom<5" "cmeel-tinyxml2<11"
cmeel-urdfdom-headers cmeel-eigen`; pinocchio 4 has no `multibody/geometry.hpp`), CppAD,
CppADCodeGen and inja from their sources, and fmt, nlohmann-json, cxxopts and CGAL of a
distribution. Where pdqsort is missing, std::sort serves.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.verbs.convert import convert
from tests.helpers.clearances import overlapping

_PDQSORT = """#pragma once
#include <algorithm>
template <class I, class C> void pdqsort(I a, I b, C c) { std::sort(a, b, c); }
template <class I, class C> void pdqsort_branchless(I a, I b, C c) { std::sort(a, b, c); }
"""
#: Metres: cricket reckons in single precision.
_SAME = 2e-5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="URDF and XRDF of a robot with spheres"
    )
    parser.add_argument(
        "--poses", type=int, default=1000, help="random configurations (default: 1000)"
    )
    parser.add_argument(
        "--eigen", default="/usr/include/eigen3", metavar="FOLDER", help="where Eigen's headers are"
    )


def built(document: Document, folder: Path, eigen: str) -> tuple[Path, list[str]]:
    """The program that cricket's code of the robot became, and its joints in their order. Raises
    CalledProcessError."""
    (folder / "templates").symlink_to(Path(os.environ["XRDF_EDITOR_CRICKET_TEMPLATES"]).resolve())
    written = convert(document, folder / "robot.cricket.json").files
    for path, data in written:
        path.write_bytes(data)
    settings = json.loads(written[0][1])
    subprocess.run(
        [os.environ["XRDF_EDITOR_CRICKET"], written[0][0].name],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    (folder / "pdqsort.h").write_text(_PDQSORT)
    options = [
        f"-DROBOT={settings['name']}",
        f'-DROBOT_FILE="{settings["output"]}"',
        "-w",
        "-fpermissive",
    ]
    headers = [f"-I{place}" for place in (folder, os.environ["XRDF_EDITOR_VAMP"], eigen)]
    source = Path(__file__).with_name("cricket_judge.cc")
    command = [
        "g++",
        "-std=c++17",
        "-O0",
        "-march=native",
        *options,
        *headers,
        "-o",
        str(folder / "judge"),
        str(source),
    ]
    subprocess.run(command, check=True)
    names = re.search(r"joint_names = \{(.*?)\}", (folder / settings["output"]).read_text())
    assert names is not None
    return folder / "judge", json.loads(f"[{names[1]}]")


def run(options: argparse.Namespace) -> int:
    """0 when every verdict and every sphere is the same."""
    if "XRDF_EDITOR_CRICKET" not in os.environ:
        print("cricket is not there: see --help")
        return 2
    document = editor_app.open_robot(*options.files)
    with tempfile.TemporaryDirectory() as folder:
        judge, names = built(document, Path(folder), options.eigen)
        random = np.random.default_rng(7)
        joints = [document.robot.urdf.joint(name) for name in names]
        limits = np.array(
            [(joint and joint.position_limits) or (-np.pi, np.pi) for joint in joints]
        )
        poses = random.uniform(limits[:, 0], limits[:, 1], (options.poses, len(names)))
        lines = "\n".join(" ".join(map(repr, pose)) for pose in poses.tolist())
        told = subprocess.run(
            [judge], input=lines, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    touching = differing = 0
    farthest = 0.0
    for values, line in zip(poses.tolist(), told, strict=True):
        pose = dict(zip(names, values, strict=True))
        verdict, *numbers = line.split()
        theirs = np.array(numbers, dtype=float).reshape(-1, 4)
        arrays = editor_app.sphere_arrays(document, pose)
        ours = np.column_stack([arrays.centers, arrays.radii])[arrays.radii > 0]
        apart = np.abs(ours[:, None] - theirs[None]).max(axis=2)
        farthest = max(farthest, float(apart.min(axis=1).max()), float(apart.min(axis=0).max()))
        pairs = overlapping(document, pose)
        touching += bool(pairs)
        differing += (verdict == "0") != bool(pairs)
    print(
        f"{options.files[0].stem}: {len(told)} poses, {touching} touch, {differing} verdicts "
        "differ; "
        f"spheres differ by at most {farthest:.1e} m"
    )
    return 1 if differing or farthest > _SAME else 0
