"""Hostile USD assets: each ends in a sentence with file, place and fix, and opens nothing outside
of its folder."""

from __future__ import annotations

import io
import os
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from editor_app.core.tasks.worker import MemoryBound
from editor_app.core.text.source import FormatError

pytest.importorskip("pxr", reason="the extra is not installed")

from editor_app.plugins.usd.reading.crates import DamagedCrateError, refuse_false_counts
from editor_app.plugins.usd.reading.stage import read_stage
from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

no_pipes = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pipes among its files"
)


def write(folder: Path, more: str = "", name: str = "arm.usda") -> Path:
    path = folder / name
    path.write_text(HEAD + ARM + more)
    return path


def naming(asset: str) -> str:
    return f'def "part" (references = {asset})\n{{\n}}\n'


CIRCLES = {
    "a reference to itself": 'def "y" (references = </y>)\n{\n}\n',
    "a reference to the prim "
    "above": 'def "z"\n{\n    def "a" (references = </z>)\n    {\n    }\n}\n',
    "inherits": 'def "y" (inherits = </z>)\n{\n}\ndef "z" (inherits = </y>)\n{\n}\n',
    "payloads of two layers": naming("@other.usda@"),
    "collections": (
        'def PhysicsCollisionGroup "g" (prepend apiSchemas = ["CollectionAPI:colliders"])\n{\n'
        "    rel collection:colliders:includes = [</g.collection:colliders>, </arm/base>]\n}\n"
    ),
    "connections of a shader": (
        'def Material "m"\n{\n    token outputs:surface.connect = </m/s.outputs:surface>\n    def '
        'Shader "s"\n    {\n'
        "        color3f inputs:diffuseColor.connect = </m/s.inputs:diffuseColor>\n"
        "        token outputs:surface.connect = </m.outputs:surface>\n    }\n}\n"
    ),
}


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_is_followed_once(tmp_path: Path, circle: str) -> None:
    (tmp_path / "other.usda").write_text(
        '#usda 1.0\n(\n    defaultPrim = "x"\n)\ndef "x" (payload = @arm.usda@)\n{\n}\n'
    )
    assert len(read_stage(write(tmp_path, CIRCLES[circle])).urdf.links) == 2


@pytest.mark.parametrize(
    ("asset", "reason", "fix"),
    [
        ("gone/part.usda", "it was not found", "--package gone/=FOLDER"),
        ("part.usdc", "it was not found", "--package part.usdc=FOLDER"),
        ("/shop/part.usda", "an absolute path is not followed", "--package /shop/=FOLDER"),
        ("../part.usda", "it is outside the folder of the asset", "--package ../=FOLDER"),
        ("http://host/a/part.usd", "nothing is downloaded", "--package http://host/a/=FOLDER"),
        (
            "omniverse://host/part.usd",
            "nothing is downloaded",
            "--package omniverse://host/=FOLDER",
        ),
        ("more.usdz[part.usda]", "it is in another package", "Unpack that next to the asset"),
        ("link.usda", "it is outside the folder of the asset", "--package link.usda=FOLDER"),
        ("broken.usda", "no valid USD layer", "Correct it until usdcat reads it"),
    ],
)
def test_a_layer_that_is_left_out_is_reported_with_its_line_and_the_option_that_gives_it(
    tmp_path: Path, asset: str, reason: str, fix: str
) -> None:
    folder = tmp_path / "asset"
    folder.mkdir()
    write(tmp_path, name="part.usda")
    (folder / "link.usda").symlink_to(tmp_path / "part.usda")
    (folder / "broken.usda").write_text("#usda 1.0\ndef {\n")
    path = write(folder, naming(f"@{asset}@"))
    line = path.read_text().splitlines().index(f'def "part" (references = @{asset}@)') + 1
    (entry,) = [each for each in read_stage(path).report.entries if each.is_unread]
    for part in (asset, reason, f"{path}:{line} names it", fix):
        assert part in entry.detail


