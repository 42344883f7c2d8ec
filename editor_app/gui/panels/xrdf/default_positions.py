"""Default joint positions: one row per joint that can have one, also where the file leaves it to the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from PySide6.QtWidgets import QPushButton

from editor_app.edit import commands
from editor_app.gui.bindings.number_field import Origin
from editor_app.gui.bindings.panel import Panel, muted_label, row_of
from editor_app.gui.bindings.quantity import Quantity
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.xrdf.frames import free_joints, quantity_of_joint, unknown_joint
from editor_app.gui.session import Hover, Session
from editor_app.gui.widgets import dress, icon
from editor_app.kinematics.tree import default_positions
from editor_app.model.change import Change
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.guesses import NO_GUESSES, Guesses
from editor_app.model.pose import EMPTY_POSE
from editor_app.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class JointPlace:
    """A joint and where it stands by default (rad or m)."""

    joint: str
    position: float
    quantity: Quantity
    limits: tuple[float | None, float | None]
    origin: Origin = Origin.FILE
    locked: bool = False

    @classmethod
    def of(cls, session: Session, robot: RobotDescription, name: str, position: float, *more: Any) -> JointPlace:
        """`more`: its origin, and whether it is locked."""
        joint = session.tree.joint(name) if session.tree is not None and robot.urdf.joint(name) is not None else None
        span = joint.limits if joint is not None and joint.limits is not None else (None, None)
        return cls(name, position, quantity_of_joint(robot, name), span, *more)

    def problem(self) -> str | None:
        lower, upper = self.limits
        outside = (lower is not None and self.position < lower) or (upper is not None and self.position > upper)
        return f"{self.joint} is outside its limits." if outside else None


def position_column(**looks: Any) -> Column[JointPlace]:
    """Default positions that can be edited, also where the file leaves them to the default."""

    def write(cells: list[tuple[JointPlace, float]]) -> Change:
        return commands.SetDefaultPositions(FrozenDict({row.joint: value for row, value in cells}))

    quantity, limits = attrgetter("quantity"), attrgetter("limits")
    return Column("Position", attrgetter("position"), write=write, quantity=quantity, limits=limits, **looks)


class DefaultPositionsPanel(Panel):
    section = "default_joint_positions"
    purpose = (
        "Where the joints stand by default, and where those outside the c-space are locked. Without it, "
        "every joint stands at 0, or at the limit next to it."
    )
    add_text = "Add default joint positions"

    def build(self) -> None:
        columns: list[Column[JointPlace]] = [
            Column("Joint", lambda r: r.joint, problem=lambda r: unknown_joint(self.session, r.joint), stretch=True),
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
        self.adder(self.view, "Add default position", "joint", self._free, self._add, "Joint to add…")
        self.guessed = self.put(muted_label(""))
        take, session = QPushButton(icon("person-simple"), "Take the present pose"), self.session
        tip = "Make the pose that the robot has in the view the default"
        self.take = dress(take, tip=tip, run=lambda: self.execute(commands.SetDefaultsFromPose(session.pose)))
        tip = "Move the robot to its default position"
        self.show_pose = dress(QPushButton("Show"), tip=tip, run=lambda: session.go_to(EMPTY_POSE))
        self.put(row_of(self.take, self.show_pose))

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        return robot.xrdf.default_joint_positions, robot.xrdf.cspace, robot.urdf

    def update_view(self, robot: RobotDescription) -> None:
        number = sum(row.origin is Origin.GUESSED for row in self.view.rows_model.rows)
        self.guessed.setVisible(number > 0)
        self.guessed.setText(f"{counted(number, 'position')} guessed. Take a pose, or type where motion begins.")

    def add_change(self, robot: RobotDescription) -> Change:
        section = commands.AddSection("default_joint_positions")
        return commands.AllOf((section, commands.SetDefaultsFromPose(self._defaults(robot))), section.label)

    def _defaults(self, robot: RobotDescription) -> FrozenDict[str, float]:
        tree = self.session.tree
        return default_positions(tree, robot.xrdf) if tree is not None else EMPTY_POSE

    def _rows(self, robot: RobotDescription) -> list[JointPlace]:
        given = robot.xrdf.default_joint_positions or FrozenDict()
        defaults = self._defaults(robot)
        names = [*free_joints(self.session), *(j for j in given if j not in free_joints(self.session))]
        guesses = self.session.document.guesses if self.session.document is not None else NO_GUESSES
        cspace = robot.xrdf.cspace
        controlled = set((cspace.joint_names if cspace is not None else None) or names)
        rows = []
        for name in names:
            origin = self._origin(name, given, guesses)
            position = given[name] if name in given else defaults.get(name, 0.0)
            rows.append(JointPlace.of(self.session, robot, name, position, origin, name not in controlled))
        return rows

    @staticmethod
    def _origin(name: str, given: FrozenDict[str, float], guesses: Guesses) -> Origin:
        if name not in given:
            return Origin.DEFAULT
        return Origin.GUESSED if guesses.is_position(name, given[name]) else Origin.FILE

    def _free(self, robot: RobotDescription) -> list[str]:
        return [j for j in free_joints(self.session) if j not in (robot.xrdf.default_joint_positions or ())]

    def _add(self, joint: str) -> Change:
        return commands.SetDefaultPositions(FrozenDict({joint: self._defaults(self.robot).get(joint, 0.0)}))

    def _delete(self, rows: list[JointPlace]) -> Change | None:
        written = tuple(row.joint for row in rows if row.origin is not Origin.DEFAULT)
        if not written:
            self.tell("These joints stand at the default already: there is nothing in the file to delete.")
            return None
        return commands.DeleteDefaultPositions(written)
