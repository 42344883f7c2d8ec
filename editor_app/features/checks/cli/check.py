"""`xrdf-editor check`: checks robot files, for CI and pre-commit."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli._output import give_text, note, print_lines, print_refusal
from editor_app.cli._robot_arguments import add_robot_arguments, packages, xacro_arguments
from editor_app.core.model.printable import json_text
from editor_app.core.model.profile import Profile
from editor_app.features.checks.verbs import check_files
from editor_app.features.checks.verbs.finding_reports import (
    FileFindings,
    JUnitCase,
    finding_record,
    github_text,
    junit_text,
    sarif_text,
)

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "no finding reaches the severity of --fail-on",
    1: "at least one finding does",
    2: "a file cannot be read, or the command failed: standard error gives the reason",
}

_SEVERITIES = ("error", "warning", "info")
_ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="XRDF, URDF, SRDF, xacro, COLLADA robot, cuRobo or Lula file; alone or together",
    )
    parser.add_argument(
        "--urdf",
        type=Path,
        metavar="FILE",
        help="the URDF to check all other files against; it is checked too. Without it, matching files in the same "
        "folders are checked too",
    )
    # Former name, for one release.
    parser.add_argument(
        "--beside", dest="nearest_urdf", action="store_true", help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--nearest-urdf",
        action="store_true",
        help=(
            "prefer the URDF next to an XRDF or SRDF to the only named URDF; for hooks, which name "
            "the changed files"
        ),
    )
    parser.add_argument(
        "--profile",
        choices=[*(profile.value for profile in Profile), _ALL],
        default=Profile.SPECIFICATION.value,
        help=f"the program that will read the files; {_ALL}: a table of what each program reads, changes, ignores or "
        "refuses",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github", "junit"),
        default="text",
        help="output format",
    )
    parser.add_argument(
        "--fail-on", choices=_SEVERITIES, default="error", help="lowest severity for exit code 1"
    )
    parser.add_argument(
        "--slow",
        action="store_true",
        help="also run rules that load meshes or sample joint positions",
    )
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    is_table = args.profile == _ALL
    checked = check_files.check_files(
        args.files,
        urdf=args.urdf,
        profile=Profile.SPECIFICATION if is_table else Profile(args.profile),
        slow=args.slow,
        packages=packages(args),
        xacro_arguments=xacro_arguments(args),
        allow_xacro=args.allow_xacro,
        beside=args.nearest_urdf,
        model=args.model,
        # What is no table for people or programs is a list of findings.
        programs=is_table and args.format in ("sarif", "github", "junit"),
    )
    findings = [(file.path, finding) for file in checked for finding in file.findings]
    along = [
        f"{file.path} (belongs to {file.belongs_to.name})"
        for file in checked
        if file.belongs_to is not None
    ]
    if along:
        note(f"Also checked: {', '.join(along)}.")
    unreadable = [file.error for file in checked if file.error is not None]
    least = editor_app.Severity[args.fail_on.upper()]
    if args.format == "junit":
        give_text(junit_text("xrdf-editor check", _junit_suites(checked, least)))
    else:
        _give(checked, findings, args.format, is_table)
    if args.format != "text":
        # Standard output goes to a program here: people see the other one.
        for message in unreadable:
            print_refusal(str(message))
    if unreadable:
        return 2
    return 1 if any(f.severity >= least for _, f in findings) else 0


def _give(
    checked: Sequence[check_files.CheckedFile],
    findings: FileFindings,
    output_format: str,
    is_table: bool,
) -> None:
    if output_format == "text":
        print_lines(*_lines(findings))
        print_lines(
            *(line for file in checked if is_table and file.uses for line in ("", *_table(file)))
        )
    elif is_table and output_format == "json":
        give_text(json_text([_all_programs(file) for file in checked]))
    else:
        give_text(_FORMATS[output_format](findings))


def _lines(findings: FileFindings) -> list[str]:
    lines = []
    for path, finding in findings:
        r = finding_record(path, finding)
        place = r["file"] + (f":{r['line']}:{r['column']}" if r["line"] else "")
        where = f" [{r['path']}]" if r["path"] else ""
        lines.append(f"{place}: {r['severity']} {r['code']}: {r['message']}{where}")
    counts = {s: sum(f.severity.name.lower() == s for _, f in findings) for s in _SEVERITIES}
    lines.append(
        ", ".join(f"{n} {s}{'s' if n != 1 and s != 'info' else ''}" for s, n in counts.items())
    )
    return lines


def _all_programs(file: check_files.CheckedFile) -> dict[str, Any]:
    """What `--profile all` says of a file, for programs: findings, and what becomes of its features
    where."""
    from editor_app.features.checks.engine.readers import SOURCES, as_message, sentence, unread

    features = [
        {
            "feature": use.feature.key,
            "title": as_message(use.feature.title),
            "of": use.feature.of,
            "names": list(use.names),
            "programs": {
                p.value: {
                    "treatment": str(use.feature.fact(p).treatment),
                    "message": sentence(use, p),
                }
                for p in SOURCES
            },
        }
        for use in unread(file.uses)
    ]
    findings = [finding_record(file.path, finding) for finding in file.findings]
    return {"file": str(file.path), "findings": findings, "features": features}


def _table(file: check_files.CheckedFile) -> list[str]:
    """One line for each feature of the robot that a program does not just read; READ is a dash."""
    from editor_app.features.checks.engine.readers import SOURCES, Treatment, as_message, unread

    told = unread(file.uses)
    numbers = ("" if use.feature.of == "robot" else f" ({len(use.names)})" for use in told)
    titles = [
        f"{as_message(use.feature.title)}{number}"
        for use, number in zip(told, numbers, strict=True)
    ]
    width = max((len(title) for title in titles), default=0)
    lines = [f"{file.path.name:{width}}  " + "  ".join(f"{p.program:9}" for p in SOURCES).rstrip()]
    for title, use in zip(titles, told, strict=True):
        treatments = (use.feature.fact(p).treatment for p in SOURCES)
        words = ("-" if treatment is Treatment.READ else str(treatment) for treatment in treatments)
        lines.append(f"{title:{width}}  " + "  ".join(f"{word:9}" for word in words).rstrip())
    return [
        *lines,
        f"For reasons and sources, see --profile {'|'.join(p.value for p in SOURCES)}, and the "
        "manual.",
    ]


def _json(findings: FileFindings) -> str:
    return json_text([finding_record(path, finding) for path, finding in findings])


def _junit_suites(
    checked: Sequence[check_files.CheckedFile], least: editor_app.Severity
) -> Iterator[tuple[str, Sequence[JUnitCase]]]:
    """Yield a suite for each file, with a case for each finding.

    A finding of severity `least` or above is a failure, a lesser one a case that passes with its
    message as output, a file that cannot be read an error; a file without findings has one case
    that passes.
    """
    for file in checked:
        name = str(file.path)
        cases = [_junit_case(file.path, finding, least) for finding in file.findings]
        if file.error is not None:
            cases.insert(0, JUnitCase("readable", name, error=str(file.error)))
        yield name, cases or [JUnitCase("no finding", name)]


def _junit_case(path: Path, finding: editor_app.Finding, least: editor_app.Severity) -> JUnitCase:
    r = finding_record(path, finding)
    place = r["file"] + (f":{r['line']}:{r['column']}" if r["line"] else "")
    name = f"{r['code']} {r['path']}".rstrip()
    if finding.severity < least:
        output = f"{place}: {r['severity']}: {r['message']}"
        return JUnitCase(name, r["file"], r["file"], r["line"], output=output)
    text = f"{place}: {r['severity']} {r['code']}: {r['message']}"
    return JUnitCase(name, r["file"], r["file"], r["line"], (r["severity"], r["message"], text))


def _sarif(findings: FileFindings) -> str:
    from editor_app.features.checks.engine.runner import code_titles

    return sarif_text(findings, code_titles())


_FORMATS = {"json": _json, "github": github_text, "sarif": _sarif}
