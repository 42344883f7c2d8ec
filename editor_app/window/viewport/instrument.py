"""Instruments that features add to the mouse and keys of the view."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF

from editor_app.window.viewport.aim import Pick
from editor_app.window.viewport.gizmo import Drag


class Instrument(QObject):
    """Asked before the robot is; here every answer is no."""

    #: The tool of the left button that it is, beside the view's own; "" for none.
    tool = ""

    @property
    def hint(self) -> str:
        """The sentence about its handle that the pointer lights up, "" when there is none."""
        return ""

    @property
    def has_chosen(self) -> bool:
        """True if Delete is for what was chosen of it."""
        return False

    def leave(self) -> None:
        """Follow the choice of another tool."""

    def point_at(self, at: QPointF | None) -> bool:
        """Light up the handle under the pointer; True when another one is lit than before."""
        return False

    def holds(self, at: QPointF) -> bool:
        """Return whether one of its handles is there."""
        return False

    def drag(self, start: QPointF) -> Drag | None:
        """Return what a press there begins; None beside its handles."""
        return None

    def take_click(self, at: QPointF, tool: str) -> bool:
        """Choose what was clicked; False where it is nothing of the instrument's."""
        return False

    def click(self, pick: Pick, at: QPointF, *, extends: bool) -> None:
        """Use the tool. `extends`: with Shift."""

    def tool_hint(self, pick: Pick | None, at: QPointF) -> str:
        """Show what a click of the tool would do, and return the sentence about it."""
        return ""

    def menu_at(self, at: QPointF) -> str:
        """Choose what is there; return the context of its menu, "" for nothing."""
        return ""

    def delete(self) -> None:
        """Remove what was chosen."""

    def step_back(self, tool: str) -> bool:
        """Answer Esc; False when there is nothing to leave."""
        return False
