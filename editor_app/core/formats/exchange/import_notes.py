"""The comment of an imported URDF that names the file of another program that it came from.

It has the form `<!-- Imported from robot.usda?robot=arm -->`: a path relative to the URDF, and
choices of the import.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.text.source import SourceText

_NOTE = re.compile(r"<!-- Imported from (\S+?)(?:\?(\S*))? -->\n?")
#: Characters at the beginning of a URDF in which the comment is looked for.
_HEAD = 2000


@dataclass(frozen=True, slots=True)
class ImportNote:
    """`path`: the file that a robot was imported from; `choices`: the choices of its format, by
    name."""

    path: Path
    choices: FrozenDict[str, str] = FrozenDict()


def with_import_note(text: str, note: ImportNote, folder: Path) -> str:
    """Return the text of a URDF in a folder with the note in the place of an earlier one.

    Without a note where no relative path leads from the folder to the file.
    """
    head, rest = _NOTE.sub("", text[:_HEAD], count=1), text[_HEAD:]
    try:
        path = Path(os.path.relpath(note.path.absolute(), folder.absolute())).as_posix()
    except ValueError:
        return head + rest
    choices = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in note.choices.items())
    comment = f"<!-- Imported from {_quoted(path)}{'?' if choices else ''}{choices} -->\n"
    start = head.find("<robot")
    return f"{head[:start]}{comment}{head[start:]}{rest}" if start >= 0 else head + rest


def read_import_note(source: SourceText) -> ImportNote | None:
    """Return the note of a URDF; None for a URDF without one."""
    match = _NOTE.search(source.text[:_HEAD])
    if match is None or source.path is None:
        return None
    name = unquote(match[1])
    # A file that somebody else wrote names nothing but a file next to it, or in folders around it.
    if os.path.isabs(name) or ":" in name or not name.isprintable():
        return None
    return ImportNote(source.path.absolute().parent / name, FrozenDict(parse_qsl(match[2] or "")))


def choices_of_import(options: Mapping[str, object]) -> FrozenDict[str, str]:
    """Return the choices that are texts."""
    return FrozenDict({name: value for name, value in options.items() if isinstance(value, str)})


def _quoted(text: str) -> str:
    """The text with everything escaped that ends a comment, a name or a value."""
    return quote(text, safe="/").replace("--", "%2D%2D")
