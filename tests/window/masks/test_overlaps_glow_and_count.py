"""Overlaps at the present pose: the counter follows a slider and a dragged sphere, the spheres
glow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.core.document.commands.modifiers import RemoveSection
from editor_app.core.document.commands.self_collision import SetMask
from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import SphereRef
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.window.panel import MATRIX, OVERLAPS
from editor_app.window.main_window import MainWindow
from tests.helpers.mask_fixtures import nothing_goes_on_running, one_window_with_view
from tests.helpers.masks import BASE_HAND, folded, overlays
from tests.helpers.robots import sample_urdf
from tests.helpers.windows import open_window, put_back, reopen_sample, wait_until

__all__ = ["nothing_goes_on_running", "one_window_with_view"]


class Busy:
    """A job for a worker, which somebody has to cancel."""

    def __call__(self, report: Any) -> None:
        time.sleep(600)


@pytest.fixture
def window(one_window_with_view: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    reopen_sample(one_window_with_view, tmp_path)
    wait_until(lambda: one_window_with_view.self_collision.live.is_ready, 120)
    yield one_window_with_view
    put_back(one_window_with_view)
    # The view draws coarsely for a moment after every move.
    assert one_window_with_view.viewport is not None
    one_window_with_view.viewport.scene.pace.end()


def expected(window: MainWindow) -> int:
    """Counted anew, without what was kept."""
    robot = window.session.robot
    live = LiveDistances(build_sphere_model(robot), window.session.pose)
    return len(live.overlapping(robot.xrdf.ignored_pairs()))


def words(window: MainWindow, count: int | None = None) -> str:
    """What the counter is to say; ignored pairs that overlap are counted apart."""
    robot = window.session.robot
    live = LiveDistances(build_sphere_model(robot), window.session.pose)
    count = expected(window) if count is None else count
    masked = len(live.overlapping()) - expected(window)
    text = (
        f"{count} self-collision{'s' if count > 1 else ''}" if count else "Checked pairs are apart"
    )
    return f"{text}, {format_count(masked, 'ignored overlap')}" if masked else text


def test_the_counter_follows_a_slider_and_the_spheres_glow(window: MainWindow) -> None:
    counter, session = window.self_collision.counter, window.session
    assert expected(window) == 0
    assert counter.text() == words(window, 0)
    assert "overlaps" not in overlays(window)
    goal, start = folded(window), dict(session.pose)
    seen = []
    for share in (0.25, 0.5, 0.75, 1.0):
        for joint, value in goal.items():
            session.set_joint(joint, start[joint] + share * (value - start[joint]))
        QTest.qWait(0)
        wait_until(lambda: counter.text() == words(window), 60)
        seen.append(expected(window))
    assert seen[-1] > 0
    assert "overlaps" in overlays(window)
    counter.click()
    panel = window.self_collision.panel
    assert panel.stack.currentIndex() == 2
    assert len(panel.overlaps.model.items) == seen[-1]
    # Masked pairs do not count.
    pairs = tuple(o.pair for o in window.self_collision.live.overlaps)
    session.execute(SetMask(pairs=pairs))
    wait_until(lambda: counter.text() == words(window, 0), 60)
    assert "overlaps" not in overlays(window)
    session.undo()
    wait_until(lambda: counter.text() == words(window, seen[-1]), 60)


def test_the_counter_follows_a_dragged_sphere(window: MainWindow) -> None:
    session, counter = window.session, window.self_collision.counter
    ref = SphereRef("heron_spheres", "hand_link", 0)
    sphere = session.robot.xrdf.group(ref.group).spheres[ref.frame][0]  # type: ignore[union-attr]
    for radius in (0.2, 0.6):
        session.execute(
            SetSpheres(((ref, replace(sphere, radius=radius)),), "Resize"), merge="drag"
        )
        QTest.qWait(0)
        wait_until(lambda: counter.text() == words(window), 60)
    assert expected(window) > 0
    session.abandon()
    wait_until(lambda: counter.text() == words(window, 0), 60)


def test_a_shown_pair_is_joined_by_a_line_and_the_others_are_ghosts(window: MainWindow) -> None:
    controller = window.self_collision.controller
    controller.masks.settings = AnalysisSettings(2048, 0, 0.5)
    controller.compute()
    wait_until(lambda: not (controller.state.is_analysing or controller.is_asking), 60)
    controller.select((BASE_HAND,))
    assert controller.show_witness(BASE_HAND)
    assert window.viewport is not None
    assert "witness" in overlays(window)
    faded = window.viewport.scene.spheres._faded
    assert "forearm_link" in faded
    assert not faded & {"base_link", "hand_link"}
    controller.back()
    assert "witness" not in overlays(window)
    assert not window.viewport.scene.spheres._faded


def test_nothing_is_said_of_overlaps_where_nothing_can_be_compared(window: MainWindow) -> None:
    session, counter = window.session, window.self_collision.counter
    assert counter.isVisible()
    assert session.execute(RemoveSection("self_collision"))
    wait_until(lambda: not counter.isVisible(), 60)
    panel = window.self_collision.show_panel()
    # The page is behind another one meanwhile, and must be right when it is opened.
    panel.show_page(MATRIX)
    QTest.mouseClick(panel.tabs[OVERLAPS], Qt.MouseButton.LeftButton)
    assert "Fit spheres to two links" in panel.overlaps.text.text()
    QTest.mouseClick(panel.tabs[panel.pages.index("Blocking")], Qt.MouseButton.LeftButton)
    assert not panel.added["Blocking"].button.isEnabled()
    assert "Fit spheres first" in panel.added["Blocking"].button.toolTip()
    session.undo()
    wait_until(counter.isVisible, 60)
    wait_until(panel.added["Blocking"].button.isEnabled, 60)
    QTest.mouseClick(panel.tabs[OVERLAPS], Qt.MouseButton.LeftButton)
    assert "No checked pair overlaps at this pose" in panel.overlaps.text.text()


def test_a_cancelled_preparation_is_said_and_begins_again(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, sample_urdf()) as window:
        assert window.self_collision.live.is_asleep
        # Both processes have something else to do first, so that the cancel is never too late.
        others = [window.jobs.run("Busy", Busy()) for _ in range(2)]
        window.self_collision.show_overlaps()
        page = window.self_collision.panel.overlaps
        assert page.text.text() == "Preparing …"
        (job,) = (job for job in window.jobs.running if job.name == "Preparing distances")
        job.cancel()
        wait_until(lambda: page.text.text() != "Preparing …", 60)
        assert "cancelled" in page.text.text()
        for other in others:
            other.cancel()
        QTest.mouseClick(page.again_button, Qt.MouseButton.LeftButton)
        wait_until(lambda: "No checked pair overlaps at this pose" in page.text.text(), 120)
        assert not page.again_button.isVisible()
