"""Comments that mark guesses: read from an XRDF, written by a draft, and removed once a value is
confirmed.

A comment above a key, or behind its value, that contains *guessed* or *placeholder* marks the
value. The wordings below are this program's: they are shortened and removed as their values are
confirmed. Comments of other authors stay; where somebody confirms such a value, the line `#
Confirmed.` follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass

from editor_app.core.formats.xrdf.read import XrdfSource, read_xrdf
from editor_app.core.model.findings import YamlPath
from editor_app.core.model.frozen import FrozenDict, remembers
from editor_app.core.model.guesses import (
    PLACEHOLDERS,
    POSITIONS,
    TOOLS,
    GuessedPart,
    Guesses,
    get_values,
    present_guesses,
)
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError
from editor_app.core.text.yaml.scalars import format_number

#: The words that mark an entry in a comment, in any case.
_MARK = re.compile(r"\b(?:placeholders?|guess(?:ed)?)\b", re.I)
_CONFIRMED = "# Confirmed."
_KEY = re.compile(r"[ \t]*[\"']?([A-Za-z_]+)[\"']?[ \t]*:")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
#: Keys of which a comment above is about the file.
_HEADS = ("format", "format_version")
_AWAY = "away from limits and singular poses"
#: Where guessed positions are: of a draft, and of a file that states none.
START, REST = f"start of motion, {_AWAY}", "0, or the nearest limit"
#: This program's comments, in the wording of release 0.9 too: the joints that they name, and the
#: placeholder.
_OURS = {
    POSITIONS: re.compile(
        rf"# Guessed(?: for (?P<joints>.*))?: (?P<where>{START}|where motion begins, "
        rf"{_AWAY}|{REST})\."
    ),
    TOOLS: re.compile(r"# Guessed, check it: .*\."),
    "cspace": re.compile(
        r"# Guessed: (?:nothing moves|the SRDF's groups? .*"
        r"|the (?:only chain|\d+ chains) of the robot, without wheels, fingers, head and legs)\."
    ),
}
_LIMITS = re.compile(
    r"# (?:Placeholder: the URDF (?:has|gives) none\. Replace (?P<value>\S+) by the robot's (?:own "
    r")?limits\."
    r"|(?:From [^;]*; )?(?P<one>\S+) is a placeholder for (?P<joints>.*)\.)"
)


def one_line(text: str) -> str:
    """Return `text` as a comment can hold it: printable ASCII."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)


def position_comment(joints: Iterable[str] = (), where: str = START) -> str:
    """Return the comment above guessed default positions; `joints`: of these alone."""
    names = ", ".join(map(one_line, joints))
    return f"# Guessed{f' for {names}' if names else ''}: {where}."


