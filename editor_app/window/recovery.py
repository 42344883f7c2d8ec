"""When something goes wrong: a journal of unsaved work that is offered again, and a report of
unexpected exceptions."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from editor_app.core.document.expansion import Expansion
from editor_app.core.document.journal import (
    Journal,
    JournalEntry,
    beside_of,
    discard,
    is_saved,
    plan_entry,
    stock,
    texts_of,
    typed_of,
    written_since,
)
from editor_app.core.document.replacing import SaveError
from editor_app.core.document.save_records import UnfinishedSave, unfinished_saves
from editor_app.core.document.state import FileKind
from editor_app.core.model.printable import printable_lines
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.versions import fault_report
from editor_app.window.crash_log import LOG, last_lines, log_folder
from editor_app.window.dialogs import Dialog, Role, source_lines
from editor_app.window.docks.central import NoticeBar
from editor_app.window.files.document_files import DocumentFiles
from editor_app.window.session import Session
from editor_app.window.widgets import PlainLabel, dress

_KEY = "journal"
#: Seconds that a step waits until no kill can take the one before; once that was too little, it
#: waits no longer than a person takes for no wait at all, and says so.
_PATIENCE, _BEHIND_PATIENCE = 2.0, 0.05


class Journaling(QObject):
    """One per window; `close` at its end, when everything is saved or let go."""

    def __init__(self, session: Session, notice: NoticeBar, files: DocumentFiles) -> None:
        """`notice`: the line above the view in which it asks."""
        super().__init__(session)
        self._session, self._notice, self._files = session, notice, files
        self._journal = Journal()
        self._told: str | None = None
        self._noted: tuple[int, int] | None = None
        #: Steps that were made while the journal did not come along.
        self._behind = 0
        self._unreadable: list[Path] = []
        self._asked: _Asked | None = None
        #: Of the document's files: another one after saving.
        self._digests: tuple[str | None, ...] = ()
        session.history_changed.connect(self._note)
        # Another notice about the robot that was opened may have taken the place: this one is asked
        # until answered.
        session.document_opened.connect(lambda _: QTimer.singleShot(0, self, self._offer_again))

    def offer(self, robot: Path | None = None) -> bool:
        """Asks about a save that was cut short, else about the newest unsaved work; False when
        there is nothing.

        First, because restoring opens the files: they should belong together by then. With `robot`,
        only unsaved work on that URDF counts.
        """
        saves = unfinished_saves(damaged=self._unreadable)
        if saves:
            self._ask_about_save(saves[0])
            return True
        journals = stock()
        self._unreadable += journals.set_aside
        if self._unreadable:
            self._tell_unreadable()
            return True
        orphans = []
        for path, entry in journals.orphans:
            if is_saved(entry):
                discard(path)
            elif robot is None or entry.urdf == str(robot):
                orphans.append((path, entry))
        if not orphans:
            return False
        path, entry = orphans[0]
        others = f" ({len(orphans) - 1} more)" if len(orphans) > 1 else ""
        asked = _Asked(path, entry, written_since(entry))
        self._asked = asked
        self._notice.ask(
            _KEY,
            "The last session ended without saving "
            f"{_described(entry)}{others}.{_later(asked.newer)}",
            (
                (
                    "Restore the older text" if asked.newer else "Restore",
                    lambda: self._restore(asked),
                ),
                ("Discard", lambda: self._discard(path)),
            ),
        )
        return True

    def tell_damaged(self, path: Path) -> None:
        """Reports a file of the program that cannot be read, and was moved to `path`, at the next
        `offer`."""
        self._unreadable.append(path)

    def _offer_again(self) -> None:
        # Over another robot, the question would be taken for one about that robot.
        self.offer(self._session.document.urdf_path)

    def close(self, *, keep: bool = False) -> None:
        """The session ends; with `keep`, the next one offers what is unsaved."""
        document = self._session.document
        if keep:
            self._journal.note(plan_entry(document))
        self._journal.close(keep=keep)

    def keep(self) -> None:
        """Puts what is unsaved on disk now: the session may end at once."""
        self._note()
        self._journal.flush()

    def _note(self) -> None:
        document = self._session.document
        place = (len(document.history), document.position)
        if place != self._noted:
            # The step before is safe first, so that no kill costs two. Not within a drag, which is
            # one step.
            self._noted = place
            written = self._journal.written(_BEHIND_PATIENCE if self._behind else _PATIENCE)
            self._behind = 0 if written else self._behind + 1
        self._journal.note(plan_entry(document))
        trouble = self._journal.trouble
        if self._behind:
            trouble = "Unsaved work is backed up too slowly. A crash now would lose several steps."
        if trouble != self._told:
            self._told = trouble
            if self._told:
                self._session.message.emit(self._told)

        digests = tuple(document.digest(kind) for kind in FileKind)
        if digests != self._digests:
            self._digests = digests
            self._ask_anew()

    def _ask_anew(self) -> None:
        """After a save, the work of the question may be saved, too, or be older than the files."""
        asked = self._asked
        if (
            asked is not None
            and (is_saved(asked.entry) or not asked.holds())
            and self._notice.dismiss(_KEY)
        ):
            self._offer_again()

    def _ask_about_save(self, save: UnfinishedSave) -> None:
        def settle(way_out: Callable[[], None]) -> None:
            self._notice.dismiss(_KEY)
            try:
                way_out()
            except SaveError as error:
                self._session.refused.emit(f"{error} You will be asked again at the next start.")
                return
            self.offer()

        self._notice.ask(
            _KEY,
            f"A save was interrupted {_when(save.saved_at)}: {_names(save.written)} "
            f"{_verb(save.written)} the new "
            f"text, {_names(save.waiting)} {_verb(save.waiting)} the old text.",
            (
                ("Finish the save", lambda: settle(save.finish)),
                ("Restore the old text", lambda: settle(save.put_back)),
                ("Keep both unchanged", lambda: settle(save.forget)),
            ),
        )

    def _tell_unreadable(self) -> None:
        paths = self._unreadable
        subject = (
            "A file of the program is"
            if len(paths) == 1
            else f"{len(paths)} files of the program are"
        )
        where = ", ".join(map(str, paths))

        def seen() -> None:
            self._unreadable = []
            self._notice.dismiss(_KEY)
            self.offer()

        self._notice.ask(
            _KEY,
            f"{subject} damaged and cannot be read. The remains are in {where}.",
            (("OK", seen),),
        )

    def _restore(self, asked: _Asked) -> None:
        path, entry = asked.path, asked.entry
        self._notice.dismiss(_KEY)
        if not path.is_file():
            self._session.refused.emit("This work was already restored in another window.")
            return
        if not asked.holds():
            # Written since, and the question did not say so.
            self.offer()
            return
        expansion = Expansion.from_json(entry.expansion) if entry.expansion is not None else None
        if entry.urdf is not None and entry.expanded is not None and expansion is not None:
            # Out of the journal: evaluating it again would need another consent, and could give
            # something else.
            urdf: Path | SourceText = SourceText.from_text(entry.expanded, Path(entry.urdf))
        elif entry.urdf is None or not Path(entry.urdf).is_file():
            self._session.refused.emit(
                f"{entry.urdf or 'The robot'} no longer exists. Its XRDF is in {path}."
            )
            return
        else:
            urdf = Path(entry.urdf)
        xrdf, srdf = (
            Path(name) if name is not None and Path(name).is_file() else None
            for name in (entry.xrdf, entry.srdf)
        )

        def put_back() -> None:
            document = self._session.document
            if not self._session.has_robot:
                return
            if not asked.holds():
                # Opening asked about the document before, and it was saved then.
                self._offer_again()
                return
            try:
                document.restore(
                    texts_of(entry), typed_of(entry), "Restore unsaved work", beside_of(entry)
                )
            except KeyError as error:
                self._session.refused.emit(
                    f"The unsaved work cannot be restored: {error}. It is in {path}."
                )
                return
            # Only now: until it is in this session's own journal, the old one is all there is.
            if self._journal.flush():
                discard(path)
            self.offer()

        self._files.open(urdf, xrdf, srdf=srdf, expansion=expansion, on_opened=put_back)

    def _discard(self, path: Path) -> None:
        self._notice.dismiss(_KEY)
        discard(path)
        self.offer()


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the question is about, and the files of which it says that they were saved later."""

    path: Path
    entry: JournalEntry
    newer: tuple[Path, ...]

    def holds(self) -> bool:
        return written_since(self.entry) == self.newer


