"""Actions of the selected links: roles, names, place by handles, and where they stand in the
files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton

from editor_app.core.document.commands.field_paths import new_limit
from editor_app.core.document.commands.tools import ToldChange
from editor_app.core.document.commands.urdf_merging import MergeLinks, merge_plan
from editor_app.core.document.commands.urdf_structure import (
    DuplicateBranch,
    InsertLink,
    RemoveLink,
    find_free_frame_name,
)
from editor_app.core.document.document import Document
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.core.model.findings import Location
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.urdf import BOUNDED, Geometry, Joint, JointType
from editor_app.core.model.xrdf import AddFrame
from editor_app.core.space.geometry.link_geometry import LinkGeometry
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import FormatError
from editor_app.core.verbs import link_roles
from editor_app.core.verbs.new_link import UP, NewLink, far_end, new_link, shape_named
from editor_app.window import dialogs
from editor_app.window.actions.action_tables import LINKS
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.number_field import NumberField, NumberInput
from editor_app.window.bindings.quantity import ANGLE, LENGTH, joint_quantity
from editor_app.window.bindings.typed_fields import UndoKeys
from editor_app.window.files.disk_watch import read_only
from editor_app.window.link_tree.link_model import selected_frames
from editor_app.window.session import Session
from editor_app.window.source import source_view
from editor_app.window.urdf import sensors
from editor_app.window.viewport import frame_drag, gizmo, view
from editor_app.window.widgets import PlainLabel, checkable, dress, fill_layout, form_of
from editor_app.window.workbench import Workbench

_JOINTS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED)
_AXES = (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)), ("z", UP))
#: Kind of shape -> the names of its sizes and what they begin with (metres).
_SIZES: dict[str, tuple[tuple[str, float], ...]] = {
    "cylinder": (("Radius", 0.04), ("Length", 0.2)),
    "box": (("x", 0.1), ("y", 0.1), ("z", 0.1)),
    "sphere": (("Radius", 0.05),),
    "capsule": (("Radius", 0.04), ("Length", 0.2)),
    "none": (),
    # The last one: keys and wheel that go through the list do not ask for a file on the way.
    "mesh file": (),
}
_MESHES = "Meshes (*.stl *.STL *.dae *.DAE *.obj *.OBJ *.ply *.glb *.gltf *.off);;All files (*)"


class NewLinkDialog(dialogs.Dialog):
    """*Add and go on* takes the new link as the next one's parent."""

    def __init__(self, workbench: Workbench, parent: str) -> None:
        super().__init__(workbench.qt_window, "new_link", "Add a link", session=workbench.session)
        self._workbench, self._session = workbench, workbench.session
        self._on, self._mesh = parent, Path()
        self._reading = self.slot(workbench.jobs, self._show)
        self.on = PlainLabel(parent=self)
        self.name = dress(QLineEdit(self), name="Name of the link")
        UndoKeys(self.name)
        self.kind = choice_box(
            "Kind of joint",
            [(str(kind), kind) for kind in _JOINTS],
            self._joint_chosen,
            parent=self,
        )
        self.axis_name = PlainLabel(parent=self)
        self.axis = choice_box("Axis of the joint", _AXES, lambda _: None, UP, self)
        number = partial(NumberInput, self._session, parent=self)
        self.place = [number(LENGTH, f"Position {axis}") for axis in "xyz"]
        self.turn = [number(ANGLE, axis, value=0.0) for axis in ("Roll", "Pitch", "Yaw")]
        self.range = [
            number(joint_quantity(prismatic=False), name) for name in ("Lower limit", "Upper limit")
        ]
        tip = "Planners move this joint; outside the c-space they keep it fixed"
        self.controlled = checkable(dress(QCheckBox("&In the c-space", self), tip=tip), True)
        self.shape = choice_box(
            "Shape", [(kind, kind) for kind in _SIZES], self._shape_chosen, parent=self
        )
        self.size_names = [PlainLabel(parent=self) for _ in range(3)]
        self.sizes = [number(LENGTH, f"Size {place}") for place in (1, 2, 3)]
        self.mesh_name = PlainLabel(parent=self)
        self.mesh_button = dress(
            QPushButton("&Choose…", self), id="mesh", run=lambda: self._choose_mesh()
        )
        self.mesh_button.setAutoDefault(False)
        self.told = dress(PlainLabel(parent=self), wrap=True, look="muted")
        self.add_button = self.button("&Add", "add")
        self.next_button = self.button(
            "Add and c&ontinue", "next", dialogs.Role.ActionRole, partial(self._add, True)
        )
        self.next_button.setAutoDefault(False)
        self._range_row = _line(("from", "to"), self.range)
        self._form = form_of(
            ("On", self.on),
            ("Name", self.name),
            ("Joint", ((self.kind, 2), self.axis_name, (self.axis, 1))),
            ("Position", _line("xyz", self.place)),
            ("Rotation", _line("rpy", self.turn)),
            ("Limits", self._range_row),
            ("", self.controlled),
            ("Shape", self.shape),
            (
                "",
                fill_layout(
                    _line(self.size_names, self.sizes), (self.mesh_name, 1), self.mesh_button
                ),
            ),
        )
        self.lay_out(self._form, self.told)
        workbench.meshes.finished.connect(self._propose_place)
        self._joint_chosen(_JOINTS[0])
        self._shape_chosen("cylinder")
        self._begin(parent)

    def accept(self) -> None:
        """Adds the link, and closes when that was done."""
        self._add(False)

    @property
    def _robot(self) -> RobotDescription:
        return self._session.robot

    def _begin(self, parent: str, shape: Geometry | None = None) -> None:
        """On this link from here; its shapes, or the one that it just got, say where the next joint
        is likely to be."""
        self._on = parent
        self.on.setText(parent)
        self.name.setText(find_free_frame_name(self._robot, f"link_{len(self._robot.urdf.links)}"))
        self.name.selectAll()
        self.name.setFocus()
        _fill(self.place, far_end(shape or self._shapes()))
        _fill(self.turn, (0.0, 0.0, 0.0))

    def _shapes(self) -> list[LinkGeometry]:
        loaded = (
            self._workbench.meshes.geometry(self._on, kind) for kind in ("visual", "collision")
        )
        return [shape for shape in loaded if shape is not None]

    def _propose_place(self) -> None:
        """Shapes that are loaded by now count, while no place was typed."""
        if not any(field.isModified() or field.hasFocus() for field in self.place):
            _fill(self.place, far_end(self._shapes()))

    def _joint_chosen(self, kind: JointType) -> None:
        is_bounded, is_moving = kind in BOUNDED, kind is not JointType.FIXED
        self.axis_name.setText("along" if kind is JointType.PRISMATIC else "about")
        self.axis.setEnabled(is_moving)
        self.controlled.setEnabled(is_moving)
        self._form.setRowVisible(self._range_row, is_bounded)
        if is_bounded:
            limit = new_limit(Joint("", kind, "", ""))
            for field in self.range:
                field.set_quantity(joint_quantity(kind is JointType.PRISMATIC))
            _fill(self.range, (limit.lower or 0.0, limit.upper or 0.0))

    def _shape_chosen(self, kind: str) -> None:
        sizes = _SIZES[kind]
        for number, (label, field) in enumerate(zip(self.size_names, self.sizes, strict=True)):
            label.setVisible(number < len(sizes))
            field.setVisible(number < len(sizes))
            if number < len(sizes):
                label.setText(sizes[number][0])
                field.setAccessibleName(f"Shape: {sizes[number][0]}")
        _fill(self.sizes, tuple(size for _, size in sizes))
        self.mesh_name.setVisible(kind == "mesh file")
        self.mesh_button.setVisible(kind == "mesh file")
        if kind == "mesh file":
            self._choose_mesh()
        self._show()

    def _choose_mesh(self) -> None:
        chosen = dialogs.choose_file(self, "Choose a mesh", "", _MESHES)
        self._mesh = Path(chosen) if chosen else self._mesh
        self.mesh_name.setText(self._mesh.name or "No file selected")
        self._show()

    def _show(self) -> None:
        is_ready = not self._reading.is_running and (
            self.shape.currentData() != "mesh file" or bool(self._mesh.name)
        )
        for button in (self.add_button, self.next_button):
            button.setEnabled(is_ready)

    def _asked(self) -> NewLink:
        x, y, z = (field.value or 0.0 for field in self.place)
        roll, pitch, yaw = (field.value or 0.0 for field in self.turn)
        lower, upper = (field.value or 0.0 for field in self.range)
        kind: str = self.shape.currentData()
        shape: Geometry | Path | None = self._mesh if kind == "mesh file" else None
        if _SIZES[kind]:
            shape = shape_named(
                kind, tuple(field.value or 0.0 for field in self.sizes[: len(_SIZES[kind])])
            )
        name, joint = self.name.text().strip(), self.kind.currentData()
        controlled = self.controlled.isChecked()
        return NewLink(
            name,
            self._on,
            joint,
            (x, y, z),
            self.axis.currentData(),
            (lower, upper),
            shape,
            controlled,
            (roll, pitch, yaw),
        )

    def _add(self, goes_on: bool) -> None:
        fields = (*self.place, *self.turn, *self.range, *self.sizes)
        document = self._session.document
        if not all(field.commit() for field in fields if field.isVisible()):
            return
        try:
            asked, robot, beside = self._asked(), self._robot, document.path(FileKind.URDF)
        except ValueError:
            self.told.setText("Shape sizes must be above 0.")
            return
        take: Callable[[ToldChange], object] = partial(self._take, asked, goes_on)
        if not isinstance(asked.shape, Path):
            take(new_link(robot, asked, beside))
            return
        work = f"Reading {asked.shape.name}"
        self._reading.run(
            work,
            lambda _: new_link(robot, asked, beside),
            take,
            in_thread=True,
            failed=self._failed,
        )

    def _failed(self, error: JobError) -> None:
        self.told.setText(error.message)

    def _take(self, asked: NewLink, goes_on: bool, step: ToldChange) -> None:
        try:
            step.change.apply(self._robot)
        except CannotApply as refusal:
            self.told.setText(str(refusal))
            return
        self._session.execute(step.change, selection=Selection(links=(asked.name,)))
        if step.told:
            self._session.noticed.emit(step.told)
        if not goes_on:
            super().accept()
            return
        self.told.setText(f"Added {asked.name}. {step.told}".strip())
        self._begin(asked.name, None if isinstance(asked.shape, Path) else asked.shape)
        if isinstance(asked.shape, Path):
            self._mesh = Path()
            self.shape.setCurrentIndex(0)
            self._shape_chosen("cylinder")


