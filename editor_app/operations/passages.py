"""Passages: what spheres close and meshes leave open (`motion.passages`), of a robot as it is described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from editor_app.model.robot import RobotDescription
from editor_app.model.scene import EMPTY_SCENE
from editor_app.motion.mesh_motion import MeshMotion
from editor_app.motion.model import MotionModel
from editor_app.motion.passages import Barrier as Barrier
from editor_app.motion.passages import Passages as Passages
from editor_app.motion.passages import passages_of
from editor_app.operations.collide import Geometry, mesh_motion, motion_model_of
from editor_app.operations.described import Described, description_of, mesh_places
from editor_app.operations.mask_changes import MaskFile
from editor_app.operations.pair_distances import NothingToCompare
from editor_app.operations.work import Cancel, Cancelled, Progress, Refused, never, silent


def passages(
    robot: Described,
    *,
    urdf_path: Path | None = None,
    mappings: Mapping[str, Path] | None = None,
    mask: MaskFile | None = None,
    model: MotionModel | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Passages:
    """Shut intervals, pieces and barriers of all pairs with one to three joints of the c-space between their links.

    `mask`: the file whose mask is judged; default the XRDF's, where it has one. `urdf_path`, `mappings`
    (package -> folder): how meshes are found when `robot` is no document; where none can be compared, a note says so.
    Raises Refused, Cancelled.
    """
    urdf_path, mappings = mesh_places(robot, urdf_path, mappings)
    robot = description_of(robot)
    model = model or motion_model_of(robot, EMPTY_SCENE, mask)
    if not model.row_count:
        raise Refused("there are no two frames with collision spheres: fit spheres first")
    notes: list[str] = []

    def tick(fraction: float, sentence: str) -> None:
        if cancel():
            raise Cancelled
        progress(fraction, sentence)

    result = passages_of(model, lambda: meshes_to_ask(robot, urdf_path, mappings, notes), (), tick)
    progress(1.0, "Done")
    return replace(result, notes=tuple(notes))


def meshes_to_ask(
    robot: RobotDescription, urdf_path: Path | None, mappings: Mapping[str, Path], notes: list[str]
) -> MeshMotion | None:
    """The meshes to ask; None where none can be compared, which `notes` hears."""
    try:
        bare = {link.name for link in robot.urdf.links if not link.collisions and link.visuals}
        return mesh_motion(robot, EMPTY_SCENE, Geometry.MESHES, urdf_path, mappings, notes, None, bare)
    except (NothingToCompare, ImportError) as error:
        notes.append(f"meshes are not compared: {error}")
        return None
