"""A step of a slider or of a dragged sphere draws one frame, with everything in it that follows the step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from editor_app.edit.commands.spheres import SetSpheres
from editor_app.gui.window.main_window import MainWindow
from editor_app.model.findings import SphereRef
from tests.helpers.masks import folded, mask_window, overlays
from tests.helpers.robots import copy_of_sample
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_in, wait_until

__all__ = ["nothing_goes_on_running"]


@pytest.fixture
def window(qapp: Any, nothing_goes_on_running: None, tmp_path: Path) -> Iterator[MainWindow]:
    # A view of its own: one that is kept for other tests draws nothing any more after the first of them.
    with mask_window(tmp_path, viewport=True) as opened:
        open_in(opened, copy_of_sample(tmp_path / "robot"))
        wait_until(lambda: opened.viewport is not None and opened.self_collision.live.is_ready, 120)
        yield opened


def test_the_glow_of_overlaps_is_in_the_frame_of_its_step(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """The glow is part of the frame of the step that it follows; it does not ask for a second one."""
    session, view = window.session, window.viewport
    assert view is not None
    # Where drawing is slow, the pace draws once more when things rest.
    monkeypatch.setattr(view.scene.pace, "moved", lambda: None)
    # The button is down, as in a drag: when it is let go, the ghost of the former state goes and the camera follows the
    # robot, each with frames of its own.
    for follower in (view.former, view.posed):
        monkeypatch.setattr(follower, "_is_held", lambda: True)
    # One that was drawn coarser while it was opened is drawn in full first.
    wait_until(lambda: not view.scene.pace.is_coarse, 60)
    drawn: list[tuple[str, ...]] = []
    monkeypatch.setattr(view.canvas, "after_paint", lambda _: drawn.append(tuple(overlays(window))))
    ref = SphereRef("heron_spheres", "hand_link", 0)
    sphere = session.robot.xrdf.group(ref.group).spheres[ref.frame][0]  # type: ignore[union-attr]
    goal, start = folded(window), dict(session.pose)

    def pose(share: float) -> None:
        session.move_joints({name: start[name] + share * (value - start[name]) for name, value in goal.items()})

    def resize(radius: float) -> None:
        session.execute(SetSpheres(((ref, replace(sphere, radius=radius)),), "Resize"), merge="drag")

    steps = [lambda: pose(1.0), lambda: pose(0.0), lambda: resize(0.6), lambda: resize(0.7), lambda: resize(0.05)]
    for number, step in enumerate(steps):
        QTest.qWait(50)
        drawn.clear()
        step()
        wait_until(lambda: drawn, 60)
        wait_until(lambda: not window.self_collision.live.is_due, 60)
        QTest.qWait(50)
        assert len(drawn) == 1, (number, drawn)
        assert ("overlaps" in drawn[0]) is (number in (0, 2, 3)), number
    session.abandon()
