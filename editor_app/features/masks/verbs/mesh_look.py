"""The meshes are asked about a mask."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.feature import hook
from editor_app.core.model.model_cost import COST_SAMPLES
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    Progress,
    locate_robot,
    make_stoppable,
    never,
    silent,
)
from editor_app.features.masks.engine.masks import MaskOptions, propose_mask
from editor_app.features.masks.engine.mesh_look import (
    NO_LOOK,
    DisputedPair,
    HiddenPair,
    MeshLook,
    look_at_meshes,
)
from editor_app.features.masks.engine.results import Analysis, PairClass
from editor_app.features.masks.verbs.mask_changes import list_masked_pairs
from editor_app.features.masks.verbs.pair_distances import NothingToCompare

__all__ = ["NO_LOOK", "DisputedPair", "MeshLook", "disputed_pairs", "maker_pairs", "mesh_look"]

#: Configurations in which pairs are looked at whose spheres never collide.
_FEW = 5_000


def mesh_look(
    robot: Described,
    analysis: Analysis,
    *,
    seed: int = 0,
    maker: frozenset[LinkPair] | None = None,
    seen: frozenset[str] | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> MeshLook:
    """Compare the pairs of `analysis` with the meshes: those that cost much when they are checked,
    and those that overlap always or at the default. With `maker`, pairs that a published mask never
    checks, also of these, and of those whose spheres never collide. `seen`: as of `look_at_meshes`.

    Raises NothingToCompare, Cancelled, ImportError without python-fcl.
    """
    placed, tell = locate_robot(robot), make_stoppable(progress, cancel)
    robot = placed.robot
    shapes = robot, placed.urdf_path, dict(placed.packages)
    look = look_at_meshes(*shapes, analysis, seed=seed, seen=seen, on_progress=tell)
    if look is None:
        raise NothingToCompare("No link has shapes that can be loaded.")
    free = [e for e in analysis if e.kind in (PairClass.NEVER_CERTIFIED, PairClass.NEVER_SAMPLED)]
    if maker is None or not (free or maker):
        return look
    verdicts = hook("mesh_verdicts")
    if verdicts is None:
        return look
    proposal = propose_mask(
        analysis, robot.xrdf.ignored_pairs(), MaskOptions(mask_always=True, meshes=look.words)
    )
    masked = replace(
        placed, robot=SetMask.exactly(robot, MaskFile.XRDF, proposal.pairs, anew=True).apply(robot)
    )
    try:
        meshes = verdicts.mesh_verdicts(masked, tell, seen, COST_SAMPLES if maker else _FEW)
    except NothingToCompare:
        return look
    touching = ((e, meshes.touching(e.pair)) for e in free)
    thin = tuple(
        HiddenPair(e.pair, e.first, e.second, part.value, part.of, e.kind, is_thin=True)
        for e, part in touching
        if part.count
    )
    return replace(look, thin=thin, disputed=disputed_pairs(masked, maker, meshes))


def maker_pairs(robot: RobotDescription, analysis: Analysis) -> frozenset[LinkPair]:
    """Pairs whose spheres can collide, that the SRDF beside the XRDF leaves out, or the XRDF
    itself."""
    possible = (PairClass.CAN_COLLIDE, PairClass.ALWAYS, PairClass.DEFAULT)
    pairs = frozenset(each.pair for each in analysis if each.kind in possible)
    return pairs & (list_masked_pairs(robot, MaskFile.SRDF, pairs) | robot.xrdf.ignored_pairs())


def disputed_pairs(
    placed: PlacedRobot, maker: Collection[LinkPair], meshes: Any
) -> tuple[DisputedPair, ...]:
    """Pairs among `maker`, which a published mask never checks, whose meshes touch, with the cost
    of either way.

    `meshes`: of the hook `mesh_verdicts`.
    """
    robot = placed.robot
    ignored, tree = robot.xrdf.ignored_pairs(), get_tree(robot)
    disputed = []
    for pair in sorted(maker):
        touching = meshes.touching(pair)
        if not touching.count:
            continue
        without, with_it = (
            meshes.refusals(SetMask.exactly(robot, MaskFile.XRDF, pairs, anew=True).apply(robot))
            for pairs in (ignored | {pair}, ignored - {pair})
        )
        names = sorted((pair.first, pair.second), key=tree.index.__getitem__)
        disputed.append(
            DisputedPair(
                pair,
                names[0],
                names[1],
                touching,
                without.wrong,
                with_it.wrong,
                without.needless,
                with_it.needless,
            )
        )
    return tuple(disputed)
