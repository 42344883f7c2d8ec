"""What every verb refuses before it begins: arguments that are not what their name says."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import wraps
from numbers import Integral, Real
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from editor_app.model.profile import Profile
from editor_app.operations.work import Refused

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

#: Whole numbers; which of them make sense, the verb says itself.
_WHOLE = frozenset({"number", "budget", "queries", "seed"})
#: Whole numbers, 1 or more.
_COUNTS = frozenset({"samples", "processes", "jobs"})
#: 0 or more: seconds.
_DURATIONS = frozenset({"certify", "seconds"})
_ROBOTS = frozenset({"document", "robot"})
_CHOICES: dict[str, Collection[str]] = {"profile": tuple(Profile), "version": ("1.0", "2.0")}


def checked(verb: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The verb, which raises Refused for a wrong argument by its name; None stands for a default everywhere."""
    # Every verb is a function; `inspect` costs a start more than all of them.
    names = verb.__code__.co_varnames[: verb.__code__.co_argcount]

    @wraps(verb)
    def asked(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if value is not None and (wanted := _wanted(name, value)):
                raise Refused(f"{name} has to be {wanted}, not {value!r}")
        return verb(*args, **kwargs)

    return asked


def _wanted(name: str, value: Any) -> str:
    """What an argument has to be; "" where it is so."""
    if name in _COUNTS and not (_is_number(value, Integral) and value >= 1):
        return "a whole number, 1 or more"
    if name in _WHOLE and not _is_number(value, Integral):
        return "a whole number"
    if name in _DURATIONS and not (_is_number(value, Real) and value >= 0):
        return "a number of seconds, 0 or more"
    if name in _ROBOTS and isinstance(value, str | PathLike):
        return "an open robot (open_robot gives one)"
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"one of {', '.join(_CHOICES[name])}"
    return ""


def _is_number(value: Any, kind: type) -> bool:
    # numpy's numbers are registered as what they are.
    return isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)  # type: ignore[arg-type]
