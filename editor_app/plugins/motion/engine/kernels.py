"""Kernels for configurations, lines between them, and the planner; double precision.

A *row* is what is checked: a pair of frames (rows below the number of pairs), or a frame against an
obstacle. Its margin is the clearance from which on it counts as touching, where yes or no is asked:
by `first_collisions` and lines.

**Bound.** Along a line q(t), |t - c| <= d, every variable stays within h = |dq| d of its value at
c. Seen from the body that two frames hang on in common, a point is moved by the joints between
alone. Change them from the inner to the outer end: joint i turns the point by at most h_i about an
axis whose distance r_i to the point depends only on joints further out, which still stand as at c;
so the point moves by a chord of at most 2 r_i sin(min(h_i, pi) / 2), or by h_i for a sliding joint.
The sum of the chords of both points bounds the change of their distance. Signed distances to
obstacles change by at most what the point moves by, so the same holds for them, with all joints
from the root on. A line is cut in halves until the bound clears every row, a row touches at a
centre, or the pieces are too short. `slack` covers the rounding (see self_collision.certificate).
"""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from editor_app.features.masks.engine.jit import borrower, helper, inlined_helper, kernel

#: What a sweep ends with.
OPEN, FREE, HIT = 0, 1, 2
#: Kinds of obstacles.
SPHERE, BOX, CYLINDER, MESH = 0, 1, 2, 3


@inlined_helper
def _poses(q, f, poses):
    """Body poses (n, 3, 4) in the root's frame at the variables q."""
    for r in range(3):
        for k in range(4):
            poses[0, r, k] = f.origin[0, r, k]
    for b in range(1, f.parent.shape[0]):
        p = f.parent[b]
        v = f.scale[b] * q[f.dof[b]] + f.offset[b]
        x, y, z = f.origin[b, 0, 3], f.origin[b, 1, 3], f.origin[b, 2, 3]
        if f.prismatic[b]:
            x += f.origin[b, 0, 2] * v
            y += f.origin[b, 1, 2] * v
            z += f.origin[b, 2, 2] * v
            c = 1.0
            s = 0.0
        else:
            c = math.cos(v)
            s = math.sin(v)
        for r in range(3):
            i, j, k = poses[p, r, 0], poses[p, r, 1], poses[p, r, 2]
            u = i * f.origin[b, 0, 0] + j * f.origin[b, 1, 0] + k * f.origin[b, 2, 0]
            w = i * f.origin[b, 0, 1] + j * f.origin[b, 1, 1] + k * f.origin[b, 2, 1]
            poses[b, r, 0] = c * u + s * w
            poses[b, r, 1] = c * w - s * u
            poses[b, r, 2] = i * f.origin[b, 0, 2] + j * f.origin[b, 1, 2] + k * f.origin[b, 2, 2]
            poses[b, r, 3] = poses[p, r, 3] + i * x + j * y + k * z


@inlined_helper
def _copy(source, target):
    """Writes numbers one by one: numba takes seconds to compile a slice that is set to another."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@inlined_helper
def _point(t, k, x, y, z):
    return (
        t[k, 0, 0] * x + t[k, 0, 1] * y + t[k, 0, 2] * z + t[k, 0, 3],
        t[k, 1, 0] * x + t[k, 1, 1] * y + t[k, 1, 2] * z + t[k, 1, 3],
        t[k, 2, 0] * x + t[k, 2, 1] * y + t[k, 2, 2] * z + t[k, 2, 3],
    )


@inlined_helper
def _ball(frame, f, room):
    """Puts the ball around a frame's spheres in its place, once per tick."""
    if room.ball_tick[frame] != room.tick[0]:
        room.ball_tick[frame] = room.tick[0]
        body = f.frame_body[frame]
        x, y, z = _point(
            room.poses, body, f.bounds[frame, 0], f.bounds[frame, 1], f.bounds[frame, 2]
        )
        room.balls[frame, 0] = x
        room.balls[frame, 1] = y
        room.balls[frame, 2] = z


@inlined_helper
def _spheres(frame, f, room):
    """Puts a frame's spheres in their places, once per tick."""
    if room.sphere_tick[frame] != room.tick[0]:
        room.sphere_tick[frame] = room.tick[0]
        body = f.frame_body[frame]
        for k in range(f.starts[frame], f.starts[frame + 1]):
            x, y, z = _point(room.poses, body, f.spheres[k, 0], f.spheres[k, 1], f.spheres[k, 2])
            room.centres[k, 0] = x
            room.centres[k, 1] = y
            room.centres[k, 2] = z


@inlined_helper
def _point_triangle(px, py, pz, triangles, t):
    """Squared distance of a point to triangle t; after Ericson, Real-Time Collision Detection,
    5.1.5."""
    ax, ay, az = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    abx, aby, abz = triangles[t, 3] - ax, triangles[t, 4] - ay, triangles[t, 5] - az
    acx, acy, acz = triangles[t, 6] - ax, triangles[t, 7] - ay, triangles[t, 8] - az
    apx, apy, apz = px - ax, py - ay, pz - az
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    bpx, bpy, bpz = px - triangles[t, 3], py - triangles[t, 4], pz - triangles[t, 5]
    d3 = abx * bpx + aby * bpy + abz * bpz
    d4 = acx * bpx + acy * bpy + acz * bpz
    cpx, cpy, cpz = px - triangles[t, 6], py - triangles[t, 7], pz - triangles[t, 8]
    d5 = abx * cpx + aby * cpy + abz * cpz
    d6 = acx * cpx + acy * cpy + acz * cpz
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        v, w = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        v, w = 1.0, 0.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v, w = d1 / (d1 - d3), 0.0
    elif d6 >= 0.0 and d5 <= d6:
        v, w = 0.0, 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v, w = 0.0, d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        whole = va + vb + vc
        v, w = vb / whole, vc / whole
    x = apx - v * abx - w * acx
    y = apy - v * aby - w * acy
    z = apz - v * abz - w * acz
    return x * x + y * y + z * z


