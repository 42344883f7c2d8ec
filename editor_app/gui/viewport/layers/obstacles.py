"""The obstacles of a scene: one actor each, translucent, in the base frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.vtk_tools import mesh_poly_data

#: Vertices (n, 3) in the base frame, triangles (m, 3).
Surface = tuple[NDArray[np.float64], NDArray[np.int32]]
OPACITY = 0.45


class ObstacleLayer:
    """`show` replaces everything; the chosen one is drawn in the accent colour, touched ones in that of errors."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._actors: dict[str, vtkActor] = {}
        self._colours: SceneColours | None = None
        self._chosen = ""
        self._touched: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._actors)

    def points(self) -> list[NDArray[Any]]:
        """Corners of what is shown, for framing."""
        boxes = [np.array(actor.GetBounds()).reshape(3, 2) for actor in self._actors.values()]
        return [np.array(np.meshgrid(*box)).reshape(3, -1).T for box in boxes]

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        self._paint()

    def show(self, surfaces: dict[str, Surface]) -> None:
        for actor in self._actors.values():
            self._renderer.RemoveActor(actor)
        self._actors = {}
        for name, (vertices, faces) in surfaces.items():
            mapper = vtkPolyDataMapper()
            # Corners are not shared: flat faces keep their edges.
            mapper.SetInputData(
                mesh_poly_data(vertices[faces].reshape(-1, 3), np.arange(3 * len(faces), dtype=np.int32).reshape(-1, 3))
            )
            actor = vtkActor()
            actor.SetMapper(mapper)
            actor.SetPickable(False)
            actor.GetProperty().SetInterpolationToFlat()
            actor.GetProperty().SetOpacity(OPACITY)
            self._renderer.AddActor(actor)
            self._actors[name] = actor
        self._paint()

    def mark(self, chosen: str, touched: frozenset[str]) -> None:
        self._chosen, self._touched = chosen, touched
        self._paint()

    def _paint(self) -> None:
        if self._colours is None:
            return
        for name, actor in self._actors.items():
            colour = self._colours.collision
            if name in self._touched:
                colour = self._colours.error
            elif name == self._chosen:
                colour = self._colours.accent
            actor.GetProperty().SetColor(*colour)
