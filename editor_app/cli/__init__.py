"""Command line: one module per sub-command, imported when it is asked for and not before.

A sub-command `name` is the module `editor_app.cli.name` with `add_arguments(parser)` and `run(args) -> int` (the exit
code); the first line of its docstring is its help. It appears as soon as the module exists, unless the module's name
begins with an underscore.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import shlex
from collections.abc import Sequence
from pathlib import Path

from editor_app.cli._exit_codes import exit_codes
from editor_app.cli._output import begin, note, refuse
from editor_app.core.late import late_modules
from editor_app.core.libraries import conflict, explain
from editor_app.core.model.near_names import nearest
from editor_app.core.model.printable import PrintableParser

late_modules(__name__)

_FOLDER = Path(__file__).resolve().parent
#: As they are listed; what is not named here follows in alphabetical order.
_ORDER = (
    "check", "mend", "new", "fit", "mask", "pose", "collide", "plan", "cost", "convert", "edit", "compose", "detach",
    "diff", "batch",
)  # fmt: skip


def commands() -> tuple[str, ...]:
    """The names of the sub-commands that exist."""
    present = {path.stem for path in _FOLDER.glob("*.py") if not path.stem.startswith("_")}
    return tuple(name for name in (*_ORDER, *sorted(present - set(_ORDER))) if name in present)


def summary(name: str) -> str:
    """The first line of a sub-command's docstring, read without importing it, and without its own name before it."""
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    line = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return line.removeprefix(f"`xrdf-editor {name}`: ")


def parser_of(name: str) -> PrintableParser:
    """The arguments of a sub-command, which is imported. Raises ModuleNotFoundError when there is none."""
    module = importlib.import_module(f"editor_app.cli.{name}")
    codes = "\n".join(f"  {code:<4} {meaning}" for code, meaning in exit_codes(name).items())
    parser = PrintableParser(
        prog=f"xrdf-editor {name}",
        description=module.__doc__,
        epilog=f"exit codes:\n{codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="nothing on standard error but what keeps the command from its work"
    )
    return parser


def refuse_unknown(word: str) -> int:
    """Says that a first word is neither a command nor a file, and which command is nearest; gives the exit code."""
    command = nearest(word, commands())
    refuse(f"there is no file {word}" + ("" if command is None else f"; the nearest command is {command}"))
    return 2


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Import the sub-command, parse its arguments and run it; returns its exit code.

    What cannot be done ends it with a sentence on standard error and code 2, and so does a fault of the program, whose
    traceback goes to a file.
    """
    clash = conflict()
    if clash is not None:
        note(clash)
    try:
        parser = parser_of(name)
    except ImportError as error:
        begin(name, quiet=False)
        explain(error)
        refuse(str(error))
        return 2
    # Options may stand between files; but where -- says that what follows is a file, argparse 3.11 forgets it.
    parse = parser.parse_args if "--" in arguments else parser.parse_intermixed_args
    options = parse(list(arguments))
    module = importlib.import_module(f"editor_app.cli.{name}")
    begin(name, quiet=options.quiet)
    if hasattr(options, "force"):
        # Only commands that write files have it.
        importlib.import_module("editor_app.cli._writing").begin_reading(options)
    try:
        code = int(module.run(options))
        assert code in exit_codes(name), f"{name} has no exit code {code}"
        return code
    except KeyboardInterrupt:
        refuse("interrupted; no file is left half written")
        return 130
    except Exception as error:
        # Only now: most of it is there already, and help and version need none of it.
        faults = importlib.import_module("editor_app.cli._faults")
        return int(faults.tell_of(error, f"xrdf-editor {name} {shlex.join(arguments)}"))
    finally:
        begin("", quiet=False)
