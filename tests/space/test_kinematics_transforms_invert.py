"""Rotations in their three spellings, and rigid inverses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from editor_app.core.model.origin import Origin
from editor_app.core.model.xrdf import FixedTransform
from editor_app.core.space.kinematics import transforms as t

angle = st.floats(-10, 10)
# Near pitch = ±90° roll and yaw melt into one: the place where naive formulas lose their digits.
pitch = angle | st.sampled_from(
    [math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, math.pi / 2 + 1e-12]
)
number = st.floats(-5, 5)


@given(angle, pitch, angle)
def test_rpy_matrix_is_scipys_and_comes_back(roll: float, p: float, yaw: float) -> None:
    matrix = t.rpy_matrix(roll, p, yaw)
    assert np.allclose(matrix, Rotation.from_euler("xyz", (roll, p, yaw)).as_matrix(), atol=1e-12)
    again = t.matrix_to_rpy(matrix)
    assert np.allclose(t.rpy_matrix(*again), matrix, atol=1e-12)
    assert abs(again[1]) <= math.pi / 2


@given(st.tuples(number, number, number, number).filter(lambda q: math.hypot(*q) > 1e-6))
def test_quaternions_come_back_up_to_sign(q: tuple[float, ...]) -> None:
    matrix = t.quaternion_matrix(q)
    assert np.allclose(matrix, Rotation.from_quat((*q[1:], q[0])).as_matrix(), atol=1e-12)
    unit = np.array(q) / math.hypot(*q)
    again = np.array(t.matrix_to_quaternion(matrix))
    assert min(np.abs(again - unit).max(), np.abs(again + unit).max()) < 1e-9
    assert again[0] >= 0


@given(angle, pitch, angle)
def test_quaternion_and_rpy_mean_the_same(roll: float, p: float, yaw: float) -> None:
    q = t.rpy_to_quaternion(roll, p, yaw)
    assert np.allclose(t.quaternion_matrix(q), t.rpy_matrix(roll, p, yaw), atol=1e-12)
    assert np.allclose(
        t.rpy_matrix(*t.quaternion_to_rpy(q)), t.rpy_matrix(roll, p, yaw), atol=1e-12
    )


@given(st.tuples(number, number, number), angle, pitch, angle)
def test_inverse_of_a_pose(
    xyz: tuple[float, float, float], roll: float, p: float, yaw: float
) -> None:
    matrix = t.build_origin_matrix(Origin(xyz, (roll, p, yaw)))
    assert np.allclose(t.invert(matrix) @ matrix, np.eye(4), atol=1e-12)
    assert np.allclose(t.invert(np.stack([matrix] * 2))[1], t.invert(matrix))
    assert np.allclose(t.build_origin_matrix(t.matrix_origin(matrix)), matrix, atol=1e-12)
    points = np.array([[1.0, 2.0, 3.0]])
    assert np.allclose(t.apply(t.invert(matrix), t.apply(matrix, points)), points, atol=1e-9)


def test_a_quaternion_of_an_origin_is_xyzw_and_wins_over_rpy() -> None:
    half = math.sqrt(0.5)
    origin = Origin((1, 2, 3), (9, 9, 9), (0, 0, half, half))
    assert np.allclose(
        t.build_origin_matrix(origin), t.build_origin_matrix(Origin((1, 2, 3), (0, 0, math.pi / 2)))
    )
    fixed = FixedTransform((1, 2, 3), (half, 0, 0, half))
    assert np.allclose(t.fixed_transform_matrix(fixed), t.build_origin_matrix(origin))


def test_axis_rotation_turns_about_the_axis() -> None:
    assert np.allclose(t.build_axis_rotation((0, 0, 3), 0.7), t.rpy_matrix(0, 0, 0.7))
    with pytest.raises(ValueError, match="axis"):
        t.build_axis_rotation((0, 0, 0), 1.0)
    with pytest.raises(ValueError, match="quaternion"):
        t.quaternion_matrix((0, 0, 0, 0))
