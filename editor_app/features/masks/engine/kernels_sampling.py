"""The sampling kernels: as many configurations at once as a vector has lanes (16, or 1), in single
precision.

A *block* of configurations shares the upper bits of its points; a *chunk* is one vector's share of
it. Per chunk the bodies are placed, then each pair is looked at: the balls around its frames, and
where those are near in any lane the spheres themselves. Pairs of many spheres do that for the near
lanes alone, packed together over a whole block.

No square root is needed to pass over a pair of spheres: d < s + c is d^2 < (s + c)^2, where c is
the smallest clearance known. Only when some lane is below that is the clearance itself computed.
"""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from editor_app.core.arrays import F32, I32, I64
from editor_app.features.masks.engine.jit import fast_helper, fast_kernel, fast_part
from editor_app.features.masks.engine.lanes import (
    WIDTH,
    aligned,
    below,
    bit_count,
    further,
    lesser,
    load,
    magnitude,
    memory,
    multiply_add,
    nearest_integer,
    number,
    put,
    root,
    signed,
    splat,
    store,
    units,
    whole,
)

#: Configurations per block; a power of two, because the sequence's lower bits repeat with it.
BLOCK = 256
BLOCK_BITS = 8
CHUNKS = BLOCK // WIDTH
#: Numbers of a point, and of a pose (columns x, y, z of the rotation, then the place), in a chunk.
POINT = 3 * WIDTH
POSE = 12 * WIDTH
EVERY = (1 << WIDTH) - 1
#: Single-precision error of a distance in metres that the test of balls must not trip over (reach
#: of some metres).
CULL_SLACK = np.float32(4e-6)
#: A clearance replaces the smallest one known only when it is smaller by this share of the distance
#: of the centres (squared): what is less is rounding, and a pair that keeps its distance would look
#: new in every chunk.
LESS = np.float32(1.0 - 4e-7)
#: Pairs of frames with at most this many sphere pairs are computed for all lanes, without packing.
DIRECT = 160
#: Those with at most this many have no test of balls before: it would cost as much.
TINY = 16
#: Spheres of the one frame are first compared with the ball around the other where that has so many
#: or more.
BALL_FIRST = 4

#: sin(2*pi*x) for |x| <= 1/4 by its Taylor series; the first term left out is below 6e-8 there.
S1 = np.float32(2.0 * math.pi)
S3 = np.float32(-((2.0 * math.pi) ** 3) / 6.0)
S5 = np.float32((2.0 * math.pi) ** 5 / 120.0)
S7 = np.float32(-((2.0 * math.pi) ** 7) / 5040.0)
S9 = np.float32((2.0 * math.pi) ** 9 / 362880.0)
S11 = np.float32(-((2.0 * math.pi) ** 11) / 39916800.0)
QUARTER = np.float32(0.25)
ZERO = np.float32(0.0)
FAR = np.float32(np.inf)

#: `packing.Step`.
TILTED, PARALLEL, SQUARE, OPPOSITE = 1, 2, 3, 4


def workspace(bodies: int, starts: I32, pairs: I32) -> tuple[I64, I32, F32]:
    """The arguments `rows`, `sides` and `work` of `sample_blocks`; what stands where in `work` is
    written there."""
    sizes = np.diff(starts).astype(np.int64)
    counts = sizes[pairs[:, 0]] * sizes[pairs[:, 1]]
    rows = np.concatenate([[0], np.cumsum(np.where(counts <= DIRECT, counts, 0))]).astype(np.int64)
    most = int(sizes.max(initial=0))
    vectors = (
        CHUNKS * (bodies * POSE + len(sizes) * POINT)
        + int(starts[-1]) * POINT
        + 2 * POSE
        + POINT * (1 + 2 * most)
    )
    limits = 2 * (int(rows[-1]) + most)
    sides = np.empty((int(rows[-1]), 2), np.int32)
    for (i, j), first, last in zip(
        pairs.tolist(), rows[:-1].tolist(), rows[1:].tolist(), strict=True
    ):
        if last > first:
            a, b = (np.arange(starts[f], starts[f + 1]) * POINT for f in (i, j))
            sides[first:last, 0], sides[first:last, 1] = np.tile(a, len(b)), np.repeat(b, len(a))
    return rows, sides, np.zeros(vectors + WIDTH + len(pairs) + limits + WIDTH, np.float32)


