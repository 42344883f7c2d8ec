"""Plain sampling judges fits of 200 meshes: spheres away from the mesh, coverage, protrusion, radii
at stray parts.

120 meshes are built here (boxes, angles, tubes, antennas, plates, stray triangles, screws, fingers,
brackets, sheets, scans, wrong units), the others come from example-robot-data. The judge uses
numpy, scipy and trimesh alone: surfaces are sampled, distances to triangles are computed here, and
the sum of solid angles decides what is inside.

A sphere is away if its centre is outside the mesh and farther from it than its radius. Coverage,
protrusion and the deepest uncovered spot may differ from the reported ones by 2 %. If the fit
closed openings or filled enclosed spaces, the solid is a matter of definition: only spheres away
and the radii at stray parts are judged then. Lengths below 0.06 % of the diagonal, a twentieth of a
voxel, are not compared. An open mesh has no inside: its protrusion is not judged. A sphere at a
stray part is at most a tenth larger than the ball around the part's box.

    python -P -m tests.opinions fits --count 200                 all
    python -P -m tests.opinions fits --count 20 --first 40       some of them
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from scipy.spatial import cKDTree

from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.results import FitResult
from editor_app.features.spheres.engine.settings import FitSettings
from tests.helpers.robots import example_robots

#: Share by which figures may differ, and the share of the diagonal, a twentieth of a voxel, that is
#: not judged.
_LIMIT, _LEAST = 0.02, 6e-4
_SURFACE, _EXPOSED, _DIRECTIONS, _NEAR_DIRECTIONS = 20_000, 3_000, 500, 40_000
#: Points for the deepest uncovered spot: small spots between spheres end in a point.
_SPOTS = 1_000_000
#: Edges between points spread over the surface, as a share of the diagonal.
_SPREAD = 1 / 120
#: Triangles of a mesh whose mean protrusion and exposed surface are judged, too, and of any mesh
#: that is judged.
_FEW_FACES, _MOST_BYTES = 300, 250_000
_STRAY_SLACK = 1.1
_BUILT_SHARE = 0.6

#: Words in notes of fits that took something else than the mesh for the solid: of any mesh, and of
#: one with cavities.
_OTHER_SOLID, _FILLED = (" closed", "walls alone"), ("enclosed",)


@dataclass(frozen=True)
class Case:
    """A mesh: its parts in one, the parts among them that lie far from the rest, whether it may
    enclose cavities."""

    name: str
    mesh: trimesh.Trimesh
    strays: tuple[trimesh.Trimesh, ...] = ()
    has_cavities: bool = True


@dataclass(frozen=True)
class Verdict:
    """Figures as reported and as sampled (lengths in metres); ``faults``: sentences, empty for a
    fit as reported."""

    coverage: tuple[float, float]
    protrusion: tuple[float, float]
    is_judged: bool
    faults: tuple[str, ...]


class Judge:
    """A mesh, with points spread over its surface."""

    def __init__(self, case: Case) -> None:
        self.case, self.mesh = case, case.mesh
        if not self.mesh.is_winding_consistent:
            self.mesh = self.mesh.copy()
            trimesh.repair.fix_winding(self.mesh)
        self.corners = np.asarray(self.mesh.triangles, float)
        self.diagonal = float(np.linalg.norm(np.ptp(self.corners.reshape(-1, 3), axis=0)))
        vertices, _ = trimesh.remesh.subdivide_to_size(
            self.mesh.vertices, self.mesh.faces, _SPREAD * self.diagonal, max_iter=40
        )
        self.surface, _ = trimesh.sample.sample_surface(self.mesh, _SURFACE, seed=1)
        self._spread = np.vstack([vertices, self.surface])
        self._tree = cKDTree(self._spread)
        self.is_closed = bool(self.mesh.is_watertight)

    def about(self, points: np.ndarray) -> np.ndarray:
        """(n,) distances of points (n, 3) from the spread points: hardly more than from the
        surface."""
        return np.asarray(self._tree.query(points)[0]) if len(points) else np.zeros(0)

    def distances(self, points: np.ndarray) -> np.ndarray:
        """(n,) distances of points (n, 3) from the triangles."""
        out = np.full(len(points), np.inf)
        a = self.corners
        edges = np.roll(a, -1, axis=1) - a
        normal = np.cross(edges[:, 0], -edges[:, 2])
        size = np.linalg.norm(normal, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            unit = normal / size[:, None]
        for row, point in enumerate(points):
            offset = point - a
            length = np.maximum((edges**2).sum(2), 1e-300)
            along = np.clip((offset * edges).sum(2) / length, 0, 1)
            nearest = np.linalg.norm(offset - along[..., None] * edges, axis=2).min()
            side = (np.cross(edges, offset) * normal[:, None]).sum(2)
            above = (side >= 0).all(1) & (size > 0)
            if above.any():
                nearest = min(nearest, np.abs((offset[above, 0] * unit[above]).sum(1)).min())
            out[row] = nearest
        return out

    def is_inside(self, points: np.ndarray) -> np.ndarray:
        """Which points (n, 3) the triangles wind around, by the sum of their solid angles."""
        inside = np.zeros(len(points), bool)
        step = max(1, 400_000 // len(self.corners))
        for first in range(0, len(points), step):
            a, b, c = (
                self.corners[None, :, k] - points[first : first + step, None] for k in range(3)
            )
            la, lb, lc = (np.linalg.norm(each, axis=2) for each in (a, b, c))
            top = (a * np.cross(b, c)).sum(2)
            sides = ((a, b, lc), (b, c, la), (c, a, lb))
            bottom = la * lb * lc + sum((u * v).sum(2) * w for u, v, w in sides)
            inside[first : first + step] = np.abs(np.arctan2(top, bottom).sum(1)) > np.pi
        return inside

    def judge(self, result: FitResult, *, covers: bool) -> Verdict:
        """Compare a fit with samples; ``covers``: whether it was to cover the whole surface."""
        spheres, quality = result.spheres, result.quality
        if quality is None or not len(spheres):
            return Verdict(
                (0, 0), (0, 0), False, () if result.notes else ("no spheres, and no reason",)
            )
        faults = []
        away = self.away(spheres)
        if away:
            faults.append(f"{away} spheres away")
        faults += self._of_strays(spheres)
        words = (*_OTHER_SOLID, *_FILLED) if self.case.has_cavities else _OTHER_SOLID
        has_solid = not any(word in note for word in words for note in result.notes)
        coverage, deepest = self._coverage(spheres)
        most, mean = self._protrusion(spheres)
        if has_solid:
            if abs(quality.surface_coverage - coverage) > _LIMIT:
                faults.append(f"coverage {quality.surface_coverage:.4f}, sampled {coverage:.4f}")
            if self._differs(quality.uncovered_max, deepest):
                faults.append(
                    f"uncovered {1000 * quality.uncovered_max:.3f} mm, sampled "
                    f"{1000 * deepest:.3f} mm"
                )
        if covers and not result.given_up and coverage < 1 and has_solid:
            faults.append(f"only {coverage:.5f} of the surface is covered")
        is_judged = has_solid and (self.is_closed or self._is_plane())
        if is_judged and self._differs(quality.protrusion_max, most):
            faults.append(
                f"protrusion {1000 * quality.protrusion_max:.3f} mm, sampled {1000 * most:.3f} mm"
            )
        if is_judged and mean is not None and self._differs(quality.protrusion_mean, mean):
            faults.append(
                f"mean protrusion {1000 * quality.protrusion_mean:.3f} mm, sampled "
                f"{1000 * mean:.3f} mm"
            )
        return Verdict(
            (quality.surface_coverage, coverage),
            (quality.protrusion_max, most),
            is_judged,
            tuple(faults),
        )

    def away(self, spheres: np.ndarray) -> int:
        """How many spheres (n, 4) have no contact with the mesh."""
        far = np.flatnonzero(self.about(spheres[:, :3]) > spheres[:, 3])
        far = far[self.distances(spheres[far, :3]) > spheres[far, 3] + 1e-7]
        return int((~self.is_inside(spheres[far, :3])).sum())

    def _differs(self, reported: float, sampled: float) -> bool:
        return abs(reported - sampled) > _LIMIT * max(reported, sampled) + _LEAST * self.diagonal

    def _is_plane(self) -> bool:
        return bool(
            np.linalg.svd(self.mesh.vertices - self.mesh.vertices.mean(0))[1][2]
            < 1e-7 * self.diagonal
        )

    def _of_strays(self, spheres: np.ndarray) -> Iterator[str]:
        """Spheres that touch a stray part alone, and are larger than it."""
        if len(spheres) < len(self.case.strays) + 2:
            return
        for stray in self.case.strays:
            part = Judge(Case("stray", stray))
            others = np.asarray(
                [p for s in (self._main(), *self.case.strays) if s is not stray for p in s.vertices]
            )
            at_part = part.about(spheres[:, :3]) <= spheres[:, 3]
            nearest = np.linalg.norm(others[:, None] - spheres[None, :, :3], axis=2).min(0)
            alone = spheres[at_part & (nearest > spheres[:, 3])]
            limit = _STRAY_SLACK * part.diagonal / 2
            if len(alone) and alone[:, 3].max() > limit:
                yield (
                    f"a stray of radius {1000 * limit:.3f} mm has a sphere of "
                    f"{1000 * alone[:, 3].max():.3f} mm"
                )

    def _main(self) -> trimesh.Trimesh:
        count = sum(len(stray.faces) for stray in self.case.strays)
        return self.mesh.submesh(
            [np.arange(len(self.mesh.faces) - count)], append=True, repair=False
        )

    def _coverage(self, spheres: np.ndarray) -> tuple[float, float]:
        """Share of the surface that is covered, and the distance of its deepest uncovered spot."""
        points = self.surface
        if len(self.corners) <= _FEW_FACES and self.is_closed:
            points = points[:_EXPOSED][self._is_exposed(points[:_EXPOSED])]
        gaps = _gaps(points, spheres)
        spots = np.vstack(
            [self._spread, trimesh.sample.sample_surface(self.mesh, _SPOTS, seed=2)[0]]
        )
        everywhere = _gaps(spots, spheres)
        deepest = 0.0
        for rows in np.array_split(everywhere.argsort()[::-1], max(1, len(everywhere) // 64)):
            exposed = rows[self._is_exposed(spots[rows])] if self.is_closed else rows
            if len(exposed):
                deepest = max(0.0, float(everywhere[exposed].max()))
                break
        return float((gaps <= 1e-6 * self.diagonal).mean()), deepest

    def _is_exposed(self, points: np.ndarray) -> np.ndarray:
        """Which points (n, 3) of the surface of a closed mesh have a place outside next to them."""
        sides = (
            1e-4
            * self.diagonal
            * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
            / 3**0.5
        )
        around = (points[:, None] + np.vstack([sides, -sides])).reshape(-1, 3)
        return np.asarray(~self.is_inside(around).reshape(len(points), -1).all(1))

    def _protrusion(self, spheres: np.ndarray) -> tuple[float, float | None]:
        """Greatest distance of the exposed surface of the spheres outside of the mesh, and the mean
        by area.

        Searched coarsely over all spheres, and finely around the four places that protrude most.
        """
        coarse, fine = _directions(_DIRECTIONS), _directions(_NEAR_DIRECTIONS)
        out = np.array([self._protruding(spheres, i, coarse) for i in range(len(spheres))])
        mean = None
        if len(self.corners) <= _FEW_FACES and len(spheres) <= 16:
            points = spheres[:, None, :3] + spheres[:, None, 3:] * coarse
            exposed = np.array(
                [_gaps(p, np.delete(spheres, i, 0)) >= 0 for i, p in enumerate(points)]
            )
            whole = np.zeros(exposed.shape)
            whole[exposed] = np.where(
                self.is_inside(points[exposed]), 0.0, self.about(points[exposed])
            )
            weight = exposed * spheres[:, 3:] ** 2
            mean = float((weight * whole).sum() / weight.sum())
        most = 0.0
        for place in out.argsort(axis=None)[-4:]:
            i, k = np.unravel_index(place, out.shape)
            around = fine[fine @ coarse[k] > np.cos(0.15)]
            near = self._protruding(spheres, int(i), around)
            best = near.argsort()[-3:]
            best = best[near[best] > 0]
            points = spheres[i, :3] + spheres[i, 3] * around[best]
            most = max(most, self.distances(points).max(initial=0.0))
        return most, mean

    def _protruding(self, spheres: np.ndarray, i: int, directions: np.ndarray) -> np.ndarray:
        points = spheres[i, :3] + spheres[i, 3] * directions
        free = _gaps(points, np.delete(spheres, i, 0)) >= 0
        out = np.zeros(len(points))
        out[free] = self.about(points[free])
        if not self.is_closed:
            return out
        # Only the farthest points are asked whether they are inside.
        for rows in np.array_split(out.argsort()[::-1], max(1, len(out) // 64)):
            inside = self.is_inside(points[rows])
            out[rows[inside]] = 0.0
            if not inside.all():
                return np.where(out <= out[rows[~inside]].max(), out, 0.0)
        return out


def _gaps(points: np.ndarray, spheres: np.ndarray) -> np.ndarray:
    gaps = np.full(len(points), np.inf)
    for x, y, z, radius in spheres:
        np.minimum(gaps, np.linalg.norm(points - (x, y, z), axis=1) - radius, out=gaps)
    return gaps


def _directions(count: int) -> np.ndarray:
    k = np.arange(count) + 0.5
    polar, around = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
    return np.column_stack(
        [np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)]
    )


# Meshes. Each maker gets a generator and gives the parts of a mesh of about one metre, and stray
# parts.

Rng = np.random.Generator
Parts = tuple[list[trimesh.Trimesh], list[trimesh.Trimesh]]


def _box(*size: float, at: tuple[float, ...] = (0, 0, 0)) -> trimesh.Trimesh:
    return trimesh.creation.box(size).apply_translation(at)


def _rod(radius: float, length: float, at: tuple[float, ...] = (0, 0, 0)) -> trimesh.Trimesh:
    return trimesh.creation.cylinder(radius, length, sections=16).apply_translation(at)


def _body(rng: Rng) -> trimesh.Trimesh:
    return _box(*rng.uniform(0.2, 1.0, 3))


def _flat(corners: list[tuple[float, float, float]], place: np.ndarray) -> trimesh.Trimesh:
    return trimesh.Trimesh(place + np.array(corners), [[0, 1, 2]], process=False)


def _far(rng: Rng) -> np.ndarray:
    place = rng.normal(size=3)
    return np.asarray(place / np.linalg.norm(place) * rng.uniform(2, 5))


def _cut(mesh: trimesh.Trimesh, kept: np.ndarray) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices, mesh.faces[kept], process=False)


def _shaken(mesh: trimesh.Trimesh, rng: Rng, size: float) -> trimesh.Trimesh:
    return trimesh.Trimesh(
        mesh.vertices + rng.normal(0, size, mesh.vertices.shape), mesh.faces, process=False
    )


def _stray_triangle(rng: Rng) -> trimesh.Trimesh:
    size = rng.uniform(0.002, 0.01)
    return _flat([(0, 0, 0), (size, 0, 0), (0, size, 0)], _far(rng))


def _finger(rng: Rng) -> Parts:
    width = rng.uniform(0.1, 0.25)
    return [_box(width, width, 0.6), _box(width, width / 2, 0.5, at=(0, width / 4, 0.5)),
            _rod(width / 2, width, at=(0, 0, -0.35))], []  # fmt: skip


def _bracket(rng: Rng) -> Parts:
    thick = rng.uniform(0.03, 0.1)
    walls = [_box(thick, 0.5, 0.5, at=(x, 0, 0.25)) for x in (-0.45, 0.45)]
    return [_box(1, 0.5, thick), *walls], []


def _sheet(wave: float) -> Parts:
    x, y = np.meshgrid(np.linspace(0, 1, 13), np.linspace(0, 0.7, 9))
    vertices = np.column_stack([x.ravel(), y.ravel(), wave * np.sin(6 * x.ravel())])
    first = np.add.outer(13 * np.arange(8), np.arange(12)).ravel()
    faces = np.vstack(
        [
            np.column_stack([first, first + 1, first + 13]),
            np.column_stack([first + 1, first + 14, first + 13]),
        ]
    )
    return [trimesh.Trimesh(vertices, faces, process=False)], []


def _screws(rng: Rng) -> Parts:
    size = rng.uniform(0.003, 0.02)
    return [_body(rng)], [
        _rod(size, 2 * size, at=tuple(_far(rng))) for _ in range(int(rng.integers(2, 6)))
    ]


def _upside_down(rng: Rng) -> Parts:
    mesh = _body(rng)
    mesh.invert()
    return [mesh], []


def _mixed(rng: Rng) -> Parts:
    mesh = _body(rng)
    faces = mesh.faces.copy()
    faces[::3] = faces[::3, ::-1]
    return [trimesh.Trimesh(mesh.vertices, faces, process=False)], []


def _scan(rng: Rng) -> Parts:
    mesh = trimesh.creation.icosphere(3, 0.4).apply_scale(rng.uniform(0.4, 1, 3))
    mesh = _shaken(mesh, rng, 0.004)
    return [_cut(mesh, rng.random(len(mesh.faces)) > 0.02)], []


KINDS: dict[str, Callable[[Rng], Parts]] = {
    "box": lambda rng: ([_body(rng)], []),
    "ball": lambda rng: ([trimesh.creation.icosphere(2, rng.uniform(0.2, 0.5))], []),
    "capsule": lambda rng: ([trimesh.creation.capsule(0.8, rng.uniform(0.05, 0.3), count=(12, 12))], []),
    "cone": lambda rng: ([trimesh.creation.cone(rng.uniform(0.1, 0.6), 1, sections=24)], []),
    "angle": lambda rng: ([_box(1, 0.2, 0.2), _box(0.2, 1, 0.2, at=(0.4, 0.4, 0))], []),
    "bar": lambda rng: ([_rod(rng.uniform(0.02, 0.1), 1)], []),
    "wire": lambda rng: ([_rod(rng.uniform(0.0005, 0.003), 1)], []),
    "tube": lambda rng: ([trimesh.creation.annulus(0.08, rng.uniform(0.09, 0.12), 1, sections=20)], []),
    "ring": lambda rng: ([trimesh.creation.annulus(0.4, 0.5, rng.uniform(0.05, 0.2), sections=24)], []),
    "antenna": lambda rng: ([_box(0.2, 0.1, 0.05), _rod(rng.uniform(0.0005, 0.003), 1, at=(0, 0, 0.5))], []),
    "plate": lambda rng: ([_box(1, 0.6, rng.uniform(0.001, 0.01))], []),
    "two boxes": lambda rng: ([_box(0.2, 0.1, 0.05), _box(0.2, 0.1, 0.05, at=(rng.uniform(1, 2), 0.1, 0))], []),
    "cross": lambda rng: ([_box(1, 0.2, 0.1), _box(0.2, rng.uniform(0.5, 1), 0.1001)], []),
    "chain": lambda rng: ([_box(0.05, 0.04, 0.03, at=(0.06 * k, 0.3 * np.sin(k / 4), 0)) for k in range(24)], []),
    "stray triangle": lambda rng: ([_body(rng)], [_stray_triangle(rng)]),
    "stray cube": lambda rng: ([_body(rng)], [_box(*(rng.uniform(0.004, 0.02),) * 3, at=tuple(_far(rng)))]),
    "sliver": lambda rng: ([_body(rng)], [_flat([(0, 0, 0), (1, 0, 0), (1, 1e-5, 0)], _far(rng))]),
    "screws": _screws,
    "stray on a tube": lambda rng: ([trimesh.creation.annulus(0.08, 0.1, 1, sections=20)], [_stray_triangle(rng)]),
    "marker near": lambda rng: ([_box(1, 0.4, 0.3)], [_box(0.004, 0.004, 0.004, at=(0, 0, rng.uniform(0.25, 0.5)))]),
    "finger": _finger,
    "bracket": _bracket,
    "sheet": lambda rng: _sheet(rng.uniform(0.05, 0.2)),
    "flat sheet": lambda _: _sheet(0.0),
    "open box": lambda rng: ([_cut(_body(rng), np.arange(12) > 1)], []),
    "hollow box": lambda rng: ([_box(1, 0.6, 0.5), _upside_down(rng)[0][0].apply_scale(0.4)], []),
    "scan": _scan,
    "shaken box": lambda rng: ([_shaken(_body(rng).subdivide().subdivide(), rng, 0.006)], []),
    "inside out": _upside_down,
    "mixed winding": _mixed,
}  # fmt: skip
#: Metres, and units taken for metres: millimetres, centimetres, inches, micrometres.
_UNITS = (0.1, 0.3, 1.0, 1000.0, 100.0, 0.001)
_SETTINGS: tuple[dict[str, object], ...] = (
    {"number": 8},
    {"number": 16, "mode": "balanced"},
    {"number": 1},
    {"number": 8, "mode": "inside"},
    {"number": 32},
    {"density": 0.5},
    {"number": 2},
)


def build(number: int) -> Case:
    """Build the mesh of a number; kinds take turns, then sizes, turns and places."""
    rng = np.random.default_rng(number)
    name, make = list(KINDS.items())[number % len(KINDS)]
    parts, strays = make(rng)
    unit = _UNITS[(number // len(KINDS) + number) % len(_UNITS)]
    place = (
        trimesh.transformations.random_rotation_matrix(rng.random(3))
        if number >= len(KINDS)
        else np.eye(4)
    )
    place[:3, 3] = rng.uniform(-1, 1, 3) * (0 if number % 5 else 100)
    for part in (*parts, *strays):
        part.apply_transform(place).apply_scale(unit)
    return Case(
        f"{name} × {unit:g}",
        trimesh.util.concatenate([*parts, *strays]),
        tuple(strays),
        name == "hollow box",
    )


def robot_files(count: int) -> list[Path]:
    """trimesh.Trimesh files of example-robot-data, spread over all robots."""
    files = sorted(
        path
        for path in example_robots().rglob("*")
        if path.suffix.lower() in (".stl", ".obj") and path.stat().st_size <= _MOST_BYTES
    )
    return [files[k * len(files) // count] for k in range(min(count, len(files)))]


def _cases(count: int) -> Iterator[Callable[[], Case]]:
    built = round(_BUILT_SHARE * count)
    for number in range(built):
        yield lambda number=number: build(number)  # type: ignore[misc]
    for path in robot_files(count - built):
        name = f"{path.parts[-3]}/{path.name}"
        yield lambda path=path, name=name: Case(
            name, trimesh.load(path, force="mesh", process=True)
        )  # type: ignore[misc]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=20, help="meshes (default: 20)")
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first of them (default: 0)"
    )
    parser.add_argument(
        "--last", type=int, default=None, help="the number behind the last of them (default: all)"
    )
    parser.add_argument("--effort", default="fast", choices=("fast", "normal", "best"))


def run(options: argparse.Namespace) -> int:
    """Print a line for each mesh; return 1 if a fit differs from its report."""
    bad = judged = all_of_them = 0
    for number, make in list(enumerate(_cases(options.count)))[options.first : options.last]:
        case, settings = make(), _SETTINGS[number % len(_SETTINGS)]
        if not len(case.mesh.faces):
            continue
        started = time.process_time()
        asked = FitSettings(effort=options.effort, **settings)  # type: ignore[arg-type]
        result = fit_spheres(case.mesh.vertices, case.mesh.faces, asked)
        fitted = time.process_time()
        verdict = Judge(case).judge(result, covers=asked.mode == "cover")
        bad += bool(verdict.faults)
        judged += verdict.is_judged
        all_of_them += 1
        print(
            f"{number:4} {case.name[-36:]:<36} {', '.join(map(str, settings.values())):<13} "
            f"{len(result.spheres):3} spheres {fitted - started:5.2f} + "
            f"{time.process_time() - fitted:5.2f} s "
            f"{1000 * verdict.protrusion[0]:10.2f}/{1000 * verdict.protrusion[1]:10.2f} mm "
            f"{verdict.coverage[0]:.4f}/{verdict.coverage[1]:.4f} "
            f"{'' if verdict.is_judged else '(no protrusion) '}{'; '.join(verdict.faults) or 'as reported'}",
            flush=True,
        )
    print(f"{all_of_them} fits, {judged} with protrusion judged: {bad} differ from their report")
    return int(bad > 0)
