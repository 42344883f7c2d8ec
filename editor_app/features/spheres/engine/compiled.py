"""The one way functions are compiled here: kept on disk, typed for the checker, free of the
interpreter's lock."""

from __future__ import annotations

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from editor_app.core.kernel_store.store import compile_once

F = TypeVar("F", bound=Callable[..., Any])


def compile_cached(*, fastmath: bool = False, inline: bool = False) -> Callable[[F], F]:
    """Decorator: compile with numba (no Python objects), loaded from disk if it was compiled
    before."""
    options: dict[str, Any] = {"fastmath": fastmath, "nogil": True}
    if inline:
        options["inline"] = "always"

    def compile_for_one_process(function: F) -> F:
        dispatcher = njit(**options)(function)
        compile_once(dispatcher)
        return cast(F, dispatcher)

    return compile_for_one_process


def in_two_threads(
    function: Callable[..., Any], first: int, middle: int, last: int, *arguments: Any
) -> None:
    """``function(first, middle, *arguments)`` beside ``function(middle, last, *arguments)``.

    For compiled functions that write each index's results to places of its own: which thread does
    what changes nothing in the result. An error in either is raised here.
    """
    failed: list[BaseException] = []

    def other() -> None:
        try:
            function(middle, last, *arguments)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    function(first, middle, *arguments)
    thread.join()
    if failed:
        raise failed[0]
