"""The verb batch: hundreds of robots through the verbs, resumable, and one page that tells of all.

What was done from the same inputs by the same program is not done again; a robot that cannot be worked on, or whose
process is killed, is told of, and the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from editor_app.operations.arguments import checked
from editor_app.operations.batch.fleet import Fleet, FleetRobot, read_fleet
from editor_app.operations.batch.inputs import READING_ERRORS, RobotInputs, gathered
from editor_app.operations.batch.page import page
from editor_app.operations.batch.report import BatchReport, BatchRobot, changes
from editor_app.operations.batch.robot_job import RobotResult, failed
from editor_app.operations.batch.runners import Runner, open_runner
from editor_app.operations.batch.store import PAGE, Store, Stored
from editor_app.operations.robot_picture import PictureJob
from editor_app.operations.work import Cancel, Cancelled, Progress, never, silent
from editor_app.tasks.executor import ProcessExecutor, usual_processes

#: Seconds between two looks at `cancel`.
_LOOK = 0.2
_SIZE = (480, 400)
#: Seconds that a robot may take.
USUAL_LIMIT = 3600.0


@checked
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
    progress: Progress = silent,
    cancel: Cancel = never,
) -> BatchReport:
    """The robots of `source` (a folder with URDFs, or a manifest) through the steps; results go to the folder `out`.

    `settings`: by the names of BatchSettings; they go before the manifest's. `packages`: as of `open_robot`.
    `jobs`: processes (None: one per processor); `dask`: the address of a scheduler whose workers are asked instead.
    `limit`: seconds that one robot may take. After a cancel, or a crash, calling it again goes on.
    Raises Refused, FormatError, SaveError, OSError, Cancelled.
    """
    started = time.perf_counter()
    store = Store(Path(out))
    fleet = read_fleet(Path(source), settings, packages=packages, without=store.folder)
    tally = _Tally(len(fleet.robots), progress)
    with Photographer(enabled=pictures) as photographer:
        done: dict[str, BatchRobot] = {}
        for robot, stored, reused in _results(fleet, store, jobs, dask, limit, tally, cancel):
            if pictures and stored.files and not store.has_picture(robot.name):
                photographer.ask(robot, store.home(robot.name))
            done[robot.name] = _told(robot.name, stored, reused, store)
            for name, png in photographer.developed(0.0):
                store.put_picture(name, png)
        for name, png in photographer.developed(None, cancel):
            store.put_picture(name, png)
    robots = tuple(replace(done[each.name], has_picture=store.has_picture(each.name)) for each in fleet.robots)
    gone = tuple(name for name in store.last_run if name not in done)
    notes = tuple(store.notes)
    report = BatchReport(robots, gone, store.folder / PAGE, time.perf_counter() - started, notes)
    store.put_page(page(report, Path(source).name))
    store.finish({robot.name: robot.record for robot in robots})
    return report


# -- inside


def _results(
    fleet: Fleet, store: Store, jobs: int | None, dask: str | None, limit: float, tally: _Tally, cancel: Cancel
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
            stored = store.put(result, "" if _is_to_be_tried_again(result) else inputs.key)
            tally.count(inputs.name)
            yield by_name[inputs.name], stored, False


def _looked_up(robot: FleetRobot, store: Store) -> RobotInputs | tuple[Stored, bool]:
    """The inputs of a robot that is to be worked on, else its result, and whether that was there already."""
    try:
        inputs = gathered(robot)
        stored = store.sound(robot.name, inputs.key)
    except READING_ERRORS as error:
        return store.put(failed(robot.name, "open", str(error)), ""), False
    return inputs if stored is None else (stored, True)


def _run(
    runner: Runner, waiting: list[RobotInputs], tally: _Tally, cancel: Cancel
) -> Iterator[tuple[RobotInputs, RobotResult]]:
    """No more robots at a time than there are slots: what is given to a cluster fills its memory."""
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


def _is_to_be_tried_again(result: RobotResult) -> bool:
    """What ended with its process, or failed by a fault of the program, may go better next time."""
    return any(step["state"] == "failed" for step in result.record["steps"])


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
    """Takes pictures beside the work; one that cannot be taken is left out. A context manager."""

    def __init__(self, *, enabled: bool) -> None:
        self._executor = ProcessExecutor(1) if enabled else None
        self._futures: dict[Future[bytes], str] = {}

    def __enter__(self) -> Photographer:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def ask(self, robot: FleetRobot, home: Path) -> None:
        """Has a picture taken of a robot whose results are in `home`."""
        if self._executor is not None:
            xrdf = home / f"{robot.urdf.stem}.xrdf"
            job = PictureJob(robot.urdf.absolute(), xrdf.absolute() if xrdf.is_file() else None, robot.packages, _SIZE)
            self._futures[self._executor.submit_job(job)] = robot.name

    def developed(self, seconds: float | None, cancel: Cancel = never) -> Iterator[tuple[str, bytes]]:
        """(robot, PNG) of the pictures that are taken; with None, of all. Raises Cancelled."""
        while self._futures:
            finished, _ = wait(
                self._futures, timeout=_LOOK if seconds is None else seconds, return_when=FIRST_COMPLETED
            )
            for future in finished:
                name = self._futures.pop(future)
                if future.exception() is None:
                    yield name, future.result()
            if seconds is not None:
                return
            if cancel():
                raise Cancelled
