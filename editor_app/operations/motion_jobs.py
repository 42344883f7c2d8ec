"""What the window asks about motion, as jobs for its worker processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.commands import SetFittedSpheres
from editor_app.kinematics.inverse import ToolTarget
from editor_app.model.frozen import FrozenDict
from editor_app.model.pose import Pose
from editor_app.model.robot import RobotDescription
from editor_app.model.scene import Scene
from editor_app.model.trajectory import Trajectory
from editor_app.model.xrdf import CollisionSphere
from editor_app.motion import warmup
from editor_app.motion.results import KeepAway, PlannerSettings
from editor_app.operations import model_cost, motion_page, motion_report, plan, straight, times
from editor_app.operations.collide import Collided, collide, profile
from editor_app.self_collision.warmup import ANNOUNCEMENT
from editor_app.tasks.job import Report


def prepare_motion(tell: Callable[[str], None]) -> bool:
    """Compiles the kernels of motion where they are not in the cache, and tells so before; whether it had to."""
    if not warmup.needs_compilation():
        return False
    tell(ANNOUNCEMENT)
    warmup.warm_up()
    return True


@dataclass(frozen=True, slots=True)
class PrepareMotion:
    """Compiles the kernels of motion, or makes sure that they are in the cache."""

    def __call__(self, report: Report) -> bool:
        return prepare_motion(lambda sentence: report.progress(-1.0, sentence))


@dataclass(frozen=True, slots=True)
class MeasureMotion:
    """Clearances of a trajectory, between its points too; and some more of them for a plot."""

    robot: RobotDescription
    trajectory: Trajectory
    scene: Scene

    def __call__(self, report: Report) -> tuple[Collided, tuple[tuple[int, float, float], ...]]:
        PrepareMotion()(report)
        collided = collide(self.robot, self.trajectory, scene=self.scene, progress=report.progress)
        return collided, profile(collided)


@dataclass(frozen=True, slots=True)
class TryMotion:
    """A path from one pose to another, or to a random free one (`goal` None)."""

    robot: RobotDescription
    start: Trajectory
    goal: Trajectory | None
    scene: Scene
    keep_away: KeepAway = KeepAway()
    seed: int = 0

    def __call__(self, report: Report) -> plan.Planned:
        PrepareMotion()(report)
        settings = PlannerSettings(10.0, seed=self.seed, keep_away=self.keep_away)
        if self.goal is None:
            return plan.plan_to_random(self.robot, self.start, scene=self.scene, settings=settings)
        return plan.plan_between(self.robot, self.start, self.goal, scene=self.scene, settings=settings)


@dataclass(frozen=True, slots=True)
class TryTool:
    """A path from one pose to where tools are at their targets. `near`: the posture that they were dragged to."""

    robot: RobotDescription
    start: Trajectory
    targets: tuple[ToolTarget, ...]
    near: Pose
    locked: frozenset[str]
    weights: FrozenDict[str, float]
    scene: Scene
    keep_away: KeepAway = KeepAway()
    seed: int = 0

    def __call__(self, report: Report) -> plan.Planned:
        PrepareMotion()(report)
        return plan.plan_to_tool(
            self.robot,
            self.start,
            self.targets,
            near=self.near,
            locked=self.locked,
            weights=self.weights,
            scene=self.scene,
            settings=PlannerSettings(10.0, seed=self.seed, keep_away=self.keep_away),
        )


@dataclass(frozen=True, slots=True)
class TimeMotion:
    """The fastest times of a path within the limits of its joints."""

    robot: RobotDescription
    path: Trajectory
    scene: Scene
    keep_away: KeepAway = KeepAway()

    def __call__(self, report: Report) -> times.Timed:
        PrepareMotion()(report)
        return times.time_motion(self.robot, self.path, scene=self.scene, keep_away=self.keep_away)


@dataclass(frozen=True, slots=True)
class ReportMotion:
    """The report of a motion, written to a file (.html or .json); its sentence."""

    robot: RobotDescription
    motion: Trajectory
    scene: Scene
    path: Path

    def __call__(self, report: Report) -> str:
        PrepareMotion()(report)
        about = motion_report.report_motion(self.robot, self.motion, scene=self.scene, progress=report.progress)
        motion_page.write_report(about, self.path)
        return f"{self.path.name} written: {'free' if about.is_free else 'not free'}."


@dataclass(frozen=True, slots=True)
class TryStraight:
    """A straight line of a tool from a pose. `weights`: as in `reach`."""

    robot: RobotDescription
    start: Trajectory
    target: ToolTarget
    locked: frozenset[str]
    weights: FrozenDict[str, float]
    scene: Scene

    def __call__(self, report: Report) -> straight.StraightLine:
        PrepareMotion()(report)
        return straight.plan_straight(
            self.robot, self.start, self.target, locked=self.locked, weights=self.weights, scene=self.scene
        )


@dataclass(frozen=True, slots=True)
class RunSmokeTest:
    """The smoke test."""

    robot: RobotDescription
    urdf_path: Path | None
    mappings: tuple[tuple[str, Path], ...]
    scene: Scene
    keep_away: KeepAway = KeepAway()
    queries: int = 100
    seed: int = 0

    def __call__(self, report: Report) -> plan.SmokeTest:
        PrepareMotion()(report)
        return plan.smoke_test(
            self.robot,
            self.queries,
            urdf_path=self.urdf_path,
            mappings=dict(self.mappings),
            scene=self.scene,
            seed=self.seed,
            keep_away=self.keep_away,
            progress=report.progress,
        )


@dataclass(frozen=True, slots=True)
class WeighModel:
    """What spheres and mask cost and hide, against the collision meshes."""

    robot: RobotDescription
    urdf_path: Path | None
    mappings: tuple[tuple[str, Path], ...]
    scene: Scene
    samples: int = 20_000

    def __call__(self, report: Report) -> model_cost.ModelCost:
        PrepareMotion()(report)
        return model_cost.model_cost(
            self.robot,
            urdf_path=self.urdf_path,
            mappings=dict(self.mappings),
            scene=self.scene,
            samples=self.samples,
            progress=report.progress,
        )


@dataclass(frozen=True, slots=True)
class WeighNumbers:
    """Partial results (number of spheres, Refusals): what the robot refuses and lets pass against its collision meshes
    with `fits` (number -> spheres) on a link, the rest as it is."""

    robot: RobotDescription
    urdf_path: Path | None
    mappings: tuple[tuple[str, Path], ...]
    link: str
    fits: FrozenDict[int, tuple[CollisionSphere, ...]]

    def __call__(self, report: Report) -> int:
        PrepareMotion()(report)
        group = self.robot.xrdf.self_group
        assert group is not None
        meshes = model_cost.MeshVerdicts.of(self.robot, self.urdf_path, dict(self.mappings), report.progress)
        for number, spheres in self.fits.items():
            change = SetFittedSpheres(group, FrozenDict({self.link: spheres}), "")
            report.partial((number, meshes.refusals(change.apply(self.robot))))
        return len(self.fits)
