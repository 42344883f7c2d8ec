"""The mount in the view: the plane below which no sphere of the base reaches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject

from editor_app.geometry.mount import Mount
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.timers import after
from editor_app.gui.viewport import view

#: The square reaches so far beyond what stands on it.
_BEYOND = 1.5


class MountShown(QObject):
    """Shown while a fit is at issue, as long as fits keep to it."""

    def __init__(self, context: FitContext, is_at_issue: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._is_at_issue = is_at_issue
        self._view: view.Viewport | None = None
        #: The corners that the view shows.
        self._drawn: bytes | None = None
        session = context.session
        told_by = (session.document_opened, session.tree_changed, session.history_changed)
        self._later = after(self, self._show, on=(*told_by, context.mount_changed, context.proposed_changed))

    def set_view(self, view: view.Viewport) -> None:
        self._view = view
        self._show()

    def _show(self) -> None:
        if self._view is None:
            return
        mount = self._context.mount
        used = mount is not None and self._context.mount_used
        corners = self._corners(mount) if mount is not None and used and self._is_at_issue() else None
        key = None if corners is None else corners.tobytes()
        if key != self._drawn:
            self._drawn = key
            self._view.scene.mount.show(corners)
            self._view.scene.redraw()

    def _corners(self, mount: Mount) -> np.ndarray | None:
        """(4, 3) in the base frame, in turn: a square around the links that stand on the plane."""
        context = self._context
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        root = context.session.transform(mount.root)
        if root is None:
            return None
        for plane in mount.planes:
            mesh, pose = context.mesh(plane.link, whole=True), context.session.transform(plane.link)
            if mesh is None or pose is None or not len(mesh.vertices):
                continue
            used = mesh.vertices[np.unique(mesh.faces)] @ pose[:3, :3].T + pose[:3, 3]
            local = (used - root[:3, 3]) @ root[:3, :3]
            low, high = np.minimum(low, local[:, :2].min(axis=0)), np.maximum(high, local[:, :2].max(axis=0))
        if not np.isfinite(low).all():
            return None
        middle, half = (low + high) / 2, _BEYOND * float((high - low).max()) / 2
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * half + middle
        corners = np.column_stack([square, np.full(4, mount.height)])
        return np.asarray(corners @ root[:3, :3].T + root[:3, 3])
