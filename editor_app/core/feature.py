"""Features and plug-ins: packages that extend the program through modules with fixed names.

A package below `editor_app.features` or `editor_app.plugins`, or one that an installed distribution
names under the entry point group `xrdf_editor.plugins`, is found without being imported. A line
`NEEDS = ("motion",)` in its `__init__.py` names the plug-ins that it imports. It contributes by the
names of its modules:

    codec.py     `CODEC`, a file format (`editor_app.core.formats.exchange.codec`)
    rules/       modules that register rules about a robot
                 (`editor_app.features.checks.engine.rule`)
    cli/         a module per command of the command line (`editor_app.cli`)
    hooks/       steps of a feature's work that a plug-in adds, by the name that the feature asks
                 for (`hooks`)
    window/      feature.py: `PART`, its panels, actions and view tools
                 (`editor_app.window.window_part`);
                 actions.py: the tables of its actions, without Qt
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: The entry points of installed packages: their name is the plug-in's name, their value its
#: package.
GROUP = "xrdf_editor.plugins"
#: Environment variable with the names of the features to leave out, separated by commas; worker
#: processes inherit it.
WITHOUT = "XRDF_EDITOR_WITHOUT"
_ROOT = __name__.partition(".")[0]
_FOLDERS = ("features", "plugins")


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module that a feature contributes: its dotted name, and the file it is in."""

    name: str
    path: Path

    @property
    def stem(self) -> str:
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Feature:
    """A package that contributes modules; `package` is its dotted name."""

    name: str
    package: str
    folder: Path
    #: Names of the plug-ins that its modules import: without them it is not there either.
    needs: frozenset[str] = frozenset()

    def module(self, stem: str) -> ModuleFile | None:
        """Return a module of the package ("codec", "window.feature"), or None where the package has
        no such module."""
        path = self.folder.joinpath(*stem.split(".")).with_suffix(".py")
        return ModuleFile(f"{self.package}.{stem}", path) if path.is_file() else None

    def modules(self, folder: str) -> tuple[ModuleFile, ...]:
        """Return the public modules in a folder of the package, by name."""
        paths = sorted((self.folder / folder).glob("[!_]*.py"))
        return tuple(ModuleFile(f"{self.package}.{folder}.{path.stem}", path) for path in paths)


def features() -> tuple[Feature, ...]:
    """Return every feature and plug-in that is not excluded: the built-in ones, then the installed
    ones, by name."""
    return _without_excluded((*_built_in_features(), *installed_features()))


def built_in_features() -> tuple[Feature, ...]:
    """Return the features and plug-ins of the program itself, without reading what else is
    installed."""
    return _without_excluded(_built_in_features())


def hooks(name: str) -> Iterator[Any]:
    """Import and yield `hooks/NAME.py` of each plug-in that has it."""
    for feature in features():
        if (module := feature.module(f"hooks.{name}")) is not None:
            yield importlib.import_module(module.name)


def hook(name: str) -> Any:
    """Import and return `hooks/NAME.py` of the first plug-in that has it, or None if no plug-in has
    it."""
    return next(hooks(name), None)


def exclude(name: str) -> None:
    """Exclude a feature, in this process and in those it starts. Raises KeyError for an unknown
    name."""
    if name not in {feature.name for feature in (*_built_in_features(), *installed_features())}:
        raise KeyError(name)
    os.environ[WITHOUT] = ",".join(sorted({*_excluded_names(), name}))


def _without_excluded(listed: Iterable[Feature]) -> tuple[Feature, ...]:
    excluded = _excluded_names()
    present = {feature.name: feature for feature in listed if feature.name not in excluded}
    while lacking := [
        feature.name for feature in present.values() if not feature.needs <= present.keys()
    ]:
        for name in lacking:
            del present[name]
    return tuple(present.values())


def _excluded_names() -> frozenset[str]:
    return frozenset(name for name in os.environ.get(WITHOUT, "").split(",") if name)


@cache
def _built_in_features() -> tuple[Feature, ...]:
    root = Path(__file__).resolve().parents[1]
    # By looking into the folder: a bundle answers pkgutil only for what is packed into its program
    # file.
    return tuple(
        _feature(path.name, f"{_ROOT}.{folder}.{path.name}", path)
        for folder in _FOLDERS
        for path in sorted((root / folder).iterdir())
        if (path / "__init__.py").is_file()
    )


def _feature(name: str, package: str, folder: Path) -> Feature:
    stated = re.search(
        r"^NEEDS = (.*)$", (folder / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    return Feature(
        name, package, folder, frozenset(re.findall(r"\w+", stated[1]) if stated else ())
    )


@cache
def installed_features() -> tuple[Feature, ...]:
    """Return the plug-ins that installed distributions name, by name; a name of this program cannot
    be taken."""
    if not _is_group_used():
        return ()
    metadata = importlib.import_module("importlib.metadata")
    built_in = {feature.name for feature in _built_in_features()}
    listed = []
    for entry in sorted(metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        spec = importlib.util.find_spec(entry.value)
        if entry.name not in built_in and spec is not None and spec.submodule_search_locations:
            listed.append(
                _feature(entry.name, entry.value, Path(spec.submodule_search_locations[0]))
            )
    return tuple(listed)


def _is_group_used() -> bool:
    """Whether a distribution has a plug-in: importing `importlib.metadata` takes a quarter of the
    time of `--help`."""
    lists = (
        path for folder in sys.path for path in Path(folder).glob("*.dist-info/entry_points.txt")
    )
    return any(f"[{GROUP}]".encode() in path.read_bytes() for path in lists)