@inlined_helper
def _box_square(px, py, pz, boxes, node):
    """Squared distance of a point to the box of a node: lower corner, upper corner."""
    x = max(boxes[node, 0] - px, 0.0, px - boxes[node, 3])
    y = max(boxes[node, 1] - py, 0.0, py - boxes[node, 4])
    z = max(boxes[node, 2] - pz, 0.0, pz - boxes[node, 5])
    return x * x + y * y + z * z


@borrower
def _mesh_distance(px, py, pz, root, f, stack):
    """Distance of a point to the surface of the mesh whose tree begins at node `root`."""
    best = math.inf
    stack[0] = root
    n = 1
    while n > 0:
        n -= 1
        node = stack[n]
        if _box_square(px, py, pz, f.node_box, node) >= best:
            continue
        left = f.node_link[node, 0]
        right = f.node_link[node, 1]
        if left < 0:
            for k in range(-left - 1, right):
                best = min(best, _point_triangle(px, py, pz, f.triangles, k))
        else:
            near = _box_square(px, py, pz, f.node_box, left)
            far = _box_square(px, py, pz, f.node_box, right)
            if near > far:
                left, right = right, left
            stack[n] = right
            stack[n + 1] = left
            n += 2
    return math.sqrt(best)


@borrower
def _crossings(px, py, pz, dx, dy, dz, root, f, stack):
    """How many triangles a ray from a point crosses (Moeller and Trumbore)."""
    count = 0
    stack[0] = root
    n = 1
    while n > 0:
        n -= 1
        node = stack[n]
        near, far = 0.0, math.inf
        for axis in range(3):
            p, d = (px, dx) if axis == 0 else (py, dy) if axis == 1 else (pz, dz)
            one = (f.node_box[node, axis] - p) / d
            other = (f.node_box[node, axis + 3] - p) / d
            near = max(near, min(one, other))
            far = min(far, max(one, other))
        if near > far * (1.0 + 1e-12):
            continue
        left = f.node_link[node, 0]
        right = f.node_link[node, 1]
        if left >= 0:
            stack[n] = right
            stack[n + 1] = left
            n += 2
            continue
        for k in range(-left - 1, right):
            ox, oy, oz = f.triangles[k, 0], f.triangles[k, 1], f.triangles[k, 2]
            ax, ay, az = f.triangles[k, 3] - ox, f.triangles[k, 4] - oy, f.triangles[k, 5] - oz
            bx, by, bz = f.triangles[k, 6] - ox, f.triangles[k, 7] - oy, f.triangles[k, 8] - oz
            hx, hy, hz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
            det = ax * hx + ay * hy + az * hz
            if det == 0.0:
                continue
            sx, sy, sz = px - ox, py - oy, pz - oz
            u = (sx * hx + sy * hy + sz * hz) / det
            if u < 0.0 or u > 1.0:
                continue
            gx, gy, gz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
            v = (dx * gx + dy * gy + dz * gz) / det
            if v < 0.0 or u + v > 1.0:
                continue
            if (bx * gx + by * gy + bz * gz) / det > 0.0:
                count += 1
    return count


@borrower
def obstacle_distance(x, y, z, k, f, stack):
    """Signed distance of a point in the root's frame to obstacle k: negative inside. Open meshes
    have no inside."""
    px, py, pz = _point(f.obstacle_inverse, k, x, y, z)
    kind = f.obstacle_kind[k]
    a, b, c = f.obstacle_size[k, 0], f.obstacle_size[k, 1], f.obstacle_size[k, 2]
    if kind == SPHERE:
        return math.sqrt(px * px + py * py + pz * pz) - a
    if kind == BOX:
        u, v, w = abs(px) - a, abs(py) - b, abs(pz) - c
        outside = math.sqrt(max(u, 0.0) ** 2 + max(v, 0.0) ** 2 + max(w, 0.0) ** 2)
        return outside + min(max(u, v, w), 0.0)
    if kind == CYLINDER:
        u, v = math.sqrt(px * px + py * py) - a, abs(pz) - b
        return math.sqrt(max(u, 0.0) ** 2 + max(v, 0.0) ** 2) + min(max(u, v), 0.0)
    root = f.obstacle_mesh[k]
    distance = _mesh_distance(px, py, pz, root, f, stack)
    if f.obstacle_closed[k] and _box_square(px, py, pz, f.node_box, root) == 0.0:
        odd = _crossings(px, py, pz, 0.8017, 0.2673, 0.5345, root, f, stack) % 2
        odd += _crossings(px, py, pz, -0.3482, 0.8704, 0.3481, root, f, stack) % 2
        odd += _crossings(px, py, pz, 0.1231, -0.4924, 0.8616, root, f, stack) % 2
        if odd >= 2:
            return -distance
    return distance


