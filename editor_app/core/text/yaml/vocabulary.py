"""The meaning of each place of a YAML format: its keys, the unit of its value, and which names
belong there.

A format is a table of places. A place is a path of keys, in which `*` represents a name that the
file chooses and `#` an index.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from editor_app.core.model.findings import YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import KeyDescription

#: A part of a place's path: a key, `*` or `#`.
Step = str


@dataclass(frozen=True)
class Vocabulary:
    """The table of one format."""

    places: FrozenDict[tuple[Step, ...], KeyDescription]

    def place_at(self, path: YamlPath) -> KeyDescription | None:
        """Return the meaning of the value at a path of a file; None where the format says
        nothing."""
        pattern = self._pattern(path)
        return None if pattern is None else self.places[pattern]

    def keys_at(self, path: YamlPath) -> dict[str, KeyDescription]:
        """Return the keys that the mapping at a path may have, in their order; empty where the file
        chooses them, or there is no mapping."""
        pattern = self._pattern(path, partly=True)
        if pattern is None:
            return {}
        inner = self._steps.get(pattern, ())
        return {step: self.places[(*pattern, step)] for step in inner if step not in ("*", "#")}

    def named_key(self, path: YamlPath) -> KeyDescription | None:
        """Return what the keys of the mapping at a path name, where the file chooses them; None
        elsewhere."""
        pattern = self._pattern(path, partly=True)
        return None if pattern is None else self.places.get((*pattern, "*"))

    def _pattern(self, path: YamlPath, *, partly: bool = False) -> tuple[Step, ...] | None:
        """Return the key of `places` for a path, or with `partly` the beginning of one; None where
        there is none."""
        pattern: tuple[Step, ...] = ()
        for step in path:
            inner = self._steps.get(pattern, ())
            wanted = "#" if isinstance(step, int) else step if step in inner else "*"
            if wanted not in inner:
                return None
            pattern = (*pattern, wanted)
        return pattern if partly or pattern in self.places else None

    @cached_property
    def _steps(self) -> dict[tuple[Step, ...], tuple[Step, ...]]:
        """The steps that follow each beginning of a place's path, in the order of the table."""
        steps: dict[tuple[Step, ...], dict[Step, None]] = {}
        for place in self.places:
            for depth, step in enumerate(place):
                steps.setdefault(place[:depth], {})[step] = None
        return {beginning: tuple(inner) for beginning, inner in steps.items()}