def _line(names: Iterable[str | PlainLabel], fields: Sequence[NumberField]) -> QHBoxLayout:
    """Each field behind its name."""
    labels = (name if isinstance(name, PlainLabel) else PlainLabel(name) for name in names)
    return fill_layout(
        QHBoxLayout(),
        *(item for pair in zip(labels, fields, strict=True) for item in (pair[0], (pair[1], 1))),
    )


def _fill(fields: Sequence[NumberField], values: Sequence[float]) -> None:
    for field, value in zip(fields, values, strict=False):
        field.set_value(value)


class LinkPlacing:
    """The visibility of the handles; off at the start, since a drag of a link selects or orbits
    otherwise."""

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
        if not self.is_on or self._view is None or len(selection.links) != 1 or selection.spheres:
            return None
        (frame,) = selection.links
        carrier = find_carrying_item(self._session, frame)
        if carrier is None or frame not in tree.index:
            return None
        pose = self._session.transforms[tree.index[frame]]
        drag = partial(
            frame_drag.LinkDrag, self._view.interaction.hand, frame, carrier, pose.copy()
        )
        return gizmo.Grip(frame, pose, drag)


def find_carrying_item(session: Session, frame: str) -> Joint | tuple[int, AddFrame] | None:
    """The joint that carries a link, or the modifier that adds a frame with its place; None for
    others."""
    robot = session.robot
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
#: The same: whether links have a role, and what the action is called where they do not, and where
#: they do.
_ROLES: dict[str, tuple[Callable[[RobotDescription, tuple[str, ...]], bool], str, str]] = {
    "tool_frames": (link_roles.are_tool_frames, "Make &tool frame", "Remove from the &tool frames"),
    "control": (
        link_roles.are_controlled,
        "Add the joint to the &c-space",
        "Remove the joint from the &c-space",
    ),
}


