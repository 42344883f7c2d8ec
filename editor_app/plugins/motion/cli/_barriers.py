"""Passages that nothing leads through, in reports."""

from __future__ import annotations

from typing import Any

from editor_app.plugins.motion.verbs.passages import Barrier


def barrier_record(barrier: Barrier) -> dict[str, Any]:
    """A joint that cannot pass an interval; positions in radians or metres."""
    return {
        "joint": barrier.joint,
        "from": barrier.lower,
        "to": barrier.upper,
        "whatever_the_others_do": barrier.everywhere,
        "pairs": [list(names) for names in barrier.pairs],
        "spheres": [
            {
                "first": f"{one.frame}[{one.index}]",
                "second": f"{other.frame}[{other.index}]",
                "depth_m": depth,
            }
            for one, other, depth in barrier.contacts[:8]
        ],
        "by_meshes": barrier.by_meshes.value,
        "ends": [dict(pose) for pose in barrier.ends],
        "way": None if barrier.way is None else [list(point) for point in barrier.way.points],
        "way_joints": None if barrier.way is None else list(barrier.way.joints),
        "why": barrier.sentence,
    }
