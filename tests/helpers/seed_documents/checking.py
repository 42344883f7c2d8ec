"""What every row of a document has to pass."""

from __future__ import annotations

from typing import Any

from editor_app.core.formats.srdf import patch_srdf, read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.seed_documents.rows import Row
from tests.helpers.seed_documents.xrdf import XRDF_URDF

_READERS: dict[str, Any] = {"xrdf": read_xrdf, "urdf": read_urdf, "srdf": read_srdf}
_PATCHES: dict[str, Any] = {"xrdf": patch_xrdf, "urdf": patch_urdf, "srdf": patch_srdf}


def source_of(kind: str, text: str) -> Any:
    """The text of a format, read."""
    return _READERS[kind](SourceText.from_text(text))


def assert_read_and_written(kind: str, text: str, row: Row) -> None:
    """The value is read, and a change of it is written as that change alone."""
    assert text.count(row.old) == 1, "the row names one place"
    source = source_of(kind, text)
    assert row.read(source.value) == row.value
    changed = text.replace(row.old, row.new)
    new = source_of(kind, changed).value
    assert (row.read(new) == row.value) == (row.old == row.new)
    assert _PATCHES[kind](source, new).text == changed


def assert_mistake_is_found(kind: str, text: str, row: Row) -> None:
    """The row's mistake brings a code that the sound text does not have as often."""
    before, after = codes(kind, text), codes(kind, text.replace(row.old, row.bad))
    assert any(
        code.startswith(row.code) and after.count(code) > before.count(code) for code in after
    )


def codes(kind: str, text: str) -> list[str]:
    """Of everything that is wrong with a text, checked against the robot of the XRDF's document."""
    try:
        source = source_of(kind, text)
    except FormatError as error:
        return [f"{kind.upper()} {error}"]
    urdf = source if kind == "urdf" else source_of("urdf", XRDF_URDF)
    if kind == "xrdf":
        return [
            f.code
            for f in run_rules(CheckContext(RobotDescription(urdf.value, source.value), source))
        ]
    srdf = source if kind == "srdf" else None
    robot = RobotDescription(urdf.value, Xrdf(), srdf.value if srdf is not None else None)
    context = CheckContext(robot, urdf_source=urdf, srdf_source=srdf, has_xrdf=False)
    return [*(f.code for f in run_rules(context)), *(f.code for f in source.findings)]
