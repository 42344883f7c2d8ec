"""The properties of the selected link and joint: shown with their place, edited in the file,
computed where missing."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.urdf import SetJoint
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.commands.urdf_texts import AddEmbedded, Home
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin as Placement
from editor_app.core.model.urdf import Inertial
from editor_app.core.space.geometry.link_geometry import LinkGeometry, link_geometry
from editor_app.core.space.geometry.mass import (
    compute_solid_properties,
    ellipsoid_axes,
    join_solids,
)
from editor_app.core.text.source import SourceText
from editor_app.window.bindings.number_field import NumberSource
from editor_app.window.session import Session
from editor_app.window.urdf.joint import JointPanel
from editor_app.window.urdf.link import InertialPanel, LinkPanel, RobotPanel
from editor_app.window.urdf.overlay import InertiaOverlay, ellipsoid_lines
from editor_app.window.urdf.sections import urdf_section_specs
from editor_app.window.urdf.shapes import ShapesPanel
from editor_app.window.urdf.texts import TextsPanel
from editor_app.window.xrdf.section_stack import SectionStack
from tests.helpers.panels import changed_lines, click_cell, shown, type_into
from tests.helpers.small_robot import XRDF_TEXT

URDF = """<?xml version="1.0"?>
<robot name="small">
  <material name="grey"><color rgba="0.5 0.5 0.50 1"/></material>
  <link name="base">
    <inertial><origin xyz="0 0 0.10"/><mass value="2.50"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
    <visual><origin xyz="0 0   0.1"/><geometry><box size="0.1 0.2 0.3"/></geometry><material name="grey"/></visual>
    <collision name="hull"><geometry><mesh filename="package://x/meshes/base.stl"/></geometry></collision>
  </link>
  <link name="upper">
    <visual><origin xyz="0 0 0.25"/><geometry><box size="0.1 0.2 0.5"/></geometry></visual>
  </link>
  <link name="fore"/> <link name="hand"/>
  <link name="finger_a"/> <link name="finger_b"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3.00" effort="1" velocity="1"/></joint>
  <joint name="j2" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="fixed"><parent link="fore"/><child link="hand"/><origin xyz="0 0 0.3"/></joint>
  <joint name="slide_a" type="prismatic"><parent link="hand"/><child link="finger_a"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="slide_b" type="prismatic"><parent link="hand"/><child link="finger_b"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="slide_a"/></joint>
  <transmission name="drive"><type>simple</type><joint name="j1"/></transmission>
  <gazebo reference="upper"><kp>1000000.0</kp></gazebo>
</robot>
"""


class Meshes(QObject):
    """Geometry as the window's store gives it, without a worker."""

    geometry_changed = Signal(tuple)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document

    def geometry(self, link: str, kind: str) -> LinkGeometry | None:
        return link_geometry(self._document.robot.urdf, None, link, kind)  # type: ignore[arg-type]


def small_session(*links: str, joints: tuple[str, ...] = ()) -> Session:
    session = Session()
    session.open(
        Document(
            read_urdf(SourceText.from_text(URDF, Path("small.urdf"))),
            read_xrdf(SourceText.from_text(XRDF_TEXT)),
        )
    )
    session.select(Selection(links=links, joints=joints))
    return session


def text(session: Session) -> str:
    return session.document.urdf_text


