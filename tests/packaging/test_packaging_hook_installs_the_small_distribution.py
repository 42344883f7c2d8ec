"""The hook of pre-commit installs the small distribution once, again if it was interrupted, and
runs its command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import environment
import hook
import pytest


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that the hook runs; none is."""
    listed: list[list[str]] = []
    monkeypatch.setattr(hook, "FOLDER", tmp_path / "env")
    monkeypatch.setattr(hook, "COMPLETE", tmp_path / "env" / "complete")

    def run(command: list[str], **_: object) -> None:
        listed.append(command)
        (tmp_path / "env").mkdir(exist_ok=True)

    monkeypatch.setattr(subprocess, "run", run)

    def call(command: list[str]) -> int:
        listed.append(command)
        return 1

    monkeypatch.setattr(subprocess, "call", call)
    return listed


def test_the_first_run_installs_and_all_runs_pass_the_arguments_and_the_code(
    commands: list[list[str]],
) -> None:
    for _ in range(2):
        assert hook.main(["check", "--beside", "a.urdf"]) == 1
    make, install, *checks = commands
    assert make[-2:] == ["venv", str(hook.FOLDER)]
    assert install[-1] == str(environment.ROOT / "packaging" / "core")
    assert [each[1:] for each in checks] == [
        ["-P", "-m", "editor_app", "check", "--beside", "a.urdf"]
    ] * 2
    assert all(Path(each[0]).is_relative_to(hook.FOLDER) for each in checks)


def test_an_interrupted_installation_begins_anew(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        hook.FOLDER.mkdir(exist_ok=True)
        raise subprocess.CalledProcessError(1, "pip")

    with monkeypatch.context() as offline:
        offline.setattr(subprocess, "run", fail)
        assert hook.main(["check"]) == 2
    assert commands == []
    (hook.FOLDER / "half").touch()
    hook.main(["check"])
    assert len(commands) == 3
    assert not (hook.FOLDER / "half").exists()


@pytest.mark.skipif(environment.WINDOWS, reason="files have no such mode")
def test_pre_commit_may_run_it() -> None:
    assert os.access(hook.__file__, os.X_OK)
