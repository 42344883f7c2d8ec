"""The ground, a grid that fades out, sized to the robot, with its spacing; the plane that a robot
stands on."""

from __future__ import annotations

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.core.arrays import F64
from editor_app.window.bindings.quantity import with_minus
from editor_app.window.viewport.layers.labels import Labels
from editor_app.window.viewport.palette import AXES, scene_colours
from editor_app.window.viewport.vtk_tools import LineSegments, mesh_actor, mesh_poly_data


def spacing_for(size: float) -> float:
    """Distance of the major lines in metres, a power of ten: 1 for an arm, 0.1 for a gripper."""
    return float(10.0 ** np.floor(np.log10(max(size, 1e-3) * 2.5)))


class GridLayer:
    """Minor lines every tenth of a major one."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._lines = LineSegments(renderer)
        # Blended as it is drawn: a pass for translucent things costs more than the whole robot.
        self._lines.actor.ForceOpaqueOn()
        self._renderer = renderer
        self.labels = Labels(renderer, size=11)
        self.spacing = 1.0
        #: How far the grid reaches, in metres.
        self.radius = 0.0
        self._height = 0.0

    def draw_last(self) -> None:
        """To be called when actors were added: before a dark mesh, lines that were blended with the
        light sky glare."""
        self._renderer.RemoveActor(self._lines.actor)
        self._renderer.AddActor(self._lines.actor)

    def set_size(self, reach: float) -> None:
        """`reach` is how far the robot reaches from the origin, in metres."""
        spacing = spacing_for(reach)
        size = float(np.ceil(1.5 * reach / spacing * 2) / 2) * spacing
        if (spacing, size) != (self.spacing, self.radius):
            self.spacing, self.radius = spacing, size
            self.restyle()

    def set_height(self, height: float) -> None:
        """z of the ground, in metres: below what walks or drives."""
        if height != self._height:
            self._height = height
            self.restyle()

    def set_visible(self, visible: bool) -> None:
        self._lines.set_visible(visible)
        self.labels.set_visible(visible)

    def restyle(self) -> None:
        if self.radius <= 0:
            return
        tones = scene_colours()
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
            rgba[..., :3] = tones.grid
            major = np.arange(-count, count + 1) % 10 == 0
            rgba[..., 3] = tones.grid_strength * np.where(major, 1.0, 0.34)[:, None, None]
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
        s = self.spacing
        lift = 0.02 * s
        places: list[tuple[F64, str]] = []
        for k in range(1, int(self.radius / s) + 1):
            for side in (1, -1):
                places.append((np.array([side * k * s, lift, self._height]), _metres(side * k * s)))
                places.append((np.array([lift, side * k * s, self._height]), _metres(side * k * s)))
        self.labels.set_style(scene_colours().ink, None, opacity=0.62)
        self.labels.set([p for p, _ in places], [t for _, t in places])


def _metres(value: float) -> str:
    return with_minus(f"{value:.10g} m")


OPACITY = 0.22


class MountLayer:
    """`show` with four corners (4, 3) in the base frame, in turn; None hides it."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._plane = mesh_actor(renderer, vtkPolyData())
        self._plane.GetProperty().SetOpacity(OPACITY)
        self._plane.GetProperty().LightingOff()
        self._edge = LineSegments(renderer, 2.0)
        self.labels = Labels(renderer, size=11)
        self._corners: F64 | None = None
        self.restyle()

    def show(self, corners: F64 | None) -> None:
        self._corners = corners
        self.restyle()

    def restyle(self) -> None:
        corners, accent = self._corners, scene_colours().accent
        visible = corners is not None
        self._plane.SetVisibility(visible)
        self._edge.set_visible(visible)
        # A corner at the side, as the robot is seen at first: neither behind it nor below the edge
        # of the view.
        corner = [] if corners is None else [corners[1]]
        self.labels.set(corner, ["mount"] * len(corner))
        if corners is None:
            return
        self._plane.GetMapper().SetInputData(
            mesh_poly_data(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32))
        )
        self._plane.GetProperty().SetColor(*accent)
        self.labels.set_style(accent, None)
        segments = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        self._edge.set(segments, np.array([*accent, 0.9]))
