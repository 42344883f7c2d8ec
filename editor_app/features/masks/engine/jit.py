"""Compiling numeric kernels once, by one process: kept on disk, without the interpreter lock,
listed for `warm_up`."""

from __future__ import annotations

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

from collections.abc import Callable
from typing import Any, cast

import numba

from editor_app.core.kernel_store.store import compile_once

Kernel = Callable[..., Any]

#: Every kernel that has been imported, by module and name.
KERNELS: dict[str, Any] = {}

#: Reassociation and fused multiply-add, but infinities stay meaningful: "nothing found yet" is an
#: infinite distance.
FAST = frozenset({"contract", "nsz", "reassoc", "nnan"})


def kernel(function: Kernel) -> Kernel:
    """Compiles `function` at its first call with strict floating-point rules, and keeps the result
    on disk."""
    return _compile(function, False)


def fast_kernel(function: Kernel) -> Kernel:
    """Compile as `kernel` does, if the order of additions does not matter (SIMD); never for the
    certificate."""
    return _compile(function, set(FAST))


def _compile(function: Kernel, fastmath: Any) -> Kernel:
    compiled = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)
    compile_once(compiled)
    KERNELS[f"{function.__module__}.{function.__name__}"] = compiled
    return cast(Kernel, compiled)


def helper(function: Kernel) -> Kernel:
    """A part of kernels, compiled with them."""
    return cast(Kernel, numba.njit(error_model="numpy")(function))


def inlined_helper(function: Kernel) -> Kernel:
    """Compile as `helper` does, and inline every call: handing arrays to a function counts them
    with locked instructions, which costs more than a small function does. (So does a view of an
    array.)"""
    return cast(Kernel, numba.njit(error_model="numpy", forceinline=True, _nrt=False)(function))


def borrower(function: Kernel) -> Kernel:
    """Compile as `inlined_helper` does, for functions too large to inline everywhere; they make no
    arrays nor views of them."""
    return cast(Kernel, numba.njit(error_model="numpy", _nrt=False)(function))


def fast_helper(function: Kernel) -> Kernel:
    """Compile as `helper` does, for fast kernels."""
    return cast(Kernel, numba.njit(error_model="numpy", fastmath=set(FAST))(function))


def fast_part(function: Kernel) -> Kernel:
    """Compile as `inlined_helper` does, for fast kernels."""
    return cast(
        Kernel, numba.njit(error_model="numpy", fastmath=set(FAST), forceinline=True)(function)
    )


def is_compiled(name: str) -> bool:
    """Return whether code of `KERNELS[name]`, as it is now, is in memory or on disk."""
    compiled = KERNELS[name]
    return bool(compiled.signatures) or bool(compiled._cache.is_on_disk())
