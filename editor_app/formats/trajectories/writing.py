"""A trajectory as CSV: what every program reads, and what `read_trajectory` takes back."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from editor_app.model.trajectory import Trajectory


def trajectory_csv(trajectory: Trajectory | Mapping[str, float]) -> str:
    """CSV of a trajectory, or of one pose.

    A column per joint (radians, metres), before them the time in seconds or the label where there is one.
    """
    if isinstance(trajectory, Mapping):
        trajectory = Trajectory.of_pose(trajectory)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = (["label"] if trajectory.labels else []) + (["time"] if trajectory.times is not None else [])
    writer.writerow([*head, *trajectory.joints])
    for k, point in enumerate(trajectory.points):
        row: list[object] = [trajectory.labels[k]] if trajectory.labels else []
        if trajectory.times is not None:
            row.append(repr(trajectory.times[k]))
        writer.writerow([*row, *map(repr, point)])
    return text.getvalue()
