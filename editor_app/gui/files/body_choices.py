"""What simulators let one choose when they read a URDF, offered before a robot is exported."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from editor_app.edit.choices import BodyChoices, no_attaching, no_ignoring, no_merging
from editor_app.edit.commands.urdf_robot import AttachToWorld
from editor_app.gui.bindings.choice_box import ChoiceBox
from editor_app.gui.plain_text import plain
from editor_app.gui.widgets import STRETCH, fill
from editor_app.model.pose import Pose
from editor_app.model.robot import RobotDescription

#: What can be offered, in this order.
WORLD, MERGE, IGNORE, POSITIONS = "world", "merge", "ignore", "positions"


class BodyBoxes(QWidget):
    """Boxes for the choices in `offered`; what cannot be done is greyed and says why."""

    changed = Signal()

    def __init__(
        self, robot: RobotDescription, shown: Pose, offered: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._world = QCheckBox("A&ttach it to a new link", self)
        self._name = QLineEdit(AttachToWorld().world, self)
        self._merge = QCheckBox("&Merge links without inertial into their parents", self)
        self._ignore = QCheckBox("&Ignore collisions of linked bodies", self)
        self._positions = ChoiceBox(self)
        self._name.setAccessibleName("Name of the new link")
        self._name.setFixedWidth(self._name.fontMetrics().averageCharWidth() * 22)
        world = fill(QHBoxLayout(), self._world, self._name, STRETCH)
        fill(QVBoxLayout(self), world, self._merge, self._ignore, margins=0)
        for box, key, reason in (
            (self._world, WORLD, no_attaching(robot)),
            (self._merge, MERGE, no_merging(robot)),
            (self._ignore, IGNORE, no_ignoring(robot)),
        ):
            box.setVisible(key in offered)
            box.setEnabled(reason is None)
            box.setToolTip(plain(reason or ""))
            box.toggled.connect(self._toggled)
        self._name.setVisible(WORLD in offered)
        self._name.setEnabled(False)
        self._name.editingFinished.connect(self._renamed)
        self._told = self.choices()
        self._fill(robot, shown)
        self._positions.setVisible(POSITIONS in offered)
        self._positions.activated.connect(self._tell)

    def add_to(self, form: QFormLayout) -> None:
        """Adds the rows."""
        if any(not box.isHidden() for box in (self._world, self._merge, self._ignore)):
            form.addRow("The robot", self)
        else:
            self.hide()
        if not self._positions.isHidden():
            self._positions.setAccessibleName("Initial joint positions")
            form.addRow("Initial joint positions", self._positions)

    def choices(self) -> BodyChoices:
        """What is chosen."""
        name = self._name.text().strip()
        return BodyChoices(
            (name or AttachToWorld().world) if self._world.isChecked() else None,
            self._merge.isChecked(),
            self._ignore.isChecked(),
            self._positions.currentData() or (),
        )

    def _fill(self, robot: RobotDescription, shown: Pose) -> None:
        movable = {j.name for j in robot.urdf.joints if j.is_movable and j.mimic is None}

        def texts(positions: Sequence[tuple[str, float]]) -> tuple[str, ...]:
            return tuple(f"{name}={value!r}" for name, value in positions if name in movable)

        self._positions.addItem("the defaults of the XRDF", ())
        if now := texts([*shown.items()]):
            self._positions.addItem("as it is shown now", now)
        for state in robot.srdf.states if robot.srdf is not None else ():
            single = [(joint, values[0]) for joint, values in state.positions.items() if len(values) == 1]
            if named := texts(single):
                self._positions.addItem(f"the state {state.name} of {state.group}", named)

    def _toggled(self) -> None:
        self._name.setEnabled(self._world.isChecked())
        self._tell()

    def _renamed(self) -> None:
        if self._world.isChecked():
            self._tell()

    def _tell(self) -> None:
        now = self.choices()
        if now != self._told:
            self._told = now
            self.changed.emit()
