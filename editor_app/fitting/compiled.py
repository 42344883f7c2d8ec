"""The one way functions are compiled here: cached on disk, typed for the checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, fastmath: bool = False, inline: bool = False) -> Callable[[F], F]:
    """Decorator: compile with numba (no Python objects), result cached on disk between runs."""
    options: dict[str, Any] = {"cache": True, "fastmath": fastmath}
    if inline:
        options["inline"] = "always"
    return cast(Callable[[F], F], njit(**options))
