"""The inertia ellipsoid and the centre of mass of one link, drawn in the view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from editor_app.core.model.urdf import Inertial
from editor_app.core.space.geometry.mass import ellipsoid_axes
from editor_app.core.space.kinematics.transforms import build_origin_matrix, inertia_tensor
from editor_app.window.session import Session
from editor_app.window.theme import colours, theme
from editor_app.window.viewport.view import Viewport

_NAME = "inertia"
_POINTS = 48
#: Half the size (m) of the cross where there is no ellipsoid to tell one.
_SMALL = 0.02


class InertiaOverlay(QObject):
    """Follows the pose; `viewport` gives the view, None as long as there is none."""

    def __init__(
        self,
        session: Session,
        viewport: Callable[[], Viewport | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._viewport = viewport
        self.is_shown = False
        self._link: str | None = None
        self._inertial: Inertial | None = None
        session.pose_changed.connect(self._draw)
        session.document_opened.connect(self._forget)
        session.selection_changed.connect(self._on_selection)
        theme().changed.connect(self._draw)

    def set_shown(self, shown: bool) -> None:
        """Turns the drawing on or off."""
        self.is_shown = shown
        self._draw()

    def show(self, link: str, inertial: Inertial | None) -> None:
        """Set the inertial to draw while the overlay is on."""
        self._link, self._inertial = link, inertial
        if self.is_shown:
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
        if not self.is_shown or frame is None or self._inertial is None:
            viewport.overlay.remove(_NAME)
            return
        lines = ellipsoid_lines(self._inertial)
        if lines is None:
            # No body has such an inertia; its centre of mass is shown all the same.
            lines = _cross(np.full(3, _SMALL), np.eye(3)) + np.asarray(self._inertial.origin.xyz)
        # Not the accent, which is the colour of the selected link behind it.
        colour = np.asarray(QColor(colours().text).getRgbF())
        # The first line runs through the centre of mass, where its label stands.
        viewport.overlay.set_lines(
            _NAME, lines @ frame[:3, :3].T + frame[:3, 3], colour, [f"{self._inertial.mass:.4g} kg"]
        )


def ellipsoid_lines(inertial: Inertial) -> np.ndarray | None:
    """The ellipsoid of the same mass and inertia, (n, 2, 3) in the link's frame; None without one.

    Its three main sections, and the three axes that cross in the centre of mass.
    """

    axes = ellipsoid_axes(inertial.mass, inertia_tensor(inertial))
    if axes is None:
        return None
    half, directions = axes
    angle = np.linspace(0, 2 * np.pi, _POINTS + 1)
    lines = [_cross(half, directions)]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        ring = np.outer(np.cos(angle) * half[i], directions[:, i]) + np.outer(
            np.sin(angle) * half[j], directions[:, j]
        )
        lines.append(np.stack([ring[:-1], ring[1:]], axis=1))
    place = build_origin_matrix(inertial.origin)
    return np.concatenate(lines) @ place[:3, :3].T + place[:3, 3]


def _cross(half: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """(3, 2, 3): lines of these half lengths along the columns of `directions`."""
    ends = (directions * half).T
    return np.stack([-ends, ends], axis=1)
