"""A plug-in of pytest: `pytest --robot ROBOT.urdf` runs the tests of a robot, each as an item of
pytest.

Installed distributions name it under the entry point group `pytest11`. It imports the engines when
a robot is named.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("robots").addoption(
        "--robot",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="run the tests in ROBOT.tests.yaml next to this robot (URDF or XRDF); repeatable",
    )


def pytest_configure(config: pytest.Config) -> None:
    robots = _robots(config)
    if not robots:
        return
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        # Nothing else is named: only the robots are tested.
        config.args.clear()
    config.args += [str(path) for path in robots]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return (
        RobotFile.from_parent(parent, path=file_path)
        if file_path in _robots(parent.config)
        else None
    )


def _robots(config: pytest.Config) -> list[Path]:
    return [path.resolve() for path in config.getoption("robot")]


class RobotFile(pytest.File):
    """The tests of one robot, and the faults of its test file."""

    def collect(self) -> Iterator[pytest.Item]:
        editor_app = importlib.import_module("editor_app")
        run_tests = importlib.import_module("editor_app.plugins.robot_tests.verbs.run_tests")
        document = editor_app.open_robot(self.path)
        suite = run_tests.read_tests(document)
        bench = run_tests.make_bench(document, suite)
        for finding in suite.findings:
            yield RobotItem.from_parent(self, name=str(finding.location), finding=finding)
        for test in suite.tests:
            yield RobotItem.from_parent(self, name=test.name, bench=bench, test=test)


class RobotItem(pytest.Item):
    """One test of a robot, or one fault of its test file."""

    def __init__(
        self, *, bench: Any = None, test: Any = None, finding: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._bench, self._test, self._finding = bench, test, finding

    def runtest(self) -> None:
        finding = self._finding
        if finding is None:
            run_tests = importlib.import_module("editor_app.plugins.robot_tests.verbs.run_tests")
            finding = run_tests.judge_test(self._bench, self._test).finding
        if finding is not None:
            raise RobotTestFailed(f"{finding.location}: {finding.code}: {finding.message}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, RobotTestFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        place = self._finding.location if self._test is None else self._test.location
        return Path(place.file), None if place.line is None else place.line - 1, self.name


class RobotTestFailed(Exception):
    """A test of a robot failed; the message names its place in the test file."""
