"""The verb mount: where the root of a part comes, for a face of it to lie on a face of a link, or
for one of its frames to stand there; and what is drawn of a part before it is attached.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editor_app.core.document.commands.urdf_robot import find_root_link
from editor_app.core.model.frozen import brief
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.space.geometry.decimation import decimated
from editor_app.core.space.geometry.flanges import Flange, flange_at
from editor_app.core.space.geometry.link_geometry import LinkGeometry, MeshStore, link_geometry
from editor_app.core.space.geometry.mesh import MeshPart, merge_parts
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    build_axis_rotation,
    build_origin_matrix,
    invert,
    matrix_origin,
    transform,
)
from editor_app.core.space.kinematics.tree import get_default_positions, get_tree
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import Refused
from editor_app.core.verbs.open import open_robot

#: Digits behind the point of metres: a nanometre.
_DIGITS = 9


def mounted(base: Flange, part: Flange | None, now: Origin, step: float = math.pi / 2) -> Origin:
    """The place on the link of what stands at `now`, so that the face `part` of it lies on the
    link's face `base`.

    Middles, or axes, come together and the two look at each other. `base` is in the link's frame,
    `part` in the frame that is placed; None: this frame is the mounting face, and its z points into
    the part. About the common axis the part stays nearest to how it is turned now, in multiples of
    `step` radians; 0: as it is.
    """
    on_link = _frame(base, 1.0)
    in_part: Matrix = np.eye(4) if part is None else _frame(part, -1.0)
    relative = on_link[:3, :3].T @ build_origin_matrix(now)[:3, :3] @ in_part[:3, :3]
    angle = math.atan2(relative[1, 0] - relative[0, 1], relative[0, 0] + relative[1, 1])
    if step > 0.0:
        angle = round(angle / step) * step
    return _rounded(
        on_link @ transform(build_axis_rotation((0.0, 0.0, 1.0), angle)) @ invert(in_part)
    )


def turned(now: Origin, axis: int, angle: float) -> Origin:
    """The place after a turn by `angle` (radians) about x, y or z (0, 1, 2) of what is placed
    there."""
    along = [0.0, 0.0, 0.0]
    along[axis] = 1.0
    return _rounded(build_origin_matrix(now) @ transform(build_axis_rotation(along, angle)))


def rigid_frames(tree: KinematicTree, root: str) -> dict[str, Matrix]:
    """(4, 4) poses in `root` (metres) of the frames that no joint moves against it, `root`
    first."""
    poses: dict[str, Matrix] = {root: np.eye(4)}
    for frame in tree.subtree(root):
        joint = tree.joint_to(frame)
        if joint is not None and frame != root and joint.type == "fixed" and joint.parent in poses:
            poses[frame] = poses[joint.parent] @ joint.origin
    return poses


def _frame(flange: Flange, way: float) -> Matrix:
    """(4, 4): z along the face's direction, or against it; x along the axis of the mesh that is
    squarest to it."""
    z = way * np.array(flange.direction)
    x = np.eye(3)[int(np.argmin(np.round(np.abs(z), 6)))]
    x = x - z * float(x @ z)
    x /= np.linalg.norm(x)
    return transform(np.column_stack([x, np.cross(z, x), z]), np.array(flange.point))


def _rounded(place: Matrix) -> Origin:
    """Without the noise of the calculation; angles that are nearly multiples of 15° are these."""
    origin = matrix_origin(place)
    x, y, z = (round(value, _DIGITS) + 0.0 for value in origin.xyz)
    step = math.pi / 12
    near = [round(value / step) * step for value in origin.rpy]
    angles = [
        a if abs(a - value) < 1e-9 else value for a, value in zip(near, origin.rpy, strict=True)
    ]
    return Origin((x, y, z), (angles[0] + 0.0, angles[1] + 0.0, angles[2] + 0.0))


#: Triangles that a link of a preview is drawn with.
_DRAWN = 4000


@dataclass(frozen=True, slots=True, eq=False)
class PartLook:
    """`shapes` as they are, by link; `drawn`: the same with fewer triangles. `frames`: (4, 4) poses
    in the root (metres) of what no joint moves against it, the root first."""

    robot: RobotDescription
    root: str
    shapes: Mapping[str, LinkGeometry]
    drawn: Mapping[str, tuple[MeshPart, ...]]
    frames: Mapping[str, Matrix]

    __repr__ = brief

    def poses(self, positions: Mapping[str, float]) -> dict[str, Matrix]:
        """(4, 4) of each frame in the root; joints that `positions` (rad, m) lacks stand at their
        default."""
        tree = get_tree(self.robot)
        world = compute_forward(tree, {**get_default_positions(tree, self.robot.xrdf), **positions})
        to_root = invert(world[tree.index[self.root]])
        return {frame: to_root @ pose for frame, pose in zip(tree.frames, world, strict=True)}


def look_at_part(reporter: TaskReporter, part: Path, packages: Mapping[str, Path]) -> PartLook:
    """Raises FormatError, Refused for a part without a link."""
    document = open_robot(part, packages=packages)
    robot, store = document.robot, MeshStore(document.urdf_path, document.packages)
    root = find_root_link(robot.urdf)
    if root is None:
        raise Refused(f"{part.name} has no root link to attach")
    shapes: dict[str, LinkGeometry] = {}
    for number, link in enumerate(robot.urdf.links):
        reporter.progress(number / len(robot.urdf.links), link.name)
        for kind in ("visual", "collision"):
            geometry = link_geometry(robot.urdf, document.urdf_path, link, kind, store=store)
            if geometry.triangles:
                shapes[link.name] = geometry
                break
    drawn = {name: _thinned(geometry) for name, geometry in shapes.items()}
    return PartLook(robot, root.name, shapes, drawn, rigid_frames(get_tree(robot), root.name))


def flange_of(
    geometry: LinkGeometry, point: npt.ArrayLike, outwards: npt.ArrayLike
) -> Flange | None:
    """The face of a link's shapes at a point (3,) of them, as of `flange_at`; None for a link
    without any."""
    at = np.asarray(point, float)
    parts = [part for part in geometry.parts if len(part.faces)]
    return flange_at(*merge_parts(parts), at, outwards) if parts else None


def _thinned(geometry: LinkGeometry) -> tuple[MeshPart, ...]:
    share = _DRAWN / max(geometry.triangles, 1)
    if share >= 1.0:
        return geometry.parts
    thin = []
    for part in geometry.parts:
        vertices, faces = decimated(part.vertices, part.faces, share)
        thin.append(replace(part, vertices=vertices, faces=faces, uv=None))
    return tuple(thin)
