"""Workers of tests with a window are forked from one process that has loaded what jobs need; where
there is fork.

The window's own way, a fresh interpreter, takes seconds of CPU for each of some hundred workers.
That way is tested by test_worker_pool_cancels_at_once, by the command line with several processes,
and from start to end in end2end.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from typing import Any

import pytest

from editor_app.core.tasks.worker import WorkerPool
from tests.helpers.kept_jobs import answers_are_kept

_LOADED = "tests.helpers.loaded_workers"


@pytest.fixture(scope="session", autouse=True)
def answers_of_workers_are_kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with answers_are_kept(tmp_path_factory):
        yield


@pytest.fixture(scope="session", autouse=True)
def workers_are_forked() -> Iterator[None]:
    """Pools that are made from now on fork their processes; the server that does it starts to load
    at once."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        yield
        return
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_LOADED])
    forkserver.ensure_running()
    make = WorkerPool.__init__

    def made(pool: WorkerPool, *arguments: Any, **named: Any) -> None:
        make(pool, *arguments, **named)
        pool._context = context  # type: ignore[assignment]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerPool, "__init__", made)
        yield