@fast_helper
def _sine(x):
    """sin(2*pi*x) for |x| <= 1/4."""
    y = x * x
    p = multiply_add(y, S11, splat(S9))
    p = multiply_add(p, y, splat(S7))
    p = multiply_add(p, y, splat(S5))
    p = multiply_add(p, y, splat(S3))
    p = multiply_add(p, y, splat(S1))
    return p * x


@fast_helper
def _bodies(base, low, chunk, n, parent, dof, prismatic, start, span, step, origin, poses, at):
    """Poses of all bodies but the first in one chunk; poses[at + body * POSE ...]."""
    for b in range(1, n):
        here = at + b * POSE
        o = 12 * b
        if whole(parent, b) == 0:
            xx, xy, xz = (
                splat(number(origin, o)),
                splat(number(origin, o + 4)),
                splat(number(origin, o + 8)),
            )
            yx, yy, yz = (
                splat(number(origin, o + 1)),
                splat(number(origin, o + 5)),
                splat(number(origin, o + 9)),
            )
            zx, zy, zz = (
                splat(number(origin, o + 2)),
                splat(number(origin, o + 6)),
                splat(number(origin, o + 10)),
            )
            tx, ty, tz = (
                splat(number(origin, o + 3)),
                splat(number(origin, o + 7)),
                splat(number(origin, o + 11)),
            )
        else:
            p = at + whole(parent, b) * POSE
            xx, xy, xz = load(poses, p), load(poses, p + WIDTH), load(poses, p + 2 * WIDTH)
            yx, yy, yz = (
                load(poses, p + 3 * WIDTH),
                load(poses, p + 4 * WIDTH),
                load(poses, p + 5 * WIDTH),
            )
            zx, zy, zz = (
                load(poses, p + 6 * WIDTH),
                load(poses, p + 7 * WIDTH),
                load(poses, p + 8 * WIDTH),
            )
            tx, ty, tz = (
                load(poses, p + 9 * WIDTH),
                load(poses, p + 10 * WIDTH),
                load(poses, p + 11 * WIDTH),
            )
            k = number(origin, o + 3)
            if k != ZERO:
                tx, ty, tz = (
                    multiply_add(xx, k, tx),
                    multiply_add(xy, k, ty),
                    multiply_add(xz, k, tz),
                )
            k = number(origin, o + 7)
            if k != ZERO:
                tx, ty, tz = (
                    multiply_add(yx, k, tx),
                    multiply_add(yy, k, ty),
                    multiply_add(yz, k, tz),
                )
            k = number(origin, o + 11)
            if k != ZERO:
                tx, ty, tz = (
                    multiply_add(zx, k, tx),
                    multiply_add(zy, k, ty),
                    multiply_add(zz, k, tz),
                )
            kind = whole(step, b)
            if kind == PARALLEL:
                pass
            elif kind == SQUARE:
                yx, yy, yz, zx, zy, zz = zx, zy, zz, -yx, -yy, -yz
            elif kind == OPPOSITE:
                yx, yy, yz, zx, zy, zz = -yx, -yy, -yz, -zx, -zy, -zz
            elif kind == TILTED:
                c = number(origin, o + 5)
                s = number(origin, o + 9)
                ux, uy, uz = (
                    multiply_add(zx, s, yx * c),
                    multiply_add(zy, s, yy * c),
                    multiply_add(zz, s, yz * c),
                )
                zx, zy, zz = (
                    multiply_add(yx, -s, zx * c),
                    multiply_add(yy, -s, zy * c),
                    multiply_add(yz, -s, zz * c),
                )
                yx, yy, yz = ux, uy, uz
            else:
                i, j, k = number(origin, o), number(origin, o + 4), number(origin, o + 8)
                ux = multiply_add(zx, k, multiply_add(yx, j, xx * i))
                uy = multiply_add(zy, k, multiply_add(yy, j, xy * i))
                uz = multiply_add(zz, k, multiply_add(yz, j, xz * i))
                i, j, k = number(origin, o + 1), number(origin, o + 5), number(origin, o + 9)
                vx = multiply_add(zx, k, multiply_add(yx, j, xx * i))
                vy = multiply_add(zy, k, multiply_add(yy, j, xy * i))
                vz = multiply_add(zz, k, multiply_add(yz, j, xz * i))
                i, j, k = number(origin, o + 2), number(origin, o + 6), number(origin, o + 10)
                zx = multiply_add(zx, k, multiply_add(yx, j, xx * i))
                zy = multiply_add(zy, k, multiply_add(yy, j, xy * i))
                zz = multiply_add(zz, k, multiply_add(yz, j, xz * i))
                xx, xy, xz, yx, yy, yz = ux, uy, uz, vx, vy, vz
        d = whole(dof, b)
        value = multiply_add(
            units(low, d * BLOCK + chunk * WIDTH, whole(base, d)),
            number(span, b),
            splat(number(start, b)),
        )
        if whole(prismatic, b):
            tx, ty, tz = (
                multiply_add(zx, value, tx),
                multiply_add(zy, value, ty),
                multiply_add(zz, value, tz),
            )
        else:
            value = value - nearest_integer(value)
            a = magnitude(value)
            quarter = splat(QUARTER)
            cosine = _sine(quarter - a)
            sine = signed(_sine(quarter - magnitude(a - quarter)), value)
            ux, uy, uz = xx, xy, xz
            xx = multiply_add(yx, sine, ux * cosine)
            xy = multiply_add(yy, sine, uy * cosine)
            xz = multiply_add(yz, sine, uz * cosine)
            yx, yy, yz = yx * cosine - ux * sine, yy * cosine - uy * sine, yz * cosine - uz * sine
        store(poses, here, xx)
        store(poses, here + WIDTH, xy)
        store(poses, here + 2 * WIDTH, xz)
        store(poses, here + 3 * WIDTH, yx)
        store(poses, here + 4 * WIDTH, yy)
        store(poses, here + 5 * WIDTH, yz)
        store(poses, here + 6 * WIDTH, zx)
        store(poses, here + 7 * WIDTH, zy)
        store(poses, here + 8 * WIDTH, zz)
        store(poses, here + 9 * WIDTH, tx)
        store(poses, here + 10 * WIDTH, ty)
        store(poses, here + 11 * WIDTH, tz)


