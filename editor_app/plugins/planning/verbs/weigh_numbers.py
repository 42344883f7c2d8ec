"""Configurations that a robot refuses with other numbers of spheres on a link."""

from __future__ import annotations

from editor_app.core.document.commands import SetFittedSpheres
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.task import Job, Task, TaskReporter
from editor_app.core.tasks.work import PlacedRobot
from editor_app.plugins.motion.verbs.motion_jobs import compile_motion
from editor_app.plugins.planning.verbs import model_cost


def weigh_job(
    placed: PlacedRobot, link: str, fits: FrozenDict[int, tuple[CollisionSphere, ...]]
) -> Job:
    """Return `weigh_numbers` as a job."""
    return Task(weigh_numbers, placed, link, fits)


def weigh_numbers(
    reporter: TaskReporter,
    placed: PlacedRobot,
    link: str,
    fits: FrozenDict[int, tuple[CollisionSphere, ...]],
) -> int:
    """Partial results (number of spheres, Refusals): what the robot refuses and lets pass against
    its collision meshes with `fits` (number -> spheres) on a link, the rest as it is."""
    compile_motion(reporter)
    robot = placed.robot
    group = robot.xrdf.self_group
    assert group is not None
    meshes = model_cost.MeshVerdicts.of(placed, reporter.progress)
    for number, spheres in fits.items():
        change = SetFittedSpheres(group, FrozenDict({link: spheres}), "")
        reporter.partial((number, meshes.refusals(change.apply(robot))))
    return len(fits)
