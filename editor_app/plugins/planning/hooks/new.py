"""Hook of `new`: spheres, buffers and a default position that agree with the meshes of the robot."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.document import Document
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.work import Cancel, Progress, Refused, locate_robot
from editor_app.features.masks.engine.free_pose import CLEAR
from editor_app.features.masks.engine.results import FreePose, PairClass
from editor_app.features.masks.verbs.mask import Mask
from editor_app.features.masks.verbs.mask_changes import WriteMaskText, list_masked_pairs
from editor_app.features.masks.verbs.mesh_look import DisputedPair, disputed_pairs, maker_pairs
from editor_app.features.masks.verbs.pair_distances import NothingToCompare
from editor_app.features.spheres.verbs.fit import RobotFit, list_seen_links
from editor_app.plugins.motion.engine.warmup import motion_needs_compilation as motion_needs_compilation
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.motion_jobs import compile_motion as compile_motion
from editor_app.plugins.motion.verbs.passages import meshes_to_ask
from editor_app.plugins.planning.verbs import model_cost
from editor_app.plugins.planning.verbs.hidden_pairs import decide_hidden
from editor_app.plugins.planning.verbs.planning_fit import fit_for_planning as fit_for_planning
from editor_app.plugins.planning.verbs.self_buffers import SelfBuffers, with_buffers

#: Spheres further apart than this are not asked how far, metres.
_FAR = 1.0


def told_disputes(document: Document, judged: Mask, seen: Collection[str]) -> tuple[DisputedPair, ...]:
    """Pairs on which the SRDF and the meshes do not agree, as mask and buffers are; the document says so then."""
    if document.robot.srdf is None:
        return ()
    maker = list_masked_pairs(document.robot, MaskFile.SRDF, judged.analysis.model.link_pairs)
    maker &= maker_pairs(document.robot, judged.analysis)
    placed = locate_robot(document)
    try:
        disputed = disputed_pairs(placed, maker, model_cost.MeshVerdicts.of(placed, seen=seen)) if maker else ()
    except NothingToCompare:
        disputed = ()
    if disputed:
        now = document.robot.xrdf.ignored_pairs()
        words = {each.pair: each.reason for each in disputed if each.pair in now}
        checked = "; ".join(f"{e.first} and {e.second} {e.reason}" for e in disputed if e.pair not in now)
        mask = SetMask.exactly(document.robot, MaskFile.XRDF, now, reasons=words)
        document.execute(WriteMaskText(document.robot, mask, checked))
    return disputed


def make_sure(
    document: Document, pose: FreePose, keep: bool, seen: Collection[str], look: Callable[[], tuple[FreePose, object]]
) -> FreePose:
    """Return the pose with its clearance as mask and buffers leave it; another one that `look` gives, where the
    clearance is less than asked for and the other has more. `keep`: only where it is not free. `seen`: as of
    `model_cost`."""
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
        other, _ = look()
        farther = gap(model.values(other.positions))
        if farther > clearance:
            pose, clearance = other, farther
    return replace(pose, clearance=clearance, by_meshes=meshes is not None) if len(rows) else pose


def weigh(
    document: Document,
    fitted: RobotFit,
    pose: FreePose,
    judged: Mask,
    samples: int,
    more_samples: int,
    seed: int,
    progress: Progress,
    cancel: Cancel,
) -> tuple[Mask, SelfBuffers | None, model_cost.ModelCost | None, str]:
    """Return the mask, self-collision buffers, and the cost with them; or why there is none: an XRDF without this look
    at it is still a good one. The cost is of `samples` configurations, buffers are of `more_samples`."""
    # A link without collision shapes is compared by nothing: what is visible of it may be decoration.
    asked: dict[str, Any] = {"samples": samples, "seed": seed}
    asked |= {"seen": list_seen_links(fitted), "progress": progress, "cancel": cancel}
    ignored = judged.proposal.pairs | set(pose.overlaps)
    # What no position frees stays ignored, and told.
    # Adjacent pairs are ignored by every planner; a pair that touches at the default cannot be checked.
    undecided = (h.pair for h in judged.look.hidden if h.kind is not PairClass.ADJACENT and not h.at_default)
    hidden = set(undecided) - set(pose.overlaps) - judged.options.trusted
    try:
        # Few configurations are enough for figures, but not to see what a file lets pass.
        more = {**asked, "samples": more_samples}
        decision = decide_hidden(locate_robot(document), ignored, hidden, **more)
        cost = decision.buffers.after
        if samples < more_samples:
            robot = with_buffers(decision.buffers.robot, decision.buffers.buffers)
            placed = replace(locate_robot(document), robot=robot)
            cost = model_cost.model_cost(placed, mask=MaskFile.XRDF, **asked)
    except (NothingToCompare, Refused, ImportError) as error:
        return judged, None, None, str(error)
    return judged.checking(decision.checked), decision.buffers, cost, ""
