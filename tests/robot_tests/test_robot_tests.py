"""Tests of robots: each kind passes on the right robot, fails on a damaged one, and names the
fault."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app.__main__ import main
from editor_app.cli import run_command
from editor_app.core.formats.scenes.files import SceneFormat, scene_text
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.core.verbs.text_help import complete_word, hover
from editor_app.plugins.robot_tests.kinds import KINDS, VOCABULARY, entries_of_kind, suite_schema
from editor_app.plugins.robot_tests.verbs import keep_tests
from tests.helpers.turner import HEAD, write_turner

#: One test of each kind that holds for the robot.
TESTS = {
    "free": "free: {at: {yaw: 0.0}, clearance: 324 mm}",
    "collides": "collides: {at: {yaw: 90deg}, pair: [arm, post], depth: 0.099}",
    "plan": "plan: {start: {yaw: 0.0}, goal: {yaw: 0.9}, clearance: 0.02}",
    "reach": "reach: {frame: tip, position: [0.0, 0.4, 0.0]}",
    "frame": (
        "frame: {frame: tip, at: {yaw: 1.5707963267948966}, position: [0, 0.4, 0], rpy: [0, 0, "
        "90deg]}"
    ),
    "motion": "motion: {file: way.csv}",
    "distance": "distance: {frames: [tip, post], at: {yaw: 0}, distance: 0.5}",
    "mechanism": "mechanism: {file: release/turner.urdf}",
    "mask": "mask:",
    "spheres": "spheres: {link: arm, coverage_at_least: 0.9, protrusion_at_most: 2 mm, number_at_most: 1}",
    "cost": "cost: {false_collisions_at_most: 0.05, missed_collisions_at_most: 0.05, samples: 500}",
    "limits": "limits: {joint: yaw, lower: -1, upper: 3, velocity: 2, acceleration: 10, jerk: 100}",
    "controls": "controls: {joints: [yaw], tools: [tip], default: {yaw: 0}}",
    "loads": "loads: {programs: [specification]}",
}
Robot = Callable[..., editor_app.Document]


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    """Return a function that writes and opens the robot, its texts changed by (old, new)."""

    def write(*changes: tuple[str, str]) -> editor_app.Document:
        return editor_app.open_robot(write_turner(tmp_path, *changes))

    return write


def write_tests(folder: Path, *kinds: str) -> Path:
    path = folder / "turner.tests.yaml"
    lines = [f"  - name: {json.dumps(kind)}\n    {TESTS.get(kind, kind)}\n" for kind in kinds]
    path.write_text(HEAD + "".join(lines), encoding="utf-8")
    return path


def run_one(document: editor_app.Document, folder: Path, kind: str) -> editor_app.TestResult:
    report = editor_app.test_robot(document, write_tests(folder, kind))
    assert report.suite.findings == ()
    [result] = report.results
    return result


def test_every_kind_passes_on_the_right_robot(robot: Robot, tmp_path: Path) -> None:
    csv_of(tmp_path, 0.0, 0.5, name="way.csv")
    assert set(TESTS) == set(KINDS)
    report = editor_app.test_robot(robot(), write_tests(tmp_path, *TESTS))
    assert [(each.test.name, each.sentence) for each in report.failed] == []
    assert report.is_passed
    assert report.told == f"{len(TESTS)} passed"


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        # 0.6 sin(pi / 4) - 0.1 - 0.01 = 0.3143 m
        (
            "free",
            ("radius: 0.05}\n      post", "radius: 0.06}\n      post"),
            "arm and post are 314.26 mm apart",
        ),
        ("free", ('lower="-1"', 'lower="0.5"'), "joint yaw is 0.5 beyond its limits"),
        (
            "collides",
            ("center: [0.3,", "center: [0.1,"),
            "arm and post do not collide: they are 100.00 mm apart",
        ),
        (
            "collides",
            ("geometry: balls\ngeometry", "geometry: balls\n  ignore: {arm: [post]}\ngeometry"),
            "ignores",
        ),
        # At 0.9 rad the tip is 0.6 sin((pi / 2 - 0.9) / 2) - 0.1 = 0.0974 m from the post, 0.0174 m
        # with 40 mm more.
        (
            "plan",
            ("radius: 0.05}\n      post", "radius: 0.14}\n      post"),
            "arm and post 7.49 mm apart at the narrowest point",
        ),
        ("reach", ('xyz="0.4 0 0"', 'xyz="0.35 0 0"'), "tip does not reach the target: 50.0 mm"),
        (
            "frame",
            ('xyz="0.4 0 0"', 'xyz="0.401 0 0"'),
            "tip is 1.000 mm from its expected position",
        ),
        (
            "frame",
            ('<origin xyz="0.4 0 0"/>', '<origin xyz="0.4 0 0" rpy="0 0 0.1"/>'),
            "turned by 5.730°",
        ),
        ("mechanism", ('xyz="0 0.3 0"', 'xyz="0 0.301 0"'), "post is up to 1.00 mm from its place"),
        ("mechanism", ('upper="3"', 'upper="2.5"'), "joint yaw has other limits"),
        (
            "mask",
            ("geometry: balls\ngeometry", "geometry: balls\n  ignore: {arm: [post]}\ngeometry"),
            "arm and post",
        ),
        (
            "spheres",
            ("radius: 0.05}\n      post", "radius: 0.045}\n      post"),
            "the spheres cover 0.00% of arm",
        ),
        (
            "spheres",
            ("radius: 0.05}\n      post", "radius: 0.06}\n      post"),
            "spheres of arm protrude by up to 10.",
        ),
        (
            "cost",
            ("radius: 0.05}\n      post", "radius: 0.02}\n      post"),
            "of the collisions are missed",
        ),
        ("limits", ('velocity="2"', 'velocity="2.5"'), "joint yaw: velocity 2.5, not 2"),
        ("limits", ("jerk_limits: [100.0]", "jerk_limits: [90.0]"), "joint yaw: jerk 90, not 100"),
        (
            "controls",
            ("tool_frames: [tip]", "tool_frames: [arm]"),
            "the tool frames are arm, not tip",
        ),
        ("controls", ("{yaw: 0.0}", "{yaw: 0.1}"), "the default of yaw is 0.1, not 0"),
        ("loads", ("joint_names: [yaw]", "joint_names: [yow]"), "does not load the files: XRDF"),
    ],
)
def test_a_damage_fails_the_test_of_its_kind(
    robot: Robot, tmp_path: Path, kind: str, change: tuple[str, str], words: str
) -> None:
    result = run_one(robot(change), tmp_path, kind)
    assert result.state is editor_app.TestState.FAILED
    assert words in result.sentence
    finding = result.finding
    assert finding is not None
    assert finding.code == KINDS[kind].CODE
    assert str(finding.location) == f"{tmp_path / 'turner.tests.yaml'}:4:11"


def test_a_failed_configuration_is_shown_by_its_pose_and_pair(robot: Robot, tmp_path: Path) -> None:
    result = run_one(robot(), tmp_path, "free: {at: {yaw: 1.5}}")
    assert result.pose == {"yaw": 1.5}
    assert set(result.pair or ()) == {"arm", "post"}
    depth = 0.1 - 0.6 * math.sin((math.pi / 2 - 1.5) / 2)
    assert f"overlap by {depth * 1e3:.2f} mm" in result.sentence


def test_a_signed_reason_decides_an_ignored_pair(robot: Robot, tmp_path: Path) -> None:
    ignore = "geometry: balls\n  ignore:\n    arm:\n      - post  # {}\ngeometry"
    for reason, state in (
        ("on purpose", "failed"),
        ("on purpose; signed A. Meyer 2026-11-29", "passed"),
    ):
        document = robot(("geometry: balls\ngeometry", ignore.format(reason)))
        assert run_one(document, tmp_path, "mask").state == state


def test_obstacles_of_the_scene_count(robot: Robot, tmp_path: Path) -> None:
    room = editor_app.scene
    wall = room.Scene((room.Obstacle("wall", room.BoxShape((0.1, 0.1, 0.1)), (0.3, 0.0, 0.0)),))
    (tmp_path / "cell.yaml").write_text(scene_text(wall, SceneFormat.EDITOR)[0], encoding="utf-8")
    path = tmp_path / "turner.tests.yaml"
    test = "  - name: free\n    free: {at: default}\n"
    path.write_text(HEAD.replace("tests:", "scene: cell.yaml\ntests:") + test, encoding="utf-8")
    [result] = editor_app.test_robot(robot(), path).results
    assert result.pair == ("arm", "wall")


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        (
            "  - {name: a, free: {att: default}}",
            "4:22",
            "unknown key 'att'; the nearest name is at",
        ),
        (
            "  - {name: a, fre: {at: default}}",
            "4:15",
            "unknown key 'fre'; the nearest name is free",
        ),
        ("  - {name: a, free: {at: {yow: 1}}}", "4:27", "no joint 'yow'; the nearest name is yaw"),
        ("  - {name: a, free: {at: hom}}", "4:26", "no configuration 'hom'"),
        (
            "  - {name: a, frame: {frame: tipp, position: [0, 0, 0]}}",
            "4:30",
            "no frame 'tipp'; the nearest name is tip",
        ),
        ("  - {name: a, limits: {joint: yoo, lower: 0}}", "4:31", "no joint 'yoo'"),
        (
            "  - {name: a, free: {at: default, clearance: wide}}",
            "4:46",
            "clearance must be 0 or more, not 'wide'",
        ),
        (
            "  - {name: a, free: {at: default, clearance: -1}}",
            "4:46",
            "clearance must be 0 or more, not -1",
        ),
        (
            "  - {name: a, collides: {at: default, pair: [arm]}}",
            "4:45",
            "pair must be a list of two names",
        ),
        ("  - {name: a, frame: {frame: tip}}", "4:22", "frame needs the key position"),
        (
            "  - {name: a, limits: {joint: yaw}}",
            "4:23",
            "limits needs one of the keys lower, upper",
        ),
        (
            "  - {name: a, loads: {programs: [cumotoin]}}",
            "4:33",
            "programs must be a list of programs",
        ),
        ("  - {name: a}", "4:5", "the test has no kind"),
        ("  - {name: a, mask: , free: {at: default}}", "4:5", "the test has the kinds mask, free"),
        ("  - {free: {at: default}}", "4:5", "the test needs a name"),
        (
            "  - {name: a, mask: }\n  - {name: a, mask: }",
            "5:12",
            "another test has the name 'a' (line 4)",
        ),
        ("  - {name: a, name: b, mask: }", "4:15", "the key 'name' is in this mapping 2 times"),
        ("  - just words", "4:5", "a test must be a mapping"),
    ],
)
def test_a_fault_of_the_file_has_its_line(
    robot: Robot, tmp_path: Path, lines: str, place: str, words: str
) -> None:
    path = tmp_path / "turner.tests.yaml"
    path.write_text(HEAD + lines + "\n", encoding="utf-8")
    report = editor_app.test_robot(robot(), path)
    assert not report.is_passed
    messages = [each.message for each in report.findings]
    finding = next(
        (each for each in report.findings if words.casefold() in each.message.casefold()), None
    )
    assert finding is not None, messages
    assert str(finding.location) == f"{path}:{place}"


@pytest.mark.parametrize(
    "text", ["", "tests: []", "format: xrdf\nformat_version: 1\ntests: []", "[1, 2]"]
)
def test_another_file_is_no_test_file(robot: Robot, text: str) -> None:
    codes = [finding.code for finding in editor_app.read_suite(text, robot()).findings]
    assert "TEST001" in codes


def test_a_test_whose_meshes_are_missing_is_not_run(robot: Robot, tmp_path: Path) -> None:
    document = robot(('<sphere radius="0.05"/>', '<mesh filename="absent.stl"/>'))
    result = run_one(document, tmp_path, "spheres")
    assert result.state is editor_app.TestState.NOT_RUN
    assert result.finding is not None
    assert result.finding.code == "TEST005"


# -- command line


def test_the_exit_code_says_whether_all_tests_passed(
    robot: Robot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot()
    urdf = str(tmp_path / "turner.urdf")
    assert run_command("test", [urdf]) == 2
    assert "create the first tests with `xrdf-editor test --propose`" in capsys.readouterr().err
    write_tests(tmp_path, "free", "limits")
    assert run_command("test", [urdf]) == 0
    assert capsys.readouterr().out == f"{urdf}: 2 passed\n"
    robot(('velocity="2"', 'velocity="2.5"'))
    assert run_command("test", [urdf]) == 1
    assert (
        f"{tmp_path / 'turner.tests.yaml'}:6: failed: limits: joint yaw" in capsys.readouterr().out
    )
    assert run_command("test", [urdf, "--only", "free"]) == 0
    write_tests(tmp_path, "free", "mask: {sample: 1}")
    assert run_command("test", [urdf]) == 2


def test_reports_for_programs_name_the_failed_test(
    robot: Robot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot(('velocity="2"', 'velocity="2.5"'))
    path, urdf = write_tests(tmp_path, "free", "limits"), str(tmp_path / "turner.urdf")
    texts = {}
    for kind in ("json", "junit", "sarif", "github", "html"):
        assert run_command("test", [urdf, "--format", kind, "--no-pictures"]) == 1
        texts[kind] = capsys.readouterr().out
    [record] = json.loads(texts["json"])
    assert [(each["name"], each["state"], each["line"]) for each in record["tests"]] == [
        ("free", "passed", 4),
        ("limits", "failed", 6),
    ]
    suite = ElementTree.fromstring(texts["junit"])[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    [result] = json.loads(texts["sarif"])["runs"][0]["results"]
    assert result["ruleId"] == "TEST019"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 6
    assert texts["github"].startswith("::error file=")
    assert ",line=6," in texts["github"]
    assert "joint yaw: velocity 2.5, not 2" in texts["html"]
    assert path.is_file()


def test_updating_changes_values_of_failed_tests_alone(robot: Robot, tmp_path: Path) -> None:
    robot(('velocity="2"', 'velocity="2.5"'), ('xyz="0.4 0 0"', 'xyz="0.5 0 0"'))
    path = tmp_path / "turner.tests.yaml"
    text = (
        "# Ours.\r\nformat: robot-tests\r\nformat_version: 1\r\ntests:\r\n"
        "  - name: limits   # of the data sheet\r\n    limits: {joint: yaw, velocity: 2.0, lower: "
        "-1}\r\n"
        "  - name: free\r\n    free: {at: default, clearance: 10 mm}  # a requirement\r\n"
        "  - name: tip\r\n    frame:\r\n      frame: tip\r\n      position: [0.4, 0.0, 0.0]  # "
        "metres\r\n"
    )
    path.write_bytes(text.encode())
    assert run_command("test", [str(tmp_path / "turner.urdf"), "--update"]) == 0
    expected = text.replace("velocity: 2.0", "velocity: 2.5").replace(
        "[0.4, 0.0, 0.0]", "[0.5, 0.0, 0.0]"
    )
    assert path.read_bytes().decode() == expected


def test_bounds_are_updated_to_the_safe_side(robot: Robot, tmp_path: Path) -> None:
    robot()
    write_tests(
        tmp_path,
        "free: {at: {yaw: 0.0}, clearance: 0.5}",
        "spheres: {link: arm, protrusion_at_most: 0}",
    )
    urdf = str(tmp_path / "turner.urdf")
    assert run_command("test", [urdf]) == 1
    assert run_command("test", [urdf, "--update"]) == 0
    [test, *_] = editor_app.read_tests(editor_app.open_robot(urdf)).tests
    assert 0.999 * 0.32426 < test.kind.clearance <= 0.6 * math.sin(math.pi / 4) - 0.1  # type: ignore[attr-defined]


def test_a_proposed_suite_passes_and_is_the_same_again(robot: Robot, tmp_path: Path) -> None:
    document = robot()
    proposal = editor_app.propose_tests(document)
    assert proposal.text == editor_app.propose_tests(document).text
    suite = editor_app.read_suite(proposal.text, document)
    assert suite.findings == ()
    assert {test.kind.KEY for test in suite.tests} == set(KINDS) - {
        "mechanism",
        "motion",
        "distance",
    }
    assert editor_app.test_robot(document, suite).is_passed
    assert run_command("test", [str(tmp_path / "turner.urdf"), "--propose"]) == 0
    assert run_command("test", [str(tmp_path / "turner.urdf"), "--propose"]) == 2
    assert run_command("test", [str(tmp_path / "turner.urdf")]) == 0


def test_a_proposal_leaves_out_tests_that_fail(robot: Robot) -> None:
    document = robot(
        ("geometry: balls\ngeometry", "geometry: balls\n  ignore: {arm: [post]}\ngeometry")
    )
    proposal = editor_app.propose_tests(document) if document.robot.xrdf.self_collision else None
    assert proposal is not None
    assert (
        "# Left out: Ignored pairs are proven or signed: the mask ignores arm and post"
        in proposal.text
    )


# -- one table


def test_the_schema_takes_what_the_reader_takes(robot: Robot) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft7Validator(suite_schema())
    right = {"format": "robot-tests", "format_version": 1}
    load = editor_app.read_suite
    for lines in TESTS.values():
        text = f"{HEAD}  - name: a\n    {lines}\n"
        assert check.is_valid(load_plain(SourceText.from_text(text))), lines
    for wrong in (
        "free: {att: default}",
        "frame: {frame: tip}",
        "spheres: {link: arm}",
        "limits: {joint: yaw}",
    ):
        text = f"{HEAD}  - name: a\n    {wrong}\n"
        assert not check.is_valid(load_plain(SourceText.from_text(text))), wrong
        assert load(text, robot()).findings
    assert check.is_valid({**right, "tests": []})


def test_every_key_has_help() -> None:
    for key, kind in KINDS.items():
        for name in entries_of_kind(kind):
            place = VOCABULARY.place_at(("tests", 0, key, name))
            assert place is not None
            assert place.means.endswith(".")


# -- in CI and text editors


def test_hooks_test_each_robot_of_changed_files_once(
    robot: Robot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot()
    names = [str(tmp_path / name) for name in ("turner.urdf", "turner.xrdf", "release/turner.urdf")]
    assert run_command("test", ["--changed", *names]) == 0
    assert capsys.readouterr().out == ""
    path = write_tests(tmp_path, "limits")
    assert run_command("test", ["--changed", *names, str(path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'turner.urdf'}: 1 passed\n"
    robot(('velocity="2"', 'velocity="2.5"'))
    assert run_command("test", ["--changed", names[1]]) == 1


def test_pytest_collects_one_item_per_test(robot: Robot, tmp_path: Path) -> None:
    robot(('velocity="2"', 'velocity="2.5"'))
    path = write_tests(tmp_path, "free", "limits", "mask: {sample: 1}")
    plug_in = "editor_app.plugins.robot_tests.pytest_plugin"
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-p",
        plug_in,
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(editor_app.__file__).parents[1])}
    done = subprocess.run(
        [*command, "-v", "--robot", str(tmp_path / "turner.urdf")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "turner.urdf::free PASSED" in done.stdout
    assert "turner.urdf::limits FAILED" in done.stdout
    assert (
        f"{path}:6:11: TEST019: Test 'limits' failed: joint yaw: velocity 2.5, not 2" in done.stdout
    )
    assert "TEST002: unknown key 'sample'" in done.stdout
    assert "2 failed, 1 passed" in done.stdout


def test_text_help_knows_the_kinds_and_names(robot: Robot) -> None:
    description = robot().robot

    def labels(text: str) -> list[str]:
        return [
            item.label
            for item in complete_word(text, len(text), description, vocabulary=VOCABULARY).items
        ]

    assert labels("tes") == ["tests"]
    assert labels(f"{HEAD}  - name: a\n    fre") == ["free"]
    assert labels(f"{HEAD}  - name: a\n    spheres:\n      self") == ["self_buffer"]
    assert labels(f"{HEAD}  - name: a\n    free:\n      at:\n        ya") == ["yaw"]
    assert "tip" in labels(f"{HEAD}  - name: a\n    frame:\n      frame: t")
    assert labels(f"{HEAD}  - name: a\n    free:\n      geometry: hul") == ["hulls"]
    text = f"{HEAD}  - name: a\n    spheres:\n      protrusion_at_most: 0.01\n"
    shown = hover(text, text.index("protrusion"), description, vocabulary=VOCABULARY)
    assert shown is not None
    assert shown.lines == ("protrusion_at_most: How far spheres protrude at most, by proof. [m]",)


def test_the_test_file_is_next_to_the_xrdf_or_the_urdf(robot: Robot, tmp_path: Path) -> None:
    document = robot()
    (tmp_path / "turner.xrdf").rename(tmp_path / "fitted.xrdf")
    document = editor_app.open_robot(tmp_path / "turner.urdf", tmp_path / "fitted.xrdf")
    assert editor_app.suite_file(document) == tmp_path / "fitted.tests.yaml"
    write_tests(tmp_path, "limits")
    assert editor_app.suite_file(document) == tmp_path / "turner.tests.yaml"
    (tmp_path / "fitted.tests.yaml").write_text(HEAD, encoding="utf-8")
    assert editor_app.suite_file(document) == tmp_path / "fitted.tests.yaml"
    with pytest.raises(editor_app.Refused, match="save it first"):
        editor_app.suite_file(editor_app.Document.empty())


# -- recorded motions, distances, and tests by use


def csv_of(folder: Path, *positions: float, name: str = "run.csv") -> Path:
    path = folder / name
    path.write_text("time,yaw\n" + "".join(f"{k},{value}\n" for k, value in enumerate(positions)))
    return path


@pytest.mark.parametrize(
    ("positions", "entries", "passed", "told"),
    [
        # The tip and the post are 0.6 sin((pi/2 - yaw) / 2) - 0.1 m apart.
        ((0.0, 0.5), "", True, "206.1"),
        ((0.0, 0.5), "clearance: 0.3", False, "206.1"),
        ((0.0, 1.5), "", False, "point 2 of 2 (1.000 s): arm and post overlap by 78.77 mm"),
        ((0.0, 3.0), "", False, "after point 1 of 2 (0.000 s): arm and post overlap"),
        ((0.0, 3.0), "between: false", True, ""),
        ((0.0, -1.5), "", False, "point 2 of 2 (1.000 s): joint yaw is 0.5 beyond its limits"),
        ((0.0, -0.9, 1.0), "between: false", True, ""),
        ((-0.9, 3.0), "{between: false, rates: true}", False, "yaw has velocity 3.9 rad/s at"),
    ],
)
def test_a_recorded_motion_stays_possible(
    tmp_path: Path, positions: tuple[float, ...], entries: str, passed: bool, told: str
) -> None:
    urdf = write_turner(tmp_path)
    csv_of(tmp_path, *positions)
    more = "".join(f", {part}" for part in entries.strip("{}").split(", ") if part)
    path = tmp_path / "turner.tests.yaml"
    path.write_text(f"{HEAD}  - {{name: run, motion: {{file: run.csv{more}}}}}\n")
    (result,) = editor_app.test_robot(editor_app.open_robot(urdf)).results
    assert result.state is (editor_app.TestState.PASSED if passed else editor_app.TestState.FAILED)
    assert told in result.sentence
    assert passed or result.finding is None or result.finding.code == "TEST023"


@pytest.mark.parametrize(
    ("entries", "passed", "told"),
    [
        # The tip is 0.4 m from the axis, the post 0.3 m: 0.5 m at a right angle.
        ("{frames: [tip, post], at: {yaw: 0}, distance: 0.5}", True, "500.000 mm apart"),
        (
            "{frames: [tip, post], at: {yaw: 0}, distance: 0.501}",
            False,
            "500.000 mm apart, not 501.000 mm",
        ),
        ("{frames: [tip, post], at: {yaw: 0}, distance: 0.501, within: 2 mm}", True, ""),
        (
            "{frames: [tip, post], at: {yaw: 0}, first: [-0.4, 0, 0], second: [0, -0.1, 0], "
            "distance: 0.2}",
            True,
            "",
        ),
        ("{frames: [tip, post], at: {yaw: 1.5707963267948966}, distance: 0.1}", True, ""),
    ],
)
def test_two_points_keep_their_distance(
    tmp_path: Path, entries: str, passed: bool, told: str
) -> None:
    urdf = write_turner(tmp_path)
    (tmp_path / "turner.tests.yaml").write_text(f"{HEAD}  - {{name: d, distance: {entries}}}\n")
    (result,) = editor_app.test_robot(editor_app.open_robot(urdf)).results
    assert (result.state is editor_app.TestState.PASSED) is passed
    assert told in result.sentence


def test_what_is_kept_by_use_passes_today_and_fails_after_the_change(tmp_path: Path) -> None:
    urdf = write_turner(tmp_path)
    document = editor_app.open_robot(urdf)
    pose = {"yaw": 0.5}
    target = ToolTarget(
        "tip",
        np.array([0.0, 0.4, 0.0]),
        np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    )
    source: SourceText | None = None
    for test in (
        keep_tests.reach_test(document, target),
        keep_tests.frame_test(document, "tip", FrozenDict(pose)),
        keep_tests.distance_test(
            document, [("tip", (0.0, 0.0, 0.1)), ("post", (0.0, 0.0, 0.0))], FrozenDict(pose)
        ),
        keep_tests.recorded_test(
            document, csv_of(tmp_path, 0.0, 0.5), tmp_path / "turner.tests.yaml"
        ),
    ):
        source, _ = keep_tests.add_test(source, test, document)
    assert source is not None
    (tmp_path / "turner.tests.yaml").write_bytes(source.data)
    assert editor_app.test_robot(document).is_passed
    moved = write_turner(
        tmp_path, ('xyz="0.4 0 0"', 'xyz="0.41 0 0"'), ('lower="-1"', 'lower="0.2"')
    )
    report = editor_app.test_robot(editor_app.open_robot(moved))
    assert [each.test.kind.KEY for each in report.failed] == [
        "reach",
        "frame",
        "distance",
        "motion",
    ]


def test_the_command_keeps_a_recorded_motion(tmp_path: Path, capsys: Any) -> None:
    urdf = write_turner(tmp_path)
    path = tmp_path / "turner.tests.yaml"
    (tmp_path / "bags").mkdir()
    good, bad = (
        csv_of(tmp_path / "bags", 0.0, 0.5),
        csv_of(tmp_path / "bags", 0.0, 1.5, name="bad.csv"),
    )
    assert main(["test", str(urdf), "--keep-from", str(good)]) == 0
    assert (
        path.read_text()
        == f'{HEAD}  - name: "run.csv stays possible"\n    motion:\n      file: "bags/run.csv"\n'
    )
    # The model refuses what ran on the robot: the command says so, and the test stays.
    assert main(["test", str(urdf), "--keep-from", str(bad)]) == 1
    assert "arm and post overlap" in capsys.readouterr().out
    assert path.read_text().count("stays possible") == 2
    before = path.read_bytes()
    other = tmp_path / "other.csv"
    other.write_text("time,elbow\n0,0\n")
    assert main(["test", str(urdf), "--keep-from", str(other)]) == 2
    assert "no joint 'elbow'" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_new_writes_a_first_test_file_on_request(tmp_path: Path, capsys: Any) -> None:
    urdf = write_turner(tmp_path)
    xrdf = tmp_path / "made.xrdf"
    words = ["new", str(urdf), "-o", str(xrdf), "--effort", "fast", "--jobs", "1", "--tests"]
    assert main(words) == 2
    assert "--tests measures spheres: use it with --fit" in capsys.readouterr().err
    assert main([*words, "--fit"]) in (0, 1)
    tests = tmp_path / "made.tests.yaml"
    assert editor_app.test_robot(editor_app.open_robot(urdf, xrdf), tests).is_passed
    xrdf.unlink()
    assert main([*words, "--fit"]) == 2
    assert "made.tests.yaml" in capsys.readouterr().err
