"""`xrdf-editor test`: runs the tests of robots, from the file ROBOT.tests.yaml next to each robot.

A test file lists expectations: configurations that must be free or must collide, motions that the
planner must find, poses that a tool must reach, places of frames, limits, quality of spheres,
proven masks, programs that load the files.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli._output import give_report, give_text, note, print_lines, print_refusal
from editor_app.cli._progress import progress_bar
from editor_app.cli._robot_arguments import add_repeated, add_robot_arguments, opened
from editor_app.cli._writing import add_force_argument
from editor_app.core.document.writing import refuse_targets, write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.printable import json_text
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.verbs.finding_reports import (
    JUnitCase,
    github_text,
    junit_text,
    sarif_text,
)
from editor_app.plugins.robot_tests.kinds import ENDING, suite_file_name, suite_schema
from editor_app.plugins.robot_tests.verbs import (
    keep_tests,
    propose_suite,
    report_page,
    run_tests,
    update_suite,
)

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "every test passed",
    1: "a test failed, or could not be run",
    2: (
        "a robot or a test file cannot be read, or a test file has a fault: standard error gives "
        "the reason"
    ),
}

#: Seconds before progress is reported.
_PATIENCE = 1.0
#: Endings of files that go with the URDF before them.
_WITH_URDF = (".xrdf", ".srdf", ".yaml", ".yml")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="ROBOT",
        help=(
            "URDF or xacro file; an XRDF or SRDF after it goes with it, if they have other names "
            "or folders"
        ),
    )
    parser.add_argument(
        "--tests",
        type=Path,
        metavar="FILE",
        help="test file of the robot (default: ROBOT.tests.yaml next to it)",
    )
    add_repeated(parser, "--only", "NAME", "run only the test with this name; repeatable")
    parser.add_argument(
        "--format",
        choices=("text", "json", "junit", "sarif", "github", "html"),
        default="text",
        help="output format (default: text)",
    )
    parser.add_argument(
        "--no-pictures", action="store_true", help="create no pictures for the HTML page"
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="write the measured values of failed tests into the test file",
    )
    parser.add_argument(
        "--propose",
        action="store_true",
        help="write a first test file with the measured behaviour of the robot",
    )
    parser.add_argument(
        "--keep-from",
        type=Path,
        metavar="FILE",
        help=(
            "add and run the test that a recorded motion (a trajectory file or a bag) stays free "
            "and within limits"
        ),
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of --propose (default: 0)"
    )
    add_force_argument(parser)
    parser.add_argument(
        "--changed",
        action="store_true",
        help="ROBOT is any changed file of a robot: each robot is tested once, robots without a test file are skipped; "
        "for hooks",
    )
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of test files")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.schema:
        give_report(suite_schema(), "json", {})
        return 0
    robots = list(_changed_robots(args.files) if args.changed else _robots(args.files))
    if args.changed and not robots:
        note("no changed file belongs to a robot with tests")
        return 0
    _refuse_number(args, len(robots))
    if args.propose:
        for files in robots:
            _propose(args, opened(args, files))
        return 0
    if args.keep_from is not None:
        args.only = [_kept(args, opened(args, robots[0]))]
    records, pictures, findings, cases = [], {}, [], []
    code = 0
    for files in robots:
        try:
            document = opened(args, files)
            report = _tested(args, document)
        except (editor_app.Refused, FormatError) as error:
            print_refusal(str(error))
            cases.append((str(files[0]), [JUnitCase("readable", str(files[0]), error=str(error))]))
            code = 2
            continue
        if args.update:
            report = _updated(args, document, report)
        code = max(code, 2 if report.suite.findings else 0 if report.is_passed else 1)
        name, path = str(files[0]), Path(report.suite.source.name)
        records.append(report_page.report_record(report, name))
        findings += [(path, finding) for finding in report.findings]
        cases.append((str(path), list(_junit_cases(report))))
        if args.format == "html" and not args.no_pictures:
            drawn = report_page.draw_failures(document, report, note)
            pictures.update({(name, test): png for test, png in drawn.items()})
    _give(args, records, pictures, findings, cases)
    return code


def _refuse_number(args: argparse.Namespace, number: int) -> None:
    """Raises Refused for no robot, and for several with an option that is about one."""
    if not number:
        raise editor_app.Refused("name a robot: xrdf-editor test ROBOT.urdf")
    for option, value in (
        ("--tests is the test file of", args.tests),
        ("--keep-from is about", args.keep_from),
    ):
        if value is not None and number > 1:
            raise editor_app.Refused(f"{option} one robot, but {number} are named")


def _robots(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the files of each robot: every file that is no XRDF or SRDF begins one, and so does a
    second XRDF."""
    robot: list[Path] = []
    for path in files:
        ending = path.suffix.lower()
        if robot and (
            ending not in _WITH_URDF or any(ending == each.suffix.lower() for each in robot)
        ):
            yield robot
            robot = []
        robot.append(path)
    if robot:
        yield robot


