"""A file of a kind that is not read, given where a robot is expected, is named as what it is, with
the way to go."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from PIL import Image

from editor_app.cli import run_command
from editor_app.core.formats.misnamed_files import UnreadKind, refuse_unread_kind
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.text.source import FormatError, SourceText

BINARY_STL = bytes(80) + struct.pack(
    "<I12fH", 1, *([0.0] * 3 + [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -0.5]), 0
)
#: (name of the file, content, what is said of it, the way to go)
FILES = [
    (
        "arm.xml",
        b'<?xml version="1.0"?>\n<!-- from a URDF -->\n<!-- b -->\n<mujocoinclude/>',
        "MJCF",
        "URDF",
    ),
    ("arm.txt", b"#usda 1.0\n", "USD", "Import"),
    ("arm", b"PXR-USDC\x00\x00\x88", "USD", "Import"),
    ("arm.xml", b'<gazebo version="1.0"/>', "SDF", "URDF"),
    ("part.stl", BINARY_STL, "mesh", "onto a link"),
    ("part.STL", b"solid part\n", "mesh", "onto a link"),
    ("part.obj", b"v 0 0 0\n", "mesh", "onto a link"),
    ("part.ply", b"ply\nformat ascii 1.0\n", "mesh", "onto a link"),
    ("part.glb", b"glTF\x02\x00\x00\x88", "mesh", "onto a link"),
    ("robot.step", b"ISO-10303-21;\n", "CAD", "Export"),
    ("view.launch", b"<launch/>", "launch", "URDF"),
]


@pytest.mark.parametrize(
    ("name", "content", "kind", "way"), FILES, ids=[f"{n}-{c[:8]!r}" for n, c, _, _ in FILES]
)
def test_each_is_named_with_the_way_to_go(
    tmp_path: Path, name: str, content: bytes, kind: str, way: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadKind) as refused:
        recognise_format(path)
    assert kind in refused.value.message
    assert way in (refused.value.fix or "")
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(
    "command", ["check", "fit", "mask", "new", "convert", "plan", "pose", "collide", "cost"]
)
def test_every_command_that_takes_a_robot_says_so(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = tmp_path / "part.stl"
    mesh.write_bytes(BINARY_STL)
    # A mesh alone is what a tool holds, which `fit` takes.
    kinds = [(mesh, "This is a mesh")] if command != "fit" else []
    for path, kind in kinds:
        more = {"convert": [str(tmp_path / "out.xrdf")], "collide": ["--at", "0"]}.get(command, [])
        assert run_command(command, [str(path), *more]) != 0
        told = capsys.readouterr()
        assert kind in told.out + told.err
        assert "URDF" in told.out + told.err


@pytest.mark.parametrize("name", ["photo.urdf", "photo.png"])
def test_a_picture_in_the_place_of_a_robot_is_none(
    name: str, sample_urdf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = tmp_path / name
    Image.new("RGB", (8, 8)).save(photo, "png")
    robot, out = str(sample_urdf), str(tmp_path / "out.urdf")
    commands = {
        "check": [],
        "new": ["-o", str(tmp_path / "out.xrdf")],
        "diff": [robot],
        "repair": [],
        "convert": [out],
        "collide": ["--at", "0"],
    }
    for command, more in commands.items():
        assert run_command(command, [str(photo), *more]) == 2
        told = capsys.readouterr()
        assert "The file is binary, not text" in told.out + told.err
        assert "Choose the file of the robot" in told.out + told.err
    for option in ("--scene", "--poses"):
        assert (
            run_command(
                "collide",
                [robot, option, str(photo), *(["--state", "default"] * (option == "--scene"))],
            )
            == 2
        )
        assert "The file is binary, not text" in capsys.readouterr().err


def test_a_text_of_no_kind_is_told_the_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("hello world")
    assert run_command("new", [str(tmp_path / "notes.txt")]) == 2
    assert "Choose a URDF, xacro, XRDF" in capsys.readouterr().err


def test_what_is_read_or_no_kind_at_all_is_not_refused_by_its_name(tmp_path: Path) -> None:
    for name, content in (
        ("a.stl", b"<robot name='r'><link name='a'/></robot>"),
        ("a.txt", b"solid"),
        ("a", b""),
    ):
        (tmp_path / name).write_bytes(content)
        refuse_unread_kind(tmp_path / name)
    refuse_unread_kind(tmp_path / "missing")
    refuse_unread_kind(tmp_path)


def test_a_text_in_the_memory_is_named_too() -> None:
    with pytest.raises(FormatError, match="MJCF"):
        read_urdf(SourceText.from_text("<mujoco/>", Path("arm.urdf")))
    with pytest.raises(FormatError, match="SDF"):
        read_urdf(SourceText.from_text("<sdf/>", Path("arm.urdf")))
    with pytest.raises(UnreadKind, match="SDF"):
        recognise_format(Path("gone.xml"), SourceText.from_text("<gazebo/>"))


def test_many_comments_without_an_element_take_no_time(tmp_path: Path) -> None:
    path = tmp_path / "long.xml"
    path.write_text("<!-- a -->" * 6000 + "<!")
    with pytest.raises(FormatError):
        recognise_format(path)
