"""Every sphere of a fit covers something alone, and a ball is one sphere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from editor_app import fit, open_robot
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings, Mode, Plane
from editor_app.features.spheres.verbs.fit import RobotFit
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from tests.helpers.breadth import of_each_kind

BALL = '<collision><origin xyz="{0}"/><geometry><sphere radius="{1}"/></geometry></collision>'
BLOCK = '<collision><geometry><box size="{0} {0} {0}"/></geometry></collision>'


def fitted(folder: Path, shapes: str, mode: Mode = "cover", **amount: float) -> RobotFit:
    """The fit of a link with these shapes, at the end of a joint."""
    path = folder / "r.urdf"
    path.write_text(
        f'<robot name="r"><link name="base"/><link name="part">{shapes}</link><joint name="j" '
        'type="revolute">'
        '<parent link="base"/><child link="part"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    return fit(open_robot(path), choices=FitChoices(mode=mode, effort="fast"), **amount)  # type: ignore[arg-type]


def rows(robot_fit: RobotFit) -> list[tuple[float, ...]]:
    return sorted((*sphere.center, sphere.radius) for sphere in robot_fit.spheres["part"])


@pytest.mark.parametrize("amount", [{}, {"number": 16}, {"tolerance": 0.0001}], ids=str)
@pytest.mark.parametrize("mode", of_each_kind(("cover", "balanced", "inside"), ("cover", "inside")))
def test_a_sphere_is_one_sphere_with_its_own_radius(
    tmp_path: Path, mode: Mode, amount: dict[str, float]
) -> None:
    result = fitted(tmp_path, BALL.format("0 0 0", 0.02), mode, **amount)
    assert rows(result) == [(0.0, 0.0, 0.0, 0.02)]
    assert not result.is_open


def test_each_of_several_spheres_is_one_with_its_own_radius(tmp_path: Path) -> None:
    two = BALL.format("0 0 0", 0.07) + BALL.format("0.1 0.05 -0.2", 0.03)
    assert rows(fitted(tmp_path, two)) == [(0.0, 0.0, 0.0, 0.07), (0.1, 0.05, -0.2, 0.03)]
    mixed = rows(fitted(tmp_path, BLOCK.format(0.1) + BALL.format("0 0 0.2", 0.03), number=8))
    assert (0.0, 0.0, 0.2, 0.03) in mixed
    assert len(mixed) == 8
    # Fewer spheres than balls: what covers all of them.
    ((x, _, _, radius),) = rows(fitted(tmp_path, two, number=1))
    assert x > 0.01
    assert radius > 0.15


def test_a_tiny_body_gets_as_many_spheres_as_make_a_difference(tmp_path: Path) -> None:
    assert rows(fitted(tmp_path, BLOCK.format(0.001))) == [(0.0, 0.0, 0.0, 0.000867)]
    assert len(rows(fitted(tmp_path, BLOCK.format(0.1)))) == 16


@pytest.mark.parametrize("mode", ["cover", "balanced", "inside"])
def test_a_mesh_that_is_a_ball_gets_one_sphere(mode: Mode) -> None:
    ball = trimesh.creation.icosphere(3, 0.02).apply_translation((0.1, 0, 0))
    (sphere,) = fit_spheres(ball.vertices, ball.faces, FitSettings(number=16, mode=mode)).spheres
    assert sphere[:3] == pytest.approx((0.1, 0, 0), abs=1e-6)
    assert sphere[3] == pytest.approx(0.02, rel=0.01)
    assert sphere[3] <= 0.02 * (1 + 1e-6)


def test_a_ball_that_a_plane_cuts_is_fitted_above_it() -> None:
    ball = trimesh.creation.icosphere(3, 0.02)
    plane = Plane((0, 0, -0.01), (0, 0, 1))
    for balls in ((), ((0.0, 0.0, 0.0, 0.02),)):
        settings = FitSettings(number=6, effort="fast", clip_planes=(plane,), balls=balls)
        spheres = fit_spheres(ball.vertices, ball.faces, settings).spheres
        assert len(spheres)
        assert (spheres[:, 2] - spheres[:, 3]).min() >= -0.01 - 1e-9


@pytest.mark.parametrize(
    "mode", of_each_kind(("cover", "balanced", "inside"), ("cover", "balanced"))
)
@pytest.mark.parametrize("number", [24, None])
def test_no_sphere_can_go_without_uncovering_something(mode: Mode, number: int | None) -> None:
    tube = trimesh.creation.cylinder(0.04, 0.3, sections=24)
    block = trimesh.creation.box((0.12, 0.1, 0.08)).apply_translation((0.03, 0.01, 0.14))
    mesh = trimesh.util.concatenate([tube, block])
    tolerance = 0.02 if number is None else None
    settings = FitSettings(number=number, tolerance_m=tolerance, mode=mode, effort="fast")
    spheres = fit_spheres(mesh.vertices, mesh.faces, settings).spheres
    surface = np.asarray(trimesh.sample.sample_surface(mesh, 60_000, seed=4)[0])
    volume = np.random.default_rng(4).uniform(-0.2, 0.2, (200_000, 3))
    in_tube = (np.hypot(volume[:, 0], volume[:, 1]) < 0.04) & (np.abs(volume[:, 2]) < 0.15)
    in_block = (np.abs(volume - [0.03, 0.01, 0.14]) < [0.06, 0.05, 0.04]).all(1)
    points = np.vstack([surface, mesh.vertices, volume[in_tube | in_block]])
    holds = np.array([np.linalg.norm(points - s[:3], axis=1) <= s[3] for s in spheres])
    alone = holds[:, holds.sum(0) == 1].sum(1)
    assert alone.min() > 0
