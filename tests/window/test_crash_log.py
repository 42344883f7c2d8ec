"""The log of the window rotates, and a crash of native code leaves where it was until the next
start takes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import environment
import pytest

from editor_app.window import crash_log

_CRASHES = """
import ctypes
from editor_app.window.crash_log import CrashLog
log = CrashLog()
log.begin("first line")
def draw_robot():
    ctypes.string_at(0)
draw_robot()
"""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(environment.WINDOWS, reason="a crash opens a dialog of the system")
def test_a_native_crash_is_offered_once_at_the_next_start(state: Path) -> None:
    env = environment.clean_environment() | {
        "PYTHONPATH": str(environment.ROOT),
        "XRDF_EDITOR_STATE": str(state),
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", _CRASHES], env=env, capture_output=True, check=False
    )
    assert done.returncode != 0
    text = crash_log.take_native_crashes()
    assert "Segmentation fault" in text
    assert "draw_robot" in text
    assert crash_log.take_native_crashes() == ""
    assert "first line" in crash_log.last_lines()


def test_a_run_that_ends_well_leaves_its_log_alone(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faulthandler.enable", lambda *_, **__: None)
    monkeypatch.setattr("faulthandler.disable", lambda: None)
    log = crash_log.CrashLog()
    log.begin("first line")
    assert crash_log.take_native_crashes() == "", "this process is still running"
    crash_log.log_message("Saved a\nb.xrdf")
    log.close()
    crash_log.log_message("nobody hears this")
    assert [path.name for path in (state / "log").iterdir()] == ["xrdf-editor.log"]
    first, second = crash_log.last_lines().splitlines()
    assert first.endswith("INFO first line")
    assert second.endswith("INFO Saved a\\nb.xrdf")


def test_the_log_keeps_two_older_files(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_log, "_MOST_BYTES", 500)
    monkeypatch.setattr("faulthandler.enable", lambda *_, **__: None)
    monkeypatch.setattr("faulthandler.disable", lambda: None)
    log = crash_log.CrashLog()
    log.begin("first line")
    for number in range(100):
        crash_log.log_message(f"sentence {number}")
    log.close()
    assert len(list((state / "log").iterdir())) == 3
    assert "sentence 99" in crash_log.last_lines()


def test_a_state_folder_that_cannot_be_written_keeps_nothing(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (state / "file").write_text("")
    monkeypatch.setenv("XRDF_EDITOR_STATE", str(state / "file"))
    log = crash_log.CrashLog()
    log.begin("first line")
    log.close()
    assert crash_log.take_native_crashes() == ""
    assert crash_log.last_lines() == ""
