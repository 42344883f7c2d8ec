"""What a verb that works long is given besides its values: where to run, how to tell progress, when to stop."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

from editor_app.model.refusal import Refusal
from editor_app.tasks.executor import JobFuture, ProcessExecutor
from editor_app.tasks.job import Job, StopFile
from editor_app.tasks.worker import JobState

#: Called with the share that is done, in 0..1 (negative: not known), and a sentence about the present step.
Progress = Callable[[float, str], None]
#: Asked between steps; True ends the verb with `Cancelled`.
Cancel = Callable[[], bool]

#: Seconds between two looks at `cancel` while other processes work.
_LOOK = 0.1


class Cancelled(Exception):
    """The verb was asked to stop, and left everything as it was."""


class Refused(Refusal):
    """What was asked for cannot be done; the text says why, and what to do instead."""


def silent(fraction: float, sentence: str) -> None:
    """The `Progress` of a caller that shows none."""


def never() -> bool:
    """The `Cancel` of a caller that never stops a verb."""
    return False


def part(progress: Progress, begins: float, ends: float) -> Progress:
    """The `Progress` of a step that takes the share from `begins` to `ends` of the whole."""
    return lambda fraction, sentence: progress(begins + (ends - begins) * max(0.0, fraction), sentence)


def stoppable(progress: Progress, cancel: Cancel) -> Progress:
    """`progress`, which raises Cancelled after `cancel`: for steps in this process."""

    def tell(fraction: float, sentence: str) -> None:
        if cancel():
            raise Cancelled
        progress(fraction, sentence)

    return tell


class Telling:
    """The `Report` of a job that runs in this process."""

    def __init__(self, progress: Progress, partial: Callable[[Any], None] = lambda value: None) -> None:
        self.progress = progress
        self.partial = partial


@contextlib.contextmanager
def stop_file(executor: Executor | None) -> Iterator[StopFile | None]:
    """The way to stop jobs in other processes, which keep what they have prepared; None where all runs in this one."""
    if executor is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="xrdf-editor-", ignore_cleanup_errors=True) as folder:
        yield StopFile(str(Path(folder) / "stop"))


def run_jobs(
    jobs: Sequence[Job],
    *,
    executor: Executor | None,
    cancel: Cancel,
    stop: StopFile | None = None,
    on_progress: Callable[[int, float, str], None] = lambda number, fraction, sentence: None,
    on_done: Callable[[int, Any], None] = lambda number, result: None,
) -> list[Any]:
    """Runs all jobs, in order in this process or side by side in the executor; gives their results in order.

    `on_progress` hears (number of the job, share of it, sentence): between the jobs only, where the executor cannot
    tell more. After `cancel` the jobs are asked to end by `stop`; those that did not begin never do. Raises Cancelled,
    or the first exception of a job.
    """
    results: list[Any] = [None] * len(jobs)
    if executor is None:
        for number, job in enumerate(jobs):
            if cancel():
                raise Cancelled
            results[number] = job(Telling(_of(number, on_progress)))
            if cancel():
                raise Cancelled
            on_done(number, results[number])
        return results
    futures: dict[Future[Any], int] = {}
    try:
        for number, job in enumerate(jobs):
            futures[_submitted(executor, job, _of(number, on_progress))] = number
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
        if stop is not None:
            stop.set()
        for future in futures:
            # A process that knows solids ends its job at the next look at `stop`, and stays.
            if stop is None or not _has_begun(future):
                future.cancel()
        raise
    return results


def _has_begun(future: Future[Any]) -> bool:
    return isinstance(future, JobFuture) and future.handle.state is JobState.RUNNING


def _of(number: int, on_progress: Callable[[int, float, str], None]) -> Progress:
    return lambda fraction, sentence: on_progress(number, fraction, sentence)


def _submitted(executor: Executor, job: Job, on_progress: Progress) -> Future[Any]:
    if isinstance(executor, ProcessExecutor):
        return executor.submit_job(job, on_progress)
    return executor.submit(_run_silently, job)


def _run_silently(job: Job) -> Any:
    return job(Telling(silent))
