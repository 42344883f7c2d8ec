"""Every mesh format gives its triangles, colours and units; broken files give findings; the cache
changes nothing."""

from __future__ import annotations

import base64
import os
import struct
import time
from pathlib import Path

import numpy as np
import pytest
import trimesh

from editor_app.core.space.geometry import cache
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mesh import MeshData, merge_parts, weld_vertices
from tests.helpers.robots import example_robots

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "cache"))


def volume(mesh: MeshData) -> float:
    """Signed: positive when the normals point outside."""
    vertices, faces = merge_parts(mesh.parts)
    a, b, c = vertices[faces[:, 0]], vertices[faces[:, 1]], vertices[faces[:, 2]]
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def codes(mesh: MeshData) -> list[str]:
    return [f.code for f in mesh.findings]


BOX = trimesh.creation.box((1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "name", ["b.stl", "b.STL", "b_ascii.stl", "b.obj", "b.ply", "b.off", "b.glb", "b.gltf", "b.dae"]
)
def test_formats(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "b_ascii.stl":
        path.write_text(trimesh.exchange.stl.export_stl_ascii(BOX))
    elif name == "b.gltf":
        for file, data in BOX.scene().export(file_type="gltf").items():
            (tmp_path / file.replace("model", "b")).write_bytes(data)
    elif path.suffix == ".obj":
        path.write_text(_obj())
    else:
        data = BOX.export(file_type=path.suffix[1:].lower())
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    for _ in range(2):  # the second time from the cache
        mesh = load_mesh(path)
        assert codes(mesh) == []
        assert mesh.triangles == 12
        assert volume(mesh) == pytest.approx(6.0, rel=1e-6)
        assert mesh.bounds is not None
        assert np.allclose(mesh.bounds, [[-0.5, -1, -1.5], [0.5, 1, 1.5]])
        (part,) = mesh.parts
        assert part.vertices.dtype == np.float64
        assert part.faces.dtype == np.int32
    if path.suffix.lower() in (".stl", ".ply"):
        assert len(part.vertices) == 8


def _obj() -> str:
    # Quadrilaterals, negative indices, a comment and a continued line.
    corners = "".join(f"v {x} {y} {z}\n" for x in (-0.5, 0.5) for y in (-1, 1) for z in (-1.5, 1.5))
    return (
        f"# box\n{corners}f 1 2 4 \\\n3\nf 5 7 8 6\nf -8 -4 -3 -7\nf 3 4 8 7\nf 1/1/1 3//2 7 5\nf "
        "2 6 8 4\n"
    )


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 1, 0.5), (-1, 1, 1), (-1, -2, 1), (-1, -1, -1)])
def test_scales_and_mirrors_keep_normals_outside(
    scale: tuple[float, float, float], tmp_path: Path
) -> None:
    path = tmp_path / "b.stl"
    path.write_bytes(BOX.export(file_type="stl"))
    assert volume(load_mesh(path, scale)) == pytest.approx(6.0 * abs(np.prod(scale)), rel=1e-6)


def test_obj_has_a_part_per_material_and_its_texture(tmp_path: Path) -> None:
    (tmp_path / "b.mtl").write_text(
        "newmtl red\nKd 1 0 0\nd 0.5\nnewmtl wood\nKd 1 1 1\nmap_Kd -s 1 1 1 wood.png\n"
    )
    (tmp_path / "wood.png").write_bytes(PNG)
    path = tmp_path / "b.obj"
    path.write_text(
        "mtllib b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 0.5 0.5\n"
        "usemtl red\nf 1 2 3\nusemtl wood\nf 1/1 2/2 3/3\nf 1/4 3/3 2/2\n"
    )
    for _ in range(2):
        red, wood = load_mesh(path).parts
        assert (red.name, red.rgba, red.uv, red.texture) == ("red", (1, 0, 0, 0.5), None, None)
        assert (wood.name, wood.texture) == ("wood", tmp_path / "wood.png")
        assert wood.uv is not None
        # Vertex 1 has two texture coordinates.
        assert len(wood.vertices) == len(wood.uv) == 4
    # Another library beside the same file is another mesh, cached or not.
    (tmp_path / "b.mtl").write_text("newmtl red\nKd 0 1 0\n")
    assert load_mesh(path).parts[0].rgba == (0, 1, 0, 1)
    (tmp_path / "b.mtl").unlink()
    without = load_mesh(path)
    assert codes(without) == ["MESH007"]
    assert without.parts[0].rgba is None


