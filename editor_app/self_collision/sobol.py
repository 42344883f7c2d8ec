"""A scrambled Sobol sequence that a kernel can generate itself, any part of it, without a table of points.

Point n is shift XOR (the direction numbers v[k] of the set bits k of n): linear in the bits of n, so a block of 2^b
consecutive points is one base per block and one table of its lower bits that all blocks share. The direction numbers
are those of Joe and Kuo as scipy has them, scrambled by Matousek's method; they are read off the points 0 and 2^k of
scipy's sequence (which runs in Gray-code order: point 2^k there has the bits k and k-1).
"""

from __future__ import annotations

import numpy as np

from editor_app.self_collision.types import F64, I64, U32

BITS = 32


class Sobol:
    """`dimensions` columns; the same seed gives the same points everywhere and in parts of any size.

    Independent of each other the points are not; each alone is uniform in the cube (random digital shift).
    """

    def __init__(self, dimensions: int, seed: int, count: int) -> None:
        """`count`: how many points will be asked for at most; 1 <= count <= 2^30."""
        if not 1 <= count <= 2**30:
            raise ValueError(f"a sample of {count} configurations is out of range (1 to 2^30)")
        self.dimensions = dimensions
        self._levels = max(1, int(count - 1).bit_length())
        self._directions = np.zeros((self._levels, dimensions), np.uint32)
        self._shift = np.zeros(dimensions, np.uint32)
        self._known = 0
        self._passed = 0
        if dimensions:
            from scipy.stats import qmc

            self._source = qmc.Sobol(dimensions, scramble=True, bits=BITS, rng=np.random.default_rng(seed))
            self._shift = _bits(self._source.random(1))
            self._passed = 1

    def _read_directions(self, levels: int) -> None:
        """Makes sure of this many direction numbers; as they come, for scipy walks through all points between."""
        while self._known < levels and self.dimensions:
            level = self._known
            if (1 << level) > self._passed:
                self._source.fast_forward((1 << level) - self._passed)
            point = _bits(self._source.random(1)) ^ self._shift
            self._passed = (1 << level) + 1
            self._directions[level] = point ^ self._directions[level - 1] if level else point
            self._known += 1

    def bases(self, numbers: I64) -> U32:
        """(n, dimensions) uint32: the points of these numbers."""
        points = np.repeat(self._shift[None, :], len(numbers), axis=0)
        levels = min(self._levels, int(numbers.max(initial=0)).bit_length())
        self._read_directions(levels)
        for level in range(levels):
            points ^= np.where((numbers[:, None] >> level) & 1, self._directions[level][None, :], np.uint32(0))
        return points

    def low(self, bits: int) -> U32:
        """(dimensions, 2^bits) uint32: what XOR with the base of a block gives its points."""
        table = np.zeros((self.dimensions, 1 << bits), np.uint32)
        numbers = np.arange(1 << bits)
        self._read_directions(min(bits, self._levels))
        for level in range(min(bits, self._levels)):
            table ^= np.where((numbers >> level) & 1, self._directions[level][:, None], np.uint32(0))
        return np.ascontiguousarray(table)

    def unit(self, numbers: I64) -> F64:
        """(n, dimensions) in [0, 1): the points of these numbers with the 24 bits that the kernels use."""
        return (self.bases(numbers) >> np.uint32(8)).astype(np.float64) * 2.0**-24


def _bits(point: F64) -> U32:
    result: U32 = (point[0] * 2.0**BITS).astype(np.uint64).astype(np.uint32)
    return result
