"""Every panel, by real keys and clicks: an edit changes its own lines of the file alone, and undo takes it back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from editor_app.edit.commands.spheres import DeleteSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.panel import Panel
from editor_app.gui.panels.collision import SelfCollisionPanel, WorldCollisionPanel
from editor_app.gui.panels.cspace import CSpacePanel
from editor_app.gui.panels.default_positions import DefaultPositionsPanel
from editor_app.gui.panels.format import FormatPanel
from editor_app.gui.panels.geometry_groups import GeometryGroupsPanel
from editor_app.gui.panels.modifiers import ModifiersPanel
from editor_app.gui.panels.selection import SelectionNumbers
from editor_app.gui.panels.tool_frames import ToolFramesPanel
from editor_app.gui.session import AngleUnit, LengthUnit, Session
from editor_app.model.findings import SphereRef
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import AddFrame, LinkPair, Xrdf
from tests.helpers.panels import (
    changed_lines,
    click_cell,
    drag_mouse,
    drag_row,
    edit_cell,
    shown,
    small_session,
    type_into,
)
from tests.helpers.small_robot import XRDF_TEXT

pytestmark = pytest.mark.gui


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    session = small_session()
    session.set_display(length_unit=LengthUnit.MILLIMETRE, angle_unit=AngleUnit.DEGREE)
    return session


def xrdf(session: Session) -> Xrdf:
    assert session.robot is not None
    return session.robot.xrdf


def check(session: Session, lines: list[str], steps: int = 1) -> None:
    """The text differs in these lines alone, by so many steps, and undoing them gives the first text back."""
    document = session.document
    assert document is not None
    assert changed_lines(XRDF_TEXT, document.xrdf_text) == lines
    assert document.position == steps
    for _ in range(steps):
        session.undo()
    assert document.xrdf_text == XRDF_TEXT


def click(qtbot: QtBot, button: QAbstractButton) -> None:
    assert button.isVisible()
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def add(qtbot: QtBot, panel: Panel, name: str, value: str) -> None:
    """Chooses `value` in the box called `name` and presses its button."""
    from editor_app.gui.bindings.name_box import NameBox

    box = next(box for box in panel.findChildren(NameBox) if box.accessibleName() == name)
    type_into(qtbot, box, value, enter=False)
    button = next(b for b in panel.findChildren(QAbstractButton) if b.accessibleName() == name and b.isVisible())
    click(qtbot, button)


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
    assert "From -171.887° to 171.887°" in panel.messages.text
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
    assert panel.all_acceleration.placeholderText() == "several"


def test_joints_of_the_c_space(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, CSpacePanel(session))
    assert "slide_a (0 mm)" in panel.locked.text()
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


# -- collision


@pytest.mark.parametrize("kind", [WorldCollisionPanel, SelfCollisionPanel])
def test_buffers(qtbot: QtBot, session: Session, kind: Callable[[Session], WorldCollisionPanel]) -> None:
    panel = shown(qtbot, kind(session))
    frame = panel.buffers.rows_model.rows[0].frame
    edit_cell(qtbot, panel.buffers, 0, 2, "1/4 cm")
    section = getattr(xrdf(session), panel.kind)
    assert section.buffer_distance[frame] == 0.0025
    lines = {
        "upper": ["-    upper: 0.01   # thick", "+    upper: 0.0025   # thick"],
        "fore": ["-    fore: 0.0", "+    fore: 0.0025"],
    }
    check(session, lines[frame])
    add(qtbot, panel, "Add buffer distance", "finger_a")
    assert getattr(xrdf(session), panel.kind).buffer_distance["finger_a"] == 0.01
    edit_cell(qtbot, panel.buffers, 0, 0, "base")
    assert next(iter(getattr(xrdf(session), panel.kind).buffer_distance)) == "base"
    click_cell(qtbot, panel.buffers, 0)
    qtbot.keyClick(panel.buffers, Qt.Key.Key_Delete)
    assert "base" not in getattr(xrdf(session), panel.kind).buffer_distance
    for _ in range(3):
        session.undo()
    assert session.document is not None
    assert session.document.xrdf_text == XRDF_TEXT


def test_the_group_of_a_section_is_chosen_from_those_that_exist(qtbot: QtBot, session: Session) -> None:
    from editor_app.edit.commands import AddGroup

    session.execute(AddGroup("fine"))
    panel = shown(qtbot, WorldCollisionPanel(session))
    type_into(qtbot, panel.group_box, "coarse")
    assert "no geometry group" in panel.messages.text
    assert xrdf(session).world_group == "spheres"
    type_into(qtbot, panel.group_box, "fine")
    assert xrdf(session).world_group == "fine"
    assert panel.messages.text == ""


def test_one_number_for_all_frames(qtbot: QtBot) -> None:
    single = XRDF_TEXT.replace(
        "  buffer_distance:\n    upper: 0.01   # thick\n    hand: 0.02\n", "  buffer_distance: 0.01\n"
    )
    session = small_session(single)
    panel = shown(qtbot, WorldCollisionPanel(session))
    type_into(qtbot, panel.single_buffer, "20")
    assert xrdf(session).world_collision.buffer_distance == 0.02  # type: ignore[union-attr]
    click(qtbot, panel.expand)
    assert xrdf(session).world_collision.buffer_distance == {"upper": 0.02, "hand": 0.02}  # type: ignore[union-attr]
    assert panel.buffers.isVisible()


def test_masked_pairs(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelfCollisionPanel(session))
    assert [(r.first, r.second) for r in panel.pairs.rows_model.rows] == [("upper", "fore"), ("fore", "hand")]
    type_into(qtbot, panel.first, "finger_b")
    type_into(qtbot, panel.second, "hand")
    click(qtbot, panel.mask_button)
    assert xrdf(session).self_collision.ignore["hand"] == ("finger_b",)  # type: ignore[union-attr, index]
    session.undo()
    click_cell(qtbot, panel.pairs, 0)
    assert session.selection.pairs == (LinkPair.of("upper", "fore"),)
    qtbot.keyClick(panel.pairs, Qt.Key.Key_Delete)
    assert xrdf(session).self_collision.ignore == {"fore": ("hand",)}  # type: ignore[union-attr]
    session.undo()
    assert panel.tidy.text() == "Tidy 1 redundant entry"
    click(qtbot, panel.tidy)
    check(session, ["-    fore: [hand, upper]", "+    fore: [hand]"])


# -- geometry groups


def test_geometry_groups(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, GeometryGroupsPanel(session))
    edit_cell(qtbot, panel.view, 0, 1, "body")
    assert xrdf(session).world_group == xrdf(session).self_group == "body"
    assert session.active_group == "body"
    check(
        session,
        [
            '-  geometry: "spheres"',
            '+  geometry: "body"',
            '-  geometry: "spheres"',
            '+  geometry: "body"',
            "-  spheres:",
            "+  body:",
        ],
    )
    click(qtbot, panel.add)
    assert [g.name for g in xrdf(session).geometry or ()] == ["spheres", "collision_spheres"]
    assert session.active_group == "collision_spheres"
    click_cell(qtbot, panel.view, 0)
    assert session.active_group == "spheres"
    click(qtbot, panel.copy)
    assert [g.name for g in xrdf(session).geometry or ()] == ["spheres", "collision_spheres", "spheres_copy"]
    edit_cell(qtbot, panel.view, 2, 1, "spheres")
    assert "already" in panel.messages.text
    click_cell(qtbot, panel.view, 1)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert [g.name for g in xrdf(session).geometry or ()] == ["spheres", "spheres_copy"]
    for _ in range(3):
        session.undo()
    assert session.document is not None
    assert session.document.xrdf_text == XRDF_TEXT


def test_clones(qtbot: QtBot) -> None:
    from editor_app.edit.commands import AddGroup

    text = XRDF_TEXT.replace("format_version: 1.0", "format_version: 2.0").replace("\ncollision:", "\nworld_collision:")
    session = small_session(text)
    session.execute(AddGroup("own"))
    panel = shown(qtbot, GeometryGroupsPanel(session))
    click_cell(qtbot, panel.view, 1)
    panel.clone.menu().aboutToShow.emit()
    panel.clone.menu().actions()[0].trigger()
    assert xrdf(session).group("own").clone == ("spheres",)  # type: ignore[union-attr]
    assert panel.view.model().index(1, 2).data() == "0 + 3"
    panel.clone.menu().aboutToShow.emit()
    panel.clone.menu().actions()[0].trigger()
    assert xrdf(session).group("own").clone is None  # type: ignore[union-attr]


# -- modifiers


def test_an_added_frame(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, ModifiersPanel(session))
    click_cell(qtbot, panel.view, 1)
    form = panel.frame_form
    type_into(qtbot, form.position[2], "120")
    check(
        session,
        [
            "-      fixed_transform: {position: [0, 0, 0.1], orientation: {w: 1.0, xyz: [0, 0, 0]}}",
            "+      fixed_transform: {position: [0, 0, 0.12], orientation: {w: 1.0, xyz: [0, 0, 0]}}",
        ],
    )
    type_into(qtbot, form.rpy[1], "90")
    frame = (xrdf(session).modifiers or ())[1]
    assert isinstance(frame, AddFrame)
    assert frame.fixed_transform.orientation_wxyz == pytest.approx((0.5**0.5, 0.0, 0.5**0.5, 0.0))
    type_into(qtbot, form.rpy[0], "30")
    assert form.rpy[1].text() == "90", "angles stay as they were typed, also where others mean the same"
    assert form.rpy[0].value == pytest.approx(0.5235987755982988)
    qtbot.mouseClick(form.as_quaternion, Qt.MouseButton.LeftButton)
    type_into(qtbot, form.quaternion[0], "2")
    click(qtbot, form.normalise)
    frame = (xrdf(session).modifiers or ())[1]
    assert isinstance(frame, AddFrame)
    assert sum(q * q for q in frame.fixed_transform.orientation_wxyz) == pytest.approx(1.0)
    type_into(qtbot, form.frame_name, "tip")
    assert xrdf(session).tool_frames == ("tip", "hand")
    type_into(qtbot, form.frame_name, "hand")
    assert "already" in panel.messages.text
    assert form.frame_name.text() == "tip"
    type_into(qtbot, form.parent_frame, "fore")
    assert session.tree is not None
    assert session.tree.joint_to("tip").parent == "fore"  # type: ignore[union-attr]
    type_into(qtbot, form.joint_name, "tip_joint")
    assert session.tree.joint_to("tip").name == "tip_joint"  # type: ignore[union-attr]


def test_modifiers_come_go_and_move(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, ModifiersPanel(session))
    panel.add_actions["frame"].trigger()
    assert [type(m).__name__ for m in xrdf(session).modifiers or ()] == ["SetBaseFrame", "AddFrame", "AddFrame"]
    assert panel.frame_form.isVisible()
    assert panel.frame_form.frame_name.text() == "new_frame"
    panel.add_actions["joint"].trigger()
    assert panel.joint_form.isVisible()
    type_into(qtbot, panel.joint_form.upper_limit, "30")
    assert (xrdf(session).modifiers or ())[3].position_limits == (0.0, 0.03)  # type: ignore[union-attr]
    panel.add_actions["base"].trigger()
    type_into(qtbot, panel.base_form.frame, "upper")
    assert session.tree is not None
    assert session.tree.root == "upper" or panel.view.model().index(4, 1).data() == "upper"
    click_cell(qtbot, panel.view, 4)
    qtbot.keyClick(panel.view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert type((xrdf(session).modifiers or ())[3]).__name__ == "SetBaseFrame"
    click_cell(qtbot, panel.view, 0)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert len(xrdf(session).modifiers or ()) == 4
    while session.document is not None and session.document.position:
        session.undo()
    assert session.document is not None
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
    check(session, ["-format_version: 1.0", "+format_version: 2.0", "-collision:", "+world_collision:"])
    type_into(qtbot, panel.version, "2.0")
    click(qtbot, panel.take)
    assert xrdf(session).format_version == "2.0"


def test_an_offered_conversion_is_forgotten_with_the_next_edit(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, FormatPanel(session))
    click(qtbot, panel.convert)
    session.execute(DeleteSpheres(UPPER[:1]))
    assert not panel.take.isVisible()
    assert not panel.notes.isVisible()


# -- the selection


def test_numbers_stay_whole_in_a_panel_that_becomes_narrow(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("upper",)))
    for width in (600, 280, 600, 240):
        panel.resize(width, 200)
        qtbot.wait(20)
        table = panel.spheres
        for column in range(table.rows_model.columnCount()):
            if not table.isColumnHidden(column):
                assert table.columnWidth(column) >= table.sizeHintForColumn(column), (width, column)
        assert table.isColumnHidden(5) == (width < 300)


UPPER = tuple(SphereRef("spheres", "upper", i) for i in range(2))


def test_nothing_selected_says_how_to_select(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    assert panel.hint.isVisible()
    session.select(Selection(links=("upper",)))
    assert not panel.hint.isVisible()
    assert "j1" in panel.about.text()
    assert panel.spheres.rows_model.rowCount() == 2


def test_numbers_of_one_sphere(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER[1:]))
    type_into(qtbot, panel.axes[2], "250")
    check(
        session,
        ["-        - {center: [0.0, 0.0, 2e-1], radius: 0.06}", "+        - {center: [0.0, 0.0, 0.25], radius: 0.06}"],
    )
    type_into(qtbot, panel.radius, "0.07 m")
    check(
        session,
        ["-        - {center: [0.0, 0.0, 2e-1], radius: 0.06}", "+        - {center: [0.0, 0.0, 2e-1], radius: 0.07}"],
    )


def test_several_spheres_at_once_and_by_table(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER))
    assert panel.radius.placeholderText() == "several"
    type_into(qtbot, panel.radius, "100")
    check(
        session,
        [
            "-          radius: 0.08",
            "-        - {center: [0.0, 0.0, 2e-1], radius: 0.06}",
            "+          radius: 0.1",
            "+        - {center: [0.0, 0.0, 2e-1], radius: 0.1}",
        ],
    )
    edit_cell(qtbot, panel.spheres, 0, 4, "0.09 m")
    check(session, ["-          radius: 0.08", "+          radius: 0.09"])


def test_numbers_are_copied_and_pasted_as_tsv(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(spheres=UPPER))
    panel.spheres.selectAll()
    panel.spheres.setFocus()
    qtbot.keyClick(panel.spheres, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QApplication.clipboard().text()
    assert text == "0\t0\t100\t80\t90\t80\n0\t0\t200\t60\t70\t60"
    QApplication.clipboard().setText("1\t2\t3\t4\n5\t6\t7\t8 cm")
    panel.spheres.setCurrentIndex(panel.spheres.model().index(0, 1))
    panel.spheres.selectAll()
    qtbot.keyClick(panel.spheres, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    spheres = xrdf(session).group("spheres").spheres["upper"]  # type: ignore[union-attr]
    assert [(s.center, s.radius) for s in spheres] == [((0.001, 0.002, 0.003), 0.004), ((0.005, 0.006, 0.007), 0.08)]
    assert session.document is not None
    assert session.document.undo_label == "Paste 8 values"
    QApplication.clipboard().setText("1\tx")
    qtbot.keyClick(panel.spheres, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert "Nothing was pasted" in panel.messages.text
    session.undo()
    assert session.document.xrdf_text == XRDF_TEXT


def test_spheres_are_added_duplicated_copied_and_deleted(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("fore",)))
    click(qtbot, panel.add)
    assert session.selection.spheres == (SphereRef("spheres", "fore", 0),)
    click(qtbot, panel.duplicate)
    assert session.selection.spheres == (SphereRef("spheres", "fore", 1),)
    assert panel.axes[2].value == 0.05
    type_into(qtbot, panel.copy_to, "hand")
    click(qtbot, panel.copy)
    assert session.selection.spheres == (SphereRef("spheres", "hand", 1),)
    assert session.tree is not None
    carried = xrdf(session).group("spheres").spheres["hand"][1]  # type: ignore[union-attr]
    assert carried.center == pytest.approx((0.0, 0.0, -0.25)), "hand is 0.3 m above fore"
    click(qtbot, panel.delete)
    assert session.selection == Selection(links=("hand",))
    for _ in range(4):
        session.undo()
    assert session.document is not None
    assert session.document.xrdf_text == XRDF_TEXT
    assert session.selection == Selection(links=("fore",))


def test_a_first_sphere_makes_its_group(qtbot: QtBot) -> None:
    bare = XRDF_TEXT[: XRDF_TEXT.index("geometry:\n  spheres")]
    session = small_session(bare)
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("hand",)))
    click(qtbot, panel.add)
    assert xrdf(session).group("collision_spheres").spheres["hand"]  # type: ignore[union-attr]
    session.undo()
    assert session.document is not None
    assert session.document.xrdf_text == bare


def test_buffers_of_the_selected_link(qtbot: QtBot, session: Session) -> None:
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("upper",)))
    assert panel.self_buffer.property("origin") == "default"
    type_into(qtbot, panel.self_buffer, "5")
    assert xrdf(session).self_collision.buffer("upper") == 0.005  # type: ignore[union-attr]
    assert panel.self_buffer.property("origin") == "file"
    label = next(w for w in panel.findChildren(type(panel.about)) if w.text() == "World buffer")
    drag_mouse(qtbot, label, 40)
    assert xrdf(session).world_collision.buffer("upper") == pytest.approx(0.02)  # type: ignore[union-attr]
    assert session.document is not None
    assert session.document.position == 2, "a drag is one step"


def test_a_refusal_is_told_in_the_panel(qtbot: QtBot, session: Session) -> None:
    from editor_app.edit.commands import SetAllBuffers

    session.execute(SetAllBuffers("world_collision", 0.01))
    panel = shown(qtbot, SelectionNumbers(session))
    session.select(Selection(links=("upper",)))
    type_into(qtbot, panel.world_buffer, "5")
    assert "one number for all frames" in panel.messages.text
    assert panel.world_buffer.text() == "10"
    session.execute(SetAllBuffers("world_collision", FrozenDict({"upper": 0.02})))
    type_into(qtbot, panel.world_buffer, "5")
    assert panel.messages.text == ""
