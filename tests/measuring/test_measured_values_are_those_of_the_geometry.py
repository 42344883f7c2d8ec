"""Distances, gaps and angles that the view measures, held against values worked out by hand and by
other formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editor_app.core.space.geometry.distance import SurfacePoint, angle_at, distance


def test_a_distance_has_parts_and_no_gap_without_spheres() -> None:
    measured = distance(
        SurfacePoint(np.array([1.0, 2.0, 3.0])), SurfacePoint(np.array([3.0, 5.0, -3.0]))
    )
    assert measured.length == pytest.approx(7.0)
    assert measured.along == pytest.approx((2.0, 3.0, -6.0))
    assert measured.gap is None
    assert measured.faces is None


def test_the_gap_of_two_spheres_is_negative_when_they_overlap() -> None:
    one = SurfacePoint(np.zeros(3), radius=0.3)
    assert distance(one, SurfacePoint(np.array([0.0, 0.0, 1.0]), radius=0.2)).gap == pytest.approx(
        0.5
    )
    assert distance(one, SurfacePoint(np.array([0.4, 0.0, 0.0]), radius=0.2)).gap == pytest.approx(
        -0.1
    )


@pytest.mark.parametrize("degrees", [0.0, 1e-4, 30.0, 90.0, 150.0, 180.0])
def test_faces_are_turned_against_each_other_by_at_most_a_right_angle(degrees: float) -> None:
    turned = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0])
    measured = distance(
        SurfacePoint(np.zeros(3), np.array([1.0, 0.0, 0.0])), SurfacePoint(np.ones(3), turned)
    )
    assert measured.faces is not None
    assert math.degrees(measured.faces) == pytest.approx(min(degrees, 180.0 - degrees), abs=1e-9)


def test_angles_are_those_of_the_law_of_cosines_whatever_the_place() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        corner, one, other = rng.uniform(-2, 2, (3, 3))
        a, b, c = (float(np.linalg.norm(x)) for x in (one - corner, other - corner, one - other))
        expected = math.acos((a * a + b * b - c * c) / (2 * a * b))
        assert angle_at(
            SurfacePoint(corner), SurfacePoint(one), SurfacePoint(other)
        ) == pytest.approx(expected, abs=1e-9)


def test_an_angle_without_an_arm_is_refused() -> None:
    with pytest.raises(ValueError, match="three different points"):
        angle_at(SurfacePoint(np.zeros(3)), SurfacePoint(np.zeros(3)), SurfacePoint(np.ones(3)))
