"""All spheres of the drawn group as arrays: what is drawn, picked and dragged without a loop over
spheres."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, Xrdf
from editor_app.core.space.kinematics.tree import KinematicTree
from editor_app.window.session import SphereRadius

#: Spheres without a radius are drawn and picked with this one (metres).
SMALLEST = 0.004
#: Radius of the largest marker: -10 and -100 are written for spheres that are switched off.
LARGEST = 0.1


def buffer_of(xrdf: Xrdf, mode: SphereRadius, frame: str) -> float:
    """Return the buffer added to the written radius of spheres in that frame (metres)."""
    section = {
        SphereRadius.WORLD: xrdf.world_collision,
        SphereRadius.SELF: xrdf.self_collision,
    }.get(mode)
    return section.buffer(frame) if section is not None else 0.0


class SphereTable:
    """Rows are ordered by group, frame and index. `world` and `shown` follow pose and radius mode.

    Attributes: refs; frame (n,) index into the tree's frames, -1 where the structure has no such
    frame; local (n, 3), world (n, 3), radius (n,) as written, shown (n,) with the buffer of the
    mode; visible (n,) bool.
    """

    def __init__(self) -> None:
        self._hidden: frozenset[str] = frozenset()
        self.clear()

    def clear(self) -> None:
        """No spheres: no document, or no group."""
        self._groups: tuple[GeometryGroup, ...] = ()
        #: The first row of each group and frame.
        self._blocks: dict[tuple[str, str], int] = {}
        self.refs: tuple[SphereRef, ...] = ()
        self._asked: tuple[object, I64] = (None, np.zeros(0, np.int64))
        self.row: dict[SphereRef, int] = {}
        self.frames: tuple[str, ...] = ()
        self.frame = np.zeros(0, np.int64)
        self.local = np.zeros((0, 3))
        self.world = np.zeros((0, 3))
        self.radius = np.zeros(0)
        self.buffer = np.zeros(0)
        self.shown = np.zeros(0)
        self.visible = np.zeros(0, bool)

    def __len__(self) -> int:
        return len(self.refs)

    # -- following the document

    def update(
        self,
        xrdf: Xrdf,
        group: str | None,
        tree: KinematicTree,
        transforms: F64,
        mode: SphereRadius,
    ) -> I64 | None:
        """Takes over what changed. Returns the rows that did, or None when all rows are new.

        Only frames whose tuple of spheres is another object are read, so that a drag costs what it
        moves.
        """
        groups = xrdf.with_clones(group)
        rows = self._read_changes(groups)
        if rows is None:
            self._rebuild(xrdf, groups, tree, transforms, mode)
            return None
        self._groups = groups
        self._place(rows, transforms)
        return rows

    def _read_changes(self, groups: tuple[GeometryGroup, ...]) -> I64 | None:
        """The rows of spheres that are others than before; None where they are not as many, or in
        other places."""
        rows = [np.zeros(0, np.int64)]
        if [group.name for group in groups] != [group.name for group in self._groups]:
            return None
        for new, before in zip(groups, self._groups, strict=True):
            if new.spheres is before.spheres:
                continue
            if new.spheres.keys() != before.spheres.keys():
                return None
            for frame, spheres in new.spheres.items():
                previous = before.spheres[frame]
                if spheres is previous:
                    continue
                if len(spheres) != len(previous):
                    return None
                changed = [
                    i for i, (a, b) in enumerate(zip(spheres, previous, strict=True)) if a is not b
                ]
                rows.append(np.array(changed, np.int64) + self._blocks[new.name, frame])
                self._read(rows[-1], [spheres[i] for i in changed])
        return np.concatenate(rows)

    def _rebuild(
        self,
        xrdf: Xrdf,
        groups: tuple[GeometryGroup, ...],
        tree: KinematicTree,
        transforms: F64,
        mode: SphereRadius,
    ) -> None:
        self.clear()
        self._groups = groups
        refs: list[SphereRef] = []
        spheres: list[CollisionSphere] = []
        frames: list[str] = []
        for group in groups:
            for frame, listed in group.spheres.items():
                self._blocks[group.name, frame] = len(refs)
                refs.extend(SphereRef(group.name, frame, i) for i in range(len(listed)))
                spheres.extend(listed)
                frames.extend([frame] * len(listed))
        n = len(refs)
        self.refs = tuple(refs)
        self.row = {ref: i for i, ref in enumerate(refs)}
        self.frames = tuple(frames)
        self.local, self.world = np.zeros((n, 3)), np.zeros((n, 3))
        self.radius, self.buffer, self.shown = np.zeros(n), np.zeros(n), np.zeros(n)
        self._read(np.arange(n), spheres)
        self.set_tree(tree, transforms)
        self.set_mode(xrdf, mode)

    def _read(self, rows: I64, spheres: Iterable[CollisionSphere]) -> None:
        listed = list(spheres)
        if listed:
            self.local[rows] = [s.center for s in listed]
            self.radius[rows] = [s.radius for s in listed]

    # -- following the session

    def set_tree(self, tree: KinematicTree, transforms: F64) -> None:
        """Frames may have appeared, vanished or changed their place."""
        self.frame = np.array([tree.index.get(f, -1) for f in self.frames], np.int64)
        self.set_hidden(self._hidden)
        self.set_transforms(transforms)

    def set_transforms(self, transforms: F64) -> None:
        """Another pose; `transforms` are (frames, 4, 4)."""
        self._place(np.arange(len(self.refs)), transforms)

    def set_mode(self, xrdf: Xrdf, mode: SphereRadius) -> None:
        """Which buffer is added to the radius as written."""
        buffers = {frame: buffer_of(xrdf, mode, frame) for frame in set(self.frames)}
        self.buffer = np.array([buffers[f] for f in self.frames])
        self.shown = self.radius + self.buffer

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self.visible = (self.frame >= 0) & np.array([f not in hidden for f in self.frames], bool)

    def _place(self, rows: I64, transforms: F64) -> None:
        self.shown[rows] = self.radius[rows] + self.buffer[rows]
        if not len(rows) or not len(transforms):
            return
        poses = transforms[np.maximum(self.frame[rows], 0)]
        self.world[rows] = (
            np.einsum("nij,nj->ni", poses[:, :3, :3], self.local[rows]) + poses[:, :3, 3]
        )

    @property
    def reach(self) -> F64:
        """(n,) radius that is picked: that of the marker where none is drawn as a ball."""
        return np.where(self.shown > 0, self.shown, np.clip(np.abs(self.shown), SMALLEST, LARGEST))

    def sphere(self, ref: SphereRef) -> CollisionSphere | None:
        for group in self._groups:
            if group.name == ref.group:
                spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = group.spheres
                listed = spheres.get(ref.frame, ())
                return listed[ref.index] if ref.index < len(listed) else None
        return None

    def rows_of(self, refs: tuple[SphereRef, ...]) -> I64:
        """Rows of those that are in the table."""
        if refs is not self._asked[0]:
            # A drag asks for the same selection several times per step.
            self._asked = refs, np.array([self.row[r] for r in refs if r in self.row], np.int64)
        return self._asked[1]
