"""Obstacles of a scene as arrays for the kernels; meshes get a tree of boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from editor_app.core.arrays import F64, I32, U8
from editor_app.core.model.findings import Severity
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Scene,
    SphereShape,
)
from editor_app.core.model.urdf import sizes_of
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mesh import build_primitive, merge_parts, weld_vertices
from editor_app.core.space.kinematics.transforms import (
    quaternion_matrices,
    quaternion_matrix,
    transform,
)

#: Triangles in a leaf.
LEAF = 6
#: The numbers that kernels.py has for them.
KINDS = {SphereShape: 0, BoxShape: 1, CylinderShape: 2, MeshShape: 3}


class SceneError(Refusal):
    """An obstacle cannot be used; the text names it and says what to do."""


class Solids(NamedTuple):
    """(k,) per obstacle: kind, inverse pose (k, 3, 4), size (k, 3), closed, root node of its mesh;
    nodes, triangles.

    `node_link` (n, 2): left and right child, or -(first triangle) - 1 and the end of the triangles
    (m, 9).
    """

    kind: I32
    inverse: F64
    size: F64
    closed: U8
    mesh: I32
    node_box: F64
    node_link: I32
    triangles: F64
    reach: float


def solids_of(scene: Scene) -> Solids:
    """Raises SceneError for a mesh that cannot be read and for a shape that is not one."""
    count = len(scene.obstacles)
    kind, closed, roots = (
        np.zeros(count, np.int32),
        np.zeros(count, np.uint8),
        np.full(count, -1, np.int32),
    )
    size = np.zeros((count, 3))
    boxes: list[F64] = []
    links: list[tuple[int, int]] = []
    triangles: list[F64] = []
    inverse = _inverses(scene.obstacles)
    for k, obstacle in enumerate(scene.obstacles):
        kind[k] = KINDS[type(obstacle.shape)]
        match obstacle.shape:
            case SphereShape(radius):
                size[k] = radius, 0.0, 0.0
            case BoxShape(edges):
                size[k] = edges[0] / 2.0, edges[1] / 2.0, edges[2] / 2.0
            case CylinderShape(radius, length):
                size[k] = radius, length / 2.0, 0.0
            case MeshShape():
                vertices, faces = obstacle_mesh(obstacle, scene)
                closed[k] = _is_closed(vertices, faces)
                roots[k] = _grow(vertices[faces].reshape(-1, 9), boxes, links, triangles)
                size[k] = np.abs(vertices).max(axis=0)
    return Solids(
        kind, inverse, size, closed, roots,
        np.array(boxes).reshape(-1, 6), np.array(links, np.int32).reshape(-1, 2),
        np.concatenate(triangles) if triangles else np.zeros((0, 9)), _reach(inverse, size),
    )  # fmt: skip


def move_solids(solids: Solids, old: Scene, new: Scene) -> Solids | None:
    """The solids with obstacles at other places; None when more than their places changed. Raises
    SceneError."""
    same = len(old.obstacles) == len(new.obstacles) and old.folder == new.folder
    if not same or any(
        a is not b and (a.shape is not b.shape or a.name != b.name or a.contacts != b.contacts)
        for a, b in zip(old.obstacles, new.obstacles, strict=True)
    ):
        return None
    changed = [
        k for k, (a, b) in enumerate(zip(old.obstacles, new.obstacles, strict=True)) if a is not b
    ]
    inverse = solids.inverse.copy()
    inverse[changed] = _inverses([new.obstacles[k] for k in changed])
    return solids._replace(inverse=inverse, reach=_reach(inverse, solids.size))


def obstacle_poses(obstacles: Sequence[Obstacle]) -> F64:
    """(n, 4, 4) poses in the robot's root frame. Raises SceneError for one whose numbers are
    none."""
    for obstacle in obstacles:
        _check(obstacle)
    poses = np.zeros((len(obstacles), 4, 4))
    poses[:, :3, :3] = quaternion_matrices(
        np.array([each.orientation_wxyz for each in obstacles], float).reshape(-1, 4)
    )
    poses[:, :3, 3] = np.array([each.position for each in obstacles], float).reshape(-1, 3)
    poses[:, 3, 3] = 1.0
    return poses


def _inverses(obstacles: Sequence[Obstacle]) -> F64:
    """(n, 3, 4): from the root's frame to each obstacle's. Raises SceneError for one whose numbers
    are none."""
    poses = obstacle_poses(obstacles)
    back = poses[:, :3, :3].transpose(0, 2, 1)
    # In one order of axes, as every other array: kernels are compiled for each order that they
    # meet.
    return np.ascontiguousarray(np.concatenate([back, -(back @ poses[:, :3, 3:])], axis=2))


def _reach(inverse: F64, size: F64) -> float:
    """An upper bound of how far from the root's origin an obstacle lies, metres."""
    away = np.linalg.norm(inverse[:, :, 3], axis=1) + np.linalg.norm(size, axis=1)
    return float(away.max(initial=0.0))