@inlined_helper
def _moved(x, y, z, extra, body, until, turn, f, poses):
    """How far a point within `extra` of (x, y, z) on `body` moves at most, seen from the body
    `until`."""
    total = 0.0
    b = body
    while b != until:
        if f.prismatic[b]:
            total += turn[b]
        elif turn[b] > 0.0:
            u, v, w = x - poses[b, 0, 3], y - poses[b, 1, 3], z - poses[b, 2, 3]
            i, j, k = poses[b, 0, 2], poses[b, 1, 2], poses[b, 2, 2]
            cx, cy, cz = v * k - w * j, w * i - u * k, u * j - v * i
            total += turn[b] * (math.sqrt(cx * cx + cy * cy + cz * cz) + extra)
        b = f.parent[b]
    return total


@inlined_helper
def _row_touches(row, f, room):
    """Whether what a row compares is nearer than its margin where the bodies stand now."""
    margin = f.margin[row]
    if row < f.pairs.shape[0]:
        i, j = f.pairs[row, 0], f.pairs[row, 1]
        _ball(i, f, room)
        _ball(j, f, room)
        x = room.balls[i, 0] - room.balls[j, 0]
        y = room.balls[i, 1] - room.balls[j, 1]
        z = room.balls[i, 2] - room.balls[j, 2]
        reach = f.bounds[i, 3] + f.bounds[j, 3] + margin
        if x * x + y * y + z * z > reach * reach:
            return False
        _spheres(i, f, room)
        _spheres(j, f, room)
        bx, by, bz, br = room.balls[j, 0], room.balls[j, 1], room.balls[j, 2], f.bounds[j, 3]
        for a in range(f.starts[i], f.starts[i + 1]):
            ax, ay, az = room.centres[a, 0], room.centres[a, 1], room.centres[a, 2]
            ar = f.spheres[a, 3] + margin
            x, y, z = ax - bx, ay - by, az - bz
            if x * x + y * y + z * z > (ar + br) * (ar + br):
                continue
            for b in range(f.starts[j], f.starts[j + 1]):
                x, y, z = ax - room.centres[b, 0], ay - room.centres[b, 1], az - room.centres[b, 2]
                reach = ar + f.spheres[b, 3]
                if x * x + y * y + z * z <= reach * reach:
                    return True
        return False
    frame, k = f.touches[row - f.pairs.shape[0], 0], f.touches[row - f.pairs.shape[0], 1]
    _ball(frame, f, room)
    if (
        obstacle_distance(
            room.balls[frame, 0], room.balls[frame, 1], room.balls[frame, 2], k, f, room.stack
        )
        > f.bounds[frame, 3] + margin
    ):
        return False
    _spheres(frame, f, room)
    for a in range(f.starts[frame], f.starts[frame + 1]):
        gap = obstacle_distance(
            room.centres[a, 0], room.centres[a, 1], room.centres[a, 2], k, f, room.stack
        )
        if gap <= f.spheres[a, 3] + margin:
            return True
    return False


@borrower
def _row_least(row, below, f, room):
    """Smallest clearance of a row, and its spheres (the second is -1 for an obstacle); `below` and
    -1 where none is smaller."""
    best = below
    at_a = -1
    at_b = -1
    if row < f.pairs.shape[0]:
        i, j = f.pairs[row, 0], f.pairs[row, 1]
        _spheres(i, f, room)
        _spheres(j, f, room)
        # Of both frames only spheres that come near the other's ball can be the nearest.
        bx, by, bz, br = room.balls[i, 0], room.balls[i, 1], room.balls[i, 2], f.bounds[i, 3]
        count = 0
        for b in range(f.starts[j], f.starts[j + 1]):
            x, y, z = room.centres[b, 0] - bx, room.centres[b, 1] - by, room.centres[b, 2] - bz
            reach = best + f.spheres[b, 3] + br
            if reach > 0.0 and x * x + y * y + z * z < reach * reach:
                room.near[count] = b
                count += 1
        bx, by, bz, br = room.balls[j, 0], room.balls[j, 1], room.balls[j, 2], f.bounds[j, 3]
        for a in range(f.starts[i], f.starts[i + 1]):
            ax, ay, az, ar = (
                room.centres[a, 0],
                room.centres[a, 1],
                room.centres[a, 2],
                f.spheres[a, 3],
            )
            x, y, z = ax - bx, ay - by, az - bz
            reach = best + ar + br
            if reach <= 0.0 or x * x + y * y + z * z >= reach * reach:
                continue
            for k in range(count):
                b = room.near[k]
                x, y, z = ax - room.centres[b, 0], ay - room.centres[b, 1], az - room.centres[b, 2]
                s = ar + f.spheres[b, 3]
                square = x * x + y * y + z * z
                reach = best + s
                if reach > 0.0 and square < reach * reach:
                    best = math.sqrt(square) - s
                    at_a = a
                    at_b = b
        return best, at_a, at_b
    frame, k = f.touches[row - f.pairs.shape[0], 0], f.touches[row - f.pairs.shape[0], 1]
    _spheres(frame, f, room)
    for a in range(f.starts[frame], f.starts[frame + 1]):
        gap = obstacle_distance(
            room.centres[a, 0], room.centres[a, 1], room.centres[a, 2], k, f, room.stack
        )
        if gap - f.spheres[a, 3] < best:
            best = gap - f.spheres[a, 3]
            at_a = a
    return best, at_a, at_b


