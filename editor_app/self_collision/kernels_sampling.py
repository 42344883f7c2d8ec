"""The sampling kernel: many configurations at once, one per SIMD lane, in single precision.

Layout: everything that varies per configuration has the configuration as its last index, so that the loops over
`BLOCK` lanes become vector instructions. A link pair whose bounding spheres are far apart costs six operations per
configuration; the configurations that remain are packed together before the spheres are looked at.
"""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from editor_app.self_collision.jit import fast_helper, fast_kernel

#: Configurations per block; a power of two, because the sequence's lower bits repeat with it.
BLOCK = 256
BLOCK_BITS = 8
#: Packed configurations are handled in groups of this many.
LANES = 32
#: Single-precision error of a distance in metres that culling must not trip over (reach of some metres).
CULL_SLACK = np.float32(4e-6)
#: Pairs of frames with at most this many sphere pairs are computed for all lanes, without packing.
SMALL = 80
#: But not where fewer than one in so many lanes are near: packing those is cheaper then.
FEW = 4

TURN = np.float32(1.0 / (2.0 * math.pi))
#: sin(2*pi*x) for |x| <= 1/4 by its Taylor series; the first term left out is below 6e-8 there.
S1 = np.float32(2.0 * math.pi)
S3 = np.float32(-((2.0 * math.pi) ** 3) / 6.0)
S5 = np.float32((2.0 * math.pi) ** 5 / 120.0)
S7 = np.float32(-((2.0 * math.pi) ** 7) / 5040.0)
S9 = np.float32((2.0 * math.pi) ** 9 / 362880.0)
S11 = np.float32(-((2.0 * math.pi) ** 11) / 39916800.0)
QUARTER = np.float32(0.25)
HALF = np.float32(0.5)
UNIT = np.float32(2.0**-24)
ZERO = np.float32(0.0)


@fast_helper
def _sine(x):
    y = x * x
    return x * (S1 + y * (S3 + y * (S5 + y * (S7 + y * (S9 + y * S11)))))


@fast_helper
def _combine(p, r, x, y, z, t, out):
    """out[l] = row r of the rotation p[., l] times (x, y, z), plus its translation where t is 1."""
    first = p[4 * r]
    second = p[4 * r + 1]
    third = p[4 * r + 2]
    fourth = p[4 * r + 3]
    if t:
        for l in range(BLOCK):
            out[l] = first[l] * x + second[l] * y + third[l] * z + fourth[l]
    else:
        for l in range(BLOCK):
            out[l] = first[l] * x + second[l] * y + third[l] * z


@fast_helper
def _poses(base, low, lower, span, parent, dof, prismatic, scale, offset, origin, u, poses):
    """Joint values of one block, then the pose of every body: poses[body, 12, lane], rows of (R | t).

    One output per inner loop: the compiler gives up on vector code where many rows might overlap.
    """
    sines = u[u.shape[0] - 2]
    cosines = u[u.shape[0] - 1]
    for d in range(lower.shape[0]):
        start = base[d]
        bits = low[d]
        x = lower[d]
        y = span[d] * UNIT
        out = u[d]
        for l in range(BLOCK):
            out[l] = x + np.float32(np.int32((start ^ bits[l]) >> np.uint32(8))) * y
    for b in range(parent.shape[0]):
        p = parent[b]
        o = origin[b]
        mine = poses[b]
        for r in range(3):
            for c in range(4):
                if p < 0:
                    mine[4 * r + c] = o[r, c]
                else:
                    _combine(poses[p], r, o[0, c], o[1, c], o[2, c], c == 3, mine[4 * r + c])
        if dof[b] < 0:
            continue
        value = u[dof[b]]
        if prismatic[b]:
            k = scale[b]
            e = offset[b]
            for r in range(3):
                place = mine[4 * r + 3]
                along = mine[4 * r + 2]
                for l in range(BLOCK):
                    place[l] = place[l] + along[l] * (k * value[l] + e)
        else:
            k = scale[b] * TURN
            e = offset[b] * TURN
            for l in range(BLOCK):
                t = k * value[l] + e
                t = t - np.floor(t + HALF)
                a = abs(t)
                cosines[l] = _sine(QUARTER - a)
                s = _sine(QUARTER - abs(a - QUARTER))
                sines[l] = s if t >= ZERO else -s
            for r in range(3):
                first = mine[4 * r]
                second = mine[4 * r + 1]
                for l in range(BLOCK):
                    x = first[l]
                    y = second[l]
                    first[l] = cosines[l] * x + sines[l] * y
                    second[l] = cosines[l] * y - sines[l] * x


