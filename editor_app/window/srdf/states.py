"""Named values of groups in the SRDF: postures to go to, tool centre points of Tesseract, and end
effectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtWidgets import QCheckBox, QPushButton

from editor_app.core.document.commands.fields import OfItem, OfTool
from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.document.commands.srdf import SetSrdf, SetStatePositions, StoreState
from editor_app.core.document.selection import Selection, list_features
from editor_app.core.formats.srdf.places import group_base, group_tip
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.srdf import EndEffector, GroupState, ToolCenterPoint
from editor_app.core.text.xml.morph import format_xml_numbers
from editor_app.window.bindings.forms import ChoiceField, Field, Form, Number, Text, field_column
from editor_app.window.bindings.panel import (
    NewItemField,
    compact,
    heading,
    muted_label,
    row_of,
    tool_button,
)
from editor_app.window.bindings.quantity import ANGLE, LENGTH, Quantity
from editor_app.window.bindings.rows_model import Column
from editor_app.window.srdf.panel import (
    SrdfPanel,
    group_names,
    list_link_names,
    planned_joint_names,
)
from editor_app.window.widgets import dress, icon
from editor_app.window.xrdf.frames import quantity_of_joint

#: What a virtual joint has when it stands at its origin: of a floating one, place and quaternion
#: (x, y, z, w).
_ZEROS = {"planar": (0.0, 0.0, 0.0), "floating": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class _Position:
    joint: str
    values: tuple[float, ...]

    @property
    def value(self) -> float | str:
        """The number, or several as the file has them."""
        return self.values[0] if len(self.values) == 1 else format_xml_numbers(self.values)


class StatesPanel(SrdfPanel):
    """A row per state, with a button that poses the robot so; below, the positions of the chosen
    one."""

    purpose = "States: named positions of a group, such as “home”."

    def build(self) -> None:
        columns: list[Column[GroupState]] = [
            Column("State", "name", write=self._rename, stretch=True, note=self._positions),
            Column("Group", "group"),
            Column("Joints", lambda s: str(len(s.positions)), right=True, note=self._positions),
        ]
        self.view = self.list_table("srdf.states", "States", columns, leads=True)
        tip = "Move the robot to the selected state; other joints stay"
        self.go_to = dress(
            QPushButton(icon("person-simple"), "Go to"), tip=tip, run=self.pose_robot
        )
        tip = "Store the current joint positions in the selected state"
        self.update_state = dress(
            QPushButton(icon("push-pin"), "Store pose here"), tip=tip, run=self._store_again
        )
        self.under(self.view, self.go_to, self.update_state)
        self.title = self.put(heading(""))
        values: list[Column[_Position]] = [
            Column("Joint", "joint", problem=self._problem, stretch=True),
            Column(
                "Position", "value", write=self._set_positions, quantity=self._quantity, right=True
            ),
        ]
        self.positions = self.table(
            "Positions of the state",
            values,
            self._rows,
            delete=lambda rows: self._changed({p.joint: () for p in rows}),
            most_rows=8,
            chosen=self._joints_of,
        )
        self._joint_line = self.adder(
            self.positions, "Add joint to the state", "joint", self._free, self._add_joint, "Joint…"
        )
        self.put(heading("Store current pose"))
        self.store = dress(
            QPushButton("Store"), tip="Add a state with the current positions of the group's joints"
        )
        which = "Choose the group of the state."
        entries = (
            NewItemField("Name of the new state", "Name…", missing="A state needs a name."),
            NewItemField(
                "Group of the new state",
                "Group…",
                "group",
                group_names,
                which,
                stays=True,
                starts=True,
            ),
        )
        self.name, self.group = self.entries(entries, self._store, self.store)
        self.put(row_of(self.name, self.group, self.store))
        self.bind(self._show)

    def pose_robot(self) -> None:
        """The robot goes to the state that is chosen."""
        state, tree = self._current(), self.session.tree
        if state is None:
            return
        positions = {
            j: v[0] for j, v in state.positions.items() if len(v) == 1 and j in self.session.pose
        }
        left = [j for j in state.positions if j not in positions]
        self.session.go_to(FrozenDict({**self.session.pose, **positions}))
        joints = [joint for j in positions if (joint := tree.joint(j)) is not None]
        outside = [
            j.name
            for j in joints
            if j.limits and not j.limits[0] <= positions[j.name] <= j.limits[1]
        ]
        if left:
            self.tell(f"{', '.join(left)}: not a joint with one position; unchanged.")
        elif outside:
            self.tell(f"{', '.join(outside)}: outside the limits of the URDF.")
        else:
            self.messages.hide()

    # -- inside

    def _show(self, robot: RobotDescription) -> None:
        state = self._current()
        for widget in (self.title, self.positions, self._joint_line):
            widget.setVisible(state is not None)
        if state is not None:
            self.title.setText(f"Positions of {state.name}")
        if not self.srdf.groups:
            self.group.set_value(None, "Add a group first")
        self.store.setEnabled(bool(self.srdf.groups))
        for button in (self.go_to, self.update_state):
            button.setEnabled(len(self.view.chosen) == 1)

    # -- the positions of the chosen one

    def _rows(self, robot: RobotDescription) -> list[_Position]:
        state = self._current()
        return [_Position(j, v) for j, v in state.positions.items()] if state is not None else []

    def _quantity(self, row: _Position) -> Quantity | None:
        return quantity_of_joint(self.robot, row.joint) if len(row.values) == 1 else None

    def _problem(self, row: _Position) -> str | None:
        joint = self.session.tree.joint(row.joint)
        if joint is not None and joint.limits is not None and len(row.values) == 1:
            lower, upper = joint.limits
            return (
                None if lower <= row.values[0] <= upper else "It is outside the limits of the URDF."
            )
        return self.unknown_joint(row.joint)

    def _set_positions(self, cells: list[tuple[_Position, Any]]) -> Change:
        return self._changed({p.joint: _numbers(value) for p, value in cells})

    def _changed(self, values: dict[str, tuple[float, ...]]) -> Change:
        state = self._current()
        if state is None:
            raise CannotApply("Select a state first.")
        return SetStatePositions(state.name, state.group, FrozenDict(values))

    def _free(self, robot: RobotDescription) -> list[str]:
        state = self._current()
        if state is None:
            return []
        first = planned_joint_names(self.srdf, robot.urdf, state.group)
        others = [j.name for j in robot.urdf.joints if j.is_movable]
        others += [v.name for v in self.srdf.virtual_joints]
        return [j for j in dict.fromkeys((*first, *others)) if j not in state.positions]

    def _add_joint(self, joint: str) -> Change:
        numbers = {v.name: _ZEROS.get(v.type, (0.0,)) for v in self.srdf.virtual_joints}
        return self._changed({joint: numbers.get(joint) or (self.session.pose.get(joint, 0.0),)})

    def _joints_of(self, rows: list[_Position]) -> Selection:
        return Selection(
            joints=tuple(row.joint for row in rows if self.robot.urdf.joint(row.joint) is not None)
        )

    def _current(self) -> GroupState | None:
        state: GroupState | None = self.view.last_chosen
        return state

    def _store(self, name: str, group: str) -> bool:
        if any((s.name, s.group) == (name, group) for s in self.srdf.states):
            self.tell(
                f"{group} already has a state {name}. Use another name, or select it and click "
                "“Store pose here”."
            )
            return False
        joints = planned_joint_names(self.srdf, self.robot.urdf, group)
        # Joints that follow others are no choice of a posture.
        free = set(self.session.tree.independent)
        stored = tuple(j for j in joints if j in free)
        if not self.execute(StoreState.of_pose(name, group, stored, self.session.pose)):
            return False
        self.view.select_row(len(self.srdf.states) - 1)
        return True

    def _store_again(self) -> None:
        state = self._current()
        if state is not None:
            # The joints that it has, so that its meaning stays; of an empty state, all joints of
            # the group.
            joints = tuple(state.positions) or planned_joint_names(
                self.srdf, self.robot.urdf, state.group
            )
            self.execute(StoreState.of_pose(state.name, state.group, joints, self.session.pose))

    def _rename(self, cells: list[tuple[GroupState, str]]) -> Change:
        state, name = cells[0]
        if not str(name).strip():
            raise CannotApply("A state needs a name.")
        if any(
            (s.name, s.group) == (name, state.group) for s in self.srdf.states if s is not state
        ):
            raise CannotApply(f"{state.group} already has a state {name}.")
        states = tuple(replace(s, name=name) if s is state else s for s in self.srdf.states)
        return SetSrdf(replace(self.srdf, states=states), f"Rename state to {name}")

    def _positions(self, state: GroupState) -> str:
        lines = []
        for joint, values in state.positions.items():
            quantity = quantity_of_joint(self.robot, joint)
            lines.append(
                f"{joint}: {', '.join(quantity.described(v, self.session.display) for v in values)}"
            )
        return "\n".join(lines)


def _numbers(value: float | str) -> tuple[float, ...]:
    """One number, or several with blanks between them. Raises CannotApply."""
    if not isinstance(value, str):
        return (float(value),)
    try:
        numbers = tuple(float(piece) for piece in value.split())
    except ValueError:
        raise CannotApply(f"{value!r}: enter numbers separated by spaces.") from None
    if not numbers:
        raise CannotApply("Enter a number, or press Delete to remove the joint.")
    return numbers


#: What stands for "none" where a name can be chosen.
NONE = "none"
_EDIT = "Edit end effector {name}"


class ToolsPanel(SrdfPanel):
    """A row per point, the pose of the chosen one below.

    A rotation that stands as a quaternion becomes roll, pitch, yaw when it is edited.
    """

    purpose = "Tool centre points of Tesseract: named poses at the tip of a group."

    def build(self) -> None:
        name = Text("Tool", "name", title="Rename tool centre point to {value}")
        group = ChoiceField("Group", "group", group_names, title="Move {name} to {value}")
        columns: list[Column[ToolCenterPoint]] = [
            field_column(name, _target, note=lambda t: f"of {t.group}", stretch=True),
            field_column(group, _target, robot=lambda: self.robot),
        ]
        self.view = self.table(
            "Tool centre points",
            columns,
            lambda robot: self.srdf.tcps,
            delete=self._delete,
            chosen=self._selection,
            feature=_tool_feature,
            leads=True,
        )
        self.go_to = tool_button(
            "corners-out", "Go to", tip="Zoom to the selected tool in the 3D view", run=self.look_at
        )
        self.shown = compact(QCheckBox("Shown in the 3D view"))
        self.shown.toggled.connect(lambda on: self.session.set_display(tools=on))
        self.add = tool_button("plus", "Add", name="Add tool centre point")
        needs = "A tool centre point needs a name and a group."
        entries = (
            NewItemField("Name of a new tool centre point", "New tool…", missing=needs),
            NewItemField(
                "Group of the new tool centre point",
                "Group…",
                "group",
                group_names,
                needs,
                stays=True,
                starts=True,
            ),
        )
        self.name, self.group = self.entries(entries, self._add, self.add)
        self.under(self.view, row_of(self.name, self.group, self.add))
        self.title = self.put(heading(""))
        Form(
            self,
            (
                Number("", "xyz", LENGTH, "xyz", name="Position", named=True),
                Number("", "rpy", ANGLE, ("roll", "pitch", "yaw"), named=True),
            ),
            lambda: _target(self._chosen) if self._chosen is not None else None,
            title="Set tool centre point {name}",
        )
        self.put(row_of(self.shown, self.go_to))
        self.put(muted_label("Relative to the tip of the group. Only Tesseract reads them."))

    def update_view(self, robot: RobotDescription) -> None:
        self.shown.setChecked(self.session.display.tools)
        self.go_to.setEnabled(bool(self.view.selected_rows()))
        tool = self._chosen
        self.title.setVisible(tool is not None)
        if tool is not None:
            tip = group_tip(self.srdf, robot.urdf, tool.group)
            self.title.setText(f"Pose of {tool.name} on {tip}" if tip else f"Pose of {tool.name}")

    @property
    def _chosen(self) -> ToolCenterPoint | None:
        tool: ToolCenterPoint | None = self.view.last_chosen
        return tool

    def look_at(self) -> None:
        """The camera goes to the chosen tool."""
        self.session.select(self._selection(self.view.chosen))
        placed = {p.feature: p for p in list_features(self.robot)}
        lost = [
            f.name for f in self.session.selection.features if f in placed and not placed[f].link
        ]
        if lost:
            self.tell(f"{lost[0]}: its group has no tip.")
            return
        self.session.fit_requested.emit()

    @staticmethod
    def _selection(tools: list[ToolCenterPoint]) -> Selection:
        return Selection(features=tuple(map(_tool_feature, tools)))

    def _add(self, name: str, group: str) -> bool:
        if any((t.name, t.group) == (name, group) for t in self.srdf.tcps):
            self.tell(f"{group} already has a tool centre point {name}.")
            return False
        tool = ToolCenterPoint(name, group, wxyz=(1.0, 0.0, 0.0, 0.0))
        return self.execute(set_item("srdf.tcps", (name, group), tool))

    def _delete(self, rows: list[ToolCenterPoint]) -> Change:
        kept = tuple(t for t in self.srdf.tcps if all(t is not row for row in rows))
        deleted = (
            f"tool centre point {rows[0].name}"
            if len(rows) == 1
            else f"{len(rows)} tool centre points"
        )
        return SetSrdf(replace(self.srdf, tcps=kept), f"Delete {deleted}")


def _target(tool: ToolCenterPoint) -> OfTool:
    return OfTool(tool.name, tool.group)


def _tool_feature(tool: ToolCenterPoint) -> RobotFeature:
    return RobotFeature(FeatureKind.TCP, tool.name, tool.group)


class EffectorsPanel(SrdfPanel):
    """A row per end effector, every cell of which can be edited."""

    purpose = "Groups that are tools, for example a gripper, and the links that carry them."

    def build(self) -> None:
        def column(row: Field, **looks: Any) -> Column[EndEffector]:
            return field_column(
                row,
                lambda e: OfItem("srdf.end_effectors", e.name),
                robot=lambda: self.robot,
                **looks,
            )

        columns = [
            column(Text("Name", "name", title=_EDIT), stretch=True),
            column(
                ChoiceField("Group", "group", group_names, title=_EDIT), unknown=self.unknown_group
            ),
            column(
                ChoiceField("On link", "parent_link", list_link_names, title=_EDIT),
                unknown=self.unknown_link,
                stretch=True,
            ),
            column(
                ChoiceField("Of group", "parent_group", group_names, none=NONE, title=_EDIT),
                problem=lambda e: self.unknown_group(e.parent_group) if e.parent_group else None,
                note=lambda e: "The group that carries it. If empty, MoveIt finds it by the link.",
            ),
        ]
        self.view = self.list_table(
            "srdf.end_effectors",
            "End effectors",
            columns,
            chosen=lambda rows: Selection(features=tuple(map(_effector_feature, rows))),
            feature=_effector_feature,
        )
        self.adder(
            self.view, "Add end effector", "group", self._free, self._add, "Group of the effector…"
        )
        self.put(muted_label("Choose a group and the link that carries it."))

    def _free(self, robot: RobotDescription) -> list[str]:
        taken = {e.group for e in self.srdf.end_effectors}
        return [name for name in group_names(robot) if name not in taken]

    def _add(self, group: str) -> Change:
        """What the group's uppermost link hangs on carries it."""
        urdf, srdf_group = self.robot.urdf, self.srdf.group(group)
        parent = group_base(self.srdf, urdf, group)
        if srdf_group is None or not srdf_group.chains:
            carrier = urdf.joint_to(parent) if parent is not None else None
            parent = carrier.parent if carrier is not None else parent
        name = find_free_name(group, {e.name for e in self.srdf.end_effectors})
        return InsertItem(
            "srdf.end_effectors", EndEffector(name, parent or urdf.links[0].name, group)
        )


def _effector_feature(effector: EndEffector) -> RobotFeature:
    return RobotFeature(FeatureKind.END_EFFECTOR, effector.name)
