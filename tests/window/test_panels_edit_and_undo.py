"""Panels of joints and frames, by keys and clicks: an edit changes its own lines alone, and undo
takes it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.spheres import DeleteSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.xrdf import AddFrame
from editor_app.window.session import Session
from editor_app.window.xrdf.collision import GeometryGroupsPanel
from editor_app.window.xrdf.cspace import CSpacePanel, DefaultPositionsPanel
from editor_app.window.xrdf.format import FormatPanel
from editor_app.window.xrdf.modifiers import ModifiersPanel, ToolFramesPanel
from tests.helpers.panels import (
    UPPER,
    add,
    check,
    click,
    click_cell,
    drag_row,
    edit_cell,
    session,
    shown,
    type_into,
    xrdf,
)
from tests.helpers.small_robot import XRDF_TEXT

__all__ = ["session"]

pytestmark = pytest.mark.gui


# -- tool frames


def test_tool_frames(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, ToolFramesPanel(session))
    add(qtbot, panel, "Add tool frame", "finger_a")
    assert xrdf(session).tool_frames == ("tcp", "hand", "finger_a")
    check(session, ['-tool_frames: ["tcp", hand]', '+tool_frames: ["tcp", hand, "finger_a"]'])
    drag_row(qtbot, panel.view, 1, 0)
    assert xrdf(session).tool_frames == ("hand", "tcp")
    assert panel.view.model().index(0, 1).data() == "end effector"
    session.undo()
    click_cell(qtbot, panel.view, 0)
    qtbot.keyClick(panel.view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert xrdf(session).tool_frames == ("hand", "tcp")
    session.undo()
    edit_cell(qtbot, panel.view, 1, 0, "fore")
    assert xrdf(session).tool_frames == ("tcp", "fore")
    session.undo()
    click_cell(qtbot, panel.view, 0)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert xrdf(session).tool_frames == ("hand",)
    check(session, ['-tool_frames: ["tcp", hand]', "+tool_frames: [hand]"])


# -- default joint positions


def test_esc_takes_back_what_was_typed_in_a_cell(qtbot: QtBot, session: Session) -> None:
    positions = shown(qtbot, DefaultPositionsPanel(session))
    edit_cell(qtbot, positions.view, 0, 1, "0.25 rad", end=Qt.Key.Key_Escape)
    groups = shown(qtbot, GeometryGroupsPanel(session))
    edit_cell(qtbot, groups.view, 0, 0, "others", end=Qt.Key.Key_Escape)
    frames = shown(qtbot, ToolFramesPanel(session))
    edit_cell(qtbot, frames.view, 1, 0, "fore", end=Qt.Key.Key_Escape)
    assert session.document.position == 0


def test_default_joint_positions(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, DefaultPositionsPanel(session))
    edit_cell(qtbot, panel.view, 0, 1, "0.25 rad")
    assert xrdf(session).default_joint_positions == {"j1": 0.25, "j2": 1.0}
    check(session, ["-  j1: 0.5", "+  j1: 0.25"])
    edit_cell(qtbot, panel.view, 2, 1, "10")
    assert xrdf(session).default_joint_positions == {"j1": 0.5, "j2": 1.0, "slide_a": 0.01}, "10 mm"
    click_cell(qtbot, panel.view, 2)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert xrdf(session).default_joint_positions == {"j1": 0.5, "j2": 1.0}
    session.undo()
    session.undo()
    add(qtbot, panel, "Add default position", "slide_a")
    check(session, ["+  slide_a: 0.0"])


def test_a_default_outside_the_limits_is_refused_in_place(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, DefaultPositionsPanel(session))
    edit_cell(qtbot, panel.view, 0, 1, "200")
    assert "From −171.887° to 171.887°" in panel.messages.text
    assert xrdf(session).default_joint_positions == {"j1": 0.5, "j2": 1.0}


def test_the_pose_becomes_the_default(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, DefaultPositionsPanel(session))
    session.set_joint("j1", 1.25)
    click(qtbot, panel.take)
    assert xrdf(session).default_joint_positions == {"j1": 1.25, "j2": 1.0, "slide_a": 0.0}
    check(session, ["-  j1: 0.5", "+  j1: 1.25", "+  slide_a: 0.0"])
    click(qtbot, panel.show_pose)
    assert session.pose["j1"] == 0.5


# -- c-space


def test_limits_one_and_all(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, CSpacePanel(session))
    edit_cell(qtbot, panel.view, 1, 1, "15")
    check(session, ["-  acceleration_limits: [12.0, 10]", "+  acceleration_limits: [12.0, 15.0]"])
    type_into(qtbot, panel.all_jerk, "250*2/4")
    check(session, ["-  jerk_limits: [500.0, 500.0]", "+  jerk_limits: [125.0, 125.0]"])
    assert panel.all_acceleration.text() == ""
    assert panel.all_acceleration.placeholderText() == "mixed"


def test_joints_of_the_c_space(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, CSpacePanel(session))
    assert [row.joint for row in panel.locked_view.rows_model.items] == ["slide_a"]
    edit_cell(qtbot, panel.locked_view, 0, 1, "20 mm")
    assert dict(xrdf(session).default_joint_positions or ())["slide_a"] == 0.02, (
        "what is locked is edited where it is shown"
    )
    session.undo()
    drag_row(qtbot, panel.view, 0, 1)
    check(
        session,
        [
            '-  joint_names: ["j1", "j2"]',
            "-  acceleration_limits: [12.0, 10]",
            '+  joint_names: ["j2", "j1"]',
            "+  acceleration_limits: [10, 12.0]",
        ],
    )
    add(qtbot, panel, "Add joint to the c-space", "slide_a")
    assert xrdf(session).cspace is not None
    assert xrdf(session).cspace.joint_names == ("j1", "j2", "slide_a")  # type: ignore[union-attr]
    assert not panel.locked.isVisible()
    assert not panel.locked_view.isVisible()
    click_cell(qtbot, panel.view, 1)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert xrdf(session).cspace.joint_names == ("j1", "slide_a")  # type: ignore[union-attr]
    assert xrdf(session).cspace.acceleration_limits == (12.0, 10.0)  # type: ignore[union-attr]


def test_ctrl_enter_gives_a_value_to_all_selected_rows(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, CSpacePanel(session))
    panel.view.selectAll()
    panel.view.rows_model.set_values([0], 2, 321.0)
    panel.view.setFocus()
    panel.view.selectionModel().setCurrentIndex(
        panel.view.model().index(0, 2), panel.view.selectionModel().SelectionFlag.NoUpdate
    )
    qtbot.keyClick(panel.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert xrdf(session).cspace.jerk_limits == (321.0, 321.0)  # type: ignore[union-attr]


# -- modifiers


def test_units_that_joints_share_are_said_in_the_header_and_leave_names_room(
    qtbot: QtBot, session: Session
) -> None:
    panel = shown(qtbot, CSpacePanel(session))
    model = panel.view.rows_model

    def texts() -> list[str]:
        head = model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole)
        return [head, *(model.index(row, 1).data() for row in range(model.rowCount()))]

    assert texts() == ["Accel.\nrad/s²", "12", "10"]
    add(qtbot, panel, "Add joint to the c-space", "slide_a")
    head, *cells = texts()
    assert head == "Accel.\nper s²"
    assert cells[:2] == ["12 rad", "10 rad"]
    assert cells[2].endswith(" m")


def test_an_added_frame(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, ModifiersPanel(session))
    click_cell(qtbot, panel.view, 1)
    form = panel.frame_form
    type_into(qtbot, form.fields["fixed_transform.position.2"], "120")
    check(
        session,
        [
            "-      fixed_transform: {position: [0, 0, 0.1], orientation: {w: 1.0, xyz: [0, 0, "
            "0]}}",
            "+      fixed_transform: {position: [0, 0, 0.12], orientation: {w: 1.0, xyz: [0, 0, "
            "0]}}",
        ],
    )
    type_into(qtbot, form.fields["rpy.1"], "90")
    frame = (xrdf(session).modifiers or ())[1]
    assert isinstance(frame, AddFrame)
    assert frame.fixed_transform.orientation_wxyz == pytest.approx((0.5**0.5, 0.0, 0.5**0.5, 0.0))
    type_into(qtbot, form.fields["rpy.0"], "30")
    assert form.fields["rpy.1"].text() == "90", (
        "angles stay as they were typed, also where others mean the same"
    )
    assert form.fields["rpy.0"].value == pytest.approx(0.5235987755982988)
    qtbot.mouseClick(form.as_quaternion, Qt.MouseButton.LeftButton)
    type_into(qtbot, form.fields["fixed_transform.orientation_wxyz.0"], "2")
    click(qtbot, form.normalise)
    frame = (xrdf(session).modifiers or ())[1]
    assert isinstance(frame, AddFrame)
    assert sum(q * q for q in frame.fixed_transform.orientation_wxyz) == pytest.approx(1.0)
    type_into(qtbot, form.fields["frame_name"], "tip")
    assert xrdf(session).tool_frames == ("tip", "hand")
    type_into(qtbot, form.fields["frame_name"], "hand")
    assert "already" in panel.messages.text
    assert form.fields["frame_name"].text() == "tip"
    type_into(qtbot, form.fields["parent_frame_name"], "fore")
    assert session.tree.joint_to("tip").parent == "fore"  # type: ignore[union-attr]
    type_into(qtbot, form.fields["joint_name"], "tip_joint")
    assert session.tree.joint_to("tip").name == "tip_joint"  # type: ignore[union-attr]


def test_modifiers_come_go_and_move(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, ModifiersPanel(session))
    session.select(Selection(links=("upper",)))
    session.select(Selection())
    panel.add_actions["frame"].trigger()
    assert (xrdf(session).modifiers or ())[-1].parent_frame_name == "upper", (  # type: ignore[union-attr]
        "the link that was chosen last"
    )
    assert [type(m).__name__ for m in xrdf(session).modifiers or ()] == [
        "SetBaseFrame",
        "AddFrame",
        "AddFrame",
    ]
    assert panel.frame_form.fields["frame_name"].isVisible()
    assert panel.frame_form.fields["frame_name"].text() == "new_frame"
    panel.add_actions["joint"].trigger()
    assert panel.joint_form.fields["joint_name"].isVisible()
    type_into(qtbot, panel.joint_form.fields["position_limits.1"], "30")
    assert (xrdf(session).modifiers or ())[3].position_limits == (0.0, 0.03)  # type: ignore[union-attr]
    panel.add_actions["base"].trigger()
    type_into(qtbot, panel.base_form.fields["frame"], "upper")
    assert session.tree.root == "upper" or panel.view.model().index(4, 1).data() == "upper"
    click_cell(qtbot, panel.view, 4)
    qtbot.keyClick(panel.view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert type((xrdf(session).modifiers or ())[3]).__name__ == "SetBaseFrame"
    click_cell(qtbot, panel.view, 0)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert len(xrdf(session).modifiers or ()) == 4
    while session.document.position:
        session.undo()
    assert session.document.xrdf_text == XRDF_TEXT


# -- format


def test_conversion_between_versions(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, FormatPanel(session))
    click(qtbot, panel.convert)
    # Said before it is done, and left without a trace.
    assert panel.notes.isVisible()
    assert "world_collision" in panel.notes.text()
    assert xrdf(session).format_version == "1.0"
    click(qtbot, panel.leave)
    assert not panel.notes.isVisible()
    assert not panel.take.isVisible()
    click(qtbot, panel.convert)
    click(qtbot, panel.take)
    assert xrdf(session).format_version == "2.0"
    assert panel.notes.text().startswith("Converted to 2.0.")
    session.undo()
    assert not panel.notes.isVisible()
    click(qtbot, panel.convert)
    click(qtbot, panel.take)
    check(
        session,
        ["-format_version: 1.0", "+format_version: 2.0", "-collision:", "+world_collision:"],
    )
    type_into(qtbot, panel.version, "2.0")
    click(qtbot, panel.take)
    assert xrdf(session).format_version == "2.0"


def test_an_offered_conversion_is_forgotten_with_the_next_edit(
    qtbot: QtBot, session: Session
) -> None:
    panel = shown(qtbot, FormatPanel(session))
    click(qtbot, panel.convert)
    session.execute(DeleteSpheres(UPPER[:1]))
    assert not panel.take.isVisible()
    assert not panel.notes.isVisible()
