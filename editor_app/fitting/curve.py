"""Quality against number of spheres, to choose the knee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from editor_app.fitting.fit import fit_spheres
from editor_app.fitting.results import CurvePoint
from editor_app.fitting.settings import FitSettings
from editor_app.fitting.solid import Solid

USUAL_NUMBERS = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def quality_curve(
    solid: Solid,
    numbers: Iterable[int] = USUAL_NUMBERS,
    settings: FitSettings | None = None,
    *,
    is_cancelled: Callable[[], bool] | None = None,
) -> Iterator[CurvePoint]:
    """Fit with each number in turn and yield each point as soon as it is known (a fast fit unless settings say other).

    Coarse first: both ends and the middle come before the rest, so that a chart has its shape early.
    """
    base = settings or FitSettings(number=1, mode="balanced", effort="fast")
    for number in _coarse_first(sorted(set(numbers))):
        if is_cancelled is not None and is_cancelled():
            return
        asked = replace(base, number=number, tolerance_m=None, density=None)
        result = fit_spheres(solid.mesh.vertices, solid.mesh.faces, asked, solid=solid)
        assert result.quality is not None
        yield CurvePoint(number, result.spheres, result.quality)


def _coarse_first(numbers: list[int]) -> list[int]:
    order: list[int] = []
    queue = [(0, len(numbers) - 1)]
    for end in (0, len(numbers) - 1):
        if numbers and numbers[end] not in order:
            order.append(numbers[end])
    while queue:
        low, high = queue.pop(0)
        if high - low < 2:
            continue
        middle = (low + high) // 2
        order.append(numbers[middle])
        queue += [(low, middle), (middle, high)]
    return order
