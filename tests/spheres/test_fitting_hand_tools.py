"""The hand tools do what their names say, and nothing to spheres that were not selected."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from editor_app.features.spheres.engine import tools
from editor_app.features.spheres.engine.deviation_map import DeviationMap
from editor_app.features.spheres.engine.fit import certify_solid
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.engine.solid import build_solid
from editor_app.features.spheres.engine.superfluous import superfluous
from tests.helpers.fits import deviation

rows = st.integers(1, 6).flatmap(
    lambda n: arrays(np.float64, (n, 4), elements=st.floats(0.0625, 2, width=32)).map(
        lambda s: s * [1, -1, 1, 1]
    )
)


@pytest.fixture(scope="module")
def capsule():
    mesh = trimesh.creation.capsule(0.3, 0.05)
    return build_solid(np.asarray(mesh.vertices), np.asarray(mesh.faces))


def test_connecting_two_spheres_linearly_keeps_the_cone_between_them():
    between = tools.connect([0, 0, 0, 0.1], [1, 0, 0, 0.3], 3)
    assert between == pytest.approx(
        np.array([[0.25, 0, 0, 0.15], [0.5, 0, 0, 0.2], [0.75, 0, 0, 0.25]])
    )


def test_connecting_two_spheres_geometrically_keeps_the_ratio_and_the_overlap():
    ends = np.array([[0, 0, 0, 0.05], [1.5, 0, 0, 0.8]])
    between = tools.connect(ends[0], ends[1], 3, "geometric")
    chain = np.vstack([ends[:1], between, ends[1:]])
    assert chain[1:, 3] / chain[:-1, 3] == pytest.approx(np.full(4, 2.0))
    gaps = np.diff(chain[:, 0]) / (chain[1:, 3] + chain[:-1, 3])
    assert gaps == pytest.approx(np.full(4, gaps[0]))
    with pytest.raises(FittingError):
        tools.connect([0, 0, 0, 0], [1, 0, 0, 1], 2, "geometric")
    assert tools.connect(ends[0], ends[1], 0).shape == (0, 4)


def test_scaling_changes_radii_only():
    s = np.array([[1.0, 2, 3, 0.1], [0, 0, 0, 0.2]])
    assert tools.scale(s, 1.5, 0.01) == pytest.approx(np.array([[1, 2, 3, 0.16], [0, 0, 0, 0.31]]))
    assert tools.scale(s, offset=-1)[:, 3].min() > 0
    with pytest.raises(FittingError):
        tools.scale(s, 0)


@settings(deadline=None)
@given(rows, st.tuples(*[st.floats(-1, 1, width=32)] * 3).filter(lambda n: np.linalg.norm(n) > 0.1))
def test_mirroring_twice_gives_the_same_spheres(s, normal):
    plane = Plane((0.25, 0, 0.5), normal)
    assert tools.mirror(tools.mirror(s, plane), plane) == pytest.approx(s)
    assert (tools.mirror(s, plane)[:, 3] == s[:, 3]).all()


@settings(deadline=None)
@given(rows)
def test_the_merged_sphere_holds_all_and_is_not_much_larger_than_needed(s):
    one = tools.merge(s)
    assert (np.linalg.norm(s[:, :3] - one[:3], axis=1) + s[:, 3] <= one[3] * (1 + 1e-9)).all()
    farthest = max(
        (np.linalg.norm(a[:3] - b[:3]) + a[3] + b[3]) / 2 if a is not b else a[3]
        for a in s
        for b in s
    )
    # No ball around all can be smaller than half of the widest pair; Jung's bound is sqrt(3/2)
    # times that.
    assert one[3] <= max(farthest * 1.23, s[:, 3].max()) * 1.01


def test_snapping_finds_the_axis_and_its_depth(capsule):
    off = [[0.02, 0.01, 0.05, 0.01], [-0.03, 0.0, -0.08, 0.08]]
    snapped = tools.snap_to_medial_axis(capsule, off)
    assert np.abs(snapped[:, :2]).max() < 0.004
    assert snapped[:, 3] == pytest.approx([0.05, 0.05], abs=0.003)
    assert snapped[:, 2] == pytest.approx([0.05, -0.08], abs=0.02)


def test_growing_touches_the_surface_and_leaves_the_rest_alone(capsule):
    s = np.array([[0.02, 0, 0, 0.01], [0, 0, 0.1, 0.02], [0, 0, 0, 0.09]])
    grown = tools.grow_to_touch(capsule, s, [0, 2])
    assert grown[0, 3] == pytest.approx(0.03, abs=0.0015)
    assert (grown[1] == s[1]).all()
    assert grown[2, 3] == 0.09


def test_shrinking_keeps_what_only_this_sphere_covers(capsule):
    s = np.array([[0, 0, z, 0.12] for z in (-0.15, -0.05, 0.05, 0.15)])
    assert certify_solid(capsule, s).certified
    shrunk = tools.shrink_to_fit(capsule, s)
    assert shrunk[:, 3].sum() < 0.85 * s[:, 3].sum()
    assert (shrunk[:, :3] == s[:, :3]).all()
    gap = deviation(
        capsule.check_samples @ capsule.turn * capsule.diagonal + capsule.centre, shrunk
    )
    assert gap.max() < 0.002
    inside = tools.shrink_to_fit(capsule, s, keep_cover=False)
    assert inside[:, 3].max() <= 0.0501


def test_a_split_sphere_becomes_two_along_the_link(capsule):
    two = tools.split([0, 0, 0, 0.1], capsule)
    assert two.shape == (2, 4)
    assert two[:, :3].mean(0) == pytest.approx(np.zeros(3))
    assert np.abs(two[1, :3] - two[0, :3]).argmax() == 2
    assert (two[:, 3] < 0.1).all()
    assert tools.split([1, 2, 3, 0.1]).shape == (2, 4)


def test_filling_a_cylinder_covers_it_with_the_least_radius():
    s = tools.fill_axis([0, 0, 0], [0, 0, 1], 0.1, 5)
    mesh = trimesh.creation.cylinder(0.1, 1.0).apply_translation((0, 0, 0.5))
    assert deviation(mesh.vertices, s).max() <= 1e-9
    assert s[:, 3] == pytest.approx(np.full(5, np.hypot(0.1, 0.1)))
    inside = tools.fill_axis([0, 0, 0], [0, 0, 1], 0.1, 5, cover=False)
    assert inside[:, 3] == pytest.approx(np.full(5, 0.1))
    assert inside[[0, -1], 2] == pytest.approx([0.1, 0.9])
    box = tools.fill_axis([0, 0, 0], [1, 0, 0], 0.1, 4, half_width=0.2)
    corners = trimesh.creation.box((1, 0.4, 0.2)).apply_translation((0.5, 0, 0)).vertices
    assert deviation(corners, box).max() <= 1e-9


def test_superfluous_spheres_go_and_no_surface_is_uncovered(capsule):
    needed = tools.fill_axis([0, 0, -0.2], [0, 0, 0.2], 0.05, 6)
    extra = np.array([[0, 0, 0.02, 0.03], [0.01, 0, -0.1, 0.02]])
    spheres = np.vstack([needed, extra])
    left = np.delete(spheres, superfluous(capsule, spheres), axis=0)
    assert len(left) <= len(needed)
    assert certify_solid(capsule, left).certified == certify_solid(capsule, needed).certified
    assert not any((row == e).all() for row in left for e in extra)
    assert not len(superfluous(capsule, np.array([[0, 0, 0, 0.1]])))


def test_improving_moves_only_the_selected_and_makes_them_better(capsule):
    good = tools.fill_axis([0, 0, -0.2], [0, 0, 0.2], 0.05, 6)
    bad = good.copy()
    bad[2] += [0.03, 0.02, 0.01, 0.03]
    better = tools.improve(capsule, bad, [2])
    assert (np.delete(better, 2, 0) == np.delete(bad, 2, 0)).all()
    assert np.hypot(*better[2, :2]) < 0.012
    assert better[2, 3] < bad[2, 3]
    sure = tools.improve(capsule, bad, [2], FitSettings(number=1, mode="cover"))
    assert certify_solid(capsule, sure).certified == certify_solid(capsule, bad).certified
    with pytest.raises(FittingError):
        tools.improve(capsule, bad, [17])


@settings(deadline=None)
@given(rows, st.integers(0, 5), st.floats(-0.5, 0.5, width=32))
def test_the_heat_map_that_follows_a_drag_equals_a_fresh_one(s, index, move):
    points = np.random.default_rng(1).uniform(-2, 2, (200, 3))
    heat = DeviationMap(points, s)
    moved = s.copy()
    moved[index % len(s), 0] += move
    assert heat.update(moved) == pytest.approx(deviation(points, moved), abs=1e-9)
    assert heat.update(s) == pytest.approx(deviation(points, s), abs=1e-9)
    fewer = heat.update(s[1:])
    assert fewer.shape == (200,)


def test_mirroring_adds_no_sphere_twice():
    from editor_app.features.spheres.verbs.sphere_tools import FrameSpheres, apply_tool

    on_the_plane, left, right, alone = (
        [0, 0, 0.1, 0.05],
        [0, 0.2, 0, 0.1],
        [0, -0.2, 0, 0.1],
        [0, 0.3, 0, 0.1],
    )
    frame = FrameSpheres("link", np.array([on_the_plane, left, right, alone], float), (0, 1, 3))
    result = apply_tool("mirror", frame, {"point": (0.0, 0.0, 0.0), "normal": (0.0, 1.0, 0.0)})
    assert result.rows[:4] == pytest.approx(frame.spheres)
    assert result.rows[4:] == pytest.approx(np.array([[0, -0.3, 0, 0.1]]))
    assert result.selected == (4,)


@pytest.mark.parametrize("normal", [(0, 0, 0), (0.0, -0.0, 0.0), (np.nan, 0, 1), (np.inf, 0, 0)])
def test_a_plane_without_a_normal_is_refused(normal):
    with pytest.raises(FittingError, match="a normal with a length"):
        Plane((0, 0, 0), normal)


def test_a_short_normal_mirrors_as_a_long_one():
    s = np.array([[0.3, 0.1, -0.2, 0.05]])
    assert tools.mirror(s, Plane((0, 0, 0), (1e-9, 0, 0))) == pytest.approx(
        np.array([[-0.3, 0.1, -0.2, 0.05]])
    )


@pytest.mark.parametrize("radius", [-0.1, np.nan, np.inf])
def test_spheres_that_cannot_be_are_not_combined(radius):
    s = np.array([[0, 0, 0, 0.2], [1, 0, 0, radius], [0, 1, 0, 0.1]])
    for combine in (
        lambda: tools.merge(s),
        lambda: tools.merge(s[:2]),
        lambda: tools.connect(s[0], s[1], 2),
        lambda: tools.split(s[1]),
    ):
        with pytest.raises(FittingError, match=r"The sphere at \(1, 0, 0\) has the radius"):
            combine()
    with pytest.raises(FittingError):
        tools.scale(s[:1], offset=np.inf)
