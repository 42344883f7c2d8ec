"""Warm worker processes. A C call in a thread cannot be stopped; a process can, so cancel ends it
and warms the next.

Callbacks are called in a reader thread of the pool: a window hands them to its own thread
(window.jobs). On Windows a job object limits the memory of a process; a job of its own is allowed
beside another (since Windows 8):
https://learn.microsoft.com/windows/win32/api/winnt/ns-winnt-jobobject_extended_limit_information.
"""

from __future__ import annotations

import ctypes
import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from editor_app.core.late import load_late
from editor_app.core.tasks.task import SILENT, Job, TaskReporter

#: Exit codes of SIGABRT (what C++ does without memory) and SIGKILL (what Linux does to a process
#: then).
_OUT_OF_MEMORY = (-6, -9)


class JobState(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class JobError:
    """The error in a worker: the exception itself when it can be pickled, and its traceback as
    text."""

    message: str
    traceback: str
    exception: BaseException | None = None


@dataclass(eq=False)
class JobHandle:
    """One submitted job: its `reporter` is called while it runs, `on_end` once at its end.

    `on_end` receives DONE and the result, FAILED and a JobError, or CANCELLED and None.
    """

    name: str
    job: Job
    reporter: TaskReporter = SILENT
    on_end: Callable[[JobState, Any], None] = lambda state, value: None
    state: JobState = JobState.WAITING
    #: Jobs of this name go to the process that ran the last one: it keeps results for the next.
    is_kept: bool = False
    is_stopped: bool = False


def can_copy_process() -> bool:
    """Return whether a copy (fork) of this process is safe: on Linux, with no other thread, not
    even of a library.

    In a copy of a process with several threads, a lock that another thread held is never released.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


#: Seconds without a job after which a process ends, or gives memory back if it keeps results.
IDLE_SECONDS = 60.0


class WorkerPool:
    """At most `size` jobs at a time, in processes that stay alive between jobs; the rest waits in
    order.

    A process without a job for `IDLE_SECONDS` ends; one that keeps results (`JobHandle.is_kept`)
    runs `on_idle`.
    """

    def __init__(
        self,
        size: int = 1,
        preload: tuple[str, ...] = (),
        *,
        behind_window: bool = False,
        on_idle: Job | None = None,
        copy_process: bool = False,
    ) -> None:
        """`preload` names modules that a new process imports while it waits for its first job.

        `behind_window`: the processes give way to the window, which answers while they compute.
        `on_idle`: the job that gives memory back. `copy_process`: copy this process, with the
        modules that it has, where that is safe.
        """
        self._on_idle = on_idle
        #: How a process starts, as `multiprocessing` names it.
        self.start_method = "fork" if copy_process and can_copy_process() else "spawn"
        self._context: Any = multiprocessing.get_context(self.start_method)
        self._preload, self._behind_window = preload, behind_window
        self._lock = threading.RLock()
        self._waiting: deque[JobHandle] = deque()
        self._closed = False
        self._workers: list[_Worker] = []
        self._size = size

    @property
    def has_processes(self) -> bool:
        """True while a process waits or works; after a while without jobs none may."""
        return bool(self._workers)

    def warm(self) -> None:
        """Starts the first process now, so that the first job need not wait for it."""
        with self._lock:
            if not self._workers and not self._closed:
                self._workers.append(_Worker(self))

    def submit(self, handle: JobHandle) -> JobHandle:
        """Runs the job of `handle` as soon as a process is free. Raises RuntimeError after
        `close`."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the worker pool is closed")
            self._waiting.append(handle)
            self._dispatch()
        return handle

    def cancel(self, handle: JobHandle) -> None:
        """End the job at once, whatever it is doing; nothing happens when it is over already."""
        worker: _Worker | None = None
        with self._lock:
            if handle.state is JobState.WAITING:
                self._waiting.remove(handle)
            elif handle.state is JobState.RUNNING:
                worker = self._worker_of(handle)
                if worker is not None:
                    self._workers.remove(worker)
            else:
                return
            handle.state = JobState.CANCELLED
        if worker is not None:
            # Outside the lock: the worker's reader thread may be waiting for it.
            worker.kill()
            with self._lock:
                if not self._closed and len(self._workers) < self._size:
                    self._workers.append(_Worker(self))
                    self._dispatch()
        handle.on_end(JobState.CANCELLED, None)

    def stop(self, handle: JobHandle) -> None:
        """Ask the job to end at its next look at `cancelled`. Its process stays, with all that it
        has prepared."""
        with self._lock:
            handle.is_stopped = True
            # Under the lock, so that it is sent before the next job.
            if worker := self._worker_of(handle):
                worker.messages.put(_STOP)

    def _worker_of(self, handle: JobHandle) -> _Worker | None:
        return next((worker for worker in self._workers if worker.handle is handle), None)

    def close(self) -> None:
        """Cancels everything and ends the processes; returns when they are gone."""
        with self._lock:
            self._closed = True
            workers, self._workers = self._workers, []
            pending = [*self._waiting, *(w.handle for w in workers if w.handle is not None)]
            self._waiting.clear()
            for handle in pending:
                handle.state = JobState.CANCELLED
        for worker in workers:
            worker.kill()
        for handle in pending:
            handle.on_end(JobState.CANCELLED, None)

    def _dispatch(self) -> None:
        self._workers = [w for w in self._workers if w.alive or w.handle is not None]
        while self._waiting:
            handle = self._waiting[0]
            free = [w for w in self._workers if w.handle is None]
            if not free and len(self._workers) >= self._size:
                return
            # A process with results is left to the jobs that need them, as long as there is another
            # one.
            worker = next((w for w in free if handle.name in w.kept), None) or next(
                (w for w in free if not w.kept), None
            )
            if worker is None and len(self._workers) >= self._size:
                worker = free[0]
            if worker is None:
                worker = _Worker(self)
                self._workers.append(worker)
            self._waiting.popleft()
            handle.state = JobState.RUNNING
            worker.run(handle)

    def _finished(self, worker: _Worker, handle: JobHandle, state: JobState, value: Any) -> None:
        with self._lock:
            if handle.state is not JobState.RUNNING:
                return
            handle.state = state
            worker.handle = None
            if not worker.alive and worker in self._workers:
                self._workers.remove(worker)
            if not self._closed:
                self._dispatch()
        handle.on_end(state, value)

    def _rest(self, worker: _Worker) -> bool:
        """Give the memory of a process without a job back; whether the process ends."""
        with self._lock:
            if worker.handle is not None or worker not in self._workers:
                return False
            if worker.kept and self._on_idle is not None:
                if not worker.has_rested:
                    worker.run(JobHandle("rest", self._on_idle, state=JobState.RUNNING))
                    worker.has_rested = True
                return False
            self._workers.remove(worker)
            return True