@no_pipes
@pytest.mark.parametrize("asset", ["@pipe.usda@", "@pipe.usda@</arm>"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, asset: str) -> None:
    # OpenUSD looks for plug-ins by files of this name, and for value clips by a pattern.
    for name in ("pipe.usda", "plugInfo.json", "clip.1.usda"):
        os.mkfifo(tmp_path / name)
    clips = (
        "clips = {\n    dictionary default = {\n        string templateAssetPath = "
        '"./clip.#.usda"\n'
    )
    clips += (
        "        double templateStartTime = 1\n        double templateEndTime = 1\n        double "
        "templateStride = 1\n"
    )
    clips += '        string primPath = "/arm"\n    }\n}\n'
    path = write(tmp_path, naming(asset) + f'def "clipped" (\n{clips})\n{{\n}}\n')
    report = "\n".join(map(str, read_stage(path).report.entries))
    assert "pipe.usda cannot be read: it is a pipe, not a file" in report


def test_the_search_path_of_openusd_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere", name="part.usda")
    monkeypatch.setenv("PXR_AR_DEFAULT_SEARCH_PATH", str(tmp_path / "elsewhere"))
    report = read_stage(write(tmp_path, naming("@part.usda@"))).report
    assert "it was not found" in "\n".join(
        str(entry) for entry in report.entries if entry.is_unread
    )


DEEP = 'def "n"\n{\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ARM + DEEP * 900 + "}\n" * 900, "nested too deep"),
        # OpenUSD's parser would end the process.
        (ARM + DEEP * 20_000 + "}\n" * 20_000, "brackets in each other"),
        (ARM + f'def "n"\n{{\n    float x = {"(" * 100_000}\n}}\n', "brackets in each other"),
        (
            ARM.replace("(0, 0, 0.25)", "(1e300, 0, nan)", 1),
            "/arm/upper has a transform that is not finite",
        ),
    ],
)
def test_nesting_and_numbers_have_limits(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "arm.usda"
    path.write_text(HEAD + text)
    with pytest.raises(FormatError, match=sentence) as refused:
        read_stage(path)
    assert refused.value.fix


def test_many_prims_of_one_name_below_each_other_have_short_names(tmp_path: Path) -> None:
    depth = 150
    bodies = (
        'def Xform "n" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n' * depth + "}\n" * depth
    )
    path = tmp_path / "arm.usda"
    path.write_text(HEAD + bodies)
    names = [link.name for link in read_stage(path, robot="*").urdf.links]
    assert len(set(names)) == len(names) >= depth
    assert max(map(len, names)) < 40


def test_huge_counts_of_a_mesh_are_reported(tmp_path: Path) -> None:
    mesh = (
        "int[] faceVertexCounts = [2147483647, 2147483647]\nint[] faceVertexIndices = [0, 1, 2]\n"
    )
    mesh += "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]"
    path = tmp_path / "arm.usda"
    path.write_text(
        HEAD + ARM.replace('def Cube "box"', 'def Mesh "box"').replace("double size = 0.2", mesh)
    )
    assert "its counts do not fit its indices" in "\n".join(
        map(str, read_stage(path).report.entries)
    )


# -- packages


def package(*entries: tuple[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as file:
        for name, data in entries:
            file.writestr(zipfile.ZipInfo(name), data, kind)
    return buffer.getvalue()


def _with_false_size() -> bytes:
    """A package that says 100 bytes for 64 MB."""
    data = bytearray(
        package(("a.usda", b"#usda 1.0\n" + b" " * (1 << 26)), kind=zipfile.ZIP_DEFLATED)
    )
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.find(mark) + at
        data[start : start + 4] = (100).to_bytes(4, "little")
    return bytes(data)


PACKAGES: dict[str, tuple[Callable[[], bytes], str]] = {
    "a false size": (_with_false_size, "cannot be unpacked: Bad CRC-32"),
    "many layers": (
        lambda: package(*((f"a{n}.usda", b"#usda 1.0\n") for n in range(1001))),
        "exceed the limit",
    ),
    "the folder above": (lambda: package(("../a.usda", b"#usda 1.0\n")), "outside the package"),
    "an absolute name": (lambda: package(("/a.usda", b"#usda 1.0\n")), "outside the package"),
    "no layer": (lambda: package(("a.png", b"x")), "has no layer"),
    "half of it": (lambda: package(("a.usda", b"#usda 1.0\n"))[:60], "cannot be unpacked"),
    "a broken layer": (
        lambda: package(("in/a.usda", b"#usda 1.0\ndef {\n")),
        r"arm.usdz\[in/a.usda\]",
    ),
}


@pytest.mark.parametrize("case", PACKAGES)
def test_a_hostile_package_is_refused(tmp_path: Path, case: str) -> None:
    build, sentence = PACKAGES[case]
    (tmp_path / "asset").mkdir()
    (tmp_path / "asset" / "arm.usdz").write_bytes(build())
    with pytest.raises(FormatError, match=sentence) as refused:
        read_stage(tmp_path / "asset" / "arm.usdz", scratch=tmp_path)
    assert refused.value.fix
    assert [path.name for path in tmp_path.rglob("*")] == ["asset", "arm.usdz"]


# -- binary layers


def crate(
    *, entries: int = 1, section: bytes = b"", start: int = 32, size: int | None = None
) -> bytes:
    """A crate of version 0.8 with one section TOKENS, and a table of contents after it."""
    table = struct.pack(
        "<Q16sqq", entries, b"TOKENS", start, len(section) if size is None else size
    )
    return (
        struct.pack("<8s8Bq8x", b"PXR-USDC", 0, 8, 0, 0, 0, 0, 0, 0, 32 + len(section))
        + section
        + table
    )


TOKENS = struct.pack("<QQQ", 2, 8, 4) + b"abcd"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            crate(section=TOKENS, entries=1 << 40),
            "the section table of contents declares 1,099,511,627,776 entries",
        ),
        (crate(section=TOKENS, size=1 << 40), "the section TOKENS is not in the file"),
        (crate(section=TOKENS, start=-8), "the section TOKENS is not in the file"),
        (crate(section=struct.pack("<QQQ", 1 << 50, 8, 4)), "the section TOKENS declares"),
        (
            crate(section=struct.pack("<QQQ", 2, 1 << 50, 4) + b"abcd"),
            "the section TOKENS declares",
        ),
        (crate(section=struct.pack("<QQQ", 2, 8, 1 << 50)), "the section TOKENS declares"),
        (crate(section=b"\0" * 4), "the section TOKENS ends too early"),
        (b"PXR-USDC\0\0", "it ends too early"),
    ],
)
def test_a_binary_layer_that_declares_more_than_it_holds_is_refused(
    tmp_path: Path, data: bytes, sentence: str
) -> None:
    (tmp_path / "arm.usdc").write_bytes(data)
    with pytest.raises(FormatError, match=sentence) as refused:
        read_stage(tmp_path / "arm.usdc")
    assert refused.value.fix


