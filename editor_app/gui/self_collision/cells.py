"""What stands in one place of the matrix: a single pair, or the worst of those that collapsed rows hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.grouping import Row
from editor_app.gui.self_collision.looks import CLASS_ORDER, STATE_ORDER
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision.masks import MaskState
from editor_app.self_collision.results import PairEvidence


@dataclass(frozen=True, slots=True)
class Cell:
    """`beside`: the other file ignores all of them; `left`: the user has seen all conflicts and leaves them."""

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

    @property
    def is_conflict(self) -> bool:
        return self.state in (MaskState.CONFLICT, MaskState.MISSING)


def collect(
    evidence: Iterable[PairEvidence], rows: Sequence[Row], controller: MaskController
) -> dict[tuple[int, int], Cell]:
    """(row, column), the greater first -> what stands there."""
    place = {frame: i for i, row in enumerate(rows) for frame in row.members}
    groups: dict[tuple[int, int], list[PairEvidence]] = {}
    for e in evidence:
        a, b = place.get(e.first), place.get(e.second)
        if a is not None and b is not None:
            groups.setdefault((max(a, b), min(a, b)), []).append(e)
    return {key: _cell_of(inside, controller) for key, inside in groups.items()}


def _cell_of(inside: list[PairEvidence], controller: MaskController) -> Cell:
    states = {e.pair: controller.state(e) for e in inside}

    def badness(e: PairEvidence) -> tuple[int, int, float]:
        return STATE_ORDER.index(states[e.pair]), CLASS_ORDER.index(e.kind), e.clearance_min

    worst = min(inside, key=badness)
    conflicts = [pair for pair, state in states.items() if state in (MaskState.CONFLICT, MaskState.MISSING)]
    beside = controller.beside
    return Cell(
        tuple(states),
        worst,
        states[worst.pair],
        len(inside),
        len(conflicts),
        any(e.stale for e in inside),
        beside is not None and all(pair in beside for pair in states),
        bool(conflicts) and all(pair in controller.left for pair in conflicts),
        sum(state is MaskState.CONFLICT for state in states.values()),
    )
