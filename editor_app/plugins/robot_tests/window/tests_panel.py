"""The panel Tests: the tests of the robot with their states; a click on a failed test shows what
failed."""

from __future__ import annotations

from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.xrdf import LinkPair
from editor_app.plugins.robot_tests.verbs.run_tests import TestResult, TestState
from editor_app.plugins.robot_tests.window.suite_runs import SuiteRuns
from editor_app.plugins.robot_tests.window.suite_text import SuiteText
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import CellLook, EmptyWords, ReadTable, read_table
from editor_app.window.widgets import checkable, dress, fill_layout, icon, severity_icon
from editor_app.window.workbench import Workbench

_TITLES = ("State", "Test", "Kind", "Result")
#: A test, or a fault of the test file.
Row = TestResult | Finding


class TestsPanel(QWidget):
    """A view of one `SuiteRuns`."""

    __test__ = False

    def __init__(self, runs: SuiteRuns, workbench: Workbench) -> None:
        super().__init__()
        self._runs, self._session = runs, workbench.session
        self.state = dress(ElidedLabel(self), look="muted", name="State of the tests")
        registry = workbench.registry
        self.run_button = dress(
            QPushButton(icon("play"), "Run", self), tip="Run the tests now", run=runs.run_now
        )
        self.cancel_button = dress(
            QPushButton("Cancel", self), tip="Cancel the run", run=runs.cancel
        )
        self.keep_button = dress(
            QPushButton(icon("push-pin"), "Keep as test", self),
            tip="Add a test: this configuration is free, or collides, as measured",
            run=registry["tests.keep_pose"].trigger,
        )
        self.propose_button = dress(
            QPushButton("Propose tests", self),
            tip="Write a first test file with the measured behaviour of the robot",
            run=registry["tests.propose"].trigger,
        )
        self.edit_button = dress(
            checkable(QPushButton(icon("pencil-simple"), "Edit", self), False),
            tip="Edit the text of the test file, with completion and help for each key",
        )
        # Tab goes through what was made first.
        self.model = _TestsModel(_TITLES, parent=self)
        self.table = read_table("Tests", self, self.model, self.show_row, names=1)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(len(_TITLES) - 1, QHeaderView.ResizeMode.Stretch)
        self.empty = EmptyWords(self.table)
        buttons = fill_layout(
            QHBoxLayout(), (self.state, 1), self.run_button, self.cancel_button, spacing=4
        )
        fill_layout(buttons, self.keep_button, self.propose_button)
        fill_layout(buttons, self.edit_button)
        self.text = SuiteText(runs, workbench, self)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.text)
        self.edit_button.toggled.connect(self._edit)
        fill_layout(QVBoxLayout(self), buttons, (self.stack, 1), margins=4, spacing=4)
        runs.changed.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._runs.follow_visibility()

    def refresh(self) -> None:
        runs, path = self._runs, self._runs.path
        has_file = path is not None and path.is_file()
        report = runs.report
        self.run_button.setEnabled(has_file and not runs.is_running)
        self.cancel_button.setEnabled(runs.is_running)
        self.keep_button.setEnabled(path is not None and self._session.has_robot)
        self.propose_button.setEnabled(
            path is not None and not has_file and self._session.has_robot
        )
        self.model.is_stale = runs.is_stale or runs.is_running
        self.model.show([] if report is None else [*report.suite.findings, *report.results])
        if report is not None:
            stale = "; of the robot before the last change" if runs.is_stale else ""
            self.state.set_text(f"{path.name if path is not None else ''}: {report.told}{stale}")
        else:
            self.state.set_text(runs.trouble or ("Running…" if runs.is_running else ""))
        self.edit_button.setEnabled(path is not None and self._session.has_robot)
        if self.stack.currentWidget() is self.text:
            self.text.follow_file()
        self.empty.say(self._empty_words(has_file))

    def _edit(self, is_edited: bool) -> None:
        """Show the text of the test file, or the list of the tests."""
        self.text.follow_file()
        self.stack.setCurrentWidget(self.text if is_edited else self.table)

    def _empty_words(self, has_file: bool) -> str:
        if not self._session.has_robot:
            return "Open a robot to run its tests."
        if self._runs.path is None:
            return "Save the robot: its tests are in a file next to it."
        if not has_file:
            return (
                "This robot has no tests. Propose tests writes the first ones; Keep as test adds "
                "the pose in view."
            )
        return self._runs.trouble or (
            "Running…" if self._runs.is_running else "Press Run to run the tests."
        )

    def show_row(self, row: int) -> None:
        """Show the configuration, the pair or the frame of a test."""
        item = self.model.items[row]
        if isinstance(item, Finding):
            self._session.message.emit(item.message)
            return
        tree = self._session.tree
        if item.pose is not None:
            self._session.go_to(item.pose)
        names = item.pair or ((item.frame,) if item.frame else ())
        links = tuple(name for name in names if name in tree.index)
        is_pair = len(links) == 2 and links[0] != links[1]
        wanted = Selection(links, pairs=(LinkPair.of(*links),) if is_pair else ())
        selection = wanted.surviving(self._session.robot)
        if selection:
            self._session.select(selection)
            self._session.look_requested.emit()
        self._session.message.emit(
            f"{item.test.name}: {item.sentence}" if item.sentence else item.test.name
        )


class _TestsModel(ReadTable[Row]):
    #: Whether the results are of the robot before the last change.
    is_stale = False

    def look(self, item: Row, column: int) -> CellLook:
        muted = "muted" if self.is_stale else ""
        if isinstance(item, Finding):
            texts = ("fault", f"line {item.place[0]}", item.code, item.message)
            return CellLook(
                texts[column],
                severity_icon(Severity.ERROR) if column == 0 else None,
                muted,
                tip=item.message,
            )
        texts = (item.state.value, item.test.name, item.test.kind.KEY, item.sentence)
        return CellLook(
            texts[column],
            self._icon(item.state) if column == 0 else None,
            muted,
            tip=f"{item.test.name}: {item.state.value}\n{item.sentence}".strip(),
            spoken=item.state.value if column == 0 else "",
        )

    def _icon(self, state: TestState) -> QIcon:
        if state is TestState.PASSED:
            return icon("check")
        return severity_icon(
            Severity.ERROR if state is TestState.FAILED else Severity.WARNING, not self.is_stale
        )
