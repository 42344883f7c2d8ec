"""Overlapping spheres that glow, and the two nearest spheres of a pair with the line between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from editor_app.gui.viewport.layers.overlay import OverlayLayer
from editor_app.gui.viewport.palette import scene_colours
from editor_app.operations.live_overlaps import PoseOverlaps
from editor_app.self_collision.results import Contact

_OVERLAPS = "overlaps"
_WITNESS = "witness"
#: Drawn so much larger than the sphere itself that they do not flicker through it.
_SKIN = 1.02
_SKIN_ABSOLUTE = 2e-4


class OverlapsLayer:
    """On top of the viewport's overlays."""

    def __init__(self, overlay: OverlayLayer) -> None:
        self._overlay = overlay

    def show_overlaps(self, balls: NDArray[np.float64]) -> None:
        """The spheres that overlap at this pose: (n, 4) centres in the base frame, and radii."""
        # No balls take the set away.
        self._overlay.set_spheres(
            _OVERLAPS, balls[:, :3], balls[:, 3] * _SKIN + _SKIN_ABSOLUTE, np.array([*scene_colours().error, 0.62])
        )

    def show_witness(self, at_pose: PoseOverlaps, contact: Contact, text: str) -> None:
        """Two spheres, and a line from one centre to the other with the gap or the depth on it."""
        now, balls = scene_colours(), at_pose.balls({contact.first, contact.second})
        colour = now.error if contact.gap < 0 else now.accent
        self._overlay.set_spheres(
            _WITNESS, balls[:, :3], balls[:, 3] * _SKIN + 2 * _SKIN_ABSOLUTE, np.array([*colour, 0.8])
        )
        self._overlay.set_lines(_WITNESS, np.array([contact.points]), np.array([*now.ink, 1.0]), [text])

    def hide_witness(self) -> None:
        self._overlay.remove(_WITNESS)

    def end(self) -> None:
        self._overlay.remove(_OVERLAPS)
        self._overlay.remove(_WITNESS)
