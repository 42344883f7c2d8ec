"""Every text in the program that a user can read, for review and for the test of its words.

`python -m tests.helpers.user_texts > texts.txt` prints them by area: file:line, kind and text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "editor_app"
_WORDS = re.compile(r"[A-Za-z]{2,}[,.:;)'’…]* +\(?[A-Za-z]{2,}")
_LABEL = re.compile(r"[A-Z][a-z]+…?$")
#: Calls whose texts only programs read.
_NOT_SHOWN = (
    "compile",
    "getLogger",
    "debug",
    "search",
    "match",
    "fullmatch",
    "finditer",
    "findall",
    "njit",
    "TypeVar",
)
#: The function that is called, or the argument that is named -> the kind of the text.
_KINDS = {
    "flaw": "finding",
    "rule": "finding",
    "Finding": "finding",
    "add_argument": "help",
    "add_argument_group": "help",
    "help": "help",
    "EXIT_CODES": "help",
    "note": "report",
    "give_text": "report",
    "print": "report",
    "report": "report",
    "report_progress": "report",
    "ActionSpec": "label",
    "dress": "label",
    "label": "label",
    "offer": "label",
    "setText": "label",
    "setToolTip": "label",
    "setWindowTitle": "label",
    "setPlaceholderText": "label",
    "tooltip": "label",
    "title": "label",
}


@dataclass(frozen=True)
class UserText:
    path: Path  # below editor_app
    line: int
    kind: str  # finding, help, error, report, label or text
    text: str  # an f-string has its expressions in braces

    @property
    def area(self) -> str:
        """The folder of the subject; everything of the window, of features as well, is in
        `window`."""
        folders = self.path.parts[:-1]
        if "window" in folders:
            return "window"
        return (
            "/".join(folders[: 2 if folders[:1] in (("plugins",), ("features",), ("core",)) else 1])
            or "program"
        )


def user_texts() -> Iterator[UserText]:
    """Yield the texts of all modules by file and line."""
    for path in sorted(PROGRAM.rglob("*.py")):
        relative = path.relative_to(PROGRAM)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.parent.name == "cli" and not path.name.startswith("_"):
            yield UserText(relative, 1, "help", ast.get_docstring(tree) or "")
        yield from (UserText(relative, *each) for each in _texts(tree, "text"))


def _texts(node: ast.AST, kind: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and text below a node; `kind` is what the expression around it says."""
    kind = _kind(node) or kind
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = _plain(node)
        if _WORDS.search(text) or (kind == "label" and _LABEL.match(text)):
            yield node.lineno, kind, text
        return
    for child in ast.iter_child_nodes(node):
        if not _is_hidden(child):
            yield from _texts(child, "text" if isinstance(child, ast.stmt) else kind)


def _kind(node: ast.AST) -> str | None:
    match node:
        case ast.Raise():
            return "error"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _KINDS.get(name) or ("error" if name.endswith(("Error", "Refused")) else None)
        case ast.keyword(arg=str(name)):
            return _KINDS.get(name)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return _KINDS.get(name.strip("_"))
    return None


def _is_hidden(node: ast.AST) -> bool:
    """Whether only programmers read the texts below: docstrings, assertions, patterns, types."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Compare():
            return True
        case ast.Assign(targets=[ast.Name(id="_NAMES")]):  # the names of the scripting interface
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _NOT_SHOWN
        case ast.Subscript(value=ast.Name(id="Literal")):
            return True
    return False


def _plain(node: ast.expr) -> str:
    match node:
        case ast.JoinedStr(values=values):
            return "".join(_plain(each) for each in values)
        case ast.FormattedValue(value=value):
            return "{" + ast.unparse(value) + "}"
        case ast.Constant(value=str(text)):
            return text
    return ""


def main() -> None:
    texts = sorted(user_texts(), key=lambda text: (text.area, text.path, text.line))
    for area, in_area in groupby(texts, key=lambda text: text.area):
        print(f"\n# {area}")
        for path, in_file in groupby(in_area, key=lambda text: text.path):
            print(f"\n## {path}")
            for each in in_file:
                print(f"{each.line} {each.kind}: {' / '.join(each.text.splitlines())}")


if __name__ == "__main__":
    main()
