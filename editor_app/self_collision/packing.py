"""A model as the sampling kernels take it: single precision, only what the wanted pairs need, in frames that suit.

Turning a body's frame about its own joint axis changes nothing but the zero of the joint and the numbers of what is
fixed to the body. So each frame is turned such that the step to its first child is a tilt about x alone (the Euler
angles z, x, z of the step: the outer two go into the joints). For axes that are parallel or at right angles, as they
mostly are, that tilt costs nothing at all.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from editor_app.self_collision.model import SphereModel
from editor_app.self_collision.types import F32, F64, I32, I64, U8

#: Sines, cosines and metres of a fixed step below this count as 0: less than single precision can tell.
NOTHING = 3e-8
#: What a bounding ball's radius grows by, relatively, so that rounding its centre leaves its spheres inside.
ROUNDED_UP = np.float32(1.000001)


class Step(IntEnum):
    """How a body's joint axis stands to that of its parent's."""

    ANY = 0
    #: Turned about the parent's x axis.
    TILTED = 1
    PARALLEL = 2
    #: Turned about x by 90 degrees, or by 180.
    SQUARE = 3
    OPPOSITE = 4


class Packed(NamedTuple):
    """In the order of the kernels' parameters. Body 0 stands still; the others come after their parents."""

    parent: I32
    #: Variable that moves the body, and its value: start + span * (an integer below 2^24); turns or metres.
    dof: I32
    prismatic: I32
    start: F32
    span: F32
    step: I32
    #: (n, 12): rows of the fixed step from the parent (R | t).
    origin: F32
    frame_body: I32
    #: Whether a wanted pair has the frame.
    used: U8
    starts: I32
    spheres: F32
    bounds: F32


def packed(model: SphereModel, rows: I64) -> Packed:
    """Frames and spheres as in the model; bodies that none of the pairs `rows` needs are left out."""
    bodies = model.bodies
    wanted = np.zeros(len(model.frames), bool)
    wanted[model.pairs[rows].ravel()] = True
    kept = [0, *sorted({b for i in np.flatnonzero(wanted) for b in model.body_path[int(model.frame_body[i])]} - {0})]
    number = {body: k for k, body in enumerate(kept)}
    parents = [number.get(int(bodies.parent[body]), 0) for body in kept]
    turns = np.zeros(len(kept))
    steps: list[F64] = [np.eye(3, 4)]
    kinds = [Step.ANY]
    tilts = [(0.0, 0.0, 0.0), *(_euler(bodies.origin[body][:, :3]) for body in kept[1:])]
    for k in range(1, len(kept)):
        first = next((c for c in range(k + 1, len(kept)) if parents[c] == k), None)
        if first is not None and not bodies.prismatic[kept[k]]:
            turns[k] = tilts[first][0]
    start, span = np.zeros(len(kept)), np.zeros(len(kept))
    for k in range(1, len(kept)):
        body, before = kept[k], turns[parents[k]]
        inner = tilts[k][2]
        place = _about_z(-before) @ bodies.origin[body]
        slides = bool(bodies.prismatic[body])
        if not slides:
            # Rz(-before) Rz(outer) Rx(tilt) Rz(inner): the last goes into the joint.
            place[:, :3] = place[:, :3] @ _about_z(-inner)
        place[np.abs(place) < NOTHING] = 0.0
        steps.append(place)
        kinds.append(_kind(place))
        dof, scale = int(bodies.dof[body]), float(bodies.scale[body])
        low, unit = scale * model.lower[dof] + bodies.offset[body], 1.0
        if not slides:
            low, unit = low + inner + turns[k], 1.0 / (2.0 * math.pi)
        span[k] = unit * scale * (model.upper[dof] - model.lower[dof]) * 2.0**-24
        start[k] = unit * low
        if not slides:
            start[k] -= round(float(start[k]))
    spheres, bounds = model.spheres.copy(), model.bounds.copy()
    frame_body = np.array([number.get(int(body), 0) for body in model.frame_body], np.int32)
    for i in range(len(model.frames)):
        back = _about_z(-turns[frame_body[i]]).T
        part = slice(model.starts[i], model.starts[i + 1])
        spheres[part, :3] = spheres[part, :3] @ back
        bounds[i, :3] = bounds[i, :3] @ back
    balls = bounds.astype(np.float32)
    balls[:, 3] = np.nextafter(balls[:, 3] * ROUNDED_UP, np.float32(np.inf))
    return Packed(
        np.array(parents, np.int32),
        np.ascontiguousarray(bodies.dof[kept]),
        bodies.prismatic[kept].astype(np.int32),
        start.astype(np.float32),
        span.astype(np.float32),
        np.array(kinds, np.int32),
        np.array(steps).reshape(len(kept), 12).astype(np.float32),
        frame_body,
        wanted.astype(np.uint8),
        model.starts,
        spheres.astype(np.float32),
        balls,
    )


def _about_z(angle: float) -> F64:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])


def _euler(rotation: F64) -> tuple[float, float, float]:
    """(o, t, i) with rotation = Rz(o) Rx(t) Rz(i), t >= 0; o is 0 where only o + i or o - i is determined."""
    sine = math.hypot(rotation[0, 2], rotation[1, 2])
    outer = math.atan2(rotation[0, 2], -rotation[1, 2]) if sine >= NOTHING else 0.0
    rest = _about_z(-outer) @ rotation
    # Its first row is (cos i, -sin i, 0).
    return outer, math.atan2(sine, rotation[2, 2]), math.atan2(-rest[0, 1], rest[0, 0])


def _kind(step: F64) -> Step:
    if np.abs(step[0, :3] - (1.0, 0.0, 0.0)).max() > NOTHING or np.abs(step[:, 0] - (1.0, 0.0, 0.0)).max() > NOTHING:
        return Step.ANY
    if step[2, 1] == 0.0:
        return Step.PARALLEL if step[1, 1] > 0.0 else Step.OPPOSITE
    return Step.SQUARE if step[1, 1] == 0.0 and step[2, 1] > 0.0 else Step.TILTED
