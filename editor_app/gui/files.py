"""Opening, saving, and the questions about losing work: what the File menu and a dropped file do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from editor_app.edit.document import Document
from editor_app.edit.expansion import Expansion
from editor_app.edit.opening import open_robot
from editor_app.edit.saving import (
    ChangedOnDiskError,
    SaveError,
    foreign_changes,
    save_all,
    save_expansion_as,
    save_kind_as,
    write_atomically,
)
from editor_app.edit.state import FileKind
from editor_app.formats.source import FormatError, SourceText
from editor_app.gui import dialogs
from editor_app.gui.dialogs import Answer
from editor_app.gui.disk_watch import DiskWatch
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


class DocumentFiles(QObject):
    """One per window. Nothing here blocks but the questions; the previous document stays until the next is read."""

    #: The file that is being read, or None when that is over.
    opening_changed = Signal(object)
    #: (title, text, detail): a file could not be opened, or a copy not be written.
    failed = Signal(str, str, str)
    #: (text): nothing is lost, but another name or place is needed.
    not_saved = Signal(str)
    #: (Path): a file that has to be converted first was opened or dropped.
    import_requested = Signal(object)
    #: (Path, Path or None, Path or None): a xacro file was opened, with an XRDF and SRDF that were named.
    xacro_requested = Signal(object, object, object)
    #: (Expansion, Path): the expansion of a xacro file became an ordinary URDF.
    expansion_saved = Signal(object, object)
    #: One of the files has another content than the one that was read.
    foreign_change = Signal()
    #: What is on disk is again what was read or saved.
    foreign_change_over = Signal()

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._jobs = jobs
        self._settings = settings
        self._window = window
        self._job: RunningJob | None = None
        self._ignored: tuple[str, ...] = ()
        self._watch = DiskWatch(self)
        self._watch.touched.connect(self.look_at_disk)
        session.document_opened.connect(self._watch_files)
        # Saving under another name makes it another file.
        session.history_changed.connect(self._watch_files)

    # -- what is there

    @property
    def document(self) -> Document | None:
        return self._session.document

    @property
    def is_opening(self) -> bool:
        return self._job is not None

    @property
    def name(self) -> str:
        """What the window calls the document."""
        document = self.document
        if document is None:
            return ""
        if document.xrdf_path is not None:
            return document.xrdf_path.name
        if document.urdf_path is not None:
            return f"{document.urdf_path.stem}.xrdf (new)"
        return "Untitled"

    # -- opening

    def open_dialog(self) -> None:
        """Asks for a URDF (or an XRDF or SRDF) and opens it."""
        chosen = dialogs.choose_file(
            self._window,
            "Open robot",
            self._settings.last_folder,
            "Robots (*.urdf *.xml *.xacro *.xrdf *.yaml *.yml *.srdf);;All files (*)",
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

        def done(document: Document) -> None:
            self._finish()
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

    # -- saving

    def save(self) -> bool:
        """Writes every file that changed; asks when another program changed one. False when it was not saved."""
        document = self.document
        if document is None:
            return False
        if document.xrdf_path is None and document.is_kind_modified(FileKind.XRDF):
            return self.save_as()
        return self._write(document, None)

    def save_as(self) -> bool:
        """Asks for a file and writes to it; the document has that file from then on."""
        document = self.document
        if document is None:
            return False
        chosen = dialogs.choose_save_file(self._window, "Save XRDF as", self._proposal(document), dialogs.XRDF_FILTER)
        if not chosen:
            return False
        path = Path(chosen)
        return self._write(document, path if path.suffix else path.with_suffix(".xrdf"))

    def save_srdf_as(self, path: Path | None = None) -> bool:
        """Asks for a file and writes the SRDF to it; the document has that file from then on."""
        document = self.document
        if document is None or document.robot.srdf is None:
            return False
        if path is None:
            proposal = document.srdf_path or (document.urdf_path or Path("robot")).with_suffix(".srdf")
            chosen = dialogs.choose_save_file(self._window, "Save SRDF as", str(proposal), dialogs.SRDF_FILTER)
            if not chosen:
                return False
            path = Path(chosen)
        try:
            target = save_kind_as(document, FileKind.SRDF, path if path.suffix else path.with_suffix(".srdf"))
        except SaveError as error:
            self.failed.emit("Not saved", str(error), "The document is still open and unsaved.")
            return False
        self._session.message.emit(f"Saved {target}")
        self._session.history_changed.emit()
        return True

    def save_urdf_as(self, path: Path | None = None) -> bool:
        """Asks for a file and writes the expansion of a xacro file to it, which can be edited from then on."""
        document = self.document
        if document is None or document.expansion is None:
            return False
        expansion = document.expansion
        if path is None:
            proposal = str(document.urdf_path or "robot.urdf")
            chosen = dialogs.choose_save_file(self._window, "Save URDF as", proposal, "URDF (*.urdf);;All files (*)")
            if not chosen:
                return False
            path = Path(chosen)
        try:
            target = save_expansion_as(document, path if path.suffix else path.with_suffix(".urdf"))
        except SaveError as error:
            self.failed.emit("Not saved", str(error), "The URDF is still that of the xacro file, and read-only.")
            return False
        self.expansion_saved.emit(expansion, target)
        self._session.message.emit(f"Saved {target}: it can be edited now.")
        self._remember(document)
        self._session.history_changed.emit()
        return True

    def new_srdf(self) -> None:
        """An SRDF with nothing in it yet, for a robot that has none; a step that can be undone."""
        from editor_app.edit.commands.srdf_parts import NewSrdf

        self._session.execute(NewSrdf())

    def save_copy(self, path: Path | None = None) -> bool:
        """Writes the text as it stands to another file, without touching the document's own."""
        document = self.document
        if document is None:
            return False
        if path is None:
            chosen = dialogs.choose_save_file(
                self._window, "Save a copy", self._proposal(document, " copy"), dialogs.XRDF_FILTER
            )
            if not chosen:
                return False
            path = Path(chosen)
        try:
            write_atomically(path, document.state.xrdf_source.source.with_text(document.xrdf_text).data)
        except SaveError as error:
            self.failed.emit("Not saved", str(error), "")
            return False
        self._session.message.emit(f"Copy saved to {path}")
        return True

    def may_lose_document(self) -> bool:
        """True when nothing is unsaved, or the user saved it or lets it go."""
        document = self.document
        # A fresh draft has no work in it yet.
        if (
            document is None
            or not document.is_modified
            or (document.xrdf_digest is None and len(document.history) == 1)
        ):
            return True
        answer = dialogs.ask_unsaved(self._window, self.name)
        if answer is Answer.SAVE:
            return self.save()
        return answer is Answer.DISCARD

    # -- the file on disk

    def look_at_disk(self) -> None:
        """Tells by `foreign_change`, once for each content, when another program wrote one of the files."""
        document = self.document
        if document is None or self.is_opening:
            return
        try:
            paths = [path for kind in foreign_changes(document) if (path := document.path(kind)) is not None]
            digests = tuple(SourceText.read(path).digest for path in paths)
        except (OSError, FormatError):
            return
        if digests and digests != self._ignored:
            self.foreign_change.emit()
        elif self._ignored and not digests:
            self.foreign_change_over.emit()
        self._ignored = digests

    def _watch_files(self, *_: object) -> None:
        document = self.document
        paths = [] if document is None else [document.path(kind) for kind in FileKind]
        self._watch.watch(path for path in paths if path is not None)

    def changed_names(self) -> str:
        """The files that another program changed, for a sentence."""
        document = self.document
        if document is None:
            return ""
        try:
            kinds = foreign_changes(document)
        except (OSError, FormatError):
            kinds = ()
        return " and ".join(path.name for kind in kinds if (path := document.path(kind)) is not None) or self.name

    def compare_with_disk(self, kind: FileKind | None = None) -> dialogs.CompareDialog | None:
        """Shows what is on disk and what saving would write; by default of the first file that differs."""
        document = self.document
        if document is None:
            return None
        if kind is None:
            changed = (*foreign_changes(document), *document.modified_kinds, FileKind.XRDF)
            kind = next((k for k in changed if (p := document.path(k)) is not None and p.is_file()), FileKind.XRDF)
        path = document.path(kind)
        if path is None:
            return None
        try:
            theirs, ours = SourceText.read(path).text, document.text(kind) or ""
        except (OSError, FormatError) as error:
            self.failed.emit("Cannot compare", f"{path} cannot be compared.", str(error))
            return None
        name = self.name if kind is FileKind.XRDF else path.name
        dialog = dialogs.CompareDialog(self._window, f"Compare {name}", theirs, ours, "the file on disk", "this window")
        dialog.open()
        return dialog

    # -- inside

    def _write(self, document: Document, path: Path | None) -> bool:
        try:
            try:
                targets = save_all(document, path)
            except ChangedOnDiskError as error:
                answer = dialogs.ask_changed_on_disk(self._window, error.path)
                if answer is Answer.COMPARE:
                    self.compare_with_disk(next((k for k in FileKind if document.path(k) == error.path), None))
                if answer is not Answer.OVERWRITE:
                    return False
                targets = save_all(document, path, overwrite_foreign=True)
        except SaveError as error:
            self.not_saved.emit(str(error))
            return False
        names = [str(targets[0]), *(target.name for target in targets[1:])]
        self._session.message.emit(f"Saved {', '.join(names)}")
        self._remember(document)
        # The name in the title may be another one now.
        self._session.history_changed.emit()
        return True

    def _opened(self, document: Document, *, drafted: bool) -> None:
        if drafted and document.xrdf_path is None and document.urdf_path is not None:
            # A file of the obvious name exists: the draft must not be saved over it.
            document.xrdf_path = _free_name(document.urdf_path.with_suffix(".xrdf"))
        self._ignored = ()
        if self.document is not None:
            document.profile = self.document.profile
        self._session.open(document)
        self._remember(document)
        if document.xrdf_digest is None:
            self._session.message.emit("There was no XRDF: a new one was drafted and is not saved yet.")

    def _remember(self, document: Document) -> None:
        if document.urdf_path is not None:
            saved = document.xrdf_path if document.xrdf_digest is not None else None
            robot = document.expansion.source if document.expansion is not None else document.urdf_path
            self._settings.add_recent(str(robot), str(saved) if saved else None)
            self._settings.set_last_folder(str(document.urdf_path.parent))

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

    def _proposal(self, document: Document, addition: str = "") -> str:
        path = document.xrdf_path or _free_name((document.urdf_path or Path("robot")).with_suffix(".xrdf"))
        return str(path.with_name(f"{path.stem}{addition}{path.suffix}"))


def _is_urdf(path: Path) -> bool:
    return path.suffix.lower() in URDF_SUFFIXES


def _free_name(path: Path) -> Path:
    if not path.exists():
        return path
    return next(p for n in itertools.count(2) if not (p := path.with_name(f"{path.stem}_{n}{path.suffix}")).exists())


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
