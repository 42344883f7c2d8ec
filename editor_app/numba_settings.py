"""numba without the settings file of the current folder. To be imported before numba.

numba reads `.numba_config.yaml` wherever it is started, with no way to forbid it. Such a file beside a downloaded robot
could point `cache_dir` at a folder of prepared caches, which numba unpickles: code would be run.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType

_MODULE = "numba.core.config"
_FILE = ".numba_config.yaml"
#: No file can stand below one.
_NOWHERE = os.path.join(os.path.abspath(__file__), _FILE)


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        if code is None or _FILE not in code.co_consts:
            return code
        return code.replace(co_consts=tuple(_NOWHERE if value == _FILE else value for value in code.co_consts))


class _Finder:
    """Asked for every module, answers for one."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(name, spec.origin)
        return spec


if _MODULE not in sys.modules and _Finder not in sys.meta_path:
    sys.meta_path.insert(0, _Finder)
