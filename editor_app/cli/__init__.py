"""Command line: one module per sub-command, imported when the user calls it and not before.

A sub-command `name` is the module `cli/name.py` of this package or of a feature, with
`add_arguments(parser)` and `run(args) -> int` (the exit code); the first line of its docstring is
its help. It appears as soon as the module exists, unless the module's name begins with an
underscore. `EXIT_CODES` lists its exit codes.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

from editor_app.cli._exit_codes import exit_codes
from editor_app.cli._output import begin_output, note, print_refusal
from editor_app.core.feature import Feature, ModuleFile, built_in_features, features
from editor_app.core.late import late_modules
from editor_app.core.libraries import conflict, explain_missing_library
from editor_app.core.model.near_names import nearest
from editor_app.core.model.printable import PrintableParser

late_modules(__name__)

_FOLDER = Path(__file__).resolve().parent
#: As they are listed; what is not named here follows in alphabetical order.
_ORDER = (
    "check",
    "repair",
    "new",
    "fit",
    "mask",
    "pose",
    "collide",
    "plan",
    "cost",
    "convert",
    "edit",
    "compose",
    "detach",
    "diff",
    "batch",
)
#: Name of release 0.9 -> name now; release 0.11 drops it. Lists of commands leave it out.
_OLD_NAMES = {"mend": "repair"}


def list_commands() -> tuple[str, ...]:
    """Return the names of all sub-commands: the usual ones first, then the others by name."""
    present = _files()
    return tuple(
        name for name in (*_ORDER, *sorted(present.keys() - set(_ORDER))) if name in present
    )


def is_command(word: str) -> bool:
    """Return whether the word is a sub-command. Installed plug-ins are looked up only for a word
    that is not built in."""
    return word in _OLD_NAMES or word in _built_in_files() or word in _files()


def _built_in_files() -> dict[str, ModuleFile]:
    """Return command -> its module, for the commands of the program itself."""
    general = Feature("", __name__.rpartition(".")[0], _FOLDER.parent).modules(_FOLDER.name)
    return {module.stem: module for module in (*general, *_modules_of(built_in_features()))}


def _files() -> dict[str, ModuleFile]:
    """Return command -> its module, with the commands of installed plug-ins; a built-in command
    comes first."""
    return {module.stem: module for module in _modules_of(features())} | _built_in_files()


def _modules_of(contributors: Iterable[Feature]) -> Iterator[ModuleFile]:
    for feature in contributors:
        yield from feature.modules("cli")


def _file_of(name: str) -> ModuleFile:
    module = _built_in_files().get(name) or _files().get(name)
    if module is None:
        raise ModuleNotFoundError(f"no command {name}")
    return module


def read_summary(name: str) -> str:
    """Return the first paragraph of a sub-command's docstring without its own name; the module is
    not imported."""
    text = _file_of(name).path.read_text(encoding="utf-8")
    paragraph = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).removeprefix(f"`xrdf-editor {name}`: ")


def module_of(name: str) -> ModuleType:
    """Import and return the module of a sub-command. Raises ModuleNotFoundError when there is
    none."""
    return importlib.import_module(_file_of(name).name)


def parser_of(name: str) -> PrintableParser:
    """The arguments of a sub-command, which is imported. Raises ModuleNotFoundError when there is
    none."""
    module = module_of(name)
    codes = "\n".join(f"  {code:<4} {meaning}" for code, meaning in exit_codes(module).items())
    parser = PrintableParser(
        prog=f"xrdf-editor {name}",
        description=module.__doc__,
        epilog=f"exit codes:\n{codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="no progress or notes on standard error, only errors",
    )
    return parser


def refuse_unknown(word: str) -> int:
    """Says that a first word is neither a command nor a file, and which command is nearest; gives
    the exit code."""
    command = nearest(word, list_commands())
    print_refusal(
        f"no file or command {word}"
        + ("" if command is None else f"; the nearest command is {command}")
    )
    return 2


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Import the sub-command, parse its arguments and run it; returns its exit code.

    What cannot be done ends it with a sentence on standard error and code 2, and so does internal
    error, whose traceback goes to a file.
    """
    clash = conflict()
    if clash is not None:
        note(clash)
    if name in _OLD_NAMES:
        note(
            f"the command {name} is named {_OLD_NAMES[name]} now; the old name works until release "
            "0.11"
        )
        name = _OLD_NAMES[name]
    try:
        parser = parser_of(name)
    except ImportError as error:
        begin_output(name, quiet=False)
        explain_missing_library(error)
        print_refusal(str(error))
        return 2
    # Options may stand between files; but where -- says that what follows is a file, argparse 3.11
    # forgets it.
    parse = parser.parse_args if "--" in arguments else parser.parse_intermixed_args
    options = parse(list(arguments))
    module = module_of(name)
    begin_output(name, quiet=options.quiet)
    if hasattr(options, "force"):
        # Only commands that write files have it.
        importlib.import_module("editor_app.cli._writing").begin_reading(options)
    try:
        code = int(module.run(options))
        assert code in exit_codes(module), f"{name} has no exit code {code}"
        return code
    except KeyboardInterrupt:
        print_refusal("interrupted; no file is left half written")
        return 130
    except Exception as error:
        # Only now: most of it is there already, and help and version need none of it.
        faults = importlib.import_module("editor_app.cli._faults")
        return int(faults.tell_of(error, f"xrdf-editor {name} {shlex.join(arguments)}"))
    finally:
        begin_output("", quiet=False)
