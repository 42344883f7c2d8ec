"""Says when other programs touched the files that are open, or the xacro file that the URDF came
from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QSettings, QTimer, Signal

from editor_app.core.document.expansion import Expansion
from editor_app.window.session import Session
from editor_app.window.settings import read_json
from editor_app.window.timers import Wait, after


class DiskWatch(QObject):
    """Watches files, replaced ones and ones that come back included; the listener compares the
    contents."""

    touched = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._paths: tuple[Path, ...] = ()
        self._wanted: tuple[str, ...] = ()
        self._watcher = QFileSystemWatcher(self)
        self._settle = after(self, self._tell, Wait.DISK)
        self._watcher.fileChanged.connect(self.look_soon)
        # A file that is replaced by a rename is seen by its folder alone.
        self._watcher.directoryChanged.connect(self.look_soon)

    def watch(self, paths: Iterable[Path]) -> None:
        """These files from now on, and no others."""
        # Asked after every step of an edit: nearly always these are the same.
        if (now := tuple(paths)) != self._paths:
            self._paths = now
            self._wanted = tuple(dict.fromkeys(str(path.absolute()) for path in now))
            self._renew()
            if not now:
                self._settle.stop()

    def look_soon(self, *_: object) -> None:
        """Says `touched` after the pause, when any file is watched: the watcher of some file
        systems hears nothing."""
        if self._wanted:
            self._settle.start()

    def _renew(self) -> None:
        targets = {path for path in self._wanted if Path(path).exists()}
        targets |= {str(folder) for path in self._wanted if (folder := Path(path).parent).is_dir()}
        present = {*self._watcher.files(), *self._watcher.directories()}
        if gone := sorted(present - targets):
            self._watcher.removePaths(gone)
        if new := sorted(targets - present):
            self._watcher.addPaths(new)

    def _tell(self) -> None:
        # A replaced file is another file: the watch on the old one has ended.
        self._renew()
        self.touched.emit()


_KEY = "expansions"


def read_only(session: Session) -> str | None:
    """Why the URDF cannot be edited, None when it can."""
    document = session.document
    return document.expansion.reason if document.expansion is not None else None


class Expansions(QObject):
    """Remembers expansions, and watches the sources of the URDF that is open."""

    #: (Expansion): its source, or what that includes, has another content now. Once for each
    #: content.
    outdated = Signal(object)

    def __init__(self, session: Session, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._store = store
        self._open: Expansion | None = None
        self._watch = DiskWatch(self)
        self._watch.touched.connect(self.look)
        session.document_opened.connect(self._on_document)

    def remember(self, expansion: Expansion) -> None:
        """From now on a change of the source is told while the URDF that it was saved as is open.

        Forgets those whose URDF is gone.
        """
        expansions = {
            path: text
            for path, text in read_json(self._store, _KEY, {}).items()
            if Path(path).is_file()
        }
        expansions[str(expansion.output)] = expansion.to_json()
        self._store.setValue(_KEY, json.dumps(expansions))

    def saved_as(self, expansion: Expansion, urdf: Path) -> None:
        """The expansion was saved as a URDF: goes on watching its sources."""
        self.remember(replace(expansion, output=urdf.absolute()))
        self._on_document(None)

    def of(self, urdf: Path) -> Expansion | None:
        """How a URDF came out of a xacro file, when it did."""
        text = read_json(self._store, _KEY, {}).get(str(urdf.absolute()))
        return Expansion.from_json(text) if isinstance(text, str) else None

    def look(self) -> None:
        """Tells when a source of the open URDF changed since it was expanded, or since that was
        told."""
        if self._open is not None and self._open.changed():
            outdated, self._open = self._open, self._open.now()
            self.outdated.emit(outdated)

    def _on_document(self, _: object) -> None:
        document = self._session.document
        path = document.urdf_path
        self._open = document.expansion
        if self._open is None and path is not None:
            self._open = self.of(path)
        self._watch.watch(
            path for path, _ in (self._open.digests if self._open is not None else ())
        )
        # Later: what is told while a robot is opened gives way to the robot.
        QTimer.singleShot(0, self, self.look)
