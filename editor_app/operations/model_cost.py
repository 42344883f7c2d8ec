"""What spheres and mask cost and what they hide: configurations refused though the meshes are free, and accepted
though the meshes touch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from editor_app.model.scene import EMPTY_SCENE, Scene
from editor_app.motion.verdicts import Hidden as Hidden
from editor_app.motion.verdicts import ModelCost as ModelCost
from editor_app.motion.verdicts import TooFat as TooFat
from editor_app.motion.verdicts import compare, random_values
from editor_app.operations.arguments import checked
from editor_app.operations.collide import Geometry, mesh_motion, motion_model_of, values_of
from editor_app.operations.described import Described, PoseLike, description_of, mesh_places
from editor_app.operations.mask_changes import MaskFile
from editor_app.operations.work import Cancel, Cancelled, Progress, Refused, never, silent

#: Configurations that are compared.
SAMPLES = 20_000


@checked
def model_cost(
    robot: Described,
    *,
    urdf_path: Path | None = None,
    mappings: Mapping[str, Path] | None = None,
    scene: Scene = EMPTY_SCENE,
    poses: PoseLike | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    mask: MaskFile | None = None,
    seen: Collection[str] = (),
    progress: Progress = silent,
    cancel: Cancel = never,
) -> ModelCost:
    """Over random configurations of the c-space (other joints at the default), or over `poses`.

    `scene`: obstacles beside the robot. `mask`: the file whose mask is judged; default the XRDF's, where it has one.
    `seen`: links whose visible shapes are compared in the place of their collision shapes, because their spheres were
    fitted to those; links without a collision shape are always compared by what is visible of them. `urdf_path`,
    `mappings` (package -> folder): how meshes are found when `robot` is no document.
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
    if fitted := {link.name for link in robot.urdf.links if link.name in seen and link.collisions}:
        notes.append(f"compared by what is visible of them, as they were fitted: {', '.join(sorted(fitted))}")
    values = values_of(model, robot, poses) if poses is not None else random_values(model, samples, seed)

    def tick(fraction: float, sentence: str) -> None:
        if cancel():
            raise Cancelled
        progress(fraction, sentence)

    is_random = poses is None
    cost = compare(model, meshes, values, seed=seed, is_random=is_random, notes=tuple(notes), tick=tick)
    progress(1.0, "Done")
    return cost
