"""COLLADA files as meshes of links: material groups, mirrored nodes, skins, and files without a
scene."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import collada
import numpy as np
import pytest
import trimesh

from editor_app.core.arrays import F64
from editor_app.core.space.geometry.collada import read_collada
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mass import compute_solid_properties
from editor_app.core.space.geometry.mesh import MeshError, RawMesh, merge_parts
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.plugins.collada import geometry as robot_geometry
from editor_app.plugins.collada.read import read_collada_robot

BOX = trimesh.creation.box((0.1, 0.2, 0.3))
SHOWN = '<instance_geometry url="#g"/>'
SKIN = """<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 0.5 0 1 0 0 0 0 1 0 0 0 0 1
  </bind_shape_matrix><source id="j"><Name_array id="ja" count="1">b</Name_array><technique_common>
  <accessor source="#ja" count="1" stride="1"><param name="JOINT" type="name"/></accessor></technique_common></source>
  <source id="i"><float_array id="ia" count="16">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</float_array><technique_common>
  <accessor source="#ia" count="1" stride="16"><param name="T" type="float4x4"/></accessor></technique_common></source>
  <source id="w"><float_array id="wa" count="1">1</float_array><technique_common>
  <accessor source="#wa" count="1" stride="1"><param name="W" type="float"/></accessor></technique_common></source>
  <joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#i"/></joints>
  <vertex_weights count="8"><input semantic="JOINT" source="#j" offset="0"/><input semantic="WEIGHT" source="#w"
  offset="1"/><vcount>1 1 1 1 1 1 1 1</vcount><v>0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0</v></vertex_weights></skin>
  </controller></library_controllers>"""
MORPH = """<library_controllers><controller id="c"><morph source="#g"><source id="t"><IDREF_array id="ta" count="1">g
  </IDREF_array><technique_common><accessor source="#ta" count="1" stride="1"><param name="M" type="IDREF"/></accessor>
  </technique_common></source><source id="w"><float_array id="wa" count="1">0</float_array><technique_common>
  <accessor source="#wa" count="1" stride="1"><param name="W" type="float"/></accessor></technique_common></source>
  <targets><input semantic="MORPH_TARGET" source="#t"/><input semantic="MORPH_WEIGHT" source="#w"/></targets></morph>
  </controller></library_controllers>"""


def document(node: str = SHOWN, *, groups: int = 1, scene: str = "#s", libraries: str = "") -> str:
    """The box, its triangles in so many groups, shown by a node."""
    numbers = " ".join(f"{value:g}" for value in BOX.vertices.ravel())
    lists = "".join(
        f'<triangles count="{len(part)}" material="m{number}"><input semantic="VERTEX" source="#v" '
        'offset="0"/>'
        f"<p>{' '.join(map(str, part.ravel()))}</p></triangles>"
        for number, part in enumerate(np.array_split(BOX.faces, groups))
    )
    scenes = (
        f'<library_visual_scenes><visual_scene id="s"><node id="n">{node}</node></visual_scene>'
    )
    return (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        'version="1.4.1"><asset><unit meter="1"/></asset>'
        '<library_geometries><geometry id="g"><mesh><source id="p">'
        f'<float_array id="a" count="24">{numbers}</float_array><technique_common><accessor '
        'source="#a" count="8" '
        'stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" '
        'type="float"/>'
        '</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" '
        'source="#p"/></vertices>'
        f"{lists}</mesh></geometry></library_geometries>{libraries}"
        + (f"{scenes}</library_visual_scenes>" if node else "")
        + (f'<scene><instance_visual_scene url="{scene}"/></scene>' if scene else "")
        + "</COLLADA>"
    )


def load(text: str) -> RawMesh:
    return read_collada(text.encode())


def signed_volume(mesh: RawMesh) -> float:
    """Cubic metres, positive where normals point outside."""
    vertices, faces = merge_parts(mesh.parts)  # type: ignore[arg-type]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6


def test_material_groups_of_a_robot_share_one_list_of_vertices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsing the list again for each of 2,015 groups of a real robot took more than 90 s."""
    parsed: list[object] = []
    parse = robot_geometry._source

    def counted(element: XmlElement | None, columns: int, factor: float = 1.0) -> F64 | None:
        parsed.append(element)
        return parse(element, columns, factor)

    monkeypatch.setattr(robot_geometry, "_source", counted)
    text = document(groups=12)
    mesh = parse_xml(SourceText.from_text(text)).root.child("library_geometries").children[0]  # type: ignore[union-attr]
    blocks = robot_geometry.read_collada_geometry(mesh, 0.001).blocks
    assert len(blocks) == 12
    assert len(parsed) == 1
    assert all(block.vertices is blocks[0].vertices for block in blocks)
    (tmp_path / "r.dae").write_text(text)
    ((name, data),) = read_collada_robot(tmp_path / "r.dae").meshes
    (tmp_path / "m.obj").write_bytes(data)
    assert name == "meshes/visual/n.obj"
    assert load_mesh(tmp_path / "m.obj").triangles == 12


