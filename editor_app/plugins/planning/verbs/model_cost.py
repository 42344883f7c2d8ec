"""False and missed collisions of spheres and mask: configurations refused although the meshes are
free, and accepted though the meshes touch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from editor_app.core.arrays import F64, Bools
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.counting import Share
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    PoseLike,
    Progress,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    silent,
)
from editor_app.core.verbs.reading_notes import list_reading_notes
from editor_app.features.spheres.engine.results import Refusals
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.verdicts import Hidden as Hidden
from editor_app.plugins.motion.engine.verdicts import ModelCost as ModelCost
from editor_app.plugins.motion.engine.verdicts import TooFat as TooFat
from editor_app.plugins.motion.engine.verdicts import compare_verdicts, mesh_touches
from editor_app.plugins.motion.verbs.collide import (
    Geometry,
    comparing_model,
    mesh_motion,
    motion_model_of,
    pose_variables,
)

#: Configurations that are compared.
SAMPLES = 20_000


@check_arguments
def model_cost(
    robot: Described,
    *,
    scene: Scene = EMPTY_SCENE,
    poses: PoseLike | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    mask: MaskFile | None = None,
    seen: Collection[str] | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> ModelCost:
    """Over random configurations of the c-space (other joints at the default), or over `poses`.

    `scene`: obstacles beside the robot. `mask`: the file whose mask is judged; default the XRDF's,
    where it has one. `seen`: links whose visible shapes are compared in the place of their
    collision shapes, because their spheres were fitted to these; by default, links whose collision
    shapes do not stand for them, as fits take them. Links without a collision shape are always
    compared by what is visible of them. Raises Refused, SceneError, NothingToCompare, ImportError,
    Cancelled.
    """
    placed, told = locate_robot(robot), list_reading_notes(robot)
    robot = placed.robot
    progress(0.0, "Loading the collision meshes")
    model = comparing_model(robot, scene, mask)
    notes = [*told, *model.notes]
    meshes = mesh_motion(placed, scene, Geometry.MESHES, notes, mask, seen)
    values = (
        pose_variables(model, robot, poses)
        if poses is not None
        else model.random_values(samples, seed)
    )
    tick, is_random = make_stoppable(progress, cancel), poses is None
    cost = compare_verdicts(
        model, meshes, values, seed=seed, is_random=is_random, notes=tuple(notes), tick=tick
    )
    progress(1.0, "Done")
    return cost


@dataclass(frozen=True)
class MeshVerdicts:
    """The results of a robot's meshes in random configurations (`values`), by which spheres and
    masks are judged.

    `touches`: (configurations, pairs of meshes) whether they touch, of pairs that count.
    """

    meshes: MeshMotion
    values: F64
    touches: Bools

    @classmethod
    def of(
        cls,
        placed: PlacedRobot,
        tick: Progress = silent,
        seen: Collection[str] | None = None,
        samples: int = SAMPLES,
    ) -> MeshVerdicts:
        """`tick` hears how far it is, and may raise; `seen`: as of `model_cost`.

        Raises NothingToCompare, ImportError.
        """
        meshes = mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, [], seen=seen)
        values = meshes.motion.random_values(samples, 0)
        return cls(meshes, values, mesh_touches(meshes, values, tick=tick)[0])

    def touching(self, pair: LinkPair) -> Share:
        """Return the share of all configurations in which the meshes of a pair touch."""
        row = self.meshes.motion.spheres.pair_index.get(pair)
        return Share(0 if row is None else int(self.touches[:, row].sum()), len(self.values))

    def refusals(self, robot: RobotDescription) -> Refusals:
        """The cost of the robot with other spheres, or another mask."""
        model = motion_model_of(robot, EMPTY_SCENE, MaskFile.XRDF)
        return self.against(model.first_collisions(self.values) >= 0)

    def against(self, refused: Bools) -> Refusals:
        """The cost of a model that refuses these configurations (n,)."""
        touched = self.touches.any(axis=1)
        return Refusals(
            Share(int((refused & ~touched).sum()), int((~touched).sum())),
            Share(int((touched & ~refused).sum()), int(touched.sum())),
        )
