"""`convert` attaches, merges, ignores and poses as a simulator's reader would, and says what that did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.xrdf import AddFrame
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
    code = run_command("convert", [*map(str, arguments), "--report", "json"])
    report = capsys.readouterr().err
    return code, json.loads(report) if report.startswith("{") else {"error": report}


def test_a_urdf_is_patched_as_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "arm.urdf", tmp_path / "out.urdf"
    source.write_text(ARM)
    code, report = run(capsys, source, target, "--merge-links", "--attach-to-world")
    assert code == 0, report
    urdf = read_urdf(SourceText.read(target)).urdf
    assert [link.name for link in urdf.links] == ["world", "base", "upper"]
    turn = urdf.joint("turn")
    assert turn is not None
    assert (turn.parent, turn.origin.xyz) == ("base", (0.0, 0.0, 0.75))
    assert "<!-- the arm -->" in target.read_text()
    assert "merged into base" in json.dumps(report)
    code, report = run(capsys, source, sample_urdf().with_suffix(".xrdf"), tmp_path / "plain.urdf", "--to", "urdf")
    assert (tmp_path / "plain.urdf").read_bytes() == source.read_bytes()
    assert "stays in its own file" in json.dumps(report)
    code, report = run(capsys, source, tmp_path / "same.urdf")
    assert code == 0
    assert (tmp_path / "same.urdf").read_bytes() == source.read_bytes()
    assert "byte for byte" in json.dumps(report)


def test_positions_and_pairs_go_into_the_xrdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "arm.urdf", tmp_path / "out.xrdf"
    source.write_text(ARM)
    code, _ = run(capsys, source, target, "--joint", "0.5", "--ignore-linked")
    assert code == 0
    xrdf = read_xrdf(SourceText.read(target)).xrdf
    assert xrdf.default_joint_positions == {"turn": 0.5}
    assert xrdf.self_collision is not None
    assert len(xrdf.self_collision.ignored_pairs()) == 3
    assert "# Placeholder" in target.read_text(), "a draft says which numbers are guesses"
    code, report = run(capsys, source, tmp_path / "x.urdf", "--joint", "turn=1", "--fail-on-loss")
    assert code == 1
    assert "no place" in json.dumps(report)


def test_what_does_not_fit_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    code, report = run(capsys, urdf, urdf.with_suffix(".xrdf"), tmp_path / "o.urdf", "--to", "urdf", "--merge-links")
    assert code == 0, report
    left = {link.name for link in read_urdf(SourceText.read(tmp_path / "o.urdf")).urdf.links}
    xrdf = read_xrdf(SourceText.read(urdf.with_suffix(".xrdf"))).xrdf
    parents = {m.parent_frame_name for m in xrdf.modifiers or () if isinstance(m, AddFrame)}
    assert parents
    assert parents <= left
