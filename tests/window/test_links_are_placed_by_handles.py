"""Handles at a link move the origin of its joint, at an added frame its transform; one step, and
Esc puts it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.core.document.selection import Selection
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.gizmo import Handle
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_window, settle, wait_until

NO_KEYS = Qt.KeyboardModifier.NoModifier


def pose_of(window: MainWindow, frame: str) -> np.ndarray:
    session = window.session
    return session.transforms[session.tree.index[frame]].copy()


def handles_move_the_origin_in_one_step(window: MainWindow, frame: str) -> None:
    view = window.viewport
    session, document = window.session, window.session.document
    assert view is not None
    session.set_pose({**session.pose, "elbow_pitch_joint": 0.6, "base_yaw_joint": 0.4})  # type: ignore[arg-type]
    session.select(Selection(links=(frame,)))
    settle(window)
    assert view.scene.grip is None
    window.registry.trigger("links.place")
    grip = view.scene.grip
    assert grip is not None
    assert grip.name == frame
    before, texts = pose_of(window, frame), (document.urdf_text, document.xrdf_text)
    steps = document.position
    drag = grip.drag(Handle(2, False), QPointF(300, 300))
    for step in (10, 30, 60):
        drag.move(QPointF(300, 300 - step), NO_KEYS)
    drag.finish()
    moved = pose_of(window, frame)
    assert document.position == steps + 1
    shift = moved[:3, 3] - before[:3, 3]
    along = before[:3, 2]
    assert np.linalg.norm(shift) > 1e-3
    # Along the handle's axis, and nothing turned: to the micrometre that a hand places.
    assert np.linalg.norm(shift - along * (shift @ along)) < 3e-6
    np.testing.assert_allclose(moved[:3, :3], before[:3, :3], atol=1e-5)
    turn = view.scene.grip.drag(Handle(0, False, True), QPointF(320, 300))  # type: ignore[union-attr]
    turn.move(QPointF(300, 340), NO_KEYS)
    assert not np.allclose(pose_of(window, frame)[:3, :3], moved[:3, :3], atol=1e-3)
    np.testing.assert_allclose(pose_of(window, frame)[:3, 3], moved[:3, 3], atol=3e-6)
    turn.cancel()
    np.testing.assert_allclose(pose_of(window, frame), moved, atol=1e-12)
    session.undo()
    assert (document.urdf_text, document.xrdf_text) == texts
    window.registry.trigger("links.place")
    assert view.scene.grip is None


def test_handles_move_the_origin_in_one_step_and_the_root_has_none(
    tmp_path: Path, qapp: Any
) -> None:
    with open_window(tmp_path, copy_of_sample(tmp_path / "sample"), viewport=True) as window:
        wait_until(lambda: window.viewport is not None)
        for frame in ("elbow_link", "grasp_frame"):
            handles_move_the_origin_in_one_step(window, frame)
        window.session.select(Selection(links=("base_link",)))
        window.registry.trigger("links.place")
        assert window.viewport is not None
        assert window.viewport.scene.grip is None
