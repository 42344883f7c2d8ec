"""Things that other parts show for a while: sets of spheres (previews, overlaps) and lines with labels (distances)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkProp, vtkRenderer

from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.layers.spheres import SphereCloud
from editor_app.gui.viewport.palette import SceneColours
from editor_app.gui.viewport.vtk_tools import Lines


class OverlayLayer:
    """Named, so that the part that shows something can replace it or take it away. All in the base frame, metres."""

    def __init__(self, renderer: vtkRenderer, front: vtkRenderer, redraw: Callable[[], None]) -> None:
        """`redraw` is called after each change of what is shown."""
        self._renderer = renderer
        self._front = front
        self._redraw = redraw
        self._spheres: dict[str, SphereCloud] = {}
        self._lines: dict[str, tuple[Lines, Labels]] = {}
        self._colours: SceneColours | None = None
        self._scale = 1.0

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._spheres) | frozenset(self._lines)

    @property
    def labels(self) -> list[Labels]:
        """The texts of all lines."""
        return [labels for _, labels in self._lines.values()]

    @property
    def balls(self) -> list[vtkActor]:
        """The spheres of all sets, which a section cuts."""
        return [cloud.actor for cloud in self._spheres.values()]

    def actors(self, names: Sequence[str]) -> list[vtkProp]:
        """What is drawn under these names, where there is anything."""
        props: list[vtkProp] = [self._spheres[name].actor for name in names if name in self._spheres]
        for lines, labels in (self._lines[name] for name in names if name in self._lines):
            props += [lines.actor, labels.actor]
        return props

    def texts_of(self, name: str) -> list[tuple[NDArray[np.float64], float, float]]:
        """Of each text of a set of lines the point (3,) that it is drawn at, its width and height in pixels."""
        if name not in self._lines:
            return []
        labels = self._lines[name][1]
        return [(point, *labels.size_of(k)) for k, point in enumerate(labels.places)]

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        for labels in self.labels:
            labels.set_style(colours.ink, colours.paper)

    def set_scale(self, scale: float) -> None:
        self._scale = scale
        for labels in self.labels:
            labels.set_scale(scale)

    def set_spheres(self, name: str, centers: NDArray[Any], radii: NDArray[Any] | float, rgba: NDArray[Any]) -> None:
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

    def set_lines(
        self, name: str, points: NDArray[Any], rgba: NDArray[Any], labels: Sequence[str] = (), width: float = 2.0
    ) -> None:
        """(n, 2, 3) ends, (4,) or (n, 4) colours in 0..1, and a text for the middle of each ("" for none)."""
        ends = np.asarray(points, float).reshape(-1, 2, 3)
        if not len(ends):
            self.remove(name)
            return
        if name not in self._lines:
            texts = Labels(self._front)
            self._lines[name] = Lines(self._front), texts
            texts.set_scale(self._scale)
            if self._colours is not None:
                texts.set_style(self._colours.ink, self._colours.paper)
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
