"""Puts planning quality into a window: tighter fits, buffers, and the cost against the meshes."""

from __future__ import annotations

from typing import cast

from editor_app.features.masks.window.feature import SelfCollision
from editor_app.features.spheres.window.feature import Fitting
from editor_app.plugins.planning.verbs.weigh_numbers import weigh_job
from editor_app.plugins.planning.window.actions import BLOCKING
from editor_app.plugins.planning.window.blocking_page import TITLE, BlockingPage
from editor_app.plugins.planning.window.self_buffers_action import SelfBuffersAction
from editor_app.plugins.planning.window.tighter_fit import TighterFitAction
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class Planning(WindowPart):
    """One per window."""

    name = "planning"
    order = 50

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        fitting, self._masks = workbench.part(Fitting), workbench.part(SelfCollision)
        self.self_buffers = SelfBuffersAction(workbench)
        self.tighter = TighterFitAction(
            workbench, fitting.context, lambda: fitting.over, fitting.keep_proofs
        )
        fitting.is_proposing = lambda: self.tighter.strip
        fitting.context.weigh = weigh_job
        workbench.registry["fit.planning"].changed.connect(fitting.first_steps.update_later)
        controller, jobs = self._masks.controller, workbench.jobs
        self._masks.pages[TITLE] = lambda parent: BlockingPage(
            controller, jobs, self.tighter.free, parent
        )
        workbench.registry.add(BLOCKING, self)

    def weigh(self) -> None:
        """Show what spheres and mask cost against the meshes."""
        cast("BlockingPage", self._masks.show_panel().show_added(TITLE)).weigh()


PART = Planning
