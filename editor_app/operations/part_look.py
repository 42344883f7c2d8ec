"""What is drawn of a part before it is attached: its shapes, the frames that it can be mounted by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editor_app.edit.commands.urdf_robot import root_of
from editor_app.geometry.decimation import decimated
from editor_app.geometry.flanges import Flange, flange_at
from editor_app.geometry.link_geometry import LinkGeometry, MeshStore, link_geometry
from editor_app.geometry.mesh import MeshPart, merged
from editor_app.kinematics.forward import forward
from editor_app.kinematics.transforms import Matrix, invert
from editor_app.kinematics.tree import default_positions, tree_of
from editor_app.model.brief import brief
from editor_app.model.robot import RobotDescription
from editor_app.operations.mounting import rigid_frames
from editor_app.operations.open import open_robot
from editor_app.operations.work import Refused
from editor_app.tasks.job import Report

__all__ = ["LookAtPart", "PartLook", "flange_of"]

#: Triangles that a link of a preview is drawn with.
_DRAWN = 4000


@dataclass(frozen=True, slots=True, eq=False)
class PartLook:
    """`shapes` as they are, by link; `drawn`: the same with fewer triangles. `frames`: (4, 4) poses in the root
    (metres) of what no joint moves against it, the root first."""

    robot: RobotDescription
    root: str
    shapes: Mapping[str, LinkGeometry]
    drawn: Mapping[str, tuple[MeshPart, ...]]
    frames: Mapping[str, Matrix]

    __repr__ = brief

    def poses(self, positions: Mapping[str, float]) -> dict[str, Matrix]:
        """(4, 4) of each frame in the root; joints that `positions` (rad, m) lacks stand at their default."""
        tree = tree_of(self.robot)
        world = forward(tree, {**default_positions(tree, self.robot.xrdf), **positions})
        to_root = invert(world[tree.index[self.root]])
        return {frame: to_root @ pose for frame, pose in zip(tree.frames, world, strict=True)}


@dataclass(frozen=True, slots=True)
class LookAtPart:
    """A job. Raises FormatError, Refused for a part without a link."""

    part: Path
    packages: tuple[tuple[str, Path], ...] = ()

    def __call__(self, report: Report) -> PartLook:
        document = open_robot(self.part, packages=dict(self.packages))
        robot, store = document.robot, MeshStore(document.urdf_path, document.packages)
        root = root_of(robot.urdf)
        if root is None:
            raise Refused(f"{self.part.name} has no root link that could be attached")
        shapes: dict[str, LinkGeometry] = {}
        for number, link in enumerate(robot.urdf.links):
            report.progress(number / len(robot.urdf.links), link.name)
            for kind in ("visual", "collision"):
                geometry = link_geometry(robot.urdf, document.urdf_path, link, kind, store=store)
                if geometry.triangles:
                    shapes[link.name] = geometry
                    break
        drawn = {name: _thinned(geometry) for name, geometry in shapes.items()}
        return PartLook(robot, root.name, shapes, drawn, rigid_frames(tree_of(robot), root.name))


def flange_of(geometry: LinkGeometry, point: npt.ArrayLike, outwards: npt.ArrayLike) -> Flange | None:
    """The face of a link's shapes at a point (3,) of them, as of `flange_at`; None for a link without any."""
    at = np.asarray(point, float)
    parts = [part for part in geometry.parts if len(part.faces)]
    return flange_at(*merged(parts), at, outwards) if parts else None


def _thinned(geometry: LinkGeometry) -> tuple[MeshPart, ...]:
    share = _DRAWN / max(geometry.triangles, 1)
    if share >= 1.0:
        return geometry.parts
    thin = []
    for part in geometry.parts:
        vertices, faces = decimated(part.vertices, part.faces, share)
        thin.append(replace(part, vertices=vertices, faces=faces, uv=None))
    return tuple(thin)
