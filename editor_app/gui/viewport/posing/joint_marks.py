"""The axis and the limits of a joint, drawn at what the pointer holds."""

from __future__ import annotations

import math

import numpy as np

from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.posing.pointer import across
from editor_app.gui.viewport.scene import Scene
from editor_app.kinematics.structure import TreeJoint
from editor_app.model.urdf import JointType

MARKS = "viewport.joint"
_PIECES = 48
#: Pixels: half of the axis, and between what the arc's radius stays.
_AXIS, _SMALL, _LARGE = 110.0, 36.0, 170.0


def show(scene: Scene, joint: TreeJoint, pose: Array, value: float, grabbed: Array | None) -> None:
    """`pose` (4, 4) of the joint's frame at `value`; the arc goes through `grabbed` (3,) where that is near."""
    pixel = scene.camera.metres_per_pixel(pose[:3, 3])
    axis = pose[:3, :3] @ joint.axis
    foot = pose[:3, 3]
    accent, ink = (*scene.accent, 1.0), (*scene.accent, 0.45)
    lines: list[Array] = []
    colours: list[tuple[float, ...]] = []

    def add(points: Array, colour: tuple[float, ...]) -> None:
        lines.extend(points)
        colours.extend([colour] * len(points))

    add(np.array([[foot - _AXIS * pixel * axis, foot + _AXIS * pixel * axis]]), ink)
    if joint.type is JointType.PRISMATIC:
        add(_slide(joint, axis, foot, value, 14.0 * pixel), accent)
    else:
        arm = np.zeros(3)
        if grabbed is not None:
            foot = foot + axis * float(axis @ (grabbed - foot))
            arm = grabbed - foot
        length = float(np.linalg.norm(arm))
        arm = arm / length if length > 1e-6 else across(axis)[0]
        radius = float(np.clip(length, _SMALL * pixel, _LARGE * pixel))
        add(_arc(joint, axis, foot, arm * radius, value), ink)
        add(np.array([[foot, foot + arm * radius]]), accent)
    scene.overlay.set_lines(MARKS, np.array(lines), np.array(colours))
    scene.redraw()


def hide(scene: Scene) -> None:
    """Takes them away."""
    if MARKS in scene.overlay.names:
        scene.overlay.remove(MARKS)
        scene.redraw()


def _arc(joint: TreeJoint, axis: Array, foot: Array, arm: Array, value: float) -> Array:
    """From limit to limit, with a stroke at each; a circle where a whole turn is free."""
    lower, upper = joint.limits or (-math.inf, math.inf)
    is_whole = not upper - lower < 2 * math.pi
    angles = np.linspace(-math.pi, math.pi, _PIECES + 1) if is_whole else np.linspace(lower, upper, _PIECES + 1) - value
    # Rodrigues' formula, for all angles at once.
    along = axis * float(axis @ arm)
    turned = np.cos(angles)[:, None] * (arm - along) + np.sin(angles)[:, None] * np.cross(axis, arm)
    points = foot + along + turned
    lines = np.stack([points[:-1], points[1:]], axis=1)
    if is_whole:
        return lines
    ends = np.array([[foot + 0.86 * (p - foot), foot + 1.14 * (p - foot)] for p in (points[0], points[-1])])
    return np.concatenate([lines, ends])


def _slide(joint: TreeJoint, axis: Array, foot: Array, value: float, tick: float) -> Array:
    lower, upper = joint.limits or (value - 1.0, value + 1.0)
    one, two = (foot + (limit - value) * axis for limit in (lower, upper))
    lines = [[one, two]]
    if joint.limits is not None:
        lines += [[end - tick * side, end + tick * side] for end in (one, two) for side in across(axis)]
    return np.array(lines)
