"""The manual's table of the documents is the one that the tests of the documents hold."""

from __future__ import annotations

from tests.helpers.seed_documents.manual import MANUAL, manual


def test_the_table_is_up_to_date() -> None:
    assert MANUAL.read_text(encoding="utf-8") == manual(), (
        "python -P -m tests.helpers.seed_documents writes it anew"
    )
