"""glTF and GLB: every kind of triangles and numbers is read, and what is not read is named."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.space.geometry.gltf import read_gltf
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mesh import MeshError, RawMesh
from tests.helpers.breadth import examples
from tests.helpers.gltf_files import GltfFile, in_order, random_gltf

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SQUARE: list[list[float]] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


def square(**changes: Any) -> GltfFile:
    """A fan of two triangles; `changes` of its primitive."""
    file = GltfFile({"asset": {"version": "2.0"}})
    primitive = {"attributes": {"POSITION": file.accessor(SQUARE, 5126)}, "mode": 6, **changes}
    file.document |= {
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }
    return file


def read(file: GltfFile) -> RawMesh:
    return read_gltf(file.glb(), lambda name: None)


def triangles(mesh: RawMesh) -> Any:
    return in_order([triangle for part in mesh.parts for triangle in part.vertices[part.faces]])


@settings(max_examples=examples(200))
@given(st.integers(0, 10**9))
def test_random_files_hold_the_triangles_that_the_specification_says(seed: int) -> None:
    file = random_gltf(seed)
    outside = {"a b.bin": bytes(file.buffer)}
    for data in (file.glb(), file.gltf(), file.gltf("a%20b.bin")):
        mesh = read_gltf(data, outside.get)
        theirs = in_order(file.triangles)
        assert triangles(mesh).shape == theirs.shape
        assert triangles(mesh) == pytest.approx(
            theirs, abs=1e-6 * max(1.0, np.abs(theirs).max(initial=0.0))
        )
    # A mesh that no node shows is not read.
    assert not mesh.notes or "without surface" in file.traits


@pytest.mark.parametrize(
    ("component", "row", "expected"),
    [
        (5120, [127, -127, -128], (1.0, -1.0, -1.0)),
        (5121, [255, 51, 0], (1.0, 0.2, 0.0)),
        (5122, [32767, -32768, 0], (1.0, -1.0, 0.0)),
        (5123, [65535, 13107, 0], (1.0, 0.2, 0.0)),
    ],
)
def test_normalised_integers_are_divided_by_the_largest(
    component: int, row: list[float], expected: tuple[float, ...]
) -> None:
    """A box of 0.2 m whose corners are bytes, as gltfpack writes them, was 25.4 m large."""
    file = square()
    file.document["accessors"] = []
    file.accessor([row, [0, 0, 0], [0, 100, 0], [0, 0, 0]], component, normalized=True)
    assert read(file).parts[0].vertices.max(axis=0)[0] == pytest.approx(max(expected[0], 0.0))
    points = read(file).parts[0].vertices
    assert any(np.allclose(point, expected) for point in points)


def test_a_quantised_file_has_its_size(tmp_path: Path) -> None:
    corners: list[list[float]] = [
        [x, y, z] for x in (-127, 127) for y in (-64, 64) for z in (-32, 32)
    ]
    faces = [
        0,
        1,
        3,
        0,
        3,
        2,
        4,
        6,
        7,
        4,
        7,
        5,
        0,
        4,
        5,
        0,
        5,
        1,
        2,
        3,
        7,
        2,
        7,
        6,
        0,
        2,
        6,
        0,
        6,
        4,
        1,
        5,
        7,
        1,
        7,
        3,
    ]
    file = GltfFile({"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_mesh_quantization"]})
    attributes = {"POSITION": file.accessor(corners, 5120, normalized=True)}
    primitive = {
        "attributes": attributes,
        "indices": file.accessor([[corner] for corner in faces], 5121),
    }
    file.document |= {
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0, "scale": [0.1] * 3}],
    }
    file.document["scenes"] = [{"nodes": [0]}]
    (tmp_path / "m.glb").write_bytes(file.glb())
    mesh = load_mesh(tmp_path / "m.glb")
    assert mesh.bounds is not None
    assert mesh.bounds[1] - mesh.bounds[0] == pytest.approx([0.2, 0.2 * 64 / 127, 0.2 * 32 / 127])
    assert mesh.findings == ()


@pytest.mark.parametrize(
    ("extensions", "named"),
    [
        ({"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}, "Draco"),
        ({"EXT_meshopt_compression": {}}, "meshopt"),
        ({"KHR_meshopt_compression": {}}, "meshopt"),
    ],
)
def test_what_is_compressed_is_refused_by_name(
    extensions: dict[str, Any], named: str, tmp_path: Path
) -> None:
    """They were "it holds no triangle", with lines of a library on stderr, and "KeyError:
    'uri'"."""
    is_draco = named == "Draco"
    file = square(**({"extensions": extensions} if is_draco else {}))
    if is_draco:
        del file.document["accessors"][0]["bufferView"]
    else:
        file.document["bufferViews"][0]["extensions"] = extensions
    (tmp_path / "m.glb").write_bytes(file.glb())
    (finding,) = load_mesh(tmp_path / "m.glb").findings
    assert finding.code == "MESH003"
    assert (
        f"is compressed with {named} ({next(iter(extensions))}), which is not supported"
        in finding.message
    )


def test_what_is_compressed_is_read_where_it_is_stored_beside() -> None:
    draco = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    assert len(triangles(read(square(extensions=draco)))) == 2
    file = square()
    file.document["bufferViews"][0]["extensions"] = {"EXT_meshopt_compression": {"buffer": 1}}
    assert len(triangles(read_gltf(file.gltf(), lambda name: None))) == 2


