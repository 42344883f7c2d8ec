"""The command that looks for a default position without self-collision, and its remedy in the list of findings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from editor_app.edit.commands import SetDefaultPositions
from editor_app.gui.action_tables import FREE_DEFAULT, NO_ROBOT
from editor_app.gui.jobs import JobSlot
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision.results import FreePose

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.gui.workbench import Workbench

#: Pairs that a message names; the others are counted.
_NAMED = 3


class FreeDefaultAction(QObject):
    """Robot › Find a free default position: in the background, taken as one step."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._session = workbench.session
        self._work = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        workbench.registry.add(FREE_DEFAULT, self)
        workbench.feed.register_remedy(
            lambda finding: finding.code == "XRDF605", "Find a free default position", lambda _: self.run()
        )

    def refusal(self) -> str | None:
        robot = self._session.robot
        if robot is None:
            return NO_ROBOT
        if self._work.is_running:
            return "A free default position is being looked for."
        spheres = robot.xrdf.spheres_of(robot.xrdf.self_group).values()
        return None if sum(map(bool, spheres)) > 1 else "Fit spheres to two links first."

    def run(self) -> None:
        from editor_app.operations.new import FreeDefault

        document = self._session.document
        if document is None or (refusal := self.refusal()) is not None:
            self._session.refused.emit(NO_ROBOT if document is None else refusal)
            return
        self._work.run(
            "Looking for a free default position",
            FreeDefault(document.robot),
            lambda result: self._take(*result),
            about=lambda: self._session.robot,
            stale=partial(self._tell_stale, document),
        )

    def _tell_stale(self, document: Document) -> None:
        if self._session.document is document:
            self._session.refused.emit("The robot was changed meanwhile: look for a free default position again.")

    def _take(self, pose: FreePose, always: tuple[LinkPair, ...]) -> None:
        """Where no position frees a pair, its links are named: a command that seems to do nothing leads nowhere."""
        if pose.changed:
            positions = FrozenDict({name: pose.positions[name] for name in pose.changed})
            self._session.execute(SetDefaultPositions(positions))
        left = (*pose.overlaps, *always)
        if left:
            pairs = [f"{pair.first} and {pair.second}" for pair in left[:_NAMED]]
            pairs += [f"{len(left) - _NAMED} more pairs"] if len(left) > _NAMED else []
            named = ", ".join(pairs)
            text = f"No default position was found that frees {named}: ignore the pair, or shrink its spheres."
            self._session.refused.emit(text)
        elif not pose.changed:
            self._session.message.emit("The default position is free of self-collision.")
