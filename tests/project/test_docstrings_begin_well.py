"""A public docstring begins with an imperative verb or a noun of the domain, not with the words of
the style guide."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

EDITOR = Path(__file__).resolve().parents[2] / "editor_app"
AVOIDED = re.compile(r"(What|Of|As|The same|None|Where|Whether)\b")


_Block = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _public_blocks(body: list[ast.stmt]) -> Iterator[_Block]:
    for node in body:
        if isinstance(node, _Block) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public_blocks(node.body)


def avoided_beginnings(source: str) -> list[str]:
    """Return the first lines of public docstrings that begin with an avoided word."""
    # Without such a word after quotes there is no need to parse.
    if not re.search(rf'"""{AVOIDED.pattern}', source):
        return []
    module = ast.parse(source)
    docstrings = (ast.get_docstring(node) or "" for node in (module, *_public_blocks(module.body)))
    return [text.partition("\n")[0] for text in docstrings if AVOIDED.match(text)]


def test_public_docstrings_begin_with_a_verb_or_a_noun() -> None:
    lines = {
        path.relative_to(EDITOR).as_posix(): beginnings
        for path in EDITOR.rglob("*.py")
        if (beginnings := avoided_beginnings(path.read_text("utf-8")))
    }

    assert lines == {}


def test_an_avoided_beginning_is_seen() -> None:
    private = 'def _hidden():\n    """What only this module reads."""\n'
    method = (
        'class Robot:\n    """A robot."""\n\n    def name(self):\n        """As the file has '
        'it."""\n'
    )

    assert avoided_beginnings(f'"""Whether it works."""\n{private}{method}') == [
        "Whether it works.",
        "As the file has it.",
    ]
    assert (
        avoided_beginnings(
            'def assign():\n    """Assign a value. Whether it fits is not checked."""\n'
        )
        == []
    )
