"""Figures of reading, posing and loading robots: `python tests/bench/bench_urdf.py [URDF…]`.

Without arguments: robots of example-robot-data, and those beside the repository if they are there.
The mesh cache is a fresh temporary folder, so "cold" decodes every file and "warm" reads what was
decoded.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.forward import compute_forward, compute_forward_batch
from editor_app.core.space.kinematics.tree import build_tree, get_default_positions
from editor_app.core.text.source import SourceText
from tests.helpers.geometry_of_robots import robot_geometry
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import SHARED, example_urdfs

NAMES = ("panda.urdf", "ur10_robot.urdf", "talos_full_v2.urdf", "g1_29dof_rev_1_0.urdf")


def best(function: Callable[[], object], repeat: int = 5) -> float:
    """The shortest time in seconds: the one that the rest of the machine disturbed least."""
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        function()
        times.append(time.perf_counter() - begun)
    return min(times)


def measure(path: Path) -> None:
    source = SourceText.read(path)
    urdf = read_urdf(source).value
    tree = build_tree(urdf)
    pose = get_default_positions(tree)
    q = sample_joints(tree, 1024)
    compute_forward(tree, pose)
    reading = best(lambda: read_urdf(SourceText.read(path)))
    building = best(lambda: build_tree(urdf))
    single = best(lambda: compute_forward(tree, pose), 50)
    batch = best(lambda: compute_forward_batch(tree, tree.independent, q), 3)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XRDF_EDITOR_CACHE"] = folder
        triangles = 0
        begun = time.perf_counter()
        for geometry in robot_geometry(urdf, path):
            triangles += geometry.triangles
        cold = time.perf_counter() - begun
        warm = best(lambda: list(robot_geometry(urdf, path)), 3)
    ratio = cold / warm if warm else float("nan")
    print(
        f"{path.name:24} {len(tree.frames):4} frames | read {reading * 1e3:6.1f} ms | tree "
        f"{building * 1e3:5.2f} ms |"
        f" pose {single * 1e3:5.3f} ms | 1024 poses {batch * 1e3:6.1f} ms |"
        f" {triangles:8,} triangles: cold {cold:6.3f} s, warm {warm:6.3f} s ({ratio:4.1f}x)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urdf", nargs="*", type=Path)
    paths = parser.parse_args().urdf
    if not paths:
        paths = [p for p in example_urdfs() if p.name in NAMES]
        paths += sorted((SHARED / "robots").glob("ur10e/**/*.urdf"))
    for path in paths:
        measure(path)


if __name__ == "__main__":
    main()
