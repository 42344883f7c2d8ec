"""The exit codes of commands, for scripts and CI. Help and manual read them."""

from __future__ import annotations

from types import ModuleType

#: Of every command, beside its own.
COMMON = {
    2: "it could not be done: standard error says why",
    130: "it was interrupted",
}


def exit_codes(command: ModuleType) -> dict[int, str]:
    """Return all the exit codes of a command, in order, with their meanings: the common ones, and its `EXIT_CODES`."""
    return dict(sorted({**COMMON, **command.EXIT_CODES}.items()))
