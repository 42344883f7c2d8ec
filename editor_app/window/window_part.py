"""Parts that features and plug-ins add to a window. `window/feature.py` of a feature has its class
as `PART`.

The window knows no feature: it finds these modules by folder and entry point, and makes a part of
each.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from PySide6.QtCore import QObject

from editor_app.core.feature import features
from editor_app.window.viewport import view
from editor_app.window.workbench import Workbench


class WindowPart(QObject):
    """The part that one feature adds to one window.

    `__init__` registers docks (`workbench.docks`), actions (`workbench.registry`) and menus
    (`workbench.menus`).
    """

    #: The window's attribute for it.
    name = ""
    #: Parts are made in this order; parts with the same number, by the names of their features.
    order = 100
    #: Whether `attach` attaches robots.
    attaches = False
    #: Late modules that `join_view` uses: they are loaded in the thread that loads the view.
    view_modules: tuple[ModuleType, ...] = ()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench

    def join_view(self, viewport: view.Viewport) -> None:
        """Add tools and actions to the 3D view, which was just made; its buttons come
        afterwards."""

    def file_use(self, path: Path) -> str | None:
        """Return what opening a file does with the open robot ("play"), None for others. Any thread
        calls it."""
        return None

    def open_path(self, path: Path) -> None:
        """Open a file for which `file_use` returned a use."""

    def attach(self, link: str, robot: Path) -> None:
        """Attach the robot of a file to a link that it was dropped onto."""

    def welcome(self) -> None:
        """Greet: the program was started without a file."""

    def stop(self) -> None:
        """End timers and jobs: the window closes."""


def part_classes() -> list[type[WindowPart]]:
    """Return the classes that features and plug-ins contribute, in the order in which a window
    makes them."""
    modules = (feature.module("window.feature") for feature in features())
    classes: list[type[WindowPart]] = [
        importlib.import_module(each.name).PART for each in modules if each is not None
    ]
    return sorted(classes, key=lambda part: part.order)
