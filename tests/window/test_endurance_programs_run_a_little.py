"""The long programs of tests/endurance in short: they run, and they can fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.endurance.rounds import Use, judge
from tests.helpers.breadth import only_deep

ROOT = Path(__file__).resolve().parents[2]


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "tests.endurance", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=dict(os.environ))


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_windows_are_killed_and_their_last_step_is_kept(qapp: Any) -> None:
    shown = program("kill-windows", "--count", "1")
    assert shown.returncode == 0, shown.stderr
    assert "1 windows killed, 0 too far behind" in shown.stdout


# In every run, each call of saving fails once in Python: test_saving_never_leaves_a_mixture.
@only_deep
@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)
def test_every_system_call_of_saving_fails_once() -> None:
    shown = program("io-faults", "--errors", "1")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count(" 0 broken promises") == 2
    assert "write" in shown.stdout


def test_rounds_that_grow_are_told() -> None:
    flat = Use(700.0, 30, 18, 3, 2, 1000)
    assert judge([flat] * 100) == 0
    assert judge([replace(flat, memory=700 + 0.4 * i) for i in range(100)]) == 1
    assert judge([replace(flat, descriptors=30 + i // 10) for i in range(100)]) == 1
    assert judge([replace(flat, temporary_files=i // 10) for i in range(100)]) == 1
