"""The pairs of a robot that is being edited: its spheres, and evidence that stays true to them from
edit to edit.

What the self-collision matrix stands on; who shows it brings the robot, and runs the jobs of
`pair_distances`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.features.masks.engine.live import LiveDistances, edited_sphere_model, moves_alike
from editor_app.features.masks.engine.model import (
    SphereModel,
    build_sphere_model,
    collect_self_spheres,
)
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import (
    PAIR_ARRAYS,
    Analysis,
    AnalysisSettings,
    Contact,
    PairEvidence,
    Witness,
)
from editor_app.features.masks.engine.staleness import carry_over


def has_pairs(robot: RobotDescription) -> bool:
    """Return whether two links have spheres: else there is nothing to compute."""
    index = get_tree(robot).index
    return (
        sum(
            frame in index for frame, spheres in collect_self_spheres(robot.xrdf).items() if spheres
        )
        > 1
    )


class RobotPairs:
    """Remembers the last robot that it was asked about, so that an edited sphere costs one frame of
    many."""

    def __init__(self) -> None:
        self._model: tuple[RobotDescription, ModelOptions, SphereModel] | None = None
        #: Stands for the evidence until there is some.
        self._blank: Analysis | None = None
        #: Model, pose and the clearances of all pairs there: what was asked for last.
        self._here: tuple[SphereModel, dict[str, float], F64] | None = None

    def forget(self) -> None:
        """Another robot comes."""
        self._model = self._blank = self._here = None

    def model(self, robot: RobotDescription, options: ModelOptions) -> SphereModel:
        """The spheres of the robot and its pairs; the same object until robot or options are
        others."""
        if self._model is None or self._model[0] is not robot or self._model[1] != options:
            if self._model is not None and self._model[1] == options:
                model = edited_sphere_model(self._model[2], self._model[0], robot)
            else:
                model = build_sphere_model(robot, options)
            self._model = (robot, options, model)
        return self._model[2]

    def unexamined(
        self, robot: RobotDescription, options: ModelOptions, settings: AnalysisSettings
    ) -> Analysis | None:
        """The pairs with what the tree alone says of them; None without pairs."""
        model = self.model(robot, options)
        if not len(model.pairs):
            return None
        if self._blank is None or self._blank.model is not model:
            self._blank = Analysis.unexamined(model, settings)
        return self._blank

    def is_about(self, analysis: Analysis, robot: RobotDescription, options: ModelOptions) -> bool:
        """Return whether evidence is about these very spheres, joints, limits and default
        positions."""
        old, model = analysis.model, self.model(robot, options)
        if old is model:
            return True
        is_alike = old.options == options and old.moves_like(model)
        return is_alike and old.has_equal(model, "spheres", "default", "pairs", "relation")

    def carried(
        self, analysis: Analysis, robot: RobotDescription, options: ModelOptions
    ) -> Analysis:
        """Evidence taken over to the robot as it is now: stale where an edit concerns it."""
        return carry_over(analysis, self.model(robot, options))

    # -- at one pose

    def overlap(
        self,
        pair: LinkPair,
        robot: RobotDescription,
        options: ModelOptions,
        pose: Mapping[str, float],
    ) -> bool:
        """Return whether spheres of the pair overlap at the pose; no for a pair without spheres."""
        model = self.model(robot, options)
        if pair not in model.pair_index:
            return False
        if self._here is None or self._here[0] is not model or self._here[1] != pose:
            self._here = (model, dict(pose), LiveDistances(model, pose).clearance)
        return bool(self._here[2][model.pair_index[pair]] < 0.0)

    def shrinking(
        self,
        pair: LinkPair,
        robot: RobotDescription,
        options: ModelOptions,
        pose: Mapping[str, float],
    ) -> Change | None:
        """The step after which the spheres of the pair overlap no more at the pose; None for a pair
        without spheres.

        Raises CannotApply where they do not overlap, or cannot be shrunk.
        """
        model = self.model(robot, options)
        row = model.pair_index.get(pair)
        if row is None:
            return None
        return shrink_change(robot, LiveDistances(model, pose).contacts((row,))[row])


class KeptEvidence:
    """The evidence of all pairs as one tuple: made once for an analysis, and after an edit only
    where it changed."""

    def __init__(self) -> None:
        self._analysis: Analysis | None = None
        self._pairs: tuple[PairEvidence, ...] = ()
        self._rows: dict[LinkPair, PairEvidence] = {}

    def pairs(self, analysis: Analysis | None) -> tuple[PairEvidence, ...]:
        """In the order of the analysis."""
        if analysis is not self._analysis:
            self._pairs = self._made(analysis)
            self._rows = {e.pair: e for e in self._pairs}
            self._analysis = analysis
        return self._pairs

    def get(self, analysis: Analysis | None, pair: LinkPair) -> PairEvidence | None:
        self.pairs(analysis)
        return self._rows.get(pair)

    def _made(self, analysis: Analysis | None) -> tuple[PairEvidence, ...]:
        if analysis is None:
            return ()
        old, before = self._analysis, self._pairs
        if old is None or not _same_ground(old, analysis):
            return tuple(analysis)
        changed = np.zeros(len(before), bool)
        for name in PAIR_ARRAYS:
            one, other = getattr(old, name), getattr(analysis, name)
            if one is not other:
                # Nothing known is NaN, and the same as nothing known.
                differs = (one != other) & ~((one != one) & (other != other))
                changed |= differs.reshape(len(before), -1).any(axis=1)
        return tuple(analysis.evidence(row) if changed[row] else e for row, e in enumerate(before))


def _same_ground(old: Analysis, new: Analysis) -> bool:
    """Whether rows of both mean the same: pairs, spheres by their places, and the joints of
    witnesses."""
    a, b = old.model, new.model
    names = ("frames", "refs", "variables", "options", "rest", "body_path")
    return old.settings == new.settings and (
        a is b
        or (
            all(getattr(a, name) == getattr(b, name) for name in names)
            and a.has_equal(b, "pairs", "relation", "default")
        )
    )


def with_witness(analysis: Analysis, pair: LinkPair, witness: Witness) -> Analysis:
    """The evidence with a closer configuration of a pair, found by a search of its own."""
    model, row = analysis.model, analysis.model.pair_index[pair]
    clearance, values, nearest = (
        analysis.clearance_min.copy(),
        analysis.witness.copy(),
        analysis.nearest.copy(),
    )
    clearance[row] = witness.clearance
    values[row] = model.values(witness.pose)
    places = {ref: i for i, ref in enumerate(model.refs)}
    nearest[row] = [places[ref] for ref in witness.spheres]
    return replace(analysis, clearance_min=clearance, witness=values, nearest=nearest)


def concerns_pairs(old: RobotDescription, new: RobotDescription) -> bool:
    """Return whether an edit changed more than the mask of what self-collision is computed from."""
    return not moves_alike(old, new) or old.xrdf.geometry is not new.xrdf.geometry


#: Metres that stay between two spheres: more than rounding in a file takes away.
GAP = 1e-4
#: A sphere that loses more than this share of its radius does not cover its link any more.
MOST = 0.5


def shrink_change(robot: RobotDescription, contacts: Sequence[Contact]) -> SetSpheres:
    """The step after which the spheres of `contacts` do not overlap at the pose that the contacts
    are of.

    The two of a contact share what is too much by their radii, and a sphere takes the most of what
    its contacts ask. Raises CannotApply when nothing overlaps, or a sphere would lose more than
    half of its radius.
    """
    less: dict[SphereRef, float] = {}
    for contact in contacts:
        if contact.gap >= 0.0:
            continue
        radii = [_sphere(robot, ref).radius for ref in (contact.first, contact.second)]
        too_much = GAP - contact.gap
        for ref, radius in zip((contact.first, contact.second), radii, strict=True):
            share = radius / sum(radii) if sum(radii) > 0 else 0.5
            less[ref] = max(less.get(ref, 0.0), too_much * share)
    if not less:
        raise CannotApply(
            "The spheres of this pair do not overlap at this pose: nothing to shrink."
        )
    values = []
    for ref, by in less.items():
        sphere = _sphere(robot, ref)
        if by > MOST * sphere.radius:
            raise CannotApply(
                f"Sphere {ref.index + 1} of {ref.frame} would shrink from "
                f"{sphere.radius * 1e3:.1f} to "
                f"{max(0.0, sphere.radius - by) * 1e3:.1f} mm, less than half: select the spheres "
                "and move "
                "them, or fit the link with more spheres."
            )
        values.append((ref, replace(sphere, radius=sphere.radius - by)))
    frames = list(dict.fromkeys(ref.frame for ref in less))
    return SetSpheres(
        tuple(values), f"Shrink {format_count(len(values), 'sphere')} of {' and '.join(frames)}"
    )


def _sphere(robot: RobotDescription, ref: SphereRef) -> CollisionSphere:
    group = robot.xrdf.group(ref.group)
    assert group is not None
    return group.spheres[ref.frame][ref.index]
