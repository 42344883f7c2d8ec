"""attach_object: a shape or mesh in the hand is a frame of the XRDF with spheres that cover it; it
comes off again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import editor_app
from editor_app import scene
from editor_app.__main__ import main
from editor_app.core.space.kinematics.transforms import build_axis_rotation, transform
from tests.helpers.breadth import examples
from tests.helpers.robots import copy_of_sample

TOOL = "flange_link"


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> editor_app.Document:
    return editor_app.open_robot(copy_of_sample(tmp_path_factory.mktemp("held") / "sample"))


def covered(spheres: tuple[editor_app.CollisionSphere, ...], points: np.ndarray) -> bool:
    centers, radii = np.array([s.center for s in spheres]), np.array([s.radius for s in spheres])
    return bool(
        (np.linalg.norm(points[:, None] - centers[None], axis=2) <= radii[None] + 1e-9)
        .any(axis=1)
        .all()
    )


@pytest.mark.parametrize(
    "shape",
    [scene.BoxShape((0.06, 0.04, 0.1)), scene.SphereShape(0.03), scene.CylinderShape(0.02, 0.12)],
    ids=lambda shape: type(shape).__name__,
)
def test_spheres_cover_the_shape_and_stand_where_it_is_held(
    robot: editor_app.Document, shape: scene.Shape
) -> None:
    place = transform(build_axis_rotation((0.0, 1.0, 0.0), 0.5), (0.02, 0.0, 0.09))
    pose = editor_app.default_pose(robot)
    held = editor_app.attach_object(robot, shape, TOOL, place, pose=pose)
    before = robot.xrdf_text
    robot.execute(held.change)
    surface = {
        scene.BoxShape: lambda s: trimesh.creation.box(s.size),
        scene.SphereShape: lambda s: trimesh.creation.icosphere(radius=s.radius),
        scene.CylinderShape: lambda s: trimesh.creation.cylinder(s.radius, s.length),
    }[type(shape)](shape)
    points, _ = trimesh.sample.sample_surface(surface, 3000, seed=0)
    assert covered(held.spheres, np.asarray(points))
    poses = editor_app.frame_poses(robot, pose)
    np.testing.assert_allclose(poses[held.frame], poses[TOOL] @ place, atol=1e-8)
    assert TOOL in held.holding
    ignored = robot.robot.xrdf.ignored_pairs()
    assert {editor_app.LinkPair.of(held.frame, frame) for frame in held.holding} <= ignored
    assert not [
        finding
        for finding in editor_app.check(robot)
        if finding.severity is editor_app.Severity.ERROR
    ]
    # In the pose of the grasp nothing of it collides: what touches it holds it.
    assert editor_app.collide(robot, pose).all_free
    with pytest.raises(editor_app.Refused, match="already"):
        editor_app.attach_object(robot, shape, TOOL)
    robot.execute(editor_app.commands.DetachObject(held.frame))
    assert robot.xrdf_text == before
    robot.undo()
    robot.undo()
    assert robot.xrdf_text == before


def test_a_mesh_file_in_millimetres_is_held(robot: editor_app.Document, tmp_path: Path) -> None:
    trimesh.creation.box((60.0, 40.0, 100.0)).export(tmp_path / "part.stl")
    held = editor_app.attach_object(robot, tmp_path / "part.stl", TOOL, number=12, name="part")
    assert held.told == "part.stl is 60 × 40 × 100 large: read as millimetres, scale 0.001."
    assert held.frame == "part"
    assert 1 <= len(held.spheres) <= 12
    points, _ = trimesh.sample.sample_surface(trimesh.creation.box((0.06, 0.04, 0.1)), 2000, seed=1)
    assert covered(held.spheres, np.asarray(points))


def test_what_cannot_hold_or_be_held_is_refused(robot: editor_app.Document, tmp_path: Path) -> None:
    with pytest.raises(editor_app.Refused, match="no frame 'hnd'"):
        editor_app.attach_object(robot, scene.SphereShape(0.1), "hnd")
    with pytest.raises(editor_app.SceneError, match="was not found"):
        editor_app.attach_object(robot, tmp_path / "no.stl", TOOL)
    with pytest.raises(editor_app.CannotApply, match="The XRDF adds no frame"):
        robot.execute(editor_app.commands.DetachObject("wrist_link"))


@settings(max_examples=examples(15))
@given(st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3), st.floats(-3.0, 3.0))
def test_attaching_and_detaching_give_the_same_robot(
    robot: editor_app.Document, shift: list[float], angle: float
) -> None:
    before = robot.robot
    place = transform(build_axis_rotation((0.0, 0.0, 1.0), angle), shift)
    held = editor_app.attach_object(
        robot, scene.SphereShape(0.05), TOOL, place, holding=["hand_link"]
    )
    detached = editor_app.commands.DetachObject(held.frame).apply(held.change.apply(before))
    assert detached == before


def test_the_command_fits_a_mesh_alone_and_attaches_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf = copy_of_sample(tmp_path / "sample")
    monkeypatch.chdir(urdf.parent)
    trimesh.creation.box((60.0, 40.0, 100.0)).export("part.stl")
    assert main(["fit", "part.stl", "--spheres", "8", "-o", "part.yml", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["frame"], len(record["spheres"])) == ("attached_object", 8)
    assert (
        main(["fit", "part.stl", "--spheres", "2", "--frame", "odd: [name", "-o", "odd.yml"]) == 0
    )
    assert yaml.safe_load(Path("odd.yml").read_text())["collision_spheres"].keys() == {"odd: [name"}
    capsys.readouterr()
    # The list is one that convert reads.
    assert main(["convert", urdf.name, "heron.xrdf", "part.yml", "out.xrdf"]) == 0
    capsys.readouterr()
    assert (
        main(
            [
                "fit",
                urdf.name,
                "part.stl",
                "--spheres",
                "8",
                "--place",
                "0 0 0.1",
                "-o",
                "held.xrdf",
                "--format",
                "json",
            ]
        )
        == 0
    )
    record = json.loads(capsys.readouterr().out)
    held = editor_app.open_robot(urdf, "held.xrdf")
    verb = editor_app.open_robot(urdf)
    place = transform(None, (0.0, 0.0, 0.1))
    tool = (verb.robot.xrdf.tool_frames or ())[0]
    pose = editor_app.default_pose(verb)
    verb.execute(
        editor_app.attach_object(verb, "part.stl", tool, place, number=8, pose=pose).change
    )
    assert held.xrdf_text == verb.xrdf_text
    assert record["on"] == tool
    assert not {finding.code for finding in editor_app.check(held)} - {"XRDF708"}
    assert main(["fit", urdf.name, "part.stl", "--budget", "8"]) == 2
    assert "can only be combined with --spheres" in capsys.readouterr().err
