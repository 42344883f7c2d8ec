"""The c-space: controlled joints in their order, with acceleration and jerk limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QPushButton

from editor_app.edit.commands import (
    AddCSpace,
    MatchLimits,
    MoveJoint,
    RemoveJoints,
    SetAllLimits,
    SetDefaultPositions,
    SetLimits,
)
from editor_app.edit.commands.cspace import LimitKind
from editor_app.gui.bindings.number_field import NumberField, Origin, ScrubLabel
from editor_app.gui.bindings.panel import Panel, Reading, muted_label, row_of
from editor_app.gui.bindings.quantity import NUMBER, Quantity
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.xrdf.frames import free_joints, quantity_of_joint, unknown_joint
from editor_app.gui.session import Hover
from editor_app.model.change import Change
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.operations.link_roles import control_joint

_PER: dict[LimitKind, str] = {"acceleration": "/s²", "jerk": "/s³"}


@dataclass(frozen=True, slots=True)
class _Row:
    index: int
    joint: str
    acceleration: float | None
    jerk: float | None
    quantities: dict[LimitKind, Quantity]


@dataclass(frozen=True, slots=True)
class _Locked:
    """A joint outside the c-space, and where it stays (rad or m)."""

    joint: str
    position: float
    quantity: Quantity
    limits: tuple[float | None, float | None]


class CSpacePanel(Panel):
    section = "cspace"
    purpose = "The joints that motion generation controls, in this order, and how hard it may accelerate them."
    add_text = "Add the c-space with all movable joints"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Joint", lambda r: r.joint, problem=lambda r: unknown_joint(self.session, r.joint), stretch=True),
            self._limit_column("Acceleration", "acceleration", lambda row: row.acceleration),
            self._limit_column("Jerk", "jerk", lambda row: row.jerk),
        ]
        self.view = self.table(
            "Joints of the c-space",
            columns,
            self._rows,
            move=MoveJoint,
            delete=lambda rows: RemoveJoints(tuple(row.index for row in rows)),
        )
        self.view.row_hovered.connect(self._hover)
        self.body.addWidget(self.view)
        adder = self.adder("Add joint to the c-space", "joint", self._free, self._add, "Joint to add…")
        self.body.addWidget(self.under(self.view, adder))
        self.all_acceleration = self._all_field("acceleration")
        self.all_jerk = self._all_field("jerk")
        form = self.form()
        form.addRow(ScrubLabel("All accelerations", self.all_acceleration), self.all_acceleration)
        form.addRow(ScrubLabel("All jerks", self.all_jerk), self.all_jerk)
        self.uneven = muted_label("")
        self.complete = QPushButton("Complete the limits")
        self.complete.clicked.connect(lambda: self.execute(MatchLimits()))
        self._uneven_row = row_of(self.uneven, self.complete)
        self.body.addWidget(self._uneven_row)
        self.locked = muted_label("Locked: outside the c-space, they stay at their default position")
        self.body.addWidget(self.locked)
        self.locked_view = self.table(
            "Locked joints",
            [
                Column("Joint", lambda row: row.joint, stretch=True),
                Column(
                    "Position",
                    lambda row: row.position,
                    write=lambda cells: SetDefaultPositions(FrozenDict({row.joint: value for row, value in cells})),
                    quantity=lambda row: row.quantity,
                    limits=lambda row: row.limits,
                ),
            ],
            self._locked,
        )
        self.body.addWidget(self.locked_view)

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        return robot.xrdf.cspace, robot.xrdf.default_joint_positions, robot.urdf

    def add_change(self, robot: RobotDescription) -> Change:
        return AddCSpace(free_joints(self.session))

    def update_view(self, robot: RobotDescription) -> None:
        cspace = robot.xrdf.cspace
        if cspace is None:
            return
        counts = [len(x or ()) for x in (cspace.joint_names, cspace.acceleration_limits, cspace.jerk_limits)]
        self._uneven_row.setVisible(len(set(counts)) > 1)
        self.uneven.setText("{} joints, but {} accelerations and {} jerks.".format(*counts))
        locked = bool(self.locked_view.rows_model.rows)
        self.locked.setVisible(locked)
        self.locked_view.setVisible(locked)

    def _limit_column(self, title: str, kind: LimitKind, read: Callable[[_Row], float | None]) -> Column[_Row]:
        return Column(
            title,
            read,
            write=lambda cells: SetLimits(kind, tuple((row.index, value) for row, value in cells)),
            quantity=lambda row: row.quantities[kind],
            limits=lambda row: (0.0, None),
            origin=lambda row: Origin.GUESSED if self._is_guessed(kind, row.joint, read(row)) else Origin.FILE,
            problem=lambda row: f"{row.joint} has no {kind} limit." if read(row) is None else None,
        )

    def _is_guessed(self, kind: LimitKind, joint: str, value: float | None) -> bool:
        document, robot = self.session.document, self.session.robot
        if document is None or robot is None:
            return False
        return document.guesses.is_limit(kind, value, robot.urdf.joint(joint))

    def _all_field(self, kind: LimitKind) -> NumberField:
        def read(robot: RobotDescription) -> Reading:
            cspace = robot.xrdf.cspace
            names = (cspace.joint_names or ()) if cspace else ()
            values = (
                ((cspace.acceleration_limits if kind == "acceleration" else cspace.jerk_limits) or ()) if cspace else ()
            )
            quantities = {quantity_of_joint(robot, name, _PER[kind]) for name in names}
            one = set(values[: len(names)])
            value = one.pop() if len(one) == 1 and len(values) >= len(names) else None
            mixed = "Turning and sliding joints: rad and m." if len(quantities) > 1 else ""
            quantity = quantities.pop() if len(quantities) == 1 else NUMBER
            # Joints that lack a limit have nothing to change.
            each = tuple(values) if len(values) == len(names) else ()
            return Reading(value, note=mixed, empty="several", quantity=quantity, limits=(0.0, None), several=each)

        return self.number_field(
            f"{kind} of all joints",
            NUMBER,
            read,
            lambda value: SetAllLimits(kind, value),
            lambda values: SetLimits(kind, tuple(enumerate(values))),
        )

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        cspace = robot.xrdf.cspace
        names = (cspace.joint_names or ()) if cspace is not None else ()
        accelerations = (cspace.acceleration_limits or ()) if cspace is not None else ()
        jerks = (cspace.jerk_limits or ()) if cspace is not None else ()
        return [
            _Row(
                i,
                name,
                accelerations[i] if i < len(accelerations) else None,
                jerks[i] if i < len(jerks) else None,
                {kind: quantity_of_joint(robot, name, per) for kind, per in _PER.items()},
            )
            for i, name in enumerate(names)
        ]

    def _free(self, robot: RobotDescription) -> list[str]:
        taken = (robot.xrdf.cspace.joint_names or ()) if robot.xrdf.cspace is not None else ()
        return [joint for joint in free_joints(self.session) if joint not in taken]

    def _add(self, joint: str) -> Change:
        robot = self.session.robot
        assert robot is not None
        return control_joint(robot, joint)

    def _locked(self, robot: RobotDescription) -> list[_Locked]:
        from editor_app.kinematics.tree import default_positions

        cspace, tree = robot.xrdf.cspace, self.session.tree
        if cspace is None or tree is None:
            return []
        positions = default_positions(tree, robot.xrdf)
        rows = []
        for name in self._free(robot):
            joint = tree.joint(name)
            span = joint.limits if joint is not None and joint.limits is not None else (None, None)
            rows.append(_Locked(name, positions.get(name, 0.0), quantity_of_joint(robot, name), span))
        return rows

    def _hover(self, row: int) -> None:
        rows = self.view.rows_model.rows
        self.session.set_hover(Hover(joint=rows[row].joint) if 0 <= row < len(rows) else Hover())
