"""Verbs of the scripting interface refuse a wrong argument by its name, and show their results in
one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editor_app
from tests.helpers.robots import copy_of_sample

WRONG: dict[str, tuple[str, Callable[[Any], object]]] = {
    "links": ("'arm'", lambda robot: editor_app.fit(robot, links="arm")),
    "number": ("4.5", lambda robot: editor_app.fit(robot, number=4.5)),  # type: ignore[arg-type]
    "budget": ("True", lambda robot: editor_app.fit(robot, budget=True)),
    "processes": ("0", lambda robot: editor_app.fit(robot, processes=0)),
    "geometry": ("'bones'", lambda robot: editor_app.fit(robot, geometry="bones")),  # type: ignore[arg-type]
    "samples": ("1.5", lambda robot: editor_app.mask(robot, samples=1.5)),  # type: ignore[arg-type]
    "certify": ("-1", lambda robot: editor_app.mask(robot, certify=-1)),
    "seed": ("0.5", lambda robot: editor_app.model_cost(robot, seed=0.5)),  # type: ignore[arg-type]
    "queries": ("nan", lambda robot: editor_app.smoke_test(robot, float("nan"))),  # type: ignore[arg-type]
    "profile": ("'unity'", lambda robot: editor_app.check(robot, profile="unity")),  # type: ignore[arg-type]
    "document": ("'a.urdf'", lambda robot: editor_app.check("a.urdf")),  # type: ignore[arg-type]
    "robot": ("PosixPath", lambda robot: editor_app.passages(Path("a.urdf"))),  # type: ignore[arg-type]
    "version": ("'3'", lambda robot: editor_app.new("a.urdf", version="3")),
}


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> editor_app.Document:
    return editor_app.open_robot(copy_of_sample(tmp_path_factory.mktemp("arguments") / "sample"))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_argument_is_refused_by_its_name(name: str, robot: editor_app.Document) -> None:
    told, call = WRONG[name]
    with pytest.raises(editor_app.Refused) as refusal:
        call(robot)
    assert str(refusal.value).startswith(f"{name} must be ")
    assert f", not {told}" in str(refusal.value)


def test_what_is_no_robot_is_refused_as_one(robot: editor_app.Document) -> None:
    verbs: list[Callable[[Any], object]] = [
        editor_app.check,
        editor_app.fit,
        editor_app.model_cost,
        editor_app.passages,
    ]
    verbs += [
        lambda given: editor_app.diff(robot, given),
        lambda given: editor_app.compose(given, []),
    ]
    for given in (5, b"a.urdf", None, [robot], object()):
        for verb in verbs:
            with pytest.raises(
                editor_app.Refused, match=r"open robot \(open_robot returns one\).*, not "
            ):
                verb(given)
    # A robot alone is enough for some, and has no file that it could be checked in.
    assert editor_app.frame_poses(robot.robot)
    with pytest.raises(editor_app.Refused, match="document must be an open robot"):
        editor_app.check(robot.robot)  # type: ignore[arg-type]


def test_a_profile_may_be_given_as_its_word(robot: editor_app.Document) -> None:
    by_word = editor_app.check(robot, profile="vamp")  # type: ignore[arg-type]
    assert by_word == editor_app.check(robot, profile=editor_app.Profile.VAMP)


def test_numbers_of_numpy_are_numbers(robot: editor_app.Document) -> None:
    import numpy as np

    cost = editor_app.model_cost(robot, samples=np.int64(50), seed=np.uint8(1))  # type: ignore[arg-type]
    assert cost.samples == 50


def test_a_pose_is_a_mapping_wherever_it_comes_from(robot: editor_app.Document) -> None:
    start = editor_app.state_pose(robot, "default")
    goal = {**start, "shoulder_pitch_joint": start["shoulder_pitch_joint"] + 0.1}
    way = editor_app.plan_between(robot, start, goal)
    assert way.path is not None
    assert way.path.pose(0)["shoulder_pitch_joint"] == start["shoulder_pitch_joint"]
    assert editor_app.trajectory_csv(start) == editor_app.trajectory_csv(
        editor_app.Trajectory.of_pose(start)
    )


def test_one_target_needs_no_list(robot: editor_app.Document) -> None:
    place = editor_app.frame_poses(robot)["flange_link"]
    target = editor_app.ToolTarget("flange_link", place[:3, 3])
    assert editor_app.reach(robot, target) == editor_app.reach(robot, [target])
    start = editor_app.state_pose(robot, "default")
    assert editor_app.plan_to_tool(robot, start, target).path is not None


def test_a_mistyped_verb_is_told_with_the_nearest() -> None:
    with pytest.raises(AttributeError) as raised:
        editor_app.colide  # type: ignore[attr-defined]  # noqa: B018
    # By these Python finds the nearest name, when it shows the exception.
    assert (raised.value.name, raised.value.obj) == ("colide", editor_app)
    assert "collide" in dir(editor_app)


def test_results_are_shown_in_one_line(robot: editor_app.Document) -> None:
    pose = editor_app.state_pose(robot, "default")
    fitted = editor_app.fit(robot, links=["flange_link"], number=2)
    for result in (
        pose,
        fitted,
        editor_app.mask(robot, samples=100, certify=0),
        editor_app.model_cost(robot, samples=100),
        editor_app.self_buffers(robot, samples=100),
        editor_app.passages(robot),
        editor_app.collide(robot, pose),
        editor_app.plan_to_random(robot, pose),
        editor_app.smoke_test(robot, 1),
        editor_app.sphere_arrays(robot),
        editor_app.convert(robot, "out.srdf"),
    ):
        assert len(repr(result)) < 300, type(result)
        assert "\n" not in repr(result)
