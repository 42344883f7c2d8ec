"""Jobs: picklable callables that receive a `Report` and return a picklable result; how they are cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Report(Protocol):
    """The progress and partial results of a running job."""

    def progress(self, fraction: float, sentence: str) -> None:
        """`fraction` in 0..1, or negative when it cannot be known."""

    def partial(self, value: Any) -> None:
        """Something that can be shown already; picklable."""


class Job(Protocol):
    """Runs in another process: hold only picklable values, import what is heavy inside `__call__`."""

    def __call__(self, report: Report, /) -> Any: ...


def as_job(
    function: Callable[Concatenate[Report, Arguments], Result], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Callable[[Report], Result]:
    """A function whose first argument is the `Report`, with its other arguments, as a job."""
    return partial(_called, function, arguments, named)


def _called(
    function: Callable[..., Result], arguments: tuple[Any, ...], named: dict[str, Any], report: Report
) -> Result:
    return function(report, *arguments, **named)


@dataclass(frozen=True)
class StopFile:
    """A word to a job in another process: end at your next look, but keep the process and what it has prepared.

    It asks by a file, so that it can be pickled. Where the file's folder is gone, nobody waits for the job any more.
    """

    path: str

    def set(self) -> None:
        if Path(self.path).parent.is_dir():
            Path(self.path).touch()

    def clear(self) -> None:
        Path(self.path).unlink(missing_ok=True)

    def __call__(self) -> bool:
        path = Path(self.path)
        return path.exists() or not path.parent.is_dir()
