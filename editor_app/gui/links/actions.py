"""Actions of the selected links: their roles in the XRDF, their names, and where they stand in the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from editor_app.edit.selection import Selection
from editor_app.edit.state import FileKind
from editor_app.formats.source import FormatError
from editor_app.gui.actions import NO_ROBOT
from editor_app.gui.files.expansions import read_only
from editor_app.gui.panels.tree.link_model import selected_frames
from editor_app.gui.session import Session
from editor_app.model.change import CannotApply, Change
from editor_app.model.findings import Location
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame
from editor_app.operations.link_roles import (
    are_controlled,
    are_tool_frames,
    change_control,
    change_tool_frames,
    lock_joints,
    rename_frame,
)

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.gui.workbench import Workbench

_ONE_LINK = "Select one link."
Make = Callable[[RobotDescription], Change]


class LinkActions:
    """Registers the actions of a window."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._session: Session = workbench.session
        self._roles()
        self._names_and_places()

    def _roles(self) -> None:
        session, add = self._session, self._workbench.registry.register

        def frames() -> tuple[str, ...]:
            return selected_frames(session)

        def tools(robot: RobotDescription) -> Change:
            return change_tool_frames(robot, frames())

        def control(robot: RobotDescription) -> Change:
            return change_control(robot, frames())

        def lock(robot: RobotDescription) -> Change:
            return lock_joints(robot, frames(), session.pose)

        def tool_text() -> str:
            robot = session.robot
            taken = robot is not None and are_tool_frames(robot, frames())
            return "Remove from the &tool frames" if taken else "Make &tool frame"

        def control_text() -> str:
            robot = session.robot
            taken = robot is not None and are_controlled(robot, frames())
            return "Take the joint out of the &c-space" if taken else "Add the joint to the &c-space"

        for name, text, make, icon, tip, words in (
            (
                "tool_frame",
                tool_text,
                tools,
                "crosshair",
                "What planners bring to a target",
                "tool_frames tcp effector",
            ),
            (
                "control",
                control_text,
                control,
                "sliders-horizontal",
                "The joint that leads to the link is moved by planners; outside the c-space it stays where it is",
                "cspace controlled joint_names",
            ),
            (
                "lock",
                "&Lock the joint at this position",
                lock,
                "lock-simple",
                "Outside the c-space, with its present position as the default one",
                "fix fixed default_joint_positions cspace",
            ),
        ):
            add(
                f"links.{name}",
                text,
                self._does(make),
                icon=icon,
                menu="Robot/Selected link",
                section="link",
                tooltip=tip,
                enabled=self._unless(make),
                contexts=("link",),
                keywords=words,
            )

    def _names_and_places(self) -> None:
        add = self._workbench.registry.register
        add(
            "links.rename",
            "Re&name…",
            self.rename,
            shortcut="F2",
            icon="pencil-simple",
            menu="Robot/Selected link",
            section="link",
            tooltip="Another name for the link, followed through URDF, XRDF and SRDF",
            enabled=self._no_renaming,
            contexts=("link",),
            keywords="name references",
        )
        add(
            "links.source",
            "Show in so&urce",
            self.show_in_source,
            icon="code",
            menu="Robot/Selected link",
            section="link",
            tooltip="The lines of the file that define the link",
            enabled=lambda: self._reason_unless_one() or (None if self._place() else "The link stands in no file."),
            contexts=("link",),
            keywords="text line definition urdf",
        )
        add(
            "links.copy_spheres",
            "Copy spheres t&o…",
            self.copy_spheres,
            icon="copy",
            menu="Robot/Selected link",
            section="link",
            tooltip="Choose another link that gets the spheres of this one, in its coordinates or in place",
            enabled=self._no_spheres,
            contexts=("link",),
            keywords="duplicate other link",
        )

    # -- what the actions do

    def rename(self) -> None:
        """Asks for the new name of the selected link."""
        frame = selected_frames(self._session)[-1]
        dialog = QInputDialog(self._workbench.qt_window)
        dialog.setObjectName("rename_link")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Rename link")
        dialog.setLabelText("New name; references in URDF, XRDF and SRDF follow:")
        dialog.setOkButtonText("Rename")
        dialog.setTextValue(frame)
        dialog.resize(420, dialog.sizeHint().height())
        dialog.textValueSelected.connect(lambda name: self._rename(frame, name.strip()))
        dialog.open()

    def _rename(self, frame: str, name: str) -> None:
        robot = self._session.robot
        if robot is not None and name != frame:
            self._session.execute(rename_frame(robot, frame, name), selection=Selection(links=(name,)))

    def show_in_source(self) -> None:
        """Brings the lines that define the selected link to the front."""
        from editor_app.gui.panels.source.source_view import SourcePanel

        place = self._place()
        panel = self._workbench.docks.show("source")
        if place is not None and isinstance(panel, SourcePanel):
            panel.go_to(place[1].line or 1, place[1].column or 1, place[0])

    def copy_spheres(self) -> None:
        """Opens the choice of a link in the Selection panel."""
        from editor_app.gui.panels.selection.panel import SelectionNumbers

        panel = self._workbench.docks.show("selection").findChild(SelectionNumbers)
        if panel is not None:
            panel.choose_copy_target()

    # -- whether they can be used

    def _does(self, make: Make) -> Callable[[], None]:
        def run() -> None:
            robot = self._session.robot
            if robot is not None:
                self._session.execute(make(robot), selection=self._session.selection)

        return run

    def _unless(self, make: Make) -> Callable[[], str | None]:
        def reason() -> str | None:
            robot = self._session.robot
            if robot is None:
                return NO_ROBOT
            try:
                make(robot)
            except CannotApply as refusal:
                return str(refusal)
            return None

        return reason

    def _reason_unless_one(self) -> str | None:
        if self._session.robot is None:
            return NO_ROBOT
        return None if len(selected_frames(self._session)) == 1 else _ONE_LINK

    def _no_renaming(self) -> str | None:
        reason = self._reason_unless_one()
        if reason is not None:
            return reason
        robot, frame = self._session.robot, selected_frames(self._session)[0]
        is_link = robot is not None and robot.urdf.link(frame) is not None
        return read_only(self._session) if is_link else None

    def _no_spheres(self) -> str | None:
        reason, robot = self._reason_unless_one(), self._session.robot
        if reason is not None or robot is None:
            return reason
        frame = selected_frames(self._session)[0]
        spheres = robot.xrdf.spheres_of(self._session.active_group).get(frame)
        return None if spheres else f"{frame} has no spheres."

    def _place(self) -> tuple[FileKind, Location] | None:
        document, frames = self._session.document, selected_frames(self._session)
        return place_of(document, frames[0]) if document is not None and len(frames) == 1 else None


def place_of(document: Document, frame: str) -> tuple[FileKind, Location] | None:
    """The file and the place in it that define a link, or a frame that the XRDF adds; None where it has none."""
    try:
        if document.robot.urdf.link(frame) is not None:
            location = document.urdf_now.link_location(frame)
            return (FileKind.URDF, location) if location is not None else None
        for index, modifier in enumerate(document.robot.xrdf.modifiers or ()):
            if isinstance(modifier, AddFrame) and modifier.frame_name == frame:
                source = document.xrdf_now
                return FileKind.XRDF, source.location(source.yaml_path(("modifiers", index)))
    except FormatError:
        pass
    return None