@fast_helper
def _still(poses, at):
    """The pose of the body that stands still."""
    for e in range(12):
        store(poses, at + e * WIDTH, splat(np.float32(1.0 if e in (0, 4, 8) else 0.0)))


@fast_part
def _points(poses, at, spheres, first, last, places, to):
    """Places of the spheres first..last (rows x, y, z, r) of the body whose pose stands at `at`."""
    xx, xy, xz = load(poses, at), load(poses, at + WIDTH), load(poses, at + 2 * WIDTH)
    yx, yy, yz = (
        load(poses, at + 3 * WIDTH),
        load(poses, at + 4 * WIDTH),
        load(poses, at + 5 * WIDTH),
    )
    zx, zy, zz = (
        load(poses, at + 6 * WIDTH),
        load(poses, at + 7 * WIDTH),
        load(poses, at + 8 * WIDTH),
    )
    tx, ty, tz = (
        load(poses, at + 9 * WIDTH),
        load(poses, at + 10 * WIDTH),
        load(poses, at + 11 * WIDTH),
    )
    for k in range(first, last):
        x, y, z = number(spheres, 4 * k), number(spheres, 4 * k + 1), number(spheres, 4 * k + 2)
        store(places, to, multiply_add(zx, z, multiply_add(yx, y, multiply_add(xx, x, tx))))
        store(places, to + WIDTH, multiply_add(zy, z, multiply_add(yy, y, multiply_add(xy, x, ty))))
        store(
            places,
            to + 2 * WIDTH,
            multiply_add(zz, z, multiply_add(yz, y, multiply_add(xz, x, tz))),
        )
        to += POINT


