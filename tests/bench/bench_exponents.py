"""How the cost of each computation grows: CPU seconds at doubled sizes, and the exponent (slope of
a log-log line).

    python -m tests.bench.bench_exponents [WORD …] [--doublings N] [--plot FILE.svg]

WORD: only rows whose name has it. Each row says why an exponent above 1.2 is right. A start has no
part in the figures: everything is computed in this process, and what compiles is run once before.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from editor_app import commands, diff, new, open_robot
from editor_app.core.document.document import Document
from editor_app.core.document.saving import save_all
from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.profile import Profile
from editor_app.core.tasks.task import SILENT
from editor_app.core.tasks.work import locate_robot
from editor_app.features.checks.verbs.check import StateChecker, slow_findings
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings
from tests.helpers.large_files import urdf_text, xrdf_text

#: Above this exponent (n log n between the sizes here) a row needs a reason.
LINEAR = 1.2
Run = Callable[[], object]


class Row(NamedTuple):
    """`prepare`: from a folder and a size to what is measured, which may run several times."""

    name: str
    grows: str
    first: int
    prepare: Callable[[Path, int], Run]
    reason: str = ""


def chain(folder: Path, links: int, children: int = 1, spheres: int = 0) -> Document:
    """A robot of so many links, with as many spheres at least if `spheres` is given."""
    folder = folder / f"{links}-{children}-{spheres}"
    folder.mkdir(exist_ok=True)
    (folder / "large.urdf").write_text(urdf_text(links, children))
    if spheres:
        (folder / "large.xrdf").write_text(xrdf_text(spheres, links))
    return open_robot(*sorted(folder.glob("large.*")))


def with_meshes(folder: Path, count: int) -> Path:
    """A chain whose links have a mesh file each."""
    folder = folder / f"meshes-{count}"
    folder.mkdir(exist_ok=True)
    vertices, faces = ball(200)
    text = urdf_text(count)
    for i in range(count):
        (folder / f"m{i}.obj").write_text(
            "".join(
                f"v {x:.6f} {y:.6f} {z + 1e-6 * i:.6f}\n" for x, y, z in (0.03 * vertices).tolist()
            )
            + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces.tolist())
        )
        text = text.replace('<sphere radius="0.02"/>', f'<mesh filename="m{i}.obj"/>', 1)
    (folder / "large.urdf").write_text(text)
    return folder / "large.urdf"


def ball(triangles: int) -> tuple[np.ndarray, np.ndarray]:
    """A bumpy ball of about so many triangles: vertices (n, 3), faces (m, 3)."""
    rings = max(3, round((triangles / 4) ** 0.5))
    polar, around = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
    )
    p, t = polar.T.ravel(), around.T.ravel()
    reach = 1 + 0.1 * np.sin(3 * p) * np.cos(4 * t)
    vertices = reach[:, None] * np.column_stack(
        [np.sin(p) * np.cos(t), np.sin(p) * np.sin(t), np.cos(p)]
    )
    a = np.arange(rings)[:, None] * 2 * rings + np.arange(2 * rings)
    b = np.arange(rings)[:, None] * 2 * rings + (np.arange(2 * rings) + 1) % (2 * rings)
    quads = np.stack([a, a + 2 * rings, b, b + 2 * rings], axis=2).reshape(-1, 4)
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [2, 1, 3]]])


def edit_sphere(document: Document, radius: float) -> None:
    group = document.robot.xrdf.geometry[0]  # type: ignore[index]
    sphere = replace(group.spheres["l1"][0], radius=radius)
    document.execute(commands.SetSpheres(((SphereRef(group.name, "l1", 0), sphere),)))


def saves(document: Document, folder: Path, edit: Callable[[Document, int], None]) -> Run:
    steps = iter(range(10**6))

    def run() -> None:
        edit(document, next(steps))
        save_all(document, folder / "saved.xrdf", overwrite=True)

    return run


def checks(document: Document, edit: Callable[[Document, int], None]) -> Run:
    checker, steps = StateChecker(), iter(range(10**6))

    def run() -> None:
        edit(document, next(steps))
        checker.check(document.state, Profile.SPECIFICATION, document.present_texts)

    return run


def move(document: Document, step: int) -> None:
    edit_sphere(document, 0.011 + 1e-5 * step)


def rename(document: Document, step: int) -> None:
    document.execute(commands.RenameLink(document.robot.urdf.links[5].name, f"renamed{step}"))


def fits(triangles: int, spheres: int) -> Run:
    mesh = ball(triangles)
    return lambda: fit_spheres(*mesh, FitSettings(number=spheres))


def samples(folder: Path, links: int, spheres: int) -> Run:
    robot = chain(folder, links, 1, spheres).robot
    settings = AnalysisSettings(samples=2_000, certify_seconds=0.0, search_starts=0)
    return lambda: analyse(build_sphere_model(robot), settings)


def differs(folder: Path, links: int, spheres: int) -> Run:
    one, other = chain(folder, links, 1, spheres), chain(folder, links, 1, spheres)
    edit_sphere(other, 0.02)
    return lambda: diff(one, other)


def checked_slowly(folder: Path, count: int) -> Run:
    placed = locate_robot(open_robot(with_meshes(folder, count)))
    return lambda: slow_findings(SILENT, placed, Profile.SPECIFICATION)


def drafted(folder: Path, links: int, children: int) -> Run:
    urdf = chain(folder, links, children).urdf_path
    assert urdf is not None
    return lambda: new(urdf)


def tree_tables(folder: Path, links: int) -> Run:
    urdf = chain(folder, links).robot.urdf

    def run() -> None:
        tree = BodyTree.of(urdf)
        tree.common(set(tree.links))

    return run


# Robots of less than 1,000 links may have a free default pose looked for, which takes longer than
# all else.
_PAIRS = "there are n² pairs of links, and each has its evidence"
_ENDS = "each joint is moved to both of its ends, and all frames are compared there"
ROWS = (
    Row("opening", "links of a chain", 1_000, lambda f, n: lambda: chain(f, n)),
    Row("opening", "links of a tree", 1_000, lambda f, n: lambda: chain(f, n, 3)),
    Row("opening", "spheres", 2_500, lambda f, n: lambda: chain(f, 10, 1, n)),
    Row("saving", "links, one renamed", 250, lambda f, n: saves(chain(f, n, 1, n), f, rename)),
    Row("saving", "spheres, one moved", 2_500, lambda f, n: saves(chain(f, 10, 1, n), f, move)),
    Row("checking again", "links, one renamed", 500, lambda f, n: checks(chain(f, n, 1, n), rename)),
    Row("checking again", "spheres, one moved", 2_500, lambda f, n: checks(chain(f, 10, 1, n), move)),
    Row("slow rules", "meshes", 50, checked_slowly),
    Row("drafting", "links of a chain", 1_000, lambda f, n: drafted(f, n, 1)),
    Row("drafting", "links of a tree", 1_000, lambda f, n: drafted(f, n, 3)),
    Row("common link", "links of a chain", 1_000, tree_tables),
    Row("diff", "links", 250, lambda f, n: differs(f, n, n), _ENDS),
    Row("diff", "spheres", 2_500, lambda f, n: differs(f, 10, n)),
    Row("mask", "links", 25, lambda f, n: samples(f, n, n), _PAIRS),
    Row("mask", "spheres", 250, lambda f, n: samples(f, 10, n)),
    Row("fit", "triangles", 2_500, lambda f, n: fits(n, 16)),
    Row("fit", "spheres", 8, lambda f, n: fits(2_500, n)),
)  # fmt: skip


def cost(run: Run) -> float:
    """CPU seconds: the least of two runs, or of four of what is quick."""
    gc.collect()
    times: list[float] = []
    while len(times) < 2 or (len(times) < 4 and min(times) < 0.5):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


def measure(row: Row, folder: Path, doublings: int) -> Iterator[tuple[int, float]]:
    """Size and CPU seconds."""
    row.prepare(folder, row.first)()
    for size in (row.first * 2**k for k in range(doublings + 1)):
        yield size, cost(row.prepare(folder, size))


def _slope(points: list[tuple[int, float]]) -> float:
    """Return the slope of the line through the logarithms."""
    sizes, seconds = (np.log([point[k] for point in points]) for k in (0, 1))
    return float(np.cov(sizes, seconds)[0, 1] / np.var(sizes, ddof=1))


def plot(results: dict[str, list[tuple[int, float]]], path: Path) -> None:
    """Draw all rows, size and seconds each as a multiple of the first, on logarithmic axes."""
    names, lines = list(results), []
    for k, (name, points) in enumerate(results.items()):
        steps = [
            (np.log2(size / points[0][0]), np.log2(max(s, 1e-9) / points[0][1]))
            for size, s in points
        ]
        place = " ".join(f"{60 + 120 * x:.1f},{420 - 60 * y:.1f}" for x, y in steps)
        colour = f"hsl({360 * k // len(names)} 70% 40%)"
        lines.append(f'<polyline points="{place}" fill="none" stroke="{colour}"/>')
        lines.append(
            f'<text x="560" y="{20 + 18 * k}" fill="{colour}" font-size="12">{name}</text>'
        )
    ends = "".join(
        f'<line x1="60" y1="420" x2="540" y2="{420 - 240 * slope}" stroke="#aaa" '
        'stroke-dasharray="4"/>'
        for slope in (1, 2)
    )
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" '
        f'height="440">{ends}{"".join(lines)}</svg>\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--doublings", type=int, default=2, metavar="N")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg")
    options = parser.parse_args()
    results: dict[str, list[tuple[int, float]]] = {}
    worse = []
    sizes = " | ".join(f"× {2**k}" for k in range(options.doublings + 1))
    print(f"| computation | what grows | from | {sizes} | exponent |")
    print("|---|---|---|" + "---|" * (options.doublings + 2))
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            name = f"{row.name}: {row.grows}"
            if options.words and not any(word in name for word in options.words):
                continue
            points = results[name] = list(measure(row, Path(folder), options.doublings))
            slope = _slope(points)
            if slope > LINEAR and not row.reason:
                worse.append(name)
            cells = " | ".join(f"{seconds:.3f} s" for _, seconds in points)
            print(
                f"| {row.name} | {row.grows} | {row.first:,} | {cells} | {slope:.2f} |", flush=True
            )
    for row in ROWS:
        if row.reason and f"{row.name}: {row.grows}" in results:
            print(f"\n{row.name}, {row.grows}: {row.reason}.")
    if options.plot is not None:
        plot(results, options.plot)
    print(f"\nabove {LINEAR} without a reason: {', '.join(worse) or 'none'}")
    return 1 if worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
