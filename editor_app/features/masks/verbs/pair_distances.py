"""Self-collision in a worker process: the analysis, the second opinion of the meshes, and looks at
single pairs.

Partial results go to the window as they come; a cancelled job is ended, and the last of them is
what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Literal

import numpy as np

from editor_app.core.model.pose import Pose
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.progress import Progress, silent
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.meshes import MeshModel, analyse_meshes
from editor_app.features.masks.engine.meshes import meshes_available as meshes_available
from editor_app.features.masks.engine.model import Relation, SphereModel, build_sphere_model
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import (
    Analysis,
    AnalysisSettings,
    Distribution,
    Witness,
)
from editor_app.features.masks.engine.sampling import (
    closest_configurations,
    distance_distribution,
    search_closer,
)
from editor_app.features.masks.engine.staleness import refresh
from editor_app.features.masks.engine.warmup import needs_compilation, warm_up

Solids = Literal["hulls", "meshes"]


class NothingToCompare(Refusal):
    """No link has a mesh; the text says why."""


def prepare_distances(reporter: TaskReporter) -> bool:
    """A job: compiles the distance code where it is not in the cache; whether it had to."""
    if not needs_compilation():
        return False
    warm_up(reporter.progress)
    return True


def analyse_mask(
    reporter: TaskReporter,
    robot: RobotDescription,
    options: ModelOptions,
    settings: AnalysisSettings,
    across: frozenset[str] | None = None,
) -> Analysis:
    """The whole analysis, or `across`; each partial result is an Analysis."""
    model = build_sphere_model(robot, options)
    if across is None:
        return analyse(model, settings, reporter.progress, reporter.partial)
    model = drop_adjacency(model, across)
    rows = np.array([model.pair_index[pair] for pair in pairs_across(model, across)], np.int64)
    return analyse(model, settings, reporter.progress, reporter.partial, rows=rows)


def pairs_across(model: SphereModel, frames: Collection[str]) -> tuple[LinkPair, ...]:
    """The pairs of which one frame is among `frames`, in the order of the model."""
    return tuple(
        pair for pair in model.link_pairs if (pair.first in frames) != (pair.second in frames)
    )


def drop_adjacency(model: SphereModel, frames: Collection[str]) -> SphereModel:
    """The model, in which no pair across is adjacent.

    The makers of an arm and of a gripper did not build them to fit: evidence decides.
    """
    rows = [model.pair_index[pair] for pair in pairs_across(model, frames)]
    relation = model.relation.copy()
    relation[[row for row in rows if relation[row] == Relation.ADJACENT]] = Relation.APART
    return replace(model, relation=relation)


def refresh_mask(reporter: TaskReporter, analysis: Analysis, model: SphereModel) -> Analysis:
    """`analysis` brought up to date with `model`: only what the edits concern is examined again."""
    return refresh(analysis, model, reporter.progress)


def search_pair(model: SphereModel, row: int, pose: Pose) -> Witness:
    """A closer configuration of a pair than `pose`, by local search from many starts."""
    return search_closer(model, row, pose, 64)


def pair_details(model: SphereModel, row: int) -> tuple[tuple[Witness, ...], Distribution]:
    """Return the details of a pair for the pane next to the matrix."""
    return closest_configurations(model, row, 8, 20_000, 0), distance_distribution(
        model, row, 20_000, 0
    )


def analyse_mesh_pairs(
    placed: PlacedRobot,
    solids: Solids,
    options: ModelOptions,
    settings: AnalysisSettings,
    across: frozenset[str] | None = None,
    wanted: frozenset[LinkPair] | None = None,
    *,
    progress: Progress = silent,
) -> tuple[Analysis, tuple[str, ...]]:
    """Analyse the pairs on collision meshes or their hulls; return the faults of meshes, too.

    `across`: see `analyse_mask`; `wanted`: of them, these pairs, where both have meshes.
    Raises NothingToCompare, ImportError without python-fcl.
    """
    progress(0.0, "Loading the collision meshes")
    notes: list[str] = []
    solid = mesh_model(placed, solids, options, notes.append, seen=())
    only = None
    if across is not None:
        solid.model = drop_adjacency(solid.model, across)
        only = [
            pair for pair in pairs_across(solid.model, across) if wanted is None or pair in wanted
        ]
    return analyse_meshes(solid, settings, progress, only), tuple(notes)


def mesh_model(
    placed: PlacedRobot,
    solids: Solids,
    options: ModelOptions,
    on_finding: Callable[[str], None] | None = None,
    seen: Collection[str] | None = None,
) -> MeshModel:
    """Collision meshes, or their hulls, as what distances are taken of; of the links `seen`, as of
    `MeshModel.of_robot`, the visible shapes.

    Raises NothingToCompare, ImportError. `on_finding` hears about meshes that are missing.
    """
    meshes = MeshModel.of_robot(
        placed.robot,
        placed.urdf_path,
        dict(placed.packages),
        hulls=solids == "hulls",
        options=options,
        seen=seen,
        on_finding=on_finding,
    )
    if meshes is None:
        raise NothingToCompare("No link has a collision mesh that can be loaded.")
    return meshes
