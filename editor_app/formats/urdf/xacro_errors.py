"""What xacro refuses, as a sentence with file, line and remedy. xacro itself names no line, and not always the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from editor_app.formats.source import FormatError, SourceText
from editor_app.model.findings import Location

_UNDEFINED = re.compile(r"Undefined substitution argument ([^\s,]+)")
_EXPRESSION = re.compile(r"when evaluating expression '(.*?)'\s*(?:$|\n)", re.DOTALL)
_PACKAGE = re.compile(r"the package '([^']+)' was not found")
_NO_DEFAULT = "xacro:arg: missing attribute 'default'"
_WITHOUT_DEFAULT = re.compile(r"<xacro:arg\b(?![^>]*\bdefault\s*=)")
_UNKNOWN_MACRO = re.compile(r"unknown macro name: (\S+)")


def undefined_argument(error: Exception) -> str | None:
    """The argument that an expansion failed for want of, if that was it."""
    match = _UNDEFINED.search(str(error))
    return match.group(1) if match is not None else None


def missing_package(error: Exception) -> str | None:
    """The package that was not found, if that was it."""
    match = _PACKAGE.search(str(error))
    return match.group(1) if match is not None else None


def explained(error: Exception, path: Path, module: Any) -> FormatError:
    """`module` is xacro, whose stacks still say where it was; `path` the file that was to be expanded."""
    files = _files(module, path)
    if isinstance(error, ExpatError):
        place = Location(str(files[0]), error.lineno, error.offset + 1)
        return FormatError(f"xacro: not well-formed XML: {str(error).split(':')[0]}", place)
    inner = getattr(error, "exc", None)
    # xacro wraps some of what happens in a sentence that says the same with the name of a class.
    message = str(inner) if str(error).startswith("<class") and inner is not None else str(error)
    if isinstance(inner, OSError) and inner.filename:
        message = f"{inner.strerror}: {inner.filename}"
    sentence = ", ".join(line.strip() for line in message.strip().splitlines())
    sentence = f"{type(error).__name__}: {sentence}" if type(error).__name__ == "RecursionError" else sentence
    return FormatError(f"xacro: {sentence}", _place(message, error, files), _remedy(message))


def unknown_argument(name: str, declared: Mapping[str, object], path: Path) -> FormatError:
    """An argument was given that no file asks for: it would be passed over in silence."""
    remedy = f"There are: {', '.join(sorted(declared))}." if declared else "They declare none."
    return FormatError(f"xacro: no file declares the argument {name!r}", Location(str(path)), remedy)


def _remedy(message: str) -> str | None:
    if _PACKAGE.search(message) is not None:
        return "Map the package to its folder (--package name=FOLDER)."
    if _UNDEFINED.search(message) is not None:
        return "Give the argument (--xacro-arg name:=value)."
    if _NO_DEFAULT in message:
        return 'xacro wants a default in each declaration: write one (default=""), or leave the declaration out.'
    if _UNKNOWN_MACRO.search(message) is not None:
        return "Include the file that defines it, or correct its name."
    return None


def _files(module: Any, path: Path) -> list[Path]:
    """The files that xacro was in, the innermost first, then all that it read."""
    macros = [m.history[-1][-1] for m in reversed(getattr(module, "macrostack", None) or ()) if m.history]
    stack = list(reversed(getattr(module, "filestack", None) or ()))
    names = [*stack, *macros, *reversed(getattr(module, "all_includes", ())), str(path)]
    return [Path(name) for name in dict.fromkeys(names) if name]


def _place(message: str, error: Exception, files: Iterable[Path]) -> Location:
    """Where the piece of text stands that the message speaks of; the file alone when it is not found."""
    paths = list(files)
    for piece in _pieces(message, error):
        for file in paths:
            try:
                source = SourceText.read(file)
            except (FormatError, OSError):
                continue
            match = piece.search(source.text)
            if match is not None:
                return Location(str(file), *source.line_column(match.start()))
    return Location(str(paths[0]))


def _pieces(message: str, error: Exception) -> list[re.Pattern[str]]:
    """What to look for, what tells most first."""
    if _NO_DEFAULT in message:
        return [_WITHOUT_DEFAULT]
    pieces = ["${" + text + "}" for text in _EXPRESSION.findall(message)]
    if match := _UNDEFINED.search(message):
        pieces.append(f"$(arg {match.group(1)})")
    if match := _PACKAGE.search(message):
        pieces += [f"$(find {match.group(1)})", f"package://{match.group(1)}/", match.group(1)]
    if match := _UNKNOWN_MACRO.search(message):
        pieces.append(f"<{match.group(1)}")
    for macro in getattr(error, "macros", ()):
        name = macro.body.getAttribute("name") if macro is not None else ""
        pieces += [f"<xacro:{name.removeprefix('xacro:')}"] if name else []
    inner = getattr(error, "exc", None)
    if isinstance(inner, OSError) and inner.filename:
        pieces.append(Path(str(inner.filename)).name)
    return [re.compile(re.escape(piece)) for piece in pieces]
