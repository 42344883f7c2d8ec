"""Digest of everything a kernel is compiled from: its code, the functions and constants it uses,
options and target.

Times and places of files do not count, so that a copy of the program finds what was compiled
elsewhere. Code counts as bytecode: a comment changes nothing. Intrinsics bring operators and types
along that no name in the kernel leads to, so the whole module of an intrinsic counts.
"""

from __future__ import annotations

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

import hashlib
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import config
from numba.core.codegen import get_host_cpu_features
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

#: Triple, processor and its features, as LLVM writes them.
CompileTarget = tuple[str, str, str]

#: Their versions count instead of their code.
_LIBRARIES = frozenset({"numba", "numpy", "llvmlite", "math", "operator", "builtins"})
_COMPILERS = (
    "1",
    numba.__version__,
    llvmlite.__version__,
    sys.implementation.cache_tag or sys.version,
)


def local_target() -> CompileTarget:
    """Return the target that numba compiles for in this process."""
    features = get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES
    return (
        llvm.get_process_triple(),
        config.CPU_NAME or llvm.get_host_cpu_name(),
        _sorted_features(features),
    )


def runs_here(target: CompileTarget) -> bool:
    """Return whether this machine has the triple and every feature of a target."""
    triple, _, features = target
    needed = {feature for feature in features.split(",") if feature.startswith("+")}
    return triple == llvm.get_process_triple() and needed <= set(get_host_cpu_features().split(","))


def _sorted_features(features: str) -> str:
    return ",".join(sorted(feature for feature in features.split(",") if feature))


def digest_kernel(
    function: Callable[..., Any], options: dict[str, Any], target: CompileTarget
) -> str:
    """Return 32 hexadecimal digits for the function, numba's options and the target."""
    state = hashlib.sha256()
    for text in (*_COMPILERS, *target, _constant(options), *_ingredients(function)):
        state.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))
    return state.hexdigest()[:32]


def digest_signature(types: tuple[Any, ...]) -> str:
    """Return 16 hexadecimal digits for the types of arguments, including the fields of named
    tuples."""
    text = ";".join(f"{kind}{getattr(kind, 'fields', '')}" for kind in types)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _ingredients(function: Callable[..., Any]) -> Iterator[str]:
    """The code that a function is compiled with, in the order in which it is met, and values that
    are no code."""
    waiting: list[Any] = [function]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, Dispatcher):
            yield _constant(value.targetoptions)
            value = value.py_func
        if isinstance(value, _Intrinsic):
            value = sys.modules[value._defn.__module__]
        if not isinstance(value, (FunctionType, ModuleType)):
            yield _constant(value)
        elif id(value) not in seen and _module_name(value).partition(".")[0] not in _LIBRARIES:
            seen.add(id(value))
            if isinstance(value, ModuleType):
                loader: Any = value.__loader__
                yield _code(loader.get_code(value.__name__))
                continue
            yield _code(value.__code__)
            yield _constant(value.__defaults__)
            waiting += [cell.cell_contents for cell in value.__closure__ or ()]
            waiting += [
                value.__globals__[name]
                for name in _names(value.__code__)
                if name in value.__globals__
            ]


def _module_name(value: FunctionType | ModuleType) -> str:
    return value.__name__ if isinstance(value, ModuleType) else value.__module__


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code(code: CodeType) -> str:
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return (
        f"{code.co_code.hex()} {code.co_exceptiontable.hex()} {names} {counts} "
        f"{_constant(code.co_consts)}"
    )


def _constant(value: Any) -> str:
    """A text that is the same in every process. What is no number, text, array or collection counts
    by its type."""
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, dict):
        return str([(_constant(key), _constant(value[key])) for key in sorted(value, key=str)])
    if isinstance(value, (set, frozenset)):
        return str(sorted(map(_constant, value)))
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}{[_constant(part) for part in value]}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__module__}.{type(value).__qualname__}"
