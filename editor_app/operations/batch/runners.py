"""Where the robots of a fleet are worked on: the processes of this machine, or the workers of a Dask cluster.

A runner never raises for a robot: one whose process was killed, or that takes too long, gets a result that says so.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

from editor_app.model.counting import counted
from editor_app.operations.batch.inputs import RobotInputs
from editor_app.operations.batch.robot_job import RobotJob, RobotResult, failed
from editor_app.operations.work import Refused, Telling, silent
from editor_app.tasks.executor import ProcessExecutor

#: How often a robot is given again to a cluster that lost its inputs with a worker.
_ATTEMPTS = 5


@contextlib.contextmanager
def open_runner(jobs: int, dask: str | None, limit: float) -> Iterator[Runner]:
    """A runner of `jobs` processes, or of the cluster whose scheduler has the address `dask`.

    `limit`: seconds that a robot may take. Raises Refused.
    """
    runner: Runner = LocalRunner(jobs, limit) if dask is None else DaskRunner(dask, limit)
    try:
        yield runner
    finally:
        runner.close()


def _too_long(inputs: RobotInputs, limit: float) -> RobotResult:
    return failed(inputs.name, "run", f"It took longer than {limit:g} s and was ended.")


class LocalRunner:
    """Processes of this machine, which are warm from one robot to the next; a killed one is replaced.

    `slots`: how many robots are worked on at a time. `workers`: who works elsewhere, and what to do where nobody does;
    empty for this machine. `submit` begins with a robot; `finished` gives those that are done, after `seconds` at most,
    and raises Refused when nothing can be done any more.
    """

    def __init__(self, jobs: int, limit: float) -> None:
        self._executor = ProcessExecutor(jobs)
        self._jobs, self._limit = jobs, limit
        self._futures: dict[Future[RobotResult], tuple[RobotInputs, float]] = {}

    @property
    def slots(self) -> int:
        return self._jobs

    @property
    def workers(self) -> str:
        return ""

    def submit(self, inputs: RobotInputs) -> None:
        future = self._executor.submit_job(RobotJob(inputs))
        self._futures[future] = inputs, time.monotonic()

    def finished(self, seconds: float) -> list[tuple[RobotInputs, RobotResult]]:
        done, _ = wait(self._futures, timeout=seconds, return_when=FIRST_COMPLETED)
        late = [f for f, (_, began) in self._futures.items() if time.monotonic() - began > self._limit]
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
        return failed(inputs.name, "run", str(error).strip().rpartition("\n")[2] or type(error).__name__)


class DaskRunner:
    """The workers of a cluster of Dask, as `LocalRunner`. A content that several robots use travels once, by digest.

    A worker that is lost takes contents along that only it had: the robots that need them are given again.
    """

    def __init__(self, address: str, limit: float) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise Refused("--dask needs the package distributed: install xrdf-editor with the extra dask") from error
        try:
            self._client = Client(address, timeout=10, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise Refused(f"no scheduler of Dask answers at {address}: {error}") from error
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
            f"The scheduler of Dask has {counted(len(threads), 'worker')}, {counted(sum(threads.values()), 'thread')}."
        )

    def _threads(self) -> dict[str, int]:
        """Worker -> its threads."""
        threads: dict[str, int] = self._client.nthreads() if self._client.status == "running" else {}
        return threads

    def submit(self, inputs: RobotInputs) -> None:
        self._to_give.append((inputs, 1))

    def finished(self, seconds: float) -> list[tuple[RobotInputs, RobotResult]]:
        until = time.monotonic() + seconds
        results = self._given()
        while not results:
            if self._client.status not in ("running", "connecting"):
                raise Refused(f"the scheduler of Dask at {self._address} is gone; what is done is kept")
            for future, (inputs, began, attempt) in list(self._futures.items()):
                result = self._taken(future, inputs, began, attempt)
                if result is not None:
                    results.append((inputs, result))
            if results or time.monotonic() >= until:
                break
            time.sleep(0.05)
        return results

    def _given(self) -> list[tuple[RobotInputs, RobotResult]]:
        """Gives what waits to the cluster; what cannot be read any more is done, and what a worker that just died
        should have taken waits for the next time."""
        if not self._to_give or not self._threads():
            # What is sent to nobody is waited for in silence.
            return []
        waiting, self._to_give = self._to_give, []
        results = []
        for inputs, attempt in waiting:
            try:
                contents = {d: path.read_bytes() for d, path in inputs.digests.items() if d not in self._contents}
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
        future = self._client.submit(_on_worker, _without_places(inputs), given, key=key, pure=False)
        self._futures[future] = inputs, time.monotonic(), attempt

    def _taken(self, future: Any, inputs: RobotInputs, began: float, attempt: int) -> RobotResult | None:
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


def _without_places(inputs: RobotInputs) -> RobotInputs:
    """Without the paths of this machine: another one has no use for them."""
    return replace(inputs, files=tuple(replace(file, source=Path()) for file in inputs.files))


def _on_worker(inputs: RobotInputs, contents: dict[str, bytes]) -> RobotResult:
    return RobotJob(inputs, contents)(Telling(silent))
