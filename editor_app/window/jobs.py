"""Work in the background: tasks in worker processes, short reading in threads, callbacks in the GUI
thread."""

from __future__ import annotations

import math
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from types import ModuleType
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from editor_app.core.late import is_loaded, load_late
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.heap import drop_results
from editor_app.core.tasks.task import Job, TaskReporter
from editor_app.core.tasks.work import Cancelled
from editor_app.core.tasks.worker import JobError, JobHandle, JobState, WorkerPool
from editor_app.window.timers import after

OnDone = Callable[[Any], object]
#: A time left is estimated after this share of the work and so many seconds.
_TELLING_SHARE, _TELLING_SECONDS = 0.05, 2.0


def _ignore(*_: Any) -> None:
    return None


@dataclass(eq=False)
class RunningJob:
    """One piece of work; its callbacks are called in the GUI thread, exactly one of them at its
    end."""

    name: str
    on_done: OnDone = _ignore
    on_partial: Callable[[Any], object] = _ignore
    on_error: Callable[[JobError], object] | None = None
    on_cancelled: Callable[[], object] = _ignore
    on_progress: Callable[[float, str], object] = _ignore
    fraction: float = -1.0
    sentence: str = ""
    state: JobState = JobState.WAITING
    started: float = field(default_factory=time.monotonic)
    #: By the clock of `started`; never later than it was.
    _expected_end: float = field(default=math.inf, repr=False)
    _cancel: Callable[[], object] = field(default=_ignore, repr=False)
    _stop: Callable[[], object] = field(default=_ignore, repr=False)

    @property
    def is_over(self) -> bool:
        return self.state not in (JobState.WAITING, JobState.RUNNING)

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the progress so far that never rises; None while there is too little
        progress.

        The first steps of a job tell little about the others, so the estimate starts after some of
        them.
        """
        return (
            None
            if math.isinf(self._expected_end)
            else max(0.0, self._expected_end - time.monotonic())
        )

    def take_progress(self, fraction: float, sentence: str) -> None:
        """Note the share that is done (0 to 1, negative if unknown) and the stage."""
        self.fraction, self.sentence = fraction, sentence
        now = time.monotonic()
        spent = now - self.started
        if fraction >= _TELLING_SHARE and spent >= _TELLING_SECONDS:
            self._expected_end = min(self._expected_end, now + spent * (1.0 - fraction) / fraction)

    def cancel(self) -> None:
        """Ends the work, unless it has ended already."""
        if not self.is_over:
            self._cancel()

    def stop(self) -> None:
        """Ask the work to end at its next look at `cancelled`; its process stays. It still has a
        result."""
        self._stop()

    def drop(self) -> None:
        """End the work; none of its callbacks is called any more."""
        self.on_done = self.on_partial = self.on_cancelled = self.on_progress = self.on_error = (
            _ignore
        )
        self.cancel()


class Jobs(QObject):
    """One per window; `close` at its end."""

    #: RunningJob
    started = Signal(object)
    progressed = Signal(object)
    #: (RunningJob) that has ended: done, failed or cancelled.
    ended = Signal(object)
    #: (RunningJob, JobError) for an error without a callback: the crash dialog shows it.
    failed_unexpectedly = Signal(object, object)

    #: Something waits in `_arrived`. Queued across threads by Qt: reporters are called in threads
    #: of pools.
    _posted = Signal()

    def __init__(self, parent: QObject | None = None, *, pool: WorkerPool | None = None) -> None:
        super().__init__(parent)
        # Two: meshes still load while one process computes for long.
        self._pool = pool or WorkerPool(
            size=2, preload=("numpy",), behind_window=True, on_idle=drop_results
        )
        self._running: list[RunningJob] = []
        self._closed = False
        #: Held while a thread emits the signal, and by `close`: the object is not destroyed in the
        #: middle of a signal.
        self._posting = threading.RLock()
        #: (job, "progress" or "partial" or how it ended, value)
        self._arrived: deque[tuple[RunningJob, str | JobState, Any]] = deque()
        # Called from a timer: the changes of a result are painted in a separate turn of the event
        # loop.
        self._turn = after(self, self._deliver)
        self._posted.connect(self._turn.soon, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> tuple[RunningJob, ...]:
        return tuple(self._running)

    @property
    def has_processes(self) -> bool:
        """True while a process waits or works; see `WorkerPool`."""
        return self._pool.has_processes

    def warm(self) -> None:
        """Starts a worker process before there is a job for it."""
        self._pool.warm()

    def run(
        self,
        name: str,
        work: Any,
        on_done: OnDone = _ignore,
        on_partial: Callable[[Any], object] = _ignore,
        on_error: Callable[[JobError], object] | None = None,
        on_cancelled: Callable[[], object] = _ignore,
        on_progress: Callable[[float, str], object] = _ignore,
        *,
        in_thread: bool = False,
        quiet: bool = False,
        is_kept: bool = False,
    ) -> RunningJob:
        """Run a picklable job in a worker process; `in_thread` any function of a TaskReporter that
        takes no second.

        The status bar shows `name` ("Loading meshes"), except for `quiet` work. After a cancel the
        result of a thread is dropped at once; the function ends when it looks at `cancelled`. After
        `close` no work begins. `is_kept`: see `JobHandle`.
        """
        running = RunningJob(name, on_done, on_partial, on_error, on_cancelled, on_progress)
        if self._closed:
            running.state = JobState.CANCELLED
            return running
        post = partial(self._post, running)
        reporter = TaskReporter(
            lambda *progress: post("progress", progress), partial(post, "partial")
        )
        start: Callable[[], object]
        if in_thread:
            start = self._in_thread(running, work, reporter)
        else:
            handle = JobHandle(name, work, reporter, post, is_kept=is_kept)
            running._cancel, running._stop = (
                partial(self._pool.cancel, handle),
                partial(self._pool.stop, handle),
            )
            start = partial(self._pool.submit, handle)
        running.state = JobState.RUNNING
        self._running.append(running)
        if not quiet:
            self.started.emit(running)
        start()
        return running

    def close(self) -> None:
        """Cancel all work without callbacks; end the worker processes."""
        with self._posting:
            self._closed = True
        self._pool.close()
        for running in self.running:
            running.state = JobState.CANCELLED
            running._cancel()
        self._running.clear()
        self._arrived.clear()
        self._turn.stop()

    def refuse(self, refused: Callable[[str], object], error: JobError) -> None:
        """Pass a refusal as a sentence to `refused`; show any other error in the crash dialog."""
        if isinstance(error.exception, (Refusal, ImportError)):
            refused(f"{error.message[:1].upper()}{error.message[1:].removesuffix('.')}.")
        else:
            self.failed_unexpectedly.emit(None, error)

    def _in_thread(
        self, running: RunningJob, function: Job, reporter: TaskReporter
    ) -> Callable[[], object]:
        cancelled = threading.Event()

        def cancel() -> None:
            cancelled.set()
            if not self._closed:
                self._end(running, JobState.CANCELLED, None)

        def work() -> None:
            try:
                value = function(replace(reporter, cancelled=cancelled.is_set))
            except Cancelled:
                return
            except Exception as error:
                self._post(
                    running, JobState.FAILED, JobError(str(error), traceback.format_exc(), error)
                )
            else:
                self._post(running, JobState.DONE, value)

        running._cancel, running._stop = cancel, cancelled.set
        return threading.Thread(target=work, daemon=True, name=running.name).start

    def _post(self, running: RunningJob, event: str | JobState, value: Any) -> None:
        """Hand an event over to the GUI thread. Called in any thread, even after the window is
        closed."""
        with self._posting:
            if not self._closed:
                self._arrived.append((running, event, value))
                self._posted.emit()

    def _deliver(self) -> None:
        """Call the callbacks of events, up to the first end of a job: the next end has the next
        turn."""
        while self._arrived:
            running, event, value = self._arrived.popleft()
            if self._arrived:
                self._turn.soon()
            if running.is_over:
                continue
            if isinstance(event, JobState):
                self._end(running, event, value)
                return
            if event == "partial":
                running.on_partial(value)
            else:
                running.take_progress(*value)
                running.on_progress(*value)
                self.progressed.emit(running)

    def _end(self, running: RunningJob, state: JobState, value: Any) -> None:
        if running.is_over:
            return
        running.state = state
        self._running.remove(running)
        self.ended.emit(running)
        if state is JobState.DONE:
            running.on_done(value)
        elif state is JobState.CANCELLED:
            running.on_cancelled()
        elif running.on_error is not None:
            running.on_error(value)
        else:
            self.failed_unexpectedly.emit(running, value)


class JobSlot:
    """One kind of work of a panel. A new run replaces the one before.

    A run that was replaced or dropped calls nothing any more. `changed` is called when work begins
    and after its end. An error without `failed` is shown by the crash dialog.
    """

    def __init__(
        self,
        jobs: Jobs,
        changed: Callable[[], object] = _ignore,
        *,
        quiet: bool = False,
        is_kept: bool = False,
    ) -> None:
        """`quiet`, `is_kept`: as of `Jobs.run`."""
        self._jobs = jobs
        self._changed = changed
        self._quiet, self._is_kept = quiet, is_kept
        self._running: RunningJob | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def run(
        self,
        name: str,
        work: Any,
        take: Callable[..., object] = _ignore,
        *,
        in_thread: bool = False,
        jobs: Jobs | None = None,
        each: Callable[..., object] = _ignore,
        progress: Callable[[float, str], object] = _ignore,
        failed: Callable[[JobError], object] | None = None,
        cancelled: Callable[[], object] = _ignore,
        about: Callable[[], object] = _ignore,
        stale: Callable[[], object] = _ignore,
        quiet: bool = False,
    ) -> None:
        """Runs a job in a worker process, or a function `in_thread`. `each` gets partial results,
        `take` the result.

        If `about` returns another object at the end than at the beginning, `stale` is called, not
        `take`. `cancelled` is called when the user ended the work. `jobs`: other processes than the
        slot's.
        """
        self.drop()
        subject = about()

        def end(function: Callable[..., object], *arguments: object) -> None:
            self._running = None
            function(*arguments)
            self._changed()

        jobs = jobs or self._jobs
        self._running = jobs.run(
            name,
            work,
            on_done=lambda value: end(take, value) if about() is subject else end(stale),
            on_error=partial(end, failed or partial(self._jobs.failed_unexpectedly.emit, None)),
            on_cancelled=partial(end, cancelled),
            on_progress=progress,
            on_partial=each,
            in_thread=in_thread,
            quiet=quiet or self._quiet,
            is_kept=self._is_kept,
        )
        self._changed()

    def run_loaded(
        self,
        name: str,
        module: ModuleType,
        make: Callable[[], Job],
        take: Callable[..., object],
        **choices: Any,
    ) -> None:
        """Run the job that `make` returns as `run` does. `module`, where the job is, is loaded in a
        thread before.

        Modules of compiled engines take a second to load, in which the window would stand still.
        """

        def start(_: object = None) -> None:
            self.run(name, make(), take, **choices)

        if is_loaded(module):
            start()
            return
        self.run(name, lambda _: load_late(module), start, in_thread=True, **choices)

    def cancel(self) -> None:
        """Ends the work; what came of it stays."""
        if self._running is not None:
            self._running.cancel()

    def stop(self) -> None:
        """Ask the work to end early, as `RunningJob.stop` does."""
        if self._running is not None:
            self._running.stop()

    def drop(self) -> None:
        """End the work; none of its callbacks is called any more."""
        running, self._running = self._running, None
        if running is not None:
            running.drop()


class CompiledCode:
    """Compiled code that the window's thread uses: made in a worker where it is not yet, then
    loaded in a thread.

    `state` is "asleep", "preparing", "ready", "failed" or "stopped"; `changed` is called after each
    step but `stop`.
    """

    def __init__(
        self,
        jobs: Jobs,
        name: str,
        prepare: Job,
        load: Callable[[Any], object],
        changed: Callable[[], object],
    ) -> None:
        self._jobs, self._name = jobs, name
        self._prepare, self._load_code = prepare, load
        self._changed = changed
        self.state = "asleep"
        #: Why the code is not there although somebody asked for it; "" while it may still come.
        self.trouble = ""

    def wake(self) -> None:
        """Begins; after a cancel or an error anew, else nothing happens the second time."""
        if self.state in ("asleep", "failed"):
            self.state, self.trouble = "preparing", ""
            cancelled = partial(self._end, "asleep", "the preparation was cancelled")
            self._jobs.run(
                f"Preparing {self._name}",
                self._prepare,
                self._load,
                on_error=self._fail,
                on_cancelled=cancelled,
            )
            self._changed()

    def stop(self) -> None:
        """Nothing is begun any more."""
        self.state = "stopped"

    def _load(self, _: object) -> None:
        if self.state == "preparing":
            ready = lambda _: self._end("ready", "")  # noqa: E731
            name = f"Loading {self._name}"
            self._jobs.run(
                name, self._load_code, ready, on_error=self._fail, in_thread=True, quiet=True
            )

    def _fail(self, error: JobError) -> None:
        self._end("failed", error.message)

    def _end(self, state: str, trouble: str) -> None:
        if self.state == "preparing":
            self.state, self.trouble = state, trouble
            self._changed()


class Latest:
    """Questions of one kind that come faster than answers, answered in a thread, one at a time.

    The last one that was asked counts; an answer that another question has overtaken is dropped.
    """

    def __init__(self, jobs: Jobs, name: str) -> None:
        self._name = name
        self._slot = JobSlot(jobs, self._go_on, quiet=True)
        self._next: tuple[Callable[[], Any], OnDone] | None = None
        self._wanted: OnDone | None = None

    @property
    def is_busy(self) -> bool:
        return self._slot.is_running

    def ask(self, question: Callable[[], Any], answer: OnDone) -> None:
        """Calls `answer` with what `question` returns. `question` runs in a thread: no Qt, nothing
        mutable."""
        self._next, self._wanted = (question, answer), None
        self._go_on()

    def forget(self) -> None:
        """No answer is wanted any more."""
        self._next = self._wanted = None

    def _go_on(self) -> None:
        # A thread cannot be stopped: the next question waits until the present one is answered.
        if self._next is None or self._slot.is_running:
            return
        (question, self._wanted), self._next = self._next, None
        self._slot.run(self._name, lambda _: question(), self._take, in_thread=True)

    def _take(self, value: Any) -> None:
        answer, self._wanted = self._wanted, None
        if answer is not None:
            answer(value)
