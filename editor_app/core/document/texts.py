"""The texts that saving would write: the text as read, with the differences of the model spliced
in; and text that a person typed and that is not read yet: it stands in the state, so undo, saving
and journal know it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, cast

from editor_app.core.document.commands.urdf_texts import EmbeddedPlace, Home, SetEmbedded
from editor_app.core.document.state import SETTINGS, FileKind, State, file_of
from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.ros_settings import (
    SettingsSource,
    patch_settings,
    read_settings,
    settings_text,
)
from editor_app.core.formats.srdf import SrdfPatch, SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.urdf.patch import UrdfPatch, patch_urdf
from editor_app.core.formats.xrdf import XrdfPatch, XrdfSource, patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.guess_comments import guesses_now, guesses_of, with_guesses
from editor_app.core.formats.xrdf.mask_reasons import (
    ADJACENT_REASON,
    RIGID_REASON,
    read_reasons,
    with_reasons,
)
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import remembers
from editor_app.core.model.guesses import GuessedPart, get_values
from editor_app.core.model.lineage import Lineage
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.kinematics.tree import adjacent_pairs, get_tree
from editor_app.core.text.source import FormatError, SourceText


def compute_text(state: State, kind: FileKind) -> str | None:
    """The text of one file; None for a missing one. Raises FormatError for a value that cannot be
    written."""
    return PresentTexts().text(state, kind)


def written_source(state: State, kind: FileKind, text: str, path: Path | None) -> SourceText:
    """`text` with the encoding of the file that it was read from, for `path`."""
    old_source = state.source(kind)
    source = old_source.with_text(text) if old_source is not None else SourceText.from_text(text)
    return replace(source, path=path)


def _xrdf_now(
    source: XrdfSource,
    xrdf: Xrdf,
    lineage: Lineage[Xrdf] | None,
    urdf: Urdf,
    confirmed: frozenset[GuessedPart],
) -> XrdfPatch:
    """Return the XRDF as saving would write it.

    Where the file gives reasons for ignored pairs, new pairs of joined links get theirs. Comments
    mark the values that are still guessed.
    """
    patch = _with_joined_reasons(source, patch_xrdf(source, xrdf, lineage), xrdf, urdf)
    guesses = guesses_now(source, xrdf, urdf, confirmed)
    # An older version left comments above limits that were set: they go with the next change of the
    # c-space.
    if guesses is guesses_of(source) and not confirmed and xrdf.cspace == source.value.cspace:
        return patch
    written = with_guesses(patch.written, guesses, confirmed)
    return (
        patch
        if written is patch.written
        else XrdfPatch(written.source.text, patch.notes, written.source, written)
    )


def _with_joined_reasons(source: XrdfSource, patch: XrdfPatch, xrdf: Xrdf, urdf: Urdf) -> XrdfPatch:
    added = xrdf.ignored_pairs() - source.value.ignored_pairs()
    if not added or not read_reasons(source):
        return patch
    robot = RobotDescription(urdf, xrdf)
    groups = get_tree(robot).rigid_groups()
    joined = (
        pair
        for pair in added & adjacent_pairs(robot)
        if pair.first in groups and pair.second in groups
    )
    reasons = {
        pair: RIGID_REASON if groups[pair.first] == groups[pair.second] else ADJACENT_REASON
        for pair in joined
    }
    text = with_reasons(patch.written, reasons)
    return (
        patch if text == patch.text else XrdfPatch(text, patch.notes, source.source.with_text(text))
    )


def _part_now(
    kind: FileKind, part: FilePart[Any] | None, value: Any, lineage: Lineage[Any] | None
) -> FilePart[Any] | None:
    """Return a file other than the XRDF as saving would write it, read again. Raises
    FormatError."""
    if value is None:
        return None
    if part is None:
        text = srdf_text(value) if kind is FileKind.SRDF else settings_text(value)
        return read_part(kind, SourceText.from_text(text))
    if kind in SETTINGS:
        return patch_settings(cast(SettingsSource[Any], part), value, lineage)
    patch: Callable[..., UrdfPatch | SrdfPatch] = (
        patch_urdf if kind is FileKind.URDF else patch_srdf
    )
    return patch(part, value, lineage).written


_READERS: Mapping[FileKind, Callable[[SourceText], FilePart[Any]]] = {
    FileKind.XRDF: read_xrdf,
    FileKind.SRDF: read_srdf,
    FileKind.URDF: read_urdf,
    **{kind: partial(read_settings, held) for kind, held in SETTINGS.items()},
}


def read_part(kind: FileKind, source: SourceText) -> FilePart[Any]:
    """Read one file of a robot. Raises FormatError when it cannot be read."""
    return _READERS[kind](source)


def state_with_text(state: State, kind: FileKind, text: str) -> State:
    """`state` with another text for one of its files, read. Raises FormatError when it cannot be
    read."""
    old_source = state.source(kind)
    source = written_source(state, kind, text, old_source.path if old_source is not None else None)
    return state.with_part(kind, read_part(kind, source))


class PresentTexts:
    """The texts of one state: made when they are asked for, kept while the state has the same
    parts."""

    def __init__(self) -> None:
        self._xrdf = remembers(1)(_xrdf_now)
        self._parts = {kind: remembers(1)(partial(_part_now, kind)) for kind in FileKind}
        self._preparing = Lock()

    def prepared(self, state: State) -> XrdfSource:
        """The XRDF as saving would write it, read again. Threads call this in advance. Raises
        FormatError.

        The texts of the same state take no time afterwards.
        """
        with self._preparing:
            return self.xrdf(state).written

    def xrdf(self, state: State) -> XrdfPatch:
        """The text that saving would write, and notes on parts that were written anew."""
        robot, lineage = state.robot, state.lineages.get(FileKind.XRDF)
        return self._xrdf(state.xrdf_source, robot.xrdf, lineage, robot.urdf, state.confirmed)

    def part(self, state: State, kind: FileKind) -> FilePart[Any] | None:
        """Return one file as saving would write it, read again; None for a missing one. Raises
        FormatError."""
        if kind is FileKind.XRDF:
            return self.xrdf(state).written
        return self._parts[kind](state.parts.get(kind), state.value(kind), state.lineages.get(kind))

    def urdf(self, state: State) -> UrdfSource:
        """Return the URDF as saving would write it, read again. Raises FormatError."""
        return cast(UrdfSource, self.part(state, FileKind.URDF))

    def srdf(self, state: State) -> SrdfSource | None:
        """Return the SRDF as saving would write it, read again; None without one. Raises
        FormatError."""
        return cast(SrdfSource | None, self.part(state, FileKind.SRDF))

    def settings(self, state: State, kind: FileKind) -> SettingsSource[Any] | None:
        """Return one file of MoveIt's settings as saving would write it, read again. Raises
        FormatError."""
        return cast(SettingsSource[Any] | None, self.part(state, kind))

    def text(self, state: State, kind: FileKind) -> str | None:
        """The text of one file as saving would write it; None for a missing SRDF. Raises
        FormatError."""
        if kind is FileKind.XRDF:
            return self.xrdf(state).text
        part = self.part(state, kind)
        return None if part is None else part.source.text


@dataclass(frozen=True, slots=True)
class Typing:
    """The merge key of what is typed at one place without a pause."""

    place: Hashable


class TypedFault(CannotApply):
    """An error in the text typed at `place`; `location` in the file, None for an embedded
    element."""

    def __init__(self, place: Hashable, reason: str, location: Location | None) -> None:
        kind = file_of(place)
        line = f", line {location.line}" if location is not None and location.line else ""
        super().__init__(f"The text typed for the {kind.upper()} cannot be read{line}: {reason}")
        self.place = place
        self.reason = reason
        self.location = location


# What was judged in a thread is not read again to be taken over.
@remembers(1)
def read_typed(state: State, place: Hashable) -> State:
    """`state` with what was typed at `place` taken over. Raises TypedFault."""
    text, base = state.typed[place], replace(state, typed=state.typed.without(place))
    if isinstance(place, FileKind):
        try:
            return _with_typed_values(base, state_with_text(base, place, text))
        except FormatError as error:
            reason = f"{error.message}." + (f" {error.fix}" if error.fix else "")
            raise TypedFault(place, reason, error.location) from error
    assert isinstance(place, EmbeddedPlace)
    if not text.strip():
        raise TypedFault(place, "The text is empty. To delete the element, use the list.", None)
    try:
        return base.with_robot(SetEmbedded(place, text).apply(base.robot))
    except CannotApply as error:
        raise TypedFault(place, str(error), None) from error


def _with_typed_values(before: State, typed: State) -> State:
    """Return the state with the guesses confirmed whose value was typed over: their comments go in
    the same step."""
    values = {key: get_values(typed.robot.xrdf, key) for key in before.guesses.entries}
    given = {
        (k, joint)
        for (k, joint), value in before.guesses.parts.items()
        if values[k].get(joint, value) != value
    }
    return replace(typed, confirmed=typed.confirmed | given) if given else typed


def typed_to_json(typed: Iterable[tuple[Hashable, str]]) -> list[list[Any]]:
    """For the journal: [place, text] each; a place is the name of a file, or [home, index, name] of
    an element."""
    items: list[list[Any]] = []
    for place, text in typed:
        if isinstance(place, FileKind):
            items.append([place.value, text])
        elif isinstance(place, EmbeddedPlace):
            items.append([[place.home.value, place.index, place.name], text])
    return items


def typed_from_json(items: object) -> dict[Hashable, str]:
    """The inverse of `typed_to_json`; what is none of it is passed over."""
    typed: dict[Hashable, str] = {}
    for item in items if isinstance(items, list | tuple) else ():
        try:
            place, text = item
            key = (
                FileKind(place)
                if isinstance(place, str)
                else EmbeddedPlace(Home(place[0]), int(place[1]), str(place[2]))
            )
        except (TypeError, ValueError, IndexError, ArithmeticError):
            continue
        if isinstance(text, str):
            typed[key] = text
    return typed
