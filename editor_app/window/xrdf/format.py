"""Format and version, and the conversion between versions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPushButton, QScrollArea

from editor_app.core.document.commands import ReplaceXrdf, SetFormat, SetFormatVersion
from editor_app.core.document.commands.modifiers import VERSIONS
from editor_app.core.formats.registry import foreign_codec
from editor_app.core.formats.xrdf import CannotConvert, convert_version
from editor_app.core.formats.xrdf.versions import Differing, VersionConversion
from editor_app.core.model.robot import RobotDescription
from editor_app.window.bindings.forms import ChoiceField, Field, Form
from editor_app.window.bindings.panel import Panel, muted_label, row_of, tool_button
from editor_app.window.widgets import PlainLabel, dress, icon

_MEANING = {
    "1.0": "Public specification: one geometry group; read by cuRobo and every cuMotion version.",
    "2.0": "cuMotion 1.0, Isaac Sim 6 and later: several geometry groups that may clone each other.",
}


class FormatPanel(Panel):
    shows = "xrdf.format xrdf.format_version urdf.name"

    def build(self) -> None:
        self.robot_name = dress(PlainLabel(), wrap=True)
        self.format = dress(PlainLabel(), wrap=True)
        rows = (
            Field("Robot", beside=(self.robot_name,)),
            Field("Format", beside=(self.format,)),
            ChoiceField(
                "Version",
                "format_version",
                lambda *_: VERSIONS,
                noun="version",
                name="Format version",
                write=self._set,
            ),
        )
        form = Form(self, rows, lambda: None, thing=lambda: self.robot.xrdf)
        self.version = form.fields["format_version"]
        self.meaning = self.put(muted_label(""))
        self.fix = dress(
            QPushButton("Set the format to xrdf"), run=lambda: self.execute(SetFormat("xrdf"))
        )
        self.convert = dress(
            QPushButton(icon("arrows-left-right"), ""), run=lambda: self._convert()
        )
        # Format 1.0 has one group for both: which one is for the user to say.
        decisions: dict[Differing, str] = {
            "merge": "Unite both",
            "world": "World's",
            "self": "Self's",
        }
        self.decisions = {
            choice: tool_button("", text, run=lambda _=False, choice=choice: self._convert(choice))
            for choice, text in decisions.items()
        }
        self._decision = row_of(*self.decisions.values(), stretch=-1)
        self.notes = muted_label("")
        # What a conversion says, and loses, is read before it is taken.
        self.take = dress(QPushButton(icon("check"), "Convert"), run=self._take)
        self.leave = dress(QPushButton("Cancel"), run=self._leave)
        self._question = row_of(self.take, self.leave)
        self.put(self.fix, self.convert, self._decision, self.notes, self._question)
        self._offered: tuple[RobotDescription, VersionConversion] | None = None
        self._converted_to: str | None = None
        self._leave()
        self.session.document_opened.connect(self._leave)
        self.session.robot_settled.connect(self._forget_offer)

    def update_view(self, robot: RobotDescription) -> None:
        self.robot_name.setText(robot.urdf.name or "–")
        self.format.setText(robot.xrdf.format or "not given")
        self.fix.setVisible(robot.xrdf.format != "xrdf" and not self._is_foreign())
        version = robot.xrdf.format_version
        self.meaning.setText(
            _MEANING.get(version or "", "Choose 1.0 or 2.0; programs read no other version.")
        )
        if self._converted_to is not None and self._converted_to != version:
            self._leave()
        self.convert.setVisible(version in VERSIONS)
        self.convert.setText(f"Convert to {self._other(version)}")

    def _is_foreign(self) -> bool:
        """Whether the text is of another format, which must not become an XRDF by one word."""
        return foreign_codec(self.session.document.xrdf_now.source) is not None

    @staticmethod
    def _other(version: str | None) -> str:
        return VERSIONS[0] if version == VERSIONS[1] else VERSIONS[1]

    def _set(self, version: str) -> SetFormatVersion | None:
        if self.robot.xrdf.format_version in VERSIONS:
            self._convert()
            return None
        return SetFormatVersion(version)

    def _convert(self, differing: Differing = "refuse") -> None:
        robot = self.robot
        version = self._other(robot.xrdf.format_version)
        self._leave()
        try:
            conversion = convert_version(robot, version, differing=differing)
        except CannotConvert as error:
            self.tell(str(error))
            self._decision.show()
            return
        self._offered = (robot, conversion)
        self._converted_to = None
        if not conversion.notes:
            self._take()
            return
        self._tell(f"Converting to {version}:", conversion.notes)
        self.take.setText(f"Convert to {version}")
        self._question.show()
        self.take.setFocus()
        # The layout has to make room first.
        QTimer.singleShot(0, self._question, self._show_question)

    def _show_question(self) -> None:
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if parent is not None:
            parent.ensureWidgetVisible(self._question, 0, 8)

    def _take(self) -> None:
        if self._offered is None:
            return
        conversion, self._offered = self._offered[1], None
        version = conversion.xrdf.format_version
        self._question.hide()
        self._converted_to = version
        if self.execute(ReplaceXrdf(conversion.xrdf, f"Convert to format {version}")):
            self._tell(f"Converted to {version}.", conversion.notes)

    def _forget_offer(self, _: RobotDescription, new: RobotDescription) -> None:
        # It was worked out for a robot that was edited since.
        if self._offered is not None and self._offered[0] is not new:
            self._leave()

    def _leave(self, *_: object) -> None:
        self._offered = self._converted_to = None
        self._question.hide()
        self._decision.hide()
        self.notes.hide()

    def _tell(self, head: str, notes: Sequence[str]) -> None:
        self.notes.setText("\n".join([head, *(f"• {note}" for note in notes)]))
        self.notes.show()
