"""Interface of a window for docks, drops and the list of windows, besides that for all parts.

The tables of actions name methods of the window itself, which are looked up when a table is added.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from editor_app.core.model.features import RobotFeature
from editor_app.window.actions.command_palette import CommandPalette
from editor_app.window.recovery import CrashHandler, Journaling
from editor_app.window.start import WholeOnScreen
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class EditorWindow(Workbench, Protocol):
    """A window of the editor, with its parts by name."""

    palette_box: CommandPalette
    #: The part of the feature spheres.
    fitting: Any
    crash: CrashHandler
    journaling: Journaling
    on_screen: WholeOnScreen
    parts: tuple[WindowPart, ...]

    def open_files(self, paths: list[Path]) -> None: ...
    def show_findings_of(self, text: str) -> None: ...
    def show_feature(self, feature: RobotFeature) -> None: ...
    def start_background(self, *, offer: bool = True) -> None: ...
    def keep_unsaved_work(self, *_: object) -> None: ...
    def shutdown(self, *, keep_unsaved: bool = False) -> None: ...