@fast_part
def _square(places, a, x, y, z):
    """Squared distance of the point at places[a] to (x, y, z)."""
    dx = load(places, a) - x
    dy = load(places, a + WIDTH) - y
    dz = load(places, a + 2 * WIDTH) - z
    return multiply_add(dz, dz, multiply_add(dy, dy, dx * dx))


@fast_part
def _below(places, a, x, y, z, limit):
    """Squared distance of the point at places[a] to (x, y, z), less `limit`."""
    dx = load(places, a) - x
    dy = load(places, a + WIDTH) - y
    dz = load(places, a + 2 * WIDTH) - z
    return multiply_add(dz, dz, multiply_add(dy, dy, multiply_add(dx, dx, splat(-limit))))


@fast_helper
def _limits(spheres, a0, a1, radius, best, near, deep, to):
    """Per sphere of a: the squared distance of the centres below which a pair is of interest.

    near: closer than the smallest clearance `best`, or (once it is 0 or less) touching; deep:
    closer than `best`.
    """
    for k in range(a1 - a0):
        s = number(spheres, 4 * (a0 + k) + 3) + radius
        if best > ZERO:
            put(near, to + k, (s + best) * (s + best) * LESS)
        else:
            reach = max(s + best, ZERO)
            put(near, to + k, s * s)
            put(deep, to + k, reach * reach * LESS)


@fast_part
def _narrow(
    spheres, a0, a1, b0, b1, places, pa, pb, balls, ball, radius, best, near, deep, row, stride
):
    """How far each lane is below the limits: (near, deep), negative where some pair of spheres is.

    The spheres of a and b stand at places[pa] and places[pb], the ball around a at balls[ball]. The
    limits stand at `row`, `stride` further for each sphere of b; with stride 0 they are computed
    there.
    """
    nearest = splat(FAR)
    deepest = splat(FAR)
    na = a1 - a0
    limit = max(best, ZERO) + CULL_SLACK + radius
    for b in range(b0, b1):
        x, y, z = load(places, pb), load(places, pb + WIDTH), load(places, pb + 2 * WIDTH)
        pb += POINT
        if na >= BALL_FIRST and b1 - b0 > 1:
            reach = limit + number(spheres, 4 * b + 3)
            if below(_square(balls, ball, x, y, z), reach * reach) == 0:
                row += stride
                continue
        if stride == 0:
            _limits(spheres, a0, a1, number(spheres, 4 * b + 3), best, near, deep, row)
        if best > ZERO:
            for k in range(na):
                nearest = lesser(
                    nearest, _below(places, pa + k * POINT, x, y, z, number(near, row + k))
                )
        else:
            for k in range(na):
                square = _square(places, pa + k * POINT, x, y, z)
                nearest = lesser(nearest, square - number(near, row + k))
                deepest = lesser(deepest, square - number(deep, row + k))
        row += stride
    return nearest, deepest


@fast_part
def _narrow_flat(places, sides, first, last, best, near, deep):
    """As `_narrow` for the sphere pairs first..last of the list `sides`, which says where they
    stand."""
    nearest = splat(FAR)
    deepest = splat(FAR)
    if best > ZERO:
        for k in range(first, last):
            b = whole(sides, 2 * k + 1)
            x, y, z = load(places, b), load(places, b + WIDTH), load(places, b + 2 * WIDTH)
            nearest = lesser(nearest, _below(places, whole(sides, 2 * k), x, y, z, number(near, k)))
    else:
        for k in range(first, last):
            b = whole(sides, 2 * k + 1)
            square = _square(
                places,
                whole(sides, 2 * k),
                load(places, b),
                load(places, b + WIDTH),
                load(places, b + 2 * WIDTH),
            )
            nearest = lesser(nearest, square - number(near, k))
            deepest = lesser(deepest, square - number(deep, k))
    return nearest, deepest


