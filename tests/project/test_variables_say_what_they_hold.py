"""No variable, parameter, field or function of program or tests is named for being there instead of
for what it is.

`found`, `there`, `known`, `own` and `what` fit whatever is looked for, so that a reader learns
nothing from them; with an underscore before them they say no more. Modules are named for their
content, not for what is done with it. Sentences name their things: no pronoun stands for a noun
that was not said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "editor_app"
TESTS = ROOT / "tests"
EMPTY = {"found", "there", "known", "own", "what"}
#: What can stand behind a name that is bound. Few files have it, and parsing all of them would cost
#: seconds.
BOUND = re.compile(
    rf"(?<!\w)_*(?:{'|'.join(sorted(EMPTY | {name.upper() for name in EMPTY}))})_*\s*(?:[=,:;()\]}}]|(?:in|if)\b|$)",
    re.MULTILINE,
)
#: Between words may stand the margin of the next line, and the mark of a comment or a quotation.
PRONOUNS = re.compile(
    r"\b(?:those of|whoever|what there is)\b".replace(" ", r"[\s#:>\"]+"), re.IGNORECASE
)
EMPTY_MODULES = EMPTY | {"install", "onto", "telling", "utils", "helpers", "misc"}


def is_empty(name: str | None) -> bool:
    return name is not None and name.strip("_").lower() in EMPTY


def empty_names(source: str) -> Iterator[tuple[int, str]]:
    """(line, name) of each binding of an empty name: variable, loop target, parameter, field,
    function, class."""
    if not BOUND.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                pass
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=name) | ast.MatchAs(name=name):
                pass
            case ast.MatchStar(name=name) | ast.MatchMapping(rest=name) | ast.alias(asname=name):
                pass
            case _:
                continue
        if is_empty(name):
            yield getattr(node, "lineno", 0), str(name)


def test_no_name_is_empty() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for folder in (PACKAGE, ROOT / "packaging", TESTS)
        for path in sorted(folder.rglob("*.py"))
        for line, name in empty_names(path.read_text(encoding="utf-8"))
    ]
    assert not faults, "Name these for what they hold:\n" + "\n".join(faults)


def test_modules_are_named_for_their_content() -> None:
    faults = [
        str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*.py") if path.stem in EMPTY_MODULES
    ]
    assert not faults, "Name these for their content:\n" + "\n".join(faults)


@pytest.mark.parametrize(
    "source",
    [
        "found = 1",
        "_KNOWN = 1",
        "for there in (): pass",
        "[known for known in ()]",
        "f(lambda own: own)",
        "def f(*, what): pass",
        "def f(*found): pass",
        "if (found := g()): pass",
        "a, *there = b",
        "self.known = 1",
        "self._known = 1",
        "class A:\n    own: int",
        "class A:\n    def what(self): pass",
        "with a as found: pass",
        "match a:\n    case [found, *_]: pass",
        "import a as found",
        "try: pass\nexcept E as found: pass",
    ],
)
def test_empty_names_are_seen_wherever_they_are_bound(source: str) -> None:
    assert list(empty_names(source))


def test_names_that_say_what_they_hold_are_none() -> None:
    assert not list(empty_names("mesh_path = found_by_name(own_group)\nprint(found, self.known)"))


def test_sentences_name_their_things() -> None:
    texts = [*PACKAGE.rglob("*.py"), *(ROOT / "resources" / "manual").rglob("*.md")]
    # The phrases are spelt out in this file itself.
    texts += [path for path in TESTS.rglob("*.py") if path != Path(__file__)]
    faults = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, phrase.start()) + 1}: {phrase.group()}"
        for path in [*texts, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        for text in [path.read_text(encoding="utf-8")]
        for phrase in PRONOUNS.finditer(text)
    ]
    assert not faults, "Say the noun:\n" + "\n".join(faults)


@pytest.mark.parametrize(
    "text",
    ["Those of the arm", "# links, those\n    # of the arm", "whoever reads", "of what there is"],
)
def test_pronouns_are_seen_across_lines(text: str) -> None:
    assert PRONOUNS.search(text)
    assert not PRONOUNS.search("the links of the arm, and what is there")