def _later(files: tuple[Path, ...]) -> str:
    if not files:
        return ""
    when = max((path.stat().st_mtime for path in files if path.is_file()), default=None)
    subject = f" {_names(files)} {'was' if len(files) == 1 else 'were'} saved later"
    effect = "Restoring opens the older text as one unsaved step."
    return f"{subject}. {effect}" if when is None else f"{subject}, {_when(when)}. {effect}"


def _described(entry: JournalEntry) -> str:
    name = " and ".join(entry.names) or Path(entry.xrdf or entry.urdf or "a robot").name
    steps = (
        ""
        if entry.steps == 0
        else "1 step, the last "
        if entry.steps == 1
        else f"{entry.steps} steps, the last "
    )
    return f"{name}: {steps}“{entry.label}”, {_when(entry.saved_at)}"


def _when(seconds: float) -> str:
    when = datetime.fromtimestamp(seconds)
    day = "today" if when.date() == datetime.now().date() else f"on {when:%d %B}"
    return f"{day} at {when:%H:%M}"


def _names(paths: tuple[Path, ...]) -> str:
    return " and ".join(path.name for path in paths)


def _verb(paths: tuple[Path, ...]) -> str:
    return "holds" if len(paths) == 1 else "hold"


class CrashDialog(Dialog):
    """Shows one report; more exceptions while it is open are appended."""

    def __init__(
        self,
        parent: QWidget | None,
        report: str,
        save_copy: Callable[[], object] | None,
        heading_text: str = "Something went wrong in the editor.",
        advice: str = "Your document is still open, but the last action may be incomplete. "
        "Undo it or save a copy first. The report below helps to fix the problem.",
    ) -> None:
        super().__init__(parent, "crash", "Something went wrong", (720, 420))
        heading = dress(PlainLabel(heading_text, self), look="heading")
        message = PlainLabel(advice, self)
        message.setWordWrap(True)
        self.text = source_lines(self, "Report", report)
        clipboard = QGuiApplication.clipboard()
        self.button(
            "&Copy report",
            "copy",
            Role.ActionRole,
            lambda: clipboard.setText(self.text.toPlainText()),
        )
        if log_folder().is_dir():
            self.button("Open &log folder", "open_log", Role.ActionRole, _open_log_folder)
        if save_copy is not None:
            self.button("&Save a copy…", "save_copy", Role.ActionRole, save_copy)
        self.button("&Continue", "go_on")
        self.lay_out(heading, message, (self.text, 1), ends=False)

    def append(self, report: str) -> None:
        self.text.appendPlainText("\n" + report)