@inlined_helper
def _row_below(row, f, room):
    """A lower bound of a row's clearance from its balls alone."""
    if row < f.pairs.shape[0]:
        i, j = f.pairs[row, 0], f.pairs[row, 1]
        _ball(i, f, room)
        _ball(j, f, room)
        x = room.balls[i, 0] - room.balls[j, 0]
        y = room.balls[i, 1] - room.balls[j, 1]
        z = room.balls[i, 2] - room.balls[j, 2]
        return math.sqrt(x * x + y * y + z * z) - f.bounds[i, 3] - f.bounds[j, 3]
    frame, k = f.touches[row - f.pairs.shape[0], 0], f.touches[row - f.pairs.shape[0], 1]
    _ball(frame, f, room)
    gap = obstacle_distance(
        room.balls[frame, 0], room.balls[frame, 1], room.balls[frame, 2], k, f, room.stack
    )
    return gap - f.bounds[frame, 3]


@kernel
def body_poses(values, f, room, poses):
    """poses (m, bodies, 3, 4) in the root's frame at each of the configurations (m, variables)."""
    for n in range(values.shape[0]):
        _poses(values[n], f, poses[n])


@kernel
def first_collisions(values, f, room, order, collision_rows):
    """collision_rows (n,): a row within its margin at each configuration (n, variables); -1 if none
    of `order` is.

    `order` (rows,) is changed: what touched last is asked first.
    """
    for n in range(values.shape[0]):
        room.tick[0] += 1
        _poses(values[n], f, room.poses)
        collision_rows[n] = -1
        for k in range(order.shape[0]):
            row = order[k]
            if _row_touches(row, f, room):
                collision_rows[n] = row
                if k > 0:
                    ahead = k // 2
                    order[k] = order[ahead]
                    order[ahead] = row
                break


@kernel
def least_clearances(values, f, room, rows, clearance, spot):
    """Per configuration the smallest clearance of `rows`: clearance (n,), spot (n, 3) = row,
    sphere, sphere."""
    for n in range(values.shape[0]):
        room.tick[0] += 1
        _poses(values[n], f, room.poses)
        clearance[n] = math.inf
        for row in rows:
            if _row_below(row, f, room) >= clearance[n]:
                continue
            gap, a, b = _row_least(row, clearance[n], f, room)
            if gap < clearance[n]:
                clearance[n] = gap
                spot[n, 0] = row
                spot[n, 1] = a
                spot[n, 2] = b


@kernel
def row_clearances(values, f, room, rows, limit):
    """All rows of all configurations closer than `limit`: (m, 4) configuration, row, sphere,
    sphere; (m,) clearance."""
    contact_rows = np.empty((64, 4), np.int64)
    gaps = np.empty(64)
    count = 0
    beyond = np.nextafter(limit, math.inf)
    for n in range(values.shape[0]):
        room.tick[0] += 1
        _poses(values[n], f, room.poses)
        for row in rows:
            if _row_below(row, f, room) > limit:
                continue
            gap, a, b = _row_least(row, beyond, f, room)
            if a < 0:
                continue
            if count == gaps.shape[0]:
                contact_rows = np.concatenate((contact_rows, np.empty_like(contact_rows)))
                gaps = np.concatenate((gaps, np.empty_like(gaps)))
            contact_rows[count, 0] = n
            contact_rows[count, 1] = row
            contact_rows[count, 2] = a
            contact_rows[count, 3] = b
            gaps[count] = gap
            count += 1
    return contact_rows[:count].copy(), gaps[:count].copy()


