"""The verb batch: hundreds of robots through the verbs, resumable, and one page that tells of all.

What was done from the same inputs by the same program is not done again; a robot that cannot be
worked on, or whose process is killed, is told of, and the others go on. Work is done in processes
of this machine, or by the workers of a Dask cluster.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from editor_app.core.libraries import install_command
from editor_app.core.model.counting import format_count
from editor_app.core.tasks.executor import ProcessExecutor, usual_processes
from editor_app.core.tasks.task import SILENT, Task
from editor_app.core.tasks.work import (
    Cancel,
    Cancelled,
    Progress,
    Refused,
    check_arguments,
    never,
    silent,
)
from editor_app.core.verbs.robot_picture import draw_robot
from editor_app.plugins.fleets.verbs.fleet import (
    READING_ERRORS,
    Fleet,
    FleetRobot,
    RobotInputs,
    gathered,
    read_fleet,
)
from editor_app.plugins.fleets.verbs.report import BatchReport, BatchRobot, changes, page
from editor_app.plugins.fleets.verbs.robot_job import RobotResult, failed, work_on_robot
from editor_app.plugins.fleets.verbs.store import PAGE, Store, Stored

#: Seconds between two looks at `cancel`.
_LOOK = 0.2
_SIZE = (480, 400)
#: Seconds that a robot may take.
USUAL_LIMIT = 3600.0


@check_arguments
def batch(
    source: str | Path,
    out: str | Path,
    *,
    settings: Mapping[str, Any] | None = None,
    packages: Mapping[str, Path] | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    pictures: bool = True,
    limit: float = USUAL_LIMIT,
    overwrite: bool = False,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> BatchReport:
    """The robots of `source` (a folder with URDFs, or a manifest) through the steps; results go to
    the folder `out`.

    `settings`: by the names of BatchSettings; they go before the manifest's. `packages`: as of
    `open_robot`. `jobs`: processes (None: one per processor); `dask`: the address of a scheduler
    whose workers are asked instead. `limit`: seconds that one robot may take. `overwrite` replaces
    results in `out` that somebody has changed. After a cancel, or a crash, calling it again goes
    on. Raises Refused, FormatError, SaveError, OSError, Cancelled.
    """
    started = time.perf_counter()
    store = Store(Path(out), overwrite=overwrite)
    fleet = read_fleet(Path(source), settings, packages=packages, without=store.folder)
    tally = _Tally(len(fleet.robots), progress)
    with contextlib.closing(Photographer(enabled=pictures)) as photographer:
        done: dict[str, BatchRobot] = {}
        for robot, stored, reused in _results(fleet, store, jobs, dask, limit, tally, cancel):
            if pictures and stored.files and not store.has_picture(robot.name):
                photographer.ask(robot, store.home(robot.name))
            done[robot.name] = _told(robot.name, stored, reused, store)
            for name, png in photographer.developed(0.0):
                store.put_picture(name, png)
        for name, png in photographer.developed(None, cancel):
            store.put_picture(name, png)
    robots = tuple(
        replace(done[each.name], has_picture=store.has_picture(each.name)) for each in fleet.robots
    )
    gone = tuple(name for name in store.last_run if name not in done)
    notes = tuple(store.notes)
    report = BatchReport(robots, gone, store.folder / PAGE, time.perf_counter() - started, notes)
    store.put_page(page(report, Path(source).name))
    store.finish({robot.name: robot.record for robot in robots})
    return report


# -- inside


def _results(
    fleet: Fleet,
    store: Store,
    jobs: int | None,
    dask: str | None,
    limit: float,
    tally: _Tally,
    cancel: Cancel,
) -> Iterator[tuple[FleetRobot, Stored, bool]]:
    """(robot, its result, whether it was there already), as they are done."""
    by_name = {robot.name: robot for robot in fleet.robots}
    waiting: list[tuple[FleetRobot, RobotInputs]] = []
    for robot in fleet.robots:
        if cancel():
            raise Cancelled
        lookup = _looked_up(robot, store)
        if isinstance(lookup, RobotInputs):
            waiting.append((robot, lookup))
        else:
            tally.skip()
            yield (robot, *lookup)
    if not waiting:
        return
    with open_runner(min(jobs or usual_processes(), len(waiting)), dask, limit) as runner:
        for inputs, result in _run(runner, [inputs for _, inputs in waiting], tally, cancel):
            # What ended with its process, or failed by a fault of the program, may go better next
            # time.
            failed = any(step["state"] == "failed" for step in result.record["steps"])
            stored = store.put(result, "" if failed else inputs.key)
            tally.count(inputs.name)
            yield by_name[inputs.name], stored, False


def _looked_up(robot: FleetRobot, store: Store) -> RobotInputs | tuple[Stored, bool]:
    """The inputs of a robot that is to be worked on, else its result, and whether that was there
    already."""
    try:
        inputs = gathered(robot)
        stored = store.sound(robot.name, inputs.key)
    except READING_ERRORS as error:
        return store.put(failed(robot.name, "open", str(error)), ""), False
    return inputs if stored is None else (stored, True)


def _run(
    runner: Runner, waiting: list[RobotInputs], tally: _Tally, cancel: Cancel
) -> Iterator[tuple[RobotInputs, RobotResult]]:
    """No more robots at a time than there are slots: what is given to a cluster fills its
    memory."""
    left, running, told = list(reversed(waiting)), 0, ""
    while left or running:
        if cancel():
            raise Cancelled
        if told != (workers := runner.workers):
            told = workers
            tally.tell(workers)
        while left and running < runner.slots:
            runner.submit(left.pop())
            running += 1
        for inputs, result in runner.finished(_LOOK):
            running -= 1
            yield inputs, result


def _told(name: str, stored: Stored, reused: bool, store: Store) -> BatchRobot:
    since = changes(store.last_run.get(name), stored.record)
    return BatchRobot(name, stored.record, tuple(stored.files), stored.seconds, reused, since)


class _Tally:
    """How far the fleet is, and how long the rest will take: by what the robots so far took."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._total, self._progress = total, progress
        self._skipped = self._done = 0
        self._began = time.monotonic()

    def skip(self) -> None:
        self._skipped += 1
        self._began = time.monotonic()

    def tell(self, sentence: str) -> None:
        """Something about the whole fleet."""
        self._progress((self._skipped + self._done) / self._total, sentence)

    def count(self, name: str) -> None:
        self._done += 1
        done, left = self._skipped + self._done, self._total - self._skipped - self._done
        seconds = (time.monotonic() - self._began) / self._done * left
        rest = f", about {_spoken(seconds)} left" if left else ""
        self._progress(done / self._total, f"{done} of {self._total} robots{rest}: {name}")


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


