"""Primitives are closed and right side out; link geometry has origin, scale and colours; what is
missing is told."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.origin import Origin
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Link,
    Material,
    Mesh,
    Urdf,
    Visual,
)
from editor_app.core.space.geometry import link_geometry as module
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry, merge_parts
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mesh import MeshData, build_primitive
from editor_app.core.space.kinematics.transforms import apply, build_origin_matrix
from editor_app.core.text.source import SourceText
from tests.helpers.geometry_of_robots import robot_geometry
from tests.helpers.robots import example_urdfs, sample_urdf, shared_robots


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "cache"))


def as_trimesh(mesh: MeshData) -> trimesh.Trimesh:
    vertices, faces = merge_parts(mesh.parts)
    return trimesh.Trimesh(vertices, faces, process=False)


size = st.floats(0.001, 10)


@given(
    st.one_of(
        st.builds(lambda a, b, c: Box((a, b, c)), size, size, size),
        st.builds(Cylinder, size, size),
        st.builds(Capsule, size, size | st.just(0.0)),
        st.builds(Ball, size),
    )
)
def test_primitives_are_closed_right_side_out_and_of_their_size(
    shape: Box | Cylinder | Capsule | Ball,
) -> None:
    mesh = as_trimesh(build_primitive(shape))
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    extents, exact = _facts(shape)
    assert np.allclose(mesh.bounds, [-extents / 2, extents / 2], rtol=2e-8), (
        "round shapes lie within, by 1e-8"
    )
    # Inscribed polygons: a little less than the exact volume, never more.
    assert 0.96 * exact < mesh.volume < 1.0000001 * exact


def _facts(shape: Box | Cylinder | Capsule | Ball) -> tuple[np.ndarray, float]:
    if isinstance(shape, Box):
        return np.array(shape.size), float(np.prod(shape.size))
    r = shape.radius
    ball = 4 / 3 * math.pi * r**3
    if isinstance(shape, Ball):
        return np.full(3, 2 * r), ball
    tube = math.pi * r * r * shape.length
    if isinstance(shape, Cylinder):
        return np.array([2 * r, 2 * r, shape.length]), tube
    return np.array([2 * r, 2 * r, shape.length + 2 * r]), tube + ball


def test_impossible_primitives_are_empty() -> None:
    shapes = (Box((1, 0, 1)), Ball(-1), Cylinder(1, 0), Cylinder(0, 1), Capsule(1, -1))
    assert all(build_primitive(shape).parts == () for shape in shapes)
    with pytest.raises(TypeError):
        build_primitive(Mesh("x"))


def robot(tmp_path: Path) -> tuple[Urdf, Path]:
    box = trimesh.creation.box((1, 1, 1))
    box.apply_translation((1, 2, 3))
    (tmp_path / "box.stl").write_bytes(box.export(file_type="stl"))
    origin = Origin((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    link = Link(
        "a",
        visuals=(
            Visual(Mesh("box.STL", (1, -2, 1)), origin, Material("blue")),
            Visual(Mesh("package://lost/x.stl")),
            Visual(Ball(0.5), material=Material("", (1, 0, 0, 1))),
        ),
        collisions=(Collision(Mesh("box.stl"), origin), Collision(Box((1, 1, 1)))),
    )
    blue = Material("blue", (0, 0, 1, 1))
    return Urdf("r", links=(link, Link("empty")), materials=(blue,)), tmp_path / "r.urdf"


def test_parts_are_in_the_frame_of_the_link(tmp_path: Path) -> None:
    urdf, path = robot(tmp_path)
    visual = link_geometry(urdf, path, "a", "visual")
    assert visual.elements == (0, 2)
    mesh, ball = visual.parts
    corners = np.array([[x, y, z] for x in (0.5, 1.5) for y in (-5, -3) for z in (2.5, 3.5)])
    expected = apply(build_origin_matrix(urdf.links[0].visuals[0].origin), corners)
    assert {tuple(v) for v in mesh.vertices.round(6)} == {tuple(v) for v in expected.round(6)}
    assert as_trimesh(MeshData((mesh,))).volume == pytest.approx(2.0)
    assert mesh.rgba == (0, 0, 1, 1)
    assert ball.rgba == (1, 0, 0, 1)
    collision = link_geometry(urdf, path, "a", "collision")
    assert collision.elements == (0, 1)
    assert all(part.rgba is None for part in collision.parts)
    assert link_geometry(urdf, path, "empty").parts == ()
    with pytest.raises(KeyError):
        link_geometry(urdf, path, "nowhere")


def test_a_missing_mesh_is_left_out_and_a_mapping_cures_it(tmp_path: Path) -> None:
    urdf, path = robot(tmp_path)
    visual = link_geometry(urdf, path, "a", "visual")
    assert visual.missing == ("package://lost/x.stl",)
    assert visual.findings == ()
    assert "package://lost/x.stl" in MeshStore(path).explain(*visual.missing)
    folder = tmp_path / "found"
    folder.mkdir()
    (folder / "x.stl").write_bytes((tmp_path / "box.stl").read_bytes())
    cured = link_geometry(urdf, path, "a", "visual", {"lost": folder})
    assert (cured.missing, cured.findings, cured.elements) == ((), (), (0, 1, 2))


def test_faults_inside_a_mesh_name_the_link(tmp_path: Path) -> None:
    urdf, path = robot(tmp_path)
    (tmp_path / "box.stl").write_bytes(b"")
    (finding,) = link_geometry(urdf, path, "a", "collision").findings
    assert (finding.code, finding.subject.links) == ("MESH003", ("a",))


def test_a_mesh_in_millimetres_without_a_scale_is_told(tmp_path: Path) -> None:
    urdf, path = robot(tmp_path)
    large = replace(
        urdf, links=(Link("a", collisions=(Collision(Mesh("box.stl", (1000, 1000, 1000))),)),)
    )
    (finding,) = link_geometry(large, path, "a", "collision").findings
    assert finding.code == "MESH008"


def test_a_file_is_loaded_once_for_all_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf, path = robot(tmp_path)
    loads: list[Path] = []

    def load(mesh: Path) -> MeshData:
        loads.append(mesh)
        return load_mesh(mesh)

    monkeypatch.setattr(module, "load_mesh", load)
    geometries = list(robot_geometry(urdf, path))
    assert [(g.link, g.kind) for g in geometries] == [("a", "visual"), ("a", "collision")]
    assert len(loads) == 1, "box.stl and box.STL are one file and are loaded once"


def assert_complete(path: Path) -> None:
    urdf = read_urdf(SourceText.read(path)).value
    geometries = list(robot_geometry(urdf, path))
    assert geometries, path
    assert [f for g in geometries for f in g.findings] == [], path
    assert all(g.parts for g in geometries), path


def test_the_sample_robot_has_all_its_geometry() -> None:
    assert_complete(sample_urdf())


def test_shared_robots_have_all_their_geometry() -> None:
    for path in sorted(shared_robots().rglob("*.urdf")):
        assert_complete(path)


@pytest.mark.parametrize(
    "name", ["ur5_robot.urdf", "panda.urdf", "pr2.urdf", "romeo_laas_small.urdf"]
)
def test_example_robots_find_their_meshes(name: str) -> None:
    path = next(p for p in example_urdfs() if p.name == name)
    urdf = read_urdf(SourceText.read(path)).value
    geometries = list(robot_geometry(urdf, path))
    assert not [f for g in geometries for f in g.findings]
    # Romeo names meshes of a machine in a laboratory.
    assert any(g.missing for g in geometries) == name.startswith("romeo")
    for geometry in geometries:
        vertices, faces = merge_parts(geometry.parts)
        assert np.isfinite(vertices).all()
        assert not len(faces) or int(faces.max()) < len(vertices)
        assert not len(vertices) or np.abs(vertices).max() < 3
