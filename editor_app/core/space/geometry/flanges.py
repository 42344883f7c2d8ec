"""The face that a thing is bolted on by: the plane, or the cylinder, of a mesh around a point of
its surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.space.geometry.distance import compute_mesh_distances
from editor_app.core.space.geometry.mesh import weld_vertices
from editor_app.core.space.kinematics.transforms import across

#: A face is flat within this share of the mesh's diagonal, and this cosine of its normals.
_FLAT, _SAME_WAY = 1.5e-3, np.cos(np.radians(5.0))
#: Corners of a face that was drawn lie in its plane within this (metres).
_EXACT = 2e-5
#: A direction that leans less than this (sine, a quarter of a degree) away from an axis of the mesh
#: is this axis.
_STRAIGHT = 0.0044
#: Neighbours on a curved surface turn by less than this.
_SMOOTH = np.cos(np.radians(32.0))
#: Share of its radius by which a round edge, and a cylinder, may differ from a circle; corners that
#: make one.
_ROUND, _TRUE, _CORNERS = 0.03, 0.01, 8
#: How far normals of a cylinder may lean along its axis (sine), and how far around it goes at least
#: (radians).
_LEAN, _AROUND = 0.02, np.radians(120.0)


@dataclass(frozen=True, slots=True)
class Flange:
    """A face in the frame of its mesh (metres). `direction` has length 1 and points away from the
    body.

    `point`: of a plane the middle of its round edge, or of its area; of a cylinder the end of its
    axis that is nearer. `radius`: of the cylinder, or the round edge; None for a face without one.
    """

    is_plane: bool
    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    radius: float | None = None


class _Mesh(NamedTuple):
    """Without triangles that have no area; `corners` (m, 3, 3), `normals` (m, 3), `areas` (m,)."""

    vertices: F64
    faces: I64
    corners: F64
    normals: F64
    areas: F64


def flange_at(
    vertices: npt.ArrayLike, faces: npt.ArrayLike, point: npt.ArrayLike, outwards: npt.ArrayLike
) -> Flange | None:
    """The face of a mesh, (n, 3) and (m, 3), at a point (3,) of its surface; None for a mesh
    without area.

    `outwards` (3,): from the surface to the one who looks at it. Around a point of a cylinder, more
    than a third of which is there, it is the cylinder; else the plane of the triangle. Circles: I.
    Kåsa, A circle fitting procedure and its error analysis, IEEE Transactions on Instrumentation
    and Measurement 25, 1976.
    """
    mesh = _mesh_of(np.asarray(vertices, float), np.asarray(faces))
    if not len(mesh.faces):
        return None
    at, view = np.asarray(point, float), np.asarray(outwards, float)
    picked = _nearest(mesh, at)
    flat = _flat_around(mesh, picked)
    if mesh.areas[flat].sum() < 2.0 * mesh.areas[picked]:
        # A sliver leans: the face is a neighbour's.
        touching = np.isin(mesh.faces, mesh.faces[picked]).any(axis=1)
        touching &= mesh.normals @ mesh.normals[picked] >= _SAME_WAY
        largest = int(np.argmax(np.where(touching, mesh.areas, 0.0)))
        flat = max(
            flat, _flat_around(mesh, largest), key=lambda rows: float(mesh.areas[rows].sum())
        )
    round_face = _cylinder_around(mesh, picked, at)
    if round_face is not None and round_face[1] > 1.5 * mesh.areas[flat].sum():
        return round_face[0]
    return _plane(mesh, flat, mesh.normals[picked], view)


def _mesh_of(vertices: F64, faces: npt.NDArray[Any]) -> _Mesh:
    # Files in single precision give one corner several times, a hundredth of a micrometre apart.
    welded, faces = weld_vertices(np.round(vertices, 7), faces.astype(np.int32))
    vertices = np.asarray(welded, float)
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    double = np.linalg.norm(across, axis=1)
    kept = double > 1e-14
    normals = across[kept] / double[kept, None]
    return _Mesh(vertices, faces[kept].astype(np.int64), corners[kept], normals, 0.5 * double[kept])


def _nearest(mesh: _Mesh, point: F64) -> int:
    """The triangle under a point; one of its neighbours, where the point was taken from a coarser
    mesh."""
    middles = mesh.corners.mean(axis=1)
    sizes = np.linalg.norm(mesh.corners - middles[:, None], axis=2).max(axis=1)
    # A triangle is nowhere nearer than this.
    least = np.linalg.norm(middles - point, axis=1) - sizes
    rows = np.argsort(least, kind="stable")
    best, nearest = np.inf, int(rows[0])
    for row in rows.tolist():
        if least[row] > best:
            break
        away = float(
            compute_mesh_distances(
                point[None], mesh.vertices, mesh.faces[row : row + 1].astype(np.int32)
            )[0]
        )
        if away < best:
            best, nearest = away, row
    return nearest


def _flat_around(mesh: _Mesh, picked: int) -> I64:
    """The triangles of the plane that hang together with one."""
    tolerance = max(2e-5, _FLAT * float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))))
    normal, through = mesh.normals[picked], mesh.corners[picked].mean(axis=0)
    members = np.array([picked])
    for _ in range(3):
        heights = np.abs((mesh.corners - through) @ normal).max(axis=1)
        flat = (np.abs(mesh.normals @ normal) >= _SAME_WAY) & (heights <= tolerance)
        flat[picked] = True
        members = _joined(mesh, flat, picked)
        weights = mesh.areas[members]
        signs = np.sign(mesh.normals[members] @ normal)
        normal = (mesh.normals[members] * (signs * weights)[:, None]).sum(axis=0)
        normal /= np.linalg.norm(normal)
        through = (mesh.corners[members].mean(axis=1) * weights[:, None]).sum(
            axis=0
        ) / weights.sum()
    return members


def _joined(mesh: _Mesh, among: Bools, picked: int) -> I64:
    """The triangles `among` all that share corners, one after the other, with one."""
    rows = np.flatnonzero(among)
    corners = mesh.faces[rows].ravel()
    numbers = np.repeat(np.arange(len(rows)), 3)
    pairs = np.column_stack([numbers, len(rows) + corners])
    connected = _connected(
        len(rows) + len(mesh.vertices), pairs, int(np.searchsorted(rows, picked))
    )
    members: I64 = rows[connected[connected < len(rows)]]
    return members


def _plane(mesh: _Mesh, members: I64, normal: F64, view: F64) -> Flange:
    weights = mesh.areas[members]
    signs = np.sign(mesh.normals[members] @ normal)
    mean = (mesh.normals[members] * (signs * weights)[:, None]).sum(axis=0)
    direction = _straight(mean)
    if direction @ view < 0.0:
        direction = -direction
    middle = (mesh.corners[members].mean(axis=1) * weights[:, None]).sum(axis=0) / weights.sum()
    edge = mesh.vertices[_outer_edge(mesh, members, middle)]
    circle = _circle(edge, direction) or _notched(edge, direction)
    if circle is not None:
        middle = circle[0] + direction * float(direction @ (middle - circle[0]))
    heights = (mesh.corners[members] - middle) @ direction
    if np.abs(heights).max() > _EXACT and np.abs(direction).max() == 1.0:
        # A thinned mesh: the body was turned about the axis of its frame, and the frame lies in the
        # face.
        along = direction * float(direction @ middle)
        if (
            np.linalg.norm(middle - along)
            < 2.0 * _ROUND * np.linalg.norm(edge - middle, axis=1).max()
        ):
            middle = along
        if np.linalg.norm(along) < 10.0 * _EXACT:
            middle = middle - along
    return Flange(True, _triple(middle), _triple(direction), None if circle is None else circle[1])


def _outer_edge(mesh: _Mesh, members: I64, middle: F64) -> I64:
    """The corners of the closed line around a face, without the lines around its holes."""
    sides = np.sort(mesh.faces[members][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, counts = np.unique(sides, axis=0, return_counts=True)
    edges = edges[counts == 1]
    corners, flat = np.unique(edges, return_inverse=True)
    ends = flat.reshape(-1, 2)
    if not len(corners):
        return corners
    farthest = int(np.argmax(np.linalg.norm(mesh.vertices[corners] - middle, axis=1)))
    outer: I64 = corners[_connected(len(corners), ends, farthest)]
    return outer


def _circle(points: F64, axis: F64, share: float = _ROUND) -> tuple[F64, float] | None:
    """(centre (3,), radius) of the circle about `axis` that (n, 3) points lie on; None where they
    lie on none."""
    if len(points) < _CORNERS:
        return None
    one, two = across(axis)
    origin = points.mean(axis=0)
    flat = (points - origin) @ np.column_stack([one, two])
    solved = np.linalg.lstsq(
        np.column_stack([2.0 * flat, np.ones(len(flat))]), (flat**2).sum(axis=1), rcond=None
    )[0]
    squared = float(solved[2] + solved[:2] @ solved[:2])
    if squared <= 0.0:
        return None
    radius = squared**0.5
    if np.abs(np.linalg.norm(flat - solved[:2], axis=1) - radius).max() > share * radius:
        return None
    return origin + solved[0] * one + solved[1] * two, radius


def _notched(points: F64, axis: F64) -> tuple[F64, float] | None:
    """The circle that three quarters of the points lie on: a flange has notches and flat sides."""
    kept, circle = points, None
    for _ in range(4):
        circle = _circle(kept, axis, np.inf)
        if circle is None:
            return None
        off = points - circle[0]
        off -= np.outer(off @ axis, axis)
        away = np.abs(np.linalg.norm(off, axis=1) - circle[1])
        kept = points[away <= np.quantile(away, 0.75)]
    return None if circle is None else _circle(kept, axis)


def _cylinder_around(mesh: _Mesh, picked: int, at: F64) -> tuple[Flange, float] | None:
    """The cylinder that a triangle is on, and its area; None where it is on none."""
    pairs = _smooth_neighbours(mesh)
    near = np.array([picked])
    for _ in range(3):
        touching = np.isin(pairs, near).any(axis=1)
        near = np.unique(np.concatenate([near, pairs[touching].ravel()]))
    for rows in (near, _connected(len(mesh.faces), pairs, picked)):
        axis = _axis(mesh, rows)
        if axis is None:
            continue
        upright = np.abs(mesh.normals @ axis) <= _LEAN
        upright[picked] = True
        kept = pairs[upright[pairs].all(axis=1)]
        members = _connected(len(mesh.faces), kept, picked)
        axis = _axis(mesh, members)
        if axis is None:
            continue
        points = mesh.vertices[np.unique(mesh.faces[members])]
        circle = _circle(points, axis, _TRUE)
        if circle is None or _around(mesh.normals[members], axis) < _AROUND:
            continue
        middle, radius = circle
        heights = (points - middle) @ axis
        low, high = float(heights.min()), float(heights.max())
        is_upper = float((at - middle) @ axis) >= 0.5 * (low + high)
        end, direction = (high, axis) if is_upper else (low, -axis)
        flange = Flange(False, _triple(middle + end * axis), _triple(direction), radius)
        return flange, float(mesh.areas[members].sum())
    return None


def _smooth_neighbours(mesh: _Mesh) -> I64:
    """(k, 2) triangles that share an edge across which the surface turns little."""
    count = len(mesh.faces)
    sides = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    owners = np.repeat(np.arange(count), 3)
    keys = sides[:, 0] * np.int64(len(mesh.vertices)) + sides[:, 1]
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    pairs = np.column_stack([owners[order[:-1]][same], owners[order[1:]][same]])
    turn = np.abs(np.einsum("ij,ij->i", mesh.normals[pairs[:, 0]], mesh.normals[pairs[:, 1]]))
    smooth: I64 = pairs[turn >= _SMOOTH]
    return smooth


def _connected(count: int, pairs: I64, picked: int) -> I64:
    """Of things that pairs (k, 2) connect: all that hang together with one."""
    # Here, because commands that merely name this module work without scipy.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array(
        (np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count)
    )
    labels = connected_components(graph, directed=False)[1]
    members: I64 = np.flatnonzero(labels == labels[picked])
    return members


def _axis(mesh: _Mesh, rows: I64) -> F64 | None:
    """The direction that all normals are square to; None where they lie in no plane, or all point
    one way."""
    normals, weights = mesh.normals[rows], mesh.areas[rows]
    values, vectors = np.linalg.eigh((normals * weights[:, None]).T @ normals)
    total = float(values.sum())
    if values[0] > 0.01 * total or values[1] < 1e-3 * total:
        return None
    return _straight(vectors[:, 0])


def _straight(direction: F64) -> F64:
    """Of length 1; along an axis of the mesh, where it is nearly."""
    direction = direction / np.linalg.norm(direction)
    largest = int(np.argmax(np.abs(direction)))
    if np.linalg.norm(np.delete(direction, largest)) < _STRAIGHT:
        direction = np.eye(3)[largest] * np.sign(direction[largest])
    return np.asarray(direction, float)


def _around(normals: F64, axis: F64) -> float:
    """Radians that normals go around an axis: a whole turn without the widest gap between two of
    them."""
    one, two = across(axis)
    angles = np.sort(np.arctan2(normals @ two, normals @ one))
    gaps = np.diff(np.append(angles, angles[0] + 2.0 * np.pi))
    return float(2.0 * np.pi - gaps.max())


def _triple(values: F64) -> tuple[float, float, float]:
    x, y, z = (round(float(value), 12) + 0.0 for value in values)
    return x, y, z
