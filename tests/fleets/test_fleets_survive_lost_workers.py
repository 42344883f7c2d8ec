"""A fleet on a cluster of Dask: separate processes, one of which is killed, give the bytes of one
machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.tasks.work import Refused
from editor_app.plugins.fleets.verbs.robot_job import work_on_robot
from editor_app.plugins.fleets.verbs.run import batch
from tests.helpers.robots import REPOSITORY
from tests.helpers.small_robot import URDF_TEXT

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")

SETTINGS = {"steps": ["new", "check", "convert"], "formats": ["lula"]}
WAIT = 120


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", f"distributed.cli.{arguments[0]}", *arguments[1:]]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, each a process of its own; a killed worker is not started
    again."""
    file, host = tmp_path / "scheduler.json", ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = ("dask_scheduler", *host, "--port", "0", "--no-show", "--scheduler-file", str(file))
    worker = ("dask_worker", *host, "--no-nanny", "--nthreads", "1", "--scheduler-file", str(file))
    processes = [_start(*scheduler)]
    try:
        processes += [
            _start(*worker, "--local-directory", str(tmp_path / f"dask-{n}")) for n in range(2)
        ]
        with distributed.Client(
            scheduler_file=str(file), timeout=WAIT, set_as_default=False
        ) as client:
            client.wait_for_workers(2, timeout=WAIT)
            address = client.scheduler.address
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait(WAIT)


def test_a_killed_worker_costs_nothing_but_time_and_the_bytes_are_those_of_one_machine(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, workers = cluster
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    for number in range(6):
        (fleet / f"arm{number}.urdf").write_text(URDF_TEXT.replace("0 0 0.3", f"0 0 0.3{number}"))
    killed: list[int] = []
    with distributed.Client(address, set_as_default=False) as client:

        def kill_one_at_work(share: float, sentence: str) -> None:
            # After the first robot: the other worker is at the next one, and four are still to be
            # given out.
            if not killed:
                pids = client.run(os.getpid)
                busy = [worker for worker, tasks in client.processing().items() if tasks]
                killed.append(pids[(busy or list(pids))[0]])
                os.kill(killed[0], signal.SIGKILL)

        report = batch(
            fleet,
            tmp_path / "there",
            settings=SETTINGS,
            dask=address,
            pictures=False,
            progress=kill_one_at_work,
        )
    (dead,) = (worker for worker in workers if worker.pid in killed)
    assert dead.wait(WAIT) == -signal.SIGKILL
    assert [robot.problems for robot in report.robots] == [0] * 6

    # The same fleet on this machine takes everything over: nothing of the inputs or of the results
    # differs.
    again = batch(fleet, tmp_path / "there", settings=SETTINGS, jobs=1, pictures=False)
    assert all(robot.reused for robot in again.robots)
    for robot in report.robots:
        local = _local(fleet, robot.name)
        for name, data in local.items():
            assert (tmp_path / "there" / robot.name / name).read_bytes() == data
        assert set(local) == set(robot.files)


def _local(fleet: Path, name: str) -> dict[str, bytes]:
    from editor_app.core.tasks.task import SILENT
    from editor_app.plugins.fleets.verbs.fleet import gathered, read_fleet

    (robot,) = (robot for robot in read_fleet(fleet, SETTINGS).robots if robot.name == name)
    return work_on_robot(SILENT, gathered(robot)).files


def test_a_robot_whose_result_dies_with_its_worker_is_worked_on_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told as finished, and lost before it is fetched: a moment that no kill hits at will."""
    (tmp_path / "arm.urdf").write_text(URDF_TEXT)
    lost: list[str] = []

    class Client:
        status = "running"

        def __init__(self, *_: object, **__: object) -> None: ...

        def nthreads(self) -> dict[str, int]:
            return {"worker": 1}

        def scatter(self, contents: dict[str, bytes], direct: bool) -> dict[str, bytes]:
            return contents

        def submit(self, function: Any, *arguments: Any, key: str, pure: bool) -> Any:
            future: Future[Any] = Future()
            if lost:
                future.set_result(function(*arguments))
            else:
                lost.append(key)
                future.set_exception(
                    distributed.client.FutureCancelledError(key, "worker died", None)
                )
            future.status = "finished"  # type: ignore[attr-defined]
            return future

        def close(self) -> None: ...

    monkeypatch.setattr(distributed, "Client", Client)
    report = batch(
        tmp_path, tmp_path / "out", settings=SETTINGS, dask="tcp://there:1", pictures=False
    )
    assert len(lost) == 1
    assert [robot.problems for robot in report.robots] == [0]


def test_an_address_at_which_nobody_answers_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arm.urdf").write_text(URDF_TEXT)
    with pytest.raises(Refused, match="no Dask scheduler responds at nonsense"):
        batch(
            tmp_path,
            tmp_path / "out",
            settings=SETTINGS,
            dask="nonsense://127.0.0.1:1",
            pictures=False,
        )


def test_a_scheduler_without_workers_is_told_at_once_and_its_first_worker_begins(
    tmp_path: Path,
) -> None:
    """No future is waited for, nothing is sent to nobody: the sentence comes before any worker
    does."""
    file, host = tmp_path / "scheduler.json", ("--host", "127.0.0.1", "--no-dashboard")
    processes = [
        _start("dask_scheduler", *host, "--port", "0", "--no-show", "--scheduler-file", str(file))
    ]
    (tmp_path / "arm.urdf").write_text(URDF_TEXT)
    told: list[str] = []

    def progress(share: float, sentence: str) -> None:
        told.append(sentence)
        if "0 workers" in sentence:
            options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(tmp_path / "dask"))
            processes.append(_start("dask_worker", *host, *options, "--scheduler-file", str(file)))

    try:
        with distributed.Client(
            scheduler_file=str(file), timeout=WAIT, set_as_default=False
        ) as client:
            address = client.scheduler.address
        report = batch(
            tmp_path,
            tmp_path / "out",
            settings=SETTINGS,
            dask=address,
            pictures=False,
            progress=progress,
            limit=WAIT,
        )
    finally:
        for process in processes:
            process.kill()
            process.wait(WAIT)
    assert [robot.problems for robot in report.robots] == [0]
    assert told[0].startswith("The scheduler of Dask has 0 workers")
    assert f"`dask worker {address}`" in told[0]
    assert told[1] == "The scheduler of Dask has 1 worker, 1 thread."