def obstacle_pose(obstacle: Obstacle) -> F64:
    """(4, 4) pose in the robot's root frame."""
    return transform(quaternion_matrix(obstacle.orientation_wxyz), obstacle.position)


def obstacle_mesh(obstacle: Obstacle, scene: Scene) -> tuple[F64, I32]:
    """Vertices (n, 3) in the obstacle's frame and triangles (m, 3). Raises SceneError."""
    shape = obstacle.shape
    if not isinstance(shape, MeshShape):
        return merge_parts(build_primitive(shape).parts)
    if shape.path is None:
        vertices = np.array(shape.vertices, float).reshape(-1, 3) * shape.scale
        faces = np.array(shape.triangles, np.int32).reshape(-1, 3)
        if not len(faces) or faces.min() < 0 or faces.max() >= len(vertices):
            raise SceneError(
                f"The mesh {obstacle.name!r} has no triangles, or triangles with missing vertices."
            )
        return vertices, faces
    path = Path(scene.folder or ".") / shape.path
    if not path.is_file():
        raise SceneError(
            f"The mesh of {obstacle.name!r} was not found: {path}. Paths are relative to the "
            "scene's file."
        )
    mesh = load_mesh(path)
    errors = [finding.message for finding in mesh.findings if finding.severity is Severity.ERROR]
    if errors:
        raise SceneError(f"The mesh of {obstacle.name!r} cannot be read: {errors[0]}")
    vertices, faces = merge_parts(mesh.parts)
    if not len(faces):
        raise SceneError(f"The mesh of {obstacle.name!r} has no triangles: {path}")
    return vertices * np.array(shape.scale), faces


def _check(obstacle: Obstacle) -> None:
    numbers: tuple[float, ...] = (*obstacle.position, *obstacle.orientation_wxyz)
    sizes = () if isinstance(obstacle.shape, MeshShape) else sizes_of(obstacle.shape)
    if not all(map(math.isfinite, (*numbers, *sizes))) or not any(obstacle.orientation_wxyz):
        raise SceneError(
            f"The obstacle {obstacle.name!r} has an invalid number, or no orientation."
        )
    if any(value <= 0.0 for value in sizes):
        raise SceneError(f"The obstacle {obstacle.name!r} has a size of 0 or less.")
    if not 0.0 < obstacle.touch_distance < math.inf:
        raise SceneError(
            f"The obstacle {obstacle.name!r} has a touch distance that is not above 0."
        )


def _is_closed(vertices: F64, faces: I32) -> bool:
    """Whether every edge has two triangles: then the mesh has an inside."""
    _, faces = weld_vertices(vertices, faces)
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    _, counts = np.unique(edges, axis=0, return_counts=True)
    return bool(len(counts)) and bool((counts == 2).all())


def _grow(table: F64, boxes: list[F64], links: list[tuple[int, int]], kept: list[F64]) -> int:
    """Adds the tree of these triangles (m, 9); returns its root."""
    start = sum(len(part) for part in kept)
    corners = table.reshape(-1, 3, 3)
    low, high, middle = corners.min(axis=1), corners.max(axis=1), corners.mean(axis=1)
    order: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    placed = start
    root = len(boxes)
    boxes.append(np.zeros(6))
    links.append((0, 0))
    todo = [(root, np.arange(len(table)))]
    while todo:
        node, chosen = todo.pop()
        boxes[node] = np.concatenate([low[chosen].min(axis=0), high[chosen].max(axis=0)])
        if len(chosen) <= LEAF:
            links[node] = (-placed - 1, placed + len(chosen))
            order.append(chosen)
            placed += len(chosen)
            continue
        side = int(np.argmax(np.ptp(middle[chosen], axis=0)))
        half = len(chosen) // 2
        parts = chosen[np.argpartition(middle[chosen, side], half)]
        left = len(boxes)
        boxes += [np.zeros(6), np.zeros(6)]
        links += [(0, 0), (0, 0)]
        links[node] = (left, left + 1)
        todo += [(left, parts[:half]), (left + 1, parts[half:])]
    kept.append(table[np.concatenate(order)])
    return root
