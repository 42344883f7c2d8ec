"""The verb pose: where the frames of a robot, and its spheres, are at a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.edit.document import Document
from editor_app.kinematics.forward import forward
from editor_app.kinematics.tree import complete_pose, default_positions, tree_of
from editor_app.operations.work import Refused

__all__ = ["Spheres", "default_pose", "frame_poses", "sphere_arrays"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Spheres:
    """The spheres of a group, in the order of the file: sphere i is on the frame `frames[i]`.

    `centers` (n, 3) and `radii` (n,) in metres.
    """

    frames: tuple[str, ...]
    centers: Floats
    radii: Floats


def default_pose(document: Document) -> dict[str, float]:
    """Every movable joint -> rad or m at the default configuration, mimic joints included."""
    tree = tree_of(document.robot)
    return dict(complete_pose(tree, default_positions(tree, document.robot.xrdf)))


def frame_poses(document: Document, pose: Mapping[str, float] | None = None) -> dict[str, Floats]:
    """Frame -> its pose (4, 4) in the base frame, after the modifiers of the XRDF.

    `pose`: joint -> rad or m; joints that it does not name stand at the default configuration, mimic joints follow.
    Raises Refused for a name that is no joint.
    """
    tree = tree_of(document.robot)
    joints = {joint.name for joint in tree.joints}
    unknown = [name for name in pose or {} if name not in joints]
    if unknown:
        raise Refused(f"there is no joint {', '.join(unknown)}; the joints are: {', '.join(tree.independent)}")
    world = forward(tree, {**default_positions(tree, document.robot.xrdf), **(pose or {})})
    return dict(zip(tree.frames, world, strict=True))


def sphere_arrays(
    document: Document, pose: Mapping[str, float] | None = None, *, group: str | None = None, local: bool = False
) -> Spheres:
    """The spheres of a geometry group in the base frame at `pose` (see `frame_poses`), or each in its own frame.

    `group`: default that of the world collision section, else of self-collision, else the first. Spheres on frames that
    the modifiers cut off are left out, unless `local`. Raises Refused for an unknown group.
    """
    xrdf = document.robot.xrdf
    names = [g.name for g in xrdf.geometry or ()]
    chosen = group or xrdf.world_group or xrdf.self_group or (names[0] if names else None)
    if group is not None and group not in names:
        raise Refused(f"there is no geometry group {group!r} (there are: {', '.join(names) or 'none'})")
    poses = {} if local else frame_poses(document, pose)
    spheres = xrdf.spheres_of(chosen) if chosen is not None else {}
    frames: list[str] = []
    centers: list[Floats] = []
    radii: list[float] = []
    for frame, each in spheres.items():
        if not local and frame not in poses:
            continue
        for sphere in each:
            frames.append(frame)
            center = np.array(sphere.center, float)
            centers.append(center if local else poses[frame][:3, :3] @ center + poses[frame][:3, 3])
            radii.append(sphere.radius)
    return Spheres(tuple(frames), np.array(centers, float).reshape(-1, 3), np.array(radii, float))
