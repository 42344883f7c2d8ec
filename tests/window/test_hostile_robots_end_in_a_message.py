"""Robots that somebody made to do harm, one after another in one window: each ends in a finding or
a message."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from editor_app.core.document.commands.lists import InsertItem
from tests.helpers.hostile_robots import ENDS, make
from tests.helpers.processes import children
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_window, quiet, reopen, settle, wait_until

__all__ = ["nothing_goes_on_running"]

resource = pytest.importorskip("resource", reason="memory is limited by POSIX")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")
#: Bytes that the window may take above what it has, and that each worker may take.
MEMORY = 4 << 30
WORKER = 2 << 30
SECONDS = 120


@pytest.fixture(autouse=True)
def nothing_is_filled_and_nothing_hangs() -> Iterator[None]:
    """An endless file that is read after all ends in a MemoryError, a pipe that is waited for in a
    TimeoutError."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"a robot has held the window for {SECONDS} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, hard))
    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def end_what_is_too_large() -> None:
    """Ends workers of this test that fill the memory; the window then says that they are gone."""
    for pid in children():
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        if pages * resource.getpagesize() > WORKER:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"a worker took more than {WORKER >> 20} MB")


def dialogs() -> list[QDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the memory taken is told by Linux"
)
def test_each_ends_in_a_finding_or_a_message(
    qapp: Any, nothing_goes_on_running: None, tmp_path: Path
) -> None:
    ends: dict[str, str | None] = {}
    with open_window(tmp_path) as window:
        for path in make(tmp_path / "robots"):
            name = path.parent.name

            def is_open() -> bool:
                end_what_is_too_large()
                return (
                    not window.files.is_opening
                    and not window.feed.is_busy
                    and not window.meshes.is_loading
                )

            window.files.open_paths([path])
            QTest.qWait(20)
            wait_until(is_open, 60)
            settle(window)
            shown = dialogs()
            assert not [d for d in shown if d.objectName() == "crash"], name
            told = [f.code for f in window.session.findings]
            told += [d.text() for d in shown if isinstance(d, QMessageBox)]
            wanted = ENDS[name]
            ends[name] = next(
                (wanted for text in told if wanted is not None and wanted in text), None
            )
            assert (window.session.has_robot) == (not shown), name
            for dialog in shown:
                dialog.reject()
            window.central.toast.dismiss()
            quiet(window)
            window.session.open(None)
            QTest.qWait(5)
        assert ends == ENDS
        # The window is of use as before.
        reopen(window, tmp_path)
        document = window.session.document
        document.execute(InsertItem("xrdf.tool_frames", "hand"))
        settle(window)
        assert document.is_modified
        document.undo()
        settle(window)
        assert not document.is_modified
        assert not dialogs()
