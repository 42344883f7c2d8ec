"""The verb test_robot: the tests of a robot, from its test file or given as a value, judged one
after the other."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from editor_app.core.document.document import Document
from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.pose import Pose
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.masks.verbs.pair_distances import NothingToCompare
from editor_app.plugins.robot_tests.kinds import KINDS, suite_file_name
from editor_app.plugins.robot_tests.suite import FILE_CODES, RobotTest, Suite, read_suite
from editor_app.plugins.robot_tests.verbs.judges import Bench, judge_kind

#: What keeps a test from being run, with a sentence for the user.
_REFUSALS = (Refusal, NothingToCompare, ImportError, OSError)
#: The code of a test that could not be run.
NOT_RUN = "TEST005"


class TestState(StrEnum):
    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    #: The test could not be run; `TestResult.sentence` gives the reason.
    NOT_RUN = "not run"


@dataclass(frozen=True)
class TestResult:
    """One test with its state. `sentence`: why it failed, or the measured value; "" where nothing
    is measured.

    `pose` (joint -> rad or m), `pair` and `frame` show the failure. `measured`: key of the test ->
    value that just holds. `seconds`: CPU time.
    """

    #: pytest collects no class whose name begins with Test.
    __test__: ClassVar[bool] = False

    test: RobotTest
    state: TestState
    sentence: str = ""
    pose: Pose | None = None
    pair: tuple[str, str] | None = None
    frame: str = ""
    measured: Mapping[str, Any] = FrozenDict()
    seconds: float = 0.0

    __repr__ = brief

    @property
    def finding(self) -> Finding | None:
        """The failure as a finding with its place in the test file; None for a test that passed."""
        if self.state is TestState.PASSED:
            return None
        code = NOT_RUN if self.state is TestState.NOT_RUN else self.test.kind.CODE
        links = self.pair or ((self.frame,) if self.frame else ())
        message = f"Test {self.test.name!r} {self.state.value}: {self.sentence}"
        return Finding(
            code, Severity.ERROR, message, self.test.path, self.test.location, FindingSubject(links)
        )


@dataclass(frozen=True)
class TestReport:
    """`results`: in the order of the file. `findings`: the faults of the file itself, and the
    failures."""

    __test__: ClassVar[bool] = False

    suite: Suite
    results: tuple[TestResult, ...]

    __repr__ = brief

    @property
    def is_passed(self) -> bool:
        """True if the file has no fault, and every test passed."""
        return not self.findings

    @property
    def failed(self) -> tuple[TestResult, ...]:
        return tuple(result for result in self.results if result.state is not TestState.PASSED)

    @property
    def findings(self) -> tuple[Finding, ...]:
        failures = (result.finding for result in self.results)
        return (*self.suite.findings, *(finding for finding in failures if finding is not None))

    @property
    def told(self) -> str:
        """One sentence without a point: how many tests passed, failed and could not be run."""
        counts = {
            state: sum(result.state is state for result in self.results) for state in TestState
        }
        parts = [
            f"{count} {state.value}"
            for state, count in counts.items()
            if count or state is TestState.PASSED
        ]
        faults = len(self.suite.findings)
        return ", ".join(
            [
                *parts,
                *(
                    [f"{faults} fault{'s' if faults > 1 else ''} in the test file"]
                    if faults
                    else []
                ),
            ]
        )


@check_arguments
def suite_file(document: Document) -> Path:
    """Return the path of a robot's test file, whether or not it exists: next to the XRDF, else next
    to the URDF.

    Raises Refused for a robot without a file.
    """
    paths = [path for path in (document.xrdf_path, document.urdf_path) if path is not None]
    if not paths:
        raise Refused("the robot has no file yet, so it has no test file: save it first")
    candidates = [path.with_name(suite_file_name(path.stem)) for path in paths]
    return next((path for path in candidates if path.is_file()), candidates[0])


@check_arguments
def test_robot(
    document: Document,
    suite: Suite | SourceText | Path | str | None = None,
    *,
    only: Collection[str] = (),
    progress: Progress = silent,
    cancel: Cancel = never,
) -> TestReport:
    """Judge the tests of a robot as it is now.

    `suite`: the tests, or their file; default the file next to the robot (`suite_file`). `only`:
    names of the tests to run. Raises Refused for an unknown name, FormatError for a file that
    cannot be read, Cancelled.
    """
    suite = read_tests(document, suite)
    names = [test.name for test in suite.tests]
    for name in only:
        if name not in names:
            raise Refused(refuse_name("test", name, names))
    chosen = [test for test in suite.tests if not only or test.name in only]
    tick = make_stoppable(progress, cancel)
    bench = make_bench(document, suite, cancel=cancel)
    results = []
    for number, test in enumerate(chosen):
        begins, ends = number / len(chosen), (number + 1) / len(chosen)
        tick(begins, test.name)
        bench.progress = scale_progress(tick, begins, ends)
        results.append(judge_test(bench, test))
    progress(1.0, "Done")
    return TestReport(suite, tuple(results))


def code_titles_of_tests() -> dict[str, str]:
    """Return code -> title of everything that a test report can have as a finding."""
    kinds = {kind.CODE: f"A test of the kind {key} fails" for key, kind in KINDS.items()}
    return {**FILE_CODES, NOT_RUN: "A test cannot be run", **kinds}


def read_tests(document: Document, suite: Suite | SourceText | Path | str | None = None) -> Suite:
    """Return the tests of a robot, by default the tests of its test file. Raises Refused,
    FormatError."""
    if isinstance(suite, Suite):
        return suite
    if suite is None:
        suite = suite_file(document)
        if not suite.is_file():
            raise Refused(
                f"{suite} does not exist: create the first tests with `xrdf-editor test --propose`"
            )
    source = suite if isinstance(suite, SourceText) else SourceText.read(suite)
    return read_suite(source, document.robot)


def make_bench(
    document: Document, suite: Suite, progress: Progress = silent, cancel: Cancel = never
) -> Bench:
    """Return what the tests of a suite are judged with; it computes once what several tests
    need."""
    return Bench(document, suite.scene, suite.folder, progress, cancel)


def judge_test(bench: Bench, test: RobotTest) -> TestResult:
    """Judge one test. Raises Cancelled."""
    started = time.process_time()
    try:
        verdict = judge_kind(bench, test.kind)
    except _REFUSALS as error:
        text = error.sentences if isinstance(error, FormatError) else str(error)
        return TestResult(test, TestState.NOT_RUN, text, seconds=time.process_time() - started)
    return TestResult(
        test,
        TestState.PASSED if verdict.is_passed else TestState.FAILED,
        verdict.sentence,
        verdict.pose,
        verdict.pair,
        verdict.frame,
        verdict.measured,
        time.process_time() - started,
    )
