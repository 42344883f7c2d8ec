"""A window with the self-collision panel, its evidence, and clicks on its matrix."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.engine.sampling import search_closer
from editor_app.features.masks.verbs.pair_distances import prepare_distances
from editor_app.features.masks.window.panel import MATRIX, SelfCollisionPanel
from editor_app.window.main_window import MainWindow
from tests.helpers.robots import sample_urdf
from tests.helpers.windows import open_window, put_back, reopen_sample, wait_until

SAMPLES, CERTIFY, SEED = 4096, 2.0, 3
#: Of the sample robot.
BASE_HAND = LinkPair.of("base_link", "hand_link")


@contextlib.contextmanager
def mask_window(folder: Path, urdf: Path | None = None, **options: Any) -> Iterator[MainWindow]:
    """A window in which both worker processes and the panel are there."""
    with open_window(folder, urdf or sample_urdf(), **options) as window:
        ended: list[object] = []
        for _ in range(2):
            window.jobs.run("Preparing", prepare_distances, ended.append)
        window.self_collision.show_panel()
        if options.get("viewport"):
            wait_until(lambda: window.viewport is not None, 120)
        wait_until(lambda: len(ended) == 2 and window.self_collision.live.is_ready, 120)
        yield window


@contextlib.contextmanager
def fresh_sample(window: MainWindow, folder: Path) -> Iterator[MainWindow]:
    """A copy of the sample robot in a window that other tests have used."""
    reopen_sample(window, folder)
    window.self_collision.controller.masks.settings = AnalysisSettings(SAMPLES, SEED, CERTIFY)
    yield window
    window.self_collision.controller.cancel()
    put_back(window)


def compute(window: MainWindow) -> SelfCollisionPanel:
    """The panel with the evidence of the robot, from the worker."""
    controller = window.self_collision.controller
    panel = window.self_collision.show_panel()
    panel.show_page(MATRIX)
    QTest.mouseClick(panel.compute_button, Qt.MouseButton.LeftButton)
    assert panel.compute_button.text() == "Cancel"
    wait_until(lambda: not (controller.state.is_analysing or controller.is_asking), 120)
    assert controller.state.analysis is not None
    assert controller.state.analysis.complete
    return panel


def centre(panel: SelfCollisionPanel, pair: LinkPair, *, above: bool = False) -> QPoint:
    """The middle of a pair's cell, scrolled into view: below the diagonal, or above it."""
    names = [row.frame for row in panel.matrix.rows]
    row, column = sorted((names.index(pair.first), names.index(pair.second)), reverse=not above)
    panel.matrix.verticalScrollBar().setValue(0)
    rect = panel.matrix.cell_rect(row, column)
    if rect.bottom() > panel.matrix.viewport().height():
        bar = panel.matrix.verticalScrollBar()
        bar.setValue(rect.bottom() - panel.matrix.viewport().height() + 2)
    return panel.matrix.cell_rect(row, column).center()


def click(
    panel: SelfCollisionPanel, pair: LinkPair, modifier: Any = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.mouseClick(
        panel.matrix.viewport(), Qt.MouseButton.LeftButton, modifier, centre(panel, pair)
    )


def folded(window: MainWindow) -> dict[str, float]:
    """A configuration of the sample robot in which the hand is in the base, computed without the
    panel."""
    robot = window.session.robot
    model = build_sphere_model(robot)
    return dict(search_closer(model, model.pair_index[BASE_HAND], {}, 32).pose)


def overlays(window: MainWindow) -> frozenset[str]:
    """The names of what is drawn over the robot in the view."""
    assert window.viewport is not None
    return window.viewport.scene.overlay.names
