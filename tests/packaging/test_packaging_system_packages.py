"""Missing system libraries are installed only where that is permitted; otherwise the line to type
is printed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import system_packages
from system_packages import SystemPackage

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Debian packages are a matter of Linux"
)

ABSENT = SystemPackage("libnothere1", libraries=("libnothere.so.1",))
PRESENT = SystemPackage("libc6", libraries=("libc.so.6",))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of our own programs only: apt-get and sudo that write down how they were called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "apt-get")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, code: int = 0) -> None:
    path = folder / name
    body = f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\n'
    # sudo runs what it is given; -n true asks whether it may.
    body += f'[ {code} = 0 ] || exit {code}\n[ {name} != sudo ] || {{ shift; exec "$@"; }}\n'
    path.write_text(body)
    path.chmod(0o755)


def calls(folder: Path) -> list[str]:
    log = folder / "calls"
    return log.read_text().splitlines() if log.exists() else []


def test_nothing_happens_when_nothing_is_missing(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert system_packages.ensure([PRESENT])
    assert calls(machine) == []
    assert capsys.readouterr().out == ""


def test_root_installs_what_is_missing_and_no_more(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert system_packages.ensure([PRESENT, ABSENT])
    assert calls(machine) == [
        "apt-get -q update",
        "apt-get -q install -y --no-install-recommends libnothere1",
    ]


def test_sudo_without_a_password_is_used(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    program(machine, "sudo")
    program(machine, "true")
    assert system_packages.ensure([ABSENT])
    assert "sudo -n apt-get -q install -y --no-install-recommends libnothere1" in calls(machine)


def test_without_permission_the_line_is_printed_and_nothing_runs(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    program(machine, "sudo", code=1)
    assert not system_packages.ensure([PRESENT, ABSENT])
    assert calls(machine) == ["sudo -n true"]
    line = "sudo apt-get update && sudo apt-get install -y --no-install-recommends libnothere1"
    assert line in capsys.readouterr().out.splitlines()[2].strip()


def test_a_failed_installation_is_told(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(machine, "apt-get", code=100)
    assert not system_packages.ensure([ABSENT])
    assert "The installation failed" in capsys.readouterr().out


def test_the_machine_that_runs_this_has_what_the_window_needs() -> None:
    assert (
        system_packages.missing([*system_packages.WINDOW, *system_packages.VIRTUAL_DISPLAY]) == []
    )
