"""README and manual avoid the words of the style guide. Pages to rewrite are listed; the list only shrinks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.manual_pages import MANUAL

#: Whole words that a reader stumbles over -> what to write.
AVOIDED = {
    r"tells?|told|telling": "reports, lists, prints",
    r"beside|along with it|thereof": "next to, in the same folder",
    r"mends?|mended|mending": "fix",
    r"remed(?:y|ies)": "fix",
    r"stands? (?:out|for|in|beside|open)|stood": "protrude, represent, is in",
    r"whatever|what comes back": "name the thing",
    r"of its own|of them|of his own": "rewrite the sentence",
    r"is none|are none|there is none": "no …, missing",
    r"lets? (?:\w+ )?pass|refused needlessly|accepted wrongly": "missed collisions, false collisions",
    r"bare": "uncovered",
    r"ask the meshes": "compare with the meshes",
    r"makers?": "manufacturer",
    r"twins?|siblings?": "duplicate, mirrored link",
    r"house|doors?|roads?": "package, module, entry point",
}
#: Labels and output of the program, which the pages quote as they are: *label*, `code`, fenced blocks.
_QUOTED = re.compile(r"^```.*?^```|`[^`\n]*`|\*{1,2}[^*\n]+\*{1,2}", re.MULTILINE | re.DOTALL)
#: Pages that are made from the program, or still to be rewritten. Only ever take one out.
NOT_YET = {
    "command-line.md",
    "documents.md",
    "figures.md",
    "findings/meshes.md",
    "findings/ros.md",
    "findings/srdf.md",
    "findings/urdf.md",
    "findings/xrdf.md",
    "index.md",
    "keys.md",
    "programs.md",
    "scripting.md",
}
#: A list of terms needs no steps.
_LISTS = {"glossary.md"}
PAGES = {str(path.relative_to(MANUAL)): path for path in sorted(MANUAL.rglob("*.md"))}
REWRITTEN = {name: path for name, path in PAGES.items() if name not in NOT_YET}


def faults(text: str) -> list[str]:
    """`line: word: what to write` for each word to avoid outside of quoted labels, code and output."""
    plain = _QUOTED.sub(lambda quoted: "\n" * quoted.group().count("\n"), text)
    return [
        f"{plain.count(chr(10), 0, hit.start()) + 1}: {hit.group()}: {advice}"
        for pattern, advice in AVOIDED.items()
        for hit in re.finditer(rf"\b(?:{pattern})\b", plain, re.IGNORECASE)
    ]


@pytest.mark.parametrize("path", [MANUAL.parents[1] / "README.md", *REWRITTEN.values()], ids=lambda path: path.name)
def test_a_rewritten_page_avoids_the_words_of_the_style_guide(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", sorted(REWRITTEN.keys() - _LISTS))
def test_a_rewritten_page_begins_with_its_purpose_and_three_steps(name: str) -> None:
    text = REWRITTEN[name].read_text(encoding="utf-8")
    first = text.split("\n## ")[1]
    assert first.startswith("When you need this\n"), "the first heading says when a reader needs the page"
    assert re.findall(r"^(\d)\. ", first, re.MULTILINE) == ["1", "2", "3"]


def test_pages_that_wait_exist_and_still_need_it() -> None:
    assert PAGES.keys() >= NOT_YET


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
    text = (MANUAL.parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = text.partition("## Unreleased\n")[2].partition("\n## ")[0]
    lines = [line for line in unreleased.splitlines() if line]
    headings = [line.removeprefix("### ") for line in lines if not line.startswith("- ")]
    assert headings == [name for name in ("Added", "Changed", "Fixed", "Removed") if name in headings]
    assert [line for line in lines if len(line) > 100] == []
