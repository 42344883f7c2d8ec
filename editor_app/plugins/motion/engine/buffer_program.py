"""The linear program behind self-collision buffers: how much frames shrink and grow, so that fewest
refusals stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.plugins.motion.engine.kernels_buffers import refusals
from editor_app.plugins.motion.engine.model import MotionModel

#: A collision that is let pass weighs as much as so many needless refusals.
WORSE = 10.0
#: Kept free of the least overlap that was seen, metres: the sample and the search do not see the
#: very least.
MARGIN = 0.001
#: A frame grows by no more than this, metres.
GROWTH = 0.015
#: Of the smallest radius of a frame, the share that may be taken away: XRDF wants radius + buffer >
#: 0.
SHARE = 0.9
#: Buffers are written in steps of this, metres.
STEP = 1e-4
#: Refusals within this of a pair's threshold tell what a shrink is worth, metres.
BAND = 0.006
#: Spheres of a pair that overlap in this share of the free configurations overlap most of the time.
_USUAL = 0.4
#: Of the touching configurations of a sample, this share may be refused by less than the margin, or
#: not at all, where that frees enough; or as many as the program leaves so.
PASSED = 0.001
#: Steps of the search by what is refused itself, metres.
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2e-4)
#: How often pairs share anew what they refuse.
_SHARINGS = 6
#: Misses so far apart are caught by growth, metres: one after the other is tried.
_CATCHES = (0.0, 0.002, 0.005, 0.01, 0.02, 2 * GROWTH)

Pairing = Mapping[int, int]


@dataclass(frozen=True)
class OverlapRange:
    """How a pair decides while its meshes touch. `least`: the least overlap of its spheres, metres,
    searched from the least of the sample. `misses`: how far apart its spheres are where they miss
    it, metres, ascending; what is further apart than two frames may grow is left out, since no
    buffer catches it."""

    least: float
    misses: F64

    def shrink(self, catch: float, margin: float) -> float:
        """By how much the two frames may shrink together, metres; negative: grow, so that misses up
        to `catch` end."""
        caught = self.misses[self.misses <= catch]
        return -float(caught[-1]) - STEP if len(caught) else max(0.0, self.least - margin)


def solved(
    model: MotionModel,
    gaps: Gaps,
    rooms: Mapping[int, OverlapRange | None],
    growth: float,
    margin: float,
    *,
    shared: bool,
) -> dict[str, float]:
    """Frame -> shrink in metres; a negative one grows, by no more than `growth`.

    `gaps`: of the rows of `rooms`, in the same order. `rooms`: row -> how it decides, None where no
    meshes touch. `shared`: a configuration in which meshes touch may be left to any pair whose
    spheres overlap there.
    """
    frames = sorted({int(frame) for row in rooms for frame in model.spheres.pairs[row]})
    if not frames:
        return {}
    program = _Program.of(model, frames, list(rooms))
    bounded = [room for room in rooms.values() if room is not None]
    best = np.zeros(len(frames), float)
    least = gaps.loss(program.incidence @ best)
    # Each catch costs refusals elsewhere: what is worth it shows in the loss.
    for catch in _CATCHES if growth and any(len(room.misses) for room in bounded) else (0.0,):
        room = np.array(
            [np.inf if each is None else each.shrink(catch, margin) for each in rooms.values()]
        )
        shrink = best
        # What a millimetre is worth depends on where the thresholds come to lie: looked at again
        # there.
        for grows in (growth, growth, 0.0, 0.0) if not catch else (growth, growth):
            value = gaps.near(program.incidence @ shrink) @ program.incidence + 1e-3
            solution = program.solution(value, room, grows)
            if solution is None:
                continue
            shrink = solution
            loss_of_shrink = gaps.loss(program.incidence @ shrink)
            if loss_of_shrink < least:
                best, least = shrink, loss_of_shrink
    if shared:
        best = _descended(
            program, gaps, _shared(program, gaps, best, growth, margin), growth, margin
        )
    return _in_steps(
        {model.spheres.frames[f]: by for f, by in zip(frames, best.tolist(), strict=True)}
    )


def _shared(program: _Program, gaps: Gaps, best: F64, growth: float, margin: float) -> F64:
    """From shrinks (frames,) to better ones: rows share the touching configurations, and share them
    anew."""
    least = gaps.loss(program.incidence @ best)
    for _ in range(_SHARINGS):
        moved = program.incidence @ best
        value = gaps.near(moved) @ program.incidence + 1e-3
        solution = program.solution(value, gaps.shared_room(moved, margin), growth)
        loss_of_shrink = np.inf if solution is None else gaps.loss(program.incidence @ solution)
        if solution is None or loss_of_shrink >= least:
            break
        best, least = solution, loss_of_shrink
    return best


def _descended(program: _Program, gaps: Gaps, best: F64, growth: float, margin: float) -> F64:
    """From shrinks (frames,) to better ones, by what is refused and let pass itself, of which the
    program sees slopes alone: one frame moves, or two that share a row, one of them the other
    way."""
    count = len(best)
    meets = np.argwhere(np.triu(program.incidence.T @ program.incidence, 1)).tolist()
    alone = np.eye(count)
    moves = [by * sign for by in alone for sign in (1.0, -1.0)]
    moves += [(alone[a] - alone[b]) * sign for a, b in meets for sign in (1.0, -1.0)]
    largest = np.array(program.most)

    def about(gaps: Gaps, step: float) -> Gaps:
        low, high = (np.clip(best + by, -growth, largest) for by in (-step, step))
        return gaps.decided(
            program.incidence @ np.minimum(best, low),
            program.incidence @ np.maximum(best, high),
            margin,
        )

    gaps = about(gaps, np.inf)
    needless, passed = gaps.verdict(program.incidence @ best, margin)
    least, most_passed = loss(needless, passed), max(PASSED, passed)
    for step in _STEPS:
        near = about(gaps, step)
        waiting, at = len(moves), 0
        # Until no move is better, all of them tried once since the last that was.
        while waiting:
            moved = np.clip(best + step * moves[at % len(moves)], -growth, largest)
            at, waiting = at + 1, waiting - 1
            if (moved == best).all():
                continue
            needless, passed = near.verdict(program.incidence @ moved, margin)
            if loss(needless, passed) < least and passed <= most_passed:
                best, least, waiting = moved, loss(needless, passed), len(moves)
                near = about(gaps, step)
    return best


@dataclass(frozen=True)
class _Program:
    """`incidence` (rows, frames): 1 for the two frames of a row; `most` (frames,): what may be
    taken off a frame, metres."""

    incidence: F64
    most: list[float]

    @classmethod
    def of(cls, model: MotionModel, frames: list[int], rows: list[int]) -> _Program:
        column = {frame: k for k, frame in enumerate(frames)}
        incidence = np.zeros((len(rows), len(frames)))
        for k, row in enumerate(rows):
            incidence[k, [column[int(frame)] for frame in model.spheres.pairs[row]]] = 1.0
        most = [shrink_limit(model, frame) for frame in frames]
        return cls(incidence, most)

    def solution(self, value: F64, room: F64, growth: float) -> F64 | None:
        """(frames,) shrinks worth most by `value` (frames,), where rows have `room` (rows,) metres,
        inf for any."""
        from scipy.optimize import linprog

        limits = np.isfinite(room)
        limited = self.incidence[limits]
        solution = linprog(
            np.concatenate([-value, value + 1.0]),
            A_ub=np.hstack([limited, -limited]),
            b_ub=room[limits],
            bounds=[*((0.0, limit) for limit in self.most), *((0.0, growth) for _ in self.most)],
        )
        if not solution.success:
            return None
        shrinks, grows = np.split(np.asarray(solution.x, float), 2)
        return np.asarray(shrinks - grows)


def shrink_limit(model: MotionModel, frame: int) -> float:
    """Return the greatest reduction of the radii of a frame's spheres, metres."""
    radii = model.spheres.spheres[model.spheres.starts[frame] : model.spheres.starts[frame + 1], 3]
    return SHARE * float(radii.min()) if len(radii) else 0.0


