"""The joints on the way between two bodies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.self_collision.types import F64, I64, U8


@dataclass(frozen=True)
class Way:
    """What chains between the same two bodies have in common. n joints, k variables: indices into the model's."""

    links: F64
    sliding: U8
    variable: I64
    gain: F64
    shift: F64
    alone: U8
    variables: tuple[int, ...]
    lower: F64
    upper: F64
    #: An upper bound of every length that occurs on the way from one frame to the other, metres.
    extent: float
