"""Print which systems have wheels of all dependencies: .venv/bin/python packaging/verify_wheels.py

The answer is the table of systems on the manual's page *Install*. uv.lock names the wheels, so that
no index is asked.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Iterable

import locked
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

#: The oldest C libraries that are asked for, oldest first: Debian 11, Debian 12 and Ubuntu 22.04,
#: Ubuntu 24.04.
GLIBCS = ((2, 28), (2, 34), (2, 39))
#: As the table names them -> platform.system(), platform.machine() and the platform tags, with {}
#: for the C library.
SYSTEMS = {
    "Linux x86_64": ("Linux", "x86_64", "manylinux_2_{}_x86_64"),
    "Linux aarch64": ("Linux", "aarch64", "manylinux_2_{}_aarch64"),
    "Windows x86_64": ("Windows", "AMD64", "win_amd64"),
    "macOS arm64": ("Darwin", "arm64", "macosx_{}_arm64"),
    "macOS x86_64": ("Darwin", "x86_64", "macosx_{}_x86_64"),
}
#: The newest macOS whose wheels count.
NEWEST_MACOS = 14


def platforms(system: str, glibc: int) -> list[str]:
    """Return the platform tags of wheels that run on a system; `glibc` is the 34 of 2.34."""
    name, machine, tag = SYSTEMS[system]
    if name == "Linux":
        first = 5 if machine == "x86_64" else 17
        older = {5: "manylinux1", 12: "manylinux2010", 17: "manylinux2014"}
        return [tag.format(minor) for minor in range(first, glibc + 1)] + [
            f"{text}_{machine}" for minor, text in older.items() if first <= minor <= glibc
        ]
    if name == "Darwin":
        versions = [f"10_{minor}" for minor in range(17)] + [
            f"{major}_0" for major in range(11, NEWEST_MACOS + 1)
        ]
        kinds = (machine, "universal2", *(("intel", "universal") if machine == "x86_64" else ()))
        return [f"macosx_{version}_{kind}" for version in versions for kind in kinds]
    return [tag]


@functools.cache
def accepted_tags(system: str, python: str, glibc: int) -> frozenset[Tag]:
    """Return the tags of wheels that CPython of a version installs on a system."""
    version = [int(number) for number in python.split(".")]
    names = platforms(system, glibc)
    interpreter = f"cp{''.join(python.split('.'))}"
    return frozenset(
        {*cpython_tags(version, platforms=names), *compatible_tags(version, interpreter, names)}
    )


def missing_wheels(needed: Iterable[locked.Package], tags: frozenset[Tag]) -> list[str]:
    """Return the names of the packages without a wheel that has one of the tags."""
    return [
        package.name
        for package in needed
        if not any(tags & parse_wheel_filename(wheel)[3] for wheel in package.wheels)
    ]


def describe_system(system: str, python: str, needed: Iterable[locked.Package]) -> str:
    """Return a cell of the table: the oldest C library for which all wheels exist, or what even the
    newest lacks."""
    packages, missing = tuple(needed), list[str]()
    for major, minor in GLIBCS:
        missing = missing_wheels(packages, accepted_tags(system, python, minor))
        if not missing:
            return f"glibc {major}.{minor}" if SYSTEMS[system][0] == "Linux" else "yes"
    return "no " + ", ".join(missing)


def table() -> str:
    """Return a Markdown table, one row per system and one column per Python."""
    lock = locked.read_lock()
    rows = ["| wheels of all dependencies | " + " | ".join(locked.PYTHONS) + " |"]
    rows.append("|---" * (len(locked.PYTHONS) + 1) + "|")
    for system, (name, machine, _) in SYSTEMS.items():
        cells = [
            describe_system(
                system, python, locked.packages(lock, locked.marker_values(python, name, machine))
            )
            for python in locked.PYTHONS
        ]
        rows.append(f"| {system} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2]).parse_args(arguments)
    print(table())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
