"""What a job is: a picklable callable that gets a `Report` and returns a picklable result."""

from __future__ import annotations

from typing import Any, Protocol


class Report(Protocol):
    """What a job tells while it runs."""

    def progress(self, fraction: float, sentence: str) -> None:
        """`fraction` in 0..1, or negative when it cannot be known."""

    def partial(self, value: Any) -> None:
        """Something that can be shown already; picklable."""


class Job(Protocol):
    """Runs in another process: hold only picklable values, import what is heavy inside `__call__`."""

    def __call__(self, report: Report, /) -> Any: ...
