"""Tesseract's document of SRDF in its order: each element is read, shown, edited, checked and
written."""

from __future__ import annotations

import importlib.util

import pytest

from tests.helpers.seed_documents.checking import (
    assert_mistake_is_found,
    assert_read_and_written,
    codes,
)
from tests.helpers.seed_documents.rows import Row, Statement
from tests.helpers.seed_documents.tesseract_srdf import SRDF, SRDF_ROWS, SRDF_STATEMENTS


@pytest.mark.parametrize("row", SRDF_ROWS, ids=lambda row: row.item)
def test_it_is_read_and_a_change_is_written_as_that_change_alone(row: Row) -> None:
    assert_read_and_written("srdf", SRDF, row)


@pytest.mark.parametrize("row", [row for row in SRDF_ROWS if row.code], ids=lambda row: row.item)
def test_a_mistake_is_found(row: Row) -> None:
    assert_mistake_is_found("srdf", SRDF, row)


@pytest.mark.parametrize("statement", SRDF_STATEMENTS, ids=lambda statement: statement.sentence)
def test_what_the_document_says_holds(statement: Statement) -> None:
    assert statement.holds()


@pytest.mark.parametrize("shown", sorted({row.shown for row in SRDF_ROWS}))
def test_it_is_shown_in_a_panel_that_exists(shown: str) -> None:
    assert importlib.util.find_spec(f"editor_app.{shown}") is not None


def test_the_text_itself_is_sound() -> None:
    assert not [code for code in codes("srdf", SRDF) if code.startswith(("SRDF01",))]
