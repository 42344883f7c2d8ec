"""numba without the settings file of the current folder and scipy's linear algebra. To be imported
before numba.

numba reads `.numba_config.yaml` wherever it is started, with no way to forbid it. Such a file
beside a downloaded robot could point `cache_dir` at a folder of prepared caches, which numba
unpickles: code would be run.

With its first compiled function numba imports scipy.linalg, to know whether kernels can multiply
matrices by BLAS. None of ours does, and the import is a fifth of the CPU time of a short command.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

_MODULE = "numba.core.config"
_FILE = ".numba_config.yaml"
#: No file can stand below one.
_NOWHERE = os.path.join(os.path.abspath(__file__), _FILE)


class _Loader(importlib.abc.Loader):
    """A module as its own loader loads it, from sources or, in a bundle, from code alone, and one
    thing otherwise."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)


class _LoaderOfSettings(_Loader):
    def exec_module(self, module: ModuleType) -> None:
        code: CodeType = self._loader.get_code(module.__name__)
        constants = tuple(_NOWHERE if value == _FILE else value for value in code.co_consts)
        exec(code.replace(co_consts=constants), module.__dict__)


class _LoaderWithoutBlas(_Loader):
    def exec_module(self, module: ModuleType) -> None:
        linalg: Any = importlib.import_module("numba.np.linalg")
        ask = getattr(linalg, "ensure_blas", None)
        if ask is None or "scipy.linalg" in sys.modules:
            super().exec_module(module)
            return
        linalg.ensure_blas = _no_blas
        try:
            super().exec_module(module)
        finally:
            linalg.ensure_blas = ask


def _no_blas() -> None:
    raise ImportError("no kernel of this program multiplies matrices by BLAS")


_LOADERS = {_MODULE: _LoaderOfSettings, "numba.np.arraymath": _LoaderWithoutBlas}


class _Finder:
    """Asked for every module, answers for those that are loaded in another way."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        loader = _LOADERS.get(name)
        if loader is None:
            return None
        others = (
            finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not cls
        )
        spec = next((spec for spec in others if spec is not None), None)
        if spec is not None:
            spec.loader = loader(spec.loader)
        return spec


if _MODULE not in sys.modules and _Finder not in sys.meta_path:
    sys.meta_path.insert(0, _Finder)
