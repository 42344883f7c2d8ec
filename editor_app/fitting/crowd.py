"""Where other links come close, spheres that stand out cost more: there they shut ways that the link leaves open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from editor_app.fitting.field import sample_field
from editor_app.fitting.solid import Solid

#: How much further than they do spheres count as standing out where it is most crowded.
STRESS = 8.0
#: A place is crowded as far as this from a point that says so, metres.
_REACH = 0.005
#: Points further outside than this say nothing of the spheres, metres.
_FAR = 0.025
#: Voxels for a field that tells crowded places apart, metres.
_VOXEL = 0.004


def crowded(solid: Solid, crowd: npt.ArrayLike) -> Solid:
    """The solid with a field that rises up to ``1 + STRESS`` times as steeply outside, where points of ``crowd`` (k, 4:
    x, y, z in metres in the mesh's frame, weight) are.

    For the search alone: what its field says of distances is too much.
    """
    from scipy.ndimage import gaussian_filter

    rows = np.asarray(crowd, float).reshape(-1, 4)
    if not len(rows):
        return solid
    solid = solid.finer(_VOXEL)
    points = solid.to_canonical(rows[:, :3])
    cells = np.floor((points - solid.origin) / solid.h).astype(np.int64)
    inside = np.all((cells >= 0) & (cells < solid.phi.shape), axis=1)
    cells, weights, points = cells[inside], rows[inside, 3], np.ascontiguousarray(points[inside])
    above = np.asarray(sample_field(solid.phi, solid.origin, solid.h, points)) * solid.diagonal
    near = above < _FAR
    density = np.zeros(solid.phi.shape)
    np.add.at(density, tuple(cells[near].T), weights[near])
    density = gaussian_filter(density, _REACH / solid.diagonal / solid.h, mode="constant")
    most = float(density.max())
    if most <= 0.0:
        return solid
    stress = 1.0 + STRESS * np.sqrt(density / most)
    phi = np.where(solid.phi > 0.0, solid.phi * stress, solid.phi).astype(np.float32)
    return replace(solid, phi=phi, cache={})
