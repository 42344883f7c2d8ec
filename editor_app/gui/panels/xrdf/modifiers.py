"""Modifiers: their list, and below it the values of the selected one."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from editor_app.edit.commands import AddModifier, AddSection, DeleteModifiers, MoveModifier
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.panel import Panel
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.icons import icon
from editor_app.gui.panels.xrdf.frames import frames_of
from editor_app.gui.panels.xrdf.modifier_forms import AddFrameForm, ModifierForm, base_frame_form, free_joint_form
from editor_app.gui.widgets import STRETCH, fill
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, Modifier, RemoveMimicAttributes, SetBaseFrame

_KINDS = {AddFrame: "Add frame", SetBaseFrame: "Base frame", RemoveMimicAttributes: "Free mimic joint"}


@dataclass(frozen=True, slots=True)
class _Row:
    index: int
    modifier: Modifier
    skipped: str

    @property
    def about(self) -> str:
        m = self.modifier
        if isinstance(m, AddFrame):
            return f"{m.frame_name} on {m.parent_frame_name}"
        return m.frame if isinstance(m, SetBaseFrame) else m.joint_name


class ModifiersPanel(Panel):
    section = "modifiers"
    purpose = "Changes to the robot's structure that the URDF does not have: added frames, another base, freed joints."
    add_text = "Change the structure"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Change", lambda row: _KINDS[type(row.modifier)]),
            Column("Frame or joint", lambda row: row.about, problem=lambda row: row.skipped or None, stretch=True),
        ]
        self.view = self.table(
            "Modifiers",
            columns,
            self._rows,
            move=MoveModifier,
            delete=lambda rows: DeleteModifiers(tuple(row.index for row in rows)),
        )
        self.view.rows_selected.connect(self.refresh)
        self.add = QPushButton(icon("plus"), "Add")
        menu = QMenu(self.add)
        self.add_actions = {
            "frame": menu.addAction("Frame", self._add_frame),
            "base": menu.addAction("Base frame", self._add_base),
            "joint": menu.addAction("Free a mimic joint (format 2.0)", self._add_free_joint),
        }
        self.add.setMenu(menu)
        buttons = QWidget()
        fill(QHBoxLayout(buttons), self.add, STRETCH, margins=0)
        self.body.addWidget(self.under(self.view, buttons))
        self.frame_form = AddFrameForm(self, self.selected)
        self.base_form, self.joint_form = base_frame_form(self, self.selected), free_joint_form(self, self.selected)
        # Not a QStackedWidget: that is as high as its highest page.
        self._forms: tuple[ModifierForm, ...] = (self.frame_form, self.base_form, self.joint_form)
        for form in self._forms:
            self.body.addWidget(form)

        self._last_frame = ""
        self.session.selection_changed.connect(self._remember_frame)

    def _remember_frame(self, selection: Selection) -> None:
        self._last_frame = selection.frames[-1] if selection.frames else self._last_frame

    def watched(self, robot: RobotDescription) -> tuple[object, ...]:
        return robot.xrdf.modifiers, robot.urdf

    def add_change(self, robot: RobotDescription) -> Change:
        return AddSection("modifiers")

    def update_view(self, robot: RobotDescription) -> None:
        self.view.setVisible(self.view.rows_model.rowCount() > 0)
        mimics = bool(self._mimics(robot))
        self.add_actions["joint"].setEnabled(mimics)
        self.add_actions["joint"].setToolTip("" if mimics else "No joint mimics another.")
        for form in self._forms:
            form.setVisible(form.target() is not None)

    # -- the selected modifier

    def selected(self) -> tuple[int, Modifier] | None:
        """The one modifier that is selected, with its place."""
        rows = [i for i in self.view.selected_rows() if i < len(self.view.rows_model.rows)]
        if len(rows) != 1:
            return None
        row: _Row = self.view.rows_model.rows[rows[0]]
        return row.index, row.modifier

    # -- adding

    def _add_frame(self) -> None:
        robot = self.session.robot
        if robot is None:
            return
        names = {link.name for link in robot.urdf.links} | {joint.name for joint in robot.urdf.joints}
        for m in robot.xrdf.modifiers or ():
            if isinstance(m, AddFrame):
                names |= {m.frame_name, m.joint_name}
        name, number = "new_frame", 2
        while name in names or f"{name}_joint" in names:
            name, number = f"new_frame_{number}", number + 1
        self._add(AddFrame(name, self._chosen_frame(-1), f"{name}_joint"))

    def _chosen_frame(self, otherwise: int) -> str:
        """The link that was selected last, also if it is not selected any more; else one of the tree by its place."""
        frames = frames_of(self.session)
        chosen = (*self.session.selection.frames[-1:], self._last_frame)
        return next((frame for frame in chosen if frame in frames), frames[otherwise] if frames else "")

    def _add_base(self) -> None:
        self._add(SetBaseFrame(self._chosen_frame(0)))

    def _add_free_joint(self) -> None:
        robot = self.session.robot
        mimics = self._mimics(robot) if robot is not None else []
        if robot is None or not mimics:
            return
        joint = robot.urdf.joint(mimics[0])
        limit = joint.limit if joint is not None else None
        span = (limit.lower or 0.0, limit.upper or 0.0) if limit is not None else (0.0, 0.0)
        self._add(RemoveMimicAttributes(mimics[0], span, limit.velocity if limit is not None else None))

    def _add(self, modifier: Modifier) -> None:
        if self.execute(AddModifier(modifier)):
            self.view.select_row(self.view.rows_model.rowCount() - 1)

    @staticmethod
    def _mimics(robot: RobotDescription) -> list[str]:
        """The mimic joints that are not freed yet."""
        freed = {m.joint_name for m in robot.xrdf.modifiers or () if isinstance(m, RemoveMimicAttributes)}
        return [joint.name for joint in robot.urdf.joints if joint.mimic is not None and joint.name not in freed]

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        skipped = self.session.tree.skipped_modifiers if self.session.tree is not None else {}
        return [_Row(i, m, skipped.get(i, "")) for i, m in enumerate(robot.xrdf.modifiers or ())]
