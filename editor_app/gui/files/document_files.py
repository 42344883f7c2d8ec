"""Opening: what the File menu and a dropped file do; saving is what it builds on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from editor_app.edit.document import Document
from editor_app.edit.expansion import Expansion
from editor_app.edit.opening import open_robot
from editor_app.formats.source import FormatError, SourceText
from editor_app.gui import dialogs
from editor_app.gui.files.saved_files import SavedFiles, free_name
from editor_app.gui.jobs import Jobs, RunningJob
from editor_app.gui.session import Session
from editor_app.gui.settings import Settings
from editor_app.tasks.job import Report
from editor_app.tasks.worker import JobError

URDF_SUFFIXES = (".urdf", ".xml", ".xacro")
XRDF_SUFFIXES = (".xrdf", ".yaml", ".yml")
SRDF_SUFFIXES = (".srdf",)
#: What is no description that can be edited, but can be made one.
IMPORT_SUFFIXES = (".xacro", ".dae", ".zae")


class DocumentFiles(SavedFiles):
    """One per window. Nothing here blocks but the questions; the previous document stays until the next is read."""

    #: The file that is being read, or None when that is over.
    opening_changed = Signal(object)
    #: (Path): a file that has to be converted first was opened or dropped.
    import_requested = Signal(object)
    #: (Path, Path or None, Path or None): a xacro file was opened, with an XRDF and SRDF that were named.
    xacro_requested = Signal(object, object, object)

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, window: QWidget) -> None:
        super().__init__(session, settings, window)
        self._jobs = jobs
        self._job: RunningJob | None = None

    @property
    def is_opening(self) -> bool:
        return self._job is not None

    # -- opening

    def open_dialog(self) -> None:
        """Asks for a URDF (or an XRDF or SRDF) and opens it."""
        chosen = dialogs.choose_file(
            self._window,
            "Open robot",
            self._settings.last_folder,
            "Robots (*.urdf *.xml *.xacro *.xrdf *.yaml *.yml *.srdf *.dae *.zae);;All files (*)",
        )
        if chosen:
            self.open_paths([Path(chosen)])

    def open_xrdf_dialog(self) -> None:
        """Asks for another XRDF for the robot that is open."""
        document = self.document
        if document is None or document.urdf_path is None:
            return
        folder = str((document.xrdf_path or document.urdf_path).parent)
        chosen = dialogs.choose_file(self._window, "Open XRDF for this robot", folder, dialogs.XRDF_FILTER)
        if chosen:
            self.reopen(Path(chosen), srdf=document.srdf_path)

    def open_srdf_dialog(self) -> None:
        """Asks for another SRDF for the robot that is open."""
        document = self.document
        if document is None or document.urdf_path is None:
            return
        folder = str((document.srdf_path or document.urdf_path).parent)
        chosen = dialogs.choose_file(self._window, "Open SRDF for this robot", folder, dialogs.SRDF_FILTER)
        if chosen:
            self.reopen(self._xrdf_on_disk(document), srdf=Path(chosen))

    def new_xrdf(self) -> None:
        """Drafts a new XRDF for the robot that is open, beside the one it has."""
        document = self.document
        if document is not None and document.urdf_path is not None:
            self.reopen(srdf=document.srdf_path, new_xrdf=True)

    def new_srdf(self) -> None:
        """An SRDF with nothing in it yet, for a robot that has none; a step that can be undone."""
        from editor_app.edit.commands.srdf_parts import NewSrdf

        self._session.execute(NewSrdf())

    def open_paths(self, paths: list[Path]) -> None:
        """Opens what was dropped or named: a URDF, an XRDF, an SRDF, or several of them."""
        urdf = next((p for p in paths if _is_urdf(p)), None)
        srdf = next((p for p in paths if p.suffix.lower() in SRDF_SUFFIXES), None)
        xrdf = next((p for p in paths if p is not urdf and p.suffix.lower() in XRDF_SUFFIXES), None)
        foreign = next((p for p in paths if p.suffix.lower() in IMPORT_SUFFIXES), None)
        if urdf is not None and urdf.suffix.lower() == ".xacro":
            self.xacro_requested.emit(urdf, xrdf, srdf)
            return
        if foreign is not None and (urdf is None or urdf is foreign):
            self.import_requested.emit(foreign)
            return
        if urdf is None and xrdf is None and srdf is None:
            names = ", ".join(p.name for p in paths)
            self.failed.emit(
                "Cannot open",
                f"{names} is neither a URDF nor an XRDF or SRDF.",
                "A robot is opened by its URDF (.urdf, .xml), its collision description by its XRDF (.xrdf, .yaml), "
                "its groups and states by its SRDF (.srdf). Other formats: File, Import.",
            )
            return
        if urdf is None:
            named = xrdf or srdf
            assert named is not None
            urdf = self._urdf_for(named)
            if urdf is None:
                return
            document = self.document
            if xrdf is None and document is not None and document.urdf_path == urdf.absolute():
                # An SRDF for the robot that is open: its XRDF stays.
                xrdf = self._xrdf_on_disk(document)
            if document is not None and document.expansion is not None and document.urdf_path == urdf:
                self.reopen(xrdf, srdf=srdf)
                return
        self.open(urdf, xrdf, srdf=srdf)

    def reopen(
        self,
        xrdf: Path | None = None,
        *,
        srdf: Path | None = None,
        new_xrdf: bool = False,
        on_opened: Callable[[], object] | None = None,
    ) -> bool:
        """As `open`, for the robot that is open; the expansion of a xacro file stays as it is."""
        document = self.document
        if document is None or document.urdf_path is None:
            return False
        expansion = document.expansion
        urdf = document.urdf_path if expansion is None else document.state.urdf_source.source
        return self.open(urdf, xrdf, srdf=srdf, new_xrdf=new_xrdf, expansion=expansion, on_opened=on_opened)

    def open(
        self,
        urdf: Path | SourceText,
        xrdf: Path | None = None,
        *,
        srdf: Path | None = None,
        new_xrdf: bool = False,
        expansion: Expansion | None = None,
        on_opened: Callable[[], object] | None = None,
    ) -> bool:
        """Reads in the background, after asking about unsaved work; False when the user keeps it.

        With `expansion`, `urdf` is what came out of a xacro file, read-only.
        """
        if isinstance(urdf, Path) and urdf.suffix.lower() == ".xacro":
            self.xacro_requested.emit(urdf, xrdf, srdf)
            return False
        path = expansion.source if expansion is not None else urdf.path if isinstance(urdf, SourceText) else urdf
        assert path is not None
        if not self.may_lose_document():
            return False
        if self._job is not None:
            self._job.cancel()

        def read(report: Report) -> Document:
            return open_robot(
                urdf, xrdf, srdf=srdf, new_xrdf=new_xrdf, expansion=expansion, on_progress=report.progress
            )

        asked = self.document.state if self.document is not None else None

        def done(document: Document) -> None:
            self._finish()
            # What was edited while the files were read has not been asked about.
            if self.document is not None and self.document.state is not asked and not self.may_lose_document():
                return
            self._opened(document, drafted=new_xrdf)
            if on_opened is not None:
                on_opened()

        def failed(error: JobError) -> None:
            self._finish()
            self.tell_failure(xrdf or srdf or path, error)

        self._job = self._jobs.run_in_thread(f"Opening {path.name}", read, done, failed, self._finish)
        self.opening_changed.emit(path)
        return True

    def reload(self) -> None:
        """Reads the files again, as they are on disk now."""
        document = self.document
        if document is None or document.urdf_path is None:
            return
        srdf = document.srdf_path if document.srdf_path is not None and document.srdf_path.is_file() else None
        pose = self._session.pose
        self.reopen(self._xrdf_on_disk(document), srdf=srdf, on_opened=lambda: self._session.set_pose(pose))

    def close_document(self) -> bool:
        """Back to the start page; False when the user keeps what is unsaved."""
        if not self.may_lose_document():
            return False
        self._session.open(None)
        return True

    # -- inside

    def _opened(self, document: Document, *, drafted: bool) -> None:
        if drafted and document.xrdf_path is None and document.urdf_path is not None:
            # A file of the obvious name exists: the draft must not be saved over it.
            document.xrdf_path = free_name(document.urdf_path.with_suffix(".xrdf"))
        self._ignored = ()
        if self.document is not None:
            document.profile = self.document.profile
        self._session.open(document)
        self._remember(document)
        if document.xrdf_digest is None:
            self._session.message.emit("There was no XRDF: a new one was drafted and is not saved yet.")

    def _finish(self) -> None:
        self._job = None
        self.opening_changed.emit(None)

    def tell_failure(self, path: Path, error: JobError) -> None:
        """Says why a file could not be opened, and what to do about it."""
        cause = error.exception
        still = "The robot that was open stays open." if self.document is not None else ""
        if isinstance(cause, FormatError):
            where = str(cause.location) if cause.location is not None else str(path)
            detail = "\n\n".join(part for part in (where, cause.remedy, still) if part)
            self.failed.emit("Cannot open", _sentence(cause.message), detail)
        elif isinstance(cause, OSError):
            reason = cause.strerror or str(cause)
            name = Path(cause.filename).name if isinstance(cause.filename, str) else path.name
            detail = "\n\n".join(part for part in (str(cause.filename or path), still) if part)
            self.failed.emit("Cannot open", f"{name}: {reason}.", detail)
        else:
            self._jobs.failed_unexpectedly.emit(None, error)

    def _urdf_for(self, xrdf: Path) -> Path | None:
        """The robot an XRDF alone belongs to: the one beside it, the one that is open, or the one the user names."""
        document = self.document
        if document is not None and document.expansion is not None and document.urdf_path == xrdf.with_suffix(".urdf"):
            return document.urdf_path
        for suffix in (*URDF_SUFFIXES, ".urdf.xacro"):
            beside = xrdf.with_suffix(suffix)
            if beside.is_file():
                return beside
        if document is not None and document.urdf_path is not None:
            return document.urdf_path
        chosen = dialogs.choose_file(
            self._window, f"Which robot does {xrdf.name} belong to?", str(xrdf.parent), dialogs.URDF_FILTER
        )
        return Path(chosen) if chosen else None

    def _xrdf_on_disk(self, document: Document) -> Path | None:
        path = document.xrdf_path
        return path if path is not None and path.is_file() else None


def _is_urdf(path: Path) -> bool:
    return path.suffix.lower() in URDF_SUFFIXES


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
