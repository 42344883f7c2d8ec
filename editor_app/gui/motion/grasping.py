"""Grasp and release: an obstacle of the scene becomes a frame of the XRDF with spheres, and an obstacle again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from editor_app.edit.beside import Beside
from editor_app.edit.commands.attached_objects import DetachObject, added_frame
from editor_app.gui.jobs import JobSlot
from editor_app.gui.motion.controller import MotionController
from editor_app.gui.workbench import Workbench
from editor_app.kinematics.transforms import fixed_transform_matrix, matrix_to_quaternion
from editor_app.model.counting import counted
from editor_app.model.scene import Obstacle
from editor_app.operations.attached_object import NAME, AttachedObject, GraspJob


class Grasping(QObject):
    """One per window. Both are one step, of the robot and of the scene."""

    def __init__(
        self, workbench: Workbench, controller: MotionController, chosen: Callable[[], str], parent: QObject
    ) -> None:
        """`chosen`: the name of the obstacle that is chosen, "" for none."""
        super().__init__(parent)
        self._session = workbench.session
        self._controller = controller
        self._chosen = chosen
        self._fitting = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        #: What is held, as it was in the scene.
        self._held: Obstacle | None = None

    def no_grasp(self) -> str | None:
        """Why nothing can be grasped; None where it can."""
        robot = self._session.robot
        if self._fitting.is_running:
            return "Spheres are being fitted to what is grasped."
        if self._controller.scene.get(self._chosen()) is None:
            return "Choose an obstacle in the scene first."
        if robot is not None and added_frame(robot, NAME) is not None:
            return "The robot holds something already: release it first."
        return None if self._tool() is not None else "The XRDF names no tool frame that could hold it."

    def no_release(self) -> str | None:
        robot = self._session.robot
        holds = robot is not None and added_frame(robot, NAME) is not None
        return None if holds else "The robot holds nothing."

    def grasp(self) -> None:
        """Fits spheres to the chosen obstacle, at the place where it is to the first tool frame."""
        session, scene = self._session, self._controller.scene
        robot, tool, obstacle = session.robot, self._tool(), scene.get(self._chosen())
        if robot is None or tool is None or obstacle is None:
            return
        job = GraspJob(robot, obstacle, tool, session.pose, scene.folder)

        def take(attached: AttachedObject) -> None:
            beside: Beside = replace(session.beside, scene=self._controller.scene.without(obstacle.name))
            if session.execute(attached.change, beside=beside):
                self._held = obstacle
                holding = ", ".join(attached.holding)
                spheres = counted(len(attached.spheres), "sphere")
                session.noticed.emit(f"{tool} holds {obstacle.name}: {spheres}, not checked against {holding}.")

        self._fitting.run(
            f"Fitting {obstacle.name}",
            job,
            take,
            failed=lambda error: session.refused.emit(error.message),
            about=lambda: (session.robot, self._controller.scene) == (robot, scene),
            stale=lambda: session.refused.emit("The robot or the scene was changed meanwhile: grasp it again."),
        )

    def release(self) -> None:
        """Takes the frame away, and puts the obstacle into the scene, where it is at this pose."""
        session, scene = self._session, self._controller.scene
        robot, tree = session.robot, session.tree
        frame = None if robot is None else added_frame(robot, NAME)
        if frame is None or tree is None:
            return
        told = "What was held is not known any more, so no obstacle comes back."
        if self._held is not None and frame.parent_frame_name in tree.index:
            world = session.transforms[tree.index[frame.parent_frame_name]]
            place = world @ fixed_transform_matrix(frame.fixed_transform)
            x, y, z = place[:3, 3].tolist()
            name = scene.free_name(self._held.name)
            turn = matrix_to_quaternion(place[:3, :3])
            scene = scene.with_obstacle(replace(self._held, name=name, position=(x, y, z), orientation_wxyz=turn))
            told = f"{name} is an obstacle again."
        if session.execute(DetachObject(NAME), beside=replace(session.beside, scene=scene)):
            session.noticed.emit(told)

    def _tool(self) -> str | None:
        robot, tree = self._session.robot, self._session.tree
        tools = (robot.xrdf.tool_frames or ()) if robot is not None else ()
        return next((tool for tool in tools if tree is not None and tool in tree.index), None)
