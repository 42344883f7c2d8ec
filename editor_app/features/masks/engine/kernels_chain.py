"""Kernels on the chain of joints between two links: branch and bound, and local search.

A chain has n joints; joint i moves by value v_i = sign_i * variable + offset_i about or along the z
axis of its frame. `links` (n + 1, 3, 4) are the fixed transforms between: link 0 leads from body a
to the fixed side of joint 0, link i from the moving side of joint i - 1 to the fixed side of joint
i, link n from that of the last joint to body b. Variables are numbered 0..k - 1 within the chain;
one variable may drive several joints (mimic).

**Bound.** Take any joint m. Seen from the fixed side of m, a point of a is moved by the joints
before m alone; seen from the moving side of m, a point of b by the joints after m alone. Change the
joints of b's side from m outwards, one after the other: joint i turns the point by at most h_i
about an axis whose distance r_i to the point depends only on joints further out, which still stand
at the centre of the box; so it moves by a chord of at most 2 r_i sin(min(h_i, pi) / 2), or by h_i
for a sliding joint. The same holds for a's side. So all points of the box satisfy distance >= min
over v_m in the box of distance(centre, v_m) - sum of the chords of all joints except m, and that
minimum is the distance of a point to an arc, which has a closed form. If the variable of m drives
several joints, m itself counts as a chord too and the distance is taken at the centre.

**Plane.** Near the smallest clearance most chords lead along the surfaces, not across. There the
distance is bounded by its share along the line between the points at the centre: distance >=
share(centre) - sum over the variables of |slope| * half-width - bend. Let joint i be further out
than joint j. Then the second derivative of a point by both is at most the point's distance to the
axis of i, R_i, which in the box is at most r_i at the centre plus the motion by joints further out;
and 1 where i slides, 0 where j slides. By Taylor, bend = sum over i of R_i h_i (h_i / 2 + sum of
the h_j further in), for the points of a and of b alone. Joint m counts only in the part of its
range in which the chords leave the points too close.

**Rounding.** Every quantity is a sum and product of at most some hundred double-precision terms of
the size of the robot; `slack` (see certificate.py) covers their errors thousands of times over, and
is taken off every bound.
"""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from editor_app.features.masks.engine.jit import borrower, helper, inlined_helper, kernel

#: What a box search ends with.
OPEN, PROVEN, HIT = 0, 1, 2
#: Centres closer than the sum of the radii plus this many metres count as touching.
TOUCH = 1e-7
#: Stands for an angle that was not computed.
UNKNOWN = 99.0
#: Points of the grid for a variable that drives several joints.
GRID = 65


@inlined_helper
def _turns(sliding, value, half, turns):
    """What all points need of each joint: cosine and sine of its value, the chord at distance 1 (or
    its slide).

    turns[i, 3], turns[i, 4]: the value and half-width for which the others were computed. A box
    differs from the one before in one variable, as a rule, and sines would be a third of its cost.
    """
    for i in range(value.shape[0]):
        if sliding[i]:
            turns[i, 2] = half[i]
            continue
        if turns[i, 3] != value[i]:
            turns[i, 3] = value[i]
            turns[i, 0] = math.cos(value[i])
            turns[i, 1] = math.sin(value[i])
        if turns[i, 4] != half[i]:
            turns[i, 4] = half[i]
            turns[i, 2] = 2.0 * math.sin(0.5 * min(half[i], math.pi))


@inlined_helper
def _walk_b(points, p, m, links, sliding, value, turns, sums, spots):
    """From body b inwards: spots[p] = the point on the moving side of joint m, sums[p, i] = chord
    of joint i > m."""
    n = value.shape[0]
    x, y, z = points[p, 0], points[p, 1], points[p, 2]
    for i in range(n - 1, m - 1, -1):
        u = (
            links[i + 1, 0, 0] * x
            + links[i + 1, 0, 1] * y
            + links[i + 1, 0, 2] * z
            + links[i + 1, 0, 3]
        )
        v = (
            links[i + 1, 1, 0] * x
            + links[i + 1, 1, 1] * y
            + links[i + 1, 1, 2] * z
            + links[i + 1, 1, 3]
        )
        w = (
            links[i + 1, 2, 0] * x
            + links[i + 1, 2, 1] * y
            + links[i + 1, 2, 2] * z
            + links[i + 1, 2, 3]
        )
        if i == m:
            x, y, z = u, v, w
        elif sliding[i]:
            sums[p, i] = turns[i, 2]
            x, y, z = u, v, w + value[i]
        else:
            sums[p, i] = math.sqrt(u * u + v * v) * turns[i, 2]
            c = turns[i, 0]
            s = turns[i, 1]
            x, y, z = c * u - s * v, s * u + c * v, w
    spots[p, 0], spots[p, 1], spots[p, 2] = x, y, z