# -- pictures, made in a process of their own: what draws may crash, and this one never draws


class Photographer:
    """Takes pictures beside the work; one that cannot be taken is left out."""

    def __init__(self, *, enabled: bool) -> None:
        self._executor = ProcessExecutor(1) if enabled else None
        self._futures: dict[Future[bytes], str] = {}

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def ask(self, robot: FleetRobot, home: Path) -> None:
        """Has a picture taken of a robot whose results are in `home`."""
        if self._executor is not None:
            xrdf = home / f"{robot.urdf.stem}.xrdf"
            files = (
                robot.urdf.absolute(),
                xrdf.absolute() if xrdf.is_file() else None,
                robot.packages,
            )
            self._futures[self._executor.submit(draw_robot, *files, _SIZE)] = robot.name

    def developed(
        self, seconds: float | None, cancel: Cancel = never
    ) -> Iterator[tuple[str, bytes]]:
        """(robot, PNG) of the pictures that are taken; with None, of all. Raises Cancelled."""
        while self._futures:
            finished, _ = wait(
                self._futures,
                timeout=_LOOK if seconds is None else seconds,
                return_when=FIRST_COMPLETED,
            )
            for future in finished:
                name = self._futures.pop(future)
                if future.exception() is None:
                    yield name, future.result()
            if seconds is not None:
                return
            if cancel():
                raise Cancelled


