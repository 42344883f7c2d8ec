"""Sensors and tool centre points in the 3D view: drawn where they are, switched, pointed at,
selected, followed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.document.commands.urdf_texts import SetSensor
from editor_app.core.document.selection import Selection
from editor_app.core.formats.urdf.sensors import SensorPlace
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.sensors import Camera, Ray, Scan, Sensor
from editor_app.core.model.srdf import Group, ToolCenterPoint
from editor_app.window.session import Hover
from editor_app.window.viewport.layers.features import sensor_segments
from tests.helpers.viewport import Stage, boxes, stage

pytestmark = pytest.mark.gui
EYE = RobotFeature(FeatureKind.SENSOR, "eye")
PEN = RobotFeature(FeatureKind.TCP, "pen", "arm")


@pytest.fixture
def shown(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    with stage(boxes(tmp_path)) as opened:
        session = opened.session
        tree = session.tree
        base, tip = tree.frames[0], tree.frames[-1]
        assert session.execute(NewSrdf())
        assert session.execute(InsertItem("srdf.groups", Group("arm", chains=((base, tip),))))
        assert session.execute(
            set_item("srdf.tcps", ("pen", "arm"), ToolCenterPoint("pen", "arm", (0.0, 0.45, 0.0)))
        )
        assert session.execute(
            InsertItem("urdf.sensors", Sensor("eye", "camera", base, Origin((0.0, -0.45, 0.3))))
        )
        opened.settle()
        yield opened


def place(shown: Stage, feature: RobotFeature) -> QPoint:
    pose = shown.scene.features.pose_of(feature)
    assert pose is not None
    return shown.pixel(pose[:3, 3])


def test_a_click_on_a_tool_or_sensor_selects_it(shown: Stage) -> None:
    for feature in (PEN, EYE):
        shown.hover(place(shown, feature))
        assert shown.session.hover == Hover(feature=feature)
        shown.click(place(shown, feature))
        assert shown.session.selection == Selection(features=(feature,))


def test_a_click_on_a_link_means_it_and_not_what_it_feels_with(shown: Stage) -> None:
    """Contact sensors sit within fingers; beside a link they are clicked as others are."""
    session, robot = shown.session, shown.session.robot
    base = robot.urdf.sensors[0].parent
    for origin, is_link in ((Origin((0.0, 0.0, 0.0)), True), (Origin((0.0, -0.45, 0.3)), False)):
        session.execute(SetSensor(SensorPlace(0), Sensor("eye", "contact", base, origin)))
        shown.settle()
        shown.click(place(shown, EYE))
        assert (session.selection != Selection(features=(EYE,))) is is_link


def test_they_follow_the_pose_and_their_numbers(shown: Stage) -> None:
    session = shown.session
    before = place(shown, PEN)
    joint = next(j for j in session.tree.joints if j.is_movable)
    assert joint is not None
    session.set_joint(joint.name, session.pose[joint.name] + 0.4)
    shown.settle()
    moved = place(shown, PEN)
    assert moved != before
    session.execute(
        set_item("srdf.tcps", ("pen", "arm"), ToolCenterPoint("pen", "arm", (0.0, 0.3, 0.1)))
    )
    shown.settle()
    assert place(shown, PEN) != moved
    pose, link = shown.scene.features.pose_of(PEN), session.transform(session.tree.frames[-1])  # type: ignore[union-attr]
    assert pose is not None
    assert link is not None
    assert pose[:3, 3] == pytest.approx(link[:3, :3] @ [0.0, 0.3, 0.1] + link[:3, 3])
    robot = session.robot
    sensor = replace(robot.urdf.sensors[0], origin=Origin((0.0, -0.4, 0.5)))
    session.execute(SetSensor(SensorPlace(0), sensor))
    eye = shown.scene.features.pose_of(EYE)
    assert eye is not None
    assert eye[:3, 3] == pytest.approx([0.0, -0.4, 0.5])


def test_names_of_tools_beside_each_other_can_be_read(shown: Stage) -> None:
    assert shown.session.execute(
        set_item(
            "srdf.tcps", ("pencil", "arm"), ToolCenterPoint("pencil", "arm", (0.0, 0.45, 0.002))
        )
    )
    assert shown.session.execute(
        set_item("srdf.tcps", ("same", "arm"), ToolCenterPoint("same", "arm", (0.0, 0.45, 0.0)))
    )
    shown.settle()
    labels = shown.scene.features.look.labels[1]
    points = labels.actor.GetMapper().GetInput()
    drawn = np.array([points.GetPoint(i) for i in range(points.GetNumberOfPoints())])
    assert len(drawn) == 2, "those at one place share a label"
    pixels = shown.scene.camera.project(drawn)
    assert abs(pixels[0, 1] - pixels[1, 1]) > 12
    assert abs(pixels[0, 0] - pixels[1, 0]) < 3
    # From close by there is room for both where they belong.
    near = labels.points.mean(axis=0) + 0.004 * np.concatenate([np.eye(3), -np.eye(3)])
    shown.scene.move_camera(lambda: shown.scene.camera.fit_points(near))
    shown.settle()
    moved = np.array([points.GetPoint(i) for i in range(points.GetNumberOfPoints())])
    assert np.allclose(moved, labels.points, atol=1e-6)


def test_switches_take_them_out_but_not_what_is_selected(shown: Stage) -> None:
    session, layer = shown.session, shown.scene.features
    assert {f for f, _ in layer.drawn()} == {EYE, PEN}
    session.set_display(tools=False)
    assert {f for f, _ in layer.drawn()} == {EYE}
    session.set_display(sensors=False)
    assert layer.drawn() == []
    session.select(Selection(features=(PEN,)))
    assert {f for f, _ in layer.drawn()} == {PEN}
    session.set_display(tools=True, sensors=True)
    session.set_hidden(frozenset({session.tree.frames[-1]}))
    assert {f for f, _ in layer.drawn()} == {EYE}


def test_a_calibrated_robot_is_drawn_where_its_joints_are(shown: Stage) -> None:
    session = shown.session
    before = place(shown, PEN)
    joint = session.tree.joints[0]
    session.set_calibration(FrozenDict({joint.name: Origin((0.0, 0.0, 0.9))}))
    shown.settle()
    assert place(shown, PEN) != before
    assert session.robot is session.document.robot
    session.set_calibration(None)
    shown.settle()
    assert place(shown, PEN) == before


def test_a_camera_opens_as_wide_as_it_says() -> None:
    camera = Sensor("c", "camera", camera=Camera(640, 480, hfov=1.2, near=0.1, far=2.0))
    ahead = sensor_segments(camera, False, 0.3, 10.0).reshape(-1, 3)
    assert ahead[:, 0].max() == pytest.approx(2.0)
    corners = ahead[np.isclose(ahead[:, 0], 2.0)]
    assert np.abs(corners[:, 1]).max() == pytest.approx(2.0 * math.tan(0.6))
    # The same view along z, with the image's upper side towards -y.
    optical = sensor_segments(camera, True, 0.3, 10.0).reshape(-1, 3)
    assert optical[:, 2].max() == pytest.approx(2.0)
    assert np.abs(optical[:, 0]).max() == pytest.approx(2.0 * math.tan(0.6))
    assert optical[:, 1].min() < -np.abs(optical[:, 1]).max() + 1e-9
    small = sensor_segments(camera, False, 0.3).reshape(-1, 3)
    assert small[:, 0].max() == pytest.approx(0.3)


def test_a_scanner_sweeps_what_it_says() -> None:
    scan = Sensor("s", "ray", ray=Ray(Scan(100, 1.0, -0.5, 1.0), min_range=0.2, max_range=3.0))
    points = sensor_segments(scan, False, 0.3, 10.0).reshape(-1, 3)
    angles = np.arctan2(points[:, 1], points[:, 0])
    assert (angles.min(), angles.max()) == pytest.approx((-0.5, 1.0))
    reach = np.linalg.norm(points, axis=1)
    assert (reach.min(), reach.max()) == pytest.approx((0.2, 3.0))
    assert np.abs(points[:, 2]).max() == 0.0
    layers = replace(
        scan, ray=Ray(Scan(9, 1.0, -0.5, 0.5), Scan(16, 1.0, -0.2, 0.3), max_range=1.0)
    )
    heights = sensor_segments(layers, False, 0.3, 10.0).reshape(-1, 3)[:, 2]
    assert (heights.min(), heights.max()) == pytest.approx((-math.sin(0.2), math.sin(0.3)))


@pytest.mark.parametrize(
    "kind",
    ["imu", "force_torque", "contact", "sonar", "gps", "base_flash_laser", "base_laser3d", "?"],
)
def test_every_sensor_has_a_shape(kind: str) -> None:
    segments = sensor_segments(Sensor("s", kind), False, 0.2)
    assert segments.shape[1:] == (2, 3)
    assert len(segments) > 5
    assert np.isfinite(segments).all()
    assert np.ptp(segments.reshape(-1, 3), axis=0).max() > 0.02
