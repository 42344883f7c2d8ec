"""Overlaps at the default position by plain numbers, for a look in between: compiled code takes
longer to load."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.frozen import remembers
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import get_default_positions, get_tree
from editor_app.features.masks.engine.model import collect_self_spheres


@remembers(2)
def default_overlaps(robot: RobotDescription) -> frozenset[LinkPair]:
    """Return the pairs that XRDF605 is about: they overlap at the default position and are not
    ignored."""
    if robot.xrdf.self_collision is None or robot.xrdf.group(robot.xrdf.self_group) is None:
        return frozenset()
    tree = get_tree(robot)
    poses = compute_forward(tree, get_default_positions(tree, robot.xrdf))
    # By plain numbers: compiled code takes longer to load than this takes, once for a fix.
    balls = {}
    for frame, spheres in collect_self_spheres(robot.xrdf).items():
        if frame in tree.index:
            place = poses[tree.index[frame]]
            balls[frame] = np.array(
                [(*(place @ (*each.center, 1.0))[:3], radius) for _, each, radius in spheres]
            )
    ignored = robot.xrdf.ignored_pairs()
    return frozenset(
        pair
        for a, b in combinations(balls, 2)
        if (pair := LinkPair.of(a, b)) not in ignored
        and (_distances_between(balls[a], balls[b]) - balls[a][:, 3:] - balls[b][:, 3]).min() < 0.0
    )


def _distances_between(one: F64, other: F64) -> F64:
    """(n, m) metres between the centres of spheres (n, 4) and (m, 4)."""
    return np.asarray(np.linalg.norm(one[:, None, :3] - other[None, :, :3], axis=2))
