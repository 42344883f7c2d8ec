"""One X server per test process, so that a test never touches the developer's screen nor another
worker's."""

from __future__ import annotations

import atexit
import os
import sys

from virtual_display import (
    NoVirtualDisplay,
    VirtualDisplay,
)  # packaging/virtual_display.py, as run.py uses it

_display: VirtualDisplay | None = None


def own_display() -> str:
    """Start this process's Xvfb once and point DISPLAY at it; to be called before any window opens.

    Raises RuntimeError with the remedy where Xvfb is missing. Windows and macOS keep their own
    screen.
    """
    global _display
    if not sys.platform.startswith("linux"):
        return ""
    if _display is None:
        display = VirtualDisplay()
        try:
            display.start()
        except NoVirtualDisplay as error:
            raise RuntimeError(
                f"{error}. GUI tests need it: packaging/test.py installs it."
            ) from error
        _display = display
        atexit.register(_end)
        os.environ.pop("WAYLAND_DISPLAY", None)
        os.environ.update(display.environment())
    return _display.name


def _end() -> None:
    """The application goes before its screen: Qt would end the process with a failure where the
    server dies first."""
    assert _display is not None
    if (widgets := sys.modules.get("PySide6.QtWidgets")) is not None:
        application = widgets.QApplication.instance()
        if application is not None:
            application.shutdown()
    _display.stop()
