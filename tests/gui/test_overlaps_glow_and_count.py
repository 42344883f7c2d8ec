"""Overlaps at the present pose: the counter follows a slider and a dragged sphere, the spheres glow."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from editor_app.edit.commands.document_format import RemoveSection
from editor_app.edit.commands.self_collision import MaskPairs
from editor_app.edit.commands.spheres import SetSpheres
from editor_app.gui.window.main_window import MainWindow
from editor_app.model.findings import SphereRef
from editor_app.model.xrdf import LinkPair
from editor_app.operations.mask_changes import ignored_pairs
from editor_app.self_collision import AnalysisSettings, build_sphere_model, distances_at
from tests.helpers.masks import mask_window
from tests.helpers.robots import sample_urdf
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_in, put_back, wait_until

__all__ = ["nothing_goes_on_running"]

BASE_HAND = LinkPair.of("base_link", "hand_link")


@pytest.fixture(scope="module")
def one_window(
    qapp: Any, nothing_goes_on_running: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    with mask_window(tmp_path_factory.mktemp("settings"), viewport=True) as window:
        yield window


@pytest.fixture
def window(one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    shutil.copytree(sample_urdf().parent, tmp_path / "robot")
    one_window.session.open(None)
    open_in(one_window, tmp_path / "robot" / sample_urdf().name)
    wait_until(lambda: one_window.self_collision.live.is_ready, 120)
    yield one_window
    put_back(one_window)
    # The view draws coarsely for a moment after every move.
    assert one_window.viewport is not None
    one_window.viewport.scene.pace.end()


def expected(window: MainWindow) -> int:
    """Counted anew, without what was kept."""
    robot = window.session.robot
    assert robot is not None
    live = distances_at(build_sphere_model(robot), window.session.pose)
    return len(live.overlapping(ignored_pairs(robot)))


def words(window: MainWindow, count: int | None = None) -> str:
    """What the counter is to say; masked pairs that overlap are counted apart."""
    robot = window.session.robot
    assert robot is not None
    live = distances_at(build_sphere_model(robot), window.session.pose)
    count = expected(window) if count is None else count
    masked = len(live.overlapping()) - expected(window)
    text = f"{count or 'No'} overlap{'' if count == 1 else 's'} at this pose"
    return f"{text}, {masked} masked" if masked else text


def folded(window: MainWindow) -> dict[str, float]:
    """A configuration in which the hand is in the base, found without the panel."""
    from editor_app.self_collision import search_closer

    robot = window.session.robot
    assert robot is not None
    model = build_sphere_model(robot)
    return dict(search_closer(model, model.pair_index[BASE_HAND], {}, 32).pose)


def overlays(window: MainWindow) -> frozenset[str]:
    assert window.viewport is not None
    return window.viewport.scene.overlay.names


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
    session.execute(MaskPairs(pairs))
    wait_until(lambda: counter.text() == words(window, 0), 60)
    assert "overlaps" not in overlays(window)
    session.undo()
    wait_until(lambda: counter.text() == words(window, seen[-1]), 60)


def test_the_counter_follows_a_dragged_sphere(window: MainWindow) -> None:
    session, counter = window.session, window.self_collision.counter
    ref = SphereRef("heron_spheres", "hand_link", 0)
    sphere = session.robot.xrdf.group(ref.group).spheres[ref.frame][0]  # type: ignore[union-attr]
    for radius in (0.2, 0.6):
        session.execute(SetSpheres(((ref, replace(sphere, radius=radius)),), "Resize"), merge="drag")
        QTest.qWait(0)
        wait_until(lambda: counter.text() == words(window), 60)
    assert expected(window) > 0
    session.abandon()
    wait_until(lambda: counter.text() == words(window, 0), 60)


def test_a_shown_pair_is_joined_by_a_line_and_the_others_are_ghosts(window: MainWindow) -> None:
    controller = window.self_collision.controller
    controller.settings = AnalysisSettings(2048, 0, 0.5)
    controller.compute()
    wait_until(lambda: not controller.is_running, 60)
    controller.select((BASE_HAND,))
    assert controller.show_witness(BASE_HAND)
    assert window.viewport is not None
    assert "witness" in overlays(window)
    faded = window.viewport.scene.marks._faded
    assert "forearm_link" in faded
    assert not faded & {"base_link", "hand_link"}
    controller.back()
    assert "witness" not in overlays(window)
    assert not window.viewport.scene.marks._faded


def test_nothing_is_said_of_overlaps_where_nothing_can_be_compared(window: MainWindow) -> None:
    session, counter = window.session, window.self_collision.counter
    assert counter.isVisible()
    assert session.execute(RemoveSection("self_collision"))
    wait_until(lambda: not counter.isVisible(), 60)
    window.docks.show("self-collision")
    assert "no two links with spheres" in window.self_collision.panel.overlaps.text.text()
    session.undo()
    wait_until(counter.isVisible, 60)
