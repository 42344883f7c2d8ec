"""Kernels that several processes need at once are compiled by one of them; the others load the
result."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import environment
import pytest

from editor_app.core.kernel_store.lock import locked

_PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
import some_kernels
print("ready", flush=True)
sys.stdin.readline()
print(some_kernels.outer(5.0), flush=True)
for kernel in (some_kernels.outer, some_kernels.inner):
    stats = kernel.stats
    print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()), flush=True)
"""
_KERNELS = """
from {module} import {name}
kernel = {decorator}

@kernel
def inner(value):
    total = 0.0
    for k in range(10):
        total += value * k
    return total

@kernel
def outer(value):
    return inner(value) + inner(value + 1.0)
"""


@pytest.mark.parametrize(
    ("module", "name", "decorator"),
    [
        ("editor_app.features.masks.engine.jit", "kernel", "kernel"),
        ("editor_app.features.spheres.engine.compiled", "compile_cached", "compile_cached()"),
    ],
    ids=["masks", "spheres"],
)
def test_two_processes_compile_each_kernel_once(
    tmp_path: Path, module: str, name: str, decorator: str
) -> None:
    text = _KERNELS.format(module=module, name=name, decorator=decorator)
    (tmp_path / "some_kernels.py").write_text(text, encoding="utf-8")
    env = environment.clean_environment() | {
        "PYTHONPATH": str(environment.ROOT),
        "XRDF_EDITOR_KERNELS": str(tmp_path / "cache"),
    }
    command = [sys.executable, "-P", "-c", _PROCESS, str(tmp_path)]
    processes = [
        subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    with processes[0] as one, processes[1] as other:
        for process in (one, other):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        outputs: dict[int, str] = {}

        def finish(process: subprocess.Popen[str]) -> None:
            outputs[process.pid] = process.communicate("\n", timeout=120)[0]

        threads = [threading.Thread(target=finish, args=(process,)) for process in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    counts = [
        [tuple(map(int, line.split())) for line in text.splitlines()[1:]]
        for text in outputs.values()
    ]
    assert all(text.startswith("495.0\n") for text in outputs.values()), outputs
    assert sum(outer[0] for outer, _ in counts) == 1, counts
    assert sum(inner[0] for _, inner in counts) == 1, counts


def test_a_folder_that_takes_no_lock_file_locks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with locked(tmp_path / "file" / "kernel.lock"):
        pass
    with locked(tmp_path / "kernel.lock"), locked(tmp_path / "kernel.lock"):
        assert (tmp_path / "kernel.lock").is_file()
