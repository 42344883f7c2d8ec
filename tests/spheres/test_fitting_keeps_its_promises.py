"""What every fit keeps: same input same spheres, invariances, locked spheres, mirror, clip planes,
radii, inside."""

import pickle
from typing import Any

import numpy as np
import pytest
import trimesh

from editor_app.core.tasks.task import TaskReporter
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings, Plane
from editor_app.features.spheres.engine.solid import build_solid


def body():
    """A lopsided link: a tube with a block on one end."""
    tube = trimesh.creation.cylinder(0.04, 0.3, sections=24)
    block = trimesh.creation.box((0.12, 0.1, 0.08)).apply_translation((0.03, 0.01, 0.14))
    mesh = trimesh.util.concatenate([tube, block])
    return np.asarray(mesh.vertices, float), np.asarray(mesh.faces)


VERTICES, FACES = body()
QUICK: dict[str, Any] = {"number": 8, "effort": "fast"}


def fit(vertices=VERTICES, faces=FACES, **settings):
    return fit_spheres(vertices, faces, FitSettings(**{**QUICK, **settings}))


@pytest.fixture(scope="module")
def usual():
    return fit()


def test_the_same_seed_gives_the_same_spheres_with_and_without_the_prepared_solid(usual):
    assert (fit().spheres == usual.spheres).all()
    solid = build_solid(VERTICES, FACES)
    again = fit_spheres(VERTICES, FACES, FitSettings(**QUICK), solid=solid)
    assert (again.spheres == usual.spheres).all()
    thawed = pickle.loads(pickle.dumps(solid))
    assert (
        fit_spheres(VERTICES, FACES, FitSettings(**QUICK), solid=thawed).spheres == usual.spheres
    ).all()


def test_a_refit_leaves_no_trace_in_the_solid(usual):
    solid = build_solid(VERTICES, FACES)
    fit_spheres(VERTICES, FACES, FitSettings(number=5, seed=3), solid=solid)
    again = fit_spheres(VERTICES, FACES, FitSettings(**QUICK), solid=solid)
    assert (again.spheres == usual.spheres).all()


@pytest.mark.parametrize("scale", [1000.0, 0.1])
def test_units_do_not_matter(usual, scale):
    assert fit(VERTICES * scale).spheres / scale == pytest.approx(usual.spheres, abs=2e-4)


def test_a_shift_moves_the_spheres_along(usual):
    shifted = fit(VERTICES + [0.5, -2.0, 0.25]).spheres
    assert shifted - [0.5, -2.0, 0.25, 0] == pytest.approx(usual.spheres, abs=2e-4)


def test_a_quarter_turn_turns_the_spheres(usual):
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    turned = fit(VERTICES @ turn.T).quality
    assert turned.excess_ratio == pytest.approx(usual.quality.excess_ratio, rel=0.02)


def test_a_free_turn_gives_figures_alike(usual):
    turn = trimesh.transformations.rotation_matrix(0.7, (1, 2, 3))[:3, :3]
    turned = fit(VERTICES @ turn.T, effort="normal")
    straight = fit(effort="normal")
    assert turned.certificate.certified
    assert turned.quality.excess_ratio == pytest.approx(straight.quality.excess_ratio, rel=0.15)
    assert turned.quality.solid_volume == pytest.approx(straight.quality.solid_volume, rel=0.02)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_fit_of_the_mirror_image_is_the_mirror_image_of_the_fit(usual, axis):
    flip = np.ones(3)
    flip[axis] = -1
    mirrored = fit(VERTICES * flip, FACES[:, ::-1]).spheres
    expected = usual.spheres * [*flip, 1]
    gap = np.linalg.norm(mirrored[:, None] - expected[None], axis=2).min(1)
    assert gap.max() < 0.002


def test_seeds_differ_little_in_quality():
    values = [
        fit(number=12, effort="normal", mode="balanced", seed=s).quality.excess_ratio
        for s in range(4)
    ]
    assert np.std(values) / np.mean(values) < 0.05


def test_locked_spheres_stay_are_not_returned_and_spare_the_fit_their_work(usual):
    locked = ((0.03, 0.01, 0.14, 0.09),)
    result = fit(number=5, locked=locked)
    assert len(result.spheres) == 5
    assert result.certificate.certified
    block = VERTICES[24 * 2 + 2 :]
    assert (np.linalg.norm(block - locked[0][:3], axis=1) < 0.09).all()
    # The block is taken care of: no fitted sphere has its centre deep in there.
    assert (np.linalg.norm(result.spheres[:, :3] - locked[0][:3], axis=1) > 0.03).all()


def test_a_mirror_plane_makes_spheres_symmetric():
    mesh = trimesh.creation.box((0.3, 0.1, 0.1))
    for number in (6, 7):
        result = fit(
            np.asarray(mesh.vertices),
            np.asarray(mesh.faces),
            number=number,
            mirror=Plane((0, 0, 0), (1, 0, 0)),
        )
        assert len(result.spheres) == number
        image = result.spheres * [-1, 1, 1, 1]
        gap = np.linalg.norm(image[:, None] - result.spheres[None], axis=2).min(1)
        assert gap.max() < 1e-9
        assert result.certificate.certified


