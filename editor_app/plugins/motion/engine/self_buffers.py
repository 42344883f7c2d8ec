"""Self-collision buffers with which spheres decide as the meshes do.

Spheres that cover a link stand out from it, and refuse configurations in which no meshes touch. The
buffer of a frame changes the radii of its spheres for self-collision alone, so the spheres that
obstacles meet keep their coverage. Two frames a and b may shrink together by the least overlap that
their spheres have while their meshes touch: ``shrink[a] + shrink[b] <= overlap[a, b]`` for each
pair that touches. Among these shrinks a linear program finds those that free the most
configurations; a frame that refuses little may grow, so that its neighbours can shrink, or so that
it catches what its spheres miss, as next to the plane that a base stands on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.progress import Progress, silent
from editor_app.features.spheres.engine.optimiser import gaps as gaps_to_spheres
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.plugins.motion.engine.buffer_program import (
    GROWTH,
    MARGIN,
    STEP,
    Gaps,
    OverlapRange,
    Pairing,
    shares,
    solved,
)
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.planner import free_configurations, plan_path
from editor_app.plugins.motion.engine.results import PlannerSettings
from editor_app.plugins.motion.engine.verdicts import CHUNK

#: A least overlap below this is the edge of a place where spheres miss what the meshes touch,
#: metres.
_EDGE = 2.5e-3
#: Spheres that overlap in this share of the free configurations, while their meshes never touch,
#: are for the mask.
_OFTEN = 0.02
#: In this share of the free configurations no fit keeps the spheres of a pair apart.
_HOPELESS = 0.9
#: How many of the touching configurations with the least overlap the search starts from, and its
#: rounds.
_STARTS, _TRIES, _ROUNDS = 12, 16, 7
#: Paths that are looked along at once, and the radians, or metres, between two looks.
PATHS, _STRIDE = 150, 0.02
#: A path is shortened by so many trials: twice as many take a hundredth more off, and find no more.
_SHORTCUTS = 60
#: Of links with so many joints between, or fewer, a sample shows how near spheres come to each
#: other while their meshes touch: meshes of spheres that are further apart by more than this,
#: metres, are not compared along paths.
_JOINTS, _BEYOND = 2, 0.003
#: Where spheres are so near to each other (metres), others are looked at so far aside (radians,
#: metres), so many.
_BESIDE, _ASIDE, _BESIDES = 0.002, 0.04, 4
#: A path is given up after so many looks at the cancel flag: no clock tells, so that the same seed
#: gives the same file.
_PATIENCE = 5

#: Configurations of each pair in which its meshes just touch, at most, and halvings of a line that
#: lead to one. More of them would weigh what planners seldom meet as much as what they do.
_EDGES, _HALVINGS = 60, 10
#: A rim that spheres leave uncovered by less than this (metres) is met by spheres that protrude.
#: More is covered by growth, which may refuse this share more of the free configurations, and ends
#: here, metres.
_RIM, _RIM_COST, _RIM_GROWTH = 0.01, 0.003, 2 * GROWTH
#: Looks at spheres that are remembered: fits that are tried one after the other share most of their
#: pairs.
_REMEMBERED = 4

#: The names of two frames, and their spheres.
_Key = tuple[tuple[str, bytes], tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class OverlapBound:
    """The limit of a pair: `frames`, and the least overlap of their spheres while their meshes
    touch, metres."""

    frames: tuple[str, str]
    overlap: float


@dataclass(frozen=True, slots=True)
class Undecided:
    """A pair for the mask: shares (0..1) of the free configurations in which its spheres overlap,
    and of all configurations in which its meshes touch."""

    pair: LinkPair
    refused: float
    touching: float


@dataclass(frozen=True)
class Thresholds:
    """The results of a robot's meshes in random configurations, and of its spheres in the same
    ones.

    `values` (n, variables); `rows`: pair of links -> its row of meshes, for pairs that count;
    `touched`: pair -> the configurations in which its meshes touch.
    """

    values: F64
    rows: Mapping[LinkPair, int]
    touched: Mapping[LinkPair, I64]
    #: The last looks at spheres, of which all questions are asked: pair of frames -> where its
    #: spheres are near, and their clearances. The spots count the spheres from the first of their
    #: frame.
    _looks: deque[dict[_Key, tuple[I64, F64]]] = field(
        default_factory=lambda: deque(maxlen=_REMEMBERED), compare=False, repr=False
    )
    #: The model of the last look, and row -> spots and clearances.
    _last: list[tuple[MotionModel, dict[int, tuple[I64, F64]]]] = field(
        default_factory=list, compare=False, repr=False
    )

    @classmethod
    def of(
        cls, model: MotionModel, meshes: MeshMotion, values: F64, tick: Progress = silent
    ) -> Thresholds:
        """`model`: spheres and mask; `meshes`: the same robot. `tick` hears how far it is, and may
        raise."""
        rows = _paired(model, meshes)
        return cls(values, rows, _touched(meshes, values, rows, tick))

    @property
    def collides(self) -> Bools:
        """(n,) whether the meshes of any pair touch."""
        collides = np.zeros(len(self.values), bool)
        for each in self.touched.values():
            collides[each] = True
        return collides

    def near(self, model: MotionModel, among: Collection[int] | None = None) -> tuple[I64, F64]:
        """Spots (m, 4: configuration, row, sphere, sphere) in which spheres of the pairs that count
        come closer than two frames may grow, and their clearances (m,) in metres, row by row.
        `among`: rows that are looked at (default: all)."""
        rows = self._near(model)
        parts = [
            rows[row] for row in sorted(rows.keys() if among is None else rows.keys() & {*among})
        ]
        if not parts:
            return np.zeros((0, 4), np.int64), np.zeros(0)
        return np.concatenate([spots for spots, _ in parts]), np.concatenate(
            [gaps for _, gaps in parts]
        )

    def _near(self, model: MotionModel) -> dict[int, tuple[I64, F64]]:
        """Row -> spots and clearances."""
        if self._last and self._last[0][0] is model:
            return self._last[0][1]
        near = {}
        for row, (spots, gaps) in self._looked_at(model).items():
            first, second = model.spheres.starts[
                np.asarray(model.spheres.pairs[row], np.int64)
            ].tolist()
            near[row] = (
                np.column_stack(
                    [spots[:, 0], np.full(len(spots), row), spots[:, 2:] + (first, second)]
                ),
                gaps,
            )
        self._last[:] = [(model, near)]
        return near

    def _looked_at(self, model: MotionModel) -> dict[int, tuple[I64, F64]]:
        """Row -> as `_looks` has them. What earlier looks saw of the same spheres is not looked at
        again."""
        index = model.spheres.pair_index
        keys = {
            row: _key(model, row)
            for row in sorted(index[pair] for pair in self.rows if pair in index)
        }
        look = {key: each[key] for each in self._looks for key in keys.values() if key in each}
        new = np.array([row for row, key in keys.items() if key not in look], np.int64)
        if len(new):
            spots, gaps = model.row_clearances(self.values, 2 * GROWTH, new)
            order = np.argsort(spots[:, 1], kind="stable")
            spots, gaps = spots[order], gaps[order]
            spots[:, 2:] -= model.spheres.starts[
                np.asarray(model.spheres.pairs, np.int64)[spots[:, 1]]
            ]
            ends = np.searchsorted(spots[:, 1], new, side="right").tolist()
            for row, first, end in zip(new.tolist(), [0, *ends], ends, strict=False):
                look[keys[row]] = spots[first:end], gaps[first:end]
        self._looks.append(look)
        return {row: look[key] for row, key in keys.items()}

    def overlaps(self, model: MotionModel, row: int) -> F64:
        """(n,) how deep the spheres of a row overlap, metres; negative where they are apart, at
        most by 2 GROWTH."""
        spots, clearances = self.near(model, (row,))
        overlaps = np.full(len(self.values), -2 * GROWTH)
        overlaps[spots[:, 0]] = -clearances
        return overlaps

    def to_decide(self, model: MotionModel) -> list[int]:
        """Rows of the pairs that spheres decide; the others are `for_the_mask`."""
        index = model.spheres.pair_index
        masked = {each.pair for each in self.for_the_mask(model)}
        return [index[pair] for pair in self.touched if pair in index and pair not in masked]

    def for_the_mask(self, model: MotionModel) -> list[Undecided]:
        """Pairs that no fit decides, the worst first: their spheres overlap in nearly all of the
        free configurations deeper than where their meshes touch, which no buffers change, or often
        while their meshes never touch."""
        index = model.spheres.pair_index
        rows = {index[pair]: pair for pair in self.touched if pair in index}
        free = ~self.collides
        undecided = []
        for row, pair in rows.items():
            overlaps = self.overlaps(model, row)
            touched = self.touched[pair]
            # Buffers can take off what the spheres overlap by whenever the meshes touch, but for
            # the margin.
            least = max(0.0, float(overlaps[touched].min()) - MARGIN) if len(touched) else 0.0
            refused = int((overlaps[free] > least).sum()) / max(1, int(free.sum()))
            if refused >= (_HOPELESS if len(touched) else _OFTEN):
                undecided.append(Undecided(pair, refused, len(touched) / len(self.values)))
        return sorted(undecided, key=lambda each: -each.refused)

    def verdict(
        self, model: MotionModel, shrink: Mapping[str, float], rows: Collection[int] | None = None
    ) -> tuple[float, float, float]:
        """Shares (0..1) of the free configurations that the spheres of `rows` (default: of all
        pairs that count) refuse when `shrink` is taken off, and of the touching ones that they let
        pass; and how deep the spheres overlap in the free ones, metres, as a mean of the
        deepest."""
        if rows is None:
            rows = [model.spheres.pair_index[pair] for pair in self.rows]
        less = np.array([shrink.get(frame, 0.0) for frame in model.spheres.frames])
        spots, gaps = self.near(model, rows)
        gaps = gaps + less[np.asarray(model.spheres.pairs, np.int64)[spots[:, 1]]].sum(axis=1)
        depth = np.zeros(len(self.values))
        np.maximum.at(depth, spots[:, 0], -gaps)
        free = ~self.collides
        return (*shares(depth > 0.0, ~free), float(depth[free].mean()) if free.any() else 0.0)

    def __add__(self, other: Thresholds) -> Thresholds:
        """The configurations of both, for the same robot."""
        first = len(self.values)
        touched = {
            pair: np.concatenate([self.touched[pair], other.touched[pair] + first])
            for pair in self.rows
        }
        both = Thresholds(np.vstack([self.values, other.values]), self.rows, touched)
        if self._last:
            # Of thousands of configurations, tens are new.
            model = self._last[0][0]
            more = other._looked_at(model)
            both._looks.append(
                {
                    _key(model, row): (
                        np.concatenate([spots, more[row][0] + (first, 0, 0, 0)]),
                        np.concatenate([gaps, more[row][1]]),
                    )
                    for row, (spots, gaps) in self._looked_at(model).items()
                }
            )
        return both

    def with_edges(
        self,
        model: MotionModel,
        meshes: MeshMotion,
        seed: int,
        most: int = _EDGES,
        share: float = 0.1,
    ) -> Thresholds:
        """With `most` configurations or fewer in which the meshes of a pair just touch: there
        spheres overlap least. All pairs together get `share` as many as there are. Each comes from
        halving a line of the joints between two links, from one that touches to one in which they
        are apart."""
        rng = np.random.default_rng(seed)
        index, every = model.spheres.pair_index, np.arange(len(self.values))
        pairs = [
            pair
            for pair, touched in self.touched.items()
            if pair in index and 0 < len(touched) < len(every)
        ]
        count = min(most, int(share * len(every)) // max(1, len(pairs)))
        edges = [np.zeros((0, self.values.shape[1]))]
        for pair in pairs:
            path = np.array(model.spheres.path_variables(index[pair]), np.int64)
            inner = self.values[rng.choice(self.touched[pair], count)]
            outer = inner.copy()
            outer[:, path] = self.values[
                rng.choice(np.setdiff1d(every, self.touched[pair]), count)
            ][:, path]
            for _ in range(_HALVINGS):
                middle = (inner + outer) / 2
                meets = np.array(
                    meshes.meshes.collide_at(self.rows[pair], meshes.motion.body_poses(middle)),
                    bool,
                )
                inner, outer = (
                    np.where(at[:, None], middle, end)
                    for at, end in ((meets, inner), (~meets, outer))
                )
            edges.append(inner)
        values = np.concatenate(edges)
        return self + Thresholds(values, self.rows, _touched(meshes, values, self.rows, silent))

    def met_on_paths(
        self,
        model: MotionModel,
        meshes: MeshMotion,
        shrink: Mapping[str, float],
        among: Collection[int],
        seed: int,
        tick: Progress = silent,
    ) -> Thresholds:
        """Configurations in which meshes touch on paths between random ends, or just beside them,
        when `shrink` is taken off the spheres and the rows `among` count: what these let pass and a
        planner meets, since short paths keep to the edge of what is free."""
        bare, model = model, _shrunk(model, shrink, among)
        ends, _ = free_configurations(model, 2 * PATHS, seed)
        places = [np.zeros((0, len(model.variables)))]
        for k in range(len(ends) // 2):
            tick(0.8 * k / PATHS, f"Checking planned paths: {k + 1} of {PATHS}")
            looks = iter([False] * _PATIENCE)
            # Every other one draws what `plan` draws when no seed is named: most paths go by there.
            settings = PlannerSettings(np.inf, shortcuts=_SHORTCUTS, seed=(seed + k) * (k % 2))
            planned = plan_path(
                model, ends[2 * k], ends[2 * k + 1], settings, partial(next, looks, True)
            )
            places += [] if planned.path is None else [_along(planned.path)]
        values = np.concatenate(places)
        values = np.concatenate([values, _beside(model, values, seed)])
        tick(0.8, "Comparing meshes along the paths")
        # Where bare spheres are further apart, meshes that they cover do not touch.
        spots, gaps = bare.row_clearances(values, GROWTH, model.rows)
        touched = {}
        for pair, row in self.rows.items():
            sphere_row = bare.spheres.pair_index[pair]
            near = spots[
                (spots[:, 1] == sphere_row) & (gaps <= self._farthest(bare, sphere_row, pair)), 0
            ]
            meets = meshes.meshes.collide_at(row, meshes.motion.body_poses(values[near]))
            touched[pair] = near[np.array(meets, bool)]
        met = np.unique(np.concatenate([*touched.values(), np.zeros(0, np.int64)]))
        return Thresholds(
            values[met], self.rows, {k: np.searchsorted(met, each) for k, each in touched.items()}
        )

    def _farthest(self, model: MotionModel, row: int, pair: LinkPair) -> float:
        """How far apart the spheres of a row may be, metres, for a look at the meshes of its
        pair."""
        touched = self.touched[pair]
        if not len(touched) or len(model.spheres.path_variables(row)) > _JOINTS:
            return GROWTH
        return min(GROWTH, _BEYOND - float(self.overlaps(model, row)[touched].min()))

    def shrink(
        self,
        model: MotionModel,
        meshes: MeshMotion,
        *,
        seed: int = 0,
        growth: float = GROWTH,
        margin: float = MARGIN,
        search: bool = True,
        shared: bool = False,
        among: Collection[int] | None = None,
    ) -> tuple[dict[str, float], tuple[OverlapBound, ...]]:
        """Frame -> what to take off the radii of its spheres for self-collision (metres, multiples
        of STEP, none is 0; negative: what to add), and the bounds of the pairs that touch, the
        tightest first.

        Frames whose spheres do not belong to a mesh stay as they are. `search`: whether smaller
        overlaps are looked for around the sample's least. `shared`: whether a configuration in
        which meshes touch may be left to any pair whose spheres overlap there, whatever pair it is
        that touches; nothing of the search counts then. `among`: rows of the pairs that count
        (default: all).
        """
        index = model.spheres.pair_index
        counts = {
            pair for pair in self.rows if pair in index and (among is None or index[pair] in among)
        }
        rows = {index[pair]: row for pair, row in self.rows.items() if pair in counts}
        touched = {index[pair]: each for pair, each in self.touched.items() if pair in counts}
        rooms = {
            row: self._room(model, meshes, rows, row, touched[row], seed if search else None)
            for row in rows
        }
        gaps = Gaps.of(*self.near(model, rows), len(self.values), rows, touched)
        shrink = solved(model, gaps, rooms, growth, margin, shared=shared)
        told = (
            OverlapBound(model.spheres.ordered(row), room.least)
            for row, room in rooms.items()
            if room is not None
        )
        return shrink, tuple(sorted(told, key=lambda bound: (bound.overlap, bound.frames)))

    def with_rims(
        self, model: MotionModel, meshes: MeshMotion, shrink: dict[str, float]
    ) -> dict[str, float]:
        """Return `shrink` (frame -> metres) with more growth of frames that stand on the ground.

        Their spheres stay above the ground and leave the rim of the mesh uncovered. A sample has
        few of the collisions there: growth that catches these misses others. So a frame grows as
        far as its rim is uncovered and others shrink, while that refuses little.
        """
        spheres = model.spheres
        rows = sorted(spheres.pair_index[pair] for pair in self.rows if pair in spheres.pair_index)
        for frame in sorted({int(frame) for row in rows for frame in spheres.pairs[row]}):
            # The path of the root's body is itself.
            stands = len(spheres.body_path[int(spheres.frame_body[frame])]) == 1
            rim = uncovered_by(model, meshes, frame) if stands else 0.0
            if rim < _RIM:
                continue
            name = spheres.frames[frame]
            least, most = (
                -shrink.get(name, 0.0),
                min(rim + max([0.0, *shrink.values()]), _RIM_GROWTH),
            )
            growths = [
                round(STEP * k, 6) for k in range(round(least / STEP) + 1, int(most / STEP) + 1)
            ]
            limit = self.verdict(model, shrink, rows)[0] + _RIM_COST
            number = bisect_right(
                growths, limit, key=partial(self._refused, model, rows, shrink, frame)
            )
            if number:
                shrink = {**shrink, name: -growths[number - 1]}
        return shrink

    def _refused(
        self,
        model: MotionModel,
        rows: Collection[int],
        shrink: Mapping[str, float],
        frame: int,
        growth: float,
    ) -> float:
        """Return the share of the free configurations that are refused when one frame grows by so
        much (metres); all, where it collides at the default position."""
        grown = {**shrink, model.spheres.frames[frame]: -growth}
        meeting = [row for row in rows if frame in model.spheres.pairs[row]]
        if _shrunk(model, grown, meeting).first_collisions(model.default[None])[0] >= 0:
            return 1.0
        return self.verdict(model, grown, rows)[0]

    def _room(
        self,
        model: MotionModel,
        meshes: MeshMotion,
        rows: Pairing,
        row: int,
        touched: I64,
        seed: int | None,
    ) -> OverlapRange | None:
        """None where the meshes were not seen to touch. A pair that misses some is bound by the
        sample alone: a search would end at the edge of what it misses."""
        overlaps = self.overlaps(model, row)[touched]
        misses = -overlaps[(overlaps <= 0.0) & (overlaps > -2 * GROWTH)]
        touched, overlaps = touched[overlaps > 0.0], overlaps[overlaps > 0.0]
        if not len(touched):
            return OverlapRange(0.0, np.sort(misses)) if len(misses) else None
        least = float(overlaps.min())
        if not len(misses) and seed is not None:
            order = np.argsort(overlaps, kind="stable")[:_STARTS]
            _, searched = _searched(
                model, meshes, self.values[touched[order]], overlaps[order], rows, row, seed
            )
            # An edge that the sample did not see: what is missed there is missed with any buffer.
            least = float(searched.min()) if searched.min() > _EDGE else least
        return OverlapRange(least, np.sort(misses))


def uncovered_by(model: MotionModel, meshes: MeshMotion, frame: int) -> float:
    """Return how far the mesh of a frame protrudes from its spheres at most, metres; 0 for a frame
    without a mesh."""
    spheres = model.spheres
    balls = spheres.spheres[spheres.starts[frame] : spheres.starts[frame + 1]]
    points = meshes.surface_points.get(spheres.frames[frame])
    if points is None or not len(balls):
        return 0.0
    pose = spheres.frame_pose[frame]
    gaps, _ = gaps_to_spheres(sample_columns(points @ pose[:, :3].T + pose[:, 3]), balls)
    return max(0.0, float(gaps.max()))


def _key(model: MotionModel, row: int) -> _Key:
    """What the clearances of a row depend on, for one robot."""
    spheres = model.spheres
    first, second = (
        (
            spheres.frames[frame],
            np.asarray(
                spheres.spheres[spheres.starts[frame] : spheres.starts[frame + 1]]
            ).tobytes(),
        )
        for frame in (int(each) for each in spheres.pairs[row])
    )
    return first, second


def _paired(model: MotionModel, meshes: MeshMotion) -> dict[LinkPair, int]:
    """Pair -> row of meshes, for pairs that count."""
    rows = {}
    for row in meshes.moved.tolist():
        pair = meshes.motion.pair(row)
        sphere_row = None if pair is None else model.spheres.pair_index.get(pair)
        if pair is not None and sphere_row is not None and model.checked[sphere_row]:
            rows[pair] = row
    return rows


def _touched(
    meshes: MeshMotion, values: F64, rows: Mapping[LinkPair, int], tick: Progress
) -> dict[LinkPair, I64]:
    """Pair -> configurations in which its meshes touch."""
    pair_of = {row: pair for pair, row in rows.items()}
    touched: dict[LinkPair, list[int]] = {pair: [] for pair in rows}
    mesh_rows = np.array(sorted(pair_of), np.int64)
    for first in range(0, len(values), CHUNK):
        tick(first / len(values), f"Comparing meshes: configuration {first + 1} of {len(values)}")
        for n, row in meshes.touching(values[first : first + CHUNK], mesh_rows):
            touched[pair_of[row]].append(first + n)
    return {pair: np.array(each, np.int64) for pair, each in touched.items()}


def _shrunk(model: MotionModel, shrink: Mapping[str, float], among: Collection[int]) -> MotionModel:
    """With spheres smaller by so much (metres), of which these rows count."""
    spheres = model.spheres
    less = np.array([shrink.get(frame, 0.0) for frame in spheres.frames])
    radii, bounds = spheres.spheres.copy(), spheres.bounds.copy()
    radii[:, 3] -= np.repeat(less, np.diff(spheres.starts))
    bounds[:, 3] += np.maximum(0.0, -less)
    checked = np.isin(np.arange(model.row_count), list(among))
    return replace(model, spheres=replace(spheres, spheres=radii, bounds=bounds), checked=checked)


def _along(path: F64) -> F64:
    """(m, variables): configurations along a path (n, variables)."""
    parts = [path[:1]]
    for one, other in pairwise(path):
        count = max(1, int(np.ceil(np.abs(other - one).max() / _STRIDE)))
        parts.append(one + np.arange(1, count + 1)[:, None] / count * (other - one))
    return np.concatenate(parts)


def _beside(model: MotionModel, values: F64, seed: int) -> F64:
    """(m, variables): configurations beside these (n, variables), where spheres nearly meet; free
    by the spheres."""
    spots, _ = model.row_clearances(values, _BESIDE, model.rows)
    near = np.repeat(values[np.unique(spots[:, 0])], _BESIDES, axis=0)
    moving, lower, upper = model.moving, model.spheres.lower, model.spheres.upper
    reach = _ASIDE * np.random.default_rng(seed).standard_normal((len(near), len(moving)))
    near[:, moving] = np.clip(near[:, moving] + reach, lower[moving], upper[moving])
    return near[model.first_collisions(near) < 0]


def _overlaps(model: MotionModel, values: F64, row: int) -> F64:
    """(n,) how deep the spheres of a row overlap, metres; 0 where they are apart."""
    spots, gaps = model.row_clearances(values, 0.0, np.array([row], np.int64))
    overlaps = np.zeros(len(values))
    overlaps[spots[:, 0]] = -gaps
    return overlaps


def _searched(
    model: MotionModel,
    meshes: MeshMotion,
    best: F64,
    least: F64,
    rows: Pairing,
    row: int,
    seed: int,
) -> tuple[F64, F64]:
    """Configurations around `best` (k, variables) in which meshes touch and spheres overlap less
    than `least` (k,)."""
    rng = np.random.default_rng((seed, row))
    path = np.array(model.spheres.path_variables(row), np.int64)
    lower, upper = model.spheres.lower[path], model.spheres.upper[path]
    reach = 0.05 * (upper - lower)
    for _ in range(_ROUNDS):
        tried = np.repeat(best, _TRIES, axis=0)
        moved = tried[:, path] + reach * rng.standard_normal((len(tried), len(path)))
        tried[:, path] = np.clip(moved, lower, upper)
        depth = _overlaps(model, tried, row)
        # Only what would be a new least is worth a look at the meshes.
        promising = np.flatnonzero((depth > 0.0) & (depth < np.repeat(least, _TRIES)))
        touching = {
            n for n, _ in meshes.touching(tried[promising], np.array([rows[row]], np.int64))
        }
        for k, n in enumerate(promising.tolist()):
            start = n // _TRIES
            if k in touching and depth[n] < least[start]:
                best[start], least[start] = tried[n], depth[n]
        reach *= 0.6
    return best, least
