"""Which systems have wheels of all that a lock pins: python3 packaging/verify_wheels.py [--lock FILE]

Prints the README's table of systems. Needs uv and a package index, which is asked for metadata alone: nothing is
downloaded or installed. One question for each system and Python, and one more for each package without a wheel.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import environment

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
#: As the table names them -> what uv calls them, oldest system first: the first one with all wheels counts.
SYSTEMS = {
    "Linux x86_64": ("x86_64-manylinux_2_28", "x86_64-manylinux_2_34", "x86_64-manylinux_2_39"),
    "Linux aarch64": ("aarch64-manylinux_2_28", "aarch64-manylinux_2_34", "aarch64-manylinux_2_39"),
    "Windows x86_64": ("x86_64-pc-windows-msvc",),
    "macOS arm64": ("aarch64-apple-darwin",),
    "macOS x86_64": ("x86_64-apple-darwin",),
}
#: Beyond that many packages without a wheel nobody installs anything; the index is spared the rest.
MOST_MISSING = 8

#: (pins, platform, Python) -> uv's complaint, "" for none.
Ask = Callable[[str, str, str], str]


class CannotTell(RuntimeError):
    """The index gave no answer; the message is uv's."""


@dataclass(frozen=True)
class Cell:
    """What one system has for one Python: `glibc` the oldest C library that does (Linux only), `missing` packages."""

    glibc: str | None = None
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.missing:
            return "no " + ", ".join(self.missing)
        return "yes" if self.glibc is None else f"glibc {self.glibc}"


def ask_uv(uv: str) -> Ask:
    """Asks the package index of this machine's uv."""

    def ask(pins: str, platform: str, python: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            lock, out = Path(folder) / "requirements.txt", Path(folder) / "out.txt"
            lock.write_text(pins, encoding="utf-8")
            command = [uv, "pip", "compile", "--quiet", "--no-deps", "--only-binary", ":all:", "--no-config"]
            command += ["--python-platform", platform, "--python-version", python, "-o", str(out), str(lock)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        return done.stderr if done.returncode != 0 else ""

    return ask


def without(pins: str, package: str) -> str:
    """The lock's text without a package: its lines, in all versions."""
    block = rf"^{re.escape(package)}==.*(?:\n[ \t]+.*)*\n?"
    return re.sub(block, "", pins, flags=re.MULTILINE | re.IGNORECASE)


def missing(pins: str, platform: str, python: str, ask: Ask) -> tuple[str, ...]:
    """The packages that have no wheel there, at most MOST_MISSING. Raises CannotTell."""
    lacking: list[str] = []
    while len(lacking) < MOST_MISSING and (complaint := ask(pins, platform, python)):
        named = re.search(r"(\S+)==\S+ has no (?:\w+ )?wheels", " ".join(complaint.split()))
        if named is None or named[1] in lacking:
            raise CannotTell(complaint.strip())
        lacking.append(named[1])
        pins = without(pins, named[1])
    return tuple(lacking)


def cell(pins: str, platforms: tuple[str, ...], python: str, ask: Ask) -> Cell:
    """The oldest of `platforms` that has all wheels, or what even the newest lacks."""
    lacking: tuple[str, ...] = ()
    for platform in platforms:
        newest = platform == platforms[-1]
        glibc = re.search(r"manylinux_(\d+)_(\d+)$", platform)
        # Only the newest system's list is told: for an older one it is enough that something is missing.
        lacking = missing(pins, platform, python, ask) if newest else _something(pins, platform, python, ask)
        if not lacking:
            return Cell(f"{glibc[1]}.{glibc[2]}" if glibc else None)
    return Cell(missing=lacking)


def _something(pins: str, platform: str, python: str, ask: Ask) -> tuple[str, ...]:
    complaint = ask(pins, platform, python)
    if complaint and not re.search(r"has no (?:\w+ )?wheels", " ".join(complaint.split())):
        raise CannotTell(complaint.strip())
    return ("something",) if complaint else ()


def table(cells: dict[str, tuple[Cell, ...]]) -> str:
    """A Markdown table, one row per system and one column per Python."""
    rows = ["| wheels of all dependencies | " + " | ".join(PYTHONS) + " |", "|---" * (len(PYTHONS) + 1) + "|"]
    rows += [f"| {system} | " + " | ".join(map(str, row)) + " |" for system, row in cells.items()]
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("--lock", type=Path, default=environment.RUN_LOCK, metavar="FILE", help="default: the editor's")
    lock: Path = parser.parse_args(arguments).lock
    uv = environment.usable_uv()
    if uv is None:
        print("uv is needed: https://docs.astral.sh/uv (or pip install uv).", file=sys.stderr)
        return 2
    pins, ask = lock.read_text(encoding="utf-8"), ask_uv(uv)
    try:
        cells = {
            system: tuple(cell(pins, platforms, python, ask) for python in PYTHONS)
            for system, platforms in SYSTEMS.items()
        }
    except (CannotTell, subprocess.TimeoutExpired) as error:
        print(f"The package index gave no answer about {lock.name}: {error}", file=sys.stderr)
        return 2
    print(table(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
