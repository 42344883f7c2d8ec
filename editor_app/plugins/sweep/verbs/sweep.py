"""The verb sweep: the volume that the spheres of a robot sweep along a motion, contained in spheres
and in a mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.model.frozen import brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.geometry.obj_and_stl import stl_bytes
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PoseLike,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    make_stoppable,
    make_trajectory,
    never,
    scale_progress,
    silent,
)
from editor_app.plugins.margins.engine.bounds import BufferedSpheres
from editor_app.plugins.margins.engine.columns import Columns
from editor_app.plugins.margins.tolerances import Tolerances
from editor_app.plugins.margins.verbs.margins import joint_table
from editor_app.plugins.sweep.engine import capsules as swept
from editor_app.plugins.sweep.engine import surface

#: Metres: width of the cells of the mesh, and what spheres may be larger than the robot's.
CELL, EXCESS = 0.01, 0.002
#: Points of a grid, and capsules, at most.
_MOST_CELLS, _MOST_CAPSULES = 40_000_000, 400_000


@dataclass(frozen=True, eq=False)
class SweptVolume:
    """The volume that the spheres of a robot sweep, contained in `spheres` (s, 4: centre, radius),
    and in the closed mesh of `vertices` (n, 3) and `faces` (m, 3). Metres, in the base frame.

    No sphere has a radius larger by more than `sphere_excess` than that of the robot's sphere; no
    point of the mesh is farther away than `mesh_excess` from what the robot sweeps.
    """

    spheres: F64
    vertices: F64
    faces: I64
    sphere_excess: float
    mesh_excess: float
    cell: float

    __repr__ = brief

    @property
    def volume(self) -> float:
        """The volume of the mesh, in cubic metres."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6.0)

    def stl(self) -> bytes:
        """Return the mesh as a binary STL file in metres."""
        return stl_bytes(self.vertices, self.faces)

    def csv(self) -> str:
        """Return the spheres as lines x,y,z,radius in metres, rounded so that they still contain
        the volume."""
        rows = (
            ",".join(f"{value:.6f}" for value in (x, y, z, math.ceil(radius * 1e6 + 1.0) / 1e6))
            for x, y, z, radius in self.spheres.tolist()
        )
        return "\n".join(["x,y,z,radius", *rows, ""])


@check_arguments
def sweep(
    robot: Described,
    poses: PoseLike,
    *,
    cell: float = CELL,
    excess: float = EXCESS,
    group: str | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> SweptVolume:
    """Contain what the spheres of a robot sweep on the straight lines in joint space between the
    points of a motion.

    `cell`: width of the mesh's cells, metres. `excess`: metres by which spheres may be larger than
    the robot's. `group`: geometry group; default that of the world collision section, else of
    self-collision. Radii count without buffers. Raises Refused, Cancelled.
    """
    description, trajectory = describe_robot(robot), make_trajectory(poses)
    for name, length in (("cell", cell), ("excess", excess)):
        if not 1e-4 <= length <= 1.0:
            raise Refused(f"{name} must be from 0.0001 to 1 m, not {length:g}")
    xrdf = description.xrdf
    chosen = group or xrdf.world_group or xrdf.self_group
    if chosen is None or xrdf.group(chosen) is None:
        groups = [each.name for each in xrdf.geometry or ()]
        raise Refused(
            refuse_name("geometry group", chosen, groups) if chosen else "the XRDF has no spheres"
        )
    tick = make_stoppable(progress, cancel)
    capsules, added = _capsules(
        description, trajectory, chosen, 0.5 * excess, scale_progress(tick, 0.0, 0.3)
    )
    spheres = swept.spheres_in(capsules, 0.5 * excess)
    corner, shape = surface.grid_of(capsules, cell)
    if math.prod(shape) > _MOST_CELLS:
        least = cell * (math.prod(shape) / _MOST_CELLS) ** (1.0 / 3.0)
        raise Refused(
            f"cells of {cell * 1e3:g} mm are too small for this motion: use "
            f"{math.ceil(least * 1e3)} mm"
        )
    on_grid = scale_progress(tick, 0.3, 0.9)
    field = surface.distance_grid(
        capsules, corner, shape, cell, lambda share: on_grid(share, "Measuring distances")
    )
    tick(0.9, "Building the surface")
    vertices, faces = surface.closed_surface(field, corner, cell)
    progress(1.0, "Done")
    return SweptVolume(
        spheres, vertices, faces, added + 0.5 * excess, added + surface.EXCESS * cell, cell
    )


def _capsules(
    robot: RobotDescription, trajectory: Trajectory, group: str, excess: float, tick: Progress
) -> tuple[F64, float]:
    """(m, 7) capsules around the way of all spheres, and what they add to a radius at most."""
    tree, values = get_tree(robot), joint_table(robot, trajectory)
    steps = (
        np.diff(values, axis=0) if trajectory.moves and len(values) > 1 else np.zeros_like(values)
    )
    columns = Columns.of(tree, Tolerances())
    links = {
        link: each for link, each in robot.xrdf.spheres_of(group).items() if link in tree.index
    }
    parts: list[F64] = []
    added = 0.0
    for number, (link, spheres) in enumerate(links.items()):
        real = [sphere for sphere in spheres if sphere.radius > 0.0]
        if not real:
            continue
        centers, radii = (
            np.array([s.center for s in real], float),
            np.array([s.radius for s in real]),
        )
        frame = BufferedSpheres(tree.index[link], centers, radii)
        stop = partial(tick, number / len(links), "Following spheres")
        of_link, more = swept.swept_capsules(
            columns, frame, values[: len(steps)], steps, excess, stop
        )
        parts.append(of_link)
        added = max(added, more)
        if sum(map(len, parts)) > _MOST_CAPSULES:
            raise Refused(
                f"the motion needs more than {_MOST_CAPSULES:,} capsules: allow more excess, or "
                "use a shorter motion"
            )
    if not parts:
        raise Refused(f"the group {group!r} has no spheres: fit spheres first")
    return np.concatenate(parts), added
