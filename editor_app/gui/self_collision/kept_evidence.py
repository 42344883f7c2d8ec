"""The evidence of all pairs as one tuple: made once for an analysis, and after an edit only where it changed."""

from __future__ import annotations

import numpy as np

from editor_app.model.xrdf import LinkPair
from editor_app.self_collision import Analysis, PairEvidence

_ARRAYS = ("clearance_min", "clearance_default", "certified", "samples", "hits", "witness", "nearest", "stale")


class KeptEvidence:
    """Remembers the last analysis that it was asked about."""

    def __init__(self) -> None:
        self._analysis: Analysis | None = None
        self._pairs: tuple[PairEvidence, ...] = ()
        self._rows: dict[LinkPair, PairEvidence] = {}

    def pairs(self, analysis: Analysis | None) -> tuple[PairEvidence, ...]:
        """In the order of the analysis."""
        if analysis is not self._analysis:
            self._pairs = self._made(analysis)
            self._rows = {e.pair: e for e in self._pairs}
            self._analysis = analysis
        return self._pairs

    def get(self, analysis: Analysis | None, pair: LinkPair) -> PairEvidence | None:
        self.pairs(analysis)
        return self._rows.get(pair)

    def _made(self, analysis: Analysis | None) -> tuple[PairEvidence, ...]:
        if analysis is None:
            return ()
        old, before = self._analysis, self._pairs
        if old is None or not _same_ground(old, analysis):
            return tuple(analysis)
        changed = np.zeros(len(before), bool)
        for name in _ARRAYS:
            one, other = getattr(old, name), getattr(analysis, name)
            if one is not other:
                # Nothing known is NaN, and the same as nothing known.
                differs = (one != other) & ~((one != one) & (other != other))
                changed |= differs.reshape(len(before), -1).any(axis=1)
        return tuple(analysis.evidence(row) if changed[row] else e for row, e in enumerate(before))


def _same_ground(old: Analysis, new: Analysis) -> bool:
    """Whether rows of both mean the same: pairs, spheres by their places, and the joints of witnesses."""
    a, b = old.model, new.model
    if a is b:
        return old.settings == new.settings
    return (
        old.settings == new.settings
        and a.frames == b.frames
        and a.refs == b.refs
        and a.variables == b.variables
        and a.options == b.options
        and np.array_equal(a.pairs, b.pairs)
        and np.array_equal(a.relation, b.relation)
        and a.rest == b.rest
        and np.array_equal(a.default, b.default)
        and a.body_path == b.body_path
    )