@borrower
def _row_bound(row, f, room, target):
    """(lower bound of the clearance over the piece of the line, clearance at its centre or infinity
    if cleared)."""
    turn = room.turn
    if row < f.pairs.shape[0]:
        i, j, common = f.pairs[row, 0], f.pairs[row, 1], f.pairs[row, 2]
        _ball(i, f, room)
        _ball(j, f, room)
        ax, ay, az, ar = room.balls[i, 0], room.balls[i, 1], room.balls[i, 2], f.bounds[i, 3]
        bx, by, bz, br = room.balls[j, 0], room.balls[j, 1], room.balls[j, 2], f.bounds[j, 3]
        x, y, z = ax - bx, ay - by, az - bz
        apart = math.sqrt(x * x + y * y + z * z)
        body_i, body_j = f.frame_body[i], f.frame_body[j]
        moved_i = _moved(ax, ay, az, ar, body_i, common, turn, f, room.poses)
        moved_j = _moved(bx, by, bz, br, body_j, common, turn, f, room.poses)
        coarse = apart - ar - br - f.slack - moved_i - moved_j
        if coarse > target:
            return coarse, math.inf
        _spheres(i, f, room)
        _spheres(j, f, room)
        bound = math.inf
        least = math.inf
        for a in range(f.starts[i], f.starts[i + 1]):
            sx, sy, sz, sr = (
                room.centres[a, 0],
                room.centres[a, 1],
                room.centres[a, 2],
                f.spheres[a, 3],
            )
            x, y, z = sx - bx, sy - by, sz - bz
            reach = math.sqrt(x * x + y * y + z * z) - sr - br
            moved_a = -1.0
            if reach - f.slack - moved_i - moved_j > target:
                bound = min(bound, reach - f.slack - moved_i - moved_j)
                least = min(least, reach)
                continue
            for b in range(f.starts[j], f.starts[j + 1]):
                x, y, z = sx - room.centres[b, 0], sy - room.centres[b, 1], sz - room.centres[b, 2]
                gap = math.sqrt(x * x + y * y + z * z) - sr - f.spheres[b, 3]
                least = min(least, gap)
                below = gap - f.slack - moved_i - moved_j
                # A row that one pair of spheres leaves open stays so: the others need no close
                # look.
                if below <= target and bound > target:
                    if moved_a < 0.0:
                        moved_a = _moved(sx, sy, sz, 0.0, body_i, common, turn, f, room.poses)
                    other = _moved(
                        room.centres[b, 0],
                        room.centres[b, 1],
                        room.centres[b, 2],
                        0.0,
                        body_j,
                        common,
                        turn,
                        f,
                        room.poses,
                    )
                    below = gap - f.slack - moved_a - other
                bound = min(bound, below)
        return bound, least
    frame, k = f.touches[row - f.pairs.shape[0], 0], f.touches[row - f.pairs.shape[0], 1]
    _ball(frame, f, room)
    ax, ay, az, ar = (
        room.balls[frame, 0],
        room.balls[frame, 1],
        room.balls[frame, 2],
        f.bounds[frame, 3],
    )
    body = f.frame_body[frame]
    moved = _moved(ax, ay, az, ar, body, 0, turn, f, room.poses)
    coarse = obstacle_distance(ax, ay, az, k, f, room.stack) - ar - f.slack - moved
    if coarse > target:
        return coarse, math.inf
    _spheres(frame, f, room)
    bound = math.inf
    least = math.inf
    for a in range(f.starts[frame], f.starts[frame + 1]):
        sx, sy, sz = room.centres[a, 0], room.centres[a, 1], room.centres[a, 2]
        gap = obstacle_distance(sx, sy, sz, k, f, room.stack) - f.spheres[a, 3]
        least = min(least, gap)
        below = gap - f.slack - moved
        if below <= target:
            below = gap - f.slack - _moved(sx, sy, sz, 0.0, body, 0, turn, f, room.poses)
        bound = min(bound, below)
    return bound, least


@inlined_helper
def _between(q0, q1, t, half, f, room):
    """Puts the bodies at t, and the chords at distance 1 (or slides) of the joints for |change of
    t| <= half."""
    room.tick[0] += 1
    for k in range(q0.shape[0]):
        room.q[k] = q0[k] + t * (q1[k] - q0[k])
    _poses(room.q, f, room.poses)
    for b in range(1, f.parent.shape[0]):
        d = f.dof[b]
        h = abs(f.scale[b] * (q1[d] - q0[d])) * half * (1.0 + 1e-12)
        room.turn[b] = h if f.prismatic[b] else 2.0 * math.sin(0.5 * min(h, math.pi))


@borrower
def _line(q0, q1, f, room, rows, count, finest):
    """Whether all of rows[:count] keep their margins on the line from q0 to q1: (FREE, 0, -1), (HIT
    or OPEN, t, row).

    From coarse to fine, so that a touch is found early; OPEN when pieces get shorter than `finest`
    (share of the line).
    """
    now, then = 0, 1
    room.spots[now, 0] = 0.5
    room.lists[now, 0, 0] = 0
    room.lists[now, 0, 1] = count
    for k in range(count):
        room.pool[now, k] = rows[k]
    pieces = 1
    half = 0.5
    while pieces > 0:
        ahead = 0
        used = 0
        for piece in range(pieces):
            t = room.spots[now, piece]
            _between(q0, q1, t, half, f, room)
            first = used
            for spot in range(room.lists[now, piece, 0], room.lists[now, piece, 1]):
                row = room.pool[now, spot]
                bound, least = _row_bound(row, f, room, f.margin[row])
                if least <= f.margin[row]:
                    return HIT, t, row
                if bound > f.margin[row]:
                    continue
                if half < finest or used == room.pool.shape[1]:
                    return OPEN, t, row
                room.pool[then, used] = row
                used += 1
            if used > first:
                if ahead + 2 > room.spots.shape[1]:
                    return OPEN, t, room.pool[then, first]
                for side in range(2):
                    room.spots[then, ahead] = t + (side - 0.5) * half
                    room.lists[then, ahead, 0] = first
                    room.lists[then, ahead, 1] = used
                    ahead += 1
        half *= 0.5
        pieces = ahead
        now, then = then, now
    return FREE, 0.0, -1


@kernel
def line_is_free(q0, q1, f, room, rows, finest):
    """See `_line`; rows (m,)."""
    return _line(q0, q1, f, room, rows, rows.shape[0], finest)


