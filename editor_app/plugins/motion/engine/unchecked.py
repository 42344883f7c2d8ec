"""Missed collisions: the meshes of pairs touch that no spheres are compared for, because the mask
ignores them or a link has no spheres."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.results import Names


@dataclass(frozen=True)
class UncheckedPairs:
    """The pairs of meshes that a motion model does not check; pairs that always touch are left
    out."""

    meshes: MeshMotion
    model: MotionModel

    @cached_property
    def rows(self) -> I64:
        """Return the rows of `meshes`."""
        spheres = self.model.spheres
        checked = {
            spheres.link_pairs[row] for row in self.model.rows.tolist() if row < len(spheres.pairs)
        }
        pairs = self.meshes.meshes.model.link_pairs
        return np.array(
            [row for row in self.meshes.colliding.tolist() if pairs[row] not in checked], np.int64
        )

    @property
    def moved(self) -> I64:
        """Return the rows of pairs that a joint of the c-space moves."""
        return np.intersect1d(self.rows, self.meshes.moved)

    def at(self, values: F64) -> list[tuple[int, Names]]:
        """Return what touches at configurations (n, variables): number of the configuration, names
        of the links."""
        return [
            (n, self.meshes.motion.names(row)) for n, row in self.meshes.touching(values, self.rows)
        ]

    def along(self, path: F64) -> tuple[Names, ...]:
        """Return the pairs that are seen to touch on the polyline through configurations (n,
        variables).

        Pairs count that a joint of the c-space moves: what the others do is no matter of a motion.
        """
        seen = self.meshes.seen_along(path, self.moved)
        return tuple(
            self.meshes.motion.names(row)
            for row in dict.fromkeys(row for each in seen.values() for row in each)
        )

    def touched(self, values: F64) -> tuple[Bools, tuple[tuple[Names, float], ...]]:
        """Return in which configurations (n, variables) pairs touch, and the pairs with their
        shares, most first.

        The pairs are those that a joint of the c-space moves.
        """
        touching = np.array(self.meshes.touching(values, self.moved), np.int64).reshape(-1, 2)
        touched = np.zeros(len(values), bool)
        touched[touching[:, 0]] = True
        counts = Counter(touching[:, 1].tolist()).most_common()
        return touched, tuple(
            (self.meshes.motion.names(row), count / len(values)) for row, count in counts
        )
