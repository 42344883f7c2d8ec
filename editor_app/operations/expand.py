"""xacro is evaluated in a process of its own: a cancel ends whatever its expressions do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editor_app.edit.expansion import Expansion
from editor_app.tasks.job import Report

if TYPE_CHECKING:
    from editor_app.formats.source import SourceText


@dataclass(frozen=True, slots=True)
class ExpandXacro:
    """For a user who agreed to it. Raises FormatError; `mappings` are the folders of packages."""

    source: Path
    arguments: tuple[tuple[str, str], ...]
    mappings: tuple[tuple[str, Path], ...] = ()

    def __call__(self, report: Report) -> tuple[SourceText, Expansion]:
        from editor_app.formats.urdf.xacro import expand_xacro, included_files
        from editor_app.geometry.paths import package_folder

        report.progress(-1.0, f"Expanding {self.source.name}")
        mappings, arguments = dict(self.mappings), dict(self.arguments)
        text = expand_xacro(self.source, arguments, lambda name: package_folder(name, self.source, mappings))
        assert text.path is not None
        return text, Expansion.of(self.source, text.path, arguments, included_files())
