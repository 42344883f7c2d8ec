"""What scripts and shells take for granted: a pose is a pose, `-` is standard output, a result has
one line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app import cli
from editor_app.core.model.trajectory import Trajectory
from tests.helpers.robots import sample_urdf


@pytest.fixture(scope="module")
def robot() -> editor_app.Document:
    return editor_app.open_robot(sample_urdf())


def _poses(robot: editor_app.Document) -> list[Any]:
    text = "shoulder_pitch_joint=0.3 elbow_pitch_joint=0.2"
    pasted = editor_app.parse_pose(robot, text)
    plain = dict(pasted)
    values = {name: np.float64(value) for name, value in plain.items()}
    return [pasted, plain, values, Trajectory(tuple(plain), (tuple(plain.values()),))]


@pytest.mark.parametrize(
    "verb",
    [
        lambda robot, pose: editor_app.frame_poses(robot, pose)["flange_link"].tolist(),
        lambda robot, pose: editor_app.sphere_arrays(robot, pose).centers.tolist(),
        lambda robot, pose: editor_app.collide(robot, pose).worst().clearance,  # type: ignore[union-attr]
        lambda robot, pose: editor_app.model_cost(robot, poses=pose).samples,
        lambda robot, pose: editor_app.pose_text(pose),
        lambda robot, pose: editor_app.plan_between(robot, pose, pose).outcome,
        lambda robot, pose: editor_app.plan_to_random(robot, pose).outcome,
        lambda robot, pose: dict(editor_app.reach(robot, [_target(robot)], pose).pose),
    ],
    ids=[
        "frame_poses",
        "sphere_arrays",
        "collide",
        "model_cost",
        "pose_text",
        "plan_between",
        "plan_to_random",
        "reach",
    ],
)
def test_every_verb_takes_every_kind_of_pose(
    verb: Callable[[Any, Any], Any], robot: editor_app.Document
) -> None:
    first, *others = [verb(robot, pose) for pose in _poses(robot)]
    for other in others:
        assert other == first


def _target(robot: editor_app.Document) -> editor_app.ToolTarget:
    tool = editor_app.frame_poses(robot, {"shoulder_pitch_joint": 0.5})["flange_link"]
    return editor_app.ToolTarget("flange_link", tool[:3, 3], tool[:3, :3])


@pytest.mark.parametrize(
    ("pose", "sentence"),
    [
        (
            {"elbow_pitch_joint": "x"},
            "the position of the joint 'elbow_pitch_joint' must be a finite number, not 'x'",
        ),
        ({"elbow_pitch_joint": float("nan")}, "must be a finite number"),
        ([1.0, 2.0], "a pose is a mapping of joints to numbers"),
        (Trajectory(("elbow_pitch_joint",), ((0.0,), (1.0,))), "not a trajectory of 2 points"),
        ({"nobody": 1.0}, "no joint"),
    ],
)
def test_what_is_no_pose_is_refused_by_name(
    pose: Any, sentence: str, robot: editor_app.Document
) -> None:
    with pytest.raises(editor_app.Refused, match=sentence):
        editor_app.frame_poses(robot, pose)
    with pytest.raises(editor_app.Refused, match=sentence):
        editor_app.plan_to_random(robot, pose)


NO_NUMBER: Any = "x"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"links": "arm"}, "links must be a list of names, not 'arm'"),
        ({"number": 4.5}, "number must be a whole number, not 4.5"),
        ({"tolerance": "thin"}, "tolerance_m must be a number, not 'thin'"),
    ],
)
def test_wrong_arguments_of_a_fit_are_refused_by_name(
    arguments: dict[str, Any], sentence: str, robot: editor_app.Document
) -> None:
    with pytest.raises(editor_app.Refusal, match=sentence):
        editor_app.fit(robot, **arguments)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"padding": -1}, "FitChoices.padding must be a length of 0 m or more, not -1"),
        ({"padding": float("nan")}, "FitChoices.padding must be a length of 0 m or more, not nan"),
        ({"seed": NO_NUMBER}, "FitChoices.seed must be a whole number, not 'x'"),
    ],
)
def test_wrong_choices_of_a_fit_are_refused_where_they_are_made(
    arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(editor_app.Refusal, match=sentence):
        editor_app.FitChoices(**arguments)


def test_results_have_one_line(robot: editor_app.Document) -> None:
    fitted = editor_app.fit(
        robot, links=["flange_link"], number=2, choices=editor_app.FitChoices(effort="fast")
    )
    judged = editor_app.mask(robot, samples=200, certify=0)
    collided = editor_app.collide(robot, {"elbow_pitch_joint": 0.1})
    cost = editor_app.model_cost(robot, samples=5)
    for value in (fitted, *fitted.links, judged, collided, cost, collided.trajectory):
        text = repr(value)
        assert text.startswith(f"{type(value).__name__}(")
        assert "\n" not in text
        assert len(text) < 600, text


def test_type_checkers_find_the_types(tmp_path: Path) -> None:
    assert Path(editor_app.__file__).with_name("py.typed").is_file()
    for name in ("ModelOptions", "AnalysisSettings", "PoseLike", "PastedPose", "Refusal"):
        assert name in editor_app.__all__


def _stdout(*arguments: str) -> tuple[bytes, bytes, int]:
    command = [sys.executable, "-P", "-m", "editor_app", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fit", ["--links", "flange_link", "--spheres", "2", "--effort", "fast", "--jobs", "1"]),
        ("mask", ["--samples", "200", "--certify", "0"]),
        ("convert", ["--to", "curobo"]),
        ("plan", ["--from", "default", "--to", "random"]),
    ],
)
def test_a_dash_is_standard_output(
    name: str, arguments: list[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The same bytes as in a file, and the report beside them. One of the commands writes to a true
    pipe."""
    urdf = str(sample_urdf())
    target = tmp_path / {"convert": "out.yml", "plan": "out.csv"}.get(name, "out.xrdf")
    where = (lambda out: [out]) if name == "convert" else (lambda out: ["-o", out])
    assert cli.run_command(name, [urdf, *where(str(target)), *arguments]) in (0, 1, 3, 4)
    capfdbinary.readouterr()
    if name == "convert":
        out, err, code = _stdout(name, urdf, *where("-"), *arguments)
    else:
        code = cli.run_command(name, [urdf, *where("-"), *arguments])
        out, err = capfdbinary.readouterr()
    assert code in (0, 1, 3, 4), err
    if name != "convert":
        assert out == target.read_bytes()
    assert out.splitlines()
    assert err
    assert not Path("-").exists()


def test_two_files_cannot_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run_command("repair", [str(sample_urdf()), "-o", "-"]) == 2
    assert "cannot both go to standard output" in capsys.readouterr().err
