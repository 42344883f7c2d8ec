"""Pipes, devices, folders, endless and damaged files in the place of any file of a robot end in a
message."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from editor_app.core.document.opening import open_document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.regular_file import FileTooLargeError, NotRegularError, read_regular
from editor_app.core.space.geometry.images import ImageError, image_problem, read_image
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.paths import package_folder, resolve_mesh_path
from editor_app.core.text.source import FormatError, SourceText

posix = pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")
CUBE = Path(__file__).parents[2] / "resources" / "sample" / "meshes" / "collision" / "base_link.stl"


@pytest.fixture(params=["pipe", "zero", "folder", "dangling"])
def none(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Something without a name's suffix that is no file."""
    path = tmp_path / "none"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "zero":
        path.symlink_to("/dev/zero")
    elif request.param == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "nowhere")
    return path


def as_file(none: Path, name: str) -> Path:
    return none.rename(none.parent / name)


@posix
def test_only_regular_files_are_read(none: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError) as told:
        read_regular(none, 1000)
    assert isinstance(told.value, NotRegularError | FileNotFoundError)
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)
    assert read_regular(file, 100) == b"x" * 100
    with pytest.raises(FileTooLargeError):
        read_regular(file, 99)
    # Without a size that is told beforehand.
    assert b"Linux" in read_regular("/proc/version", 10_000) or sys.platform != "linux"


@posix
@pytest.mark.parametrize("suffix", [".urdf", ".xrdf", ".srdf"])
def test_as_a_robot(none: Path, suffix: str) -> None:
    with pytest.raises(FormatError):
        SourceText.read(as_file(none, f"robot{suffix}"))


@posix
@pytest.mark.parametrize(
    "name", ["a.stl", "a.dae", "a.obj", "a.glb", "a.gltf", "a.ply", "a.off", "a.zae"]
)
def test_as_a_mesh(none: Path, name: str) -> None:
    path = as_file(none, name)
    assert resolve_mesh_path(name, path.parent / "r.urdf", environ={}) is None
    mesh = load_mesh(path)
    assert not mesh.parts
    assert mesh.findings[0].code == "MESH003"


@posix
def test_as_a_material_library_a_buffer_a_texture_and_a_manifest(none: Path) -> None:
    library = as_file(none, "a.mtl")
    folder = library.parent
    (folder / "m.obj").write_text("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl x\nf 1 2 3\n")
    assert {f.code for f in load_mesh(folder / "m.obj").findings} == {"MESH007"}
    buffer = as_file(library, "a.bin")
    (folder / "m.gltf").write_text(
        '{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":4}]}'
    )
    assert load_mesh(folder / "m.gltf").findings[0].code in ("MESH003", "MESH004")
    texture = as_file(buffer, "a.png")
    assert image_problem(texture) is not None
    manifest = as_file(texture, "package.xml")
    assert package_folder("p", manifest.parent / "r.urdf") is None


@posix
@pytest.mark.parametrize(("suffix", "code"), [(".xrdf", "XRDF001"), (".srdf", "SRDF000")])
def test_as_the_file_beside_a_robot(tmp_path: Path, suffix: str, code: str) -> None:
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert open_document(tmp_path / "r.urdf").opening_findings == ()
    os.mkfifo(tmp_path / f"r{suffix}")
    document = open_document(tmp_path / "r.urdf")
    [finding] = document.opening_findings
    assert finding.code == code
    assert "it is a pipe, not a file" in finding.message
    assert finding.location is not None
    assert finding.location.file == str(tmp_path / f"r{suffix}")


@posix
def test_as_the_texture_of_a_link(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.png")
    shape = (
        '<geometry><box size="1 1 1"/></geometry><material name="m"><texture '
        'filename="t.png"/></material>'
    )
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="a"><visual>{shape}</visual></link></robot>'
    )
    urdf = open_document(tmp_path / "r.urdf").robot.urdf
    geometry = link_geometry(urdf, tmp_path / "r.urdf", "a")
    assert [f.code for f in geometry.findings] == ["MESH007"]
    assert "it is a pipe, not a file" in geometry.findings[0].message
    assert len(geometry.parts) == 1


@posix
def test_a_new_xrdf_is_not_made_through_a_link_that_leads_nowhere(
    tmp_path: Path, sample_urdf: Path
) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    (folder / "r.xrdf").symlink_to(tmp_path / "outside")
    document = open_document(folder / "r.urdf")
    assert document.xrdf_path is None
    assert not (tmp_path / "outside").exists()


@posix
def test_a_link_is_read_by_the_name_that_was_asked_for(tmp_path: Path) -> None:
    """Caches name files by what is in them, and link to them."""
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "0a1b2c").write_bytes(CUBE.read_bytes())
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "base.stl").symlink_to("../blobs/0a1b2c")
    store = MeshStore(tmp_path / "r.urdf")
    path = store.find("meshes/base.stl")
    assert path is not None
    mesh = store.load(path)
    assert mesh.parts
    assert not mesh.findings


