"""Vectors of single-precision numbers for kernels: by simd.py, or, where that cannot be used, by
plain_lanes.py.

simd.py leans on numba's inner parts, which may change with any release. It is tried once per
process, each function of it, and left aside when it does not compile or does not compute what plain
numbers do. `XRDF_EDITOR_VECTORS=plain` leaves it aside from the start.

In a kernel `a + b`, `a - b`, `a * b` and `-a` work on vectors, with a plain number on the
right-hand side as well. The functions: `memory(array)` is the array's memory, whose elements the
others count; `further(memory, n)` the same from element n on, `aligned(memory)` from the next
multiple of 64 bytes on. `load` and `store` move WIDTH numbers, `number`, `put` and `whole` (int32)
one. The rest is told in simd.py. Nothing is checked, and the caller keeps the arrays alive.
"""

from __future__ import annotations

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

import logging
import os
from types import ModuleType

from editor_app.features.masks.engine import plain_lanes, simd

#: `plain` for the vectors of plain_lanes.py.
SWITCH = "XRDF_EDITOR_VECTORS"


def chosen() -> ModuleType:
    """The module whose vectors are used."""
    if os.environ.get(SWITCH) == "plain":
        return plain_lanes
    try:
        if simd.is_right():
            return simd
        reason = "their results differ from scalar code"
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    logging.getLogger(__name__).warning(
        "Vectorised sampling kernels cannot be used here (%s); slower scalar code is used instead.",
        reason,
    )
    return plain_lanes


_lanes = chosen()

#: Numbers in a vector.
WIDTH: int = _lanes.WIDTH
IS_PLAIN = _lanes is plain_lanes

memory, further, aligned = _lanes.memory, _lanes.further, _lanes.aligned
load, store, number, put, whole, units = (
    _lanes.load, _lanes.store, _lanes.number, _lanes.put, _lanes.whole, _lanes.units
)  # fmt: skip
splat, multiply_add, lesser, nearest_integer = (
    _lanes.splat,
    _lanes.multiply_add,
    _lanes.lesser,
    _lanes.nearest_integer,
)
magnitude, root, signed, below, bit_count = (
    _lanes.magnitude,
    _lanes.root,
    _lanes.signed,
    _lanes.below,
    _lanes.bit_count,
)
