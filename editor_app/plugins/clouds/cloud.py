"""A measured point cloud."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.arrays import F64
from editor_app.core.model.frozen import brief
from editor_app.core.model.pose import EMPTY_POSE, Pose

#: Points and bytes of a file of points at most.
MOST_POINTS, MOST_BYTES = 20_000_000, 1 << 30


@dataclass(frozen=True, eq=False)
class PointCloud:
    """`points` (n, 3) in metres, all finite, in `frame` ("": the file does not say). `pose`: joint
    -> rad or m when the points were measured, as far as the file says. `dropped`: points without a
    finite position."""

    points: F64
    frame: str = ""
    pose: Pose = EMPTY_POSE
    dropped: int = 0

    __repr__ = brief
