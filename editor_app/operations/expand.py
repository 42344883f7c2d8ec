"""xacro is evaluated in a process of its own: a cancel ends whatever its expressions do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.expansion import Expansion
from editor_app.formats.source import SourceText
from editor_app.operations.open import expanded
from editor_app.tasks.job import Report


@dataclass(frozen=True, slots=True)
class ExpandXacro:
    """`open.expanded` as a job."""

    source: Path
    arguments: tuple[tuple[str, str], ...]
    packages: tuple[tuple[str, Path], ...] = ()

    def __call__(self, report: Report) -> tuple[SourceText, Expansion]:
        report.progress(-1.0, f"Expanding {self.source.name}")
        return expanded(self.source, dict(self.arguments), dict(self.packages))