@fast_helper
def _gather(poses, body_a, body_b, spots, first, rel):
    """rel[12, i]: the pose of body b in body a, for the lanes spots[first + i]."""
    for i in range(rel.shape[1]):
        l = spots[first + i]
        dx = poses[body_b, 3, l] - poses[body_a, 3, l]
        dy = poses[body_b, 7, l] - poses[body_a, 7, l]
        dz = poses[body_b, 11, l] - poses[body_a, 11, l]
        for r in range(3):
            x = poses[body_a, r, l]
            y = poses[body_a, 4 + r, l]
            z = poses[body_a, 8 + r, l]
            for c in range(3):
                rel[4 * r + c, i] = x * poses[body_b, c, l] + y * poses[body_b, 4 + c, l] + z * poses[body_b, 8 + c, l]
            rel[4 * r + 3, i] = x * dx + y * dy + z * dz


@fast_helper
def _straight(poses, body_a, body_b, first, rel):
    """As `_gather` for the lanes first, first + 1 and so on: vector code throughout."""
    lanes = rel.shape[1]
    a = poses[body_a]
    b = poses[body_b]
    for r in range(3):
        x = a[r][first : first + lanes]
        y = a[4 + r][first : first + lanes]
        z = a[8 + r][first : first + lanes]
        for c in range(3):
            u = b[c][first : first + lanes]
            v = b[4 + c][first : first + lanes]
            w = b[8 + c][first : first + lanes]
            out = rel[4 * r + c]
            for i in range(lanes):
                out[i] = x[i] * u[i] + y[i] * v[i] + z[i] * w[i]
    for i in range(lanes):
        rel[3, i] = b[3, first + i] - a[3, first + i]
        rel[7, i] = b[7, first + i] - a[7, first + i]
        rel[11, i] = b[11, first + i] - a[11, first + i]
    for i in range(lanes):
        dx = rel[3, i]
        dy = rel[7, i]
        dz = rel[11, i]
        l = first + i
        rel[3, i] = a[0, l] * dx + a[4, l] * dy + a[8, l] * dz
        rel[7, i] = a[1, l] * dx + a[5, l] * dy + a[9, l] * dz
        rel[11, i] = a[2, l] * dx + a[6, l] * dy + a[10, l] * dz


@fast_helper
def _clearances(rel, spheres, a0, a1, b0, b1, bound, limit, px, py, pz, least):
    """least[i]: the smallest distance of a sphere of [a0, a1) to one of [b0, b1), per packed lane.

    A sphere of b that is `limit` or more away from the ball `bound` around all of a, in all lanes, is skipped.
    """
    lanes = least.shape[0]
    for i in range(lanes):
        least[i] = np.float32(np.inf)
    for b in range(b0, b1):
        x, y, z, rb = spheres[b, 0], spheres[b, 1], spheres[b, 2], spheres[b, 3]
        nearest = np.float32(np.inf)
        for i in range(lanes):
            px[i] = rel[0, i] * x + rel[1, i] * y + rel[2, i] * z + rel[3, i]
            py[i] = rel[4, i] * x + rel[5, i] * y + rel[6, i] * z + rel[7, i]
            pz[i] = rel[8, i] * x + rel[9, i] * y + rel[10, i] * z + rel[11, i]
        for i in range(lanes):
            dx = px[i] - bound[0]
            dy = py[i] - bound[1]
            dz = pz[i] - bound[2]
            nearest = min(nearest, dx * dx + dy * dy + dz * dz)
        reach = limit + rb + bound[3]
        if nearest >= reach * reach:
            continue
        for a in range(a0, a1):
            ax, ay, az, s = spheres[a, 0], spheres[a, 1], spheres[a, 2], spheres[a, 3] + rb
            for i in range(lanes):
                dx = px[i] - ax
                dy = py[i] - ay
                dz = pz[i] - az
                least[i] = min(least[i], np.sqrt(dx * dx + dy * dy + dz * dz) - s)


