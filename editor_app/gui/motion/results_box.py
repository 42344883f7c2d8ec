"""Results of the planner: what was tried last, and smoke tests side by side; a click shows the pair that blocks."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.edit.selection import Selection
from editor_app.gui.motion.controller import MotionController
from editor_app.gui.motion.smoke_table import LINKS, SmokeTable
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.widgets import dress, fill

_HINT = "“Smoke test” plans between random free poses."


class ResultsBox(QWidget):
    """A sentence about the last thing that was tried, and smoke tests in columns."""

    def __init__(self, controller: MotionController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.sentence = dress(PlainLabel("", self), wrap=True)
        self.tests = SmokeTable(self)
        self.tests.itemClicked.connect(self._show)
        self.hint = dress(PlainLabel(_HINT, self), look="muted", align=Qt.AlignmentFlag.AlignCenter, wrap=True)
        layout = fill(QVBoxLayout(self), self.sentence, (self.tests, 1), (self.hint, 1), margins=2, spacing=2)
        # Keeps the sentence at the top while there is no table.
        layout.addStretch()
        controller.result_came.connect(self._take)
        # What was said is about the motion, the scene and the robot of then.
        for signal in (
            controller.player.trajectory_changed,
            controller.scene_changed,
            controller.session.robot_settled,
        ):
            signal.connect(lambda *_: self._take(""))
        self._take("")

    def _take(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        tests = self._controller.tests
        self.tests.show_tests(tests)
        # An empty table says less than the sentence above it.
        self.tests.setVisible(bool(tests))
        self.hint.setVisible(not (sentence or tests))

    def _show(self, item: QTreeWidgetItem, _: int) -> None:
        session, links = self._controller.session, item.data(0, LINKS)
        tree = session.tree
        if links is not None and tree is not None:
            session.select(Selection(links=tuple(name for name in links if name in tree.index)))
