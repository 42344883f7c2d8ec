"""Values read from a stage, as plain values that can pass between processes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.model.srdf import CollisionPair
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.transforms import Matrix


@dataclass(frozen=True, slots=True)
class PrimPath:
    """The path of a prim. `instances`: the prims, itself or above, that may be instances, the
    highest one first."""

    path: str
    instances: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LinkPrim:
    """The prim of a link. `local`: (4, 4) from metres in the frame of the link to the units of the
    prim.

    `frame`: (4, 4) of the link in the world, in metres; `above`: (4, 4) from the units of the prim
    above to metres in the world, and `carrier`: the link that this one is part of, "" for the
    surroundings. `resets`: the place of the prim does not depend on that one. `children`: the names
    below the prim; `stated`: its authored properties.
    """

    prim: PrimPath
    local: Matrix
    frame: Matrix
    above: Matrix
    carrier: str = ""
    resets: bool = False
    children: frozenset[str] = frozenset()
    stated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class JointSide:
    """`link`: that a joint is on, "" for the world; `frame`: (4, 4) of the joint in the link, in
    metres.

    `units`: (4, 4) from the units of the prim that the joint names to metres in the link.
    """

    link: str
    frame: Matrix
    units: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class ShapePrim:
    """The prim of a shape. `matrix`: (4, 4) from its units to metres in its link; `above`: as much
    of the prim above.

    `painted`: the prim or subset that has its material; `resets`: its place does not depend on the
    prim above.
    """

    prim: PrimPath
    painted: PrimPath
    matrix: Matrix
    above: Matrix
    resets: bool


@dataclass(frozen=True, slots=True, eq=False)
class JointPrim:
    """The prim behind a joint of the URDF. `axis`: the freedom that it is, such as rotZ; empty for
    a fixed joint.

    `kind`: rot, trans, ball, generic or fixed; `joints`: how many joints of the URDF this prim
    became.
    """

    prim: PrimPath
    axis: str
    kind: str
    stated: frozenset[str]
    schemas: frozenset[str]
    sides: tuple[JointSide, JointSide]
    joints: int = 1


@dataclass(frozen=True, slots=True)
class StagePlaces:
    """Prims of a stage for the parts of a robot, by the names of its URDF.

    `bodies`: the links that are rigid bodies; `spheres`, `visuals`, `collisions`: a prim for each
    one of a link, in their order. `placed`: the positions (rad or m) at which the stage places its
    bodies. `filters`: (prim, target, its two links); `joined`: (joint that lets its links not
    touch, its two links). `head`: metadata of the stage as text; `layers`: the files that it is
    composed of; `variants`: (prim, set, variant) that a user chose. `metres`, `kilograms`: a unit
    of the stage.
    """

    links: dict[str, LinkPrim]
    joints: dict[str, JointPrim]
    bodies: frozenset[str] = frozenset()
    spheres: dict[str, tuple[PrimPath, ...]] = field(default_factory=dict)
    visuals: dict[str, tuple[ShapePrim, ...]] = field(default_factory=dict)
    collisions: dict[str, tuple[ShapePrim, ...]] = field(default_factory=dict)
    placed: dict[str, float] = field(default_factory=dict)
    filters: tuple[tuple[PrimPath, str, str, str], ...] = ()
    joined: tuple[tuple[PrimPath, str, str], ...] = ()
    head: tuple[str, ...] = ()
    layers: tuple[Path, ...] = ()
    variants: tuple[tuple[str, str, str], ...] = ()
    metres: float = 1.0
    kilograms: float = 1.0


@dataclass(frozen=True)
class ReadStage:
    """A robot out of a stage. `meshes`: name relative to the URDF -> content. `driven`: joints with
    a drive.

    `states`: name -> positions of joints (rad or m); `start`: the positions that the file puts the
    joints at. `robots` and `variants` are the choices of a user: names of robots; set of variants
    -> (chosen, every name). `likely`: the robots with an articulation root, else all; of several, a
    user has to choose one.
    """

    urdf: Urdf
    places: StagePlaces
    report: ConversionReport
    meshes: dict[str, bytes]
    pairs: tuple[CollisionPair, ...] = ()
    driven: tuple[str, ...] = ()
    states: dict[str, dict[str, float]] = field(default_factory=dict)
    start: dict[str, float] = field(default_factory=dict)
    spheres: dict[str, tuple[CollisionSphere, ...]] = field(default_factory=dict)
    robots: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    variants: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    #: Links that the file marks as tools, and joints in the order that it states.
    tools: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


#: How Isaac Sim calls a link or joint whose prim has another name; both spellings are in use.
NAME_OVERRIDES = ("isaac:nameOverride", "isaac:NameOverride")


def display_name(prim: Any) -> str:
    """The name of a prim: the one that Isaac Sim reports, else that of its identifier, or that
    which it displays.

    Names that begin with tn__ come from the OpenUSD exchange libraries. Other programs put an
    underscore for each letter that no identifier has, and a number where that name is taken.
    """
    for override in NAME_OVERRIDES:
        attribute = prim.GetAttribute(override)
        stated = attribute.Get() if attribute else None
        if isinstance(stated, str) and stated.strip():
            return stated.strip()
    name, shown = str(prim.GetName()), str(prim.GetDisplayName())
    made = identifier(shown) if shown else name
    is_made = name.startswith("tn__") or (
        made != shown and re.fullmatch(rf"{made}(_\d+)?", name) is not None
    )
    return shown if shown and is_made else name


def srgb(value: float) -> float:
    """A component of a colour of USD, which is linear, as URDF's, which are in sRGB (IEC
    61966-2-1); 0 to 1."""
    value = min(max(float(value), 0.0), 1.0)
    return round(12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055, 6)
