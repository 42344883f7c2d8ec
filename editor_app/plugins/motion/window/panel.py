"""The timeline: what is played, its clearance over time, and beside it results of the planner and
the scene."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QSlider,
    QTabWidget,
    QToolBar,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.plugins.motion.verbs.plan import SmokeTest
from editor_app.plugins.motion.window.controller import MotionController
from editor_app.plugins.motion.window.obstacles_shown import ObstaclesShown
from editor_app.plugins.motion.window.plot import ClearancePlot
from editor_app.plugins.motion.window.scene_box import SceneBox
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.number_field import NumberInput
from editor_app.window.bindings.quantity import LENGTH, with_minus
from editor_app.window.theme import tabular_font
from editor_app.window.widgets import (
    PlainLabel,
    checkable,
    dress,
    fill_layout,
    icon,
    plain_text,
    side_by_side,
    tab_through,
)

#: Actions shown as buttons, in this order; a blank is a gap.
_NAMES = ("open", "store", "clear", "", "try", "to", "smoke", "", "time", "save", "report")
BUTTONS = tuple(f"motion.{name}" if name else "" for name in _NAMES)
#: Actions of the tab *Scene*.
HANDLING = ("motion.grasp", "motion.release")
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
STEPS = 10_000
#: Metres; a robot that keeps more is in another hall.
MOST_KEPT = 1.0


class MotionPanel(QWidget):
    """Obstacles and stored poses are steps of the document, in files of their own; the rest is
    session state."""

    def __init__(
        self,
        controller: MotionController,
        shown: ObstaclesShown,
        save_scene: Callable[[], object],
        registry: ActionRegistry,
    ) -> None:
        super().__init__()
        self._controller = controller
        self._player = controller.player
        self.play_button = dress(QToolButton(self), flat=True, run=self._toggle)
        self.slider = dress(QSlider(Qt.Orientation.Horizontal, self), name="Time in the motion")
        self.slider.setRange(0, STEPS)
        self.slider.valueChanged.connect(self._scrub)
        self.time = dress(PlainLabel("", self), font=tabular_font(self.font()))
        speeds = [(f"{speed:g} ×", speed) for speed in SPEEDS]
        self.speed = choice_box("Speed", speeds, partial(setattr, self._player, "speed"), 1.0, self)
        loop, tip = icon("repeat"), "Repeat the motion"
        self.loop_button = checkable(
            dress(QToolButton(self), name="Loop", tip=tip, icon=loop, flat=True), False
        )
        self.loop_button.toggled.connect(partial(setattr, self._player, "loop"))
        self.plot = dress(ClearancePlot(self), run=self._player.seek)
        self.verdict = dress(PlainLabel("", self), wrap=True)
        self.results = ResultsBox(controller, self)
        self.scene = SceneBox(
            controller, shown, save_scene, [registry[name] for name in HANDLING], self
        )
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.results, "Results")
        self.tabs.addTab(self.scene, "Scene")
        self.keep_away = KeepAwayFields(controller, self)
        # The row of buttons is full in a narrow window.
        self.tabs.setCornerWidget(self.keep_away)
        self._arrange(registry)
        tab_through(self.tabs, self.results, self.scene)
        tab_through(
            self, self.play_button, self.loop_button, self.slider, self.speed, self.plot, self.tabs
        )
        self._player.moved.connect(self._follow)
        self._player.playing_changed.connect(self._follow_playing)
        self._player.trajectory_changed.connect(self._refresh)
        controller.measured.connect(self._refresh)
        controller.result_came.connect(lambda _: self.tabs.setCurrentWidget(self.results))
        self._follow_playing(False)
        self._refresh()

    def _arrange(self, registry: ActionRegistry) -> None:
        # What a narrow window has no room for is behind the bar's arrow.
        bar = dress(QToolBar(self), name="Motion")
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setIconSize(QSize(16, 16))
        for name in BUTTONS:
            if not name:
                bar.addSeparator()
                continue
            bar.addAction(registry[name])
            button = bar.widgetForAction(registry[name])
            if isinstance(button, QToolButton) and registry[name].menu() is not None:
                button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = (self.play_button, self.loop_button, (self.slider, 1), self.time, self.speed)
        line = fill_layout(QHBoxLayout(), *row, spacing=4)
        left = QWidget(self)
        fill_layout(QVBoxLayout(left), line, (self.plot, 1), self.verdict, margins=0, spacing=2)
        self.splitter = side_by_side((left, 3), (self.tabs, 2))
        fill_layout(QVBoxLayout(self), bar, (self.splitter, 1), margins=4, spacing=2)

    # -- following

    def _refresh(self) -> None:
        readings, worst = self._controller.readings()
        self.plot.show_readings(readings, self._player.duration, worst)
        has_motion = self._player.duration > 0.0
        for widget in (self.slider, self.play_button, self.loop_button, self.speed):
            widget.setEnabled(has_motion)
        self.verdict.setText(self._controller.verdict())
        self.verdict.setVisible(bool(self.verdict.text()))
        self._follow(self._player.seconds)

    def _follow(self, seconds: float) -> None:
        duration = self._player.duration
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(STEPS * seconds / duration) if duration > 0.0 else 0)
        self.time.setText(f"{seconds:6.2f} / {duration:.2f} s" if duration > 0.0 else "")
        self.plot.set_place(seconds)

    def _follow_playing(self, playing: bool) -> None:
        told = "Pause" if playing else "Play"
        dress(self.play_button, name=told, tip=told, icon=icon(told.lower()))

    # -- what the user does

    def _toggle(self) -> None:
        if self._player.is_playing:
            self._player.pause()
        else:
            self._player.play()

    def _scrub(self, value: int) -> None:
        self._player.pause()
        self._player.seek(self._player.duration * value / STEPS)


class KeepAwayFields(QWidget):
    """The distances that planned motions keep from obstacles and from the robot itself."""

    def __init__(self, controller: MotionController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tips = {
            "obstacles": "Clearance from obstacles in planned motions, proven along the whole path",
            "itself": "Clearance between checked links in planned motions",
        }
        layout = fill_layout(QHBoxLayout(self), PlainLabel("Clearance", self), margins=0, spacing=4)
        for name, tip in tips.items():
            take = lambda metres, _, name=name: controller.set_keep_away(**{name: metres})  # noqa: E731
            kept, spoken = getattr(controller.keep_away, name), f"Keep away from {name}"
            field = NumberInput(
                controller.session,
                LENGTH,
                spoken,
                take,
                limits=(0.0, MOST_KEPT),
                value=kept,
                note=tip,
            )
            field.setMaximumWidth(72)
            layout.addWidget(field)
            layout.addWidget(PlainLabel(name, self))


_LINKS = Qt.ItemDataRole.UserRole + 1
_NUMBER = Qt.ItemDataRole.UserRole + 2
_PLACE = Qt.ItemDataRole.UserRole + 3
#: Pairs that are shown, worst first.
MOST = 40
_HINT = "Run smoke test plans between random free poses."


class ResultsBox(QWidget):
    """A sentence about the last thing that was tried, and smoke tests in columns."""

    def __init__(self, controller: MotionController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.sentence = dress(PlainLabel("", self), wrap=True)
        self.tests = SmokeTable(self)
        self.tests.itemClicked.connect(self._show)
        self.hint = dress(
            PlainLabel(_HINT, self), look="muted", align=Qt.AlignmentFlag.AlignCenter, wrap=True
        )
        layout = fill_layout(
            QVBoxLayout(self), self.sentence, (self.tests, 1), (self.hint, 1), margins=2, spacing=2
        )
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
        if links is not None:
            session.select(Selection(links=tuple(name for name in links if name in tree.index)))


class SmokeTable(QTreeWidget):
    """Tests side by side: a column each, named after the last edit before it, and the change from
    the one before.

    Rows: what was measured, and each pair that blocks. A click on a head sorts the pairs by that
    column.
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
            head.setToolTip(
                column, plain_text(f"{after}: {test.queries} queries, seed {test.seed}")
            )
            head.setTextAlignment(
                column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
        results = [test for test, _ in tests]
        rows = (
            ("Free poses", [test.free_share for test in results], "%"),
            ("Queries solved", [test.solved / test.queries for test in results], "%"),
            (
                "Median CPU time",
                [(math.nan if test.median_ms is None else test.median_ms) for test in results],
                "ms",
            ),
        )
        blocking = _Row(["Blocking pairs"])
        tops = [
            *(_row(text, values, unit, compared=compared) for text, values, unit in rows),
            blocking,
        ]
        for place, item in enumerate(tops):
            item.setData(0, _PLACE, place)
        self.addTopLevelItems(tops)
        shares = [dict(test.blocking) for test in results]
        pairs = {pair for each in shares for pair in each}
        worst = sorted(pairs, key=lambda pair: -max(each.get(pair, 0.0) for each in shares))[:MOST]
        for pair in worst:
            row = _row(
                " – ".join(pair), [each.get(pair, 0.0) for each in shares], "%", compared=compared
            )
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
    row.setToolTip(0, plain_text(text))
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
