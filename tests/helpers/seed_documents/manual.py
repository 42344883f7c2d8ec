"""The page of the manual: each element of each document, what the editor does with it, and where."""

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
        "# The formats' documents, element by element",
        "",
        "Each row is held by a test: the value is read, a change of it is written as a change of that value alone, and "
        "what is wrong with it is found. Rows marked with a program are left out by that program itself.",
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
        lines += ["", "What the document says beside that, and a test holds:", ""]
        lines += [f"- {s.sentence}" + (f" (left out by {s.left_out})" if s.left_out else "") for s in statements]
    head = "| element | read and written | becomes | left out by OpenRAVE's reader |"
    lines += ["", "## COLLADA robot specification 0.1 (OpenRAVE)", "", head, "|---|---|---|---|"]
    lines += [f"| {row.item} | yes | {row.becomes} | {row.left_out} |" for row in COLLADA_ROWS]
    lines += ["", "The last column is about the reader's source as it was in August 2024, and its plugin for sensors."]
    head = "| setting of the reader | here |"
    lines += ["", "## AGX Dynamics' UrdfReader", "", head, "|---|---|"]
    lines += [f"| {setting} | {verb} |" for setting, verb, _ in AGX_SETTINGS]
    lines += ["", "Its table of features is that of URDF above. It leaves out what the editor has:", ""]
    lines += [f"- {item}" for item in AGX_LEAVES_OUT]
    lines += ["", "Its document says beside the table, and `check --profile agx` reports for a robot:", ""]
    lines += [f"- {sentence}" for sentence, _ in AGX_STATEMENTS]
    lines += ["", "## Rules", "", "| code | rule |", "|---|---|"]
    titles = {code: title for rule in load_rules().values() for code, title in rule.titles.items()}
    lines += [f"| {code} | {titles[code]} |" for code in sorted(titles)]
    return "\n".join(lines) + "\n"
