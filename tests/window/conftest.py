"""Tests with a real window: an X server per process, and no leak, Qt warning or lost exception
passes.

`window` is one window for all tests of a file, with the small robot, fresh for every test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers import processes
from tests.helpers.forked_workers import answers_of_workers_are_kept, workers_are_forked
from tests.helpers.qt_fixtures import cycles_go_with_the_modules, nothing_of_qt_is_left

if TYPE_CHECKING:
    from editor_app.window.main_window import MainWindow

__all__ = [
    "answers_of_workers_are_kept",
    "cycles_go_with_the_modules",
    "nothing_of_qt_is_left",
    "workers_are_forked",
]

#: The windows that a file shares at the moment.
_shared: list[MainWindow] = []


@pytest.fixture(autouse=True)
def nothing_goes_on_running() -> Iterator[None]:
    """Fail a test that leaves a child process or a thread behind.

    For a shared window, `one_window` checks that after the last test: a cancel ends a worker and
    warms the next.
    """
    if _shared:
        yield
        return
    with processes.none_left("the test has"):
        yield


@pytest.fixture(scope="module")
def one_window(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    from tests.helpers.windows import open_window

    with (
        processes.none_left("the tests have"),
        open_window(tmp_path_factory.mktemp("settings")) as main_window,
    ):
        _shared.append(main_window)
        yield main_window
        _shared.clear()


@pytest.fixture
def window(one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    from tests.helpers.windows import put_back, reopen

    reopen(one_window, tmp_path)
    yield one_window
    put_back(one_window)
