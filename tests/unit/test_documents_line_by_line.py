"""The documents of XRDF, URDF and Tesseract's SRDF, in their order: each element is read, edited, checked, written."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from editor_app.checks.context import CheckContext
from editor_app.checks.runner import check
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import patch_srdf, read_srdf
from editor_app.formats.urdf import read_urdf
from editor_app.formats.urdf.patch import patch_urdf
from editor_app.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import Xrdf
from tests.helpers.seed_rows import MANUAL, SRDF, SRDF_ROWS, URDF, URDF_ROWS, XRDF, XRDF_ROWS, XRDF_URDF, Row, manual

CASES = [
    *(pytest.param("xrdf", row, id=f"XRDF {row.item}") for row in XRDF_ROWS),
    *(pytest.param("urdf", row, id=f"URDF {row.item}") for row in URDF_ROWS),
    *(pytest.param("srdf", row, id=f"SRDF {row.item}") for row in SRDF_ROWS),
]
TEXTS = {"xrdf": XRDF, "urdf": URDF, "srdf": SRDF}


def _source(kind: str, text: str) -> Any:
    reader: Any = {"xrdf": read_xrdf, "urdf": read_urdf, "srdf": read_srdf}[kind]
    return reader(SourceText.from_text(text))


def _patched(kind: str, source: Any, model: Any) -> str:
    patch: Any = {"xrdf": patch_xrdf, "urdf": patch_urdf, "srdf": patch_srdf}[kind]
    text: str = patch(source, model).text
    return text


@pytest.mark.parametrize(("kind", "row"), CASES)
def test_it_is_read_and_a_change_is_written_as_that_change_alone(kind: str, row: Row) -> None:
    text = TEXTS[kind]
    assert text.count(row.old) == 1, "the row names one place"
    source = _source(kind, text)
    assert row.read(getattr(source, kind)) == row.value
    changed = text.replace(row.old, row.new)
    new = getattr(_source(kind, changed), kind)
    assert (row.read(new) == row.value) == (row.old == row.new)
    assert _patched(kind, source, new) == changed


@pytest.mark.parametrize(("kind", "row"), [c for c in CASES if c.values[1].code])  # type: ignore[attr-defined]
def test_a_mistake_is_found(kind: str, row: Row) -> None:
    assert row.code in "".join(_codes(kind, TEXTS[kind].replace(row.old, row.bad)))


def test_the_texts_themselves_are_sound() -> None:
    for kind, text in TEXTS.items():
        assert not [c for c in _codes(kind, text) if c.startswith(("TREE", "URDF00", "SRDF01", "XRDF2"))], kind


def _codes(kind: str, text: str) -> list[str]:
    try:
        source = _source(kind, text)
    except FormatError as error:
        return [f"{kind.upper()} {error}"]
    base = _source("urdf", XRDF_URDF)
    urdf = source if kind == "urdf" else base
    if kind == "xrdf":
        return [f.code for f in check(CheckContext(RobotDescription(urdf.urdf, source.xrdf), source))]
    srdf = source if kind == "srdf" else None
    robot = RobotDescription(urdf.urdf, Xrdf(), srdf.srdf if srdf is not None else None)
    context = CheckContext(robot, urdf_source=urdf, srdf_source=srdf, has_xrdf=False)
    found = [f.code for f in check(context)]
    return [*found, *(f.code for f in source.findings)]


@pytest.mark.parametrize("shown", sorted({c.values[1].shown for c in CASES}))  # type: ignore[attr-defined]
def test_it_is_shown_in_a_panel_that_exists(shown: str) -> None:
    assert importlib.util.find_spec(f"editor_app.gui.{shown}") is not None


def test_the_manual_has_the_table_of_these_rows() -> None:
    assert MANUAL.read_text(encoding="utf-8") == manual(), "python -m tests.helpers.seed_rows writes it anew"