@fast_helper
def _all_lanes(places, spheres, a0, a1, b0, b1, least):
    """least[l]: the smallest distance of a sphere of [a0, a1) to one of [b0, b1), all of them placed, for all lanes."""
    for l in range(BLOCK):
        least[l] = np.float32(np.inf)
    for a in range(a0, a1):
        ax = places[a, 0]
        ay = places[a, 1]
        az = places[a, 2]
        for b in range(b0, b1):
            bx = places[b, 0]
            by = places[b, 1]
            bz = places[b, 2]
            s = spheres[a, 3] + spheres[b, 3]
            for l in range(BLOCK):
                dx = ax[l] - bx[l]
                dy = ay[l] - by[l]
                dz = az[l] - bz[l]
                least[l] = min(least[l], np.sqrt(dx * dx + dy * dy + dz * dz) - s)


@fast_kernel
def sample_blocks(
    base,
    low,
    first,
    end,
    lower,
    span,
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
    pairs,
    best,
    best_at,
    hits,
):
    """Adds the configurations first..end of the sequence to the smallest clearance, its index and the count per pair.

    base: (blocks, d) uint32, the sequence at the start of each block; low: (d, BLOCK) its lower bits.
    best (p,) float32 metres, best_at (p,) int64 and hits (p,) int64 are updated in place; `first` is a multiple of
    BLOCK. Exact: a pair is passed over only where its clearance is above the smallest known one and above 0.
    """
    n_frames = frame_body.shape[0]
    u = np.empty((lower.shape[0] + 2, BLOCK), np.float32)
    poses = np.empty((parent.shape[0], 12, BLOCK), np.float32)
    centres = np.empty((n_frames, 3, BLOCK), np.float32)
    spots = np.empty(BLOCK + LANES, np.int32)
    rel = np.empty((12, LANES), np.float32)
    least = np.empty(LANES, np.float32)
    px = np.empty(LANES, np.float32)
    py = np.empty(LANES, np.float32)
    pz = np.empty(LANES, np.float32)
    gap = np.empty(BLOCK, np.float32)
    small = np.zeros(pairs.shape[0], np.uint8)
    placed = np.zeros(n_frames, np.uint8)
    last = 0
    for p in range(pairs.shape[0]):
        i = pairs[p, 0]
        j = pairs[p, 1]
        if (starts[i + 1] - starts[i]) * (starts[j + 1] - starts[j]) <= SMALL:
            small[p] = 1
            placed[i] = 1
            placed[j] = 1
            last = max(last, starts[i + 1], starts[j + 1])
    places = np.empty((last, 3, BLOCK), np.float32)
    for block in range(base.shape[0]):
        start = first + block * BLOCK
        valid = min(BLOCK, end - start)
        _poses(base[block], low, lower, span, parent, dof, prismatic, scale, offset, origin, u, poses)
        for f in range(n_frames):
            w = frame_body[f]
            for r in range(3):
                _combine(poses[w], r, bounds[f, 0], bounds[f, 1], bounds[f, 2], True, centres[f, r])
        for f in range(n_frames):
            if placed[f]:
                w = frame_body[f]
                for k in range(starts[f], starts[f + 1]):
                    x, y, z = spheres[k, 0], spheres[k, 1], spheres[k, 2]
                    for r in range(3):
                        _combine(poses[w], r, x, y, z, True, places[k, r])
        for p in range(pairs.shape[0]):
            i = pairs[p, 0]
            j = pairs[p, 1]
            limit = max(best[p], ZERO) + CULL_SLACK
            reach = limit + bounds[i, 3] + bounds[j, 3]
            for l in range(BLOCK):
                dx = centres[i, 0, l] - centres[j, 0, l]
                dy = centres[i, 1, l] - centres[j, 1, l]
                dz = centres[i, 2, l] - centres[j, 2, l]
                gap[l] = dx * dx + dy * dy + dz * dz
            reach = reach * reach
            n = 0
            for l in range(valid):
                spots[n] = l
                if gap[l] < reach:
                    n += 1
            if n == 0:
                continue
            if small[p] and FEW * n > BLOCK:
                _all_lanes(places, spheres, starts[i], starts[i + 1], starts[j], starts[j + 1], gap)
                nearest = np.float32(np.inf)
                count = 0
                for l in range(valid):
                    nearest = min(nearest, gap[l])
                    count += gap[l] <= ZERO
                hits[p] += count
                if nearest < best[p]:
                    best[p] = nearest
                    for l in range(valid):
                        if gap[l] == nearest:
                            best_at[p] = start + l
                            break
                continue
            if starts[j + 1] - starts[j] > starts[i + 1] - starts[i]:
                i, j = j, i
            width = (n + LANES - 1) // LANES * LANES
            for l in range(n, width):
                spots[l] = spots[n - 1]
            dense = valid == BLOCK and 3 * n > BLOCK
            if dense:
                # Packing would cost more than it saves.
                n = BLOCK
                for l in range(BLOCK):
                    spots[l] = l
            count = 0
            for g in range(0, n, LANES):
                if dense:
                    _straight(poses, frame_body[i], frame_body[j], g, rel)
                else:
                    _gather(poses, frame_body[i], frame_body[j], spots, g, rel)
                _clearances(
                    rel,
                    spheres,
                    starts[i],
                    starts[i + 1],
                    starts[j],
                    starts[j + 1],
                    bounds[i],
                    limit,
                    px,
                    py,
                    pz,
                    least,
                )
                for l in range(min(LANES, n - g)):
                    c = least[l]
                    if c < best[p]:
                        best[p] = c
                        best_at[p] = start + spots[g + l]
                    if c <= ZERO:
                        count += 1
            hits[p] += count


@fast_kernel
def clearance_blocks(
    base,
    low,
    lower,
    span,
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
    first,
    second,
    result,
):
    """result (n,) float32: the clearance of one pair of frames in each of the first n configurations."""
    u = np.empty((lower.shape[0] + 2, BLOCK), np.float32)
    poses = np.empty((parent.shape[0], 12, BLOCK), np.float32)
    rel = np.empty((12, LANES), np.float32)
    least = np.empty(LANES, np.float32)
    px = np.empty(LANES, np.float32)
    py = np.empty(LANES, np.float32)
    pz = np.empty(LANES, np.float32)
    far = np.float32(np.inf)
    for block in range(base.shape[0]):
        _poses(base[block], low, lower, span, parent, dof, prismatic, scale, offset, origin, u, poses)
        start = block * BLOCK
        for g in range(0, min(BLOCK, result.shape[0] - start), LANES):
            _straight(poses, frame_body[first], frame_body[second], g, rel)
            _clearances(
                rel,
                spheres,
                starts[first],
                starts[first + 1],
                starts[second],
                starts[second + 1],
                bounds[first],
                far,
                px,
                py,
                pz,
                least,
            )
            for l in range(min(LANES, result.shape[0] - start - g)):
                result[start + g + l] = least[l]
