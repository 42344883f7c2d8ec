"""Text that a person typed and that is not read yet: it stands in the state, so undo, saving and journal know it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from editor_app.edit.commands.urdf_texts import Home, Place, SetEmbedded
from editor_app.edit.state import FileKind, State, file_of
from editor_app.edit.texts import state_with_text
from editor_app.formats.source import FormatError
from editor_app.model.change import CannotApply
from editor_app.model.findings import Location


@dataclass(frozen=True, slots=True)
class Typing:
    """The merge key of what is typed at one place without a pause."""

    place: Hashable


class TypedFault(CannotApply):
    """What was typed at `place` makes no sense; `location` is where in the file, None for an embedded element."""

    def __init__(self, place: Hashable, reason: str, location: Location | None) -> None:
        kind = file_of(place)
        line = f", line {location.line}" if location is not None and location.line else ""
        super().__init__(f"The text typed for the {kind.upper()} cannot be read{line}: {reason}")
        self.place = place
        self.reason = reason
        self.location = location


#: What was read last: of which state, at which place. What was judged in a thread is not read again to be taken over.
_last_read: tuple[State, Hashable, State] | None = None


def read_typed(state: State, place: Hashable) -> State:
    """`state` with what was typed at `place` taken over. Raises TypedFault."""
    global _last_read
    last = _last_read
    if last is not None and last[0] is state and last[1] == place:
        return last[2]
    read = _read(state, place)
    _last_read = (state, place, read)
    return read


def _read(state: State, place: Hashable) -> State:
    text, base = state.typed[place], replace(state, typed=state.typed.without(place))
    if isinstance(place, FileKind):
        try:
            return state_with_text(base, place, text)
        except FormatError as error:
            reason = f"{error.message}." + (f" {error.remedy}" if error.remedy else "")
            raise TypedFault(place, reason, error.location) from error
    assert isinstance(place, Place)
    if not text.strip():
        raise TypedFault(place, "An element is deleted in the list, not by an empty text.", None)
    try:
        return base.with_robot(SetEmbedded(place, text).apply(base.robot))
    except CannotApply as error:
        raise TypedFault(place, str(error), None) from error


def to_json(typed: Iterable[tuple[Hashable, str]]) -> list[list[Any]]:
    """For the journal: [place, text] each; a place is the name of a file, or [home, index, name] of an element."""
    items: list[list[Any]] = []
    for place, text in typed:
        if isinstance(place, FileKind):
            items.append([place.value, text])
        elif isinstance(place, Place):
            items.append([[place.home.value, place.index, place.name], text])
    return items


def from_json(items: object) -> dict[Hashable, str]:
    """The inverse of `to_json`; what is none of it is passed over."""
    typed: dict[Hashable, str] = {}
    for item in items if isinstance(items, list | tuple) else ():
        try:
            place, text = item
            key = FileKind(place) if isinstance(place, str) else Place(Home(place[0]), int(place[1]), str(place[2]))
        except (TypeError, ValueError, IndexError):
            continue
        if isinstance(text, str):
            typed[key] = text
    return typed
