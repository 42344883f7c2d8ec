"""Where other links come close, spheres that stand out cost more: there they shut ways that the link leaves open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from editor_app.fitting.field import sample_field
from editor_app.fitting.solid import Floats, Solid

#: How much further than they do spheres count as standing out where it is most crowded.
STRESS = 4.0
#: A place is crowded as far as this from a point that says so, metres.
_REACH = 0.012
#: Voxels for a field that tells crowded places apart, metres.
_VOXEL = 0.004
_LAYERS = np.linspace(0.0, 1.0, 5)


def crowded(solid: Solid, crowd: npt.ArrayLike) -> Solid:
    """The solid with a field that rises up to ``1 + STRESS`` times as steeply outside, where points of ``crowd`` (k, 4:
    x, y, z in metres in the mesh's frame, weight) are; the way from a point to the surface is as crowded as the point.

    For the search alone: what its field says of distances is too much.
    """
    from scipy.ndimage import gaussian_filter

    rows = np.asarray(crowd, float).reshape(-1, 4)
    if not len(rows):
        return solid
    solid = solid.finer(_VOXEL)
    points = solid.to_canonical(rows[:, :3])
    above = _distance(solid, points)
    slopes = [_distance(solid, points + step) - _distance(solid, points - step) for step in solid.h * np.eye(3)]
    uphill = np.stack(slopes, axis=1)
    uphill /= np.maximum(np.linalg.norm(uphill, axis=1), 1e-9)[:, None]
    onto = points - uphill * above[:, None]
    between = np.concatenate([onto + (points - onto) * share for share in _LAYERS])
    cells = np.floor((between - solid.origin) / solid.h).astype(np.int64)
    weights = np.tile(rows[:, 3], len(_LAYERS))
    inside = np.all((cells >= 0) & (cells < solid.phi.shape), axis=1)
    density = np.zeros(solid.phi.shape)
    np.add.at(density, tuple(cells[inside].T), weights[inside])
    density = gaussian_filter(density, _REACH / solid.diagonal / solid.h, mode="constant")
    most = float(density.max())
    if most <= 0.0:
        return solid
    stress = 1.0 + STRESS * np.sqrt(density / most)
    phi = np.where(solid.phi > 0.0, solid.phi * stress, solid.phi).astype(np.float32)
    return replace(solid, phi=phi, cache={})


def _distance(solid: Solid, points: Floats) -> Floats:
    return np.asarray(sample_field(solid.phi, solid.origin, solid.h, np.ascontiguousarray(points)))
