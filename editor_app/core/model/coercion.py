"""Values as their annotations want them: lists become tuples, numbers of numpy plain ones; misfits
are refused.

Scripts build commands and model values of whatever they have at hand. A list in a frozen value
cannot be hashed, a `numpy.float64` is written as `np.float64(0.1)`: both would be found out at
saving, when it is too late.
"""

from __future__ import annotations

import dataclasses
import numbers
import operator
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar

from editor_app.core.model import sensors
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.options import outside_limits
from editor_app.core.model.refusal import Refusal

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")
#: The value as it should be, itself where it is. Raises MisfitError.
Convert = Callable[[Any], Any]


class MisfitError(Refusal, ValueError):
    """A value is none that its field can have; the message names the field and what it has to
    be."""

    def __init__(self, wanted: str, value: object) -> None:
        super().__init__(wanted, value)
        self._wanted = wanted
        self._value = repr(value)
        #: From the inside out; put together only for the message, so that what fits costs nothing.
        self.path: list[str] = []

    def __str__(self) -> str:
        shown = self._value if len(self._value) <= 60 else f"{self._value[:57]}…"
        return f"{''.join(reversed(self.path))} must be {self._wanted}, not {shown}."


def conformed(value: T) -> T:
    """`value`, a dataclass, with all its fields as annotated; itself when they are. Raises
    MisfitError."""
    if not dataclasses.is_dataclass(value):
        return value
    try:
        result: T = _of_its_class(value)
    except MisfitError as error:
        error.path.append(type(value).__name__)
        raise
    return result


class Validated:
    """Settings that refuse a wrong value when they are built, by the name of its field. Raises
    MisfitError."""

    __slots__ = ()

    def __post_init__(self) -> None:
        fitting = conformed(self)
        for field in dataclasses.fields(self) if fitting is not self else ():  # type: ignore[arg-type]
            object.__setattr__(self, field.name, getattr(fitting, field.name))
        for name, is_right, wanted in (*outside_limits(self), *self.requirements()):
            if not is_right:
                error = MisfitError(wanted, getattr(self, name))
                error.path += [f".{name}", type(self).__name__]
                raise error

    def requirements(self) -> Iterable[tuple[str, bool, str]]:
        """Return (field, whether its value is allowed, words for it) beyond annotations and limits
        of options."""
        return ()


@cache
def _converter_of_class(cls: Any) -> Convert:
    hints = hints_of(cls)
    fields = [
        (field.name, _converter(hints[field.name]))
        for field in dataclasses.fields(cls)
        if field.init and field.name in hints
    ]
    fields = [(name, convert) for name, convert in fields if convert is not _as_it_is]
    has_item_hints = hasattr(cls, "item_hints")
    names = {field.name for field in dataclasses.fields(cls)}

    def convert(value: Any) -> Any:
        changed = {}
        name = ""
        checked = fields
        if has_item_hints:
            # The types of some fields depend on the value of another one, such as the path of a
            # list.
            checked = fields + [
                (n, _converter(hint)) for n, hint in value.item_hints.items() if n in names
            ]
        try:
            for name, convert_field in checked:
                old = getattr(value, name)
                new = convert_field(old)
                if new is not old:
                    changed[name] = new
        except MisfitError as error:
            error.path.append(f".{name}")
            raise
        return dataclasses.replace(value, **changed) if changed else value

    return convert


def hints_of(cls: type) -> dict[str, Any]:
    """Return the annotations that can be resolved; names that only type checkers import are left
    out."""
    hints = {}
    for base in reversed(cls.__mro__):
        names = {**vars(sensors), **vars(sys.modules.get(base.__module__, sensors))}
        for field, annotation in vars(base).get("__annotations__", {}).items():
            try:
                hints[field] = (
                    eval(annotation, names) if isinstance(annotation, str) else annotation
                )
            except (NameError, AttributeError, TypeError):
                hints.pop(field, None)
    return hints


@cache
def _converter(hint: Any) -> Convert:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return _one_of(arguments)
    if origin in (typing.Union, types.UnionType):
        return _any_of(arguments)
    if origin is tuple:
        repeated = len(arguments) == 2 and arguments[1] is Ellipsis
        return _list_of(_converter(arguments[0])) if repeated else _tuple_of(arguments)
    if origin is frozenset:
        return _frozenset_of(_converter(arguments[0]))
    if origin in (FrozenDict, Mapping):
        return _mapping_of(_converter(arguments[0]), _converter(arguments[1]))
    if isinstance(hint, type):
        return _plain(hint)
    return _as_it_is


def _plain(hint: type) -> Convert:
    simple: dict[type, Convert] = {float: _number, int: _whole, str: _text, bool: _truth}
    if hint in simple:
        return simple[hint]
    if issubclass(hint, Enum):
        return _member_of(hint)
    if dataclasses.is_dataclass(hint):
        return _instance_of(hint)
    # A protocol (a change within a change): what it is, it says itself.
    return _follower_of(hint) if getattr(hint, "_is_protocol", False) else _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _nested(value: Any) -> Any:
    return _of_its_class(value) if dataclasses.is_dataclass(value) else value