def test_what_a_reader_raises_is_a_finding_and_the_next_mesh_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (
        ("min.off", b"OFF\n0 0 0\n"),
        ("axis.off", b"OFF\n1 1 0\n0 0 0\n3 0\n"),
        (
            "count.ply",
            b"ply\nformat ascii 1.0\nelement vertex 900000000\nproperty float x\nproperty float y\n"
            b"property float z\nelement face 1\nproperty list uchar int "
            b"vertex_indices\nend_header\n0 0 0\n3 0 0 0\n",
        ),
    ):
        (tmp_path / name).write_bytes(text)
        mesh = load_mesh(tmp_path / name)
        assert mesh.findings, name
        assert name in mesh.findings[0].message
    (tmp_path / "good.stl").write_bytes(CUBE.read_bytes())
    bodies = "".join(
        f'<collision><geometry><mesh filename="{name}"/></geometry></collision>'
        for name in ("axis.off", "count.ply", "good.stl")
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{bodies}</link></robot>')
    document = open_document(tmp_path / "r.urdf")
    geometry = link_geometry(document.robot.urdf, tmp_path / "r.urdf", "a", "collision")
    assert geometry.parts
    assert {Path(f.location.file).name for f in geometry.findings if f.location} >= {"count.ply"}

    def fail(data: bytes) -> None:
        raise RuntimeError("whatever")

    monkeypatch.setattr("editor_app.core.space.geometry.loading.read_stl", fail)
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "cache"))
    mesh = load_mesh(tmp_path / "good.stl")
    assert mesh.findings[0].code == "MESH003"
    assert "Export it again" in mesh.findings[0].message


def test_postscript_is_no_texture_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(a))
    (tmp_path / "t.png").write_bytes(
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\n(pwn) print\n"
    )
    with pytest.raises(ImageError, match="PNG or JPEG"):
        read_image(tmp_path / "t.png")
    assert image_problem(tmp_path / "t.png") is not None
    assert not started


def test_textures_too_large_or_damaged_are_told(tmp_path: Path) -> None:
    Image.new("1", (20_000, 10_000)).save(tmp_path / "large.png")
    assert "20000" in str(image_problem(tmp_path / "large.png")) or "pixels" in str(
        image_problem(tmp_path / "large.png")
    )
    Image.fromarray(np.zeros((64, 64, 3), np.uint8)).save(tmp_path / "good.png")
    assert image_problem(tmp_path / "good.png") is None
    assert read_image(tmp_path / "good.png").shape == (64, 64, 3)
    data = bytearray((tmp_path / "good.png").read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "bad.png").write_bytes(data)
    assert image_problem(tmp_path / "bad.png") is not None
    urdf = (
        '<robot name="r"><material name="m"><texture filename="bad.png"/></material><link '
        'name="a"><visual>'
        '<geometry><box size="1 1 1"/></geometry><material name="m"/></visual></link></robot>'
    )
    (tmp_path / "r.urdf").write_text(urdf)
    geometry = link_geometry(
        open_document(tmp_path / "r.urdf").robot.urdf, tmp_path / "r.urdf", "a"
    )
    assert [f.code for f in geometry.findings] == ["MESH007"]
    assert "bad.png" in geometry.findings[0].message


def test_copies_of_copies_are_counted_before_they_are_made(tmp_path: Path) -> None:
    """3 kB that stand for 10^8 bodies."""
    levels = "".join(
        "<library_nodes><node "
        f'id="n{i}">{f"""<instance_node url="#n{i + 1}"/>""" * 10}</node></library_nodes>'
        for i in reversed(range(8))
    )
    last = '<library_nodes><node id="n8"><instance_geometry url="#g"/></node></library_nodes>'
    text = (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>'
        '<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="f" count="9">0 '
        "0 0 1 0 0 0 1 0"
        '</float_array><technique_common><accessor source="#f" count="3" stride="3"><param '
        'name="X" type="float"/>'
        '<param name="Y" type="float"/><param name="Z" '
        'type="float"/></accessor></technique_common></source>'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1">'
        '<input semantic="VERTEX" source="#v" offset="0"/><p>0 1 '
        "2</p></triangles></mesh></geometry>"
        "</library_geometries>"
        f"{last}{levels}<library_visual_scenes><visual_scene id='s'><node><instance_node "
        "url='#n0'/></node>"
        "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
        "url='#s'/></scene></COLLADA>"
    )
    (tmp_path / "bomb.dae").write_text(text)
    mesh = load_mesh(tmp_path / "bomb.dae")
    assert not mesh.parts
    assert "100,000,000" in mesh.findings[0].message


def _png_of_damaged_pixels(good: bytes) -> bytes:
    """A PNG whose compressed pixels are broken, and whose sums are right."""
    start = good.index(b"IDAT")
    (length,) = struct.unpack(">I", good[start - 4 : start])
    pixels = bytearray(good[start + 4 : start + 4 + length])
    pixels[len(pixels) // 2 :] = b"\xff" * (len(pixels) - len(pixels) // 2)
    chunk = b"IDAT" + bytes(pixels)
    rest = good[start + 8 + length :]
    return (
        good[: start - 4]
        + struct.pack(">I", length)
        + chunk
        + struct.pack(">I", zlib.crc32(chunk))
        + rest
    )


@pytest.mark.parametrize("kind", ["jpg", "png"])
def test_a_texture_with_damaged_pixels_is_a_finding_with_file_and_remedy(
    tmp_path: Path, kind: str
) -> None:
    picture = np.random.default_rng(1).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    good, bad = tmp_path / f"good.{kind}", tmp_path / f"bad.{kind}"
    Image.fromarray(picture).save(good)
    data = good.read_bytes()
    bad.write_bytes(data[: len(data) * 2 // 3] if kind == "jpg" else _png_of_damaged_pixels(data))
    assert image_problem(good) is None
    shape = (
        "<geometry><box size='1 1 1'/></geometry><material name='m'><texture "
        "filename='bad.{}'/></material>"
    )
    text = f"<robot name='r'><link name='l'><visual>{shape.format(kind)}</visual></link></robot>"
    urdf = tmp_path / "r.urdf"
    urdf.write_text(text, encoding="utf-8")
    findings = link_geometry(read_urdf(SourceText.read(urdf)).value, urdf, "l").findings
    assert [f.code for f in findings] == ["MESH007"]
    assert f"bad.{kind}" in findings[0].message
    assert "PNG or JPEG" in findings[0].message, "with the remedy"
    assert findings[0].location is not None
    assert findings[0].location.file == str(bad)
