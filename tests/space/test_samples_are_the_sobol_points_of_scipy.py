"""The sequence that samples configurations is scipy's, point for point, also where its table begins
again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from editor_app.core.space.kinematics.sobol import BITS, Sobol, direction_numbers


@pytest.mark.parametrize(("dimensions", "seed"), [(1, 0), (7, 3), (43, 11), (1111, 5)])
def test_points_agree_with_scipy(dimensions: int, seed: int) -> None:
    source = qmc.Sobol(dimensions, scramble=True, bits=BITS, rng=np.random.default_rng(seed))
    theirs = (source.random(256) * 2.0**BITS).astype(np.uint64).astype(np.uint32)
    # Theirs run in Gray code's order.
    numbers = np.arange(256)
    assert np.array_equal(Sobol(dimensions, seed, 256).bases(numbers ^ (numbers >> 1)), theirs)


def test_a_block_is_its_base_and_the_table_of_low_bits() -> None:
    sobol = Sobol(5, 2, 4096)
    low = sobol.low(6)
    bases = sobol.bases(np.arange(0, 4096, 64))
    assert np.array_equal(
        (bases[:, :, None] ^ low).transpose(0, 2, 1).reshape(-1, 5), sobol.bases(np.arange(4096))
    )


def test_more_columns_than_the_table_has_are_scrambled_apart() -> None:
    plain = direction_numbers(1113)
    assert np.array_equal(plain[:, 1111:], plain[:, :2])
    points = Sobol(1113, 1, 64).unit(np.arange(64))
    assert not np.array_equal(points[:, 1111:], points[:, :2])
    assert points.min() >= 0.0
    assert points.max() < 1.0


def test_no_column_and_too_many_points() -> None:
    assert Sobol(0, 1, 8).unit(np.arange(8)).shape == (8, 0)
    with pytest.raises(ValueError, match="out of range"):
        Sobol(3, 1, 0)
