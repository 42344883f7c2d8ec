"""The test command reports the steps that ran beside the tests, and runs a few failed tests with
windows again."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import environment
import pytest

from tests.helpers import breadth

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def command() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "the_test_command", ROOT / "packaging" / "test.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up the module that they are in.
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.undo()
    return module


_FAILS_ONCE = """
from pathlib import Path
def test_{name}():
    mark = Path(__file__ + ".{name}")
    seen = mark.exists()
    mark.touch()
    assert seen
"""


def run_written_tests(
    command: ModuleType, folder: Path, texts: dict[str, str]
) -> tuple[int, list[str]]:
    """Run test files as the command does; return pytest's code and the unsteady tests."""
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    words = [*command.test_step(False, [str(folder)], folder / "junit.xml").command]
    del words[words.index("-n") : words.index("--dist") + 2]
    env = environment.clean_environment() | {
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "packaging")))
    }
    done = subprocess.run(
        [sys.executable, *words[1:]], cwd=folder, env=env, capture_output=True, check=False
    )
    return done.returncode, command.unsteady_tests(folder / "junit.xml")


def test_a_window_that_fails_once_runs_again_and_is_named(
    command: ModuleType, tmp_path: Path
) -> None:
    texts = {
        "window/test_a.py": _FAILS_ONCE.format(name="one"),
        "masks/test_b.py": "def test_two(): pass",
    }
    assert run_written_tests(command, tmp_path, texts) == (0, ["window.test_a.test_one"])


def test_other_tests_and_what_fails_twice_fail(command: ModuleType, tmp_path: Path) -> None:
    texts = {
        "masks/test_b.py": _FAILS_ONCE.format(name="two"),
        "window/test_a.py": "def test_one(): assert False",
    }
    assert run_written_tests(command, tmp_path, texts) == (1, [])


def test_the_fourth_window_that_fails_is_a_failure(command: ModuleType, tmp_path: Path) -> None:
    text = "".join(_FAILS_ONCE.format(name=name) for name in "abcd")
    code, unsteady = run_written_tests(command, tmp_path, {"end2end/test_a.py": text})
    assert code == 1
    assert unsteady == [f"end2end.test_a.test_{name}" for name in "abc"]


def test_the_summary_names_them(command: ModuleType) -> None:
    text = command.summary([], Counter(), 1.0, ["tests.window.test_a.test_one"])
    assert "UNSTEADY" in text
    assert "tests.window.test_a.test_one" in text


def test_steps_beside_the_tests_keep_their_output_code_and_time_and_are_ended(
    command: ModuleType,
) -> None:
    ends = (sys.executable, "-c", "print('x' * 200_000); raise SystemExit(3)")
    stays = (sys.executable, "-c", "import time; time.sleep(600)")
    with command.Together([command.Step("types", ends)], command.BESIDE_TESTS) as reading:
        [result] = reading.results()
    assert (result.name, result.code) == ("types", 3)
    with command.Together([command.Step("types", stays)]) as reading:
        [process] = reading._running
    assert process.poll() is not None


def test_deep_runs_and_tests_mean_the_same_variable_and_a_usual_run_keeps_one_of_each(
    command: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command.DEEP_VARIABLE == breadth.VARIABLE
    for deep, count, kinds in (
        (True, 100, ("arm", "other arm", "hand")),
        (False, 25, ("arm", "hand")),
    ):
        monkeypatch.setattr(breadth, "DEEP", deep)
        assert breadth.examples(100) == count
        assert breadth.of_each_kind(("arm", "other arm", "hand"), ("arm", "hand")) == kinds
    assert breadth.examples(12) == breadth.FEWEST
    assert breadth.examples(3) == 3
    with pytest.raises(ValueError, match="leg"):
        breadth.of_each_kind(("arm", "hand"), ("leg",))
