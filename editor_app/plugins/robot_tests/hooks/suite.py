"""The tests of a robot in a fleet."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.model.findings import Finding
from editor_app.plugins.robot_tests.kinds import suite_file_name
from editor_app.plugins.robot_tests.verbs.run_tests import TestState, test_robot


def tests_beside(*files: Path | None) -> Path | None:
    """Return the test file next to the first of the files that has one; None where none has."""
    candidates = (path.with_name(suite_file_name(path.stem)) for path in files if path is not None)
    return next((path for path in candidates if path.is_file()), None)


def judge(document: Document, path: Path) -> tuple[float | None, tuple[Finding, ...]]:
    """Return the share of tests that passed, and the findings of the others. Raises Refused,
    FormatError."""
    report = test_robot(document, path)
    passed = sum(result.state is TestState.PASSED for result in report.results)
    return passed / len(report.results) if report.results else None, report.findings
