"""The fixtures of every test with a window; imported by tests/window/conftest.py, and by what tests
them."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.helpers.xvfb import own_display

# Before Qt connects to a display.
own_display()

#: Looking through all libraries for cycles takes 0.2 to 0.4 s; a module that shares a window leaves
#: 20 000 objects.
WORTH_A_COLLECTION = 300_000
_objects_kept = 0


@pytest.fixture(autouse=True)
def nothing_of_qt_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that leaves an active timer, a running thread or a window.

    Autouse fixtures are set up first and torn down last: qtbot has closed its widgets before this
    looks.
    """
    from tests.helpers import qt_leaks

    # As in the program: a cycle of widgets that a thread finds ends the process.
    gc.disable()
    try:
        with qt_leaks.none_left(monkeypatch.setattr, "the test has"):
            # What is there already is no concern of this test: looking through all libraries for
            # cycles takes 0.2 s each time.
            gc.freeze()
            yield
    finally:
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def cycles_go_with_the_modules() -> Iterator[None]:
    """What tests share is collected after the last of them, when it is many objects; until then it
    is kept apart.

    `nothing_of_qt_is_left` does that. A module that shares nothing leaves none: its tests were
    collected one by one.
    """
    global _objects_kept
    yield
    if gc.get_freeze_count() > _objects_kept + WORTH_A_COLLECTION:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _objects_kept = gc.get_freeze_count()
