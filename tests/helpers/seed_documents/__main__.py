"""Writes the page of the manual."""

from tests.helpers.seed_documents.manual import MANUAL, manual

MANUAL.parent.mkdir(parents=True, exist_ok=True)
MANUAL.write_text(manual(), encoding="utf-8")
