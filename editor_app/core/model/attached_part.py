"""Origin of an attached part of a robot, as a comment in each of its files records it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace

_HEAD = "attached:"
_RECORD = re.compile(rf"{_HEAD} [^\r\n]*? (\{{[^\r\n]*\}})")


@dataclass(frozen=True, slots=True)
class AttachedPart:
    """`file` (its name alone) was attached to the link `at` by the fixed joint `mount`, which
    carries `link`.

    Names are those in the assembly; `prefix` stands before every name of the part. `xyz` in metres,
    `rpy` in radians: where its root was put, or its frame `frame`.
    """

    mount: str
    link: str
    at: str
    file: str
    prefix: str = ""
    xyz: tuple[float, ...] = (0.0, 0.0, 0.0)
    rpy: tuple[float, ...] = (0.0, 0.0, 0.0)
    frame: str = ""

    def within(self, prefix: str) -> AttachedPart:
        """Return the part as it is inside of another part, whose names get a prefix."""
        names = (prefix + self.mount, prefix + self.link, prefix + self.at, prefix + self.prefix)
        frame = self.frame and prefix + self.frame
        return replace(
            self, mount=names[0], link=names[1], at=names[2], prefix=names[3], frame=frame
        )


def record_of(part: AttachedPart, **more: object) -> str:
    """One line of ASCII for a comment, for people and for `records_in`; no comment of XML ends in
    it."""
    told = {name: value for name, value in asdict(part).items() if value or name != "frame"}
    values = json.dumps({**told, **more})
    # The two may stand in a string alone, where an escape means the same.
    return f"{_HEAD} {json.dumps(part.file)[1:-1]} at {json.dumps(part.at)[1:-1]} {values}".replace(
        "--", "-\\u002d"
    )


def end_of(part: AttachedPart) -> str:
    """The line behind the last thing of a part."""
    return f"end of {json.dumps(part.mount)[1:-1]}".replace("--", "-\\u002d")


def records_in(text: str) -> Iterator[tuple[re.Match[str], AttachedPart, dict[str, object]]]:
    """(where it stands, the part, what more it says) of each record; what merely looks like one is
    left out."""
    names = {field.name for field in fields(AttachedPart)}
    for match in _RECORD.finditer(text):
        try:
            values = json.loads(match.group(1))
            told = {"frame": values.pop("frame", "")} | {
                name: values.pop(name) for name in names - {"frame"}
            }
            told |= {name: tuple(map(float, told[name])) for name in ("xyz", "rpy")}
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue
        if all(
            isinstance(told[name], str)
            for name in ("mount", "link", "at", "file", "prefix", "frame")
        ):
            yield match, AttachedPart(**told), values
