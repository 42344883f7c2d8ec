"""Every dialog of the window, opened without waiting for what fills it in life; some with long
names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PySide6.QtWidgets import QApplication, QDialog

from editor_app.core.document.state import FileKind
from editor_app.core.model.findings import Location
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.pairing import NameMatch
from editor_app.core.verbs.versions import fault_report
from editor_app.features.draft.window.decisions_dialog import DecisionsDialog
from editor_app.features.masks.window.compare_page import CarryOverDialog, OtherMask
from editor_app.features.masks.window.pairs_dialog import WriteMaskDialog
from editor_app.plugins.assembly.window.attach_dialog import AttachDialog
from editor_app.plugins.assembly.window.known_parts_dialog import KnownPartsDialog
from editor_app.plugins.collision_shapes.window.collision_dialog import CollisionDialog
from editor_app.plugins.comparison.window.comparison_dialog import RobotComparisonDialog
from editor_app.plugins.consumers.window.robot_dialogs import ReadersDialog
from editor_app.window import dialogs
from editor_app.window.files.importing import Importing
from editor_app.window.files.questions import BrokenFileDialog, PairingDialog, XacroDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.recovery import CrashDialog
from editor_app.window.viewport.picture import PictureDialog
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import wait_until

Opener = Callable[[MainWindow, Path], QDialog]
_LONG = "left_hand_index_finger_intermediate_phalanx_optical_frame"
_SRDF = (
    '<robot name="arm"><group name="arm"><joint name="a"/></group><passive_joint name="b"/></robot>'
)
_TRACE = (
    'Traceback (most recent call last):\n  File "panel.py", line 12, in show\nValueError: no such '
    "panel\n"
)


def triggered(action: str) -> Opener:
    """Opens the dialog of an action."""

    def open_it(window: MainWindow, folder: Path) -> QDialog:
        window.registry.trigger(action)
        dialog: Any = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog), f"{action} opens no dialog"
        return dialog

    return open_it


def _opened(dialog: QDialog) -> QDialog:
    dialog.open()
    return dialog


def _attach(window: MainWindow, folder: Path) -> QDialog:
    window.registry.trigger("robot.attach")
    return next(dialog for dialog in window.findChildren(AttachDialog) if dialog.isVisible())


def _readers(window: MainWindow, folder: Path) -> QDialog:
    return _opened(ReadersDialog(window.session, window))


def _picture(window: MainWindow, folder: Path) -> QDialog:
    canvas = SimpleNamespace(ren_win=SimpleNamespace(GetSize=lambda: (1280, 720)))
    view: Any = SimpleNamespace(window=lambda: window, canvas=canvas)
    return _opened(PictureDialog(view, window.session, window.settings.store, window.jobs))


def _decided(window: MainWindow, folder: Path) -> QDialog:
    return _opened(DecisionsDialog(window.fitting._workbench, window.fitting.quality, window))


def _compare(window: MainWindow, folder: Path) -> QDialog:
    return _opened(dialogs.CompareDialog(window, window.session.document, FileKind.XRDF))


def _known_parts(window: MainWindow, folder: Path) -> QDialog:
    dialog = KnownPartsDialog(window.settings, window.jobs, lambda path: None, window)
    wait_until(lambda: dialog.list.count() > 0, 60.0)
    return _opened(dialog)


def _compare_robots(window: MainWindow, folder: Path) -> QDialog:
    other = copy_of_sample(folder / "other")
    dialog = RobotComparisonDialog(window.session, window.jobs, other, window)
    wait_until(lambda: dialog.compared is not None, 60.0)
    return _opened(dialog)


def _write_mask(window: MainWindow, folder: Path) -> QDialog:
    return _opened(WriteMaskDialog(window.self_collision.controller, window))


def _carry_over(window: MainWindow, folder: Path) -> QDialog:
    robot = window.session.robot
    names = [link.name for link in robot.urdf.links][:4]
    pairs = {LinkPair.of(_LONG, name) for name in names} | {
        LinkPair.of(names[0], name) for name in names[2:]
    }
    other = OtherMask("planner.srdf", frozenset(pairs), dict.fromkeys(pairs, "Never"))
    return _opened(CarryOverDialog(window.self_collision.controller, other, window))


def _conversion(window: MainWindow, folder: Path) -> QDialog:
    source = folder / "moveit.srdf"
    source.write_text(_SRDF, encoding="utf-8")
    importing: Any = window.findChild(Importing)
    dialog = importing.import_path(source)
    wait_until(lambda: not dialog.is_working, 60.0)
    return _opened(dialog)


def _xacro(window: MainWindow, folder: Path) -> QDialog:
    path = folder / "arm.urdf.xacro"
    declared = {"prefix": "left_", _LONG: None}
    problem = FormatError(f"Undefined substitution argument {_LONG}", Location(str(path), 12))
    return _opened(XacroDialog(window, path, declared, {}, problem))


def _pairing(window: MainWindow, folder: Path) -> QDialog:
    matches = [
        NameMatch(folder / f"{name}.urdf", 41, (_LONG, "wrist"))
        for name in ("left_arm", "right_arm")
    ]
    return _opened(PairingDialog(window, folder / "arm.xrdf", matches, lambda path: None))


def _broken(window: MainWindow, folder: Path) -> QDialog:
    path = folder / "broken.xrdf"
    path.write_text("format: xrdf\nformat_version: [1.0\ncspace:\n", encoding="utf-8")
    error = FormatError(
        "expected ',' or ']', got ':'", Location(str(path), 3, 7), "Close the bracket of line 2."
    )
    ways_out = (
        ("without", "Open &without it", lambda: None),
        ("mend", "&Fix it here", lambda: None),
    )
    return _opened(BrokenFileDialog(window, path, error, ways_out))


def _crash(window: MainWindow, folder: Path) -> QDialog:
    return _opened(CrashDialog(window, fault_report(_TRACE, "arm.xrdf is open"), lambda: None))


def _message(window: MainWindow, folder: Path) -> QDialog:
    detail = "Another program has it open. Close it there, or save under another name."
    return dialogs.show_error(
        window, "Cannot save", "arm.xrdf cannot be written.", detail, ("Save &as…", lambda: None)
    )


#: By a name for people; none of them waits for an answer in a loop of its own.
OPENERS: dict[str, Opener] = {
    "preferences": triggered("edit.preferences"),
    "shortcuts": triggered("help.shortcuts"),
    "repair": triggered("robot.mend"),
    "readers": _readers,
    "attach": _attach,
    "collision shapes": lambda window, _: _opened(CollisionDialog(window)),
    "about": triggered("help.about"),
    "rename": triggered("links.rename"),
    "add link": triggered("links.add_link"),
    "picture": _picture,
    "compare": _compare,
    "decided": _decided,
    "compare robots": _compare_robots,
    "known parts": _known_parts,
    "write-mask": _write_mask,
    "carry-over": _carry_over,
    "conversion": _conversion,
    "xacro": _xacro,
    "pairing": _pairing,
    "broken": _broken,
    "crash": _crash,
    "message": _message,
}
