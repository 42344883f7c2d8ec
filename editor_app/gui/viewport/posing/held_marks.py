"""Where tools are held: a diamond with the tool's name, seen before and while another tool is dragged."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.palette import HELD_COLOUR
from editor_app.gui.viewport.scene import Scene

MARKS = "viewport.held"
#: Pixels within which the pointer is at a mark.
_NEAR = 14.0
#: Of a frame's axes.
_SIZE = 0.85


def show(scene: Scene, poses: Mapping[str, Array]) -> None:
    """`poses` (4, 4) of the held tools by name; none takes the marks away."""
    if not poses:
        hide(scene)
        return
    size = _SIZE * scene.frames.look.length
    lines = np.concatenate([pose[:3, 3] + size * _EDGES @ pose[:3, :3].T for pose in poses.values()])
    texts = [f"held: {name}" if not edge else "" for name in poses for edge in range(len(_EDGES))]
    scene.overlay.set_lines(MARKS, lines, np.array([*HELD_COLOUR, 1.0]), texts, width=2.5)
    scene.redraw()


def hide(scene: Scene) -> None:
    """Takes them away."""
    if MARKS in scene.overlay.names:
        scene.overlay.remove(MARKS)
        scene.redraw()


def at(scene: Scene, poses: Mapping[str, Array], x: float, y: float) -> str | None:
    """The tool whose mark is under a pixel."""
    if not poses:
        return None
    places = np.array([pose[:3, 3] for pose in poses.values()])
    seen = scene.camera.project(places)
    near = np.maximum(
        _NEAR, [0.7 * _SIZE * scene.frames.look.length / scene.camera.metres_per_pixel(p) for p in places]
    )
    away = np.hypot(seen[:, 0] - x, seen[:, 1] - y) / near
    away = np.where(np.isnan(away), np.inf, away)
    nearest = int(np.argmin(away))
    return list(poses)[nearest] if away[nearest] <= 1.0 else None


def _diamond() -> Array:
    """(12, 2, 3) the edges of an octahedron; the first is one at its upper side."""
    tips = np.concatenate([np.eye(3), -np.eye(3)])
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6) if j - i != 3]
    pairs.sort(key=lambda pair: 2 not in pair)
    return np.array([[tips[i], tips[j]] for i, j in pairs])


_EDGES = _diamond()
