"""The whole analysis in the order of its worth: default configuration, samples, local search,
proofs.

Progressive, in several threads: the result depends on the model and the settings alone, not on the
machine, its load or the number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.progress import Progress, silent
from editor_app.features.masks.engine.certificate import BoxSearch, Verdict
from editor_app.features.masks.engine.chains import Chain, build_chain, search_chain, spread_starts
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import Relation, SphereModel
from editor_app.features.masks.engine.results import TOUCHING, Analysis, AnalysisSettings
from editor_app.features.masks.engine.sampling import Sampler
from editor_app.features.masks.engine.threads import Crew
from editor_app.features.masks.engine.warmup import needs_compilation, warm_up

Partial = Callable[[Analysis], None]

#: Seconds between two partial results.
PARTIAL_SECONDS = 0.5
#: Sphere pairs per call of a proof's kernel, some milliseconds.
QUANTUM = 100_000
#: `BoxSearch.cost` that counts as a second of one core, so that no clock decides what is proven.
COST_PER_SECOND = 25_000_000
#: Less is not worth a round.
LEAST_SHARE = 1_000
#: Proofs that are tightened between two looks at the work that is left.
BATCH = 32


def analyse(
    model: SphereModel,
    settings: AnalysisSettings | None = None,
    on_progress: Progress = silent,
    on_partial: Partial | None = None,
    *,
    previous: Analysis | None = None,
    rows: I64 | None = None,
    threads: int | None = None,
) -> Analysis:
    """Examines all pairs, or only `rows` of them, with the rest taken from `previous` (of the same
    model's pairs).

    `on_progress(fraction, sentence)` is called every 50 ms or so, and ends the analysis by raising;
    `on_partial(analysis)` gets what is known at least twice a second, with `complete` False.
    `threads`: default one per core; the result is the same with any number.
    """
    if needs_compilation():
        # Announced, and before the clock of the proofs starts.
        warm_up(lambda _fraction, sentence: on_progress(0.0, sentence))
    settings = settings or AnalysisSettings()
    every: I64 = (
        np.arange(len(model.pairs)) if rows is None else np.unique(np.asarray(rows, np.int64))
    )
    evidence = (
        Analysis.unexamined(model, settings)
        if previous is None
        else taken_over(previous, model, every)
    )
    return _Run(replace(evidence, settings=settings), every, on_progress, on_partial, threads).run()


class _Run:
    """`evidence`: what is known of all pairs; its arrays are written to, by the caller's thread
    alone."""

    def __init__(
        self,
        evidence: Analysis,
        rows: I64,
        on_progress: Progress,
        on_partial: Partial | None,
        threads: int | None,
    ) -> None:
        self.evidence = evidence
        self.model = evidence.model
        self.settings = evidence.settings
        self.rows = rows
        self._progress = on_progress
        self._partial = on_partial
        self._began = time.monotonic()
        self._cpu = time.process_time()
        self._shown = self._began
        self._told = (0.0, "")
        self._chains: dict[int, Chain | None] = {}
        self._live = LiveDistances(self.model)
        self._crew = Crew(threads, lambda: self._say(*self._told))

    def run(self) -> Analysis:
        self._say(0.0, "Checking the default configuration")
        # Clearances at the default, which are all there is to know where nothing moves.
        live = self._live
        for row in self.rows.tolist():
            self.evidence.clearance_default[row] = live.clearance[row]
            self._note(row, float(live.clearance[row]), self.model.default, live.nearest[row])
            same = self.model.frame_body[self.model.pairs[row]]
            if same[0] == same[1] and self.model.relation[row] != Relation.LOOSE:
                bound = float(live.clearance[row]) - 1e-9
                self.evidence.certified[row] = bound if bound > 0.0 else np.nan
        moving = self._moving()
        if len(moving):
            with self._crew:
                self._sample(moving)
                self._search(moving)
                self._prove(moving)
        self._say(1.0, "Done")
        return self.result(True)

    def result(self, complete: bool) -> Analysis:
        return replace(
            self.evidence.copied(),
            complete=complete,
            stage="" if complete else self._told[1],
            wall_seconds=time.monotonic() - self._began,
            cpu_seconds=time.process_time() - self._cpu,
        )

    def _say(self, fraction: float, sentence: str) -> None:
        self._told = fraction, sentence
        self._progress(min(1.0, fraction), sentence)
        now = time.monotonic()
        if self._partial is not None and now - self._shown > PARTIAL_SECONDS:
            self._shown = now
            self._partial(self.result(False))

    def _moving(self) -> I64:
        bodies = self.model.frame_body[self.model.pairs[self.rows]]
        return np.asarray(self.rows[bodies[:, 0] != bodies[:, 1]])

    def _note(self, row: int, clearance: float, values: F64, nearest: F64 | np.ndarray) -> None:
        if clearance < self.evidence.clearance_min[row] or self.evidence.nearest[row, 0] < 0:
            self.evidence.clearance_min[row] = clearance
            self.evidence.witness[row] = values
            self.evidence.nearest[row] = nearest

    def _record(self, row: int, values: F64) -> None:
        """Notes a configuration, with the clearance there in double precision."""
        live = self._live
        live.set_values(values, np.array([row]))
        self._note(row, float(live.clearance[row]), values, live.nearest[row])

    def _sample(self, moving: I64) -> None:
        count = self.settings.samples
        if count <= 0:
            return
        sampler = Sampler(self.model, count, self.settings.seed, moving)

        def look(fraction: float) -> None:
            samples = sampler.samples()
            self.evidence.samples[moving] = samples.count
            self.evidence.hits[moving] = samples.hits
            if self._partial is None or time.monotonic() - self._shown > PARTIAL_SECONDS:
                self._record_samples(sampler, moving)
            self._say(
                0.02 + 0.38 * fraction, f"Sampling: {samples.count:,} of {count:,} configurations"
            )

        sampler.run(look, self._crew)
        self._record_samples(sampler, moving)

    def _record_samples(self, sampler: Sampler, moving: I64) -> None:
        samples = sampler.samples()
        better = np.flatnonzero(
            (samples.clearance < self.evidence.clearance_min[moving] - 1e-6) & (samples.at >= 0)
        )
        if len(better) == 0:
            return
        values = sampler.values_of(samples.at[better])
        for k, spot in enumerate(better.tolist()):
            self._record(int(moving[spot]), values[k])

    def _full(self, chain: Chain, x: F64) -> F64:
        values = self.model.default.copy()
        values[list(chain.variables)] = x
        return values

    def _search(self, moving: I64) -> None:
        """Local search: from the worst known configuration of every pair, from more of those never
        seen to collide."""
        if self.settings.search_starts <= 0:
            return
        order = moving[np.argsort(self.evidence.clearance_min[moving], kind="stable")].tolist()
        for k, (clearance, values) in enumerate(self._crew.map(self._search_closer, order)):
            if k % 8 == 0:
                self._say(
                    0.4 + 0.1 * k / len(order),
                    f"Searching for closer configurations: pair {k} of {len(order)}",
                )
            if clearance < self.evidence.clearance_min[order[k]]:
                self._record(order[k], values)

    def _search_closer(self, row: int) -> tuple[float, F64]:
        """The smallest clearance (m) that descents reach, and the model's variables (n,) there."""
        chain = self._need(row)
        is_apart = bool(self.evidence.clearance_min[row] > TOUCHING)
        starts = [chain.start(self.evidence.witness[row])]
        if is_apart:
            starts += spread_starts(chain, self.settings.search_starts, self.settings.seed)
        clearance, x = search_chain(
            chain, self._unhurried(starts), enough=0.0 if is_apart else -np.inf
        )
        return clearance, self._full(chain, x)

    def _unhurried(self, starts: list[F64]) -> Iterator[F64]:
        """Yield the starts, with a pause before each."""
        for start in starts:
            self._crew.pause()
            yield start

    def _prove(self, moving: I64) -> None:
        """Box searches in rounds, each pair's share growing fourfold, shortest chains first."""
        if self.settings.certify_seconds <= 0.0:
            return
        left = [
            row
            for row in moving.tolist()
            if self.evidence.clearance_min[row] > TOUCHING
            and self.model.relation[row] != Relation.LOOSE
        ]
        left.sort(key=lambda row: (len(self._need(row).variables), row))
        searches: dict[int, BoxSearch] = {}
        proven: list[tuple[int, int]] = []
        total, spent = len(left), 0
        budget = int(self.settings.certify_seconds * COST_PER_SECOND)
        share = QUANTUM // 8
        while left and (part := min(share, (budget - spent) // len(left))) >= LEAST_SHARE:
            still: list[int] = []
            before = sum(boxes.cost for boxes in searches.values())
            for row, boxes in zip(
                left, self._crew.map(partial(self._go_on, searches, part), left), strict=True
            ):
                done = len(proven)
                self._say(
                    0.5 + 0.4 * max(spent / budget, done / total),
                    f"Proving: {done} of {total} pairs, {len(left)} open",
                )
                spent += boxes.cost
                if boxes.verdict is Verdict.OPEN:
                    still.append(row)
                else:
                    # Its stack of boxes takes memory.
                    del searches[row]
                if boxes.verdict is Verdict.PROVEN:
                    self.evidence.certified[row] = boxes.bound
                    proven.append((row, boxes.work))
                self._take_seen(row, boxes)
            spent -= before
            left = still
            share *= 4
        if self.settings.tighten:
            self._tighten(proven, budget // 2)

    def _go_on(self, searches: dict[int, BoxSearch], share: int, row: int) -> BoxSearch:
        """The search of a pair after a further round."""
        if row not in searches:
            searches[row] = BoxSearch(self._need(row))
        self._turn(searches[row], share)
        return searches[row]

    def _need(self, row: int) -> Chain:
        """The chain of a pair that something moves."""
        if row not in self._chains:
            self._chains[row] = build_chain(self.model, row)
        chain = self._chains[row]
        assert chain is not None
        return chain

    def _turn(self, boxes: BoxSearch, share: int) -> None:
        """Go on until the search is decided, for `share` more sphere pairs at most."""
        until = boxes.work + share
        while boxes.work < until and boxes.step(min(QUANTUM, until - boxes.work)) is Verdict.OPEN:
            self._crew.pause()

    def _take_seen(self, row: int, boxes: BoxSearch) -> None:
        if boxes.clearance < self.evidence.clearance_min[row]:
            self._record(row, self._full(boxes.chain, boxes.values))

    def _tighten(self, proven: list[tuple[int, int]], budget: int) -> None:
        """Raises the proven clearances to a half of the smallest seen one, or more, where that is
        cheap."""
        order = sorted(proven, key=lambda entry: entry[1])
        spent = 0
        for first in range(0, len(order), BATCH):
            if spent >= budget:
                return
            self._say(0.9 + 0.1 * first / len(order), f"Tightening proofs: {first} of {len(order)}")
            batch = order[first : first + BATCH]
            for (row, _), searches in zip(
                batch, self._crew.map(self._raise_bound, batch), strict=True
            ):
                for boxes in searches:
                    spent += boxes.cost
                    self._take_seen(row, boxes)
                    if boxes.verdict is Verdict.PROVEN:
                        self.evidence.certified[row] = max(
                            self.evidence.certified[row], boxes.bound
                        )

    def _raise_bound(self, entry: tuple[int, int]) -> list[BoxSearch]:
        """The proofs of larger clearances of a pair, each with some times the work of the first;
        the last may fail."""
        row, work = entry
        searches: list[BoxSearch] = []
        bound, least = float(self.evidence.certified[row]), float(self.evidence.clearance_min[row])
        for part in (0.5, 0.9):
            if part * least <= bound:
                continue
            boxes = BoxSearch(self._need(row), part * least)
            searches.append(boxes)
            self._turn(boxes, 20 * work + 5_000)
            if boxes.verdict is not Verdict.PROVEN:
                break
            bound, least = max(bound, boxes.bound), min(least, boxes.clearance)
        return searches


def taken_over(previous: Analysis, model: SphereModel, but: I64) -> Analysis:
    """Return the results of `previous` for the pairs of a model, except for the rows `but`, which
    start without any."""
    old, new = previous.model, Analysis.unexamined(model, previous.settings)
    targets = np.ones(len(model.pairs), bool)
    targets[but] = False
    rows = np.flatnonzero(targets)
    if old.frames == model.frames:
        old_rows = rows
    else:
        old_rows = np.array(
            [old.pair_index.get(model.link_pairs[row], -1) for row in rows.tolist()], np.int64
        )
    rows, old_rows = rows[old_rows >= 0], old_rows[old_rows >= 0]
    for name in ("clearance_min", "clearance_default", "certified", "samples", "hits", "stale"):
        getattr(new, name)[rows] = getattr(previous, name)[old_rows]
    for k, name in enumerate(model.variables):
        if name in old.variables:
            new.witness[rows, k] = previous.witness[old_rows, old.variables.index(name)]
    # The rows of the nearest spheres shift with the frames before them; a frame that shrank gives
    # its last sphere.
    starts = np.array(
        [old.starts[old.index[f]] if f in old.index else 0 for f in model.frames], np.int64
    )
    sides = model.pairs[rows]
    swapped = old.pairs[old_rows, 0] != np.array(
        [old.index[model.frames[i]] for i in sides[:, 0].tolist()], np.int64
    )
    nearest = previous.nearest[old_rows].copy()
    nearest[swapped] = nearest[swapped][:, ::-1]
    shifted = nearest - starts[sides] + model.starts[sides]
    new.nearest[rows] = np.where(nearest < 0, -1, np.minimum(shifted, model.starts[sides + 1] - 1))
    return new
