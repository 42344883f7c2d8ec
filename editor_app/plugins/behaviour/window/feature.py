"""Adds the page of behaviour to the comparison of robots."""

from __future__ import annotations

from editor_app.plugins.behaviour.window.behaviour_page import BehaviourPage
from editor_app.plugins.comparison.window.comparison_dialog import COMPARISON_PAGES
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class Behaviour(WindowPart):
    """One per window; the page is registered once."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        if BehaviourPage not in COMPARISON_PAGES:
            COMPARISON_PAGES.append(BehaviourPage)


PART = Behaviour
