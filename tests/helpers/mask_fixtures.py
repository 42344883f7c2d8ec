"""Fixtures for test files that share one window with the self-collision panel: the sample robot,
fresh each time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.panel import SelfCollisionPanel
from editor_app.window.main_window import MainWindow
from tests.helpers.masks import compute, fresh_sample, mask_window
from tests.helpers.shared_workers import nothing_goes_on_running

__all__ = [
    "controller",
    "nothing_goes_on_running",
    "one_window",
    "one_window_with_view",
    "panel",
    "window",
]


@pytest.fixture(scope="module")
def one_window(
    qapp: Any, nothing_goes_on_running: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    with mask_window(tmp_path_factory.mktemp("settings")) as main_window:
        yield main_window


@pytest.fixture(scope="module")
def one_window_with_view(
    qapp: Any, nothing_goes_on_running: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    settings = tmp_path_factory.mktemp("settings")
    with mask_window(settings, viewport=True) as main_window:
        yield main_window


@pytest.fixture
def window(one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    with fresh_sample(one_window, tmp_path) as main_window:
        yield main_window


@pytest.fixture
def controller(window: MainWindow) -> MaskController:
    return window.self_collision.controller


@pytest.fixture
def panel(window: MainWindow) -> SelfCollisionPanel:
    return compute(window)
