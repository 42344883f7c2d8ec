"""The context menu of a link: each action is one step, and one that cannot be used says why."""

from __future__ import annotations

import itertools
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu

from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.core.model.pose import Pose
from editor_app.window.actions.command_palette import action_entries
from editor_app.window.actions.link_actions import NewLinkDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.selection.panel import SelectionNumbers
from editor_app.window.source.source_view import SourcePanel
from editor_app.window.urdf.sensors import SensorsPanel
from tests.helpers.documents import CLEAN
from tests.helpers.windows import plain, wait_until


def menu_of(window: MainWindow, link: str) -> list[Any]:
    """The actions that a right click on the link in the tree shows, submenus included; it is closed
    again."""
    panel: Any = window.docks.show("links")
    panel.filter.clear()
    index = panel.proxy.mapFromSource(panel.model.index_of(link))
    panel.tree.context_requested.emit(index, panel.tree.viewport().mapToGlobal(QPoint(20, 20)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    shown = menu.actions()
    assert sum(not action.isSeparator() for action in shown) <= 22, (
        "in one column, also on a small screen"
    )
    submenus = [action.menu() for action in shown]
    actions = shown + [
        each for submenu in submenus if isinstance(submenu, QMenu) for each in submenu.actions()
    ]
    menu.close()
    return actions


def text_of(window: MainWindow) -> str:
    return window.session.document.xrdf_text


def act(window: MainWindow, link: str, text: str) -> None:
    """Runs an action as the menu has it."""
    (action,) = [a for a in menu_of(window, link) if plain(a.text()) == text]
    assert action.isEnabled(), action.toolTip()
    action.trigger()


def test_roles_are_taken_and_given_back_as_single_steps(window: MainWindow) -> None:
    document = window.session.document
    act(window, "hand", "Make tool frame")
    assert "tool_frames: [tool, hand]" in text_of(window)
    act(window, "hand", "Remove from the tool frames")
    assert document.position == 2
    act(window, "lower", "Remove the joint from the c-space")
    assert "joint_names: [shoulder, grip]" in text_of(window)
    act(window, "lower", "Add the joint to the c-space")
    window.session.set_pose(Pose({**window.session.pose, "elbow": 0.75}))
    act(window, "lower", "Lock the joint at this position")
    assert "elbow: 0.75" in text_of(window)
    assert document.position == 5
    for _ in range(5):
        window.session.undo()
    assert text_of(window) == CLEAN


def test_what_cannot_be_used_is_grey_with_its_reason(window: MainWindow) -> None:
    tips = {plain(a.text()): a.toolTip() for a in menu_of(window, "hand") if not a.isEnabled()}
    assert "hand is the child of a fixed joint, wrist." in tips["Add the joint to the c-space"]
    assert "hand is the child of a fixed joint, wrist." in tips["Lock the joint at this position"]
    assert "hand has no spheres." in tips["Copy spheres to"]
    window.session.select(Selection(links=("upper", "lower")))
    panel: Any = window.docks.show("links")
    panel.tree.setFocus()
    tips = {plain(a.text()): a.toolTip() for a in menu_of(window, "lower") if not a.isEnabled()}
    assert "Select one link." in tips["Rename"]


def test_sections_of_the_menu_stand_apart(window: MainWindow) -> None:
    actions = menu_of(window, "upper")
    separators = [i for i, action in enumerate(actions) if action.isSeparator()]
    assert len(separators) >= 3
    assert all(b - a > 1 for a, b in itertools.pairwise(separators)), "two separators in a row"


def test_f2_renames_the_link_everywhere(window: MainWindow) -> None:
    window.session.select(Selection(links=("upper",)))
    # Actions are asked again when the event loop is idle.
    wait_until(window.registry["links.rename"].isEnabled)
    QTest.keyClick(window, Qt.Key.Key_F2)
    wait_until(lambda: window.findChild(QInputDialog, "rename_link"))
    dialog = window.findChild(QInputDialog, "rename_link")
    assert dialog is not None
    assert dialog.textValue() == "upper"
    dialog.setTextValue("upper_arm")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert window.session.selection.links == ("upper_arm",)
    assert "upper_arm:" in text_of(window)
    assert window.session.document.position == 1
    window.session.undo()


def test_the_definition_is_shown_in_its_file(window: MainWindow) -> None:
    source: Any = window.docks.show("source")
    act(window, "hand", "Show in source")
    assert isinstance(source, SourcePanel)
    assert source.file_box.currentData() == FileKind.URDF
    assert '<link name="hand"' in source.editor.textCursor().block().text()
    # A frame that the XRDF adds stands there.
    act(window, "tool", "Show in source")
    assert source.file_box.currentData() == FileKind.XRDF
    assert "add_frame" in source.editor.textCursor().block().text()


def test_copying_asks_for_the_link_that_gets_the_spheres(window: MainWindow) -> None:
    act(window, "upper", "Copy spheres to")
    panel = window.docks.panel("selection").findChild(SelectionNumbers)
    assert panel is not None
    wait_until(lambda: panel.copy_to.view().isVisible())
    panel.copy_to.hidePopup()


def test_a_sphere_and_a_sensor_are_added_by_their_commands(window: MainWindow) -> None:
    window.session.select(Selection(links=("upper",)))
    group, document = window.session.active_group, window.session.document
    before = len(document.robot.xrdf.spheres_of(group).get("upper", ()))
    window.registry.trigger("links.add_sphere")
    assert len(document.robot.xrdf.spheres_of(group)["upper"]) == before + 1
    assert [ref.frame for ref in window.session.selection.spheres] == ["upper"]
    window.session.undo()
    window.session.select(Selection(links=("upper",)))
    window.registry.trigger("links.add_sensor")
    panel = window.docks.panel("urdf").findChild(SensorsPanel)
    assert isinstance(panel, SensorsPanel)
    assert panel.link.value == "upper"
    QTest.keyClicks(panel.name, "eye")
    QTest.keyClick(panel.name, Qt.Key.Key_Return)
    assert '<sensor name="eye"' in document.urdf_text


def test_names_of_two_menus_are_told_apart_in_the_search(window: MainWindow) -> None:
    texts = [entry.text for entry in action_entries(window.registry)]
    assert len(texts) == len(set(texts))
    assert "Export to other formats: SRDF" in texts


def test_menus_are_short_and_about_what_was_clicked(window: MainWindow) -> None:
    rows = [plain(action.text()) for action in menu_of(window, "hand") if not action.isSeparator()]
    assert len(rows) >= 5, rows
    # What is about the whole robot stands in the menu bar alone.
    assert not [row for row in rows if "robot" in row.lower()], rows
    (view,) = [
        action.menu() for action in window.menuBar().actions() if plain(action.text()) == "View"
    ]
    assert isinstance(view, QMenu)
    rows = [plain(action.text()) for action in view.actions() if not action.isSeparator()]
    assert len(rows) <= 30, rows


def answered(window: MainWindow, proposal: str, name: str) -> None:
    """Types a name into the question for one."""
    wait_until(lambda: window.findChild(QInputDialog, "link_name"))
    dialog = window.findChild(QInputDialog, "link_name")
    assert dialog is not None
    assert dialog.textValue() == proposal
    dialog.setTextValue(name)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    wait_until(lambda: window.findChild(QInputDialog, "link_name") is None)


def test_links_come_and_go_as_single_steps(window: MainWindow) -> None:
    document, session = window.session.document, window.session
    before, told = document.urdf_text, list[str]()
    session.noticed.connect(told.append)
    act(window, "hand", "Add a child link")
    dialog = window.findChild(NewLinkDialog)
    assert dialog is not None
    dialog.name.setText("camera")
    dialog.accept()
    wait_until(lambda: window.findChild(NewLinkDialog) is None)
    assert session.selection.links == ("camera",)
    assert '<parent link="hand"/>' in document.urdf_text
    assert 'name="camera_joint"' in document.urdf_text
    act(window, "lower", "Insert a link above")
    answered(window, "lower_mount", "flange")
    joint = document.robot.urdf.joint_to("lower")
    assert joint is not None
    assert joint.parent == "flange"
    act(window, "left", "Duplicate with child links")
    answered(window, "_2", "_b")
    assert document.robot.urdf.link("left_b") is not None
    assert session.selection.links == ("left_b",)
    act(window, "flange", "Remove and keep child links")
    assert document.robot.urdf.link("flange") is None
    assert document.robot.urdf.link("lower") is not None
    act(window, "hand", "Remove with child links")
    assert document.robot.urdf.link("left_b") is None
    assert session.selection.links == ("lower",)
    assert "tool_frames" in told[-1]
    assert "Undo" in told[-1]
    session.noticed.disconnect(told.append)
    assert document.position == 5
    for _ in range(5):
        session.undo()
    assert document.urdf_text == before
    assert text_of(window) == CLEAN


def test_a_frame_that_the_xrdf_adds_is_no_link_to_remove(window: MainWindow) -> None:
    tips = {plain(a.text()): a.toolTip() for a in menu_of(window, "tool") if not a.isEnabled()}
    for name in ("Remove and keep child links", "Remove with child links", "Insert a link above"):
        assert "tool is not a link of the URDF." in tips[name]