class _Worker:
    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self.handle: JobHandle | None = None
        #: Names of jobs of which the process keeps results.
        self.kept: set[str] = set()
        #: Whether the process gave memory back after its last job.
        self.has_rested = False
        self._connection, worker_end = pool._context.Pipe()
        self._process: BaseProcess = pool._context.Process(
            target=_serve,
            args=(worker_end, pool._preload, pool._behind_window),
            daemon=True,
            name="xrdf-editor worker",
        )
        self._process.start()
        worker_end.close()
        # A process that still starts does not read, and a pipe holds little: nobody waits for it
        # but a thread.
        #: Jobs, and `_STOP` for the present one, as they are sent; None ends the sending.
        self.messages: SimpleQueue[Any] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True, name="worker reader")
        self._writer = threading.Thread(target=self._write, daemon=True, name="worker writer")
        self._reader.start()
        self._writer.start()

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def run(self, handle: JobHandle) -> None:
        self.handle, self.has_rested = handle, False
        if handle.is_kept:
            self.kept.add(handle.name)
        self.messages.put(handle.job)
        if handle.is_stopped:
            self.messages.put(_STOP)

    def _write(self) -> None:
        while (message := self.messages.get()) is not None:
            try:
                self._connection.send(message)
            except (OSError, ValueError):
                # The process is gone: the reader thread notices and reports it.
                pass
            except Exception as error:
                # A job that cannot be pickled.
                handle = self.handle
                if handle is not None:
                    failure = JobError(str(error), traceback.format_exc(), error)
                    self._pool._finished(self, handle, JobState.FAILED, failure)

    def kill(self) -> None:
        self._process.kill()
        self._process.join(5)
        self.messages.put(None)
        for thread in (self._writer, self._reader):
            if threading.current_thread() is not thread:
                thread.join(5)
        self._connection.close()

    def _read(self) -> None:
        while True:
            try:
                if not self._connection.poll(IDLE_SECONDS):
                    if self._pool._rest(self):
                        self.kill()
                        return
                    continue
                kind, value = self._connection.recv()
            except (EOFError, OSError):
                handle = self.handle
                self._process.join(1)
                self.messages.put(None)
                if handle is not None:
                    code = self._process.exitcode
                    message = f"The background process ended unexpectedly (exit code {code})."
                    cause = None
                    if code in _OUT_OF_MEMORY:
                        message += f" {memory_sentence()}"
                        cause = MemoryError(message)
                    self._pool._finished(
                        self, handle, JobState.FAILED, JobError(message, "", cause)
                    )
                return
            except Exception as error:
                # A result whose class cannot be unpickled here is the job's failure, not the
                # pool's.
                kind, value = JobState.FAILED, JobError(str(error), traceback.format_exc(), error)
            handle = self.handle
            if handle is None or handle.state is not JobState.RUNNING:
                continue
            if kind == "progress":
                handle.reporter.progress(*value)
            elif kind == "partial":
                handle.reporter.partial(value)
            else:
                self._pool._finished(self, handle, kind, value)


