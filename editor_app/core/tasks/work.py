"""Arguments of verbs: values that every verb refuses; where long ones run, how they report
progress, when they stop."""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from functools import partial, wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeGuard, TypeVar

from editor_app.core.document import document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.refusal import Refused as Refused
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.progress import Cancel as Cancel
from editor_app.core.progress import Progress as Progress
from editor_app.core.progress import never as never
from editor_app.core.progress import silent as silent
from editor_app.core.tasks import executor as executors
from editor_app.core.tasks import worker
from editor_app.core.tasks.task import Job, TaskReporter

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

#: Seconds between two looks at `cancel` while other processes work.
_LOOK = 0.1


class Cancelled(Exception):
    """The verb was asked to stop. Nothing has changed."""


def scale_progress(progress: Progress, begins: float, ends: float) -> Progress:
    """The `Progress` of a step that reaches from `begins` to `ends` of the whole (shares, 0..1)."""
    return lambda fraction, sentence: progress(
        begins + (ends - begins) * max(0.0, fraction), sentence
    )


def make_stoppable(progress: Progress, cancel: Cancel) -> Progress:
    """A `Progress` for steps in this process: as `progress`, but raises Cancelled after `cancel`,
    and a share that is less than one before it is told as that: what is done stays done."""
    most = 0.0

    def tell(fraction: float, sentence: str) -> None:
        nonlocal most
        if cancel():
            raise Cancelled
        most = max(most, fraction)
        progress(most if fraction >= 0.0 else fraction, sentence)

    return tell


def _make_folder(executor: Executor) -> contextlib.AbstractContextManager[str]:
    """A folder that exists until nobody awaits the jobs of a foreign executor any more; "" for our
    processes."""
    if isinstance(executor, executors.ProcessExecutor):
        return contextlib.nullcontext("")
    return tempfile.TemporaryDirectory(prefix="xrdf-editor-", ignore_cleanup_errors=True)


def run_jobs(
    jobs: Sequence[Job],
    *,
    executor: Executor | None,
    cancel: Cancel,
    on_progress: Callable[[int, float, str], None] = lambda number, share, sentence: None,
    on_done: Callable[[int, Any], None] = lambda number, result: None,
    keeps_processes: bool = False,
) -> list[Any]:
    """Run all jobs, one by one in this process or in parallel in the executor. Returns their
    results in order.

    `on_progress` is called with (number of the job, its share 0..1, sentence); only between jobs of
    an executor that is no `ProcessExecutor`. After `cancel` no job begins, and the processes of
    running ones end at once; or, with `keeps_processes`, when these look at their reporter, which
    suits jobs that prepare what later ones use. Raises Cancelled, or the first exception of a job.
    """
    results: list[Any] = [None] * len(jobs)
    if executor is None:
        for number, job in enumerate(jobs):
            if cancel():
                raise Cancelled
            results[number] = job(TaskReporter(partial(on_progress, number), cancelled=cancel))
            if cancel():
                raise Cancelled
            on_done(number, results[number])
        return results
    futures: dict[Future[Any], int] = {}
    with _make_folder(executor) as folder:
        try:
            for number, job in enumerate(jobs):
                futures[_submit(executor, job, partial(on_progress, number), folder)] = number
            waiting = set(futures)
            while waiting:
                finished, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                if cancel():
                    raise Cancelled
                for future in finished:
                    number = futures[future]
                    results[number] = future.result()
                    on_done(number, results[number])
        except BaseException:
            for future in futures:
                if keeps_processes and _has_begun(future):
                    future.stop()
                else:
                    future.cancel()
            raise
    return results


def run_job(job: Job, *, executor: Executor | None, progress: Progress, cancel: Cancel) -> Any:
    """Run a single job as `run_jobs` does; return its result."""
    tell = make_stoppable(progress, cancel) if executor is None else progress
    (result,) = run_jobs(
        [job], executor=executor, cancel=cancel, on_progress=lambda _, *told: tell(*told)
    )
    return result


def _has_begun(future: Future[Any]) -> TypeGuard[executors.JobFuture]:
    return (
        isinstance(future, executors.JobFuture) and future.handle.state is worker.JobState.RUNNING
    )


def _submit(executor: Executor, job: Job, progress: Progress, folder: str) -> Future[Any]:
    if isinstance(executor, executors.ProcessExecutor):
        return executor.submit_job(job, TaskReporter(progress))
    return executor.submit(_run_awaited, job, folder)


