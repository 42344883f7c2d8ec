"""Actions of the selected links: roles, names, place by handles, and where they stand in the files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from editor_app.edit.commands.urdf_merging import MergeLinks, merge_plan
from editor_app.edit.commands.urdf_structure import DuplicateBranch, InsertLink, RemoveLink, free_name
from editor_app.edit.document import Document
from editor_app.edit.selection import Selection
from editor_app.edit.state import FileKind
from editor_app.formats.source import FormatError
from editor_app.gui import dialogs
from editor_app.gui.action_tables import LINKS
from editor_app.gui.files.disk_watch import read_only
from editor_app.gui.links.new_link_dialog import NewLinkDialog
from editor_app.gui.panels.source import source_view
from editor_app.gui.panels.tree.link_model import selected_frames
from editor_app.gui.panels.urdf import sensors
from editor_app.gui.session import Session
from editor_app.gui.viewport import frame_drag, gizmo, view
from editor_app.gui.workbench import Workbench
from editor_app.model.change import CannotApply, Change
from editor_app.model.findings import Location
from editor_app.model.pose import Pose
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import AddFrame
from editor_app.operations import link_roles


class LinkPlacing:
    """Whether the handles are shown; off at the start, since a drag of a link selects or orbits otherwise."""

    def __init__(self, workbench: Workbench) -> None:
        self._session: Session = workbench.session
        self._view: view.Viewport | None = None
        self.is_on = False
        workbench.viewport_ready.connect(self._set_view)

    def flip(self) -> None:
        """Shows the handles, or hides them."""
        self.is_on = not self.is_on
        if self._view is not None:
            self._view.scene.place_gizmo()

    def _set_view(self, viewport: view.Viewport) -> None:
        self._view = viewport
        viewport.scene.grips.append(self._grip)
        viewport.scene.place_gizmo()

    def _grip(self) -> gizmo.Grip | None:
        selection, tree = self._session.selection, self._session.tree
        if not self.is_on or self._view is None or tree is None or len(selection.links) != 1 or selection.spheres:
            return None
        (frame,) = selection.links
        carrier = carrier_of(self._session, frame)
        if carrier is None or frame not in tree.index:
            return None
        pose = self._session.transforms[tree.index[frame]]
        drag = partial(frame_drag.LinkDrag, self._view.interaction.hand, frame, carrier, pose.copy())
        return gizmo.Grip(frame, pose, drag)


def carrier_of(session: Session, frame: str) -> Joint | tuple[int, AddFrame] | None:
    """The joint that carries a link, or the modifier that adds a frame with its place; None for others."""
    robot = session.robot
    if robot is None:
        return None
    for place, each in enumerate(robot.xrdf.modifiers or ()):
        if isinstance(each, AddFrame) and each.frame_name == frame:
            return place, each
    return robot.urdf.joint_to(frame) if read_only(session) is None else None


#: By the names that the table has.
_CHANGES: dict[str, Callable[[RobotDescription, tuple[str, ...], Pose], Change]] = {
    "tool_frames": lambda robot, frames, _: link_roles.change_tool_frames(robot, frames),
    "control": lambda robot, frames, _: link_roles.change_control(robot, frames),
    "lock": link_roles.lock_joints,
}


class LinkActions:
    """The names that the table of the selected links uses."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._session: Session = workbench.session
        self.placing = LinkPlacing(workbench)
        workbench.registry.add(LINKS, self)

    def tool_text(self) -> str:
        robot = self._session.robot
        taken = robot is not None and link_roles.are_tool_frames(robot, selected_frames(self._session))
        return "Remove from the &tool frames" if taken else "Make &tool frame"

    def control_text(self) -> str:
        robot = self._session.robot
        taken = robot is not None and link_roles.are_controlled(robot, selected_frames(self._session))
        return "Take the joint out of the &c-space" if taken else "Add the joint to the &c-space"

    # -- what the actions do

    def rename(self) -> None:
        """Asks for the new name of the selected link."""
        frame = selected_frames(self._session)[-1]
        question = "New name; references in URDF, XRDF and SRDF follow:"
        window, rename = self._workbench.qt_window, partial(self._rename, frame)
        dialogs.ask_text(window, "rename_link", "Rename link", question, "Rename", frame, rename)

    def _rename(self, frame: str, name: str) -> None:
        robot = self._session.robot
        if robot is not None and name != frame:
            self._session.execute(link_roles.rename_frame(robot, frame, name), selection=Selection(links=(name,)))

    def add_link(self) -> None:
        """Asks for the joint, the place and the shape of a link on the selected one."""
        NewLinkDialog(self._workbench, selected_frames(self._session)[0]).open()

    def insert_link(self) -> None:
        """Asks for the name of a link between the selected one and its parent."""
        robot, frame = self._robot, selected_frames(self._session)[0]
        joint = robot.urdf.joint_to(frame)
        if joint is not None:
            question = f"Name of the link between {joint.parent} and {frame}:"
            take = partial(self._insert_link, joint.name)
            self._ask("Insert link", question, "Insert", free_name(robot, f"{frame}_mount"), take)

    def _insert_link(self, joint: str, name: str) -> None:
        self._execute_on(InsertLink(joint, name, free_name(self._robot, f"{name}_joint")), name)

    def no_merge(self) -> str | None:
        """Why the selected link cannot become part of its parent; None where it can."""
        frame = selected_frames(self._session)[0]
        plan = merge_plan(self._robot, (frame,))
        if plan.merged:
            return None
        return f"{frame}: {plan.kept[0][1]}." if plan.kept else f"{frame} is the root."

    def merge_link(self) -> None:
        """Makes the selected link part of its parent, which is selected then."""
        frame = selected_frames(self._session)[0]
        carrier = self._robot.urdf.joint_to(frame)
        parents = (carrier.parent,) if carrier is not None else ()
        self._session.execute(MergeLinks((frame,)), selection=Selection(links=parents))

    def duplicate_branch(self) -> None:
        """Asks for the ending of the copies' names."""
        frame = selected_frames(self._session)[0]
        question = f"Ending of the names of {frame} and what hangs on it:"
        self._ask("Duplicate", question, "Duplicate", "_2", partial(self._duplicate_branch, frame))

    def _duplicate_branch(self, frame: str, ending: str) -> None:
        self._execute_on(DuplicateBranch(frame, ending), frame + ending)

    def remove_link(self, keep_children: bool) -> None:
        """Removes the selected link, and tells what went with it."""
        robot, frame = self._robot, selected_frames(self._session)[0]
        change, carrier = RemoveLink(frame, keep_children), robot.urdf.joint_to(frame)
        told = change.consequences(robot)
        if self._session.execute(change, selection=Selection((carrier.parent,) if carrier is not None else ())):
            self._session.noticed.emit(f"Removed: {told}. Undo brings them back.")

    @property
    def _robot(self) -> RobotDescription:
        robot = self._session.robot
        assert robot is not None, "a rule asks for a robot first"
        return robot

    def _ask(self, title: str, question: str, button: str, name: str, take: Callable[[str], object]) -> None:
        dialogs.ask_text(self._workbench.qt_window, "link_name", title, question, button, name, take)

    def _execute_on(self, change: Change, link: str) -> None:
        if self._session.execute(change, selection=Selection(links=(link,))):
            # Its place and its kind come next.
            self._workbench.docks.show("urdf").reveal("urdf.joint")

    def show_in_source(self) -> None:
        """Brings the lines that define the selected link to the front."""
        place = self.place()
        panel: source_view.SourcePanel = self._workbench.docks.show("source")
        if place is not None:
            panel.go_to(place[1].line or 1, place[1].column or 1, place[0])

    def copy_spheres(self) -> None:
        """Opens the choice of a link in the Selection panel."""
        self._workbench.docks.show("selection").numbers.choose_copy_target()

    def add_sphere(self) -> None:
        """What the button of the Selection panel does."""
        self._workbench.docks.show("selection").numbers.add.click()

    def add_sensor(self) -> None:
        """Opens the section in which sensors are added, with the link chosen."""
        panel: sensors.SensorsPanel = self._workbench.docks.show("urdf").reveal("urdf.sensors")
        panel.ask_for(selected_frames(self._session)[0])

    # -- whether they can be used

    def _made(self, name: str) -> Change:
        return _CHANGES[name](self._robot, selected_frames(self._session), self._session.pose)

    def do(self, name: str) -> None:
        self._session.execute(self._made(name), selection=self._session.selection)

    def refusal(self, name: str) -> str | None:
        try:
            self._made(name)
        except CannotApply as refusal:
            return str(refusal)
        return None

    def one_link(self) -> bool:
        return len(selected_frames(self._session)) == 1

    def no_renaming(self) -> str | None:
        robot, frame = self._session.robot, selected_frames(self._session)[0]
        is_link = robot is not None and robot.urdf.link(frame) is not None
        return read_only(self._session) if is_link else None

    def no_structure(self) -> str | None:
        frame = selected_frames(self._session)[0]
        if self._robot.urdf.link(frame) is None:
            return f"{frame} is no link of the URDF."
        return read_only(self._session)

    def carried(self) -> str | None:
        frame = selected_frames(self._session)[0]
        return None if self._robot.urdf.joint_to(frame) is not None else f"{frame} is the root: no joint carries it."

    def no_spheres(self) -> str | None:
        robot, frame = self._session.robot, selected_frames(self._session)[0]
        spheres = robot is not None and robot.xrdf.spheres_of(self._session.active_group).get(frame)
        return None if spheres else f"{frame} has no spheres."

    def place(self) -> tuple[FileKind, Location] | None:
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
