"""Functions of numba whose code comes from disk: shipped, kept for the user, or compiled by one
process for all."""

from __future__ import annotations

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

import logging
import pickle
import re
from functools import cached_property
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from editor_app.core.kernel_store import digest, files
from editor_app.core.kernel_store.lock import locked

_STORES: list[KernelStore] = []


class KernelStore(NullCache):  # type: ignore[misc]
    """Compiled code of one function of numba, in the place of numba's cache."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        function = dispatcher.py_func
        #: The begin of the names of its files.
        self.kernel = re.sub(
            r"[^\w.]",
            "",
            f"{function.__module__.removeprefix('editor_app.')}.{function.__qualname__}",
        )

    @property
    def cache_path(self) -> str | None:
        """The user's folder; part of numba's statistics."""
        folder = files.user_folder()
        return None if folder is None else str(folder)

    @cached_property
    def local_prefix(self) -> str:
        """The begin of the names of files with code for this machine."""
        return self._prefix(digest.local_target())

    @cached_property
    def shipped_prefix(self) -> str | None:
        """The begin of the names of shipped files; None where they do not run on this machine."""
        shipped = files.shipped_kernels()
        return (
            self._prefix(shipped.target) if shipped and digest.runs_here(shipped.target) else None
        )

    def is_on_disk(self) -> bool:
        """Return whether code for any signature is shipped or kept."""
        shipped, prefix = files.shipped_kernels(), self.shipped_prefix
        listed = prefix and shipped and any(name.startswith(prefix) for name in shipped.digests)
        return bool(listed or files.kept_names(self.local_prefix))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature; None where that cannot be loaded."""
        # What loaded code calls. What numba's refresh does besides is for compiling, which
        # refreshes for itself.
        rtsys.initialize(target_context)
        signature = digest.digest_signature(normalize_signature(sig)[0]) + files.SUFFIX
        payload = files.read_shipped(f"{self.shipped_prefix}{signature}")
        if payload is None:
            payload = files.read_kept(self.local_prefix + signature)
        if payload is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception as error:
            # A class of an argument may have moved since.
            logging.getLogger(__name__).info(
                "%s is compiled again: %s: %s", self.kernel, type(error).__name__, error
            )
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, unless it holds addresses of this process."""
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        name = (
            self.local_prefix + digest.digest_signature(normalize_signature(sig)[0]) + files.SUFFIX
        )
        files.keep_kernel(name, dumps(data._reduce()), self.kernel)

    def _prefix(self, target: digest.CompileTarget) -> str:
        code = digest.digest_kernel(
            self._dispatcher.py_func, self._dispatcher.targetoptions, target
        )
        return f"{self.kernel}-{code}-"


def compile_once(dispatcher: Any) -> None:
    """Make a function of numba load its code from disk, or else compile it in one process and keep
    it."""
    store = KernelStore(dispatcher)
    dispatcher._cache = store
    _STORES.append(store)
    compile_now = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        folder = files.private_folder(make=True)
        # The lock between threads comes first, as numba takes it again inside: no thread waits for
        # another process while it keeps one from compiling.
        with global_compiler_lock, locked(folder and folder / f"{store.kernel}.lock"):
            return compile_now(signature)

    dispatcher.compile = compile_alone


def current_names() -> list[str]:
    """Return the names of the user's files that the functions of this process, as they are now, can
    be loaded from."""
    return sorted({name for store in _STORES for name in files.kept_names(store.local_prefix)})
