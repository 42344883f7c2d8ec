"""A step of a slider or of a dragged sphere draws one frame, with everything in it that follows the
step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.model.findings import SphereRef
from editor_app.window.main_window import MainWindow
from tests.helpers.masks import folded, mask_window, overlays
from tests.helpers.robots import copy_of_sample
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_in, wait_until

__all__ = ["nothing_goes_on_running"]


@pytest.fixture
def window(qapp: Any, nothing_goes_on_running: None, tmp_path: Path) -> Iterator[MainWindow]:
    # A view of its own: one that is kept for other tests draws nothing any more after the first of
    # them.
    with mask_window(tmp_path, viewport=True) as opened:
        open_in(opened, copy_of_sample(tmp_path / "robot"))
        wait_until(lambda: opened.viewport is not None and opened.self_collision.live.is_ready, 120)
        yield opened


class Frames:
    """The frames of a view, and whether one was asked for that is not drawn yet."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        assert window.viewport is not None
        self._window, self._view = window, window.viewport
        canvas = self._view.canvas
        #: Names of what lies over the robot in each frame.
        self.drawn: list[tuple[str, ...]] = []
        self._is_asked_for = False
        self._update, self._before = canvas.update, canvas.before_paint
        monkeypatch.setattr(canvas, "update", self._asked)
        monkeypatch.setattr(canvas, "before_paint", self._begun)
        monkeypatch.setattr(
            canvas, "after_paint", lambda _: self.drawn.append(tuple(overlays(window)))
        )
        # What was asked for before is drawn with this one.
        self._asked()

    def _asked(self) -> None:
        self._is_asked_for = True
        self._update()

    def _begun(self) -> None:
        self._is_asked_for = False
        assert self._before is not None
        self._before()

    @property
    def has_all(self) -> bool:
        """Nothing goes on that may ask for a frame: no job, nothing put off; and all that were
        asked for are drawn."""
        window, view = self._window, self._view
        goes_on = (
            window.jobs.running
            or window.feed.is_busy
            or window.meshes.is_loading
            or window.fitting.context.is_comparing
            or window.fitting.mount._later.isActive()
            or window.self_collision.live.is_due
            or view.overlays._later.isActive()
            or view.scene.pace._still.isActive()
            or view.scene.following.is_moving
        )
        return not goes_on and not self._is_asked_for


def test_the_glow_of_overlaps_is_in_the_frame_of_its_step(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The glow is part of the frame of the step that it follows; it does not ask for a second
    one."""
    session, view = window.session, window.viewport
    assert view is not None
    # Where drawing is slow, the pace draws once more when things rest.
    monkeypatch.setattr(view.scene.pace, "moved", lambda: None)
    # The button is down, as in a drag: when it is let go, the ghost of the former state goes and
    # the camera follows the robot, each with frames of its own.
    for follower in (window.measuring.aids.former, view.posed):
        monkeypatch.setattr(follower, "_is_held", lambda: True)
    frames = Frames(window, monkeypatch)
    ref = SphereRef("heron_spheres", "hand_link", 0)
    sphere = session.robot.xrdf.group(ref.group).spheres[ref.frame][0]  # type: ignore[union-attr]
    goal, start = folded(window), dict(session.pose)

    def pose(share: float) -> None:
        session.move_joints(
            {name: start[name] + share * (value - start[name]) for name, value in goal.items()}
        )

    def resize(radius: float) -> None:
        session.execute(
            SetSpheres(((ref, replace(sphere, radius=radius)),), "Resize"), merge="drag"
        )

    steps = [
        lambda: pose(1.0),
        lambda: pose(0.0),
        lambda: resize(0.6),
        lambda: resize(0.7),
        lambda: resize(0.05),
    ]
    for number, step in enumerate(steps):
        # What opening the robot began, or the former step, may draw frames of its own.
        wait_until(lambda: frames.has_all, 60)
        frames.drawn.clear()
        step()
        wait_until(lambda: frames.drawn, 60)
        wait_until(lambda: frames.has_all, 60)
        assert len(frames.drawn) == 1, (number, frames.drawn)
        assert ("overlaps" in frames.drawn[0]) is (number in (0, 2, 3)), number
    session.abandon()
