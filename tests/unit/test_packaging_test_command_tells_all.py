"""The test command tells what ran beside the tests, and runs a few failed tests with windows again, alone, by name."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from tests.helpers import breadth

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def command() -> ModuleType:
    spec = importlib.util.spec_from_file_location("the_test_command", ROOT / "packaging" / "test.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up the module that they are in.
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.undo()
    return module


def written(folder: Path, *cases: tuple[str, str, str]) -> Path:
    report = folder / "junit.xml"
    inside = "".join(f'<testcase classname="{c}" name="{n}">{outcome}</testcase>' for c, n, outcome in cases)
    report.write_text(f"<testsuites><testsuite>{inside}</testsuite></testsuites>")
    return report


def test_only_failures_and_errors_are_taken_from_the_report(command: ModuleType, tmp_path: Path) -> None:
    report = written(
        tmp_path,
        ("tests.gui.test_a", "test_one", "<failure/>"),
        ("tests.gui.test_a", "test_two", ""),
        ("tests.unit.test_b", "test_three", "<error/>"),
        ("tests.unit.test_b", "test_four", "<skipped/>"),
    )
    assert command.failed_tests(report) == ["tests.gui.test_a.test_one", "tests.unit.test_b.test_three"]
    assert command.failed_tests(tmp_path / "none.xml") == []


def test_only_a_few_with_windows_get_a_second_run(command: ModuleType) -> None:
    window = "tests.gui.test_a.test_one"
    assert command.may_be_unsteady([window])
    assert not command.may_be_unsteady([])
    assert not command.may_be_unsteady([window, "tests.unit.test_b.test_three"])
    assert not command.may_be_unsteady([f"{window}{k}" for k in range(command.MOST_UNSTEADY + 1)])


def test_the_summary_names_them(command: ModuleType) -> None:
    text = command.summary([], Counter(), 1.0, ["tests.gui.test_a.test_one"])
    assert "UNSTEADY" in text
    assert "tests.gui.test_a.test_one" in text


def test_steps_beside_the_tests_keep_their_output_code_and_time_and_are_ended(command: ModuleType) -> None:
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
    for deep, count, kinds in ((True, 100, ("arm", "other arm", "hand")), (False, 25, ("arm", "hand"))):
        monkeypatch.setattr(breadth, "DEEP", deep)
        assert breadth.examples(100) == count
        assert breadth.of_each_kind(("arm", "other arm", "hand"), ("arm", "hand")) == kinds
    assert breadth.examples(12) == breadth.FEWEST
    assert breadth.examples(3) == 3
    with pytest.raises(ValueError, match="leg"):
        breadth.of_each_kind(("arm", "hand"), ("leg",))
