"""The properties of the selected link and joint in the URDF: what its sections have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from editor_app.formats.source import FormatError
from editor_app.formats.urdf import UrdfSource
from editor_app.gui.bindings.panel import muted_label
from editor_app.gui.panels.urdf.read_only import LockingPanel
from editor_app.gui.plain_text import plain
from editor_app.gui.session import Session
from editor_app.gui.timers import after
from editor_app.model.findings import Location
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Joint, Link

_NONE = "Nothing is selected. Click a link in the view or in the tree."


class UrdfPanel(LockingPanel):
    """Follows the selection: the last link that is selected, and the joint that is selected or leads to that link."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.hint = muted_label(_NONE)
        self.place = muted_label("")
        super().__init__(session, parent)
        if self.place.parent() is None:
            # A panel without a place in the file has no line for it; without a parent it would be a window.
            self.place.setParent(self)
        self._later = after(self, self.refresh)
        session.selection_changed.connect(self._selected)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.hint)
        self.refresh()

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        return (robot.urdf,)

    # -- what is shown

    @property
    def link(self) -> Link | None:
        """The selected link, or the one that the selected joint leads to."""
        robot, selection = self.session.robot, self.session.selection
        if robot is None:
            return None
        for frame in reversed(selection.frames):
            if (link := robot.urdf.link(frame)) is not None:
                return link
        joint = robot.urdf.joint(selection.joints[-1]) if selection.joints else None
        return robot.urdf.link(joint.child) if joint is not None else None

    @property
    def joint(self) -> Joint | None:
        """The selected joint, or the one that leads to the selected link."""
        robot, selection = self.session.robot, self.session.selection
        if robot is None:
            return None
        if selection.joints:
            return robot.urdf.joint(selection.joints[-1])
        link = self.link
        return next((j for j in robot.urdf.joints if link is not None and j.child == link.name), None)

    @property
    def source(self) -> UrdfSource | None:
        """The URDF as it would be saved, for places; None when it could not be."""
        document = self.session.document
        try:
            return document.urdf_now if document is not None else None
        except FormatError:
            return None

    def tell_place(self, location: Location | None) -> None:
        """Where the thing that is shown stands in the file."""
        self.place.setVisible(location is not None)
        if location is not None:
            line = f", line\u00a0{location.line}" if location.line is not None else ""
            self.place.setText(f"{Path(location.file).name}{line}")
            self.place.setToolTip(plain(str(location)))

    def nothing(self) -> str | None:
        """Why there is nothing to show, None when there is."""
        return None if self.link is not None else _NONE

    def refresh(self, *_: object) -> None:
        super().refresh()
        if self._stale or self.session.robot is None:
            self.hint.setVisible(self.session.robot is None)
            return
        reason = self.nothing()
        self.hint.setText(reason or "")
        self.hint.setVisible(reason is not None)
        self._content.setVisible(reason is None)

    def _selected(self, _: object) -> None:
        # Once, however many things are selected one after the other.
        self._later.start()
