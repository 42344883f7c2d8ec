"""Read uv.lock: which packages a system and a Python get, and which wheels these have. Standard
library and packaging.

`uv lock` writes uv.lock from pyproject.toml; `uv lock --upgrade` takes newer versions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import environment
from packaging.markers import Marker

#: The Pythons that the project supports.
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@dataclass(frozen=True)
class Package:
    """One version of a library, with the file names of its wheels and the SHA-256 digests of all
    its files."""

    name: str
    version: str
    wheels: tuple[str, ...]
    digests: tuple[str, ...]


def read_lock() -> dict[str, Any]:
    """Return uv.lock as parsed."""
    return tomllib.loads(environment.LOCK.read_text(encoding="utf-8"))


def marker_values(python: str, system: str = "Linux", machine: str = "x86_64") -> dict[str, str]:
    """Return what the markers of dependencies ask for; `system` is what `platform.system()` returns
    there."""
    return {
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": python,
        # A late release of that Python: some pins tell its first releases from the later ones.
        "python_full_version": f"{python}.20",
        "platform_system": system,
        "sys_platform": {"Linux": "linux", "Windows": "win32", "Darwin": "darwin"}[system],
        "os_name": "nt" if system == "Windows" else "posix",
        "platform_machine": machine,
    }


def packages(
    lock: Mapping[str, Any],
    values: Mapping[str, str],
    extras: Iterable[str] = (),
    groups: Iterable[str] = (),
) -> tuple[Package, ...]:
    """Return all packages that the project needs where the markers have `values`, sorted by
    name."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for entry in lock["package"]:
        by_name.setdefault(entry["name"], []).append(entry)
    [project] = by_name["xrdf-editor"]
    todo: list[dict[str, Any]] = list(project["dependencies"])
    for kind, names in (("optional-dependencies", extras), ("dev-dependencies", groups)):
        todo += [edge for name in names for edge in project[kind][name]]
    needed: dict[str, dict[str, Any]] = {}
    seen: set[tuple[str, str]] = set()
    while todo:
        edge = todo.pop()
        if "marker" in edge and not Marker(edge["marker"]).evaluate(dict(values)):
            continue
        [entry] = [
            each
            for each in by_name[edge["name"]]
            if edge.get("version", each["version"]) == each["version"]
        ]
        needed[entry["name"]] = entry
        for extra in ("", *edge.get("extra", ())):
            if (entry["name"], extra) not in seen:
                seen.add((entry["name"], extra))
                todo += _edges(entry, extra)
    return tuple(_package(needed[name]) for name in sorted(needed))


def _edges(entry: Mapping[str, Any], extra: str) -> Iterator[dict[str, Any]]:
    if extra:
        yield from entry.get("optional-dependencies", {}).get(extra, ())
    else:
        yield from entry.get("dependencies", ())


def _package(entry: Mapping[str, Any]) -> Package:
    wheels, files = (
        entry.get("wheels", ()),
        [*entry.get("wheels", ()), *([entry["sdist"]] if "sdist" in entry else [])],
    )
    names = tuple(wheel["url"].rpartition("/")[2] for wheel in wheels)
    return Package(entry["name"], entry["version"], names, tuple(file["hash"] for file in files))
