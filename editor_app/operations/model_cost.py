"""What spheres and mask cost and what they hide: configurations refused though the meshes are free, and accepted
though the meshes touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.model.findings import SphereRef
from editor_app.model.pose import Pose
from editor_app.model.scene import EMPTY_SCENE, Scene
from editor_app.model.trajectory import Trajectory
from editor_app.motion.mesh_motion import MeshMotion
from editor_app.motion.model import MotionModel
from editor_app.operations.collide import Geometry, mesh_motion, motion_model_of, values_of
from editor_app.operations.described import Described, description_of, mesh_places
from editor_app.operations.mask_changes import MaskFile
from editor_app.operations.work import Cancel, Cancelled, Progress, Refused, never, silent
from editor_app.self_collision.model import Relation
from editor_app.self_collision.types import F64

Names = tuple[str, str]
#: Configurations between two looks at the cancel flag.
CHUNK = 64


@dataclass(frozen=True, slots=True)
class TooFat:
    """A pair whose spheres overlap while no meshes do: in how many configurations, its spheres, one of the poses.

    `spheres`: those that touch, by the number of configurations. `depth`: the deepest overlap, metres.
    """

    names: Names
    count: int
    depth: float
    spheres: tuple[tuple[SphereRef, int], ...]
    witness: Pose


@dataclass(frozen=True, slots=True)
class Hidden:
    """A pair whose meshes touch while the model sees nothing. `masked`: because the mask leaves it out.

    Else the spheres are too thin there, or missing (`without_spheres`).
    """

    names: Names
    count: int
    masked: bool
    without_spheres: bool
    witness: Pose


@dataclass(frozen=True)
class ModelCost:
    """`refused_needlessly`, `accepted_wrongly`: configurations of `samples`; `too_fat`, `hidden`: worst pairs first.

    `refused`: configurations that the spheres refuse; `touching`: those in which the meshes touch. `left_out`: pairs of
    meshes that do not count, because a joint holds them together or they touch at the default configuration.
    """

    samples: int
    seed: int
    refused: int
    touching: int
    refused_needlessly: int
    accepted_wrongly: int
    too_fat: tuple[TooFat, ...]
    hidden: tuple[Hidden, ...]
    left_out: tuple[Names, ...]
    notes: tuple[str, ...]


def model_cost(
    robot: Described,
    *,
    urdf_path: Path | None = None,
    mappings: Mapping[str, Path] | None = None,
    scene: Scene = EMPTY_SCENE,
    poses: Trajectory | None = None,
    samples: int = 2000,
    seed: int = 0,
    mask: MaskFile | None = None,
    seen: Collection[str] = (),
    progress: Progress = silent,
    cancel: Cancel = never,
) -> ModelCost:
    """Over random configurations of the c-space (other joints at the default), or over `poses`.

    `scene`: obstacles beside the robot. `mask`: the file whose mask is judged; default the XRDF's, where it has one.
    `seen`: links whose visible shapes are compared in the place of their collision shapes, because their spheres were
    fitted to those. `urdf_path`, `mappings` (package -> folder): how meshes are found when `robot` is no document.
    Raises Refused, SceneError, NothingToCompare, ImportError, Cancelled.
    """
    if samples < 1:
        raise Refused("one sample or more is needed")
    urdf_path, mappings = mesh_places(robot, urdf_path, mappings)
    robot = description_of(robot)
    progress(0.0, "Loading the collision meshes")
    model = motion_model_of(robot, scene, mask)
    if not model.row_count:
        raise Refused("there are no two frames with collision spheres: fit spheres first")
    notes = list(model.notes)
    meshes = mesh_motion(robot, scene, Geometry.MESHES, urdf_path, mappings, notes, mask, seen)
    if seen:
        notes.append(f"compared by what is visible of them, as they were fitted: {', '.join(sorted(seen))}")
    values = values_of(model, robot, poses) if poses is not None else _random(model, samples, seed)
    # Both models have the same joints, because both are made from the same tree.
    apart, left_out = _counting(meshes)
    touches: list[set[int]] = [set() for _ in values]
    for first in range(0, len(values), CHUNK):
        if cancel():
            raise Cancelled
        progress(first / len(values), f"Comparing meshes: configuration {first + 1} of {len(values)}")
        for n, row in meshes.touching(values[first : first + CHUNK]):
            if row in apart:
                touches[first + n].add(row)
    spots, gaps = model.row_clearances(values, 0.0, model.rows)
    refused = np.zeros(len(values), bool)
    refused[spots[:, 0]] = True
    touching = np.array([bool(rows) for rows in touches])
    needless = refused & ~touching
    wrong = ~refused & touching
    progress(1.0, "Done")
    return ModelCost(
        len(values), seed, int(refused.sum()), int(touching.sum()), int(needless.sum()), int(wrong.sum()),
        _too_fat(model, values, spots, gaps, needless), _hidden(model, meshes, values, touches, wrong), left_out,
        tuple(notes),
    )  # fmt: skip


def _random(model: MotionModel, samples: int, seed: int) -> F64:
    rng = np.random.default_rng(seed)
    lower, upper = model.spheres.lower[model.moving], model.spheres.upper[model.moving]
    values = np.repeat(model.default[None, :], samples, axis=0)
    values[:, model.moving] = lower + rng.random((samples, len(lower))) * (upper - lower)
    return np.asarray(values)


def _counting(meshes: MeshMotion) -> tuple[set[int], tuple[Names, ...]]:
    """Rows of meshes whose touching is a collision, and the names of those that touch by design."""
    motion = meshes.motion
    joined = {
        row
        for row, how in enumerate(motion.spheres.relation.tolist())
        if how in (Relation.JOINED, Relation.RIGID)
    }  # fmt: skip
    by_design = {row for _, row in meshes.touching(motion.default[None]) if not motion.is_touch(row)} | joined
    return set(range(motion.row_count)) - by_design, tuple(motion.names(row) for row in sorted(by_design))


def _too_fat(model: MotionModel, values: F64, spots: np.ndarray, gaps: F64, needless: np.ndarray) -> tuple[TooFat, ...]:
    counts: Counter[int] = Counter()
    spheres: dict[int, Counter[SphereRef]] = {}
    deepest: dict[int, tuple[float, int]] = {}
    for (n, row, a, b), gap in zip(spots.tolist(), gaps.tolist(), strict=True):
        if not needless[n]:
            continue
        counts[row] += 1
        spheres.setdefault(row, Counter()).update(model.refs(row, a, b))
        if gap < deepest.get(row, (0.0, -1))[0] or row not in deepest:
            deepest[row] = gap, n
    return tuple(
        TooFat(
            model.names(row), count, -deepest[row][0], tuple(spheres[row].most_common(8)),
            model.pose(values[deepest[row][1]]),
        )
        for row, count in counts.most_common()
    )  # fmt: skip


def _hidden(
    model: MotionModel, meshes: MeshMotion, values: F64, touches: list[set[int]], wrong: np.ndarray
) -> tuple[Hidden, ...]:
    counts: Counter[int] = Counter()
    witness: dict[int, int] = {}
    for n in np.flatnonzero(wrong).tolist():
        for row in touches[n]:
            counts[row] += 1
            witness.setdefault(row, n)
    hidden = []
    for row, count in counts.most_common():
        pair = meshes.motion.pair(row)
        sphere_row = None if pair is None else model.spheres.pair_index.get(pair)
        masked = sphere_row is not None and not model.checked[sphere_row]
        without = sphere_row is None and (pair is not None or meshes.motion.names(row)[0] not in model.world.index)
        hidden.append(Hidden(meshes.motion.names(row), count, masked, without, model.pose(values[witness[row]])))
    return tuple(hidden)
