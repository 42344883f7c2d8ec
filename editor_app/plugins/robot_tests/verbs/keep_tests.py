"""Tests by use: the configuration that is shown, or the motion that was planned, becomes a test in
the test file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.document.document import Document
from editor_app.core.formats.trajectories import read_trajectory
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.pose import Pose
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.core.space.kinematics.transforms import matrix_to_rpy
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import AppendItem, edit_text
from editor_app.core.text.yaml.plan import Flow, FlowMap
from editor_app.core.verbs.robot_sources import RobotSources
from editor_app.core.verbs.tool_places import frame_pose
from editor_app.plugins.motion.verbs.collide import collide, motion_model_of, pose_variables
from editor_app.plugins.robot_tests.kinds import FORMAT
from editor_app.plugins.robot_tests.suite import read_suite
from editor_app.plugins.robot_tests.verbs.propose_suite import propose_tests
from editor_app.plugins.robot_tests.verbs.run_tests import TestReport, test_robot
from editor_app.plugins.robot_tests.verbs.update_suite import written_value

_EMPTY = f"format: {FORMAT}\nformat_version: 1\ntests:\n"
#: Decimals of joint positions: microradians, micrometres.
_DECIMALS = 6


def judge_file(reporter: TaskReporter, texts: RobotSources, path: Path) -> TestReport:
    """A job: the tests of a file, judged for a robot."""
    return test_robot(texts.document(), path, progress=reporter.progress)


def propose_text(reporter: TaskReporter, texts: RobotSources) -> str:
    """A job: the text of a first test file."""
    return propose_tests(texts.document(), progress=reporter.progress).text


def configuration_test(texts: RobotSources, pose: Pose) -> dict[str, Any]:
    """A job: the test that a configuration is free, with its clearance, or that its deepest pair
    collides."""
    document = texts.document()
    moment = collide(document, pose).moment(0)
    if moment.beyond_limits:
        raise Refused(
            f"joint {moment.beyond_limits[0].joint} is outside its limits: such a configuration is "
            "no test"
        )
    at = _at(document, pose)
    if moment.free:
        clearance = (
            {}
            if moment.clearance is None
            else {"clearance": written_value("clearance", moment.clearance)}
        )
        return {"name": "Configuration is free", "free": {"at": at, **clearance}}
    touches = [touch for touch in moment.touches if not touch.masked and not touch.missed]
    if not touches:
        raise Refused("meshes touch although nothing checks their pair: correct the mask first")
    deepest = max(touches, key=lambda touch: touch.depth or 0.0)
    pair, depth = (
        Flow((deepest.first, deepest.second)),
        written_value("depth", deepest.depth or 0.0),
    )
    name = f"{deepest.first} collides with {deepest.second}"
    return {"name": name, "collides": {"at": at, "pair": pair, "depth": depth}}


def motion_test(start: Pose, goal: Pose) -> dict[str, Any]:
    """Return the test that a motion between two configurations is planned."""
    ends = {
        key: FlowMap({name: round(value, _DECIMALS) for name, value in pose.items()})
        for key, pose in (("start", start), ("goal", goal))
    }
    return {"name": "Motion is planned", "plan": ends}


def recorded_test(document: Document, motion: Path, tests: Path) -> dict[str, Any]:
    """Return the test that the motion of a trajectory file or bag stays free and within limits.

    `tests`: the test file, whose folder the path of the motion is relative to. Raises FormatError
    for a file that cannot be read, Refused for one that names joints that the robot does not have,
    or that is on another drive.
    """
    pose_variables(motion_model_of(document.robot), document.robot, read_trajectory(motion))
    try:
        file = Path(os.path.relpath(motion.absolute(), tests.absolute().parent)).as_posix()
    except ValueError:
        raise Refused(
            f"{motion} and {tests} are on different drives: copy the motion to the folder"
        ) from None
    return {"name": f"{motion.name} stays possible", "motion": {"file": file}}


def keep_recorded(texts: RobotSources, motion: Path, tests: Path) -> dict[str, Any]:
    """A job: `recorded_test` for a robot."""
    return recorded_test(texts.document(), motion, tests)


def reach_test(document: Document, target: ToolTarget) -> dict[str, Any]:
    """Return the test that a frame reaches a target in the base frame."""
    rotation = None if target.upright else target.rotation
    turn = {} if rotation is None else {"rpy": _rounded(matrix_to_rpy(rotation))}
    entries = {"frame": target.frame, "position": _rounded(target.position.tolist()), **turn}
    return {"name": f"{target.frame} reaches its target", "reach": entries}


def frame_test(document: Document, frame: str, pose: Pose, reference: str = "") -> dict[str, Any]:
    """Return the test that a frame has its present place at a configuration."""
    place = frame_pose(document, frame, reference, pose)
    relative = {"relative_to": reference} if reference else {}
    entries = {"frame": frame, **relative, "at": _at(document, pose)}
    numbers = {key: _rounded(getattr(place, key)) for key in ("position", "rpy")}
    return {"name": f"Place of {frame}", "frame": {**entries, **numbers}}


def distance_test(
    document: Document, ends: Sequence[tuple[str, Sequence[float]]], pose: Pose
) -> dict[str, Any]:
    """Return the test that two points, each in its frame (metres), have their present distance at a
    configuration."""
    (first, one), (second, other) = ends
    places = [
        frame_pose(document, frame, "", pose).matrix @ np.array([*point, 1.0])
        for frame, point in ends
    ]
    points = {
        key: _rounded(point) for key, point in (("first", one), ("second", other)) if any(point)
    }
    distance = round(float(np.linalg.norm(places[0][:3] - places[1][:3])), _DECIMALS)
    entries = {
        "frames": Flow((first, second)),
        **points,
        "at": _at(document, pose),
        "distance": distance,
    }
    return {"name": f"Distance of {first} and {second}", "distance": entries}


def _at(document: Document, pose: Pose) -> FlowMap:
    return FlowMap(
        {name: round(pose[name], _DECIMALS) for name in get_tree(document.robot).independent}
    )


def _rounded(values: Iterable[float]) -> Flow:
    return Flow(round(value, _DECIMALS) + 0.0 for value in values)


def add_test(
    source: SourceText | None, test: Mapping[str, Any], document: Document
) -> tuple[SourceText, str]:
    """Return the test file with one more test, and its name, which no other test has; every other
    byte stays.

    Raises Refused for a file with a fault, FormatError for one that cannot be read.
    """
    source = source or SourceText.from_text(_EMPTY)
    suite = read_suite(source, document.robot)
    if suite.findings:
        raise Refused(f"{suite.findings[0].location}: {suite.findings[0].message}")
    item = {**test, "name": find_free_name(test["name"], {each.name for each in suite.tests})}
    return edit_text(source, [AppendItem(("tests",), item)]), item["name"]
