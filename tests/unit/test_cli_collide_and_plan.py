"""`xrdf-editor collide` and `plan`: exit codes, reports, and sentences for what cannot be done."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from editor_app.cli import run_command
from tests.helpers.robots import sample_urdf, shared_robots

FINGERS = "left_finger_joint=0 right_finger_joint=0"


def run(capsys: Any, command: str, *arguments: object) -> tuple[int, str, str]:
    code = run_command(command, [str(a) for a in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_collide_answers_by_exit_code_and_names_the_spheres(capsys: Any) -> None:
    code, out, _ = run(capsys, "collide", sample_urdf(), "--state", "default")
    report = json.loads(out)
    (moment,) = report["configurations"]
    unmasked = [touch for touch in moment["collisions"] if not touch["masked"]]
    assert code == (1 if unmasked else 0)
    assert report["free"] is (not unmasked)
    for touch in moment["collisions"]:
        assert touch["depth_m"] >= 0.0
        assert {sphere["frame"] for sphere in touch["spheres"]} == {touch["first"], touch["second"]}
    assert moment["limits"]


def test_a_scene_can_block_and_a_free_one_does_not(capsys: Any, tmp_path: Path) -> None:
    near, far = tmp_path / "near.yaml", tmp_path / "far.yaml"
    for path, x in ((near, 0.0), (far, 50.0)):
        path.write_text(
            "format: xrdf-editor-scene\nobstacles:\n"
            f"  - {{name: wall, box: {{size: [1, 1, 1]}}, position: [{x}, 0, 0]}}\n"
        )
    free = run(capsys, "collide", sample_urdf(), "--state", "default", "--scene", far)[0]
    code, out, _ = run(capsys, "collide", sample_urdf(), "--state", "default", "--scene", near, "--report", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 1
    assert any(row["kind"] == "obstacle" and row["second"] == "wall" and row["masked"] == "no" for row in rows)
    assert free == run(capsys, "collide", sample_urdf(), "--state", "default")[0]


def test_a_planned_path_is_written_and_found_free(capsys: Any, tmp_path: Path) -> None:
    folder = shared_robots() / "ur10e"
    urdf, path = folder / "ur10e.urdf", tmp_path / "path.csv"
    ends = ("--from", "default", "--to", "shoulder_pan_joint=120deg elbow_joint=-pi/3")
    code, out, _ = run(capsys, "plan", urdf, *ends, "--seed", 4, "-o", path)
    report = json.loads(out)
    assert code == 0
    assert report["proven_free"]
    code, page, _ = run(capsys, "collide", urdf, "--poses", path, "--report", "html")
    assert code == 0
    assert "<svg" in page
    assert "Free" in page
    first = path.read_text()
    run(capsys, "plan", urdf, *ends, "--seed", 4, "-o", path)
    assert path.read_text() == first


def test_the_smoke_test_gives_its_figures(capsys: Any) -> None:
    folder = shared_robots() / "ur10e"
    code, out, _ = run(capsys, "plan", folder / "ur10e.urdf", folder / "ur10e_v2.xrdf", "--queries", 10)
    report = json.loads(out)
    assert (code, report["queries"], report["solved"]) == (0, 10, 10)
    assert 0.0 < report["free_share"] < 1.0
    assert len(report["cpu_ms"]) == 10
    assert report["blocking"]


@pytest.mark.parametrize(
    ("command", "arguments", "says"),
    [
        ("collide", ("--at", "elbow=1"), "no joint 'elbow'"),
        ("collide", ("--at", "left_finger_joint=fast"), "left_finger_joint"),
        ("collide", ("--at", "left_finger_joint"), "no state"),
        ("collide", ("--state", "tucked"), "no state 'tucked'"),
        ("collide", ("--poses", "/nowhere/a.csv"), "does not exist"),
        ("collide", ("--state", "default", "--scene", "/nowhere/a.yaml"), "does not exist"),
        ("collide", ("--state", "default", "--package", "x"), "--package"),
        ("plan", ("--from", "default"), "go together"),
        ("plan", ("--queries", "0"), "one query"),
        ("plan", ("-o", "x.csv"), "--from"),
        ("plan", ("--seed", "-1"), "--seed"),
    ],
)
def test_what_cannot_be_done_is_said(capsys: Any, command: str, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = run(capsys, command, sample_urdf(), *arguments)
    assert (code, out) == (2, "")
    assert says in err
