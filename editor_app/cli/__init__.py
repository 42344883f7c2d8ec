"""Command line: one module per sub-command, imported when it is asked for and not before.

A sub-command `name` is the module `editor_app.cli.name` with `add_arguments(parser)` and `run(args) -> int` (the exit
code); the first line of its docstring is its help. It appears as soon as the module exists, unless the module's name
begins with an underscore.
"""

from __future__ import annotations

import argparse
import ast
import importlib
from collections.abc import Sequence
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
#: As they are listed; what is not named here follows in alphabetical order.
_ORDER = ("check", "mend", "new", "fit", "mask", "collide", "plan", "cost", "convert", "diff", "batch", "render")


def commands() -> tuple[str, ...]:
    """The names of the sub-commands that exist."""
    present = {path.stem for path in _FOLDER.glob("*.py") if not path.stem.startswith("_")}
    return tuple(name for name in (*_ORDER, *sorted(present - set(_ORDER))) if name in present)


def summary(name: str) -> str:
    """The first line of a sub-command's docstring, read without importing it, and without its own name before it."""
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    line = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return line.removeprefix(f"`xrdf-editor {name}`: ")


def parser_of(name: str) -> argparse.ArgumentParser:
    """The arguments of a sub-command, which is imported. Raises ModuleNotFoundError when there is none."""
    module = importlib.import_module(f"editor_app.cli.{name}")
    parser = argparse.ArgumentParser(prog=f"xrdf-editor {name}", description=module.__doc__)
    module.add_arguments(parser)
    return parser


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Import the sub-command, parse its arguments and run it; returns its exit code.

    A file that cannot be read ends it with a sentence on standard error and code 2, not with a traceback.
    """
    parser = parser_of(name)
    module = importlib.import_module(f"editor_app.cli.{name}")
    options = parser.parse_args(list(arguments))
    try:
        return int(module.run(options))
    except OSError as error:
        parser.exit(2, f"xrdf-editor {name}: {error}\n")
