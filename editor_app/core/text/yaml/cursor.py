"""Position of an offset in the structure of a YAML text, also while the text is typed and cannot be
read as a whole.

The scanner's events up to the place are enough: what follows may be unfinished.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from editor_app.core.model.findings import YamlPath
from editor_app.core.text.yaml.compose import loader

#: Start, end and value of a scalar -> whether it may be what is looked for.
_IsWanted = Callable[[int, int, str], bool]
#: Characters that end a word: what is completed or looked up.
_ENDS = " \t\r\n,[]{}\"'"
#: Stands for the word that is typed. Its own text may be nothing yet, or no key.
_WORD = "word"
_OLD_BREAKS = str.maketrans("\x85\u2028\u2029", "   ")


@dataclass(frozen=True, slots=True)
class Spot:
    """A scalar and its place. `path`: of its value, or for a key (`is_key`) of the mapping that it
    is a key of.

    `start`, `end`: offsets of the text between quotes. `others`: the other keys of the mapping, for
    a key; the other scalars of the list, for an item of one.
    """

    path: YamlPath
    is_key: bool
    start: int
    end: int
    value: str = ""
    others: frozenset[str] = frozenset()


def spots(text: str, offset: int) -> tuple[Spot, ...]:
    """Return the roles of the word that ends at `offset`: a key, a value, or either. Empty inside a
    comment, or where the text above cannot be read."""
    if _in_comment(text, offset):
        return ()
    start, end = _word(text, offset)
    head = text[: start - 1] if start and text[start - 1] in ("'", '"') else text[:start]
    place, all_spots = len(head), []
    for ending in (": ", "\n"):
        spot = _walk(head + _WORD + ending, lambda start, _end, _value: start == place)
        if spot is not None:
            others = spot.others | _later(text, start, end, spot)
            all_spots.append(Spot(spot.path, spot.is_key, start, end, text[start:end], others))
    return tuple(dict.fromkeys(all_spots))


def scalar_at(text: str, offset: int) -> Spot | None:
    """The scalar that covers an offset; None where there is none, or the text up to it cannot be
    read."""
    return _between_quotes(
        text, _walk(text, lambda start, end, _: start <= offset <= end and end > start)
    )


def scalar_where(text: str, value: str, accepts: Callable[[Spot], bool]) -> Spot | None:
    """The first scalar of that value that is accepted by its place; None without one, or behind a
    fault of the text."""
    return _between_quotes(text, _walk(text, lambda _start, _end, each: each == value, accepts))


def _between_quotes(text: str, spot: Spot | None) -> Spot | None:
    if spot is None:
        return None
    quoted = text[spot.start : spot.start + 1] in ("'", '"')
    return Spot(
        spot.path, spot.is_key, spot.start + quoted, spot.end - quoted, spot.value, spot.others
    )


def _in_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", line)
    return re.search(r"(^|\s)#", unquoted) is not None


def _word(text: str, offset: int) -> tuple[int, int]:
    """Start and end of the word around an offset; a colon ends it where it ends a key."""
    start, end = offset, offset
    while start > 0 and text[start - 1] not in _ENDS and not _ends_key(text, start - 1):
        start -= 1
    while end < len(text) and text[end] not in _ENDS and not _ends_key(text, end):
        end += 1
    return start, end


def _ends_key(text: str, index: int) -> bool:
    return text[index] == ":" and text[index + 1 : index + 2] in ("", " ", "\t", "\r", "\n")


def _later(text: str, start: int, end: int, spot: Spot) -> frozenset[str]:
    if spot.is_key:
        return _later_keys(text, start)
    if not spot.path or not isinstance(spot.path[-1], int):
        return frozenset()
    before = text[text.rfind("\n", 0, start) + 1 : start].rstrip("\"'")
    return (
        _later_items(text, start, len(before) - 2)
        if before.strip(" ") == "-"
        else _later_in_brackets(text, end)
    )


def _later_items(text: str, start: int, indent: int) -> frozenset[str]:
    """The items below in the same block, each on a line of its own."""
    items = set()
    for line in text[start:].split("\n")[1:]:
        stripped = line.strip(" \r")
        if not stripped or stripped.startswith("#"):
            continue
        if not line.startswith(f"{' ' * indent}- "):
            break
        items.add(_scalar(stripped.removeprefix("- ")))
    return frozenset(items)


def _later_in_brackets(text: str, end: int) -> frozenset[str]:
    """The items behind up to the bracket; up to what else begins where it is missing."""
    rest = re.split(r"[\[\]{}]|:\s", _without_comments(text[end:]), maxsplit=1)[0]
    return frozenset(_scalar(item) for item in rest.split(",")[1:])


def _scalar(item: str) -> str:
    return _without_comments(item).strip("\"' \t\r\n")


def _without_comments(text: str) -> str:
    return re.sub(r"\s#[^\n]*", "", text)


def _later_keys(text: str, start: int) -> frozenset[str]:
    """The keys below in the same block, by their indentation: what stands there may be
    unfinished."""
    line_start = text.rfind("\n", 0, start) + 1
    indent = len(text[line_start:start].replace("- ", "  "))
    keys = set()
    for line in text[start:].split("\n")[1:]:
        stripped = line.lstrip(" ")
        if not stripped.strip() or stripped.startswith("#"):
            continue
        depth = len(line) - len(stripped)
        if depth < indent or (depth == indent and stripped.startswith("- ")):
            break
        key, mark, _ = stripped.partition(":")
        if depth == indent and mark:
            keys.add(key.strip("\"' "))
    return frozenset(keys)


@dataclass(slots=True)
class _Open:
    """A collection that is being read: a list (`index`), or a mapping that has read `key`, or waits
    for one (None).

    `names`: the scalars of the list, or the keys of the mapping, so far.
    """

    is_list: bool
    index: int = -1
    key: str | None = None
    names: set[str] = field(default_factory=set)


def _walk(
    text: str, is_wanted: _IsWanted, accepts: Callable[[Spot], bool] = lambda _: True
) -> Spot | None:
    """The first scalar that is wanted by its start, end and value, and accepted by its place."""
    stream = loader(text.translate(_OLD_BREAKS))
    try:
        return _first(stream, is_wanted, accepts)
    except (yaml.YAMLError, UnicodeError, RecursionError, ValueError, OverflowError):
        return None
    finally:
        stream.dispose()


def _first(stream: Any, is_wanted: _IsWanted, accepts: Callable[[Spot], bool]) -> Spot | None:
    stack: list[_Open] = []
    while True:
        event = stream.get_event()
        kind = event.__class__
        if kind is yaml.StreamEndEvent:
            return None
        if kind is yaml.ScalarEvent:
            start, end = event.start_mark.index, event.end_mark.index
            if is_wanted(start, end, event.value):
                spot = _spot(stack, event.value, start, end)
                if accepts(spot):
                    return spot
            _step(stack, event.value)
        elif kind is yaml.AliasEvent:
            _step(stack, f"*{event.anchor}")
        elif kind in (yaml.SequenceStartEvent, yaml.MappingStartEvent):
            _step(stack, "?", opens=True)
            stack.append(_Open(kind is yaml.SequenceStartEvent))
        elif kind in (yaml.SequenceEndEvent, yaml.MappingEndEvent):
            stack.pop()
            if stack and not stack[-1].is_list and stack[-1].index == 1:
                stack[-1].key, stack[-1].index = None, -1


def _step(stack: list[_Open], value: str, *, opens: bool = False) -> None:
    """One node more in the innermost collection; a collection (`opens`) as a value is inside until
    its end."""
    if not stack:
        return
    top = stack[-1]
    if top.is_list:
        top.index += 1
        if not opens:
            top.names.add(value)
    elif top.key is None:
        top.key = value
        top.names.add(value)
    elif opens:
        top.index = 1
    else:
        top.key = None


def _spot(stack: list[_Open], value: str, start: int, end: int) -> Spot:
    outer: list[str | int] = [
        each.index if each.is_list else each.key or "?" for each in stack[:-1]
    ]
    if not stack:
        return Spot((), False, start, end, value)
    top = stack[-1]
    if top.is_list:
        return Spot((*outer, top.index + 1), False, start, end, value, frozenset(top.names))
    if top.key is None:
        return Spot(tuple(outer), True, start, end, value, frozenset(top.names))
    return Spot((*outer, top.key), False, start, end, value)
