"""A worker process that copies this process, where that is safe: it has the modules of this one
already."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from editor_app.core.tasks.worker import WorkerPool, can_copy_process

SCRIPT = """
import sys
from editor_app.core.tasks.executor import ProcessExecutor

state = []

def call():
    return state, "xml.dom.minidom" in sys.modules

if __name__ == "__main__":
    import xml.dom.minidom
    state.append("of the caller")
    executor = ProcessExecutor(1, copy_process=True)
    print(executor.submit(call).result(60))
    executor.shutdown()
    executor = ProcessExecutor(1)
    print(executor.submit(call).result(60))
    executor.shutdown()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process copies itself on Linux alone")
def test_a_copy_has_the_state_of_the_process_and_another_worker_starts_anew(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert result.stdout.splitlines() == ["(['of the caller'], True)", "([], False)"], result.stderr


def test_a_process_with_another_thread_is_not_copied() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert not can_copy_process()
        pool = WorkerPool(copy_process=True)
        assert pool.start_method == "spawn"
        pool.close()
    finally:
        end.set()
        thread.join()
