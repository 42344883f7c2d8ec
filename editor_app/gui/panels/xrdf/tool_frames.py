"""Tool frames: an ordered list, the first of which is the end effector."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.edit.commands import AddSection, AddToolFrame, MoveToolFrame, RemoveToolFrames, SetToolFrame
from editor_app.gui.bindings.number_field import Origin
from editor_app.gui.bindings.panel import Panel
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.xrdf.frames import frames_of, unknown_frame
from editor_app.gui.session import Hover
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class _Row:
    index: int
    frame: str


class ToolFramesPanel(Panel):
    section = "tool_frames"
    purpose = "The frames that motion generation can aim with. The first one is the end effector."
    add_text = "Add tool frames"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column(
                "Frame",
                lambda row: row.frame,
                write=lambda cells: SetToolFrame(cells[0][0].index, cells[0][1]),
                choices=lambda row: frames_of(self.session),
                problem=lambda row: unknown_frame(self.session, row.frame),
                origin=lambda _: Origin.GUESSED if self._are_guessed() else Origin.FILE,
                stretch=True,
            ),
            Column("Role", lambda row: "end effector" if row.index == 0 else ""),
        ]
        self.view = self.table(
            "Tool frames",
            columns,
            lambda robot: [_Row(i, frame) for i, frame in enumerate(robot.xrdf.tool_frames or ())],
            move=MoveToolFrame,
            delete=lambda rows: RemoveToolFrames(tuple(row.index for row in rows)),
            hovered=lambda row: Hover(link=row.frame),
        )
        self.adder(self.view, "Add tool frame", "frame", self._free, AddToolFrame, "Frame to add…")

    def _are_guessed(self) -> bool:
        document = self.session.document
        return document is not None and "tool_frames" in document.guesses.left_in(document.robot.xrdf)

    def _free(self, robot: RobotDescription) -> list[str]:
        return [frame for frame in reversed(frames_of(self.session)) if frame not in (robot.xrdf.tool_frames or ())]

    def add_change(self, robot: RobotDescription) -> Change:
        return AddSection("tool_frames")
