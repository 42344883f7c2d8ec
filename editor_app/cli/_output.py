"""Output of the commands: the only module that writes to standard output and standard error.

Sentences and lines are made printable here, so that no name from a file gives orders to a terminal
or to the log of a CI. Reports for programs come as JSON, CSV or HTML, whose texts are printable
already; a file is given as it is.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from editor_app.core.model.printable import json_text, printable, printable_lines, printable_values

#: The command that runs, as its sentences begin, and whether it tells what it need not.
_state = {"name": "xrdf-editor", "quiet": False}


def begin_output(name: str, *, quiet: bool) -> None:
    """A command begins. `quiet`: standard error has nothing but what keeps the command from its
    work."""
    _state.update(name=f"xrdf-editor {name}" if name else "xrdf-editor", quiet=quiet)


def is_quiet() -> bool:
    return bool(_state["quiet"])


def print_lines(*lines: str) -> None:
    """Lines of a report for people, to standard output."""
    _write(sys.stdout, lines)


def print_refusal(sentence: str) -> None:
    """Why the command cannot do its work, to standard error."""
    _write(sys.stderr, [f"{_state['name']}: {sentence}"])


def note(*sentences: str) -> None:
    """Print a remark to standard error."""
    remark(*(f"{_state['name']}: {sentence}" for sentence in sentences))


def remark(*lines: str) -> None:
    """Lines of progress, and of reports that go beside a file on standard output."""
    if not is_quiet():
        _write(sys.stderr, lines)


def rewrite_line(text: str) -> None:
    """Replace the last line of the terminal that standard error is; an empty text leaves it empty.

    Blanks, not an order to the terminal, cover what was there: consoles of Windows do not follow
    orders by themselves.
    """
    width = max(1, shutil.get_terminal_size().columns - 1)
    _write(
        sys.stderr, [printable(text)[:width].ljust(width)], before="\r", after="" if text else "\r"
    )


def give_report(
    record: Any, kind: str, pages: Mapping[str, Callable[[Any], str]], *, to_errors: bool = False
) -> None:
    """A report as JSON, or as one of the `pages` (CSV, HTML) makes it of a record whose texts are
    printable.

    As text it is the HTML page without its drawings, unless `pages` has a text.
    """
    if kind == "json":
        text = json_text(record)
    elif kind == "text" and kind not in pages:
        from editor_app.core.verbs.page_texts import text_of_page

        text = text_of_page(pages["html"](printable_values(record)))
    else:
        text = pages[kind](printable_values(record))
    give_text(printable_lines(text), to_errors=to_errors)


def give_lines(record: Any, kind: str, lines: Iterable[str]) -> None:
    """A report whose text is lines, or its record as JSON."""
    if kind == "text":
        print_lines(*lines)
    else:
        give_report(record, kind, {})


def is_stdout(path: Path | None) -> bool:
    """Return whether a file is to go to standard output: its report goes to standard error then."""
    return path == Path("-")


def give_text(text: str, *, to_errors: bool = False) -> None:
    """A text for programs, as UTF-8 whatever the terminal has: a file, or what is made of printable
    texts."""
    stream = sys.stderr if to_errors else sys.stdout
    stream.flush()
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text)
        return
    buffer.write(text.encode("utf-8"))
    buffer.flush()


def _write(stream: TextIO, lines: Iterable[str], before: str = "", after: str = "\n") -> None:
    encoding = stream.encoding or "utf-8"
    for line in lines:
        # What the terminal's encoding lacks is told by its number.
        stream.write(
            before + printable(line).encode(encoding, "backslashreplace").decode(encoding) + after
        )
    stream.flush()
