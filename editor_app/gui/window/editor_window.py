"""What docks, drops and the list of windows may use of a window, beside what every part of it may.

The tables of actions name methods of the window itself, which are looked up when a table is added.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from editor_app.gui.actions import MenuBuilder
from editor_app.gui.fitting.window import Fitting
from editor_app.gui.manual.help import Help
from editor_app.gui.motion.window import Motion
from editor_app.gui.self_collision.window import SelfCollision
from editor_app.gui.window.recovery import CrashHandler, Journaling
from editor_app.gui.window.start import WholeOnScreen
from editor_app.gui.workbench import Workbench
from editor_app.model.features import Feature
from editor_app.model.findings import Finding


class EditorWindow(Workbench, Protocol):
    """A window of the editor, with its parts by name."""

    menus: MenuBuilder
    help: Help
    fitting: Fitting
    self_collision: SelfCollision
    motion: Motion
    crash: CrashHandler
    journaling: Journaling
    on_screen: WholeOnScreen

    def open_files(self, paths: list[Path]) -> None: ...
    def show_findings_of(self, text: str) -> None: ...
    def show_place(self, finding: Finding) -> None: ...
    def show_feature(self, feature: Feature) -> None: ...
    def start_background(self, *, offer: bool = True) -> None: ...
    def keep_unsaved_work(self, *_: object) -> None: ...
    def shutdown(self, *, keep_unsaved: bool = False) -> None: ...
