"""A public function or class of a module has a name that no other module of `editor_app`
defines."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

EDITOR = Path(__file__).resolve().parents[2] / "editor_app"
#: Names that a registry calls in every module of a kind: commands of the command line, and hooks
#: that add to them.
CALLED_BY_NAME = {"add_arguments": ("cli", "hooks"), "run": ("cli", "hooks")}
#: Two modules with the same functions, of which `masks/engine/lanes.py` uses one.
INTERCHANGEABLE = {"features/masks/engine/plain_lanes.py": "features/masks/engine/simd.py"}


def _public(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not node.name.startswith("_"):
                yield node.name
        elif isinstance(node, ast.If):
            yield from _public([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from _public(
                [*node.body, *node.orelse, *(line for each in node.handlers for line in each.body)]
            )


def repeated_names(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return name -> modules for public names that several modules (path -> source) define."""
    modules = defaultdict(set)
    for path, source in sources.items():
        for name in _public(ast.parse(source).body):
            if Path(path).parent.name not in CALLED_BY_NAME.get(name, ()):
                modules[name].add(INTERCHANGEABLE.get(path, path))
    return {name: paths for name, paths in modules.items() if len(paths) > 1}


def test_public_names_are_defined_once() -> None:
    sources = {
        path.relative_to(EDITOR).as_posix(): path.read_text("utf-8")
        for path in EDITOR.rglob("*.py")
    }

    assert repeated_names(sources) == {}


def test_a_name_that_two_modules_define_is_seen() -> None:
    command = "def run(): ...\ndef add_arguments(): ...\n"
    sources = {
        "core/a.py": "class Place: ...\ndef _own(): ...\n",
        "core/b.py": "try:\n    class Place: ...\nexcept ImportError:\n    def run(): ...\ndef _own(): ...\n",
        "core/c.py": "def run(): ...\n",
        "cli/d.py": command,
        "plugins/x/cli/e.py": command,
        **dict.fromkeys(
            ("features/masks/engine/plain_lanes.py", "features/masks/engine/simd.py"),
            "def put(): ...\n",
        ),
    }

    assert repeated_names(sources) == {
        "Place": {"core/a.py", "core/b.py"},
        "run": {"core/b.py", "core/c.py"},
    }
