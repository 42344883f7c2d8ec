"""A turntable camera with z up: orbit, pan, zoom to a point, standard views, and rays through
pixels.

Screen coordinates are Qt's (origin top left, y down, device-independent), so that scaling of the
display never enters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin, tan
from typing import Any, NamedTuple

import numpy as np

from editor_app.core.arrays import F64
from editor_app.window.viewport.overlays import Rectangle, are_clear, find_free_areas


class FramedPoints(NamedTuple):
    """(n, 3) points and what stands out from each of them: (m, 3) arms, in pixels, as they are seen
    from in front."""

    points: F64
    arms: F64


class Bounds(NamedTuple):
    """The allowed positions of the eye along one axis, for each distance; offsets are counted from
    the middle of the first points.

    Two planes through the eye bound an area of the view; `low` and `high` are the tangents of their
    angles. A point at offset x and height z is between the planes of an eye at c and d: low (d - z)
    <= x - c <= high (d - z). Of each area `above` has the greatest x + high z of its points and
    `high`, `below` the least x + low z and `low`.
    """

    above: list[tuple[float, float]]
    below: list[tuple[float, float]]

    def nearest(self) -> float:
        """The least distance at which there is a place for the eye."""
        return max(
            (a - b) / max(high - low, 1e-6) for a, high in self.above for b, low in self.below
        )

    def middle(self, distance: float) -> float:
        """Return the position that shows the middle of the first points in the middle of their
        area, if all points allow."""
        least, most = (
            [a - slope * distance for a, slope in side] for side in (self.above, self.below)
        )
        wanted = -distance * (self.above[0][1] + self.below[0][1]) / 2
        return min(max(wanted, *least), *most)


def bounds_of(
    rooms: Sequence[tuple[F64, F64, Rectangle]],
    half: tuple[float, float],
    size: tuple[float, float],
    *,
    parallel: bool,
) -> tuple[Bounds, Bounds]:
    """For points (n, 3), their arms (m, 3) in pixels, and the areas for them; `half`: tangents at
    the view's edges.

    Both in the axes of the view. An arm is as long on the screen from everywhere, so its end is at
    x + a (d - z), where a is a tangent: for the end to be below a plane the point has to be below
    one that is steeper.
    """
    bounds = Bounds([], []), Bounds([], [])
    for points, arms, area in rooms:
        heights = np.zeros(len(points)) if parallel else points[:, 2]
        left, right = ((2.0 * x / size[0] - 1.0) * half[0] for x in (area.left, area.right))
        top, bottom = ((1.0 - 2.0 * y / size[1]) * half[1] for y in (area.top, area.bottom))
        for x, y, z in arms * (2.0 * half[1] / size[1]):
            nearer = 1.0 if parallel else 1.0 - z
            for axis, low, high in (
                (0, left * nearer - x, right * nearer - x),
                (1, bottom * nearer - y, top * nearer - y),
            ):
                bounds[axis].above.append((float((points[:, axis] + high * heights).max()), high))
                bounds[axis].below.append((float((points[:, axis] + low * heights).min()), low))
    return bounds


#: Name -> (azimuth, elevation) of the eye in degrees. Robots look along +x (REP 103), so Front
#: looks at their face.
STANDARD_VIEWS: dict[str, tuple[float, float]] = {
    "front": (0.0, 0.0),
    "back": (180.0, 0.0),
    "left": (90.0, 0.0),
    "right": (-90.0, 0.0),
    "top": (-90.0, 90.0),
    "bottom": (-90.0, -90.0),
    "iso": (38.0, 24.0),
}

_NEAREST = 0.002
_FARTHEST = 1000.0


@dataclass(frozen=True, slots=True)
class ViewRay:
    """`direction` has length 1; all lengths in metres."""

    origin: F64
    direction: F64

    def at(self, distance: float) -> F64:
        return self.origin + distance * self.direction


@dataclass(frozen=True, slots=True)
class CameraView:
    """The target of the camera. Angles in radians; `distance` is that of the eye from `focus`."""

    focus: tuple[float, float, float] = (0.0, 0.0, 0.3)
    distance: float = 3.0
    azimuth: float = radians(STANDARD_VIEWS["iso"][0])
    elevation: float = radians(STANDARD_VIEWS["iso"][1])
    parallel: bool = False


def direction(view: CameraView) -> F64:
    """(3,): from what is looked at to the eye, of length 1."""
    a, e = view.azimuth, view.elevation
    return np.array([cos(e) * cos(a), cos(e) * sin(a), sin(e)])


def axes_of(view: CameraView) -> tuple[F64, F64, F64]:
    """Right, up and backward (3,) of a view. Analytic, so that looking straight down is no special
    case."""
    a, e = view.azimuth, view.elevation
    right, up = (
        np.array([-sin(a), cos(a), 0.0]),
        np.array([-sin(e) * cos(a), -sin(e) * sin(a), cos(e)]),
    )
    return right, up, direction(view)


class ViewCamera:
    """Holds a `CameraView`, puts it into a vtkCamera, and answers geometric questions about it."""

    FIELD_OF_VIEW = radians(30.0)

    def __init__(
        self, vtk_camera: Any, size: Callable[[], tuple[int, int]], on_change: Callable[[], None]
    ) -> None:
        self._vtk = vtk_camera
        #: Width and height of the view, in pixels.
        self.size = size
        self._on_change = on_change
        self.view = CameraView()
        #: What lies over the view now, in its pixels: what is fitted comes to lie beside it.
        self.covers: Callable[[], Iterable[Rectangle]] = tuple
        self._bounds: tuple[F64, float] = (np.zeros(3), 1.0)
        self._update_axes()

    def set_view(self, view: CameraView) -> None:
        limit = radians(90.0)
        view = replace(
            view,
            distance=min(max(view.distance, _NEAREST), _FARTHEST),
            elevation=min(max(view.elevation, -limit), limit),
        )
        self.view = view
        self._update_axes()
        self.apply()
        self._on_change()

    def set_scene_bounds(self, center: F64, radius: float) -> None:
        """The sphere around everything drawn; decides the clipping planes."""
        self._bounds = (np.asarray(center, float), max(radius, 1e-3))
        self.apply()

    # -- directions

    def _update_axes(self) -> None:
        self.right, self.up, self.backward = axes_of(self.view)

    @property
    def focus(self) -> F64:
        return np.array(self.view.focus)

    @property
    def eye(self) -> F64:
        return self.focus + self.backward * self.view.distance

    # -- pixels

    def _half(self) -> tuple[float, float, float, float]:
        width, height = self.size()
        half_height = tan(self.FIELD_OF_VIEW / 2)
        return (
            max(width, 1),
            max(height, 1),
            half_height * max(width, 1) / max(height, 1),
            half_height,
        )

    def ray(self, x: float, y: float) -> ViewRay:
        """The ray that the pixel shows; for a parallel projection it starts in the plane of the
        eye."""
        width, height, half_width, half_height = self._half()
        u = (2.0 * x / width - 1.0) * half_width
        v = (1.0 - 2.0 * y / height) * half_height
        if self.view.parallel:
            d = self.view.distance
            offset = self.right * (u * d) + self.up * (v * d)
            # Start well in front: a parallel view also shows what lies behind the eye.
            back = self._parallel_back()
            return ViewRay(self.focus + offset + self.backward * back, -self.backward)
        direction = -self.backward + self.right * u + self.up * v
        return ViewRay(self.eye, direction / np.linalg.norm(direction))

    def project(self, points: F64, view: CameraView | None = None) -> F64:
        """(n, 3) points -> (n, 3): x and y in pixels, and the depth in front of the eye (metres);
        in `view`, or now."""
        width, height, half_width, half_height = self._half()
        right, up, backward = (
            (self.right, self.up, self.backward) if view is None else axes_of(view)
        )
        view = view or self.view
        relative = np.atleast_2d(points) - np.array(view.focus) - backward * view.distance
        depth = -(relative @ backward)
        scale = (
            np.full(len(depth), view.distance)
            if view.parallel
            else np.where(depth > 0, depth, np.nan)
        )
        u = (relative @ right) / (scale * half_width)
        v = (relative @ up) / (scale * half_height)
        return np.column_stack([(u + 1.0) * width / 2, (1.0 - v) * height / 2, depth])

    def nearest(self, points: F64, x: float, y: float, reach: float | F64) -> int | None:
        """The row of (n, 3) points that is seen nearest to a pixel; None where none is within
        `reach` pixels.

        With a reach for each (n,), distances count in reaches.
        """
        if not len(points):
            return None
        seen = self.project(points)
        away = np.where(seen[:, 2] > 0, np.hypot(seen[:, 0] - x, seen[:, 1] - y) / reach, np.inf)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= 1.0 else None

    def view_matrix(self) -> F64:
        """(4, 4) from the base frame to that of the eye: x right, y up, z towards the viewer."""
        matrix = self._vtk.GetViewTransformMatrix()
        return np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])

    def metres_per_pixel(self, point: F64) -> float:
        """Size of a pixel at the depth of `point`."""
        _, height, _, half_height = self._half()
        depth = self.view.distance
        if not self.view.parallel:
            depth = max(float(-(np.asarray(point) - self.eye) @ self.backward), 1e-6)
        return 2.0 * half_height * depth / height

    def on_view_plane(self, x: float, y: float, through: F64) -> F64:
        """The point under the pixel in the plane through `through` that faces the viewer."""
        ray = self.ray(x, y)
        distance = float((through - ray.origin) @ self.backward) / float(
            ray.direction @ self.backward
        )
        return ray.at(distance)

    # -- moving

    def orbit(self, dx: float, dy: float) -> None:
        """Turns by a drag of that many pixels: the height of the view is half a turn."""
        _, height = self.size()
        step = radians(180.0) / max(height, 300)
        view = self.view
        self.set_view(
            replace(view, azimuth=view.azimuth - dx * step, elevation=view.elevation + dy * step)
        )

    def look(self, dx: float, dy: float) -> None:
        """Turns the head by a drag of that many pixels: the eye stays where it is."""
        eye = self.eye
        self.orbit(dx, dy)
        self._move_focus(eye - self.backward * self.view.distance)

    def pan(self, dx: float, dy: float, at: F64 | None = None) -> None:
        """Shifts so that what lies at the depth of `at` follows the pointer."""
        scale = self.metres_per_pixel(self.focus if at is None else at)
        self._move_focus(self.focus - self.right * (dx * scale) + self.up * (dy * scale))

    def zoom(self, factor: float, at: F64 | None = None) -> None:
        """Brings everything nearer by `factor` (< 1: nearer); the point `at` stays where it is on
        the screen."""
        view = self.view
        distance = min(max(view.distance * factor, _NEAREST), _FARTHEST)
        factor = distance / view.distance
        pivot = self.focus if at is None else np.asarray(at, float)
        focus = pivot + (self.focus - pivot) * factor
        self.set_view(replace(view, distance=distance, focus=three(focus)))

    def look_from(self, name: str) -> None:
        """A standard view, by its name in STANDARD_VIEWS. Raises KeyError."""
        azimuth, elevation = STANDARD_VIEWS[name]
        self.set_view(replace(self.view, azimuth=radians(azimuth), elevation=radians(elevation)))

    def fit_points(
        self, points: F64, margin: float = 1.08, beside: Sequence[FramedPoints] = ()
    ) -> None:
        """Shows all of (n, 3) points, from where the camera looks now; see `fitted`."""
        self.set_view(self.fitted(points, margin, beside))

    def fitted(
        self,
        points: F64,
        margin: float,
        beside: Sequence[FramedPoints] = (),
        *,
        view: CameraView | None = None,
        least: float = 0.0,
    ) -> CameraView:
        """The nearest view in the direction of `view` (the present one) that shows all of (n, 3)
        points.

        What is between the points comes to lie under nothing that covers the view, unless that
        would take most of it. `margin`: how many times larger than the points the area for them is;
        `beside` has no margin. `least`: metres that the eye stays away.
        """
        view = view or self.view
        axes = np.stack(axes_of(view))
        covers = tuple(self.covers())
        width, height, half_width, half_height = self._half()
        local = [points @ axes.T, *(room.points @ axes.T for room in beside)]
        middle = (local[0].min(axis=0) + local[0].max(axis=0)) / 2
        choices = []
        for area in find_free_areas(covers, width, height):
            rooms = [(local[0] - middle, np.zeros((1, 3)), area.over(margin))]
            rooms += [
                (inside - middle, room.arms @ axes.T, area)
                for inside, room in zip(local[1:], beside, strict=True)
            ]
            bounds = bounds_of(
                rooms, (half_width, half_height), (width, height), parallel=view.parallel
            )
            choices.append(
                (max(*(b.nearest() for b in bounds), least, 0.01), area.left, area.top, bounds)
            )
        # The nearest that is free: where nothing comes to lie under a cover, there is no need to
        # keep away from it.
        choices.sort(key=lambda choice: choice[:3])
        best = view
        for distance, _, _, bounds in choices:
            focus = (middle + [*(b.middle(distance) for b in bounds), 0.0]) @ axes
            best = replace(view, focus=three(focus), distance=distance)
            if are_clear(self.project(points, best)[:, :2], covers):
                break
        return best

    def is_free(self, x: float, y: float) -> bool:
        """Return whether a pixel is in the view, and nothing lies over it."""
        width, height = self.size()
        inside = Rectangle(0.0, 0.0, width, height).holds(x, y)
        return inside and not any(cover.holds(x, y) for cover in self.covers())

    def set_parallel(self, parallel: bool) -> None:
        if parallel != self.view.parallel:
            self.set_view(replace(self.view, parallel=parallel))

    def _move_focus(self, focus: F64) -> None:
        self.set_view(replace(self.view, focus=three(focus)))

    # -- VTK

    def _parallel_back(self) -> float:
        center, radius = self._bounds
        return max(self.view.distance, float((center - self.focus) @ self.backward) + 2.0 * radius)

    def apply(self) -> None:
        """Writes position and clipping planes to the vtkCamera."""
        view, vtk = self.view, self._vtk
        center, radius = self._bounds
        back = self._parallel_back() if view.parallel else view.distance
        eye = self.focus + self.backward * back
        depth = float((eye - center) @ self.backward)
        far = max(depth + radius, 0.01) * 1.01
        # A near plane that is not too near keeps the precision of the depth buffer.
        near = max(depth - radius, min(far, back) * 0.01) * 0.99
        vtk.SetPosition(*eye)
        vtk.SetFocalPoint(*self.focus)
        vtk.SetViewUp(*self.up)
        vtk.SetViewAngle(np.degrees(self.FIELD_OF_VIEW))
        vtk.SetParallelProjection(view.parallel)
        vtk.SetParallelScale(view.distance * tan(self.FIELD_OF_VIEW / 2))
        vtk.SetClippingRange(near, far)


def three(point: F64) -> tuple[float, float, float]:
    return float(point[0]), float(point[1]), float(point[2])
