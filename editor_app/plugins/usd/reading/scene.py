"""The prims of a stage that describe a robot, and where they are, in metres with z upwards."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from editor_app.core.model.findings import Location
from editor_app.core.space.kinematics.transforms import Matrix, quaternion_matrix
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.reading.layers import MOST_PRIMS

#: A turn from y upwards to z upwards, and from x upwards.
_UPRIGHT = {
    UsdGeom.Tokens.y: np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    UsdGeom.Tokens.x: np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]),
}
#: Metres, and what a number of a transform in the units of a stage can be.
_FARTHEST, _GREATEST = 1e12, 1e15


@dataclass(eq=False, slots=True)
class PrimShape:
    """A prim with geometry. `body`: the path of its rigid body, None for surroundings. `collider`:
    the prim with the CollisionAPI that makes it solid, None for a shape that is only seen."""

    prim: Any
    body: Any
    purpose: str
    is_visible: bool
    collider: Any


@dataclass
class UsdScene:
    """A composed stage in the order of its prims. `bodies`: path -> prim of a rigid body; `frames`:
    path -> (4, 4)."""

    stage: Any
    place: Location
    bodies: dict[Any, Any] = field(default_factory=dict)
    shapes: list[PrimShape] = field(default_factory=list)
    joints: list[Any] = field(default_factory=list)
    #: Prims with an articulation root, with filtered pairs, and collision groups.
    articulations: list[Any] = field(default_factory=list)
    filters: list[Any] = field(default_factory=list)
    groups: list[Any] = field(default_factory=list)
    #: Sets of variants: name -> (chosen, every name), and how many bodies are switched off.
    variants: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    disabled: list[str] = field(default_factory=list)
    #: Prims of kinds that a robot file cannot hold: type -> how many.
    others: dict[str, int] = field(default_factory=dict)
    #: Prims that only mark a place on a body, such as a flange: path -> path of the body.
    marks: dict[Any, Any] = field(default_factory=dict)
    #: Prims with metadata of Isaac Sim.
    isaac: list[Any] = field(default_factory=list)
    frames: dict[Any, Matrix] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.metres = _positive(UsdGeom.GetStageMetersPerUnit(self.stage))
        self.kilograms = _positive(UsdPhysics.GetStageKilogramsPerUnit(self.stage))
        self.upright = np.eye(4)
        self.upright[:3, :3] = _UPRIGHT.get(UsdGeom.GetStageUpAxis(self.stage), np.eye(3))
        self._cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        self._walk()

    # -- places

    def matrix(self, prim: Any) -> Matrix:
        """(4, 4) from the units of a prim to metres in the world; None is the world. Raises
        FormatError."""
        local = np.eye(4)
        if prim is not None and not prim.IsPseudoRoot():
            local = np.array(self._cache.GetLocalToWorldTransform(prim)).T
        # Compared before it is multiplied: numpy warns of what is not finite.
        scale = np.diag([self.metres, self.metres, self.metres, 1.0])
        if (
            not np.abs(local).max() * self.metres <= _FARTHEST
            or not np.abs(local).max() <= _GREATEST
        ):
            name = prim.GetPath() if prim is not None else "The stage"
            sentence = (
                f"{name} has a transform that is not finite, or moves it more than {_FARTHEST:g} m"
            )
            raise FormatError(
                sentence,
                self.place,
                "Correct the xformOp attributes of this prim and of the prims above it.",
            )
        return np.asarray(self.upright @ scale @ local)

    def frame(self, path: Any) -> Matrix:
        """(4, 4), rigid: the frame of a body or mark in the world, in metres. Raises
        FormatError."""
        if path is None:
            return np.eye(4)
        if path not in self.frames:
            prim = self.bodies[path] if path in self.bodies else self.stage.GetPrimAtPath(path)
            self.frames[path] = rigid(self.matrix(prim))
        return self.frames[path]

    def body_of(self, path: Any) -> Any:
        """The path of the body that a prim is part of; None for the world."""
        while path != Sdf.Path.absoluteRootPath and not path.isEmpty:
            if path in self.bodies:
                return path
            path = path.GetParentPath()
        return None

    # -- the walk

    def prims(self) -> Iterator[Any]:
        predicate = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
        for number, prim in enumerate(Usd.PrimRange(self.stage.GetPseudoRoot(), predicate)):
            if number > MOST_PRIMS:
                raise FormatError(
                    f"The asset has more than {MOST_PRIMS:,} prims, the limit", self.place
                )
            yield prim

    def _walk(self) -> None:
        above: dict[Any, tuple[Any, str, bool, Any]] = {
            Sdf.Path.absoluteRootPath: (None, "default", True, None)
        }
        for prim in self.prims():
            path = prim.GetPath()
            if prim.IsPseudoRoot():
                continue
            body, purpose, is_visible, collider = above[path.GetParentPath()]
            self._note(prim)
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                if value(prim, "physics:rigidBodyEnabled", True):
                    self.bodies[path], body, collider = prim, path, None
                else:
                    self.disabled.append(prim.GetName())
            if prim.HasAPI(UsdPhysics.CollisionAPI):
                collider = prim if value(prim, "physics:collisionEnabled", True) else None
            if prim.IsA(UsdGeom.Imageable):
                # A purpose is inherited unless a prim states another one.
                stated = prim.GetAttribute("purpose")
                purpose = str(stated.Get()) if stated and stated.HasAuthoredValue() else purpose
                is_visible = is_visible and value(prim, "visibility", "inherited") != "invisible"
            above[path] = body, purpose, is_visible, collider
            if prim.IsA(UsdGeom.Gprim):
                self.shapes.append(PrimShape(prim, body, purpose, is_visible, collider))
            elif prim.IsA(UsdPhysics.Joint):
                self.joints.append(prim)
            elif prim.IsA(UsdPhysics.CollisionGroup):
                self.groups.append(prim)
            elif (
                body is not None
                and path != body
                and (str(prim.GetTypeName()) == "Xform" or is_site(prim))
            ):
                self.marks[path] = body
        self._drop_folders()

    def _drop_folders(self) -> None:
        """Leave marks out that hold the shapes of their body, or joints."""
        folders = {joint.GetPath().GetParentPath() for joint in self.joints}
        for shape in self.shapes:
            path = shape.prim.GetPath().GetParentPath()
            while shape.body is not None and path != shape.body and path not in folders:
                folders.add(path)
                path = path.GetParentPath()
        prim_at = self.stage.GetPrimAtPath
        self.marks = {
            path: body
            for path, body in self.marks.items()
            if path not in folders or is_site(prim_at(path))
        }

    def _note(self, prim: Any) -> None:
        if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
            self.articulations.append(prim)
        if prim.HasRelationship("physics:filteredPairs"):
            self.filters.append(prim)
        if prim.HasVariantSets():
            sets = prim.GetVariantSets()
            for name in sets.GetNames():
                chosen = sets.GetVariantSet(name)
                self.variants.setdefault(
                    name, (chosen.GetVariantSelection(), tuple(chosen.GetVariantNames()))
                )
        if prim.GetAuthoredPropertiesInNamespace("isaac"):
            self.isaac.append(prim)
        kind = str(prim.GetTypeName())
        if (
            kind in ("PointInstancer", "Camera")
            or kind.endswith("Light")
            or "Sensor" in kind
            or (kind.startswith("Isaac") and kind != "IsaacNamedPose")
        ):
            self.others[kind] = self.others.get(kind, 0) + 1


def is_site(prim: Any) -> bool:
    """Return whether Isaac Sim marks a prim as a point of interest, such as a tool frame. 5.0 has
    the first name."""
    schemas = prim.GetPrimTypeInfo().GetAppliedAPISchemas()
    return "IsaacReferencePointAPI" in schemas or "IsaacSiteAPI" in schemas


def value(prim: Any, name: str, default: Any) -> Any:
    """An attribute that has a value, at the default time; else `default`."""
    attribute = prim.GetAttribute(name)
    got = attribute.Get() if attribute else None
    return default if got is None else got


def read_number(prim: Any, name: str) -> float | None:
    """A number that a file states; None for one that it does not state, or that is no number.

    One in single precision has the digits that it was written with.
    """
    attribute = prim.GetAttribute(name)
    got = attribute.Get() if attribute and attribute.HasAuthoredValue() else None
    if not isinstance(got, int | float) or math.isnan(got):
        return None
    return as_written(got) if attribute.GetTypeName() == Sdf.ValueTypeNames.Float else float(got)


def array(prim: Any, name: str, kind: Any = np.float64) -> npt.NDArray[Any]:
    """The numbers of an attribute, authored or not; an empty array for one without value or of
    another type."""
    got = value(prim, name, None)
    try:
        return np.zeros(0, dtype=kind) if got is None else np.asarray(got, dtype=kind)
    except (TypeError, ValueError):
        return np.zeros(0, dtype=kind)


def read_vector(prim: Any, name: str) -> Matrix | None:
    """Three finite numbers; None for an attribute that has none."""
    numbers = array(prim, name)
    return numbers if numbers.shape == (3,) and bool(np.isfinite(numbers).all()) else None


def as_written(single: float) -> float:
    """The shortest decimal that is this number in single precision."""
    return float(str(np.float32(single)))


def turn_of(quaternion: Any) -> Matrix:
    """(3, 3) of a Gf.Quat, which is normalised; no turn for a zero one or None."""
    try:
        parts = [quaternion.GetReal(), *quaternion.GetImaginary()]
        return quaternion_matrix([float(part) for part in parts])
    except (AttributeError, ValueError):
        return np.eye(3)


def rigid(matrix: Matrix) -> Matrix:
    """(4, 4): the rotation and translation of an affine transform, as Gf.Matrix4d.Factor takes them
    apart.

    M = U P with an orthonormal U (polar decomposition); of one that mirrors, all axes are turned
    round.
    """
    place = np.eye(4)
    place[:3, 3] = matrix[:3, 3]
    u, sizes, v = np.linalg.svd(matrix[:3, :3])
    if sizes[-1] > 1e-12 * sizes[0]:
        turn = u @ v
        place[:3, :3] = turn if np.linalg.det(turn) > 0 else -turn
    return place


#: Products of units beyond these leave the range of numbers; the default is used instead.
_LEAST_UNIT, _LARGEST_UNIT = 1e-30, 1e30


def _positive(scale: float) -> float:
    return float(scale) if _LEAST_UNIT <= scale <= _LARGEST_UNIT else 1.0
