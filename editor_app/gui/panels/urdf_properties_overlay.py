"""The inertia ellipsoid and the centre of mass of one link, drawn in the view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from editor_app.gui.session import Session
from editor_app.gui.theme import colours
from editor_app.model.urdf import Inertial

if TYPE_CHECKING:
    from editor_app.gui.viewport.view import Viewport

_NAME = "inertia"
_POINTS = 48


class InertiaOverlay(QObject):
    """Follows the pose; `viewport` gives the view, None as long as there is none."""

    def __init__(
        self, session: Session, viewport: Callable[[], Viewport | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._viewport = viewport
        self._shown = False
        self._link: str | None = None
        self._inertial: Inertial | None = None
        session.pose_changed.connect(self._draw)
        session.document_opened.connect(self._forget)
        session.selection_changed.connect(self._on_selection)

    @property
    def is_shown(self) -> bool:
        return self._shown

    def set_shown(self, shown: bool) -> None:
        """Turns the drawing on or off."""
        self._shown = shown
        self._draw()

    def show(self, link: str, inertial: Inertial | None) -> None:
        """What to draw when it is on."""
        self._link, self._inertial = link, inertial
        if self._shown:
            self._draw()

    def _forget(self, _: object) -> None:
        self._link = self._inertial = None
        self._draw()

    def _on_selection(self, selection: object) -> None:
        if not selection:
            self._forget(None)

    def _draw(self, *_: object) -> None:
        viewport = self._viewport()
        if viewport is None:
            return
        frame = self._session.transform(self._link) if self._link is not None else None
        lines = ellipsoid_lines(self._inertial) if self._inertial is not None else None
        if not self._shown or frame is None or self._inertial is None:
            viewport.remove_overlay(_NAME)
            viewport.remove_overlay(f"{_NAME}.centre")
            return
        colour = QColor(colours().accent).getRgbF()
        centre = frame[:3, :3] @ np.asarray(self._inertial.origin.xyz) + frame[:3, 3]
        size = 0.006
        if lines is None:
            viewport.remove_overlay(_NAME)
        else:
            moved = lines @ frame[:3, :3].T + frame[:3, 3]
            size = max(0.004, 0.06 * float(np.ptp(lines.reshape(-1, 3), axis=0).max()))
            viewport.set_lines(_NAME, moved, np.asarray(colour))
        viewport.set_overlay(f"{_NAME}.centre", centre[None], np.array([size]), np.asarray(colour))


def ellipsoid_lines(inertial: Inertial) -> np.ndarray | None:
    """Three ellipses of the body with the same mass and inertia, (n, 2, 3) in the link's frame; None without one."""
    from editor_app.geometry.mass import ellipsoid_axes
    from editor_app.kinematics.transforms import origin_matrix

    xx, xy, xz, yy, yz, zz = inertial.inertia
    found = ellipsoid_axes(inertial.mass, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if found is None:
        return None
    half, directions = found
    angle = np.linspace(0, 2 * np.pi, _POINTS + 1)
    lines = []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        ring = np.outer(np.cos(angle) * half[i], directions[:, i]) + np.outer(np.sin(angle) * half[j], directions[:, j])
        lines.append(np.stack([ring[:-1], ring[1:]], axis=1))
    place = origin_matrix(inertial.origin)
    return np.concatenate(lines) @ place[:3, :3].T + place[:3, 3]
