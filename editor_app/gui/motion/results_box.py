"""Results of the planner: what was tried last, and smoke tests side by side; a click shows the pair that blocks."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.edit.selection import Selection
from editor_app.gui.bindings.quantity import with_minus
from editor_app.gui.motion.controller import MotionController
from editor_app.gui.theme import tabular_font
from editor_app.gui.widgets import PlainLabel, dress, fill, plain
from editor_app.operations.plan import SmokeTest

_LINKS = Qt.ItemDataRole.UserRole + 1
_NUMBER = Qt.ItemDataRole.UserRole + 2
_PLACE = Qt.ItemDataRole.UserRole + 3
#: Pairs that are shown, worst first.
MOST = 40
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
        session, links = self._controller.session, item.data(0, _LINKS)
        tree = session.tree
        if links is not None and tree is not None:
            session.select(Selection(links=tuple(name for name in links if name in tree.index)))


class SmokeTable(QTreeWidget):
    """Tests side by side: a column each, named after the last edit before it, and the change from the one before.

    Rows: what was measured, and each pair that blocks. A click on a head sorts the pairs by that column.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Smoke tests")
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setUniformRowHeights(True)
        self.header().setStretchLastSection(False)
        self.setHeaderLabels([""])

    def show_tests(self, tests: list[tuple[SmokeTest, str]]) -> None:
        """Oldest first."""
        self.setSortingEnabled(False)
        self.clear()
        compared = len(tests) > 1
        names = [label or f"Test {number}" for number, (_, label) in enumerate(tests, 1)]
        heads = ["", *names, *(["Change"] if compared else [])]
        self.setColumnCount(len(heads))
        self.setHeaderLabels(heads)
        head = self.headerItem()
        for column, (test, label) in enumerate(tests, 1):
            after = f"After “{label}”" if label else "This robot"
            head.setToolTip(column, plain(f"{after}: {test.queries} queries, seed {test.seed}"))
            head.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        results = [test for test, _ in tests]
        rows = (
            ("Free poses", [test.free_share for test in results], "%"),
            ("Queries solved", [test.solved / test.queries for test in results], "%"),
            ("Median CPU time", [_or_nan(test.median_ms) for test in results], "ms"),
        )
        blocking = _Row(["What blocks"])
        tops = [*(_row(text, values, unit, compared=compared) for text, values, unit in rows), blocking]
        for place, item in enumerate(tops):
            item.setData(0, _PLACE, place)
        self.addTopLevelItems(tops)
        shares = [dict(test.blocking) for test in results]
        pairs = {pair for each in shares for pair in each}
        worst = sorted(pairs, key=lambda pair: -max(each.get(pair, 0.0) for each in shares))[:MOST]
        for pair in worst:
            row = _row(" – ".join(pair), [each.get(pair, 0.0) for each in shares], "%", compared=compared)
            row.setData(0, _LINKS, pair)
            blocking.addChild(row)
        blocking.setExpanded(True)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setMinimumSectionSize(60)
        self.sortByColumn(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)


class _Row(QTreeWidgetItem):
    """Pairs sort by number; what was measured stays on top, as it stands."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        column = tree.sortColumn() if tree is not None else 0
        if self.parent() is None and tree is not None:
            ascends = tree.header().sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
            return bool((self.data(0, _PLACE) < other.data(0, _PLACE)) == ascends)
        this_number, other_number = self.data(column, _NUMBER), other.data(column, _NUMBER)
        if this_number is None or other_number is None:
            return self.text(column) < other.text(column)
        return bool(this_number < other_number)


def _row(text: str, values: list[float], unit: str, *, compared: bool) -> QTreeWidgetItem:
    row = _Row([text])
    row.setToolTip(0, plain(text))
    cells = [(_told(value, unit), value) for value in values]
    if compared:
        change = values[-1] - values[-2]
        cells.append((_told(change, unit, sign=True), change))
    for column, (told, value) in enumerate(cells, 1):
        row.setText(column, told)
        row.setData(column, _NUMBER, value)
        row.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.setFont(column, tabular_font(row.font(column)))
    return row


def _told(value: float, unit: str, *, sign: bool = False) -> str:
    if math.isnan(value):
        return "–"
    text = f"{100.0 * value:.1f} %" if unit == "%" else f"{value:.1f} {unit}"
    if not sign:
        return text
    if float(text.split()[0]) == 0.0:
        return "±0"
    return f"+{text}" if value > 0 else with_minus(text)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