def test_a_box_has_the_mass_and_inertia_of_the_book() -> None:
    size, where = np.array([0.2, 0.3, 0.5]), np.array([1.0, -2.0, 30.0])
    corners = (
        np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float) * size
        - size / 2
        + where
    )
    faces = np.array(
        [
            [0, 1, 3],
            [0, 3, 2],
            [4, 6, 7],
            [4, 7, 5],
            [0, 4, 5],
            [0, 5, 1],
            [2, 3, 7],
            [2, 7, 6],
            [0, 2, 6],
            [0, 6, 4],
            [1, 5, 7],
            [1, 7, 3],
        ],
        np.int32,
    )
    solid = compute_solid_properties(corners, faces)
    assert solid is not None
    assert solid.closed
    assert solid.volume == pytest.approx(0.03)
    assert solid.centre == pytest.approx(where)
    x, y, z = size**2
    assert solid.inertia == pytest.approx(np.diag([y + z, x + z, x + y]) * 0.03 / 12, abs=1e-12)
    inside_out = compute_solid_properties(corners, faces[:, ::-1].copy())
    assert inside_out is not None
    assert inside_out.volume == pytest.approx(solid.volume)
    assert inside_out.inertia == pytest.approx(solid.inertia)
    torn = compute_solid_properties(corners, faces[:-1])
    assert torn is not None
    assert not torn.closed
    flat = compute_solid_properties(corners, faces[:1])
    assert flat is None or not flat.closed
    halves = [compute_solid_properties(corners + np.array([s, 0, 0]), faces) for s in (-0.1, 0.1)]
    both = join_solids([h for h in halves if h is not None])
    assert both is not None
    wide = 0.4**2
    assert both.inertia == pytest.approx(
        np.diag([y + z, wide + z, wide + y]) * 0.06 / 12, abs=1e-12
    )


def test_the_ellipsoid_has_the_inertia_it_is_drawn_for() -> None:
    half, mass = np.array([0.1, 0.2, 0.4]), 3.0
    x, y, z = half**2
    moments = np.array([y + z, x + z, x + y]) * mass / 5
    ellipsoid = ellipsoid_axes(mass, np.diag(moments))
    assert ellipsoid is not None
    assert np.sort(ellipsoid[0]) == pytest.approx(half)
    inertial = Inertial(
        mass,
        (moments[0], 0.0, 0.0, moments[1], 0.0, moments[2]),
        Placement((1.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2)),
    )
    lines = ellipsoid_lines(inertial)
    assert lines is not None
    assert np.ptp(lines.reshape(-1, 3), axis=0) == pytest.approx(2 * half[[1, 0, 2]], rel=1e-6)
    assert ellipsoid_axes(1.0, np.diag([1.0, 1.0, 3.0])) is None
    assert ellipsoid_axes(0.0, np.eye(3)) is None


def test_an_inertial_is_shown_with_its_place_and_edited(qtbot: QtBot) -> None:
    session = small_session("base")
    panel = shown(qtbot, InertialPanel(session, None, None))
    assert panel.fields["inertial.mass"].value == 2.5
    assert "small.urdf, line\u00a05" in panel.place.text()
    assert not panel.write.isVisible()
    type_into(qtbot, panel.fields["inertial.mass"], "3")
    type_into(qtbot, panel.fields["inertial.origin.xyz.2"], "120")
    assert changed_lines(URDF, text(session)) == [
        '-    <inertial><origin xyz="0 0 0.10"/><mass value="2.50"/>',
        '+    <inertial><origin xyz="0 0 0.12"/><mass value="3"/>',
    ]
    type_into(qtbot, panel.fields["inertial.inertia.5"], "0.1")
    assert "no real body has such values" in panel.warning.text()
    while session.document.undo():
        pass
    assert text(session) == URDF


def test_a_missing_inertial_is_computed_marked_and_written_on_demand(qtbot: QtBot) -> None:
    session = small_session("upper")
    meshes = Meshes(session.document)
    panel = shown(qtbot, InertialPanel(session, meshes, None))  # type: ignore[arg-type]
    assert panel.fields["inertial.mass"].value == pytest.approx(10.0)
    assert panel.fields["inertial.mass"].property("origin") == NumberSource.GUESSED.value
    assert "not in the file" in panel.computed.text()
    assert panel.fields["inertial.origin.xyz.2"].value == pytest.approx(0.25)
    type_into(qtbot, panel.density, "2700")
    assert panel.fields["inertial.mass"].value == pytest.approx(27.0)
    assert text(session) == URDF, "looking is no edit"
    qtbot.mouseClick(panel.write, Qt.MouseButton.LeftButton)
    link = session.document.robot.urdf.link("upper")
    assert link is not None
    assert link.inertial is not None
    assert link.inertial.mass == pytest.approx(27.0)
    written = text(session).partition("<inertial>")[2].partition("</inertial>")[0]
    assert not re.search(r"[1-9]\d*\.?\d{7}|\d\.\d{12}|-0[\" ]", written), (
        "six digits, as files have"
    )
    assert not panel.write.isVisible()
    assert panel.fields["inertial.mass"].property("origin") == NumberSource.FILE.value
    session.select(Selection(links=("fore",)))
    qtbot.waitUntil(lambda: "no geometry" in panel.computed.text())


