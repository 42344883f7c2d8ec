"""Modifiers: their list, and below it the values of the selected one.

An orientation is edited as a quaternion or as roll, pitch and yaw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QFormLayout,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)

from editor_app.core.document.commands import (
    modifier_title,
)
from editor_app.core.document.commands.fields import OfModifier, SetField, Target
from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.document.commands.urdf_structure import find_free_frame_name
from editor_app.core.document.selection import Selection
from editor_app.core.model.guesses import TOOLS
from editor_app.core.model.origin import Vector3
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import AddFrame, Modifier, RemoveMimicAttributes, SetBaseFrame
from editor_app.core.space.kinematics.transforms import quaternion_to_rpy, rpy_to_quaternion
from editor_app.window.bindings.forms import ChoiceField, Field, Form, Number, Text
from editor_app.window.bindings.number_field import NumberSource
from editor_app.window.bindings.panel import Panel, row_of
from editor_app.window.bindings.quantity import ANGLE, LENGTH, NUMBER, Quantity
from editor_app.window.bindings.rows_model import Column
from editor_app.window.session import Hover
from editor_app.window.widgets import STRETCH, dress, fill_layout, icon
from editor_app.window.xrdf.frames import frames_of, quantity_of_joint, unknown_frame

_KINDS = {
    AddFrame: "Add frame",
    SetBaseFrame: "Base frame",
    RemoveMimicAttributes: "Free mimic joint",
}


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
    purpose = (
        "Changes of the robot structure on top of the URDF: added frames, base frame, freed mimic "
        "joints."
    )
    add_text = "Change the structure"
    shows = "xrdf.modifiers urdf"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Change", lambda row: _KINDS[type(row.modifier)]),
            Column(
                "Frame or joint", "about", problem=lambda row: row.skipped or None, stretch=True
            ),
        ]
        self.view = self.list_table(
            "xrdf.modifiers", "Modifiers", columns, self._rows, key=attrgetter("index"), leads=True
        )
        self.add = QPushButton(icon("plus"), "Add")
        menu = QMenu(self.add)
        self.add_actions = {
            "frame": menu.addAction("Frame", self._add_frame),
            "base": menu.addAction(
                "Base frame", lambda: self._add(SetBaseFrame(self._chosen_frame(0)))
            ),
            "joint": menu.addAction("Free a mimic joint (format 2.0)", self._add_free_joint),
        }
        self.add.setMenu(menu)
        self.under(self.view, row_of(self.add, STRETCH, stretch=-1))
        # One below the other: only the rows for the kind of the selected one are there.
        layout = self.form()
        self.frame_form = AddFrameForm(self, lambda: self._target(AddFrame), layout)
        base_row = ChoiceField("Base frame", "frame", _all_frames, noun="frame")
        joint_rows = (
            ChoiceField("Joint", "joint_name", _mimics, name="Mimic joint", noun="mimic joint"),
            Number("Lower limit", "position_limits.0", self._quantity(), empty="required"),
            Number("Upper limit", "position_limits.1", self._quantity(), empty="required"),
            Number(
                "Velocity",
                "velocity_limit",
                self._quantity("/s"),
                limits=(0.0, None),
                empty="required",
            ),
        )
        self.base_form, self.joint_form = (
            Form(self, rows, target, title="Change {name}", layout=layout)
            for rows, target in (
                ((base_row,), lambda: self._target(SetBaseFrame)),
                (joint_rows, lambda: self._target(RemoveMimicAttributes)),
            )
        )
        self._last_frame = ""
        self.session.selection_changed.connect(self._remember_frame)

    def _remember_frame(self, selection: Selection) -> None:
        self._last_frame = selection.frames[-1] if selection.frames else self._last_frame

    def update_view(self, robot: RobotDescription) -> None:
        self.view.setVisible(self.view.rows_model.rowCount() > 0)
        mimics = bool(self._mimics(robot))
        self.add_actions["joint"].setEnabled(mimics)
        self.add_actions["joint"].setToolTip("" if mimics else "This robot has no mimic joint.")

    # -- the selected modifier

    def selected(self) -> tuple[int, Modifier] | None:
        """The one modifier that is selected, with its place."""
        chosen: list[_Row] = self.view.chosen
        return (chosen[0].index, chosen[0].modifier) if len(chosen) == 1 else None

    def _target(self, kind: type[Modifier]) -> OfModifier | None:
        """The selected modifier where it is of this kind, for what edits it."""
        selected = self.selected()
        if selected is None or not isinstance(selected[1], kind):
            return None
        return OfModifier(selected[0], modifier_title(selected[1]))

    def _quantity(self, per: str = "") -> Callable[[Any], Quantity]:
        """Positions of the mimic joint, or their derivatives."""
        return lambda modifier: quantity_of_joint(self.robot, modifier.joint_name, per)

    # -- adding

    def _add_frame(self) -> None:
        name = find_free_frame_name(self.robot, "new_frame")
        self._add(
            AddFrame(
                name, self._chosen_frame(-1), find_free_frame_name(self.robot, f"{name}_joint")
            )
        )

    def _chosen_frame(self, otherwise: int) -> str:
        """The link that was selected last, also if it is not selected any more; else one of the
        tree by its place."""
        frames = frames_of(self.session)
        chosen = (*self.session.selection.frames[-1:], self._last_frame)
        return next(
            (frame for frame in chosen if frame in frames), frames[otherwise] if frames else ""
        )

    def _add_free_joint(self) -> None:
        mimics = self._mimics(self.robot)
        if not mimics:
            return
        joint = self.robot.urdf.joint(mimics[0])
        limit = joint.limit if joint is not None else None
        span = (limit.lower or 0.0, limit.upper or 0.0) if limit is not None else (0.0, 0.0)
        self._add(
            RemoveMimicAttributes(mimics[0], span, limit.velocity if limit is not None else None)
        )

    def _add(self, modifier: Modifier) -> None:
        if self.execute(InsertItem("xrdf.modifiers", modifier)):
            self.view.select_row(self.view.rows_model.rowCount() - 1)

    @staticmethod
    def _mimics(robot: RobotDescription) -> list[str]:
        """The mimic joints that are not freed yet."""
        freed = robot.xrdf.freed_joints
        return [
            joint.name
            for joint in robot.urdf.joints
            if joint.mimic is not None and joint.name not in freed
        ]

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        skipped = self.session.tree.skipped_modifiers
        return [_Row(i, m, skipped.get(i, "")) for i, m in enumerate(robot.xrdf.modifiers or ())]


class AddFrameForm(Form):
    """A frame that the XRDF adds, with its orientation as angles or as a quaternion."""

    def __init__(
        self, panel: Panel, target: Callable[[], Target | None], layout: QFormLayout
    ) -> None:
        self._rpy: Vector3 = (0.0, 0.0, 0.0)
        self.normalise = dress(
            QPushButton("Normalise the quaternion"), run=lambda: self._normalise()
        )
        line = QWidget()
        group = QButtonGroup(line)
        self.as_rpy, self.as_quaternion = QToolButton(), QToolButton()
        for button, text in ((self.as_rpy, "RPY"), (self.as_quaternion, "Quaternion")):
            dress(button, name=f"Orientation as {text}").setText(text)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            group.addButton(button)
        self.as_rpy.setChecked(True)
        fill_layout(
            QHBoxLayout(line), STRETCH, self.as_rpy, self.as_quaternion, margins=0, spacing=2
        )
        switch = line
        rows = (
            Text("Frame", "frame_name", name="Name of the frame", title="Rename frame to {value}"),
            ChoiceField(
                "Parent", "parent_frame_name", self._parents, name="Parent frame", noun="frame"
            ),
            Text("Joint", "joint_name", name="Name of the joint"),
            Number("Position", "fixed_transform.position", LENGTH, "xyz", named=True),
            Field("Orientation", beside=(switch,)),
            Number(
                "",
                "rpy",
                ANGLE,
                ("roll", "pitch", "yaw"),
                named=True,
                read=self._angles,
                write=self._turn,
                shown=lambda modifier: self.as_rpy.isChecked(),
            ),
            Number(
                "",
                "fixed_transform.orientation_wxyz",
                NUMBER,
                "wxyz",
                name="Quaternion",
                named=True,
                step=0.01,
                shown=lambda modifier: self.as_quaternion.isChecked(),
            ),
            Field("", beside=(self.normalise,), shown=_is_off),
        )
        super().__init__(panel, rows, target, title="Change {name}", layout=layout)
        self.as_quaternion.toggled.connect(self.show)

    def _parents(self, robot: RobotDescription, modifier: AddFrame) -> list[str]:
        return [frame for frame in frames_of(self.panel.session) if frame != modifier.frame_name]

    def _angles(self, modifier: AddFrame) -> Vector3:
        """The angles as they were typed, as long as they mean this orientation: many angles mean
        the same one."""
        wxyz = modifier.fixed_transform.orientation_wxyz
        if not _same_rotation(rpy_to_quaternion(*self._rpy), wxyz):
            self._rpy = quaternion_to_rpy(wxyz) if math.hypot(*wxyz) > 1e-9 else (0.0, 0.0, 0.0)
        return self._rpy

    def _turn(self, rpy: Vector3) -> SetField | None:
        self._rpy = rpy
        return self._oriented(rpy_to_quaternion(*rpy))

    def _oriented(self, wxyz: Sequence[float]) -> SetField | None:
        target = self.target()
        path = "fixed_transform.orientation_wxyz"
        return (
            SetField(target, path, tuple(wxyz), f"Change {target.title}")
            if target is not None
            else None
        )

    def _normalise(self) -> None:
        modifier = self.thing()
        wxyz = modifier.fixed_transform.orientation_wxyz if modifier is not None else (0.0,)
        norm = math.hypot(*wxyz)
        self.panel.execute(self._oriented([v / norm for v in wxyz]) if norm > 1e-9 else None)


def _all_frames(robot: RobotDescription, modifier: SetBaseFrame) -> list[str]:
    """Also what the present base cuts off: it is there to be chosen again."""
    return [
        *(link.name for link in robot.urdf.links),
        *(each.frame_name for each in robot.xrdf.added_frames),
    ]


def _mimics(robot: RobotDescription, modifier: RemoveMimicAttributes) -> list[str]:
    return [joint.name for joint in robot.urdf.joints if joint.mimic is not None]


def _is_off(modifier: AddFrame) -> bool:
    """Whether the quaternion is not of length 1."""
    return abs(math.hypot(*modifier.fixed_transform.orientation_wxyz) - 1.0) > 1e-6


def _same_rotation(a: Sequence[float], b: Sequence[float]) -> bool:
    norm = math.hypot(*a) * math.hypot(*b)
    return norm > 0 and abs(abs(sum(x * y for x, y in zip(a, b, strict=True))) / norm - 1.0) < 1e-14


class ToolFramesPanel(Panel):
    section = "tool_frames"
    purpose = "Frames that planners move to targets. The first one is the end effector."
    add_text = "Add tool frames"
    guess_keys = (TOOLS,)

    def build(self) -> None:
        columns: list[Column[tuple[int, str]]] = [
            Column(
                "Frame",
                "1",
                write=lambda cells: set_item("xrdf.tool_frames", cells[0][0][0], cells[0][1]),
                choices=lambda row: frames_of(self.session),
                unknown=partial(unknown_frame, self.session),
                origin=lambda _: NumberSource.GUESSED if self._are_guessed() else NumberSource.FILE,
                stretch=True,
            ),
            Column("Role", lambda row: "end effector" if row[0] == 0 else ""),
        ]
        self.view = self.list_table(
            "xrdf.tool_frames", "Tool frames", columns, hovered=lambda row: Hover(link=row[1])
        )
        self.adder(
            self.view, "Add tool frame", "frame", self._frames, "xrdf.tool_frames", "Frame to add…"
        )

    def _are_guessed(self) -> bool:
        return TOOLS in self.session.document.guesses.entries

    def _frames(self, robot: RobotDescription) -> tuple[str, ...]:
        return frames_of(self.session)[::-1]