@kernel
def worst_on_line(q0, q1, f, room, rows, finest, tolerance, least, at):
    """The smallest clearance on a line within `tolerance`, and every row that touches on it.

    least (rows of f,), at (rows of f,): per row the smallest clearance seen and its t; rows that
    were cleared keep infinity. Returns (smallest clearance, its t, its row, whether every row is
    decided: touches, or proven not to).
    """
    best = math.inf
    best_at = 0.0
    best_row = -1
    decided = True
    now, then = 0, 1
    for k in range(rows.shape[0]):
        least[rows[k]] = math.inf
    for end in range(2):
        _between(q0, q1, float(end), 0.0, f, room)
        for row in rows:
            if _row_below(row, f, room) > max(best, 0.0):
                continue
            gap, _a, _b = _row_least(row, math.inf, f, room)
            if gap < least[row]:
                least[row] = gap
                at[row] = float(end)
            if gap < best:
                best, best_at, best_row = gap, float(end), row
    room.spots[now, 0] = 0.5
    room.lists[now, 0, 0] = 0
    room.lists[now, 0, 1] = rows.shape[0]
    for k in range(rows.shape[0]):
        room.pool[now, k] = rows[k]
    pieces = 1
    half = 0.5
    while pieces > 0:
        ahead = 0
        used = 0
        for piece in range(pieces):
            t = room.spots[now, piece]
            _between(q0, q1, t, half, f, room)
            first = used
            for spot in range(room.lists[now, piece, 0], room.lists[now, piece, 1]):
                row = room.pool[now, spot]
                enough = best - tolerance
                if least[row] > 0.0:
                    enough = max(enough, 0.0)
                bound, gap = _row_bound(row, f, room, enough)
                if gap < least[row]:
                    least[row] = gap
                    at[row] = t
                if gap < best:
                    best, best_at, best_row = gap, t, row
                if bound > enough:
                    continue
                if half < finest or used == room.pool.shape[1]:
                    decided = decided and (least[row] <= 0.0 or bound > 0.0)
                    continue
                room.pool[then, used] = row
                used += 1
            if used > first:
                if ahead + 2 > room.spots.shape[1]:
                    decided = False
                    continue
                for side in range(2):
                    room.spots[then, ahead] = t + (side - 0.5) * half
                    room.lists[then, ahead, 0] = first
                    room.lists[then, ahead, 1] = used
                    ahead += 1
        half *= 0.5
        pieces = ahead
        now, then = then, now
    return best, best_at, best_row, decided


@kernel
def row_motion(q0, q1, t, half, row, f, room):
    """How far what a row compares moves against each other at most for |change of t| <= half, by
    the balls."""
    _between(q0, q1, t, half, f, room)
    if row < f.pairs.shape[0]:
        i, j, common = f.pairs[row, 0], f.pairs[row, 1], f.pairs[row, 2]
    else:
        i, j, common = f.touches[row - f.pairs.shape[0], 0], -1, 0
    total = 0.0
    for side in range(2):
        frame = i if side == 0 else j
        if frame >= 0:
            _ball(frame, f, room)
            total += _moved(
                room.balls[frame, 0],
                room.balls[frame, 1],
                room.balls[frame, 2],
                f.bounds[frame, 3],
                f.frame_body[frame],
                common,
                room.turn,
                f,
                room.poses,
            )
    return total


@inlined_helper
def _centred(f, room, half):
    """Puts the bodies at room.q, and the chords of the joints for changes of at most half
    (variables,)."""
    room.tick[0] += 1
    _poses(room.q, f, room.poses)
    for b in range(1, f.parent.shape[0]):
        h = abs(f.scale[b]) * half[f.dof[b]]
        room.turn[b] = h if f.prismatic[b] else 2.0 * math.sin(0.5 * min(h, math.pi))


@borrower
def _box(f, room, rows, mask, moved):
    """What the spheres say of all configurations around room.q: (whether some are within their
    margin in every one of them, the rows of `mask` that are not cleared, whether one is within its
    margin at room.q).

    Within it: one pair of spheres is deeper in it at the centre than both can move. moved
    (spheres,) is memory.
    """
    left = 0
    touched = False
    for n in range(rows.shape[0]):
        if (mask >> n) & 1 == 0:
            continue
        i, j, common = f.pairs[rows[n], 0], f.pairs[rows[n], 1], f.pairs[rows[n], 2]
        margin = f.margin[rows[n]]
        _ball(i, f, room)
        _ball(j, f, room)
        ax, ay, az, ar = room.balls[i, 0], room.balls[i, 1], room.balls[i, 2], f.bounds[i, 3]
        bx, by, bz, br = room.balls[j, 0], room.balls[j, 1], room.balls[j, 2], f.bounds[j, 3]
        x, y, z = ax - bx, ay - by, az - bz
        body_i, body_j = f.frame_body[i], f.frame_body[j]
        moved_i = _moved(ax, ay, az, ar, body_i, common, room.turn, f, room.poses)
        moved_j = _moved(bx, by, bz, br, body_j, common, room.turn, f, room.poses)
        if math.sqrt(x * x + y * y + z * z) - ar - br - margin - moved_i - moved_j > f.slack:
            continue
        _spheres(i, f, room)
        _spheres(j, f, room)
        for b in range(f.starts[j], f.starts[j + 1]):
            moved[b] = -1.0
        cleared = True
        for a in range(f.starts[i], f.starts[i + 1]):
            sx, sy, sz, sr = (
                room.centres[a, 0],
                room.centres[a, 1],
                room.centres[a, 2],
                f.spheres[a, 3],
            )
            x, y, z = sx - bx, sy - by, sz - bz
            if math.sqrt(x * x + y * y + z * z) - sr - br - margin - moved_i - moved_j > f.slack:
                continue
            moved_a = _moved(sx, sy, sz, 0.0, body_i, common, room.turn, f, room.poses)
            for b in range(f.starts[j], f.starts[j + 1]):
                x, y, z = sx - room.centres[b, 0], sy - room.centres[b, 1], sz - room.centres[b, 2]
                gap = math.sqrt(x * x + y * y + z * z) - sr - f.spheres[b, 3] - margin
                if gap - moved_i - moved_j > f.slack:
                    continue
                if moved[b] < 0.0:
                    moved[b] = _moved(
                        room.centres[b, 0],
                        room.centres[b, 1],
                        room.centres[b, 2],
                        0.0,
                        body_j,
                        common,
                        room.turn,
                        f,
                        room.poses,
                    )
                change = moved_a + moved[b] + f.slack
                if -gap > change:
                    return True, left, True
                touched = touched or gap <= 0.0
                cleared = cleared and gap > change
        if not cleared:
            left |= 1 << n
    return False, left, touched


