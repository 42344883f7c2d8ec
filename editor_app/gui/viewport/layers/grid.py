"""The ground: a grid in the base plane, or below feet and wheels, that fades out.

It is sized to the robot, and its spacing is written at it.
"""

from __future__ import annotations

import numpy as np
from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.gui.bindings.quantity import with_minus
from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.palette import AXES, SceneColours
from editor_app.gui.viewport.vtk_tools import Array, Lines


def spacing_for(size: float) -> float:
    """Distance of the major lines in metres, a power of ten: 1 for an arm, 0.1 for a gripper."""
    return float(10.0 ** np.floor(np.log10(max(size, 1e-3) * 2.5)))


class GridLayer:
    """Minor lines every tenth of a major one."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._lines = Lines(renderer)
        # Blended as it is drawn: a pass for translucent things costs more than the whole robot.
        self._lines.actor.ForceOpaqueOn()
        self._renderer = renderer
        self.labels = Labels(renderer, size=11)
        self.spacing = 1.0
        #: How far the grid reaches, in metres.
        self.radius = 0.0
        self._height = 0.0
        self._colours: SceneColours | None = None

    def draw_last(self) -> None:
        """To be called when actors were added: before a dark mesh, lines that were blended with the light sky glare."""
        self._renderer.RemoveActor(self._lines.actor)
        self._renderer.AddActor(self._lines.actor)

    def set_theme(self, colours: SceneColours) -> None:
        self._colours = colours
        self._draw()

    def set_size(self, reach: float) -> None:
        """`reach` is how far the robot reaches from the origin, in metres."""
        spacing = spacing_for(reach)
        size = float(np.ceil(1.5 * reach / spacing * 2) / 2) * spacing
        if (spacing, size) != (self.spacing, self.radius):
            self.spacing, self.radius = spacing, size
            self._draw()

    def set_height(self, height: float) -> None:
        """z of the ground, in metres: below what walks or drives."""
        if height != self._height:
            self._height = height
            self._draw()

    def set_visible(self, visible: bool) -> None:
        self._lines.set_visible(visible)
        self.labels.set_visible(visible)

    def _draw(self) -> None:
        if self._colours is None or self.radius <= 0:
            return
        minor = self.spacing / 10
        count = round(self.radius / minor)
        offsets = np.arange(-count, count + 1) * minor
        # Short pieces, so that the fading can be seen along a line as well.
        pieces = np.linspace(-1.0, 1.0, 33) * self.radius
        starts, ends = pieces[:-1], pieces[1:]
        segments, colours = [], []
        for axis in (0, 1):
            points = np.zeros((len(offsets), len(starts), 2, 3))
            points[..., 2] = self._height
            points[:, :, :, 1 - axis] = offsets[:, None, None]
            points[:, :, 0, axis], points[:, :, 1, axis] = starts, ends
            rgba = np.empty((*points.shape[:3], 4))
            rgba[..., :3] = self._colours.grid
            major = np.arange(-count, count + 1) % 10 == 0
            rgba[..., 3] = self._colours.grid_strength * np.where(major, 1.0, 0.34)[:, None, None]
            # The two axes through the origin have the axes' colours, as in any modeller.
            rgba[count, :, :, :3] = AXES[axis]
            rgba[count, :, :, 3] = 0.75
            away = np.linalg.norm(points[..., :2], axis=-1) / self.radius
            rgba[..., 3] *= np.clip(1.0 - away, 0.0, 1.0) ** 0.8
            segments.append(points.reshape(-1, 2, 3))
            colours.append(rgba.reshape(-1, 2, 4))
        points, rgba = np.concatenate(segments), np.concatenate(colours)
        seen = rgba[..., 3].max(axis=1) > 0.004
        self._lines.set(points[seen], rgba[seen])
        self._label()

    def _label(self) -> None:
        assert self._colours is not None
        s = self.spacing
        lift = 0.02 * s
        places: list[tuple[Array, str]] = []
        for k in range(1, int(self.radius / s) + 1):
            for side in (1, -1):
                places.append((np.array([side * k * s, lift, self._height]), _metres(side * k * s)))
                places.append((np.array([lift, side * k * s, self._height]), _metres(side * k * s)))
        self.labels.set_style(self._colours.ink, None, opacity=0.62)
        self.labels.set([p for p, _ in places], [t for _, t in places])


def _metres(value: float) -> str:
    return with_minus(f"{value:.10g} m")
