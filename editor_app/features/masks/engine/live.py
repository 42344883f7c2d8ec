"""Distances at one pose, kept up to date while a slider or a sphere is dragged: a drag changes one
frame of many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from editor_app.core.arrays import F64, I32, I64
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import GeometryGroup, LinkPair, Xrdf
from editor_app.features.masks.engine import kernels_live
from editor_app.features.masks.engine.model import (
    SphereModel,
    ball_around,
    build_sphere_model,
    collect_self_spheres,
)
from editor_app.features.masks.engine.results import Contact, Overlap


class LiveDistances:
    """All pairs at one pose. Not for several threads at once.

    `clearance` (n_pairs,) metres and `nearest` (n_pairs, 2) rows of `model.spheres` belong to
    `model.pairs`. They are changed in place by `set_pose` and replaced by `set_model`.
    """

    def __init__(self, model: SphereModel, pose: Mapping[str, float] | None = None) -> None:
        self._use(model)
        self._values = model.values(pose or {})
        self._compute(np.arange(len(model.pairs)))

    def _use(self, model: SphereModel) -> None:
        self.model = model
        n = len(model.pairs)
        self.clearance: F64 = np.full(n, np.inf)
        self.nearest: I32 = np.full((n, 2), -1, np.int32)
        self._poses = np.zeros((len(model.bodies.parent), 3, 4))
        self._centres = np.zeros((len(model.spheres), 4))
        self._balls = np.zeros((len(model.frames), 4))
        self._moves = variable_use(model)

    @property
    def centres(self) -> F64:
        """(n_spheres, 4): centres in the root's frame, and radii with buffer. A view; do not change
        it."""
        return self._centres

    def body_pose(self, body: int) -> F64:
        """(3, 4): pose of a body (`model.frame_body`) in the root's frame. A view; do not change
        it."""
        return np.asarray(self._poses[body])

    def set_pose(self, pose: Mapping[str, float]) -> I64:
        """Goes to `pose` (missing joints: default) and returns the rows of the pairs that were
        recomputed."""
        values = self.model.values(pose)
        changed = values != self._values
        rows = np.flatnonzero(self._moves[:, changed].any(axis=1))
        self._values = values
        self._compute(rows)
        return rows

    def set_values(self, values: F64, rows: I64) -> None:
        """Goes to the variables (n,) of the model and computes `rows` alone; the others are then
        out of date."""
        self._values = np.asarray(values, float)
        self._compute(rows)

    def set_model(self, model: SphereModel, pose: Mapping[str, float]) -> I64:
        """Takes an edited robot over; only pairs of frames whose spheres changed are recomputed
        where that is enough.

        Returns the recomputed rows of the new model's pairs.
        """
        old = self.model
        values = model.values(pose)
        only_numbers = (
            old.pairs is model.pairs and old.bodies is model.bodies and old.starts is model.starts
        )
        if only_numbers and np.array_equal(values, self._values):
            moved = np.flatnonzero((old.spheres != model.spheres).any(axis=1))
            touched = np.zeros(len(model.frames), bool)
            touched[np.searchsorted(model.starts, moved, side="right") - 1] = True
            self.model = model
            rows = np.flatnonzero(touched[model.pairs].any(axis=1))
            self._compute(rows)
            return rows
        if not old.moves_like(model) or not np.array_equal(values, self._values):
            self._use(model)
            self._values = values
            rows = np.arange(len(model.pairs))
        else:
            kept, kept_nearest = self.clearance, self.nearest
            shift = (model.starts[:-1] - old.starts[:-1]).astype(np.int32)
            self._use(model)
            self._values = values
            touched = np.zeros(len(model.frames), bool)
            touched[_changed_frames(old, model)] = True
            again = touched[model.pairs].any(axis=1)
            self.clearance[~again] = kept[~again]
            self.nearest[~again] = kept_nearest[~again] + shift[model.pairs[~again]]
            rows = np.flatnonzero(again)
        self._compute(rows)
        return rows

    def _compute(self, rows: I64) -> None:
        m = self.model
        kernels_live.world_spheres(
            self._values,
            *m.bodies,
            m.frame_body,
            m.starts,
            m.spheres,
            m.bounds,
            self._poses,
            self._centres,
            self._balls,
        )
        if len(rows):
            kernels_live.pair_clearances(
                self._centres, self._balls, m.starts, m.pairs, rows, self.clearance, self.nearest
            )

    def overlapping(self, ignored: Collection[LinkPair] = ()) -> I64:
        """Rows of the pairs that overlap and are not ignored, deepest first."""
        rows = np.flatnonzero(self.clearance < 0.0)
        if ignored:
            rows = np.array(
                [r for r in rows.tolist() if self.model.link_pairs[r] not in ignored], np.int64
            )
        return rows[np.argsort(self.clearance[rows], kind="stable")]

    def overlaps(
        self, ignored: Collection[LinkPair] = (), limit: float = 0.0
    ) -> tuple[Overlap, ...]:
        """The pairs that overlap at this pose and are not ignored, deepest first, with their
        touching spheres."""
        return self.overlaps_of(self.overlapping(ignored), limit)

    def overlaps_of(self, rows: I64, limit: float = 0.0) -> tuple[Overlap, ...]:
        """Return `overlaps` of these rows of pairs."""
        contacts = self.contacts(rows.tolist(), limit)
        return tuple(
            Overlap(self.model.link_pairs[row], -float(self.clearance[row]), contacts[row])
            for row in rows.tolist()
        )

    def touching(self, rows: I64) -> I64:
        """Rows of `model.spheres`, ascending, that overlap a sphere of the other frame in one of
        the pairs `rows`."""
        if not len(rows):
            return np.zeros(0, np.int64)
        spots, _ = kernels_live.touching_spheres(
            self._centres, self.model.starts, self.model.pairs, rows, 0.0
        )
        return np.unique(spots[:, 1:]).astype(np.int64)

    def contacts(self, rows: Iterable[int], limit: float = 0.0) -> dict[int, tuple[Contact, ...]]:
        """Per row its sphere pairs closer than `limit` metres (0: overlapping), closest first."""
        wanted = np.array(list(rows), np.int64)
        by_row: dict[int, list[Contact]] = {int(row): [] for row in wanted}
        if len(wanted):
            spots, gaps = kernels_live.touching_spheres(
                self._centres, self.model.starts, self.model.pairs, wanted, float(limit)
            )
            for k in np.argsort(gaps, kind="stable").tolist():
                row, a, b = spots[k].tolist()
                by_row[row].append(self._contact(a, b, float(gaps[k])))
        return {row: tuple(contacts) for row, contacts in by_row.items()}

    def closest(self, row: int) -> Contact:
        """The two spheres of a pair that are nearest to each other."""
        a, b = self.nearest[row].tolist()
        return self._contact(a, b, float(self.clearance[row]))

    def _contact(self, a: int, b: int, gap: float) -> Contact:
        one, other = self._centres[a].tolist(), self._centres[b].tolist()
        return Contact(
            self.model.refs[a],
            self.model.refs[b],
            gap,
            ((one[0], one[1], one[2]), (other[0], other[1], other[2])),
        )


def variable_use(model: SphereModel) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """(n_pairs, n_variables): whether the variable moves the frames of the pair against each
    other."""
    per_body = np.zeros((len(model.bodies.parent), max(1, len(model.bodies.parent))), bool)
    for body, path in enumerate(model.body_path):
        per_body[body, list(path)] = True
    one, other = (
        per_body[model.frame_body[model.pairs[:, 0]]],
        per_body[model.frame_body[model.pairs[:, 1]]],
    )
    between = one ^ other
    result = np.zeros((len(model.pairs), len(model.variables)), bool)
    for body, dof in enumerate(model.bodies.dof.tolist()):
        if dof >= 0:
            result[:, dof] |= between[:, body]
    return result


def _changed_frames(old: SphereModel, new: SphereModel) -> list[int]:
    """Frames (indices, the same in both) whose spheres differ."""
    return [
        i
        for i in range(len(new.frames))
        if not np.array_equal(
            old.spheres[old.starts[i] : old.starts[i + 1]],
            new.spheres[new.starts[i] : new.starts[i + 1]],
        )
    ]


#: What the model works out from its frames and bodies, which an edited sphere leaves as they are.
_KEPT = ("index", "pair_index", "link_pairs", "body_path")


def edited_sphere_model(
    model: SphereModel, old: RobotDescription, new: RobotDescription
) -> SphereModel:
    """Return `build_sphere_model(new, model.options)`, given the `model` of `old`.

    Frames whose spheres are the same objects are taken over. Where more than numbers of spheres
    differs, everything is built anew. The result shares `starts`, `pairs` and `bodies` with `model`
    where they did not change.
    """
    frames = _edited_frames(old, new)
    if frames is None:
        return build_sphere_model(new, model.options)
    listed = collect_self_spheres(new.xrdf, frames)
    spheres, bounds = model.spheres.copy(), model.bounds.copy()
    for frame in frames:
        rows = listed.get(frame, [])
        place = model.index.get(frame)
        if place is None:
            if rows:
                return build_sphere_model(new, model.options)
            continue
        first, last = model.starts[place : place + 2].tolist()
        if model.refs[first:last] != tuple(ref for ref, _, _ in rows):
            # One has no radius any more, or has one now.
            return build_sphere_model(new, model.options)
        if not rows:
            continue
        values = np.array([(*sphere.center, radius) for _, sphere, radius in rows], float)
        pose = model.frame_pose[place]
        values[:, :3] = np.einsum("ij,nj->ni", pose[:, :3], values[:, :3]) + pose[:, 3]
        spheres[first:last] = values
        bounds[place] = ball_around(spheres[first:last])
    edited = replace(model, spheres=spheres, bounds=bounds)
    edited.__dict__.update({name: value for name, value in model.__dict__.items() if name in _KEPT})
    return edited


def _edited_frames(old: RobotDescription, new: RobotDescription) -> set[str] | None:
    """Frames whose spheres differ in numbers; None when more than that is different."""
    a, b = old.xrdf, new.xrdf
    if not moves_alike(old, new) or a.self_group != b.self_group:
        return None
    before, now = a.geometry or (), b.geometry or ()
    if len(before) != len(now):
        return None
    frames: set[str] = set()
    for one, other in zip(before, now, strict=True):
        moved = _moved(one, other)
        if moved is None:
            return None
        frames |= moved
    return frames


def moves_alike(old: RobotDescription, new: RobotDescription) -> bool:
    """Return whether an edit changed no more than spheres and mask of what self-collision is
    computed from."""
    a, b = old.xrdf, new.xrdf
    return (
        new.urdf is old.urdf
        and b.modifiers is a.modifiers
        and b.cspace is a.cspace
        and b.default_joint_positions is a.default_joint_positions
        and (a.self_collision is b.self_collision or _without_mask(a) == _without_mask(b))
    )


def _without_mask(xrdf: Xrdf) -> object:
    section = xrdf.self_collision
    return replace(section, ignore=None) if section is not None else None


def _moved(one: GeometryGroup, other: GeometryGroup) -> set[str] | None:
    if one is other:
        return set()
    if (
        one.name != other.name
        or one.clone != other.clone
        or tuple(one.spheres) != tuple(other.spheres)
    ):
        return None
    moved = {frame for frame, spheres in other.spheres.items() if spheres is not one.spheres[frame]}
    return (
        moved
        if all(len(one.spheres[frame]) == len(other.spheres[frame]) for frame in moved)
        else None
    )