#: Sent to a process whose job is to end at its next look at `cancelled`.
_STOP = "stop"


class _Pipe:
    """The end of a `TaskReporter` in a worker process."""

    # More than about 30 messages a second only cost: the last one before the end always gets
    # through as the result.
    _INTERVAL = 1 / 30

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._reported = self._looked = 0.0
        self._is_stopped = False

    def begin(self) -> TaskReporter:
        """Return the reporter of the next job."""
        self._looked, self._is_stopped = 0.0, False
        return TaskReporter(self.progress, self.partial, self.is_stopped)

    def progress(self, share: float, sentence: str) -> None:
        now = time.monotonic()
        if now - self._reported >= self._INTERVAL:
            self._reported = now
            self._connection.send(("progress", (share, sentence)))

    def partial(self, value: Any) -> None:
        self._connection.send(("partial", value))

    def is_stopped(self) -> bool:
        now = time.monotonic()
        if not self._is_stopped and now - self._looked >= self._INTERVAL:
            self._looked = now
            # While a job runs, nothing but _STOP is sent.
            self._is_stopped = self._connection.poll()
        return self._is_stopped


def _end_with_parent() -> None:
    """A window that was killed cannot end its workers; in the middle of a job they would not
    notice."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _serve(connection: Connection[Any, Any], preload: tuple[str, ...], behind_window: bool) -> None:
    # Ctrl-C in the terminal is for the window; it ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if behind_window:
        give_way()
    for module in preload:
        load_late(importlib.import_module(module))
    threading.Thread(target=_end_with_parent, daemon=True, name="parent watch").start()
    limit_memory()
    pipe = _Pipe(connection)
    while True:
        try:
            job = connection.recv()
        except (EOFError, OSError):
            return
        if isinstance(job, str):
            # The job was over by then.
            continue
        try:
            connection.send((JobState.DONE, job(pipe.begin())))
        except (BrokenPipeError, ConnectionResetError):
            return
        except MemoryError:
            connection.send(
                (JobState.FAILED, JobError(memory_sentence(), "", MemoryError(memory_sentence())))
            )
        except Exception as error:
            text = traceback.format_exc()
            try:
                connection.send((JobState.FAILED, JobError(str(error), text, error)))
            except Exception:
                connection.send((JobState.FAILED, JobError(str(error), text)))


#: Niceness of processes that give way, of 0 to 19; Windows has classes instead. The window has
#: three times their share of a core. At 10 it has ten times, and so have all other programs: on a
#: busy machine the findings after an edit took twice as long.
NICENESS = 5
_BELOW_NORMAL_PRIORITY = 0x4000


def give_way() -> None:
    """Lower the priority of this process to `NICENESS`, or to below normal on Windows; it stays
    where it is lower."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetPriorityClass(ctypes.c_void_p(kernel.GetCurrentProcess()), _BELOW_NORMAL_PRIORITY)
        return
    os.nice(max(0, NICENESS - os.nice(0)))


