"""The compiled kernels behind the distance field: short cuts give what the plain way gives."""

import numpy as np
import pytest
from scipy.ndimage import label

from editor_app.features.spheres.engine import field, voxels
from editor_app.features.spheres.engine.compiled import in_two_threads


@pytest.mark.parametrize("seed", range(3))
def test_the_widest_way_is_the_flood_of_every_size(seed):
    rng = np.random.default_rng(seed)
    distance = rng.random((11, 9, 13)).astype(np.float32)
    distance[0, 0, 0] = 1.0
    sizes = np.array([0.1, 0.25, 0.4, 0.45], np.float32)
    ways = voxels.passable(distance, sizes)
    for k, size in enumerate(sizes):
        parts, _ = label(distance > size)
        flooded = parts == parts[0, 0, 0]
        assert flooded.any()
        assert not flooded.all()
        assert np.array_equal(ways > k, flooded)


def test_nothing_is_passable_from_a_walled_corner():
    distance = np.ones((4, 4, 4), np.float32)
    distance[0, 0, 0] = 0.0
    assert not voxels.passable(distance, np.array([0.5], np.float32)).any()


@pytest.mark.parametrize("shape", [(1, 5, 7), (2, 2, 2), (9, 6, 11)])
def test_the_nearest_set_cell_is_the_nearest(shape):
    rng = np.random.default_rng(4)
    mask = rng.random(shape) < 0.15
    mask[0, 1, 1] = True
    nearest = np.stack(np.unravel_index(voxels.nearest_set(mask), shape), axis=-1)
    cells = np.moveaxis(np.indices(shape), 0, -1)
    assert mask[tuple(nearest.reshape(-1, 3).T)].all()
    least = np.linalg.norm(cells[..., None, :] - np.argwhere(mask), axis=-1).min(-1)
    assert np.allclose(np.linalg.norm(cells - nearest, axis=-1), least)


def test_the_band_does_not_depend_on_where_the_threads_meet():
    rng = np.random.default_rng(2)
    pieces = rng.random((60, 1, 3)) + 0.1 * rng.normal(size=(60, 3, 3))
    origin, h, dims = np.array([-0.5, -0.5, -0.5]), 0.1, (20, 20, 20)
    dist, near = field.band_distance(pieces, origin, h, dims, 0.16)
    assert (near >= 0).any()
    assert (near < 0).any()
    # All on one side of the grid: one thread has nothing to do.
    moved, nearest = field.band_distance(pieces, origin - [1.9, 0, 0], h, (40, 20, 20), 0.16)
    assert np.allclose(moved[19:39], dist, atol=1e-6)
    assert (nearest[19:39] == near).mean() > 0.999


def test_an_error_in_the_other_thread_is_not_lost():
    def fails_late(first, last):
        if first > 0:
            raise ValueError("second half")

    with pytest.raises(ValueError, match="second half"):
        in_two_threads(fails_late, 0, 1, 2)
