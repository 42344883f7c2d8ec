"""Test files in text editors: their vocabulary, and their faults."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.robot import RobotDescription
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.robot_tests.kinds import ENDING
from editor_app.plugins.robot_tests.kinds import VOCABULARY as VOCABULARY
from editor_app.plugins.robot_tests.suite import read_suite


def robot_file(path: Path) -> Path | None:
    """Return the file of the robot that a test file is about; None for another file."""
    if not path.name.endswith(ENDING):
        return None
    stem = path.name.removesuffix(ENDING)
    xrdf = path.with_name(f"{stem}.xrdf")
    return xrdf if xrdf.is_file() else path.with_name(f"{stem}.urdf")


def find_faults(source: SourceText, robot: RobotDescription) -> tuple[Finding, ...]:
    """Return the faults of a test file with their places."""
    try:
        return read_suite(source, robot).findings
    except FormatError as error:
        return (Finding("TEST001", Severity.ERROR, error.sentences, location=error.location),)
