"""Meshes of links coloured by how well spheres cover them; drawn in the place of their usual meshes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.gui.viewport.vtk_tools import Array, add_tint, mesh_actor, mesh_poly_data, vtk_matrix

#: Uncovered, covered exactly, standing out (0..1); readable on light and dark grounds and for colour-blind eyes.
UNCOVERED = np.array([0.80, 0.07, 0.10])
NEUTRAL = np.array([0.95, 0.95, 0.94])
OUTSIDE = np.array([0.10, 0.33, 0.82])


def colours_of(values: NDArray[Any], scale: float) -> NDArray[np.uint8]:
    """(n, 3) bytes for signed depths in metres; `scale` is the depth that has the full colour."""
    share = np.clip(np.abs(values) / max(scale, 1e-9), 0.0, 1.0)[:, None] ** 0.75
    # What is uncovered at all must not pass for covered.
    open_ = values[:, None] > 1e-6
    share = np.where(open_, np.maximum(share, 0.3), share)
    end = np.where(open_, UNCOVERED, OUTSIDE)
    return np.asarray((NEUTRAL * (1 - share) + end * share) * 255 + 0.5, np.uint8)


@dataclass(eq=False)
class _Entry:
    actor: vtkActor
    data: Any
    colours: NDArray[np.uint8]
    array: Any


class HeatMapLayer:
    """One actor per link."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._renderer = renderer
        self._entries: dict[str, _Entry] = {}
        self._hidden: frozenset[str] = frozenset()

    @property
    def links(self) -> frozenset[str]:
        return frozenset(self._entries)

    @property
    def actors(self) -> list[vtkActor]:
        """What a section cuts."""
        return [entry.actor for entry in self._entries.values()]

    def set_mesh(self, link: str, vertices: NDArray[Any], faces: NDArray[Any]) -> None:
        """Replaces the mesh of a link (in its frame); white until `set_values`."""
        self.remove(link)
        data = mesh_poly_data(vertices, faces)
        colours = np.full((len(vertices), 3), 240, np.uint8)
        array = numpy_to_vtk(colours)
        array.SetName("deviation")
        data.GetPointData().SetScalars(array)
        actor = mesh_actor(self._renderer, data)
        add_tint(actor)
        prop = actor.GetProperty()
        # Flat shading by the triangle: the subdivided mesh has no normals, and colours carry the meaning.
        prop.SetAmbient(0.5)
        prop.SetDiffuse(0.55)
        prop.SetSpecular(0.0)
        self._entries[link] = _Entry(actor, data, colours, array)

    def set_values(self, link: str, values: NDArray[Any], scale: float) -> None:
        """Signed depths (n) in metres at the vertices: positive uncovered, negative inside the spheres."""
        entry = self._entries.get(link)
        if entry is not None:
            entry.colours[:] = colours_of(values, scale)
            entry.array.Modified()
            entry.data.Modified()

    def set_poses(self, poses: Mapping[str, Array]) -> None:
        for link, entry in self._entries.items():
            pose = poses.get(link)
            entry.actor.SetVisibility(pose is not None and link not in self._hidden)
            if pose is not None:
                entry.actor.SetUserMatrix(vtk_matrix(pose))

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden

    def remove(self, link: str) -> None:
        entry = self._entries.pop(link, None)
        if entry is not None:
            self._renderer.RemoveActor(entry.actor)

    def clear(self) -> None:
        for link in tuple(self._entries):
            self.remove(link)
