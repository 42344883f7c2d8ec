"""No false "covered": what the certificate passes, dense sampling finds no hole in; growing always
ends in a proof."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from editor_app.features.spheres.engine.certificate import certify, grow_to_cover
from tests.helpers.breadth import examples

unit = st.floats(-1, 1, width=32)
triangles = arrays(np.float64, (3, 3, 3), elements=unit)
spheres = arrays(np.float64, (6, 4), elements=st.floats(0.0625, 1.25, width=32)).map(
    lambda s: np.column_stack([2 * s[:, :3] - 1.3, s[:, 3]])
)


def dense(triangle, count=40):
    a, b = np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 1, count))
    keep = a + b <= 1 + 1e-12
    a, b = a[keep][:, None], b[keep][:, None]
    return triangle[0] + a * (triangle[1] - triangle[0]) + b * (triangle[2] - triangle[0])


def gap(points, balls):
    return (np.linalg.norm(points[:, None] - balls[None, :, :3], axis=2) - balls[:, 3]).min(1)


@settings(max_examples=examples(80), deadline=None)
@given(triangles, spheres)
def test_certified_means_that_no_sample_is_open_and_open_spots_are_open(t, balls):
    vertices, faces = t.reshape(-1, 3), np.arange(9).reshape(3, 3)
    certificate = certify(vertices, faces, balls)
    deepest = max(gap(dense(one), balls).max() for one in t)
    if certificate.certified:
        assert deepest <= 1e-9
        assert certificate.open_triangles == 0
    else:
        spot = np.array([certificate.open_spot])
        assert gap(spot, balls)[0] >= -1e-4
        assert certificate.open_depth >= deepest - 0.01
        assert 1 <= certificate.open_triangles <= 3
    if deepest > 0:
        assert not certificate.certified


@settings(max_examples=examples(60), deadline=None)
@given(triangles, spheres)
def test_growing_never_shrinks_never_moves_and_ends_certified(t, balls):
    grown, stuck = grow_to_cover(t, balls, 0.05, np.full(len(balls), 100.0))
    assert stuck == 0
    assert (grown[:, 3] >= balls[:, 3]).all()
    assert (grown[:, :3] == balls[:, :3]).all()
    assert certify(t.reshape(-1, 3), np.arange(9).reshape(3, 3), grown).certified


def test_limits_on_growth_are_kept_and_reported():
    mesh = trimesh.creation.box((1, 1, 1))
    limit = np.array([0.6])
    grown, stuck = grow_to_cover(
        np.array(mesh.triangles), np.array([[0.0, 0, 0, 0.5]]), 0.05, limit
    )
    assert grown[0, 3] <= 0.6
    assert stuck > 0


def test_a_tiny_hole_between_two_covers_is_found():
    # Two balls overlap in a lens that reaches sqrt(r^2 - 0.25) from the axis; the triangle's tip is
    # 0.02 away.
    vertices = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 0.02, 0]])
    faces = np.array([[0, 1, 2]])
    enough = np.sqrt(0.25 + 0.02**2)

    def pair(radius):
        return np.array([[-0.5, 0, 0, radius], [0.5, 0, 0, radius]])

    assert certify(vertices, faces, pair(enough + 1e-5)).certified
    certificate = certify(vertices, faces, pair(enough - 1e-6))
    assert not certificate.certified
    assert certificate.open_spot == pytest.approx((0, 0.02, 0), abs=1e-3)
    assert certificate.open_depth < 1e-4


def test_no_spheres_cover_nothing():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    certificate = certify(vertices, np.array([[0, 1, 2]]), np.zeros((0, 4)))
    assert not certificate.certified
    assert certificate.open_triangles == 1
