"""Snapping of a dragged sphere: to an axis of its link, the surface of its mesh, or a grid in its
frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from editor_app.core.arrays import F64
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.viewport.scene import ViewScene

_SHOWN = "viewport.snap"
#: Pixels within which an axis or the surface attracts; pixels that a cell of the grid has at least.
_REACH, _CELL = 14.0, 8.0


class Snap(NamedTuple):
    """A (3,) place in the base frame, what it lies on, and (n, 2, 3) lines that show it."""

    place: F64
    name: str
    lines: F64


def snap(scene: ViewScene, frame: str, center: F64) -> Snap | None:
    """Return the place near `center` (3,) in the base frame; None where the structure has no such
    frame."""
    pose = scene.poses.get(frame)
    if pose is None:
        return None
    pixel = scene.camera.metres_per_pixel(center)
    local = (center - pose[:3, 3]) @ pose[:3, :3]
    candidates = (_on_axis(local, frame), _on_surface(scene, frame, center, pose))
    near = [
        each
        for each in candidates
        if each is not None and np.linalg.norm(each.place - local) <= _REACH * pixel
    ]
    best = min(
        near, key=lambda each: float(np.linalg.norm(each.place - local)), default=None
    ) or _on_grid(local, pixel)
    rotation, origin = pose[:3, :3], pose[:3, 3]
    return Snap(rotation @ best.place + origin, best.name, best.lines @ rotation.T + origin)


def _on_axis(local: F64, frame: str) -> Snap:
    """The nearest axis of the frame."""
    away = [float(np.linalg.norm(np.delete(local, axis))) for axis in range(3)]
    axis = int(np.argmin(away))
    place = np.where(np.arange(3) == axis, local, 0.0)
    return Snap(place, f"on axis {'xyz'[axis]} of {frame}", np.array([[np.zeros(3), 1.2 * place]]))


def _on_surface(scene: ViewScene, frame: str, center: F64, pose: F64) -> Snap | None:
    nearest = scene.aim.nearest_on_surface(frame, center)
    if nearest is None:
        return None
    place = (nearest - pose[:3, 3]) @ pose[:3, :3]
    return Snap(
        place,
        f"on the surface of {frame}",
        _cross(place, 6.0 * scene.camera.metres_per_pixel(center)),
    )


def _on_grid(local: F64, pixel: float) -> Snap:
    """A grid of 1, 2 or 5 times a power of ten, whose cells can be told apart."""
    power = 10.0 ** np.floor(np.log10(_CELL * pixel))
    cell = float(next(f * power for f in (1, 2, 5, 10) if f * power >= _CELL * pixel * 0.999))
    place = np.round(local / cell) * cell
    return Snap(place, f"on a grid of {1000 * cell:g} mm", _cross(place, 0.5 * cell))


def _cross(place: F64, arm: float) -> F64:
    """(3, 2, 3) lines through a place along the axes."""
    return np.stack([place - arm * np.eye(3), place + arm * np.eye(3)], axis=1)


def show_snap(scene: ViewScene, shown: Snap | None) -> None:
    """Draw where the sphere snaps to; None takes it away."""
    if shown is None:
        scene.overlay.remove(_SHOWN)
    else:
        scene.overlay.set_lines(
            _SHOWN, shown.lines, np.array([*scene_colours().accent, 1.0]), width=2.0
        )
