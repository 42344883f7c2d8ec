"""The expansion of a xacro file is shown, but not edited: the banner that says so, and what is locked."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from editor_app.gui.bindings.panel import Panel
from editor_app.gui.bindings.rows_view import RowsView
from editor_app.gui.files.expansions import read_only
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.session import Session
from editor_app.gui.widgets import dress, fill


def lock(content: QWidget, free: Collection[QWidget], *, locked: bool) -> None:
    """Disables what edits, or enables all of it; tables and texts stay readable, `free` is left alone."""
    for child in content.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if isinstance(child, QPlainTextEdit):
            child.setReadOnly(locked)
        elif child not in free and not isinstance(child, RowsView | QLabel):
            child.setEnabled(not locked)


class LockingPanel(Panel):
    """A panel of the URDF: shows it and does not edit it while it is read-only."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        #: What does not edit the URDF, and so stays usable.
        self.free: list[QWidget] = []
        self._locked = False
        super().__init__(session, parent)
        session.history_changed.connect(self._look_at_lock)

    def refresh(self, *_: object) -> None:
        locked = read_only(self.session) is not None
        if self._locked and not locked:
            # First: what is shown next decides which of them are enabled.
            lock(self._content, self.free, locked=False)
        super().refresh()
        if locked:
            lock(self._content, self.free, locked=True)
        self._locked = locked

    def _look_at_lock(self) -> None:
        if self._locked != (read_only(self.session) is not None):
            self.refresh()


class ExpansionBanner(QFrame):
    """Stands above the properties while they cannot be edited, with the way out."""

    def __init__(self, session: Session, save: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.text = dress(PlainLabel(), wrap=True)
        self.button = dress(QPushButton("Save as URDF…"), id="save_urdf_as", run=lambda: save())
        self.button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        fill(QVBoxLayout(self), self.text, self.button, margins=(10, 8, 10, 8))
        session.document_opened.connect(self._refresh)
        session.history_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        why = read_only(self._session)
        self.text.setText(why or "")
        self.setVisible(why is not None)
