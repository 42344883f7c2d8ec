"""How much memory a worker process may take: a file made to fill it must end the work, not the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Of the machine's memory, above what the process has mapped when it begins.
_SHARE = 0.6


def limit_memory() -> None:
    """Best effort: on Windows, on Linux and other systems that tell their memory and can limit that of a process."""
    if sys.platform == "win32":
        from editor_app.tasks.windows_job import limit_process_memory

        limit_process_memory(_SHARE)
        return
    try:
        import resource

        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = _mapped() + int(_SHARE * whole)
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ImportError, OSError, ValueError, AttributeError):
        # A system without such limits.
        pass


def _mapped() -> int:
    """Bytes of address space that this process has taken already."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 4 << 30
    return pages * os.sysconf("SC_PAGE_SIZE")


def memory_sentence() -> str:
    """What is said when the limit was hit."""
    return (
        "This needs more memory than a background process may take, and was ended. Look for an absurdly large or "
        "deeply repeated mesh among the robot's files."
    )
