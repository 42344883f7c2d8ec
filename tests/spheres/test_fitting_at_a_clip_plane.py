"""A base clipped at its mount: spheres do not grow to reach the rim at the plane, and what that
costs is said once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import trimesh

from editor_app.features.spheres.engine.certificate import certify
from editor_app.features.spheres.engine.clipped import above_planes
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.results import Certificate, FitResult
from editor_app.features.spheres.engine.settings import FitSettings, Plane

FLOOR = Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@cache
def base() -> tuple[np.ndarray, np.ndarray]:
    """A broad foot with a column on it, standing on z = 0."""
    foot = trimesh.creation.box((0.24, 0.18, 0.06))
    foot.apply_translation((-0.03, 0, 0.03))
    column = trimesh.creation.cylinder(0.06, 0.14)
    column.apply_translation((0, 0, 0.07))
    both = trimesh.util.concatenate([foot, column])
    return np.asarray(both.vertices, float), np.asarray(both.faces)


@cache
def fitted(clipped: bool, mode: str = "cover") -> FitResult:
    planes = (FLOOR,) if clipped else ()
    return fit_spheres(
        *base(),
        FitSettings(number=20, mode=mode, effort="fast", clip_planes=planes),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("mode", ["cover", "balanced"])
def test_spheres_stay_above_the_plane_and_stand_out_no_more_than_without_it(mode: str) -> None:
    free, clipped = fitted(False, mode), fitted(True, mode)
    assert len(clipped.spheres) == 20
    assert (clipped.spheres[:, 2] - clipped.spheres[:, 3]).min() > -1e-9
    assert free.quality is not None
    assert clipped.quality is not None
    assert clipped.quality.protrusion_max < 1.5 * free.quality.protrusion_max


def test_what_is_given_up_is_told_once_and_what_is_above_is_proven() -> None:
    result = fitted(True)
    proof = result.certificate
    assert proof is not None
    assert proof.holds
    assert not proof.certified
    assert 0 < proof.band_m < 0.1
    # The face in the plane is a part of it, which nobody covers.
    mesh = trimesh.Trimesh(*base())
    points = trimesh.sample.sample_surface(mesh, 20_000, seed=2)[0]
    gaps = (
        np.linalg.norm(points[:, None] - result.spheres[None, :, :3], axis=2) - result.spheres[:, 3]
    )
    outside = trimesh.Trimesh(*base()).split()
    hidden = np.any([body.contains(points) for body in outside], axis=0)
    assert proof.given_up == pytest.approx((gaps.min(axis=1)[~hidden] > 0).mean(), abs=0.05)
    told = [note for note in result.notes if "is uncovered" in note]
    assert told == [proof.text]
    assert "clip plane" in proof.text
    assert "open" not in " ".join(result.notes)
    # Independent of the proof: no sample of the surface above the band is open.
    mesh = trimesh.Trimesh(*base())
    points = trimesh.sample.sample_surface(mesh, 20_000, seed=1)[0]
    points = points[points[:, 2] > proof.band_m]
    gaps = (
        np.linalg.norm(points[:, None] - result.spheres[None, :, :3], axis=2) - result.spheres[:, 3]
    )
    assert gaps.min(axis=1).max() < 1e-6


def test_few_spheres_move_up_where_the_plane_keeps_them_from_growing() -> None:
    result = fit_spheres(*base(), FitSettings(number=6, effort="fast", clip_planes=(FLOOR,)))
    assert result.certificate is not None
    assert result.certificate.holds
    assert (result.spheres[:, 2] - result.spheres[:, 3]).min() > -1e-9


def test_the_share_is_told_in_balanced_mode_too() -> None:
    assert sum("is uncovered" in note for note in fitted(True, "balanced").notes) == 1


def test_a_plane_that_costs_nothing_leaves_the_proof_whole() -> None:
    below = Plane((0.0, 0.0, -0.5), (0.0, 0.0, 1.0))
    result = fit_spheres(*base(), FitSettings(number=12, effort="fast", clip_planes=(below,)))
    assert result.certificate is not None
    assert result.certificate.certified
    assert "plane" not in " ".join(result.notes)


def test_what_is_open_far_above_the_plane_is_no_loss_to_the_plane() -> None:
    from editor_app.features.spheres.engine.fit import certify_solid
    from editor_app.features.spheres.engine.solid import build_solid

    solid = build_solid(*base())
    spheres = fitted(True).spheres
    highest = spheres[:, 2] < spheres[:, 2].max() - 0.03
    proof = certify_solid(solid, spheres[highest], (FLOOR,))
    assert not proof.holds
    assert proof.text.startswith("Not certified")


def test_triangles_are_cut_exactly_at_the_height() -> None:
    rng = np.random.default_rng(2)
    triangles = rng.normal(size=(200, 3, 3))
    planes = np.array([[0.0, 0.0, 1.0, 0.1], [1.0, 0.0, 0.0, -0.3]])
    cut, parent = above_planes(triangles, planes, 0.05)
    assert (cut[:, :, 2] >= 0.15 - 1e-9).all()
    assert (cut[:, :, 0] >= -0.25 - 1e-9).all()

    def area(t: np.ndarray) -> np.ndarray:
        return 0.5 * np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)

    weights = rng.dirichlet((1, 1, 1), 4000)
    for k in range(20):
        points = weights @ triangles[k]
        share = ((points[:, 2] > 0.15) & (points[:, 0] > -0.25)).mean()
        assert area(cut[parent == k]).sum() == pytest.approx(
            share * area(triangles[k : k + 1])[0], abs=0.15
        )


def test_a_certificate_of_a_whole_surface_holds_as_it_is() -> None:
    vertices, faces = base()
    assert certify(vertices, faces, [[0, 0, 0.05, 1.0]]).holds
    assert not Certificate(False, 3, 0, 1, (0.0, 0.0, 0.0), 0.1).holds


def robot_bases() -> list[tuple[str, Path]]:
    from importlib.util import find_spec

    bases = [("base_link", Path(__file__).parents[2] / "resources/sample/heron.urdf")]
    spec = find_spec("cmeel")
    if spec is not None and spec.origin:
        robots = Path(spec.origin).parents[1] / "cmeel.prefix/share/example-robot-data/robots"
        bases.append(("panda_link0", robots / "panda_description/urdf/panda.urdf"))
    return [(link, path) for link, path in bases if path.exists()]


@pytest.mark.parametrize(
    ("link", "path"), robot_bases(), ids=lambda value: getattr(value, "stem", value)
)
def test_bases_of_robots(link: str, path: Path) -> None:
    from editor_app.core.verbs.open import open_robot
    from editor_app.features.spheres.verbs.fit import fit
    from editor_app.features.spheres.verbs.fit_choices import FitChoices

    document = open_robot(path)
    most = {}
    for mount in (False, True):
        fits = fit(
            document, links=[link], number=20, choices=FitChoices(mount=mount, effort="fast")
        )
        (each,) = fits.links
        assert each.result.quality is not None
        most[mount] = each.result.quality.protrusion_max
        if mount:
            assert 0 < each.lost < 0.4
            assert each.result.certificate is not None
            assert each.result.certificate.holds
    assert most[True] < 1.5 * most[False]


def test_where_other_links_come_close_no_sphere_stands_out_more() -> None:
    """The band at the plane and the cap come from the shape, not from what is searched with the
    crowd's weights."""
    crowd = tuple(
        (0.06 * x, 0.06 * y, z, 1.0) for x, y in ((1, 0), (0, 1), (0.7, 0.7)) for z in (0.1, 0.13)
    )
    settings = FitSettings(
        number=24, mode="cover", effort="fast", clip_planes=(FLOOR,), crowd=crowd
    )
    crowded = fit_spheres(*base(), settings)
    assert crowded.quality is not None
    assert fitted(True).quality is not None
    assert crowded.quality.protrusion_max < 1.1 * fitted(True).quality.protrusion_max  # type: ignore[union-attr]
