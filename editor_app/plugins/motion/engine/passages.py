"""Passages: what spheres close and meshes leave open. Which intervals of a joint are shut, and into
which pieces the free configurations fall.

A pair of links with at most three moving joints between them shuts configurations whatever the
other joints do. What its spheres shut is proven (`plugins.motion.engine.cells`). What the meshes
leave open is shown by a path between two pieces, proven free of these pairs' meshes, or by a
configuration.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import brief
from editor_app.core.model.model_cost import Names
from editor_app.core.model.pose import Pose
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.progress import Progress, silent
from editor_app.plugins.motion.engine import kernels, warmup
from editor_app.plugins.motion.engine.cells import (
    Cell,
    Cells,
    bands,
    cells_of,
    joint_sets,
    way_through,
)
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel

#: Pieces with a smaller share of the cells are counted, not told.
SMALLEST = 1e-3
#: Closed cells in which the meshes are asked before the search for a way ends.
MOST = 12_000
#: Closed cells of an interval in which a configuration is looked for that meshes leave free.
LOOKS = 600


class ByMeshes(StrEnum):
    """The evidence of meshes about passages that spheres close."""

    OPEN = "open, proven"
    SEEN_OPEN = "open in the samples"
    CLOSED = "closed too in the samples"
    UNDECIDED = "undecided"


_MESHES = {
    ByMeshes.OPEN: "the meshes leave it open: a path is proven free",
    ByMeshes.SEEN_OPEN: "the meshes leave it open in the samples",
    ByMeshes.CLOSED: "the meshes close it too in the samples",
    ByMeshes.UNDECIDED: "not compared with the meshes",
}


@dataclass(frozen=True, slots=True)
class FreePiece:
    """`share` of the cells of a joint set; `pose`: a configuration in it that these pairs leave
    free."""

    share: float
    pose: Pose


@dataclass(frozen=True, slots=True)
class ShutInterval:
    """Values of a joint at which spheres overlap whatever the other joints do (radians or metres;
    proven).

    `pairs`: those that overlap, most often first. `open`: the parts of it in which a configuration
    was seen that no meshes refuse; `open_pose`: one of them. `compared`: whether meshes were asked.
    """

    joint: str
    lower: float
    upper: float
    pairs: tuple[Names, ...]
    open: tuple[tuple[float, float], ...]
    open_pose: Pose | None
    compared: bool


@dataclass(frozen=True, slots=True)
class Barrier:
    """The barrier between two pieces: `joint` cannot pass `lower` … `upper`. `everywhere`: whatever
    the others do.

    `pairs`: whose spheres overlap on the shortest way across, most often first; `contacts`: their
    deepest contacts there (sphere, sphere, metres), deepest first. `ends`: free configurations on
    both sides. `way`: from one to the other, free by meshes, where there is one; `poses`:
    configurations of it that the spheres refuse.
    """

    joints: tuple[str, ...]
    joint: str
    lower: float
    upper: float
    everywhere: bool
    pairs: tuple[Names, ...]
    contacts: tuple[tuple[SphereRef, SphereRef, float], ...]
    by_meshes: ByMeshes
    ends: tuple[Pose, Pose]
    way: Trajectory | None
    poses: tuple[Pose, ...]
    #: What the links have to keep there, metres; 0: that they do not overlap.
    margin: float = 0.0
    #: Whether the joint slides: `lower` and `upper` are metres then.
    slides: bool = False

    @property
    def needless(self) -> bool:
        """True if the meshes leave open what the spheres close."""
        return self.by_meshes in (ByMeshes.OPEN, ByMeshes.SEEN_OPEN)

    @property
    def sentence(self) -> str:
        """The joint that cannot pass, and the pair that blocks it."""
        pairs = ", ".join(f"{a} and {b}" for a, b in self.pairs[:3])
        where = _interval(self.lower, self.upper, self.slides)
        wall = f"{self.joint} cannot pass {where}"
        if not self.everywhere:
            others = f"{', '.join(self.joints[:-1])} and {self.joints[-1]}"
            wall = (
                f"no motion of {others} connects both sides; the shortest crossing has "
                f"{self.joint} at {where}"
            )
        if self.margin > 0.0:
            return f"{wall}: {pairs} come nearer than {self.margin * 1e3:g} mm there"
        return f"{wall}: the spheres of {pairs} overlap there; {_MESHES[self.by_meshes]}"


@dataclass(frozen=True)
class JointSet:
    """`pieces`: proven apart by spheres, the largest first; `small`: pieces below `SMALLEST`, not
    told.

    `pieces_by_meshes`: how many pieces the meshes leave apart, as far as seen; None where they were
    not compared, or fewer joints have pieces already. `barriers`, `intervals`: without what fewer
    joints shut.
    """

    joints: tuple[str, ...]
    pairs: tuple[Names, ...]
    pieces: tuple[FreePiece, ...]
    small: int
    pieces_by_meshes: int | None
    barriers: tuple[Barrier, ...]
    intervals: tuple[ShutInterval, ...]
    cells: Cells = field(repr=False, compare=False)


@dataclass(frozen=True)
class Passages:
    """`sets`: joints between pairs of links. `too_long`: pairs with more than three joints between,
    not looked at."""

    sets: tuple[JointSet, ...]
    too_long: tuple[Names, ...]
    notes: tuple[str, ...]

    __repr__ = brief

    @property
    def barriers(self) -> tuple[Barrier, ...]:
        return tuple(barrier for each in self.sets for barrier in each.barriers)

    @property
    def closed(self) -> tuple[Barrier, ...]:
        """Passages that spheres alone close."""
        return tuple(barrier for barrier in self.barriers if barrier.needless)


def _interval(lower: float, upper: float, slides: bool) -> str:
    """Radians, as degrees too; metres of a joint that slides as millimetres."""
    if slides:
        return f"{lower * 1e3:.1f} to {upper * 1e3:.1f} mm"
    return (
        f"{lower:.2f} to {upper:.2f} rad ({math.degrees(lower):.0f}° to {math.degrees(upper):.0f}°)"
    )


# -- grids: what spheres close


@dataclass(frozen=True)
class Grid:
    """Cells of one joint set. `alike`: per piece (1 …) what tells it from others in sets with fewer
    joints.

    `key`: equal where the spheres between whose links it is are equal, as of `EarlierPassages`.
    """

    joints: tuple[str, ...]
    cells: Cells
    alike: tuple[tuple[int, ...], ...]
    key: bytes


@dataclass
class EarlierPassages:
    """Results of joint sets, by a key of the spheres between whose links they are. Of one robot,
    with the same joints, limits, default configuration and meshes: spheres and mask may differ."""

    grids: dict[bytes, Grid] = field(default_factory=dict)
    sets: dict[tuple[bytes, bool], JointSet] = field(default_factory=dict)


def _set_key(model: MotionModel, columns: tuple[int, ...], rows: Sequence[int]) -> bytes:
    """Return a key of everything about spheres and mask that tells what a joint set shuts."""
    spheres = model.spheres
    frames = np.unique(spheres.pairs[rows]).tolist()
    places = [(int(spheres.starts[k]), int(spheres.starts[k + 1])) for k in frames]
    told = [
        (spheres.frames[k], spheres.refs[a:b]) for k, (a, b) in zip(frames, places, strict=True)
    ]
    numbers = b"".join(spheres.spheres[a:b].tobytes() for a, b in places)
    text = repr((columns, rows, spheres.pairs[rows].tolist(), told, model.fixed.slack))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") + numbers).digest()


def passages_of(
    model: MotionModel,
    meshes: Callable[[], MeshMotion | None],
    notes: tuple[str, ...] = (),
    tick: Progress = silent,
    earlier: EarlierPassages | None = None,
) -> Passages:
    """Shut intervals, pieces and barriers; `meshes` is asked where something is shut. `tick` may
    raise.

    `earlier`: of the last call; joint sets whose spheres are the same are taken from it, and it is
    brought up to date.
    """
    earlier = EarlierPassages() if earlier is None else earlier
    grids, too_long = grids_of(model, tick, earlier=earlier.grids)
    look = None
    if any(grid.cells.pieces[1] > 1 or any(bands(grid.cells)) for grid in grids):
        look = MeshRows.of(meshes())
    sets: list[JointSet] = []
    for k, grid in enumerate(grids):
        tick(0.4 + 0.6 * k / len(grids), f"Passages: {', '.join(grid.joints)}")
        key = grid.key, look is not None
        if key not in earlier.sets:
            inner = [each for each in sets if set(each.joints) < set(grid.joints)]
            intervals = [interval for each in inner for interval in each.intervals]
            earlier.sets[key] = _joint_set(model, grid, look, intervals)
        sets.append(earlier.sets[key])
    keys = {grid.key for grid in grids}
    earlier.grids = {key: grid for key, grid in earlier.grids.items() if key in keys}
    earlier.sets = {key: each for key, each in earlier.sets.items() if key[0] in keys}
    return Passages(tuple(sets), tuple(model.names(row) for row in too_long), notes)


def grids_of(
    model: MotionModel,
    tick: Progress = silent,
    rest: F64 | None = None,
    earlier: dict[bytes, Grid] | None = None,
) -> tuple[list[Grid], list[int]]:
    """The cells of every joint set, few joints first, and the rows with too many joints between.

    `rest` (variables,): where the joints outside of the c-space stand; default: the default
    configuration. `tick` hears how far it is, and may raise. `earlier`: as of `EarlierPassages`.
    """
    warmup.load_kernels()
    sets, too_long = joint_sets(model)
    grids: list[Grid] = []
    for k, (columns, rows) in enumerate(sets.items()):
        tick(0.4 * k / len(sets), "Passages: finding overlaps of spheres")
        key = _set_key(model, columns, rows)
        if earlier is not None and key in earlier:
            grids.append(earlier[key])
            continue
        cells = cells_of(model, columns, rows, model.default if rest is None else rest)
        inner = [
            grid
            for grid in grids
            if set(grid.cells.columns) < set(columns) and grid.cells.pieces[1] > 1
        ]
        alike = []
        for piece in range(1, cells.pieces[1] + 1):
            middle = cells.middle(_some_cell(cells, piece))
            alike.append(tuple(grid.cells.piece(middle) for grid in inner))
        grids.append(Grid(tuple(model.variables[k] for k in columns), cells, tuple(alike), key))
        if earlier is not None:
            earlier[key] = grids[-1]
    return grids, too_long


def _some_cell(cells: Cells, piece: int) -> Cell:
    """A cell of a piece, free all over or at its middle if there is one: the middle one of them in
    their order."""
    labels, _ = cells.pieces
    places = np.flatnonzero(labels.ravel() == piece)
    states = cells.states.ravel()[places]
    for wanted in (kernels.ALL_FREE, kernels.UNDECIDED):
        if len(fitting := places[states == wanted]):
            places = fitting
            break
    return tuple(int(k) for k in np.unravel_index(places[len(places) // 2], cells.states.shape))


def _free_cell(cells: Cells, piece: int) -> bool:
    """Whether a cell of the piece is free at its middle at least."""
    return bool(cells.states[_some_cell(cells, piece)] in (kernels.ALL_FREE, kernels.UNDECIDED))


# -- what meshes say of it


@dataclass(frozen=True)
class MeshRows:
    """Meshes, and the rows of theirs that count."""

    meshes: MeshMotion
    rows: I64

    @classmethod
    def of(cls, meshes: MeshMotion | None) -> MeshRows | None:
        return None if meshes is None else cls(meshes, meshes.provable)

    def between(self, columns: tuple[int, ...]) -> I64:
        """Rows that the variables alone move."""
        motion = self.meshes.motion
        moving = set(motion.moving.tolist())
        names = set(columns)
        return np.array(
            [
                row
                for row in self.rows.tolist()
                if set(motion.spheres.path_variables(row)) & moving <= names
            ],
            np.int64,
        )

    def free(self, values: F64, rows: I64) -> list[bool]:
        """Return whether no meshes of `rows` touch at each of the configurations (n, variables)."""
        touching = {n for n, _ in self.meshes.touching(values, rows)} if len(rows) else set()
        return [n not in touching for n in range(len(values))]

    def proven(self, way: list[F64], rows: I64) -> list[F64] | None:
        """Points of the way between which straight lines are proven free of `rows`: as few as
        halving it finds."""
        line = self.meshes.line(way[0], way[-1], rows)
        if not line.touching and not line.undecided:
            return [way[0], way[-1]]
        if len(way) <= 2:
            return None
        middle = len(way) // 2
        first = self.proven(way[: middle + 1], rows)
        second = self.proven(way[middle:], rows) if first is not None else None
        return None if first is None or second is None else [*first, *second[1:]]


def _ways_out(
    model: MotionModel, grid: Grid, told: Sequence[int], look: MeshRows | None, rows: I64
) -> tuple[list[Barrier], dict[int, set[int]]]:
    """What shuts pieces off, and piece -> the pieces that the meshes join with it."""
    barriers: list[Barrier] = []
    groups = {piece: {piece} for piece in told}
    # From the smallest: a way out of each to any other, until the meshes leave no more ways.
    for piece in reversed(told):
        twins = {
            other for other in told if grid.alike[other - 1] == grid.alike[piece - 1]
        } - groups[piece]
        if not twins:
            continue
        barrier, reached = _out_of(model, grid, groups[piece], look, rows)
        if barrier is None:
            continue
        if barrier.needless and reached in groups:
            joined = groups[piece] | groups[reached]
            groups |= dict.fromkeys(joined, joined)
        if all(not _same(barrier, other) for other in barriers):
            barriers.append(barrier)
    return barriers, groups


def _joint_set(
    model: MotionModel, grid: Grid, look: MeshRows | None, inner: Sequence[ShutInterval]
) -> JointSet:
    """`inner`: intervals that sets with fewer joints have shut already."""
    cells = grid.cells
    labels, count = cells.pieces
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:] / labels.size
    order = [k + 1 for k in np.argsort(-sizes, kind="stable").tolist()]
    told = [piece for piece in order if sizes[piece - 1] >= SMALLEST and _free_cell(cells, piece)]
    rows = look.between(cells.columns) if look is not None else np.zeros(0, np.int64)
    barriers, groups = _ways_out(model, grid, told, look, rows)
    return JointSet(
        grid.joints,
        tuple(model.names(row) for row in cells.rows.tolist()),
        tuple(
            FreePiece(float(sizes[piece - 1]), model.pose(cells.middle(_some_cell(cells, piece))))
            for piece in told
        ),
        count - len(told),
        len({frozenset(group) for group in groups.values()})
        if look is not None and not any(grid.alike)
        else None,
        tuple(barriers),
        tuple(
            each
            for each in _intervals(model, grid, look, rows)
            if not any(_overlap(each, other) for other in inner)
        ),
        cells,
    )


def _overlap(one: ShutInterval, other: ShutInterval) -> bool:
    return one.joint == other.joint and one.lower < other.upper and other.lower < one.upper


def _same(one: Barrier, other: Barrier) -> bool:
    return (one.joint, one.lower, one.upper, one.pairs) == (
        other.joint,
        other.lower,
        other.upper,
        other.pairs,
    )


def barrier_between(
    model: MotionModel, grids: Sequence[Grid], start: F64, goal: F64, look: MeshRows | None
) -> Barrier:
    """Find the barrier between two free configurations (variables,) in different pieces of a grid:
    the first that a way from `start` to `goal` would have to pass."""
    grid = find_separating_grid(grids, start, goal)
    assert grid is not None, "start and goal are in one piece"
    rows = look.between(grid.cells.columns) if look is not None else np.zeros(0, np.int64)
    barrier, _ = _out_of(
        model, grid, {grid.cells.piece(start)}, look, rows, (grid.cells.piece(goal),)
    )
    assert barrier is not None, "through closed cells there is always a way"
    return barrier


def find_separating_grid(grids: Sequence[Grid], start: F64, goal: F64) -> Grid | None:
    """The first grid that has two configurations (variables,) in different pieces: then no path
    joins them."""
    for grid in grids:
        one, other = grid.cells.piece(start), grid.cells.piece(goal)
        if one and other and one != other:
            return grid
    return None


def _out_of(
    model: MotionModel,
    grid: Grid,
    inside: set[int],
    look: MeshRows | None,
    rows: I64,
    to: tuple[int, ...] = (),
) -> tuple[Barrier | None, int]:
    """What shuts the pieces `inside` from the others, at the thinnest place (on the way `to`
    pieces, if there are any), and the piece beyond."""
    cells = grid.cells
    labels, _ = cells.pieces
    by_meshes, way = ByMeshes.UNDECIDED, None
    if look is not None:

        def are_open(asking: list[Cell]) -> list[bool]:
            return look.free(np.array([cells.middle(cell) for cell in asking]), rows)

        way, exhausted, reached_by_meshes = way_through(cells, inside, are_open, MOST, to)
        # What the meshes leave open on the way is not what they close.
        inside = inside if way is not None else inside | reached_by_meshes
        by_meshes = (
            ByMeshes.SEEN_OPEN
            if way is not None
            else ByMeshes.CLOSED
            if exhausted
            else ByMeshes.UNDECIDED
        )
    across = (
        way or way_through(cells, inside, lambda asking: [True] * len(asking), labels.size, to)[0]
    )
    if across is None:
        return None, 0
    reached = int(labels[across[-1]])
    points = [cells.middle(cell) for cell in across]
    trajectory = None
    if way is not None and look is not None:
        whole = [*_into(cells, across[0])[::-1], *across[1:-1], *_into(cells, across[-1])]
        along = [cells.middle(cell) for cell in whole]
        proven = look.proven(along, rows)
        by_meshes = ByMeshes.SEEN_OPEN if proven is None else ByMeshes.OPEN
        names = tuple(model.variables[k] for k in cells.columns)
        table = np.array(proven or along)[:, list(cells.columns)]
        trajectory = Trajectory(names, tuple(map(tuple, table.tolist())))
    barrier = _barrier(model, grid, across, np.array(points[1:-1] or points))
    ends = (
        model.pose(cells.middle(_into(cells, across[0])[-1])),
        model.pose(cells.middle(_into(cells, across[-1])[-1])),
    )
    return replace(barrier, by_meshes=by_meshes, ends=ends, way=trajectory), reached


def _into(cells: Cells, start: Cell) -> list[Cell]:
    """From a cell to the next one of its piece that is free all over (or at its middle)."""
    labels, _ = cells.pieces
    came_from: dict[Cell, Cell | None] = {start: None}
    frontier, fallback = [start], start
    for _ in range(60):
        ahead: list[Cell] = []
        for cell in frontier:
            if cells.states[cell] == kernels.ALL_FREE:
                return _chain(came_from, cell)
            if (
                cells.states[cell] == kernels.UNDECIDED
                and cells.states[fallback] != kernels.UNDECIDED
            ):
                fallback = cell
            for each in cells.neighbours(cell):
                if each not in came_from and labels[each] == labels[start]:
                    came_from[each] = cell
                    ahead.append(each)
        frontier = ahead
    return _chain(came_from, fallback)


def _chain(came_from: Mapping[Cell, Cell | None], last: Cell) -> list[Cell]:
    chain = [last]
    while (before := came_from[chain[-1]]) is not None:
        chain.append(before)
    return chain[::-1]


def _barrier(model: MotionModel, grid: Grid, across: list[Cell], closed: F64) -> Barrier:
    """The joint, its interval, the pairs and spheres of the closed configurations (n, variables) on
    a way across."""
    cells = grid.cells
    travel = np.ptp(np.array(across[1:-1] or across), axis=0) + np.abs(
        np.array(across[-1]) - np.array(across[0])
    )
    axis = int(np.argmax(travel * cells.step))
    places = [cell[axis] for cell in across[1:-1] or across]
    first, last = min(places), max(places)
    run = next(((a, b) for k, a, b in bands(cells) if k == axis and a <= last and b >= first), None)
    first, last = run or (first, last)
    spots, gaps = model.nearer(closed, cells.rows)
    deepest: dict[tuple[SphereRef, ...], float] = {}
    for (_, row, a, b), gap in zip(spots.tolist(), gaps.tolist(), strict=True):
        refs = model.refs(row, a, b)
        deepest[refs] = max(deepest.get(refs, 0.0), -gap)
    contacts = sorted(
        ((refs[0], refs[1], depth) for refs, depth in deepest.items()), key=lambda each: -each[2]
    )
    return Barrier(
        grid.joints,
        model.variables[cells.columns[axis]],
        float(cells.lower[axis] + first * cells.step[axis]),
        float(cells.lower[axis] + (last + 1) * cells.step[axis]),
        run is not None,
        tuple(model.names(row) for row, _ in Counter(spots[:, 1].tolist()).most_common()),
        tuple(contacts),
        ByMeshes.UNDECIDED,
        (model.pose(closed[0]), model.pose(closed[-1])),
        None,
        tuple(model.pose(values) for values in closed),
        float(model.fixed.margin[cells.rows].max()),
        bool(
            np.any(
                model.spheres.bodies.prismatic.astype(bool)[
                    model.spheres.bodies.dof == cells.columns[axis]
                ]
            )
        ),
    )


def _seen_open(
    values: F64, free: Bools, column: int, ask: Callable[[F64], Sequence[bool]]
) -> Bools:
    """Which cells (cells,) of a joint are open: by `free` (cells, looks) at `values` (cells, looks,
    variables), or, where few looks missed it, with the other joints as in the next open cells on
    both sides."""
    seen: Bools = np.array(free.any(axis=1))
    places, missed = np.flatnonzero(seen), np.flatnonzero(~seen)
    if len(places) and len(missed):
        after = np.searchsorted(places, missed)
        beside = places[np.clip([after - 1, after], 0, len(places) - 1)]
        trials = values[beside, free[beside].argmax(axis=-1)]
        trials[:, :, column] = values[missed, 0, column]
        seen[missed] = (
            np.array(ask(trials.reshape(-1, trials.shape[-1]))).reshape(2, -1).any(axis=0)
        )
    return seen


def _intervals(
    model: MotionModel, grid: Grid, look: MeshRows | None, rows: I64
) -> tuple[ShutInterval, ...]:
    """Intervals that are shut whatever the other joints do."""
    cells = grid.cells
    rng = np.random.default_rng(0)
    intervals = []

    def ask(values: F64) -> list[bool]:
        return look.free(values, rows) if look is not None else [False] * len(values)

    for axis, first, last in bands(cells):
        each = max(1, LOOKS // (last - first + 1))
        index = np.repeat(np.arange(first, last + 1), each)
        places = rng.integers(0, cells.states.shape, (len(index), cells.states.ndim))
        places[:, axis] = index
        values = np.array([cells.middle(tuple(place)) for place in places.tolist()])
        spots, _ = model.row_clearances(values, 0.0, cells.rows)
        counts = Counter(spots[:, 1].tolist())
        free = np.array(ask(values))
        seen = _seen_open(
            values.reshape(-1, each, values.shape[1]),
            free.reshape(-1, each),
            cells.columns[axis],
            ask,
        )
        open_at = np.concatenate([[False], seen, [False]])
        runs = np.flatnonzero(np.diff(open_at.astype(np.int8))).reshape(-1, 2) + first

        def value(place: int, axis: int = axis) -> float:
            return float(cells.lower[axis] + place * cells.step[axis])

        intervals.append(
            ShutInterval(
                model.variables[cells.columns[axis]],
                value(first),
                value(last + 1),
                tuple(
                    model.names(row) for row, n in counts.most_common() if n >= 0.02 * len(values)
                ),
                tuple((value(a), value(b)) for a, b in runs.tolist()),
                model.pose(values[free][0]) if free.any() else None,
                look is not None,
            )
        )
    return tuple(intervals)