class LinkActions:
    """The names that the table of the selected links uses."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._session: Session = workbench.session
        self.placing = LinkPlacing(workbench)
        workbench.registry.add(LINKS, self)

    def role_text(self, role: str) -> str:
        robot, (has_role, *texts) = self._session.robot, _ROLES[role]
        return texts[has_role(robot, selected_frames(self._session))]

    # -- what the actions do

    def rename(self) -> None:
        """Asks for the new name of the selected link."""
        frame = selected_frames(self._session)[-1]
        question = "New name (updates URDF, XRDF and SRDF):"
        window, rename = self._workbench.qt_window, partial(self._rename, frame)
        dialogs.ask_text(window, "rename_link", "Rename link", question, "Rename", frame, rename)

    def _rename(self, frame: str, name: str) -> None:
        robot = self._session.robot
        if name != frame:
            self._session.execute(
                link_roles.rename_frame(robot, frame, name), selection=Selection(links=(name,))
            )

    def add_link(self) -> None:
        """Asks for the joint, the place and the shape of a link on the selected one."""
        dialog = NewLinkDialog(self._workbench, selected_frames(self._session)[0])
        dialog.open()
        dialog.move_beside_view()

    def insert_link(self) -> None:
        """Asks for the name of a link between the selected one and its parent."""
        robot, frame = self._robot, selected_frames(self._session)[0]
        joint = robot.urdf.joint_to(frame)
        if joint is not None:
            question = f"Name of the link between {joint.parent} and {frame}:"
            take = partial(self._insert_link, joint.name)
            self._ask(
                "Insert link",
                question,
                "Insert",
                find_free_frame_name(robot, f"{frame}_mount"),
                take,
            )

    def _insert_link(self, joint: str, name: str) -> None:
        self._execute_on(
            InsertLink(joint, name, find_free_frame_name(self._robot, f"{name}_joint")), name
        )

    def no_merge(self) -> str | None:
        """Why the selected link cannot become part of its parent; None where it can."""
        frame = selected_frames(self._session)[0]
        plan = merge_plan(self._robot, (frame,))
        if plan.merged:
            return None
        return f"{frame}: {plan.kept[0][1]}." if plan.kept else f"{frame} is the root link."

    def merge_link(self) -> None:
        """Makes the selected link part of its parent, which is selected then."""
        frame = selected_frames(self._session)[0]
        carrier = self._robot.urdf.joint_to(frame)
        parents = (carrier.parent,) if carrier is not None else ()
        self._session.execute(MergeLinks((frame,)), selection=Selection(links=parents))

    def duplicate_branch(self) -> None:
        """Asks for the ending of the copies' names."""
        frame = selected_frames(self._session)[0]
        question = f"Suffix for the names of {frame} and its child links:"
        self._ask("Duplicate", question, "Duplicate", "_2", partial(self._duplicate_branch, frame))

    def _duplicate_branch(self, frame: str, ending: str) -> None:
        self._execute_on(DuplicateBranch(frame, ending), frame + ending)

    def remove_link(self, keep_children: bool) -> None:
        """Removes the selected link, and tells what went with it."""
        robot, frame = self._robot, selected_frames(self._session)[0]
        change, carrier = RemoveLink(frame, keep_children), robot.urdf.joint_to(frame)
        told = change.consequences(robot)
        if self._session.execute(
            change, selection=Selection((carrier.parent,) if carrier is not None else ())
        ):
            self._session.noticed.emit(f"Removed {told}. Undo restores them.")

    @property
    def _robot(self) -> RobotDescription:
        return self._session.robot

    def _ask(
        self, title: str, question: str, button: str, name: str, take: Callable[[str], object]
    ) -> None:
        dialogs.ask_text(
            self._workbench.qt_window, "link_name", title, question, button, name, take
        )

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
        """Add a sphere, as the button of the Selection panel does."""
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
        is_link = robot.urdf.link(frame) is not None
        return read_only(self._session) if is_link else None

    def no_structure(self) -> str | None:
        frame = selected_frames(self._session)[0]
        if self._robot.urdf.link(frame) is None:
            return f"{frame} is not a link of the URDF."
        return read_only(self._session)

    def carried(self) -> str | None:
        frame = selected_frames(self._session)[0]
        return (
            None if self._robot.urdf.joint_to(frame) is not None else f"{frame} is the root link."
        )

    def no_spheres(self) -> str | None:
        robot, frame = self._session.robot, selected_frames(self._session)[0]
        spheres = robot.xrdf.spheres_of(self._session.active_group).get(frame)
        return None if spheres else f"{frame} has no spheres."

    def place(self) -> tuple[FileKind, Location] | None:
        document, frames = self._session.document, selected_frames(self._session)
        return place_of(document, frames[0]) if len(frames) == 1 else None


def place_of(document: Document, frame: str) -> tuple[FileKind, Location] | None:
    """The file and the place in it that define a link, or a frame that the XRDF adds; None where it
    has none."""
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
