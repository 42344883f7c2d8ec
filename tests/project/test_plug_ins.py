"""Plug-ins: a package beside the program contributes a format, a rule with a fix and a command; any
can be left out."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import editor_app
from editor_app import __main__, cli
from editor_app.cli import run_command
from editor_app.core import feature
from editor_app.core.formats import registry
from editor_app.features.checks.engine.rule import RULES
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.plug_ins import files_of_the_manual, installed_plug_in


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[None]:
    with installed_plug_in(tmp_path / "site", "acme", files_of_the_manual("acme")):
        yield
    RULES.pop("ACME001", None)


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(URDF)
    (tmp_path / "arm.xrdf").write_text(CLEAN)
    return urdf


@pytest.mark.usefixtures("acme")
def test_a_command_of_a_plug_in_runs(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["count", str(robot)]) == 0
    assert capsys.readouterr().out.strip() == str(
        len(editor_app.open_robot(robot).robot.urdf.links)
    )


@pytest.mark.usefixtures("acme")
def test_a_format_of_a_plug_in_is_written_and_recognised(robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "arm.acme"
    assert run_command("convert", [str(robot), str(out)]) == 0
    assert out.read_text().startswith("ACME\n")
    assert registry.recognise_format(out).name == "acme"


@pytest.mark.usefixtures("acme")
def test_a_rule_of_a_plug_in_gives_a_finding_and_its_fix_removes_it(tmp_path: Path) -> None:
    urdf = tmp_path / "bare.urdf"
    urdf.write_text(URDF)
    document = editor_app.open_robot(urdf)
    document.execute(editor_app.commands.SetToolFrames(()))
    (finding,) = [each for each in editor_app.check(document) if each.code == "ACME001"]
    document.execute(finding.fixes[0])
    assert "ACME001" not in {each.code for each in editor_app.check(document)}


@pytest.fixture
def formats_are_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(feature.WITHOUT, raising=False)
    yield
    registry.foreign_codecs.cache_clear()


FORMATS = [each for each in feature.built_in_features() if each.module("codec") is not None]


@pytest.mark.usefixtures("formats_are_looked_up_again")
@pytest.mark.parametrize("plug_in", FORMATS, ids=lambda plug_in: plug_in.name)
def test_without_a_format_the_others_are_there(
    plug_in: feature.Feature, robot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = plug_in.module("codec")
    assert module is not None
    codec = importlib.import_module(module.name).CODEC
    everything = {each.name for each in registry.codecs()}
    monkeypatch.setenv(feature.WITHOUT, plug_in.name)
    registry.foreign_codecs.cache_clear()
    assert {each.name for each in registry.codecs()} == everything - {codec.name}
    assert __main__.main(["convert", str(robot), str(tmp_path / "out.srdf")]) == 0


def test_without_a_plug_in_its_command_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "compose" in cli.list_commands()
    monkeypatch.setenv(feature.WITHOUT, "assembly")
    assert "compose" not in cli.list_commands()
    assert "fit" in cli.list_commands()


@pytest.mark.usefixtures("formats_are_looked_up_again")
def test_an_unknown_plug_in_is_refused_with_those_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert __main__.main(["--without", "nothing", "check"]) == 2
    assert "unknown plug-in nothing. Choose one of: assembly, " in capsys.readouterr().err
