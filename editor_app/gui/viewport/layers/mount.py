"""The plane that a robot stands on: a translucent square below its base, with its edge and its name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.vtk_tools import Lines, mesh_actor, mesh_poly_data

OPACITY = 0.22


class MountLayer:
    """`show` with four corners (4, 3) in the base frame, in turn; None hides it."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._plane = mesh_actor(renderer, vtkPolyData())
        self._plane.GetProperty().SetOpacity(OPACITY)
        self._plane.GetProperty().LightingOff()
        self._edge = Lines(renderer, 2.0)
        self.labels = Labels(renderer, size=11)
        self._colours: SceneColours | None = None
        self._corners: NDArray[np.float64] | None = None
        self._draw()

    @property
    def is_shown(self) -> bool:
        return bool(self._plane.GetVisibility())

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        self._draw()

    def show(self, corners: NDArray[np.float64] | None) -> None:
        self._corners = corners
        self._draw()

    def _draw(self) -> None:
        corners, colours = self._corners, self._colours
        visible = corners is not None and colours is not None
        self._plane.SetVisibility(visible)
        self._edge.set_visible(visible)
        # A corner at the side, as the robot is seen at first: neither behind it nor below the edge of the view.
        corner = [] if corners is None else [corners[1]]
        self.labels.set(corner, ["mount"] * len(corner))
        if corners is None or colours is None:
            return
        self._plane.GetMapper().SetInputData(mesh_poly_data(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)))
        self._plane.GetProperty().SetColor(*colours.accent)
        self.labels.set_style(colours.accent, None)
        segments = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        self._edge.set(segments, np.array([*colours.accent, 0.9]))
