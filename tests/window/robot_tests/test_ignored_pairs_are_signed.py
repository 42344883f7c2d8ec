"""The page Decisions signs ignored pairs, as one step, with the bytes of the verb; a change
withdraws signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from editor_app.core.document import commands
from editor_app.core.document.commands import fields
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.plugins.robot_tests.verbs.sign_pairs import DecisionState, SignInText, sign_pairs
from editor_app.plugins.robot_tests.window.decisions_page import TITLE, DecisionsPage
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_in, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]

PADS = LinkPair.of("left_finger_link", "right_finger_link")


def answer(window: MainWindow, name: str, text: str) -> None:
    """Answer the question `name` with a line of text."""

    def questions() -> list[QInputDialog]:
        return [each for each in window.findChildren(QInputDialog, name) if each.isVisible()]

    wait_until(lambda: bool(questions()))
    questions()[0].setTextValue(text)
    questions()[0].accept()


def state_of(page: DecisionsPage, pair: LinkPair) -> Any:
    return next((each.state for each in page.decisions if each.pair == pair), None)


def test_the_selected_pair_is_signed_as_one_step_and_a_limit_withdraws_it(
    window: MainWindow, tmp_path: Path
) -> None:
    urdf = copy_of_sample(tmp_path / "robot")
    open_in(window, urdf)
    session = window.session
    masks = window.self_collision
    masks.controller.masks.set_options(
        masks.controller.masks.options, AnalysisSettings(500, 0, 0.5), None
    )
    window.registry.trigger("mask.decisions")
    page = masks.show_panel().added[TITLE]
    assert isinstance(page, DecisionsPage)
    wait_until(lambda: bool(page.decisions), LONG)
    assert "Compute the mask" in page.text.text()
    masks.controller.compute()
    wait_until(
        lambda: state_of(page, PADS) is DecisionState.OPEN and "Compute" not in page.text.text(),
        LONG,
    )
    assert not page.sign_button.isEnabled()
    items = page.list.findItems(
        "left_finger_link – right_finger_link", Qt.MatchFlag.MatchExactly, 0
    )
    page.list.setCurrentItem(items[0])
    assert session.selection.pairs == (PADS,)
    before = session.document.xrdf_text
    step = sign_pairs(session.document, [PADS], by="A. Meyer", reason="the pads meet")
    assert isinstance(step, SignInText)
    expected = step.apply_text(before)
    page.sign_button.click()
    answer(window, "sign-name", "A. Meyer")
    answer(window, "sign-reason", "the pads meet")
    wait_until(lambda: state_of(page, PADS) is DecisionState.SIGNED, LONG)
    assert session.document.xrdf_text == expected
    assert "the pads meet; signed A. Meyer " in expected
    session.undo()
    assert session.document.xrdf_text == before
    wait_until(lambda: state_of(page, PADS) is DecisionState.OPEN, LONG)
    session.redo()
    session.execute(
        commands.SetField(fields.OfJoint("left_finger_joint"), "limit.upper", 0.03, "Limit")
    )
    wait_until(lambda: state_of(page, PADS) is DecisionState.WITHDRAWN, LONG)
    cells = [page.list.topLevelItem(number) for number in range(page.list.topLevelItemCount())]
    assert next(
        c.text(4)
        for c in cells
        if c is not None and "left_finger" in c.text(0) and "right" in c.text(0)
    ) == ("joint limits")
