"""The plane that a robot stands on: a translucent square below its base, with its edge and its name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.vtk_tools import line_actor, mesh_poly_data, set_lines

OPACITY = 0.22


class MountLayer:
    """`show` with four corners (4, 3) in the base frame, in turn; None hides it."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._edge_data = vtkPolyData()
        self._edge = line_actor(self._edge_data, 2.0)
        self._mapper = vtkPolyDataMapper()
        self._plane = vtkActor()
        self._plane.SetMapper(self._mapper)
        self._plane.SetPickable(False)
        self._plane.GetProperty().SetOpacity(OPACITY)
        self._plane.GetProperty().LightingOff()
        self._edge.SetPickable(False)
        self.labels = Labels(renderer, size=11)
        self._colours: SceneColours | None = None
        self._corners: NDArray[np.float64] | None = None
        for actor in (self._plane, self._edge):
            actor.SetVisibility(False)
            renderer.AddActor(actor)

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
        self._edge.SetVisibility(visible)
        # A corner at the side, as the robot is seen at first: neither behind it nor below the edge of the view.
        corner = [] if corners is None else [corners[1]]
        self.labels.set(corner, ["mount"] * len(corner))
        if corners is None or colours is None:
            return
        self._mapper.SetInputData(mesh_poly_data(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)))
        self._plane.GetProperty().SetColor(*colours.accent)
        self.labels.set_style(colours.accent, None)
        segments = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        rgba = np.empty((4, 2, 4))
        rgba[..., :3], rgba[..., 3] = colours.accent, 0.9
        set_lines(self._edge_data, segments, rgba)
