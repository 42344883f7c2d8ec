"""Three arrows and three plane handles, rings where it also turns what it moves, of constant size on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.gui.viewport.camera import Array, Camera, Ray
from editor_app.gui.viewport.palette import AXES, SceneColours
from editor_app.gui.viewport.vtk_tools import bytes_array, mesh_poly_data, vtk_matrix

#: Length of an arrow in pixels, and how near the pointer has to come.
LENGTH = 88.0
_REACH = 8.0
#: Around its middle nothing is grabbed: a drag there moves the sphere itself, also where an arrow comes towards us.
_FREE = 13.0
_START, _CONE, _TIP = 0.24, 0.80, 1.0
_PLANE = (0.36, 0.58)
#: Radius of the rings in arrows, and the pieces that they are drawn and picked by.
RING = 1.2
_PIECES = 48


@dataclass(frozen=True, slots=True)
class Handle:
    """Arrow along `axis` (0..2), the plane that `axis` is the normal of, or the ring about it."""

    axis: int
    is_plane: bool
    is_ring: bool = False

    @property
    def name(self) -> str:
        return "".join("xyz"[i] for i in range(3) if i != self.axis) if self.is_plane else "xyz"[self.axis]


class Gizmo:
    """Draws itself, and turns rays into offsets along what was grabbed."""

    def __init__(
        self,
        front: vtkRenderer,
        camera: Camera,
        *,
        arrows: Sequence[int] = (0, 1, 2),
        planes: Sequence[int] = (0, 1, 2),
        rings: Sequence[int] = (0, 1, 2),
        colour: Sequence[float] | None = None,
    ) -> None:
        """Axes 0..2 that have an arrow, a plane, a ring; `colour` instead of the colours of the axes."""
        self._camera = camera
        self._colour = colour
        self._arrows = [Handle(i, False) for i in arrows]
        self._planes = [Handle(i, True) for i in planes]
        self._rings = [Handle(i, False, True) for i in rings]
        vertices, faces, self._counts = _shape(arrows, planes)
        self._data = mesh_poly_data(vertices, faces)
        self.actor = _actor(front, self._data)
        vertices, faces, self._ring_counts = _ring_shape(rings)
        self._ring_data = mesh_poly_data(vertices, faces)
        self.ring_actor = _actor(front, self._ring_data)
        self.position: Array = np.zeros(3)
        self.axes: Array = np.eye(3)
        self.hovered: Handle | None = None
        self._accent = (1.0, 1.0, 1.0)
        self._placed: tuple[float, ...] | None = None
        #: 1 or -1 for each axis: to which side its arrow is drawn.
        self._sides: Array = np.ones(3)

    def set_theme(self, colours: SceneColours) -> None:
        self._accent = colours.ink
        self._paint()

    @property
    def actors(self) -> tuple[vtkActor, vtkActor]:
        """Arrows with planes, and rings."""
        return self.actor, self.ring_actor

    @property
    def is_shown(self) -> bool:
        return bool(self.actor.GetVisibility())

    @property
    def has_rings(self) -> bool:
        return bool(self.ring_actor.GetVisibility())

    def show(self, position: Array, axes: Array, *, rings: bool = False) -> None:
        """At `position`; columns of (3, 3) `axes` are its directions. Both in the base frame."""
        self.position, self.axes = np.asarray(position, float), np.asarray(axes, float)
        self.actor.SetVisibility(True)
        self.ring_actor.SetVisibility(rings)
        self.place()

    def hide(self) -> None:
        self.actor.SetVisibility(False)
        self.ring_actor.SetVisibility(False)
        self.set_hovered(None)

    def place(self) -> None:
        """Sizes it for the present camera."""
        if not self.is_shown:
            return
        length = self.length
        if self.hovered is None:
            # What is under the pointer stays where it is.
            self._sides = self._seen_sides(length)
        key = (length, *self.position, *self.axes.ravel(), *self._sides)
        if key == self._placed:
            return
        self._placed = key
        pose = np.eye(4)
        pose[:3, :3] = self._drawn * length
        pose[:3, 3] = self.position
        for actor in self.actors:
            actor.SetUserMatrix(vtk_matrix(pose))

    @property
    def _drawn(self) -> Array:
        """(3, 3) the directions that the arrows are drawn in."""
        return self.axes * self._sides

    def _seen_sides(self, length: float) -> Array:
        """An arrow that would end outside the view, or under something that lies over it, points to the other side."""
        sides = np.ones(3)
        step = 1.06 * length * self.axes.T
        ends = self._camera.project(np.concatenate([self.position + step, self.position - step]))[:, :2]
        free = [bool(np.isfinite(end).all()) and self._camera.is_free(*end) for end in ends]
        for handle in self._arrows:
            if not free[handle.axis] and free[handle.axis + 3]:
                sides[handle.axis] = -1.0
        return sides

    def is_seen(self) -> bool:
        """Whether all of it ends in the view, and under nothing that lies over it."""
        ends = self.position + self.arms() * self._camera.metres_per_pixel(self.position)
        seen = self._camera.project(ends)[:, :2]
        return bool(np.isfinite(seen).all()) and all(self._camera.is_free(x, y) for x, y in seen)

    def arms(self) -> Array:
        """(n, 3) how far it stands out from its place, in pixels: less in a view that is hardly larger than itself."""
        arms = self.axes.T[[handle.axis for handle in self._arrows]] * (1.06 * LENGTH)
        if self.has_rings:
            right, up = self._camera.right, self._camera.up
            arms = np.concatenate([arms, RING * LENGTH * np.array([right, -right, up, -up])])
        longest = float(np.linalg.norm(arms, axis=1).max())
        return arms * min(1.0, self._camera.least_side / 4.0 / longest)

    @property
    def length(self) -> float:
        """Of an arrow, in metres at its place."""
        return LENGTH * self._camera.metres_per_pixel(self.position)

    def set_hovered(self, handle: Handle | None) -> bool:
        """True when that changes what is drawn."""
        if handle == self.hovered:
            return False
        self.hovered = handle
        self._paint()
        return True

    def tip(self, handle: Handle) -> Array:
        """A point of the handle to grab it at, in the base frame."""
        if handle.is_ring:
            edge: Array = self.position + self._circle(handle)[5] * self.length
            return edge
        if not handle.is_plane:
            return self.position + self._drawn[:, handle.axis] * (0.7 * self.length)
        others = [i for i in range(3) if i != handle.axis]
        middle = sum(_PLANE) / 2 * self.length
        return self.position + (self._drawn[:, others[0]] + self._drawn[:, others[1]]) * middle

    def pick(self, x: float, y: float) -> Handle | None:
        """The handle under the pixel: arrows before planes before rings."""
        if not self.is_shown:
            return None
        length, point = self.length, np.array([x, y])
        middle = self._camera.project(self.position)[0, :2]
        if float(np.linalg.norm(point - middle)) < _FREE:
            return None
        best, nearest = None, _REACH
        for handle in self._arrows:
            direction = self._drawn[:, handle.axis] * length
            ends = self._camera.project(
                np.stack([self.position + _START * direction, self.position + 1.06 * direction])
            )
            a, b = ends[0, :2], ends[1, :2]
            along = b - a
            size = float(along @ along)
            if size < 20.0**2 or not np.isfinite(size):
                continue  # seen from its tip: there is nothing to pull along
            t = float(np.clip((point - a) @ along / size, 0.0, 1.0))
            distance = float(np.linalg.norm(point - a - t * along))
            if distance < nearest:
                best, nearest = handle, distance
        if best is not None:
            return best
        for handle in self._planes:
            corners = self._camera.project(self.position + self._corners(handle) * length)[:, :2]
            if _inside(point, corners):
                return handle
        return self._pick_ring(point, length) if self.has_rings else None

    def _pick_ring(self, point: Array, length: float) -> Handle | None:
        best, nearest = None, _REACH
        for handle in self._rings:
            seen = self._camera.project(self.position + self._circle(handle) * length)[:, :2]
            if not np.isfinite(seen).all():
                continue
            along = np.roll(seen, -1, axis=0) - seen
            sizes = np.maximum(np.einsum("ij,ij->i", along, along), 1e-9)
            t = np.clip(np.einsum("ij,ij->i", point - seen, along) / sizes, 0.0, 1.0)
            distance = float(np.linalg.norm(point - seen - t[:, None] * along, axis=1).min())
            if distance < nearest:
                best, nearest = handle, distance
        return best

    def _circle(self, handle: Handle) -> Array:
        """(n, 3) points of a ring, in arrows."""
        one, two = (self.axes[:, (handle.axis + k) % 3] for k in (1, 2))
        angles = np.linspace(0.0, 2 * np.pi, _PIECES, endpoint=False)[:, None]
        circle: Array = RING * (np.cos(angles) * one + np.sin(angles) * two)
        return circle

    def _corners(self, handle: Handle) -> Array:
        one, two = (self._drawn[:, i] for i in range(3) if i != handle.axis)
        low, high = _PLANE
        return np.array([one * u + two * v for u, v in ((low, low), (high, low), (high, high), (low, high))])

    def grab(self, handle: Handle, ray: Ray) -> Array | None:
        """The point that the ray holds on to; offsets are differences of such points. None: seen edge-on."""
        return along_handle(self.position, self.axes, handle, ray)

    def _paint(self) -> None:
        for data, handles, counts in (
            (self._data, [*self._arrows, *self._planes], self._counts),
            (self._ring_data, self._rings, self._ring_counts),
        ):
            colours = np.empty((sum(counts), 4))
            at = 0
            for handle, count in zip(handles, counts, strict=True):
                plain = AXES[handle.axis] if self._colour is None else self._colour
                colours[at : at + count, :3] = self._accent if handle == self.hovered else plain
                at += count
            colours[:, 3] = 1.0
            data.GetPointData().SetScalars(bytes_array(colours))
            data.Modified()


def _actor(front: vtkRenderer, data: Any) -> vtkActor:
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetColorModeToDirectScalars()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().LightingOff()
    actor.PickableOff()
    actor.SetVisibility(False)
    front.AddActor(actor)
    return actor


def along_handle(position: Array, axes: Array, handle: Handle, ray: Ray) -> Array | None:
    """Where a ray meets a handle's line (nearest point of it) or plane; None when it is parallel to it."""
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


