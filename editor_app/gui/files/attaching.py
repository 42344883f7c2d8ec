"""An XRDF or SRDF for the robot that is open: an addition, which undo takes back; the document stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from editor_app.edit.state import FileKind
from editor_app.formats.registry import ForeignFormatError
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import SrdfSource, read_srdf
from editor_app.formats.xrdf import XrdfSource
from editor_app.gui import dialogs
from editor_app.gui.dialogs import Answer
from editor_app.gui.files.questions import BrokenFileDialog, WayOut
from editor_app.gui.files.saved_files import SavedFiles
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.session import Session
from editor_app.gui.settings import Settings
from editor_app.operations.open import read_xrdf_file
from editor_app.tasks.job import Report
from editor_app.tasks.worker import JobError


class Attaching(SavedFiles):
    """Adds files to the document that is open."""

    #: (Path): a file that has to be converted first was opened or dropped.
    import_requested = Signal(object)
    #: (FileKind): a file that cannot be read was opened, to be mended as text.
    mend_requested = Signal(object)

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, window: QWidget) -> None:
        super().__init__(session, settings, window)
        self._jobs = jobs

    def attach(self, xrdf: Path | None = None, srdf: Path | None = None) -> bool:
        """Reads in the background and adds, after asking about unsaved work in the files that go; False when kept."""
        document = self.document
        if document is None:
            return False
        paths = {kind: path for kind, path in ((FileKind.XRDF, xrdf), (FileKind.SRDF, srdf)) if path is not None}
        if not self.enter_typed() or not all(self._may_lose(kind) for kind in paths):
            return False
        self._attach_next(list(paths.items()))
        return True

    def attach_broken(self, kind: FileKind, path: Path) -> None:
        """Adds a file that cannot be read as text that is being typed."""
        document = self.document
        if document is None:
            return
        try:
            document.attach_broken(kind, SourceText.read(path))
        except FormatError as error:
            self.failed.emit("Cannot open", f"{path.name}: {error.message}.", error.remedy or "")
            return
        self.mend_requested.emit(kind)
        self._session.message.emit(f"{path.name} is in Source, to be mended; until then the robot is without it.")

    # -- inside

    def _attach_next(self, waiting: list[tuple[FileKind, Path]]) -> None:
        document = self.document
        if document is None or not waiting:
            return
        (kind, path), rest = waiting[0], waiting[1:]

        def read(report: Report) -> XrdfSource | SrdfSource:
            return read_xrdf_file(path) if kind is FileKind.XRDF else read_srdf(SourceText.read(path))

        def done(source: XrdfSource | SrdfSource) -> None:
            document.attach(source)
            self._remember(document)
            self._session.message.emit(f"{path.name} was added. Undo takes it back.")
            self._attach_next(rest)

        def failed(error: JobError) -> None:
            cause = error.exception
            if isinstance(cause, FormatError):
                BrokenFileDialog(self._window, path, cause, self._ways_for_open(kind, path, cause)).open()
            else:
                self.failed.emit("Cannot open", f"{path.name}: {error.message}", "")

        # Another robot may be opened meanwhile.
        reading = JobSlot(self._jobs)
        reading.run(f"Reading {path.name}", read, done, in_thread=True, failed=failed, about=lambda: self.document)

    def _ways_for_open(self, kind: FileKind, path: Path, error: FormatError) -> list[WayOut]:
        if isinstance(error, ForeignFormatError):
            return [("import", "&Import it…", lambda: self.import_requested.emit(path))]
        mend: Callable[[], object] = lambda: self.attach_broken(kind, path)  # noqa: E731
        return [("mend", "&Mend it here", mend)]

    def _may_lose(self, kind: FileKind) -> bool:
        """Asks about unsaved changes of one file that another takes the place of."""
        document = self.document
        is_draft = kind is FileKind.XRDF and document is not None and document.xrdf_digest is None
        if document is None or not document.is_kind_modified(kind) or (is_draft and document.position == 0):
            return True
        path = document.path(kind)
        answer = dialogs.ask_unsaved(self._window, path.name if path is not None else f"the new {kind.upper()}")
        return self.save() if answer is Answer.SAVE else answer is Answer.DISCARD
