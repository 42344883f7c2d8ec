"""Temporary drawings: spheres and lines with labels of other parts, and outlines of earlier
shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkProp, vtkRenderer

from editor_app.core.arrays import F64
from editor_app.window.viewport.layers.labels import Labels
from editor_app.window.viewport.layers.meshes import DrawnLink, MeshActor
from editor_app.window.viewport.layers.spheres import SphereCloud
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.viewport.vtk_tools import LineSegments, add_rim, mesh_actor, vtk_matrix

#: By how much spheres that glow are larger (factor, metres).
_SKIN, _SKIN_ABSOLUTE = 1.02, 2e-4


class OverlayLayer:
    """Named, so that the part that shows something can replace it or take it away. All in the base
    frame, metres."""

    def __init__(
        self, renderer: vtkRenderer, front: vtkRenderer, redraw: Callable[[], None]
    ) -> None:
        """`redraw` is called after each change of what is shown."""
        self._renderer = renderer
        self._front = front
        self._redraw = redraw
        self._spheres: dict[str, SphereCloud] = {}
        self._lines: dict[str, tuple[LineSegments, Labels]] = {}
        self._scale = 1.0

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._spheres) | frozenset(self._lines)

    @property
    def labels(self) -> list[Labels]:
        return [labels for _, labels in self._lines.values()]

    @property
    def balls(self) -> list[vtkActor]:
        """The spheres of all sets, which a section cuts."""
        return [cloud.actor for cloud in self._spheres.values()]

    def actors(self, names: Sequence[str]) -> list[vtkProp]:
        """Return the actors drawn under these names."""
        props: list[vtkProp] = [
            self._spheres[name].actor for name in names if name in self._spheres
        ]
        for lines, labels in (self._lines[name] for name in names if name in self._lines):
            props += [lines.actor, labels.actor]
        return props

    def texts_of(self, name: str) -> list[tuple[F64, float, float]]:
        """Return the point (3,) of each text of a set of lines, with its width and height in
        pixels."""
        if name not in self._lines:
            return []
        labels = self._lines[name][1]
        return [(point, *labels.size_of(k)) for k, point in enumerate(labels.places)]

    def restyle(self) -> None:
        for labels in self.labels:
            labels.set_style(scene_colours().ink, scene_colours().paper)

    def set_scale(self, scale: float) -> None:
        self._scale = scale
        for labels in self.labels:
            labels.set_scale(scale)

    def set_spheres(
        self, name: str, centers: NDArray[Any], radii: NDArray[Any] | float, rgba: NDArray[Any]
    ) -> None:
        """(n, 3), (n,) or one number, and (4,) or (n, 4) in 0..1; no rows take the set away."""
        centers = np.asarray(centers, float).reshape(-1, 3)
        if not len(centers):
            self.remove(name)
            return
        cloud = self._spheres.get(name)
        if cloud is None:
            cloud = self._spheres[name] = SphereCloud()
            self._renderer.AddActor(cloud.actor)
        cloud.show(centers, radii, rgba)
        self._redraw()

    def set_glow(
        self, name: str, balls: NDArray[Any], rgba: Sequence[float], *, outer: bool = False
    ) -> None:
        """Draw spheres as `set_spheres` does, for (n, 4) spheres that are drawn already: so much
        larger that they do not flicker through, and `outer` ones not through others that glow."""
        radii = balls[:, 3] * _SKIN + (2 if outer else 1) * _SKIN_ABSOLUTE
        self.set_spheres(name, balls[:, :3], radii, np.array(rgba))

    def set_lines(
        self,
        name: str,
        points: NDArray[Any],
        rgba: NDArray[Any],
        labels: Sequence[str] = (),
        width: float = 2.0,
    ) -> None:
        """(n, 2, 3) ends, (4,) or (n, 4) colours in 0..1, and a text for the middle of each ("" for
        none)."""
        ends = np.asarray(points, float).reshape(-1, 2, 3)
        if not len(ends):
            self.remove(name)
            return
        if name not in self._lines:
            texts = Labels(self._front)
            self._lines[name] = LineSegments(self._front), texts
            texts.set_scale(self._scale)
            texts.set_style(scene_colours().ink, scene_colours().paper)
        lines, texts = self._lines[name]
        lines.actor.GetProperty().SetLineWidth(width)
        lines.set(ends, rgba)
        written = [(e.mean(axis=0), t) for e, t in zip(ends, labels, strict=False) if t]
        texts.set([p for p, _ in written], [t for _, t in written])
        self._redraw()

    def remove(self, name: str) -> None:
        """Takes away what was shown under that name; nothing happens when there is nothing."""
        cloud = self._spheres.pop(name, None)
        if cloud is not None:
            self._renderer.RemoveActor(cloud.actor)
        lines = self._lines.pop(name, None)
        if lines is not None:
            self._front.RemoveActor(lines[0].actor)
            self._front.RemoveViewProp(lines[1].actor)
        if cloud is not None or lines is not None:
            self._redraw()

    def clear(self) -> None:
        for name in self.names:
            self.remove(name)


#: Of outlines, and of the faces of meshes; their rims are denser.
_LINE, _FACE = 0.9, 0.14


class GhostLayer:
    """`show_spheres` and `show_link` add; `clear_…` takes away."""

    def __init__(self, renderer: vtkRenderer, front: vtkRenderer) -> None:
        self._renderer = renderer
        self._balls = SphereCloud(ring=True)
        front.AddActor(self._balls.actor)
        #: By link: its pieces, each with an actor that shares its arrays: they are not sent to the
        #: graphics card again.
        self._parts: dict[str, list[tuple[MeshActor, vtkActor]]] = {}
        self._shown = True

    @property
    def links(self) -> frozenset[str]:
        return frozenset(self._parts)

    @property
    def balls(self) -> tuple[F64, F64]:
        """(n, 3) centres and (n,) radii of the outlines, in the base frame (metres)."""
        return self._balls.centers.astype(float), self._balls.radii.astype(float)

    @property
    def is_drawn(self) -> bool:
        return self._shown and bool(self._parts or len(self._balls.radii))

    def restyle(self) -> None:
        for _, actor in self._all_parts():
            actor.GetProperty().SetColor(*scene_colours().former)
        self.show_spheres(*self.balls)

    def show_spheres(self, centers: F64, radii: F64) -> None:
        """(n, 3) and (n,) in the base frame, in the place of what was shown."""
        self._balls.show(centers, radii, np.array([*scene_colours().former, _LINE]))

    def show_link(self, link: str, mesh: DrawnLink, pose: F64) -> None:
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
            actor.GetProperty().SetColor(*scene_colours().former)
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
        self._balls.set_visible(shown)

    def set_coarse(self, coarse: bool) -> None:
        """The copies of a link with fewer triangles may have been made: they are drawn, coarse or
        not."""
        for piece, actor in self._all_parts():
            if actor.GetMapper().GetInput() is not piece.lightest:
                actor.GetMapper().SetInputData(piece.lightest)

    def _all_parts(self) -> list[tuple[MeshActor, vtkActor]]:
        return [part for parts in self._parts.values() for part in parts]
