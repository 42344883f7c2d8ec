"""The fixtures of every test with a window; imported by tests/gui/conftest.py, and by what tests them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.xvfb import own_display

# Before Qt connects to a display.
own_display()


@pytest.fixture(autouse=True)
def nothing_of_qt_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that leaves an active timer, a running thread or a window.

    Autouse fixtures are set up first and torn down last: qtbot has closed its widgets before this looks.
    """
    from tests.helpers import qt_leaks

    recorder = qt_leaks.Recorder()
    recorder.install(monkeypatch.setattr)
    before = qt_leaks.windows()
    yield
    qt_leaks.settle()
    found = qt_leaks.left_behind(recorder, before)
    if found:
        qt_leaks.settle()
        pytest.fail("the test has left behind:\n  " + "\n  ".join(found), pytrace=False)
