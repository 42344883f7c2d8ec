"""What was, beside what is: outlines of spheres and faint meshes of links in a quiet colour. None of it is picked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.gui.viewport.layers.meshes import LinkMesh
from editor_app.gui.viewport.layers.spheres import SphereCloud
from editor_app.gui.viewport.pace import Work
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.vtk_tools import Array, add_rim, vtk_matrix

#: Of outlines, and of the faces of meshes; their rims are denser.
_LINE, _FACE = 0.9, 0.14


@dataclass(eq=False)
class _Part:
    """The copy of one actor of a link: it shares the arrays, so that nothing is sent to the graphics card again."""

    mesh: LinkMesh
    index: int
    actor: vtkActor
    mapper: vtkPolyDataMapper


class GhostLayer:
    """`show_spheres` and `show_link` add; `clear_…` takes away."""

    def __init__(self, renderer: vtkRenderer, front: vtkRenderer) -> None:
        self._renderer = renderer
        self._balls = SphereCloud(ring=True)
        front.AddActor(self._balls.actor)
        self._parts: dict[str, list[_Part]] = {}
        self._colours: SceneColours | None = None
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
        self._paint()

    def show_spheres(self, centers: Array, radii: Array) -> None:
        """(n, 3) and (n,) in the base frame, in the place of what was shown."""
        balls = self._balls
        if len(balls.radii) != len(radii):
            balls.resize(len(radii))
        balls.centers[:] = centers
        balls.radii[:] = radii
        self._paint_balls()

    def show_link(self, link: str, mesh: LinkMesh, pose: Array) -> None:
        """The mesh of a link at (4, 4); nothing happens when it is shown already."""
        if link in self._parts:
            return
        matrix = vtk_matrix(pose)
        parts = self._parts[link] = []
        for index in range(len(mesh.actors)):
            mapper = vtkPolyDataMapper()
            mapper.SetInputData(mesh.lightest(index))
            mapper.ScalarVisibilityOff()
            actor = vtkActor()
            actor.SetMapper(mapper)
            actor.PickableOff()
            actor.SetUserMatrix(matrix)
            actor.SetVisibility(self._shown)
            actor.GetProperty().SetOpacity(_FACE)
            add_rim(actor, 0.55)
            parts.append(_Part(mesh, index, actor, mapper))
            self._renderer.AddActor(actor)
        self._paint()

    def clear_links(self, links: Iterable[str] | None = None) -> None:
        """Takes the meshes of some links away; None: of all."""
        for link in tuple(self._parts) if links is None else tuple(links):
            for part in self._parts.pop(link, ()):
                self._renderer.RemoveActor(part.actor)

    def set_shown(self, shown: bool) -> None:
        """Leaves it out of a picture, or puts it back."""
        self._shown = shown
        for part in self._all_parts():
            part.actor.SetVisibility(shown)
        self._balls.actor.SetVisibility(shown and len(self._balls.radii) > 0)

    # -- copies with fewer triangles

    def coarse_work(self) -> Work | None:
        """None: the copies of the links are used."""
        return None

    def set_coarse(self, coarse: bool) -> None:
        """The copies of a link may be there now."""
        for part in self._all_parts():
            data = part.mesh.lightest(part.index)
            if part.mapper.GetInput() is not data:
                part.mapper.SetInputData(data)

    # -- looks

    def _all_parts(self) -> list[_Part]:
        return [part for parts in self._parts.values() for part in parts]

    def _paint(self) -> None:
        if self._colours is None:
            return
        for part in self._all_parts():
            part.actor.GetProperty().SetColor(*self._colours.former)
        self._paint_balls()

    def _paint_balls(self) -> None:
        if self._colours is not None and len(self._balls.radii):
            self._balls.colours[:] = np.array([*self._colours.former, _LINE]) * 255
            self._balls.changed()
        self._balls.actor.SetVisibility(self._shown and len(self._balls.radii) > 0)
