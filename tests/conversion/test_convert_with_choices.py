"""`convert` attaches, merges, ignores and poses as a simulator's reader would, and says what that
did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editor_app.cli import run_command
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.xrdf import AddFrame
from editor_app.core.text.source import SourceText
from tests.helpers.robots import sample_urdf

ARM = """<robot name="arm">
  <!-- the arm -->
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="plate"><visual><geometry><box size="1 1 0.1"/></geometry></visual></link>
  <link name="upper"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="bolts" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 0.5"/></joint>
  <joint name="turn" type="continuous"><parent link="plate"/><child link="upper"/><origin xyz="0 0 0.25"/></joint>
</robot>
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, object]]:
    code = run_command("convert", [*map(str, arguments), "--format", "json"])
    report = capsys.readouterr().err
    return code, json.loads(report) if report.startswith("{") else {"error": report}


def test_a_urdf_is_patched_as_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "arm.urdf", tmp_path / "out.urdf"
    source.write_text(ARM)
    code, report = run(capsys, source, target, "--merge-links", "--attach-to-world")
    assert code == 0, report
    urdf = read_urdf(SourceText.read(target)).value
    assert [link.name for link in urdf.links] == ["world", "base", "upper"]
    turn = urdf.joint("turn")
    assert turn is not None
    assert (turn.parent, turn.origin.xyz) == ("base", (0.0, 0.0, 0.75))
    assert "<!-- the arm -->" in target.read_text()
    assert "merged into base" in json.dumps(report)
    code, report = run(
        capsys, source, sample_urdf().with_suffix(".xrdf"), tmp_path / "plain.urdf", "--to", "urdf"
    )
    assert (tmp_path / "plain.urdf").read_bytes() == source.read_bytes()
    assert "stays in its file" in json.dumps(report)
    code, report = run(capsys, source, tmp_path / "same.urdf")
    assert code == 0
    assert (tmp_path / "same.urdf").read_bytes() == source.read_bytes()
    assert "byte for byte" in json.dumps(report)


def test_positions_and_pairs_go_into_the_xrdf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "arm.urdf", tmp_path / "out.xrdf"
    source.write_text(ARM)
    code, _ = run(capsys, source, target, "--joint", "0.5", "--ignore-linked")
    assert code == 0
    xrdf = read_xrdf(SourceText.read(target)).value
    assert xrdf.default_joint_positions == {"turn": 0.5}
    assert xrdf.self_collision is not None
    assert len(xrdf.self_collision.ignored_pairs()) == 3
    assert "# Placeholder" in target.read_text(), "a draft says which numbers are guesses"
    code, report = run(capsys, source, tmp_path / "x.urdf", "--joint", "turn=1", "--fail-on-loss")
    assert code == 1
    assert "a URDF cannot store them" in json.dumps(report)


def test_what_does_not_fit_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "arm.urdf"
    source.write_text(ARM)
    for wrong in (("--joint", "bolts=1"), ("--joint", "1,2"), ("--attach-to-world", "plate")):
        code, report = run(capsys, source, tmp_path / "out.xrdf", *wrong)
        assert code == 2
        assert str(report["error"]).count("\n") == 1
        assert not (tmp_path / "out.xrdf").exists()


def test_a_robot_with_its_xrdf_keeps_what_the_xrdf_speaks_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = sample_urdf()
    code, report = run(
        capsys,
        urdf,
        urdf.with_suffix(".xrdf"),
        tmp_path / "o.urdf",
        "--to",
        "urdf",
        "--merge-links",
    )
    assert code == 0, report
    left = {link.name for link in read_urdf(SourceText.read(tmp_path / "o.urdf")).value.links}
    xrdf = read_xrdf(SourceText.read(urdf.with_suffix(".xrdf"))).value
    parents = {m.parent_frame_name for m in xrdf.modifiers or () if isinstance(m, AddFrame)}
    assert parents
    assert parents <= left


XRDF = """format: xrdf
format_version: 1.0
# by hand
default_joint_positions: {turn: 0.25}
cspace:
  joint_names: [turn]
  acceleration_limits: [1.0]
  jerk_limits: [1.0]
geometry:
  g:
    spheres:
      plate: [{center: [0.0, 0.0, 0.0], radius: 0.1}]
"""
SRDF = """<robot name="arm">
  <!-- by hand -->
  <disable_collisions link1="base" link2="plate" reason="Adjacent"/>
  <disable_collisions link1="plate" link2="upper" reason="Adjacent"/>
</robot>
"""


def test_what_changes_with_a_urdf_is_written_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in" / "arm.urdf"
    source.parent.mkdir()
    source.write_text(ARM)
    source.with_suffix(".xrdf").write_text(XRDF)
    source.with_suffix(".srdf").write_text(SRDF)
    files = [source, source.with_suffix(".xrdf"), source.with_suffix(".srdf")]
    target = tmp_path / "out" / "arm.urdf"
    code, report = run(
        capsys,
        *files,
        target,
        "--to",
        "urdf",
        "--merge-links",
        "--joint",
        "turn=0.5",
        "--fail-on-loss",
    )
    assert code == 0, report
    assert report["files"] == [
        str(target),
        str(target.with_suffix(".srdf")),
        str(target.with_suffix(".xrdf")),
    ]
    xrdf = read_xrdf(SourceText.read(target.with_suffix(".xrdf"))).value
    (sphere,) = xrdf.spheres_of("g")["base"]
    assert sphere.center == (0.0, 0.0, 0.5)
    assert xrdf.default_joint_positions == {"turn": 0.5}
    for ending in (".xrdf", ".srdf"):
        assert "by hand" in target.with_suffix(ending).read_text(), "patched, not written anew"
    assert "plate" not in target.with_suffix(".srdf").read_text()
    assert "stays in its file" not in json.dumps(report)
    # Without choices that touch them they are not written.
    code, report = run(
        capsys, *files, tmp_path / "out" / "same.urdf", "--to", "urdf", "--attach-to-world"
    )
    assert report["files"] == [str(tmp_path / "out" / "same.urdf")]


def test_meshes_that_are_left_behind_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in" / "arm.urdf"
    source.parent.mkdir()
    source.write_text(ARM.replace('<box size="1 1 0.1"/>', '<mesh filename="meshes/plate.stl"/>'))
    code, report = run(capsys, source, tmp_path / "out" / "arm.urdf")
    assert code == 0
    notes: Any = report["notes"]
    (note,) = notes
    assert "meshes/plate.stl" in note
    assert "1 mesh named relative to" in note
    _, report = run(capsys, source, source.with_name("copy.urdf"))
    assert report["notes"] == []


@pytest.mark.parametrize(
    ("name", "to", "sentence"),
    [
        (
            "out.srdf",
            "xrdf",
            "belongs to a srdf file, but xrdf is requested. Name it *.xrdf, or request srdf.",
        ),
        ("out.urdf", "collada", "belongs to a urdf or spheres-urdf file, but collada is requested"),
        ("out.lula.yaml", "curobo", "belongs to a lula file, but curobo is requested"),
    ],
)
def test_a_name_that_contradicts_the_format_is_refused(
    name: str, to: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "arm.urdf", tmp_path / name
    source.write_text(ARM)
    code, report = run(capsys, source, target, "--to", to)
    assert code == 2
    assert sentence in " ".join(str(report["error"]).split())
    assert name in str(report["error"])
    assert not target.exists()
    # A name that says nothing takes any format.
    assert run(capsys, source, tmp_path / "out.txt", "--to", to)[0] == 0
