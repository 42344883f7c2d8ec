"""Names from files are shown as they stand there: nowhere in the window is one taken for HTML or
for a mnemonic.

Qt reads a label or a tooltip that looks like HTML as HTML: a robot named <img src='/dev/zero'>
ended the window.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu, QToolTip, QWidget

import editor_app
from editor_app.core.document.commands.urdf import RenameLink
from editor_app.core.document.selection import Selection, list_features
from editor_app.core.document.state import FileKind
from editor_app.core.model.findings import SphereRef
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.window import dialogs
from editor_app.window.files.questions import XacroDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.widgets import PlainLabel, no_mnemonic, plain_text
from tests.helpers.fitting_windows import nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.hostile_names import (
    HOSTILE,
    MARK,
    hostile_robot,
    mistaken,
    taken_for_html,
    underlined,
)
from tests.helpers.masks import compute, mask_window
from tests.helpers.windows import quiet, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="such file names are not possible there")
DOCKS = (
    "links",
    "selection",
    "xrdf",
    "srdf",
    "urdf",
    "joints",
    "findings",
    "self-collision",
    "source",
    "history",
)


@pytest.fixture(scope="module")
def hostile(
    qapp: Any, nothing_of_qt_is_left: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """The window with the hostile robot, every panel made and everything selected once."""
    folder = tmp_path_factory.mktemp("hostile")
    with mask_window(folder, hostile_robot(folder), viewport=True) as window:
        robot = window.session.robot
        assert MARK in robot.urdf.name
        assert all(MARK in link.name for link in robot.urdf.links)
        for dock in DOCKS:
            window.docks.show(dock)
            QTest.qWait(10)
        settle(window)
        # Nothing here is about coverage, which would be measured link by link.
        window.fitting.measuring.stop()
        yield window
        window.self_collision.controller.cancel()


@pytest.fixture
def tips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that the program itself hands to the tooltip."""
    shown: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, text, *more: shown.append(text))
    return shown


def hover_everywhere(widget: QWidget) -> None:
    """Asks for the tooltip at many places of a widget that answers by itself."""
    for y in range(2, widget.height(), 12):
        for x in range(2, widget.width(), 12):
            place = QPoint(x, y)
            QApplication.sendEvent(
                widget, QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
            )


def test_the_walk_sees_what_is_wrong(hostile: MainWindow) -> None:
    """A plain QLabel, a raw tooltip and a raw menu text are found: else the tests below would prove
    nothing."""
    label = QLabel(f"Robot {HOSTILE}", hostile)
    label.setToolTip(HOSTILE)
    menu = QMenu(hostile)
    menu.addAction(QAction(HOSTILE, menu))
    mistakes = "\n".join(mistaken())
    assert "QLabel '': text is HTML" in mistakes
    assert "QLabel '': tooltip is HTML" in mistakes
    assert "QMenu '': action has a mnemonic" in mistakes
    for widget in (label, menu):
        widget.setParent(None)
        widget.deleteLater()
    QTest.qWait(0)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert mistaken() == []


def test_every_panel(hostile: MainWindow) -> None:
    robot, session = hostile.session.robot, hostile.session
    group = next(iter(robot.xrdf.geometry or ()))
    frame = next(iter(group.spheres))
    link, joint = robot.urdf.links[2].name, robot.urdf.joints[2].name
    selections = [
        Selection(links=(link,)),
        Selection(joints=(joint,)),
        Selection(links=(link, robot.urdf.links[3].name)),
    ]
    selections += [Selection(spheres=(SphereRef(group.name, frame, 0),)), Selection()]
    selections += [Selection(features=(placed.feature,)) for placed in list_features(robot)]
    shown = set()
    for stack in ("xrdf", "srdf", "urdf"):
        hostile.docks.show(stack)
        for section in hostile.docks.panel(stack).findChildren(QWidget):
            if hasattr(section, "set_open"):
                section.set_open(True)
    for selection in selections:
        session.select(selection)
        session.set_hidden(frozenset({link}))
        for dock in DOCKS:
            hostile.docks.show(dock)
            QTest.qWait(1)
        settle(hostile)
        assert mistaken() == []
        shown |= {
            w.text()
            for w in QApplication.allWidgets()
            if isinstance(w, QLabel) and MARK in w.text()
        }
    # The names are there to be seen, and not swallowed.
    assert any("<img" in text and "<b>" in text for text in shown)
    session.set_hidden(frozenset())


