"""Guesses of the unit of a mesh file that tells none (STL, OBJ, PLY, OFF), of the upright axis, and
of wrong scales.

Programs for drawing write millimetres, a URDF means metres; some hold y upwards, a URDF z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.origin import IDENTITY, Origin, Vector3
from editor_app.core.model.urdf import JointType, Urdf, sizes_of
from editor_app.core.space.geometry.loading import load_mesh

_UNITS = {"metres": 1.0, "millimetres": 0.001, "centimetres": 0.01, "inches": 0.0254}
_TELL_NO_UNIT = (".stl", ".obj", ".ply", ".off")
#: Metres; larger parts are in millimetres. The second limit is for files with a unit. Both are for
#: robots without any length in the URDF to compare with.
_LONGEST, _LONGEST_TOLD = 10.0, 100.0
#: Limits of the size of a part, in longest steps from joint to joint and in metres. In 69 robots
#: parts have at most 6.3 steps (a drone of 0.8 m) and 1.3 m, at least 0.024 steps and 22 mm.
_STEPS, _LEAST_LONG = 6.0, 3.0
_PARTS_OF_STEP, _MOST_SHORT = 0.01, 0.002

#: A mesh that takes the place of another has its size up to this factor.
_ALIKE = 2.0
#: Share by which the sides of two bounding boxes may differ that are taken for one shape.
_SAME_SIDE = 0.1
#: y upwards becomes z upwards.
_UPRIGHT = Origin(rpy=(math.pi / 2, 0.0, 0.0))

Extents = F64


@dataclass(frozen=True, slots=True)
class MeshUse:
    """How a URDF uses a mesh file: factors, a turn, and the sentence that tells what was guessed
    ("" for nothing)."""

    scale: Vector3 = (1.0, 1.0, 1.0)
    turn: Origin = IDENTITY
    told: str = ""


def extents(path: Path) -> Extents | None:
    """(3,) sides of the bounding box in the unit of the file; None for one that cannot be read."""
    bounds = load_mesh(path).bounds
    return None if bounds is None else bounds[1] - bounds[0]


@dataclass(frozen=True, slots=True)
class SizeFault:
    """A size that no part of the robot has: code of the finding, sentence, and the factor that
    would make it right."""

    code: str
    message: str
    factor: float


def longest_step(urdf: Urdf) -> float:
    """Return the longest length that the URDF itself says, metres: from joint to joint, of a slide,
    of a primitive."""
    lengths = [math.hypot(*joint.origin.xyz) for joint in urdf.joints]
    slides = (joint.position_limits for joint in urdf.joints if joint.type is JointType.PRISMATIC)
    lengths += [upper - lower for lower, upper in filter(None, slides)]
    lengths += [
        size for link in urdf.links for shape in link.shapes for size in sizes_of(shape.geometry)
    ]
    return max((length for length in lengths if math.isfinite(length)), default=0.0)


def size_fault(path: Path, sides: Extents, scale: Vector3, step: float) -> SizeFault | None:
    """Judge a mesh with sides (3,) in the unit of its file by the `longest_step` of its robot,
    metres."""
    factors = np.abs(scale)
    size = float((sides * factors).max())
    most = _LONGEST if path.suffix.lower() in _TELL_NO_UNIT else _LONGEST_TOLD
    beside = ""
    if step > 0:
        most = max(_STEPS * step, _LEAST_LONG)
        beside = f", and the longest step from joint to joint is {step:.3g} m"
    if size > most:
        question = f"{path.name} is {size:,.4g} m large{beside}: were millimetres read as metres?"
        return SizeFault("MESH008", f"{question} Then set the scale to 0.001.", 0.001)
    # Markers of frames are tiny; what a scale makes tiny was in metres already.
    if factors.max() <= _UNITS["inches"] and 0 < size < min(_PARTS_OF_STEP * step, _MOST_SHORT):
        question = (
            f"{path.name} is {1000 * size:.3g} mm large{beside}: was it scaled to metres twice?"
        )
        return SizeFault("MESH009", f"{question} Then make the scale 1,000 times as large.", 1000.0)
    return None


def guessed_use(path: Path, like: Extents | None = None) -> MeshUse:
    """`like`: (3,) metres, the sides of a mesh of the same thing: the one whose place this takes,
    or its collision.

    The upright axis that COLLADA tells counts for nothing (`collada.py`): without `like` none is
    guessed.
    """
    tells_unit = path.suffix.lower() not in _TELL_NO_UNIT
    sides = extents(path) if like is not None or not tells_unit else None
    if sides is None or not sides.max() > 0.0:
        return MeshUse()
    unit = (
        "metres"
        if tells_unit
        else _unit(float(sides.max()), None if like is None else float(like.max()))
    )
    factor = _UNITS[unit]
    turned = like is not None and _is_upright_in_y(sides * factor, like)
    if factor == 1.0 and not turned:
        return MeshUse()
    size = " × ".join(f"{side:.4g}" for side in sides)
    parts = [f"read as {unit}, scale {factor:g}"] if factor != 1.0 else []
    parts += ["read as y-up, rotated by 90° about x"] if turned else []
    return MeshUse(
        (factor,) * 3,
        _UPRIGHT if turned else IDENTITY,
        f"{path.name} is {size} large: {'; '.join(parts)}.",
    )


def _unit(size: float, wanted: float | None) -> str:
    if wanted:
        unit = min(_UNITS, key=lambda name: abs(math.log(size * _UNITS[name] / wanted)))
        if 1 / _ALIKE <= size * _UNITS[unit] / wanted <= _ALIKE:
            return unit
    return "millimetres" if size > _LONGEST else "metres"


def _is_upright_in_y(sides: Extents, like: Extents) -> bool:
    def fits(order: tuple[int, int, int]) -> bool:
        return bool((np.abs(sides[list(order)] - like) <= _SAME_SIDE * like.max()).all())

    return fits((0, 2, 1)) and not fits((0, 1, 2))
