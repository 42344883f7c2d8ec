"""Common parts of the URDF's panels: they follow the selection, and do not edit an expanded xacro
file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.model.findings import Location
from editor_app.core.model.urdf import Joint, Link
from editor_app.core.space.geometry.paths import written_name
from editor_app.core.text.source import FormatError
from editor_app.window import dialogs
from editor_app.window.bindings.forms import Field, Number
from editor_app.window.bindings.panel import Panel, compact, muted_label
from editor_app.window.bindings.quantity import ANGLE, LENGTH, NUMBER
from editor_app.window.bindings.rows_view import RowsView
from editor_app.window.files.disk_watch import read_only
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import after
from editor_app.window.widgets import PlainLabel, dress, fill_layout, plain_text

_NONE = "Nothing is selected. Click a link in the view or in the tree."
RENAMING = "Renaming updates URDF, XRDF and SRDF"
_NOTE = "The file has a quaternion. Typed angles replace it."


def lock(content: QWidget, free: Collection[QWidget], *, locked: bool) -> None:
    """Disables what edits, or enables all of it; tables and texts stay readable, `free` is left
    alone."""
    for child in content.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if isinstance(child, QPlainTextEdit):
            child.setReadOnly(locked)
        elif child not in free and not isinstance(child, RowsView | QLabel):
            child.setEnabled(not locked)


class LockingPanel(Panel):
    """A panel of the URDF: shows it and does not edit it while it is read-only."""

    shows = "urdf"

    def __init__(self, session: Session) -> None:
        #: What does not edit the URDF, and so stays usable.
        self.free: list[QWidget] = []
        self._locked = False
        super().__init__(session)
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

    def __init__(self, session: Session, save: Callable[[], object]) -> None:
        super().__init__()
        self._session = session
        self.text = dress(PlainLabel(), wrap=True)
        self.button = compact(
            dress(QPushButton("Save as URDF…"), id="save_urdf_as", run=lambda: save())
        )
        fill_layout(QVBoxLayout(self), self.text, self.button, margins=(10, 8, 10, 8))
        session.document_opened.connect(self._refresh)
        session.history_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        why = read_only(self._session)
        self.text.setText(why or "")
        self.setVisible(why is not None)


class UrdfPanel(LockingPanel):
    """Follows the selection: the last link that is selected, and the joint that is selected or
    leads to that link."""

    def __init__(self, session: Session, jobs: Jobs | None = None) -> None:
        """`jobs`: where files are read and inertias computed."""
        self._reading = None if jobs is None else JobSlot(jobs)
        self.place = muted_label("")
        super().__init__(session)
        self.put(self.place).hide()
        self._later = after(self, self.refresh)
        session.selection_changed.connect(self._selected)

    # -- what is shown

    @property
    def link(self) -> Link | None:
        """The selected link, or the one that the selected joint leads to."""
        urdf, selection = self.robot.urdf, self.session.selection
        for frame in reversed(selection.frames):
            if (link := urdf.link(frame)) is not None:
                return link
        joint = urdf.joint(selection.joints[-1]) if selection.joints else None
        return urdf.link(joint.child) if joint is not None else None

    @property
    def joint(self) -> Joint | None:
        """The selected joint, or the one that leads to the selected link."""
        urdf, selection = self.robot.urdf, self.session.selection
        if selection.joints:
            return urdf.joint(selection.joints[-1])
        link = self.link
        return urdf.joint_to(link.name) if link is not None else None

    @property
    def source(self) -> UrdfSource | None:
        """The URDF as it would be saved, for places; None when it could not be."""
        document = self.session.document
        try:
            return document.urdf_now
        except FormatError:
            return None

    def tell_place(self, find: Callable[[UrdfSource], Location | None]) -> None:
        """Show the place of the shown thing in the file."""
        location = find(self.source) if self.source is not None else None
        self.place.setVisible(location is not None)
        if location is not None:
            line = f", line\u00a0{location.line}" if location.line is not None else ""
            self.place.setText(f"{Path(location.file).name}{line}")
            self.place.setToolTip(plain_text(str(location)))

    @property
    def beside(self) -> Path | None:
        """The URDF's path, by which names of files are written."""
        return self.session.document.urdf_path

    def ask_for_file(self, title: str, kinds: str) -> Path | None:
        """The user chooses a file; None when none was chosen."""
        beside = self.beside
        chosen = dialogs.choose_file(
            self.window(), title, str(beside.parent) if beside is not None else "", kinds
        )
        return Path(chosen) if chosen else None

    def ask_for_name(self, title: str, kinds: str) -> str | None:
        """Ask for a file by `ask_for_file`; return its name in the URDF."""
        chosen = self.ask_for_file(title, kinds)
        return None if chosen is None else written_name(chosen, self.beside)

    def nothing(self) -> str | None:
        return None if self.link is not None else _NONE

    def _selected(self, _: object) -> None:
        # What was refused was about something else.
        self.messages.hide()
        # Once, however many things are selected one after the other.
        self._later.start()


def pose_rows(
    label: str, path: str, *, name: str = "", move: str = "", turn: str = ""
) -> tuple[Field, ...]:
    """`path` leads to the origin; `name` says what a short label is of; `move` and `turn` are
    titles of steps."""

    def has_quaternion(thing: Any) -> bool:
        return get_field(thing, f"{path}.quat_xyzw") is not None

    return (
        Number(label, f"{path}.xyz", LENGTH, "xyz", title=move, name=name, help=name),
        Number(
            # With its unit it has to leave room for three numbers.
            "Roll pitch yaw",
            f"{path}.rpy",
            ANGLE,
            ("roll", "pitch", "yaw"),
            title=turn,
            note=lambda thing: _NOTE if has_quaternion(thing) else "",
        ),
        Number("Quaternion", f"{path}.quat_xyzw", NUMBER, "xyzw", title=turn, shown=has_quaternion),
    )
