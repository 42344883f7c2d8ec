"""Findings: faults of a robot description and notes on it, with their places and remedies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from editor_app.core.model.robot import Change, TextChange

#: Keys and list indices from the root of a YAML file, such as ("geometry", "g", "spheres", "link0",
#: 2, "radius").
YamlPath = tuple[str | int, ...]


class Severity(IntEnum):
    INFO = 1
    WARNING = 2
    ERROR = 3


@dataclass(frozen=True, slots=True)
class Location:
    """`line` and `column` count from 1; None when only the file is known."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = (
            ""
            if self.line is None
            else f":{self.line}" + ("" if self.column is None else f":{self.column}")
        )
        return f"{self.file}{place}"


@dataclass(frozen=True, slots=True)
class SphereRef:
    """One sphere by its place in the model."""

    group: str
    frame: str
    index: int


@dataclass(frozen=True, slots=True)
class FindingSubject:
    """The subject of a finding, so that a click can select it."""

    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    spheres: tuple[SphereRef, ...] = ()
    #: The XRDF section or other panel that shows the value, e.g. "cspace", "urdf", "mesh".
    section: str | None = None


#: Words that get a capital at the beginning of a message. Every other first word may be a name, and
#: stays as it is.
_FIRST_WORDS = frozenset(
    {
        "a",
        "an",
        "both",
        "every",
        "joint",
        "link",
        "links",
        "material",
        "no",
        "parent",
        "self-collision",
        "sensor",
        "the",
        "two",
    }
)


def _sentence(message: str) -> str:
    """The message with a capital and a full stop, so that all findings in the list look alike."""
    first = message.partition(" ")[0]
    if first in _FIRST_WORDS:
        message = message[0].upper() + message[1:]
    return message if message.endswith((".", "?", "!", ":", "…")) or not message else f"{message}."


@dataclass(frozen=True, slots=True)
class Finding:
    """`message` names the value and says what would be right. `fixes` are its remedies, as
    changes."""

    code: str
    severity: Severity
    message: str
    path: YamlPath = ()
    location: Location | None = None
    subject: FindingSubject = FindingSubject()
    fixes: tuple[Change | TextChange, ...] = ()
    #: For a misspelt name: the nearest name that exists.
    meant: str | None = None
    #: What belongs where a value of another kind stands, for remedies.
    expected: Literal["name", "number"] | None = None
    #: The part of the file that the reader left out of the model; "" where it read everything.
    lost: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", _sentence(self.message))

    @property
    def place(self) -> tuple[int, int]:
        """Line and column in the file, 0 where unknown. Findings are sorted by it."""
        return (
            (self.location.line or 0, self.location.column or 0)
            if self.location is not None
            else (0, 0)
        )
