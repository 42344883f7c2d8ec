"""The bound of the protrusion: never below a point of the spheres, and close to the farthest
one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.arrays import F64
from editor_app.core.model.urdf import Box
from editor_app.core.space.geometry.mesh import build_primitive
from editor_app.features.spheres.engine.fit import measure
from editor_app.features.spheres.engine.protrusion import TOLERANCE_M, bound_protrusion
from editor_app.features.spheres.engine.solid import Solid, build_solid
from editor_app.plugins.robot_tests.verbs.judges import Bench

#: More than rounding of the sampled points.
_ROUNDING = 1e-6


def box_solid(size: tuple[float, float, float]) -> Solid:
    part = build_primitive(Box(size)).parts[0]
    return build_solid(part.vertices, part.faces)


def sampled_protrusion(size: F64, spheres: F64, count: int, seed: int = 0) -> float:
    """Return the largest distance of random exposed points of spheres from a box: by its formula,
    no mesh."""
    rng = np.random.default_rng(seed)
    most = 0.0
    for number, (*centre, radius) in enumerate(spheres):
        directions = rng.normal(size=(count, 3))
        points = np.array(centre) + radius * directions / np.linalg.norm(
            directions, axis=1, keepdims=True
        )
        others = np.delete(spheres, number, axis=0)
        gaps = np.linalg.norm(points[:, None] - others[:, :3], axis=2) - others[:, 3]
        points = points[(gaps >= 0.0).all(axis=1)]
        outside = np.linalg.norm(np.maximum(np.abs(points) - size / 2, 0.0), axis=1)
        most = max(most, float(outside.max(initial=0.0)))
    return most


def test_the_bound_of_a_ball_around_a_cube_is_what_geometry_says() -> None:
    solid = box_solid((0.1, 0.1, 0.1))
    bound = bound_protrusion(solid, np.array([[0.0, 0.0, 0.0, 0.09]]))
    # 0.09 m from the middle in the direction of an axis, 0.05 m of which are in the cube.
    assert 0.04 <= bound.most <= 0.04 + TOLERANCE_M
    assert bound.seen <= 0.04 + _ROUNDING


@pytest.mark.parametrize("seed", range(4))
def test_no_sampled_point_is_farther_than_the_bound_which_is_close(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.05, 0.4, 3)
    spheres = np.column_stack([rng.uniform(-0.5, 0.5, (6, 3)) * size, rng.uniform(0.02, 0.15, 6)])
    bound = bound_protrusion(box_solid(tuple(size)), spheres)
    sampled = sampled_protrusion(size, spheres, 20_000)
    assert sampled <= bound.most + _ROUNDING
    assert (
        bound.most - bound.seen <= max(TOLERANCE_M, 1e-4 * float(np.linalg.norm(size))) + _ROUNDING
    )
    assert bound.most - sampled < 1e-3


def test_what_another_sphere_hides_does_not_protrude() -> None:
    solid = box_solid((0.1, 0.1, 0.1))
    outer, hidden = [0.0, 0.0, 0.0, 0.09], [0.03, 0.0, 0.0, 0.05]
    assert bound_protrusion(solid, np.array([outer, hidden])) == pytest.approx(
        bound_protrusion(solid, np.array([outer])), abs=TOLERANCE_M
    )


def test_spheres_within_the_solid_do_not_protrude() -> None:
    bound = bound_protrusion(
        box_solid((0.1, 0.1, 0.1)), np.array([[0.0, 0.0, 0.0, 0.049], [0.01, 0.0, 0.0, 0.03]])
    )
    assert bound == (0.0, 0.0)


def test_no_sphere_protrudes_by_nothing() -> None:
    assert bound_protrusion(box_solid((0.1, 0.1, 0.1)), np.zeros((0, 4))) == (0.0, 0.0)
    assert measure(box_solid((0.1, 0.1, 0.1)), np.zeros((0, 4))).protrusion_bound is None


def test_figures_have_the_bound_above_the_measured_maximum() -> None:
    quality = measure(
        box_solid((0.1, 0.2, 0.1)), np.array([[0.0, 0.05, 0.0, 0.08], [0.0, -0.05, 0.0, 0.08]])
    )
    assert quality.protrusion_bound is not None
    assert (
        quality.protrusion_max
        <= quality.protrusion_bound
        == quality.protrusion_at_most
        < quality.protrusion_max + 1e-4
    )


def test_spheres_on_a_frame_that_the_xrdf_adds_are_left_out_of_the_figures(tmp_path: Path) -> None:
    shape = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="base">{shape}</link></robot>', encoding="utf-8"
    )
    (tmp_path / "r.xrdf").write_text(
        "format: xrdf\nformat_version: 1.0\nmodifiers:\n  - add_frame: {frame_name: tip, "
        "parent_frame_name: base, "
        "joint_name: tip_joint, joint_type: FIXED, fixed_transform: {position: [0, 0, 0.1], "
        "orientation: "
        "{w: 1, xyz: [0, 0, 0]}}}\ncspace: {joint_names: [], acceleration_limits: [], jerk_limits: "
        "[]}\n"
        "collision: {geometry: g}\ngeometry:\n  g:\n    spheres:\n"
        "      base: [{center: [0, 0, 0], radius: 0.09}]\n      tip: [{center: [0, 0, 0], radius: "
        "0.01}]\n",
        encoding="utf-8",
    )
    document = editor_app.open_robot(tmp_path / "r.urdf", tmp_path / "r.xrdf")
    bench = Bench(document, editor_app.scene.EMPTY_SCENE, tmp_path, lambda *_: None, lambda: False)
    assert set(bench.figures) == {"base"}
    assert bench.figures["base"].protrusion_at_most == pytest.approx(0.04, abs=1e-4)
