"""Links with the same or the mirrored mesh are found by geometry, and what only looks alike is
not."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
import trimesh

from editor_app.core.tasks.task import SILENT
from editor_app.features.spheres.engine.alike import ComparedMesh, find_placement
from editor_app.features.spheres.engine.certificate import certify
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.links import LinkMesh, group_links
from editor_app.features.spheres.engine.robot import fit_job
from editor_app.features.spheres.engine.settings import FitSettings, Plane
from editor_app.features.spheres.verbs.sphere_tools import matching_links
from tests.helpers.fits import jobs_of

RNG = np.random.default_rng(8)
FLIP_Y = np.diag([1.0, -1.0, 1.0])


def bracket() -> tuple[np.ndarray, np.ndarray]:
    """A part without any symmetry: three blocks and a bolt."""
    parts = []
    for size, at in (
        ((0.2, 0.06, 0.04), (0, 0, 0)),
        ((0.05, 0.1, 0.03), (0.08, 0.06, 0)),
        ((0.03, 0.04, 0.1), (-0.07, 0.01, 0.05)),
    ):
        box = trimesh.creation.box(size)
        box.apply_translation(at)
        parts.append(box)
    bolt = trimesh.creation.cylinder(0.012, 0.06, sections=24)
    bolt.apply_translation((0.02, -0.04, 0.02))
    mesh = trimesh.util.concatenate([*parts, bolt])
    return np.asarray(mesh.vertices, float) + [0.01, 0.03, 0.02], np.asarray(mesh.faces, np.int32)


VERTICES, FACES = bracket()


def exported_apart(vertices, faces, digits=6):
    """The same geometry from another exporter: triangles and vertices in another order, corners not
    shared, rounded."""
    soup = vertices[faces[RNG.permutation(len(faces))]]
    order = RNG.permutation(3 * len(soup))
    where = np.empty(len(order), np.int64)
    where[order] = np.arange(len(order))
    return np.round(soup.reshape(-1, 3)[order], digits), where.reshape(-1, 3).astype(np.int32)


def turn_of(axis, angle):
    return trimesh.transformations.rotation_matrix(angle, axis)[:3, :3]


@pytest.mark.parametrize("signs", list(itertools.product((1, -1), repeat=3)))
def test_every_mirror_image_is_found_whatever_the_order(signs):
    turn = np.diag(np.array(signs, float))
    placed = find_placement(
        ComparedMesh(VERTICES, FACES), ComparedMesh(*exported_apart(VERTICES @ turn, FACES))
    )
    assert placed is not None
    assert np.array_equal(placed.turn, turn)
    assert not placed.shift.any()
    assert placed.error <= 2e-6
    assert placed.mirrored == (np.prod(signs) < 0)


@pytest.mark.parametrize("mirror", [False, True])
def test_in_another_place_and_turned(mirror):
    turn = turn_of([1, 2, 3], 0.7) @ (FLIP_Y if mirror else np.eye(3))
    shift = np.array([0.3, -0.1, 0.2])
    placed = find_placement(
        ComparedMesh(VERTICES, FACES),
        ComparedMesh(*exported_apart(VERTICES @ turn.T + shift, FACES, digits=9)),
    )
    assert placed is not None
    assert np.allclose(placed.points(VERTICES), VERTICES @ turn.T + shift, atol=3e-6)


def test_flat_faces_may_be_cut_up_in_another_way():
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    other = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
    corners = np.array(list(itertools.product((-0.05, 0.05), (-0.1, 0.1), (-0.15, 0.15))))
    for first in (0, 1):
        quads = [q[first:] + q[:first] for q in other]
        faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
        assert (
            find_placement(ComparedMesh(box.vertices, box.faces), ComparedMesh(corners, faces))
            is not None
        )


def nearly(change):
    v = VERTICES @ FLIP_Y
    return change(v.copy(), FACES.copy())


def moved_vertex(v, f):
    v[0, 0] += 0.0005
    return v, f


def moved_bolt(v, f):
    v[-50:, 2] += 0.001
    return v, f


def without_a_face(v, f):
    return v, f[:-1]


def larger(v, f):
    return 1.001 * v, f


def thinner(v, f):
    return v * [1, 1, 0.999], f


@pytest.mark.parametrize("change", [moved_vertex, moved_bolt, without_a_face, larger, thinner])
def test_nearly_mirrored_is_another_mesh(change):
    assert find_placement(ComparedMesh(VERTICES, FACES), ComparedMesh(*nearly(change))) is None


def test_same_corners_but_another_surface_is_another_mesh():
    # The ridge of a saddle goes one way or the other: same corners, same area.
    corners = np.array([[0, 0, 0.02], [0.1, 0, 0], [0.1, 0.1, 0.02], [0, 0.1, 0]], float)
    one, two = np.array([[0, 1, 2], [0, 2, 3]]), np.array([[0, 1, 3], [1, 2, 3]])
    third = np.array([[0.3, 0.02, 0.07], [0.35, 0.03, 0.0], [0.32, 0.09, 0.01]])
    v = np.vstack([corners, third])
    a, b = (
        ComparedMesh(v, np.vstack([one, [[4, 5, 6]]])),
        ComparedMesh(v, np.vstack([two, [[4, 5, 6]]])),
    )
    assert a.area == pytest.approx(b.area)
    assert find_placement(a, a) is not None
    assert find_placement(a, b) is None


def test_nothing_is_like_an_empty_mesh():
    nothing = ComparedMesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    assert find_placement(nothing, nothing) is None
    assert find_placement(nothing, ComparedMesh(VERTICES, FACES)) is None


def left_and_right():
    right = exported_apart(VERTICES @ FLIP_Y, FACES)
    return LinkMesh("left", VERTICES, FACES), LinkMesh("right", *right)


def test_left_and_right_are_fitted_once_and_each_covers_its_own_mesh():
    left, right = left_and_right()
    vertices, faces = nearly(moved_bolt)
    other = LinkMesh("other", 1.5 * vertices, faces)
    groups = group_links([left, right, other])
    assert [links for links, _ in groups] == [("left", "right"), ("other",)]
    job = jobs_of([left, right], FitSettings(number=8, effort="fast", mode="cover"))[0]
    fits = {fit.link: fit.result for fit in fit_job(job)}
    assert np.allclose(
        fits["left"].spheres[:, :3] * [1, -1, 1], fits["right"].spheres[:, :3], atol=1e-9
    )
    for mesh in (left, right):
        assert certify(mesh.vertices, mesh.faces, fits[mesh.link].spheres).certified


def test_clip_planes_stay_where_they_are():
    left, right = left_and_right()
    plane = Plane((0.0, 0.04, 0.0), (0.0, 1.0, 0.0))
    job = jobs_of(
        [left, right], FitSettings(number=6, effort="fast", mode="balanced", clip_planes=(plane,))
    )[0]
    assert job.links == ("left", "right")
    for fit in fit_job(job):
        s = fit.result.spheres
        assert (s[:, 1] - s[:, 3] >= 0.04 - 1e-6).all(), fit.link


def test_copying_finds_the_links_and_how_to_turn_the_spheres():
    left, right = left_and_right()
    matches = matching_links(SILENT, left, (right, LinkMesh("other", *nearly(larger)), left))
    assert list(matches) == ["right"]
    spheres = fit_spheres(
        VERTICES, FACES, FitSettings(number=4, effort="fast", mode="balanced")
    ).spheres
    assert np.allclose(matches["right"].spheres(spheres), spheres * [1, -1, 1, 1])


def test_comparing_meshes_loads_nothing_compiled():
    code = (
        "import sys, numpy as np; from editor_app.features.spheres.engine.alike import "
        "ComparedMesh, find_placement\n"
        "v = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)\n"
        "q = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]\n"
        "a = [t for i, j, k, l in q for t in ((i, j, k), (i, k, l))]\n"
        "b = [t for i, j, k, l in q for t in ((i, j, l), (j, k, l))]\n"
        "assert find_placement(ComparedMesh(v, a), ComparedMesh(v, b)) is not None\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_connected_parts_are_those_of_scipy() -> None:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    from editor_app.features.spheres.engine.pieces import connected_parts

    random = np.random.default_rng(3)
    for count in (1, 2, 7, 50, 400):
        for number in (0, 1, count // 2, count, 3 * count):
            edges = random.integers(0, count, (number, 2))
            graph = coo_matrix((np.ones(number), (edges[:, 0], edges[:, 1])), shape=(count, count))
            assert (
                len(np.unique(connected_parts(count, edges)))
                == connected_components(graph, directed=False)[0]
            )
    chain = np.column_stack([np.arange(9999), np.arange(1, 10000)])
    assert (connected_parts(10000, random.permutation(chain)) == 0).all()
