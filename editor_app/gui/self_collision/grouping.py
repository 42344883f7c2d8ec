"""Rows of the matrix: frames in the order of the tree, whole subtrees as one row where they are collapsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from editor_app.kinematics.tree import KinematicTree

#: From this many frames on, branches start collapsed.
MANY = 40
#: As many rows as are left open then.
ROWS = 24


@dataclass(frozen=True, slots=True)
class Row:
    """`members` are the frame and, where it is collapsed, those below it; `depth` is its indentation."""

    frame: str
    members: tuple[str, ...]
    depth: int
    has_children: bool
    #: It was collapsed, and somebody opened it.
    was_opened: bool = False

    @property
    def is_collapsed(self) -> bool:
        return len(self.members) > 1

    @property
    def label(self) -> str:
        return self.label_without(NOTHING_SHARED)

    def label_without(self, shared: tuple[str, str]) -> str:
        """The label of a frame whose name is shown without the beginning and ending that all names have."""
        name = self.frame.removeprefix(shared[0]).removesuffix(shared[1])
        return f"{name} (+{len(self.members) - 1})" if self.is_collapsed else name


#: See `shared_parts`.
NOTHING_SHARED = ("", "")


@dataclass
class Grouping:
    """Frames that take part, each below the nearest frame above it that takes part, too."""

    frames: tuple[str, ...] = ()
    children: dict[str, list[str]] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    collapsed: set[str] = field(default_factory=set)
    #: What was collapsed and opened again: it keeps its mark.
    opened: set[str] = field(default_factory=set)

    def set_frames(self, frames: Sequence[str], tree: KinematicTree | None) -> None:
        """Keeps what is collapsed as long as the frames are the same."""
        frames = tuple(frames)
        if frames == self.frames:
            return
        self.frames, self.children, self.roots, self.collapsed = frames, {f: [] for f in frames}, [], set()
        self.opened = set()
        inside = set(frames)
        for frame in frames:
            parent = _above(frame, inside, tree)
            if parent is None:
                self.roots.append(frame)
            else:
                self.children[parent].append(frame)
        if len(frames) >= MANY:
            self.collapse_branches()

    def collapse_branches(self) -> None:
        """Closes branches of three frames or more, so that what is left can be looked at as one picture.

        Where the tree forks first, all branches; then the largest are opened up to their own forks, branches of
        equal size together, as long as the rows do not become too many.
        """
        self.collapsed = set()
        for root in self.roots:
            self.collapsed.update(self._branches_from(root))
        while True:
            largest = max((len(self.members(frame)) for frame in self.collapsed), default=0)
            before = set(self.collapsed)
            for frame in [f for f in before if len(self.members(f)) == largest]:
                self.collapsed.discard(frame)
                self.collapsed.update(self._branches_from(frame))
            if self.collapsed == before or len(self.rows()) > ROWS:
                self.collapsed = before
                return

    def _branches_from(self, frame: str) -> set[str]:
        """The branches of three frames or more at the first fork below a frame, or at the frame itself."""
        below = self.children[frame]
        while len(below) == 1:
            below = self.children[below[0]]
        return {child for child in below if len(self.members(child)) > 2}

    def members(self, frame: str) -> tuple[str, ...]:
        """The frame and all below it."""
        members, todo = [], [frame]
        while todo:
            one = todo.pop()
            members.append(one)
            todo += reversed(self.children.get(one, ()))
        return tuple(members)

    def toggle(self, frame: str) -> None:
        """Collapses or expands; nothing happens to a frame with nothing below it."""
        if frame in self.collapsed:
            self.collapsed.discard(frame)
            self.opened.add(frame)
        elif self.children.get(frame):
            self.collapsed.add(frame)

    def expand_all(self) -> None:
        self.collapsed.clear()

    def rows(self) -> tuple[Row, ...]:
        """In the order of the frames."""
        result: list[Row] = []

        def walk(frame: str, depth: int) -> None:
            closed = frame in self.collapsed
            members = self.members(frame) if closed else (frame,)
            result.append(Row(frame, members, depth, bool(self.children[frame]), frame in self.opened))
            if not closed:
                # Chains are not indented: it would run out of the window.
                step = 1 if len(self.children[frame]) > 1 else 0
                for child in self.children[frame]:
                    walk(child, depth + step)

        for root in self.roots:
            walk(root, 0)
        return tuple(result)


def shared_parts(names: Sequence[str]) -> tuple[str, str]:
    """What all names begin with, up to an underscore ("panda_"), and what they end with ("_link")."""
    beginning = _common_ending([name[::-1] for name in names])[::-1]
    return beginning, _common_ending([name.removeprefix(beginning) for name in names])


def _common_ending(names: Sequence[str]) -> str:
    """What all names end with, from an underscore on ("_link"): it tells none of them apart. "" for a single one."""
    if len(names) < 2:
        return ""
    shared = names[0]
    for name in names[1:]:
        while not name.endswith(shared):
            shared = shared[1:]
    place = shared.find("_")
    ending = shared[place:] if place >= 0 else ""
    return ending if all(len(name) > len(ending) for name in names) else ""


def _above(frame: str, inside: set[str], tree: KinematicTree | None) -> str | None:
    if tree is None or frame not in tree.index:
        return None
    at = tree.parent[tree.index[frame]]
    while at >= 0:
        if tree.frames[at] in inside:
            return tree.frames[at]
        at = tree.parent[at]
    return None
