"""How much of what is seen of a link its collision shapes leave bare."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editor_app.geometry import distance
from editor_app.geometry.cache import digest, load_entry, store_entry
from editor_app.geometry.distance import distance_to_mesh, winding_number
from editor_app.geometry.mesh import spread_over

Floats = npt.NDArray[np.float64]
Faces = npt.NDArray[np.int32]

#: Shapes that leave a larger share of the visual surface bare stand for a part of the link only.
PARTIAL = 0.25
#: What is nearer to a collision shape than this share of the diagonal is covered by it: shapes are simplified.
_NEAR = 0.05
_POINTS = 400
_MARKS = 1000
#: Faces to measure with; of finer shapes, points spread over the surface stand for it.
_FACES = 3000


def bare_share(visual: tuple[Floats, Faces], collision: tuple[Floats, Faces]) -> float:
    """Share (0..1) of the visual surface that lies outside the collision shapes by more than 5 % of its diagonal.

    Both are (vertices (n, 3), faces (m, 3)), metres, in the same frame. 0 without a visual shape.
    """
    vertices, faces = visual
    if not len(faces) or not len(collision[1]):
        return 0.0
    points = spread_points(vertices, faces, _POINTS)
    diagonal = float(np.linalg.norm(np.ptp(vertices[np.unique(faces)], axis=0)))
    near = _NEAR * diagonal
    # A point of the shape that is near enough spares most points of the surface the search for the nearest one.
    marks = spread_points(*collision, _MARKS)
    # Squares of the distances (n,) of points (n, 3) to the nearest of others (m, 3).
    products = points @ marks.T
    squares = np.einsum("ij,ij->i", marks, marks) - 2.0 * products
    apart = np.asarray(squares.min(axis=1) + np.einsum("ij,ij->i", points, points)) > (0.999 * near) ** 2
    apart[apart] = _distances(points[apart], collision) > near
    if not apart.any():
        return 0.0
    far = points[apart]
    inside = np.abs(winding_number(far, *collision)) > 0.5 if len(collision[1]) <= 60_000 else np.zeros(len(far), bool)
    return float((~inside).sum() / len(points))


def kept_bare_share(visual: tuple[Floats, Faces], collision: tuple[Floats, Faces]) -> float:
    """As `bare_share`, from disk where the very same shapes were compared before: a humanoid takes seconds."""
    arrays = (np.ascontiguousarray(array) for array in (*visual, *collision))
    pieces = [piece for array in arrays for piece in (array.dtype.str.encode(), array.tobytes())]
    key = "bare-" + digest(_method().encode(), *pieces)
    entry = load_entry(key)
    share = entry[0].get("share") if entry is not None else None
    if not isinstance(share, float) or not 0.0 <= share <= 1.0:
        share = bare_share(visual, collision)
        store_entry(key, {"share": share}, {})
    return share


@functools.cache
def _method() -> str:
    """Of the text of the method: what another version of it has found is no answer of this one."""
    try:
        return digest(*(Path(str(file)).read_bytes() for file in (__file__, distance.__file__)))
    except OSError:
        return "unknown"


def _distances(points: Floats, mesh: tuple[Floats, Faces]) -> Floats:
    if len(mesh[1]) <= _FACES:
        return distance_to_mesh(points, *mesh)
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(spread_points(*mesh, 20_000)).query(points)[0])


def gaps_to_spheres(points: Floats, spheres: Floats) -> Floats:
    """(n,) how far points (n, 3) lie outside the nearest of spheres (m, 4), metres; negative inside."""
    if not len(spheres):
        return np.full(len(points), np.inf)
    return np.asarray((np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2) - spheres[:, 3]).min(axis=1))


def spread_points(vertices: Floats, faces: Faces, count: int) -> Floats:
    """Points (count, 3) spread evenly over a surface, the same ones each time."""
    return spread_over(vertices[faces], count)[0]