def _inside(point: Array, corners: Array) -> bool:
    turned = np.roll(corners, -1, axis=0) - corners
    toward = point - corners
    cross = turned[:, 0] * toward[:, 1] - turned[:, 1] * toward[:, 0]
    return bool(np.all(cross > 0) or np.all(cross < 0))


def _shape(arrows: Sequence[int], planes: Sequence[int]) -> tuple[Array, Array, list[int]]:
    """Unit vertices, triangles, and how many vertices each handle has."""
    vertices: list[Array] = []
    faces: list[Array] = []
    counts: list[int] = []
    start = 0
    for axis in arrows:
        shaft_v, shaft_f = _cone(0.012, 0.012, _START, _CONE)
        head_v, head_f = _cone(0.052, 0.0, _CONE, _TIP)
        points = np.concatenate([shaft_v, head_v])
        # Along z as built; rolled so that it lies along the axis.
        points = points[:, np.argsort([(axis + 1) % 3, (axis + 2) % 3, axis])]
        vertices.append(points)
        faces.append(np.concatenate([shaft_f, head_f + len(shaft_v)]) + start)
        counts.append(len(points))
        start += len(points)
    low, high = _PLANE
    for axis in planes:
        others = [i for i in range(3) if i != axis]
        square = np.zeros((4, 3))
        square[:, others] = [[low, low], [high, low], [high, high], [low, high]]
        vertices.append(square)
        faces.append(np.array([[0, 1, 2], [0, 2, 3]]) + start)
        counts.append(4)
        start += 4
    return np.concatenate(vertices), np.concatenate(faces), counts


