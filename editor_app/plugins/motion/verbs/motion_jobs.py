"""Jobs about motion for the window's worker processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from editor_app.core.model.scene import Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.masks.engine.warmup import ANNOUNCEMENT
from editor_app.plugins.motion.engine import warmup
from editor_app.plugins.motion.verbs import motion_page, motion_report
from editor_app.plugins.motion.verbs.collide import Collided, collide, profile

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def prepare_motion(tell: Callable[[str], None]) -> bool:
    """Compiles the kernels of motion where they are not in the cache, and tells so before; whether
    it had to."""
    if not warmup.motion_needs_compilation():
        return False
    tell(ANNOUNCEMENT)
    warmup.warm_up_motion()
    return True


def compile_motion(reporter: TaskReporter) -> bool:
    """A job: compiles the kernels of motion, or makes sure that they are in the cache."""
    return prepare_motion(lambda sentence: reporter.progress(-1.0, sentence))


def measure_motion(
    reporter: TaskReporter, robot: PlacedRobot, trajectory: Trajectory, scene: Scene
) -> tuple[Collided, tuple[tuple[int, float, float], ...]]:
    """Clearances of a trajectory, between its points too; and some more of them for a plot."""
    compile_motion(reporter)
    collided = collide(robot, trajectory, scene=scene, progress=reporter.progress)
    return collided, profile(collided)


def motion_job(
    verb: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
) -> Callable[[TaskReporter], _Result]:
    """Return `Task` of a verb; it compiles the kernels of motion first if the cache lacks them."""
    return Task(_compiled, Task(verb, *arguments, **named))


def _compiled(reporter: TaskReporter, job: Callable[[TaskReporter], _Result]) -> _Result:
    compile_motion(reporter)
    return job(reporter)


def run_motion_report(
    reporter: TaskReporter, robot: PlacedRobot, motion: Trajectory, scene: Scene, path: Path
) -> str:
    """The report of a motion, written to a file (.html or .json); its sentence."""
    compile_motion(reporter)
    about = motion_report.report_motion(robot, motion, scene=scene, progress=reporter.progress)
    motion_page.write_report(about, path, overwrite=True)
    return f"{path.name} written: {'free' if about.is_free else 'not free'}."
