"""Links that touch obstacles at one pose, updated during a drag: milliseconds each, in any
thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import Scene
from editor_app.plugins.motion.engine import warmup
from editor_app.plugins.motion.engine.model import MotionModel, with_obstacles, with_obstacles_moved
from editor_app.plugins.motion.verbs.collide import motion_model_of


@dataclass(frozen=True, slots=True)
class Touching:
    """`touches`: (frame, obstacle, depth in metres) each, deepest first.

    `balls` (n, 4): centre in the root's frame and radius of the deepest sphere of each frame that
    touches.
    """

    touches: tuple[tuple[str, str, float], ...]
    balls: F64


UNTOUCHED = Touching((), np.zeros((0, 4)))


class ObstacleTouches:
    """Not for several threads at once. `load` first, in a thread: else the first look compiles or
    loads."""

    def __init__(self) -> None:
        self._model: MotionModel | None = None

    @staticmethod
    def load() -> None:
        """Loads the compiled code into this process."""
        warmup.load_kernels()

    def forget(self) -> None:
        """The robot is another."""
        self._model = None

    def look(self, robot: RobotDescription, scene: Scene, pose: Mapping[str, float]) -> Touching:
        """Return the contacts; if obstacles only moved, nothing else is rebuilt. Raises
        SceneError."""
        if not scene.obstacles:
            return UNTOUCHED
        old, self._model = self._model, None
        if old is None:
            model = motion_model_of(robot, scene)
        elif old.scene is scene:
            model = old
        else:
            model = with_obstacles_moved(old, scene) or with_obstacles(old, scene)
        self._model = model
        rows = np.arange(len(model.spheres.pairs), model.row_count)
        spots, gaps = model.row_clearances(model.values(pose)[None], 0.0, rows)
        order = np.argsort(gaps, kind="stable").tolist()
        touches = tuple((*model.names(int(spots[k, 1])), -float(gaps[k])) for k in order)
        return Touching(touches, model.balls(spots[:, 2]))
