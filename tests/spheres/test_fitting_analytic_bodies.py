"""Bodies whose answer is known on paper: bounds that any honest fit has to keep."""

import numpy as np
import pytest
import trimesh

from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings, FittingError
from editor_app.features.spheres.engine.solid import build_solid
from tests.helpers.fits import proof_of, quality_of


def arrays(mesh) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(mesh.vertices, float), np.asarray(mesh.faces)


def fit(mesh, **settings):
    settings.setdefault("effort", "fast")
    return fit_spheres(*arrays(mesh), FitSettings(**settings))


def cup(radius=0.05, height=0.12, wall=0.008):
    """A hollow cup, closed at the bottom, as one revolved watertight body."""
    profile = [
        [0, 0],
        [radius, 0],
        [radius, height],
        [radius - wall, height],
        [radius - wall, wall],
        [0, wall],
    ]
    return trimesh.creation.revolve(profile, sections=48)


def open_tube(radius=0.05, length=0.3):
    """A sheet without thickness, open at both ends."""
    mesh = trimesh.creation.cylinder(radius, length, sections=48)
    caps = np.abs(mesh.face_normals[:, 2]) > 0.9
    mesh.update_faces(~caps)
    return mesh


def test_one_sphere_for_a_ball_is_the_ball():
    result = fit(trimesh.creation.icosphere(4, 0.1), number=1)
    assert result.spheres[0, :3] == pytest.approx(np.zeros(3), abs=0.002)
    assert result.spheres[0, 3] == pytest.approx(0.1, abs=0.004)
    assert proof_of(result).certified
    assert result.quality.excess_ratio < 0.09


def test_one_sphere_inside_a_ball_is_no_larger_than_it():
    result = fit(trimesh.creation.icosphere(4, 0.1), number=1, mode="inside")
    assert 0.095 < result.spheres[0, 3] <= 0.1


def test_two_spheres_are_enough_for_two_balls_apart():
    a = trimesh.creation.icosphere(3, 0.05)
    b = trimesh.creation.icosphere(3, 0.03).apply_translation((0.3, 0, 0))
    result = fit(trimesh.util.concatenate([a, b]), number=2)
    assert proof_of(result).certified
    assert sorted(result.spheres[:, 3]) == pytest.approx([0.03, 0.05], abs=0.004)
    assert result.quality.excess_ratio < 0.25


def test_spheres_of_a_capsule_lie_on_its_axis():
    mesh = trimesh.creation.capsule(0.3, 0.04)
    result = fit(mesh, number=6)
    assert proof_of(result).certified
    assert np.abs(result.spheres[:, :2]).max() < 0.006
    assert result.spheres[:, 3].max() < 0.055


def test_a_box_is_filled_by_eight_spheres_within_the_bound_of_its_octants():
    # One sphere around each octant covers; the fit must not be worse than this obvious answer.
    result = fit(trimesh.creation.box((0.2, 0.2, 0.2)), number=8, effort="normal")
    assert proof_of(result).certified
    obvious = 0.05 * np.sqrt(3)
    assert result.spheres[:, 3].max() <= obvious * 1.08
    # The farthest point of the obvious answer's union from the box: radius less half an octant.
    assert result.quality.protrusion_max <= (obvious - 0.05) * 1.15


@pytest.mark.parametrize("thickness", [0.006, 0.001])
def test_a_thin_plate_is_covered_although_it_has_no_voxel_inside(thickness):
    result = fit(trimesh.creation.box((0.4, 0.3, thickness)), number=12)
    assert len(result.spheres) == 12
    assert proof_of(result).certified
    # A lattice of 4 x 3 spheres covers with radius 0.0707: no sphere may stand out much more than
    # that.
    assert result.quality.protrusion_max < 0.0707 * 1.2
    assert result.quality.solid_volume == pytest.approx(0.4 * 0.3 * thickness, rel=0.35)


def test_the_hole_of_a_torus_stays_open():
    result = fit(trimesh.creation.torus(0.1, 0.02), number=16, mode="balanced")
    gap = np.linalg.norm(result.spheres[:, :3], axis=1) - result.spheres[:, 3]
    assert gap.min() > 0.05
    assert result.quality.solid_volume == pytest.approx(2 * np.pi**2 * 0.1 * 0.02**2, rel=0.03)


def test_a_watertight_cup_is_taken_at_its_word_until_a_closing_is_asked_for():
    mesh = cup()
    as_it_is = build_solid(*arrays(mesh))
    assert as_it_is.volume == pytest.approx(abs(mesh.volume), rel=0.05)
    filled = build_solid(*arrays(mesh), closing_m=0.05)
    assert filled.volume == pytest.approx(np.pi * 0.05**2 * 0.12, rel=0.1)
    result = fit_spheres(*arrays(mesh), FitSettings(number=12, effort="fast"), solid=filled)
    assert proof_of(result).certified


def test_an_open_shell_is_recognised_closed_and_reported():
    mesh = open_tube()
    solid = build_solid(*arrays(mesh))
    assert solid.closed_off
    assert any("open shell" in note for note in solid.notes)
    assert solid.volume == pytest.approx(np.pi * 0.05**2 * 0.3, rel=0.2)
    assert solid.closing_m == pytest.approx(0.05, rel=0.35)