def test_material_groups_of_a_mesh_are_not_bound_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """pycollada carries all vertices of a geometry for each group that it binds: quadratic."""

    def refuse(*_: object) -> None:
        raise AssertionError("a bound group holds a copy of all vertices")

    monkeypatch.setattr(collada.triangleset.TriangleSet, "bind", refuse)
    mesh = load(document(groups=12))
    assert [len(part.faces) for part in mesh.parts] == [1] * 12
    assert signed_volume(mesh) == pytest.approx(0.006)


@pytest.mark.parametrize("scale", ["-1 1 1", "1 -1 1", "-1 -1 -1", "-1 -1 1"])
def test_a_mirrored_node_keeps_its_normals_outside(scale: str) -> None:
    both = load(
        document(
            f"<node><scale>{scale}</scale>{SHOWN}</node><node><translate>5 0 "
            f"0</translate>{SHOWN}</node>"
        )
    )
    assert signed_volume(both) == pytest.approx(2 * 0.006, rel=1e-6)
    solid = compute_solid_properties(*merge_parts(both.parts))  # type: ignore[arg-type]
    assert solid is not None
    assert solid.closed


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (document(scene=""), "it has no <scene>: its first visual_scene is used"),
        (document("", scene=""), "it has no scene: its geometries are used without transforms"),
    ],
    ids=["no scene", "no visual scene"],
)
def test_geometry_without_a_scene_is_read_with_a_note(text: str, note: str) -> None:
    mesh = load(text)
    assert signed_volume(mesh) == pytest.approx(0.006)
    assert mesh.notes == [note]


@pytest.mark.parametrize(
    ("controller", "middle"), [(SKIN, 0.5), (MORPH, 0.0)], ids=["skin", "morph"]
)
def test_skins_and_morphs_are_read_at_rest(controller: str, middle: float) -> None:
    """They vanished without a word where pycollada gives shapes that it has no triangles of."""
    mesh = load(
        document(
            f'<translate>0 0 2</translate><instance_controller url="#c"/>{SHOWN}',
            libraries=controller,
        )
    )
    assert mesh.notes == ["1 skin or morph: read in the rest shape"]
    assert [part.vertices.mean(axis=0) for part in mesh.parts] == [
        pytest.approx([0, 0, 2]), pytest.approx([middle, 0, 2])
    ]  # fmt: skip
    assert signed_volume(mesh) == pytest.approx(2 * 0.006, rel=1e-6)


def zipped(text: str, before: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("r.dae", text)
    return before + buffer.getvalue()


@pytest.mark.parametrize("before", [b"", b"a program that unpacks itself"])
def test_archives_are_held_to_what_holds_for_documents(before: bytes) -> None:
    assert signed_volume(read_collada(zipped(document(), before))) == pytest.approx(0.006)
    with pytest.raises(MeshError, match="declares XML entities"):
        read_collada(
            zipped(
                '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><COLLADA>&a;</COLLADA>',
                before,
            )
        )


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("editor_app.core.space.geometry.collada.MAX_BYTES", 500)
    with pytest.raises(MeshError, match="unpacks to more than"):
        read_collada(zipped(document(), b"anything"))
