"""The SRDF as a whole: which robot it is of, its version, and whose reader it is written for."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QPushButton, QSizePolicy

from editor_app.edit.commands.srdf import SetSrdf
from editor_app.gui.bindings.panel import muted_label
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.panels.srdf.panel import SrdfPanel
from editor_app.gui.plain_text import no_mnemonic
from editor_app.model.robot import RobotDescription


class FilePanel(SrdfPanel):
    """Readers refuse, or warn of, an SRDF whose robot has another name than the URDF's."""

    def build(self) -> None:
        form = self.form()
        self.name, self.version = TextField("Robot of the SRDF"), TextField("Version of the SRDF")
        self.version.setPlaceholderText("none")
        self.name.edited.connect(self._rename)
        self.version.edited.connect(self._set_version)
        form.addRow("Robot", self.name)
        form.addRow("Version", self.version)
        self.match = QPushButton("")
        self.match.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.match.clicked.connect(lambda: self._rename(self.session.robot.urdf.name if self.session.robot else ""))
        self.body.addWidget(self.match)
        self.flavour = muted_label("")
        self.body.addWidget(self.flavour)
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        srdf = self.srdf
        self.name.set_value(srdf.name)
        self.version.set_value(srdf.version or "")
        self.match.setVisible(srdf.name != robot.urdf.name)
        self.match.setText(no_mnemonic(f"Take the URDF's name, {robot.urdf.name}"))
        self.flavour.setText(
            "It has parts that only Tesseract reads: tools, margins or configs."
            if srdf.is_tesseract
            else "It has nothing that MoveIt does not read."
        )

    def _rename(self, name: str) -> None:
        if not name:
            self.tell("The robot needs a name: that of the URDF.")
            return
        if name != self.srdf.name:
            self.execute(SetSrdf(replace(self.srdf, name=name), f"Rename the robot of the SRDF to {name}"))

    def _set_version(self, text: str) -> None:
        if (text or None) != self.srdf.version:
            self.execute(SetSrdf(replace(self.srdf, version=text or None), "Set the version of the SRDF"))
