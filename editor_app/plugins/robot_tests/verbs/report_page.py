"""The report of tests as a page: a table of all tests, and each failure with a picture of its
configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.verbs.pages import Markup, build_list, build_page, build_table, mark_text
from editor_app.core.verbs.robot_picture import FIGURE_STYLE, Drawing, draw_all, render_figure
from editor_app.plugins.robot_tests.verbs.run_tests import TestReport, TestState

#: Pictures of one robot: more failures have the same cause.
MOST_PICTURES = 12


def report_record(report: TestReport, robot: str) -> dict[str, Any]:
    """Return the report as plain values: metres, radians and CPU seconds."""
    return {
        "robot": robot,
        "file": report.suite.source.name,
        "passed": report.is_passed,
        "summary": report.told,
        "faults": [
            {"code": each.code, "line": each.place[0], "message": each.message}
            for each in report.suite.findings
        ],
        "tests": [
            {
                "name": result.test.name,
                "kind": result.test.kind.KEY,
                "line": result.test.location.line,
                "state": result.state.value,
                "message": result.sentence,
                "pose": None if result.pose is None else dict(result.pose),
                "pair": None if result.pair is None else list(result.pair),
                "frame": result.frame,
                "measured": _plain(result.measured),
                "seconds": round(result.seconds, 3),
            }
            for result in report.results
        ],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [*map(_plain, value)] if isinstance(value, tuple) else value


def draw_failures(
    document: Document, report: TestReport, on_fault: Callable[[str], None]
) -> Mapping[str, bytes]:
    """Return name of a test -> PNG of the configuration that it failed at, for the first failures.

    Pictures are drawn in another process; the pair or frame is red. `on_fault` receives why
    pictures are missing.
    """
    failed = [result for result in report.failed if result.pose is not None][:MOST_PICTURES]
    robot = Drawing.of(document)
    if robot is None:
        return {}
    drawings = {
        result.test.name: robot.at(
            result.pose, result.pair or ((result.frame,) if result.frame else ())
        )
        for result in failed
        if result.pose is not None
    }
    return draw_all(drawings, on_fault)


def report_page(
    records: Sequence[dict[str, Any]], pictures: Mapping[tuple[str, str], bytes] = FrozenDict()
) -> str:
    """Return the page of the records of one or more robots. `pictures`: (robot, name of a test) ->
    PNG."""
    parts: list[object] = []
    for record in records:
        style = "good" if record["passed"] else "bad"
        parts += [
            mark_text(record["robot"], tag="h2"),
            Markup(mark_text(mark_text(record["summary"], style), tag="p")),
        ]
        faults = (
            f"{record['file']}:{each['line']}: {each['code']}: {each['message']}"
            for each in record["faults"]
        )
        parts.append(build_list("Faults of the test file", faults, "bad", "h3"))
        rows = [
            (
                mark_text(
                    each["state"], "good" if each["state"] == TestState.PASSED.value else "bad"
                ),
                each["name"],
                each["kind"],
                each["message"],
            )
            for each in record["tests"]
        ]
        parts.append(build_table("", ("state", "test", "kind", "result"), rows))
        parts += [
            render_figure(
                pictures[record["robot"], each["name"]], f"{each['name']}: {each['message']}"
            )
            for each in record["tests"]
            if (record["robot"], each["name"]) in pictures
        ]
    names = ", ".join(Path(record["robot"]).name for record in records)
    return build_page(f"Tests of {names}", parts, FIGURE_STYLE)
