"""Commands that look for something about the whole robot in the background; each is a remedy of findings, too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

from PySide6.QtCore import QObject

from editor_app.core.document.commands import SetDefaultPositions
from editor_app.core.document.document import Document
from editor_app.core.model.counting import counted
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.job import Job, as_job
from editor_app.core.tasks.work import placed_robot, verb_job
from editor_app.core.tasks.worker import JobError
from editor_app.features.draft.verbs import new
from editor_app.features.masks.engine.results import FreePose
from editor_app.features.spheres.engine.settings import FittingError
from editor_app.plugins.motion.verbs import passages
from editor_app.window.actions.action_tables import CLOSED_INTERVALS, FREE_DEFAULT, NO_ROBOT, ActionSpec
from editor_app.window.jobs import JobSlot
from editor_app.window.workbench import Workbench

#: Pairs that a message names; the others are counted.
_NAMED = 3


class RobotJob(QObject):
    """Its result is taken as one step, if the robot is still the same.

    `table` has the command, which is the remedy `label` of findings of `code`, too. `goal`: what is looked for.
    """

    #: Of the job.
    module: ModuleType
    #: What is done meanwhile, before the goal.
    doing = "Looking for"

    def __init__(self, workbench: Workbench, table: Sequence[ActionSpec], code: str, label: str, goal: str) -> None:
        super().__init__(workbench.qt_window)
        self._session = workbench.session
        self._goal = goal
        self._jobs = workbench.jobs
        self._work = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        workbench.registry.add(table, self)
        workbench.feed.register_remedy(code, label, lambda _: self.run())

    def job(self, document: Document) -> Job:
        """What is run; picklable."""
        raise AssertionError("every command has its job")

    def take(self, result: Any) -> None:
        """Called with what the job gives, when the robot is still the same."""

    def refusal(self) -> str | None:
        robot = self._session.robot
        if not self._session.has_robot:
            return NO_ROBOT
        if self._work.is_running:
            return f"The search for {self._goal} is running."
        spheres = robot.xrdf.spheres_of(robot.xrdf.self_group).values()
        return None if sum(map(bool, spheres)) > 1 else "Fit spheres to two links first."

    def run(self) -> None:
        document = self._session.document
        if (refusal := self.refusal()) is not None:
            self._session.refused.emit(refusal)
            return
        self._work.run_loaded(
            f"{self.doing} {self._goal}",
            self.module,
            partial(self.job, document),
            self.take,
            failed=self._failed,
            about=lambda: self._session.robot,
            stale=partial(self._tell_stale, document),
        )

    def _tell_stale(self, document: Document) -> None:
        if self._session.document is document:
            self._session.refused.emit(f"The robot was changed meanwhile: look for {self._goal} again.")

    def _failed(self, error: JobError) -> None:
        if isinstance(error.exception, (Refusal, FittingError, ImportError)):
            self._session.refused.emit(error.message[:1].upper() + error.message[1:] + ".")
        else:
            self._jobs.failed_unexpectedly.emit(None, error)


class FreeDefaultAction(RobotJob):
    """Robot › Find a free default position."""

    module = new

    def __init__(self, workbench: Workbench) -> None:
        label = "Find a free default position"
        super().__init__(workbench, FREE_DEFAULT, "XRDF605", label, "a free default position")

    def job(self, document: Document) -> Job:
        return verb_job(new.free_default, document.robot)

    def take(self, result: tuple[FreePose, tuple[LinkPair, ...]]) -> None:
        """Where no position frees a pair, its links are named: a command that seems to do nothing leads nowhere."""
        pose, always = result
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


class ClosedIntervalsAction(RobotJob):
    """Robot › Show closed intervals."""

    module = passages

    def __init__(self, workbench: Workbench) -> None:
        label = "Show closed intervals of the joints"
        super().__init__(workbench, CLOSED_INTERVALS, "XRDF515", label, "closed intervals")
        self._docks = workbench.docks

    def job(self, document: Document) -> Job:
        return as_job(passages.find_closed_intervals, placed_robot(document))

    def take(self, result: passages.ClosedIntervals) -> None:
        self._session.closed.show(dict(result.by_joint))
        if result.by_joint:
            self._docks.show("joints")
        spheres_alone = sum(each.by_meshes is False for of in result.by_joint.values() for each in of)
        count = sum(map(len, result.by_joint.values()))
        text = f"{counted(count, 'closed interval')} of the joints, {spheres_alone} by spheres alone."
        if not count:
            text = "No interval of a joint is closed."
        if result.barriers and not spheres_alone:
            text += f" Spheres alone close {counted(len(result.barriers), 'passage')} of joints together (XRDF515)."
        self._session.message.emit(text)
