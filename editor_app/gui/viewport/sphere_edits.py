"""What dragging, nudging, the wheel and a click on a surface mean in numbers: values for the sphere commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, log10

import numpy as np

from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.sphere_table import SphereTable
from editor_app.model.findings import SphereRef
from editor_app.model.xrdf import CollisionSphere

#: Decimals of a metre that hands can set: a micrometre.
_DECIMALS = 6
#: The wheel does not make a sphere smaller than this (metres).
_LEAST_RADIUS = 1e-4

Values = tuple[tuple[SphereRef, CollisionSphere], ...]


class Grabbed:
    """Spheres as they were when an edit began; every step of the edit starts from there."""

    def __init__(self, table: SphereTable, refs: Iterable[SphereRef], transforms: Array) -> None:
        pairs = [(r, s) for r in refs if r in table.row and (s := table.sphere(r)) is not None]
        # A frame that the structure does not have stands nowhere: its spheres cannot be moved in space.
        pairs = [(r, s) for r, s in pairs if table.frame[table.row[r]] >= 0]
        self.refs: tuple[SphereRef, ...] = tuple(r for r, _ in pairs)
        self._spheres = [s for _, s in pairs]
        rows = table.rows_of(self.refs)
        self._local = np.array([s.center for s in self._spheres], float).reshape(-1, 3)
        self._rotations = transforms[table.frame[rows], :3, :3] if len(rows) else np.zeros((0, 3, 3))
        self.world: Array = table.world[rows].copy()

    def __len__(self) -> int:
        return len(self.refs)

    def moved(self, offset: Array) -> Values:
        """All moved by the same (3,) offset in the base frame. Numbers that stay are left as they are written."""
        shifts = np.einsum("nji,j->ni", self._rotations, offset)
        centers = np.where(np.abs(shifts) < 1e-9, self._local, np.round(self._local + shifts, _DECIMALS)).tolist()
        return tuple(
            (ref, CollisionSphere((x, y, z), sphere.radius))
            for ref, sphere, (x, y, z) in zip(self.refs, self._spheres, centers, strict=True)
        )

    def resized(self, by: float) -> Values:
        """All radii changed by the same length; what has a radius keeps one."""
        values = []
        for ref, sphere in zip(self.refs, self._spheres, strict=True):
            radius = round(sphere.radius + by, _DECIMALS)
            if sphere.radius > 0:
                radius = max(radius, min(_LEAST_RADIUS, sphere.radius))
            values.append((ref, CollisionSphere(sphere.center, radius)))
        return tuple(values)


def radius_step(radius: float, fine: bool) -> float:
    """What one notch of the wheel adds: about 2 % of the radius as a round number, a tenth of it when `fine`."""
    step = _rounded(max(abs(radius) * 0.025, 1e-4))
    return max(step / 10, 1e-5) if fine else step


def _rounded(value: float) -> float:
    """The largest of 1, 2, 5 · 10^k that is not above `value`."""
    power = 10.0 ** floor(log10(value) + 1e-9)
    factor = max(f for f in (1, 2, 5) if f * power <= value * (1 + 1e-9))
    return float(f"{factor * power:.6g}")


def label_of(verb: str, refs: Sequence[SphereRef]) -> str:
    """ "Move sphere", "Move 3 spheres"."""
    return f"{verb} sphere" if len(refs) == 1 else f"{verb} {len(refs)} spheres"


def new_radius(center: Array, neighbours: Sequence[CollisionSphere], extent: Array | None) -> float:
    """A radius for a new sphere on a link: that of its neighbours, else one that suits the link's size.

    `center` (3,) and `neighbours` in the frame of the link; `extent` (3,) edges of the box around its mesh, metres.
    """
    sized = [s for s in neighbours if s.radius > 0]
    if sized:
        distances = [float(np.linalg.norm(np.array(s.center) - center)) for s in sized]
        nearest = sorted(zip(distances, (s.radius for s in sized), strict=True))[:3]
        radius = float(np.median([r for _, r in nearest]))
    elif extent is not None and float(np.max(extent)) > 0:
        # Half of the second edge fills a slender link across.
        radius = 0.5 * float(np.sort(extent)[1])
    else:
        radius = 0.05
    step = _rounded(max(radius * 0.05, 1e-4))
    return float(f"{max(step, round(radius / step) * step):.6g}")


def on_surface(point: Array) -> tuple[float, float, float]:
    """A centre as it is written, in the frame of the link."""
    x, y, z = (round(float(v), _DECIMALS) for v in point)
    return x, y, z
