"""Puts motion into a window: its panel, its actions, the files that it takes when they are
dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from editor_app.core.document.beside import Beside, scene_beside
from editor_app.core.document.commands.fitted_spheres import DetachObject, added_frame
from editor_app.core.document.replacing import SaveError
from editor_app.core.formats.trajectories import SUFFIXES, TrajectoryFormat, read_trajectory
from editor_app.core.model.counting import format_count
from editor_app.core.model.scene import Obstacle
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.kinematics.transforms import fixed_transform_matrix, matrix_to_quaternion
from editor_app.core.tasks.task import Task
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.pairing import is_scene, is_trajectory
from editor_app.plugins.motion.verbs.attached_object import NAME, AttachedObject, grasp
from editor_app.plugins.motion.window import in_view, scene_box
from editor_app.plugins.motion.window import panel as panels
from editor_app.plugins.motion.window.actions import MOTION, RULES
from editor_app.plugins.motion.window.closed_intervals import ClosedIntervalsAction
from editor_app.plugins.motion.window.controller import MotionController
from editor_app.plugins.motion.window.obstacles_shown import ObstaclesShown
from editor_app.plugins.motion.window.player import FilmExport, why_not
from editor_app.window import dialogs
from editor_app.window.docks.docks import DockSpec
from editor_app.window.jobs import JobSlot
from editor_app.window.reaching import Put
from editor_app.window.viewport import view
from editor_app.window.widgets import Counter, no_mnemonic, plain_text
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

DOCK = "motion"
#: Pixels that the timeline needs to be of use.
LEAST_HEIGHT = 230
KINDS = f"Trajectories and poses ({' '.join('*' + suffix for suffix in SUFFIXES)});;All files (*)"


class MotionTools(WindowPart):
    """One per window."""

    name = "motion"
    order = 20

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.controller = MotionController(
            workbench.session, workbench.jobs, workbench.settings, self
        )
        self.shown = ObstaclesShown(self.controller, workbench.jobs, self)
        self.grasping = Grasping(workbench, self.controller, lambda: self.shown.chosen, self)
        self.film: FilmExport | None = None
        self.goals = QMenu(workbench.qt_window)
        self.goals.aboutToShow.connect(self._fill_goals)
        self.forms = QMenu(workbench.qt_window)
        for kind in TrajectoryFormat:
            self.forms.addAction(f"{kind.value} (*{kind.suffix})…", partial(self.save_as, kind))
        tip = "List the links that touch an obstacle at this pose"
        self.counter = Counter(tip, self._show_scene)
        workbench.status.add_counter(self.counter)
        self.shown.touches_changed.connect(self._tell_touches)
        self.controller.scene_changed.connect(self._tell_touches)
        workbench.viewport_ready.connect(self._on_viewport)
        player = self.controller.player
        for signal in (
            player.trajectory_changed,
            self.controller.busy_changed,
            self.shown.chosen_changed,
        ):
            signal.connect(workbench.registry.refresh_later)
        workbench.files.beside_savers += [self._save_unsaved_scene, self._save_unsaved_motion]
        workbench.files.beside_names.append(self._name_unsaved_motion)
        workbench.registry.add(MOTION, self, rules=RULES)
        workbench.menus.letters["Motion"] = "Mo&tion"
        tip = "Play trajectories, check their clearance, plan motions around obstacles"
        workbench.docks.register(
            DockSpec(DOCK, "Motion", "path", "bottom", self._make_panel, 35, tip, module=panels)
        )
        self.closed_intervals = ClosedIntervalsAction(workbench)

    def _make_panel(self) -> QWidget:
        return panels.MotionPanel(
            self.controller, self.shown, self.save_scene, self._workbench.registry
        )

    def show_panel(self) -> panels.MotionPanel:
        """Brings the panel to the front."""
        return cast("panels.MotionPanel", self._workbench.docks.show(DOCK, LEAST_HEIGHT))

    @staticmethod
    def file_use(path: Path) -> str | None:
        """Return the use of a trajectory or a scene, which belong to the robot that is open."""
        if is_scene(path):
            return "show the obstacles of"
        return "play" if is_trajectory(path) else None

    def open_path(self, path: Path) -> None:
        """Opens a trajectory or a scene for the robot that is open; refused without one."""
        if not self._workbench.session.has_robot:
            self._workbench.session.refused.emit(
                f"{path.name} needs a robot. Open the robot first."
            )
        elif is_scene(path):
            self._show_scene().open_scene(path)
        else:
            self.open_trajectory(path)

    def _show_scene(self) -> scene_box.SceneBox:
        panel = self.show_panel()
        panel.tabs.setCurrentWidget(panel.scene)
        return panel.scene

    def _tell_touches(self, *_: object) -> None:
        links = {link for link, _, _ in self.shown.touches}
        names = {name for _, name, _ in self.shown.touches}
        self.counter.setVisible(self.shown.is_known and bool(self.controller.scene.obstacles))
        subject = (
            f"{len(links)} link collides" if len(links) == 1 else f"{len(links)} links collide"
        )
        place = "an obstacle" if len(names) == 1 else f"{len(names)} obstacles"
        text = f"{subject} with {place}" if links else "No obstacle touched"
        self.counter.tell(text, "cube", is_bad=bool(links))

    def stop(self) -> None:
        """The window closes: nothing is begun any more. May be called twice."""
        if self.film is not None:
            self.film.cancel()
        self.shown.stop()
        self.controller.stop()

    # -- actions

    def try_tool(self) -> None:
        self._try_put(self.controller.try_tool)

    def try_straight(self) -> None:
        self._try_put(self.controller.try_straight)

    def _try_put(self, try_it: Callable[[Put], None]) -> None:
        reaching = self._workbench.session.reaching
        if reaching.put is not None:
            reaching.end_series()
            self.show_panel()
            try_it(reaching.put)

    def open_trajectory(self, path: Path) -> None:
        """Shows and measures the trajectory of a file; a file that is none is told."""
        self.show_panel()
        name, read = f"Reading {path.name}", lambda report: read_trajectory(path)
        take = self.controller.set_trajectory
        self._workbench.jobs.run(name, read, take, on_error=self._refuse, in_thread=True)

    def _refuse(self, error: object) -> None:
        exception = getattr(error, "exception", None)
        text = (
            str(exception)
            if isinstance(exception, FormatError)
            else getattr(error, "message", str(error))
        )
        dialogs.show_error(self._workbench.qt_window, "Cannot open the trajectory", text)

    def ask_trajectory(self) -> None:
        path = dialogs.choose_file(self._workbench.qt_window, "Open a trajectory", "", KINDS)
        if path:
            self.open_trajectory(Path(path))

    def save(self) -> None:
        """Asks for the form of the file, below the button."""
        self._popup(self.forms, "motion.save")

    def save_as(self, kind: TrajectoryFormat) -> bool:
        """Asks for a file and writes the motion; False when that was given up, or while times are
        looked for."""
        trajectory = self.controller.player.trajectory
        proposal, kinds = f"motion{kind.suffix}", f"{kind.value} (*{kind.suffix})"
        path = dialogs.save_target(
            self._workbench.qt_window, "Save the motion", proposal, kinds, kind.suffix
        )
        if trajectory is None or path is None:
            return False
        try:
            return self.controller.save_motion(path, trajectory, kind)
        except (OSError, SaveError, ValueError) as error:
            dialogs.show_error(self._workbench.qt_window, "Cannot save the motion", str(error))
            return False

    def _popup(self, menu: QMenu, action_id: str) -> None:
        """Below the button of an action in the panel, or where the mouse is."""
        panel, action = self.show_panel(), self._workbench.registry[action_id]
        button = next(
            (b for b in panel.findChildren(QToolButton) if b.defaultAction() is action), None
        )
        below = button if button is not None and button.isVisible() else None
        menu.popup(
            below.mapToGlobal(below.rect().bottomLeft()) if below is not None else QCursor.pos()
        )

    def report(self) -> None:
        """Asks for a file and writes the report of the motion to it."""
        kinds = "Page (*.html);;JSON (*.json)"
        path = dialogs.save_target(
            self._workbench.qt_window, "Save a report", "motion.html", kinds, ".html"
        )
        if path is not None:
            self.controller.report_motion(path)

    def save_scene(self) -> bool:
        """Asks for a file and writes the scene; False when that was given up."""
        kinds = "Scene (*.yaml);;cuRobo world (*.curobo.yml);;MoveIt scene (*.scene)"
        urdf = self._workbench.session_path()
        name = scene_beside(urdf).name if urdf is not None else "scene.yaml"
        path = dialogs.choose_save_file(self._workbench.qt_window, "Save the scene", name, kinds)
        if not path:
            return False
        try:
            self.controller.save_scene(Path(path))
        except (OSError, SaveError) as error:
            dialogs.show_error(self._workbench.qt_window, "Cannot save the scene", str(error))
            return False
        return True

    def _save_unsaved_scene(self) -> bool:
        return (
            not self.controller.session.document.unsaved_beside.scene.obstacles or self.save_scene()
        )

    def _save_unsaved_motion(self) -> bool:
        poses = self.controller.session.document.unsaved_beside.motion
        return not (poses or self.controller.unsaved_motion) or self.save_as(TrajectoryFormat.CSV)

    def _name_unsaved_motion(self) -> str:
        motion = self.controller.unsaved_motion
        return (
            "" if motion is None else f"the computed motion ({format_count(len(motion), 'point')})"
        )

    def try_random(self) -> None:
        self.show_panel()
        self.controller.try_motion(None)

    def smoke(self) -> None:
        self.show_panel()
        self.controller.smoke_test()

    def ask_goal(self) -> None:
        self._fill_goals()
        self._popup(self.goals, "motion.to")

    def _fill_goals(self) -> None:
        self.goals.clear()
        controller = self.controller
        if not self._workbench.session.has_robot:
            return
        self.goals.addAction("A random free pose", lambda: controller.try_motion(None))
        put = self.goals.addAction("The tool target", self.try_tool)
        put.setEnabled(self._workbench.session.reaching.put is not None)
        # By the names that they have in the list beside the sliders.
        for entry in self._workbench.poses.entries():
            goal = Trajectory.of_pose(entry.pose, entry.name)
            self.goals.addAction(
                no_mnemonic(plain_text(entry.text)), partial(controller.try_motion, goal)
            )
        # The poses of a motion through stored poses are in the list.
        trajectory = (
            controller.player.trajectory if not self._workbench.session.beside.motion else None
        )
        # Points of a motion with times stand too close to be goals of their own.
        most = 30 if trajectory is None or trajectory.times is None or len(trajectory) <= 30 else 0
        for index in range(min(len(trajectory), most) if trajectory is not None else 0):
            assert trajectory is not None
            goal = trajectory.only(index)
            text = plain_text(f"Pose {trajectory.label(index)}")
            self.goals.addAction(no_mnemonic(text), partial(controller.try_motion, goal))

    def export(self) -> None:
        workbench = self._workbench
        path = dialogs.choose_save_file(
            workbench.qt_window, "Save a film", "motion.gif", "GIF (*.gif);;MP4 (*.mp4)"
        )
        if not path or workbench.viewport is None:
            return
        reason = why_not(Path(path))
        if reason is not None:
            dialogs.show_error(workbench.qt_window, "Cannot write the film", reason)
            return
        self.export_film(Path(path))

    def export_film(self, path: Path) -> FilmExport:
        """Begins to write a film; `ended` of the result tells how it went."""
        viewport = self._workbench.viewport
        assert viewport is not None
        film = self.film = FilmExport(self.controller.player, viewport.canvas.picture, path, self)
        film.progressed.connect(
            lambda share: self._workbench.session.message.emit(f"Film: {share * 100:.0f} %")
        )
        film.ended.connect(lambda text: self._film_ended(path, text))
        film.start()
        self._workbench.registry.refresh_later()
        return film

    def _film_ended(self, path: Path, text: str) -> None:
        self.film = None
        self._workbench.session.message.emit(text or f"{path.name} written.")
        self._workbench.registry.refresh_later()

    def _on_viewport(self, viewport: view.Viewport) -> None:
        self.shown.set_view(viewport)
        in_view.RobotInView(self.controller.player, viewport.scene, self)


class Grasping(QObject):
    """One per window. Both are one step, of the robot and of the scene."""

    def __init__(
        self,
        workbench: Workbench,
        controller: MotionController,
        chosen: Callable[[], str],
        parent: QObject,
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
            return "Fitting spheres to the grasped object."
        if self._controller.scene.get(self._chosen()) is None:
            return "Select an obstacle in the scene first."
        if added_frame(robot, NAME) is not None:
            return "The robot already holds an object. Release it first."
        return None if self._tool() is not None else "The XRDF has no tool frame to hold it."

    def no_release(self) -> str | None:
        holds = added_frame(self._session.robot, NAME) is not None
        return None if holds else "The robot holds nothing."

    def grasp(self) -> None:
        """Fits spheres to the chosen obstacle, at the place where it is to the first tool frame."""
        session, scene = self._session, self._controller.scene
        robot, tool, obstacle = session.robot, self._tool(), scene.get(self._chosen())
        if tool is None or obstacle is None:
            return
        job = Task(grasp, robot, obstacle, tool, session.pose, scene.folder)

        def take(attached: AttachedObject) -> None:
            beside: Beside = replace(
                session.beside, scene=self._controller.scene.without(obstacle.name)
            )
            if session.execute(attached.change, beside=beside):
                self._held = obstacle
                holding = ", ".join(attached.holding)
                spheres = format_count(len(attached.spheres), "sphere")
                session.noticed.emit(
                    f"{tool} holds {obstacle.name}: {spheres}, not checked against {holding}."
                )

        self._fitting.run(
            f"Fitting {obstacle.name}",
            job,
            take,
            failed=lambda error: session.refused.emit(error.message),
            about=lambda: (session.robot, self._controller.scene) == (robot, scene),
            stale=lambda: session.refused.emit(
                "Nothing was grasped, because robot or scene changed. Try again."
            ),
        )

    def release(self) -> None:
        """Takes the frame away, and puts the obstacle into the scene, where it is at this pose."""
        session, scene = self._session, self._controller.scene
        robot, tree = session.robot, session.tree
        frame = added_frame(robot, NAME)
        if frame is None:
            return
        told = "The held object is unknown, so no obstacle was restored."
        if self._held is not None and frame.parent_frame_name in tree.index:
            world = session.transforms[tree.index[frame.parent_frame_name]]
            place = world @ fixed_transform_matrix(frame.fixed_transform)
            x, y, z = place[:3, 3].tolist()
            name = scene.free_name(self._held.name)
            turn = matrix_to_quaternion(place[:3, :3])
            scene = scene.with_obstacle(
                replace(self._held, name=name, position=(x, y, z), orientation_wxyz=turn)
            )
            told = f"{name} is an obstacle again."
        if session.execute(DetachObject(NAME), beside=replace(session.beside, scene=scene)):
            session.noticed.emit(told)

    def _tool(self) -> str | None:
        robot, tree = self._session.robot, self._session.tree
        tools = robot.xrdf.tool_frames or ()
        return next((tool for tool in tools if tool in tree.index), None)


PART = MotionTools
