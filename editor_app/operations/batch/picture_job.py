"""Pictures of the robots of a fleet, made in a process of their own: what draws may crash, and this one never draws."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from editor_app.model.frozen import FrozenDict
from editor_app.operations.batch.fleet import FleetRobot
from editor_app.operations.open import open_robot
from editor_app.operations.work import Cancel, Cancelled, never
from editor_app.tasks.executor import ProcessExecutor
from editor_app.tasks.job import Report

_SIZE = (480, 400)
#: Seconds between two looks at `cancel`.
_LOOK = 0.2


@dataclass(frozen=True)
class PictureJob:
    """The PNG of a robot with its spheres, from its files."""

    urdf: Path
    xrdf: Path | None
    packages: FrozenDict[str, Path]
    size: tuple[int, int] = _SIZE

    def __call__(self, report: Report) -> bytes:
        files = [self.urdf] if self.xrdf is None else [self.urdf, self.xrdf]
        document = open_robot(*files, packages=self.packages)
        # By its name: the verbs know nothing of what draws.
        picture = importlib.import_module("editor_app.pictures.still").picture
        png = picture(document, size=self.size)
        assert isinstance(png, bytes)
        return png


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
            job = PictureJob(robot.urdf.absolute(), xrdf.absolute() if xrdf.is_file() else None, robot.packages)
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
