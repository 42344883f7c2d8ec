"""The whole analysis in the order of its worth: default configuration, samples, local search, proofs.

Progressive and cancellable: whatever is known is kept, and the result depends on the model and the settings alone
(except for how many proofs fit into the time).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from editor_app.self_collision.certificate import BoxSearch, Verdict
from editor_app.self_collision.chains import Chain, chain_of, search, spread_starts
from editor_app.self_collision.live import LiveDistances
from editor_app.self_collision.model import SphereModel
from editor_app.self_collision.results import TOUCHING, Analysis, AnalysisSettings
from editor_app.self_collision.sampling import Sampler
from editor_app.self_collision.types import F64, I64
from editor_app.self_collision.warmup import needs_compilation, warm_up

Progress = Callable[[float, str], None]
Cancelled = Callable[[], bool]
Partial = Callable[[Analysis], None]

#: Seconds between two partial results.
PARTIAL_SECONDS = 0.5
#: Sphere pairs per turn of a proof, about 50 ms.
QUANTUM = 100_000


def analyse(
    model: SphereModel,
    settings: AnalysisSettings | None = None,
    on_progress: Progress | None = None,
    is_cancelled: Cancelled | None = None,
    on_partial: Partial | None = None,
    *,
    previous: Analysis | None = None,
    rows: I64 | None = None,
    keep_known: bool = False,
) -> Analysis:
    """Examines all pairs, or only `rows` of them, with the rest taken from `previous` (of the same model's pairs).

    `on_progress(fraction, sentence)`; `is_cancelled()` is asked every 50 ms or so; `on_partial(analysis)` gets what is
    known at least twice a second. Cancelled, it returns that with `complete` False. `keep_known`: what `previous` says
    about `rows` is the start for them too (it must hold for this model, see `staleness.carry_over`).
    """
    if needs_compilation():
        # Announced, and before the clock of the proofs starts.
        warm_up(None if on_progress is None else lambda _fraction, sentence: on_progress(0.0, sentence))
    run = _Run(model, settings or AnalysisSettings(), on_progress, is_cancelled, on_partial, previous, rows, keep_known)
    return run.run()


class _Stop(Exception):
    pass


class _Run:
    def __init__(
        self,
        model: SphereModel,
        settings: AnalysisSettings,
        on_progress: Progress | None,
        is_cancelled: Cancelled | None,
        on_partial: Partial | None,
        previous: Analysis | None,
        rows: I64 | None,
        keep_known: bool,
    ) -> None:
        self.model = model
        self.settings = settings
        self._progress = on_progress
        self._cancelled = is_cancelled
        self._partial = on_partial
        self._began = time.monotonic()
        self._cpu = time.process_time()
        self._shown = self._began
        self._stage = ""
        n, v = len(model.pairs), len(model.variables)
        self.rows: I64 = np.arange(n) if rows is None else np.unique(np.asarray(rows, np.int64))
        self.default: F64 = np.full(n, np.inf)
        self.clearance: F64 = np.full(n, np.inf)
        self.certified: F64 = np.full(n, np.nan)
        self.samples: I64 = np.zeros(n, np.int64)
        self.hits: I64 = np.zeros(n, np.int64)
        self.witness: F64 = np.repeat(model.default[None, :], n, axis=0).reshape(n, v)
        self.nearest = np.full((n, 2), -1, np.int32)
        self.stale = np.zeros(n, bool)
        if previous is not None:
            take_over(self, previous, keep_known)
        self._chains: dict[int, Chain | None] = {}
        self._live = LiveDistances(model)

    def run(self) -> Analysis:
        complete = False
        try:
            self._say(0.0, "Looking at the default configuration")
            self._at_default()
            moving = self._moving()
            if len(moving):
                self._sample(moving)
                self._search(moving)
                self._prove(moving)
            complete = True
            self._say(1.0, "Done")
        except _Stop:
            pass
        return self.result(complete)

    def result(self, complete: bool) -> Analysis:
        return Analysis(
            model=self.model,
            settings=self.settings,
            clearance_min=self.clearance.copy(),
            clearance_default=self.default.copy(),
            certified=self.certified.copy(),
            samples=self.samples.copy(),
            hits=self.hits.copy(),
            witness=self.witness.copy(),
            nearest=self.nearest.copy(),
            stale=self.stale.copy(),
            complete=complete,
            stage="" if complete else self._stage,
            wall_seconds=time.monotonic() - self._began,
            cpu_seconds=time.process_time() - self._cpu,
        )

    def _say(self, fraction: float, sentence: str) -> None:
        self._stage = sentence
        if self._progress is not None:
            self._progress(min(1.0, fraction), sentence)
        now = time.monotonic()
        if self._partial is not None and now - self._shown > PARTIAL_SECONDS:
            self._shown = now
            self._partial(self.result(False))
        if self._cancelled is not None and self._cancelled():
            raise _Stop

    def _at_default(self) -> None:
        """Clearances at the default, which are all there is to know where nothing moves."""
        live = self._live
        for row in self.rows.tolist():
            self.default[row] = live.clearance[row]
            self._note(row, float(live.clearance[row]), self.model.default, live.nearest[row])
            same = self.model.frame_body[self.model.pairs[row]]
            if same[0] == same[1]:
                bound = float(live.clearance[row]) - 1e-9
                self.certified[row] = bound if bound > 0.0 else np.nan

    def _moving(self) -> I64:
        bodies = self.model.frame_body[self.model.pairs[self.rows]]
        return np.asarray(self.rows[bodies[:, 0] != bodies[:, 1]])

    def _note(self, row: int, clearance: float, values: F64, nearest: F64 | np.ndarray) -> None:
        if clearance < self.clearance[row] or self.nearest[row, 0] < 0:
            self.clearance[row] = clearance
            self.witness[row] = values
            self.nearest[row] = nearest

    def _record(self, row: int, clearance: float, values: F64, exact: bool = True) -> None:
        """Notes a configuration that is said to have this clearance, which is computed anew in double precision."""
        live = self._live
        live.set_values(values, np.array([row]))
        self._note(row, float(live.clearance[row]) if exact else clearance, values, live.nearest[row])

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
            self.samples[moving] = samples.count
            self.hits[moving] = samples.hits
            if self._partial is None or time.monotonic() - self._shown > PARTIAL_SECONDS:
                self._record_samples(sampler, moving)
            self._say(0.02 + 0.38 * fraction, f"Sampling: {samples.count:,} of {count:,} configurations")

        try:
            sampler.run(None, look)
        finally:
            self._record_samples(sampler, moving)

    def _record_samples(self, sampler: Sampler, moving: I64) -> None:
        samples = sampler.samples()
        better = np.flatnonzero((samples.clearance < self.clearance[moving] - 1e-6) & (samples.at >= 0))
        if len(better) == 0:
            return
        values = sampler.values_of(samples.at[better])
        for k, spot in enumerate(better.tolist()):
            self._record(int(moving[spot]), float(samples.clearance[spot]), values[k])

    def _full(self, row: int, chain: Chain, x: F64) -> F64:
        values = self.model.default.copy()
        values[list(chain.variables)] = x
        return values

    def _search(self, moving: I64) -> None:
        """Local search: from the worst known configuration of every pair, from more of those never seen to collide."""
        order = moving[np.argsort(self.clearance[moving], kind="stable")]
        for k, row in enumerate(order.tolist()):
            if k % 8 == 0:
                self._say(0.4 + 0.1 * k / len(order), f"Searching for closer configurations: pair {k} of {len(order)}")
            chain = self._chain(row)
            if chain is None or self.settings.search_starts <= 0:
                continue
            starts = [chain.start(self.witness[row])]
            if self.clearance[row] > TOUCHING:
                starts += spread_starts(chain, self.settings.search_starts, self.settings.seed)
            clearance, x = search(chain, starts, enough=0.0 if self.clearance[row] > TOUCHING else -np.inf)
            if clearance < self.clearance[row]:
                self._record(row, clearance, self._full(row, chain, x))

    def _prove(self, moving: I64) -> None:
        """Box searches in turns, each pair's share growing fourfold, shortest chains first."""
        left = [row for row in moving.tolist() if self.clearance[row] > TOUCHING and self._chain(row) is not None]
        left.sort(key=lambda row: (len(self._variables(row)), row))
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
                    self.certified[row] = boxes.bound
                    proven.append((row, boxes.work))
                self._take_seen(row, boxes)
            left = still
            share *= 4
        if self.settings.tighten:
            self._tighten(proven, time.monotonic() + 0.5 * budget)

    def _variables(self, row: int) -> tuple[int, ...]:
        return self._need(row).variables

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
            if self._cancelled is not None and self._cancelled():
                self._say(0.9, self._stage)
        return False

    def _take_seen(self, row: int, boxes: BoxSearch) -> None:
        if boxes.clearance < self.clearance[row]:
            self._record(row, boxes.clearance, self._full(row, boxes.chain, boxes.values))

    def _tighten(self, proven: list[tuple[int, int]], deadline: float) -> None:
        """Raises the proven clearances to a half of the smallest seen one, or more, where that is cheap."""
        for k, (row, work) in enumerate(sorted(proven, key=lambda entry: entry[1])):
            if time.monotonic() > deadline:
                return
            self._say(0.9 + 0.1 * k / len(proven), f"Sharpening proofs: {k} of {len(proven)}")
            for part in (0.5, 0.9):
                target = part * float(self.clearance[row])
                if target <= self.certified[row]:
                    continue
                boxes = BoxSearch(self._need(row), target)
                if not self._turn(boxes, 20 * work + 5_000, deadline):
                    break
                self._take_seen(row, boxes)
                if boxes.verdict is not Verdict.PROVEN:
                    break
                self.certified[row] = max(self.certified[row], boxes.bound)


def take_over(run: _Run, previous: Analysis, all_rows: bool) -> None:
    """Copies what `previous` knows about the pairs that are not examined again (or about all)."""
    old, new = previous.model, run.model
    targets = np.ones(len(new.pairs), bool)
    if not all_rows:
        targets[run.rows] = False
    rows = np.flatnonzero(targets)
    if old.frames == new.frames:
        old_rows = rows
    else:
        old_rows = np.array([old.pair_index.get(new.link_pairs[row], -1) for row in rows.tolist()], np.int64)
    rows, old_rows = rows[old_rows >= 0], old_rows[old_rows >= 0]
    run.default[rows] = previous.clearance_default[old_rows]
    run.clearance[rows] = previous.clearance_min[old_rows]
    run.certified[rows] = previous.certified[old_rows]
    run.samples[rows] = previous.samples[old_rows]
    run.hits[rows] = previous.hits[old_rows]
    run.stale[rows] = previous.stale[old_rows]
    for k, name in enumerate(new.variables):
        if name in old.variables:
            run.witness[rows, k] = previous.witness[old_rows, old.variables.index(name)]
    # The rows of the nearest spheres shift with the frames before them; a frame that shrank gives its last sphere.
    starts = np.array([old.starts[old.index[f]] if f in old.index else 0 for f in new.frames], np.int64)
    sides = new.pairs[rows]
    swapped = old.pairs[old_rows, 0] != np.array([old.index[new.frames[i]] for i in sides[:, 0].tolist()], np.int64)
    nearest = previous.nearest[old_rows].copy()
    nearest[swapped] = nearest[swapped][:, ::-1]
    shifted = nearest - starts[sides] + new.starts[sides]
    run.nearest[rows] = np.where(nearest < 0, -1, np.minimum(shifted, new.starts[sides + 1] - 1))
