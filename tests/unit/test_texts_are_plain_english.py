"""Texts that a user reads outside of the window avoid the words of the style guide."""

from __future__ import annotations

import re

import pytest

from tests.helpers.plain_english import AVOIDED_IN_TEXTS, find_faults
from tests.helpers.user_texts import UserText, user_texts

#: Areas that still have to be rewritten. Only ever take one out.
NOT_YET = {"window"}
#: Names of commands, options, keys and files, and expressions of f-strings: no words of a sentence.
_NAMES = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|`[^`]*`|xrdf-editor \w+|--[\w-]+|\b\w+\.\w+\b|\w*_\w*")
TEXTS = [text for text in user_texts() if text.area not in NOT_YET]


def faults(text: UserText) -> list[str]:
    words = _NAMES.sub(lambda name: "\n" * name.group().count("\n"), text.text)
    return [f"{text.path}:{text.line}: {fault}" for fault in find_faults(words, AVOIDED_IN_TEXTS)]


def test_texts_outside_of_the_window_avoid_the_words_of_the_style_guide() -> None:
    assert [fault for text in TEXTS for fault in faults(text)] == []


def test_areas_that_wait_exist_and_still_need_it() -> None:
    waiting = {text.area for text in user_texts() if text.area in NOT_YET and faults(text)}
    assert waiting == NOT_YET


@pytest.mark.parametrize("kind", ["finding", "help", "error", "report", "label", "text"])
def test_texts_of_every_kind_are_found(kind: str) -> None:
    assert any(text.kind == kind for text in TEXTS)
