"""Late modules: `import` gives the module at once, and its code runs when something of it is used
for the first time.

This keeps start and `--help` quick. A package whose `__init__` calls `late_modules(__name__)` gives
its modules late: after `from editor_app.plugins.motion.engine import kernels`, numba is loaded by
the first use of `kernels`. An import of a name, as in `from editor_app.plugins.motion.engine.model
import MotionModel`, runs the module at once.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import Any

from editor_app.core.libraries import explain_missing_library

_LOCK = threading.RLock()
#: What a plain module never has, but `import`, `warnings` and PySide's look at each imported module
#: ask for.
_NEVER = frozenset({"__path__", "__warningregistry__", "__wrapped__"})


class _Late(ModuleType):
    """A module whose code runs when an attribute is asked for that it has not; then it is an
    ordinary one.

    importlib.util.LazyLoader does the same, but wakes when `import` merely looks at `__spec__`,
    which it always does.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in _NEVER:
            load_late(self)
            if name in self.__dict__:
                return self.__dict__[name]
            if type(self) is ModuleType:
                # The module may have a __getattr__ of its own.
                return getattr(self, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        load_late(self)
        return list(self.__dict__)


def late_modules(package: str) -> None:
    """Called by a package's `__init__`: its modules are late from now on."""

    def module_of(name: str) -> ModuleType:
        full = f"{package}.{name}"
        if not name.startswith("__") and not import_late(full):
            try:
                # A module that another thread imports just now is waited for; a package in the
                # package is run at once.
                return import_module(full)
            except ModuleNotFoundError as error:
                if error.name != full:
                    raise
        if full not in sys.modules:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package]
            )
        return sys.modules[full]

    sys.modules[package].__dict__["__getattr__"] = module_of


def import_late(name: str) -> bool:
    """Lets `import name` cost nothing until something of it is used; whether that is so now.

    Everything of the module works as ever, and errors of its import come at the first use. A module
    that is imported already, or that is not installed, stays as it is. Packages above it are
    imported now.
    """
    with _LOCK:
        if name in sys.modules:
            return False
        try:
            spec = importlib.util.find_spec(name)
        except ImportError:
            return False
        if spec is None or spec.submodule_search_locations is not None or name in sys.modules:
            return False
        # In a bundle, modules of this program have a loader of its own; of others only plain files
        # of Python are late.
        is_ours = name.startswith(f"{__name__.partition('.')[0]}.")
        if not is_ours and not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return False
        module = importlib.util.module_from_spec(spec)
        module.__dict__["__late_lock__"] = threading.RLock()
        module.__class__ = _Late
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
        return True


def is_loaded(module: ModuleType) -> bool:
    """Return whether the code of a module, late or not, ran to its end."""
    return "__late_lock__" not in module.__dict__


def load_late(module: ModuleType) -> None:
    """Runs the code of a late module now. A module that ran already stays as it is."""
    lock = module.__dict__.get("__late_lock__")
    if lock is None:
        return
    # A lock for each module: own modules import each other in no circle, so no two threads wait for
    # each other.
    with lock:
        # While the code runs, a missing name is a missing name; other threads wait at the lock
        # until it ran.
        if module.__dict__.get("__late_lock__") is None or "__late_running__" in module.__dict__:
            return
        assert module.__spec__ is not None
        assert module.__spec__.loader is not None
        module.__dict__["__late_running__"] = True
        try:
            module.__spec__.loader.exec_module(module)
        except ModuleNotFoundError as error:
            explain_missing_library(error)
            raise
        finally:
            del module.__dict__["__late_running__"]
        del module.__dict__["__late_lock__"]
        module.__class__ = ModuleType
