"""Compiled modules of a test run are kept, in the test environment, where the shell wants none
beside the sources."""

from __future__ import annotations

import os
import sys

import environment  # packaging/environment.py

_SWITCHES = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")


def keep_bytecode() -> None:
    """As packaging/test.py does: else this process and each that a test starts compile a thousand
    modules again.

    A Python that was started with -B goes on without, as it was told.
    """
    if not os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return
    clean = environment.clean_environment()
    for name in _SWITCHES:
        os.environ.pop(name, None)
        if name in clean:
            os.environ[name] = clean[name]
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"]
    sys.dont_write_bytecode = False