def _open_log_folder() -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_folder())))


class CrashHandler(QObject):
    """Takes `sys.excepthook` while it is installed. Exceptions of other threads arrive by the
    signal."""

    #: A traceback to be shown; other parts emit it, too, as for a worker.
    caught = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        *,
        context: Callable[[], str],
        save_copy: Callable[[], Callable[[], object] | None],
    ) -> None:
        super().__init__(parent)
        self._parent = parent
        self._context = context
        self._save_copy = save_copy
        self.dialog: CrashDialog | None = None
        self.caught.connect(self._show)

    #: Those that are installed: there is one hook for all windows.
    _installed: ClassVar[list[CrashHandler]] = []
    _before: ClassVar[Callable[..., object]] = sys.excepthook

    def install(self) -> None:
        """From now on exceptions come here while the window is the active one, or the last that was
        installed.

        Once is enough: the next times change nothing.
        """
        if not self._installed:
            CrashHandler._before, sys.excepthook = sys.excepthook, _dispatch
        if self not in self._installed:
            self._installed.append(self)

    def uninstall(self) -> None:
        """Exceptions go to the other windows, or where they went before."""
        if self in self._installed:
            self._installed.remove(self)
            if not self._installed:
                sys.excepthook = CrashHandler._before

    def take(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Handle an exception as `sys.excepthook`."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(printable_lines(text))
        try:
            self.caught.emit(text)
        except RuntimeError:
            # The window is gone already; the terminal has the traceback.
            pass

    def show_earlier(self, crashes: str) -> None:
        """Offer what earlier runs of the program left of crashes of native code."""
        report = f"{fault_report(crashes)}\nThe log:\n{last_lines()}"
        self.dialog = CrashDialog(
            self._parent,
            report,
            None,
            "The editor closed unexpectedly last time.",
            "A library crashed and ended the program. The report below helps to find the cause. "
            "Unsaved work is "
            "offered above the 3D view.",
        )
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _show(self, trace: str) -> None:
        LOG.error(printable_lines(trace))
        try:
            context = self._context()
        except Exception:
            context = ""
        log = last_lines()
        report = fault_report(trace, context) + (f"\nThe log:\n{log}" if log else "")
        if self.dialog is not None:
            self.dialog.append(report)
            return
        self.dialog = CrashDialog(self._parent, report, self._save_copy())
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _forget(self, *_: object) -> None:
        self.dialog = None


def _dispatch(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    installed = CrashHandler._installed
    next((each for each in installed if each._parent.isActiveWindow()), installed[-1]).take(
        kind, error, trace
    )
