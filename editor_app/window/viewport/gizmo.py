"""Three arrows and three plane handles, rings where it also turns what it moves, of constant size
on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, Qt
from pyvista import Arrow, ParametricTorus, Rectangle
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from editor_app.core.arrays import F64
from editor_app.window.viewport.camera import ViewCamera, ViewRay
from editor_app.window.viewport.palette import AXES, scene_colours
from editor_app.window.viewport.picking import SurfaceHit, near_segments
from editor_app.window.viewport.vtk_tools import bytes_array, mesh_actor, mesh_poly_data, vtk_matrix

#: Length of an arrow in pixels, and how near the pointer has to come.
LENGTH = 88.0
_REACH = 8.0
#: Around its middle nothing is grabbed: a drag there moves the sphere itself, also where an arrow
#: comes towards us.
_FREE = 13.0
_START, _CONE, _TIP = 0.24, 0.80, 1.0
_PLANE = (0.36, 0.58)
#: Radius of the rings in arrows, and the pieces that they are drawn and picked by.
RING = 1.2
_THICK = 0.012
_PIECES = 48


@dataclass(frozen=True, slots=True)
class Handle:
    """Arrow along `axis` (0..2), the plane that `axis` is the normal of, or the ring about it."""

    axis: int
    is_plane: bool
    is_ring: bool = False

    @property
    def name(self) -> str:
        return (
            "".join("xyz"[i] for i in range(3) if i != self.axis)
            if self.is_plane
            else "xyz"[self.axis]
        )


class Drag(Protocol):
    """The drag of a pressed button. `move` gets pixels and modifiers; exactly one of `finish` and
    `cancel` ends it."""

    @property
    def hint(self) -> str: ...

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None: ...
    def finish(self) -> None: ...
    def cancel(self) -> None: ...


class Guest(Protocol):
    """A thing that is shown before it is part of the robot: it is pointed at, clicked, and left by
    Esc before others.

    Under the handles it is the grip of the same name.
    """

    name: str
    #: What a click does now, "" where that is for the robot to say.
    hint: str

    def pick(self, ray: ViewRay) -> SurfaceHit | None:
        """Return the point at which a ray meets the surface."""

    def click(self, ray: ViewRay, surface: SurfaceHit | None) -> bool:
        """Takes a click, whose ray meets the robot at `surface`; False: it is for the robot."""

    def step_back(self) -> bool:
        """Esc; False when there is nothing to leave."""


@dataclass(frozen=True)
class Grip:
    """The target of the handles instead of the selected spheres: a tool of the robot, an
    obstacle."""

    name: str
    #: (4, 4) in the base frame.
    pose: F64
    #: The drag that a press on a handle, or on the thing itself (None), begins.
    drag: Callable[[Handle | None, QPointF], Drag]


class Gizmo:
    """Draws itself, and turns rays into offsets along what was grabbed."""

    def __init__(
        self,
        front: vtkRenderer,
        camera: ViewCamera,
        *,
        arrows: Sequence[int] = (0, 1, 2),
        planes: Sequence[int] = (0, 1, 2),
        rings: Sequence[int] = (0, 1, 2),
        colour: Sequence[float] | None = None,
    ) -> None:
        """Axes 0..2 that have an arrow, a plane, a ring; `colour` instead of the colours of the
        axes."""
        self._camera = camera
        self._colour = colour
        self._arrows = [Handle(i, False) for i in arrows]
        self._planes = [Handle(i, True) for i in planes]
        self._rings = [Handle(i, False, True) for i in rings]
        self._straight, self._turning = (
            _Shape(front, self._arrows + self._planes),
            _Shape(front, self._rings),
        )
        self.position: F64 = np.zeros(3)
        self.axes: F64 = np.eye(3)
        self.hovered: Handle | None = None
        #: 1 or -1 for each axis: to which side its arrow is drawn.
        self._sides: F64 = np.ones(3)

    @property
    def actors(self) -> tuple[vtkActor, vtkActor]:
        """Arrows with planes, and rings."""
        return self._straight.actor, self._turning.actor

    @property
    def is_shown(self) -> bool:
        return bool(self._straight.actor.GetVisibility())

    @property
    def has_rings(self) -> bool:
        return bool(self._turning.actor.GetVisibility())

    def show(self, position: F64, axes: F64, *, rings: bool = False) -> None:
        """At `position`; columns of (3, 3) `axes` are its directions. Both in the base frame."""
        self.position, self.axes = np.asarray(position, float), np.asarray(axes, float)
        self._straight.actor.SetVisibility(True)
        self._turning.actor.SetVisibility(rings)
        self.place()

    def hide(self) -> None:
        for actor in self.actors:
            actor.SetVisibility(False)
        self.set_hovered(None)

    def place(self) -> None:
        """Sizes it for the present camera."""
        if not self.is_shown:
            return
        length = self.length
        if self.hovered is None:
            # What is under the pointer stays where it is.
            self._sides = self._seen_sides(length)
        pose = np.eye(4)
        pose[:3, :3] = self._drawn * length
        pose[:3, 3] = self.position
        for actor in self.actors:
            actor.SetUserMatrix(vtk_matrix(pose))

    @property
    def _drawn(self) -> F64:
        """(3, 3) the directions that the arrows are drawn in."""
        return self.axes * self._sides

    def _seen_sides(self, length: float) -> F64:
        """An arrow that would end outside the view, or under something that lies over it, points to
        the other side."""
        sides = np.ones(3)
        step = 1.06 * length * self.axes.T
        ends = self._camera.project(np.concatenate([self.position + step, self.position - step]))[
            :, :2
        ]

        def is_free(row: int) -> bool:
            return bool(np.isfinite(ends[row]).all()) and self._camera.is_free(*ends[row])

        for handle in self._arrows:
            if not is_free(handle.axis) and is_free(handle.axis + 3):
                sides[handle.axis] = -1.0
        return sides

    def is_seen(self) -> bool:
        """Return whether all of it ends in the view, and under nothing that lies over it."""
        ends = self.position + self.arms() * self._camera.metres_per_pixel(self.position)
        seen = self._camera.project(ends)[:, :2]
        return bool(np.isfinite(seen).all()) and all(self._camera.is_free(x, y) for x, y in seen)

    def arms(self) -> F64:
        """(n, 3) how far it stands out from its place, in pixels: less in a view that is hardly
        larger than itself."""
        arms = self.axes.T[[handle.axis for handle in self._arrows]] * (1.06 * LENGTH)
        if self.has_rings:
            right, up = self._camera.right, self._camera.up
            arms = np.concatenate([arms, RING * LENGTH * np.array([right, -right, up, -up])])
        longest = float(np.linalg.norm(arms, axis=1).max())
        return arms * min(1.0, min(self._camera.size()) / 4.0 / longest)

    @property
    def length(self) -> float:
        """The length of an arrow, in metres at its place."""
        return LENGTH * self._camera.metres_per_pixel(self.position)

    def set_hovered(self, handle: Handle | None) -> bool:
        """True when that changes what is drawn."""
        if handle == self.hovered:
            return False
        self.hovered = handle
        self.restyle()
        return True

    def pick(self, x: float, y: float) -> Handle | None:
        """The handle under the pixel: arrows before planes before rings."""
        if not self.is_shown:
            return None
        length, point = self.length, np.array([x, y])
        middle = self._camera.project(self.position)[0, :2]
        if float(np.linalg.norm(point - middle)) < _FREE:
            return None
        away = {}
        for handle in self._arrows:
            direction = self._drawn[:, handle.axis] * length
            ends = self._seen(np.stack([_START * direction, 1.06 * direction]))
            # Seen from its tip, there is nothing to pull along.
            if float(np.linalg.norm(ends[1] - ends[0])) >= 20.0:
                away[handle] = near_segments(ends[:1], ends[1:], x, y)
        arrow = _nearest(away)
        if arrow is not None:
            return arrow
        for handle in self._planes:
            if _inside(point, self._seen(self._corners(handle) * length)):
                return handle
        if not self.has_rings:
            return None
        circles = {handle: self._seen(self._circle(handle) * length) for handle in self._rings}
        return _nearest(
            {
                ring: near_segments(seen, np.roll(seen, -1, axis=0), x, y)
                for ring, seen in circles.items()
            }
        )

    def _seen(self, offsets: F64) -> F64:
        """(n, 2) pixels of what stands out by (n, 3) metres."""
        return self._camera.project(self.position + offsets)[:, :2]

    def _circle(self, handle: Handle) -> F64:
        """(n, 3) points of a ring, in arrows."""
        one, two = (self.axes[:, (handle.axis + k) % 3] for k in (1, 2))
        angles = np.linspace(0.0, 2 * np.pi, _PIECES, endpoint=False)[:, None]
        circle: F64 = RING * (np.cos(angles) * one + np.sin(angles) * two)
        return circle

    def _corners(self, handle: Handle) -> F64:
        one, two = (self._drawn[:, i] for i in range(3) if i != handle.axis)
        low, high = _PLANE
        return np.array(
            [one * u + two * v for u, v in ((low, low), (high, low), (high, high), (low, high))]
        )

    def restyle(self) -> None:
        lit = scene_colours().ink
        for shape in (self._straight, self._turning):
            plain = [
                AXES[handle.axis] if self._colour is None else self._colour
                for handle in shape.handles
            ]
            colours = [
                lit if h == self.hovered else c for h, c in zip(shape.handles, plain, strict=True)
            ]
            shape.data.GetPointData().SetScalars(
                bytes_array(np.repeat(colours, shape.counts, axis=0))
            )
            shape.data.Modified()


class _Shape:
    """Some handles as one mesh of unit size; `counts` are the vertices of each."""

    def __init__(self, front: vtkRenderer, handles: list[Handle]) -> None:
        self.handles = handles
        pieces = [_mesh_of(handle) for handle in handles]
        self.counts = [len(vertices) for vertices, _ in pieces]
        shifts = np.cumsum([0, *self.counts])
        faces = [triangles + shift for (_, triangles), shift in zip(pieces, shifts, strict=False)]
        self.data = mesh_poly_data(
            np.concatenate([vertices for vertices, _ in pieces]), np.concatenate(faces)
        )
        self.actor = mesh_actor(front, self.data)
        self.actor.GetProperty().LightingOff()
        self.actor.SetVisibility(False)


def _nearest(away: dict[Handle, float]) -> Handle | None:
    """The handle that is fewest pixels away, if it is near at all."""
    nearest = min(away, key=away.__getitem__, default=None)
    return nearest if nearest is not None and away[nearest] < _REACH else None


def along_handle(position: F64, axes: F64, handle: Handle, ray: ViewRay) -> F64 | None:
    """Return the point of a handle's line or plane that a ray meets or is nearest to; None if they
    are parallel."""
    axis = axes[:, handle.axis]
    slope = float(axis @ ray.direction)
    relative = ray.origin - position
    if handle.is_plane:
        if abs(slope) < 0.02:
            return None
        return ray.at(-float(axis @ relative) / slope)
    if 1.0 - slope * slope < 1e-3:
        return None
    t = (float(axis @ relative) - slope * float(ray.direction @ relative)) / (1.0 - slope * slope)
    return position + t * axis


def _inside(point: F64, corners: F64) -> bool:
    turned = np.roll(corners, -1, axis=0) - corners
    toward = point - corners
    cross = turned[:, 0] * toward[:, 1] - turned[:, 1] * toward[:, 0]
    return bool(np.all(cross > 0) or np.all(cross < 0))


def _mesh_of(handle: Handle) -> tuple[F64, F64]:
    """Vertices (n, 3), in arrows, and triangles (m, 3)."""
    vertices, triangles = _along_z(handle.is_plane, handle.is_ring)
    # Rolled so that it lies along the axis.
    return vertices[
        :, np.argsort([(handle.axis + 1) % 3, (handle.axis + 2) % 3, handle.axis])
    ], triangles


@cache
def _along_z(is_plane: bool, is_ring: bool) -> tuple[F64, F64]:
    """As `_mesh_of`, for the axis z: built once for its three axes and for every view."""
    low, high = _PLANE
    if is_plane:
        mesh = Rectangle([[low, low, 0.0], [high, low, 0.0], [high, high, 0.0]])
    elif is_ring:
        mesh = ParametricTorus(
            ringradius=RING, crosssectionradius=_THICK, u_res=_PIECES + 1, v_res=9, w_res=9
        )
    else:
        way = {"start": (0.0, 0.0, 0.0), "direction": (0.0, 0.0, 1.0), "shaft_radius": _THICK}
        mesh = Arrow(
            **way, tip_length=_TIP - _CONE, tip_radius=0.052, tip_resolution=16, shaft_resolution=16
        )
        mesh.points[:, 2] = np.maximum(mesh.points[:, 2], _START)
    mesh = mesh.triangulate()
    return np.array(mesh.points, float), np.array(mesh.regular_faces)
