"""The protocol of everything that edits a robot description: a frozen value with a label and a pure `apply`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from editor_app.model.refusal import Refusal
from editor_app.model.robot import RobotDescription


class CannotApply(Refusal):
    """A change does not fit the robot that it is applied to; the message says why, for the user."""


@runtime_checkable
class TextChange(Protocol):
    """A step that edits the XRDF's text itself, where the model cannot tell the difference (quotes, doubled keys)."""

    @property
    def label(self) -> str:
        """What the undo menu says."""

    def apply_text(self, text: str) -> str:
        """The text after the change. Raises CannotApply."""


@runtime_checkable
class Change(Protocol):
    """One step that can be undone. Frozen, comparable and picklable."""

    @property
    def label(self) -> str:
        """What the undo menu says, e.g. "Move 3 spheres"."""

    def apply(self, robot: RobotDescription) -> RobotDescription:
        """The robot after the change, sharing what is untouched. Raises CannotApply."""