#: Of the machine's memory, above what the process has mapped when it begins.
_SHARE = 0.6


def limit_memory() -> None:
    """Best effort: on Windows, on Linux and other systems that tell their memory and can limit that
    of a process."""
    if sys.platform == "win32":
        limit_process_memory(_SHARE)
        return
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        # A system that does not tell its memory.
        return
    bounds = _address_space()
    if bounds is not None:
        limit, hard = _mapped() + int(_SHARE * whole), bounds[1]
        _limit_address_space(limit if hard < 0 else min(limit, hard), hard)


class MemoryBound:
    """The memory that this process may map while a block runs; best effort, on Linux. It starts
    with no bound.

    `allow` may be called again with more; the end of the block restores the limit that was there.
    """

    def __enter__(self) -> MemoryBound:
        self._start = _mapped()
        self._before = _address_space()
        return self

    def allow(self, more: int) -> None:
        """Let the process map `more` bytes above what it had mapped when the block began, within
        its own limit."""
        if self._before is not None:
            soft, hard = self._before
            bound = self._start + more
            _limit_address_space(bound if soft < 0 else min(bound, soft), hard)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            _limit_address_space(*self._before)


def _address_space() -> tuple[int, int] | None:
    """The soft and hard limit of this process's address space, negative without one; None where
    there are no limits."""
    try:
        import resource

        return resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError, ValueError, AttributeError):
        return None


def _limit_address_space(soft: int, hard: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    except (ImportError, OSError, ValueError, AttributeError):
        # A system without such limits.
        pass


def _mapped() -> int:
    """Bytes of address space that this process has taken already."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 4 << 30
    return pages * os.sysconf("SC_PAGE_SIZE")


def memory_sentence() -> str:
    """Return the message for a worker that hit the memory limit."""
    return (
        "This needs more memory than a background process may use and was stopped. Check the "
        "robot's files for "
        "a huge or repeated mesh."
    )


_LIMIT_PROCESS_MEMORY = 0x100
_EXTENDED_LIMIT_INFORMATION = 9


class _Basic(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION; the six counters of input and output are not asked
    for."""

    _fields_ = (
        ("BasicLimitInformation", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("dwLength", ctypes.c_uint32),
        ("dwMemoryLoad", ctypes.c_uint32),
        ("ullTotalPhys", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def limit_process_memory(share: float, kernel: Any = None) -> bool:
    """Lets this process commit `share` of the machine's memory at most; False when Windows refuses.

    `kernel`: kernel32, by default that of the system.
    """
    if kernel is None:
        kernel = getattr(ctypes, "WinDLL")("kernel32")  # noqa: B009 - only on Windows
    kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
    kernel.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.SetInformationJobObject.argtypes = (
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_uint32,
    )
    status = MemoryStatus(dwLength=ctypes.sizeof(MemoryStatus))
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return False
    limits = ExtendedLimits(ProcessMemoryLimit=int(share * status.ullTotalPhys))
    limits.BasicLimitInformation.LimitFlags = _LIMIT_PROCESS_MEMORY
    # The handle is never closed: the job is to last as long as the process.
    job = kernel.CreateJobObjectW(None, None)
    size = ctypes.sizeof(limits)
    if not job or not kernel.SetInformationJobObject(
        job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), size
    ):
        return False
    return bool(kernel.AssignProcessToJobObject(job, kernel.GetCurrentProcess()))
