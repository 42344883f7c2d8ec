"""The report of a motion: its figures are held against other ways to compute them, its page needs
nothing else."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.document.document import Document
from editor_app.core.model.scene import BoxShape, CylinderShape, Obstacle, Scene, SphereShape
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Refused
from editor_app.core.verbs.open import open_robot
from editor_app.plugins.motion.verbs.collide import collide, motion_model_of
from editor_app.plugins.motion.verbs.motion_page import motion_page, write_report
from editor_app.plugins.motion.verbs.motion_report import NEAR_SINGULAR, MotionReport, report_motion
from editor_app.plugins.motion.verbs.times import time_motion
from tests.helpers.robots import shared_robots

ROOM = Scene(
    (
        Obstacle("<b>table</b>", BoxShape((1.2, 1.2, 0.1)), (0.9, 0.0, -0.15)),
        Obstacle("post", CylinderShape(0.05, 0.5), (1.5, 0.6, 0.3)),
        Obstacle("lamp", SphereShape(0.1), (0.0, 0.0, 2.5)),
    )
)
NAMES = tuple(
    f"{name}_joint"
    for name in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
)
START, GOAL = (-0.3, -1.0, 1.2, -1.5, -1.57, 0.0), (0.4, -0.9, 0.0, -1.5, -0.3, 0.0)


@pytest.fixture(scope="module")
def ur10e() -> Document:
    folder = shared_robots() / "ur10e"
    return open_robot(folder / "ur10e.urdf", folder / "ur10e_v2.xrdf")


@pytest.fixture(scope="module")
def report(ur10e: Document) -> MotionReport:
    motion = time_motion(ur10e, Trajectory(NAMES, (START, GOAL)), scene=ROOM).motion
    return report_motion(ur10e, motion, scene=ROOM)


def test_clearances_are_those_of_many_looks(ur10e: Document, report: MotionReport) -> None:
    model = motion_model_of(ur10e.robot, ROOM)
    values = np.linspace(START, GOAL, 20_000)
    rows = np.arange(model.row_count)
    is_self = rows < len(model.spheres.pairs)
    for closest, chosen in (
        (report.to_self, is_self & model.checked),
        (report.to_obstacles, ~is_self),
    ):
        assert closest is not None
        looks, _ = model.least_clearances(values, rows[chosen])
        assert closest.clearance == pytest.approx(float(looks.min()), abs=2e-4)
        assert closest.clearance - 1e-4 <= looks.min()
        assert float(closest.curve.min()) >= closest.clearance - 1e-4
        assert closest.proven is (closest.clearance > 0.0)
    assert report.is_free is collide(ur10e, report.motion, scene=ROOM).all_free
    assert report.duration == report.motion.times[-1] if report.motion.times else False


def test_singularity_is_that_of_differences(ur10e: Document, report: MotionReport) -> None:
    tool = report.singularity
    assert tool is not None
    assert tool.tool == (ur10e.robot.xrdf.tool_frames or ("",))[0]
    tree = get_tree(ur10e.robot)
    frame = tree.index[tool.tool]

    def pose(q: np.ndarray) -> np.ndarray:
        return compute_forward(tree, dict(zip(NAMES, q.tolist(), strict=True)))[frame]

    curves = np.array([use.curve for use in report.joints]).T
    ratios, products = [], []
    reach = None
    for k in (0, 150, 399):
        place = pose(curves[k])
        assert tool.places[k] == pytest.approx(place[:3, 3], abs=1e-9)
        columns = []
        for joint in range(6):
            step = np.zeros(6)
            step[joint] = 1e-6
            change = (pose(curves[k] + step) - pose(curves[k] - step)) / 2e-6
            turn = change[:3, :3] @ place[:3, :3].T
            columns.append([*change[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]])
        jacobian = np.array(columns).T
        if reach is None:
            from editor_app.core.space.kinematics.tool_chain import tool_chain

            reach = tool_chain(tree, [tool.tool], {}).reach
        jacobian[:3] /= reach
        singular = np.linalg.svd(jacobian, compute_uv=False)
        ratios.append(singular[-1] / singular[0])
        products.append(math.sqrt(abs(np.linalg.det(jacobian @ jacobian.T))))
        assert tool.curve[k] == pytest.approx(ratios[-1], abs=1e-6)
        assert tool.measure[k] == pytest.approx(products[-1], abs=1e-6)
    # The elbow is straight at the end.
    assert tool.is_near
    assert tool.least < NEAR_SINGULAR
    assert tool.seconds == pytest.approx(report.seconds[-1], abs=0.2)


def test_joints_tell_room_and_rates(ur10e: Document, report: MotionReport) -> None:
    timed = time_motion(ur10e, Trajectory(NAMES, (START, GOAL)), scene=ROOM)
    model = motion_model_of(ur10e.robot)
    for k, use in enumerate(report.joints):
        assert (use.lowest, use.highest) == (min(START[k], GOAL[k]), max(START[k], GOAL[k]))
        low, high = model.spheres.lower[k], model.spheres.upper[k]
        assert use.room == pytest.approx(min(use.lowest - low, high - use.highest))
        assert use.share == pytest.approx(use.room / (high - low))
        for mine, given in zip(use.rates, timed.use[use.joint], strict=True):
            assert mine is not None
            assert mine <= 1.0 + 1e-6
            assert mine == pytest.approx(given, abs=0.05)


def test_what_is_not_so_is_said(ur10e: Document) -> None:
    wild = Trajectory(NAMES, (START, GOAL, START), (0.0, 0.1, 0.2))
    buried = Scene((Obstacle("block", BoxShape((3.0, 3.0, 3.0))),))
    report = report_motion(ur10e, wild, scene=buried)
    assert not report.is_free
    assert report.to_obstacles is not None
    assert not report.to_obstacles.proven
    assert "Not proven free of obstacles: see the smallest clearance." in report.proofs
    assert any(text.startswith("Beyond the limits") for text in report.proofs)
    page = motion_page(report)
    assert "Too fast:" in page
    assert "Not free" in page
    bare = report_motion(ur10e, replace(wild, times=None))
    assert bare.duration is None
    assert bare.to_obstacles is None
    assert "The motion has no times: speed is not checked." in bare.proofs
    assert all(use.rates == (None, None, None) for use in bare.joints)
    assert "point 1.0" in motion_page(bare)
    with pytest.raises(Refused, match="two or more points"):
        report_motion(ur10e, Trajectory(NAMES, (START,)))


def test_the_page_needs_nothing_else_and_names_are_no_markup(
    report: MotionReport, tmp_path: Path
) -> None:
    page = motion_page(report)
    assert "<b>table</b>" not in page
    assert not re.findall(r"(?:src|href)=|<script|@import|https?:", page)
    assert [picture.title for picture in report.pictures] == ["Start", "Nearest", "End"]
    assert all(picture.svg in page for picture in report.pictures)
    # Circles twice for each sphere, a hull for each obstacle, and the tool's way.
    svg = report.pictures[0].svg
    assert svg.count("<circle") % 2 == 0
    assert svg.count("<circle") > 40
    assert (svg.count("<polygon"), svg.count("<polyline")) == (3, 1)
    write_report(report, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    write_report(report, tmp_path / "r.json")
    record = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert record["self"]["clearance_m"] == report.to_self.clearance if report.to_self else False
    assert (
        len(record["moments"])
        == len(record["singularity"]["shares"])
        == len(record["joints"][0]["positions"])
    )


def test_plan_and_collide_write_it(capsys: Any, tmp_path: Path) -> None:
    folder = shared_robots() / "ur10e"
    files = [str(folder / "ur10e.urdf"), str(folder / "ur10e_v2.xrdf")]
    page, way, again = tmp_path / "r.html", tmp_path / "way.yaml", tmp_path / "again.json"
    ends = ["--from", "default", "--to", "shoulder_pan_joint=120deg elbow_joint=-pi/3"]
    assert (
        run_command(
            "plan", [*files, *ends, "--report", str(page), "-o", str(way), "--format", "json"]
        )
        == 0
    )
    planned = json.loads(capsys.readouterr().out)
    assert "Proven on every straight line" in page.read_text(encoding="utf-8")
    assert (
        run_command(
            "collide", [*files, "--poses", str(way), "--report", str(again), "--format", "json"]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["too_fast"] == []
    assert json.loads(again.read_text())["duration_s"] == planned["times"]["duration_s"]
    assert run_command("plan", [*files, "--queries", "1", "--report", str(page)]) == 2
    assert "one motion" in capsys.readouterr().err
