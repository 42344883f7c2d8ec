"""README and manual avoid the words of the style guide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.manual_pages import MANUAL
from tests.helpers.plain_english import AVOIDED, find_faults, without_quotes

#: A list of terms needs no steps.
_LISTS = {"glossary.md"}
ROOT = MANUAL.parents[1]
#: Pages that users read outside the manual.
READMES = [
    ROOT / name for name in ("README.md", "packaging/core/README.md", "packaging/vscode/README.md")
]
PAGES = {str(path.relative_to(MANUAL)): path for path in sorted(MANUAL.rglob("*.md"))}


def faults(page: str) -> list[str]:
    """Return `line: word: what to write` for each word to avoid outside of quoted labels, code and
    output."""
    return find_faults(without_quotes(page), AVOIDED)


@pytest.mark.parametrize("path", [*READMES, *PAGES.values()], ids=lambda path: path.name)
def test_a_page_avoids_the_words_of_the_style_guide(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", sorted(PAGES.keys() - _LISTS))
def test_a_page_begins_with_its_purpose_and_three_steps(name: str) -> None:
    text = PAGES[name].read_text(encoding="utf-8")
    first = text.split("\n## ")[1]
    assert first.startswith("When you need this\n"), (
        "the first heading says when a reader needs the page"
    )
    assert re.findall(r"^(\d)\. ", first, re.MULTILINE) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is told.\n", ["told"]),
        ("the file beside it\nstands out", ["beside", "stands out"]),
        ("`told` and *Ask the meshes*\n```\nbeside\n```\nbare", ["bare"]),
        ("A pair is ignored. It protrudes.", []),
    ],
)
def test_words_to_avoid_are_seen_outside_of_quotes(text: str, words: list[str]) -> None:
    assert sorted(line.split(": ")[1] for line in faults(text)) == sorted(words)


def test_the_changelog_has_a_short_line_per_change() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    # Release 0.9.0 and those before it had texts.
    for page in text.partition("\n## 0.9.0")[0].split("\n## ")[1:]:
        lines = [line for line in page.splitlines()[1:] if line]
        headings = [line.removeprefix("### ") for line in lines if not line.startswith("- ")]
        assert headings == [
            name for name in ("Added", "Changed", "Fixed", "Removed") if name in headings
        ]
        assert [line for line in lines if len(line) > 100] == []
