"""A line at the view's lower edge that says what of the robot is not drawn, and which key shows it again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.session import Session
from editor_app.gui.theme import theme

_MARGIN = 8


class HiddenNote(PlainLabel):
    """Gone when everything is drawn. `key_of` gives the present key of an action, or nothing."""

    def __init__(self, session: Session, key_of: Callable[[str], str], parent: QWidget) -> None:
        super().__init__("", parent)
        self._session = session
        self._key_of = key_of
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("What is hidden")
        session.document_opened.connect(self.refresh)
        session.robot_settled.connect(self.refresh)
        session.visibility_changed.connect(self.refresh)
        session.display_changed.connect(self.refresh)
        theme().changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        parts = self._parts()
        self.setText("Hidden: " + ", ".join(parts) if parts else "")
        self.setVisible(bool(parts))
        self.place()

    def place(self) -> None:
        """At the lower edge, beside the switches."""
        self.adjustSize()
        parent = self.parentWidget()
        if parent is not None:
            self.move(max(_MARGIN, (parent.width() - self.width()) // 2), parent.height() - self.height() - _MARGIN)

    def _parts(self) -> list[str]:
        session, robot = self._session, self._session.robot
        if robot is None or session.tree is None:
            return []
        parts = []
        links = len(session.hidden & set(session.tree.frames))
        if links:
            parts.append(self._with_key(f"{links} link{'s' if links > 1 else ''}", "view.show_all"))
        group = session.active_group
        has_spheres = group is not None and any(robot.xrdf.spheres_of(group).values())
        if has_spheres and not session.display.spheres:
            parts.append(self._with_key("the spheres", "view.spheres"))
        if not session.display.visuals and not session.display.collisions:
            parts.append(self._with_key("the meshes", "view.visuals"))
        return parts

    def _with_key(self, text: str, action: str) -> str:
        key = self._key_of(action)
        return f"{text} ({key})" if key else text
