"""Which chain is controlled: what it leads to, and where it begins, in one line where there is room for the names."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from editor_app.drafting import ControlRequest
from editor_app.gui.bindings.choice_box import ChoiceBox
from editor_app.gui.widgets import PlainLabel, dress, plain
from editor_app.model.robot import CannotApply, RobotDescription
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf
from editor_app.operations.control import ControlChoice, control_bases, control_choices

#: Pixels that a box keeps in a card that is too narrow for its names even in two rows; its tool tip has them then.
_LEAST = 120
_GAP = 6


class ControlChooser(QWidget):
    """`chosen(ControlRequest)` when the user picks another chain."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._of: tuple[Urdf, Srdf | None] | None = None
        self._choices: tuple[ControlChoice, ...] = ()
        #: What was chosen last, and the sections that it gave; edited otherwise, no choice is shown.
        self._request = ControlRequest()
        self._taken: tuple[object, ...] | None = None
        self.control = self._box("What is controlled")
        self.base = self._box("Where the chain begins")
        self.control.activated.connect(self._choose)
        self.base.activated.connect(self._begin_at)
        self._heads = PlainLabel("Control"), PlainLabel("from")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._rows = 0
        self._lay_out(1)

    def arrange(self, room: int) -> None:
        """In one row where `room` pixels hold both names, else in two."""
        widgets = (*self._heads, self.control, self.base)
        self._lay_out(1 if sum(w.sizeHint().width() for w in widgets) + 3 * _GAP <= room else 2)

    def _lay_out(self, rows: int) -> None:
        if rows == self._rows:
            return
        self._rows = rows
        for number, (head, box) in enumerate(zip(self._heads, (self.control, self.base), strict=True)):
            row, column = (0, 2 * number) if rows == 1 else (number, 0)
            self._grid.addWidget(head, row, column)
            self._grid.addWidget(box, row, column + 1)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1 if rows == 1 else 0)
        # What the size is asked of at once must not be that of the rows before.
        self._grid.activate()

    @staticmethod
    def _box(name: str) -> ChoiceBox:
        box = dress(ChoiceBox(), name=name, hint="as edited")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMinimumWidth(_LEAST)
        box.currentTextChanged.connect(lambda text: box.setToolTip(plain(text)))
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
            # A robot that was built or edited is not controlled as a guess of now would do it.
            if not self._fill(None) or not self._choices[0].is_that_of(robot):
                self._taken = ()
        now = robot.xrdf.cspace, robot.xrdf.tool_frames
        if self._taken is None:
            self._taken = now
        holds = now == self._taken
        index = next((i for i, c in enumerate(self._choices) if c.request == self._request), -1) if holds else -1
        with QSignalBlocker(self.control):
            self.control.setCurrentIndex(index)
        # No choice of the list: what is controlled stands there all the same.
        self.control.setPlaceholderText(f"{_controlled(robot)}, as edited")

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


def _controlled(robot: RobotDescription) -> str:
    """As the choices call it: "7 joints to panda_hand"."""
    cspace, tools = robot.xrdf.cspace, robot.xrdf.tool_frames or ()
    joints = len((cspace.joint_names if cspace is not None else None) or ())
    towards = f" to {', '.join(tools[:2])}{f' and {len(tools) - 2} more' if len(tools) > 2 else ''}" if tools else ""
    return f"{joints or 'no'} joint{'' if joints == 1 else 's'}{towards}"
