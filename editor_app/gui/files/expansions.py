"""Notices when the xacro file changes that the open URDF is the expansion of, or was saved from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QTimer, Signal

from editor_app.edit.expansion import Expansion
from editor_app.gui.files.disk_watch import DiskWatch
from editor_app.gui.session import Session
from editor_app.gui.settings import read_json

_KEY = "expansions"


def read_only(session: Session) -> str | None:
    """Why the URDF cannot be edited, None when it can."""
    document = session.document
    return document.expansion.reason if document is not None and document.expansion is not None else None


class Expansions(QObject):
    """Remembers expansions, and watches the sources of the URDF that is open."""

    #: (Expansion): its source, or what that includes, has another content now. Once for each content.
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
        expansions = {path: text for path, text in self._stored().items() if Path(path).is_file()}
        expansions[str(expansion.output)] = expansion.to_json()
        self._store.setValue(_KEY, json.dumps(expansions))

    def saved_as(self, expansion: Expansion, urdf: Path) -> None:
        """The expansion was saved as a URDF: goes on watching its sources."""
        self.remember(replace(expansion, output=urdf.absolute()))
        self._on_document(None)

    def of(self, urdf: Path) -> Expansion | None:
        """How a URDF came out of a xacro file, when it did."""
        text = self._stored().get(str(urdf.absolute()))
        return Expansion.from_json(text) if isinstance(text, str) else None

    def look(self) -> None:
        """Tells when a source of the open URDF changed since it was expanded, or since that was told."""
        if self._open is not None and self._open.changed():
            outdated, self._open = self._open, self._open.now()
            self.outdated.emit(outdated)

    def _on_document(self, _: object) -> None:
        document = self._session.document
        path = document.urdf_path if document is not None else None
        self._open = document.expansion if document is not None else None
        if self._open is None and path is not None:
            self._open = self.of(path)
        self._watch.watch(path for path, _ in (self._open.digests if self._open is not None else ()))
        # Later: what is told while a robot is opened gives way to the robot.
        QTimer.singleShot(0, self, self.look)

    def _stored(self) -> dict[str, str]:
        stored = read_json(self._store, _KEY)
        return stored if isinstance(stored, dict) else {}
