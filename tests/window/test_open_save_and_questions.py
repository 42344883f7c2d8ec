"""Opening, saving and closing: nothing is lost unasked, and a file changes only where it was
edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QPushButton

from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.document.state import FileKind
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from editor_app.window.settings import Settings
from editor_app.window.timers import Wait
from tests.helpers.documents import CLEAN, URDF, make_document
from tests.helpers.windows import (
    answer,
    button,
    menu_action,
    open_in,
    reopen,
    settle,
    wait_until,
)

MOVE = SetSpheres(
    ((SphereRef("spheres", "upper", 0), CollisionSphere((0.0, 0.0, 0.25), 0.1)),), "Move sphere"
)


def edit(window: MainWindow) -> None:
    assert window.session.execute(MOVE)
    settle(window)


def message() -> QMessageBox:
    """The message that is shown, without waiting for an answer."""
    wait_until(
        lambda: any(
            isinstance(w, QMessageBox) and w.isVisible() for w in QApplication.topLevelWidgets()
        )
    )
    return next(
        w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible()
    )


def test_opening_by_the_menu_brings_the_xrdf_beside_along(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.open(None)
    monkeypatch.setattr(dialogs, "choose_files", lambda *_: [str(tmp_path / "arm.urdf")])
    menu_action(window, "File", "Open").trigger()
    wait_until(lambda: window.session.has_robot)
    settle(window)
    assert window.session.document.xrdf_path == tmp_path / "arm.xrdf"
    assert window.windowTitle() == "arm.xrdf[*] – arm.urdf – XRDF Editor"
    assert not window.isWindowModified()


def test_a_robot_and_its_files_are_chosen_together(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.open(None)
    (tmp_path / "other.xrdf").write_text(CLEAN)
    chosen = [str(tmp_path / "arm.urdf"), str(tmp_path / "other.xrdf")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (chosen, ""))
    menu_action(window, "File", "Open").trigger()
    wait_until(lambda: window.files.name == "other.xrdf", 60)
    settle(window)


def test_dropping_both_files_opens_both(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "other.xrdf").write_text(CLEAN)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("other.xrdf", "arm.urdf")])
    where, none = QPoint(600, 300), Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(where, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(window, drop)
    wait_until(lambda: window.files.name == "other.xrdf")
    settle(window)


def test_a_drop_that_forgot_its_names_opens_what_was_dragged_in(
    window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "other.xrdf").write_text(CLEAN)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("other.xrdf", "arm.urdf")])
    where, none = QPoint(600, 300), Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(window, enter)
    # Kept by a name: an event does not own its data.
    nothing = QMimeData()
    drop = QDropEvent(where, Qt.DropAction.CopyAction, nothing, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(window, drop)
    wait_until(lambda: window.files.name == "other.xrdf")
    settle(window)


def test_what_is_no_robot_is_refused_by_name(window: MainWindow, tmp_path: Path) -> None:
    window.open_files([tmp_path / "notes.txt"])
    box = message()
    assert "notes.txt is not a URDF, XRDF or SRDF" in box.text()
    button(box, "close").click()


def test_a_malformed_urdf_is_told_with_its_place_and_the_robot_stays(
    window: MainWindow, tmp_path: Path
) -> None:
    name = "broken.urdf"
    (tmp_path / name).write_text("<robot name='x'>\n  <link name='a'/>\n  <link name='b'\n</robot>")
    before = window.session.document
    window.open_files([tmp_path / name])
    box = message()
    detail = box.informativeText()
    place = detail.splitlines()[0]
    assert place.startswith(str(tmp_path / name) + ":"), place
    line_number, column = place.removeprefix(str(tmp_path / name) + ":").split(":")
    assert int(line_number) >= 2
    assert int(column) >= 1
    assert "stays open" in detail
    assert window.session.document is before
    button(box, "copy").click()
    assert place in QApplication.clipboard().text()
    button(box, "close").click()


def test_without_an_xrdf_a_new_one_is_drafted_and_saved_beside(
    window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "lonely.urdf").write_text(URDF)
    open_in(window, tmp_path / "lonely.urdf")
    assert window.isWindowModified()
    assert not (tmp_path / "lonely.xrdf").exists()
    menu_action(window, "File", "Save").trigger()
    assert (tmp_path / "lonely.xrdf").read_text().splitlines()[1] == "format: xrdf"
    assert not window.isWindowModified()
    settle(window)


def test_a_fresh_draft_is_let_go_without_a_question(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "lonely.urdf").write_text(URDF)
    open_in(window, tmp_path / "lonely.urdf")
    assert window.files.may_lose_document()


def test_a_new_xrdf_is_never_saved_over_the_one_that_is_there(
    window: MainWindow, tmp_path: Path
) -> None:
    menu_action(window, "File", "New XRDF").trigger()
    wait_until(lambda: not window.files.is_opening)
    settle(window)
    assert window.files.save()
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN
    assert (tmp_path / "arm_2.xrdf").exists()


def test_saving_changes_only_what_was_edited(window: MainWindow, tmp_path: Path) -> None:
    commented = CLEAN.replace("radius: 0.1\n      lower", "radius: 0.1  # measured\n      lower")
    reopen(window, tmp_path, commented)
    edit(window)
    assert window.isWindowModified()
    menu_action(window, "File", "Save").trigger()
    before, after = commented.splitlines(), (tmp_path / "arm.xrdf").read_text().splitlines()
    assert len(before) == len(after)
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert changed == [("        - center: [0.0, 0.0, 0.0]", "        - center: [0.0, 0.0, 0.25]")]
    assert not window.isWindowModified()
    assert menu_action(window, "File", "Save").isEnabled() is False


def test_undo_back_to_the_saved_state_is_not_modified(window: MainWindow) -> None:
    edit(window)
    assert menu_action(window, "Edit", "Undo: Move sphere").isEnabled()
    window.registry.trigger("edit.undo")
    assert not window.isWindowModified()
    assert menu_action(window, "Edit", "Redo: Move sphere").isEnabled()


def test_save_as_adds_the_suffix_and_goes_on_there(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(window)
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "second"))
    menu_action(window, "File", "Save as").trigger()
    assert "0.25" in (tmp_path / "second.xrdf").read_text()
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN
    assert window.windowTitle().startswith("second.xrdf[*]")
    assert window.settings.recent[0] == (str(tmp_path / "arm.urdf"), str(tmp_path / "second.xrdf"))


def test_a_copy_leaves_document_and_file_as_they_are(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(window)
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "copy.xrdf"))
    menu_action(window, "File", "Save other", "Save a copy").trigger()
    assert "0.25" in (tmp_path / "copy.xrdf").read_text()
    assert window.isWindowModified()
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN


@pytest.mark.parametrize(
    ("name", "goes", "saved"),
    [("save", True, True), ("discard", True, False), ("cancel", False, False)],
)
def test_leaving_unsaved_work_asks(
    window: MainWindow, tmp_path: Path, name: str, goes: bool, saved: bool
) -> None:
    edit(window)
    seen: list[str] = []
    answer(name, seen)
    menu_action(window, "File", "Close robot").trigger()
    assert (not window.session.has_robot) is goes
    assert ("0.25" in (tmp_path / "arm.xrdf").read_text()) is saved
    assert "Save the changes to arm.xrdf?" in seen[0]


def test_cancel_keeps_the_window_open(window: MainWindow) -> None:
    edit(window)
    answer("cancel")
    assert not window.close()
    assert window.isVisible()


def test_without_changes_nothing_is_asked(window: MainWindow) -> None:
    assert window.files.may_lose_document()


def test_saving_over_somebody_elses_change_asks(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    theirs = CLEAN.replace("elbow: 0.5", "elbow: 0.75")
    (tmp_path / "arm.xrdf").write_text(theirs)
    answer("cancel")
    assert not window.files.save()
    assert (tmp_path / "arm.xrdf").read_text() == theirs
    assert window.isWindowModified()
    answer("compare")
    assert not window.files.save()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, dialogs.CompareDialog))
    assert "-   elbow: 0.75" in dialog.text.toPlainText()
    assert "+         - center: [0.0, 0.0, 0.25]" in dialog.text.toPlainText()
    dialog.reject()
    dialog.deleteLater()
    answer("overwrite")
    assert window.files.save()
    assert "elbow: 0.5" in (tmp_path / "arm.xrdf").read_text()


def button_of(window: MainWindow, label: str) -> QPushButton:
    return next(b for b in window.central.notice.findChildren(QPushButton) if b.text() == label)


def test_a_notice_goes_when_the_other_program_takes_its_change_back(
    window: MainWindow, tmp_path: Path
) -> None:
    original = (tmp_path / "arm.xrdf").read_bytes()
    (tmp_path / "arm.xrdf").write_text(CLEAN.replace("elbow: 0.5", "elbow: 0.75"))
    wait_until(window.central.notice.isVisible)
    (tmp_path / "arm.xrdf").write_bytes(original)
    wait_until(lambda: not window.central.notice.isVisible())


def test_a_change_on_disk_is_noticed_once_and_reload_takes_it(
    window: MainWindow, tmp_path: Path
) -> None:
    window.files.look_at_disk()
    assert not window.central.notice.isVisible()
    (tmp_path / "arm.xrdf").write_text(CLEAN.replace("elbow: 0.5", "elbow: 0.75"))
    window.files.look_at_disk()
    assert "changed by another program" in window.central.notice.text
    button_of(window, "Compare…").click()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, dialogs.CompareDialog))
    dialog.reject()
    dialog.deleteLater()
    assert window.central.notice.isVisible(), "a look at the difference is no answer"
    button_of(window, "Keep my version").click()
    window.files.look_at_disk()
    assert not window.central.notice.isVisible(), "what was answered is not asked again"
    window.registry.trigger("file.reload")
    wait_until(lambda: not window.files.is_opening)
    settle(window)
    document = window.session.document
    assert document.robot.xrdf.default_joint_positions is not None
    assert document.robot.xrdf.default_joint_positions["elbow"] == 0.75


def test_a_file_replaced_by_another_program_is_noticed_while_the_window_stays_active(
    window: MainWindow, tmp_path: Path
) -> None:
    for value in ("0.75", "0.25"):
        # As editors save: a new file under the old name.
        (tmp_path / "new").write_text(CLEAN.replace("elbow: 0.5", f"elbow: {value}"))
        (tmp_path / "new").replace(tmp_path / "arm.xrdf")
        wait_until(window.central.notice.isVisible)
        assert "changed by another program" in window.central.notice.text
        window.central.notice.hide()


def test_saving_is_not_taken_for_another_program(window: MainWindow, tmp_path: Path) -> None:
    edit(window)
    assert window.files.save()
    QTest.qWait(2 * Wait.DISK)
    assert not window.central.notice.isVisible()


def test_a_folder_that_cannot_be_written_is_told_and_the_work_stays(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(window)
    monkeypatch.setattr(
        dialogs, "choose_save_file", lambda *_: str(tmp_path / "nowhere" / "x.xrdf")
    )
    assert not window.files.save_as()
    box = message()
    assert "nowhere does not exist" in box.text()
    assert window.isWindowModified()
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "elsewhere.xrdf"))
    button(box, "way_out").click()
    wait_until((tmp_path / "elsewhere.xrdf").is_file)
    assert not window.isWindowModified()


def test_recent_files_lead_back(window: MainWindow, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    make_document(second)
    open_in(window, second / "arm.urdf")
    assert [entry[0] for entry in window.settings.recent[:2]] == [
        str(second / "arm.urdf"),
        str(tmp_path / "arm.urdf"),
    ]
    menu = menu_action(window, "File", "Open recent").menu()
    menu.aboutToShow.emit()
    menu.actions()[1].trigger()
    wait_until(lambda: window.session.has_robot and not window.files.is_opening)
    settle(window)
    assert window.session.document.urdf_path == tmp_path / "arm.urdf"


def test_the_welcome_page_returns_when_the_robot_is_closed(window: MainWindow) -> None:
    assert not window.welcome.isVisible()
    window.files.close_document()
    assert window.welcome.isVisible()
    assert window.windowTitle() == "XRDF Editor"
    texts = [label.text() for label in window.welcome.findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("An XRDF adds to a URDF:") for text in texts), (
        "a newcomer learns what it is about"
    )


def test_a_robot_that_was_given_an_xrdf_is_listed_once(tmp_path: Path) -> None:
    urdf, xrdf, other = (str(tmp_path / name) for name in ("arm.urdf", "arm.xrdf", "other.xrdf"))
    for path in (urdf, xrdf, other):
        Path(path).write_text("x", encoding="utf-8")
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    settings.add_recent(urdf, None)
    settings.add_recent(urdf, xrdf)
    assert list(settings.recent) == [(urdf, xrdf)]
    settings.add_recent(urdf, other)
    assert list(settings.recent) == [(urdf, other), (urdf, xrdf)], "another file is another entry"


def test_a_difference_in_line_breaks_alone_is_shown(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "arm.xrdf").write_bytes(CLEAN.replace("\n", "\r\n").encode())
    dialog = window.files.compare_with_disk(FileKind.XRDF)
    assert dialog is not None
    assert "elbow: 0.5␍" in dialog.text.toPlainText()
    assert not dialog.text.isHidden()
    dialog.reject()
    dialog.deleteLater()
