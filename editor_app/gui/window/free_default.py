"""The command that looks for a default position without self-collision, and its remedy in the list of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editor_app.edit.commands import SetDefaultPositions
from editor_app.gui.action_tables import FREE_DEFAULT
from editor_app.gui.robot_job import RobotJob
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision.results import FreePose

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.gui.workbench import Workbench
    from editor_app.operations.new import FreeDefault

#: Pairs that a message names; the others are counted.
_NAMED = 3


class FreeDefaultAction(RobotJob):
    """Robot › Find a free default position."""

    def __init__(self, workbench: Workbench) -> None:
        label = "Find a free default position"
        super().__init__(workbench, FREE_DEFAULT, "XRDF605", label, "a free default position")

    def job(self, document: Document) -> FreeDefault:
        from editor_app.operations.new import FreeDefault

        return FreeDefault(document.robot)

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
