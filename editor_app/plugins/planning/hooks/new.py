"""Steps of `new`: spheres, buffers and a default position that agree with the meshes of the
robot."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.document import Document
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.work import Refused, locate_robot
from editor_app.features.draft.verbs.default_pose import free_default, pose_step
from editor_app.features.draft.verbs.new_settings import NewSettings
from editor_app.features.draft.verbs.pipeline import Guess, NewStep, NewXrdf, StepWork
from editor_app.features.masks.engine.free_pose import CLEAR
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.verbs.mask import Mask
from editor_app.features.masks.verbs.mask_changes import WriteMaskText, list_masked_pairs
from editor_app.features.masks.verbs.mesh_look import DisputedPair, disputed_pairs, maker_pairs
from editor_app.features.masks.verbs.pair_distances import NothingToCompare
from editor_app.features.masks.verbs.robot_pairs import has_pairs
from editor_app.features.spheres.verbs.fit import list_seen_links
from editor_app.plugins.motion.engine.warmup import motion_needs_compilation
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.motion_jobs import compile_motion
from editor_app.plugins.motion.verbs.passages import meshes_to_ask
from editor_app.plugins.planning.verbs import model_cost
from editor_app.plugins.planning.verbs.hidden_pairs import decide_hidden
from editor_app.plugins.planning.verbs.planning_fit import fit_for_planning
from editor_app.plugins.planning.verbs.self_buffers import with_buffers

#: Buffers are taken from so many configurations or more: fewer do not show where meshes just touch.
ENOUGH = 5_000
#: Spheres further apart than this are not asked how far, metres.
_FAR = 1.0


def _explain_disputes(
    document: Document, judged: Mask, seen: Collection[str]
) -> tuple[DisputedPair, ...]:
    """Return the pairs on which SRDF and meshes disagree, with mask and buffers as written; comment
    on them."""
    if document.robot.srdf is None:
        return ()
    maker = list_masked_pairs(document.robot, MaskFile.SRDF, judged.analysis.model.link_pairs)
    maker &= maker_pairs(document.robot, judged.analysis)
    placed = locate_robot(document)
    try:
        disputed = (
            disputed_pairs(placed, maker, model_cost.MeshVerdicts.of(placed, seen=seen))
            if maker
            else ()
        )
    except NothingToCompare:
        disputed = ()
    if disputed:
        now = document.robot.xrdf.ignored_pairs()
        words = FrozenDict({each.pair: each.reason for each in disputed if each.pair in now})
        checked = "; ".join(
            f"{e.first} and {e.second} {e.reason}" for e in disputed if e.pair not in now
        )
        mask = SetMask(reasons=words, label="Write the reasons")
        document.execute(WriteMaskText(document.robot, mask, checked))
    return disputed


def _recheck_pose(new: NewXrdf, work: StepWork) -> NewXrdf:
    """Measure the clearance of the default pose with mask and buffers; search for a better one if
    it is too small."""
    document, pose = new.document, new.pose
    if new.fit is None or pose is None or not pose.is_free:
        return new
    work.progress(0.0, "Measuring the clearance")
    keep, seen = not document.guesses.joints(POSITIONS), list_seen_links(new.fit)
    model = motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF)
    # Buffers below zero let spheres stand farther apart than the meshes do.
    meshes = meshes_to_ask(locate_robot(document), [], seen)
    rows = np.intersect1d(meshes.provable, meshes.motion.rows) if meshes is not None else model.rows

    def gap(values: F64) -> float:
        _, gaps = model.row_clearances(values[None], _FAR, model.rows)
        least = float(gaps.min(initial=_FAR))
        return least if meshes is None or least < 0.0 else meshes.least_distance(rows, values, _FAR)

    clearance = gap(model.default)
    if clearance < 0.0 or (clearance < CLEAR and not keep):
        other, _ = free_default(document.robot, keep=False)
        farther = gap(model.values(other.positions))
        if farther > clearance:
            pose, clearance = other, farther
            if (step := pose_step(document, pose)) is not None:
                document.execute(step)
    if len(rows):
        pose = replace(pose, clearance=clearance, by_meshes=meshes is not None)
    return replace(new, pose=pose)


def _refit_spheres(new: NewXrdf, work: StepWork) -> NewXrdf:
    """Spend spheres where they cause false collisions."""
    fitted = new.fit
    if fitted is None or not has_pairs(new.document.robot):
        return new
    tighter = fit_for_planning(
        new.document,
        fitted,
        seed=new.settings.choices.seed,
        processes=work.processes,
        progress=work.progress,
        cancel=work.cancel,
    )
    if tighter is not fitted:
        new.document.execute(tighter.change)
    return replace(new, fit=tighter)


def _set_buffers(new: NewXrdf, work: StepWork) -> NewXrdf:
    """Check the pairs that buffers decide, set these, and compare the result with the meshes.

    Without shapes to compare, `cost_missing` has the reason: the XRDF is good without the
    comparison.
    """
    document, fitted, judged, pose = new.document, new.fit, new.mask, new.pose
    if fitted is None or judged is None or pose is None:
        return new
    samples = new.settings.cost_samples
    # A link without collision shapes is compared by nothing: what is visible of it may be
    # decoration.
    seen = list_seen_links(fitted)
    asked: dict[str, Any] = {"samples": samples, "seed": new.settings.choices.seed, "seen": seen}
    asked |= {"progress": work.progress, "cancel": work.cancel}
    ignored = judged.proposal.pairs | set(pose.overlaps)
    # What no position frees stays ignored, and told. Adjacent pairs are ignored by every planner; a
    # pair that touches at the default cannot be checked.
    undecided = (
        h.pair for h in judged.look.hidden if h.kind is not PairClass.ADJACENT and not h.at_default
    )
    hidden = set(undecided) - set(pose.overlaps) - judged.options.trusted
    try:
        # Few configurations are enough for figures, but not to see what a file lets pass.
        more = {**asked, "samples": max(ENOUGH, samples)}
        decision = decide_hidden(locate_robot(document), ignored, hidden, **more)
        cost = decision.buffers.after
        if samples < ENOUGH:
            robot = with_buffers(decision.buffers.robot, decision.buffers.buffers)
            placed = replace(locate_robot(document), robot=robot)
            cost = model_cost.model_cost(placed, mask=MaskFile.XRDF, **asked)
    except (NothingToCompare, Refused, ImportError) as error:
        return replace(new, cost_missing=str(error))
    buffers = decision.buffers
    if decision.checked:
        judged = judged.checking(decision.checked)
        every = judged.proposal.pairs | set(pose.overlaps)
        document.execute(SetMask.exactly(document.robot, MaskFile.XRDF, every, anew=True))
    if buffers.changed:
        document.execute(buffers.change_of(document.robot))
    disputed = _explain_disputes(document, judged, seen)
    return replace(new, mask=judged, buffers=buffers, cost=cost, disputed=disputed)


def _guess_buffers(new: NewXrdf) -> Iterator[Guess]:
    buffers = new.buffers
    if buffers is not None and buffers.changed:
        least, most = (1000 * pick(buffers.buffers.values()) for pick in (min, max))
        span = f"{least:.1f} mm" if len(buffers.buffers) == 1 else f"{least:.1f} to {most:.1f} mm"
        content = f"buffers of {format_count(len(buffers.buffers), 'frame')}, {span}"
        yield Guess("self_collision", content, buffers.note)


def _compares(settings: NewSettings) -> bool:
    return settings.fit and settings.mask and settings.cost_samples > 0


STEPS = (
    NewStep(
        30,
        "Refit for planning",
        35,
        _refit_spheres,
        lambda settings: _compares(settings) and settings.cost_samples >= ENOUGH,
        refits=True,
        compiles=compile_motion,
        needs_compiling=motion_needs_compilation,
    ),
    NewStep(50, "Set buffers", 20, _set_buffers, _compares, _guess_buffers),
    NewStep(
        60, "Check the pose", 2, _recheck_pose, lambda settings: settings.fit and settings.mask
    ),
)
