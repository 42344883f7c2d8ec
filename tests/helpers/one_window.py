"""Fixtures for test files that share one window: the small robot, fresh for every test.

`from tests.helpers.one_window import *` brings them, with the check for processes left behind by the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editor_app.window.main_window import MainWindow
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_window, put_back, reopen

__all__ = ["nothing_goes_on_running", "one_window", "window"]


@pytest.fixture(scope="module")
def one_window(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    with open_window(tmp_path_factory.mktemp("settings")) as main_window:
        yield main_window


@pytest.fixture
def window(one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    reopen(one_window, tmp_path)
    yield one_window
    put_back(one_window)