@fast_helper
def _exact(spheres, a0, a1, b0, b1, places, pa, pb):
    """The smallest clearance in each lane."""
    least = splat(FAR)
    for b in range(b0, b1):
        x, y, z = load(places, pb), load(places, pb + WIDTH), load(places, pb + 2 * WIDTH)
        pb += POINT
        for k in range(a1 - a0):
            s = number(spheres, 4 * (a0 + k) + 3) + number(spheres, 4 * b + 3)
            least = lesser(least, root(_square(places, pa + k * POINT, x, y, z)) - s)
    return least


@fast_part
def _gate(bounds, i, j, best):
    """Squared distance of the centres of two balls from which on a pair is of no interest."""
    reach = max(best, ZERO) + CULL_SLACK + number(bounds, 4 * i + 3) + number(bounds, 4 * j + 3)
    return reach * reach


@fast_helper
def _first_limits(spheres, a0, a1, b0, b1, best, near, deep, row):
    """The limits of all sphere pairs of two frames."""
    for b in range(b0, b1):
        _limits(spheres, a0, a1, number(spheres, 4 * b + 3), best, near, deep, row)
        row += a1 - a0


@fast_kernel
def sample_blocks(base, low, first, end, fixed, pairs, rows, sides, work, best, best_at, hits):
    """Adds the configurations first..end of the sequence to the smallest clearance, its index and
    the count per pair.

    base: (blocks, d) int32, the sequence at the start of each block; low: (d, BLOCK) its lower
    bits. fixed: a `packing.Packed`. rows (p + 1,) int64: where the limits of each pair stand, none
    for pairs that are packed; work (.,) float32: see `workspace`. best (p,) float32 metres, best_at
    (p,) int64 and hits (p,) int64 are updated in place; `first` is a multiple of BLOCK. Exact: a
    pair is passed over only where its clearance is above the smallest known one and above 0.
    """
    parent, dof, prismatic, start, span, step, origin, frame_body, used, starts, spheres, bounds = (
        fixed
    )
    n_pairs = pairs.shape[0]
    n_frames = frame_body.shape[0]
    n_bodies = parent.shape[0]
    d = low.shape[0]
    most = 0
    for f in range(n_frames):
        if used[f]:
            most = max(most, starts[f + 1] - starts[f])
    points = memory(base)
    lower = memory(low)
    tree = (
        memory(parent),
        memory(dof),
        memory(prismatic),
        memory(start),
        memory(span),
        memory(step),
        memory(origin),
    )
    balls_of = memory(bounds)
    spheres_of = memory(spheres)
    sides_of = memory(sides)
    poses = aligned(memory(work))
    balls = further(poses, CHUNKS * n_bodies * POSE)
    places = further(balls, CHUNKS * n_frames * POINT)
    some = further(places, starts[n_frames] * POINT)
    lanes = further(some, 2 * POSE + POINT + 2 * most * POINT)
    gates = further(lanes, WIDTH)
    near = further(gates, n_pairs)
    deep = further(near, rows[n_pairs] + most)
    gated = np.zeros(n_frames, np.uint8)
    for p in range(n_pairs):
        i = pairs[p, 0]
        j = pairs[p, 1]
        count = rows[p + 1] - rows[p]
        if count == 0 or count > TINY:
            gated[i] = 1
            gated[j] = 1
        put(gates, p, _gate(balls_of, i, j, best[p]))
        if rows[p + 1] > rows[p]:
            _first_limits(
                spheres_of,
                starts[i],
                starts[i + 1],
                starts[j],
                starts[j + 1],
                best[p],
                near,
                deep,
                rows[p],
            )
    placed = np.full(n_frames, -1, np.int64)
    near_lanes = np.empty(BLOCK + WIDTH, np.int64)
    for chunk in range(CHUNKS):
        _still(poses, chunk * n_bodies * POSE)
    for block in range(base.shape[0]):
        begin = first + block * BLOCK
        valid = min(BLOCK, end - begin)
        for chunk in range((valid + WIDTH - 1) // WIDTH):
            at = chunk * n_bodies * POSE
            _bodies(further(points, block * d), lower, chunk, n_bodies, *tree, poses, at)
            ball = chunk * n_frames * POINT
            for f in range(n_frames):
                if gated[f]:
                    _points(
                        poses,
                        at + frame_body[f] * POSE,
                        balls_of,
                        f,
                        f + 1,
                        balls,
                        ball + f * POINT,
                    )
            alive = EVERY >> max(0, (chunk + 1) * WIDTH - valid)
            now = begin + chunk * WIDTH
            for p in range(n_pairs):
                if rows[p + 1] == rows[p]:
                    continue
                i = pairs[p, 0]
                j = pairs[p, 1]
                tiny = rows[p + 1] - rows[p] <= TINY
                if not tiny:
                    k = ball + j * POINT
                    x, y, z = load(balls, k), load(balls, k + WIDTH), load(balls, k + 2 * WIDTH)
                    if (
                        below(_square(balls, ball + i * POINT, x, y, z), number(gates, p)) & alive
                        == 0
                    ):
                        continue
                a0, a1, b0, b1 = starts[i], starts[i + 1], starts[j], starts[j + 1]
                pa = a0 * POINT
                pb = b0 * POINT
                if placed[i] != now:
                    placed[i] = now
                    _points(poses, at + frame_body[i] * POSE, spheres_of, a0, a1, places, pa)
                if placed[j] != now:
                    placed[j] = now
                    _points(poses, at + frame_body[j] * POSE, spheres_of, b0, b1, places, pb)
                touching = best[p] <= ZERO
                if tiny:
                    nearest, deepest = _narrow_flat(
                        places, sides_of, rows[p], rows[p + 1], best[p], near, deep
                    )
                else:
                    nearest, deepest = _narrow(
                        spheres_of,
                        a0,
                        a1,
                        b0,
                        b1,
                        places,
                        pa,
                        pb,
                        balls,
                        ball + i * POINT,
                        bounds[i, 3],
                        best[p],
                        near,
                        deep,
                        rows[p],
                        a1 - a0,
                    )
                closer = below(nearest, ZERO) & alive
                if touching:
                    hits[p] += bit_count(closer)
                    closer = below(deepest, ZERO) & alive
                if closer == 0:
                    continue
                store(lanes, 0, _exact(spheres_of, a0, a1, b0, b1, places, pa, pb))
                best_before = best[p]
                for l in range(WIDTH):
                    if (closer >> l) & 1:
                        clearance = number(lanes, l)
                        if not touching and clearance <= ZERO:
                            hits[p] += 1
                        if clearance < best[p]:
                            best[p] = clearance
                            best_at[p] = now + l
                if best[p] < best_before:
                    put(gates, p, _gate(balls_of, i, j, best[p]))
                    _first_limits(spheres_of, a0, a1, b0, b1, best[p], near, deep, rows[p])
        for p in range(n_pairs):
            if rows[p + 1] > rows[p]:
                continue
            i = pairs[p, 0]
            j = pairs[p, 1]
            count = 0
            for chunk in range((valid + WIDTH - 1) // WIDTH):
                k = (chunk * n_frames + j) * POINT
                x, y, z = load(balls, k), load(balls, k + WIDTH), load(balls, k + 2 * WIDTH)
                square = _square(balls, (chunk * n_frames + i) * POINT, x, y, z)
                word = below(square, number(gates, p)) & (
                    EVERY >> max(0, (chunk + 1) * WIDTH - valid)
                )
                l = chunk * WIDTH
                while word != 0:
                    if word & 1:
                        near_lanes[count] = l
                        count += 1
                    word >>= 1
                    l += 1
            if count == 0:
                continue
            a0, a1, b0, b1 = starts[i], starts[i + 1], starts[j], starts[j + 1]
            for l in range(count, count + WIDTH):
                near_lanes[l] = near_lanes[count - 1]
            ball = 2 * POSE
            pa = ball + POINT
            pb = pa + most * POINT
            for group in range(0, count, WIDTH):
                alive = EVERY >> max(0, group + WIDTH - count)
                for l in range(WIDTH):
                    lane = near_lanes[group + l]
                    k = (lane // WIDTH) * n_bodies * POSE + lane % WIDTH
                    ka = k + frame_body[i] * POSE
                    kb = k + frame_body[j] * POSE
                    for e in range(12):
                        put(some, e * WIDTH + l, number(poses, ka + e * WIDTH))
                        put(some, POSE + e * WIDTH + l, number(poses, kb + e * WIDTH))
                _points(some, 0, balls_of, i, i + 1, some, ball)
                _points(some, 0, spheres_of, a0, a1, some, pa)
                _points(some, POSE, spheres_of, b0, b1, some, pb)
                touching = best[p] <= ZERO
                nearest, deepest = _narrow(
                    spheres_of, a0, a1, b0, b1, some, pa, pb, some, ball, bounds[i, 3],
                    best[p], near, deep, rows[n_pairs], 0,
                )  # fmt: skip
                closer = below(nearest, ZERO) & alive
                if touching:
                    hits[p] += bit_count(closer)
                    closer = below(deepest, ZERO) & alive
                if closer == 0:
                    continue
                store(lanes, 0, _exact(spheres_of, a0, a1, b0, b1, some, pa, pb))
                for l in range(WIDTH):
                    if (closer >> l) & 1:
                        clearance = number(lanes, l)
                        if not touching and clearance <= ZERO:
                            hits[p] += 1
                        if clearance < best[p]:
                            best[p] = clearance
                            best_at[p] = begin + near_lanes[group + l]
            put(gates, p, _gate(balls_of, i, j, best[p]))


@fast_kernel
def clearance_blocks(base, low, fixed, i, j, work, result):
    """result (n,) float32: the clearance of one pair of frames in each of the first n
    configurations."""
    (
        parent,
        dof,
        prismatic,
        start,
        span,
        step,
        origin,
        frame_body,
        _used,
        starts,
        spheres,
        _bounds,
    ) = fixed
    d = low.shape[0]
    a0, a1, b0, b1 = starts[i], starts[i + 1], starts[j], starts[j + 1]
    n_bodies = parent.shape[0]
    points = memory(base)
    lower = memory(low)
    tree = (
        memory(parent),
        memory(dof),
        memory(prismatic),
        memory(start),
        memory(span),
        memory(step),
        memory(origin),
    )
    spheres_of = memory(spheres)
    poses = aligned(memory(work))
    places = further(poses, n_bodies * POSE)
    pb = (a1 - a0) * POINT
    lanes = further(places, pb + (b1 - b0) * POINT)
    _still(poses, 0)
    n = result.shape[0]
    for begin in range(0, n, WIDTH):
        block = begin // BLOCK
        chunk = (begin % BLOCK) // WIDTH
        _bodies(further(points, block * d), lower, chunk, n_bodies, *tree, poses, 0)
        _points(poses, frame_body[i] * POSE, spheres_of, a0, a1, places, 0)
        _points(poses, frame_body[j] * POSE, spheres_of, b0, b1, places, pb)
        store(lanes, 0, _exact(spheres_of, a0, a1, b0, b1, places, 0, pb))
        for l in range(min(WIDTH, n - begin)):
            result[begin + l] = number(lanes, l)
