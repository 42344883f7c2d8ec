"""Every action is in a menu, has a reason when it cannot be used, and is found by the search
box."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QMenuBar, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.profile import Profile
from editor_app.plugins.assembly.window import feature as assembly
from editor_app.window import dialogs
from editor_app.window.actions.action_tables import NO_ROBOT, ActionSpec
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.actions.command_palette import CommandPalette, PaletteEntry
from editor_app.window.main_window import MainWindow
from editor_app.window.session import AngleUnit, Session
from editor_app.window.theme import ThemeChoice, theme
from tests.helpers.documents import make_document
from tests.helpers.windows import focus, menu_action, open_window, plain, wait_until


@pytest.fixture
def whole_window(qapp: Any, tmp_path: Path) -> Iterator[MainWindow]:
    """With the 3D view and its actions."""
    make_document(tmp_path)
    with open_window(tmp_path, tmp_path / "arm.urdf", viewport=True) as window:
        wait_until(lambda: window.viewport is not None, 60.0)
        window.menus.rebuild()
        yield window


def entries(menu: QMenu | QMenuBar) -> list[Any]:
    actions = []
    for action in menu.actions():
        sub = action.menu()
        if isinstance(sub, QMenu):
            sub.aboutToShow.emit()
            actions += entries(sub)
        elif not action.isSeparator():
            actions.append(action)
    return actions


def test_with_the_view_every_action_has_its_place_and_its_own_keys(
    whole_window: MainWindow,
) -> None:
    window = whole_window
    shown = set(entries(window.menuBar()))
    assert [action.id for action in window.registry.actions if action.qaction not in shown] == []
    taken: dict[str, str] = {}
    for action in window.registry.actions:
        for sequence in action.qaction.shortcuts():
            keys = sequence.toString(QKeySequence.SequenceFormat.PortableText)
            assert keys not in taken, f"{keys}: {action.id} and {taken[keys]}"
            taken[keys] = action.id
    titles = [plain(action.text()) for action in window.menuBar().actions()]
    assert titles == ["File", "Edit", "View", "Robot", "Spheres", "Mask", "Motion", "Help"]
    ids = [a.objectName() for a in window.toolbar.actions() if not a.isSeparator()]
    assert ids[:4] == ["file.open", "file.save", "edit.undo", "edit.redo"]
    assert "spheres.add_tool" in ids
    assert "edit.find" in ids


def test_a_frame_shows_that_the_view_has_the_focus(whole_window: MainWindow) -> None:
    view = whole_window.viewport
    assert view is not None
    lines = view.focus_frame.lines
    whole_window.activateWindow()
    view.canvas.setFocus()
    wait_until(lambda: view.canvas.hasFocus() and all(line.isVisible() for line in lines), 60.0)
    around = lines[0].geometry()
    for line in lines:
        around = around.united(line.geometry())
    assert around == view.canvas.geometry()
    assert all(
        line.grab().toImage().pixelColor(0, 0).name() == theme().colours.accent.lower()
        for line in lines
    )
    whole_window.docks.panel("links").setFocus()
    wait_until(lambda: not any(line.isVisible() for line in lines), 60.0)


def test_a_disabled_action_says_why(window: MainWindow) -> None:
    window.session.open(None)
    window.registry.refresh()
    for action in window.registry.actions:
        assert action.qaction.isEnabled() == (action.reason is None)
        if action.reason is not None:
            assert action.reason.endswith("."), action.id
            assert action.reason in action.qaction.toolTip()
    assert window.registry["file.save"].toolTip().endswith("Open a robot first.")


def test_a_rule_that_several_actions_share_is_asked_once(qtbot: Any) -> None:
    asked, reason = [], ["Not yet."]

    class Subject:
        def no_way(self) -> str | None:
            asked.append("no_way")
            return reason[0] or None

        def run(self) -> None:
            """Nothing is run here."""

    holder = QWidget()
    qtbot.addWidget(holder)
    registry = ActionRegistry(Session(), holder)
    registry.add(
        [ActionSpec(f"test.{n}", "A test", "run", when="no_way robot") for n in range(3)], Subject()
    )
    asked.clear()
    registry.refresh()
    assert asked == ["no_way"]
    assert {action.reason for action in registry.actions} == {"Not yet."}
    # The next refresh asks again, and then the next rule counts.
    reason[0] = ""
    registry.refresh()
    assert asked == ["no_way", "no_way"]
    assert {action.reason for action in registry.actions} == {NO_ROBOT}


def test_every_menu_letter_is_given_once(window: MainWindow) -> None:
    tops = [a.text()[a.text().index("&") + 1].lower() for a in window.menuBar().actions()]
    assert len(tops) == len(set(tops))


def test_the_menu_of_examples_says_how_to_get_them(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "example_robots", lambda: ())
    (menu,) = (each for each in window.findChildren(QMenu) if each.title() == "Open &example robot")
    menu.clear()
    menu.aboutToShow.emit()
    (hint,) = menu.actions()
    assert menu.toolTipsVisible()
    assert "pip install" in hint.toolTip()
    hint.trigger()
    assert QApplication.clipboard().text() == hint.toolTip()
    menu.clear()


def results(box: CommandPalette) -> list[PaletteEntry]:
    return [box.list.item(row).data(Qt.ItemDataRole.UserRole)[0] for row in range(box.list.count())]


def test_the_search_box_runs_an_action(window: MainWindow) -> None:
    window.session.set_joint("shoulder", 1.0)
    window.registry.trigger("edit.find")
    box = window.palette_box
    assert box.isVisible()
    QTest.keyClicks(box.field, "pose zero")
    assert results(box)[0].text == "Zero"
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert not box.isVisible()
    assert window.session.pose["shoulder"] == 0.0


def test_the_search_box_finds_settings_and_puts_whole_words_first(window: MainWindow) -> None:
    box = window.palette_box
    window.registry.trigger("edit.find")
    try:
        for query, first in (
            ("dark", "Dark colours"),
            ("theme dark", "Dark colours"),
            ("radians", "Angles in radians"),
            ("cumotion", "Findings for Isaac cuMotion"),
            ("fit effort", "Preferences"),
            ("go to definition", "Go to definition"),
            ("ctrl+shift+l", "Show full names of links"),
            ("Ctrl+Shift+L", "Show full names of links"),
            ("shift + f8", "Previous finding"),
            ("ctrl+y", "Redo"),
        ):
            box.field.setText(query)
            assert results(box)[0].text == first, [entry.text for entry in results(box)[:4]]
        box.field.setText("dark")
        assert not {"Top", "Back", "Left"} & {entry.text for entry in results(box)}, (
            "strewn letters"
        )
    finally:
        box.close_box()


def test_the_target_program_is_chosen_by_an_action_too(window: MainWindow) -> None:
    document = window.session.document
    before = document.profile
    try:
        window.registry.trigger("robot.profile.cumotion")
        assert document.profile is Profile.CUMOTION
        assert window.status._profile.currentText() == "Isaac cuMotion"
        wait_until(
            lambda: menu_action(
                window, "Robot", "Target program", "Findings for Isaac cuMotion"
            ).isChecked()
        )
    finally:
        window.choose_profile(before)


def test_files_are_chosen_beside_the_robot_not_in_the_program(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = window.settings.last_folder
    assert Path(folder).is_absolute()
    asked: list[str] = []

    def ask(parent: object, title: str, begin: str, kinds: str, **_: object) -> tuple[str, str]:
        asked.append(begin)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr(
        QFileDialog,
        "getExistingDirectory",
        lambda parent, title, begin: ask(parent, title, begin, "")[0],
    )
    inside = window.docks.dock("joints")
    dialogs.choose_file(inside, "Open", "", "")
    dialogs.choose_save_file(inside, "Save", "motion.csv", "")
    dialogs.choose_save_file(inside, "Save", str(tmp_path / "a.csv"), "")
    dialogs.choose_folder(inside, "Folder with meshes", "")
    begun = [Path(path) for path in asked]
    assert begun == [Path(folder), Path(folder) / "motion.csv", tmp_path / "a.csv", Path(folder)]


def test_colours_and_units_are_chosen_from_the_menu(window: MainWindow) -> None:
    before = window.settings.theme
    try:
        window.registry.trigger("view.colours.dark")
        assert window.settings.theme is ThemeChoice.DARK
        assert theme().colours.is_dark
        wait_until(lambda: menu_action(window, "View", "Colours", "Dark colours").isChecked())
        window.registry.trigger("view.units.rad")
        assert window.session.display.angle_unit is AngleUnit.RADIAN
    finally:
        window.session.set_display(angle_unit=AngleUnit.DEGREE)
        window.settings.set_theme(before)
        theme().choose(before)


def test_the_search_box_finds_links_joints_and_added_frames(window: MainWindow) -> None:
    box = window.palette_box
    for query, expected in (
        ("lower", Selection(links=("lower",))),
        ("tool", Selection(links=("tool",))),
        ("elbow", Selection(links=("lower",), joints=("elbow",))),
    ):
        box.open()
        QTest.keyClicks(box.field, query)
        QTest.keyClick(box.field, Qt.Key.Key_Return)
        assert window.session.selection == expected


def test_the_search_box_shows_why_something_cannot_be_used(window: MainWindow) -> None:
    box = window.palette_box
    box.open()
    QTest.keyClicks(box.field, "undo")
    entry = results(box)[0]
    assert entry.reason == "There is no step to undo."
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    assert window.central.toast.text == "There is no step to undo."


def test_the_search_box_is_walked_by_keys_and_left_by_esc(window: MainWindow) -> None:
    box = window.palette_box
    box.open()
    first = box.list.currentIndex().row()
    QTest.keyClick(box.field, Qt.Key.Key_Down)
    assert box.list.currentIndex().row() == first + 1
    QTest.keyClicks(box.field, "qqqqqq")
    assert results(box) == []
    QTest.keyClick(box.field, Qt.Key.Key_Return)
    QTest.keyClick(box.field, Qt.Key.Key_Escape)
    assert not box.isVisible()


@pytest.mark.parametrize("action", ["edit.preferences", "help.shortcuts", "help.about"])
def test_dialogs_open_and_close(window: MainWindow, action: str, qtbot: Any) -> None:
    window.registry.trigger(action)
    name = action.split(".")[1]
    dialog = window.findChild(QDialog, name)
    assert dialog is not None
    assert dialog.isVisible()
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QDialog, name) is None)


def test_shortcuts_list_every_key(window: MainWindow, qtbot: Any) -> None:
    window.registry.trigger("help.shortcuts")
    dialog: Any = window.findChild(QDialog, "shortcuts")
    items = [dialog.table.topLevelItem(y) for y in range(dialog.table.topLevelItemCount())]
    labels = {item.text(1) for item in items}
    assert {a.label for a in window.registry.actions if a.qaction.shortcuts()} <= labels
    QTest.keyClicks(dialog.filter, "ctrl+s")
    shown = [item.text(1) for item in items if not item.isHidden()]
    assert "Save" in shown
    assert "Undo" not in shown
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QDialog, "shortcuts") is None)


def test_preferences_switch_units_and_colours_at_once(window: MainWindow, qtbot: Any) -> None:
    from editor_app.window.theme import theme

    window.registry.trigger("edit.preferences")
    dialog: Any = window.findChild(QDialog, "preferences")
    dialog.angle_box.setCurrentIndex(1)
    dialog.angle_box.activated.emit(1)
    assert window.session.display.angle_unit == "rad"
    dialog.theme_box.setCurrentIndex(2)
    dialog.theme_box.activated.emit(2)
    assert theme().colours.is_dark
    assert window.palette().window().color().lightness() < 100
    dialog.theme_box.setCurrentIndex(1)
    dialog.theme_box.activated.emit(1)
    assert not theme().colours.is_dark
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QDialog, "preferences") is None)


def test_panels_are_shown_and_hidden_by_the_menu(window: MainWindow) -> None:
    entry = menu_action(window, "View", "Panels", "History")
    history = window.docks.dock("history")
    # Behind another tab: it comes to the front, with the focus; there it is hidden.
    window.docks.show("joints")
    wait_until(lambda: history.geometry().bottom() < 0 or not history.isVisible(), 60)
    entry.trigger()
    wait_until(lambda: history.geometry().bottom() > 0, 60)
    wait_until(lambda: (at := window.focusWidget()) is not None and history.isAncestorOf(at), 60)
    entry.trigger()
    assert history.isHidden()
    window.registry.trigger("view.panel.history")
    assert not history.isHidden()


def test_the_keyboard_stays_in_the_panel_when_what_had_the_focus_goes(window: MainWindow) -> None:
    panel: Any = window.docks.show("findings")
    focus(panel.filter)
    panel.filter.setEnabled(False)
    panel.filter.clearFocus()

    def is_in_panel() -> bool:
        at = QApplication.focusWidget()
        return at is not None and panel.isAncestorOf(at)

    wait_until(is_in_panel, 60)
    panel.filter.setEnabled(True)


def test_the_keyboard_goes_around_the_view_and_the_panels_in_sight(window: MainWindow) -> None:
    source: Any = window.docks.show("source")
    focus(source.editor)

    def place() -> str:
        at = QApplication.focusWidget()
        assert at is not None
        names = ("links", "selection", "xrdf", "source")
        docks = (name for name in names if window.docks.dock(name).isAncestorOf(at))
        return next(docks, "view" if window.central.isAncestorOf(at) else "elsewhere")

    around = []
    for _ in range(5):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F6)
        around.append(place())
    assert sorted(around) == ["links", "selection", "source", "view", "xrdf"]
    # A text that had the focus has it again.
    assert around[-1] == "source"
    assert source.editor.hasFocus()
    QTest.keyClick(source.editor, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert place() == around[-2]
