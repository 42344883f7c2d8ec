"""The warm worker processes as an executor of `concurrent.futures`, whose running calls can be cancelled, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

from editor_app.core.progress import Progress, silent
from editor_app.core.tasks.job import Job, Report, as_job
from editor_app.core.tasks.worker import JobError, JobHandle, WorkerPool

#: More processes than this only fill the memory: each holds the compiled engines and the solids it has looked at.
MOST_PROCESSES = 8


def usual_processes() -> int:
    """One per processor, up to `MOST_PROCESSES`."""
    return max(1, min(MOST_PROCESSES, os.cpu_count() or 1))


class WorkerFailed(Exception):
    """The call failed in the worker process with an exception that cannot be pickled; the text is its traceback."""


def _call(_: Report, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return function(*arguments, **named)


class JobFuture(Future[Any]):
    """`cancel` also ends a call that runs already."""

    handle: JobHandle

    def cancel(self) -> bool:
        self.handle.cancel()
        return self.cancelled() or (self.done() and isinstance(self.exception(), CancelledError))


class ProcessExecutor(Executor):
    """Runs calls, and jobs with their progress, in the processes of a `WorkerPool`.

    No process is started before the first call. `shutdown` leaves a pool that was given to it alone.
    """

    def __init__(self, processes: int | None = None, *, pool: WorkerPool | None = None) -> None:
        self._owns_pool = pool is None
        self._pool = pool or WorkerPool(processes or usual_processes(), preload=("numpy",))
        self._futures: set[JobFuture] = set()

    @property
    def is_busy(self) -> bool:
        """True if a call is not over yet."""
        return bool(self._futures)

    @property
    def has_processes(self) -> bool:
        """True while a process waits or works; see `WorkerPool`."""
        return self._pool.has_processes

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self.submit_job(as_job(_call, fn, args, kwargs))

    def submit_job(
        self,
        job: Job,
        on_progress: Progress = silent,
        on_partial: Callable[[Any], None] = lambda value: None,
    ) -> JobFuture:
        """Runs a job; its reports are handed on from a thread of the pool."""
        future = JobFuture()
        future.set_running_or_notify_cancel()

        def fail(error: JobError) -> None:
            future.set_exception(error.exception or WorkerFailed(error.traceback or error.message))

        future.handle = JobHandle(
            type(job).__name__,
            job,
            on_progress=on_progress,
            on_partial=on_partial,
            on_done=future.set_result,
            on_error=fail,
            on_cancelled=lambda: future.set_exception(CancelledError()),
        )
        self._futures.add(future)
        future.add_done_callback(lambda _: self._futures.discard(future))
        self._pool.submit(future.handle)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes once the calls are over, or at once with `cancel_futures`."""
        futures = list(self._futures)
        if cancel_futures:
            for future in futures:
                future.cancel()
        elif wait:
            for future in futures:
                future.exception()
        if self._owns_pool:
            self._pool.close()