def test_visuals_and_collisions_are_listed_and_edited(qtbot: QtBot) -> None:
    session = small_session("base")
    panel = shown(qtbot, ShapesPanel(session))
    assert [row.kind for row in panel.view.rows_model.items] == ["visual", "collision"]
    assert panel.paint.name.value == "grey"
    assert "line\u00a07" in panel.place.text()
    type_into(qtbot, panel.fields["origin.xyz.2"], "150")
    assert text(session) == URDF.replace('<origin xyz="0 0   0.1"/>', '<origin xyz="0 0   0.15"/>')
    before = text(session)
    type_into(qtbot, panel.fields["material.rgba.0"], "0.25")
    assert changed_lines(before, text(session)) == [
        '-  <material name="grey"><color rgba="0.5 0.5 0.50 1"/></material>',
        '+  <material name="grey"><color rgba="0.25 0.5 0.50 1"/></material>',
    ]
    click_cell(qtbot, panel.view, 1)
    qtbot.waitUntil(lambda: panel.title.text() == "Collision 1 “hull”")
    type_into(qtbot, panel.fields["geometry.filename"], "meshes/base.stl")
    assert '<mesh filename="meshes/base.stl"/>' in text(session)


def test_a_refusal_goes_with_what_it_was_about(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, JointPanel(session))
    type_into(qtbot, panel.fields["limit.upper"], "-400")
    assert "above the upper one" in panel.messages.text
    session.select(Selection(links=("fore",)))
    assert not panel.messages.isVisible()


def test_a_joint_is_edited_and_what_it_lacks_is_added(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, JointPanel(session))
    assert panel.fields["name"].text() == "j1"
    assert panel.fields["type"].value == "revolute"
    assert (panel.fields["parent"].value, panel.fields["child"].value) == ("base", "upper")
    type_into(qtbot, panel.fields["limit.upper"], "90")
    assert f'upper="{math.pi / 2!r}"' in text(session)
    type_into(qtbot, panel.fields["limit.lower"], "120")
    assert "2.094 rad (120°), is above the upper one, 1.571 rad (90°)" in panel.messages.text
    assert panel.fields["limit.effort"]._quantity.unit(session.display) == "Nm"
    before = text(session)
    assert not panel.fields["dynamics.damping"].isVisible()
    qtbot.mouseClick(panel.buttons["dynamics"], Qt.MouseButton.LeftButton)
    type_into(qtbot, panel.fields["dynamics.damping"], "0.7")
    assert '<dynamics damping="0.7" friction="0"' in text(session)
    assert len(changed_lines(before, text(session))) <= 3
    qtbot.mouseClick(panel.buttons["dynamics"], Qt.MouseButton.LeftButton)
    assert "dynamics" not in text(session)
    assert not panel.buttons["limit"].isEnabled(), "a revolute joint needs limits"
    type_into(qtbot, panel.fields["type"], "continuous")
    assert 'name="j1" type="continuous"' in text(session)
    qtbot.mouseClick(panel.buttons["limit"], Qt.MouseButton.LeftButton)
    assert not panel.fields["limit.lower"].isVisible()
    type_into(qtbot, panel.fields["type"], "prismatic")
    assert '<limit lower="0" upper="0.1" effort="100" velocity="0.1"/>' in text(session)
    for part in ("safety", "calibration", "mimic"):
        qtbot.mouseClick(panel.buttons[part], Qt.MouseButton.LeftButton)
    assert (
        '<safety_controller k_velocity="10" k_position="15" soft_lower_limit="0" '
        'soft_upper_limit="0.1"/>' in text(session)
    )
    assert '<calibration rising="0"/>' in text(session)
    assert panel.fields["mimic.joint"].value == "j2"
    type_into(qtbot, panel.fields["mimic.joint"], "slide_a")
    assert '<mimic joint="slide_a"' in text(session)
    session.select(Selection(joints=("slide_b",)))
    qtbot.waitUntil(lambda: panel.fields["name"].text() == "slide_b")
    assert panel.fields["mimic.joint"].value == "slide_a"
    type_into(qtbot, panel.fields["mimic.multiplier"], "-1")
    assert '<mimic joint="slide_a" multiplier="-1"/>' in text(session)
    session.select(Selection(links=("base",)))
    qtbot.waitUntil(lambda: "it is the root" in panel.why.text())
    session.select(NOTHING)
    qtbot.waitUntil(lambda: "Nothing is selected" in panel.why.text())


