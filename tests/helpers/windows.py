"""The real main window for a test, with settings of its own, and without worker processes unless
they are wanted."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import shiboken6
from PySide6.QtCore import QCoreApplication, QSettings, Qt, QTimer
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QToolTip, QWidget

from editor_app.window.docks import central
from editor_app.window.main_window import MainWindow
from editor_app.window.settings import Settings
from editor_app.window.theme import theme
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.robots import copy_of_sample


@contextlib.contextmanager
def open_window(
    folder: Path,
    urdf: Path | None = None,
    *,
    viewport: bool = False,
    size: tuple[int, int] = (1280, 720),
    folded: bool = False,
) -> Iterator[MainWindow]:
    """Shows the window, opens `urdf`, and closes everything at the end without asking.

    `folder` holds the settings: a second window of the same folder remembers the first. Without
    `viewport` the 3D view is not made, which saves a second, and the window is not drawn by OpenGL,
    which it is for the view's sake. The panels below it are open, unless `folded` leaves them as a
    first start does.
    """
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme().install(app)
    store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    with mock.patch.object(central, "QOpenGLWidget", QOpenGLWidget if viewport else QWidget):
        window = MainWindow(Settings(store))
    if not viewport:
        window.load_viewport = lambda: None  # type: ignore[method-assign]
    try:
        window.resize(*size)
        window.show()
        window.activateWindow()
        QTest.qWaitForWindowActive(window)
        if not folded:
            window.docks.bottom.fold(False)
        if urdf is not None:
            open_in(window, urdf)
        yield window
    finally:
        # A test may have quit.
        if shiboken6.isValid(window):
            window.shutdown()
            window.close()
            window.deleteLater()
        QCoreApplication.processEvents()


def reopen(window: MainWindow, folder: Path, xrdf: str = CLEAN) -> Path:
    """The small robot of tests.helpers.documents, fresh, in a window that other tests have used;
    returns the URDF."""
    _close(window)
    make_document(folder, xrdf)
    open_in(window, folder / "arm.urdf")
    return folder / "arm.urdf"


def reopen_sample(window: MainWindow, folder: Path) -> None:
    """A copy of the sample robot in `folder`, in a window that other tests have used."""
    _close(window)
    open_in(window, copy_of_sample(folder / "robot"))


def quiet(window: MainWindow) -> None:
    """Takes back what the status bar said."""
    window.status._clear.stop()
    window.status.message.set_text(window.status._hint)


def put_back(window: MainWindow) -> None:
    """Closes the robot and ends what was put off, so that the next test finds the window as this
    one did."""
    _close(window)
    window.palette_box.close_box()
    QToolTip.hideText()
    settle(window)
    # Work that belongs to no robot goes on, and the status bar counts its time.
    wait_until(lambda: not window.jobs.running)
    # Last: findings and ends of jobs that arrive until here start the timers of these again.
    quiet(window)
    window.memory.stop()
    window.central.toast.dismiss()


def _close(window: MainWindow) -> None:
    """All of the window follows even where nothing was open; that is left out."""
    if window.session.has_robot:
        window.session.open(None)


def open_in(window: MainWindow, urdf: Path, xrdf: Path | None = None) -> None:
    """Opens a robot and waits until it is there."""
    assert window.files.open(urdf, xrdf)
    wait_until(lambda: not window.files.is_opening)
    assert window.session.document.urdf_path == urdf
    settle(window)


def settle(window: MainWindow) -> None:
    """Until the findings are up to date and what was put off is done."""
    QTest.qWait(0)
    wait_until(lambda: not window.feed.is_busy and not window.meshes.is_loading)


def wait_until(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    """Works off events until `condition` holds. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still not so after {seconds} s")
        QTest.qWait(5)


def focus(widget: QWidget) -> None:
    """Activates the widget's window and waits until the widget has the focus."""
    widget.window().activateWindow()
    QTest.qWaitForWindowActive(widget.window())
    widget.setFocus()
    wait_until(widget.hasFocus, 60)


def answer(name: str, seen: list[str] | None = None) -> None:
    """Presses the button of that object name in the next question; its text is added to `seen`."""

    app = QApplication.instance()
    assert app is not None

    def press() -> None:
        box = QApplication.activeModalWidget()
        if box is None:
            QTimer.singleShot(10, app, press)
            return
        if seen is not None:
            seen.append(getattr(box, "text", lambda: "")())
        button(box, name).click()

    QTimer.singleShot(0, app, press)


def button(parent: QWidget, name: str) -> QAbstractButton:
    """The button of that object name. Raises AssertionError."""
    widget = parent.findChild(QAbstractButton, name)
    assert widget is not None, f"no button {name!r} in {parent.windowTitle()!r}"
    return widget


def menu_action(window: MainWindow, *path: str) -> Any:
    """The action at a path of menu titles, without mnemonics: "File", "Save". Raises
    AssertionError."""
    actions = window.menuBar().actions()
    action = None
    for title in path:
        action = next((a for a in actions if plain(a.text()) == title), None)
        assert action is not None, f"no {title!r} in {[plain(a.text()) for a in actions]}"
        menu = action.menu()
        if isinstance(menu, QMenu):
            menu.aboutToShow.emit()
            actions = menu.actions()
    return action


def plain(text: str) -> str:
    return text.replace("&", "").removesuffix("…")


def press(
    widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(widget, key, modifiers)
