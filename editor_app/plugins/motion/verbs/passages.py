"""Passages of a robot: what spheres close and meshes leave open
(`plugins.motion.engine.passages`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.closed_interval import ClosedInterval
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    Progress,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    silent,
)
from editor_app.features.masks.verbs.pair_distances import NothingToCompare
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.passages import Barrier as Barrier
from editor_app.plugins.motion.engine.passages import Passages as Passages
from editor_app.plugins.motion.engine.passages import passages_of
from editor_app.plugins.motion.verbs.collide import Geometry, comparing_model, mesh_motion

#: Radians or metres that tell no two ends of intervals apart.
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class ClosedIntervals:
    """`by_joint`: joint -> intervals, from below. `barriers`: passages that spheres alone close
    (sentences)."""

    by_joint: FrozenDict[str, tuple[ClosedInterval, ...]]
    barriers: tuple[str, ...]


def find_closed_intervals(reporter: TaskReporter, robot: PlacedRobot) -> ClosedIntervals:
    """`closed_intervals` of `passages`, with the mask of the XRDF, as a job."""
    return closed_intervals(passages(robot, mask=MaskFile.XRDF, progress=reporter.progress))


@check_arguments
def passages(
    robot: Described,
    *,
    mask: MaskFile | None = None,
    model: MotionModel | None = None,
    seen: Collection[str] | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Passages:
    """Shut intervals, pieces and barriers of all pairs with one to three joints of the c-space
    between their links.

    `mask`: the file whose mask is judged; default the XRDF's, where it has one. `seen`: as of
    `model_cost`; where no meshes can be compared, a note says so. Raises Refused, Cancelled.
    """
    placed = locate_robot(robot)
    model = comparing_model(placed.robot, EMPTY_SCENE, mask, model)
    notes: list[str] = []
    tick = make_stoppable(progress, cancel)
    result = passages_of(model, lambda: meshes_to_ask(placed, notes, seen), (), tick)
    progress(1.0, "Done")
    return replace(result, notes=tuple(notes))


def closed_intervals(result: Passages) -> ClosedIntervals:
    """Shut intervals by joint. Meshes close what the meshes of any pair close, spheres alone the
    rest."""
    parts: dict[str, list[ClosedInterval]] = {}
    for shut in (interval for each in result.sets for interval in each.intervals):
        edges = [shut.lower, *(edge for part in shut.open for edge in part), shut.upper]
        for k, (lower, upper) in enumerate(pairwise(edges)):
            by_meshes = k % 2 == 0 if shut.compared else None
            parts.setdefault(shut.joint, []).append(
                ClosedInterval(lower, upper, by_meshes, shut.pairs)
            )
    by_joint = {joint: tuple(_without_overlap(of_joint)) for joint, of_joint in parts.items()}
    return ClosedIntervals(
        FrozenDict(by_joint), tuple(barrier.sentence for barrier in result.closed)
    )


def _without_overlap(parts: list[ClosedInterval]) -> list[ClosedInterval]:
    """From below; where parts overlap, what meshes close counts, and neighbours that say the same
    are one."""
    apart: list[ClosedInterval] = []
    for lower, upper in pairwise(
        sorted({edge for part in parts for edge in (part.lower, part.upper)})
    ):
        over = [part for part in parts if part.lower <= lower and upper <= part.upper]
        if not over or upper - lower < _NOTHING:
            continue
        worst = [part for part in over if part.by_meshes] or over
        pairs = tuple(pair for part in worst for pair in part.pairs)
        by_meshes = worst[0].by_meshes
        if apart and apart[-1].by_meshes == by_meshes and lower - apart[-1].upper < _NOTHING:
            before = apart.pop()
            lower, pairs = before.lower, (*before.pairs, *pairs)
        apart.append(ClosedInterval(lower, upper, by_meshes, tuple(dict.fromkeys(pairs))))
    return apart


def meshes_to_ask(
    placed: PlacedRobot, notes: list[str], seen: Collection[str] | None = None
) -> MeshMotion | None:
    """The meshes to ask, of the links `seen` the visible ones; None where none can be compared,
    which `notes` hears."""
    try:
        return mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, notes, seen=seen)
    except (NothingToCompare, ImportError) as error:
        notes.append(f"meshes are not compared: {error}")
        return None
