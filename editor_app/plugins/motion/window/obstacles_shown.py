"""Obstacles in the 3D view, and the spheres that touch them at the present pose, which glow as
overlaps do."""

from __future__ import annotations

from functools import cache

import numpy as np
from PySide6.QtCore import QObject, Signal

from editor_app.core.arrays import F64
from editor_app.core.document.selection import NOTHING
from editor_app.core.model.scene import MeshShape, Obstacle, Scene, Shape
from editor_app.core.model.urdf import Ball, Box, Cylinder, Geometry
from editor_app.core.space.geometry.mesh import build_primitive, merge_parts
from editor_app.plugins.motion.engine.obstacles import SceneError, obstacle_mesh, obstacle_poses
from editor_app.plugins.motion.verbs.motion_jobs import compile_motion
from editor_app.plugins.motion.verbs.obstacle_touches import UNTOUCHED, ObstacleTouches, Touching
from editor_app.plugins.motion.window import in_view
from editor_app.plugins.motion.window.controller import MotionController
from editor_app.window.jobs import CompiledCode, Jobs
from editor_app.window.timers import after
from editor_app.window.viewport import gizmo, view
from editor_app.window.viewport.layers import obstacles as layer
from editor_app.window.viewport.palette import scene_colours

_GLOW = "obstacle contacts"
#: Corners of a circle where many obstacles are drawn.
COARSE = 8


