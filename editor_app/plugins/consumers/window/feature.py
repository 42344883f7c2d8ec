"""Puts what other programs read of the robot into a window."""

from __future__ import annotations

from functools import partial

from editor_app.features.spheres.window.feature import Fitting
from editor_app.plugins.consumers.window.actions import OTHER_PROGRAMS
from editor_app.plugins.consumers.window.robot_dialogs import show_readers, show_repair
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class ConsumerTools(WindowPart):
    """One per window."""

    order = 60

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        workbench.registry.add(OTHER_PROGRAMS, self)
        workbench.part(Fitting).mend = partial(show_repair, workbench)

    def show_repair(self) -> None:
        show_repair(self._workbench)

    def show_readers(self) -> None:
        show_readers(self._workbench)


PART = ConsumerTools
