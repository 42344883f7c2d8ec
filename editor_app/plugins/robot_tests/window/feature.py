"""Puts the tests of a robot into a window: the panel Tests, and actions that add tests."""

from __future__ import annotations

from editor_app.features.masks.window.feature import SelfCollision
from editor_app.plugins.robot_tests.window import tests_panel
from editor_app.plugins.robot_tests.window.actions import DECISIONS, TESTS
from editor_app.plugins.robot_tests.window.decisions_page import TITLE, DecisionsPage
from editor_app.plugins.robot_tests.window.suite_runs import DOCK, SuiteRuns
from editor_app.window.docks.docks import DockSpec
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class RobotTesting(WindowPart):
    """One per window."""

    name = "robot_testing"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.runs = SuiteRuns(workbench, self)
        tip = "Tests of the robot from ROBOT.tests.yaml, run after each edit"
        workbench.docks.register(
            DockSpec(
                DOCK, "Tests", "check-circle", "bottom", self._make_panel, 90, tip, is_usual=False
            )
        )
        workbench.registry.add(TESTS, self.runs)
        self._masks = workbench.part(SelfCollision)
        controller, jobs = self._masks.controller, workbench.jobs
        self._masks.pages[TITLE] = lambda parent: DecisionsPage(controller, jobs, parent)
        workbench.registry.add(DECISIONS, self)

    def show_decisions(self) -> None:
        """Show who decided which pairs are ignored."""
        self._masks.show_panel().show_added(TITLE)

    def _make_panel(self) -> tests_panel.TestsPanel:
        panel = tests_panel.TestsPanel(self.runs, self._workbench)
        self.runs.is_shown = panel.isVisible
        return panel

    def stop(self) -> None:
        self.runs.stop()


PART = RobotTesting
