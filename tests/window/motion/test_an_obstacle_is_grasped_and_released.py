"""Grasp and release in the window: one step each, of robot and scene; what is held goes along, and
is planned with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.document.commands.fitted_spheres import added_frame
from editor_app.core.model.scene import BoxShape, Obstacle, Scene
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.plugins.motion.window.panel import MotionPanel
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_window, settle, wait_until


def test_a_box_is_held_by_the_tool_and_comes_back_where_it_is(tmp_path: Path, qapp: Any) -> None:
    with open_window(tmp_path, copy_of_sample(tmp_path / "sample")) as window:
        session, registry = window.session, window.registry
        panel = window.docks.show("motion")
        assert isinstance(panel, MotionPanel)
        tool = (session.robot.xrdf.tool_frames or ())[0]
        at_tool = session.transforms[session.tree.index[tool]][:3, 3]
        x, y, z = (at_tool + (0.0, 0.0, 0.05)).tolist()
        box = Obstacle("box", BoxShape((0.03, 0.03, 0.03)), (x, y, z))
        assert registry["motion.grasp"].toolTip() != ""
        window.motion.controller.set_scene(Scene((box,)))
        panel.scene.choose(0)
        settle(window)
        steps = len(session.document.history)  # type: ignore[union-attr]
        registry.trigger("motion.grasp")
        wait_until(
            lambda: session.has_robot and added_frame(session.robot, "attached_object") is not None
        )
        assert len(session.document.history) == steps + 1  # type: ignore[union-attr]
        assert window.motion.controller.scene == Scene()
        settle(window)
        # It goes along with the tool.
        session.set_pose({**session.pose, "base_yaw_joint": 0.7})  # type: ignore[arg-type]
        settle(window)
        registry.trigger("motion.release")
        (released,) = window.motion.controller.scene.obstacles
        world = compute_forward(session.tree, session.pose)
        moved = np.array(released.position) - world[session.tree.index[tool]][:3, 3]
        assert np.linalg.norm(moved) - 0.05 < 1e-6
        assert released.shape == box.shape
        session.undo()
        session.undo()
        assert window.motion.controller.scene == Scene((box,))
