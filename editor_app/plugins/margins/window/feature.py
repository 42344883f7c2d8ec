"""Puts proven margins into a window: the panel Margins and its actions."""

from __future__ import annotations

from editor_app.plugins.margins.window import panel
from editor_app.plugins.margins.window.actions import MARGINS
from editor_app.plugins.margins.window.bounds import DOCK, MarginBounds
from editor_app.window.docks.docks import DockSpec
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class ProvenMargins(WindowPart):
    """One per window."""

    name = "proven_margins"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.bounds = MarginBounds(workbench, self)
        tip = "Clearance that deviations of joints and frames leave, proven for each pair of links"
        workbench.docks.register(
            DockSpec(DOCK, "Margins", "ruler", "bottom", self._make_panel, 92, tip, is_usual=False)
        )
        workbench.registry.add(MARGINS, self.bounds)

    def _make_panel(self) -> panel.MarginsPanel:
        return panel.MarginsPanel(self.bounds, self._workbench)

    def stop(self) -> None:
        self.bounds.stop()


PART = ProvenMargins
