"""The verb mount: where the root of a part comes, for a face of it to lie on a face of a link, or for one of its frames
to stand there.
"""

from __future__ import annotations

import math

import numpy as np

from editor_app.geometry.flanges import Flange
from editor_app.kinematics.structure import KinematicTree
from editor_app.kinematics.transforms import (
    Matrix,
    axis_rotation,
    invert,
    matrix_origin,
    origin_matrix,
    transform,
)
from editor_app.model.origin import Origin

__all__ = ["mounted", "rigid_frames", "turned"]

#: Digits behind the point of metres: a nanometre.
_DIGITS = 9


def mounted(base: Flange, part: Flange | None, now: Origin, step: float = math.pi / 2) -> Origin:
    """The place on the link of what stands at `now`, so that the face `part` of it lies on the link's face `base`.

    Middles, or axes, come together and the two look at each other. `base` is in the link's frame, `part` in the frame
    that is placed; None: this frame is the mounting face, and its z points into the part. About the common axis the
    part stays nearest to how it is turned now, in multiples of `step` radians; 0: as it is.
    """
    on_link = _frame(base, 1.0)
    in_part: Matrix = np.eye(4) if part is None else _frame(part, -1.0)
    relative = on_link[:3, :3].T @ origin_matrix(now)[:3, :3] @ in_part[:3, :3]
    angle = math.atan2(relative[1, 0] - relative[0, 1], relative[0, 0] + relative[1, 1])
    if step > 0.0:
        angle = round(angle / step) * step
    return _rounded(on_link @ transform(axis_rotation((0.0, 0.0, 1.0), angle)) @ invert(in_part))


def turned(now: Origin, axis: int, angle: float) -> Origin:
    """The place after a turn by `angle` (radians) about x, y or z (0, 1, 2) of what is placed there."""
    along = [0.0, 0.0, 0.0]
    along[axis] = 1.0
    return _rounded(origin_matrix(now) @ transform(axis_rotation(along, angle)))


def rigid_frames(tree: KinematicTree, root: str) -> dict[str, Matrix]:
    """(4, 4) poses in `root` (metres) of the frames that no joint moves against it, `root` first."""
    poses: dict[str, Matrix] = {root: np.eye(4)}
    for frame in tree.subtree(root):
        joint = tree.joint_to(frame)
        if joint is not None and frame != root and joint.type == "fixed" and joint.parent in poses:
            poses[frame] = poses[joint.parent] @ joint.origin
    return poses


def _frame(flange: Flange, way: float) -> Matrix:
    """(4, 4): z along the face's direction, or against it; x along the axis of the mesh that is squarest to it."""
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
    angles = [a if abs(a - value) < 1e-9 else value for a, value in zip(near, origin.rpy, strict=True)]
    return Origin((x, y, z), (angles[0] + 0.0, angles[1] + 0.0, angles[2] + 0.0))
