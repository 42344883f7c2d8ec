"""Without a mouse: a file is opened, a link is found, made a tool frame and renamed, the tree is
walked, and saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit

from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.windows import put_back, settle, wait_until

LONG = 60.0
CTRL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


def key(window: MainWindow, key: Qt.Key, modifiers: Any = NONE) -> None:
    """A key goes to whatever has the focus, as from a keyboard."""
    target = QApplication.focusWidget() or window
    QTest.keyClick(target, key, modifiers)


def words(text: str) -> None:
    """Types into what has the focus."""
    target = QApplication.focusWidget()
    assert target is not None
    QTest.keyClicks(target, text)


def search(window: MainWindow, text: str) -> None:
    """Ctrl+K, some letters, Return."""
    key(window, Qt.Key.Key_K, CTRL)
    wait_until(lambda: QApplication.focusWidget() is window.palette_box.field, LONG)
    words(text)
    key(window, Qt.Key.Key_Return)
    wait_until(lambda: not window.palette_box.isVisible(), LONG)


def test_from_opening_to_saving(
    one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = one_window
    make_document(tmp_path, CLEAN)
    window.session.open(None)

    # The system's own dialog, which a test cannot reach.
    monkeypatch.setattr(dialogs, "choose_files", lambda *_: [str(tmp_path / "arm.urdf")])
    window.activateWindow()
    wait_until(window.isActiveWindow, LONG)
    try:
        key(window, Qt.Key.Key_O, CTRL)
        wait_until(lambda: window.session.has_robot and not window.files.is_opening, LONG)
        settle(window)
        document = window.session.document
        wait_until(window.isActiveWindow, LONG)
        # A link by its name, its role, and another name.
        search(window, "hand")
        assert window.session.selection.links == ("hand",)
        search(window, "make tool frame")
        assert document.robot.xrdf.tool_frames == ("tool", "hand")
        wait_until(window.registry["links.rename"].isEnabled, LONG)
        key(window, Qt.Key.Key_F2)
        wait_until(lambda: isinstance(QApplication.activeModalWidget(), QInputDialog), LONG)
        dialog = QApplication.activeModalWidget()
        assert dialog is not None
        wait_until(
            lambda: (
                isinstance(at := QApplication.focusWidget(), QLineEdit) and at.window() is dialog
            ),
            LONG,
        )
        key(window, Qt.Key.Key_A, CTRL)
        words("palm")
        key(window, Qt.Key.Key_Return)
        wait_until(lambda: document.robot.xrdf.tool_frames == ("tool", "palm"), LONG)
        wait_until(lambda: QApplication.activeModalWidget() is None, LONG)
        # What a window manager does when a dialog closes; the screen of tests has none.
        window.activateWindow()
        wait_until(window.isActiveWindow, LONG)
        # The tree by arrows and the space bar.
        panel: Any = window.docks.panel("links")
        for _ in range(200):
            if QApplication.focusWidget() is panel.tree:
                break
            key(window, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is panel.tree, "Tab does not come to the tree"
        key(window, Qt.Key.Key_Home)
        key(window, Qt.Key.Key_Down)
        assert window.session.selection.links == ("upper",)
        key(window, Qt.Key.Key_Space)
        assert "upper" in window.session.hidden
        key(window, Qt.Key.Key_Space)
        assert not window.session.hidden
        # One step back and forth, then saved.
        key(window, Qt.Key.Key_Z, CTRL)
        assert document.robot.xrdf.tool_frames == ("tool", "hand")
        wait_until(window.registry["edit.redo"].isEnabled, LONG)
        key(window, Qt.Key.Key_Y, CTRL)
        wait_until(window.registry["file.save"].isEnabled, LONG)
        key(window, Qt.Key.Key_S, CTRL)
        wait_until(lambda: not window.files.has_unsaved, LONG)
    finally:
        put_back(window)
    assert "tool_frames: [tool, palm]" in (tmp_path / "arm.xrdf").read_text()
    assert '<link name="palm"' in (tmp_path / "arm.urdf").read_text()
