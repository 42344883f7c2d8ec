"""State of motion in the window: trajectory and its clearances, scene, results of the planner; runs
the jobs."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.beside import Beside
from editor_app.core.document.document import Document
from editor_app.core.document.replacing import SaveError
from editor_app.core.document.writing import write_files
from editor_app.core.formats.scenes import SceneFormat, read_scene, scene_text
from editor_app.core.formats.trajectories import TrajectoryFormat, trajectory_text
from editor_app.core.model.coercion import MisfitError
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.work import PlacedRobot, locate_robot
from editor_app.core.tasks.worker import JobError
from editor_app.plugins.motion.engine.results import (
    NO_MASK,
    NOTHING_KEPT,
    KeepAway,
    PlannerSettings,
    told_missed,
)
from editor_app.plugins.motion.verbs import motion_jobs, plan, straight, times
from editor_app.plugins.motion.verbs.collide import Collided
from editor_app.plugins.motion.window.player import Player
from editor_app.plugins.motion.window.plot import PlotPoint
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.reaching import LAST, Put
from editor_app.window.session import Session
from editor_app.window.settings import Settings, read_json
from editor_app.window.timers import Wait, after

#: Results of the smoke test that are kept for comparison.
KEPT = 6
#: Setting of the distances that motions keep.
_KEPT = "motion/keep_away"
#: Points of a motion that become stored poses when one is added to it.
MOST_TAKEN = 100


def _told_fast(collided: Collided) -> str:
    """What is faster than its limit, after the verdict; "" for nothing."""
    if not collided.too_fast:
        return ""
    more = len(collided.too_fast) - 1
    return f" Too fast: {collided.too_fast[0].sentence}{f'; and {more} more' if more else ''}."


class MotionController(QObject):
    """One per window. Results say whether they are about the present robot and scene."""

    #: Clearances came, went, or became old.
    measured = Signal()
    scene_changed = Signal(object)
    #: A smoke test, a cost, or a plan came; the sentence about it.
    result_came = Signal(str)
    busy_changed = Signal()

    def __init__(
        self, session: Session, jobs: Jobs, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._jobs = jobs
        self._settings = settings
        self.player = Player(session, self)
        self.scene: Scene = EMPTY_SCENE
        #: The motion that is shown, where a plan made it.
        self._planned: Trajectory | None = None
        #: The URDF of the open robot.
        self._urdf: Path | None = None
        #: The last motion that a plan or new times made, until it is saved.
        self._computed: Trajectory | None = None
        #: The motion through stored poses.
        self._through: Trajectory | None = None
        self.collided: Collided | None = None
        #: The robot and scene that `collided` is about.
        self._asked: tuple[RobotDescription, Scene, Trajectory] | None = None
        self._profile: tuple[tuple[int, float, float], ...] = ()
        self.tests: list[tuple[plan.SmokeTest, str]] = []
        self._slots: dict[str, JobSlot] = {}
        self._seed = 0
        # A drag changes the robot many times a second; a cancelled job costs a process.
        self._later = after(self, self.measure, Wait.MOTION)
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(self._on_robot)
        session.beside_changed.connect(self._on_beside)

    def stop(self) -> None:
        """The window closes: nothing is begun any more."""
        self.player.pause()
        self._later.stop()

    @property
    def is_busy(self) -> bool:
        return any(slot.is_running for slot in self._slots.values())

    # -- trajectory

    def set_trajectory(self, trajectory: Trajectory | None) -> None:
        """Shows a motion in the place of one through stored poses; that is a step then, which undo
        takes back."""
        label = "Clear motion" if trajectory is None else "Replace motion"
        self.session.set_beside(replace(self.session.beside, motion=()), label)
        self._show(trajectory)

    def _show(self, trajectory: Trajectory | None, *, at_end: bool = False) -> None:
        self.collided = None
        self.player.set_trajectory(trajectory)
        self.measured.emit()
        if trajectory is None:
            self._later.stop()
        else:
            self.player.seek(self.player.duration if at_end else 0.0)
            self.measure()

    @property
    def unsaved_motion(self) -> Trajectory | None:
        """The motion that is shown, if it was computed here and is in no file."""
        return self._computed if self._computed is self.player.trajectory else None

    def store_pose(self) -> None:
        """The present pose, stored if it is not yet, becomes the last point of the motion.

        A short motion that is shown, of these joints and without times, becomes one through stored
        poses before.
        """
        pose, beside, shown = self.session.free_pose, self.session.beside, self.player.trajectory
        if not pose:
            return
        if (
            shown is not None
            and not beside.motion
            and shown.times is None
            and len(shown) <= MOST_TAKEN
        ):
            points = range(len(shown)) if shown.joints == tuple(pose) else ()
            for k in points:
                beside = beside.with_point(shown.pose(k), shown.labels[k] if shown.labels else "")
        self.session.set_beside(beside.with_point(pose), "Add pose to motion")

    def measure(self) -> None:
        """Clearances again, in the background; what is shown stays until they are there."""
        robot, trajectory = self.session.robot, self.player.trajectory
        if trajectory is None:
            return
        asked = (robot, self.scene, trajectory)

        def done(answer: tuple[Collided, tuple[tuple[int, float, float], ...]]) -> None:
            if asked == (self.session.robot, self.scene, self.player.trajectory):
                (self.collided, self._profile), self._asked = answer, asked
                self.measured.emit()

        self._run(
            "measure",
            "Clearances of the motion",
            Task(motion_jobs.measure_motion, self._placed(), trajectory, self.scene),
            done,
        )

    def _measure_later(self) -> None:
        if self.player.trajectory is not None:
            self._later.start()

    @property
    def is_old(self) -> bool:
        """True if the clearances that are shown are of another robot or scene than the present
        ones."""
        return self.collided is not None and self._asked is not None and (
            self._asked[0] is not self.session.robot or self._asked[1] is not self.scene
        )  # fmt: skip

    def readings(self) -> tuple[list[PlotPoint], PlotPoint | None]:
        """Clearances over time, and the worst one."""
        collided = self.collided
        if collided is None or self.player.trajectory is None:
            return [], None
        at = self.player.seconds_at
        rows = [PlotPoint(at(k), float(c)) for k, c in enumerate(collided.clearance.tolist())]
        rows += [
            PlotPoint(at(p.index, p.at), p.clearance)
            for p in collided.passages
            if p.clearance is not None
        ]
        rows += [PlotPoint(at(k, share), c) for k, share, c in self._profile]
        rows.sort(key=lambda reading: reading.seconds)
        worst = collided.worst()
        if worst is None:
            return [], None
        return rows, PlotPoint(at(worst.index, worst.at), worst.clearance)

    def verdict(self) -> str:
        """One sentence about the trajectory."""
        collided = self.collided
        if collided is None:
            return ""
        worst = collided.worst()
        if worst is None:
            return f"No spheres: collisions are not checked.{_told_fast(collided)}"
        where = f"{worst.nearest[0]} and {worst.nearest[1]}"
        seconds = self.player.seconds_at(worst.index, worst.at)
        old = "Out of date: " if self.is_old else ""
        fast = _told_fast(collided) + "".join(
            f" {note}" for note in collided.notes if note == NO_MASK
        )
        if missed := told_missed(collided.missed, "on the way"):
            return f"{old}Not free: {missed}.{fast}"
        if collided.all_free:
            between = " at and between all points" if collided.passages else ""
            return (
                f"{old}Free{between}; closest {worst.clearance * 1e3:.1f} mm at {seconds:.2f} s, "
                f"{where}.{fast}"
            )
        if worst.clearance <= 0.0:
            return (
                f"{old}Collides: {-worst.clearance * 1e3:.1f} mm deep at {seconds:.2f} s, "
                f"{where}.{fast}"
            )
        return (
            f"{old}Not proven free between all points; closest {worst.clearance * 1e3:.1f} mm, "
            f"{where}.{fast}"
        )

    # -- scene

    def set_scene(
        self, scene: Scene, label: str = "Change scene", *, merge: Hashable = None
    ) -> None:
        """Set the scene as a step; `merge` as in Document.execute."""
        self.session.set_beside(replace(self.session.beside, scene=scene), label, merge=merge)

    def save_scene(self, path: Path) -> None:
        """Writes the scene in the format of the file's name. Raises SaveError and OSError."""
        text, notes = scene_text(self.scene, SceneFormat.of(path))
        self._write(path, text)
        self._keep(scene=self.scene)
        self.session.message.emit(" ".join((f"{path.name} saved.", *notes)))

    def save_motion(self, path: Path, trajectory: Trajectory, kind: TrajectoryFormat) -> bool:
        """Writes a motion. Raises SaveError, OSError, ValueError.

        False where the form wants times that the motion has not got: it gets them first, is shown
        with them, and then written.
        """
        if trajectory.times is None and kind.needs_times:
            self._time(trajectory, partial(self._take_and_save, path, kind))
            return False
        self._write(path, trajectory_text(trajectory, kind))
        self._keep(motion=trajectory)
        if trajectory is self._computed:
            self._computed = None
        self.session.message.emit(
            f"{path.name} saved: {kind.value}, {format_count(len(trajectory), 'point')}."
        )
        return True

    def _write(self, path: Path, text: str) -> None:
        """Writes to a file that the user chose, but never over one of the robot's. Raises
        SaveError."""
        inputs = self.session.document.inputs
        write_files([(path, text.encode())], inputs, overwrite=True, make_folders=False)

    def _take_and_save(self, path: Path, kind: TrajectoryFormat, timed: times.Timed) -> None:
        self._take_times(timed)
        try:
            self.save_motion(path, timed.motion, kind)
        except (OSError, SaveError) as error:
            self.session.refused.emit(f"{path.name} could not be written: {error}")

    def open_scene(self, path: Path, failed: Callable[[str], object]) -> None:
        """Replaces the scene by the scene of a file, which a thread reads; `failed` hears why it
        cannot be read."""

        def take(scene: Scene) -> None:
            self.set_scene(scene, f"Open {path.name}")
            self._keep(scene=self.scene)

        slot = self._slots.setdefault("scene", JobSlot(self._jobs, self.busy_changed.emit))
        slot.run(
            f"Reading {path.name}", lambda _: read_scene(path), take, in_thread=True,
            failed=lambda error: failed(error.message), about=lambda: self.session.document,
        )  # fmt: skip

    def _keep(self, *, scene: Scene | None = None, motion: Trajectory | None = None) -> None:
        self.session.document.keep_beside(scene=scene, motion=motion)

    def _on_beside(self, beside: Beside) -> None:
        if beside.scene is not self.scene:
            self.scene = beside.scene
            self.scene_changed.emit(self.scene)
            self.measured.emit()
            self._measure_later()
        if beside.trajectory != self._through:
            self._through = beside.trajectory
            self._show(self._through, at_end=True)

    # -- planner

    @property
    def keep_away(self) -> KeepAway:
        """The distances that newly planned motions keep."""
        numbers = read_json(self._settings.store, _KEPT, [])
        if len(numbers) == 2 and all(isinstance(each, float) for each in numbers):
            with contextlib.suppress(MisfitError):
                return KeepAway(*numbers)
        return NOTHING_KEPT

    def set_keep_away(self, **changes: float) -> None:
        """Changes fields of KeepAway, metres; for all windows, and for the next time."""
        kept = replace(self.keep_away, **changes)
        self._settings.store.setValue(_KEPT, json.dumps([kept.obstacles, kept.itself]))

    def try_motion(self, goal: Trajectory | None) -> None:
        """From the present pose to a goal, or to a random free pose; played when found."""
        placed = self._placed()
        start, settings = self._point(self.session.pose), self._next_settings()
        job = (
            motion_jobs.motion_job(
                plan.plan_to_random, placed, start, scene=self.scene, settings=settings
            )
            if goal is None
            else motion_jobs.motion_job(
                plan.plan_between, placed, start, goal, scene=self.scene, settings=settings
            )
        )
        self._run("plan", "Planning a motion", job, self._take_plan)

    def _next_settings(self) -> PlannerSettings:
        """Of a plan that is another one than the last."""
        self._seed += 1
        return PlannerSettings(10.0, seed=self._seed, keep_away=self.keep_away)

    def try_straight(self, put: Put) -> None:
        """From the pose before a tool was put somewhere, straight to there; what is free of the
        line is played."""
        job = motion_jobs.motion_job(
            straight.plan_straight,
            self._placed(),
            self._point(put.before),
            put.targets[0],
            locked=self.session.locked,
            weights=self._weights,
            scene=self.scene,
            keep_away=self.keep_away,
        )
        self._run("plan", "Planning a straight line", job, self._take_line)

    def _take_line(self, line: straight.StraightLine) -> None:
        sentence = f"No straight line: {line.why}."
        if line.path is not None:
            sentence = (
                f"A straight line of {line.length * 1e3:.1f} mm and {math.degrees(line.turn):.1f}° "
                f"in {len(line.path)} "
                f"points, within {math.ceil(line.deviation * 1e5) / 100:.2f} mm between them, "
                f"{line.told}."
            )
        if len(line.begun) > 1:
            self._play(line.begun, sentence, line.kept)
        else:
            self._tell_failure(sentence)

    def try_tool(self, put: Put) -> None:
        """From the pose before tools were put somewhere to where they were put; played when
        found."""
        job = motion_jobs.motion_job(
            plan.plan_to_tool,
            self._placed(),
            self._point(put.before),
            put.targets,
            near=self.session.pose,
            locked=self.session.locked,
            weights=self._weights,
            scene=self.scene,
            settings=self._next_settings(),
        )
        self._run("plan", "Planning a motion to the tool", job, self._take_plan)

    @property
    def _weights(self) -> FrozenDict[str, float]:
        """Of inverse kinematics: joints that move last."""
        return FrozenDict(dict.fromkeys(sorted(self.session.reaching.last), LAST))

    def _point(self, pose: Pose) -> Trajectory:
        """A pose as a trajectory of one point."""
        joints = tuple(self.session.tree.independent)
        return Trajectory(joints, (tuple(float(pose[name]) for name in joints),))

    def _take_plan(self, planned: plan.Planned) -> None:
        told = planned.told[0].upper() + planned.told[1:]
        if planned.path is None:
            self._tell_failure(f"{told}.")
            return
        self._play(
            planned.path,
            f"{told}. Planned in {planned.cpu_seconds * 1e3:.0f} ms of CPU time.",
            planned.kept,
        )

    def _tell_failure(self, sentence: str) -> None:
        """No motion was planned: the one of the plan before goes, so that nobody saves it for this
        one."""
        shown = self.player.trajectory
        if shown is not None and shown is self._planned:
            self._planned = None
            self._show(None)
        elif shown is not None:
            sentence = f"{sentence} The view still shows an earlier motion."
        self.result_came.emit(sentence)

    def _play(self, path: Trajectory, sentence: str, kept: KeepAway = NOTHING_KEPT) -> None:
        def play(timed: times.Timed) -> None:
            self._take_times(timed, sentence)
            self._planned = timed.motion
            self.player.play()

        # It is shown when it has times: a path alone would be played at a pace that no limit knows.
        self._time(path, play, kept)

    # -- times

    def time_motion(self) -> None:
        """The motion that is shown gets the fastest times within the limits of its joints."""
        if self.player.trajectory is not None:
            self._time(self.player.trajectory, self._take_times)

    def report_motion(self, path: Path) -> None:
        """Writes the report of the motion that is shown."""
        motion = self.player.trajectory
        if motion is not None:
            job = Task(motion_jobs.run_motion_report, self._placed(), motion, self.scene, path)
            self._run("report", "Report of the motion", job, self.session.message.emit)

    def _time(
        self, path: Trajectory, done: Callable[[times.Timed], None], kept: KeepAway = NOTHING_KEPT
    ) -> None:
        robot = self.session.robot
        asked = (robot, self.scene, self.player.trajectory)

        def take(timed: times.Timed) -> None:
            if asked == (self.session.robot, self.scene, self.player.trajectory):
                done(timed)

        job = motion_jobs.motion_job(
            times.time_motion, robot, path, scene=self.scene, keep_away=kept
        )
        self._run("time", "Times of the motion", job, take)

    def _take_times(self, timed: times.Timed, before: str = "") -> None:
        is_planned = self._planned is not None and self._planned is self.player.trajectory
        self.set_trajectory(timed.motion)
        self._computed = timed.motion
        if is_planned:
            self._planned = timed.motion
        self.result_came.emit(
            " ".join((*((before,) if before else ()), f"{timed.sentence}.", *timed.notes))
        )

    def smoke_test(self, queries: int = 100) -> None:
        document = self.session.document
        label = document.undo_label or "as opened"
        if self.scene.obstacles:
            label += f", {format_count(len(self.scene.obstacles), 'obstacle')}"
        if self.keep_away:
            label += f", {self.keep_away.told}"

        def done(test: plan.SmokeTest) -> None:
            self.tests = [*self.tests, (test, label)][-KEPT:]
            self.result_came.emit(
                f"{test.told}." if test.reasons or test.missed or test.notes else ""
            )

        robot, kept = locate_robot(document), self.keep_away
        job = motion_jobs.motion_job(
            plan.smoke_test, robot, queries, scene=self.scene, keep_away=kept
        )
        self._run("smoke", "Smoke test", job, done)

    # -- inside

    def _placed(self) -> PlacedRobot:
        """The open robot, with what its meshes are found by."""
        return locate_robot(self.session.document)

    def _run(self, kind: str, name: str, job: Any, done: Callable[[Any], None]) -> None:
        def failed(error: JobError) -> None:
            sentence = error.message[:1].upper() + error.message[1:]
            if kind == "plan":
                self._tell_failure(f"{sentence.rstrip('.')}.")
            else:
                self.result_came.emit(sentence)

        slot = self._slots.setdefault(kind, JobSlot(self._jobs, self.busy_changed.emit))
        slot.run(name, job, done, failed=failed)

    def _on_opened(self, document: Document) -> None:
        # The same robot, read anew, keeps its motion: nobody was asked about it.
        is_same = document.urdf_path is not None and document.urdf_path == self._urdf
        kept = self.player.trajectory if is_same else None
        self._urdf = document.urdf_path
        for slot in self._slots.values():
            slot.cancel()
        self.tests = []
        beside = self.session.beside
        self.scene, self._through = beside.scene, beside.trajectory
        self.scene_changed.emit(self.scene)
        self._show(self._through or kept)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if new.urdf is not old.urdf or new.xrdf is not old.xrdf or new.srdf is not old.srdf:
            self._measure_later()
            self.measured.emit()
