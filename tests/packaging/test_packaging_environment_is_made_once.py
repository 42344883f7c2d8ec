"""The environment is installed when the lock changed, and only then; its modules are compiled
once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import environment
import pytest


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The selections that are installed into an environment in a temporary folder, in order."""
    selections: list[tuple[str, ...]] = []
    project = environment.Environment(tmp_path / ".venv")
    project.scripts.mkdir(parents=True)
    (tmp_path / "uv.lock").write_text("version = 1\n")
    monkeypatch.setattr(environment, "PROJECT", project)
    monkeypatch.setattr(environment, "LOCK", tmp_path / "uv.lock")

    def install(made: environment.Environment, selection: tuple[str, ...]) -> None:
        selections.append(selection)
        made.python.touch()

    monkeypatch.setattr(environment.Environment, "_install", install)
    return selections


def test_a_second_start_installs_nothing(installed: list[tuple[str, ...]]) -> None:
    environment.PROJECT.prepare(environment.RUN)
    environment.PROJECT.prepare(environment.RUN)
    assert installed == [environment.RUN]


def test_a_changed_lock_is_installed(installed: list[tuple[str, ...]]) -> None:
    environment.PROJECT.prepare(environment.TEST)
    environment.LOCK.write_text("version = 2\n")
    environment.PROJECT.prepare(environment.RUN)
    environment.PROJECT.prepare(environment.TEST)
    assert installed == [environment.TEST, environment.RUN, environment.TEST]


def test_the_environment_of_the_tests_serves_the_editor_too(
    installed: list[tuple[str, ...]],
) -> None:
    environment.PROJECT.prepare(environment.TEST)
    environment.PROJECT.prepare(environment.RUN)
    environment.PROJECT.prepare(environment.TEST)
    assert installed == [environment.TEST]


def test_what_was_installed_before_stays(installed: list[tuple[str, ...]]) -> None:
    environment.PROJECT.prepare(environment.BUNDLE)
    environment.PROJECT.prepare(environment.TEST)
    environment.PROJECT.prepare(environment.BUNDLE)
    assert installed == [environment.BUNDLE, environment.TEST]


def test_a_vanished_python_is_noticed(installed: list[tuple[str, ...]]) -> None:
    environment.PROJECT.prepare(environment.RUN)
    environment.PROJECT.python.unlink()
    environment.PROJECT.prepare(environment.RUN)
    assert installed == [environment.RUN] * 2


@pytest.mark.usefixtures("installed")
def test_a_failure_leaves_no_stamp_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(made: environment.Environment, selection: tuple[str, ...]) -> None:
        raise subprocess.CalledProcessError(1, "uv")

    monkeypatch.setattr(environment.Environment, "_install", fail)
    with pytest.raises(environment.SetupFailed, match="network"):
        environment.PROJECT.prepare(environment.RUN)
    assert not environment.PROJECT.stamp.exists()


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that are run; none is."""
    listed: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        listed.append(command)
        return subprocess.CompletedProcess(command, 0, stdout="")

    monkeypatch.setattr(subprocess, "run", run)
    return listed


def test_the_installer_is_taken_by_its_hash_and_as_a_binary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: list[list[str]]
) -> None:
    """A uv that anybody could have put on an index would install all the rest."""
    monkeypatch.setattr(environment, "usable_uv", lambda: None)
    assert Path(environment.Environment(tmp_path / ".venv").find_uv()).is_relative_to(
        tmp_path / ".venv"
    )
    [command] = commands
    options = command[command.index("install") + 1 :]
    assert "--require-hashes" in options
    assert options[options.index("--only-binary") + 1] == ":all:"
    assert options[options.index("-r") + 1] == str(environment.UV_LOCK)
    assert not any(option == "uv" or option.startswith("uv=") for option in options)


@pytest.mark.parametrize(
    ("index", "options"),
    [
        ({}, ["sync --quiet --locked"]),
        ({"UV_DEFAULT_INDEX": "https://x"}, ["export --quiet --frozen", "--require-hashes"]),
    ],
    ids=["pypi", "another index"],
)
def test_libraries_are_those_of_the_lock_by_any_index(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    commands: list[list[str]],
    index: dict[str, str],
    options: list[str],
) -> None:
    for name in environment._OTHER_INDEX:
        monkeypatch.delenv(name, raising=False)
    for name, value in index.items():
        monkeypatch.setenv(name, value)
    made = environment.Environment(tmp_path / ".venv")
    monkeypatch.setattr(environment, "usable_uv", lambda: "/bin/uv")
    monkeypatch.setattr(environment.Environment, "_make_venv", lambda _: None)
    monkeypatch.setattr(environment.Environment, "_install_project", lambda _: None)
    monkeypatch.setattr(environment, "clean_environment", lambda: dict(os.environ))
    made._install(environment.RUN)
    assert len(commands) == len(options)
    for command, option in zip(commands, options, strict=True):
        assert option in " ".join(command)


@pytest.mark.parametrize(
    ("answer", "usable"),
    [("uv 0.8.24 (x)", False), ("uv 0.9.0", True), ("uv 1.0.1", True), ("", False)],
)
def test_an_older_uv_than_the_lock_needs_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, usable: bool
) -> None:
    uv = str(tmp_path / "uv")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: uv)
    done = subprocess.CompletedProcess([uv], 0, stdout=answer)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert environment.usable_uv() == (uv if usable else None)
    oldest = ".".join(map(str, environment.OLDEST_UV))
    assert f'required-version = ">={oldest}"' in (environment.ROOT / "pyproject.toml").read_text(
        encoding="utf-8"
    )


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
