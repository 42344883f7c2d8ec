"""`xrdf-editor check`: checks robot files, for CI and pre-commit."""

from __future__ import annotations

import argparse
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import editor_app
from editor_app.cli._output import give_text, note, refuse, tell
from editor_app.cli._robot_arguments import add_robot_arguments, packages, xacro_arguments
from editor_app.core.model.printable import json_text, printable
from editor_app.core.model.profile import Profile
from editor_app.core.verbs.versions import project_address
from editor_app.features.checks.verbs import check_files
from editor_app.features.checks.verbs.finding_pages import as_plain_text, finding_pages

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
    parser.add_argument("--beside", dest="nearest_urdf", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--nearest-urdf",
        action="store_true",
        help="prefer the URDF next to an XRDF or SRDF to the only named URDF; for hooks, which name the changed files",
    )
    parser.add_argument(
        "--profile",
        choices=[*(profile.value for profile in Profile), _ALL],
        default=Profile.SPECIFICATION.value,
        help=f"the program that will read the files; {_ALL}: a table of what each program reads, changes, ignores or "
        "refuses",
    )
    parser.add_argument(
        "--format", choices=("text", "json", "sarif", "github", "junit"), default="text", help="output format"
    )
    parser.add_argument("--fail-on", choices=_SEVERITIES, default="error", help="lowest severity for exit code 1")
    parser.add_argument("--slow", action="store_true", help="also run rules that load meshes or sample joint positions")
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
        # What is no table for people or programs is a list of findings.
        programs=is_table and args.format in ("sarif", "github", "junit"),
    )
    findings = [(file.path, finding) for file in checked for finding in file.findings]
    along = [f"{file.path} (belongs to {file.belongs_to.name})" for file in checked if file.belongs_to is not None]
    if along:
        note(f"Also checked: {', '.join(along)}.")
    unreadable = [file.error for file in checked if file.error is not None]
    least = editor_app.Severity[args.fail_on.upper()]
    if args.format == "junit":
        give_text(_junit(checked, least))
    else:
        _give(checked, findings, args.format, is_table)
    if args.format != "text":
        # Standard output goes to a program here: people see the other one.
        for message in unreadable:
            refuse(str(message))
    if unreadable:
        return 2
    return 1 if any(f.severity >= least for _, f in findings) else 0


FileFindings = Sequence[tuple[Path, "editor_app.Finding"]]


def _give(
    checked: Sequence[check_files.CheckedFile], findings: FileFindings, output_format: str, is_table: bool
) -> None:
    if output_format == "text":
        tell(*_lines(findings))
        tell(*(line for file in checked if is_table and file.uses for line in ("", *_table(file))))
    elif is_table and output_format == "json":
        give_text(json_text([_all_programs(file) for file in checked]))
    else:
        give_text(_FORMATS[output_format](findings))


def _record(path: Path, finding: editor_app.Finding) -> dict[str, Any]:
    place = finding.location
    return {
        "file": str(place.file if place else path),
        "code": finding.code,
        "severity": finding.severity.name.lower(),
        "path": yaml_path(finding.path),
        "line": place.line if place else None,
        "column": place.column if place else None,
        "message": finding.message,
    }


def yaml_path(path: Sequence[str | int]) -> str:
    """`geometry.g.spheres.link0[2].radius`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _lines(findings: FileFindings) -> list[str]:
    lines = []
    for path, finding in findings:
        r = _record(path, finding)
        place = r["file"] + (f":{r['line']}:{r['column']}" if r["line"] else "")
        where = f" [{r['path']}]" if r["path"] else ""
        lines.append(f"{place}: {r['severity']} {r['code']}: {r['message']}{where}")
    counts = {s: sum(f.severity.name.lower() == s for _, f in findings) for s in _SEVERITIES}
    lines.append(", ".join(f"{n} {s}{'s' if n != 1 and s != 'info' else ''}" for s, n in counts.items()))
    return lines


def _all_programs(file: check_files.CheckedFile) -> dict[str, Any]:
    """What `--profile all` says of a file, for programs: findings, and what becomes of its features where."""
    from editor_app.features.checks.engine.readers import SOURCES, as_message, sentence, unread

    features = [
        {
            "feature": use.feature.key,
            "title": as_message(use.feature.title),
            "of": use.feature.of,
            "names": list(use.names),
            "programs": {
                p.value: {"treatment": str(use.feature.fact(p).treatment), "message": sentence(use, p)} for p in SOURCES
            },
        }
        for use in unread(file.uses)
    ]
    findings = [_record(file.path, finding) for finding in file.findings]
    return {"file": str(file.path), "findings": findings, "features": features}


def _table(file: check_files.CheckedFile) -> list[str]:
    """One line for each feature of the robot that a program does not just read; READ is a dash."""
    from editor_app.features.checks.engine.readers import SOURCES, Treatment, as_message, unread

    told = unread(file.uses)
    numbers = ("" if use.feature.of == "robot" else f" ({len(use.names)})" for use in told)
    titles = [f"{as_message(use.feature.title)}{number}" for use, number in zip(told, numbers, strict=True)]
    width = max((len(title) for title in titles), default=0)
    lines = [f"{file.path.name:{width}}  " + "  ".join(f"{p.program:9}" for p in SOURCES).rstrip()]
    for title, use in zip(titles, told, strict=True):
        treatments = (use.feature.fact(p).treatment for p in SOURCES)
        words = ("-" if treatment is Treatment.READ else str(treatment) for treatment in treatments)
        lines.append(f"{title:{width}}  " + "  ".join(f"{word:9}" for word in words).rstrip())
    return [*lines, f"For reasons and sources, see --profile {'|'.join(p.value for p in SOURCES)}, and the manual."]


def _json(findings: FileFindings) -> str:
    return json_text([_record(path, finding) for path, finding in findings])


def _github(findings: FileFindings) -> str:
    """Workflow commands: https://docs.github.com/actions/reference/workflow-commands-for-github-actions."""

    def escape(text: str, *, value: bool = False) -> str:
        text = printable(text).replace("%", "%25")
        return text.replace(":", "%3A").replace(",", "%2C") if value else text

    kinds = {"error": "error", "warning": "warning", "info": "notice"}
    lines = []
    for path, finding in findings:
        r = _record(path, finding)
        place = f",line={r['line']},col={r['column']}" if r["line"] else ""
        title = f",title={r['code']}"
        lines.append(
            f"::{kinds[r['severity']]} file={escape(r['file'], value=True)}{place}{title}::{escape(r['message'])}"
        )
    return "".join(line + "\n" for line in lines)


