"""Results of the planner: smoke tests side by side, and what the model costs; a click shows a pose."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTabBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.edit.selection import Selection
from editor_app.gui.motion.controller import MotionController
from editor_app.gui.motion.smoke_table import LINKS, SmokeTable
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.widgets import dress, fill
from editor_app.model.pose import Pose

_POSE = Qt.ItemDataRole.UserRole
_HINT = "“Smoke test” plans between random free poses. “Cost” compares spheres and mask with the meshes."


class ResultsBox(QWidget):
    """A sentence about the last thing that was tried, smoke tests in columns, and a tree of what the model costs."""

    def __init__(self, controller: MotionController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.sentence = dress(PlainLabel("", self), wrap=True)
        self.tree = dress(QTreeWidget(self), name="Results")
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels(["", "Share"])
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemClicked.connect(self._show)
        layout = fill(QVBoxLayout(self), margins=2, spacing=2)
        self.tests = SmokeTable(self)
        self.tests.itemClicked.connect(self._show)
        self.pages = QStackedWidget(self)
        self.pages.addWidget(self.tests)
        self.pages.addWidget(self.tree)
        self.bar = QTabBar(self)
        self.bar.setDrawBase(False)
        self.bar.addTab("Smoke tests")
        self.bar.addTab("Cost")
        self.bar.currentChanged.connect(self.pages.setCurrentIndex)
        head = fill(QHBoxLayout(), (self.sentence, 1), self.bar)
        layout.addLayout(head)
        layout.addWidget(self.pages, 1)
        self.hint = dress(PlainLabel(_HINT, self), look="muted", align=Qt.AlignmentFlag.AlignCenter, wrap=True)
        layout.addWidget(self.hint, 1)
        # Keeps the sentence at the top while there is no table.
        layout.addStretch()
        self._seen: tuple[object, object] = (None, None)
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
        self.tests.show_tests(self._controller.tests)
        self.tree.clear()
        self._add_cost()
        tests, cost = self._controller.tests, self._controller.cost
        newest = (tests[-1] if tests else None, cost)
        if newest[0] is not self._seen[0]:
            self.bar.setCurrentIndex(0)
        elif newest[1] is not self._seen[1]:
            self.bar.setCurrentIndex(1)
        self._seen = newest
        self.bar.setVisible(bool(tests) and cost is not None)
        # An empty table says less than the sentence above it.
        self.pages.setVisible(bool(tests) or cost is not None)
        self.hint.setVisible(not (sentence or tests or cost is not None))
        if not tests:
            self.bar.setCurrentIndex(1)

    def _add_cost(self) -> None:
        cost = self._controller.cost
        if cost is None:
            return
        wrong = self._row("Accepted though meshes touch", str(cost.wrong))
        for entry in cost.hidden[:20]:
            why = "ignored" if entry.masked else "no spheres" if entry.without_spheres else "too thin"
            text = f"{entry.names[0]} – {entry.names[1]} ({why})"
            self._row(text, _share(entry.count, cost.wrong.of), wrong, entry.witness, entry.names)
        needless = self._row("Refused though meshes are free", str(cost.needless))
        for fat in cost.too_fat[:20]:
            text = f"{fat.names[0]} – {fat.names[1]} (up to {fat.depth * 1e3:.1f} mm)"
            row = self._row(text, _share(fat.count, cost.needless.of), needless, fat.witness, fat.names)
            for ref, count in fat.spheres:
                sphere = f"sphere {ref.index + 1} of {ref.frame}"
                self._row(sphere, _share(count, cost.needless.of), row, fat.witness, fat.names)
        for item in (wrong, needless):
            item.setExpanded(True)

    def _row(
        self,
        text: str,
        share: str,
        parent: QTreeWidgetItem | None = None,
        pose: Pose | None = None,
        links: tuple[str, str] | None = None,
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem([text, share])
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setData(0, _POSE, pose)
        item.setData(0, LINKS, links)
        if parent is None:
            self.tree.addTopLevelItem(item)
        else:
            parent.addChild(item)
        return item

    def _show(self, item: QTreeWidgetItem, _: int) -> None:
        session, pose, links = self._controller.session, item.data(0, _POSE), item.data(0, LINKS)
        if pose is not None:
            self._controller.player.pause()
            session.set_pose(pose)
        tree = session.tree
        if links is not None and tree is not None:
            session.select(Selection(links=tuple(name for name in links if name in tree.index)))


def _share(count: int, samples: int) -> str:
    return f"{100.0 * count / samples:.2f} %"
