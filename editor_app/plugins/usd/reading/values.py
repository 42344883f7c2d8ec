"""What is read of a stage, as plain values that can go from one process to another."""

from __future__ import annotations

from dataclasses import dataclass, field

from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.model.srdf import CollisionPair
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import CollisionSphere


@dataclass(frozen=True)
class ReadStage:
    """A robot out of a stage. `meshes`: name relative to the URDF -> content. `driven`: joints with a drive.

    `states`: name -> positions of joints (rad or m); `start`: the positions that the file puts the joints at.
    `robots` and `variants` are what a user can choose: names of robots; set of variants -> (chosen, every name).
    """

    urdf: Urdf
    report: ConversionReport
    meshes: dict[str, bytes]
    pairs: tuple[CollisionPair, ...] = ()
    driven: tuple[str, ...] = ()
    states: dict[str, dict[str, float]] = field(default_factory=dict)
    start: dict[str, float] = field(default_factory=dict)
    spheres: dict[str, tuple[CollisionSphere, ...]] = field(default_factory=dict)
    robots: tuple[str, ...] = ()
    variants: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
