"""Labels that README and manual print in *italics* are texts of the window."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.manual_pages import MANUAL
from tests.helpers.user_texts import PROGRAM

#: Pages without labels: made from the program, or from its rules.
_MADE = {"command-line.md", "keys.md"}
PAGES = [
    MANUAL.parents[1] / "README.md",
    *(
        path
        for path in sorted(MANUAL.rglob("*.md"))
        if path.name not in _MADE and path.parent.name != "findings"
    ),
]
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`|\*\*[^*\n]+\*\*", re.MULTILINE | re.DOTALL)
#: The first column of these pages has labels of the other program.
_OF_OTHERS = re.compile(r"^\| .*?(?= \| )", re.MULTILINE)
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_ITALICS = re.compile(r"(?<!\*)\*([^*\n]+)\*(?!\*)")
#: Page -> italics that are no labels of this window: labels of other programs, words to search for,
#: terms.
_NO_LABELS = {
    "figures.md": {"by "},
    "formats.md": {"read", "written, as"},
    "from-isaac-sim.md": {
        "cuMotion/Lula Robot Description Editor",
        "Generate Spheres",
        "File › Export URDF",
        "Play",
    },
    "from-moveit.md": {"Never in Collision", "3D Perception"},
    "journeys.md": {"Make an XRDF for my robot"},
    "plug-ins.md": {"acme"},
    "what-is-xrdf.md": {"Extended Robot Description Format"},
    "window.md": {"payload", "undo pose", "ignore pairs"},
}


def shown(text: str) -> str:
    """Return a label as a reader sees it, without the mark of its key and without dots."""
    return text.replace("&", "").rstrip("…: ").casefold()


@cache
def texts() -> set[str]:
    """Return the string literals of the program: whole, by the parts of a menu, and up to a
    value."""
    literals = {
        text
        for path in PROGRAM.rglob("*.py")
        for text in _LITERAL.findall(path.read_text(encoding="utf-8"))
    }
    return {shown(part) for text in literals for part in (text, *re.split(r"/|: |\{", text))}


def is_label(text: str) -> bool:
    return shown(text) in texts()


def unknown_labels(page: str, name: str) -> list[str]:
    text = _CODE.sub("", page)
    if name.startswith("from-"):
        text = _OF_OTHERS.sub("", text)
    quoted = [quote for quote in _ITALICS.findall(text) if quote not in _NO_LABELS.get(name, ())]
    return [quote for quote in quoted if not all(map(is_label, quote.split(" › ")))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_labels_in_italics_exist_in_the_window(path: Path) -> None:
    assert unknown_labels(path.read_text(encoding="utf-8"), path.name) == []


def test_a_label_that_the_window_lacks_is_found() -> None:
    page = (
        "Click *Create XRDF*, then *Ask the pixies*; `*code*` and **Mask › Compute the mask** are "
        "checked elsewhere."
    )
    assert unknown_labels(page, "start.md") == ["Ask the pixies"]
