"""A finding that is small or out of sight comes into view when it is chosen; Backspace goes back;
it can be off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.features.checks.window.panel import FindingsPanel
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import make_document
from tests.helpers.windows import open_window, settle, wait_until


def chosen(window: MainWindow) -> tuple[float, float, float]:
    """Pixels across and place of the first sphere of the arm, whose finding is gone to from far
    away."""
    assert window.viewport is not None
    scene = window.viewport.scene
    scene.following.stop()
    camera = scene.camera
    scene.framing.fit_all()
    camera.set_view(replace(camera.view, distance=camera.view.distance * 30))
    ref = scene.table.refs[0]
    finding = Finding(
        "TEST1", Severity.WARNING, "a sphere is small", subject=FindingSubject(spheres=(ref,))
    )
    window.feed.report("test", (finding,))
    panel = window.docks.show("findings")
    assert isinstance(panel, FindingsPanel)
    wait_until(lambda: finding in panel.shown, 60)
    panel.go_to(panel.shown.index(finding))
    wait_until(lambda: not scene.following.is_moving, 60)
    return size_on_screen(window)


def size_on_screen(window: MainWindow) -> tuple[float, float, float]:
    assert window.viewport is not None
    scene = window.viewport.scene
    world, reach = scene.table.world[0], float(scene.table.reach[0])
    x, y, _ = scene.camera.project(np.array([world]))[0]
    return 2 * reach / scene.camera.metres_per_pixel(world), float(x), float(y)


def test_a_small_sphere_comes_near_and_backspace_goes_back(qapp: Any, tmp_path: Path) -> None:
    make_document(tmp_path)
    with open_window(tmp_path, tmp_path / "arm.urdf", viewport=True) as window:
        wait_until(lambda: window.viewport is not None, 120)
        settle(window)
        assert window.viewport is not None
        scene = window.viewport.scene
        across, x, y = chosen(window)
        assert across >= 56
        assert 0 < x < window.viewport.canvas.width()
        assert 0 < y < window.viewport.canvas.height()
        # What is seen well moves nothing.
        near = scene.camera.view
        window.session.look_requested.emit()
        assert not scene.following.is_moving
        assert scene.camera.view == near
        # Half of it over the edge is not seen well.
        scene.camera.pan(0.0, 8.0 - y)
        cut_off = scene.camera.view
        window.session.look_requested.emit()
        wait_until(lambda: not scene.following.is_moving and scene.camera.view != cut_off, 60)
        across, _, y = size_on_screen(window)
        assert across / 2 <= y <= window.viewport.canvas.height() - across / 2
        window.viewport.setFocus()
        QTest.keyClick(window.viewport, Qt.Key.Key_Backspace)
        wait_until(lambda: not scene.following.is_moving and scene.camera.view == cut_off, 60)
        QTest.keyClick(window.viewport, Qt.Key.Key_Backspace)
        wait_until(
            lambda: (
                not scene.following.is_moving and scene.camera.view.distance > near.distance * 3
            ),
            60,
        )
        window.registry.trigger("view.follow")
        across, _, _ = chosen(window)
        assert across < 56
