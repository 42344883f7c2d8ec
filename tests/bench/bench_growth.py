"""What whole commands cost: CPU seconds of their start, from there to the end as files grow, and
the exponent; then what a scene of as many obstacles adds to `collide`, as a share of what `check`
takes for as many spheres.

Run: python -m tests.bench.bench_growth
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from editor_app.core.formats.scenes.editor_scene import editor_scene_text
from editor_app.core.model.scene import BoxShape, CylinderShape, Obstacle, Scene, SphereShape
from tests.helpers.large_files import scene_text, urdf_text, xrdf_text

#: Sizes of each row; the largest is what nobody has yet.
SIZES = (100, 1_000, 10_000, 100_000)
#: Runs of a command of which the least counts.
RUNS = 3


def _links(children: int) -> Callable[[Path, int], list[Path]]:
    def written(folder: Path, links: int) -> list[Path]:
        path = folder / f"links{children}-{links}.urdf"
        path.write_text(urdf_text(links, children))
        return [path]

    return written


def _spheres(folder: Path, spheres: int) -> list[Path]:
    urdf, xrdf = folder / "ten.urdf", folder / f"spheres{spheres}.xrdf"
    urdf.write_text(urdf_text(10))
    xrdf.write_text(xrdf_text(spheres))
    return [urdf, xrdf]


def _two(folder: Path, spheres: int) -> list[Path]:
    _, xrdf = _spheres(folder, spheres)
    other = xrdf.with_stem(f"other{spheres}")
    other.write_text(xrdf.read_text().replace("radius: 0.01", "radius: 0.02"))
    return [xrdf, other]


def _scene(folder: Path, obstacles: int) -> list[Path]:
    scene = folder / f"scene{obstacles}.yml"
    scene.write_text(scene_text(obstacles))
    return [*_spheres(folder, 40), scene]


def _own_scene(folder: Path, obstacles: int) -> list[Path]:
    """Spheres, turned boxes and cylinders, as the editor writes them."""
    shapes = SphereShape(0.02), BoxShape((0.03, 0.02, 0.04)), CylinderShape(0.01, 0.05)
    scene = Scene(
        tuple(
            Obstacle(
                f"o{k}",
                shapes[k % 3],
                (2.0 + k % 100 * 0.05, k // 100 * 0.05, 0.5),
                (0.8, 0.0, 0.6, 0.0),
            )
            for k in range(obstacles)
        )
    )
    path = folder / f"own{obstacles}.yaml"
    path.write_text(editor_scene_text(scene))
    return [*_spheres(folder, 40), path]


ROWS: tuple[tuple[str, str, list[str], Callable[[Path, int], list[Path]]], ...] = (
    ("check", "links of a chain", [], _links(1)),
    ("check", "links of a tree", [], _links(3)),
    ("new", "links of a chain", ["-o", "-"], _links(1)),
    ("new", "links of a tree", ["-o", "-"], _links(3)),
    ("check", "spheres", [], _spheres),
    ("diff", "spheres, all of them changed", [], _two),
    ("collide", "obstacles", ["--state", "default", "--scene"], _scene),
)


def main() -> None:
    print(
        "| command | what grows | start | "
        + " | ".join(f"{size:,}" for size in SIZES)
        + " | exponent |"
    )
    print("|---|---|---|" + "---|" * (len(SIZES) + 1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command, thing, options, write in ROWS:
            # A file that is next to empty has what every start costs.
            start, *costs = (_cost(command, options, write(folder, size)) for size in (10, *SIZES))
            above = [max(cost - start, 1e-3) for cost in costs]
            exponent = math.log(above[-1] / above[-2]) / math.log(SIZES[-1] / SIZES[-2])
            cells = " | ".join(f"{cost:.1f} s" for cost in costs)
            print(
                f"| `{command}` | {thing} | {start:.2f} s | {cells} | {exponent:.1f} |", flush=True
            )
        print(
            "\n| obstacles | form | beyond `collide` without | `check` of as many spheres | ratio |"
            "\n|---|---|---|---|---|"
        )
        for count in (2_000, 20_000):
            checked = min(_cost("check", [], _spheres(folder, count)) for _ in range(RUNS))
            for name, write_scene in (("cuRobo", _scene), ("own", _own_scene)):
                empty, full = (
                    min(
                        _cost("collide", ["--state", "default", "--scene"], write_scene(folder, n))
                        for _ in range(RUNS)
                    )
                    for n in (0, count)
                )
                print(
                    f"| {count:,} | {name} | {full - empty:.2f} s | {checked:.2f} s | "
                    f"{(full - empty) / checked:.2f} |"
                )


def _cost(command: str, options: list[str], files: list[Path]) -> float:
    # An option that wants a file gets the last one.
    wants = bool(options) and options[-1] == "--scene"
    given, last = (files[:-1], [files[-1]]) if wants else (files, [])
    line = [
        sys.executable,
        "-P",
        "-m",
        "editor_app",
        command,
        *map(str, given),
        *options,
        *map(str, last),
    ]
    before = os.times()
    subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


if __name__ == "__main__":
    main()
