"""Puts the comparison of robots into a window."""

from __future__ import annotations

from editor_app.plugins.comparison.window.actions import COMPARISON
from editor_app.plugins.comparison.window.comparison_dialog import compare_with
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class Comparison(WindowPart):
    """One per window."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        workbench.registry.add(COMPARISON, self)

    def compare_with(self) -> None:
        compare_with(self._workbench)


PART = Comparison
