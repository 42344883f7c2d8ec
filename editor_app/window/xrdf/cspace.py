"""Joints of the XRDF: the c-space, with acceleration and jerk limits, and the default positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtWidgets import QPushButton

from editor_app.core.document import commands
from editor_app.core.document.commands.cspace import LimitKind
from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import PLACEHOLDERS, POSITIONS
from editor_app.core.model.pose import EMPTY_POSE
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import CSpace
from editor_app.core.space.kinematics.tree import get_default_positions
from editor_app.core.verbs.link_roles import control_joint
from editor_app.window.bindings.forms import Form, Number
from editor_app.window.bindings.number_field import NumberSource
from editor_app.window.bindings.panel import Panel, muted_label, row_of
from editor_app.window.bindings.quantity import NUMBER, Quantity
from editor_app.window.bindings.rows_model import Column
from editor_app.window.session import Hover, Session
from editor_app.window.widgets import dress, icon
from editor_app.window.xrdf.frames import free_joints, quantity_of_joint, unknown_joint


@dataclass(frozen=True, slots=True)
class JointPlace:
    """A joint and where it stands by default (rad or m)."""

    joint: str
    position: float
    quantity: Quantity
    limits: tuple[float | None, float | None]
    origin: NumberSource = NumberSource.FILE
    locked: bool = False

    @classmethod
    def of(
        cls, session: Session, robot: RobotDescription, name: str, position: float, *more: Any
    ) -> JointPlace:
        """`more`: its origin, and whether it is locked."""
        joint = session.tree.joint(name) if robot.urdf.joint(name) is not None else None
        limits = (
            joint.limits
            if joint is not None and joint.limits is not None
            else (-math.inf, math.inf)
        )
        lower, upper = (limit if math.isfinite(limit) else None for limit in limits)
        return cls(name, position, quantity_of_joint(robot, name), (lower, upper), *more)

    def problem(self) -> str | None:
        lower, upper = self.limits
        outside = (lower is not None and self.position < lower) or (
            upper is not None and self.position > upper
        )
        return f"{self.joint} is outside its limits." if outside else None


def position_column(**looks: Any) -> Column[JointPlace]:
    """Default positions that can be edited, also where the file leaves them to the default."""

    def write(cells: list[tuple[JointPlace, float]]) -> Change:
        return commands.SetItems(
            "xrdf.default_joint_positions", FrozenDict({row.joint: value for row, value in cells})
        )

    quantity, limits = attrgetter("quantity"), attrgetter("limits")
    return Column(
        "Position", attrgetter("position"), write=write, quantity=quantity, limits=limits, **looks
    )


class DefaultPositionsPanel(Panel):
    section = "default_joint_positions"
    purpose = (
        "Default position of each joint; joints outside the c-space are locked there. Joints "
        "without one use 0, "
        "or the nearest limit."
    )
    add_text = "Add default joint positions"
    shows = "xrdf.default_joint_positions xrdf.cspace urdf"
    guess_keys = (POSITIONS,)

    def build(self) -> None:
        columns: list[Column[JointPlace]] = [
            Column("Joint", "joint", unknown=partial(unknown_joint, self.session), stretch=True),
            position_column(origin=lambda row: row.origin, problem=JointPlace.problem),
            # A joint outside the c-space stays where it is.
            Column("", lambda row: "locked" if row.locked else ""),
        ]
        self.view = self.table(
            "Default joint positions",
            columns,
            self._rows,
            delete=self._delete,
            hovered=lambda row: Hover(joint=row.joint),
        )
        self.adder(
            self.view, "Add default position", "joint", self._free, self._add, "Joint to add…"
        )
        take, session = QPushButton(icon("person-simple"), "Use current pose"), self.session
        tip = "Use the pose in the view as the default"
        self.take = dress(
            take, tip=tip, run=lambda: self.execute(commands.SetDefaultsFromPose(session.pose))
        )
        tip = "Move the robot to the default position"
        self.show_pose = dress(QPushButton("Show"), tip=tip, run=lambda: session.go_to(EMPTY_POSE))
        self.put(row_of(self.take, self.show_pose))

    def add_change(self, robot: RobotDescription) -> Change:
        section = commands.AddSection("default_joint_positions")
        return commands.AllOf(
            (section, commands.SetDefaultsFromPose(self._defaults(robot))), section.label
        )

    def _defaults(self, robot: RobotDescription) -> FrozenDict[str, float]:
        return get_default_positions(self.session.tree, robot.xrdf)

    def _rows(self, robot: RobotDescription) -> list[JointPlace]:
        given = robot.xrdf.default_joint_positions or FrozenDict()
        defaults = self._defaults(robot)
        names = [
            *free_joints(self.session),
            *(j for j in given if j not in free_joints(self.session)),
        ]
        guessed = self.session.document.guesses.joints(POSITIONS)
        controlled = set(robot.xrdf.controlled or names)
        rows = []
        for name in names:
            origin, position = NumberSource.DEFAULT, defaults.get(name, 0.0)
            if name in given:
                position = given[name]
                origin = NumberSource.GUESSED if name in guessed else NumberSource.FILE
            rows.append(
                JointPlace.of(self.session, robot, name, position, origin, name not in controlled)
            )
        return rows

    def _free(self, robot: RobotDescription) -> list[str]:
        return [
            j
            for j in free_joints(self.session)
            if j not in (robot.xrdf.default_joint_positions or ())
        ]

    def _add(self, joint: str) -> Change:
        return commands.set_item(
            "xrdf.default_joint_positions", joint, self._defaults(self.robot).get(joint, 0.0)
        )

    def _delete(self, rows: list[JointPlace]) -> Change | None:
        written = tuple(row.joint for row in rows if row.origin is not NumberSource.DEFAULT)
        if not written:
            self.tell("These joints have no default position in the file.")
            return None
        return commands.RemoveItems("xrdf.default_joint_positions", written)


_PER: dict[LimitKind, str] = {"acceleration": "/s²", "jerk": "/s³"}


@dataclass(frozen=True, slots=True)
class _Row:
    index: int
    joint: str
    acceleration: float | None
    jerk: float | None
    quantities: dict[LimitKind, Quantity]


@dataclass(frozen=True, slots=True)
class _OfAll:
    """The limits of one kind: the `common` one where all joints have the same, and `each`."""

    common: float | None
    each: tuple[float, ...]
    quantity: Quantity
    note: str

    @classmethod
    def of(cls, values: Sequence[float], quantities: set[Quantity], joints: int) -> _OfAll:
        different = set(values[:joints])
        return cls(
            different.pop() if len(different) == 1 and len(values) >= joints else None,
            # Joints that lack a limit have nothing to change.
            tuple(values) if len(values) == joints else (),
            quantities.pop() if len(quantities) == 1 else NUMBER,
            "Revolute and prismatic joints: rad and m." if len(quantities) > 1 else "",
        )


class CSpacePanel(Panel):
    section = "cspace"
    purpose = "Joints that the planner controls, in this order, with acceleration and jerk limits."
    add_text = "Add the c-space with all movable joints"
    shows = "xrdf.cspace xrdf.default_joint_positions urdf"
    guess_keys = ("cspace", *PLACEHOLDERS)

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column(
                "Joint",
                "joint",
                unknown=partial(unknown_joint, self.session),
                origin=lambda _: self._origin("cspace", ""),
                stretch=True,
            ),
            self._limit_column("Accel.", "acceleration", lambda row: row.acceleration),
            self._limit_column("Jerk", "jerk", lambda row: row.jerk),
        ]
        self.view = self.table(
            "Joints of the c-space",
            columns,
            self._rows,
            move=commands.MoveJoint,
            delete=lambda rows: commands.RemoveJoints(tuple(row.index for row in rows)),
            hovered=lambda row: Hover(joint=row.joint),
        )
        self.adder(
            self.view, "Add joint to the c-space", "joint", self._free, self._add, "Joint to add…"
        )
        rows = (
            self._row_of_all("Set all accelerations", "acceleration"),
            self._row_of_all("Set all jerks", "jerk"),
        )
        fields = Form(self, rows, lambda: None, thing=self._limits_of_all).fields
        self.all_acceleration, self.all_jerk = fields["acceleration.common"], fields["jerk.common"]
        self.uneven = muted_label("")
        self.complete = dress(
            QPushButton("Complete limits"), run=lambda: self.execute(commands.MatchLimits())
        )
        self._uneven_row = self.put(row_of(self.uneven, self.complete))
        self.locked = self.put(
            muted_label("Locked joints (outside the c-space) keep their default position")
        )
        self.locked_view = self.table(
            "Locked joints",
            [Column("Joint", "joint", stretch=True), position_column()],
            self._locked,
        )

    def add_change(self, robot: RobotDescription) -> Change:
        return commands.AddCSpace(free_joints(self.session))

    def update_view(self, robot: RobotDescription) -> None:
        cspace = robot.xrdf.cspace
        if cspace is None:
            return
        counts = [
            len(x or ())
            for x in (cspace.joint_names, cspace.acceleration_limits, cspace.jerk_limits)
        ]
        self._uneven_row.setVisible(len(set(counts)) > 1)
        self.uneven.setText("{} joints, but {} accelerations and {} jerks.".format(*counts))
        locked = bool(self.locked_view.rows_model.items)
        self.locked.setVisible(locked)
        self.locked_view.setVisible(locked)

    def _limit_column(
        self, title: str, kind: LimitKind, read: Callable[[_Row], float | None]
    ) -> Column[_Row]:
        return Column(
            title,
            read,
            write=lambda cells: commands.SetLimits(
                kind, tuple((row.index, value) for row, value in cells)
            ),
            quantity=lambda row: row.quantities[kind],
            limits=lambda row: (0.0, None),
            origin=lambda row: self._origin(f"{kind}_limits", row.joint),
            problem=lambda row: f"{row.joint} has no {kind} limit." if read(row) is None else None,
        )

    def _origin(self, key: str, joint: str) -> NumberSource:
        return (
            NumberSource.GUESSED
            if (key, joint) in self.session.document.guesses.parts
            else NumberSource.FILE
        )

    def _row_of_all(self, label: str, kind: LimitKind) -> Number:
        return Number(
            label,
            f"{kind}.common",
            lambda limits: limits[kind].quantity,
            name=f"{kind} of all joints",
            note=lambda limits: limits[kind].note,
            limits=(0.0, None),
            several=lambda limits: limits[kind].each,
            empty="mixed",
            write=lambda value: commands.SetAllLimits(kind, value),
            write_each=lambda values: commands.SetLimits(kind, tuple(enumerate(values))),
        )

    def _limits_of_all(self) -> FrozenDict[str, _OfAll] | None:
        cspace = self.robot.xrdf.cspace
        if cspace is None:
            return None
        names, limits = (
            cspace.joint_names or (),
            (cspace.acceleration_limits or (), cspace.jerk_limits or ()),
        )
        of_all: dict[str, _OfAll] = {
            kind: _OfAll.of(
                values, {quantity_of_joint(self.robot, name, per) for name in names}, len(names)
            )
            for (kind, per), values in zip(_PER.items(), limits, strict=True)
        }
        return FrozenDict(of_all)

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        cspace = robot.xrdf.cspace or CSpace()
        return [
            _Row(
                i,
                name,
                get_field(cspace.acceleration_limits, (i,)),
                get_field(cspace.jerk_limits, (i,)),
                {kind: quantity_of_joint(robot, name, per) for kind, per in _PER.items()},
            )
            for i, name in enumerate(cspace.joint_names or ())
        ]

    def _free(self, robot: RobotDescription) -> list[str]:
        taken = (robot.xrdf.cspace or CSpace()).joint_names or ()
        return [joint for joint in free_joints(self.session) if joint not in taken]

    def _add(self, joint: str) -> Change:
        return control_joint(self.robot, joint)

    def _locked(self, robot: RobotDescription) -> list[JointPlace]:
        cspace, tree = robot.xrdf.cspace, self.session.tree
        if cspace is None:
            return []
        positions = get_default_positions(tree, robot.xrdf)
        return [
            JointPlace.of(self.session, robot, name, positions.get(name, 0.0))
            for name in self._free(robot)
        ]