@pytest.mark.parametrize("mode", ["cover", "balanced", "inside"])
def test_no_sphere_reaches_behind_a_clip_plane_and_what_stays_open_is_said(mode):
    plane = Plane((0, 0, -0.15), (0, 0, 1))
    result = fit(mode=mode, clip_planes=(plane,), padding=0.001)
    assert (result.spheres[:, 2] - result.spheres[:, 3]).min() >= -0.15 - 1e-9
    if mode == "cover":
        assert not result.certificate.certified
        assert any("clip plane" in note for note in result.notes)


def test_radii_stay_between_the_limits_and_padding_comes_on_top():
    result = fit(mode="balanced", number=20, min_radius=0.03, max_radius=0.045, padding=0.002)
    assert result.spheres[:, 3].min() >= 0.03 - 1e-12
    assert result.spheres[:, 3].max() <= 0.045 + 1e-12
    bare, padded = fit(), fit(padding=0.005)
    assert padded.spheres[:, 3] == pytest.approx(bare.spheres[:, 3] + 0.005)
    assert padded.spheres[:, :3] == pytest.approx(bare.spheres[:, :3])


def test_inside_means_inside():
    result = fit(mode="inside", number=16)
    mesh = trimesh.Trimesh(VERTICES, FACES)
    surface = trimesh.sample.sample_surface(mesh, 40_000, seed=2)[0]
    bodies = list(mesh.split())
    for x, y, z, r in result.spheres:
        # Inside the union of the two bodies: surface points of one that lie in the other do not
        # count.
        near = surface[np.linalg.norm(surface - (x, y, z), axis=1) < r - 1e-5]
        if len(near):
            deep = [
                b.contains(near) & (np.abs(b.nearest.signed_distance(near)) > 1e-4) for b in bodies
            ]
            assert np.any(deep, axis=0).all()
    assert result.quality.protrusion_max < 0.0015
    assert result.quality.volume_coverage > 0.6


@pytest.mark.parametrize("number", [1, 2, 5, 40])
def test_no_more_spheres_are_given_than_asked_for_and_fewer_with_a_note(number):
    for mode in ("cover", "balanced"):
        result = fit(number=number, mode=mode)
        assert 0.85 * number < len(result.spheres) <= number
        assert any("add no coverage" in note for note in result.notes) == (
            len(result.spheres) < number
        )


def test_progress_runs_forward_and_cancelling_keeps_the_best_so_far():
    seen = []
    result = fit_spheres(
        VERTICES,
        FACES,
        FitSettings(number=8, effort="best"),
        reporter=TaskReporter(lambda share, _: seen.append(share), cancelled=lambda: len(seen) > 4),
    )
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert len(result.spheres) in (7, 8)
    assert any("Cancelled" in note for note in result.notes)


def test_figures_say_the_same_as_independent_sampling(usual):
    mesh = trimesh.Trimesh(VERTICES, FACES)
    union = trimesh.util.concatenate(mesh.split())
    points = np.random.default_rng(3).uniform(-0.35, 0.35, (400_000, 3))
    in_spheres = np.zeros(len(points), bool)
    for x, y, z, r in usual.spheres:
        in_spheres |= np.linalg.norm(points - (x, y, z), axis=1) < r
    tube = (np.hypot(points[:, 0], points[:, 1]) < 0.04) & (np.abs(points[:, 2]) < 0.15)
    block = (np.abs(points - [0.03, 0.01, 0.14]) < [0.06, 0.05, 0.04]).all(1)
    solid = tube | block
    assert union.bounds.shape == (2, 3)
    assert usual.quality.excess_ratio == pytest.approx(
        (in_spheres & ~solid).sum() / solid.sum(), rel=0.08
    )
    assert usual.quality.volume_coverage == pytest.approx(
        (in_spheres & solid).sum() / solid.sum(), abs=0.01
    )
    assert build_solid(VERTICES, FACES).volume == pytest.approx(0.7**3 * solid.mean(), rel=0.04)


@pytest.mark.parametrize("mode", ["cover", "balanced"])
def test_what_locked_spheres_leave_open_is_covered_as_well_as_if_they_were_not_there(usual, mode):
    """Open spots lie nearest to locked spheres, which cannot grow: the others have to come to
    them."""
    locked = usual.spheres * (1, 1, 1, 0.82)
    alone = fit(number=3, mode=mode)
    beside = fit(number=3, mode=mode, locked=tuple(map(tuple, locked.tolist())))
    assert beside.quality.surface_coverage > 0.985
    assert beside.quality.protrusion_max < 1.15 * alone.quality.protrusion_max
    assert beside.quality.protrusion_mean < 1.15 * alone.quality.protrusion_mean


def test_beside_locked_spheres_that_cover_everything_there_are_no_new_ones(usual):
    locked = tuple(map(tuple, (usual.spheres * (1, 1, 1, 1.3)).tolist()))
    for settings in (
        {"mode": "cover"},
        {"mode": "balanced"},
        {"mode": "balanced", "mirror": Plane((0, 0, 0), (0, 1, 0))},
    ):
        assert not len(fit(number=4, locked=locked, min_radius=0.002, **settings).spheres)