def between(
    shrink: Mapping[str, float], other: Mapping[str, float], share: float
) -> dict[str, float]:
    """Frame -> metres: from one shrink so far (0..1) to the other, which frames allow that allow
    both."""
    frames = sorted({*shrink, *other})
    return _in_steps(
        {k: (1.0 - share) * shrink.get(k, 0.0) + share * other.get(k, 0.0) for k in frames}
    )


def _in_steps(shrink: Mapping[str, float]) -> dict[str, float]:
    """Downwards: a shrink is never more than the sample allows."""
    steps = {
        frame: round(float(np.floor(by / STEP + 1e-6) * STEP), 6) for frame, by in shrink.items()
    }
    return {frame: by for frame, by in steps.items() if abs(by) >= STEP}


def loss(needless: float, wrong: float) -> float:
    """Return the cost of a verdict: the share of free configurations refused, and, `WORSE` times,
    of touching ones let pass."""
    return needless + WORSE * wrong


def shares(refused: Bools, collides: Bools) -> tuple[float, float]:
    free = ~collides
    return (
        int((refused & free).sum()) / max(1, int(free.sum())),
        int((~refused & collides).sum()) / max(1, int(collides.sum())),
    )


@dataclass(frozen=True)
class Gaps:
    """Clearances (m,) in metres of rows (m,) in configurations (m,), where they are small;
    `collides` (n,): whether any meshes touch in a configuration; `count`: the number of rows.
    `refused`: free configurations that are refused besides, and colliding ones."""

    clearances: F64
    rows: I64
    configurations: I64
    collides: Bools
    count: int
    refused: tuple[int, int] = (0, 0)

    @classmethod
    def of(
        cls, spots: I64, clearances: F64, count: int, rows: Pairing, touched: Mapping[int, I64]
    ) -> Gaps:
        """`spots` (m, 4: configuration, row, sphere, sphere) and their clearances (m,), of `rows`
        alone, in `count` configurations; `touched`: row -> the configurations in which its meshes
        touch."""
        collides = np.zeros(count, bool)
        for each in touched.values():
            collides[each] = True
        order = np.array(list(rows), np.int64)
        place = np.zeros(int(order.max(initial=0)) + 1, np.int64)
        place[order] = np.arange(len(order))
        numbers = place[spots[:, 1]]
        # Pairs whose meshes never touch, while their spheres do most of the time, are for the mask.
        needless = (clearances < 0.0) & ~collides[spots[:, 0]]
        are_usual = np.bincount(numbers[needless], minlength=len(order)) >= _USUAL * max(
            1, int((~collides).sum())
        )
        never = np.array([len(touched[row]) == 0 for row in rows], bool)
        kept = ~(are_usual & never)[numbers]
        return cls(clearances[kept], numbers[kept], spots[kept, 0], collides, len(order))

    def loss(self, moved: F64) -> float:
        """Return the loss of the verdict of spheres if row k has `moved[k]` metres more between
        them."""
        return loss(*self.verdict(moved))

    def verdict(self, moved: F64, margin: float = 0.0) -> tuple[float, float]:
        """Shares (0..1) of the free configurations that are refused when row k has `moved[k]`
        metres more between its spheres, and of the touching ones that are not refused by this
        margin."""
        free, colliding = refusals(
            self.clearances, moved, self.rows, self.configurations, self.collides, float(margin)
        )
        free, colliding = free + self.refused[0], colliding + self.refused[1]
        touching = int(self.collides.sum())
        return free / max(
            1, len(self.collides) - touching
        ), 1.0 - colliding / touching if touching else 0.0

    def decided(self, least: F64, most: F64, margin: float) -> Gaps:
        """Return the verdicts by this margin, from fewer clearances, for rows that move by no less
        than `least` (rows,) and no more than `most`, metres: what no such move changes is counted
        once."""
        bounds = np.where(self.collides[self.configurations], -margin, 0.0)
        always = np.zeros(len(self.collides), bool)
        always[self.configurations[self.clearances + most[self.rows] < bounds]] = True
        kept = np.flatnonzero(
            (self.clearances + least[self.rows] < bounds) & ~always[self.configurations]
        )
        kept = kept[np.argsort(self.configurations[kept], kind="stable")]
        free, colliding = int((always & ~self.collides).sum()), int((always & self.collides).sum())
        refused = self.refused[0] + free, self.refused[1] + colliding
        parts = self.clearances[kept], self.rows[kept], self.configurations[kept]
        return Gaps(*parts, self.collides, self.count, refused)

    def shared_room(self, moved: F64, margin: float) -> F64:
        """(rows,) how much more than now there may be between the spheres of each row, metres, inf
        for any: when row k has `moved[k]` already. Each configuration in which meshes touch is left
        to the row whose spheres overlap most there, also where the meshes of another row touch."""
        touching = self.collides[self.configurations]
        rows, configurations, overlaps = (
            self.rows[touching],
            self.configurations[touching],
            -self.clearances[touching],
        )
        left = overlaps - moved[rows]
        most = np.full(len(self.collides), -np.inf)
        np.maximum.at(most, configurations, left)
        guards = np.flatnonzero(left == most[configurations])
        # Of rows that overlap alike, the first.
        guards = guards[np.unique(configurations[guards], return_index=True)[1]]
        guards = guards[left[guards] > 0.0]
        room = np.full(self.count, np.inf)
        np.minimum.at(room, rows[guards], overlaps[guards] - margin)
        return np.asarray(np.maximum(room, moved), float)

    def near(self, moved: F64) -> F64:
        """(rows,) how many clearances in free configurations come to lie about the threshold."""
        near = (np.abs(self.clearances + moved[self.rows]) < BAND) & ~self.collides[
            self.configurations
        ]
        return np.bincount(self.rows[near], minlength=self.count).astype(float)