def test_menus(hostile: MainWindow) -> None:
    for menu in hostile.findChildren(QMenu):
        menu.aboutToShow.emit()
    assert mistaken() == []
    titles = [a.text() for m in hostile.findChildren(QMenu) for a in m.actions()]
    assert any(MARK in title for title in titles), "the robot stands under Open recent"


def test_messages_of_the_window(hostile: MainWindow, tips: list[str]) -> None:
    robot = hostile.session.robot
    assert (
        hostile.session.execute(RenameLink(robot.urdf.links[1].name, f"new{HOSTILE}")) is not None
    )
    settle(hostile)
    hostile.registry.refresh()
    assert mistaken() == []
    hostile.session.undo()
    hostile.registry.refresh()
    assert MARK in hostile.registry["edit.redo"].text()
    assert mistaken() == []
    for say in (hostile.session.refused, hostile.session.message):
        say.emit(f"The robot has no link {HOSTILE}.")
        QTest.qWait(1)
        assert mistaken() == []
    hostile.central.notice.ask(
        "key", f"{HOSTILE} was not saved", ((f"Restore {no_mnemonic(HOSTILE)}", lambda: None),)
    )
    hostile.central.show_waiting(f"Reading {HOSTILE} …")
    QTest.qWait(1)
    assert mistaken() == []
    hostile.central.notice.dismiss("key")
    hostile.central.show_view()
    hostile.central.toast.dismiss()
    quiet(hostile)
    settle(hostile)


def test_dialogs(hostile: MainWindow) -> None:
    message = dialogs.show_error(
        hostile, HOSTILE, f"{HOSTILE} cannot be read", f"{HOSTILE}\nline 2"
    )
    compare = dialogs.CompareDialog(hostile, hostile.session.document, FileKind.URDF)
    xacro = XacroDialog(
        hostile, Path(f"{MARK}{HOSTILE}".replace("/", "|")), {HOSTILE: HOSTILE, "b": None}
    )
    opened = (message, compare, xacro)
    try:
        for dialog in opened:
            dialog.show()
            QTest.qWait(1)
            assert mistaken() == []
    finally:
        for dialog in opened:
            dialog.close()
            dialog.deleteLater()
        QTest.qWait(1)


def test_questions(hostile: MainWindow) -> None:
    seen: list[list[str]] = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QDialog)
        try:
            seen.append(mistaken())
        finally:
            box.reject()

    for ask in (
        dialogs.ask_unsaved,
        lambda parent, name: dialogs.ask_changed_on_disk(parent, Path(name)),
    ):
        QTimer.singleShot(50, hostile, answer)
        ask(hostile, HOSTILE.replace("/", "|"))
    assert seen == [[], []]


def test_matrix_and_lists_of_pairs(hostile: MainWindow, tips: list[str]) -> None:
    hostile.self_collision.controller.masks.settings = AnalysisSettings(512, 1, 0.0)
    panel = compute(hostile)
    assert panel.matrix.rows
    hover_everywhere(panel.matrix.viewport())
    assert any(MARK in text for text in tips)
    assert [text for text in tips if taken_for_html(text)] == []
    for page in range(len(panel.tabs)):
        panel.show_page(page)
        QTest.qWait(1)
    controller = hostile.self_collision.controller
    wait_until(lambda: not (controller.state.is_analysing or controller.is_asking), 120)
    settle(hostile)
    assert mistaken() == []


