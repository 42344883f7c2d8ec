"""Double-precision kernels for one pose: body poses, sphere centres, exact distance of each pair,
touching spheres."""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from editor_app.features.masks.engine.jit import kernel


@kernel
def world_spheres(
    values,
    parent,
    dof,
    prismatic,
    scale,
    offset,
    origin,
    frame_body,
    starts,
    spheres,
    bounds,
    poses,
    centres,
    balls,
):
    """Fills poses (bodies, 3, 4), centres (spheres, 4) and balls (frames, 4) in the root's frame.

    values: (variables,); the rest as in `SphereModel`.
    """
    for b in range(parent.shape[0]):
        p = parent[b]
        if p < 0:
            for r in range(3):
                for c in range(4):
                    poses[b, r, c] = origin[b, r, c]
        else:
            for r in range(3):
                for c in range(4):
                    poses[b, r, c] = (
                        poses[p, r, 0] * origin[b, 0, c]
                        + poses[p, r, 1] * origin[b, 1, c]
                        + poses[p, r, 2] * origin[b, 2, c]
                    )
                poses[b, r, 3] += poses[p, r, 3]
        if dof[b] < 0:
            continue
        v = scale[b] * values[dof[b]] + offset[b]
        if prismatic[b]:
            for r in range(3):
                poses[b, r, 3] += poses[b, r, 2] * v
        else:
            cosine = math.cos(v)
            sine = math.sin(v)
            for r in range(3):
                x = poses[b, r, 0]
                y = poses[b, r, 1]
                poses[b, r, 0] = cosine * x + sine * y
                poses[b, r, 1] = cosine * y - sine * x
    for f in range(frame_body.shape[0]):
        t = poses[frame_body[f]]
        for r in range(3):
            balls[f, r] = (
                t[r, 0] * bounds[f, 0] + t[r, 1] * bounds[f, 1] + t[r, 2] * bounds[f, 2] + t[r, 3]
            )
        balls[f, 3] = bounds[f, 3]
        for i in range(starts[f], starts[f + 1]):
            for r in range(3):
                centres[i, r] = (
                    t[r, 0] * spheres[i, 0]
                    + t[r, 1] * spheres[i, 1]
                    + t[r, 2] * spheres[i, 2]
                    + t[r, 3]
                )
            centres[i, 3] = spheres[i, 3]


@kernel
def pair_clearances(centres, balls, starts, pairs, rows, clearance, nearest):
    """Smallest distance between the spheres of each pair in `rows`: clearance (p,) and nearest (p,
    2) are filled.

    Negative when they overlap. Exact: spheres are passed over only when their distance to the ball
    around the other frame already exceeds the smallest distance found.
    """
    most = 0
    for f in range(starts.shape[0] - 1):
        most = max(most, starts[f + 1] - starts[f])
    near_a = np.empty(most)
    near_b = np.empty(most)
    keep = np.empty(most, np.int32)
    for row in rows:
        i = pairs[row, 0]
        j = pairs[row, 1]
        a0, a1, b0, b1 = starts[i], starts[i + 1], starts[j], starts[j + 1]
        first_a = a0
        for a in range(a0, a1):
            x = centres[a, 0] - balls[j, 0]
            y = centres[a, 1] - balls[j, 1]
            z = centres[a, 2] - balls[j, 2]
            near_a[a - a0] = math.sqrt(x * x + y * y + z * z) - centres[a, 3] - balls[j, 3]
            if near_a[a - a0] < near_a[first_a - a0]:
                first_a = a
        first_b = b0
        for b in range(b0, b1):
            x = centres[b, 0] - balls[i, 0]
            y = centres[b, 1] - balls[i, 1]
            z = centres[b, 2] - balls[i, 2]
            near_b[b - b0] = math.sqrt(x * x + y * y + z * z) - centres[b, 3] - balls[i, 3]
            if near_b[b - b0] < near_b[first_b - b0]:
                first_b = b
        x = centres[first_a, 0] - centres[first_b, 0]
        y = centres[first_a, 1] - centres[first_b, 1]
        z = centres[first_a, 2] - centres[first_b, 2]
        best = math.sqrt(x * x + y * y + z * z) - centres[first_a, 3] - centres[first_b, 3]
        at_a = first_a
        at_b = first_b
        n = 0
        for a in range(a0, a1):
            keep[n] = a
            if near_a[a - a0] <= best:
                n += 1
        for b in range(b0, b1):
            if near_b[b - b0] > best:
                continue
            bx, by, bz, br = centres[b, 0], centres[b, 1], centres[b, 2], centres[b, 3]
            for k in range(n):
                a = keep[k]
                x = centres[a, 0] - bx
                y = centres[a, 1] - by
                z = centres[a, 2] - bz
                s = centres[a, 3] + br
                reach = best + s
                square = x * x + y * y + z * z
                if reach > 0.0 and square < reach * reach:
                    best = math.sqrt(square) - s
                    at_a = a
                    at_b = b
        clearance[row] = best
        nearest[row, 0] = at_a
        nearest[row, 1] = at_b


@kernel
def touching_spheres(centres, starts, pairs, rows, limit):
    """All sphere pairs of the pairs in `rows` that are closer than `limit` metres: (n, 3) row,
    sphere, sphere; (n,)."""
    touching = np.empty((16, 3), np.int64)
    gaps = np.empty(16)
    n = 0
    for row in rows:
        i = pairs[row, 0]
        j = pairs[row, 1]
        for a in range(starts[i], starts[i + 1]):
            for b in range(starts[j], starts[j + 1]):
                x = centres[a, 0] - centres[b, 0]
                y = centres[a, 1] - centres[b, 1]
                z = centres[a, 2] - centres[b, 2]
                s = centres[a, 3] + centres[b, 3]
                reach = limit + s
                square = x * x + y * y + z * z
                if reach > 0.0 and square < reach * reach:
                    if n == gaps.shape[0]:
                        touching = np.concatenate((touching, np.empty_like(touching)))
                        gaps = np.concatenate((gaps, np.empty_like(gaps)))
                    touching[n, 0] = row
                    touching[n, 1] = a
                    touching[n, 2] = b
                    gaps[n] = math.sqrt(square) - s
                    n += 1
    return touching[:n].copy(), gaps[:n].copy()
