"""The SRDF as a whole: which robot it is of, its version, and whose reader it is written for."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QSizePolicy

from editor_app.edit.commands.fields import OfSrdf, SetField
from editor_app.gui.bindings.forms import Form, Text
from editor_app.gui.bindings.panel import muted_label
from editor_app.gui.panels.srdf.panel import SrdfPanel
from editor_app.gui.plain_text import no_mnemonic
from editor_app.gui.widgets import dress
from editor_app.model.robot import RobotDescription


class FilePanel(SrdfPanel):
    """Readers refuse, or warn of, an SRDF whose robot has another name than the URDF's."""

    def build(self) -> None:
        Form(
            self,
            (
                Text("Robot", "name", name="Robot of the SRDF", title="Rename the robot of the SRDF to {value}"),
                Text(
                    "Version",
                    "version",
                    name="Version of the SRDF",
                    optional=True,
                    placeholder="none",
                    title="Set the version of the SRDF",
                ),
            ),
            OfSrdf,
        )
        self.match = dress(QPushButton(""), run=self._take_name)
        self.match.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.body.addWidget(self.match)
        self.flavour = muted_label("")
        self.body.addWidget(self.flavour)
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        srdf = self.srdf
        self.match.setVisible(srdf.name != robot.urdf.name)
        self.match.setText(no_mnemonic(f"Take the URDF's name, {robot.urdf.name}"))
        self.flavour.setText(
            "It has parts that only Tesseract reads: tools, margins or configs."
            if srdf.is_tesseract
            else "It has nothing that MoveIt does not read."
        )

    def _take_name(self) -> None:
        robot = self.session.robot
        if robot is not None:
            name = robot.urdf.name
            self.execute(SetField(OfSrdf(), "name", name, f"Rename the robot of the SRDF to {name}"))
