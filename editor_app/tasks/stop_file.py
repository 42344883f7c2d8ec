"""A word to a job in another process: end at your next look, but keep the process and what it has prepared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class StopFile:
    """Asks by a file, so that it can be pickled. Where the file's folder is gone, nobody waits for the job any more."""

    path: str

    def set(self) -> None:
        if Path(self.path).parent.is_dir():
            Path(self.path).touch()

    def clear(self) -> None:
        Path(self.path).unlink(missing_ok=True)

    def __call__(self) -> bool:
        path = Path(self.path)
        return path.exists() or not path.parent.is_dir()
