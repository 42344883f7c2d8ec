"""Saving, questions about losing work, what other programs do to the files; an XRDF or SRDF added
to the robot."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from editor_app.core.document.document import Document
from editor_app.core.document.saving import (
    ChangedOnDiskError,
    SaveError,
    foreign_changes,
    save_all,
    save_expansion_as,
    save_kind_as,
)
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import TypedFault
from editor_app.core.document.writing import write_files
from editor_app.core.formats.registry import ForeignFormatError
from editor_app.core.formats.srdf import SrdfSource, read_srdf
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.open import read_xrdf_file
from editor_app.window import dialogs
from editor_app.window.bindings.typed_fields import typed_fields
from editor_app.window.dialogs import Answer
from editor_app.window.files.disk_watch import DiskWatch
from editor_app.window.files.questions import BrokenFileDialog, WayOut
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.settings import Settings


class SavedFiles(QObject):
    """The files of the document that is open, as far as they are written or compared with the
    disk."""

    #: (title, text, detail): a file could not be opened, or a copy not be written.
    failed = Signal(str, str, str)
    #: (text): nothing is lost, but another name or place is needed.
    not_saved = Signal(str)
    #: (TypedFault): nothing was written, because typed text makes no sense.
    typed_fault = Signal(object)
    #: (Expansion, Path): the expansion of a xacro file became an ordinary URDF.
    expansion_saved = Signal(object, object)
    #: `has_unsaved` may have changed.
    unsaved_changed = Signal()
    #: One of the files has another content than the one that was read.
    foreign_change = Signal()
    #: What is on disk is again what was read or saved.
    foreign_change_over = Signal()
    #: (Path, Path | None): a file that has to be converted first was opened or dropped, with the
    #: XRDF of its robot.
    import_requested = Signal(object, object)
    #: (FileKind): a file that cannot be read was opened, to be mended as text.
    mend_requested = Signal(object)

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._jobs = jobs
        self._session = session
        self._settings = settings
        self._window = window
        self._ignored: tuple[str, ...] = ()
        #: Each writes a part of what stands beside the robot, if it is in no file; False when the
        #: user gave up.
        self.beside_savers: list[Callable[[], bool]] = []
        #: Names of other work in no file, for a sentence; "" for none.
        self.beside_names: list[Callable[[], str]] = []
        self._watch = DiskWatch(self)
        self._watch.touched.connect(self.look_at_disk)
        typed_fields().changed.connect(self.unsaved_changed)
        session.history_changed.connect(self.unsaved_changed)
        session.document_opened.connect(self._watch_files)
        # Saving under another name makes it another file.
        session.history_changed.connect(self._watch_files)

    @property
    def document(self) -> Document:
        return self._session.document

    @property
    def name(self) -> str:
        """The name of the document in the window."""
        return self.document.file_name(FileKind.XRDF) if self._session.has_robot else ""

    @property
    def has_unsaved(self) -> bool:
        """True if anything would be lost: steps, typed text, or what stands in a field and is not
        entered yet."""
        return self._session.has_robot and (
            self.document.is_modified or bool(typed_fields().of(self._window))
        )

    def enter_typed(self) -> bool:
        """Makes what is being typed anywhere the document; shows where it makes no sense, and then
        False."""
        document = self.document
        field = typed_fields().commit(self._window)
        if field is not None:
            field.setFocus()
            name = field.accessibleName() or "a field"
            reason = field.accessibleDescription() or field.toolTip()
            self._session.refused.emit(f"Not saved. {name}: {reason}")
            return False
        try:
            document.read_typed_text()
        except TypedFault as fault:
            self.typed_fault.emit(fault)
            return False
        return True

    @property
    def is_opening(self) -> bool:
        """True if another robot is being read, whose files the document does not have."""
        return False

    # -- saving

    def save(self) -> bool:
        """Writes every file that changed; asks when another program changed one. False when it was
        not saved."""
        document = self.document
        if not self._session.has_robot or not self.enter_typed():
            return False
        if document.xrdf_path is None and document.is_kind_modified(FileKind.XRDF):
            return self.save_as()
        return self._write(document, None)

    def save_as(self) -> bool:
        """Asks for a file and writes to it; the document has that file from then on."""
        document = self.document
        if not self._session.has_robot or not self.enter_typed():
            return False
        proposal = self._proposal(document)
        path = dialogs.save_target(
            self._window, "Save XRDF as", proposal, dialogs.XRDF_FILTER, ".xrdf"
        )
        return path is not None and self._write(document, path)

    def save_srdf_as(self, path: Path | None = None) -> bool:
        """Asks for a file and writes the SRDF to it; the document has that file from then on."""
        document = self.document
        if not self.enter_typed() or document.robot.srdf is None:
            return False
        proposal = document.srdf_path or (document.urdf_path or Path("robot")).with_suffix(".srdf")
        path = path or dialogs.save_target(
            self._window, "Save SRDF as", str(proposal), dialogs.SRDF_FILTER, ".srdf"
        )
        still = "The document is still open and unsaved."
        target = self._saved(
            path, partial(save_kind_as, document, FileKind.SRDF, overwrite=True), still
        )
        if target is None:
            return False
        self._session.message.emit(f"Saved {target}")
        self._session.history_changed.emit()
        return True

    def save_urdf_as(self, path: Path | None = None) -> bool:
        """Asks for a file and writes the expansion of a xacro file to it, which can be edited from
        then on."""
        document = self.document
        if document.expansion is None or not self.enter_typed():
            return False
        expansion = document.expansion
        proposal, kinds = str(document.urdf_path or "robot.urdf"), "URDF (*.urdf);;All files (*)"
        path = path or dialogs.save_target(self._window, "Save URDF as", proposal, kinds, ".urdf")
        still = "The URDF still comes from the xacro file and is read-only."
        target = self._saved(path, partial(save_expansion_as, document, overwrite=True), still)
        if target is None:
            return False
        self.expansion_saved.emit(expansion, target)
        self._session.message.emit(f"Saved {target}. It can be edited now.")
        self._remember(document)
        self._session.history_changed.emit()
        return True

    def save_copy(self, path: Path | None = None) -> bool:
        """Writes the text as it stands to another file, without touching the document's own."""
        document = self.document
        if not self._session.has_robot:
            return False
        proposal = self._proposal(document, " copy")
        path = path or dialogs.save_target(
            self._window, "Save a copy", proposal, dialogs.XRDF_FILTER, ""
        )

        def write(target: Path) -> Path:
            # As typed, whether it makes sense or not: this must work when nothing else does.
            text = document.text_as_typed(FileKind.XRDF) or ""
            data = document.state.xrdf_source.source.with_text(text).data
            write_files([(target, data)], document.inputs, overwrite=True, make_folders=False)
            return target

        if self._saved(path, write) is None:
            return False
        self._session.message.emit(f"Copy saved to {path}")
        return True

    def _saved(
        self, path: Path | None, save: Callable[[Path], Path], still: str = ""
    ) -> Path | None:
        """Where a file was written; None when the user chose none, or it could not be written,
        which is told."""
        try:
            return save(path) if path is not None else None
        except SaveError as error:
            self.failed.emit("Not saved", str(error), still)
            return None

    def may_lose_document(self, *, keeps_beside: bool = False) -> bool:
        """True when nothing is unsaved, or the user saved it or lets it go.

        With `keeps_beside`, obstacles and stored poses stay, because the same robot is read anew.
        """
        document = self.document
        if not self._session.has_robot:
            return True
        # A fresh draft has no work in it yet.
        states = (revision.state for revision in document.history)
        is_fresh = document.xrdf_digest is None and all(
            s.robot is document.robot and not s.typed for s in states
        )
        has_work = self.has_unsaved and not (is_fresh and not typed_fields().of(self._window))
        others = (name() for name in self.beside_names)
        beside = () if keeps_beside else (*document.unsaved_beside.names(), *filter(None, others))
        if not has_work and not beside:
            return True
        files = [document.file_name(kind) for kind in document.modified_kinds] or [self.name]
        names = [*(files if has_work else ()), *beside]
        answer = dialogs.ask_unsaved(
            self._window, " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        )
        if answer is Answer.SAVE:
            return (not has_work or self.save()) and (
                not beside or all(save() for save in self.beside_savers)
            )
        return answer is Answer.DISCARD

    # -- the file on disk

    def look_at_disk_soon(self) -> None:
        """`look_at_disk` after a pause; not for a robot that is closed meanwhile."""
        self._watch.look_soon()

    def look_at_disk(self) -> None:
        """Tells by `foreign_change`, once for each content, when another program wrote one of the
        files."""
        document = self.document
        if self.is_opening:
            return
        try:
            paths = [
                path
                for kind in foreign_changes(document)
                if (path := document.path(kind)) is not None
            ]
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
        paths = [document.path(kind) for kind in FileKind]
        self._watch.watch(path for path in paths if path is not None)

    def changed_names(self) -> str:
        """The files that another program changed, for a sentence."""
        document = self.document
        try:
            kinds = foreign_changes(document)
        except (OSError, FormatError):
            kinds = ()
        return (
            " and ".join(path.name for kind in kinds if (path := document.path(kind)) is not None)
            or self.name
        )

    def compare_with_disk(self, kind: FileKind | None = None) -> dialogs.CompareDialog | None:
        """Shows what is on disk and what saving would write; by default of the first file that
        differs."""
        document = self.document
        if not self._session.has_robot:
            return None
        if kind is None:
            changed = (*foreign_changes(document), *document.modified_kinds, FileKind.XRDF)
            kind = next(
                (k for k in changed if (p := document.path(k)) is not None and p.is_file()),
                FileKind.XRDF,
            )
        if document.path(kind) is None:
            return None
        dialog = dialogs.CompareDialog(self._window, document, kind)
        dialog.open()
        return dialog

    def _write(self, document: Document, path: Path | None) -> bool:
        try:
            try:
                targets = save_all(document, path, overwrite=True)
            except ChangedOnDiskError as error:
                answer = dialogs.ask_changed_on_disk(
                    self._window, error.path, is_target=error.is_target
                )
                if answer is Answer.COMPARE:
                    self.compare_with_disk(
                        next((k for k in FileKind if document.path(k) == error.path), None)
                    )
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

    def _remember(self, document: Document) -> None:
        if document.urdf_path is not None:
            saved = document.xrdf_path if document.xrdf_digest is not None else None
            robot = (
                document.expansion.source if document.expansion is not None else document.urdf_path
            )
            self._settings.add_recent(str(robot), str(saved) if saved else None)
            self._settings.set_last_folder(str(document.urdf_path.parent))

    def _proposal(self, document: Document, addition: str = "") -> str:
        path = document.xrdf_path or find_free_path(
            (document.urdf_path or Path("robot")).with_suffix(".xrdf")
        )
        return str(path.with_name(f"{path.stem}{addition}{path.suffix}"))

    # -- added to the robot

    def attach(self, xrdf: Path | None = None, srdf: Path | None = None) -> bool:
        """Reads in the background and adds, after asking about unsaved work in the files that go;
        False when kept."""
        if not self._session.has_robot:
            return False
        paths = {
            kind: path
            for kind, path in ((FileKind.XRDF, xrdf), (FileKind.SRDF, srdf))
            if path is not None
        }
        if not self.enter_typed() or not all(self._may_lose(kind) for kind in paths):
            return False
        self._attach_next(list(paths.items()))
        return True

    def attach_broken(self, kind: FileKind, path: Path) -> None:
        """Adds a file that cannot be read as text that is being typed."""
        document = self.document
        if not self._session.has_robot:
            return
        try:
            document.attach_broken(kind, SourceText.read(path))
        except FormatError as error:
            self.failed.emit("Cannot open", f"{path.name}: {error.message}.", error.fix or "")
            return
        self.mend_requested.emit(kind)
        self._session.message.emit(
            f"{path.name} is open in Source for fixing. The robot works without it until then."
        )

    def _attach_next(self, waiting: list[tuple[FileKind, Path]]) -> None:
        document = self.document
        if not self._session.has_robot or not waiting:
            return
        (kind, path), rest = waiting[0], waiting[1:]

        def read(reporter: TaskReporter) -> XrdfSource | SrdfSource:
            return (
                read_xrdf_file(path) if kind is FileKind.XRDF else read_srdf(SourceText.read(path))
            )

        def done(source: XrdfSource | SrdfSource) -> None:
            document.attach(source)
            self._remember(document)
            self._session.message.emit(f"{path.name} was added. Undo reverts it.")
            self._attach_next(rest)

        def failed(error: JobError) -> None:
            cause = error.exception
            if isinstance(cause, FormatError):
                BrokenFileDialog(
                    self._window, path, cause, self._ways_for_open(kind, path, cause)
                ).open()
            else:
                self.failed.emit("Cannot open", f"{path.name}: {error.message}", "")

        # Another robot may be opened meanwhile.
        reading = JobSlot(self._jobs)
        reading.run(
            f"Reading {path.name}",
            read,
            done,
            in_thread=True,
            failed=failed,
            about=lambda: self.document,
        )

    def _ways_for_open(self, kind: FileKind, path: Path, error: FormatError) -> list[WayOut]:
        if isinstance(error, ForeignFormatError):
            return [("import", "&Import…", lambda: self.import_requested.emit(path, None))]
        mend: Callable[[], object] = lambda: self.attach_broken(kind, path)  # noqa: E731
        return [("mend", "&Fix it here", mend)]

    def _may_lose(self, kind: FileKind) -> bool:
        """Asks about unsaved changes of one file that another takes the place of."""
        document = self.document
        is_draft = kind is FileKind.XRDF and document.xrdf_digest is None
        if not document.is_kind_modified(kind) or (is_draft and document.position == 0):
            return True
        path = document.path(kind)
        answer = dialogs.ask_unsaved(
            self._window, path.name if path is not None else f"the new {kind.upper()}"
        )
        return self.save() if answer is Answer.SAVE else answer is Answer.DISCARD


def find_free_path(path: Path) -> Path:
    if not path.exists():
        return path
    return next(
        p
        for n in itertools.count(2)
        if not (p := path.with_name(f"{path.stem}_{n}{path.suffix}")).exists()
    )