def test_a_joint_hangs_on_another_link_and_carries_another(qtbot: QtBot) -> None:
    session = small_session(joints=("slide_b",))
    panel = shown(qtbot, JointPanel(session))
    type_into(qtbot, panel.fields["parent"], "fore")
    assert changed_lines(URDF, text(session)) == [
        '-  <joint name="slide_b" type="prismatic"><parent link="hand"/><child link="finger_b"/>',
        '+  <joint name="slide_b" type="prismatic"><parent link="fore"/><child link="finger_b"/>',
    ]
    type_into(qtbot, panel.fields["parent"], "finger_b")
    assert "No link named “finger_b”" in panel.messages.text
    panel.keep_place.setChecked(True)
    type_into(qtbot, panel.fields["parent"], "base")
    assert '<origin xyz="0 0 0.4"' in text(session)
    type_into(qtbot, panel.fields["child"], "finger_a")
    robot = session.robot
    children = {j.name: j.child for j in robot.urdf.joints}
    assert (children["slide_a"], children["slide_b"]) == ("finger_b", "finger_a")
    assert (panel.fields["name"].text(), panel.fields["child"].value) == ("slide_b", "finger_a"), (
        "it stays what is looked at"
    )
    assert "hand" in panel.fields["parent"]._choices
    session.select(Selection(joints=("wrist",)))
    qtbot.waitUntil(lambda: panel.fields["name"].text() == "wrist")
    assert "finger_b" not in panel.fields["parent"]._choices, "it hangs on the wrist"
    assert "upper" not in panel.fields["child"]._choices, "the wrist hangs on it"
    while session.document.undo():
        pass
    assert text(session) == URDF


