"""The warm worker processes as an executor of `concurrent.futures`, whose running calls can be
cancelled, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from typing import Any

from editor_app.core.tasks.task import SILENT, Job, Task, TaskReporter
from editor_app.core.tasks.worker import JobHandle, JobState, WorkerPool

#: More processes than this only fill the memory: each holds the compiled engines and the solids it
#: has looked at.
MOST_PROCESSES = 8


def usual_processes() -> int:
    """One per processor, up to `MOST_PROCESSES`."""
    return max(1, min(MOST_PROCESSES, os.cpu_count() or 1))


class WorkerFailed(Exception):
    """The call failed in the worker process with an exception that cannot be pickled; the text is
    its traceback."""


class JobFuture(Future[Any]):
    """`cancel` also ends a call that runs already; `stop` asks it to end, as `WorkerPool.stop`
    does."""

    def __init__(self, pool: WorkerPool, job: Job, reporter: TaskReporter) -> None:
        super().__init__()
        self.handle = JobHandle(type(job).__name__, job, reporter, self._end)
        self.stop = partial(pool.stop, self.handle)
        self._end_job = partial(pool.cancel, self.handle)
        self.set_running_or_notify_cancel()

    def cancel(self) -> bool:
        self._end_job()
        return self.cancelled() or (self.done() and isinstance(self.exception(), CancelledError))

    def _end(self, state: JobState, value: Any) -> None:
        if state is JobState.DONE:
            self.set_result(value)
        elif state is JobState.CANCELLED:
            self.set_exception(CancelledError())
        else:
            self.set_exception(value.exception or WorkerFailed(value.traceback or value.message))


class ProcessExecutor(Executor):
    """Runs calls, and jobs with their progress, in the processes of a `WorkerPool`.

    No process is started before the first call. `shutdown` closes the pool.
    """

    def __init__(
        self,
        processes: int | None = None,
        *,
        pool: WorkerPool | None = None,
        copy_process: bool = False,
    ) -> None:
        """`copy_process`: as in `WorkerPool`."""
        self._pool = pool or WorkerPool(
            processes or usual_processes(), preload=("numpy",), copy_process=copy_process
        )
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
        return self.submit_job(Task(fn, *args, **kwargs))

    def submit_job(self, job: Job, reporter: TaskReporter = SILENT) -> JobFuture:
        """Run a job; a thread of the pool calls `reporter`."""
        future = JobFuture(self._pool, job, reporter)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        self._pool.submit(future.handle)
        return future

    def __exit__(self, *error: object) -> None:
        """End the processes at once, as `shutdown` does with `cancel_futures`."""
        self.shutdown(cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes once the calls are over, or at once with `cancel_futures`."""
        if wait and not cancel_futures:
            for future in list(self._futures):
                future.exception()
        self._pool.close()