def test_a_missing_texture_is_told_and_found_again(tmp_path: Path) -> None:
    (tmp_path / "b.mtl").write_text("newmtl wood\nmap_Kd wood.png\n")
    path = tmp_path / "b.obj"
    path.write_text("mtllib b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl wood\nf 1/1 2/1 3/1\n")
    assert codes(load_mesh(path)) == ["MESH007"]
    (tmp_path / "wood.png").write_bytes(PNG)
    assert codes(load_mesh(path)) == []


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>{unit}{axis}</asset>
 <library_effects>
  <effect id="e1"><profile_COMMON><technique sid="c"><phong>
   <diffuse><color>1 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect>
  <effect id="e2"><profile_COMMON><technique sid="c"><phong><diffuse><color>0 0 1 1</color></diffuse>
   <transparent opaque="A_ONE"><color>1 1 1 0.25</color></transparent></phong></technique></profile_COMMON></effect>
 </library_effects>
 <library_materials><material id="m1" name="Red"><instance_effect url="#e1"/></material>
  <material id="m2"><instance_effect url="#{second}"/></material></library_materials>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>
   <accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
   <param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="2" material="a"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3</p></triangles>
  <polylist count="2" material="b"><input semantic="VERTEX" source="#v" offset="0"/>
   <vcount>3 3</vcount><p>0 3 2 1 2 3</p></polylist>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s"><node id="n"><translate>10 0 0</translate>
  <node id="inner"><scale>2 2 2</scale><instance_geometry url="#g"><bind_material><technique_common>
   <instance_material symbol="a" target="#m1"/><instance_material symbol="b" target="#m2"/>
  </technique_common></bind_material></instance_geometry></node></node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""


def dae(tmp_path: Path, unit: str = "", axis: str = "", second: str = "e2") -> MeshData:
    path = tmp_path / "m.dae"
    path.write_text(DAE.format(unit=unit, axis=axis, second=second))
    return load_mesh(path)


def test_collada_has_a_part_per_material_under_its_nodes(tmp_path: Path) -> None:
    mesh = dae(tmp_path)
    red, blue = mesh.parts
    assert (red.rgba, red.name, len(red.faces)) == ((1, 0, 0, 1), "Red", 2)
    assert (blue.rgba, len(blue.faces)) == ((0, 0, 1, 0.25), 2)
    assert mesh.bounds is not None
    assert np.allclose(mesh.bounds, [[10, 0, 0], [12, 4, 6]])
    assert volume(mesh) == pytest.approx(8.0)


@pytest.mark.parametrize(
    "axis", ["", "<up_axis>X_UP</up_axis>", "<up_axis>Y_UP</up_axis>", "<up_axis>Z_UP</up_axis>"]
)
def test_collada_applies_the_unit_and_ignores_the_axis_as_rviz_does(
    axis: str, tmp_path: Path
) -> None:
    mesh = dae(tmp_path, '<unit name="centimeter" meter="0.01"/>', axis)
    assert mesh.bounds is not None
    assert np.allclose(mesh.bounds, [[0.10, 0, 0], [0.12, 0.04, 0.06]])
    plain = dae(tmp_path, '<unit name="meter"/>', axis)
    assert plain.bounds is not None
    assert np.allclose(plain.bounds[1], [12, 4, 6])


def test_a_broken_material_costs_its_colour_alone(tmp_path: Path) -> None:
    mesh = dae(tmp_path, second="nowhere")
    assert mesh.triangles == 4
    assert [part.rgba for part in mesh.parts] == [(1, 0, 0, 1), None]
    assert set(codes(mesh)) == {"MESH005"}