class ObstaclesShown(QObject):
    """Asleep until there is an obstacle: then the kernels are compiled and loaded in the
    background."""

    #: The obstacle that has the handles is another: its name.
    taken_changed = Signal(str)
    #: As `chosen`.
    chosen_changed = Signal(str)
    #: What touches at the present pose: (frame, obstacle, depth in metres) each, deepest first.
    touches_changed = Signal(tuple)

    def __init__(
        self, controller: MotionController, jobs: Jobs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._code = CompiledCode(
            jobs, "motion", compile_motion, lambda _: ObstacleTouches.load(), self._on_code
        )
        self._view: view.Viewport | None = None
        #: The scene has a mesh that cannot be read.
        self._failed = False
        self._at_pose = ObstacleTouches()
        #: The obstacle that is drawn in the accent colour, "" for none.
        self.chosen = ""
        #: The obstacle that has the handles, "" for none; then what is drawn, by name.
        self.taken = ""
        self._drawn: dict[str, tuple[Obstacle, layer.DrawnSurface]] = {}
        self._drawn_as: tuple[bool, str | None] = False, None
        self.touches: tuple[tuple[str, str, float], ...] = ()
        self._timer = after(self, self._look)
        session = controller.session
        controller.scene_changed.connect(self._on_scene)
        session.pose_changed.connect(self._later)
        session.robot_settled.connect(self._on_robot)
        session.selection_changed.connect(lambda selection: self.take("") if selection else None)

    @property
    def is_known(self) -> bool:
        """True if `touches` says something about the present pose."""
        return self._code.state == "ready" and not self._failed

    def set_view(self, view: view.Viewport) -> None:
        self._view = view
        view.scene.grips.insert(0, self._grip)
        view.before_frame.append(self._look_if_due)
        view.interaction.obstacle_taken.connect(self.take)
        self._draw()

    def take(self, name: str) -> None:
        """Gives the handles to an obstacle, or takes them away (""); nothing of the robot is
        selected then."""
        if self._controller.scene.get(name) is None:
            name = ""
        if name:
            self._controller.session.select(NOTHING)
        if name != self.taken:
            self.taken = name
            if name:
                self.choose(name)
            if self._view is not None:
                self._view.scene.place_gizmo()
            self.taken_changed.emit(name)

    def _grip(self) -> gizmo.Grip | None:
        if self._view is None or not self.taken:
            return None
        return in_view.grip_of(self._controller, self._view, self.taken)

    def stop(self) -> None:
        self._code.stop()
        self._timer.stop()

    def choose(self, name: str) -> None:
        """The obstacle that is drawn in the accent colour."""
        self.chosen = name
        self._mark()
        self.chosen_changed.emit(name)

    # -- following

    def _on_scene(self, scene: Scene) -> None:
        if scene.obstacles and self._code.state == "asleep":
            self._code.wake()
        self._draw()
        if self.taken and scene.get(self.taken) is None:
            self.take("")
        elif self.taken and self._view is not None:
            self._view.scene.place_gizmo()
        self._later()

    def _on_code(self) -> None:
        if self._code.state == "ready":
            self._look()
            self.touches_changed.emit(self.touches)
        elif self._code.state == "failed":
            self._controller.session.message.emit(
                f"Contacts with obstacles are not available: {self._code.trouble}"
            )

    def _on_robot(self, *_: object) -> None:
        self._at_pose.forget()
        self._later()

    def _later(self, *_: object) -> None:
        if self._code.state == "ready" and (self._controller.scene.obstacles or self.touches):
            self._timer.start()

    def _look_if_due(self) -> None:
        if self._timer.isActive():
            self._look()

    def _look(self) -> None:
        self._timer.stop()
        robot, scene = self._controller.session.robot, self._controller.scene
        if self._code.state != "ready":
            return
        if not self._controller.session.has_robot:
            self._tell(UNTOUCHED)
            return
        failed, self._failed = self._failed, False
        try:
            touching = self._at_pose.look(robot, scene, self._controller.session.pose)
        except SceneError as error:
            self._controller.session.message.emit(str(error))
            touching, self._failed = UNTOUCHED, True
        self._tell(touching)
        if self._failed is not failed:
            self.touches_changed.emit(self.touches)

    def _tell(self, touching: Touching) -> None:
        if self._view is not None:
            self._view.overlay.set_glow(_GLOW, touching.balls, (*scene_colours().error, 0.62))
        if touching.touches != self.touches:
            self.touches = touching.touches
            self._mark()
            self.touches_changed.emit(self.touches)

    # -- drawing

    def _mark(self) -> None:
        if self._view is not None:
            self._view.scene.obstacles.mark(
                self.chosen, frozenset(name for _, name, _ in self.touches)
            )
            self._view.scene.redraw()

    def _draw(self) -> None:
        if self._view is None:
            return
        scene, old = self._controller.scene, self._drawn
        # Where there are many, they share the surfaces of their kinds, and are drawn coarsely.
        is_coarse = len(scene.obstacles) > layer.MANY
        if (is_coarse, scene.folder) != self._drawn_as:
            old, self._drawn_as = {}, (is_coarse, scene.folder)
        drawn: dict[str, tuple[Obstacle, layer.DrawnSurface]] = {}
        fresh: list[Obstacle] = []
        for obstacle in scene.obstacles:
            entry = old.get(obstacle.name)
            if entry is not None and entry[0] is obstacle:
                drawn[obstacle.name] = entry
            else:
                fresh.append(obstacle)
        drawn |= self._newly_drawn(fresh, old, is_coarse)
        self._drawn = drawn
        self._view.scene.show_obstacles({name: shown for name, (_, shown) in drawn.items()})
        self._mark()

    def _newly_drawn(
        self,
        obstacles: list[Obstacle],
        old: dict[str, tuple[Obstacle, layer.DrawnSurface]],
        is_coarse: bool,
    ) -> dict[str, tuple[Obstacle, layer.DrawnSurface]]:
        drawn = {}
        scene = self._controller.scene
        try:
            poses = obstacle_poses(obstacles)
        except SceneError as error:
            if len(obstacles) > 1:
                each = [self._newly_drawn([obstacle], old, is_coarse) for obstacle in obstacles]
                return {name: entry for entries in each for name, entry in entries.items()}
            self._controller.session.message.emit(str(error))
            return {}
        for obstacle, pose in zip(obstacles, poses, strict=True):
            before = old.get(obstacle.name)
            try:
                if before is not None and before[0].shape is obstacle.shape:
                    shown = before[1]._replace(pose=pose)
                elif is_coarse and not isinstance(obstacle.shape, MeshShape):
                    shown = layer.DrawnSurface(
                        _coarse(_ONES[type(obstacle.shape)]), pose, _stretched(obstacle.shape)
                    )
                else:
                    shown = layer.DrawnSurface(obstacle_mesh(obstacle, scene), pose)
            except (SceneError, ValueError) as error:
                self._controller.session.message.emit(str(error))
                continue
            drawn[obstacle.name] = obstacle, shown
        return drawn


#: A box, ball and cylinder with a size, radius and length of 1.
_ONES: dict[type[Geometry], Geometry] = {
    Box: Box((1.0,) * 3),
    Ball: Ball(1.0),
    Cylinder: Cylinder(1.0, 1.0),
}


@cache
def _coarse(shape: Geometry) -> layer.Surface:
    return merge_parts(build_primitive(shape, COARSE).parts)


def _stretched(shape: Shape) -> F64:
    match shape:
        case Ball(radius):
            return np.full(3, radius)
        case Cylinder(radius, length):
            return np.array([radius, radius, length])
        case Box(size):
            return np.array(size)
    return np.ones(3)
