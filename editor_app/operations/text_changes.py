"""Remedies and renames as edits of texts: for editors that hold the texts themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from editor_app.edit.commands.geometry_groups import RenameGroup
from editor_app.edit.commands.urdf import RenameJoint
from editor_app.edit.state import FileKind
from editor_app.model.change import CannotApply, Change, TextChange
from editor_app.model.references import Named
from editor_app.model.robot import RobotDescription
from editor_app.operations.link_roles import rename_frame
from editor_app.operations.live_texts import LiveRobot
from editor_app.operations.text_help import NamedThing, definition_in, named_at


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` belongs where `start` to `end` (offsets in code points) stands now."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Offsets in the text of a file."""

    path: Path
    start: int
    end: int


def change_edits(live: LiveRobot, change: Change | TextChange) -> dict[Path, tuple[Edit, ...]]:
    """The edits of each file that a remedy or command makes. Raises CannotApply."""
    document = live.document
    if document is None:
        raise CannotApply("The file cannot be read: mend that first.")
    before = {kind: document.text(kind) for kind in live.paths}
    document.execute(change)
    try:
        after = {kind: document.text(kind) for kind in live.paths}
    finally:
        document.undo()
    edits = {}
    for kind, path in live.paths.items():
        old, new = before[kind], after[kind]
        if old is not None and new is not None and old != new:
            edits[path] = tuple(_edits(old, new))
    return edits


def rename_edits(live: LiveRobot, thing: NamedThing, name: str) -> dict[Path, tuple[Edit, ...]]:
    """The edits that give a thing another name wherever it is referred to. Raises CannotApply."""
    return change_edits(live, _renaming(live.robot, thing, name))


def definition(live: LiveRobot, thing: NamedThing) -> Place | None:
    """Where a thing is given its name; None where that is not found."""
    document = live.document
    if document is None:
        return None
    for kind in (FileKind.URDF, FileKind.XRDF, FileKind.SRDF):
        path = live.paths.get(kind)
        span = None if path is None else definition_in(document.text(kind) or "", thing, kind)
        if path is not None and span is not None:
            return Place(path, *span)
    return None


def references(live: LiveRobot, thing: NamedThing) -> Iterator[Place]:
    """Where a thing is named in the files of its robot, its definition included, in the order of the text."""
    document = live.document
    name = re.compile(rf"(?<![\w.-]){re.escape(thing.name)}(?![\w.-])")
    for kind, path in live.paths.items():
        text = (document.text(kind) if document is not None else None) or ""
        for match in name.finditer(text):
            named = named_at(text, match.start(), kind, live.robot)
            if named is not None and (named.kind, named.name, named.start) == (thing.kind, thing.name, match.start()):
                yield Place(path, named.start, named.end)


# -- inside


def _renaming(robot: RobotDescription, thing: NamedThing, name: str) -> Change:
    if thing.kind is Named.GEOMETRY_GROUP:
        return RenameGroup(thing.name, name)
    if thing.kind is Named.JOINT:
        return RenameJoint(thing.name, name)
    if thing.kind is Named.LINK:
        return rename_frame(robot, thing.name, name)
    raise CannotApply("Groups of the SRDF are renamed in the window.")


def _edits(old: str, new: str) -> Iterator[Edit]:
    """By lines, then by what differs within them: an editor keeps its cursor and its marks elsewhere."""
    first, second = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in first:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _narrowed("".join(first[a:b]), "".join(second[c:d]), starts[a])


def _narrowed(old: str, new: str, offset: int) -> Edit:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Edit(offset + head, offset + len(old) - tail, new[head : len(new) - tail])