#: What `cell_states` says of a cell: undecided, free all over, closed all over, closed at its
#: middle at least.
UNDECIDED, ALL_FREE, ALL_CLOSED, MIDDLE_CLOSED = 0, 1, 2, 3


@helper
def _felt(columns, f, rows):
    """(rows,): bits of the axes whose variables `columns` (3,), -1 for none, move the frames of a
    pair."""
    felt = np.zeros(rows.shape[0], np.int64)
    for n in range(rows.shape[0]):
        for side in range(2):
            b = f.frame_body[f.pairs[rows[n], side]]
            while b != f.pairs[rows[n], 2]:
                for axis in range(3):
                    if columns[axis] >= 0 and columns[axis] == f.dof[b]:
                        felt[n] |= 1 << axis
                b = f.parent[b]
    return felt


@kernel
def cell_states(lower, step, columns, q, f, room, rows, finer, states):
    """states (n0, n1, n2): what the pairs `rows` (at most 62) leave of each cell of a grid over up
    to three variables.

    Cell (i0, i1, i2) is lower + i step … lower + (i + 1) step in the variables `columns` (3,), -1
    for none; the other variables stand at q. Large blocks are decided at once. `finer`: how often a
    cell is halved that touches at its middle, to prove that it is closed all over.
    """
    half = np.zeros(q.shape[0])
    moved = np.empty(f.spheres.shape[0])
    blocks = np.empty((512, 6), np.int64)
    masks = np.empty(512, np.int64)
    parts = np.empty((64, 6))
    felt = _felt(columns, f, rows)
    _copy(q, room.q)
    blocks[0, :3] = 0
    for axis in range(3):
        blocks[0, 3 + axis] = states.shape[axis]
    masks[0] = (1 << rows.shape[0]) - 1
    count = 1
    while count > 0:
        count -= 1
        for axis in range(3):
            if columns[axis] < 0:
                continue
            first, size = blocks[count, axis], blocks[count, 3 + axis]
            room.q[columns[axis]] = lower[axis] + (first + 0.5 * size) * step[axis]
            half[columns[axis]] = 0.5 * size * step[axis] * (1.0 + 1e-12)
        _centred(f, room, half)
        closed, left, touched = _box(f, room, rows, masks[count], moved)
        # A block is not cut along axes that no row left open feels.
        axes = 0
        for n in range(rows.shape[0]):
            axes |= ((left >> n) & 1) * felt[n]
        wide = -1
        most = -1.0
        for axis in range(3):
            size = blocks[count, 3 + axis]
            if (axes >> axis) & 1 and size > 1 and size * step[axis] > most:
                most = size * step[axis]
                wide = axis
        if not closed and left != 0 and wide >= 0:
            size = blocks[count, 3 + wide]
            _copy(blocks[count], blocks[count + 1])
            blocks[count, 3 + wide] = size // 2
            blocks[count + 1, wide] += size // 2
            blocks[count + 1, 3 + wide] = size - size // 2
            masks[count] = left
            masks[count + 1] = left
            count += 2
            continue
        if closed:
            state = ALL_CLOSED
        elif left == 0:
            state = ALL_FREE
        elif touched:
            state = MIDDLE_CLOSED
            if _closed_all_over(
                lower, step, columns, blocks[count], f, room, rows, left, moved, half, parts, finer
            ):
                state = ALL_CLOSED
        else:
            state = UNDECIDED
        for i in range(blocks[count, 0], blocks[count, 0] + blocks[count, 3]):
            for j in range(blocks[count, 1], blocks[count, 1] + blocks[count, 4]):
                for k in range(blocks[count, 2], blocks[count, 2] + blocks[count, 5]):
                    states[i, j, k] = state


@helper
def _closed_all_over(lower, step, columns, block, f, room, rows, mask, moved, half, parts, finer):
    """Whether the spheres of `rows` overlap everywhere in one cell: it is halved up to `finer`
    times."""
    for axis in range(3):
        parts[0, axis] = lower[axis] + (block[axis] + 0.5) * step[axis]
        parts[0, 3 + axis] = 0.5 * step[axis]
    depth = np.zeros(parts.shape[0], np.int64)
    count = 1
    while count > 0:
        count -= 1
        wide = -1
        for axis in range(3):
            if columns[axis] < 0:
                continue
            room.q[columns[axis]] = parts[count, axis]
            half[columns[axis]] = parts[count, 3 + axis] * (1.0 + 1e-12)
            if wide < 0 or parts[count, 3 + axis] > parts[count, 3 + wide]:
                wide = axis
        _centred(f, room, half)
        closed, _left, touched = _box(f, room, rows, mask, moved)
        if closed:
            continue
        if not touched or depth[count] == finer or count + 2 > parts.shape[0]:
            return False
        parts[count, 3 + wide] *= 0.5
        _copy(parts[count], parts[count + 1])
        parts[count, wide] -= parts[count, 3 + wide]
        parts[count + 1, wide] += parts[count, 3 + wide]
        depth[count] += 1
        depth[count + 1] = depth[count]
        count += 2
    return True


