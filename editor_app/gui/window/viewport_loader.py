"""Brings the 3D view in after the window is on the screen: importing VTK takes longer than everything else together."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import threading
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

_MODULE = "editor_app.gui.viewport.view"
#: What pyvista imports at its own import and only figures and charts need; more than a tenth of the start.
_LATE = "matplotlib.pyplot"
#: About how many modules come with the view. Only the bar of the waiting page goes by it.
_MODULES = 560


class ViewportLoader(QObject):
    """Imports in a thread, so that the window answers meanwhile; the widget itself is made in the GUI thread."""

    failed = Signal(str)
    #: About which share is there.
    progress = Signal(float)
    _imported = Signal()

    def __init__(self, make: Callable[[], QWidget], on_made: Callable[[QWidget], object], parent: QObject) -> None:
        super().__init__(parent)
        self._make = make
        self._on_made = on_made
        self._thread: threading.Thread | None = None
        self._imported.connect(self._finish, Qt.ConnectionType.QueuedConnection)
        self._before = 0
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._tell)

    def start(self) -> None:
        """Begins; later calls do nothing."""
        if self._thread is None:
            self._before = len(sys.modules)
            self._tick.start()
            self._thread = threading.Thread(target=self._import, name="viewport import", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Until the import is over: an interpreter that ends in the middle of one may crash."""
        if self._thread is not None:
            self._thread.join(30)

    def _import(self) -> None:
        try:
            import_late(_LATE)
            importlib.import_module(_MODULE)
        except Exception:
            self._emit(self.failed, traceback.format_exc())
        else:
            self._emit(self._imported)

    def _tell(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._tick.stop()
        self.progress.emit(min(1.0, (len(sys.modules) - self._before) / _MODULES))

    def _emit(self, signal: SignalInstance, *arguments: object) -> None:
        try:
            signal.emit(*arguments)
        except RuntimeError:
            # The window was closed meanwhile.
            pass

    def _finish(self) -> None:
        self._tick.stop()
        self._on_made(self._make())


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