def test_dialogs_of_conversions_and_of_mending(hostile: MainWindow, tmp_path: Path) -> None:
    from editor_app.plugins.consumers.window.robot_dialogs import RepairDialog
    from editor_app.window.files.importing import Exporting

    exported = Exporting(hostile).export(
        "srdf", tmp_path / f"{MARK}<b>x</b>.srdf".replace("/", "|")
    )
    assert exported is not None
    repaired = RepairDialog(hostile.session, hostile.jobs, hostile)
    repaired.show()
    wait_until(lambda: not exported.is_working and repaired.repaired is not None, 120)
    # The name of the file stands in the label of what is written.
    assert MARK in exported.files.text()
    wrong = mistaken()
    for dialog in (exported, repaired):
        dialog.reject()
    repaired.deleteLater()
    QTest.qWait(1)
    assert wrong == []


def test_names_in_the_view_are_no_formulas(hostile: MainWindow) -> None:
    """VTK would take $…$ for one: with matplotlib it is set as such, without it the name is not
    there at all."""
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkRenderingCore import vtkTextProperty, vtkTextRenderer

    assert hostile.viewport is not None
    writer, style = vtkTextRenderer.GetInstance(), vtkTextProperty()
    assert writer.DetectBackend("$x^2$") == vtkTextRenderer.MathText
    assert writer.GetDefaultBackend() == vtkTextRenderer.FreeType
    pictures = []
    for text in ("$x^2$", "<b>x</b>", "x"):
        image = vtkImageData()
        assert writer.RenderString(style, text, image, [0, 0], 72)
        pictures.append(
            int(np.count_nonzero(vtk_to_numpy(image.GetPointData().GetScalars())[:, 3]))
        )
    formula, markup, letter = pictures
    # The marks around the letter are there, too.
    assert formula > 2 * letter > 0
    assert markup > 2 * letter


def test_the_card_of_a_first_file(hostile: MainWindow) -> None:
    """The last test of the hostile robot: it takes its spheres away."""
    hostile.files.new_xrdf()
    steps = hostile.fitting.first_steps
    wait_until(lambda: not hostile.files.is_opening and steps.is_on and steps.step is not None, 60)
    settle(hostile)
    assert steps.step is not None
    card = steps._card
    assert card is not None
    assert MARK in card.chooser.control.placeholderText(), "it names what is controlled"
    assert mistaken() == []
    steps.end()
    quiet(hostile)
    settle(hostile)


def test_the_three_functions() -> None:
    assert not taken_for_html(plain_text(HOSTILE))
    assert taken_for_html(HOSTILE)
    assert plain_text("a < b\nc") == "a < b\nc"
    assert not underlined(no_mnemonic(HOSTILE))
    label = PlainLabel(HOSTILE)
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_no_code_of_the_window_makes_a_label_or_a_tooltip_otherwise() -> None:
    """QLabel is never used by itself, and setToolTip only with a fixed text or one by
    `plain_text`."""
    program = Path(editor_app.__file__).parent
    files = [
        path
        for path in sorted(program.rglob("*.py"))
        if "PySide6" in path.read_text(encoding="utf-8")
    ]
    assert len(files) > 100
    calls = []
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", "")
            )
            wrong = name == "QLabel" or (name == "setToolTip" and not _is_safe(node.args[-1]))
            if wrong:
                calls.append(f"{file.relative_to(program)}:{node.lineno}: {name}")
    # Its explanation is HTML of its own, with the name of the file escaped.
    assert [
        place for place in calls if not place.startswith("features/masks/window/painting.py")
    ] == []


def _is_safe(argument: ast.expr) -> bool:
    if isinstance(argument, ast.IfExp):
        return _is_safe(argument.body) and _is_safe(argument.orelse)
    if isinstance(argument, ast.Call):
        return isinstance(argument.func, ast.Name) and argument.func.id == "plain_text"
    return isinstance(argument, ast.Constant)
