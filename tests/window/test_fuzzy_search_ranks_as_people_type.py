"""The search box finds what was meant by a few letters, and does not find noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_app.window.actions.command_palette import fuzzy_match

ACTIONS = [
    "Save",
    "Save as",
    "Save a copy",
    "Standard view",
    "Show all links",
    "wrist_3_link",
    "shoulder_pan_joint",
]


def ranked(query: str) -> list[str]:
    scored = [(m.score, text) for text in ACTIONS if (m := fuzzy_match(query, text)) is not None]
    return [text for _, text in sorted(scored, key=lambda item: -item[0])]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("save", "Save"),
        ("sac", "Save a copy"),
        ("save c", "Save a copy"),
        ("w3", "wrist_3_link"),
        ("pan", "shoulder_pan_joint"),
        ("spj", "shoulder_pan_joint"),
        ("links all", "Show all links"),
        ("VIEW", "Standard view"),
    ],
)
def test_the_best_match_comes_first(query: str, first: str) -> None:
    assert ranked(query)[0] == first


def test_letters_strewn_by_chance_do_not_match() -> None:
    assert fuzzy_match("xyz", "Save a copy") is None
    assert fuzzy_match("svw", "shoulder_pan_joint") is None


@given(st.text(min_size=1, max_size=8), st.text(max_size=30))
def test_matched_positions_hold_the_letters_of_the_query(query: str, text: str) -> None:
    matched = fuzzy_match(query, text)
    if matched is None:
        return
    letters = [text[i].lower() for i in matched.positions if i < len(text)]
    for word in query.lower().split():
        for letter in word:
            assert letter in "".join(letters).lower()


@given(
    st.text(alphabet=st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=20)
)
def test_a_text_is_found_by_itself(text: str) -> None:
    assert fuzzy_match(text, text) is not None