def _run_awaited(job: Job, folder: str) -> Any:
    # A process of another machine does not see the folder.
    return job(
        TaskReporter(
            cancelled=(lambda: not os.path.isdir(folder)) if os.path.isdir(folder) else never
        )
    )


#: Whole numbers; which of them make sense, the verb says itself.
_WHOLE = frozenset({"number", "budget", "queries", "seed"})
#: Whole numbers, 1 or more.
_COUNTS = frozenset({"samples", "processes", "jobs"})
#: 0 or more: seconds.
_DURATIONS = frozenset({"certify", "seconds"})
_CHOICES: dict[str, Collection[str]] = {"profile": tuple(Profile), "version": ("1.0", "2.0")}


def check_arguments(verb: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The verb, which raises Refused for a wrong argument by its name; None means the default
    everywhere."""
    # Every verb is a function; `inspect` costs a start more than all of them.
    names = verb.__code__.co_varnames[: verb.__code__.co_argcount]
    kinds = verb.__annotations__

    @wraps(verb)
    def asked(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if kinds.get(name) in ("Document", "Described") and not _is_robot(value, kinds[name]):
                raise Refused(
                    f"{name} must be an open robot (open_robot returns one), not {value!r}"
                )
            if value is not None and (wanted := _wanted(name, value)):
                raise Refused(f"{name} must be {wanted}, not {value!r}")
        return verb(*args, **kwargs)

    return asked


def _wanted(name: str, value: Any) -> str:
    """What an argument has to be; "" where it is so."""
    if name in _COUNTS and not (_is_number(value, Integral) and value >= 1):
        return "a whole number, 1 or more"
    if name in _WHOLE and not _is_number(value, Integral):
        return "a whole number"
    if name in _DURATIONS and not (_is_number(value, Real) and value >= 0):
        return "a number of seconds, 0 or more"
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"one of {', '.join(_CHOICES[name])}"
    return ""


def _is_robot(value: Any, kind: str) -> bool:
    return isinstance(value, document.Document) or (
        kind == "Described" and isinstance(value, RobotDescription | PlacedRobot)
    )


def _is_number(value: Any, kind: type) -> bool:
    # numpy's numbers are registered as what they are.
    return isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)  # type: ignore[arg-type]


@dataclass(frozen=True)
class PlacedRobot:
    """A robot, and what its meshes are found by: verbs and jobs take it in the place of a document,
    which no process is sent. `packages`: package, or what an address begins with -> folder.
    """

    robot: RobotDescription
    urdf_path: Path | None = None
    packages: FrozenDict[str, Path] = FrozenDict()


Described: TypeAlias = "document.Document | RobotDescription | PlacedRobot"
#: One pose: joint -> rad or m (a dict, a Pose, a PastedPose), or a trajectory of one point.
PoseLike = Mapping[str, float] | Trajectory


def read_pose(given: PoseLike) -> Mapping[str, float]:
    """Joint -> rad or m. Raises Refused for more than one point, and for what is no pose."""
    if isinstance(given, Trajectory):
        if len(given) != 1:
            raise Refused(
                f"expected one pose, not a trajectory of {len(given)} points: choose a point with "
                ".pose(index)"
            )
        return given.pose(0)
    if not isinstance(given, Mapping):
        raise Refused(
            f"a pose is a mapping of joints to numbers, or a trajectory of one point, not {given!r}"
        )
    for joint, position in given.items():
        # numpy's numbers are registered as real ones.
        if (
            isinstance(position, bool)
            or not isinstance(position, Real)
            or not math.isfinite(position)
        ):
            raise Refused(
                f"the position of the joint {joint!r} must be a finite number, not {position!r}"
            )
    return given


def make_trajectory(given: PoseLike) -> Trajectory:
    """A trajectory as it is, a pose as one of a single point. Raises Refused."""
    if isinstance(given, Trajectory):
        return given
    return Trajectory.of_pose(read_pose(given))


def describe_robot(robot: Described) -> RobotDescription:
    """The robot as it is now."""
    return robot if isinstance(robot, RobotDescription) else robot.robot


def locate_robot(robot: Described) -> PlacedRobot:
    """The robot as it is now, with what its meshes are found by, as far as that is known."""
    if isinstance(robot, RobotDescription):
        return PlacedRobot(robot)
    return PlacedRobot(robot.robot, robot.urdf_path, FrozenDict(robot.packages))
