"""The files that an MJCF names are read by this program, and its sizes are bounded before MuJoCo
compiles it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.text.source import FormatError
from editor_app.plugins.mjcf.compiled import compile_model
from editor_app.plugins.mjcf.read import read_mjcf
from editor_app.plugins.mjcf.sources import MOST_COPIES, read_sources

BOX = trimesh.creation.box((0.1, 0.2, 0.3)).export(file_type="stl")
BODY = '<worldbody><body name="b"><geom type="mesh" mesh="f"/></body></worldbody>'
MESH = '<asset><mesh file="f.stl"/></asset>'


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by their names, in which __ stands for a slash and a dot is left out: `sub__i` is
    sub/i.xml."""
    for name, content in files.items():
        path = folder / (name.replace("__", "/") + (".xml" if isinstance(content, str) else ".stl"))
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(content) if isinstance(content, str) else path.write_bytes(content)
    return folder / "m.xml"


#: Where MuJoCo looks for f.stl: files, and the place of the mesh.
LAYOUTS: dict[str, tuple[dict[str, str], str]] = {
    "beside": ({"m": f"<mujoco>{MESH}{BODY}</mujoco>"}, "f.stl"),
    "meshdir": ({"m": f'<mujoco><compiler meshdir="sub"/>{MESH}{BODY}</mujoco>'}, "sub/f.stl"),
    "assetdir": ({"m": f'<mujoco><compiler assetdir="sub"/>{MESH}{BODY}</mujoco>'}, "sub/f.stl"),
    "stripped": (
        {"m": (
            '<mujoco><compiler strippath="true" '
            f'meshdir="sub"/>{MESH.replace("f.stl", "zzz/f.stl")}{BODY}</mujoco>'
        )},
        "sub/f.stl",
    ),
    "included": (
        {"m": f'<mujoco><compiler meshdir="sub"/><include file="inc/i.xml"/>{BODY}</mujoco>',
         "inc__i": f"<mujocoinclude>{MESH}</mujocoinclude>"},
        "sub/f.stl",
    ),
    "beside the included": (
        {"m": f'<mujoco><include file="inc/i.xml"/>{BODY}</mujoco>',
         "inc__i": f"<mujocoinclude>{MESH}</mujocoinclude>"},
        "inc/f.stl",
    ),
    "compiler in one, mesh in another": (
        {"m": f'<mujoco><include file="c.xml"/><include file="i.xml"/>{BODY}</mujoco>',
         "c": '<mujocoinclude><compiler meshdir="sub"/></mujocoinclude>',
         "i": f"<mujocoinclude>{MESH}</mujocoinclude>"},
        "sub/f.stl",
    ),
    "attached": (
        {"m": '<mujoco><asset><model name="c" file="in/child.xml"/></asset><worldbody><body name="a"><attach model="c" '
              'body="b" prefix="x_"/></body></worldbody></mujoco>',
         "in__child": f'<mujoco><compiler meshdir="sub"/>{MESH}{BODY}</mujoco>'},
        "in/sub/f.stl",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_files_are_found_where_mujoco_finds_them(name: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    files, place = LAYOUTS[name]
    path = write(tmp_path, **files)
    (tmp_path / place).parent.mkdir(exist_ok=True, parents=True)
    (tmp_path / place).write_bytes(BOX)
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), compile_model(path)
    assert ours.model.nmesh == 1
    assert np.array_equal(theirs.mesh_vert, ours.model.mesh_vert)
    assert theirs.mesh(0).name == ours.model.mesh(0).name
    assert [each.resolve() for each in ours.sources.paths.values() if each.suffix == ".stl"] == [
        tmp_path / place
    ]
    robot = read_mjcf(path).urdf
    assert robot is not None
    assert f'filename="{place}"' in robot.source.text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes of that kind")
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_pipe_in_the_place_of_a_mesh_is_refused(name: str, tmp_path: Path) -> None:
    files, place = LAYOUTS[name]
    path = write(tmp_path, **files)
    (tmp_path / place).parent.mkdir(exist_ok=True, parents=True)
    os.mkfifo(tmp_path / place)
    with pytest.raises(
        FormatError, match=r"f\.stl cannot be read: it is a pipe, not a file"
    ) as caught:
        read_sources(path)
    assert caught.value.location.line is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes of that kind")
@pytest.mark.parametrize(
    "text",
    [
        '<mujoco><INCLUDE file="p"/></mujoco>',
        '<mujoco><asset><model name="c" file="p"/></asset></mujoco>',
        '<mujoco><asset><model name="c" file="p" content_type="text/xml"/></asset></mujoco>',
        f'<mujoco><asset><mesh file="{os.devnull}" name="f"/></asset>{BODY}</mujoco>',
    ],
)
def test_other_names_of_pipes_and_devices_are_refused(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, m=text)
    os.mkfifo(tmp_path / "p")
    with pytest.raises(FormatError, match=r"it is a (pipe|device), not a file"):
        read_sources(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes of that kind")
def test_pictures_height_maps_and_skins_are_not_opened(tmp_path: Path) -> None:
    """Nothing of them is in a URDF: MuJoCo gets neither their files nor their sizes."""
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    sides = " ".join(f'file{side}="p"' for side in ("right", "left", "up", "down", "front", "back"))
    path = write(
        tmp_path,
        m=f"""<mujoco><size memory="900G" nuserdata="2000000000"/>
        <visual><quality shadowsize="1000000"/></visual>
        <custom><numeric name="n" size="2000000000"/></custom>
        <asset><texture type="cube" name="t" {sides}/><texture name="u" type="2d" file="p"/>
        <texture name="w" builtin="checker" width="60000" height="60000"/><material name="m" texture="t">
        <layer texture="u" role="rgb"/></material><skin name="s" file="p"/><hfield name="h" file="p" size="1 1 1 1"/>
        <hfield name="g" nrow="50000" ncol="50000" size="1 1 1 1"/></asset>
        <worldbody><geom type="hfield" hfield="g"/><body name="b"><geom size="1" material="m"/><joint name="j"/>
        <flexcomp name="f" type="grid" count="1000 1000 1000" dim="3"/></body></worldbody>
        <equality><flex flex="f"/></equality>
        <actuator><position joint="j" nsample="2000000000" delay="1"/></actuator>
        <sensor><user name="s" dim="2000000000"/><jointpos joint="j" nsample="2000000000"/></sensor></mujoco>""",
    )
    os.mkfifo(tmp_path / "p")
    report = read_mjcf(path).report
    assert report is not None
    lost = {entry.item: entry.detail for entry in report.of(Fate.LOST)}
    assert lost["texture"].startswith("3 pictures")
    assert lost["skin, flex"].startswith("3:")
    assert lost["sensor"].startswith("2:")
    assert lost["height field"].startswith("2:")


def _nested(depth: int, count: int) -> str:
    return (
        f'<replicate count="{count}" offset="0.1 0 0">' * depth
        + '<geom size=".01"/>'
        + "</replicate>" * depth
    )


BOMBS = {
    "replicate": f"<mujoco><worldbody>{_nested(1, 1000000)}</worldbody></mujoco>",
    "nested": f"<mujoco><worldbody>{_nested(2, 300)}</worldbody></mujoco>",
    "in "
    "a "
    "frame": f"<mujoco><worldbody><body><frame>{_nested(3, 60)}</frame></body></worldbody></mujoco>",
    "composite": '<mujoco><worldbody><body><composite type="cable" count="100000 1 1" size="1"><geom type="capsule" '
                 'size=".01"/></composite></body></worldbody></mujoco>',
    "mesh": '<mujoco><asset><mesh name="f" builtin="supersphere" params="100000 1 1"/></asset></mujoco>',
    "activations": (
        '<mujoco><actuator><general joint="j" dyntype="user" '
        'actdim="100000000"/></actuator></mujoco>'
    ),
    "not a number": f"<mujoco><worldbody>{_nested(1, 7)}</worldbody></mujoco>".replace('"7"', '"0x7fffffff"'),
    "infinite": f"<mujoco><worldbody>{_nested(1, 1)}</worldbody></mujoco>".replace('"1"', '"inf"'),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_sizes_are_refused_before_mujoco_sees_them(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, m=BOMBS[name])
    with pytest.raises(FormatError, match=r"the limit is [\d,]+|is not a number"):
        read_sources(path)


def test_models_that_attach_each_other_many_times_are_refused(tmp_path: Path) -> None:
    files = {
        f"m{depth}"
        if depth
        else "m": f'<mujoco model="m{depth}"><asset><model name="n" file="m{depth + 1}.xml"/></asset>'
        '<worldbody><body name="b">'
        + "".join(f'<attach model="n" body="b" prefix="{side}"/>' for side in "xyz")
        + "</body></worldbody></mujoco>"
        for depth in range(12)
    }
    path = write(tmp_path, **files, m12='<mujoco><worldbody><body name="b"/></worldbody></mujoco>')
    with pytest.raises(FormatError, match=f"the limit is {MOST_COPIES:,}"):
        read_sources(path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"m": '<mujoco><include file="m.xml"/></mujoco>'}, "already included"),
        (
            {
                "m": '<mujoco><include file="a.xml"/></mujoco>',
                "a": '<mujoco><include file="./a.xml"/></mujoco>',
            },
            "already",
        ),
        (
            {"m": '<mujoco><asset><model name="m" file="m.xml"/></asset></mujoco>'},
            "m.xml attaches itself",
        ),
        (
            {"m": '<mujoco><include file="none.xml"/></mujoco>'},
            "'none.xml' of <include> was not found",
        ),
        (
            {"m": '<mujoco><asset><mesh file="none.stl"/></asset></mujoco>'},
            "'none.stl' of <mesh> was not found",
        ),
        ({"m": '<mujoco><asset><mesh file="a\0b.stl"/></asset></mujoco>'}, "m.xml:1"),
        (
            {"m": '<mujoco><asset><model file="a.xml"/></asset></mujoco>', "a": "<robot/>"},
            "an MJCF needs <mujoco>",
        ),
    ],
)
def test_names_that_lead_nowhere_are_refused_with_their_line(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as caught:
        read_sources(write(tmp_path, **files))
    assert message in str(caught.value)
    assert caught.value.location.line == 1


def test_mujoco_gets_each_element_in_its_line_and_no_name_of_a_file(tmp_path: Path) -> None:
    text = (
        '<mujoco>\n\n<compiler meshdir="sub" angle="radian"/><!-- meshdir="x" '
        f'-->\n{MESH}\n<include file="i.xml"/>\n'
        '<worldbody><body name="&lt;&quot;&#10;é"/></worldbody>\n</mujoco>'
    )
    path = write(tmp_path, m=text, i='<mujoco>\n\n\n<option timestep="1"/></mujoco>', sub__f=BOX)
    sources = read_sources(path)
    lines = sources.text.splitlines()
    assert lines[2] == '<compiler angle="radian"></compiler>'
    mesh = r'<asset><mesh file="[0-9a-f]{24}_f\.stl" name="f"></mesh></asset>'
    assert re.fullmatch(f'{mesh}<option timestep="1"></option>', lines[3])
    assert lines[5].startswith("<worldbody><body name='&lt;\"&#10;é'>")
    assert "f.stl" not in {*sources.files, *sources.text.split('"')}
    (name,) = sources.files
    assert sources.files[name] == BOX


def test_what_mujoco_refuses_is_in_the_line_of_the_main_file(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    path = write(
        tmp_path,
        m='<mujoco>\n<include file="i.xml"/>\n<worldbody>\n\n<body name="b">\n<joint type="odd"/></body>'
        "</worldbody></mujoco>",
        i="<mujoco>\n\n\n\n\n\n\n\n<option/></mujoco>",
    )
    with pytest.raises(FormatError, match="MuJoCo does not compile this file") as caught:
        compile_model(path)
    assert caught.value.location.line == 6


def test_equal_names_with_other_contents_are_other_meshes(tmp_path: Path) -> None:
    """MuJoCo keeps meshes by name for all models of a process."""
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    assert mujoco
    text = f"<mujoco>{MESH}{BODY}</mujoco>"
    sizes = []
    for number, data in enumerate((BOX, trimesh.creation.box((1, 1, 1)).export(file_type="stl"))):
        path = write(tmp_path / str(number), m=text, f=data)
        sizes.append(float(np.ptp(compile_model(path).model.mesh_vert)))
    assert sizes[1] > 3 * sizes[0]
