"""The kernel that judges self-collision buffers, asked thousands of times for the same
configurations."""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from editor_app.features.masks.engine.jit import kernel


@kernel
def refusals(clearances, moved, rows, configurations, collides, margin):
    """How many free configurations are refused, and how many that collide: by clearances (m,) of
    rows (m,) in configurations (m,), when row k has `moved[k]` metres more; what collides (n,) is
    refused by `margin` metres."""
    refused = np.zeros(len(collides), np.bool_)
    free, colliding = 0, 0
    for k in range(len(clearances)):
        n = configurations[k]
        if refused[n]:
            continue
        if clearances[k] + moved[rows[k]] < (-margin if collides[n] else 0.0):
            refused[n] = True
            if collides[n]:
                colliding += 1
            else:
                free += 1
    return free, colliding
