"""The whole of what is edited: URDF, XRDF, SRDF and MoveIt's settings together; and the protocol of
what edits it: a frozen value with a label and a pure `apply`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any, Protocol, runtime_checkable

from editor_app.core.model.counting import format_count
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.ros_settings import InitialPositions, MotionLimits, Solvers
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """One state of the robot. Parts that a change left alone are the same objects: compare them by
    `is`."""

    urdf: Urdf
    xrdf: Xrdf
    srdf: Srdf | None = None
    #: What MoveIt's settings add, where they were opened along.
    limits: MotionLimits | None = None
    kinematics: Solvers | None = None
    positions: InitialPositions | None = None

    def with_xrdf(self, xrdf: Xrdf) -> RobotDescription:
        return replace(self, xrdf=xrdf)

    def with_urdf(self, urdf: Urdf) -> RobotDescription:
        return replace(self, urdf=urdf)

    def with_part(self, kind: str, value: object) -> RobotDescription:
        """Return the robot with another value of the field `kind`: urdf, xrdf, srdf, limits,
        kinematics, positions."""
        changes: dict[str, Any] = {kind: value}
        return replace(self, **changes)

    def with_srdf(self, srdf: Srdf | None) -> RobotDescription:
        return replace(self, srdf=srdf)


class CannotApply(Refusal):
    """A change cannot be applied to the robot. The message tells the user why."""


class Label(Formatter):
    """The label of a command, of its fields: `Label("Add {spheres:sphere} to {frame}")` gives "Add
    3 spheres to arm".

    A noun behind a field counts the different things in it; behind `the`, a single one is called by
    its name. `words`: field -> what is said of its value.
    """

    def __init__(self, template: str, **words: Callable[[Any], object]) -> None:
        self.template, self._words = template, words

    def __get__(self, command: object, owner: type | None = None) -> str:
        return self.template if command is None else self.describe(command)

    def describe(self, command: object) -> str:
        """Return the label of a command, with its fields."""
        return self.vformat(self.template, (command,), {})

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        value = getattr(args[0], str(key))
        return self._words[str(key)](value) if key in self._words else value

    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec:
            return str(value)
        noun, things = format_spec.removeprefix("the "), tuple(dict.fromkeys(value))
        return (
            str(things[0])
            if len(things) == 1 and noun != format_spec
            else format_count(len(things), noun)
        )


@runtime_checkable
class TextChange(Protocol):
    """A step that edits the text of the XRDF, for differences that the model does not hold (quotes,
    doubled keys)."""

    @property
    def label(self) -> str:
        """The name of the step in the undo menu."""

    def apply_text(self, text: str) -> str:
        """The text after the change. Raises CannotApply."""


@runtime_checkable
class Change(Protocol):
    """One step that can be undone. Frozen, comparable and picklable.

    A change that names new files in the URDF has `files` as well, absolute path -> content (bytes):
    they are written beside the URDF when it is saved. A change that is made of others has `steps`
    as well, which gives the robot after each of them: the parts of the robot are followed from one
    to the next.
    """

    @property
    def label(self) -> str:
        """The name of the step in the undo menu, e.g. "Move 3 spheres"."""

    def apply(self, robot: RobotDescription) -> RobotDescription:
        """The robot after the change. Parts that it leaves alone are the same objects. Raises
        CannotApply."""


def steps_of(change: Change, robot: RobotDescription) -> Iterator[RobotDescription]:
    """The robot after each part of a change; the last one is the result. Raises CannotApply."""
    # No protocol: to ask for one takes as long as to move a sphere, and a drag has many steps.
    steps: Callable[[RobotDescription], Iterator[RobotDescription]] | None = getattr(
        change, "steps", None
    )
    if steps is None:
        yield change.apply(robot)
    else:
        yield from steps(robot)