def _junit(checked: Sequence[check_files.CheckedFile], least: editor_app.Severity) -> str:
    """JUnit's XML as GitLab and Jenkins read it: a suite for each file, a case for each finding.

    A finding of severity `least` or above is a failure, a lesser one a case that passes with its message as output, a
    file that cannot be read an error; a file without findings has one case that passes.
    """
    root = ElementTree.Element("testsuites", name="xrdf-editor check")
    for file in checked:
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(str(file.path)))
        if file.error is not None:
            case = ElementTree.SubElement(suite, "testcase", name="readable", classname=_xml(str(file.path)))
            ElementTree.SubElement(case, "error", message=_xml(str(file.error)))
        elif not file.findings:
            ElementTree.SubElement(suite, "testcase", name="no finding", classname=_xml(str(file.path)))
        for finding in file.findings:
            r = _record(file.path, finding)
            place = r["file"] + (f":{r['line']}:{r['column']}" if r["line"] else "")
            name = f"{r['code']} {r['path']}".rstrip()
            case = ElementTree.SubElement(suite, "testcase", name=_xml(name), classname=_xml(r["file"]))
            case.set("file", _xml(r["file"]))
            if r["line"]:
                case.set("line", str(r["line"]))
            if finding.severity >= least:
                failure = ElementTree.SubElement(case, "failure", type=r["severity"], message=_xml(r["message"]))
                failure.text = _xml(f"{place}: {r['severity']} {r['code']}: {r['message']}")
            else:
                ElementTree.SubElement(case, "system-out").text = _xml(f"{place}: {r['severity']}: {r['message']}")
        for key, tag in (("tests", "testcase"), ("failures", ".//failure"), ("errors", ".//error")):
            suite.set(key, str(len(suite.findall(tag))))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Return a text that XML can hold: characters that it has not are written by their numbers, as for terminals."""
    return re.sub("[\ud800-\udfff\ufffe\uffff]", lambda match: f"\\u{ord(match[0]):04x}", printable(text))


def _rule(code: str, title: str, section: str) -> dict[str, Any]:
    """What SARIF says of a rule: GitHub shows the title, the description, and the manual's section as help."""
    help_text = section or title
    message = re.search(r"^Message: .*$", section, re.MULTILINE)
    full = f"{title}. {as_plain_text(message[0])}" if message is not None else f"{title}."
    return {
        "id": code,
        "shortDescription": {"text": title},
        "fullDescription": {"text": full},
        "help": {"text": as_plain_text(help_text), "markdown": help_text},
    }


def _uri_of_file(path: Path) -> str:
    """Return the URI of a file in SARIF: relative to the current folder, or absolute for a file outside of it."""
    if path.is_absolute() and not path.is_relative_to(Path.cwd()):
        return path.as_uri()
    return quote(path.relative_to(Path.cwd()).as_posix() if path.is_absolute() else path.as_posix())


def _sarif(findings: FileFindings) -> str:
    """SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/."""
    from editor_app.features.checks.engine.runner import code_titles

    levels = {"error": "error", "warning": "warning", "info": "note"}
    titles, sections = code_titles(), finding_pages()
    codes = sorted({f.code for _, f in findings})
    results = []
    for path, finding in findings:
        r = _record(path, finding)
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri_of_file(Path(r["file"]))}}
        if r["line"]:
            place["region"] = {"startLine": r["line"], "startColumn": r["column"]}
        location: dict[str, Any] = {"physicalLocation": place}
        if r["path"]:
            location["logicalLocations"] = [{"fullyQualifiedName": r["path"]}]
        results.append(
            {
                "ruleId": r["code"],
                "level": levels[r["severity"]],
                "message": {"text": _without_links(r["message"])},
                "locations": [location],
            }
        )
    home = project_address("Homepage")
    driver = {
        "name": "xrdf-editor",
        **({} if home is None else {"informationUri": home}),
        "version": editor_app.__version__,
        "rules": [_rule(code, titles.get(code, code), sections.get(code, "")) for code in codes],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json_text(log)


_FORMATS = {"json": _json, "github": _github, "sarif": _sarif}


def _without_links(text: str) -> str:
    """SARIF takes [words](target) in a message for a link; a name may look like one."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in text else text
