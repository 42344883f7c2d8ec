"""The pieces into which pairs of links cut the ranges of up to three joints.

A pair with at most three moving joints between its links shuts configurations whatever the other
joints do. Pairs with the same joints are looked at together, on a grid of cells: a cell counts as
closed where the spheres of a pair are proven to overlap in all of it. Cells that are not closed and
touch each other make a piece. Two configurations in different pieces have no way between them, and
that is proven; within a piece nothing is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64, I32, I64, U8, Bools
from editor_app.plugins.motion.engine import kernels
from editor_app.plugins.motion.engine.model import MotionModel

#: Joints between the links of a pair that is looked at.
MOST_JOINTS = 3
#: Cells of a full turn, or of a sliding joint's range, where one, two or three joints are looked
#: at.
CELLS = {1: 720, 2: 128, 3: 64}
#: How often a cell is halved to prove that it is closed.
FINER = 6
#: Pairs that are looked at together (bits of a number).
MOST_PAIRS = 62
Cell = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Cells:
    """A grid over the variables `columns` of a model; cell i of axis k is lower[k] + i step[k] … +
    (i + 1) step[k].

    `rows`: the pairs that were looked at. `states`: one of kernels.UNDECIDED, ALL_FREE, ALL_CLOSED,
    MIDDLE_CLOSED per cell. `wraps`: whether the last cell of an axis touches the first (a joint
    without limits). `rest` (variables,): where the other joints stood, which none of the rows
    feels. `turn`: after how many cells an axis repeats itself.
    """

    columns: tuple[int, ...]
    rows: I64
    lower: F64
    step: F64
    wraps: tuple[bool, ...]
    states: U8
    rest: F64 = field(repr=False)
    turn: tuple[int, ...]

    @cached_property
    def pieces(self) -> tuple[I32, int]:
        """The piece of each cell, 0 for closed ones, and how many there are."""
        return components(self.states != kernels.ALL_CLOSED, self.wraps)

    def middle(self, cell: Cell) -> F64:
        """Variables (n,) at the middle of a cell."""
        values = self.rest.copy()
        values[list(self.columns)] = self.lower + (np.array(cell) + 0.5) * self.step
        return values

    def cell(self, values: F64) -> Cell:
        """The cell of a configuration (variables,)."""
        places, counts = (
            np.floor((values[list(self.columns)] - self.lower) / self.step),
            np.array(self.states.shape),
        )
        # Where a joint turns without end, a whole turn more is the same cell.
        within = np.where(self.wraps, places % counts, np.clip(places, 0, counts - 1))
        return tuple(within.astype(int).tolist())

    def piece(self, values: F64) -> int:
        """The piece of a configuration; 0 where its cell is closed."""
        return int(self.pieces[0][self.cell(values)])

    def neighbours(self, cell: Cell) -> Iterator[Cell]:
        for axis, count in enumerate(self.states.shape):
            for side in (-1, 1):
                at = cell[axis] + side
                if self.wraps[axis]:
                    at %= count
                if 0 <= at < count:
                    yield (*cell[:axis], at, *cell[axis + 1 :])


def components(passable: Bools, wraps: tuple[bool, ...]) -> tuple[I32, int]:
    """(label of each cell, 0 where it is not passable; number of labels): cells that share a face
    are joined."""
    from scipy.ndimage import label

    labels, count = label(passable)
    names = np.arange(count + 1)
    for axis, wrap in enumerate(wraps):
        ends = (np.take(labels, 0, axis).ravel(), np.take(labels, -1, axis).ravel())
        for a, b in {*zip(*(end.tolist() for end in ends), strict=True)} if wrap else ():
            if a and b and names[a] != names[b]:
                names[names == names[b]] = names[a]
    kept, numbers = np.unique(names[1:], return_inverse=True)
    renamed = np.concatenate([[0], numbers + 1]).astype(np.int32)
    return renamed[labels], len(kept)


def joint_sets(model: MotionModel) -> tuple[dict[tuple[int, ...], list[int]], list[int]]:
    """Variables -> rows of pairs with no other variables between their links, few variables first;
    rows with too many.

    One set of variables may hold another, whose rows it then has as well.
    """
    moving = set(model.moving.tolist())
    between: dict[tuple[int, ...], list[int]] = {}
    too_many = []
    for row in model.rows.tolist():
        if model.is_touch(row):
            continue
        columns = tuple(k for k in model.spheres.path_variables(row) if k in moving)
        if len(columns) > MOST_JOINTS:
            too_many.append(row)
        elif columns:
            between.setdefault(columns, []).append(row)
    return {
        columns: [
            row for inner, rows in between.items() if set(inner) <= set(columns) for row in rows
        ]
        for columns in sorted(between, key=lambda columns: (len(columns), columns))
    }, too_many


def cells_of(model: MotionModel, columns: tuple[int, ...], rows: list[int], rest: F64) -> Cells:
    """Looks at the ranges of `columns` (1 to 3 variables), the others at `rest` (variables,).

    Raises Refused where one of them slides without end.
    """
    spheres = model.spheres
    spheres.refuse_endless(model.variables[k] for k in columns)
    bodies = spheres.bodies
    sliding = {int(dof) for dof, slides in zip(bodies.dof, bodies.prismatic, strict=True) if slides}
    alone = {
        k
        for k in columns
        if int((bodies.dof == k).sum()) == 1 and abs(bodies.scale[bodies.dof == k][0]) == 1.0
    }
    each = CELLS[len(columns)]
    lower, step, counts, whole = np.zeros(3), np.ones(3), [1, 1, 1], [1, 1, 1]
    for axis, k in enumerate(columns):
        span = float(spheres.upper[k] - spheres.lower[k])
        lower[axis] = spheres.lower[k]
        turn = 2.0 * math.pi
        if k in sliding or k not in alone or span <= turn:
            share = 1.0 if k in sliding else span / turn
            counts[axis] = whole[axis] = max(4, min(2 * each, math.ceil(each * share)))
            step[axis] = span / counts[axis] if span > 0.0 else 1.0
        else:
            # Further turns bring nothing new.
            counts[axis], step[axis] = each, turn / each
            whole[axis] = math.ceil(span / step[axis] - 1e-9)
    states = np.zeros(counts, np.uint8)
    names = np.array([*columns, *(-1,) * (3 - len(columns))], np.int64)
    for first in range(0, len(rows), MOST_PAIRS):
        part = np.zeros(counts, np.uint8)
        some = np.array(rows[first : first + MOST_PAIRS], np.int64)
        kernels.cell_states(
            lower, step, names, rest.copy(), model.fixed, model._room, some, FINER, part
        )
        states = part if not first else _worse(states, part)
    for axis in range(3):
        states = np.take(states, np.arange(whole[axis]) % counts[axis], axis)
    shape = tuple(whole[: len(columns)])
    wraps = tuple(bool(spheres.continuous[k]) for k in columns)
    used = len(columns)
    turns = tuple(counts[:used])
    return Cells(
        columns,
        np.array(rows),
        lower[:used],
        step[:used],
        wraps,
        states.reshape(shape),
        rest.copy(),
        turns,
    )


def _worse(one: U8, other: U8) -> U8:
    result = np.where(one == kernels.ALL_FREE, other, one)
    result[(other != kernels.ALL_FREE) & (one == kernels.UNDECIDED)] = other[
        (other != kernels.ALL_FREE) & (one == kernels.UNDECIDED)
    ]
    result[(one == kernels.ALL_CLOSED) | (other == kernels.ALL_CLOSED)] = kernels.ALL_CLOSED
    return np.asarray(result, np.uint8)


def way_through(
    cells: Cells,
    inside: Collection[int],
    are_open: Callable[[list[Cell]], list[bool]],
    most: int,
    to: Collection[int] = (),
) -> tuple[list[Cell] | None, bool, frozenset[int]]:
    """Cells from the pieces `inside` to another piece, through closed cells that `are_open` lets
    pass.

    Breadth first, so with the fewest closed cells; the first and the last are cells of pieces. With
    `to`, on the way to one of these pieces: as far as the first piece on it. (None, True): there is
    no way. (None, False): `most` closed cells were asked without an answer. With either come the
    other pieces that were reached.
    """
    labels, _ = cells.pieces
    home = np.isin(labels, list(inside))
    frontier = _edge(cells, home)
    came_from: dict[Cell, Cell | None] = dict.fromkeys(frontier)
    legs: dict[int, list[Cell]] = {}
    answers: dict[Cell, bool] = {}
    while frontier:
        ahead: dict[Cell, Cell] = {}
        reached: list[int] = []
        for cell in frontier:
            for each in cells.neighbours(cell):
                if each in came_from or each in ahead or home[each]:
                    continue
                piece = int(labels[each])
                if not piece:
                    ahead[each] = cell
                    continue
                leg = [*_back(came_from, cell), each]
                if not to or piece in to:
                    return _first(legs, labels, leg), True, frozenset(legs)
                # Within a piece the way goes on without a closed cell.
                legs[piece] = leg
                reached.append(piece)
                home |= labels == piece
        folded = {
            cell: tuple(k % count for k, count in zip(cell, cells.turn, strict=True))
            for cell in ahead
        }
        asking = [*dict.fromkeys(each for each in folded.values() if each not in answers)]
        if len(answers) + len(asking) > most:
            return None, False, frozenset(legs)
        answers |= dict(zip(asking, are_open(asking) if asking else (), strict=True))
        frontier = [cell for cell in ahead if answers[folded[cell]]]
        came_from |= ahead
        if reached:
            edge = _edge(cells, np.isin(labels, reached))
            came_from |= dict.fromkeys(edge)
            frontier += edge
    return None, True, frozenset(legs)


def _edge(cells: Cells, home: Bools) -> list[Cell]:
    """The cells of `home` that touch others."""
    from scipy.ndimage import binary_erosion

    edge = home & ~binary_erosion(home, border_value=1)
    for axis, wrap in enumerate(cells.wraps):
        if wrap:
            edge |= home & ~(np.roll(home, 1, axis) & np.roll(home, -1, axis))
    return list(zip(*(places.tolist() for places in np.nonzero(edge)), strict=True))


def _first(legs: dict[int, list[Cell]], labels: I32, last: list[Cell]) -> list[Cell]:
    """The first of the legs from piece to piece that end with `last`."""
    leg = last
    while (piece := int(labels[leg[0]])) in legs:
        leg = legs[piece]
    return leg


def _back(came_from: dict[Cell, Cell | None], last: Cell) -> list[Cell]:
    way = [last]
    while (before := came_from[way[-1]]) is not None:
        way.append(before)
    return way[::-1]


def bands(cells: Cells) -> Iterator[tuple[int, int, int]]:
    """(axis, first, last): runs of cells of an axis that are closed whatever the other joints
    do."""
    closed = cells.states == kernels.ALL_CLOSED
    for axis in range(closed.ndim):
        shut = closed.all(axis=tuple(k for k in range(closed.ndim) if k != axis))
        edges = np.flatnonzero(np.diff(np.concatenate([[False], shut, [False]]).astype(np.int8)))
        yield from ((axis, int(first), int(last) - 1) for first, last in edges.reshape(-1, 2))
