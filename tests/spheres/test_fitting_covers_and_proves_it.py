"""The way in: a fit of a simple body covers it, proves it, and states true figures."""

import numpy as np
import pytest
import trimesh

from editor_app.features.spheres.engine.certificate import certify
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings, FittingError
from tests.helpers.fits import deviation, excess_of, measure


def box(x=0.3, y=0.2, z=0.1):
    mesh = trimesh.creation.box((x, y, z))
    return np.asarray(mesh.vertices), np.asarray(mesh.faces)


def test_a_box_is_covered_and_the_proof_says_so():
    vertices, faces = box()
    result = fit_spheres(vertices, faces, FitSettings(number=8, effort="fast"))
    assert result.spheres.shape == (8, 4)
    assert result.certificate is not None
    assert result.certificate.certified
    assert result.certificate.triangles == 12
    assert result.quality is not None
    assert result.quality.surface_coverage == 1.0
    assert result.quality.solid_volume == pytest.approx(0.3 * 0.2 * 0.1, rel=0.03)
    points = trimesh.sample.sample_surface(trimesh.Trimesh(vertices, faces), 50_000, seed=1)[0]
    gap = (
        np.linalg.norm(points[:, None] - result.spheres[None, :, :3], axis=2) - result.spheres[:, 3]
    )
    assert gap.min(1).max() <= 0


def test_a_hole_in_the_cover_is_found_with_its_place_and_depth():
    vertices, faces = box(1, 1, 1)
    around = np.array([[0, 0, 0, 0.8]])
    certificate = certify(vertices, faces, around)
    assert not certificate.certified
    assert certificate.open_triangles == 12
    assert certificate.open_spot is not None
    assert np.abs(certificate.open_spot) == pytest.approx([0.5, 0.5, 0.5])
    assert certificate.open_depth == pytest.approx(np.sqrt(0.75) - 0.8)
    assert certify(vertices, faces, [[0, 0, 0, 0.867]]).certified


def test_figures_of_a_ball_inside_a_box_are_the_textbook_ones():
    vertices, faces = box(0.2, 0.2, 0.2)
    quality = measure(vertices, faces, [[0, 0, 0, 0.1]])
    assert quality.count == 1
    assert quality.volume_coverage == pytest.approx(np.pi / 6, abs=0.02)
    assert quality.uncovered_max == pytest.approx(0.1 * (np.sqrt(3) - 1), rel=0.03)
    assert excess_of(quality) < 0.01
    assert quality.protrusion_max < 0.001
    assert quality.curobo is not None
    assert quality.curobo.volume_ratio == pytest.approx(np.pi / 6, rel=0.02)


def test_the_heat_map_is_positive_where_uncovered_and_negative_where_the_union_stands_out():
    vertices, _ = box(0.2, 0.2, 0.2)
    assert deviation(vertices, [[0, 0, 0, 0.1]]) == pytest.approx(
        np.full(8, 0.1 * (np.sqrt(3) - 1))
    )
    assert deviation(vertices, [[0, 0, 0, 0.2]]) == pytest.approx(
        np.full(8, 0.1 * np.sqrt(3) - 0.2)
    )


def test_contradicting_settings_are_refused_with_a_reason():
    with pytest.raises(FittingError, match="exactly one"):
        FitSettings(number=4, density=1.0)
    with pytest.raises(FittingError, match="exactly one"):
        FitSettings()
    with pytest.raises(FittingError, match="below the smallest"):
        FitSettings(number=4, min_radius=0.1, max_radius=0.05)
