"""Transmissions and embedded extensions of the selected link and joint, as they stand in the file."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit

from editor_app.gui.panels.urdf_properties import UrdfPanel
from editor_app.gui.theme import fixed_font
from editor_app.model.robot import RobotDescription


class TextsPanel(UrdfPanel):
    """Read only: what URDF itself does not define is kept byte by byte."""

    def build(self) -> None:
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(fixed_font())
        self.text.setAccessibleName("Transmissions and extensions")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setMinimumHeight(140)
        self.body.addWidget(self.text)
        self.bind(self._show)

    def nothing(self) -> str | None:
        robot = self.session.robot
        if robot is not None and not self._texts(robot):
            link = self.link
            what = link.name if link is not None else "The robot"
            return f"{what} has neither transmissions nor extensions."
        return None

    def _texts(self, robot: RobotDescription) -> list[str]:
        """Those of the selection; without one, those of the whole robot."""
        link, joint = self.link, self.joint
        names = {x.name for x in (link, joint) if x is not None}
        found = [e.text for item in (link, joint) if item is not None for e in item.extensions]
        found += [t.text for t in robot.urdf.transmissions if not names or names & set(t.joints)]
        found += [e.text for e in robot.urdf.extensions if not names or e.reference in names]
        return found

    def _show(self, robot: RobotDescription) -> None:
        text = "\n\n".join(self._texts(robot))
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
