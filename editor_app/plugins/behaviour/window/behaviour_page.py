"""The page of the comparison that lists configurations and queries which only one of two robots
accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import JobError
from editor_app.plugins.behaviour.verbs import behaviour
from editor_app.plugins.comparison.verbs.diff import RobotSide
from editor_app.plugins.comparison.window.comparison_dialog import ComparisonPage
from editor_app.window.bindings.lists import Rows, thing_of
from editor_app.window.jobs import JobSlot
from editor_app.window.session import Session
from editor_app.window.widgets import PlainLabel, dress, fill_layout


class BehaviourPage(ComparisonPage):
    """Compares while it is visible; a click on a row shows the configuration and selects the links
    or the joint."""

    title, tip = "Behaviour", "Configurations and motions that only one of the two robots accepts"
    compared: behaviour.BehaviourDiff | None = None

    def __init__(self, session: Session, work: JobSlot, parent: QWidget) -> None:
        super().__init__(session, work, parent)
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        heads = ("Links or joint", "Verdict here", "Configurations", "Change")
        self.list = Rows("Change of behaviour", heads, 3, self, numbers=(2,))
        self.list.itemClicked.connect(self._show_row)
        fill_layout(QVBoxLayout(self), self.summary, (self.list, 1), margins=4, spacing=4)

    def compare(self, path: Path, names: tuple[str, ...], *, allow_xacro: bool) -> None:
        """Judge configurations and plan motions with the robot of a file and with the open one, in
        the background."""
        document = self._session.document
        self.compared = None
        self.list.clear()
        self.summary.setText("Comparing…")
        packages = dict(document.packages)
        job = Task(
            behaviour.compare_behaviour,
            path,
            RobotSide.of(document),
            names=names,
            packages=packages,
            allow_xacro=allow_xacro,
        )
        self._work.run("Comparing behaviour", job, self._show, failed=self._fail)

    def _show(self, result: behaviour.BehaviourDiff) -> None:
        self.compared = result
        verdicts, queries = result.told
        self.summary.setText(
            "\n".join((f"Configurations: {verdicts}.", f"Queries: {queries}.", *result.notes))
        )
        for change in result.changes:
            verdict = "blocked" if change.is_blocked_now else "free"
            cells = (" and ".join(change.names), verdict, f"{len(change.cases):,}", change.sentence)
            self.list.add(cells, change, tips={0: cells[0], 3: change.sentence})
        for query in result.queries:
            verdict = "solved" if query.is_solved_now else "unsolved"
            self.list.add(
                (f"Query {query.number}", verdict, "", query.reason), query, tips={3: query.reason}
            )
        self.list.say("" if result.changes or result.queries else "No changes of behaviour")

    def _fail(self, error: JobError) -> None:
        self.list.clear()
        self.summary.setText(error.message)

    def _show_row(self, item: QTreeWidgetItem, _: int = 0) -> None:
        thing: Any = thing_of(item)
        if isinstance(thing, behaviour.QueryChange):
            self._session.go_to(thing.start)
        elif isinstance(thing, behaviour.VerdictChange):
            tree = self._session.tree
            self._session.go_to(FrozenDict(thing.cases[0].pose))
            if thing.cause is behaviour.Cause.LIMIT:
                joints = tuple(name for name in thing.names if tree.joint(name) is not None)
                self._session.select(Selection(joints=joints))
                return
            links = tuple(name for name in thing.names if name in tree.index)
            pairs = (LinkPair.of(*links),) if len(links) == 2 else ()
            self._session.select(Selection(links, pairs=pairs).surviving(self._session.robot))
