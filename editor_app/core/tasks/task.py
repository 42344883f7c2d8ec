"""Tasks: functions with their arguments, which run in any process and talk to one
`TaskReporter`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, TypeAlias, overload

from editor_app.core.progress import Cancel, Progress, never, silent

_Arguments = ParamSpec("_Arguments")


def drop_value(value: Any) -> None:
    """A receiver of partial results that does nothing."""


@dataclass(frozen=True, slots=True)
class TaskReporter:
    """The three calls of running work to the outside, from any thread; none of them raises an
    exception.

    A worker process has one at each end of its pipe.
    """

    #: The share that is done (0..1, negative where it is not known), and a sentence about the
    #: present step.
    progress: Progress = silent
    #: A result that can be shown already; picklable.
    partial: Callable[[Any], None] = drop_value
    #: True once nobody needs the result: the task may return anything.
    cancelled: Cancel = never

    @property
    def quiet(self) -> TaskReporter:
        """Return the same reporter for a step whose progress is not shown."""
        return replace(self, progress=silent)


#: For work that nobody watches.
SILENT = TaskReporter()
#: A picklable callable that runs in any process; it imports what is heavy when it is called.
Job: TypeAlias = Callable[[TaskReporter], Any]


@dataclass(frozen=True, init=False, eq=False)
class Task:
    """A function with its arguments, all picklable.

    The run passes its reporter to a first parameter `reporter`, and the reporter's calls to
    parameters `progress` and `cancel` of a verb.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]

    @overload
    def __init__(
        self,
        function: Callable[Concatenate[TaskReporter, _Arguments], Any],
        /,
        *arguments: _Arguments.args,
        **named: _Arguments.kwargs,
    ) -> None: ...

    @overload
    def __init__(
        self,
        function: Callable[_Arguments, Any],
        /,
        *arguments: _Arguments.args,
        **named: _Arguments.kwargs,
    ) -> None: ...

    def __init__(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "named", named)

    def __call__(self, reporter: TaskReporter, /) -> Any:
        # Annotations name the parameters of a wrapped function, too; `inspect` costs a start more
        # than all verbs.
        names = getattr(self.function, "__annotations__", {})
        first = (reporter,) if "reporter" in names else ()
        calls = {"progress": reporter.progress, "cancel": reporter.cancelled}
        return self.function(
            *first, *self.arguments, **{k: v for k, v in calls.items() if k in names}, **self.named
        )
