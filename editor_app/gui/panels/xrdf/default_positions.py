"""Default joint positions: one row per joint that can have one, also where the file leaves it to the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QPushButton

from editor_app.edit import commands
from editor_app.gui.bindings.number_field import Origin
from editor_app.gui.bindings.panel import Panel, muted_label, row_of
from editor_app.gui.bindings.quantity import Quantity
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.icons import icon
from editor_app.gui.panels.xrdf.frames import free_joints, quantity_of_joint, unknown_joint
from editor_app.gui.session import Hover
from editor_app.gui.widgets import dress
from editor_app.kinematics.tree import default_positions
from editor_app.model.change import Change
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.guesses import NO_GUESSES, Guesses
from editor_app.model.pose import EMPTY_POSE
from editor_app.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class _Row:
    joint: str
    position: float
    origin: Origin
    quantity: Quantity
    limits: tuple[float | None, float | None]
    locked: bool = False

    def problem(self) -> str | None:
        lower, upper = self.limits
        outside = (lower is not None and self.position < lower) or (upper is not None and self.position > upper)
        return f"{self.joint} is outside its limits." if outside else None


class DefaultPositionsPanel(Panel):
    section = "default_joint_positions"
    purpose = (
        "Where the joints stand by default, and where those outside the c-space are locked. Without it, "
        "every joint stands at 0, or at the limit next to it."
    )
    add_text = "Add default joint positions"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Joint", lambda r: r.joint, problem=lambda r: unknown_joint(self.session, r.joint), stretch=True),
            Column(
                "Position",
                lambda row: row.position,
                write=lambda cells: commands.SetDefaultPositions(
                    FrozenDict({row.joint: value for row, value in cells})
                ),
                quantity=lambda row: row.quantity,
                limits=lambda row: row.limits,
                origin=lambda row: row.origin,
                problem=_Row.problem,
            ),
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

    def _rows(self, robot: RobotDescription) -> list[_Row]:
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
            joint = self.session.tree.joint(name) if self.session.tree is not None else None
            is_limited = joint is not None and robot.urdf.joint(name) is not None
            span = joint.limits if joint is not None and is_limited and joint.limits is not None else (None, None)
            rows.append(_Row(name, position, origin, quantity_of_joint(robot, name), span, name not in controlled))
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

    def _delete(self, rows: list[_Row]) -> Change | None:
        written = tuple(row.joint for row in rows if row.origin is not Origin.DEFAULT)
        if not written:
            self.tell("These joints stand at the default already: there is nothing in the file to delete.")
            return None
        return commands.DeleteDefaultPositions(written)