def limits_comment(placeholder: float, joints: Iterable[str] = (), source: str = "") -> str:
    """Return the comment above limits, which are placeholders; `joints`: of these alone, the rest
    is from `source`."""
    names = ", ".join(map(one_line, joints))
    if not names:
        return (
            f"# Placeholder: the URDF has none. Replace {format_number(placeholder)} by the "
            "robot's limits."
        )
    return (
        f"# {f'From {source}; ' if source else ''}{format_number(placeholder)} is a placeholder "
        f"for {names}."
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    """A key that comments call guessed: the line of the key, the lines of comments above it, and
    the guessed joints.

    `ours`: which of the lines above is this program's; None where another author marked the key.
    `where`: START or REST, for positions.
    """

    key: str
    line: int
    above: tuple[int, ...]
    ours: int | None
    joints: tuple[str, ...]
    where: str = START


@remembers(4)
def guesses_of(source: XrdfSource) -> Guesses:
    """Return the values that comments of the file call guessed or placeholders."""
    parts: dict[GuessedPart, object] = {}
    for mark in _marks(source, _LINES.findall(source.source.text)):
        values = get_values(source.value, mark.key)
        parts |= {(mark.key, joint): values[joint] for joint in mark.joints}
    return Guesses(FrozenDict(parts))


@remembers(4)
def guesses_now(
    source: XrdfSource, xrdf: Xrdf, urdf: Urdf, confirmed: frozenset[GuessedPart]
) -> Guesses:
    """Return the guesses that an edit of the file leaves or adds, less the confirmed parts.

    `xrdf`: the edited model of the file.
    """
    return present_guesses(guesses_of(source), source.value, xrdf, urdf, confirmed)


def guess_lines(source: XrdfSource) -> dict[str, str]:
    """Return this program's comments that mark guesses: key of the XRDF -> comment."""
    lines = _LINES.findall(source.source.text)
    return {
        mark.key: lines[mark.ours].strip()
        for mark in _marks(source, lines)
        if mark.ours is not None
    }


def with_guesses(
    source: XrdfSource,
    left: Guesses,
    confirmed: Iterable[GuessedPart] = (),
    wordings: MappingABC[str, str] = FrozenDict(),
    where: str = START,
) -> XrdfSource:
    """Return the file with comments that mark `left`, and no other value, as guessed.

    `confirmed`: parts below comments of other authors that get `# Confirmed.` `wordings`: key ->
    the comment of a section that has none. `where`: START or REST, for positions without a comment.
    The source itself where its comments say so, or its text has no place for them.
    """
    original: list[str] = _LINES.findall(source.source.text)
    lines = list(original)
    marks = {mark.key: mark for mark in _marks(source, original)}
    stated = set(confirmed)
    for key in dict.fromkeys((*marks, *left.entries)):
        mark, joints = marks.get(key), left.joints(key)
        is_left = any(each == key for each, _ in left.parts)
        if mark is None:
            place = _line_of(source, key, original)
            comment = _wording(source, left, key, where) or wordings.get(key)
            if place is not None and comment:
                lines[place] = _above(lines[place], comment) + lines[place]
        elif mark.ours is None:
            if not is_left and stated & {(key, joint) for joint in mark.joints}:
                lines[mark.line] = _above(lines[mark.line], _CONFIRMED) + lines[mark.line]
        elif not is_left:
            lines[mark.ours] = ""
        elif joints and set(joints) != set(mark.joints):
            lines[mark.ours] = _above(lines[mark.ours], _wording(source, left, key, mark.where))
    text = "".join(lines)
    if text == source.source.text:
        return source
    try:
        written = read_xrdf(source.source.with_text(text))
    except FormatError:
        return source
    return (
        written
        if written.value == source.value and len(written.findings) <= len(source.findings)
        else source
    )


def _wording(source: XrdfSource, left: Guesses, key: str, where: str) -> str:
    """The comment above values of joints; "" for another key."""
    joints = left.joints(key)
    some = () if set(joints) == set(get_values(source.value, key)) else joints
    if key == POSITIONS:
        return position_comment(some, where)
    number = next(value for (each, _), value in left.parts.items() if each == key)
    return (
        limits_comment(number, some)
        if key in PLACEHOLDERS and isinstance(number, (int, float))
        else ""
    )


def _above(line: str, comment: str) -> str:
    """The comment as a line before `line`, with its indent and its line break."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    end = "\r\n" if line.endswith("\r\n") else "\n"
    return f"{indent}{comment}{end}"


def _path(key: str) -> YamlPath:
    return ("cspace", key) if key in PLACEHOLDERS else (key,)


def _line_of(source: XrdfSource, key: str, lines: list[str]) -> int | None:
    """The line on which the key of a section or list of limits begins."""
    span = source.span(_path(key))
    if span is None:
        return None
    start = 0
    for number, line in enumerate(lines):
        if start <= span[0] < start + len(line):
            match = _KEY.match(line)
            return number if match is not None and match.group(1) == key else None
        start += len(line)
    return None


def _marks(source: XrdfSource, lines: list[str]) -> Iterator[_Mark]:
    """The marked keys in the order of the text, each once."""
    if _MARK.search(source.source.text) is None:
        return
    named = {
        key: _line_of(source, key, lines) for key in ("cspace", *PLACEHOLDERS, POSITIONS, TOOLS)
    }
    keys = {line: key for key, line in named.items() if line is not None}
    seen: set[str] = set()
    above: list[int] = []
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("#"):
            above.append(number)
            continue
        match = _KEY.match(line)
        if match is not None and match.group(1) not in seen and match.group(1) not in _HEADS:
            key = match.group(1)
            if (keys.get(number) == key) == (key in named):
                mark = _mark(source, lines, key, number, tuple(above))
                if mark is not None:
                    seen.add(key)
                    yield mark
        if bare:
            above = []


def _mark(
    source: XrdfSource, lines: list[str], key: str, line: int, above: tuple[int, ...]
) -> _Mark | None:
    values, wording = (
        get_values(source.value, key),
        _LIMITS if key in PLACEHOLDERS else _OURS.get(key),
    )
    for place in reversed(above):
        match = wording.fullmatch(lines[place].strip()) if wording is not None else None
        if match is not None:
            where = REST if match.groupdict().get("where") == REST else START
            return _Mark(key, line, above, place, tuple(_named(values, match)), where)
    comments = [lines[place] for place in above] + _behind(source, lines, key, line)
    if not any(map(_MARK.search, comments)) or any(
        comment.strip() == _CONFIRMED for comment in comments
    ):
        return None
    placeholders = tuple(
        joint for joint, value in values.items() if value == PLACEHOLDERS.get(key, values)
    )
    return _Mark(key, line, above, None, placeholders or tuple(values))


def _named(values: dict[str, object], match: re.Match[str]) -> Iterator[str]:
    """The joints that a comment of this program marks."""
    words = match.groupdict()
    number, names = words.get("value") or words.get("one"), words.get("joints")
    for joint, value in values.items():
        is_named = names is None or re.search(
            rf"(?:^|, ){re.escape(one_line(joint))}(?:, |$)", names
        )
        if is_named and (
            number is None or (isinstance(value, (int, float)) and format_number(value) == number)
        ):
            yield joint


def _behind(source: XrdfSource, lines: list[str], key: str, line: int) -> list[str]:
    """Comments behind the values of a section or list of limits."""
    span = source.span(_path(key))
    if key == "cspace" or span is None:
        return []
    rows = source.source.text[span[0] : span[1]].count("\n")
    return [part[1] for row in lines[line : line + rows + 1] if len(part := row.split(" #", 1)) > 1]
