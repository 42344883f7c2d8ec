"""The files on disk behind a document: where each is, what it held when it was last read or saved."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.state import FileKind, State, file_of
from editor_app.formats.source import SourceText


@dataclass(slots=True)
class FileRecord:
    """Where saving writes to, the digest of what was read or saved there last, and the state that it has.

    The digest tells whether the file was changed by somebody else; None, as the state, for one that is not there yet.
    """

    path: Path | None = None
    digest: str | None = None
    saved: State | None = None

    def mark(self, written: SourceText, state: State) -> None:
        """`written`, just put on disk, holds `state`."""
        self.path, self.digest, self.saved = written.path, written.digest, state


class Files:
    """Every file that was opened for a part of the robot; a state tells by its number which one it belongs to."""

    def __init__(self) -> None:
        self._records: dict[tuple[FileKind, int], FileRecord] = {}

    def of(self, state: State, kind: FileKind) -> FileRecord:
        """The file of one part of `state`."""
        return self._records.setdefault((kind, state.files.get(kind, 0)), FileRecord())

    def add(self, kind: FileKind, number: int, record: FileRecord) -> None:
        self._records[kind, number] = record

    def next_number(self, kind: FileKind) -> int:
        """The number of the next file that is opened for a part."""
        return 1 + max((number for of_kind, number in self._records if of_kind is kind), default=0)

    def is_modified(self, state: State, kind: FileKind) -> bool:
        """Whether the file lacks something that `state` has."""
        saved = self.of(state, kind).saved
        if state.part(kind) is None and not state.typed_in(kind):
            return False
        return saved is None or (state is not saved and not state.says_the_same(saved, kind))

    def typed_on_disk(self, state: State, place: Hashable) -> str | None:
        """The text at `place` of a file that was opened broken, as it stands on disk."""
        saved = self.of(state, file_of(place)).saved
        return saved.typed.get(place) if saved is not None else None
