"""Links that touch each other at one pose, updated during a drag: milliseconds each, in any
thread."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.live import LiveDistances, edited_sphere_model
from editor_app.features.masks.engine.model import SphereModel, build_sphere_model
from editor_app.features.masks.engine.results import Contact, Overlap
from editor_app.features.masks.engine.warmup import warm_up

_NO_ROWS: I64 = np.zeros(0, np.int64)


class PoseOverlaps:
    """Not for several threads at once. `load` first, in a thread: else the first look compiles or
    loads."""

    def __init__(self) -> None:
        self._distances: LiveDistances | None = None
        self._of: RobotDescription | None = None
        #: Rows of the pairs that overlap and are not ignored, deepest first; what is made of them
        #: when it is asked for.
        self._rows: I64 = _NO_ROWS
        self._overlaps: tuple[Overlap, ...] | None = ()
        #: The pairs of the model and the ignored ones, and which row is ignored, (n_pairs,).
        self._mask: tuple[object, object, Bools] = None, None, np.zeros(0, bool)
        #: How many pairs overlap and are ignored.
        self.masked = 0

    @staticmethod
    def load() -> None:
        """Loads the compiled code into this process."""
        warm_up()

    @property
    def is_known(self) -> bool:
        """True if there was a look since the robot came."""
        return self._distances is not None

    @property
    def count(self) -> int:
        """How many pairs overlap and are not ignored."""
        return len(self._rows)

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """The pairs that overlap and are not ignored, deepest first; a drag, which needs fewer
        facts, makes none."""
        if self._overlaps is None:
            self._overlaps = (
                self._distances.overlaps_of(self._rows) if self._distances is not None else ()
            )
        return self._overlaps

    def touching_balls(self, hidden: Collection[str] = (), pair: LinkPair | None = None) -> F64:
        """(n, 4): the spheres that touch in pairs that are not ignored, or in `pair` alone, as
        `balls` gives them.

        Spheres of `hidden` frames are left out.
        """
        if self._distances is None:
            return np.zeros((0, 4))
        model, rows = self._distances.model, self._rows
        if pair is not None:
            rows = rows[rows == model.pair_index.get(pair, -1)]
        places = self._distances.touching(rows)
        if hidden:
            places = places[
                np.array([model.refs[place].frame not in hidden for place in places.tolist()], bool)
            ]
        return np.asarray(self._distances.centres[places])

    @property
    def compares(self) -> bool:
        """True if two links have spheres: else nothing can be said about overlaps."""
        return self._distances is not None and len(self._distances.model.pairs) > 0

    def in_order(self, pair: LinkPair) -> tuple[str, str]:
        """The names of a pair, the one that comes first in the tree first."""
        model = self._distances.model if self._distances is not None else None
        row = model.pair_index.get(pair) if model is not None else None
        return (pair.first, pair.second) if model is None or row is None else model.ordered(row)

    def closest(self, pair: LinkPair) -> Contact | None:
        """The two spheres of a pair that are nearest to each other; None for a pair without
        spheres."""
        row = self._distances.model.pair_index.get(pair) if self._distances is not None else None
        return (
            self._distances.closest(row)
            if self._distances is not None and row is not None
            else None
        )

    def balls(self, spheres: Collection[SphereRef]) -> F64:
        """(n, 4): centres in the root's frame, and radii with buffer; spheres that have gone are
        left out."""
        if self._distances is None:
            return np.zeros((0, 4))
        rows = [row for row, ref in enumerate(self._distances.model.refs) if ref in spheres]
        return np.asarray(self._distances.centres[rows])

    def forget(self) -> None:
        """Another robot comes."""
        self._distances = self._of = None
        self._rows, self._overlaps, self.masked = _NO_ROWS, (), 0

    def look(
        self, robot: RobotDescription, pose: Mapping[str, float], ignored: Collection[LinkPair]
    ) -> None:
        """Brings `overlaps` and `masked` up to date; of a robot that was edited only what changed
        is measured."""
        if self._distances is None or self._of is None:
            self._distances = LiveDistances(build_sphere_model(robot), pose)
        elif self._of.xrdf is not robot.xrdf or self._of.urdf is not robot.urdf:
            self._distances.set_model(
                edited_sphere_model(self._distances.model, self._of, robot), pose
            )
        else:
            self._distances.set_pose(pose)
        self._of = robot
        rows = self._distances.overlapping()
        self._rows, self._overlaps = (
            rows[~self._ignored_rows(self._distances.model, ignored)[rows]],
            None,
        )
        self.masked = len(rows) - len(self._rows)

    def _ignored_rows(self, model: SphereModel, ignored: Collection[LinkPair]) -> Bools:
        if self._mask[0] is not model.pairs or self._mask[1] is not ignored:
            self._mask = (
                model.pairs,
                ignored,
                np.array([pair in ignored for pair in model.link_pairs], bool),
            )
        return self._mask[2]
