"""What the window asks about motion, as jobs for its worker processes."""

from __future__ import annotations

from collections.abc import Callable
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
from editor_app.operations.work import PlacedRobot
from editor_app.self_collision.warmup import ANNOUNCEMENT
from editor_app.tasks.job import Report


def prepare_motion(tell: Callable[[str], None]) -> bool:
    """Compiles the kernels of motion where they are not in the cache, and tells so before; whether it had to."""
    if not warmup.needs_compilation():
        return False
    tell(ANNOUNCEMENT)
    warmup.warm_up()
    return True


def compile_motion(report: Report) -> bool:
    """A job: compiles the kernels of motion, or makes sure that they are in the cache."""
    return prepare_motion(lambda sentence: report.progress(-1.0, sentence))


def measure_motion(
    report: Report, robot: RobotDescription, trajectory: Trajectory, scene: Scene
) -> tuple[Collided, tuple[tuple[int, float, float], ...]]:
    """Clearances of a trajectory, between its points too; and some more of them for a plot."""
    compile_motion(report)
    collided = collide(robot, trajectory, scene=scene, progress=report.progress)
    return collided, profile(collided)


def try_motion(
    report: Report,
    robot: RobotDescription,
    start: Trajectory,
    goal: Trajectory | None,
    scene: Scene,
    keep_away: KeepAway,
    seed: int,
) -> plan.Planned:
    """A path from one pose to another, or to a random free one (`goal` None)."""
    compile_motion(report)
    settings = PlannerSettings(10.0, seed=seed, keep_away=keep_away)
    if goal is None:
        return plan.plan_to_random(robot, start, scene=scene, settings=settings)
    return plan.plan_between(robot, start, goal, scene=scene, settings=settings)


def try_tool(
    report: Report,
    robot: RobotDescription,
    start: Trajectory,
    targets: tuple[ToolTarget, ...],
    near: Pose,
    locked: frozenset[str],
    weights: FrozenDict[str, float],
    scene: Scene,
    keep_away: KeepAway,
    seed: int,
) -> plan.Planned:
    """A path from one pose to where tools are at their targets. `near`: the posture that they were dragged to."""
    compile_motion(report)
    return plan.plan_to_tool(
        robot,
        start,
        targets,
        near=near,
        locked=locked,
        weights=weights,
        scene=scene,
        settings=PlannerSettings(10.0, seed=seed, keep_away=keep_away),
    )


def time_motion(
    report: Report, robot: RobotDescription, path: Trajectory, scene: Scene, keep_away: KeepAway
) -> times.Timed:
    """The fastest times of a path within the limits of its joints."""
    compile_motion(report)
    return times.time_motion(robot, path, scene=scene, keep_away=keep_away)


def report_motion(report: Report, robot: RobotDescription, motion: Trajectory, scene: Scene, path: Path) -> str:
    """The report of a motion, written to a file (.html or .json); its sentence."""
    compile_motion(report)
    about = motion_report.report_motion(robot, motion, scene=scene, progress=report.progress)
    motion_page.write_report(about, path)
    return f"{path.name} written: {'free' if about.is_free else 'not free'}."


def try_straight(
    report: Report,
    robot: RobotDescription,
    start: Trajectory,
    target: ToolTarget,
    locked: frozenset[str],
    weights: FrozenDict[str, float],
    scene: Scene,
) -> straight.StraightLine:
    """A straight line of a tool from a pose. `weights`: as in `reach`."""
    compile_motion(report)
    return straight.plan_straight(robot, start, target, locked=locked, weights=weights, scene=scene)


def smoke_test(
    report: Report,
    robot: PlacedRobot,
    scene: Scene,
    keep_away: KeepAway,
    queries: int = 100,
) -> plan.SmokeTest:
    """The smoke test."""
    compile_motion(report)
    return plan.smoke_test(robot, queries, scene=scene, keep_away=keep_away, progress=report.progress)


def weigh_model(report: Report, robot: PlacedRobot, scene: Scene) -> model_cost.ModelCost:
    """What spheres and mask cost and hide, against the collision meshes."""
    compile_motion(report)
    return model_cost.model_cost(robot, scene=scene, progress=report.progress)


def weigh_numbers(
    report: Report, placed: PlacedRobot, link: str, fits: FrozenDict[int, tuple[CollisionSphere, ...]]
) -> int:
    """Partial results (number of spheres, Refusals): what the robot refuses and lets pass against its collision meshes
    with `fits` (number -> spheres) on a link, the rest as it is."""
    compile_motion(report)
    robot = placed.robot
    group = robot.xrdf.self_group
    assert group is not None
    meshes = model_cost.MeshVerdicts.of(placed, report.progress)
    for number, spheres in fits.items():
        change = SetFittedSpheres(group, FrozenDict({link: spheres}), "")
        report.partial((number, meshes.refusals(change.apply(robot))))
    return len(fits)
