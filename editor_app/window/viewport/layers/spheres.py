"""All collision spheres as one actor of impostors; those without a radius as wire crosses in
circles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer
from vtkmodules.vtkRenderingOpenGL2 import vtkOpenGLSphereMapper

from editor_app.core.arrays import F64, I64
from editor_app.core.model.findings import SphereRef
from editor_app.window.viewport.palette import LINK_COLOURS, scene_colours
from editor_app.window.viewport.sphere_table import SphereTable
from editor_app.window.viewport.vtk_tools import (
    LineSegments,
    add_ball_cut,
    add_rim,
    add_ring,
    circle,
)


class SphereCloud:
    """One actor for any number of spheres; shared memory with the arrays that are set."""

    def __init__(self, *, ring: bool = False) -> None:
        """`ring`: outlines alone."""
        self._data = vtkPolyData()
        mapper = vtkOpenGLSphereMapper()
        mapper.SetInputData(self._data)
        mapper.SetScaleArray("radius")
        mapper.SetScalarModeToUsePointFieldData()
        mapper.SelectColorArray("colour")
        mapper.SetColorModeToDirectScalars()
        self.actor = vtkActor()
        self.actor.SetMapper(mapper)
        self.actor.PickableOff()
        prop = self.actor.GetProperty()
        prop.SetAmbient(0.28)
        prop.SetDiffuse(0.78)
        prop.SetSpecular(0.12)
        prop.SetSpecularPower(30)
        if ring:
            prop.SetAmbient(1.0)
            prop.SetDiffuse(0.0)
            prop.SetSpecular(0.0)
            add_ring(self.actor)
        else:
            add_rim(self.actor)
        add_ball_cut(self.actor)
        self._in_order = True
        self._translucent, self._is_wanted = False, True
        self.resize(0)

    def resize(self, count: int) -> None:
        self.centers = np.zeros((count, 3), np.float32)
        self.radii = np.zeros(count, np.float32)
        self.colours = np.zeros((count, 4), np.uint8)
        points = vtkPoints()
        self._points_data = numpy_to_vtk(self.centers)
        points.SetData(self._points_data)
        self._points = points
        self._radius_data = numpy_to_vtk(self.radii)
        self._radius_data.SetName("radius")
        self._colour_data = numpy_to_vtk(self.colours)
        self._colour_data.SetName("colour")
        self._data.Initialize()
        self._data.SetPoints(points)
        # The mapper draws points, but nothing at all of a data set without cells.
        cells = vtkCellArray()
        cells.SetData(1, numpy_to_vtk(np.arange(count, dtype=np.int32), deep=True))
        self._data.SetVerts(cells)
        self._data.GetPointData().AddArray(self._radius_data)
        self._data.GetPointData().AddArray(self._colour_data)
        self.set_visible(self._is_wanted)

    def set_visible(self, visible: bool) -> None:
        """Return whether the spheres are drawn where there are any."""
        self._is_wanted = visible
        self.actor.SetVisibility(visible and len(self.radii) > 0)

    def show(self, centers: NDArray[Any], radii: NDArray[Any] | float, rgba: NDArray[Any]) -> None:
        """(n, 3) centres, (n,) or one radius, (4,) or (n, 4) colours in 0..1, in the place of what
        was shown."""
        if len(self.radii) != len(centers):
            self.resize(len(centers))
        self.centers[:], self.radii[:], self.colours[:] = centers, radii, np.clip(rgba, 0, 1) * 255
        self.changed()

    def changed(self, *, places: bool = True, colours: bool = True) -> None:
        """Tells VTK that the shared arrays have other numbers now."""
        if places:
            self._points_data.Modified()
            self._points.Modified()
            self._radius_data.Modified()
        if colours:
            self._colour_data.Modified()
            self._translucent = bool(np.any(self.colours[self.radii > 0, 3] < 255))
            self._choose_pass()
        self._data.Modified()

    def set_in_order(self, in_order: bool) -> None:
        """Without, translucent spheres are blended as they come: wrong behind each other, but twice
        as quick."""
        self._in_order = in_order
        self._choose_pass()

    def _choose_pass(self) -> None:
        translucent = self._translucent and self._in_order
        self.actor.SetForceTranslucent(translucent)
        self.actor.SetForceOpaque(not translucent)


class SphereLayer:
    """Draws a SphereTable."""

    def __init__(self, renderer: vtkRenderer, front: vtkRenderer, table: SphereTable) -> None:
        self._table = table
        self._cloud = SphereCloud()
        #: Outlines of the selected ones, drawn over the meshes that they may lie in.
        self._halo = SphereCloud(ring=True)
        front.AddActor(self._halo.actor)
        self._hollow = LineSegments(renderer, 1.5)
        self._renderer = renderer
        self.draw_last()
        self._link_index: dict[str, int] = {}
        self._base = np.zeros((0, 3))
        self._opacity = 0.55
        #: What stands out: selected spheres, spheres of frames (of selected links) a little, the
        #: sphere pointed at.
        self._marks: tuple[tuple[SphereRef, ...], frozenset[str], SphereRef | None] = (
            (),
            frozenset(),
            None,
        )
        self._faded: frozenset[str] = frozenset()

    @property
    def actors(self) -> tuple[vtkActor, vtkActor]:
        """Balls and crosses."""
        return self._cloud.actor, self._hollow.actor

    def draw_last(self) -> None:
        """To be called when actors were added: spheres that are blended as they come need
        everything behind them."""
        self._renderer.RemoveActor(self._cloud.actor)
        self._renderer.AddActor(self._cloud.actor)

    def set_links(self, links: Iterable[str]) -> None:
        """Names in the order of the URDF: the place decides the colour; other frames get those
        after."""
        self._link_index = {name: i for i, name in enumerate(links)}

    def set_visible(self, visible: bool) -> None:
        for part in (self._cloud, self._hollow, self._halo):
            part.set_visible(visible)

    def set_opacity(self, opacity: float) -> None:
        if opacity != self._opacity:
            self._opacity = opacity
            self.restyle()

    def set_marks(
        self, selected: tuple[SphereRef, ...], frames: frozenset[str], hovered: SphereRef | None
    ) -> None:
        if self._marks != (selected, frames, hovered):
            self._marks = (selected, frames, hovered)
            self.restyle()

    def set_faded(self, frames: frozenset[str]) -> None:
        if frames != self._faded:
            self._faded = frames
            self.restyle()

    # -- following the table

    def rebuild(self) -> None:
        """The table has other rows."""
        table = self._table
        self._cloud.resize(len(table))
        extra: dict[str, int] = {}
        order = []
        for frame in table.frames:
            place = self._link_index.get(frame)
            if place is None:
                place = extra.setdefault(frame, len(self._link_index) + len(extra))
            order.append(place)
        self._base = LINK_COLOURS[np.array(order, np.int64) % len(LINK_COLOURS)]
        self.move(None)
        self.restyle()

    def move(self, rows: I64 | None) -> None:
        """Places or radii of `rows` (None: all) changed."""
        table, cloud = self._table, self._cloud
        index: I64 | slice = slice(None) if rows is None else rows
        shown = table.shown[index]
        drawn = table.visible[index]
        cloud.centers[index] = table.world[index]
        cloud.radii[index] = np.where(drawn & (shown > 0), shown, 0.0)
        cloud.changed(colours=False)
        if self._marks[0]:
            self._draw_halo()
        if rows is None or self._hollow.count or bool(np.any(shown <= 0)):
            self._draw_hollow()

    def restyle(self) -> None:
        """Colours again, after a change of selection, hover or opacity."""
        table, cloud, (selected, frames, hovered) = self._table, self._cloud, self._marks
        if len(self._base) != len(table):
            return
        rgba = np.empty((len(table), 4))
        rgba[:, :3] = self._base
        rgba[:, 3] = self._opacity
        if self._faded:
            rgba[[f in self._faded for f in table.frames], 3] *= 0.15
        if frames:
            rows = np.flatnonzero([f in frames for f in table.frames])
            rgba[rows, :3] = 0.5 * rgba[rows, :3] + 0.5 * np.array(scene_colours().accent)
        if selected:
            rows = table.rows_of(selected)
            rgba[rows, :3] = scene_colours().accent
            rgba[rows, 3] = max(0.82, self._opacity)
        if hovered in table.row:
            row = table.row[hovered]
            rgba[row, :3] = 0.55 * rgba[row, :3] + 0.45
            rgba[row, 3] = max(0.8, rgba[row, 3])
        cloud.colours[:] = rgba * 255 + 0.5
        cloud.changed(places=False)
        self._draw_halo()
        if self._hollow.count:
            self._draw_hollow()

    def _draw_halo(self) -> None:
        table, halo = self._table, self._halo
        rows = table.rows_of(self._marks[0])
        rows = rows[table.visible[rows] & (table.shown[rows] > 0)]
        if len(rows) or len(halo.radii):
            halo.show(
                table.world[rows], table.shown[rows], np.array([*scene_colours().accent, 1.0])
            )

    def _draw_hollow(self) -> None:
        table = self._table
        rows = np.flatnonzero(table.visible & (table.shown <= 0))
        shape = _hollow_shape()
        segments = (
            table.world[rows, None, None, :] + table.reach[rows, None, None, None] * shape[None]
        )
        colours = self._cloud.colours[rows].astype(float) / 255
        colours[:, 3] = 1.0
        self._hollow.set(segments.reshape(-1, 2, 3), np.repeat(colours, len(shape), axis=0))

    def set_coarse(self, coarse: bool) -> None:
        """Draws more quickly while things move."""
        self._cloud.set_in_order(not coarse)


@lru_cache(maxsize=1)
def _hollow_shape() -> F64:
    """(n, 2, 3) segments: three dashed great circles around a cross of the size of the sphere."""
    ring = circle(24)[::2]
    rings = [ring, ring[..., [1, 2, 0]], ring[..., [2, 0, 1]]]
    cross = np.array([[-np.eye(3)[i] * 0.55, np.eye(3)[i] * 0.55] for i in range(3)])
    return np.concatenate([*rings, cross])
