"""Add a link: its joint, its place and its shape, in one step; a whole chain without leaving the dialog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFormLayout, QHBoxLayout, QLineEdit, QPushButton

from editor_app.edit.commands.fields import new_limit
from editor_app.edit.commands.urdf_structure import free_name
from editor_app.edit.selection import Selection
from editor_app.edit.state import FileKind
from editor_app.geometry.link_geometry import LinkGeometry
from editor_app.gui import dialogs
from editor_app.gui.bindings.choice_box import choice_box
from editor_app.gui.bindings.number_field import NumberField
from editor_app.gui.bindings.quantity import LENGTH, Quantity, joint_quantity
from editor_app.gui.bindings.typed_fields import UndoKeys
from editor_app.gui.jobs import JobSlot
from editor_app.gui.widgets import PlainLabel, checkable, dress, fill
from editor_app.gui.workbench import Workbench
from editor_app.model.change import CannotApply
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import BOUNDED, Geometry, Joint, JointType
from editor_app.operations.new_link import UP, NewLink, NewLinkStep, far_end, new_link, shape_named
from editor_app.tasks.worker import JobError

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
        super().__init__(workbench.qt_window, "new_link", "Add a link")
        self._workbench, self._session = workbench, workbench.session
        self._on, self._mesh = parent, Path()
        self._reading = JobSlot(workbench.jobs, self._show)
        self.on = PlainLabel(parent=self)
        self.name = dress(QLineEdit(self), name="Name of the link")
        UndoKeys(self.name)
        self.kind = choice_box(
            "Kind of joint", [(str(kind), kind) for kind in _JOINTS], self._joint_chosen, parent=self
        )
        self.axis_name = PlainLabel(parent=self)
        self.axis = choice_box("Axis of the joint", _AXES, lambda _: None, UP, self)
        self.place = [self._field(f"Position {axis}", LENGTH) for axis in "xyz"]
        self.range = [self._field(name, joint_quantity(prismatic=False)) for name in ("Lower limit", "Upper limit")]
        tip = "The joint is moved by planners; outside the c-space it stays where it is"
        self.controlled = checkable(dress(QCheckBox("&In the c-space", self), tip=tip), True)
        self.shape = choice_box("Shape", [(kind, kind) for kind in _SIZES], self._shape_chosen, parent=self)
        self.size_names = [PlainLabel(parent=self) for _ in range(3)]
        self.sizes = [self._field(f"Size {number}", LENGTH) for number in (1, 2, 3)]
        self.mesh_name = PlainLabel(parent=self)
        self.mesh_button = dress(QPushButton("&Choose…", self), id="mesh", run=lambda: self._choose_mesh())
        self.mesh_button.setAutoDefault(False)
        self.told = dress(PlainLabel(parent=self), wrap=True, look="muted")
        self.add_button = self.button("&Add", "add")
        self.next_button = self.button("Add and go &on", "next", dialogs.Role.ActionRole, partial(self._add, True))
        self.next_button.setAutoDefault(False)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        form = self._form = QFormLayout()
        form.addRow("On", self.on)
        form.addRow("Name", self.name)
        form.addRow("Joint", fill(QHBoxLayout(), (self.kind, 2), self.axis_name, (self.axis, 1)))
        form.addRow("Position", _line("xyz", self.place))
        self._range_row = _line(("from", "to"), self.range)
        form.addRow("Limits", self._range_row)
        form.addRow("", self.controlled)
        form.addRow("Shape", self.shape)
        form.addRow("", fill(_line(self.size_names, self.sizes), (self.mesh_name, 1), self.mesh_button))
        self.lay_out(form, self.told)
        workbench.session.document_opened.connect(self.reject)
        workbench.meshes.finished.connect(self._propose_place)
        self.finished.connect(lambda _: self._reading.drop())
        self._joint_chosen(_JOINTS[0])
        self._shape_chosen("cylinder")
        self._begin(parent)

    def accept(self) -> None:
        """Adds the link, and closes when that was done."""
        self._add(False)

    # -- inside

    @property
    def _robot(self) -> RobotDescription:
        robot = self._session.robot
        assert robot is not None, "the dialog goes with its robot"
        return robot

    def _field(self, name: str, quantity: Quantity) -> NumberField:
        field = NumberField(quantity, name, self)
        field.set_display(self._session.display)
        field.edited.connect(lambda value, _: field.set_value(value))
        return field

    def _begin(self, parent: str, shape: Geometry | None = None) -> None:
        """On this link from here; its shapes, or the one that it just got, say where the next joint is likely to be."""
        self._on = parent
        self.on.setText(parent)
        self.name.setText(free_name(self._robot, f"link_{len(self._robot.urdf.links)}"))
        self.name.selectAll()
        self.name.setFocus()
        _fill(self.place, far_end(shape or self._shapes()))

    def _shapes(self) -> list[LinkGeometry]:
        loaded = (self._workbench.meshes.geometry(self._on, kind) for kind in ("visual", "collision"))
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
        self.mesh_name.setText(self._mesh.name or "No file yet")
        self._show()

    def _show(self) -> None:
        is_ready = not self._reading.is_running and (self.shape.currentData() != "mesh file" or bool(self._mesh.name))
        for button in (self.add_button, self.next_button):
            button.setEnabled(is_ready)

    def _asked(self) -> NewLink:
        x, y, z = (field.value or 0.0 for field in self.place)
        lower, upper = (field.value or 0.0 for field in self.range)
        kind: str = self.shape.currentData()
        shape: Geometry | Path | None = self._mesh if kind == "mesh file" else None
        if _SIZES[kind]:
            shape = shape_named(kind, tuple(field.value or 0.0 for field in self.sizes[: len(_SIZES[kind])]))
        name, joint = self.name.text().strip(), self.kind.currentData()
        controlled = self.controlled.isChecked()
        return NewLink(name, self._on, joint, (x, y, z), self.axis.currentData(), (lower, upper), shape, controlled)

    def _add(self, goes_on: bool) -> None:
        fields = (*self.place, *self.range, *self.sizes)
        document = self._session.document
        if document is None or not all(field.commit() for field in fields if field.isVisible()):
            return
        try:
            asked, robot, beside = self._asked(), self._robot, document.path(FileKind.URDF)
        except ValueError:
            self.told.setText("The sizes of a shape are larger than 0.")
            return
        take: Callable[[NewLinkStep], object] = partial(self._take, asked, goes_on)
        if not isinstance(asked.shape, Path):
            take(new_link(robot, asked, beside))
            return
        work = f"Reading {asked.shape.name}"
        self._reading.run(work, lambda _: new_link(robot, asked, beside), take, in_thread=True, failed=self._failed)

    def _failed(self, error: JobError) -> None:
        self.told.setText(error.message)

    def _take(self, asked: NewLink, goes_on: bool, step: NewLinkStep) -> None:
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
        self.told.setText(f"{asked.name} is added. {step.told}".strip())
        self._begin(asked.name, None if isinstance(asked.shape, Path) else asked.shape)
        if isinstance(asked.shape, Path):
            self._mesh = Path()
            self.shape.setCurrentIndex(0)
            self._shape_chosen("cylinder")


def _line(names: Iterable[str | PlainLabel], fields: Sequence[NumberField]) -> QHBoxLayout:
    """Each field behind its name."""
    labels = (name if isinstance(name, PlainLabel) else PlainLabel(name) for name in names)
    return fill(QHBoxLayout(), *(item for pair in zip(labels, fields, strict=True) for item in (pair[0], (pair[1], 1))))


def _fill(fields: Sequence[NumberField], values: Sequence[float]) -> None:
    for field, value in zip(fields, values, strict=False):
        field.set_value(value)
