"""What was decided: a list that follows the robot, shows each choice on it, and confirms guesses;
evidence stays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands import SetLimits
from editor_app.core.space.geometry import cache
from editor_app.features.draft.window.decisions_dialog import DecisionsDialog
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.verbs import evidence
from editor_app.window.main_window import MainWindow
from editor_app.window.xrdf.cspace import CSpacePanel
from editor_app.window.xrdf.section_stack import SectionStack
from tests.helpers.documents import CLEAN, URDF, make_document
from tests.helpers.panels import edit_cell
from tests.helpers.windows import open_in, open_window, settle, wait_until

pytestmark = pytest.mark.gui


@pytest.fixture
def draft(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """A window with the draft of a bare arm."""
    (tmp_path / "arm.urdf").write_text(URDF)
    with open_window(tmp_path, tmp_path / "arm.urdf") as window:
        yield window


def listed(window: MainWindow) -> DecisionsDialog:
    window.registry.trigger("help.decided")
    dialog = window.findChildren(DecisionsDialog)[-1]
    assert dialog.isVisible()
    return dialog


def topics(dialog: DecisionsDialog) -> dict[str, str]:
    return {item.text(0): item.text(1) for item in dialog.list.rows()}


def test_the_list_follows_the_robot_and_shows_each_choice(draft: MainWindow) -> None:
    dialog, session = listed(draft), draft.session
    before = topics(dialog)
    assert before["Controlled joints"] == "3: shoulder, elbow, grip"
    assert before["Spheres"] == "0 spheres on 0 links"
    assert before["Ignored: adjacent links"].startswith("7 pairs: ")
    buttons = [b for b in dialog.list.findChildren(QPushButton) if b.text() == "Show"]
    assert len(buttons) == dialog.list.topLevelItemCount()
    QTest.mouseClick(buttons[0], Qt.MouseButton.LeftButton)
    assert session.selection.joints == ("shoulder", "elbow", "grip")
    sections = draft.docks.panel("xrdf")
    assert isinstance(sections, SectionStack)
    assert "cspace" in sections.open_sections()
    # Another open section, whose selected row would scroll it into view, leaves the shown one in
    # sight.
    rows = {item.text(0): number for number, item in enumerate(dialog.list.rows())}
    for topic, name in (
        ("Default position", "default_joint_positions"),
        ("Controlled joints", "cspace"),
    ):
        QTest.mouseClick(buttons[rows[topic]], Qt.MouseButton.LeftButton)
        settle(draft)
        assert dialog.list.selectedItems()[0].text(0) == topic
        header = sections.sections[name].header
        bar, top = (
            sections.verticalScrollBar(),
            partial(header.mapTo, sections.viewport(), QPoint()),
        )
        wait_until(lambda bar=bar, top=top: top().y() == 0 or bar.value() == bar.maximum())  # type: ignore[misc]
        assert 0 <= top().y() < sections.viewport().height() - 60
    # No value is cut, and the list lies over the link tree.
    metrics, column = dialog.list.fontMetrics(), dialog.list.header().sectionSize(1) - 8
    for item in dialog.list.rows():
        needed = metrics.boundingRect(0, 0, column, 0, Qt.TextFlag.TextWordWrap, item.text(1))
        assert dialog.list.visualItemRect(item).height() >= needed.height()
    assert dialog.frameGeometry().right() < draft.mapToGlobal(draft.central.geometry().center()).x()
    session.execute(SetLimits("jerk", tuple((i, 900.0) for i in range(3))))
    wait_until(lambda: "3 jerk limits" not in [item.text(1) for item in dialog.list.rows()])
    dialog.close()


def test_all_guesses_are_confirmed_by_a_click_as_one_step(draft: MainWindow) -> None:
    dialog, document = listed(draft), draft.session.document
    wait_until(lambda: draft.feed.is_known)
    assert sum(f.code == "XRDF330" for f in draft.session.findings) == 5
    steps = len(document.history)
    QTest.mouseClick(dialog.confirm, Qt.MouseButton.LeftButton)
    wait_until(lambda: topics(dialog)["Guessed"] == "nothing")
    assert len(document.history) == steps + 1
    assert not dialog.confirm.isEnabled()
    wait_until(
        lambda: draft.feed.is_known and not any(f.code == "XRDF330" for f in draft.session.findings)
    )
    assert "Guessed" not in document.xrdf_text
    draft.session.undo()
    wait_until(lambda: dialog.confirm.isEnabled())
    dialog.close()


def test_a_cell_is_confirmed_by_typing_its_value_or_in_its_menu(
    qtbot: QtBot, draft: MainWindow
) -> None:
    session = draft.session
    stack = draft.docks.show("xrdf")
    assert isinstance(stack, SectionStack)
    stack.reveal("cspace")
    panel = next(p for p in draft.findChildren(CSpacePanel) if p.isVisible())
    assert (
        panel.guessed.text() == "Guessed: controlled joints, 3 acceleration limits, 3 jerk limits."
    )
    steps = len(session.document.history)
    view = panel.view
    view.select_row(1, 2)
    view.edit(view.model().index(1, 2))
    editor = QApplication.focusWidget()
    assert editor is not None
    QTest.keyClicks(editor, "500")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: session.document.guesses.joints("jerk_limits") == ("shoulder", "grip"))
    assert len(session.document.history) == steps + 1
    view.select_row(0, 2)
    view.row_actions["confirm"].trigger()
    assert session.document.guesses.joints("jerk_limits") == ("grip",)
    panel.all_jerk.setFocus()
    QTest.keyClicks(panel.all_jerk, "500")
    QTest.keyClick(panel.all_jerk, Qt.Key.Key_Return)
    assert "jerk_limits" not in session.document.guesses.entries
    assert len(session.document.history) == steps + 3
    height = panel.height()
    panel.confirm.click()
    # The line keeps its place, so that nothing moves under the pointer that clicked.
    wait_until(lambda: not panel.confirm.isVisible())
    assert panel.guessed.text() == "No value is guessed."
    assert panel.height() == height
    session.undo()
    assert panel.confirm.isVisible()
    session.redo()
    # A value that is no guess, typed again, is no step.
    edit_cell(qtbot, view, 0, 2, "500")
    assert len(session.document.history) == steps + 4


def test_the_evidence_of_a_computation_is_shown_after_reopening(
    qapp: QApplication, tmp_path: Path
) -> None:
    make_document(tmp_path, CLEAN)
    with open_window(tmp_path, tmp_path / "arm.urdf") as window:
        masks = window.self_collision.controller
        masks.masks.settings = AnalysisSettings(500, 0, 0.0, search_starts=0)
        masks.compute()
        wait_until(lambda: not masks.state.is_analysing and masks.state.analysis is not None, 120.0)
        computed = masks.state.analysis
        assert computed is not None
        window.session.open(None)
        open_in(window, tmp_path / "arm.urdf")
        wait_until(lambda: masks.state.analysis is not None)
        again = masks.state.analysis
        assert again is not None
        assert again is not computed
        assert (again.kinds(), again.settings) == (computed.kinds(), computed.settings)
        # A damaged entry is deleted, and the window says so.
        window.session.open(None)
        path = cache.cache_folder() / f"{evidence._key(computed.model)}.mesh"
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        told: list[str] = []
        window.session.message.connect(told.append)
        open_in(window, tmp_path / "arm.urdf")
        wait_until(lambda: any("stored analysis" in text for text in told))
        assert masks.state.analysis is None
        assert not path.exists()
        settle(window)
