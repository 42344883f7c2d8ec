"""Puts collision shapes into a window."""

from __future__ import annotations

from editor_app.plugins.collision_shapes.window.actions import SHAPES
from editor_app.plugins.collision_shapes.window.collision_dialog import show_collision_shapes
from editor_app.window.files.disk_watch import read_only
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class CollisionShapes(WindowPart):
    """One per window."""

    order = 70

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        workbench.registry.add(SHAPES, self)

    def show_collision_shapes(self) -> None:
        show_collision_shapes(self._workbench)

    def read_only_urdf(self) -> str | None:
        return read_only(self._workbench.session)


PART = CollisionShapes
