"""The whole analysis in the order of its worth: default configuration, samples, local search, proofs.

Progressive: the result depends on the model and the settings alone (except for how many proofs fit into the time).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.progress import Progress
from editor_app.features.masks.engine.certificate import BoxSearch, Verdict
from editor_app.features.masks.engine.chains import Chain, chain_of, search_chain, spread_starts
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import Relation, SphereModel
from editor_app.features.masks.engine.results import TOUCHING, Analysis, AnalysisSettings
from editor_app.features.masks.engine.sampling import Sampler
from editor_app.features.masks.engine.warmup import needs_compilation, warm_up

Partial = Callable[[Analysis], None]

#: Seconds between two partial results.
PARTIAL_SECONDS = 0.5
#: Sphere pairs per turn of a proof, about 50 ms.
QUANTUM = 100_000


def analyse(
    model: SphereModel,
    settings: AnalysisSettings | None = None,
    on_progress: Progress | None = None,
    on_partial: Partial | None = None,
    *,
    previous: Analysis | None = None,
    rows: I64 | None = None,
) -> Analysis:
    """Examines all pairs, or only `rows` of them, with the rest taken from `previous` (of the same model's pairs).

    `on_progress(fraction, sentence)` hears every 50 ms or so, and ends the analysis by raising; `on_partial(analysis)`
    gets what is known at least twice a second, with `complete` False.
    """
    if needs_compilation():
        # Announced, and before the clock of the proofs starts.
        warm_up(None if on_progress is None else lambda _fraction, sentence: on_progress(0.0, sentence))
    settings = settings or AnalysisSettings()
    every: I64 = np.arange(len(model.pairs)) if rows is None else np.unique(np.asarray(rows, np.int64))
    evidence = Analysis.unexamined(model, settings) if previous is None else taken_over(previous, model, every)
    return _Run(replace(evidence, settings=settings), every, on_progress, on_partial).run()


class _Run:
    """`evidence`: what is known of all pairs; its arrays are written to."""

    def __init__(self, evidence: Analysis, rows: I64, on_progress: Progress | None, on_partial: Partial | None) -> None:
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
        if self._progress is not None:
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

    def _chain(self, row: int) -> Chain | None:
        if row not in self._chains:
            self._chains[row] = chain_of(self.model, row)
        return self._chains[row]

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
            self._say(0.02 + 0.38 * fraction, f"Sampling: {samples.count:,} of {count:,} configurations")

        sampler.run(look)
        self._record_samples(sampler, moving)

    def _record_samples(self, sampler: Sampler, moving: I64) -> None:
        samples = sampler.samples()
        better = np.flatnonzero((samples.clearance < self.evidence.clearance_min[moving] - 1e-6) & (samples.at >= 0))
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
        """Local search: from the worst known configuration of every pair, from more of those never seen to collide."""
        if self.settings.search_starts <= 0:
            return
        order = moving[np.argsort(self.evidence.clearance_min[moving], kind="stable")]
        for k, row in enumerate(order.tolist()):
            if k % 8 == 0:
                self._say(0.4 + 0.1 * k / len(order), f"Searching for closer configurations: pair {k} of {len(order)}")
            chain = self._chain(row)
            if chain is None:
                continue
            starts = [chain.start(self.evidence.witness[row])]
            if self.evidence.clearance_min[row] > TOUCHING:
                starts += spread_starts(chain, self.settings.search_starts, self.settings.seed)
            clearance, x = search_chain(
                chain, starts, enough=0.0 if self.evidence.clearance_min[row] > TOUCHING else -np.inf
            )
            if clearance < self.evidence.clearance_min[row]:
                self._record(row, self._full(chain, x))

    def _prove(self, moving: I64) -> None:
        """Box searches in turns, each pair's share growing fourfold, shortest chains first."""
        if self.settings.certify_seconds <= 0.0:
            return
        left = [
            row
            for row in moving.tolist()
            if self.evidence.clearance_min[row] > TOUCHING
            and self.model.relation[row] != Relation.LOOSE
            and self._chain(row) is not None
        ]
        left.sort(key=lambda row: (len(self._need(row).variables), row))
        proven: list[tuple[int, int]] = []
        total, began = len(left), time.monotonic()
        budget = self.settings.certify_seconds
        searches: dict[int, BoxSearch] = {}
        share = QUANTUM // 8
        while left and time.monotonic() - began < budget:
            still: list[int] = []
            for k, row in enumerate(left):
                spent = time.monotonic() - began
                if spent >= budget:
                    still.extend(left[k:])
                    break
                done = len(proven)
                self._say(
                    0.5 + 0.4 * max(spent / budget, done / total), f"Proving: {done} of {total} pairs, {len(left)} open"
                )
                boxes = searches.setdefault(row, BoxSearch(self._need(row)))
                if not self._turn(boxes, share, began + budget):
                    still.append(row)
                elif boxes.verdict is Verdict.PROVEN:
                    self.evidence.certified[row] = boxes.bound
                    proven.append((row, boxes.work))
                self._take_seen(row, boxes)
            left = still
            share *= 4
        if self.settings.tighten:
            self._tighten(proven, time.monotonic() + 0.5 * budget)

    def _need(self, row: int) -> Chain:
        chain = self._chain(row)
        assert chain is not None
        return chain

    def _turn(self, boxes: BoxSearch, share: int, deadline: float) -> bool:
        """Whether the search is decided after `share` more sphere pairs."""
        until = boxes.work + share
        while boxes.work < until:
            if boxes.step(min(QUANTUM, until - boxes.work)) is not Verdict.OPEN:
                return True
            if time.monotonic() > deadline:
                break
            self._say(*self._told)
        return False

    def _take_seen(self, row: int, boxes: BoxSearch) -> None:
        if boxes.clearance < self.evidence.clearance_min[row]:
            self._record(row, self._full(boxes.chain, boxes.values))

    def _tighten(self, proven: list[tuple[int, int]], deadline: float) -> None:
        """Raises the proven clearances to a half of the smallest seen one, or more, where that is cheap."""
        for k, (row, work) in enumerate(sorted(proven, key=lambda entry: entry[1])):
            if time.monotonic() > deadline:
                return
            self._say(0.9 + 0.1 * k / len(proven), f"Tightening proofs: {k} of {len(proven)}")
            for part in (0.5, 0.9):
                target = part * float(self.evidence.clearance_min[row])
                if target <= self.evidence.certified[row]:
                    continue
                boxes = BoxSearch(self._need(row), target)
                if not self._turn(boxes, 20 * work + 5_000, deadline):
                    break
                self._take_seen(row, boxes)
                if boxes.verdict is not Verdict.PROVEN:
                    break
                self.evidence.certified[row] = max(self.evidence.certified[row], boxes.bound)


def taken_over(previous: Analysis, model: SphereModel, but: I64) -> Analysis:
    """What `previous` knows about the pairs of a model, but for the rows `but`, of which nothing is known."""
    old, new = previous.model, Analysis.unexamined(model, previous.settings)
    targets = np.ones(len(model.pairs), bool)
    targets[but] = False
    rows = np.flatnonzero(targets)
    if old.frames == model.frames:
        old_rows = rows
    else:
        old_rows = np.array([old.pair_index.get(model.link_pairs[row], -1) for row in rows.tolist()], np.int64)
    rows, old_rows = rows[old_rows >= 0], old_rows[old_rows >= 0]
    for name in ("clearance_min", "clearance_default", "certified", "samples", "hits", "stale"):
        getattr(new, name)[rows] = getattr(previous, name)[old_rows]
    for k, name in enumerate(model.variables):
        if name in old.variables:
            new.witness[rows, k] = previous.witness[old_rows, old.variables.index(name)]
    # The rows of the nearest spheres shift with the frames before them; a frame that shrank gives its last sphere.
    starts = np.array([old.starts[old.index[f]] if f in old.index else 0 for f in model.frames], np.int64)
    sides = model.pairs[rows]
    swapped = old.pairs[old_rows, 0] != np.array([old.index[model.frames[i]] for i in sides[:, 0].tolist()], np.int64)
    nearest = previous.nearest[old_rows].copy()
    nearest[swapped] = nearest[swapped][:, ::-1]
    shifted = nearest - starts[sides] + model.starts[sides]
    new.nearest[rows] = np.where(nearest < 0, -1, np.minimum(shifted, model.starts[sides + 1] - 1))
    return new
