"""Modules that are imported when something of them is first used, though others import them at their own import."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import threading
from types import ModuleType
from typing import Any

# One for all: two threads that use two late modules which need each other must not wait for each other.
_LOCK = threading.RLock()
#: What a plain module never has, but `import` and `warnings` ask every module for.
_NEVER = frozenset({"__path__", "__warningregistry__"})


class _Late(ModuleType):
    """A module whose code runs when an attribute is asked for that it has not; then it is an ordinary one.

    importlib.util.LazyLoader does the same, but wakes when `import` merely looks at `__spec__`, which it always does.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in _NEVER:
            with _LOCK:
                # While the code runs, a missing name is a missing name; other threads wait at the lock until it ran.
                if type(self) is _Late and not self.__dict__["__late_running__"]:
                    _run(self)
            if name in self.__dict__:
                return self.__dict__[name]
            if type(self) is ModuleType:
                # The module may have a __getattr__ of its own.
                return getattr(self, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        with _LOCK:
            if type(self) is _Late and not self.__dict__["__late_running__"]:
                _run(self)
        return list(self.__dict__)


def import_late(name: str) -> bool:
    """Lets `import name` cost nothing until something of it is used; whether that is so now.

    Everything of the module works as ever, and errors of its import come at the first use. A module that is imported
    already, or that is not installed, stays as it is. Packages above it are imported now.
    """
    if name in sys.modules:
        return False
    try:
        spec = importlib.util.find_spec(name)
    except ImportError:
        return False
    # Only what is a plain file of Python can be begun later without doubt.
    if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader) or name in sys.modules:
        return False
    if spec.submodule_search_locations is not None:
        return False
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__late_running__"] = False
    module.__class__ = _Late
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return True


def _run(module: ModuleType) -> None:
    """The code of the module; the lock is held."""
    spec = module.__spec__
    assert spec is not None
    assert spec.loader is not None
    module.__dict__["__late_running__"] = True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        module.__dict__["__late_running__"] = False
        raise
    del module.__dict__["__late_running__"]
    module.__class__ = ModuleType
