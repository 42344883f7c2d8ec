"""Puts rules and the list of findings into a window."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from editor_app.features.checks.verbs import safe_fixes
from editor_app.features.checks.window.panel import FindingsPanel
from editor_app.features.checks.window.slow_checks import SlowChecksFeed, all_rules
from editor_app.window.docks.docks import DockSpec
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class Checks(WindowPart):
    """One per window."""

    name = "checks"
    order = 5

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        feed = workbench.feed
        feed.rules, feed.refuse_fix = all_rules(), safe_fixes.refuse_fix
        self.slow = SlowChecksFeed(workbench.session, workbench.jobs, feed, workbench.start, self)
        workbench.docks.register(
            DockSpec("findings", "Findings", "warning", "bottom", self._make_panel, 20)
        )

    def _make_panel(self) -> QWidget:
        panel = FindingsPanel(self._workbench.session, self._workbench.feed)
        panel.activated.connect(self._workbench.show_place)
        panel.activated.connect(self._tell_the_way_back)
        return panel

    def _tell_the_way_back(self, _: object) -> None:
        """The view has moved to the finding."""
        registry = self._workbench.registry
        if "view.back" in registry and (keys := registry["view.back"].shortcut().toString()):
            self._workbench.session.message.emit(
                f"{keys} in the 3D view returns to the previous view."
            )

    def stop(self) -> None:
        self.slow.stop()


PART = Checks
