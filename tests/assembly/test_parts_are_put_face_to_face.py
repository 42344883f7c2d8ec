"""Faces of flanges are recognised on exact shapes and on meshes, and parts stand on them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.model.origin import Origin
from editor_app.core.space.geometry.flanges import Flange, flange_at
from editor_app.core.space.kinematics.transforms import (
    build_axis_rotation,
    build_origin_matrix,
    invert,
    transform,
)
from editor_app.plugins.assembly.verbs.mounting import mounted, turned

NOWHERE = Origin((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def at(
    mesh: trimesh.Trimesh, point: tuple[float, float, float], outwards: tuple[float, float, float]
) -> Flange:
    flange = flange_at(mesh.vertices, mesh.faces, point, outwards)
    assert flange is not None
    return flange


def test_faces_and_axes_of_exact_shapes() -> None:
    box = trimesh.creation.box((0.1, 0.06, 0.04))
    box.apply_translation((0.0, 0.001, 0.0))
    assert at(box, (0.05, 0.01, 0.01), (1, 0, 0)) == Flange(
        True, (0.05, 0.001, 0.0), (1.0, 0.0, 0.0)
    )
    rod = trimesh.creation.cylinder(0.03, 0.1, sections=32)
    end = at(rod, (0.01, 0.002, 0.05), (0, 0, 1))
    assert (end.is_plane, end.direction) == (True, (0.0, 0.0, 1.0))
    assert np.allclose(end.point, (0.0, 0.0, 0.05), atol=1e-7)
    assert end.radius == pytest.approx(0.03, abs=1e-6)
    side = at(rod, (0.03, 0.0, -0.02), (1, 0, 0))
    assert (side.is_plane, side.direction) == (False, (0.0, 0.0, -1.0)), (
        "the end of the axis that is nearer"
    )
    assert np.allclose(side.point, (0.0, 0.0, -0.05), atol=1e-7)
    ring = trimesh.creation.annulus(0.01, 0.03, 0.02, sections=24)
    bore = at(ring, (0.01, 0.0, 0.005), (-1, 0, 0))
    assert (bore.is_plane, bore.direction) == (False, (0.0, 0.0, 1.0))
    assert bore.radius == pytest.approx(0.01, abs=1e-4)
    assert at(ring, (0.02, 0.0, 0.01), (0, 0, 1)).radius == pytest.approx(0.03, abs=1e-4), (
        "its outer edge"
    )
    assert at(trimesh.creation.icosphere(4, 0.05), (0.05, 0.0, 0.0), (1, 0, 0)).is_plane, (
        "a ball has no axis"
    )
    assert flange_at(np.zeros((3, 3)), [[0, 1, 2]], (0, 0, 0), (0, 0, 1)) is None


def test_a_flange_of_a_rough_mesh_with_notch_and_holes() -> None:
    """As robots have them: thinned, rounded to a tenth of a millimetre, turned, the triangles
    apart, a side cut off."""
    plate = trimesh.creation.annulus(0.012, 0.04, 0.01, sections=48)
    vertices = plate.vertices.copy()
    vertices[:, 0] = np.minimum(vertices[:, 0], 0.035)
    vertices += np.random.default_rng(3).normal(scale=3e-5, size=vertices.shape)
    soup = trimesh.Trimesh(
        vertices[plate.faces].reshape(-1, 3),
        np.arange(3 * len(plate.faces)).reshape(-1, 3),
        process=False,
    )
    turn = build_axis_rotation((1.0, 2.0, 0.5), 0.7)
    soup.apply_transform(transform(turn, (0.2, -0.1, 0.3)))
    flange = at(
        soup, tuple(turn @ (0.0, 0.03, 0.005) + (0.2, -0.1, 0.3)), tuple(turn @ (0.0, 0.0, 1.0))
    )
    assert flange.is_plane
    assert np.degrees(np.arccos(np.dot(flange.direction, turn @ (0, 0, 1)))) < 0.3
    assert np.linalg.norm(np.subtract(flange.point, turn @ (0, 0, 0.005) + (0.2, -0.1, 0.3))) < 3e-4
    assert flange.radius == pytest.approx(0.04, abs=5e-4)


unit = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
places = st.tuples(*[st.floats(-0.5, 0.5)] * 3)


def face(point: tuple[float, ...], way: tuple[float, ...]) -> Flange:
    x, y, z = np.array(way) / np.linalg.norm(way)
    return Flange(True, (point[0], point[1], point[2]), (float(x), float(y), float(z)))


@given(
    places, unit, places, unit, unit, st.sampled_from([0.0, math.pi / 12, math.pi / 4, math.pi / 2])
)
def test_two_faces_look_at_each_other(
    on_link: tuple[float, ...],
    way: tuple[float, ...],
    on_part: tuple[float, ...],
    other_way: tuple[float, ...],
    rpy: tuple[float, float, float],
    step: float,
) -> None:
    base, part = face(on_link, way), face(on_part, other_way)
    placed = mounted(base, part, Origin((0.0, 0.0, 0.0), rpy), step)
    pose = build_origin_matrix(placed)
    assert np.allclose(pose[:3, :3] @ part.point + pose[:3, 3], base.point, atol=1e-8)
    assert np.allclose(pose[:3, :3] @ part.direction, np.negative(base.direction), atol=1e-8)
    again = mounted(base, part, placed, step)
    assert np.allclose(build_origin_matrix(again), pose, atol=1e-7), "what lies there stays"


def test_a_root_stands_on_a_face_and_is_turned_in_steps() -> None:
    top = Flange(True, (0.0, 0.02, 0.05), (0.0, 0.0, 1.0))
    assert mounted(top, None, Origin((1.0, 2.0, 3.0), (0.1, 0.2, 0.7)), math.pi / 4) == Origin(
        (0.0, 0.02, 0.05), (0.0, 0.0, math.pi / 4)
    )
    side = mounted(Flange(True, (0.1, 0.0, 0.0), (1.0, 0.0, 0.0)), None, NOWHERE)
    assert np.allclose(build_origin_matrix(side)[:3, 2], (1.0, 0.0, 0.0))
    for axis in range(3):
        once = turned(NOWHERE, axis, math.pi / 2)
        assert (
            turned(turned(turned(once, axis, math.pi / 2), axis, math.pi / 2), axis, math.pi / 2)
            == NOWHERE
        )
        assert np.allclose(invert(build_origin_matrix(once)) @ build_origin_matrix(once), np.eye(4))
