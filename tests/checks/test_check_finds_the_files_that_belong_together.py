"""`check` and the pre-commit hook: a pair of files that do not fit is told, whichever of the two is
named."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.features.checks.verbs.check_files import check_files
from tests.helpers.documents import make_document

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def hook() -> dict[str, object]:
    hooks = load_plain(SourceText.read(ROOT / ".pre-commit-hooks.yaml"))
    return next(each for each in hooks if each["id"] == "xrdf-editor-check")


def run_hook(*files: Path) -> int:
    """As pre-commit does it: the names of the changed files behind the entry."""
    program, *arguments = shlex.split(str(hook()["entry"]))
    assert program == "packaging/hook.py"
    return run(*arguments, *files)


def make_pair(folder: Path, *, broken: bool = False) -> tuple[Path, Path]:
    folder.mkdir(exist_ok=True)
    make_document(folder)
    urdf, xrdf = folder / "arm.urdf", folder / "arm.xrdf"
    if broken:
        text = urdf.read_text(encoding="utf-8")
        urdf.write_text(text.replace('"upper"', '"upper_renamed"'), encoding="utf-8")
    return urdf, xrdf


@pytest.mark.parametrize("named", [["arm.xrdf"], ["arm.urdf"], ["arm.urdf", "arm.xrdf"]])
def test_a_pair_is_checked_together_whichever_file_is_named(
    named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_pair(tmp_path)
    paths = [tmp_path / name for name in named]
    assert run("check", *paths) == 0
    make_pair(tmp_path, broken=True)
    capsys.readouterr()
    assert run("check", *paths, "--format", "json") == 1
    told = capsys.readouterr()
    assert {
        Path(record["file"]).name
        for record in json.loads(told.out)
        if record["severity"] == "error"
    } >= {"arm.xrdf"}
    lines = [line for line in told.err.splitlines() if "Also checked" in line]
    assert len(lines) == (0 if len(named) == 2 else 1), "told in one line"


def test_the_only_robot_that_is_named_counts_before_the_one_beside(tmp_path: Path) -> None:
    urdf, xrdf = make_pair(tmp_path, broken=True)
    sound, _ = make_pair(tmp_path / "sound")
    assert run("check", sound, xrdf) == 0
    assert run("check", xrdf, "--urdf", sound) == 0
    assert run("check", sound, xrdf, "--nearest-urdf") == 1
    assert run("check", sound, xrdf, "--beside") == 1, "its former name"
    assert urdf.is_file()


def test_a_file_without_a_robot_is_not_checked_against_that_of_another_folder(
    tmp_path: Path,
) -> None:
    _, xrdf = make_pair(tmp_path / "one", broken=True)
    _, lonely = make_pair(tmp_path / "two")
    (tmp_path / "two" / "arm.urdf").unlink()
    lonely = lonely.rename(tmp_path / "two" / "other.xrdf")
    findings = {file.path: file.findings for file in check_files([xrdf, lonely])}
    assert any(finding.severity.name == "ERROR" for finding in findings[xrdf])
    assert not any(finding.severity.name == "ERROR" for finding in findings[lonely])


def test_robots_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    sound, broken = make_pair(tmp_path / "one"), make_pair(tmp_path / "two", broken=True)
    for files in ((*sound, *broken), (*broken, *sound)):
        with_errors = {
            file.path
            for file in check_files(files)
            if any(finding.severity.name == "ERROR" for finding in file.findings)
        }
        assert with_errors & set(sound) == set()
        assert broken[1] in with_errors


def test_the_hook_refuses_a_broken_pair_from_any_selection_of_files(tmp_path: Path) -> None:
    sound, broken = make_pair(tmp_path / "one"), make_pair(tmp_path / "two", broken=True)
    everything = [*sound, *broken]
    assert all(re.search(str(hook()["files"]), path.name) for path in everything)
    assert hook()["require_serial"] is True
    assert run_hook(*everything) == 1
    for path in broken:
        assert run_hook(path) == 1
        for other in sound:
            assert run_hook(path, other) == 1
            assert run_hook(other) == 0
    assert run_hook(*sound) == 0


@pytest.mark.parametrize("named", ["arm.usda", "crane.xrdf"])
def test_an_xrdf_belongs_to_a_robot_of_another_program_only_by_its_names(
    named: str, tmp_path: Path
) -> None:
    pytest.importorskip("pxr", reason="the extra is not installed")
    from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

    (tmp_path / "arm.usda").write_text(HEAD + ARM, encoding="utf-8")
    crane = tmp_path / "crane.xrdf"
    text = "format: xrdf\nformat_version: 1.0\ntool_frames: [{}]\n"
    crane.write_text(text.format("hook"), encoding="utf-8")
    assert [file.path.name for file in check_files([tmp_path / named])] == [named]
    crane.write_text(text.format("upper"), encoding="utf-8")
    both = {"arm.usda", "crane.xrdf"}
    assert {file.path.name for file in check_files([tmp_path / named])} == both
    # The same file name says that they belong together, whatever is in them.
    crane.write_text(text.format("hook"), encoding="utf-8")
    other = crane.rename(tmp_path / "arm.xrdf")
    file = other if named == "crane.xrdf" else tmp_path / named
    assert {each.path.name for each in check_files([file])} == {"arm.usda", "arm.xrdf"}
