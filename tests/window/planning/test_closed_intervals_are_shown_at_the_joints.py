"""Intervals of a joint that spheres close are marked on its slider and at its arc, as long as the
robot is the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from editor_app.core.document.commands.lists import set_item
from editor_app.core.model.closed_interval import ClosedInterval
from editor_app.core.model.pose import EMPTY_POSE
from editor_app.plugins.motion.engine.passages import Passages, ShutInterval
from editor_app.plugins.motion.verbs.passages import closed_intervals, passages
from editor_app.window.joints.panel import JointsPanel
from editor_app.window.main_window import MainWindow
from editor_app.window.theme import colours
from editor_app.window.viewport import poser
from editor_app.window.viewport.palette import rgb
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    window,
)
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_in, settle, wait_until
from tests.planning.test_passages_that_spheres_close_are_proven_and_told import sliding

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_sliders_show_what_is_closed_until_the_robot_changes(
    window: MainWindow, tmp_path: Path
) -> None:
    open_in(window, copy_of_sample(tmp_path / "robot"))
    session = window.session
    panel = window.docks.show("joints")
    assert isinstance(panel, JointsPanel)
    assert all(not row.slider.bands for row in panel.rows.values())
    told: list[str] = []
    session.message.connect(told.append)
    window.registry.trigger("robot.closed_intervals")
    assert window.motion.closed_intervals.refusal() == "The search for closed intervals is running."
    wait_until(lambda: bool(told), LONG)
    assert told[0].endswith(" by spheres alone.")
    # The wrist of the sample folds onto the forearm at both ends of its range: spheres overlap
    # there, meshes do not.
    row = panel.rows["wrist_pitch_joint"]
    (first, second) = row.slider.bands
    assert [first[0], second[1]] == pytest.approx([0.0, 1.0])
    assert (first[2], second[2]) == (False, False)
    assert "by spheres only" in row.slider.toolTip()
    picture = row.slider.grab().toImage()
    scale = picture.devicePixelRatio()
    warning = colours().warning
    for begin, end, _ in (first, second):
        at = row.slider.band_rect(begin, end).center()
        assert picture.pixelColor(int(at.x() * scale), int(at.y() * scale)).name() == warning
    middle = row.slider.band_rect(0.5, 0.5).center()
    assert picture.pixelColor(int(middle.x() * scale), int(middle.y() * scale)).name() != warning

    name = next(iter(session.tree.independent))
    session.execute(set_item("xrdf.default_joint_positions", name, 0.1))
    assert not row.slider.bands
    assert "closed" not in row.slider.toolTip().lower()
    session.undo()
    assert row.slider.bands == (first, second)
    session.open(None)
    assert not session.closed.of("wrist_pitch_joint")
    settle(window)


def test_the_arc_of_a_held_joint_shows_them_in_two_colours(
    window: MainWindow, tmp_path: Path
) -> None:
    open_in(window, copy_of_sample(tmp_path / "robot"))
    assert window.viewport is not None
    tree, scene = window.session.tree, window.viewport.scene
    joint = tree.joint("wrist_pitch_joint")
    assert joint is not None
    closed = tuple(
        ClosedInterval(low, low + 0.5, by_meshes, ())
        for low, by_meshes in ((-2.0, True), (1.0, False))
    )

    def tints(*intervals: ClosedInterval) -> set[tuple[float, ...]]:
        window.session.closed.show({joint.name: intervals})
        with mock.patch.object(scene.overlay, "set_lines") as drawn:
            poser.show_joint(window.session, scene, joint, np.zeros(3))
        return {tuple(colour[:3]) for colour in drawn.call_args.args[2].tolist()}

    both = {rgb(colours().error), rgb(colours().warning)}
    assert not both & tints()
    assert both <= tints(*closed)
    window.session.open(None)
    settle(window)


def test_intervals_are_cut_where_the_meshes_cease_to_touch() -> None:
    shut = ShutInterval(
        "slide", -1.0, 1.0, (("a", "b"),), ((-0.5, 0.0), (0.25, 1.0)), EMPTY_POSE, True
    )
    (cut,) = [each for each in passages(sliding(0.25)).sets if each.intervals]
    result = Passages((replace(cut, intervals=(shut,)),), (), ())
    intervals = closed_intervals(result).by_joint["slide"]
    assert [(one.lower, one.upper, one.by_meshes) for one in intervals] == [
        (-1.0, -0.5, True),
        (-0.5, 0.0, False),
        (0.0, 0.25, True),
        (0.25, 1.0, False),
    ]


def test_what_meshes_of_one_pair_close_is_not_closed_by_spheres_alone() -> None:
    (cut,) = [each for each in passages(sliding(0.25)).sets if each.intervals]
    both = (
        ShutInterval("slide", 0.0, 1.0, (("a", "b"),), (), None, True),
        ShutInterval("slide", -1.0, 0.5, (("c", "d"),), ((-1.0, 0.5),), EMPTY_POSE, True),
    )
    intervals = closed_intervals(Passages((replace(cut, intervals=both),), (), ())).by_joint[
        "slide"
    ]
    assert intervals == (
        ClosedInterval(-1.0, 0.0, False, (("c", "d"),)),
        ClosedInterval(0.0, 1.0, True, (("a", "b"),)),
    )


def test_parts_that_touch_and_are_closed_alike_are_one_interval() -> None:
    (cut,) = [each for each in passages(sliding(0.25)).sets if each.intervals]
    both = (
        ShutInterval("slide", 0.0, 1.0, (("a", "b"),), (), None, True),
        ShutInterval("slide", -1.0, 0.5, (("c", "d"),), (), None, True),
    )
    intervals = closed_intervals(Passages((replace(cut, intervals=both),), (), ())).by_joint[
        "slide"
    ]
    assert intervals == (ClosedInterval(-1.0, 1.0, True, (("c", "d"), ("a", "b"))),)
