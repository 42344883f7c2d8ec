"""What planned motions keep: typed beside the buttons, kept in the settings, told with the
result."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from editor_app.core.model.scene import BoxShape, Obstacle, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.plugins.motion.engine.results import KeepAway
from editor_app.plugins.motion.window.panel import KeepAwayFields, MotionPanel
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import settle


@pytest.fixture
def panel(window: MainWindow) -> MotionPanel:
    return window.motion.show_panel()


def field(panel: QWidget, name: str) -> NumberField:
    fields = panel.findChildren(NumberField)
    return next(each for each in fields if each.accessibleName() == f"Keep away from {name}")


def typed(field: NumberField, text: str) -> None:
    field.setText(text)
    field.setModified(True)
    field.commit()


def test_numbers_are_kept_for_the_next_time(window: MainWindow, panel: MotionPanel) -> None:
    controller = window.motion.controller
    assert controller.keep_away == KeepAway()
    typed(field(panel, "obstacles"), "20")
    typed(field(panel, "itself"), "0.5 cm")
    assert controller.keep_away == KeepAway(0.02, 0.005)
    again = KeepAwayFields(controller)
    assert field(again, "obstacles").value == 0.02
    assert field(again, "itself").value == 0.005
    again.deleteLater()
    typed(field(panel, "obstacles"), "-3")
    assert controller.keep_away.obstacles == 0.02, "a length below 0 is rejected"
    for odd in ("[1]", '["a", 2.0]', "[-1.0, 0.0]", "none"):
        window.settings.store.setValue("motion/keep_away", odd)
        assert controller.keep_away == KeepAway()


def test_results_tell_what_is_kept_and_what_is_in_the_way(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    controller = window.motion.controller
    far = Scene((Obstacle("crate", BoxShape((0.1, 0.1, 0.1)), (9.0, 0.0, 0.0)),))
    controller.set_scene(far)
    controller.set_keep_away(obstacles=0.02)
    sentences: list[str] = []
    controller.result_came.connect(sentences.append)

    def planned(goal: Trajectory) -> str:
        sentences.clear()
        controller.try_motion(goal)
        qtbot.waitUntil(lambda: bool(sentences), timeout=120_000)
        settle(window)
        controller.player.pause()
        return sentences[-1]

    goal = Trajectory.of_pose({"elbow": 1.0}, "Pose 1")
    told = planned(goal)
    assert told.startswith("A motion of ")
    assert "proven free, at least 20 mm from obstacles. Planned in " in told
    assert panel.results.sentence.text() == told
    told = planned(Trajectory.of_pose({"shoulder": 9.0}, "Pose 2"))
    assert told.startswith(
        "No motion: a pose is outside the joint limits; goal (Pose 2): shoulder at 515.7°, "
    )
    assert " above its upper limit " in told
    around = Scene((Obstacle("crate", BoxShape((9.0, 9.0, 9.0))),))
    controller.set_scene(around)
    told = planned(goal)
    assert told.startswith("No motion: the start is in collision; start: ")
    assert " and crate overlap by " in told
