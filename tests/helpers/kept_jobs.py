"""What workers of the window answer is kept for the test run: many tests ask the same about the
same robot.

A job still goes through the window, a worker and its pipe; only its computation is left out the
second time, in this test process or the one beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path, PurePath
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import PlacedRobot
from editor_app.core.tasks.worker import JobHandle, WorkerPool
from editor_app.features.checks.verbs.check import slow_findings, slow_findings_again
from editor_app.features.masks.verbs.mesh_look import mesh_look
from editor_app.features.spheres.verbs.link_figures import measure_spheres
from editor_app.features.spheres.verbs.link_fits import (
    compute_loss_curve,
    compute_quality_curve,
    fit_link,
)

#: Functions and verbs of tasks whose answer follows from their arguments, and from the files in the
#: folder of their URDF.
KINDS: tuple[object, ...] = (
    fit_link,
    compute_loss_curve,
    compute_quality_curve,
    measure_spheres,
    mesh_look,
    slow_findings,
    slow_findings_again,
)
#: Times that were measured.
_NOT_ASKED = ("wall_seconds", "cpu_seconds")


@contextlib.contextmanager
def answers_are_kept(folders: pytest.TempPathFactory) -> Iterator[None]:
    """Jobs that are given to workers meanwhile are `KeptJob`s, where they are of `KINDS`."""
    base = folders.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kept-answers"
    folder.mkdir(exist_ok=True)
    submit = WorkerPool.submit

    def submitted(pool: WorkerPool, handle: JobHandle) -> JobHandle:
        if _asked(handle.job)[0] in KINDS:
            handle.job = KeptJob(handle.job, folder)
        return submit(pool, handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerPool, "submit", submitted)
        yield


@pytest.fixture
def nothing_is_kept() -> Iterator[None]:
    """For tests of work that is cut short: what is kept would come at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.helpers.kept_jobs.KINDS", ())
        yield


@dataclass(frozen=True)
class Answer:
    """A job that is done already, or as soon as the file `after` is there."""

    value: Any
    after: Path | None = None

    def __call__(self, reporter: TaskReporter) -> Any:
        while self.after is not None and not self.after.exists():
            time.sleep(0.02)
        return self.value


class NotKept(Exception):
    """The answer to a job does not follow from what can be compared."""


@dataclass(frozen=True)
class KeptJob:
    job: Any
    folder: Path

    def __call__(self, reporter: TaskReporter) -> Any:
        try:
            path = self.folder / key(self.job)
        except NotKept:
            return self.job(reporter)
        if path.is_file() and not reporter.cancelled():
            partials, value = pickle.loads(path.read_bytes())
            for each in partials:
                reporter.partial(each)
            return value
        partials = []

        def listen(value: Any) -> None:
            partials.append(value)
            reporter.partial(value)

        value = self.job(replace(reporter, partial=listen))
        kept = pickle.dumps((partials, value))
        # What names a file of this test would be wrong in another; what was cut short is no answer.
        if (
            value is not None
            and tempfile.gettempdir().encode() not in kept
            and not reporter.cancelled()
        ):
            written = path.with_suffix(f".{os.getpid()}")
            written.write_bytes(kept)
            written.replace(path)
        return value


def key(job: Any) -> str:
    """The same for the same question about a robot, and meshes, of the same bytes, wherever their
    folder is.

    Raises NotKept.
    """
    digest = hashlib.sha256()
    placed = next((each for each in _asked(job)[1] if isinstance(each, PlacedRobot)), job)
    urdf: Path | None = getattr(placed, "urdf_path", None)
    if urdf is not None and urdf.is_relative_to(tempfile.gettempdir()):
        # A job may begin after the folder of its test is gone.
        if not urdf.is_file() or any(
            way in urdf.read_text() for way in ("../", "package://", "file:")
        ):
            raise NotKept
        for file in sorted(urdf.parent.rglob("*")):
            if file.suffix not in (".xrdf", ".srdf") and file.is_file():
                digest.update(file.read_bytes())
    _feed(digest, job)
    return digest.hexdigest()


def _asked(job: Any) -> tuple[object, tuple[Any, ...]]:
    """The class of a job, or the function or verb of a task, and its arguments."""
    return (job.function, job.arguments) if isinstance(job, Task) else (type(job), ())


def _feed(digest: Any, value: Any) -> None:
    """Raises NotKept for a value of no type that is here."""
    digest.update(type(value).__name__.encode())
    if isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode())
        digest.update(value.tobytes())
    elif isinstance(value, PurePath):
        in_a_test = value.is_relative_to(tempfile.gettempdir())
        digest.update((value.name if in_a_test else str(value)).encode())
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in _NOT_ASKED:
                digest.update(field.name.encode())
                _feed(digest, getattr(value, field.name))
    elif isinstance(value, partial):
        _feed(digest, value.args)
    elif isinstance(value, FunctionType):
        digest.update(value.__qualname__.encode())
    elif isinstance(value, Mapping):
        _feed(digest, tuple(value.items()))
    elif isinstance(value, (set, frozenset)):
        _feed(digest, sorted(value, key=repr))
    elif isinstance(value, (tuple, list)):
        digest.update(str(len(value)).encode())
        for each in value:
            _feed(digest, each)
    elif value is None or isinstance(value, (str, int, float, bytes, Enum, np.generic)):
        digest.update(repr(value).encode())
    else:
        raise NotKept