#: How often a robot is given again to a cluster that lost its inputs with a worker.
_ATTEMPTS = 5


def open_runner(jobs: int, dask: str | None, limit: float) -> contextlib.closing[Runner]:
    """A runner of `jobs` processes, or of the cluster whose scheduler has the address `dask`.

    `limit`: seconds that a robot may take. Raises Refused.
    """
    return contextlib.closing(LocalRunner(jobs, limit) if dask is None else DaskRunner(dask, limit))


def _too_long(inputs: RobotInputs, limit: float) -> RobotResult:
    return failed(inputs.name, "run", f"It took longer than {limit:g} s and was stopped.")


class LocalRunner:
    """Processes of this machine, which are warm from one robot to the next; a killed one is
    replaced.

    `slots`: how many robots are worked on at a time. `workers`: who works elsewhere, and what to do
    where nobody does; empty for this machine. `submit` begins with a robot; `finished` gives those
    that are done, after `seconds` at most, and raises Refused when nothing can be done any more.
    """

    workers = ""

    def __init__(self, jobs: int, limit: float) -> None:
        self._executor = ProcessExecutor(jobs)
        self.slots, self._limit = jobs, limit
        self._futures: dict[Future[RobotResult], tuple[RobotInputs, float]] = {}

    def submit(self, inputs: RobotInputs) -> None:
        future = self._executor.submit_job(Task(work_on_robot, inputs))
        self._futures[future] = inputs, time.monotonic()

    def finished(self, seconds: float) -> list[tuple[RobotInputs, RobotResult]]:
        done, _ = wait(self._futures, timeout=seconds, return_when=FIRST_COMPLETED)
        late = [
            f for f, (_, began) in self._futures.items() if time.monotonic() - began > self._limit
        ]
        results = []
        for future in {*done, *late}:
            inputs, _ = self._futures.pop(future)
            if future not in done:
                future.cancel()
                results.append((inputs, _too_long(inputs, self._limit)))
            else:
                result = _result(inputs, future.result)
                results.append((inputs, result or failed(inputs.name, "run", "It was cancelled.")))
        return results

    def close(self) -> None:
        self._executor.shutdown(cancel_futures=True)


def _result(inputs: RobotInputs, result: Callable[[], RobotResult]) -> RobotResult | None:
    """None where it was cancelled, or lost."""
    try:
        return result()
    except CancelledError:
        return None
    except Exception as error:
        # What the process says at its end, or what kept its answer from coming back.
        return failed(
            inputs.name, "run", str(error).strip().rpartition("\n")[2] or type(error).__name__
        )


