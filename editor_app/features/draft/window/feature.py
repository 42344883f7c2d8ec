"""Puts the search for a free default position into a window."""

from __future__ import annotations

from editor_app.core.document.document import Document
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.task import Job, Task
from editor_app.features.draft.verbs import default_pose
from editor_app.features.draft.window.actions import FREE_DEFAULT
from editor_app.features.masks.engine.results import FreePose
from editor_app.window.robot_job import RobotJob
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

#: Pairs that a message names; the others are counted.
_NAMED = 3


class FreeDefaultAction(RobotJob):
    """Robot › Find a free default position."""

    module = default_pose

    def __init__(self, workbench: Workbench) -> None:
        label = "Find a free default position"
        super().__init__(workbench, FREE_DEFAULT, "XRDF605", label, "a free default position")

    def job(self, document: Document) -> Job:
        return Task(default_pose.free_default, document.robot)

    def take(self, result: tuple[FreePose, tuple[LinkPair, ...]]) -> None:
        """Use the position; if none frees a pair, name its links, since a command without effect
        confuses."""
        pose, always = result
        if (step := default_pose.pose_step(self._session.document, pose)) is not None:
            self._session.execute(step)
        left = (*pose.overlaps, *always)
        if left:
            pairs = [f"{pair.first} and {pair.second}" for pair in left[:_NAMED]]
            pairs += [f"{len(left) - _NAMED} more pairs"] if len(left) > _NAMED else []
            named = ", ".join(pairs)
            text = f"No default position avoids {named}. Ignore the pair or shrink its spheres."
            self._session.refused.emit(text)
        elif not pose.changed:
            self._session.message.emit("At the default position no checked pair of links overlaps.")


class Draft(WindowPart):
    """One per window."""

    name = "draft"
    order = 15

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.free_default = FreeDefaultAction(workbench)


PART = Draft
