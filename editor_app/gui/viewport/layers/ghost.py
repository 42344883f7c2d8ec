"""What was, beside what is: outlines of spheres and faint meshes of links in a quiet colour. None of it is picked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.gui.viewport.layers.meshes import LinkMesh, Piece
from editor_app.gui.viewport.layers.spheres import SphereCloud
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.vtk_tools import Array, add_rim, mesh_actor, vtk_matrix

#: Of outlines, and of the faces of meshes; their rims are denser.
_LINE, _FACE = 0.9, 0.14


class GhostLayer:
    """`show_spheres` and `show_link` add; `clear_…` takes away. Nothing is shown before `set_theme`."""

    _colours: SceneColours

    def __init__(self, renderer: vtkRenderer, front: vtkRenderer) -> None:
        self._renderer = renderer
        self._balls = SphereCloud(ring=True)
        front.AddActor(self._balls.actor)
        #: By link: its pieces, each with an actor that shares its arrays: they are not sent to the graphics card again.
        self._parts: dict[str, list[tuple[Piece, vtkActor]]] = {}
        self._shown = True

    @property
    def links(self) -> frozenset[str]:
        """Links that are drawn as they were."""
        return frozenset(self._parts)

    @property
    def balls(self) -> tuple[Array, Array]:
        """(n, 3) centres and (n,) radii of the outlines, in the base frame (metres)."""
        return self._balls.centers.astype(float), self._balls.radii.astype(float)

    @property
    def is_drawn(self) -> bool:
        """Whether anything of it is in the view."""
        return self._shown and bool(self._parts or len(self._balls.radii))

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        for _, actor in self._all_parts():
            actor.GetProperty().SetColor(*colours.former)
        self.show_spheres(*self.balls)

    def show_spheres(self, centers: Array, radii: Array) -> None:
        """(n, 3) and (n,) in the base frame, in the place of what was shown."""
        self._balls.show(centers, radii, np.array([*self._colours.former, _LINE]))
        self._balls.actor.SetVisibility(self._shown and len(radii) > 0)

    def show_link(self, link: str, mesh: LinkMesh, pose: Array) -> None:
        """The mesh of a link at (4, 4); nothing happens when it is shown already."""
        if link in self._parts:
            return
        parts = self._parts[link] = []
        for piece in mesh.pieces:
            actor = mesh_actor(self._renderer, piece.lightest)
            actor.GetMapper().ScalarVisibilityOff()
            actor.SetUserMatrix(vtk_matrix(pose))
            actor.SetVisibility(self._shown)
            actor.GetProperty().SetOpacity(_FACE)
            actor.GetProperty().SetColor(*self._colours.former)
            add_rim(actor, 0.55)
            parts.append((piece, actor))

    def clear_links(self, links: Iterable[str] | None = None) -> None:
        """Takes the meshes of some links away; None: of all."""
        for link in tuple(self._parts) if links is None else tuple(links):
            for _, actor in self._parts.pop(link, ()):
                self._renderer.RemoveActor(actor)

    def set_shown(self, shown: bool) -> None:
        """Leaves it out of a picture, or puts it back."""
        self._shown = shown
        for _, actor in self._all_parts():
            actor.SetVisibility(shown)
        self._balls.actor.SetVisibility(shown and len(self._balls.radii) > 0)

    def set_coarse(self, coarse: bool) -> None:
        """The copies of a link with fewer triangles may have been made: they are drawn, coarse or not."""
        for piece, actor in self._all_parts():
            if actor.GetMapper().GetInput() is not piece.lightest:
                actor.GetMapper().SetInputData(piece.lightest)

    def _all_parts(self) -> list[tuple[Piece, vtkActor]]:
        return [part for parts in self._parts.values() for part in parts]
