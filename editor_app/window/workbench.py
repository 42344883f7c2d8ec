"""Interface of the window for its parts, which receive this, not the window that assembles them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QMainWindow

from editor_app.core.model.findings import Finding
from editor_app.window.actions.actions import ActionRegistry, MenuBuilder
from editor_app.window.docks.central import CentralArea
from editor_app.window.docks.docks import Docks
from editor_app.window.docks.status_bar import StatusBar
from editor_app.window.files.document_files import DocumentFiles
from editor_app.window.findings_feed import FindingsFeed
from editor_app.window.jobs import Jobs
from editor_app.window.joints.pose_book import PoseBook
from editor_app.window.mesh_store import WindowMeshes
from editor_app.window.session import Session
from editor_app.window.settings import Settings
from editor_app.window.start import Start
from editor_app.window.viewport import view

Part = TypeVar("Part")


class Workbench(Protocol):
    """One per window. Its members do not change, except that the 3D view comes after the window is
    shown."""

    session: Session
    settings: Settings
    jobs: Jobs
    start: Start
    registry: ActionRegistry
    menus: MenuBuilder
    feed: FindingsFeed
    files: DocumentFiles
    meshes: WindowMeshes
    poses: PoseBook
    docks: Docks
    central: CentralArea
    status: StatusBar
    #: Arguments of xacro files (name:=value each) from the command line.
    xacro_arguments: Sequence[str]
    #: The 3D view; None until `viewport_ready`, which carries it.
    viewport: view.Viewport | None

    def part(self, kind: type[Part]) -> Part:
        """The part of that class, which a feature made for this window before. Raises
        StopIteration."""

    @property
    def viewport_ready(self) -> SignalInstance: ...

    @property
    def qt_window(self) -> QMainWindow:
        """The window as Qt knows it: what dialogs belong to, and whose docks are resized."""

    def show_place(self, finding: Finding) -> None:
        """Open the section of the XRDF that a finding is about."""

    def session_path(self) -> Path | None:
        """The URDF's path, by which settings of a robot are found; None without a robot."""