def _follower_of(hint: Any) -> Convert:
    def convert(value: Any) -> Any:
        if getattr(hint, "_is_runtime_protocol", False) and not isinstance(value, hint):
            raise MisfitError(f"a {hint.__name__}", value)
        return _nested(value)

    return convert


def _of_its_class(value: Any) -> Any:
    cls: Any = type(value)
    return _converter_of_class(cls)(value)


def _number(value: Any) -> float | int:
    if type(value) is float:
        return value
    value = _without_numpy(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise MisfitError("a number", value)
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise MisfitError(f"a number up to {sys.float_info.max:.0e}", value)
    return value if isinstance(value, int) else float(value)


def _whole(value: Any) -> int:
    if type(value) is int:
        return value
    value = _without_numpy(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise MisfitError("a whole number", value)
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise MisfitError("a text", value)
    if "\0" in value or (not value.isascii() and _SURROGATE.search(value)):
        raise MisfitError(
            "text without zero bytes and lone surrogates, which files cannot contain", value
        )
    return value if type(value).__module__ != "numpy" else str(value)


def _truth(value: Any) -> bool:
    value = _without_numpy(value)
    if not isinstance(value, bool):
        raise MisfitError("True or False", value)
    return value


def _one_of(choices: tuple[Any, ...]) -> Convert:
    def convert(value: Any) -> Any:
        if isinstance(value, str | int | bool) and value in choices:
            return value
        raise MisfitError("one of " + ", ".join(map(repr, choices)), value)

    return convert


def _member_of(hint: type[Enum]) -> Convert:
    def convert(value: Any) -> Any:
        if isinstance(value, hint):
            return value
        try:
            return hint(value)
        except ValueError:
            raise MisfitError(
                "one of " + ", ".join(repr(member.value) for member in hint), value
            ) from None

    return convert


def _instance_of(hint: type) -> Convert:
    def convert(value: Any) -> Any:
        if not isinstance(value, hint):
            raise MisfitError(f"a {hint.__name__}", value)
        return _nested(value)

    return convert


def _any_of(hints: tuple[Any, ...]) -> Convert:
    optional = type(None) in hints
    converts = [_converter(hint) for hint in hints if hint is not type(None)]

    def convert(value: Any) -> Any:
        if value is None and optional:
            return None
        refused = []
        for convert_one in converts:
            try:
                return convert_one(value)
            except MisfitError as error:
                refused.append(error)
        # Of an instance of one of the kinds, what is wrong within it; else of the first.
        raise next((error for error in refused if error.path), refused[0])

    return convert


def _list_of(each: Convert) -> Convert:
    def convert(value: Any) -> Any:
        items = _items(value)
        return items if each is _as_it_is else _converted([each] * len(items), items)

    return convert


def _tuple_of(hints: tuple[Any, ...]) -> Convert:
    converts = [_converter(hint) for hint in hints]

    def convert(value: Any) -> Any:
        items = _items(value)
        if len(items) != len(converts):
            raise MisfitError(f"{len(converts)} values", value)
        return _converted(converts, items)

    return convert


def _converted(converts: list[Convert], items: tuple[Any, ...]) -> tuple[Any, ...]:
    new: list[Any] = []
    try:
        for convert, item in zip(converts, items, strict=True):
            new.append(convert(item))
    except MisfitError as error:
        error.path.append(f"[{len(new)}]")
        raise
    return items if all(map(operator.is_, items, new)) else tuple(new)


def _frozenset_of(each: Convert) -> Convert:
    def convert(value: Any) -> Any:
        new = frozenset(each(item) for item in _items(value))
        return value if type(value) is frozenset and value == new else new

    return convert


def _mapping_of(convert_key: Convert, convert_item: Convert) -> Convert:
    def convert(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise MisfitError("a mapping", value)
        new, same, key = [], isinstance(value, FrozenDict), None
        try:
            for key, old in value.items():
                pair = convert_key(key), convert_item(old)
                same = same and pair[0] is key and pair[1] is old
                new.append(pair)
        except MisfitError as error:
            error.path.append(f"[{key!r}]")
            raise
        return value if same else FrozenDict(new)

    return convert


def _items(value: Any) -> tuple[Any, ...]:
    if type(value) is tuple:
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    # The letters of a name are no list of names.
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection):
        raise MisfitError("a list", value)
    return tuple(value)


def _without_numpy(value: Any) -> Any:
    """A number of numpy as a plain one; a float of 32 bits as it is written, 0.02 and not
    0.0199999996."""
    if (
        type(value).__module__ != "numpy"
        or not hasattr(value, "item")
        or getattr(value, "size", 0) != 1
    ):
        return value
    plain = value.item()
    return (
        float(str(plain if value.itemsize >= 8 else value)) if isinstance(plain, float) else plain
    )
