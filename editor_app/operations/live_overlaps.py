"""Overlaps at one pose, kept up to date while a joint or a sphere is dragged: milliseconds each, in any thread."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from editor_app.model.findings import SphereRef
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision.edited_model import edited_sphere_model
from editor_app.self_collision.live import LiveDistances
from editor_app.self_collision.model import build_sphere_model
from editor_app.self_collision.results import Contact, Overlap
from editor_app.self_collision.types import F64


class PoseOverlaps:
    """Not for several threads at once. `load` first, in a thread: else the first look compiles or loads."""

    def __init__(self) -> None:
        self._distances: LiveDistances | None = None
        self._of: RobotDescription | None = None
        self.overlaps: tuple[Overlap, ...] = ()
        #: How many pairs overlap and are ignored.
        self.masked = 0

    @staticmethod
    def load() -> None:
        """Loads the compiled code into this process."""
        from editor_app.self_collision.warmup import warm_up

        warm_up()

    @property
    def is_known(self) -> bool:
        """Whether there was a look since the robot came."""
        return self._distances is not None

    @property
    def compares(self) -> bool:
        """Whether two links have spheres: else nothing can be said about overlaps."""
        return self._distances is not None and len(self._distances.model.pairs) > 0

    def in_order(self, pair: LinkPair) -> tuple[str, str]:
        """The names of a pair, the one that comes first in the tree first."""
        model = self._distances.model if self._distances is not None else None
        row = model.pair_index.get(pair) if model is not None else None
        return (pair.first, pair.second) if model is None or row is None else model.ordered(row)

    def closest(self, pair: LinkPair) -> Contact | None:
        """The two spheres of a pair that are nearest to each other; None for a pair without spheres."""
        row = self._distances.model.pair_index.get(pair) if self._distances is not None else None
        return self._distances.closest(row) if self._distances is not None and row is not None else None

    def balls(self, spheres: Collection[SphereRef]) -> F64:
        """(n, 4): centres in the root's frame, and radii with buffer; spheres that have gone are left out."""
        if self._distances is None:
            return np.zeros((0, 4))
        rows = [row for row, ref in enumerate(self._distances.model.refs) if ref in spheres]
        return np.asarray(self._distances.centres[rows])

    def forget(self) -> None:
        """Another robot comes."""
        self._distances = self._of = None
        self.overlaps, self.masked = (), 0

    def look(self, robot: RobotDescription, pose: Mapping[str, float], ignored: Collection[LinkPair]) -> None:
        """Brings `overlaps` and `masked` up to date; of a robot that was edited only what changed is measured."""
        if self._distances is None or self._of is None:
            self._distances = LiveDistances(build_sphere_model(robot), pose)
        elif self._of.xrdf is not robot.xrdf or self._of.urdf is not robot.urdf:
            self._distances.set_model(edited_sphere_model(self._distances.model, self._of, robot), pose)
        else:
            self._distances.set_pose(pose)
        self._of = robot
        self.overlaps = self._distances.overlaps(ignored)
        self.masked = len(self._distances.overlapping()) - len(self.overlaps)
