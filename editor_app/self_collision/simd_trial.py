"""Whether every function of simd.py compiles here and computes what plain numbers do."""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from editor_app.self_collision import simd
from editor_app.self_collision.jit import fast_kernel


@fast_kernel
def every_function(x, y, words, base, limit, out):
    """out: nine vectors and a number, in the order of `expected`; returns the bits of `below` and how many are set."""
    a = simd.load(simd.memory(x), 0)
    b = simd.load(simd.further(simd.memory(y), 1), 2)
    to = simd.memory(out)
    simd.store(to, 0, a + b)
    simd.store(to, 16, -(a - b))
    simd.store(to, 32, simd.multiply_add(a, b, a * np.float32(3.0)))
    simd.store(to, 48, simd.lesser(a, b))
    simd.store(to, 64, simd.root(simd.magnitude(b)))
    simd.store(to, 80, simd.nearest_integer(b))
    simd.store(to, 96, simd.signed(a, b))
    simd.store(to, 112, simd.units(simd.memory(words), 1, base))
    simd.store(to, 128, simd.splat(simd.number(simd.memory(x), 5)))
    simd.put(to, 144, np.float32(simd.whole(simd.memory(words), 2)))
    word = simd.below(a, limit)
    return word, simd.bit_count(word)


def expected(x, y, words, base, limit):
    """((145,) float32, bits, their number) by numpy; x, y and words have 20 elements."""
    a, b = x[:16], y[3:19]
    rows = (
        a + b, b - a, a * b + 3 * a, np.minimum(a, b), np.sqrt(np.abs(b)), np.rint(b), np.copysign(a, b),
        ((words[1:17] ^ base).view(np.uint32) >> 8).astype(np.float32), np.full(16, x[5]), words[2:3],
    )  # fmt: skip
    bits = a < limit
    return np.concatenate(rows).astype(np.float32), int((bits << np.arange(16)).sum()), int(bits.sum())


def is_right() -> bool:
    """Compiles at the first use after installing (or a change of numba); an error of numba's is the caller's."""
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=20).astype(np.float32) * 5 for _ in range(2))
    words = rng.integers(0, 2**31, 20, dtype=np.int64).astype(np.int32)
    base, limit = np.int32(123456789), np.float32(0.25)
    out = np.zeros(145, np.float32)
    word, count = every_function(x, y, words, base, limit, out)
    numbers, *bits = expected(x, y, words, base, limit)
    return [word, count] == bits and bool(np.allclose(out, numbers, rtol=1e-5, atol=1e-5))
