"""Boxes, cylinders, capsules and spheres as closed meshes with their normals outside."""

from __future__ import annotations

import math

import numpy as np

from editor_app.geometry.mesh import MeshData, MeshPart
from editor_app.model.urdf import Ball, Box, Capsule, Cylinder, Geometry

#: Corners of a circle: its polygon misses the circle by 0.5 % of the radius.
SEGMENTS = 32
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]),
        *([0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]),
        *([0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ],
    dtype=np.int32,
)


def primitive(geometry: Geometry, segments: int = SEGMENTS) -> MeshData:
    """The mesh of a primitive, circles with so many corners; empty when one of its sizes is not positive. Raises
    TypeError for a Mesh."""
    if isinstance(geometry, Box):
        if min(geometry.size) <= 0:
            return MeshData(())
        return _mesh(_CORNERS * np.array(geometry.size), _BOX_FACES, "box")
    if isinstance(geometry, Ball):
        if geometry.radius <= 0:
            return MeshData(())
        return _revolved(_arc(geometry.radius, 0.0, -90, 90, segments), "sphere", segments)
    if isinstance(geometry, Cylinder | Capsule):
        r, half = geometry.radius, geometry.length / 2
        if r <= 0 or half < 0 or (half == 0 and isinstance(geometry, Cylinder)):
            return MeshData(())
        if isinstance(geometry, Cylinder):
            return _revolved([(0.0, -half), (r, -half), (r, half), (0.0, half)], "cylinder", segments)
        if half == 0:
            return _revolved(_arc(r, 0.0, -90, 90, segments), "capsule", segments)
        caps = [*_arc(r, -half, -90, 0, segments), *_arc(r, half, 0, 90, segments)]
        return _revolved(caps, "capsule", segments)
    raise TypeError(f"{type(geometry).__name__} is no primitive")


def _arc(radius: float, z: float, start: int, end: int, segments: int) -> list[tuple[float, float]]:
    """(distance from the axis, z) along an arc from `start` to `end` degrees of latitude; on the axis at the poles."""
    steps = max(2, round(segments * abs(end - start) / 360))
    points = []
    for i in range(steps + 1):
        degrees = start + (end - start) * i / steps
        ring = 0.0 if abs(degrees) == 90 else radius * math.cos(math.radians(degrees))
        points.append((ring, z + radius * math.sin(math.radians(degrees))))
    return points


def _revolved(profile: list[tuple[float, float]], name: str, segments: int) -> MeshData:
    """A profile of (distance, z) from the lower to the upper pole, turned about z."""
    angles = np.arange(segments) * (2 * math.pi / segments)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    rings = profile[1:-1]
    vertices = [np.array([[0.0, 0.0, profile[0][1]]])]
    vertices += [np.column_stack((circle * radius, np.full(segments, z))) for radius, z in rings]
    vertices.append(np.array([[0.0, 0.0, profile[-1][1]]]))
    steps = np.arange(segments)
    following = (steps + 1) % segments
    top = 1 + segments * len(rings)
    faces = [np.column_stack((np.zeros(segments, dtype=np.intp), 1 + following, 1 + steps))]
    for ring in range(len(rings) - 1):
        low, high = 1 + segments * ring, 1 + segments * (ring + 1)
        faces.append(np.column_stack((low + steps, low + following, high + following)))
        faces.append(np.column_stack((low + steps, high + following, high + steps)))
    last = 1 + segments * (len(rings) - 1)
    faces.append(np.column_stack((last + steps, last + following, np.full(segments, top))))
    return _mesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32), name)


def _mesh(vertices: np.ndarray, faces: np.ndarray, name: str) -> MeshData:
    return MeshData((MeshPart(vertices, faces, name=name),))