class DaskRunner:
    """The workers of a cluster of Dask, as `LocalRunner`. A content that several robots use travels
    once, by digest.

    A worker that is lost takes contents along that only it had: the robots that need them are given
    again.
    """

    def __init__(self, address: str, limit: float) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise Refused(
                f"--dask needs the package distributed: {install_command('dask')}"
            ) from error
        try:
            self._client = Client(address, timeout=10, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise Refused(f"no Dask scheduler responds at {address}: {error}") from error
        self._address, self._limit = address, limit
        self._contents: dict[str, Any] = {}
        self._to_give: list[tuple[RobotInputs, int]] = []
        self._futures: dict[Any, tuple[RobotInputs, float, int]] = {}

    @property
    def slots(self) -> int:
        return max(1, sum(self._threads().values()))

    @property
    def workers(self) -> str:
        threads = self._threads()
        if not threads:
            start = f"`dask worker {self._address}` where xrdf-editor is installed"
            return f"The scheduler of Dask has 0 workers and waits. Start one by {start}."
        return (
            f"The scheduler of Dask has {format_count(len(threads), 'worker')}, "
            f"{format_count(sum(threads.values()), 'thread')}."
        )

    def _threads(self) -> dict[str, int]:
        """Worker -> its threads."""
        threads: dict[str, int] = (
            self._client.nthreads() if self._client.status == "running" else {}
        )
        return threads

    def submit(self, inputs: RobotInputs) -> None:
        self._to_give.append((inputs, 1))

    def finished(self, seconds: float) -> list[tuple[RobotInputs, RobotResult]]:
        until = time.monotonic() + seconds
        results = self._given()
        while not results:
            if self._client.status not in ("running", "connecting"):
                raise Refused(
                    f"the scheduler of Dask at {self._address} is gone; finished results are kept"
                )
            for future, (inputs, began, attempt) in list(self._futures.items()):
                result = self._taken(future, inputs, began, attempt)
                if result is not None:
                    results.append((inputs, result))
            if results or time.monotonic() >= until:
                break
            time.sleep(0.05)
        return results

    def _given(self) -> list[tuple[RobotInputs, RobotResult]]:
        """Gives what waits to the cluster; what cannot be read any more is done, and what a worker
        that just died should have taken waits for the next time."""
        if not self._to_give or not self._threads():
            # What is sent to nobody is waited for in silence.
            return []
        waiting, self._to_give = self._to_give, []
        results = []
        for inputs, attempt in waiting:
            try:
                contents = {
                    d: path.read_bytes()
                    for d, path in inputs.digests.items()
                    if d not in self._contents
                }
            except OSError as error:
                results.append((inputs, failed(inputs.name, "run", str(error))))
                continue
            try:
                self._give(inputs, contents, attempt)
            except (OSError, TimeoutError):
                self._to_give.append((inputs, attempt))
        return results

    def _give(self, inputs: RobotInputs, contents: dict[str, bytes], attempt: int) -> None:
        """Raises OSError and TimeoutError where no worker takes it now."""
        for digest, content in contents.items():
            # Through the scheduler, which knows first who is gone.
            sent = self._client.scatter({f"xrdf-editor-{digest}": content}, direct=False)
            (self._contents[digest],) = sent.values()
        given = {digest: self._contents[digest] for digest in inputs.digests}
        key = f"xrdf-editor-robot-{inputs.key}-{attempt}"
        # Another machine has no use for the paths of this one.
        placeless = replace(
            inputs, files=tuple(replace(file, source=Path()) for file in inputs.files)
        )
        future = self._client.submit(_on_worker, placeless, given, key=key, pure=False)
        self._futures[future] = inputs, time.monotonic(), attempt

    def _taken(
        self, future: Any, inputs: RobotInputs, began: float, attempt: int
    ) -> RobotResult | None:
        """The result of a future that is done; one that was lost is begun again."""
        if not future.done():
            if time.monotonic() - began <= self._limit:
                return None
            del self._futures[future]
            future.cancel(force=True)
            return _too_long(inputs, self._limit)
        del self._futures[future]
        # A worker may also die with a result that was not fetched yet.
        is_lost = future.status in ("cancelled", "lost")
        result = None if is_lost else _result(inputs, future.result)
        if result is not None:
            return result
        if attempt < _ATTEMPTS:
            for digest in inputs.digests:
                self._contents.pop(digest, None)
            self._to_give.append((inputs, attempt + 1))
            return None
        return failed(inputs.name, "run", f"The cluster lost it {attempt} times.")

    def close(self) -> None:
        for future in self._futures:
            future.cancel(force=True)
        self._futures.clear()
        self._contents.clear()
        self._client.close()


Runner = LocalRunner | DaskRunner


def _on_worker(inputs: RobotInputs, contents: dict[str, bytes]) -> RobotResult:
    return work_on_robot(SILENT, inputs, contents)
