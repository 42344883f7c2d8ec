"""A shell that wants no bytecode beside the sources does not make each process of a test run
compile everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import environment
import pytest

from tests.helpers.bytecode import keep_bytecode


@pytest.fixture
def switches(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The interpreter's own switches, and the switches of processes it starts: put back after the
    test."""
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        # Set first, so that it is put back also where it was not there.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    return monkeypatch


def test_it_goes_into_the_environment_where_it_is_not_wanted_beside_the_sources(
    switches: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    switches.setattr(environment, "PROJECT", environment.Environment(tmp_path))
    switches.setenv("PYTHONDONTWRITEBYTECODE", "1")
    switches.setattr(sys, "dont_write_bytecode", True)
    keep_bytecode()
    assert not sys.dont_write_bytecode
    assert sys.pycache_prefix == str(tmp_path / "bytecode")
    (tmp_path / "small.py").write_text("")
    subprocess.run(
        [sys.executable, "-c", "import small"],
        cwd=tmp_path,
        env=dict(os.environ),
        check=True,
        timeout=60,
    )
    assert list((tmp_path / "bytecode").rglob("small.*.pyc"))
    assert not (tmp_path / "__pycache__").exists()


def test_it_stays_where_it_was_else(switches: pytest.MonkeyPatch) -> None:
    keep_bytecode()
    assert sys.pycache_prefix is None
    assert "PYTHONPYCACHEPREFIX" not in os.environ


def test_a_folder_that_was_chosen_is_kept(switches: pytest.MonkeyPatch, tmp_path: Path) -> None:
    switches.setenv("PYTHONDONTWRITEBYTECODE", "1")
    switches.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    keep_bytecode()
    assert sys.pycache_prefix == os.environ["PYTHONPYCACHEPREFIX"] == str(tmp_path)
