"""Sphere fitting against what the peers made of the same meshes, at equal coverage, and its times.

    python -m tests.bench.bench_fitting [--effort normal] [--mode balanced] [--seeds 1] [--only-times] [mesh …]

Needs `../shared/bench/spheres` (six meshes, and the spheres and CPU seconds of foam, cuRobo v2,
MorphIt, ballpark); without it the harder meshes of example-robot-data are measured alone. Excess is
the volume of the union outside the solid by that of the solid, protrusions are per cent of the
diagonal, all after adding the one offset to all radii that covers 99 % of the surface. CPU seconds
are whole fits, preparation of the mesh included.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import trimesh

from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.robot import fit_job
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.engine.solid import build_solid
from tests.bench.fitting_metric import CLOSING, Reference
from tests.helpers.fits import jobs_of
from tests.helpers.robots import SHARED, example_robots

BENCH = SHARED / "bench" / "spheres"
PEERS = ("foam_medial", "curobo2_morphit", "morphit_B", "ballpark_refine", "ballpark_split")
NUMBERS = (16, 32)
HARDER = {
    "tiago_base_vis": "tiago_description/meshes/pmb2/base/base.stl",
    "tiago_base_col": "tiago_description/meshes/pmb2/base/base_collision.stl",
    "talos_torso2_vis": "talos_data/meshes/torso/torso_2.STL",
    "z1_link02_col": "z1_description/meshes/collision/z1_Link02.STL",
}


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    mesh = trimesh.load(path, force="mesh", process=False)
    return np.asarray(mesh.vertices, float), np.asarray(mesh.faces)


def meshes(names: list[str]) -> dict[str, Path]:
    paths = {path.stem: path for path in sorted((BENCH / "meshes").glob("*.obj"))}
    paths |= {name: example_robots() / path for name, path in HARDER.items()}
    return {name: path for name, path in paths.items() if not names or name in names}


def table(rows: dict[str, dict[tuple[str, int], tuple[float, ...]]], ours: str) -> None:
    """Geometric means over meshes and numbers that a method and we both have, and our ratio to each
    peer."""
    for method, cells in rows.items():
        common = [key for key in cells if key in rows[ours]]
        if not common:
            continue
        mean = np.exp(np.log([cells[key] for key in common]).mean(0))
        us = np.exp(np.log([rows[ours][key] for key in common]).mean(0))
        ratio = "  ".join(f"{a / b:6.2f}" for a, b in zip(mean, us, strict=True))
        print(
            f"{method:<18}{len(common):>3}  "
            + "  ".join(f"{v:7.3f}" for v in mean)
            + f"   peer/ours {ratio}"
        )


def compare(arguments: argparse.Namespace) -> None:
    ours = f"ours {arguments.mode}"
    rows: dict[str, dict[tuple[str, int], tuple[float, ...]]] = {
        ours: {},
        **{peer: {} for peer in PEERS},
    }
    spread = []
    for name, path in meshes(arguments.mesh).items():
        vertices, faces = load(path)
        reference = Reference(vertices, faces, CLOSING.get(name))
        for number in NUMBERS:
            figures = []
            for seed in range(arguments.seeds):
                settings = FitSettings(
                    number=number, mode=arguments.mode, effort=arguments.effort, seed=seed
                )
                result = fit_spheres(vertices, faces, settings)
                m = reference.at_equal_coverage(result.spheres)
                figures.append((m.excess, m.protrusion_mean, m.protrusion_max, result.cpu_seconds))
                if arguments.mode == "cover" and (
                    result.certificate is None or not result.certificate.certified
                ):
                    print(f"{name} {number}: not certified")
            values = np.array(figures)
            spread.append(values[:, 0].std() / values[:, 0].mean())
            rows[ours][name, number] = tuple(values.mean(0))
            line = "  ".join(f"{v:7.3f}" for v in values.mean(0))
            for peer in PEERS:
                file = BENCH / "peers" / f"{peer}__{name}__{number}.json"
                if file.is_file():
                    stored = json.loads(file.read_text())
                    if stored["spheres"]:
                        p = reference.at_equal_coverage(stored["spheres"])
                        rows[peer][name, number] = (
                            p.excess,
                            p.protrusion_mean,
                            p.protrusion_max,
                            stored["cpu"],
                        )
            foam = rows["foam_medial"].get((name, number))
            beside = (
                f"   foam excess {foam[0]:.3f}, ours {values[:, 0].mean() / foam[0]:.2f} of it"
                if foam
                else ""
            )
            print(f"{name:<20}{number:>3}  {line}{beside}", flush=True)
    print("\nGeometric means: excess, mean and greatest protrusion (% of diagonal), CPU seconds")
    table(rows, ours)
    if arguments.seeds > 1:
        print(
            f"Spread of excess over {arguments.seeds} seeds (standard deviation by mean): "
            f"{100 * np.mean(spread):.1f} %"
        )


def times(names: list[str]) -> None:
    """First fits with the quick effort and refits on the prepared solid, N = 32."""
    print("\nQuick effort, N = 32: CPU seconds of a first fit, and of a refit")
    for name, path in meshes(names).items():
        vertices, faces = load(path)
        settings = FitSettings(number=32, mode="balanced", effort="fast")
        first, again = [], []
        for _ in range(3):
            first.append(fit_spheres(vertices, faces, settings).cpu_seconds)
            solid = build_solid(vertices, faces)
            again.append(fit_spheres(vertices, faces, settings, solid=solid).cpu_seconds)
        print(f"{name:<20}{min(first):7.3f}{min(again):8.3f}", flush=True)


def panda() -> None:
    """Every link of the Panda, 16 spheres each, quick effort, two processes."""
    from concurrent.futures import ProcessPoolExecutor

    folder = example_robots() / "panda_description" / "meshes" / "collision"
    parts = [
        load(path)
        for path in sorted([*folder.glob("*.stl"), *folder.glob("*.obj"), *folder.glob("*.dae")])
    ]
    links = [LinkMesh(str(k), v, f) for k, (v, f) in enumerate(parts)]
    jobs = jobs_of(links, FitSettings(number=16, effort="fast"))
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(fit_job, jobs[:2]))
        begin = time.perf_counter()
        results = [fit for part in pool.map(fit_job, jobs) for fit in part]
        wall = time.perf_counter() - begin
    cpu = sum(fit.result.cpu_seconds for fit in results)
    print(
        f"\nPanda on two processes: {len(results)} links, "
        f"{sum(len(f.result.spheres) for f in results)} spheres, "
        f"{wall:.2f} s (CPU {cpu:.2f} s)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mesh", nargs="*")
    parser.add_argument("--effort", default="normal", choices=("fast", "normal", "best"))
    parser.add_argument("--mode", default="balanced", choices=("cover", "balanced"))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only-times", action="store_true")
    arguments = parser.parse_args()
    if not BENCH.is_dir():
        print("No ../shared/bench/spheres beside the repository: harder meshes only, no peers.")
    if not arguments.only_times:
        compare(arguments)
    times(arguments.mesh)
    panda()


if __name__ == "__main__":
    main()
