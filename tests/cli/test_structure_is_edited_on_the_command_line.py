"""`edit` leaves the bytes that the window's commands leave, makes its changes in order, and refuses
in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document import commands
from editor_app.core.model.urdf import JointType
from editor_app.core.verbs.new_link import NewLink, new_link, shape_named
from tests.helpers.robots import copy_of_sample

ARM = (
    '<?xml version="1.0"?>\n<!-- mine -->\n<robot name="arm">\n  <link name="base_link"/> <!-- '
    "kept -->\n</robot>\n"
)


def test_files_are_those_of_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = (copy_of_sample(tmp_path / name) for name in ("ours", "theirs"))
    arguments = [
        "--rename-link",
        "hand_link=palm",
        "--remove-branch",
        "left_finger_link",
        "--insert-link",
        "mount=palm",
    ]
    before = ours.read_bytes()
    assert run_command("edit", [str(ours), *arguments]) == 0
    assert "nothing was written" in capsys.readouterr().out
    assert ours.read_bytes() == before
    assert run_command("edit", [str(ours), *arguments, "--in-place"]) == 0
    told = capsys.readouterr().out
    for words in (
        "Rename link to palm",
        "Remove link left_finger_link and everything below it: 1 link",
        f"wrote {ours}",
    ):
        assert words in told
    document = editor_app.open_robot(theirs)
    document.execute(commands.RenameLink("hand_link", "palm"))
    document.execute(commands.RemoveLink("left_finger_link"))
    joint = document.robot.urdf.joint_to("palm")
    assert joint is not None
    document.execute(commands.InsertLink(joint.name, "mount", "mount_joint"))
    editor_app.save(document)
    for suffix in (".urdf", ".xrdf", ".srdf"):
        assert ours.with_suffix(suffix).read_bytes() == theirs.with_suffix(suffix).read_bytes()
        assert b'hand_link"' not in ours.with_suffix(suffix).read_bytes()
    out = tmp_path / "other" / "out.urdf"
    out.parent.mkdir()
    assert run_command("edit", [str(ours), "--merge", "mount", "-o", str(out)]) == 0
    assert editor_app.open_robot(out).robot.urdf.link("mount") is None


def test_a_robot_is_built_as_in_the_window(tmp_path: Path) -> None:
    path, out = tmp_path / "arm.urdf", tmp_path / "out.urdf"
    path.write_text(ARM, encoding="utf-8")
    built = ["--add-link", "turret=base_link", "--joint", "turret_joint:type=revolute"]
    built += ["--joint", "turret_joint:xyz=0,0,40mm", "--joint", "turret_joint:axis=0,0,1"]
    built += ["--joint", "turret_joint:lower=-90deg", "--joint", "turret_joint:upper=pi/2"]
    built += ["--shape", "turret=cylinder,40mm,0.2"]
    assert run_command("edit", [str(path), *built, "-o", str(out)]) == 0
    document = editor_app.open_robot(path)
    half = 1.5707963267948966
    turret = NewLink(
        "turret",
        "base_link",
        JointType.REVOLUTE,
        (0.0, 0.0, 0.04),
        limits=(-half, half),
        shape=shape_named("cylinder", (0.04, 0.2)),
    )
    document.execute(new_link(document.robot, turret).change)
    assert out.read_text(encoding="utf-8") == document.urdf_text
    assert "<!-- mine -->" in document.urdf_text
    assert "<!-- kept -->" in document.urdf_text
    assert not out.with_suffix(".xrdf").exists(), "a draft is no file"
    assert document.robot.xrdf.cspace is not None
    assert document.robot.xrdf.cspace.joint_names == ("turret_joint",)


def test_inertias_come_from_shapes(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    shapes = ["--add-link", "a=base_link", "--add-link", "frame=a", "--shape", "a=box,0.1,0.2,0.3"]
    assert run_command("edit", [str(path), *shapes, "--inertia", "all", "--in-place"]) == 0
    document = editor_app.open_robot(path)
    assert editor_app.bare_links(document.robot.urdf) == ()
    link, frame = document.robot.urdf.link("a"), document.robot.urdf.link("frame")
    assert frame is not None
    assert frame.inertial is None
    assert link is not None
    assert link.inertial is not None
    assert link.inertial.mass == pytest.approx(6.0)
    assert link.inertial.origin.xyz == (0.0, 0.0, 0.15)
    # m/12 (y² + z²)
    assert link.inertial.inertia[0] == pytest.approx(6.0 / 12 * (0.2**2 + 0.3**2))
    assert run_command("edit", [str(path), "--inertia", "frame", "--in-place"]) == 2, (
        "it has no shape"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no change given"),
        (["--rename-link", "base_link"], "--rename-link wants OLD=NEW"),
        (["--remove-link", "nowhere"], "nowhere"),
        (["--remove-branch", "nowhere"], "nowhere"),
        (["--set-parent", "base_link=base_link"], "no joint has the child link base_link"),
        (["--insert-link", "a=base_link"], "no joint has the child link base_link"),
        (["--joint", "a:colour=1"], "with KEY one of type, xyz"),
        (["--joint", "a:xyz=1,2"], "xyz has 3 numbers, not 2"),
        (["--joint", "a:xyz=1,2,what"], "--joint '1,2,what'"),
        (["--joint", "a:type=hinge"], "the type must be one of"),
        (["--joint", "a:type=fixed"], "The a does not exist"),
        (["--shape", "base_link=box,1"], "a shape must be box"),
        (["--add-link", "base_link=base_link"], "base_link"),
    ],
)
def test_what_cannot_be_done_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    assert run_command("edit", [str(path), *arguments, "--in-place"]) == 2
    assert words in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == ARM
