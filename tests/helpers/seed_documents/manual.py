"""The page of the manual: each element of each document, what the editor does with it, and
where."""

from __future__ import annotations

from pathlib import Path

from editor_app.features.checks.engine.runner import load_rules
from tests.helpers.seed_documents.agx import AGX_LEAVES_OUT, AGX_SETTINGS, AGX_STATEMENTS
from tests.helpers.seed_documents.collada import COLLADA_ROWS
from tests.helpers.seed_documents.rows import Row, Statement
from tests.helpers.seed_documents.tesseract_srdf import SRDF_ROWS, SRDF_STATEMENTS
from tests.helpers.seed_documents.urdf import URDF_ROWS, URDF_STATEMENTS
from tests.helpers.seed_documents.xrdf import XRDF_ROWS, XRDF_STATEMENTS

MANUAL = Path(__file__).parents[3] / "resources" / "manual" / "documents.md"

_DOCUMENTS: tuple[tuple[str, tuple[Row, ...], tuple[Statement, ...]], ...] = (
    ("XRDF 1.0 (NVIDIA)", XRDF_ROWS, XRDF_STATEMENTS),
    ("URDF", URDF_ROWS, URDF_STATEMENTS),
    ("Tesseract SRDF", SRDF_ROWS, SRDF_STATEMENTS),
)


def manual() -> str:
    """The text of the page."""
    lines = [
        "# Documents, element by element",
        "",
        "## When you need this",
        "",
        "You want to know whether the editor reads, edits and writes one element of XRDF, URDF, "
        "SRDF or COLLADA.",
        "",
        "1. Search the page for the element, such as `safety_controller`.",
        "2. Read its row: the part of the window that shows it, and the code of the finding for a "
        "mistake.",
        "3. Check the last column: programs that do not read the element.",
        "",
        "## The tables",
        "",
        "A test covers each row: the value is read, an edit changes only this value in the file, "
        "and a mistake "
        "is found. The last column names programs that do not read the element.",
    ]
    for title, rows, statements in _DOCUMENTS:
        lines += [
            "",
            f"## {title}",
            "",
            "| element | read, edited, written | shown in | a mistake is found by | left out by |",
            "|---|---|---|---|---|",
        ]
        for row in rows:
            code = {"URDF": "the reader", "SRDF": "the reader"}.get(row.code, row.code or "")
            lines.append(f"| {row.item} | yes | `{row.shown}` | {code} | {row.left_out} |")
        lines += ["", "Further rules of the document, covered by tests:", ""]
        lines += [
            f"- {s.sentence}" + (f" (left out by {s.left_out})" if s.left_out else "")
            for s in statements
        ]
    head = "| element | read and written | becomes | left out by OpenRAVE's reader |"
    lines += ["", "## COLLADA robot specification 0.1 (OpenRAVE)", "", head, "|---|---|---|---|"]
    lines += [f"| {row.item} | yes | {row.becomes} | {row.left_out} |" for row in COLLADA_ROWS]
    lines += [
        "",
        "The last column describes the source of the reader in August 2024, and of its sensor "
        "plugin.",
    ]
    head = "| setting of the reader | here |"
    lines += ["", "## AGX Dynamics' UrdfReader", "", head, "|---|---|"]
    lines += [f"| {setting} | {verb} |" for setting, verb, _ in AGX_SETTINGS]
    lines += ["", "Its table of features is the URDF table above. It does not support:", ""]
    lines += [f"- {item}" for item in AGX_LEAVES_OUT]
    lines += [
        "",
        "Further rules of its document, which `check --profile agx` reports for a robot:",
        "",
    ]
    lines += [f"- {sentence}" for sentence, _ in AGX_STATEMENTS]
    lines += ["", "## Rules", "", "| code | rule |", "|---|---|"]
    titles = {code: title for rule in load_rules().values() for code, title in rule.titles.items()}
    lines += [f"| {code} | {titles[code]} |" for code in sorted(titles)]
    return "\n".join(lines) + "\n"
