"""The window's way to a first file (fit, tighter, mask, write) leaves a file that decides as the one of `new` does."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import editor_app
from editor_app.gui.self_collision.pairs_dialog import WriteMaskDialog
from editor_app.gui.window.main_window import MainWindow
from editor_app.operations.fit_choices import FitChoices
from editor_app.operations.mask_changes import MaskFile
from editor_app.operations.new import NewSettings
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left, window
from tests.helpers.windows import open_in, settle, wait_until
from tests.unit.test_pairs_whose_spheres_always_overlap_are_decided import PAIR, URDF

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]

BUDGET = 12


def _urdf(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "barrier.urdf"
    path.write_text(URDF)
    return path


def test_the_way_of_the_card_leaves_what_new_leaves(window: MainWindow, tmp_path: Path) -> None:
    settings = NewSettings(True, True, budget=BUDGET, choices=FitChoices(effort="fast"), samples=20_000, certify=1.0)
    made = editor_app.new(_urdf(tmp_path / "verb"), settings=settings)
    window.session.open(None)
    open_in(window, _urdf(tmp_path / "window"))
    steps, panel = window.fitting.first_steps, window.fitting.fit_panel
    document = window.session.document
    assert document is not None

    def press(step: str) -> None:
        """The primary button of a step."""
        wait_until(lambda: steps.step is not None and steps.step.id == step, LONG)
        assert steps._card is not None
        QTest.mouseClick(steps._card.buttons[-1], Qt.MouseButton.LeftButton)

    wait_until(lambda: steps.step is not None and steps.step.id == "fit" and not window.meshes.is_loading, LONG)
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(BUDGET, "budget")
    press("fit")
    wait_until(lambda: not panel.is_running and panel.is_ready, LONG)
    panel.accept_button.click()
    press("tighter")
    tighter = window.fitting.tighter
    wait_until(lambda: tighter.strip is not None, LONG)
    assert tighter.strip is not None
    assert tighter.strip.result.before.cost.needless.value < 1.0, "judged with the mask that is to come"
    QTest.mouseClick(tighter.strip.accept_button, Qt.MouseButton.LeftButton)
    press("mask")
    wait_until(lambda: steps.step is not None and steps.step.id == "write", LONG)
    controller = window.self_collision.controller
    wait_until(lambda: not (controller.is_running or controller.is_asking), LONG)
    dialog = WriteMaskDialog(controller, window)
    dialog.show()
    wait_until(lambda: not (controller.is_asking or controller.is_deciding), LONG)
    settle(window)
    QTest.mouseClick(dialog.take_button, Qt.MouseButton.LeftButton)
    settle(window)
    assert PAIR not in made.document.robot.xrdf.ignored_pairs()
    assert document.robot.xrdf.ignored_pairs() == made.document.robot.xrdf.ignored_pairs()
    window_cost, new_cost = (
        editor_app.model_cost(each, mask=MaskFile.XRDF, seed=77) for each in (document, made.document)
    )
    assert window_cost.wrong.value <= new_cost.wrong.value + 0.002
    assert window_cost.needless.value <= new_cost.needless.value + 0.02
    window.session.open(None)
    settle(window)