def test_undo_works_from_a_box_of_names(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, JointPanel(session))
    undo = QAction("Undo", panel, shortcut=QKeySequence(QKeySequence.StandardKey.Undo))
    undo.triggered.connect(session.undo)
    panel.addAction(undo)
    type_into(qtbot, panel.fields["type"], "continuous")
    assert 'name="j1" type="continuous"' in text(session)
    qtbot.keyClick(panel.fields["type"], Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text(session) == URDF


def test_single_attributes_go_by_their_button_or_when_emptied(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, JointPanel(session))
    assert not panel.fields["limit.jerk"].isVisible(), "URDF 1.0 has none"
    assert not panel.removers["Effort"].isVisible(), "URDF 1.0 needs it"
    session.execute(SetRobot(version="1.2"))
    type_into(qtbot, panel.fields["limit.jerk"], "90")
    assert 'jerk="90"' in text(session)
    qtbot.mouseClick(panel.removers["Jerk"], Qt.MouseButton.LeftButton)
    assert "jerk" not in text(session)
    assert not panel.removers["Jerk"].isVisible()
    qtbot.mouseClick(panel.removers["Effort"], Qt.MouseButton.LeftButton)
    assert '<limit lower="-3" upper="3.00" velocity="1"/>' in text(session)
    assert not panel.removers["Lower"].isVisible(), "a revolute joint needs it"
    qtbot.mouseClick(panel.buttons["dynamics"], Qt.MouseButton.LeftButton)
    type_into(qtbot, panel.fields["dynamics.damping"], "")
    assert '<dynamics friction="0"/>' in text(session)
    type_into(qtbot, panel.fields["dynamics.friction"], "")
    assert "dynamics" not in text(session), "neither is left, and urdfdom refuses an empty one"
    type_into(qtbot, panel.fields["limit.upper"], "")
    assert 'upper="3.00"' in text(session)
    while session.document.undo():
        pass
    assert text(session) == URDF


def test_a_quaternion_is_shown_edited_and_gives_way_to_angles(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, JointPanel(session))
    assert not panel.fields["origin.quat_xyzw.0"].isVisible()
    joint = panel.joint
    assert joint is not None
    session.execute(SetRobot(version="1.1"))
    session.execute(
        SetJoint("j1", replace(joint, origin=Placement(quat_xyzw=(0.0, 0.0, 0.0, 1.0))))
    )
    assert panel.fields["origin.quat_xyzw.3"].value == 1.0
    assert "replace it" in panel.fields["origin.rpy.0"].toolTip()
    type_into(qtbot, panel.fields["origin.quat_xyzw.2"], "1")
    assert panel.fields["origin.rpy.2"].value == pytest.approx(math.pi / 2)
    assert '<origin xyz="0 0 0" quat_xyzw="0 0 1 1"/>' in text(session)
    type_into(qtbot, panel.fields["origin.rpy.0"], "90")
    assert "quat_xyzw" not in text(session)
    assert not panel.fields["origin.quat_xyzw.0"].isVisible()


def test_an_inertial_and_a_colour_can_be_removed(qtbot: QtBot) -> None:
    session = small_session("base")
    panel = shown(qtbot, InertialPanel(session, None, None))
    qtbot.mouseClick(panel.remove, Qt.MouseButton.LeftButton)
    assert "<inertial>" not in text(session)
    assert not panel.remove.isVisible()
    session.document.undo()
    assert text(session) == URDF
    shapes = shown(qtbot, ShapesPanel(session))
    assert not shapes.paint.bare.isVisible(), "the material would be nothing"
    type_into(qtbot, shapes.fields["material.texture"], "grain.png")
    qtbot.mouseClick(shapes.paint.bare, Qt.MouseButton.LeftButton)
    assert '<material name="grey"><texture filename="grain.png"/></material>' in text(session)
    type_into(qtbot, shapes.fields["material.texture"], "")
    assert "needs a colour or a texture" in shapes.messages.text


def test_a_new_name_follows_every_reference_and_stays_selected(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, LinkPanel(session))
    type_into(qtbot, panel.fields["name"], "upper_arm")
    assert 'name="upper"' not in text(session)
    assert '<child link="upper_arm"/>' in text(session)
    assert session.selection.links == ("upper_arm",)
    type_into(qtbot, panel.fields["name"], "base")
    assert "already" in panel.messages.text
    joint = shown(qtbot, JointPanel(session))
    type_into(qtbot, joint.fields["name"], "shoulder")
    assert session.robot.xrdf.cspace is not None
    assert (session.robot.xrdf.cspace.joint_names or ())[0] == "shoulder"
    assert (
        '<transmission name="drive"><type>simple</type><joint name="shoulder"/></transmission>'
        in text(session)
    )


def test_transmissions_and_extensions_are_edited_as_text(qtbot: QtBot) -> None:
    session = small_session("upper")
    panel = shown(qtbot, TextsPanel(session))
    assert [(row.tag, row.about) for row in panel.view.rows_model.items] == [
        ("transmission", "j1"),
        ("gazebo", "upper"),
    ]
    assert panel.text.toPlainText() == (
        '<transmission name="drive"><type>simple</type><joint name="j1"/></transmission>'
    )
    assert not panel.apply.isEnabled()
    click_cell(qtbot, panel.view, 1)
    qtbot.waitUntil(lambda: "gazebo" in panel.text.toPlainText())
    panel.text.setPlainText('<gazebo reference="upper"><kp>2.0</kp></gazebo>')
    qtbot.mouseClick(panel.apply, Qt.MouseButton.LeftButton)
    assert text(session) == URDF.replace("1000000.0", "2.0")
    panel.text.setPlainText("<gazebo>")
    qtbot.mouseClick(panel.apply, Qt.MouseButton.LeftButton)
    assert "well-formed" in panel.messages.text
    assert text(session) == URDF.replace("1000000.0", "2.0")
    qtbot.mouseClick(panel.revert, Qt.MouseButton.LeftButton)
    assert "<kp>2.0</kp>" in panel.text.toPlainText()
    qtbot.mouseClick(panel.add_transmission, Qt.MouseButton.LeftButton)
    assert 'name="j1_transmission"' in text(session)
    qtbot.waitUntil(lambda: "j1_motor" in panel.text.toPlainText())
    qtbot.mouseClick(panel.add_extension, Qt.MouseButton.LeftButton)
    assert text(session).count('<gazebo reference="upper">') == 2
    while session.document.undo():
        pass
    assert text(session) == URDF
    session.select(Selection(links=("hand",)))
    qtbot.waitUntil(lambda: panel.current() is None)
    assert not panel.text.isVisible()


def test_shapes_are_added_resized_painted_and_removed(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = small_session("upper")
    panel = shown(qtbot, ShapesPanel(session))
    assert panel.kind.value == "box"
    type_into(qtbot, panel.fields["geometry.size.0"], "300")
    assert '<box size="0.3 0.2 0.5"/>' in text(session)
    type_into(qtbot, panel.kind, "cylinder")
    assert '<cylinder radius="0.1" length="0.5"/>' in text(session)
    assert not panel.fields["geometry.size.0"].isVisible()
    type_into(qtbot, panel.fields["geometry.radius"], "-1")
    assert "positive" in panel.messages.text
    type_into(qtbot, panel.kind, "capsule")
    assert "1.1" in panel.messages.text
    assert panel.kind.value == "cylinder"
    monkeypatch.setattr(panel, "ask_for_file", lambda *_: None)
    type_into(qtbot, panel.kind, "mesh")
    assert panel.kind.value == "cylinder", "no file was chosen"
    qtbot.mouseClick(panel.add_collision, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.title.text() == "Collision 1")
    upper = session.robot.urdf.link("upper")
    assert upper is not None
    assert upper.collisions[0].geometry == upper.visuals[0].geometry
    assert not panel.paint.name.isVisible(), "collisions have no material"
    click_cell(qtbot, panel.view, 0)
    qtbot.waitUntil(lambda: panel.paint.name.isVisible())
    assert panel.paint.name.value == "none"
    type_into(qtbot, panel.paint.name, "grey")
    assert '<material name="grey"/>' in text(session)
    qtbot.mouseClick(panel.paint.fresh, Qt.MouseButton.LeftButton)
    type_into(qtbot, panel.fields["material.texture"], "wood.png")
    assert '<texture filename="wood.png"/>' in text(session)
    assert "upper_material" in text(session)
    type_into(qtbot, panel.fields["name"], "skin")
    assert '<visual name="skin">' in text(session)
    panel.view.selectAll()
    panel.view.delete_selected()
    assert panel.title.isHidden()
    qtbot.mouseClick(panel.add_visual, Qt.MouseButton.LeftButton)
    assert '<box size="0.1 0.1 0.1"/>' in text(session)
    while session.document.undo():
        pass
    assert text(session) == URDF


def test_the_robot_attaches_merges_ignores_and_begins_somewhere(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, RobotPanel(session))
    assert panel.fields["name"].text() == "small"
    assert "6 links, 5 joints (4 move), 2.5 kg" in panel.about.text()
    qtbot.mouseClick(panel.world, Qt.MouseButton.LeftButton)
    assert '<link name="world"/>' in text(session)
    assert panel.world.text() == "Detach from world"
    qtbot.mouseClick(panel.world, Qt.MouseButton.LeftButton)
    assert text(session) == URDF
    assert "stays" in panel.merge_note.text()
    missing = panel.ignore.isEnabled()
    if missing:
        qtbot.mouseClick(panel.ignore, Qt.MouseButton.LeftButton)
    assert panel.ignore_note.text().startswith("All")
    type_into(qtbot, panel.positions, "0.5")
    assert "4 joints" in panel.messages.text
    type_into(qtbot, panel.positions, "0.5, 1, 0.01, 0")
    given = session.robot.xrdf.default_joint_positions
    assert given is not None
    assert (given["j1"], given["j2"], given["slide_a"]) == (0.5, 1.0, 0.01)
    assert session.pose["j1"] == 0.5
    type_into(qtbot, panel.fields["version"], "1.1")
    assert 'name="small" version="1.1"' in text(session)
    type_into(qtbot, panel.fields["name"], "tall")
    assert '<robot name="tall"' in text(session)


def test_every_link_of_the_sample_can_be_looked_at(qtbot: QtBot, sample_urdf: Path) -> None:
    session = Session()
    document = open_document(sample_urdf)
    stack = shown(
        qtbot,
        SectionStack(session, urdf_section_specs(None, None, None), name="URDF", setting="x"),
        360,
    )
    for section in stack.sections.values():
        section.set_open(True)
    session.open(document)
    joint: JointPanel = stack.sections["urdf.joint"].panel  # type: ignore[assignment]
    for link in document.robot.urdf.links:
        session.select(Selection(links=(link.name,)))
        QApplication.processEvents()
        parent = next((j.name for j in document.robot.urdf.joints if j.child == link.name), None)
        if parent is not None:
            assert joint.fields["name"].text() == parent
    assert document.position == 0


def test_where_no_extension_is_it_is_said_where_the_others_are(qtbot: QtBot) -> None:
    session = small_session("fore")
    panel = shown(qtbot, TextsPanel(session))
    assert "None for fore and j2. The robot has 2 other elements" in panel.none.text()
    assert not panel.view.isVisible()
    session.execute(AddEmbedded(Home.JOINT, "<drake:acceleration xmlns:drake='x'/>", "wrist"))
    session.select(NOTHING)
    qtbot.waitUntil(panel.view.isVisible)
    assert len(panel.view.rows_model.items) == 3, "those within links and joints too"
    assert not panel.none.isVisible()


class View:
    """What the overlay asks of the 3D view."""

    def __init__(self) -> None:
        self.lines: dict[str, np.ndarray] = {}
        self.labels: list[str] = []
        self.overlay = self

    def set_lines(self, name: str, points: np.ndarray, rgba: np.ndarray, labels: list[str]) -> None:
        self.lines[name], self.labels = points, labels

    def remove(self, name: str) -> None:
        self.lines.pop(name, None)


def test_the_ellipsoid_crosses_its_axes_in_the_centre_of_mass_and_follows_the_pose(
    qtbot: QtBot,
) -> None:
    session = small_session("upper")
    view = View()
    overlay = InertiaOverlay(session, lambda: view)  # type: ignore[arg-type,return-value]
    overlay.set_shown(True)
    body = Inertial(2.0, (0.02, 0.0, 0.0, 0.02, 0.0, 0.01), Placement((0.1, 0.0, 0.25)))
    overlay.show("upper", body)
    assert view.labels == ["2 kg"]
    drawn = view.lines["inertia"]
    frame = session.transform("upper")
    assert frame is not None
    centre = frame[:3, :3] @ np.array([0.1, 0.0, 0.25]) + frame[:3, 3]
    assert drawn[:3].mean(axis=1) == pytest.approx(np.tile(centre, (3, 1)))
    session.set_pose(FrozenDict({"j1": 1.0}))
    assert view.lines["inertia"][:3].mean(axis=1) != pytest.approx(np.tile(centre, (3, 1)))
    overlay.show("upper", replace(body, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 3.0)))
    assert len(view.lines["inertia"]) == 3, "no body has that: a cross alone"
    overlay.set_shown(False)
    assert view.lines == {}


def test_a_refusal_goes_with_the_next_step_wherever_it_is_made(qtbot: QtBot) -> None:
    session = small_session("base")
    panel = shown(qtbot, InertialPanel(session, None, None))
    type_into(qtbot, panel.fields["inertial.mass"], "3")
    type_into(qtbot, panel.fields["inertial.mass"], "4 F")
    assert panel.messages.isVisible()
    session.undo()
    qtbot.waitUntil(lambda: not panel.messages.isVisible())