@inlined_helper
def _walk_a(points, p, m, links, sliding, value, turns, sums, spots):
    """From body a outwards: spots[p] = the point on the fixed side of joint m, sums[p, i] = chord
    of joint i < m."""
    x, y, z = points[p, 0], points[p, 1], points[p, 2]
    for i in range(m + 1):
        u = x - links[i, 0, 3]
        v = y - links[i, 1, 3]
        w = z - links[i, 2, 3]
        x = links[i, 0, 0] * u + links[i, 1, 0] * v + links[i, 2, 0] * w
        y = links[i, 0, 1] * u + links[i, 1, 1] * v + links[i, 2, 1] * w
        z = links[i, 0, 2] * u + links[i, 1, 2] * v + links[i, 2, 2] * w
        if i == m:
            break
        if sliding[i]:
            sums[p, i] = turns[i, 2]
            z = z - value[i]
        else:
            sums[p, i] = math.sqrt(x * x + y * y) * turns[i, 2]
            c = turns[i, 0]
            s = turns[i, 1]
            x, y = c * x + s * y, c * y - s * x
    spots[p, 0], spots[p, 1], spots[p, 2] = x, y, z


@inlined_helper
def _arc(spots_a, p, spots_b, q, slides, value, half):
    """Distance of a point to the arc (or segment) that joint m moves the other over, and the value
    that reaches it."""
    if slides:
        d = spots_a[p, 2] - spots_b[q, 2] - value
        x = spots_a[p, 0] - spots_b[q, 0]
        y = spots_a[p, 1] - spots_b[q, 1]
        z = max(0.0, abs(d) - half)
        return math.sqrt(x * x + y * y + z * z), value + min(max(d, -half), half)
    _angle(spots_a, p)
    _angle(spots_b, q)
    d = spots_a[p, 4] - spots_b[q, 4] - value
    d = d - 2.0 * math.pi * math.floor(d / (2.0 * math.pi) + 0.5)
    x = spots_a[p, 3] - spots_b[q, 3]
    z = spots_a[p, 2] - spots_b[q, 2]
    square = x * x + z * z
    if abs(d) > half:
        s = math.sin(0.5 * (abs(d) - half))
        square += 4.0 * spots_a[p, 3] * spots_b[q, 3] * s * s
    return math.sqrt(square), value + min(max(d, -half), half)


@inlined_helper
def _radius(spots, p):
    """spots[p, 3] = distance from the z axis; the angle about it comes with `_angle`, when it is
    needed."""
    spots[p, 3] = math.sqrt(spots[p, 0] * spots[p, 0] + spots[p, 1] * spots[p, 1])
    spots[p, 4] = UNKNOWN


@inlined_helper
def _angle(spots, p):
    """spots[p, 4] = angle about the z axis."""
    if spots[p, 4] == UNKNOWN:
        spots[p, 4] = math.atan2(spots[p, 1], spots[p, 0])


@inlined_helper
def _total(sums, p, first, last):
    result = 0.0
    for i in range(first, last):
        result += sums[p, i]
    return result


