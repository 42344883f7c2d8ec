"""What a test has left of Qt: active timers, running threads, windows. Import after the display is
set."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

#: Milliseconds. Single shots up to this one are waited for.
SHORT = 500


class Recorder:
    """Remembers every QTimer and QThread that is started, and every single shot, with the place in
    the code."""

    def __init__(self) -> None:
        self._timers: dict[int, tuple[weakref.ref[QTimer], str]] = {}
        self._threads: dict[int, tuple[weakref.ref[QThread], str]] = {}
        self._shots: dict[int, tuple[weakref.ref[QObject] | None, str]] = {}
        self._count = 0

    def install(self, patch: Callable[[object, str, object], None]) -> None:
        """Replace the starting methods by recording ones; `patch` is pytest's
        monkeypatch.setattr."""
        start_timer, start_thread, single_shot = QTimer.start, QThread.start, QTimer.singleShot

        def timer_started(timer: QTimer, *args: Any, **kwargs: Any) -> Any:
            self._timers[id(timer)] = (weakref.ref(timer), _place())
            return start_timer(timer, *args, **kwargs)

        def thread_started(thread: QThread, *args: Any, **kwargs: Any) -> Any:
            self._threads[id(thread)] = (weakref.ref(thread), _place())
            return start_thread(thread, *args, **kwargs)

        def shot(*args: Any) -> Any:
            *first, callback = args
            if not callable(callback):
                return single_shot(*args)
            self._count += 1
            key = self._count
            context = next((weakref.ref(item) for item in first if isinstance(item, QObject)), None)
            self._shots[key] = (context, _place())

            def fire() -> None:
                self._shots.pop(key, None)
                callback()

            arguments: tuple[Any, ...] = (*first, fire)
            return single_shot(*arguments)

        patch(QTimer, "start", timer_started)
        patch(QThread, "start", thread_started)
        patch(QTimer, "singleShot", staticmethod(shot))

    def timers(self) -> Iterator[tuple[QTimer, str]]:
        """The recorded timers that are still active."""
        for reference, place in self._timers.values():
            timer = reference()
            if timer is not None and shiboken6.isValid(timer) and timer.isActive():
                yield timer, place

    def threads(self) -> Iterator[tuple[QThread, str]]:
        """The recorded threads that still run."""
        for reference, place in self._threads.values():
            thread = reference()
            if thread is not None and shiboken6.isValid(thread) and thread.isRunning():
                yield thread, place

    def shots(self) -> Iterator[str]:
        """The places of single shots that have not fired and still could."""
        for context, place in self._shots.values():
            receiver = context() if context is not None else None
            if context is None or (receiver is not None and shiboken6.isValid(receiver)):
                yield place


def windows() -> set[QWidget]:
    """The top-level widgets that count as windows: visible ones, and hidden ones that were not
    given to any parent.

    Qt keeps tool tips and the pop-ups of combo boxes for itself; those are hidden and not of our
    making.
    """
    if QApplication.instance() is None:
        return set()
    return {
        widget for widget in QApplication.topLevelWidgets() if widget.isVisible() or _ours(widget)
    }


def _ours(widget: QWidget) -> bool:
    return type(widget).__module__.split(".")[0] not in ("PySide6", "shiboken6")


def settle() -> None:
    """Let deferred deletions happen and cycles go, so that only what is really kept is left."""
    if "pyvista" in sys.modules:
        import pyvista

        pyvista.close_all()
    for _ in range(2):
        if QCoreApplication.instance() is not None:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()
        if not gc.collect():
            # Nothing has gone that could have held something else.
            break


def release_the_mouse() -> None:
    """QTest's double click leaves its button down, for Qt: views of later tests would wait for the
    end of a drag."""
    for button in (
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.MiddleButton,
        Qt.MouseButton.RightButton,
    ):
        if QGuiApplication.mouseButtons() & button:
            QTest.mouseRelease(QWidget(), button)


def _let_short_waits_end(recorder: Recorder) -> None:
    """Single shots of a fraction of a second end here: how far they are depends on the load of the
    machine alone.

    What they do belongs to this test. Those that begin anew again and again stay, and are told.
    """
    deadline = time.monotonic() + 10 * SHORT / 1000
    while any(timer.isSingleShot() and timer.interval() <= SHORT for timer, _ in recorder.timers()):
        if time.monotonic() > deadline:
            break
        QTest.qWait(5)


def left_behind(recorder: Recorder, windows_before: set[QWidget]) -> list[str]:
    """What the test has left, in words. It is also stopped and closed, so that the next test starts
    clean."""
    leaks: list[str] = []
    for widget in windows() - windows_before:
        if shiboken6.isValid(widget):
            name = widget.windowTitle() or widget.objectName()
            leaks.append(
                f"window {type(widget).__name__} "
                f"{name!r}{' (visible)' if widget.isVisible() else ''}"
            )
            widget.close()
            widget.deleteLater()
    _let_short_waits_end(recorder)
    for timer, place in recorder.timers():
        leaks.append(f"active QTimer of {timer.interval()} ms, started at {place}")
        timer.stop()
    for thread, place in recorder.threads():
        leaks.append(f"running QThread, started at {place}")
        thread.quit()
        thread.wait(2000)
    leaks += [f"QTimer.singleShot that has not fired, from {place}" for place in recorder.shots()]
    return leaks


@contextlib.contextmanager
def none_left(patch: Callable[[object, str, object], None], subject: str) -> Iterator[None]:
    """Fails, with `subject` ("the test has") before "left behind", when timers, threads or windows
    outlive the body."""
    recorder = Recorder()
    recorder.install(patch)
    before = windows()
    yield
    if QApplication.instance() is not None:
        release_the_mouse()
    settle()
    leaks = left_behind(recorder, before)
    if leaks:
        settle()
        pytest.fail(f"{subject} left behind:\n  " + "\n  ".join(leaks), pytrace=False)


def _place() -> str:
    # Not by traceback, which looks at each file of the stack: windows start thousands of timers.
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_name})"
