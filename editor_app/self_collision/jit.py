"""Compiling numeric kernels once: cached on disk, without the interpreter lock, listed for `warm_up`.

A kernel and the functions it calls stand in one file, because numba's cache looks only at the file of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numba

Kernel = Callable[..., Any]

#: Every kernel that has been imported, by module and name.
KERNELS: dict[str, Any] = {}

#: Reassociation and fused multiply-add, but infinities stay meaningful: "nothing found yet" is an infinite distance.
FAST = frozenset({"contract", "nsz", "reassoc", "nnan"})


def kernel(function: Kernel) -> Kernel:
    """Compiles `function` at its first call with strict floating-point rules, and keeps the result on disk."""
    return _compile(function, False)


def fast_kernel(function: Kernel) -> Kernel:
    """As `kernel`, where the order of additions does not matter (SIMD); never for the certificate."""
    return _compile(function, set(FAST))


def _compile(function: Kernel, fastmath: Any) -> Kernel:
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath)(function)
    KERNELS[f"{function.__module__}.{function.__name__}"] = compiled
    return cast(Kernel, compiled)


def helper(function: Kernel) -> Kernel:
    """A part of kernels in the same file, compiled with them."""
    return cast(Kernel, numba.njit(error_model="numpy")(function))


def fast_helper(function: Kernel) -> Kernel:
    """As `helper`, for fast kernels."""
    return cast(Kernel, numba.njit(error_model="numpy", fastmath=set(FAST))(function))


def is_compiled(name: str) -> bool:
    """Whether `KERNELS[name]` is in memory, or on disk and newer than its source."""
    compiled = KERNELS[name]
    if compiled.signatures:
        return True
    source = Path(compiled.py_func.__code__.co_filename)
    folder = Path(compiled.stats.cache_path)
    try:
        newest = source.stat().st_mtime
        found = folder.glob(f"*.{compiled.py_func.__name__}-*.nbi")
        return any(index.stat().st_mtime >= newest for index in found)
    except OSError:
        return False
