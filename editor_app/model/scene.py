"""Obstacles beside a robot: a scene stands beside the robot description, in a file of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.model.near_names import free_name
from editor_app.model.origin import Vector3

Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class BoxShape:
    """Edge lengths in metres."""

    size: Vector3


@dataclass(frozen=True, slots=True)
class SphereShape:
    radius: float


@dataclass(frozen=True, slots=True)
class CylinderShape:
    """About z, its middle at the origin; metres."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class MeshShape:
    """`path`: a file, relative to the scene's folder, with its scale; or the triangles themselves (MoveIt's scenes)."""

    path: str | None = None
    scale: Vector3 = (1.0, 1.0, 1.0)
    vertices: tuple[Vector3, ...] = ()
    triangles: tuple[tuple[int, int, int], ...] = ()


Shape = BoxShape | SphereShape | CylinderShape | MeshShape


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Position in metres and unit quaternion (w, x, y, z) in the root frame of the robot.

    `may_touch`: frames of the robot that stand on it, or hold it, and are not checked against it.
    """

    name: str
    shape: Shape
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation_wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)
    may_touch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Obstacles with distinct names. `folder`: what paths of meshes are relative to."""

    obstacles: tuple[Obstacle, ...] = ()
    folder: str | None = None

    def get(self, name: str) -> Obstacle | None:
        """The obstacle of that name."""
        return next((obstacle for obstacle in self.obstacles if obstacle.name == name), None)

    def with_obstacle(self, obstacle: Obstacle) -> Scene:
        """Replaces the obstacle of the same name, or appends it."""
        if self.get(obstacle.name) is None:
            return replace(self, obstacles=(*self.obstacles, obstacle))
        return replace(self, obstacles=tuple(obstacle if o.name == obstacle.name else o for o in self.obstacles))

    def without(self, name: str) -> Scene:
        return replace(self, obstacles=tuple(o for o in self.obstacles if o.name != name))

    def free_name(self, wish: str) -> str:
        """`wish`, or with the first number from 2 on that is free."""
        return free_name(wish, {obstacle.name for obstacle in self.obstacles})


EMPTY_SCENE = Scene()
