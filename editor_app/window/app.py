"""The application: arguments, Qt, theme, the window. Shows the window before anything slow is
imported."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editor_app.core.model.printable import PrintableParser
from editor_app.core.resources import app_icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

#: Variables that name what Qt draws on, under Linux.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
_NO_DISPLAY = (
    "the window needs a display. Log in to a desktop, or use a virtual one: xvfb-run -a "
    "xrdf-editor ROBOT.urdf. "
    "Commands need none: xrdf-editor --help"
)


def run_window(argv: Sequence[str] | None = None) -> int:
    """Opens the window on the files of `argv` and runs until it is closed; returns the exit
    code."""
    options = _parse(sys.argv[1:] if argv is None else argv)
    # matplotlib (imported by pyvistaqt) and others read their settings there, and a robot's folder
    # may bring some.
    os.chdir(Path(__file__).parent)
    # Of what imports and windows allocate almost nothing dies, yet each collection walks through
    # all of it: a tenth of the start.
    gc.disable()
    app = make_application()
    from PySide6.QtCore import QTimer

    from editor_app.core.verbs.versions import versions
    from editor_app.window.crash_log import CrashLog, take_native_crashes
    from editor_app.window.main_window import MainWindow
    from editor_app.window.open_windows import EndSignals
    from editor_app.window.settings import Settings
    from editor_app.window.theme import theme

    settings = Settings()
    theme().install(app)
    theme().choose(settings.theme)
    window = MainWindow(settings)
    window.crash.install()
    crash_log, crashes = CrashLog(), take_native_crashes()
    crash_log.begin(", ".join(f"{name} {version}" for name, version in versions().items()))
    windows = window.windows
    signals = EndSignals(windows)
    signals.received.connect(windows.end_at_once)
    app.commitDataRequest.connect(windows.keep_unsaved_work)
    window.start.ended.connect(lambda: _collect_again(app))
    # The first time: the screen but for the frame and the title bar that come around it. On a very
    # large screen the panels would be far from the robot.
    room = window.screen().availableGeometry()
    window.resize(min(room.width() - 8, 2400), min(room.height() - 36, 1350))
    window.show()
    # After the first paint: the window is there at once, the rest follows.
    QTimer.singleShot(30, window, window.start_background)
    paths: list[Path] = options.files
    if options.demo_out is not None:
        from editor_app.window.demo import Demo

        demo = Demo(window, options.demo_out, paths)
        demo.start()
        code = app.exec()
        window.shutdown()
        signals.close()
        crash_log.close()
        return demo.exit_code or code
    if paths:
        window.xacro_arguments = options.xacro_arg
        window.open_files(paths)
    else:
        for part in window.parts:
            part.welcome()
    if crashes:
        window.crash.show_earlier(crashes)
    code = app.exec()
    # Closed windows are shut already. A session manager ends the program without asking.
    windows.shutdown()
    signals.close()
    crash_log.close()
    return code


def _collect_again(app: QApplication) -> None:
    from editor_app.window.heap_trimming import CycleCollector

    # What the start made stays to the end: later collections need not look at it again.
    gc.freeze()
    CycleCollector(app)


def make_application() -> QApplication:
    """The QApplication with its names; the running one if there is one."""
    from PySide6.QtCore import QLocale, Qt
    from PySide6.QtGui import QGuiApplication, QIcon
    from PySide6.QtWidgets import QApplication

    from editor_app.core.tasks.heap import keep_the_heap_together

    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    _prepare_surface()
    keep_the_heap_together()
    # Files have a point, whatever the country; so has everything that is shown and typed.
    QLocale.setDefault(QLocale.c())
    app = QApplication([sys.argv[0] if sys.argv else "xrdf-editor"])
    app.setApplicationName("xrdf-editor")
    app.setApplicationDisplayName("XRDF Editor")
    app.setOrganizationName("xrdf-editor")
    app.setDesktopFileName("xrdf-editor")
    with contextlib.suppress(FileNotFoundError):
        app.setWindowIcon(QIcon(str(app_icon())))
    return app


def _prepare_surface() -> None:
    """Makes the OpenGL format that VTK needs the default one: a window that exists already keeps
    the format it has."""
    from PySide6.QtGui import QSurfaceFormat

    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setVersion(3, 2)
    wanted.setSwapBehavior(QSurfaceFormat.SwapBehavior.DoubleBuffer)
    for size in (wanted.setRedBufferSize, wanted.setGreenBufferSize, wanted.setBlueBufferSize):
        size(8)
    wanted.setDepthBufferSize(8)
    wanted.setAlphaBufferSize(8)
    wanted.setStencilBufferSize(0)
    wanted.setSamples(0)
    QSurfaceFormat.setDefaultFormat(wanted)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = PrintableParser(
        prog="xrdf-editor", description="Edit a robot's XRDF together with its URDF."
    )
    parser.add_argument(
        "files",
        nargs="*",
        type=_absolute,
        metavar="FILE",
        help="ROBOT.urdf, and ROBOT.xrdf if it is in another folder",
    )
    parser.add_argument(
        "--xacro-arg",
        action="append",
        default=[],
        metavar="NAME:=VALUE",
        help="argument of a xacro file; the window asks before it expands one",
    )
    parser.add_argument("--demo-out", type=_absolute, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args(list(arguments))
    missing = [path for path in options.files if not path.exists()]
    if missing:
        parser.error(f"file not found: {missing[0]}")
    if sys.platform.startswith("linux") and not any(map(os.environ.get, _DISPLAYS)):
        parser.error(_NO_DISPLAY)
    return options


def _absolute(name: str) -> Path:
    return Path(name).absolute()
