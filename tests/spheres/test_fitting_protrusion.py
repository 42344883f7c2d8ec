"""Figures of protrusion against plain sampling, and the one sphere that is the least ball."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from editor_app.core.space.geometry.distance import compute_mesh_distances, winding_number
from editor_app.features.spheres.engine.enclosing import least_ball
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings
from tests.helpers.breadth import of_each_kind
from tests.helpers.fits import proof_of, quality_of


def box(*size: float, at: tuple[float, float, float] = (0, 0, 0)) -> trimesh.Trimesh:
    return trimesh.creation.box(size).apply_translation(at)


def rod(
    radius: float, length: float, at: tuple[float, float, float] = (0, 0, 0)
) -> trimesh.Trimesh:
    return trimesh.creation.cylinder(radius, length, sections=12).apply_translation(at)


MESHES = {
    "angle": [box(0.3, 0.06, 0.06), box(0.06, 0.3, 0.06, at=(0.12, 0.12, 0))],
    "two boxes": [box(0.2, 0.1, 0.05), box(0.2, 0.1, 0.05, at=(2, 0, 0))],
    "rod": [rod(0.001, 0.5)],
    "antenna": [box(0.2, 0.1, 0.05), rod(0.001, 1.0, at=(0, 0, 0.5))],
    "tube": [trimesh.creation.annulus(0.02, 0.025, 0.3, sections=12)],
}


def fibonacci(count: int) -> np.ndarray:
    k = np.arange(count) + 0.5
    polar, around = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
    return np.column_stack(
        [np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)]
    )


def sampled_protrusion(mesh: trimesh.Trimesh, spheres: np.ndarray) -> tuple[float, float]:
    """Mean and greatest distance of the exposed surface of the union outside the mesh."""
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, np.int32)

    def distances(i: int, directions: np.ndarray) -> np.ndarray:
        """-1 where another sphere hides the surface."""
        points = spheres[i, :3] + spheres[i, 3] * directions
        gaps = np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2) - spheres[:, 3]
        distance = compute_mesh_distances(points, vertices, faces)
        distance[np.abs(winding_number(points, vertices, faces)) > 0.5] = 0.0
        distance[np.delete(gaps, i, 1).min(1, initial=1.0) < 0] = -1.0
        return distance

    directions = fibonacci(400)
    coarse = np.array([distances(i, directions) for i in range(len(spheres))])
    weight = (coarse >= 0) * spheres[:, 3:] ** 2
    most = []
    for place in np.argsort(coarse, axis=None)[-4:]:
        i, direction = divmod(int(place), len(directions))
        around = fibonacci(100_000)
        most.append(distances(i, around[around @ directions[direction] > np.cos(0.2)]).max())
    return float((weight * coarse).sum() / weight.sum()), float(max(most))


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("number", of_each_kind((1, 2, 8), (1, 8)))
def test_protrusion_is_measured_however_far_spheres_reach(name: str, number: int) -> None:
    mesh = trimesh.util.concatenate(MESHES[name])
    result = fit_spheres(mesh.vertices, mesh.faces, FitSettings(number=number, effort="fast"))
    mean, most = sampled_protrusion(mesh, result.spheres)
    assert quality_of(result).protrusion_mean == pytest.approx(mean, rel=0.02)
    assert quality_of(result).protrusion_max == pytest.approx(most, rel=0.02)


@pytest.mark.parametrize(
    ("name", "radius"),
    [
        ("two boxes", np.linalg.norm((1.1, 0.05, 0.025))),
        ("rod", np.hypot(0.25, 0.001)),
        ("tube", np.hypot(0.15, 0.025)),
        # Around (0, 0.12, 0): it touches the lower corners of the long bar and the end of the
        # other.
        ("angle", np.linalg.norm((0.15, 0.15, 0.03))),
    ],
)
def test_one_sphere_is_the_least_ball(name: str, radius: float) -> None:
    mesh = trimesh.util.concatenate(MESHES[name])
    result = fit_spheres(mesh.vertices, mesh.faces, FitSettings(number=1))
    (sphere,) = result.spheres
    assert proof_of(result).certified
    assert sphere[3] == pytest.approx(radius, rel=1e-6)


@pytest.mark.parametrize("kind", ["cloud", "plane", "line", "ball", "lattice", "one"])
def test_the_least_ball_holds_all_points_and_none_is_smaller(kind: str) -> None:
    rng = np.random.default_rng(7)
    for count in (1, 2, 5, 60):
        points = rng.normal(size=(count, 3)) + (10, 0, 0)
        if kind == "plane":
            points[:, 2] = 0
        elif kind == "line":
            points[:, 1:] = 0
        elif kind == "ball":
            points /= np.linalg.norm(points, axis=1)[:, None]
        elif kind == "lattice":
            points = np.round(points)
        elif kind == "one":
            points[:] = points[0]
        ball = least_ball(points)
        assert np.linalg.norm(points - ball[:3], axis=1).max() <= ball[3] * (1 + 1e-12) + 1e-15
        # No ball is smaller whose centre is in the hull of the points that carry it: small moves
        # only make it larger.
        moved = ball[:3] + 1e-4 * fibonacci(200)
        reach = np.linalg.norm(points[None] - moved[:, None], axis=2).max(1)
        assert (reach >= ball[3] - 1e-12).all()


def test_one_balanced_sphere_is_no_larger_than_the_least_ball() -> None:
    mesh = trimesh.util.concatenate(MESHES["angle"])
    spheres = fit_spheres(
        mesh.vertices, mesh.faces, FitSettings(number=1, mode="balanced", effort="fast")
    ).spheres
    assert spheres[0, 3] < least_ball(np.asarray(mesh.vertices))[3]
