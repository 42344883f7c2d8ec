"""The knee of a falling curve, without loading the engine into the window's process."""

from __future__ import annotations

import math
from collections.abc import Mapping


def knee_of(values: Mapping[int, float]) -> int | None:
    """The number farthest below the chord between both ends, over log number; None with fewer than three points.

    Satopää et al., "Finding a Kneedle in a Haystack", 2011.
    """
    points = sorted((n, v) for n, v in values.items() if math.isfinite(v))
    if len(points) < 3:
        return None
    low, high = math.log(points[0][0]), math.log(points[-1][0])
    first, last = points[0][1], points[-1][1]
    if first - last <= 0 or high <= low:
        return points[0][0]
    return max(points, key=lambda p: 1 - (math.log(p[0]) - low) / (high - low) - (p[1] - last) / (first - last))[0]
