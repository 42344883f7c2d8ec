"""Rows, cells and places of the matrix: frames in the order of the tree, whole subtrees as one row
where collapsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPoint, QRect

from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import KinematicTree
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import PairEvidence
from editor_app.features.masks.verbs.mask_session import PairsState
from editor_app.features.masks.window.looks import CLASS_ORDER, STATE_ORDER

#: From this many frames on, branches start collapsed.
MANY = 40
#: As many rows as are left open then.
ROWS = 24


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """`members` are the frame and, where it is collapsed, those below it; `depth` is its
    indentation."""

    frame: str
    members: tuple[str, ...]
    depth: int
    has_children: bool
    #: It was collapsed, and somebody opened it.
    was_opened: bool = False

    @property
    def is_collapsed(self) -> bool:
        return len(self.members) > 1

    def label_without(self, shared: tuple[str, str]) -> str:
        """The label of a frame whose name is shown without the beginning and ending that all names
        have."""
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

    def set_frames(self, frames: Sequence[str], tree: KinematicTree) -> None:
        """Keeps what is collapsed as long as the frames are the same."""
        frames = tuple(frames)
        if frames == self.frames:
            return
        self.frames, self.children, self.roots, self.collapsed = (
            frames,
            {f: [] for f in frames},
            [],
            set(),
        )
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
        """Closes branches of three frames or more, so that what is left can be looked at as one
        picture.

        Where the tree forks first, all branches; then the largest are opened up to their own forks,
        branches of equal size together, as long as the rows do not become too many.
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
        """The branches of three frames or more at the first fork below a frame, or at the frame
        itself."""
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

    def rows(self) -> tuple[MatrixRow, ...]:
        """In the order of the frames."""
        result: list[MatrixRow] = []

        def walk(frame: str, depth: int) -> None:
            closed = frame in self.collapsed
            members = self.members(frame) if closed else (frame,)
            result.append(
                MatrixRow(frame, members, depth, bool(self.children[frame]), frame in self.opened)
            )
            if not closed:
                # Chains are not indented: it would run out of the window.
                step = 1 if len(self.children[frame]) > 1 else 0
                for child in self.children[frame]:
                    walk(child, depth + step)

        for root in self.roots:
            walk(root, 0)
        return tuple(result)


def shared_parts(names: Sequence[str]) -> tuple[str, str]:
    """Return the common beginning of all names, up to an underscore ("panda_"), and the common end
    ("_link")."""
    beginning = _common_ending([name[::-1] for name in names])[::-1]
    return beginning, _common_ending([name.removeprefix(beginning) for name in names])


def _common_ending(names: Sequence[str]) -> str:
    """What all names end with, from an underscore on ("_link"): it tells none of them apart. "" for
    a single one."""
    if len(names) < 2:
        return ""
    shared = names[0]
    for name in names[1:]:
        while not name.endswith(shared):
            shared = shared[1:]
    place = shared.find("_")
    ending = shared[place:] if place >= 0 else ""
    return ending if all(len(name) > len(ending) for name in names) else ""


def _above(frame: str, inside: set[str], tree: KinematicTree) -> str | None:
    if frame not in tree.index:
        return None
    at = tree.parent[tree.index[frame]]
    while at >= 0:
        if tree.frames[at] in inside:
            return tree.frames[at]
        at = tree.parent[at]
    return None


@dataclass(frozen=True, slots=True)
class Cell:
    """`beside`: the other file ignores all of them; `left`: the user has seen all conflicts and
    leaves them."""

    pairs: tuple[LinkPair, ...]
    worst: PairEvidence
    state: MaskState
    count: int
    conflicts: int
    stale: bool
    beside: bool
    left: bool
    #: How many of them the mask hides although they can collide.
    hidden: int = 0


