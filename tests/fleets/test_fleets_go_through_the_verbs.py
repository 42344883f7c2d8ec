"""A fleet: each robot through the steps, nothing done twice, no bad robot stops the rest, and a
page that tells all."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import textwrap
from dataclasses import fields
from pathlib import Path

import pytest

from editor_app import cli
from editor_app.core.tasks.task import SILENT
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError
from editor_app.plugins.fleets.settings import STEPS, BatchSettings
from editor_app.plugins.fleets.verbs import run
from editor_app.plugins.fleets.verbs.fleet import RobotInputs, gathered, read_fleet
from editor_app.plugins.fleets.verbs.report import BatchReport, changes
from editor_app.plugins.fleets.verbs.robot_job import RobotResult, work_on_robot
from editor_app.plugins.fleets.verbs.run import LocalRunner, batch
from tests.helpers.robots import sample_urdf
from tests.helpers.small_robot import URDF_TEXT

#: Needs neither fit nor samples.
LIGHT = {"steps": ["new", "check", "convert"], "formats": ["lula"]}


def _box_arm(name: str, length: float = 0.3) -> str:
    shape = (
        f'<collision><origin xyz="0 0 {length / 2}"/><geometry><box size="0.1 0.1 '
        f'{length}"/></geometry></collision>'
    )
    links = "".join(f'<link name="{link}">{shape}</link>' for link in ("base", "upper", "fore"))
    joints = "".join(
        f'<joint name="{joint}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 {length * 1.2}"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" '
        'effort="1" velocity="1"/>'
        "</joint>"
        for joint, parent, child in (("j1", "base", "upper"), ("j2", "upper", "fore"))
    )
    return f'<robot name="{name}">{links}{joints}</robot>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fleet = tmp_path / "fleet"
    (fleet / "arms").mkdir(parents=True)
    (fleet / "small.urdf").write_text(URDF_TEXT)
    (fleet / "arms" / "small.urdf").write_text(URDF_TEXT.replace("small", "other"))
    return fleet


class _Here:
    """A runner without processes: what is done, not where, is asked in most tests."""

    slots = 1
    workers = ""

    def __init__(self) -> None:
        self._waiting: list[RobotInputs] = []

    def submit(self, inputs: RobotInputs) -> None:
        self._waiting.append(inputs)

    def finished(self, seconds: float) -> list[tuple[RobotInputs, RobotResult]]:
        waiting, self._waiting = self._waiting, []
        return [(inputs, work_on_robot(SILENT, inputs)) for inputs in waiting]


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        run, "open_runner", lambda jobs, dask, limit: contextlib.nullcontext(_Here())
    )


def _run(folder: Path, out: Path, **more: object) -> BatchReport:
    return batch(folder, out, settings={**LIGHT, **more}, jobs=1, pictures=False)


def test_a_robot_whose_meshes_are_missing_has_a_problem(
    folder: Path, tmp_path: Path, in_this_process: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its spheres are of what is left: how much of its surface they cover is not known."""
    for robot in folder.rglob("*.urdf"):
        robot.unlink()
    visual = '<link name="upper"><visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    (folder / "whole.urdf").write_text(_box_arm("whole"))
    (folder / "bare.urdf").write_text(_box_arm("bare").replace('<link name="upper">', visual))
    report = _run(folder, tmp_path / "out", steps=["new", "fit", "check"], effort="fast", budget=6)
    robots = {robot.name: robot for robot in report.robots}
    assert robots["bare"].missing_meshes == ("upper",)
    assert robots["bare"].problems == 1
    assert robots["bare"].record["figures"]["coverage"] is None
    assert robots["whole"].problems == 0
    assert robots["whole"].record["figures"]["coverage"] > 0.5
    assert not report.is_sound
    assert report.misses_meshes_alone
    assert "meshes missing: upper" in report.page.read_text()
    asked = [
        str(folder),
        "-o",
        str(tmp_path / "out"),
        "--steps",
        "new,fit,check",
        "--effort",
        "fast",
        "--no-pictures",
    ]
    assert cli.run_command("batch", [*asked, "-q"]) == 4
    told = capsys.readouterr().out
    assert "  meshes missing: upper; coverage is unknown" in told
    assert "1 of 2 robots without a problem" in told


# -- which robots


def test_a_folder_has_the_robots_below_it_and_not_those_of_the_results(folder: Path) -> None:
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "a.urdf").write_text(URDF_TEXT)
    (folder / "out").mkdir()
    (folder / "out" / "b.urdf").write_text(URDF_TEXT)
    fleet = read_fleet(folder, without=folder / "out")
    assert [robot.name for robot in fleet.robots] == ["small", "arms/small"]
    assert fleet.robots[0].settings.steps == STEPS
    with pytest.raises(Refused, match="no URDF"):
        read_fleet(_empty(folder))


def _empty(folder: Path) -> Path:
    empty = folder / "empty"
    empty.mkdir()
    return empty


