"""Stills of a motion as SVG: the spheres of the robot and the obstacles in parallel projection, with the tool's way."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from editor_app.model.scene import BoxShape, CylinderShape, MeshShape, SphereShape
from editor_app.motion.model import MotionModel
from editor_app.motion.obstacles import obstacle_mesh, obstacle_pose
from editor_app.self_collision.types import F64, I64

#: Where the eye is: degrees round the robot and above the ground.
ROUND, ABOVE = 35.0, 20.0
#: Pixels of the longer side.
SIZE = 420
#: Points of a circle that stand for a round obstacle.
AROUND = 32


@dataclass(frozen=True, slots=True)
class MotionPicture:
    """A title and the text of an SVG; no name from a file is in it."""

    title: str
    svg: str


def pictures_of(model: MotionModel, titles: Sequence[str], values: F64, way: F64) -> tuple[MotionPicture, ...]:
    """A still for each configuration (n, variables), all in one frame; `way` (m, 3): the places of the tool."""
    spheres = model.world if len(model.world.spheres) else model.spheres
    if not len(spheres.spheres):
        return ()
    poses = model.body_poses(values)
    frame_of: I64 = np.repeat(np.arange(len(spheres.frames), dtype=np.int64), np.diff(spheres.starts))
    bodies = spheres.frame_body[frame_of]
    centres = np.einsum("nkij,kj->nki", poses[:, bodies][..., :3], spheres.spheres[:, :3]) + poses[:, bodies][..., 3]
    radii = spheres.spheres[:, 3]
    look = _look()
    solids = [
        (points @ look.T, depth) for points, depth in ((p, float((p @ look.T)[:, 2].mean())) for p in _solids(model))
    ]
    flat, path = centres @ look.T, way @ look.T
    reach = radii[None, :, None]
    corners = np.concatenate(
        [(flat - reach)[:, :, :2].reshape(-1, 2), (flat + reach)[:, :, :2].reshape(-1, 2), path[:, :2]]
    )
    low, high = corners.min(axis=0), corners.max(axis=0)
    # A large table or wall does not make the robot small.
    margin = 0.12 * float((high - low).max())
    low, high = low - margin, high + margin
    return tuple(
        MotionPicture(title, _drawn(flat[k], radii, frame_of, solids, path, low, high))
        for k, title in enumerate(titles)
    )


def _look() -> F64:
    """(3, 3): right, up, and towards the eye."""
    a, b = math.radians(ROUND), math.radians(ABOVE)
    eye = np.array([math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b)])
    right = np.array([-math.sin(a), math.cos(a), 0.0])
    return np.array([right, np.cross(eye, right), eye])


def _solids(model: MotionModel) -> list[F64]:
    """Points (k, 3) of each obstacle, whose hull is its outline."""
    outlines = []
    angles = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    for obstacle in model.scene.obstacles:
        match obstacle.shape:
            case BoxShape(size):
                corners = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T * size
            case CylinderShape(radius, length):
                ends = [np.column_stack([radius * ring, np.full(AROUND, z)]) for z in (-length / 2.0, length / 2.0)]
                corners = np.concatenate(ends)
            case SphereShape(radius):
                # Its outline in parallel projection, whichever way it is turned.
                outlines.append(np.array(obstacle.position) + radius * ring @ _look()[:2])
                continue
            case MeshShape():
                corners, _ = obstacle_mesh(obstacle, model.scene)
        pose = obstacle_pose(obstacle)
        outlines.append(corners @ pose[:3, :3].T + pose[:3, 3])
    return outlines


def _drawn(
    flat: F64, radii: F64, frames: I64, solids: Sequence[tuple[F64, float]], path: F64, low: F64, high: F64
) -> str:
    """From the farthest to the nearest."""
    scale = SIZE / float((high - low).max())
    width, height = ((high - low) * scale).tolist()

    def at(points: F64) -> F64:
        return np.asarray(np.column_stack([points[:, 0] - low[0], high[1] - points[:, 1]]) * scale)

    shapes = []
    for (x, y), radius, frame, depth in zip(
        at(flat).tolist(), radii.tolist(), frames.tolist(), flat[:, 2], strict=True
    ):
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * scale:.1f}" '
        shapes.append((depth, f'{circle}fill="{_colour(int(frame))}"/>{circle}fill="url(#light)"/>'))
    for points, depth in solids:
        outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in at(_hull(points[:, :2])).tolist())
        shapes.append((depth, f'<polygon points="{outline}" fill="#8898a8" fill-opacity=".55" stroke="#556"/>'))
    shapes.sort(key=lambda shape: shape[0])
    line = ""
    if len(path):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in at(path).tolist())
        line = f'<polyline points="{places}" fill="none" stroke="#c62828" stroke-width="2"/>'
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img">'
        '<defs><radialGradient id="light" cx=".38" cy=".32" r=".75"><stop offset="0" stop-color="#fff" '
        'stop-opacity=".55"/><stop offset="1" stop-color="#000" stop-opacity=".3"/></radialGradient></defs>'
        f"{''.join(text for _, text in shapes)}{line}</svg>"
    )


def _colour(frame: int) -> str:
    """Neighbours differ: hues go round by the golden section."""
    red, green, blue = colorsys.hls_to_rgb((0.58 + 0.618034 * frame) % 1.0, 0.62, 0.42)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _hull(points: F64) -> F64:
    """The corners of the hull of points (n, 2), in order (A. M. Andrew's chains)."""
    ordered = sorted(set(map(tuple, points.tolist())))
    chains = []
    for row in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for point in row:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        chains += chain[:-1]
    return np.array(chains or ordered, float).reshape(-1, 2)


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
