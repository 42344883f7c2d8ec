"""Compiling numeric kernels once, by one process: cached on disk, without the interpreter lock, listed for `warm_up`.

A kernel and the functions it calls stand in one file, because numba's cache looks only at the file of the kernel; the
vectors are the exception, and what was compiled before they changed is thrown away here.
"""

from __future__ import annotations

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numba

from editor_app.core.compile_lock import compile_once

Kernel = Callable[..., Any]

#: What kernels of several files use.
VECTORS = tuple(Path(__file__).with_name(name) for name in ("simd.py", "plain_lanes.py"))

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
    for index, newer in _cached(compiled):
        if not newer:
            with contextlib.suppress(OSError):
                index.unlink()
    _recompile_what_cannot_be_read(compiled)
    compile_once(compiled)
    KERNELS[f"{function.__module__}.{function.__name__}"] = compiled
    return cast(Kernel, compiled)


def _recompile_what_cannot_be_read(compiled: Any) -> None:
    """An index on disk names the classes of arguments by their modules: one that has moved since is no error."""
    load = compiled._cache.load_overload

    def loaded(*signature_and_target: Any) -> Any:
        try:
            return load(*signature_and_target)
        except (ImportError, AttributeError):
            for index, _ in _cached(compiled):
                index.unlink(missing_ok=True)
            return None

    compiled._cache.load_overload = loaded


def helper(function: Kernel) -> Kernel:
    """A part of kernels in the same file, compiled with them."""
    return cast(Kernel, numba.njit(error_model="numpy")(function))


def inlined_helper(function: Kernel) -> Kernel:
    """As `helper`, put in place wherever it is called: handing arrays to a function counts them with locked
    instructions, which costs more than a small function does. (So does a view of an array.)"""
    return cast(Kernel, numba.njit(error_model="numpy", forceinline=True, _nrt=False)(function))


def borrower(function: Kernel) -> Kernel:
    """As `inlined_helper`, for functions too large to inline everywhere; they make no arrays nor views of them."""
    return cast(Kernel, numba.njit(error_model="numpy", _nrt=False)(function))


def fast_helper(function: Kernel) -> Kernel:
    """As `helper`, for fast kernels."""
    return cast(Kernel, numba.njit(error_model="numpy", fastmath=set(FAST))(function))


def fast_part(function: Kernel) -> Kernel:
    """As `inlined_helper`, for fast kernels."""
    return cast(Kernel, numba.njit(error_model="numpy", fastmath=set(FAST), forceinline=True)(function))


def is_compiled(name: str) -> bool:
    """Whether `KERNELS[name]` is in memory, or on disk and newer than its sources."""
    compiled = KERNELS[name]
    return bool(compiled.signatures) or any(newer for _, newer in _cached(compiled))


def _cached(compiled: Any) -> list[tuple[Path, bool]]:
    """The index files of a kernel in the cache, and whether each is newer than the sources."""
    sources = (Path(compiled.py_func.__code__.co_filename), *VECTORS)
    folder = Path(compiled.stats.cache_path)
    try:
        newest = max(source.stat().st_mtime for source in sources)
        index_files = folder.glob(f"*.{compiled.py_func.__qualname__}-*.nbi")
        return [(index, index.stat().st_mtime >= newest) for index in index_files]
    except OSError:
        return []
