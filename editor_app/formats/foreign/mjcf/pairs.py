"""Which pairs of bodies MuJoCo never looks at (mj_collision: filterBodyPair, exclude, pair)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: Why pairs are not checked, as an SRDF says it.
ADJACENT, EXCLUDED = "Adjacent", "contact/exclude of the MJCF"
#: mjDSBL_FILTERPARENT: switches off that parents and children never touch.
_NO_PARENT_FILTER = 1 << 10


class PairFilters:
    """Of a compiled model, by MuJoCo's numbers of bodies. `named`: pairs of which `contact/pair` names geoms."""

    def __init__(self, model: Any, bodies: Iterable[int]) -> None:
        weld, parents = model.body_weldid, model.body_parentid
        self._weld = {body: int(weld[body]) for body in bodies}
        self._above = {body: int(weld[parents[number]]) for body, number in self._weld.items()}
        self._filters_parents = not int(model.opt.disableflags) & _NO_PARENT_FILTER
        self._excluded = {_pair(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
        geoms = zip(model.pair_geom1, model.pair_geom2, strict=True)
        self.named = {_pair(*(int(model.geom_bodyid[geom]) for geom in pair)) for pair in geoms}

    def reason(self, one: int, other: int) -> str | None:
        """Why a pair never touches; None for one that may."""
        if _pair(one, other) in self.named:
            return None
        a, b = self._weld[one], self._weld[other]
        # What stands on the world is no parent to MuJoCo.
        is_family = self._filters_parents and a and b and (a == self._above[other] or b == self._above[one])
        if a == b or is_family:
            return ADJACENT
        return EXCLUDED if _pair(one, other) in self._excluded else None


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)
