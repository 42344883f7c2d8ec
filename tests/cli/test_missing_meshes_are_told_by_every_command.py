"""A robot of which a mesh is missing is told so by every command, and once for a package that is
nowhere."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.model.findings import Severity
from editor_app.core.text.source import SourceText
from editor_app.features.checks.verbs.check_files import check_files
from editor_app.features.draft.verbs.new import NewSettings, new
from editor_app.plugins.language_server.verbs.live_texts import live_robot

BOX = '<{0}><geometry><box size="0.1 0.1 0.1"/></geometry></{0}>'
MESH = '<{0}><geometry><mesh filename="{1}"/></geometry></{0}>'
BODY = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)


def robot(folder: Path, arm: str, hand: str = BOX.format("collision")) -> Path:
    path = folder / "r.urdf"
    path.write_text(
        f'<robot name="r">\n<link name="base">{BOX.format("collision")}</link>\n<link '
        f'name="arm">{BODY}{arm}</link>\n'
        f'<link name="hand">{hand}</link>\n'
        '<joint name="a" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 '
        '0.3"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>\n'
        '<joint name="b" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0 0 '
        '0.3"/></joint>\n'
        "</robot>\n"
    )
    return path


def test_check_tells_the_file_the_link_and_the_line(tmp_path: Path) -> None:
    path = robot(tmp_path, MESH.format("visual", "meshes/arm.stl"))
    (checked,) = check_files([path])
    (finding,) = checked.findings
    assert (finding.code, finding.severity, finding.subject.links) == (
        "MESH001",
        Severity.WARNING,
        ("arm",),
    )
    assert "meshes/arm.stl was not found" in finding.message
    assert finding.location is not None
    assert (finding.location.file, finding.location.line) == (str(path), 3)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "arm.stl").write_bytes(b"nothing")
    assert not check_files([path])[0].findings
    assert [f.code for f in check_files([path], slow=True)[0].findings] == ["MESH003"]


def test_a_package_that_is_nowhere_is_told_once_and_a_mapping_cures_it(tmp_path: Path) -> None:
    path = robot(
        tmp_path,
        MESH.format("visual", "package://lost_parts/arm.stl"),
        MESH.format("visual", "package://lost_parts/hand.stl")
        + MESH.format("collision", "package://lost_parts/hull.stl"),
    )
    (finding,) = check_files([path])[0].findings
    assert finding.subject.links == ("arm", "hand")
    assert finding.message.startswith(
        "3 meshes of links 'arm', 'hand' are missing: the folder of the package 'lost_parts'"
    )
    for name in ("arm", "hand", "hull"):
        (tmp_path / f"{name}.stl").write_bytes(b"")
    assert not check_files([path], packages={"lost_parts": tmp_path})[0].findings


def test_every_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = robot(tmp_path, MESH.format("collision", "arm.stl"))
    assert main(["check", str(path)]) == 0
    assert "MESH001" in capsys.readouterr().out
    assert main(["check", str(path), "--slow", "--format", "sarif"]) == 0
    assert "MESH001" in capsys.readouterr().out
    assert main(["fit", str(path), "--effort", "fast", "--format", "json"]) == 0
    (skipped,) = json.loads(capsys.readouterr().out)["skipped"]
    assert skipped["link"] == "arm"
    assert "arm.stl was not found" in skipped["reason"]
    told = live_robot(path, SourceText.read).findings
    assert [each.code for each in told] == ["MESH001"]
    made = new(path, settings=NewSettings(fit=True))
    by_code = {finding.code: finding for finding in made.findings}
    assert "MESH001" in by_code
    # What has a mass and no sphere is a part of the robot that nothing sees.
    assert by_code["XRDF307"].severity is Severity.WARNING


def test_a_robot_without_any_mesh_is_refused_in_one_sentence_for_each_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = "package://lost_parts/meshes/{}.stl"
    path = tmp_path / "urdf" / "r.urdf"
    path.parent.mkdir()
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.stl").write_bytes(b"")
    names = [*"abcdef", "bare"]
    meshes = "".join(MESH.format(kind, lost.format("{0}")) for kind in ("visual", "collision"))
    links = "".join(
        f'<link name="{name}">{meshes.format(name) if name != "bare" else ""}</link>'
        for name in names
    )
    joints = "".join(
        f'<joint name="to_{child}" type="fixed"><parent link="{parent}"/><child '
        f'link="{child}"/></joint>'
        for parent, child in pairwise(names)
    )
    path.write_text(f'<robot name="r">{links}{joints}</robot>')
    assert main(["fit", str(path)]) != 0
    told = capsys.readouterr().err
    assert told.count("lost_parts/") == 1
    assert "6 meshes of links 'a', 'b', 'c', 'd' and 2 more are missing" in told
    assert f"--package lost_parts={tmp_path}" in told
    assert "bare: it has no collision geometry" in told
