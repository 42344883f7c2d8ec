"""Meshes of links coloured by how well spheres cover them; drawn in the place of their usual meshes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.gui.viewport.vtk_tools import Array, add_tint, bytes_array, mesh_actor, mesh_poly_data, vtk_matrix

#: Uncovered, covered exactly, standing out (0..1); readable on light and dark grounds and for colour-blind eyes.
UNCOVERED = np.array([0.80, 0.07, 0.10])
NEUTRAL = np.array([0.95, 0.95, 0.94])
OUTSIDE = np.array([0.10, 0.33, 0.82])


def colours_of(values: NDArray[Any], scale: float) -> Array:
    """(n, 3) colours in 0..1 for signed depths in metres; `scale` is the depth that has the full colour."""
    share = np.clip(np.abs(values) / max(scale, 1e-9), 0.0, 1.0)[:, None] ** 0.75
    # What is uncovered at all must not pass for covered.
    open_ = values[:, None] > 1e-6
    share = np.where(open_, np.maximum(share, 0.3), share)
    end = np.where(open_, UNCOVERED, OUTSIDE)
    colours: Array = NEUTRAL * (1 - share) + end * share
    return colours


class HeatMapLayer:
    """One actor per link."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._actors: dict[str, vtkActor] = {}
        self._hidden: frozenset[str] = frozenset()

    @property
    def links(self) -> frozenset[str]:
        return frozenset(self._actors)

    @property
    def actors(self) -> list[vtkActor]:
        """What a section cuts."""
        return list(self._actors.values())

    def set_mesh(self, link: str, vertices: NDArray[Any], faces: NDArray[Any]) -> None:
        """Replaces the mesh of a link (in its frame); white until `set_values`."""
        self.remove(link)
        actor = self._actors[link] = mesh_actor(self._renderer, mesh_poly_data(vertices, faces))
        self._paint(actor, np.full((len(vertices), 3), 0.94))
        add_tint(actor)
        prop = actor.GetProperty()
        # Flat shading by the triangle: the subdivided mesh has no normals, and colours carry the meaning.
        prop.SetAmbient(0.5)
        prop.SetDiffuse(0.55)
        prop.SetSpecular(0.0)

    def set_values(self, link: str, values: NDArray[Any], scale: float) -> None:
        """Signed depths (n) in metres at the vertices: positive uncovered, negative inside the spheres."""
        actor = self._actors.get(link)
        if actor is not None:
            self._paint(actor, colours_of(values, scale))

    @staticmethod
    def _paint(actor: vtkActor, colours: Array) -> None:
        actor.GetMapper().GetInput().GetPointData().SetScalars(bytes_array(colours))

    def set_poses(self, poses: Mapping[str, Array]) -> None:
        for link, actor in self._actors.items():
            pose = poses.get(link)
            actor.SetVisibility(pose is not None and link not in self._hidden)
            if pose is not None:
                actor.SetUserMatrix(vtk_matrix(pose))

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden

    def remove(self, link: str) -> None:
        actor = self._actors.pop(link, None)
        if actor is not None:
            self._renderer.RemoveActor(actor)

    def clear(self) -> None:
        for link in tuple(self._actors):
            self.remove(link)
