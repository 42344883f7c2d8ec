"""For test files whose tests share a window with its workers: the check for processes left behind,
after the last test.

A cancel ends a worker and warms the next: within one test that is a process that was not there
before it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers import processes


@pytest.fixture(scope="module", autouse=True)
def nothing_goes_on_running() -> Iterator[None]:
    """As in tests/conftest.py, but once for the file that imports it."""
    with processes.none_left("the tests have"):
        yield