@borrower
def _plane_bound(
    a, ia, b, ib, m, links, sliding, variable, gain, value, half, turns, wide, near, slopes, middle, turn_m,
):  # fmt: skip
    """Lower bound (m) of the distance of two centres over a box, by the plane across the line
    between them.

    Of joint m the part of the box within `turn_m` of its value `middle`. near (n, 2) and slopes
    (k,) are written to: where the points stand at each joint, and the slopes by the variables.
    """
    n = value.shape[0]
    cosine_m = math.cos(middle)
    sine_m = math.sin(middle)
    bend = 0.0
    moved = 0.0
    x, y, z = a[ia, 0], a[ia, 1], a[ia, 2]
    for i in range(m + 1):
        u = x - links[i, 0, 3]
        v = y - links[i, 1, 3]
        w = z - links[i, 2, 3]
        x = links[i, 0, 0] * u + links[i, 1, 0] * v + links[i, 2, 0] * w
        y = links[i, 0, 1] * u + links[i, 1, 1] * v + links[i, 2, 1] * w
        z = links[i, 0, 2] * u + links[i, 1, 2] * v + links[i, 2, 2] * w
        if i == m:
            break
        if sliding[i]:
            moved += half[i]
            z = z - value[i]
        else:
            reach = math.sqrt(x * x + y * y) + moved
            bend += half[i] * (moved + 0.5 * reach * half[i])
            moved += half[i] * reach
            c = turns[i, 0]
            s = turns[i, 1]
            x, y = c * x + s * y, c * y - s * x
        near[i, 0], near[i, 1] = x, y
    ax, ay, az = x, y, z
    moved = 0.0
    x, y, z = b[ib, 0], b[ib, 1], b[ib, 2]
    for i in range(n - 1, m - 1, -1):
        u = (
            links[i + 1, 0, 0] * x
            + links[i + 1, 0, 1] * y
            + links[i + 1, 0, 2] * z
            + links[i + 1, 0, 3]
        )
        v = (
            links[i + 1, 1, 0] * x
            + links[i + 1, 1, 1] * y
            + links[i + 1, 1, 2] * z
            + links[i + 1, 1, 3]
        )
        w = (
            links[i + 1, 2, 0] * x
            + links[i + 1, 2, 1] * y
            + links[i + 1, 2, 2] * z
            + links[i + 1, 2, 3]
        )
        h = turn_m if i == m else half[i]
        if sliding[i]:
            moved += h
            x, y, z = u, v, w + (middle if i == m else value[i])
        else:
            reach = math.sqrt(u * u + v * v) + moved
            bend += h * (moved + 0.5 * reach * h)
            moved += h * reach
            c = cosine_m if i == m else turns[i, 0]
            s = sine_m if i == m else turns[i, 1]
            x, y, z = c * u - s * v, s * u + c * v, w
        near[i, 0], near[i, 1] = x, y
    dx, dy, dz = x - ax, y - ay, z - az
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance <= bend:
        return -math.inf
    dx, dy, dz = dx / distance, dy / distance, dz / distance
    for j in range(slopes.shape[0]):
        slopes[j] = 0.0
    x, y, z = dx, dy, dz
    for i in range(m, n):
        if sliding[i]:
            slopes[variable[i]] += gain[i] * z
        else:
            slopes[variable[i]] += gain[i] * (near[i, 0] * y - near[i, 1] * x)
            c = cosine_m if i == m else turns[i, 0]
            s = sine_m if i == m else turns[i, 1]
            x, y = c * x + s * y, c * y - s * x
        u = links[i + 1, 0, 0] * x + links[i + 1, 1, 0] * y + links[i + 1, 2, 0] * z
        v = links[i + 1, 0, 1] * x + links[i + 1, 1, 1] * y + links[i + 1, 2, 1] * z
        z = links[i + 1, 0, 2] * x + links[i + 1, 1, 2] * y + links[i + 1, 2, 2] * z
        x, y = u, v
    x, y, z = dx, dy, dz
    for i in range(m - 1, -1, -1):
        u = links[i + 1, 0, 0] * x + links[i + 1, 0, 1] * y + links[i + 1, 0, 2] * z
        v = links[i + 1, 1, 0] * x + links[i + 1, 1, 1] * y + links[i + 1, 1, 2] * z
        z = links[i + 1, 2, 0] * x + links[i + 1, 2, 1] * y + links[i + 1, 2, 2] * z
        x, y = u, v
        if sliding[i]:
            slopes[variable[i]] += gain[i] * z
        else:
            slopes[variable[i]] += gain[i] * (near[i, 0] * y - near[i, 1] * x)
            c = turns[i, 0]
            s = turns[i, 1]
            x, y = c * x - s * y, s * x + c * y
    result = distance - bend
    for j in range(slopes.shape[0]):
        # Where joint m is taken in part, its variable drives no other joint.
        h = turn_m / abs(gain[m]) if j == variable[m] and turn_m < half[m] else wide[j]
        result -= abs(slopes[j]) * h
    return result