def _ring_shape(axes: Sequence[int], thickness: float = 0.012, sides: int = 8) -> tuple[Array, Array, list[int]]:
    """Tubes in circles, each about its axis."""
    around = np.linspace(0, 2 * np.pi, _PIECES, endpoint=False)
    across = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    radius = RING + thickness * np.cos(across)[None, :]
    ring = np.stack(
        [
            radius * np.cos(around)[:, None],
            radius * np.sin(around)[:, None],
            np.broadcast_to(thickness * np.sin(across), (_PIECES, sides)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(_PIECES), np.arange(sides), indexing="ij"))
    a, b = i * sides + j, i * sides + (j + 1) % sides
    c, d = ((i + 1) % _PIECES) * sides + j, ((i + 1) % _PIECES) * sides + (j + 1) % sides
    faces = np.concatenate([np.column_stack([a, c, b]), np.column_stack([b, c, d])])
    vertices = [ring[:, np.argsort([(axis + 1) % 3, (axis + 2) % 3, axis])] for axis in axes]
    shifted = [faces + k * len(ring) for k in range(len(axes))]
    return np.concatenate(vertices), np.concatenate(shifted), [len(ring)] * len(axes)


def _cone(radius0: float, radius1: float, z0: float, z1: float, sides: int = 16) -> tuple[Array, Array]:
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    bottom = np.column_stack([ring * radius0, np.full(sides, z0)])
    top = np.column_stack([ring * radius1, np.full(sides, z1)])
    points = np.concatenate([bottom, top, [[0, 0, z0]]])
    i = np.arange(sides)
    j = (i + 1) % sides
    faces = np.concatenate(
        [
            np.column_stack([i, j, sides + i]),
            np.column_stack([j, sides + j, sides + i]),
            np.column_stack([j, i, np.full(sides, 2 * sides)]),
        ]
    )
    return points, faces
