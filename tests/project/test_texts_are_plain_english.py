"""Texts that a user reads avoid the words of the style guide."""

from __future__ import annotations

import re

import pytest

from tests.helpers.plain_english import AVOIDED_IN_TEXTS, find_faults
from tests.helpers.user_texts import UserText, user_texts

#: Names of commands, options, keys and files, and expressions of f-strings: no words of a sentence.
_NAMES = re.compile(
    r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|`[^`]*`|xrdf-editor \w+|--[\w-]+|\b\w+\.\w+\b|\w*_\w*"
)


@pytest.fixture(scope="module")
def texts() -> list[UserText]:
    """Return all texts. Not at import: each process of a test run imports all test files."""
    return [*user_texts()]


def faults(text: UserText) -> list[str]:
    words = _NAMES.sub(lambda name: "\n" * name.group().count("\n"), text.text)
    return [f"{text.path}:{text.line}: {fault}" for fault in find_faults(words, AVOIDED_IN_TEXTS)]


def test_texts_avoid_the_words_of_the_style_guide(texts: list[UserText]) -> None:
    assert [fault for text in texts for fault in faults(text)] == []


def test_texts_of_every_kind_are_found(texts: list[UserText]) -> None:
    kinds = {text.kind for text in texts}
    assert {"finding", "help", "error", "report", "label", "text"} <= kinds
