"""What is drawn while something moves has everything in its place: also of meshes that are made of
several pieces."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from editor_app.core.space.geometry.decimation import FARTHEST, decimated
from editor_app.core.space.geometry.distance import compute_mesh_distances


def pedestal() -> trimesh.Trimesh:
    """A plain open tube between two finely meshed rings: collapsing edges eats the tube, which has
    few of them."""
    column = trimesh.creation.cylinder(0.1, 1.0, sections=24)
    tube = trimesh.Trimesh(column.vertices, column.faces[np.abs(column.face_normals[:, 2]) < 0.5])
    rings = [
        trimesh.creation.torus(0.1, 0.02, 128, 64).apply_translation((0, 0, z)) for z in (-0.5, 0.5)
    ]
    return trimesh.util.concatenate([tube, *rings])


def surface_points(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> NDArray[np.float64]:
    corners = vertices[np.concatenate([faces[:40], faces[:: max(1, len(faces) // 400)]])]
    return np.concatenate([corners.mean(axis=1), corners[:, :2].mean(axis=1)])


@pytest.mark.parametrize(
    "mesh",
    [
        pedestal(),
        trimesh.creation.icosphere(5),
        trimesh.creation.box((1, 2, 0.01)).subdivide_loop(5),
    ],
    ids=["pedestal", "sphere", "plate"],
)
def test_no_part_of_a_mesh_is_missing_in_its_coarse_copy(mesh: trimesh.Trimesh) -> None:
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, np.int32)
    points, triangles = decimated(vertices, faces, 0.12)
    assert 40 <= len(triangles) < 0.4 * len(faces)
    farthest = compute_mesh_distances(surface_points(vertices, faces), points, triangles).max()
    assert farthest <= FARTHEST * np.linalg.norm(np.ptp(vertices, axis=0))


def test_a_copy_keeps_its_volume_and_is_the_same_in_every_run() -> None:
    ball = trimesh.creation.icosphere(subdivisions=5)
    vertices, faces = np.asarray(ball.vertices), np.asarray(ball.faces, np.int32)
    once, again = decimated(vertices, faces, 0.1), decimated(vertices, faces, 0.1)
    assert trimesh.Trimesh(once[0], once[1]).volume == pytest.approx(4.19, rel=0.02)
    assert np.array_equal(once[0], again[0])
    assert np.array_equal(once[1], again[1])


def test_meshes_without_area_and_small_ones_stay_as_they_are() -> None:
    flat = np.zeros((300, 3))
    faces = np.arange(300, dtype=np.int32).reshape(-1, 3)
    assert len(decimated(flat, faces, 0.1)[1]) == 100
    corner = np.eye(3)
    assert len(decimated(corner, np.array([[0, 1, 2]], np.int32), 0.1)[1]) == 1
