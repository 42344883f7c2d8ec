"""Findings for programs: GitHub's annotations, SARIF and JUnit's XML; every command that judges
writes them here."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from editor_app.core.model.findings import Finding
from editor_app.core.model.printable import json_text, printable
from editor_app.core.verbs.versions import project_address
from editor_app.features.checks.verbs.finding_pages import as_plain_text, finding_pages
from editor_app.version import __version__

#: Findings, each with the file that was named.
FileFindings = Sequence[tuple[Path, Finding]]


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """`failure`: kind, message and text of a case that failed. `error`: why it could not be run.
    `output`: of one that passed."""

    name: str
    classname: str
    file: str = ""
    line: int | None = None
    failure: tuple[str, str, str] | None = None
    error: str | None = None
    output: str = ""


def finding_record(path: Path, finding: Finding) -> dict[str, Any]:
    """Return the plain values of a finding, for JSON."""
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
    """Return a path as text: `geometry.g.spheres.link0[2].radius`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def github_text(findings: FileFindings) -> str:
    """Return workflow commands:
    https://docs.github.com/actions/reference/workflow-commands-for-github-actions."""

    def escape(text: str, *, value: bool = False) -> str:
        text = printable(text).replace("%", "%25")
        return text.replace(":", "%3A").replace(",", "%2C") if value else text

    kinds = {"error": "error", "warning": "warning", "info": "notice"}
    lines = []
    for path, finding in findings:
        r = finding_record(path, finding)
        place = f",line={r['line']},col={r['column']}" if r["line"] else ""
        title = f",title={r['code']}"
        lines.append(
            f"::{kinds[r['severity']]} "
            f"file={escape(r['file'], value=True)}{place}{title}::{escape(r['message'])}"
        )
    return "".join(line + "\n" for line in lines)


def junit_text(title: str, suites: Iterable[tuple[str, Sequence[JUnitCase]]]) -> str:
    """Return JUnit's XML as GitLab and Jenkins read it: (name, cases) for each suite."""
    root = ElementTree.Element("testsuites", name=title)
    for name, cases in suites:
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(name))
        for each in cases:
            case = ElementTree.SubElement(
                suite, "testcase", name=_xml(each.name), classname=_xml(each.classname)
            )
            if each.file:
                case.set("file", _xml(each.file))
            if each.line:
                case.set("line", str(each.line))
            if each.error is not None:
                ElementTree.SubElement(case, "error", message=_xml(each.error))
            elif each.failure is not None:
                kind, message, text = map(_xml, each.failure)
                ElementTree.SubElement(case, "failure", type=kind, message=message).text = text
            elif each.output:
                ElementTree.SubElement(case, "system-out").text = _xml(each.output)
        for key, tag in (("tests", "testcase"), ("failures", ".//failure"), ("errors", ".//error")):
            suite.set(key, str(len(suite.findall(tag))))
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def _xml(text: str) -> str:
    """Return a text that XML can hold: characters that it has not are written by their numbers, as
    for terminals."""
    return re.sub(
        "[\ud800-\udfff\ufffe\uffff]", lambda match: f"\\u{ord(match[0]):04x}", printable(text)
    )


def _rule(code: str, title: str, section: str) -> dict[str, Any]:
    """What SARIF says of a rule: GitHub shows the title, the description, and the manual's section
    as help."""
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
    """Return the URI of a file in SARIF: relative to the current folder, or absolute for a file
    outside of it."""
    if path.is_absolute() and not path.is_relative_to(Path.cwd()):
        return path.as_uri()
    return quote(path.relative_to(Path.cwd()).as_posix() if path.is_absolute() else path.as_posix())


def sarif_text(findings: FileFindings, titles: Mapping[str, str]) -> str:
    """Return SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/.

    `titles`: code -> title; a code without one is its own title.
    """
    levels = {"error": "error", "warning": "warning", "info": "note"}
    sections = finding_pages()
    codes = sorted({f.code for _, f in findings})
    results = []
    for path, finding in findings:
        r = finding_record(path, finding)
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
        "version": __version__,
        "rules": [_rule(code, titles.get(code, code), sections.get(code, "")) for code in codes],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return json_text(log)


def _without_links(text: str) -> str:
    """SARIF takes [words](target) in a message for a link; a name may look like one."""
    return (
        text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in text else text
    )
