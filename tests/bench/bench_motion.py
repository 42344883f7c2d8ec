"""Motion: yes or no for 100,000 configurations, the smoke test, and beside them the kernel of VAMP.

    python -m tests.bench.bench_motion [--vamp SOURCES --eigen INCLUDE] [ROBOT.urdf ROBOT.xrdf …]

VAMP (github.com/KavrakiLab/vamp) is asked about its own Panda, 59 spheres, with the same
configurations; its kernel is compiled here from its sources with Eigen's headers (Debian:
libeigen3-dev). Without them its row is left out. Times are CPU seconds of one process.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.urdf import Ball
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection
from editor_app.core.verbs.open import open_robot
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.plan import smoke_test
from tests.bench.timing import best_of, report
from tests.helpers.robots import has_shared_robots, shared_robots

COUNT = 100_000
#: What VAMP takes of pdqsort, for point clouds alone.
PDQSORT = """#pragma once
#include <algorithm>
template <class I, class C> void pdqsort(I a, I b, C c) { std::sort(a, b, c); }
template <class I, class C> void pdqsort_branchless(I a, I b, C c) { std::sort(a, b, c); }
template <class I> void pdqsort(I a, I b) { std::sort(a, b); }
template <class I> void pdqsort_branchless(I a, I b) { std::sort(a, b); }
"""


def random_values(model: MotionModel, count: int = COUNT) -> np.ndarray:
    """Within the limits of the c-space, in numbers that single precision has; other joints at the
    default."""
    rng = np.random.default_rng(0)
    values = np.repeat(model.default[None, :], count, axis=0)
    low, high = model.spheres.lower[model.moving], model.spheres.upper[model.moving]
    values[:, model.moving] = (low + rng.random((count, len(low))) * (high - low)).astype(
        np.float32
    )
    return values


def vamp_panda(sources: Path) -> MotionModel:
    """VAMP's spheres of the Panda with its mask."""
    folder = sources / "resources" / "panda"
    robot = open_robot(folder / "panda_spherized.urdf", folder / "panda.srdf", new_xrdf=True).robot
    spheres = {
        link.name: tuple(
            CollisionSphere(c.origin.xyz, c.geometry.radius)
            for c in link.collisions
            if isinstance(c.geometry, Ball)
        )
        for link in robot.urdf.links
    }
    group = GeometryGroup(
        "spheres", FrozenDict({link: balls for link, balls in spheres.items() if balls})
    )
    xrdf = replace(robot.xrdf, self_collision=SelfCollisionSection("spheres"), geometry=(group,))
    return motion_model_of(robot.with_xrdf(xrdf), file=MaskFile.SRDF)


def beside_vamp(sources: Path, eigen: Path) -> None:
    model = vamp_panda(sources)
    values = random_values(model)
    columns = [model.variables.index(f"panda_joint{k}") for k in range(1, 8)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pdqsort.h").write_text(PDQSORT)
        includes = [f"-I{path}" for path in (sources / "src" / "impl", folder, eigen)]
        program = folder / "vamp_kernel"
        source = Path(__file__).with_name("vamp_kernel.cc")
        options = ("-O3", "-march=native", "-ffast-math", "-std=c++17", "-w")
        subprocess.run(["g++", *options, *includes, "-o", program, source], check=True)
        values[:, columns].astype(np.float32).tofile(folder / "values")
        ran = subprocess.run(
            [program, folder / "values", folder / "answers"], check=True, capture_output=True, text=True
        )  # fmt: skip
        theirs = np.fromfile(folder / "answers", np.int8).astype(bool)
    one_by_one, in_blocks, in_block_count = (float(word) for word in ran.stdout.split()[-3:])
    ours = model.first_collisions(values) < 0
    print(
        f"Panda of VAMP: {ours.mean():.1%} free; the answers differ in {(ours != theirs).sum()} of "
        f"{COUNT:,}"
    )
    report(
        "ours beside VAMP, one configuration at a time",
        best_of(lambda: model.first_collisions(values), 5),
        one_by_one,
    )
    free = values[ours][: int(in_block_count)]
    report(
        "ours beside VAMP, blocks of free ones",
        best_of(lambda: model.first_collisions(free), 5),
        in_blocks,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vamp", type=Path, help="a clone of VAMP")
    parser.add_argument(
        "--eigen", type=Path, default=Path("/usr/include/eigen3"), help="the folder with Eigen/"
    )
    parser.add_argument("files", type=Path, nargs="*")
    args = parser.parse_args()
    files = list(args.files)
    if not files and has_shared_robots():
        folder = shared_robots()
        panda = folder / "panda" / "moveit_resources_panda_description" / "urdf" / "panda.urdf"
        files = [
            *(folder / "ur10e" / name for name in ("ur10e.urdf", "ur10e.xrdf")),
            *(panda, folder / "panda" / "panda_v2_other_urdf.xrdf"),
        ]
    for urdf, xrdf in zip(files[::2], files[1::2], strict=True):
        robot = open_robot(urdf, xrdf).robot
        model = motion_model_of(robot)
        values = random_values(model)
        seconds = best_of(partial(model.first_collisions, values), 5)
        report(f"{robot.urdf.name}: {COUNT:,} configurations, yes or no", seconds)
        test = smoke_test(robot, 100, model=model)
        print(
            f"  smoke test: {test.solved} of {test.queries}, median {test.median_ms:.2f} ms, "
            f"{test.free_share:.1%} free"
        )
    if args.vamp is None or not (args.eigen / "Eigen").is_dir():
        print("VAMP is left out: give its sources and Eigen's headers by --vamp and --eigen.")
    else:
        beside_vamp(args.vamp, args.eigen)


if __name__ == "__main__":
    main()
