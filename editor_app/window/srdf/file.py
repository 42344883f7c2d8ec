"""The SRDF as a whole: which robot it is of, whose reader it is for, and the files that it
names."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QPushButton

from editor_app.core.document.commands.fields import OfSrdf, SetField
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.commands.srdf_parts import WriteCalibration
from editor_app.core.document.selection import Selection
from editor_app.core.formats.srdf.places import CalibratedOrigins, read_calibration
from editor_app.core.formats.srdf.read import CONFIGS
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.calibration import CONFIG, config_path
from editor_app.window import dialogs
from editor_app.window.bindings.forms import Form, Text
from editor_app.window.bindings.panel import compact, heading, muted_label, row_of, tool_button
from editor_app.window.bindings.rows_model import Column
from editor_app.window.srdf.panel import SrdfPanel
from editor_app.window.widgets import dress, no_mnemonic

_SHOWN = (
    "Show the joints at their calibrated origins. Masks, exports and files use the origins of the "
    "URDF until you write "
    "the calibrated ones into it."
)
_NAMES = {
    "kinematics_plugin_config": "kinematics",
    "contact_managers_plugin_config": "contact managers",
    "calibration_config": "calibration",
    "task_composer_plugin_config": "task composer",
}


class FilePanel(SrdfPanel):
    """Readers refuse, or warn of, an SRDF whose robot has another name than the URDF's."""

    def build(self) -> None:
        name, title = "Version of the SRDF", "Set the version of the SRDF"
        rows = (
            Text(
                "Robot",
                "name",
                name="Robot of the SRDF",
                title="Rename the robot of the SRDF to {value}",
            ),
            Text("Version", "version", name=name, optional=True, placeholder="none", title=title),
        )
        Form(self, rows, OfSrdf)
        self.match = self.put(compact(dress(QPushButton(""), run=self._take_name)))
        self.flavour = self.put(muted_label(""))
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        srdf = self.srdf
        self.match.setVisible(srdf.name != robot.urdf.name)
        self.match.setText(no_mnemonic(f"Use the URDF's name, {robot.urdf.name}"))
        self.flavour.setText(
            "Only Tesseract reads some parts: tools, margins or configs."
            if srdf.is_tesseract
            else "MoveIt reads everything here."
        )

    def _take_name(self) -> None:
        name = self.robot.urdf.name
        self.execute(SetField(OfSrdf(), "name", name, f"Rename the robot of the SRDF to {name}"))


@dataclass(frozen=True, slots=True)
class _Row:
    tag: str
    filename: str
    path: Path | None


class ConfigsPanel(SrdfPanel):
    """Plugins and calibration, a row per file; below, what the calibration does to the robot."""

    purpose = "Calibration and plugin files of Tesseract."

    def build(self) -> None:
        self._read: tuple[Path, str, CalibratedOrigins] | None = None
        columns: list[Column[_Row]] = [
            Column("Config", lambda r: _NAMES[r.tag], note=lambda r: f"<{r.tag}>"),
            Column(
                "File",
                "filename",
                write=lambda c: set_item("srdf.configs", c[0][0].tag, str(c[0][1]).strip()),
                problem=lambda r: None if r.path is not None else "File not found.",
                note=lambda r: str(r.path or ""),
                stretch=True,
            ),
        ]
        self.view = self.list_table(
            "srdf.configs",
            "Config files",
            columns,
            lambda robot: [
                _Row(tag, name, self._path(name)) for tag, name in self.srdf.configs.items()
            ],
            key=attrgetter("tag"),
        )
        self.adder(
            self.view, "Add config file", "config", self._free, self._choose, "Config to add…"
        )
        self.title = self.put(heading("Calibration"))
        self.shown = self.put(compact(dress(QCheckBox("Show the robot calibrated"), tip=_SHOWN)))
        self.shown.toggled.connect(self._show)
        tip = "Write the calibrated origins to the URDF, as one undo step"
        self.write = tool_button("floppy-disk", "Write into the URDF", tip=tip, run=self._write)
        self.again = tool_button("arrow-clockwise", "Read again", run=self._read_again)
        self.put(row_of(self.write, self.again))
        self.note = self.put(muted_label(""))
        self.bind(self._show_calibration)
        self.session.calibration_changed.connect(self.refresh)

    # -- the files

    def _path(self, filename: str) -> Path | None:
        return config_path(self.session.document, filename)

    def _free(self, robot: RobotDescription) -> list[str]:
        return [_NAMES[tag] for tag in CONFIGS if tag not in self.srdf.configs]

    def _choose(self, name: str) -> Change:
        """Asks for the file; one that is not chosen gets a name that can be edited."""
        tag = next(tag for tag, shown in _NAMES.items() if shown == name)
        document = self.session.document
        base = document.srdf_path or document.urdf_path
        folder = str(base.parent) if base is not None else ""
        chosen = dialogs.choose_file(
            self, f"Config of {name}", folder, "YAML (*.yaml *.yml);;All files (*)"
        )
        return set_item(
            "srdf.configs", tag, _relative(Path(chosen), base) if chosen else f"{tag}.yaml"
        )

    # -- the calibration

    def _calibration(self) -> CalibratedOrigins | None:
        """As it is on disk; `note` tells what is wrong with it."""
        filename = self.srdf.configs.get(CONFIG)
        path = self._path(filename) if filename is not None else None
        if filename is None or path is None:
            self.note.setText(f"{filename} was not found next to the SRDF." if filename else "")
            return None
        try:
            source = SourceText.read(path)
            if self._read is None or self._read[:2] != (path, source.digest):
                self._read = (path, source.digest, read_calibration(source))
        except (FormatError, OSError) as error:
            self.note.setText(str(error))
            return None
        return self._read[2]

    def _show_calibration(self, robot: RobotDescription) -> None:
        has = CONFIG in self.srdf.configs
        calibration = self._calibration() if has else None
        for widget in (self.title, self.shown, self.write, self.again, self.note):
            widget.setVisible(has)
        for widget in (self.shown, self.write):
            widget.setEnabled(calibration is not None)
        with QSignalBlocker(self.shown):
            self.shown.setChecked(self.session.calibration is not None)
        if calibration is not None:
            placed = [name for name in calibration.origins if robot.urdf.joint(name) is not None]
            others = [name for name in calibration.origins if name not in placed]
            parts = [
                f"Origins of {', '.join(placed)}." if placed else "It has no joint of this robot."
            ]
            parts += [f"Not in the URDF: {', '.join(others)}."] * bool(others)
            self.note.setText(" ".join((*parts, *(f"{note}." for note in calibration.notes))))
        elif has and self.session.calibration is not None:
            self.session.set_calibration(None)

    def _show(self, wanted: bool) -> None:
        calibration = self._calibration() if wanted else None
        self.session.set_calibration(calibration.origins if calibration is not None else None)
        if calibration is not None:
            children = tuple(
                j.child for j in self.robot.urdf.joints if j.name in calibration.origins
            )
            self.session.select(Selection(links=children))
            self.session.message.emit(
                "The robot is shown calibrated. Masks and files keep the joint origins of the URDF."
            )

    def _read_again(self) -> None:
        self._read = None
        self.refresh()
        if self.shown.isChecked():
            self._show(True)

    def _write(self) -> None:
        calibration = self._calibration()
        if calibration is not None and self.execute(WriteCalibration(calibration.origins)):
            # It is the URDF's own now.
            self.session.set_calibration(None)


def _relative(path: Path, base: Path | None) -> str:
    try:
        return path.relative_to(base.parent).as_posix() if base is not None else str(path)
    except ValueError:
        return str(path)
