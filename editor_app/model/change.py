"""The protocol of everything that edits a robot description: a frozen value with a label and a pure `apply`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from editor_app.model.refusal import Refusal
from editor_app.model.robot import RobotDescription


class CannotApply(Refusal):
    """A change cannot be applied to the robot. The message tells the user why."""


@runtime_checkable
class TextChange(Protocol):
    """A step that edits the text of the XRDF, for differences that the model does not hold (quotes, doubled keys)."""

    @property
    def label(self) -> str:
        """The name of the step in the undo menu."""

    def apply_text(self, text: str) -> str:
        """The text after the change. Raises CannotApply."""


@runtime_checkable
class Change(Protocol):
    """One step that can be undone. Frozen, comparable and picklable."""

    @property
    def label(self) -> str:
        """The name of the step in the undo menu, e.g. "Move 3 spheres"."""

    def apply(self, robot: RobotDescription) -> RobotDescription:
        """The robot after the change. Parts that it leaves alone are the same objects. Raises CannotApply."""


@runtime_checkable
class MakesFiles(Change, Protocol):
    """A change that names new files in the URDF, which are written beside it when it is saved."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """Absolute path -> content."""
