"""Which chain is controlled, chosen in one line: what it leads to, and where it begins."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from editor_app.drafting import ControlRequest
from editor_app.gui.plain_text import PlainLabel
from editor_app.model.change import CannotApply
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf
from editor_app.operations.control import ControlChoice, control_bases, control_choices

_CHARACTERS = 22


class ControlChooser(QWidget):
    """`chosen(ControlRequest)` when the user picks another chain."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._of: tuple[Urdf, Srdf | None] | None = None
        self._choices: tuple[ControlChoice, ...] = ()
        #: What was chosen last, and the sections that it gave; edited otherwise, no choice is shown.
        self._request = ControlRequest()
        self._taken: tuple[object, object] | None = None
        self.control = self._box("What is controlled")
        self.base = self._box("Where the chain begins")
        self.control.activated.connect(self._choose)
        self.base.activated.connect(self._begin_at)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(PlainLabel("Control"))
        row.addWidget(self.control, 2)
        row.addWidget(PlainLabel("from"))
        row.addWidget(self.base, 1)

    @staticmethod
    def _box(name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setPlaceholderText("as edited")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(_CHARACTERS if name.startswith("What") else 12)
        return box

    def show_robot(self, robot: RobotDescription) -> None:
        """Fills the boxes anew for another robot, and shows whether the last choice still holds."""
        if self._of is None or self._of[0] is not robot.urdf or self._of[1] is not robot.srdf:
            self._of = robot.urdf, robot.srdf
            self._request, self._taken = ControlRequest(), None
            with QSignalBlocker(self.base):
                self.base.clear()
                self.base.addItems(list(control_bases(robot.urdf)))
                self.base.setCurrentIndex(0)
            self._fill(None)
        now = robot.xrdf.cspace, robot.xrdf.tool_frames
        if self._taken is None:
            self._taken = now
        holds = now == self._taken
        index = next((i for i, c in enumerate(self._choices) if c.request == self._request), -1) if holds else -1
        with QSignalBlocker(self.control):
            self.control.setCurrentIndex(index)

    def was_taken(self, request: ControlRequest) -> None:
        """The robot is controlled as asked from now on; the next `show_robot` shows its sections."""
        self._request, self._taken = request, None

    def _fill(self, base: str | None) -> bool:
        assert self._of is not None
        try:
            self._choices = control_choices(*self._of, base)
        except CannotApply:
            return False
        with QSignalBlocker(self.control):
            self.control.clear()
            for choice in self._choices:
                self.control.addItem(choice.label)
        return True

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._choices):
            self.chosen.emit(self._choices[index].request)

    def _begin_at(self, index: int) -> None:
        base = None if index <= 0 else self.base.itemText(index)
        if self._fill(base):
            self.chosen.emit(self._choices[0].request)
