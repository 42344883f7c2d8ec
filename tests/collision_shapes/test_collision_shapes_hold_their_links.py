"""Collision shapes made from meshes: they hold the mesh, are as small as others make them, and are
judged truly."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from editor_app.core.model.origin import Origin
from editor_app.core.model.urdf import Box, Capsule, Cylinder
from editor_app.core.space.geometry.mesh import build_primitive, merge_parts, transform_part
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.features.spheres.engine.settings import FittingError, ShapeKind
from editor_app.features.spheres.engine.shape_quality import certify_shapes, measure_shapes
from editor_app.features.spheres.engine.shapes import (
    ConvexShape,
    enclosing,
    hull_shape,
    made_shapes,
)
from editor_app.features.spheres.engine.solid import build_solid
from editor_app.plugins.collision_shapes.verbs.collision_shapes import edges
from editor_app.plugins.collision_shapes.verbs.shape_choices import parts_available
from tests.helpers.breadth import examples
from tests.helpers.fits import excess_of

Floats = NDArray[np.float64]
SINGLE: tuple[ShapeKind, ...] = ("sphere", "capsule", "cylinder", "box", "hull")
#: A micrometre: what a mesh file, in single precision, may leave out.
TOLERANCE = 1e-6
TURNED = Origin((0.3, -0.2, 0.1), (0.4, -0.7, 1.1))

points: st.SearchStrategy[Floats] = st.lists(
    st.tuples(*(st.floats(-0.5, 0.5, width=32) for _ in range(3))),
    min_size=6,
    max_size=40,
    unique=True,
).map(np.array)


def body(*geometries: tuple[Box | Capsule | Cylinder, Origin]) -> tuple[Floats, NDArray[np.int32]]:
    return merge_parts(
        transform_part(part, build_origin_matrix(origin))
        for geometry, origin in geometries
        for part in build_primitive(geometry).parts
    )


def elbow() -> tuple[Floats, NDArray[np.int32]]:
    """Two boxes at a right angle, which no single convex solid is near to."""
    return body(
        (Box((0.4, 0.1, 0.1)), Origin((0.2, 0.0, 0.0))),
        (Box((0.1, 0.1, 0.4)), Origin((0.0, 0.0, 0.2))),
    )


@given(points, st.sampled_from(SINGLE), st.sampled_from([None, 12, 40]))
@settings(max_examples=examples(60), deadline=None)
def test_every_solid_holds_all_points(cloud: Floats, kind: ShapeKind, faces: int | None) -> None:
    hull = trimesh.Trimesh(cloud, np.arange(len(cloud) // 3 * 3).reshape(-1, 3), process=False)
    try:
        [shape] = made_shapes(kind, hull.vertices, hull.faces, most_faces=faces)
    except FittingError:
        return
    used = hull.vertices[np.unique(hull.faces)]
    assert shape.depths(np.asarray(used)).max() <= TOLERANCE
    if shape.geometry is None and faces is not None:
        assert len(shape.faces) <= faces
    # What is drawn and measured of it lies in it, too.
    assert shape.depths(shape.vertices).max() <= TOLERANCE


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=30).map(np.array)
)
@settings(max_examples=examples(60), deadline=None)
def test_the_enclosing_circle_is_the_smallest(cloud: Floats) -> None:
    centre, radius = enclosing(cloud)
    distances = np.linalg.norm(cloud - centre, axis=1)
    assert distances.max() <= radius + 1e-12
    # No direction leads away from all the points that it rests on.
    resting = cloud[distances >= radius - 1e-7 * (1 + radius)] - centre
    angles = np.linspace(0, 2 * math.pi, 64, endpoint=False)
    away = np.column_stack([np.cos(angles), np.sin(angles)]) @ resting.T
    assert away.max(axis=1).min() >= -1e-6


@pytest.mark.parametrize(
    ("kind", "geometry"),
    [
        ("box", Box((0.3, 0.2, 0.1))),
        ("cylinder", Cylinder(0.08, 0.3)),
        ("capsule", Capsule(0.07, 0.25)),
    ],
)
def test_a_solid_of_its_own_kind_is_recovered_where_it_lies(
    kind: ShapeKind, geometry: Box | Cylinder | Capsule
) -> None:
    vertices, faces = body((geometry, TURNED))
    [shape] = made_shapes(kind, vertices, faces)
    # The mesh of a round one has its corners on the surface.
    assert shape.volume == pytest.approx(
        ConvexShape(kind, geometry, TURNED, vertices, faces).volume, rel=0.01
    )
    assert np.allclose(shape.origin.xyz, TURNED.xyz, atol=1e-3)


def test_they_are_no_larger_than_those_of_trimesh() -> None:
    vertices, faces = elbow()
    mesh = trimesh.Trimesh(vertices, faces)
    volumes = {kind: made_shapes(kind, vertices, faces)[0].volume for kind in SINGLE}
    assert volumes["hull"] == pytest.approx(mesh.convex_hull.volume, rel=0.01)
    assert volumes["box"] <= 1.01 * mesh.bounding_box_oriented.volume
    assert volumes["cylinder"] <= 1.02 * mesh.bounding_cylinder.volume
    assert volumes["sphere"] <= 1.001 * mesh.bounding_sphere.volume
    assert volumes["capsule"] < volumes["sphere"]


def test_a_hull_keeps_to_its_triangles_and_stays_around() -> None:
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.1)
    exact, coarse = hull_shape(ball.vertices), hull_shape(ball.vertices, 60)
    assert len(coarse.faces) <= 60 < len(exact.faces) < len(ball.faces)
    assert ball.convex_hull.volume <= exact.volume <= 1.01 * ball.convex_hull.volume
    for shape in (exact, coarse):
        assert shape.depths(ball.vertices).max() <= TOLERANCE
        mesh = trimesh.Trimesh(shape.vertices, shape.faces)
        assert mesh.is_watertight
        assert mesh.volume == pytest.approx(shape.volume)


def test_figures_of_a_ball_around_a_cube_are_what_geometry_says() -> None:
    vertices, faces = body((Box((0.2, 0.2, 0.2)), TURNED))
    solid = build_solid(vertices, faces)
    [box], [ball] = made_shapes("box", vertices, faces), made_shapes("sphere", vertices, faces)
    tight, wide = measure_shapes(solid, [box]), measure_shapes(solid, [ball])
    assert tight.surface_coverage == wide.surface_coverage == 1.0
    assert tight.excess_ratio == pytest.approx(0.0, abs=0.03)
    radius = 0.1 * math.sqrt(3)
    assert wide.excess_ratio == pytest.approx(4 / 3 * math.pi * radius**3 / 0.2**3 - 1, rel=0.03)
    assert wide.protrusion_max == pytest.approx(radius - 0.1, abs=2e-3)
    assert certify_shapes(solid, [box]).certified
    # Half of the cube is not covered: nearest to its far corners is the edge of the half.
    half = ConvexShape("box", Box((0.1, 0.2, 0.2)), TURNED, *body((Box((0.1, 0.2, 0.2)), TURNED)))
    assert measure_shapes(solid, [half]).uncovered_max == pytest.approx(0.05, abs=2e-3)
    proof = certify_shapes(solid, [half])
    assert not proof.certified
    assert proof.open_depth == pytest.approx(0.05, abs=1e-3)


@pytest.mark.skipif(not parts_available(), reason="CoACD, the extra `parts`, is not installed")
def test_convex_parts_follow_a_bend_and_leave_nothing_open() -> None:
    vertices, faces = elbow()
    solid = build_solid(vertices, faces)
    parts, hull = made_shapes("parts", vertices, faces), made_shapes("hull", vertices, faces)
    assert len(parts) > 1
    assert certify_shapes(solid, parts).certified
    assert excess_of(measure_shapes(solid, parts)) < 0.3 * excess_of(measure_shapes(solid, hull))
    assert len(made_shapes("parts", vertices, faces, most_parts=1)) == 1


def test_a_sheet_gets_a_thin_solid_and_a_point_none() -> None:
    sheet = np.array([[0, 0, 0], [0.2, 0, 0], [0.2, 0.1, 0], [0, 0.1, 0]], float)
    triangles = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    for kind in SINGLE:
        [shape] = made_shapes(kind, sheet, triangles)
        assert shape.volume > 0
        assert shape.depths(sheet).max() <= TOLERANCE
    with pytest.raises(FittingError, match="no triangle"):
        made_shapes("box", np.zeros((3, 3)), np.array([[0, 1, 2]], np.int32))


def test_one_solid_within_another_is_not_exposed() -> None:
    vertices, faces = body((Box((0.2, 0.2, 0.2)), TURNED))
    solid = build_solid(vertices, faces)
    [ball] = made_shapes("sphere", vertices, faces)
    [box] = made_shapes("box", vertices, faces)
    alone, both = measure_shapes(solid, [ball]), measure_shapes(solid, [ball, box])
    assert both.count == 2
    assert both.protrusion_mean == pytest.approx(alone.protrusion_mean, rel=0.05)
    assert both.excess_volume == pytest.approx(alone.excess_volume, rel=0.02)


def test_the_edges_that_are_drawn_are_those_at_which_a_solid_bends() -> None:
    vertices, faces = body((Box((0.3, 0.2, 0.1)), TURNED))
    drawn = edges(made_shapes("box", vertices, faces)[0])
    lengths = sorted(np.round(np.linalg.norm(drawn[:, 1] - drawn[:, 0], axis=1), 4).tolist())
    assert lengths == [0.1] * 4 + [0.2] * 4 + [0.3] * 4
