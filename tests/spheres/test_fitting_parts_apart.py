"""Parts far from the rest of a mesh: each gets spheres of its own size, and no sphere lies away
from the mesh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trimesh

from editor_app.core.space.geometry.distance import compute_mesh_distances, winding_number
from editor_app.features.spheres.engine.apart import split_solid
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.results import FitResult
from editor_app.features.spheres.engine.settings import FitSettings, Plane
from editor_app.features.spheres.engine.solid import build_solid
from tests.helpers.breadth import of_each_kind
from tests.helpers.fits import proof_of, quality_of

BODY = trimesh.creation.box((0.2, 0.1, 0.05))
#: Greatest radius of eight spheres that cover the body alone (metres): seven need a little more.
BODY_RADIUS = 0.05


def triangle(*corners: tuple[float, float, float]) -> trimesh.Trimesh:
    return trimesh.Trimesh(np.array(corners), [[0, 1, 2]], process=False)


#: Name -> a part beside the body, and the radius of the least ball around it (metres).
STRAYS = {
    "cube": (trimesh.creation.box((0.005,) * 3).apply_translation((1, 0, 0)), 0.0025 * 3**0.5),
    "triangle": (triangle((0.5, 0, 0), (0.501, 0, 0), (0.5, 0.001, 0)), 0.0005 * 2**0.5),
    "label": (triangle((0.2, 0.2, 0.2), (0.205, 0.2, 0.2), (0.2, 0.205, 0.2)), 0.0025 * 2**0.5),
}
SLIVERS = {
    "long": triangle((0, 0, 0), (1, 0, 0), (1, 1e-5, 0)),
    "short": triangle((0.2, 0.1, 0.2), (0.5, 0.1, 0.2), (0.5, 0.10001, 0.2)),
}


def fit(parts: list[trimesh.Trimesh], **settings: Any) -> tuple[FitResult, trimesh.Trimesh]:
    mesh = trimesh.util.concatenate(parts)
    asked = FitSettings(**{"number": 8, "effort": "fast", **settings})
    return fit_spheres(np.asarray(mesh.vertices), np.asarray(mesh.faces), asked), mesh


def away(spheres: np.ndarray, mesh: trimesh.Trimesh) -> int:
    """How many spheres have their centre outside the mesh, and farther from it than their
    radius."""
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, np.int32)
    centres = np.ascontiguousarray(spheres[:, :3])
    is_outside = np.abs(winding_number(centres, vertices, faces)) < 0.5
    return int(
        (is_outside & (compute_mesh_distances(centres, vertices, faces) > spheres[:, 3])).sum()
    )


@pytest.mark.parametrize("name", STRAYS)
def test_a_stray_part_gets_one_sphere_of_its_size(name: str) -> None:
    stray, radius = STRAYS[name]
    result, mesh = fit([BODY, stray])
    assert away(result.spheres, mesh) == 0
    assert proof_of(result).certified
    assert len(result.spheres) == 8
    assert result.spheres[-1, 3] == pytest.approx(radius, rel=1e-4)
    assert 0.03 < result.spheres[:-1, 3].min() < result.spheres[0, 3] < BODY_RADIUS
    assert quality_of(result).protrusion_max < 0.03
    assert sum("beyond the rest of the mesh" in note for note in result.notes) == 1


@pytest.mark.parametrize(
    "settings",
    of_each_kind(
        (
            {"mode": "balanced"},
            {"mode": "inside"},
            {"number": None, "tolerance_m": 0.03},
            {"number": None, "density": 0.3},
            {"number": 2},
            {"mirror": Plane((0, 0, 0), (0, 1, 0))},
            {"clip_planes": (Plane((0, 0, -0.025), (0, 0, 1)),)},
            {"locked": ((0.0, 0.0, 0.0, 0.05),)},
            {"effort": "best"},
            {"number": 40},
        ),
        (
            {"mode": "balanced"},
            {"mode": "inside"},
            {"number": None, "tolerance_m": 0.03},
            {"number": 2},
        ),
    ),
    ids=str,
)
def test_in_every_mode_no_sphere_lies_away_and_the_stray_part_has_its_own(
    settings: dict[str, Any],
) -> None:
    result, mesh = fit([BODY, STRAYS["cube"][0]], **settings)
    assert away(result.spheres, mesh) == 0
    at_the_cube = result.spheres[result.spheres[:, 0] > 0.5]
    assert len(at_the_cube) == 1
    assert 0.0024 < at_the_cube[0, 3] < 0.0045
    assert result.spheres[0, 3] < 0.12


@pytest.mark.parametrize("name", SLIVERS)
def test_spheres_along_a_sliver_are_of_its_length(name: str) -> None:
    result, mesh = fit([BODY, SLIVERS[name]])
    assert away(result.spheres, mesh) == 0
    assert proof_of(result).certified
    assert result.spheres[0, 3] < 0.16


def test_more_stray_parts_than_spheres_share_them() -> None:
    rng = np.random.default_rng(3)
    screws = [
        trimesh.creation.box((0.004,) * 3).apply_translation(rng.uniform(-0.5, 0.5, 3))
        for _ in range(9)
    ]
    result, mesh = fit([BODY, *screws], number=6)
    assert away(result.spheres, mesh) == 0
    assert proof_of(result).certified
    assert len(result.spheres) <= 6


def test_what_the_grid_resolves_or_lies_close_is_one_part() -> None:
    cases = {
        "knob": [BODY, trimesh.creation.box((0.004,) * 3).apply_translation((0, 0, 0.028))],
        "two": [BODY, BODY.copy().apply_translation((0.6, 0, 0))],
        "antenna": [BODY, trimesh.creation.cylinder(0.001, 0.4).apply_translation((0, 0, 0.2))],
        "screw inside": [BODY, trimesh.creation.box((0.002,) * 3)],
    }
    for name, bodies in cases.items():
        mesh = trimesh.util.concatenate(bodies)
        assert len(split_solid(build_solid(mesh.vertices, mesh.faces), 9)) == 1, name