def test_a_binary_layer_of_openusd_is_accepted(tmp_path: Path) -> None:
    from pxr import Sdf

    assert Sdf.Layer.FindOrOpen(str(write(tmp_path))).Export(str(tmp_path / "arm.usdc"))
    data = (tmp_path / "arm.usdc").read_bytes()
    refuse_false_counts(data)
    assert len(read_stage(tmp_path / "arm.usdc").urdf.links) == 2
    with pytest.raises(DamagedCrateError):
        refuse_false_counts(data[:-40])


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the memory of a process is bounded on Linux"
)
def test_an_array_that_declares_more_than_the_file_holds_does_not_fill_the_memory(
    tmp_path: Path,
) -> None:
    from pxr import Sdf

    mesh = "int[] faceVertexCounts = [3, 3, 3, 3, 3]\nint[] faceVertexIndices = [0, 1, 2]"
    path = write(tmp_path)
    path.write_text(
        HEAD + ARM.replace('def Cube "box"', 'def Mesh "box"').replace("double size = 0.2", mesh)
    )
    layer = Sdf.Layer.FindOrOpen(str(path))
    assert layer.Export(str(tmp_path / "arm.usdc"))
    data = (tmp_path / "arm.usdc").read_bytes()
    numbers = struct.pack("<5i", *[3] * 5)
    assert data.count(struct.pack("<Q", 5) + numbers) == 1
    (tmp_path / "arm.usdc").write_bytes(
        data.replace(struct.pack("<Q", 5) + numbers, struct.pack("<Q", 1 << 34) + numbers)
    )
    with pytest.raises(FormatError, match=r"damaged|no valid USD layer|cannot compose") as refused:
        read_stage(tmp_path / "arm.usdc")
    assert str(refused.value).count(str(tmp_path)) == 1
    with MemoryBound() as memory:
        memory.allow(100 << 20)
        with pytest.raises(MemoryError):
            bytearray(1 << 30)
    assert len(bytearray(1 << 28)) == 1 << 28


@pytest.mark.parametrize("unit", ["1e-320", "1e300", "0", "-1"])
@pytest.mark.parametrize("name", ["metersPerUnit", "kilogramsPerUnit"])
def test_a_unit_beyond_all_numbers_is_the_default(tmp_path: Path, name: str, unit: str) -> None:
    path = tmp_path / "arm.usda"
    head = HEAD.replace("metersPerUnit = 1", f"{name} = {unit}")
    path.write_text(head + ARM)
    masses = [
        link.inertial.mass for link in read_stage(path).urdf.links if link.inertial is not None
    ]
    assert masses[:2] == [2.0, 1.0]


def test_a_mass_below_all_numbers_is_no_mass(tmp_path: Path) -> None:
    path = tmp_path / "arm.usda"
    head = HEAD.replace("metersPerUnit = 1", "kilogramsPerUnit = 1e-29\n    metersPerUnit = 1e11")
    body = 'def Xform "stone" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{\n'
    cube = 'def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])\n{\n'
    path.write_text(
        f"{head}{body}{cube}float physics:density = 1e-38\ndouble size = 1e-87\n}}\n}}\n"
    )
    read = read_stage(path)
    assert [link.inertial for link in read.urdf.links] == [None]
    assert "stone" in next(e.detail for e in read.report.entries if e.item == "mass")
