"""Arguments and attributes of public classes that still work under the names of the release
before."""

from __future__ import annotations

import functools
import warnings
from typing import Any


def keep_old_argument(cls: type, old: str, now: str) -> None:
    """Let `cls` accept its argument `now` as `old`, and show it as this attribute, both with a
    DeprecationWarning."""
    create: Any = cls.__init__  # type: ignore[misc]
    sentence = f"{old} of {cls.__name__} is {now} now"

    @functools.wraps(create)
    def initialise(self: Any, *values: Any, **named: Any) -> None:
        if old in named:
            warnings.warn(sentence, DeprecationWarning, stacklevel=2)
            named[now] = named.pop(old)
        create(self, *values, **named)

    def read(self: Any) -> Any:
        warnings.warn(sentence, DeprecationWarning, stacklevel=2)
        return getattr(self, now)

    cls.__init__ = initialise  # type: ignore[misc]
    setattr(cls, old, property(read))