@inlined_helper
def _part_near(spots_a, p, spots_b, q, slides, value, half, far):
    """The part of a joint's range, from its value on, beyond which two centres are `far` apart,
    with room for rounding.

    The whole range where it reaches around so far that there can be two such parts.
    """
    x = spots_a[p, 0] - spots_b[q, 0]
    z = spots_a[p, 2] - spots_b[q, 2]
    if slides:
        y = spots_a[p, 1] - spots_b[q, 1]
        reach = math.sqrt(max(0.0, far * far - x * x - y * y))
        d = z - value
    else:
        x = spots_a[p, 3] - spots_b[q, 3]
        d = spots_a[p, 4] - spots_b[q, 4] - value
        d = d - 2.0 * math.pi * math.floor(d / (2.0 * math.pi) + 0.5)
        square = max(0.0, far * far - x * x - z * z)
        most = 4.0 * spots_a[p, 3] * spots_b[q, 3]
        reach = math.pi
        if square < most:
            reach = 2.0 * math.asin(math.sqrt(square / most))
        if half + abs(d) + reach > 6.28:
            return -half, half
    reach = reach * (1.0 + 1e-6) + 1e-6
    return max(-half, min(half, d - reach)), min(half, max(-half, d + reach))


@kernel
def search_boxes(
    links, sliding, variable, gain, shift, alone, a, b, ball_a, ball_b,
    centres, halves, lists, pool, state, bracket, witness, target, slack, most_work,
):  # fmt: skip
    """Goes on with a box search until it is decided, `most_work` sphere pairs were looked at, or
    memory is short.

    links, sliding (n,), variable (n,), gain (n,), shift (n,): the chain, v_i = gain_i *
    x[variable_i] + shift_i. alone (n,): whether the joint's variable drives no other joint. a (na,
    4), b (nb, 4): spheres in their bodies. centres, halves (depth, k), lists (depth, 2), pool (.,)
    int32: the open boxes, last one next, and their sphere pairs (index_b * na + index_a). state
    (3,) int64: open boxes, boxes done, work done. bracket (2,): the smallest bound of the cleared
    boxes; the smallest clearance seen, with `witness` (k,) its configuration. Returns OPEN, PROVEN
    (clearance > target everywhere), HIT (a clearance <= target + TOUCH was found), or 3 when stack
    or pool is full.
    """
    n = sliding.shape[0]
    k = witness.shape[0]
    na = a.shape[0]
    nb = b.shape[0]
    value = np.empty(n)
    half = np.empty(n)
    turns = np.full((n, 5), math.nan)
    sums_a = np.zeros((na, n))
    sums_b = np.zeros((nb, n))
    total_a = np.zeros(na)
    total_b = np.zeros(nb)
    spots_a = np.zeros((na, 5))
    spots_b = np.zeros((nb, 5))
    stamps = np.full(na, -1, np.int64)
    # The balls, a's first.
    balls = np.empty((2, 4))
    for j in range(4):
        balls[0, j], balls[1, j] = ball_a[j], ball_b[j]
    around = np.zeros((2, 5))
    chords_a = np.zeros((2, n))
    chords_b = np.zeros((2, n))
    weight = np.zeros(k)
    near = np.zeros((n, 2))
    slopes = np.zeros(k)
    centre = np.empty(k)
    wide = np.empty(k)
    until = state[2] + most_work
    while state[0] > 0:
        if state[2] >= until:
            return OPEN
        top = state[0] - 1
        first = lists[top, 0]
        last = lists[top, 1]
        if top + 2 >= centres.shape[0] or last + (last - first) > pool.shape[0]:
            return 3
        # Element by element: a view of an array costs more than the loop.
        for j in range(k):
            centre[j] = centres[top, j]
            wide[j] = halves[top, j]
            weight[j] = 0.0
        state[0] = top
        state[1] += 1
        for i in range(n):
            value[i] = gain[i] * centre[variable[i]] + shift[i]
            half[i] = abs(gain[i]) * wide[variable[i]]
        _turns(sliding, value, half, turns)
        # Which joint to take in closed form: the one that leaves the least to the chords of the two
        # balls.
        _walk_a(balls, 0, n - 1, links, sliding, value, turns, chords_a, around)
        _walk_b(balls, 1, 0, links, sliding, value, turns, chords_b, around)
        m = 0
        least = math.inf
        free = False
        for i in range(n):
            rest = _total(chords_a, 0, 0, i) + _total(chords_b, 1, i + 1, n)
            if alone[i] and (rest < least or not free):
                least = rest
                m = i
                free = True
            elif not free and rest < least:
                least = rest
                m = i
        slides = sliding[m]
        turn = half[m] if free else 0.0
        _walk_a(balls, 0, m, links, sliding, value, turns, chords_a, around)
        _walk_b(balls, 1, m, links, sliding, value, turns, chords_b, around)
        _radius(around, 0)
        _radius(around, 1)
        state[2] += 2 + last - first
        reach, v = _arc(around, 0, around, 1, slides, value[m], turn)
        bound = (
            reach
            - ball_a[3]
            - ball_b[3]
            - slack
            - _total(chords_a, 0, 0, m)
            - _total(chords_b, 1, m + 1, n)
        )
        if not free:
            bound -= turns[m, 2] if slides else around[1, 3] * turns[m, 2]
        if bound > target:
            bracket[0] = min(bracket[0], bound)
            continue
        turn_a = 0.0
        turn_b = 0.0
        for i in range(n):
            if not sliding[i]:
                if i < m:
                    turn_a += half[i]
                elif i > m:
                    turn_b += half[i]
        kept = last
        b_now = -1
        worst = math.inf
        worst_a = 0
        worst_b = 0
        for spot in range(first, last):
            pair = pool[spot]
            ib = pair // na
            ia = pair - ib * na
            if ib != b_now:
                b_now = ib
                _walk_b(b, ib, m, links, sliding, value, turns, sums_b, spots_b)
                _radius(spots_b, ib)
                total_b[ib] = _total(sums_b, ib, m + 1, n)
                if not free:
                    sums_b[ib, m] = turns[m, 2] if slides else spots_b[ib, 3] * turns[m, 2]
                    total_b[ib] += sums_b[ib, m]
            if stamps[ia] != state[1]:
                stamps[ia] = state[1]
                _walk_a(a, ia, m, links, sliding, value, turns, sums_a, spots_a)
                _radius(spots_a, ia)
                total_a[ia] = _total(sums_a, ia, 0, m)
            radii = a[ia, 3] + b[ib, 3]
            off = radii + slack + total_a[ia] + total_b[ib]
            if not slides:
                x = spots_a[ia, 3] - spots_b[ib, 3]
                z = spots_a[ia, 2] - spots_b[ib, 2]
                bound = math.sqrt(x * x + z * z) - off
                if bound > target:
                    bracket[0] = min(bracket[0], bound)
                    continue
            reach, v = _arc(spots_a, ia, spots_b, ib, slides, value[m], turn)
            bound = reach - off
            clearance = reach - radii
            if clearance < bracket[1]:
                bracket[1] = clearance
                for j in range(k):
                    witness[j] = centre[j]
                if free:
                    witness[variable[m]] = (v - shift[m]) / gain[m]
            if bound <= target and clearance > target + TOUCH:
                # Joint m beyond `low` and `high` keeps the points further apart than `apart`, as
                # chords show.
                low, high = -half[m], half[m]
                apart = math.inf
                if free:
                    apart = target + 0.5 * (clearance - target)
                    low, high = _part_near(
                        spots_a, ia, spots_b, ib, slides, value[m], turn, off + apart
                    )
                turn_m = 0.5 * (high - low)
                chord = 0.0
                if free:
                    chord = turn_m if slides else spots_b[ib, 3] * turn_m
                # About what the plane's bend is, and the most that the clearance at the centre can
                # be.
                bend = 0.5 * (total_a[ia] * turn_a + (total_b[ib] + chord) * (turn_b + turn_m))
                if bend < 0.5 * (clearance + chord - target):
                    middle = value[m] + 0.5 * (low + high)
                    plane = _plane_bound(
                        a,
                        ia,
                        b,
                        ib,
                        m,
                        links,
                        sliding,
                        variable,
                        gain,
                        value,
                        half,
                        turns,
                        wide,
                        near,
                        slopes,
                        middle,
                        turn_m,
                    )
                    bound = max(bound, min(plane - radii - slack, apart))
            if bound > target:
                bracket[0] = min(bracket[0], bound)
                continue
            if clearance <= target + TOUCH:
                state[0] = top + 1
                return HIT
            pool[kept] = pair
            kept += 1
            if bound < worst:
                worst = bound
                worst_a = ia
                worst_b = ib
        if kept == last:
            continue
        for i in range(n):
            if i < m:
                weight[variable[i]] += sums_a[worst_a, i]
            elif i > m or not free:
                weight[variable[i]] += sums_b[worst_b, i]
        split = 0
        for j in range(1, k):
            if weight[j] > weight[split]:
                split = j
        for side in range(2):
            for j in range(k):
                centres[top + side, j] = centre[j]
                halves[top + side, j] = wide[j]
            halves[top + side, split] = 0.5 * wide[split]
            centres[top + side, split] = centre[split] + (0.5 - side) * wide[split]
            lists[top + side, 0] = last
            lists[top + side, 1] = kept
        state[0] = top + 2
    return PROVEN


