"""Obstacles beside a robot: a scene stands beside the robot description, in a file of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import Vector3
from editor_app.core.model.urdf import Ball, Box, Cylinder

Quaternion = tuple[float, float, float, float]
#: Metres by which a link moves, and may still touch what it touches at the start, if nothing else
#: is said.
TOUCH_DISTANCE = 0.05


#: A body of a scene is one of a URDF, metres; a cylinder is about z, its middle at the origin.
BoxShape = Box
SphereShape = Ball
CylinderShape = Cylinder


@dataclass(frozen=True, slots=True)
class MeshShape:
    """`path`: a file, relative to the scene's folder, with its scale; or the triangles themselves
    (MoveIt's scenes)."""

    path: str | None = None
    scale: Vector3 = (1.0, 1.0, 1.0)
    vertices: tuple[Vector3, ...] = ()
    triangles: tuple[tuple[int, int, int], ...] = ()


Shape = BoxShape | SphereShape | CylinderShape | MeshShape


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Position in metres and unit quaternion (w, x, y, z) in the root frame of the robot.

    Frames of the robot that are not checked against it: `may_touch` on the whole way, since they
    stand on it or hold it; `may_touch_at_start` until they have moved by `touch_distance` (metres)
    from where a motion starts, and `may_touch_at_end` from where they are so near to where it ends.
    A pose alone is no motion.
    """

    name: str
    shape: Shape
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation_wxyz: Quaternion = (1.0, 0.0, 0.0, 0.0)
    may_touch: tuple[str, ...] = ()
    may_touch_at_start: tuple[str, ...] = ()
    may_touch_at_end: tuple[str, ...] = ()
    touch_distance: float = TOUCH_DISTANCE

    def __reduce__(self) -> tuple[type[Obstacle], tuple[object, ...]]:
        # Scenes of thousands go to worker processes: the way of dataclasses with slots takes three
        # times as long.
        sides = self.may_touch_at_start, self.may_touch_at_end
        return Obstacle, (
            self.name,
            self.shape,
            self.position,
            self.orientation_wxyz,
            self.may_touch,
            *sides,
            self.touch_distance,
        )

    @property
    def contacts(self) -> tuple[object, ...]:
        """The links that may touch the obstacle, and for how long."""
        return self.may_touch, self.may_touch_at_start, self.may_touch_at_end, self.touch_distance

    @property
    def is_touched(self) -> bool:
        """True if any link may touch it at any time."""
        return bool(self.may_touch or self.may_touch_at_start or self.may_touch_at_end)


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
        return replace(
            self,
            obstacles=tuple(obstacle if o.name == obstacle.name else o for o in self.obstacles),
        )

    def without(self, name: str) -> Scene:
        return replace(self, obstacles=tuple(o for o in self.obstacles if o.name != name))

    def free_name(self, wish: str) -> str:
        """`wish`, or with the first number from 2 on that is free."""
        return find_free_name(wish, {obstacle.name for obstacle in self.obstacles})


EMPTY_SCENE = Scene()
