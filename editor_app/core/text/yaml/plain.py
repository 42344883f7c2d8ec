"""Plain values of YAML and JSON: numbers as readers of YAML 1.1 mean them, lists of numbers and of
names."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from functools import partial
from typing import Any

from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_all, compose_document
from editor_app.core.text.yaml.nodes import find_repeated_keys
from editor_app.core.text.yaml.scalars import to_value


def load_plain(source: SourceText, repeated: list[str] | None = None) -> Any:
    """Return the value of a YAML or JSON file, in which the last of repeated keys counts.

    `repeated` receives these keys. Raises FormatError with the place.
    """
    keys: list[str] = []
    if source.text.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(
                source.text,
                object_pairs_hook=partial(_object, keys) if repeated is not None else None,
            )
        except (json.JSONDecodeError, RecursionError):
            # Flow YAML begins like JSON; if it is neither, the YAML reader knows the place.
            keys.clear()
        else:
            if repeated is not None:
                repeated += keys
            return value
    value = regular_value(source.text)
    if value is not None:
        return value
    tree = compose_document(source)
    if repeated is not None:
        repeated += [".".join(map(str, path)) for path, _ in find_repeated_keys(tree)]
    return None if tree.root is None else to_value(tree.root)


def _object(repeated: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; keys that are in it more than once go to `repeated`."""
    value = dict(pairs)
    if len(value) < len(pairs):
        repeated += [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    return value


def load_all(source: SourceText) -> list[Any]:
    """The values of the documents of a YAML stream, or of a JSON file. Raises FormatError with the
    place."""
    if _MARK.search(source.text) is None:
        return [load_plain(source)]
    return [to_value(tree.root) for tree in compose_all(source) if tree.root is not None]


#: What begins another document of a stream.
_MARK = re.compile(r"^---", re.MULTILINE)


def read_finite_number(value: object) -> float | None:
    """A finite number, also one that YAML 1.1 takes for text (`1e-4`)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, (int, float)):
        try:
            finite = float(value)
        except OverflowError:
            return None
        return finite if math.isfinite(finite) else None
    return None


def read_finite_numbers(value: object, count: int | None = None) -> tuple[float, ...] | None:
    """A list of finite numbers, of that length if one is given."""
    if not isinstance(value, list):
        return None
    floats = [read_finite_number(v) for v in value]
    if None in floats or (count is not None and len(floats) != count):
        return None
    return tuple(v for v in floats if v is not None)


def read_text_list(value: object) -> tuple[str, ...] | None:
    """A list of texts; None when it is none."""
    if not isinstance(value, list):
        return None
    return tuple(str(v) for v in value if isinstance(v, (str, int)) and not isinstance(v, bool))


def fail(source: SourceText, message: str, remedy: str | None = None) -> FormatError:
    return FormatError(message, source.location(0), remedy)


_NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?"
_STRING = r'"[ !#-\[\]-~]*"'
_NUMBERS = rf"\[{_NUMBER}(?:, *{_NUMBER})*\]"
_KEY = r"[A-Za-z_][A-Za-z0-9_]*"
_FLAT = rf"(?:{_NUMBER}|{_NUMBERS}|{_STRING}|\[(?:{_STRING}(?:, *{_STRING})*)?\])"
_FIELD = rf"{_KEY}: (?:{_NUMBER}|{_NUMBERS})"
#: Indentation, whether an item begins, its key, a plain word, a value that JSON spells alike, or a
#: mapping of these.
_LINE = re.compile(
    rf"( *)(- )?(?:({_KEY})|({_STRING})):"
    rf"(?: ([A-Za-z_][A-Za-z0-9_.-]*)| ({_FLAT})| \{{({_FIELD}(?:, {_FIELD})*)\}})?"
)
_EMPTY = re.compile(r"(?:#[ -~]*)?")
_KEYS = re.compile(rf"({_KEY}): ")
#: Deeper nesting is for the full reader.
DEEPEST = 20
#: Words that mean no text, here or to readers of YAML 1.1.
_MEANINGS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def regular_value(text: str) -> Any:
    """The value of a document in block style, whose lines are `key: value` or `- key: value`, as
    the full reader gives it; None for anything else, which is for the full reader to read or to
    refuse.

    Values are numbers and texts as JSON writes them, plain words, lists of these, and mappings of
    numbers in one line.
    """
    blocks, match = _Blocks(), _LINE.fullmatch
    for line in text.split("\n"):
        parts = match(line)
        if parts is not None:
            if not blocks.add(*parts.groups()):
                return None
        elif _EMPTY.fullmatch(line) is None:
            return None
    return None if blocks.waiting is not None or not blocks.root else blocks.root


class _Blocks:
    """The open mappings and lists with their columns; a key without a value waits for its block."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.waiting: tuple[dict[str, Any], str, int] | None = None
        self._open: list[tuple[int, dict[str, Any]]] = [(0, self.root)]
        self._lists: dict[int, list[dict[str, Any]]] = {}

    def add(
        self, spaces: str, dash: str | None, key: str | None, quoted: str, word: str | None, flat: str | None,
        fields: str | None,
    ) -> bool:  # fmt: skip
        """The parts of a line; False where they are not regular."""
        column = len(spaces)
        if not (self._begin_item(column) if dash is not None else self._go_to(column)):
            return False
        column, entry = self._open[-1]
        if key is None:
            key = quoted[1:-1]
        if key in entry or key.lower() in _MEANINGS or len(self._open) > DEEPEST:
            return False
        if flat is not None:
            entry[key] = json.loads(flat)
        elif word is not None:
            entry[key] = word
            return word.lower() not in _MEANINGS
        elif fields is not None:
            value = entry[key] = json.loads("{" + _KEYS.sub(r'"\1": ', fields) + "}")
            return len(value) == len(_KEYS.findall(fields))
        else:
            self.waiting = entry, key, column
        return True

    def _begin_item(self, column: int) -> bool:
        """A new mapping in the list of a column, which a key waits for or which is open."""
        if self.waiting is not None:
            holder, name, least = self.waiting
            if column < least:
                return False
            self._leave_lists(column)
            holder[name] = self._lists[column] = []
            self.waiting = None
        elif column not in self._lists:
            return False
        self._leave_lists(column + 1)
        while self._open[-1][0] > column:
            self._open.pop()
        entry: dict[str, Any] = {}
        self._lists[column].append(entry)
        self._open.append((column + 2, entry))
        return True

    def _go_to(self, column: int) -> bool:
        """The mapping of a column, which a key waits for or which is open."""
        if self.waiting is not None:
            holder, name, least = self.waiting
            if column <= least:
                return False
            entry: dict[str, Any] = {}
            holder[name] = entry
            self._open.append((column, entry))
            self.waiting = None
            return True
        while self._open[-1][0] > column:
            self._open.pop()
        self._leave_lists(column)
        return self._open[-1][0] == column

    def _leave_lists(self, column: int) -> None:
        """Lists from this column on have ended."""
        if self._lists and max(self._lists) >= column:
            self._lists = {at: items for at, items in self._lists.items() if at < column}
