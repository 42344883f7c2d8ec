"""Puts point clouds into a window: the panel Point cloud, its actions, and points in the 3D
view."""

from __future__ import annotations

from editor_app.plugins.clouds.window import panel
from editor_app.plugins.clouds.window.actions import CLOUDS
from editor_app.plugins.clouds.window.comparing import DOCK, CloudComparing
from editor_app.window.docks.docks import DockSpec
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class PointClouds(WindowPart):
    """One per window."""

    name = "point_clouds"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.comparing = CloudComparing(workbench, self)
        tip = "Measured points of the robot that no sphere covers"
        workbench.docks.register(
            DockSpec(
                DOCK, "Point cloud", "cloud", "bottom", self._make_panel, 94, tip, is_usual=False
            )
        )
        workbench.registry.add(CLOUDS, self.comparing)

    def _make_panel(self) -> panel.CloudPanel:
        return panel.CloudPanel(self.comparing, self._workbench)

    def stop(self) -> None:
        self.comparing.stop()


PART = PointClouds
