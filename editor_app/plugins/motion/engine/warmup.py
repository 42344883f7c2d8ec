"""Compiling the kernels of motion ahead of time."""

from __future__ import annotations

from functools import cache

import numpy as np

from editor_app.core.model.scene import BoxShape, Obstacle, Scene
from editor_app.features.masks.engine.jit import KERNELS, is_compiled
from editor_app.features.masks.engine.warmup import small_robot
from editor_app.plugins.motion.engine import kernels, kernels_buffers
from editor_app.plugins.motion.engine.model import build_motion_model


def motion_needs_compilation() -> bool:
    """Return whether a kernel is neither in memory nor in the cache on disk. Imports numba (half a
    second)."""

    return not all(is_compiled(name) for name in KERNELS if name.startswith(kernels.__name__))


@cache
def load_kernels() -> None:
    """Loads the kernels, once for each process."""
    warm_up_motion()


def warm_up_motion() -> None:
    """Loads every kernel, compiling what is missing, on a robot of three links."""

    scene = Scene((Obstacle("far", BoxShape((0.1, 0.1, 0.1)), (9.0, 0.0, 0.0)),))
    model = build_motion_model(small_robot(), scene, ())
    one, other = model.default, model.default + 0.01
    values = np.array([one, other])
    model.first_collisions(values)
    model.least_clearances(values)
    model.row_clearances(values)
    model.line(one, other)
    model.worst(one, other)
    f, room, rows, weight, finest = (
        model.fixed,
        model._room,
        model.rows[:0],
        np.ones(len(one)),
        1e-3,
    )
    rng = np.array([1], np.uint64)
    nodes = np.repeat(one[None, None, :], 8, axis=1).repeat(2, axis=0)
    parents, counts = np.full((2, 8), -1, np.int64), np.ones(2, np.int64)
    blocked = np.zeros(model.row_count, np.int64)
    low, high = model.spheres.lower, model.spheres.upper
    kernels.grow_trees(
        nodes, parents, counts, low, high, weight, 1.0, f, room, rows, finest, rng, 1, blocked
    )
    kernels.shortcut(nodes[0].copy(), 3, weight, f, room, rows, finest, rng, 1)
    kernels.row_motion(one, other, 0.5, 0.5, 0, f, room)
    kernels.body_poses(values, f, room, np.empty((2, *room.poses.shape)))
    grid, columns = np.zeros((1, 1, 1), np.uint8), np.array([0, -1, -1])
    kernels.cell_states(np.zeros(3), np.ones(3), columns, one, f, room, rows, 1, grid)
    none, places = np.zeros(0), np.zeros(0, np.int64)
    kernels_buffers.refusals(none, none, places, places, np.zeros(0, bool), 0.0)
