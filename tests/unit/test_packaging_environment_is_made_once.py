"""The environment is installed when the lock changed, and only then; its modules are compiled once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import environment
import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An environment in a temporary folder; the list of locks that were installed into it."""
    installed: list[str] = []
    project = environment.Environment(tmp_path / ".venv")
    project.scripts.mkdir(parents=True)
    for name in ("requirements.lock", "requirements-test.lock"):
        (tmp_path / name).write_text(f"{name}==1\n")
    monkeypatch.setattr(environment, "PROJECT", project)
    monkeypatch.setattr(environment, "RUN_LOCK", tmp_path / "requirements.lock")
    monkeypatch.setattr(environment, "TEST_LOCK", tmp_path / "requirements-test.lock")

    def install(made: environment.Environment, lock: Path) -> None:
        installed.append(lock.name)
        made.python.touch()

    monkeypatch.setattr(environment.Environment, "_install", install)
    return installed


def test_a_second_start_installs_nothing(folder: list[str]) -> None:
    environment.PROJECT.prepare(environment.RUN_LOCK)
    environment.PROJECT.prepare(environment.RUN_LOCK)
    assert folder == ["requirements.lock"]


def test_a_changed_lock_is_installed(folder: list[str]) -> None:
    environment.PROJECT.prepare(environment.RUN_LOCK)
    environment.RUN_LOCK.write_text("other==2\n")
    environment.PROJECT.prepare(environment.RUN_LOCK)
    assert folder == ["requirements.lock"] * 2


def test_the_environment_of_the_tests_serves_the_editor_too(folder: list[str]) -> None:
    environment.PROJECT.prepare(environment.TEST_LOCK)
    environment.PROJECT.prepare(environment.RUN_LOCK)
    environment.PROJECT.prepare(environment.TEST_LOCK)
    assert folder == ["requirements-test.lock"]


def test_a_vanished_python_is_noticed(folder: list[str]) -> None:
    environment.PROJECT.prepare(environment.RUN_LOCK)
    environment.PROJECT.python.unlink()
    environment.PROJECT.prepare(environment.RUN_LOCK)
    assert folder == ["requirements.lock"] * 2


def test_a_failure_leaves_no_stamp_and_says_what_to_do(folder: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(made: environment.Environment, lock: Path) -> None:
        raise subprocess.CalledProcessError(1, "uv")

    monkeypatch.setattr(environment.Environment, "_install", fail)
    with pytest.raises(environment.SetupFailed, match="network"):
        environment.PROJECT.prepare(environment.RUN_LOCK)
    assert not environment.PROJECT.stamp.exists()


def test_the_installer_is_taken_by_its_hash_and_as_a_binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A uv that anybody could have put on an index would install all the rest."""
    commands: list[list[str]] = []
    monkeypatch.setattr(environment, "usable_uv", lambda: None)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
    assert environment.Environment(tmp_path / ".venv")._uv() is None
    [command] = commands
    options = command[command.index("install") + 1 :]
    assert "--require-hashes" in options
    assert options[options.index("--only-binary") + 1] == ":all:"
    assert options[options.index("-r") + 1] == str(environment.UV_LOCK)
    assert not any(option == "uv" or option.startswith("uv=") for option in options)


@pytest.mark.parametrize("beside_the_sources", [True, False])
def test_modules_are_compiled_once_but_not_beside_the_sources_if_that_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_the_sources: bool
) -> None:
    (tmp_path / "module.py").write_text("value = 1\n")
    monkeypatch.setattr(environment, "PROJECT", environment.Environment(tmp_path / ".venv"))
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    if beside_the_sources:
        monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    else:
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    env = environment.clean_environment()
    subprocess.run([sys.executable, "-c", "import module"], cwd=tmp_path, env=env, check=True)
    [compiled] = tmp_path.rglob("module.*.pyc")
    assert (compiled.parent == tmp_path / "__pycache__") is beside_the_sources
    assert compiled.is_relative_to(tmp_path / ".venv") is not beside_the_sources
