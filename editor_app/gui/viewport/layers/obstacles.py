"""The obstacles of a scene: one actor each, translucent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.gui.viewport.camera import Ray
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.picking import LinkSurface, pick_surface
from editor_app.gui.viewport.vtk_tools import add_tint, mesh_actor, mesh_poly_data, vtk_matrix

#: Vertices (n, 3) in the obstacle's frame, triangles (m, 3).
Surface = tuple[NDArray[np.float64], NDArray[np.int32]]
_REACH = 1000.0
OPACITY = 0.45


class ObstacleLayer:
    """`show` says everything; the chosen one is drawn in the accent colour, touched ones in that of errors."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._actors: dict[str, vtkActor] = {}
        self._surfaces: dict[str, tuple[Surface, LinkSurface]] = {}
        self._poses: dict[str, NDArray[np.float64]] = {}
        self._colours: SceneColours | None = None
        self._chosen = ""
        self._touched: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._actors)

    @property
    def actors(self) -> Iterable[vtkActor]:
        """What a section cuts."""
        return self._actors.values()

    def pose(self, name: str) -> NDArray[np.float64] | None:
        """(4, 4) of an obstacle that is shown."""
        return self._poses.get(name)

    def points(self) -> list[NDArray[Any]]:
        """Corners of what is shown, for framing."""
        boxes = [np.array(actor.GetBounds()).reshape(3, 2) for actor in self._actors.values()]
        return [np.array(np.meshgrid(*box)).reshape(3, -1).T for box in boxes]

    def pick(self, ray: Ray, span: tuple[float, float] = (0.0, _REACH)) -> tuple[str, NDArray[np.float64]] | None:
        """The nearest obstacle on the ray between two distances (metres), and where."""
        surfaces = {name: surface for name, (_, surface) in self._surfaces.items()}
        hit = pick_surface(ray, surfaces, self._poses, surfaces, min(span[1], _REACH), span[0])
        return None if hit is None else (hit.link, hit.point)

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        self._paint()

    def show(self, surfaces: dict[str, tuple[Surface, NDArray[np.float64]]]) -> None:
        """Surface and pose (4, 4) by name. What has the same surface as before (`is`) is only moved."""
        for name in [n for n, (old, _) in self._surfaces.items() if n not in surfaces or surfaces[n][0] is not old]:
            self._renderer.RemoveActor(self._actors.pop(name))
            del self._surfaces[name]
        for name, (surface, pose) in surfaces.items():
            if name not in self._actors:
                self._add(name, surface)
            self._actors[name].SetUserMatrix(vtk_matrix(pose))
        self._poses = {name: pose for name, (_, pose) in surfaces.items()}
        self._paint()

    def _add(self, name: str, surface: Surface) -> None:
        vertices, faces = surface
        # Corners are not shared: flat faces keep their edges.
        corners = vertices[faces].reshape(-1, 3)
        data = mesh_poly_data(corners, np.arange(3 * len(faces), dtype=np.int32).reshape(-1, 3))
        actor = mesh_actor(self._renderer, data)
        add_tint(actor)
        actor.GetProperty().SetInterpolationToFlat()
        actor.GetProperty().SetOpacity(OPACITY)
        self._actors[name] = actor
        self._surfaces[name] = (surface, LinkSurface(data))

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