def collect(
    evidence: Iterable[PairEvidence], rows: Sequence[MatrixRow], state: PairsState
) -> dict[tuple[int, int], Cell]:
    """(row, column), the greater first -> what stands there."""
    place = {frame: i for i, row in enumerate(rows) for frame in row.members}
    groups: dict[tuple[int, int], list[PairEvidence]] = {}
    for e in evidence:
        a, b = place.get(e.first), place.get(e.second)
        if a is not None and b is not None:
            groups.setdefault((max(a, b), min(a, b)), []).append(e)
    return {key: _cell_of(inside, state) for key, inside in groups.items()}


def _cell_of(inside: list[PairEvidence], state: PairsState) -> Cell:
    states = {e.pair: state.mask_state(e) for e in inside}

    def badness(e: PairEvidence) -> tuple[int, int, float]:
        return STATE_ORDER.index(states[e.pair]), CLASS_ORDER.index(e.kind), e.clearance_min

    worst = min(inside, key=badness)
    conflicts = [pair for pair, each in states.items() if each.is_conflict]
    beside = state.beside
    return Cell(
        tuple(states),
        worst,
        states[worst.pair],
        len(inside),
        len(conflicts),
        any(e.stale for e in inside),
        beside is not None and all(pair in beside for pair in states),
        bool(conflicts) and all(pair in state.skipped for pair in conflicts),
        sum(each is MaskState.CONFLICT for each in states.values()),
    )


#: Least and greatest height of a cell: what can be read, and what is still one picture.
SMALLEST, GREATEST = 17, 30
#: Greatest width of a cell: a short name above it, a sign and a number in it.
WIDEST = 112
#: Bounds of a cell that was zoomed by hand.
TINY, HUGE = 9, 64


@dataclass(slots=True)
class Places:
    """`left` and `top` are the room of the labels, which stay while the cells are scrolled by `x`
    and `y`."""

    count: int = 0
    left: int = 0
    top: int = 0
    #: Height and width of a cell: wider than high where the place has the room.
    cell: int = SMALLEST
    across: int = SMALLEST
    x: int = 0
    y: int = 0
    #: Zoomed by hand, beside the size that fills the place.
    zoom: float = 1.0

    @property
    def whole(self) -> tuple[int, int]:
        """Pixels of all cells: width, height."""
        return self.count * self.across, self.count * self.cell

    def widest(self, width: int) -> int:
        """The width that a cell can have in a place of that width."""
        return min(WIDEST, (width - self.left - 4) // max(1, self.count))

    def fit(self, width: int, height: int) -> None:
        """Cells as large as all of them can be seen at once, within what is sensible."""
        room = min(width - self.left, height - self.top) - 4
        fitting = max(SMALLEST, min(GREATEST, room // max(1, self.count)))
        self.cell = max(TINY, min(HUGE, round(fitting * self.zoom)))
        self.across = max(self.cell, round(self.widest(width) * min(1.0, self.zoom)))

    def rect(self, row: int, column: int) -> QRect:
        x = self.left + column * self.across - self.x
        y = self.top + row * self.cell - self.y
        return QRect(x, y, self.across, self.cell)

    def at(self, point: QPoint) -> tuple[int, int] | None:
        """(row, column) under a point; None beside the cells."""
        if point.x() < self.left or point.y() < self.top:
            return None
        row, column = (
            (point.y() - self.top + self.y) // self.cell,
            (point.x() - self.left + self.x) // self.across,
        )
        return (row, column) if row < self.count and column < self.count else None

    def label_at(self, point: QPoint) -> int | None:
        """The row whose name stands there, beside the cells or above them."""
        if point.x() < self.left and point.y() >= self.top:
            row = (point.y() - self.top + self.y) // self.cell
        elif point.y() < self.top and point.x() >= self.left:
            row = (point.x() - self.left + self.x) // self.across
        else:
            return None
        return row if 0 <= row < self.count else None

    def rows_in_view(self, height: int) -> range:
        return self._seen(self.y, height - self.top, self.cell)

    def columns_in_view(self, width: int) -> range:
        return self._seen(self.x, width - self.left, self.across)

    def _seen(self, scrolled: int, room: int, size: int) -> range:
        return range(
            max(0, scrolled // size), min(self.count, (scrolled + max(0, room)) // size + 1)
        )
