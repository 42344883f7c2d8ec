"""Robots and parts that are on this machine: PyPI's example-robot-data, and what folders of the
user hold."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

#: Folders below one that is searched, and URDFs that are taken of it, at most.
_DEEPEST, _MOST = 5, 2000


@dataclass(frozen=True, slots=True)
class KnownPart:
    """`family`: the manufacturer's or project's folder."""

    title: str
    family: str
    urdf: Path


@lru_cache(maxsize=1)
def example_robots() -> tuple[KnownPart, ...]:
    """The robots of example-robot-data, by family and name; empty when it is not installed."""
    # Brings half of the package email along.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution("example-robot-data").files or ()
    except PackageNotFoundError:
        return ()
    parts = []
    for file in files:
        if file.suffix == ".urdf":
            path = Path(str(file.locate()))
            names = file.parts
            family = names[names.index("robots") + 1] if "robots" in names else path.parent.name
            parts.append(KnownPart(path.stem, family.removesuffix("_description"), path))
    return _sorted(parts)


def known_parts(folders: Iterable[Path] = ()) -> tuple[KnownPart, ...]:
    """Every URDF in `folders` and below them, and the robots of example-robot-data, each file once,
    by family and name.

    Hidden folders, what lies deeper than five folders, and more than 2,000 files of a folder are
    left out.
    """
    parts = {part.urdf: part for part in example_robots()}
    for folder in folders:
        for urdf in _urdfs_in(folder):
            parts.setdefault(urdf, KnownPart(urdf.stem, _family(urdf, folder), urdf))
    return _sorted(parts.values())


def _urdfs_in(folder: Path) -> list[Path]:
    urdfs: list[Path] = []
    for place, folders, names in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = (
            sorted(name for name in folders if not name.startswith(".")) if depth < _DEEPEST else []
        )
        urdfs += [Path(place) / name for name in sorted(names) if name.lower().endswith(".urdf")]
        if len(urdfs) >= _MOST:
            break
    return urdfs[:_MOST]


def _family(urdf: Path, folder: Path) -> str:
    """The first folder below the searched one, else that one."""
    names = urdf.relative_to(folder).parts
    return (names[0] if len(names) > 1 else folder.name).removesuffix("_description")


def _sorted(parts: Iterable[KnownPart]) -> tuple[KnownPart, ...]:
    return tuple(
        sorted(parts, key=lambda part: (part.family.lower(), part.title.lower(), str(part.urdf)))
    )
