"""What holds itself is collected in the thread of the window, also while other threads allocate."""

from __future__ import annotations

import gc
import threading
from typing import Any

from editor_app.window.heap_trimming import CycleCollector
from tests.helpers.windows import wait_until


class Held:
    """Holds itself, as a widget with a bound slot does, and tells where it goes."""

    def __init__(self, ends: list[threading.Thread]) -> None:
        self.itself, self.ends = self, ends

    def __del__(self) -> None:
        self.ends.append(threading.current_thread())


def test_a_cycle_goes_in_the_thread_of_the_window(qapp: Any) -> None:
    ends: list[threading.Thread] = []
    Held(ends)
    kept: list[list[int]] = []
    # More objects than any generation may have before Python's own collector looks.
    reading = threading.Thread(
        target=lambda: kept.extend([n] for n in range(20 * gc.get_threshold()[0]))
    )
    reading.start()
    reading.join()
    assert not ends, "no other thread collects"
    collector = CycleCollector(qapp)
    collector.setInterval(1)
    try:
        wait_until(lambda: ends)
    finally:
        collector.stop()
        collector.deleteLater()
    assert set(ends) == {threading.main_thread()}