@borrower
def _random(state):
    """The next number in [0, 1): splitmix64 (Steele, Lea, Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53


@borrower
def _nearest(q, nodes, count, weight):
    best = math.inf
    at = 0
    for n in range(count):
        total = 0.0
        for k in range(q.shape[0]):
            d = (q[k] - nodes[n, k]) * weight[k]
            total += d * d
        if total < best:
            best = total
            at = n
    return at, math.sqrt(best)


@borrower
def _step(near, q, distance, longest, out):
    share = 1.0 if distance <= longest else longest / distance
    for k in range(q.shape[0]):
        out[k] = near[k] + share * (q[k] - near[k])
    return share == 1.0


@kernel
def grow_trees(
    nodes,
    parents,
    counts,
    lower,
    upper,
    weight,
    longest,
    f,
    room,
    rows,
    finest,
    rng,
    tries,
    blocked,
):
    """Bidirectional RRT-Connect (Kuffner, LaValle, ICRA 2000), on lines that are proven free; goes
    on for `tries`.

    nodes (2, most, variables), parents (2, most), counts (2,): the trees, from the start and from
    the goal. Variables with lower == upper do not move. blocked (rows of f,): how often each row
    stopped a branch. Returns (node of tree 0, node of tree 1) where they meet, (-1, -1) when they
    do not yet, (-2, -2) when full.
    """
    k = lower.shape[0]
    aim = np.empty(k)
    new = np.empty(k)
    grown = 0 if counts[0] <= counts[1] else 1
    for _ in range(tries):
        other = 1 - grown
        if max(counts[0], counts[1]) + 2 >= nodes.shape[1]:
            return -2, -2
        for i in range(k):
            aim[i] = lower[i] + _random(rng) * (upper[i] - lower[i])
        near, distance = _nearest(aim, nodes[grown], counts[grown], weight)
        _step(nodes[grown, near], aim, distance, longest, new)
        status, _t, row = _line(nodes[grown, near], new, f, room, rows, rows.shape[0], finest)
        if status != FREE:
            blocked[row] += 1
            grown = other
            continue
        mine = counts[grown]
        parents[grown, mine] = near
        counts[grown] = mine + 1
        _copy(new, nodes[grown, mine])
        _copy(new, aim)
        near, distance = _nearest(aim, nodes[other], counts[other], weight)
        while counts[other] + 2 < nodes.shape[1]:
            arrived = _step(nodes[other, near], aim, distance, longest, new)
            status, _t, row = _line(nodes[other, near], new, f, room, rows, rows.shape[0], finest)
            if status != FREE:
                blocked[row] += 1
                break
            if arrived:
                return (mine, near) if grown == 0 else (near, mine)
            last = counts[other]
            _copy(new, nodes[other, last])
            parents[other, last] = near
            counts[other] = last + 1
            near = last
            distance -= longest
        grown = 0 if counts[0] <= counts[1] else 1
    return -1, -1


@borrower
def _length(a, b, weight):
    total = 0.0
    for k in range(a.shape[0]):
        d = (a[k] - b[k]) * weight[k]
        total += d * d
    return math.sqrt(total)


@kernel
def shortcut(path, count, weight, f, room, rows, finest, rng, tries):
    """Replaces parts of path[:count] by straight lines that are proven free and shorter; returns
    the new count.

    `path` (most, variables) with most >= count + 2.
    """
    k = path.shape[1]
    a = np.empty(k)
    b = np.empty(k)
    for _ in range(tries):
        if count <= 2:
            break
        total = 0.0
        for n in range(count - 1):
            total += _length(path[n], path[n + 1], weight)
        if total <= 0.0:
            break
        one, other = _random(rng) * total, _random(rng) * total
        if one > other:
            one, other = other, one
        walked = 0.0
        first = last = -1
        for n in range(count - 1):
            part = _length(path[n], path[n + 1], weight)
            if part > 0.0 and first < 0 and walked + part >= one:
                first = n
                for i in range(k):
                    a[i] = path[n, i] + (one - walked) / part * (path[n + 1, i] - path[n, i])
            if part > 0.0 and first >= 0 and walked + part >= other:
                last = n
                for i in range(k):
                    b[i] = path[n, i] + (other - walked) / part * (path[n + 1, i] - path[n, i])
                break
            walked += part
        if last <= first:
            continue
        # The ends lie on edges that are proven; what is cut off of them stays a part of them.
        status, _t, _row = _line(a, b, f, room, rows, rows.shape[0], finest)
        if status != FREE:
            continue
        gap = last - first
        if gap >= 2:
            for n in range(last + 1, count):
                for i in range(k):
                    path[n - gap + 2, i] = path[n, i]
        else:
            for n in range(count - 1, last, -1):
                for i in range(k):
                    path[n + 2 - gap, i] = path[n, i]
        _copy(a, path[first + 1])
        _copy(b, path[first + 2])
        count += 2 - gap
        if count + 2 > path.shape[0]:
            break
    return count
