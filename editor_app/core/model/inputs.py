"""The files that a result is made from, as they were when they were read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.regular_file import NotRegularError, read_regular

#: Bytes. A larger file is no description of a robot, and is not compared.
MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Inputs:
    """File, links followed -> SHA-256 of its bytes when it was read; None for one that was
    missing."""

    digests: FrozenDict[Path, str | None] = FrozenDict()

    @staticmethod
    def of(paths: Iterable[Path]) -> Inputs:
        """The files as they are now. Folders, pipes and devices are left out. Call it before the
        files are read."""
        digests: dict[Path, str | None] = {}
        for path in paths:
            try:
                digests[real_path(path)] = digest_of(path)
            except (OSError, ValueError):
                # The reader of the file says why it cannot be read.
                continue
        return Inputs(FrozenDict(digests))

    def __or__(self, other: Inputs) -> Inputs:
        """The files of both. A file that both have keeps the digest of the first."""
        return Inputs(FrozenDict({**other.digests, **self.digests}))

    def __contains__(self, path: Path) -> bool:
        return real_path(path) in self.digests

    def changed(self) -> dict[Path, str]:
        """The files with another content now, and its digest. A deleted file does not count. Raises
        OSError."""
        present = ((path, digest, _digest_now(path)) for path, digest in self.digests.items())
        return {path: now for path, digest, now in present if now is not None and now != digest}


def digest_of(path: Path) -> str | None:
    """SHA-256 of a file's bytes; None for a missing one. Raises OSError."""
    try:
        return hashlib.sha256(read_regular(path, MAX_BYTES)).hexdigest()
    except FileNotFoundError:
        return None


def real_path(path: Path) -> Path:
    """The absolute path with links followed."""
    return Path(os.path.realpath(path))


def _digest_now(path: Path) -> str | None:
    try:
        return digest_of(path)
    except NotRegularError:
        return ""
