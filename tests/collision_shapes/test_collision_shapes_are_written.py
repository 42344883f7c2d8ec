"""Collision shapes in a URDF: one step, mesh files with the saving, everything else byte for byte
as it was."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app import ShapeChoices
from editor_app.cli import run_command
from editor_app.core.document.state import FileKind
from editor_app.core.model.urdf import Ball, Capsule, Cylinder, Mesh
from editor_app.core.space.geometry.link_geometry import link_geometry, merge_parts
from tests.helpers.fits import excess_of
from tests.helpers.robots import copy_of_sample

LINKS = ("flange_link", "left_finger_link")


@pytest.fixture
def urdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path / "state"))
    return copy_of_sample(tmp_path / "arm")


def hulls_of(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "meshes" / "collision").glob("*_hull*.stl"))


def test_they_are_one_step_and_files_come_with_the_saving(urdf: Path) -> None:
    robot = editor_app.open_robot(urdf)
    before = urdf.read_text()
    made = editor_app.make_collision(robot, LINKS, ShapeChoices("hull", samples=200))
    assert robot.text(FileKind.URDF) == before
    assert made.verdict is not None
    assert made.verdict.wrong.count == 0, "hulls that hold their meshes let nothing pass"
    robot.execute(made.change)
    assert hulls_of(urdf.parent) == []
    # What is shown and checked finds them all the same.
    for link in LINKS:
        geometry = link_geometry(robot.robot.urdf, robot.urdf_path, link, "collision")
        assert geometry.triangles > 0
        assert not geometry.missing
        fine = merge_parts(
            link_geometry(editor_app.open_robot(urdf).robot.urdf, urdf, link, "collision").parts
        )[0]
        [shape] = next(each for each in made.links if each.link == link).shapes
        assert shape.depths(fine).max() <= 1e-6
    assert not [f for f in editor_app.check(robot) if f.code.startswith("MESH")]
    after = robot.text(FileKind.URDF)
    assert after is not None
    changed = [
        line[2:].strip()
        for line in difflib.ndiff(before.splitlines(), after.splitlines())
        if line[0] in "+-"
    ]
    assert all(line.startswith("<mesh filename=") for line in changed)
    robot.undo()
    assert robot.text(FileKind.URDF) == before
    robot.redo()
    editor_app.save(robot)
    assert hulls_of(urdf.parent) == [f"{link}_hull.stl" for link in LINKS]
    assert urdf.read_text() == after
    again = editor_app.open_robot(urdf)
    repeated = editor_app.make_collision(
        again, LINKS, ShapeChoices("hull", geometry="visual", faces=20, samples=None)
    )
    again.execute(repeated.change)
    editor_app.save(again)
    # Another content never takes the place of a file.
    assert len(hulls_of(urdf.parent)) == 4


def test_added_shapes_stand_behind_those_that_are_there(urdf: Path) -> None:
    robot = editor_app.open_robot(urdf)
    before = robot.robot.urdf.link("flange_link")
    robot.execute(
        editor_app.make_collision(
            robot, ["flange_link"], ShapeChoices("box", add=True, samples=None)
        ).change
    )
    after = robot.robot.urdf.link("flange_link")
    assert before is not None
    assert after is not None
    assert after.collisions[:-1] == before.collisions
    assert after.visuals == before.visuals


def test_a_capsule_is_one_from_urdf_1_1_on_and_three_shapes_before(urdf: Path) -> None:
    robot = editor_app.open_robot(urdf)
    [made] = editor_app.make_collision(
        robot, ["forearm_link"], ShapeChoices("capsule", samples=None)
    ).links
    assert [type(each.geometry) for each in made.collisions] == [Cylinder, Ball, Ball]
    cylinder, *balls = made.collisions
    assert isinstance(cylinder.geometry, Cylinder)
    ends = np.linalg.norm(np.subtract(balls[0].origin.xyz, balls[1].origin.xyz))
    assert ends == pytest.approx(cylinder.geometry.length, abs=1e-5)
    robot.execute(editor_app.commands.SetRobot(version="1.1"))
    [made] = editor_app.make_collision(
        robot, ["forearm_link"], ShapeChoices("capsule", samples=None)
    ).links
    assert [type(each.geometry) for each in made.collisions] == [Capsule]


def test_the_best_one_is_the_simplest_that_stands_out_little(urdf: Path) -> None:
    robot = editor_app.open_robot(urdf)
    [flange] = editor_app.make_collision(robot, ["flange_link"], ShapeChoices(samples=None)).links
    assert flange.kind == "cylinder", "the flange is a disc"
    assert list(flange.tried) == ["sphere", "capsule", "cylinder"]
    assert excess_of(flange.figures) <= 0.1 < excess_of(flange.tried["capsule"])
    [any_will_do] = editor_app.make_collision(
        robot, ["flange_link"], ShapeChoices(excess=100.0, samples=None)
    ).links
    assert any_will_do.kind == "sphere"


def test_a_second_urdf_stands_beside_the_fine_one(urdf: Path, tmp_path: Path, capsys: Any) -> None:
    before = urdf.read_bytes()
    out = tmp_path / "simple" / "arm.urdf"
    command = [
        str(urdf),
        "--links",
        ",".join(LINKS),
        "--kind",
        "hull",
        "--samples",
        "100",
        "--format",
        "json",
    ]
    assert run_command("collision", command) == 0
    assert json.loads(capsys.readouterr().out)["written"] == []
    assert run_command("collision", [*command, "-o", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["written"][0] == str(out)
    assert report["missed_collisions"] == 0
    assert {each["link"]: each["kind"] for each in report["links"]} == dict.fromkeys(LINKS, "hull")
    assert urdf.read_bytes() == before
    assert hulls_of(urdf.parent) == []
    assert hulls_of(out.parent) == [f"{link}_hull.stl" for link in LINKS]
    second = editor_app.open_robot(out)
    for link in second.robot.urdf.links:
        for kind in ("visual", "collision"):
            assert not link_geometry(second.robot.urdf, out, link, kind).missing  # type: ignore[arg-type]
    # It is not overwritten unasked, nor is the robot itself.
    assert run_command("collision", [*command, "-o", str(out)]) == 2
    assert run_command("collision", [*command, "-o", str(urdf)]) == 2
    assert run_command("collision", [*command, "-o", str(out), "--force"]) == 0
    assert hulls_of(out.parent) == [f"{link}_hull.stl" for link in LINKS]


def test_what_makes_no_sense_is_refused(urdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = editor_app.open_robot(urdf)
    choices: list[tuple[dict[str, Any], str]] = [
        ({"kind": "cone"}, "kind must be one of 'best', 'hull'"),
        ({"faces": 3}, "faces must be 12 or more"),
        ({"parts": 0}, "parts must be 1 or more"),
        ({"excess": float("nan")}, "excess must be 0 or more"),
        ({"samples": 0}, "samples must be 1 or more"),
        ({"links": ["nowhere"]}, "no link nowhere"),
    ]
    for given, told in choices:
        with pytest.raises(editor_app.Refusal, match=told):
            editor_app.make_collision(robot, given.pop("links", None), ShapeChoices(**given))
    monkeypatch.setattr(
        "editor_app.plugins.collision_shapes.verbs.shape_choices.parts_available", lambda: False
    )
    with pytest.raises(editor_app.Refused, match=r"xrdf-editor\[parts\]"):
        editor_app.make_collision(robot, None, ShapeChoices("parts"))


def test_a_state_folder_that_cannot_be_written_keeps_the_robot_as_it_is(
    urdf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = editor_app.open_robot(urdf)
    made = editor_app.make_collision(robot, ["flange_link"], ShapeChoices("hull", samples=None))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XRDF_EDITOR_STATE", os.fspath(tmp_path / "file" / "state"))
    with pytest.raises(editor_app.CannotApply, match="cannot be written"):
        robot.execute(made.change)
    assert not robot.is_modified


def test_pinocchio_reads_what_is_written(urdf: Path) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    robot = editor_app.open_robot(urdf)
    made = editor_app.make_collision(
        robot, ["flange_link", "hand_link"], ShapeChoices("hull", samples=None)
    )
    robot.execute(made.change)
    editor_app.save(robot)
    model = pinocchio.buildModelFromUrdf(str(urdf))
    folders = [str(urdf.parent)]
    geometry = pinocchio.buildGeomFromUrdf(
        model, str(urdf), pinocchio.GeometryType.COLLISION, package_dirs=folders
    )
    corners = {
        each.name.rsplit("_", 1)[0]: each.geometry.num_vertices for each in geometry.geometryObjects
    }
    for each in made.links:
        [collision] = each.collisions
        assert isinstance(collision.geometry, Mesh)
        assert corners[each.link] == len(each.shapes[0].vertices)
