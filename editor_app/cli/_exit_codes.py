"""Exit codes of commands, for scripts and CI. Help and manual read them."""

from __future__ import annotations

from types import ModuleType

#: Exit codes of every command, in addition to its own `EXIT_CODES`.
COMMON = {
    2: "failed: standard error gives the reason",
    130: "interrupted",
}


def exit_codes(command: ModuleType) -> dict[int, str]:
    """Return all the exit codes of a command, in order, with their meanings: the common ones, and
    its `EXIT_CODES`."""
    return dict(sorted({**COMMON, **command.EXIT_CODES}.items()))