def test_of_open_walls_it_is_said_that_they_alone_count_as_solid():
    vertices, faces = arrays(cup(wall=0.002))
    says = [
        any("only its walls" in note for note in build_solid(vertices, f).notes)
        for f in (faces[:-20], faces)
    ]
    assert says == [True, False]


def test_a_surface_without_an_inside_has_no_volume():
    corner = np.eye(4)[:, :3].astype(float)
    sheets = {
        "flat": (
            np.array([[0, 0, 0], [0.3, 0, 0], [0.3, 0.2, 0], [0, 0.2, 0]]),
            np.array([[0, 1, 2], [0, 2, 3]]),
        ),
        "bent": (corner, np.array([[3, 0, 1], [3, 1, 2], [3, 2, 0]])),
    }
    for name, (vertices, faces) in sheets.items():
        result = fit_spheres(vertices, faces, FitSettings(number=8, effort="fast"))
        quality = quality_of(result)
        assert proof_of(result).certified, name
        assert quality.solid_volume == 0.0
        assert [quality.excess_ratio, quality.excess_volume, quality.volume_coverage] == [None] * 3
        assert quality.curobo is not None
        assert [quality.curobo.coverage, quality.curobo.volume_ratio] == [None] * 2
        assert any("no volume" in note for note in result.notes)
    # Closed bodies that no voxel resolves have theirs.
    plates = [
        trimesh.creation.box((0.3, 0.2, 0.001)).apply_translation((0, 0, z)) for z in (0.0, 0.3)
    ]
    assert build_solid(*arrays(trimesh.util.concatenate(plates))).volume == pytest.approx(
        2 * 0.3 * 0.2 * 0.001
    )


def test_a_hollow_assembly_of_panels_counts_as_solid():
    panels = []
    for axis in range(3):
        for side in (-1, 1):
            size = np.full(3, 0.15)
            size[axis] = 0.004
            move = np.zeros(3)
            move[axis] = side * 0.1
            panels.append(trimesh.creation.box(size).apply_translation(move))
    solid = build_solid(*arrays(trimesh.util.concatenate(panels)))
    assert solid.closed_off
    assert solid.volume == pytest.approx(0.2**3, rel=0.2)


def test_degenerate_and_duplicate_triangles_change_nothing_but_the_notes():
    vertices, faces = arrays(trimesh.creation.box((0.2, 0.1, 0.1)))
    settings = FitSettings(number=4, effort="fast")
    clean = fit_spheres(vertices, faces, settings)
    dirty = fit_spheres(
        np.vstack([vertices, [[np.nan, 0, 0]]]),
        np.vstack([faces, [[0, 0, 1], [0, 1, 8], [0, 1, 99]], faces[:3]]),
        settings,
    )
    assert dirty.spheres == pytest.approx(clean.spheres)
    text = " ".join(dirty.notes)
    assert "1 triangle without area was skipped." in text
    assert "3 duplicate triangles were skipped." in text
    assert "not finite" in text
    assert "do not exist" in text


@pytest.mark.parametrize(
    ("vertices", "faces"),
    [(np.zeros((0, 3)), np.zeros((0, 3), int)), (np.zeros((3, 3)), np.array([[0, 1, 2]]))],
)
def test_a_mesh_without_surface_gives_no_spheres_and_says_why(vertices, faces):
    result = fit_spheres(vertices, faces, FitSettings(number=4))
    assert result.spheres.shape == (0, 4)
    assert result.quality is None
    assert result.notes
    with pytest.raises(FittingError):
        build_solid(vertices, faces)


def test_inverted_normals_do_not_matter():
    vertices, faces = arrays(trimesh.creation.capsule(0.2, 0.05))
    settings = FitSettings(number=4, effort="fast")
    a = fit_spheres(vertices, faces, settings)
    b = fit_spheres(vertices, faces[:, ::-1], settings)
    assert quality_of(b).excess_ratio == pytest.approx(quality_of(a).excess_ratio, rel=0.15)
    assert proof_of(b).certified


@pytest.mark.parametrize("mode", ["cover", "balanced"])
def test_a_tolerance_in_millimetres_is_kept_and_a_finer_one_needs_more_spheres(mode):
    mesh = trimesh.creation.capsule(0.3, 0.05)
    coarse, fine = (fit(mesh, tolerance_m=t, mode=mode) for t in (0.012, 0.004))
    assert coarse.quality.protrusion_max <= 0.012
    assert fine.quality.protrusion_max <= 0.004
    assert len(coarse.spheres) < len(fine.spheres)


def test_a_tolerance_out_of_reach_is_reported():
    mesh = trimesh.creation.box((0.3, 0.3, 0.3))
    result = fit_spheres(*arrays(mesh), FitSettings(tolerance_m=0.01, max_number=12, effort="fast"))
    assert len(result.spheres) <= 12
    assert any("tolerance" in note for note in result.notes)


def test_density_doubles_the_number():
    mesh = trimesh.creation.box((0.3, 0.2, 0.1))
    assert len(fit(mesh, density=2.0).spheres) == pytest.approx(
        2 * len(fit(mesh, density=1.0).spheres), rel=0.03
    )