def _propose(args: argparse.Namespace, document: editor_app.Document) -> None:
    path = args.tests or run_tests.suite_file(document)
    refuse_targets([path], overwrite=args.force)
    with progress_bar(_PATIENCE) as progress:
        proposal = propose_suite.propose_tests(document, seed=args.seed, progress=progress)
    write_files([(path, proposal.text.encode())], overwrite=args.force, make_folders=False)
    note(*(f"left out: {result.test.name}: {result.sentence}" for result in proposal.left_out))
    print_lines(f"wrote {path}")


def _kept(args: argparse.Namespace, document: editor_app.Document) -> str:
    """Add the test about a recorded motion to the test file; return its name."""
    path = args.tests or run_tests.suite_file(document)
    old = SourceText.read(path) if path.is_file() else None
    test = keep_tests.recorded_test(document, args.keep_from, path)
    source, name = keep_tests.add_test(old, test, document)
    read = Inputs.of([] if old is None else [path])
    write_files([(path, source.data)], read, in_place=[path], make_folders=False)
    note(f"wrote {path}: {name}")
    if test["motion"]["file"].startswith("../"):
        note(f"{args.keep_from} is outside the folder of the tests: keep both in one repository")
    return name


def _changed_robots(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the file of each robot that has tests and of which a file is named, once."""
    seen: set[Path] = set()
    for path in files:
        stem = (
            path.name.removesuffix(ENDING)
            if path.name.endswith(ENDING)
            else path.name.partition(".")[0]
        )
        tests = path.with_name(suite_file_name(stem))
        candidates = (path.with_name(stem + ending) for ending in (".urdf", ".xrdf"))
        robot = next((each for each in candidates if each.is_file()), None)
        if robot is not None and tests.is_file() and tests not in seen:
            seen.add(tests)
            yield [robot]


def _tested(args: argparse.Namespace, document: editor_app.Document) -> run_tests.TestReport:
    with progress_bar(_PATIENCE) as progress:
        return run_tests.test_robot(document, args.tests, only=args.only, progress=progress)


def _updated(
    args: argparse.Namespace, document: editor_app.Document, report: run_tests.TestReport
) -> run_tests.TestReport:
    """Write the measured values of failed tests into the file, and judge it again."""
    source, names = update_suite.update_suite(report)
    path = report.suite.source.path
    if not names or path is None:
        note("no value to update")
        return report
    read = Inputs.of([path])
    if path.read_bytes() != report.suite.source.data:
        raise editor_app.Refused(
            f"{path} was changed by another program while its tests ran: run the command again"
        )
    write_files([(path, source.data)], read, in_place=[path])
    note(f"updated {path}: {', '.join(names)}")
    return _tested(args, document)


def _junit_cases(report: run_tests.TestReport) -> Iterator[JUnitCase]:
    file = report.suite.source.name
    for finding in report.suite.findings:
        yield JUnitCase(finding.code, file, file, finding.place[0] or None, error=finding.message)
    for result in report.results:
        case = (result.test.name, f"{file}.{result.test.kind.KEY}", file, result.test.location.line)
        if result.state is run_tests.TestState.NOT_RUN:
            yield JUnitCase(*case, error=result.sentence)
        elif result.state is run_tests.TestState.FAILED:
            text = f"{result.test.location}: {result.sentence}"
            yield JUnitCase(*case, failure=(result.test.kind.CODE, result.sentence, text))
        else:
            yield JUnitCase(*case, output=result.sentence)


def _give(args: argparse.Namespace, records: Any, pictures: Any, findings: Any, cases: Any) -> None:
    kind = args.format
    if kind == "text":
        for record in records:
            print_lines(*_lines(record))
    elif kind == "json":
        give_text(json_text(records))
    elif kind == "junit":
        give_text(junit_text("xrdf-editor test", cases))
    elif kind == "html":
        give_report(
            records, kind, {"html": lambda printable: report_page.report_page(printable, pictures)}
        )
    else:
        titles = run_tests.code_titles_of_tests()
        give_text(github_text(findings) if kind == "github" else sarif_text(findings, titles))


def _lines(record: dict[str, Any]) -> Iterator[str]:
    for each in record["faults"]:
        yield f"{record['file']}:{each['line']}: error {each['code']}: {each['message']}"
    for each in record["tests"]:
        if each["state"] != run_tests.TestState.PASSED.value:
            yield (
                f"{record['file']}:{each['line']}: {each['state']}: {each['name']}: "
                f"{each['message']}"
            )
    yield f"{record['robot']}: {record['summary']}"
