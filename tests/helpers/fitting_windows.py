"""A window with its fitting processes, for all tests of a module; the sample robot fresh for each
test.

`window` and `robot` have the 3D view. A file whose tests draw nothing takes `window_alone as
window`: drawing the view, and with it the window by OpenGL, is half of what a test costs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.features.spheres.window.fit_panel import FitPanel
from editor_app.window.main_window import MainWindow
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_window, reopen_sample, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window", "window_alone"]

LINK = "forearm_link"
#: Starting a worker and loading the compiled engine takes its time on a busy machine.
LONG = 90.0


@pytest.fixture(scope="module", autouse=True)
def nothing_of_qt_is_left(nothing_goes_on_running: None) -> Iterator[None]:
    """As in tests/window/conftest.py, but after the last test: the window serves all tests here."""
    from tests.helpers import qt_leaks

    with pytest.MonkeyPatch.context() as patch, qt_leaks.none_left(patch.setattr, "the tests have"):
        yield


@pytest.fixture(scope="module")
def window(qapp: Any, nothing_of_qt_is_left: None, tmp_path_factory: Any) -> Iterator[MainWindow]:
    """One window with its view and its workers for all tests here."""
    with open_window(tmp_path_factory.mktemp("fit"), viewport=True) as made:
        made.load_viewport()
        wait_until(lambda: made.viewport is not None, LONG)
        yield made


@pytest.fixture(scope="module")
def window_alone(
    qapp: Any, nothing_of_qt_is_left: None, tmp_path_factory: Any
) -> Iterator[MainWindow]:
    """The same without a view."""
    with open_window(tmp_path_factory.mktemp("fit")) as made:
        # What waits for the first frame of a view.
        made.start.end()
        made.fitting.measuring.begin()
        yield made


@pytest.fixture
def robot(window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """The sample robot, fresh, with its meshes loaded."""
    with fresh_sample(window, tmp_path):
        yield window


@contextlib.contextmanager
def fresh_sample(window: MainWindow, folder: Path) -> Iterator[None]:
    reopen_sample(window, folder)
    context = window.fitting.context
    wait_until(
        lambda: (
            not window.meshes.is_loading
            and bool(context.links_with_mesh())
            and not context.is_comparing
        )
    )
    yield
    fit = window.fitting
    fit.heat_map.set_on(False)
    fit.tool_box.close_box()
    window.session.open(None)
    wait_until(lambda: not fit.fit_panel.is_busy and not fit.tool_box.is_busy, LONG)
    settle(window)


def text(window: MainWindow) -> str:
    document = window.session.document
    return document.xrdf_text


def spheres(window: MainWindow, frame: str) -> tuple[CollisionSphere, ...]:
    return window.fitting.context.present(frame)


def fitted(window: MainWindow, number: int = 6) -> FitPanel:
    """The panel with an up-to-date proposal of so many spheres for LINK."""
    window.session.select(Selection(links=(LINK,)))
    window.registry.trigger("fit.links")
    panel = window.fitting.fit_panel
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(number, "number")
    wait_until(lambda: panel.is_ready, LONG)
    return panel


def select(window: MainWindow, *indices: int, frame: str = LINK) -> None:
    group = window.session.active_group
    assert group is not None
    window.session.select(Selection(spheres=tuple(SphereRef(group, frame, i) for i in indices)))


def run_tool(window: MainWindow, tool: str) -> None:
    window.registry.trigger(f"spheres.{tool}")
    wait_until(lambda: not window.fitting.tool_box.is_busy, LONG)