def test_a_texture_inside_a_glb_is_kept(tmp_path: Path) -> None:
    from PIL import Image

    box = trimesh.creation.box()
    image = Image.new("RGB", (2, 2), (255, 0, 0))
    box.visual = trimesh.visual.TextureVisuals(
        uv=np.random.default_rng(0).random((8, 2)),
        material=trimesh.visual.material.PBRMaterial(
            baseColorTexture=image, baseColorFactor=[255, 255, 255, 128]
        ),
    )
    path = tmp_path / "t.glb"
    path.write_bytes(box.export(file_type="glb"))
    for _ in range(2):
        (part,) = load_mesh(path).parts
        assert part.texture is not None
        assert Image.open(part.texture).convert("RGB").getpixel((0, 0)) == (255, 0, 0)
        assert part.uv is not None
        assert part.rgba is not None
        assert part.rgba[3] == pytest.approx(128 / 255)
    assert part.texture is not None
    part.texture.unlink()
    (again,) = load_mesh(path).parts
    assert again.texture is not None
    assert again.texture.is_file()


def test_node_transforms_and_colours_of_a_glb(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    for i, color in enumerate(([255, 0, 0, 255], [0, 255, 0, 255])):
        box = trimesh.creation.box()
        box.visual = trimesh.visual.TextureVisuals(
            material=trimesh.visual.material.PBRMaterial(baseColorFactor=color, name=f"m{i}")
        )
        scene.add_geometry(box, transform=trimesh.transformations.translation_matrix([3 * i, 0, 0]))
    path = tmp_path / "s.glb"
    path.write_bytes(scene.export(file_type="glb"))
    mesh = load_mesh(path)
    assert sorted(p.rgba for p in mesh.parts if p.rgba) == [(0, 1, 0, 1), (1, 0, 0, 1)]
    assert mesh.bounds is not None
    assert np.allclose(mesh.bounds[1], [3.5, 0.5, 0.5])


def triangle_stl(corners: list[tuple[float, float, float]], announced: int | None = None) -> bytes:
    count = len(corners) // 3
    body = b"".join(
        struct.pack(
            "<12fH", 0, 0, 0, *(c for corner in corners[3 * i : 3 * i + 3] for c in corner), 0
        )
        for i in range(count)
    )
    return (
        b"solid or not".ljust(80)
        + struct.pack("<I", count if announced is None else announced)
        + body
    )


GOOD = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
BROKEN: dict[str, tuple[bytes, list[str], int]] = {
    "empty.stl": (b"", ["MESH003"], 0),
    "short.stl": (b"x" * 50, ["MESH003"], 0),
    "none.stl": (triangle_stl([]), ["MESH004"], 0),
    "cut.stl": (triangle_stl(GOOD, announced=1000), ["MESH005"], 1),
    "huge.stl": (triangle_stl(GOOD, announced=4_000_000_000), ["MESH005"], 1),
    "nan.stl": (triangle_stl([*GOOD, (float("nan"), 0, 0), (1, 0, 0), (0, 1, 0)]), ["MESH005"], 1),
    "inf.stl": (triangle_stl([*GOOD, (float("inf"), 0, 0), (1, 0, 0), (0, 1, 0)]), ["MESH005"], 1),
    "flat.stl": (triangle_stl([*GOOD, (1, 0, 0), (1, 0, 0), (0, 1, 0)]), [], 1),
    "text.stl": (b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 a\n", ["MESH003"], 0),
    "half.stl": (
        b"solid x\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 1\n",
        ["MESH005"],
        1,
    ),
    "index.obj": (b"v 0 0 0\nv 1 0 0\nf 1 2 3\n", ["MESH003"], 0),
    "word.obj": (b"v 0 0 0\nf a b c\n", ["MESH003"], 0),
    "points.obj": (b"v 0 0 0\n", ["MESH004"], 0),
    "odd.obj": (b"v 0 0\n", ["MESH003"], 0),
    "xml.dae": (b"<COLLADA", ["MESH003"], 0),
    "other.dae": (b"<html/>", ["MESH003"], 0),
    "bomb.dae": (b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', ["MESH003"], 0),
    "zip.zae": (b"PK\x03\x04nothing", ["MESH003"], 0),
    "junk.glb": (b"glTF" + b"\xff" * 40, ["MESH003"], 0),
    "json.gltf": (b"{}", ["MESH003", "MESH004"], 0),
    "junk.ply": (b"ply\nformat x\n", ["MESH003"], 0),
    "robot.pkl": (b"cos\nsystem\n", ["MESH002"], 0),
    "ogre.mesh": (b"", ["MESH002"], 0),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_findings(name: str, tmp_path: Path) -> None:
    data, expected, triangles = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(data)
    for _ in range(2):
        mesh = load_mesh(path)
        assert set(codes(mesh)) <= set(expected)
        assert bool(codes(mesh)) == bool(expected)
        assert mesh.triangles == triangles
        assert all(f.location is not None and f.location.file == str(path) for f in mesh.findings)
        assert all(name in f.message for f in mesh.findings)


def test_a_file_of_absurd_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big.stl"
    with path.open("wb") as file:
        file.truncate(600 * 1024 * 1024)
    begun = time.process_time()
    assert codes(load_mesh(path)) == ["MESH006"]
    assert time.process_time() - begun < 0.5
    assert codes(load_mesh(tmp_path / "not there.stl")) == ["MESH003"]


def test_a_glb_cannot_read_outside_its_folder_by_network(tmp_path: Path) -> None:
    path = tmp_path / "m.gltf"
    path.write_text(
        '{"asset":{"version":"2.0"},"buffers":[{"uri":"http://127.0.0.1:9/x.bin","byteLength":4}],'
        '"bufferViews":[{"buffer":0,"byteLength":4}],"accessors":[],"meshes":[],"nodes":[],"scenes":[{"nodes":[]}]}'
    )
    assert set(codes(load_mesh(path))) <= {"MESH003", "MESH004"}


def cache_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "meshes").glob("*.mesh"))


@pytest.mark.parametrize("damage", ["truncate", "flip", "garbage", "empty", "other version"])
def test_damaged_cache_entries_are_ignored_and_written_anew(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "b.stl"
    path.write_bytes(BOX.export(file_type="stl"))
    first = merge_parts(load_mesh(path).parts)
    (entry,) = cache_files(tmp_path)
    sound = entry.read_bytes()
    entry.write_bytes(
        {
            "truncate": sound[:-20],
            "flip": sound[:-30] + bytes([sound[-30] ^ 255]) + sound[-29:],
            "garbage": os.urandom(500),
            "empty": b"",
            "other version": sound.replace(b"MESH-5", b"MESH-2"),
        }[damage]
    )
    again = merge_parts(load_mesh(path).parts)
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert entry.read_bytes() == sound


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "file"))
    path = tmp_path / "b.stl"
    path.write_bytes(BOX.export(file_type="stl"))
    assert load_mesh(path).triangles == 12
    assert not caplog.records


def test_the_cache_is_bounded_and_keeps_what_was_used_last(tmp_path: Path) -> None:
    for i in range(10):
        cache.store_entry(f"k{i}", {}, {"a": np.zeros(1000, dtype=np.float64)})
        os.utime(cache.cache_folder() / f"k{i}.mesh", (i * 1000, i * 1000))
    size = cache_files(tmp_path)[0].stat().st_size
    cache.shrink(5 * size)
    assert [p.stem for p in cache_files(tmp_path)] == ["k6", "k7", "k8", "k9"]


def test_collada_of_real_robots_is_what_another_reader_gives() -> None:
    # trimesh applies node transforms, but neither units nor materials as parts of one mesh.
    folder = example_robots()
    paths = sorted(
        p
        for name in ("ur_description", "kinova_description", "icub_description")
        for p in (folder / name).rglob("*.dae")
    )[:15]
    assert len(paths) > 10
    for path in paths:
        ours = load_mesh(path)
        theirs = trimesh.load_scene(path, process=False)
        assert ours.bounds is not None
        assert np.allclose(ours.bounds, theirs.bounds, atol=1e-6), path
        assert ours.triangles == sum(len(g.faces) for g in theirs.geometry.values()), path


def test_a_second_opening_of_the_panda_is_faster(tmp_path: Path) -> None:
    meshes = sorted((example_robots() / "panda_description").rglob("visual/*.dae"))[:5]
    assert len(meshes) == 5
    times = []
    for _ in range(3):
        begun = time.process_time()
        for path in meshes:
            assert load_mesh(path).parts
        times.append(time.process_time() - begun)
    assert min(times[1:]) < times[0] / 3


def test_welding_joins_identical_corners_alone() -> None:
    corners = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0], [0, 1, 0], [1 + 1e-6, 0, 0]],
        dtype=np.float32,
    )
    vertices, faces = weld_vertices(corners, np.arange(6, dtype=np.int32).reshape(2, 3))
    assert np.array_equal(vertices, corners[[0, 1, 2, 5]])
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3]]
