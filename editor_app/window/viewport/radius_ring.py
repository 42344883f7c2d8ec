"""The ring around a selected sphere, which is the handle of its radius."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.core.arrays import F64
from editor_app.core.document.commands.spheres import name_spheres
from editor_app.core.model.findings import SphereRef
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.session import Session
from editor_app.window.viewport.camera import ViewRay
from editor_app.window.viewport.drags import EditDrag, Grabbed
from editor_app.window.viewport.frame_drag import SNAP, Hand, Pointer
from editor_app.window.viewport.scene import ViewScene

#: Pixels on both sides of the outline in which the ring is grabbed; inside, at most this share of
#: the radius.
_REACH, _INSIDE = 6.0, 0.25
#: A sphere that is seen smaller than this (pixels of its radius) is moved, and has no ring.
_LEAST = 12.0


def ring_at(session: Session, scene: ViewScene, at: QPointF) -> SphereRef | None:
    """Return the selected sphere on whose ring the pixel lies."""
    rows = scene.table.rows_of(session.selection.spheres)
    rows = rows[scene.table.visible[rows] & (scene.table.shown[rows] > 0)]
    if not len(rows) or not session.display.spheres:
        return None
    centers, radii = scene.table.world[rows], scene.table.shown[rows]
    pixels = np.array([scene.camera.metres_per_pixel(center) for center in centers])
    outside = (_distances(scene.camera.ray(at.x(), at.y()), centers) - radii) / pixels
    seen = radii / pixels
    near = (seen >= _LEAST) & (outside <= _REACH) & (outside >= -np.minimum(_REACH, _INSIDE * seen))
    if not near.any():
        return None
    nearest = int(rows[np.argmin(np.where(near, np.abs(outside), np.inf))])
    return scene.table.refs[nearest]


def _distances(ray: ViewRay, centers: F64) -> F64:
    """(n,) metres from (n, 3) points to the line of a ray."""
    relative = centers - ray.origin
    distances: F64 = np.linalg.norm(
        relative - np.outer(relative @ ray.direction, ray.direction), axis=1
    )
    return distances


class RadiusDrag(EditDrag):
    """Changes the radii of the selected spheres by one length: the outline of `ref` follows the
    pointer."""

    hint = "Changes the radius · Shift: fine · Ctrl: steps of 1 mm · Esc puts it back"

    def __init__(self, hand: Hand, ref: SphereRef, start: QPointF) -> None:
        super().__init__(hand)
        session, scene, _ = hand
        # The one under the pointer last: its radius is shown, and rounded.
        refs = [other for other in session.selection.spheres if other != ref]
        self._grabbed = Grabbed(scene.table, (*refs, ref), session.transforms)
        self._label = f"Resize {name_spheres(self._grabbed.refs)}"
        row = scene.table.row[ref]
        self._center: F64 = scene.table.world[[row]].copy()
        self._radius = float(scene.table.radius[row])
        self._pointer = Pointer(start)
        self._first = self._away(start)

    def _away(self, at: QPointF) -> float:
        return float(_distances(self._scene.camera.ray(at.x(), at.y()), self._center)[0])

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        by = self._away(self._pointer.follow(at, modifiers)) - self._first
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            by = round((self._radius + by) / SNAP) * SNAP - self._radius
        values = self._grabbed.resized(by)
        self._scene.pace.moved()
        self._set(values, self._label)
        display, radius = self._session.display, values[-1][1].radius
        change = LENGTH.signed(radius - self._radius, display)
        text = f"r {LENGTH.column(radius, display)}   Δr {change}   {display.length_unit}"
        self._tell(text if len(values) == 1 else f"{text}\n{len(values)} spheres", at)