def test_a_manifest_names_robots_files_and_settings_which_the_caller_overrides(
    folder: Path,
) -> None:
    manifest = folder / "fleet.yaml"
    manifest.write_text(
        "steps: [check, new]\nsettings: {effort: fast, seed: 3}\npackages: {p: arms}\n"
        "robots:\n  - small.urdf\n  - {urdf: arms/small.urdf, budget: 40, effort: best, packages: "
        "{q: .}}\n"
    )
    first, second = read_fleet(manifest, {"seed": 5}).robots
    assert (first.name, second.name) == ("small", "small-2")
    assert first.settings == BatchSettings(steps=("new", "check"), effort="fast", seed=5)
    assert second.settings == BatchSettings(
        steps=("new", "check"), effort="best", seed=5, budget=40
    )
    assert second.packages == {"p": folder / "arms", "q": folder}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("robots: []", "no robots"),
        ("robots: [a.urdf]\nsteps: [fly]", "'fly' is not one of new, fit"),
        ("robots: [a.urdf]\nsettings: {speed: 1}", "unknown setting 'speed'"),
        ("robots: [a.urdf]\nsettings: {queries: -1}", "0 or more"),
        ("robots: [{name: x}]", "no urdf"),
        ("robot: [a.urdf]\nrobots: [a.urdf]", "unknown key 'robot'"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused_with_its_fault(
    tmp_path: Path, text: str, reason: str
) -> None:
    manifest = tmp_path / "fleet.yaml"
    manifest.write_text(text)
    with pytest.raises(FormatError, match=re.escape(reason)):
        read_fleet(manifest)


def test_the_manifest_of_the_help_is_one(tmp_path: Path) -> None:
    text = cli.parser_of("batch").description or ""
    manifest = tmp_path / "fleet.yaml"
    manifest.write_text(
        textwrap.dedent("\n".join(line for line in text.splitlines() if line.startswith("    ")))
    )
    first, second, third = read_fleet(manifest).robots
    assert (first.name, second.name, second.settings.budget) == ("ur10e", "panda", 80)
    assert (third.name, third.model) == ("lab", "arm")
    for setting in fields(BatchSettings):
        assert re.search(rf"\b{setting.name}\b", text), setting.name


# -- what is done


@pytest.mark.usefixtures("in_this_process")
def test_what_is_done_is_not_done_again_until_an_input_changes(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = _run(folder, out)
    assert first.is_sound
    assert [robot.reused for robot in first.robots] == [False, False]
    assert all(robot.changes == ("new in the fleet",) for robot in first.robots)
    written = (out / "arms" / "small" / "small.xrdf").read_bytes()
    again = _run(folder, out)
    assert [robot.reused for robot in again.robots] == [True, True]
    assert not any(robot.changes for robot in again.robots)
    # A result that is damaged, and one whose input changed.
    (out / "small" / "small.lula.yaml").write_text("")
    urdf = folder / "arms" / "small.urdf"
    urdf.write_text(urdf.read_text().replace('type="continuous"', 'type="fixed"'))
    third = _run(folder, out)
    assert [robot.reused for robot in third.robots] == [False, False]
    assert not third.robots[0].changes
    assert "controlled joints: 3 → 2" in third.robots[1].changes
    assert (out / "arms" / "small" / "small.xrdf").read_bytes() != written


@pytest.mark.usefixtures("in_this_process")
def test_bad_robots_are_told_of_and_the_others_go_on(folder: Path, tmp_path: Path) -> None:
    (folder / "broken.urdf").write_text('<robot name="x"><link')
    (folder / "bare.urdf").write_text('<robot name="&lt;b>bare&lt;/b>"><link name="only"/></robot>')
    out = tmp_path / "out"
    report = batch(
        folder,
        out,
        settings={**LIGHT, "steps": ["new", "fit", "check", "plan"]},
        jobs=1,
        pictures=False,
    )
    states = {
        robot.name: {s["step"]: s["state"] for s in robot.record["steps"]}
        for robot in report.robots
    }
    assert states["broken"] == {"open": "failed"}
    assert states["bare"]["new"] == "done"
    assert states["bare"]["fit"] == states["bare"]["plan"] == "refused"
    assert states["small"]["check"] == "done"
    assert not report.is_sound
    page = report.page.read_text(encoding="utf-8")
    assert "Not well-formed XML" in page
    assert "<b>bare" not in page
    # What failed is tried again; what was refused would be refused again.
    assert [robot.name for robot in _again(folder, out).robots if not robot.reused] == ["broken"]


def _again(folder: Path, out: Path) -> BatchReport:
    return batch(
        folder,
        out,
        settings={**LIGHT, "steps": ["new", "fit", "check", "plan"]},
        jobs=1,
        pictures=False,
    )


def test_a_robot_whose_process_is_killed_has_a_result_that_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[str] = []

    def submit(self: LocalRunner, inputs: object) -> None:
        original(self, inputs)  # type: ignore[arg-type]
        if not killed:
            killed.append(inputs.name)  # type: ignore[attr-defined]
            (worker,) = self._executor._pool._workers
            assert worker._process.pid is not None
            os.kill(worker._process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    original = LocalRunner.submit
    monkeypatch.setattr(LocalRunner, "submit", submit)
    report = _run(folder, tmp_path / "out")
    by_name = {robot.name: robot for robot in report.robots}
    (name,) = killed
    (step,) = by_name.pop(name).record["steps"]
    assert step["state"] == "failed"
    assert "ended unexpectedly" in step["message"]
    assert all(robot.problems == 0 for robot in by_name.values())
    monkeypatch.undo()
    assert _run(folder, tmp_path / "out").is_sound


def test_a_folder_with_other_files_is_not_written_into(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.tex").write_text("")
    with pytest.raises(Refused, match="not empty"):
        _run(folder, out)


def test_the_result_does_not_depend_on_the_folder_or_on_the_way_that_the_files_came() -> None:
    """With meshes by package, as files and as contents: the same bytes, and no trace of the folder
    worked in."""
    urdf = sample_urdf()
    (robot,) = read_fleet(urdf.parent, {**LIGHT, "formats": ["curobo", "lula"]}).robots
    inputs = gathered(robot)
    assert len(inputs.meshes) > 5
    contents = {digest: path.read_bytes() for digest, path in inputs.digests.items()}
    from_files = work_on_robot(SILENT, inputs)
    from_contents = work_on_robot(SILENT, inputs, contents)
    assert from_files.record == from_contents.record
    assert from_files.files == from_contents.files
    assert not any(b"xrdf-editor-batch-" in data for data in from_files.files.values())
    assert "xrdf-editor-batch-" not in json.dumps(from_files.record)
    assert urdf.as_posix().encode() in from_files.files["heron.curobo.yml"]


def test_changes_are_told_in_words() -> None:
    step, finding = {"step": "fit", "state": "done"}, {"code": "XRDF1", "message": "bad"}
    before = {"figures": {"spheres": 10, "coverage": 0.9}, "steps": [step], "findings": [finding]}
    now = {
        "figures": {"spheres": 12, "coverage": 0.9},
        "steps": [{**step, "state": "refused"}],
        "findings": [],
    }
    assert changes(before, now) == ("spheres: 10 → 12", "fit: done → refused", "gone: XRDF1: bad")
    assert changes(before, before) == ()


def test_the_command_goes_through_all_steps_draws_and_ends_with_a_code_for_ci(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet, out = tmp_path / "fleet", tmp_path / "out"
    fleet.mkdir()
    (fleet / "arm.urdf").write_text(_box_arm("arm"))
    arguments = [
        str(fleet),
        "-o",
        str(out),
        "--effort",
        "fast",
        "--samples",
        "500",
        "--queries",
        "3",
        "--jobs",
        "1",
    ]
    assert cli.run_command("batch", arguments) == 0
    told = capsys.readouterr()
    assert "1 of 1 robots without a problem" in told.out
    assert "1 of 1 robots" in told.err
    assert sorted(path.name for path in (out / "arm").iterdir()) == [
        "arm.curobo.yml",
        "arm.xrdf",
        "picture.png",
        "result.json",
    ]
    figures = json.loads((out / "arm" / "result.json").read_text())["record"]["figures"]
    assert figures["solved"] == figures["queries"] == 3
    assert figures["coverage"] > 0.9
    assert (out / "arm" / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert 'src="./arm/picture.png"' in (out / "index.html").read_text()
    (fleet / "broken.urdf").write_text("<robot")
    assert cli.run_command("batch", [*arguments, "--no-pictures"]) == 1
    assert cli.run_command("batch", [str(tmp_path / "nowhere"), "-o", str(out)]) == 2


@pytest.mark.usefixtures("in_this_process")
def test_a_robot_with_a_test_file_is_tested(folder: Path, tmp_path: Path) -> None:
    path = folder / "small.tests.yaml"
    limit = (
        "tests:\n  - {{name: a, limits: {{joint: j1, upper: {}}}}}\n  - {{name: b, controls: "
        "{{default: {{j1: 0}}}}}}\n"
    )
    for value, passed in ((3, 1.0), (4, 0.5)):
        path.write_text(
            "format: robot-tests\nformat_version: 1\n" + limit.format(value), encoding="utf-8"
        )
        report = batch(folder, tmp_path / "out", settings={"steps": ["new"]}, pictures=False)
        small = next(robot for robot in report.robots if robot.name == "small")
        assert not small.reused
        assert small.record["figures"]["tests_passed"] == passed
        assert [
            each["code"] for each in small.record["findings"] if each["code"].startswith("TEST")
        ] == ([] if value == 3 else ["TEST019"])
        other = next(robot for robot in report.robots if robot.name != "small")
        assert "tests_passed" not in other.record["figures"]
    assert "tests passed: 100 % → 50 %" in small.changes
