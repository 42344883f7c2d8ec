"""`xrdf-editor collide` and `plan`: exit codes, reports, and sentences for what cannot be done."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.plugins.motion.verbs.collide import motion_model_of
from tests.helpers.robots import sample_urdf, shared_robots

FINGERS = "left_finger_joint=0 right_finger_joint=0"


def run(capsys: Any, command: str, *arguments: object) -> tuple[int, str, str]:
    code = run_command(command, [str(a) for a in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_collide_answers_by_exit_code_and_names_the_spheres(capsys: Any) -> None:
    code, out, _ = run(capsys, "collide", sample_urdf(), "--state", "default", "--format", "json")
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
    code, out, _ = run(
        capsys, "collide", sample_urdf(), "--state", "default", "--scene", near, "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 1
    assert any(
        row["kind"] == "obstacle" and row["second"] == "wall" and row["masked"] == "no"
        for row in rows
    )
    assert free == run(capsys, "collide", sample_urdf(), "--state", "default")[0]


def test_a_planned_path_is_written_and_found_free(capsys: Any, tmp_path: Path) -> None:
    folder = shared_robots() / "ur10e"
    urdf, path = folder / "ur10e.urdf", tmp_path / "path.csv"
    ends = ("--from", "default", "--to", "shoulder_pan_joint=120deg elbow_joint=-pi/3")
    code, out, _ = run(capsys, "plan", urdf, *ends, "--seed", 4, "-o", path, "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert report["proven_free"]
    code, page, _ = run(capsys, "collide", urdf, "--poses", path, "--format", "html")
    assert code == 0
    assert "<svg" in page
    assert "Free" in page
    first = path.read_text()
    run(capsys, "plan", urdf, *ends, "--seed", 4, "-o", path)
    assert path.read_text() == first


def test_the_smoke_test_gives_its_figures(capsys: Any) -> None:
    folder = shared_robots() / "ur10e"
    code, out, _ = run(
        capsys,
        "plan",
        folder / "ur10e.urdf",
        folder / "ur10e_v2.xrdf",
        "--queries",
        10,
        "--format",
        "json",
    )
    report = json.loads(out)
    assert (report["queries"], report["solved"]) == (10, 10)
    # The manufacturer's mask ignores links whose meshes touch in some of these paths.
    assert code == (1 if report["missed"] else 0)
    assert 0.0 < report["free_share"] < 1.0
    assert len(report["cpu_ms"]) == 10
    assert report["blocking"]


def test_queries_of_a_file_are_planned_by_name(capsys: Any, tmp_path: Path) -> None:
    document = editor_app.open_robot(sample_urdf())
    model = motion_model_of(document.robot, EMPTY_SCENE)
    values = model.random_values(60, 0)
    collides = model.first_collisions(values) >= 0
    free, blocked = values[~collides].tolist(), values[collides].tolist()
    pairs = [
        {"id": "home", "start": free[0], "goal": free[1]},
        {"id": "bad", "start": free[2], "goal": blocked[0]},
    ]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps({"joint_names": list(model.variables), "pairs": pairs}))
    code, out, _ = run(capsys, "plan", sample_urdf(), "--pairs", path, "--format", "json")
    report = json.loads(out)
    assert (code, report["queries"], report["solved"]) == (1, 2, 1)
    assert "bad goal: " in report["told"]
    ends = editor_app.read_trajectory(path)
    assert ends.labels == ("home start", "home goal", "bad start", "bad goal")
    test = editor_app.smoke_test(document, ends=ends)
    assert [outcome.value for outcome in test.outcomes] == report["outcomes"]
    with pytest.raises(editor_app.Refused, match="must be even, not 1"):
        editor_app.smoke_test(document, ends=document.robot.xrdf.default_joint_positions)
    both = run(capsys, "plan", sample_urdf(), "--pairs", path, "--queries", 2)
    assert (both[0], "--pairs" in both[2]) == (2, True)
    one = run(capsys, "plan", sample_urdf(), "--pairs", path, "--from", "default", "--to", "random")
    assert (one[0], "--pairs" in one[2]) == (2, True)


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
def test_what_cannot_be_done_is_said(
    capsys: Any, command: str, arguments: tuple[str, ...], says: str
) -> None:
    code, out, err = run(capsys, command, sample_urdf(), *arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_what_the_tool_holds_at_the_start_may_be_left(capsys: Any, tmp_path: Path) -> None:
    """A ball at the hand; the same by arguments and by the scene's file."""
    robot = editor_app.open_robot(sample_urdf()).robot
    model = motion_model_of(robot)
    hand = next(name for name in robot.xrdf.tool_frames or () if name)
    x, y, z = (
        editor_app.frame_pose(robot, hand, pose=model.pose(model.default)).matrix[:3, 3].tolist()
    )
    scene = tmp_path / "ball.yaml"
    text = (
        "format: xrdf-editor-scene\nobstacles:\n"
        f"  - {{name: ball, sphere: {{radius: 0.02}}, position: [{x}, {y}, {z}], "
        f"may_touch_at_start: [LINKS]}}\n"
    )
    scene.write_text(text.replace("LINKS", ""))
    asked = (
        "plan",
        sample_urdf(),
        "--from",
        "default",
        "--to",
        "random",
        "--seed",
        3,
        "--scene",
        scene,
    )
    code, out, _ = run(capsys, *asked, "--format", "json")
    report = json.loads(out)
    assert code == 1
    assert report["told"].startswith("no motion: the start is in collision; start (default): ")
    links = [entry["first"] for entry in report["blocking"]]
    assert links
    allowed = [word for link in links for word in ("--may-touch", f"{link},ball,start,200")]
    path = tmp_path / "way.csv"
    code, out, _ = run(capsys, *asked, *allowed, "-o", path, "--format", "json")
    report = json.loads(out)
    assert code == 0, report["told"]
    assert {entry["first"] for entry in report["nearer"]} == set(links)
    assert all(
        entry["clearance_m"] <= 0.0 and entry["where"] == "at the start"
        for entry in report["nearer"]
    )
    collided = ("collide", sample_urdf(), "--poses", path, "--scene", scene)
    assert run(capsys, *collided)[0] == 1
    code, out, _ = run(capsys, *collided, *allowed, "--format", "json")
    assert code == 0
    assert f"{links[0]} may touch ball until " in "".join(json.loads(out)["notes"])
    scene.write_text(text.replace("LINKS]", ", ".join(links) + "], touch_distance: 0.2"))
    assert run(capsys, *collided)[0] == 0


@pytest.mark.parametrize(
    "text",
    [
        "hand",
        "hand,",
        "hand,ball,middle",
        "hand,ball,start,-1",
        "hand,ball,start,5,5",
        "hand,ball,,5",
    ],
)
def test_a_contact_that_is_none_is_refused(text: str, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        run(capsys, "plan", sample_urdf(), "--may-touch", text)
    assert "is not LINK,OBSTACLE" in capsys.readouterr().err


def test_a_contact_names_what_the_scene_and_the_robot_have(capsys: Any, tmp_path: Path) -> None:
    scene = tmp_path / "ball.yaml"
    scene.write_text(
        "format: xrdf-editor-scene\nobstacles:\n  - {name: ball, sphere: {radius: 0.02}}\n"
    )
    asked = ("collide", sample_urdf(), "--state", "default", "--scene", scene, "--may-touch")
    assert "no obstacle 'box'; the obstacles are: ball" in run(capsys, *asked, "base_link,box")[2]
    assert "no link 'nose'" in run(capsys, *asked, "nose,ball,end")[2]
