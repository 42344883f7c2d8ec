"""The panel of sensors: chosen here and elsewhere, edited value by value, added, deleted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.field_paths import get_field, with_field
from editor_app.core.document.commands.urdf_texts import SetSensor
from editor_app.core.document.document import Document
from editor_app.core.document.selection import Selection
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.sensors import list_sensors
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.text.source import SourceText
from editor_app.window.session import Session
from editor_app.window.urdf.sensors import SensorsPanel
from tests.helpers.panels import changed_lines, click_cell, edit_cell, shown
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

SENSORS = """  <sensor name="eye" type="camera" update_rate="20">
    <parent link="hand"/>
    <camera><image width="640" height="480" hfov="1.5" format="RGB8" near="0.01" far="5"/></camera>
  </sensor>
  <gazebo reference="fore">
    <sensor name="scan" type="ray">
      <update_rate>10</update_rate>
      <ray><scan><horizontal><samples>100</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan></ray>
      <topic>/scan</topic>
    </sensor>
  </gazebo>
</robot>"""
TEXT = URDF_TEXT.replace("</robot>", SENSORS)


@pytest.fixture
def session() -> Session:
    session = Session()
    session.open(
        Document(read_urdf(SourceText.from_text(TEXT)), read_xrdf(SourceText.from_text(XRDF_TEXT)))
    )
    return session


def text(session: Session) -> str:
    return session.document.urdf_text


def row(panel: SensorsPanel, label: str) -> int:
    return next(i for i, r in enumerate(panel.values.rows_model.items) if r.label == label)


def test_what_is_chosen_here_is_selected_everywhere(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SensorsPanel(session), 460)
    assert [r.placed.sensor.name for r in panel.view.rows_model.items] == ["eye", "scan"]
    assert not panel.values.isVisible()
    click_cell(qtbot, panel.view, 0)
    assert session.selection.features == (RobotFeature(FeatureKind.SENSOR, "eye"),)
    assert panel.title.text() == "eye: camera"
    session.select(Selection(features=(RobotFeature(FeatureKind.SENSOR, "scan"),)))
    assert panel.title.text() == "scan: laser scanner"
    assert panel.view.selected_rows() == (1,)


def test_values_are_edited_where_they_stand(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SensorsPanel(session), 460)
    click_cell(qtbot, panel.view, 0)
    edit_cell(qtbot, panel.values, row(panel, "Farthest"), 1, "7 m")
    edit_cell(qtbot, panel.values, row(panel, "Image width / px"), 1, "320")
    assert changed_lines(TEXT, text(session)) == [
        '-    <camera><image width="640" height="480" hfov="1.5" format="RGB8" near="0.01" '
        'far="5"/></camera>',
        '+    <camera><image width="320" height="480" hfov="1.5" format="RGB8" near="0.01" '
        'far="7"/></camera>',
    ]
    edit_cell(qtbot, panel.values, row(panel, "Image width / px"), 1, "3.5")
    assert "whole number" in panel.messages.text
    click_cell(qtbot, panel.view, 1)
    edit_cell(qtbot, panel.values, row(panel, "topic"), 1, "/front")
    edit_cell(qtbot, panel.values, row(panel, "Farthest"), 1, "12 m")
    assert "<topic>/front</topic>" in text(session)
    assert "<range><max>12</max></range>" in text(session).replace("\n", "").replace("  ", "")
    while session.document.undo():
        pass
    assert text(session) == TEXT


def test_a_value_is_taken_away_with_delete(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SensorsPanel(session), 460)
    click_cell(qtbot, panel.view, 0)
    click_cell(qtbot, panel.values, row(panel, "Format"))
    qtbot.keyClick(panel.values, Qt.Key.Key_Delete)
    assert ' format="RGB8"' not in text(session)
    assert 'far="5"' in text(session)


def test_of_two_values_with_one_label_the_chosen_one_is_taken_away(
    qtbot: QtBot, session: Session
) -> None:
    eye = list_sensors(session.robot.urdf)[0]
    session.execute(
        SetSensor(
            eye.place,
            with_field(with_field(eye.sensor, "ray.min_range", 0.3), "ray.max_range", 9.0),
        )
    )
    panel = shown(qtbot, SensorsPanel(session), 460)
    click_cell(qtbot, panel.view, 0)
    nearest = [
        i for i, value in enumerate(panel.values.rows_model.items) if value.label == "Nearest"
    ]
    assert len(nearest) == 2, "of the camera, and of the rays"
    click_cell(qtbot, panel.values, nearest[1])
    qtbot.keyClick(panel.values, Qt.Key.Key_Delete)
    sensor = list_sensors(session.robot.urdf)[0].sensor
    assert get_field(sensor, "camera.near") == 0.01
    assert get_field(sensor, "ray.min_range") is None
    assert get_field(sensor, "ray.max_range") == 9.0


def test_sensors_are_added_moved_and_deleted(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SensorsPanel(session), 460)
    qtbot.keyClicks(panel.name, "imu")
    panel.type.set_value("imu")
    panel.link.set_value("base")
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    assert '<sensor name="imu" type="imu">' in text(session)
    assert panel.title.text() == "imu: inertial unit"
    place = next(
        i for i, r in enumerate(panel.view.rows_model.items) if r.placed.sensor.name == "imu"
    )
    edit_cell(qtbot, panel.view, place, 2, "upper")
    assert '<parent link="upper"/>' in text(session)
    last = len(panel.view.rows_model.items) - 1
    edit_cell(qtbot, panel.view, last, 2, "base")
    assert "part of an extension" in panel.messages.text
    click_cell(qtbot, panel.view, last)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert [s.sensor.name for s in list_sensors(session.robot.urdf)] == ["eye", "imu"]
