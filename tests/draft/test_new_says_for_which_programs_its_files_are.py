"""A first file says which program would refuse the robot, and how to repair it; --profile judges by
that program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.features.draft.cli.new import _plans_badly
from editor_app.features.draft.verbs.new import NewXrdf, new

#: cuRobo refuses a c-space joint without effort.
URDF = """<robot name="two"><link name="base"/><link name="arm"/><link name="hand"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="{0}" velocity="1"/></joint>
<joint name="bend" type="revolute"><parent link="arm"/><child link="hand"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/></joint></robot>
"""


def robot(folder: Path, effort: float) -> Path:
    path = folder / "two.urdf"
    path.write_text(URDF.format(effort))
    return path


def test_a_program_that_would_refuse_the_robot_is_named_with_the_command_that_mends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = robot(tmp_path, 0)
    made = new(path)
    assert set(made.consumers.refused_by) == {Profile.CUROBO}
    assert main(["new", str(path), "-o", str(tmp_path / "a.xrdf")]) == 0
    said = capsys.readouterr().err
    assert "Does not load in cuRobo: XRDF902" in said
    assert "Loads in cuMotion." in said
    (command,) = (line for line in said.splitlines() if "xrdf-editor repair" in line)
    words = (
        command.partition("xrdf-editor ")[2].replace("FOLDER", str(tmp_path / "repaired")).split()
    )
    assert main(words) == 0
    assert main(["check", str(tmp_path / "repaired" / "two.urdf"), "--profile", "curobo"]) == 0


def test_the_profile_judges_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = robot(tmp_path, 0)
    arguments = [
        "new",
        str(path),
        "-o",
        str(tmp_path / "a.xrdf"),
        "--profile",
        "curobo",
        "--format",
        "json",
    ]
    assert main(arguments) == 1
    report = json.loads(capsys.readouterr().out)
    assert {finding["code"] for finding in report["findings"]} == {"XRDF330", "XRDF902"}
    assert [each["code"] for each in report["refused_by"]["curobo"]] == ["XRDF902"]


def test_a_robot_that_all_take_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["new", str(robot(tmp_path, 10)), "-o", str(tmp_path / "a.xrdf"), "--force"]
    assert main(command) == 0
    assert "Loads in cuMotion and cuRobo." in capsys.readouterr().err
    assert main([*command, "--profile", "isaac"]) == 0
    assert "Loads in cuMotion, cuRobo and Isaac Sim." in capsys.readouterr().err


def test_spheres_that_hardly_plan_end_in_a_code_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = new(robot(tmp_path, 10))
    assert not _plans_badly(made)
    fields = {name: getattr(made, name) for name in NewXrdf.__dataclass_fields__}
    closed = NewXrdf(**{**fields, "findings": (Finding("XRDF515", Severity.WARNING, "closed"),)})
    monkeypatch.setattr("editor_app.features.draft.verbs.new.new", lambda *_, **__: closed)
    assert main(["new", str(tmp_path / "two.urdf"), "-o", str(tmp_path / "b.xrdf")]) == 3
    assert "XRDF515: closed" in capsys.readouterr().err