def test_what_is_left_out_is_noted() -> None:
    file = square(targets=[{"POSITION": 0}])
    file.document["nodes"][0]["skin"] = 0
    file.document["extensionsRequired"] = ["KHR_materials_unlit", "XYZ_shapes", "EXT_texture_webp"]
    primitives = file.document["meshes"][0]["primitives"]
    primitives += [{**primitives[0], "mode": mode} for mode in (0, 1, 2, 3, 7)] + [
        {"attributes": {}}
    ]
    mesh = read(file)
    assert len(triangles(mesh)) == 2
    for words in (
        "extension XYZ_shapes", "skins are not applied", "morph targets are not applied", "its points are left out",
        "its "
        "lines", "its line loops", "its line strips", "primitives of mode 7", "has no positions",
    ):  # fmt: skip
        assert sum(words in note for note in mesh.notes) == 1, words
    assert len(mesh.notes) == 9


@pytest.mark.parametrize(
    ("keys", "note"),
    [
        (("scenes",), "it has no scene"),
        (("scenes", "nodes"), "it has no nodes: its meshes are used without transforms"),
    ],
)
def test_meshes_that_no_scene_shows_are_read(keys: tuple[str, ...], note: str) -> None:
    file = square()
    for key in keys:
        del file.document[key]
    mesh = read(file)
    assert len(triangles(mesh)) == 2
    assert note in " ".join(mesh.notes)


def test_colours_and_textures(tmp_path: Path) -> None:
    file = square()
    attributes = file.document["meshes"][0]["primitives"][0]["attributes"]
    attributes["TEXCOORD_1"] = file.accessor([[0, 0, 0]] * 4, 5126)
    file.document["accessors"][-1] |= {"type": "VEC2"}
    view = file.document["bufferViews"][-1]
    file.buffer[view["byteOffset"] : view["byteOffset"] + 32] = struct.pack(
        "<8f", 0, 0.25, 1, 0, 1, 1, 0, 1
    )
    file.document |= {
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 0.5],
                                                "baseColorTexture": {"index": 0, "texCoord": 1}}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": file.view(PNG), "mimeType": "image/png"}],
    }  # fmt: skip
    file.document["meshes"][0]["primitives"][0]["material"] = 0
    (part,) = read(file).parts
    assert part.rgba == (1.0, 0.5, 0.25, 0.5)
    assert part.image == PNG
    assert part.uv is not None
    assert part.uv[:2].tolist() == [[0, 0.75], [1, 1]]
    del file.document["images"][0]["bufferView"]
    file.document["images"][0]["uri"] = "none.png"
    (tmp_path / "m.glb").write_bytes(file.glb())
    assert [finding.code for finding in load_mesh(tmp_path / "m.glb").findings] == ["MESH007"]
    del file.document["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]
    attributes["COLOR_0"] = file.accessor(
        [[255, 0, 51, 255], [255, 0, 51, 255]] * 2, 5121, normalized=True
    )
    (part,) = read(file).parts
    assert part.rgba == pytest.approx((1.0, 0.0, 0.05, 0.5))
    assert read(square()).parts[0].rgba is None


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "glTF 1": ({"asset": {"version": "1.0"}}, "it is glTF 1.0; only 2.0 is supported"),
    "a circle": ({"nodes": [{"children": [0], "mesh": 0}]}, "in a loop"),
    "many nodes": (
        {"nodes": [{"children": [n + 1] * 9} for n in range(20)] + [{"mesh": 0}]}, "more than 1,000 bodies"
    ),
    "an index below zero": ({"scenes": [{"nodes": [-1]}]}, "refers to number -1 of its nodes"),
    "no such scene": ({"scene": 7}, "refers to number 7 of its scenes"),
    "nothing behind it": (
        {"accessors": [{"componentType": 5126, "type": "VEC3", "count": 10**8}]},
        "100,000,000 of its numbers have no data",
    ),
    "too long": (
        {"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 5}]}, "beyond its buffer view"
    ),
    "empty": ({"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 0}]}, "is empty"),
    "colours for positions": (
        {"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC4", "count": 3}]}, "does not fit its use"
    ),
    "beyond "
    "the buffer": ({"bufferViews": [{"buffer": 0, "byteLength": 49}]}, "reaches beyond its buffer"),
    "negative": ({"bufferViews": [{"buffer": 0, "byteLength": -1}]}, "-1 is not a number of bytes"),
    "no number": ({"nodes": [{"mesh": 0, "translation": [0, 0, float("nan")]}]}, "not finite"),
    "a list": ({"nodes": {"0": {}}}, "not a readable glTF file"),
    "a word": ({"meshes": "mesh"}, "not a readable glTF file"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_words(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editor_app.core.space.geometry.gltf.MAX_BODIES", 1000)
    changes, message = BROKEN[name]
    file = square()
    file.document |= changes
    with pytest.raises(MeshError, match=message):
        read(file)


def test_files_that_are_cut_off_or_miss_their_buffer_are_refused() -> None:
    data = square().glb()
    for length in range(4, len(data)):
        with pytest.raises(MeshError):
            read_gltf(data[:length], lambda name: None)
    with pytest.raises(MeshError, match=r"its buffer 'b\.bin' does not exist"):
        read_gltf(square().gltf("b.bin"), lambda name: None)
    with pytest.raises(MeshError):
        read_gltf(json.dumps([[]] * 3).encode(), lambda name: None)


def test_a_triangle_between_vertices_that_do_not_exist_is_refused() -> None:
    file = square()
    file.document["meshes"][0]["primitives"][0]["indices"] = file.accessor([[0], [1], [4]], 5121)
    with pytest.raises(MeshError, match="a vertex that does not exist"):
        read(file)
    file.document["accessors"][-1] |= {"componentType": 5120}
    with pytest.raises(MeshError, match="indices of component type 5120"):
        read(file)