@helper
def _clearance_at(
    x,
    links,
    sliding,
    variable,
    gain,
    shift,
    a,
    b,
    value,
    half,
    turns,
    sums_a,
    sums_b,
    spots_a,
    spots_b,
):
    """Smallest clearance at one configuration."""
    n = sliding.shape[0]
    for i in range(n):
        value[i] = gain[i] * x[variable[i]] + shift[i]
        half[i] = 0.0
    _turns(sliding, value, half, turns)
    least = math.inf
    for ib in range(b.shape[0]):
        _walk_b(b, ib, 0, links, sliding, value, turns, sums_b, spots_b)
        _radius(spots_b, ib)
    for ia in range(a.shape[0]):
        _walk_a(a, ia, 0, links, sliding, value, turns, sums_a, spots_a)
        _radius(spots_a, ia)
        for ib in range(b.shape[0]):
            reach, _v = _arc(spots_a, ia, spots_b, ib, sliding[0], value[0], 0.0)
            least = min(least, reach - a[ia, 3] - b[ib, 3])
    return least


@kernel
def descend(links, sliding, variable, gain, shift, alone, lower, upper, a, b, x, sweeps):
    """Moves the configuration x (k,) to a nearby smaller clearance within lower..upper, one
    variable after the other.

    A variable that drives one joint is minimised exactly (points against arcs), others by a grid
    and halvings around each of its valleys. Returns the smallest clearance in metres; x is changed
    in place.
    """
    n = sliding.shape[0]
    k = x.shape[0]
    value = np.empty(n)
    half = np.zeros(n)
    turns = np.full((n, 5), math.nan)
    sums_a = np.zeros((a.shape[0], n))
    sums_b = np.zeros((b.shape[0], n))
    spots_a = np.zeros((a.shape[0], 5))
    spots_b = np.zeros((b.shape[0], 5))
    line = np.zeros(GRID)
    # What tells the clearance besides x.
    chain = (
        links,
        sliding,
        variable,
        gain,
        shift,
        a,
        b,
        value,
        half,
        turns,
        sums_a,
        sums_b,
        spots_a,
        spots_b,
    )
    least = _clearance_at(x, *chain)
    for _sweep in range(sweeps):
        before = least
        for j in range(k):
            m = -1
            for i in range(n):
                if variable[i] == j:
                    m = i
            if m >= 0 and alone[m]:
                for i in range(n):
                    value[i] = gain[i] * x[variable[i]] + shift[i]
                    half[i] = 0.0
                _turns(sliding, value, half, turns)
                middle = gain[m] * 0.5 * (lower[j] + upper[j]) + shift[m]
                reach = abs(gain[m]) * 0.5 * (upper[j] - lower[j])
                for ia in range(a.shape[0]):
                    _walk_a(a, ia, m, links, sliding, value, turns, sums_a, spots_a)
                    _radius(spots_a, ia)
                best = x[j]
                for ib in range(b.shape[0]):
                    _walk_b(b, ib, m, links, sliding, value, turns, sums_b, spots_b)
                    _radius(spots_b, ib)
                    for ia in range(a.shape[0]):
                        radii = a[ia, 3] + b[ib, 3]
                        if not sliding[m]:
                            apart = spots_a[ia, 3] - spots_b[ib, 3]
                            z = spots_a[ia, 2] - spots_b[ib, 2]
                            if math.sqrt(apart * apart + z * z) - radii >= least:
                                continue
                        distance, v = _arc(spots_a, ia, spots_b, ib, sliding[m], middle, reach)
                        if distance - radii < least - 1e-12:
                            least = distance - radii
                            best = (v - shift[m]) / gain[m]
                x[j] = min(max(best, lower[j]), upper[j])
            elif m >= 0:
                best = x[j]
                step = (upper[j] - lower[j]) / (GRID - 1)
                for g in range(GRID):
                    x[j] = lower[j] + g * step
                    line[g] = _clearance_at(x, *chain)
                for g in range(GRID):
                    if line[g] > line[max(g - 1, 0)] or line[g] > line[min(g + 1, GRID - 1)]:
                        continue
                    here = line[g]
                    around = lower[j] + g * step
                    width = step
                    for _halving in range(30):
                        width *= 0.5
                        middle = around
                        for side in range(2):
                            x[j] = min(max(middle + (2 * side - 1) * width, lower[j]), upper[j])
                            c = _clearance_at(x, *chain)
                            if c < here:
                                here = c
                                around = x[j]
                    if here < least - 1e-12:
                        least = here
                        best = around
                x[j] = best
        if before - least < 1e-8:
            break
    return least
