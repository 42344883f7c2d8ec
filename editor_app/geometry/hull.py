"""The convex hull of points, as a closed mesh."""

from __future__ import annotations

import numpy as np

from editor_app.geometry.mesh import Faces, Vertices


def convex_hull(points: Vertices) -> tuple[Vertices, Faces] | None:
    """Corners (n, 3) and outward triangles (m, 3) of the hull of points (k, 3); None for points in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    corners = points[hull.vertices]
    place = np.zeros(len(points), np.int32)
    place[hull.vertices] = np.arange(len(hull.vertices))
    triangles = place[hull.simplices]
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3])
    triangles[outward < 0] = triangles[outward < 0][:, ::-1]
    return corners, np.ascontiguousarray(triangles)
