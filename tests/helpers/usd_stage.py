"""A USD stage as OpenUSD reads it: its faults, and where its joints alone put its bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.core.arrays import F64
from editor_app.core.verbs.convert import ConvertOptions, convert

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def write_stage(inputs: Any, output: Path, **choices: Any) -> Stage:
    """Convert a robot, write the files, open the stage."""
    for path, data in convert(inputs, output, ConvertOptions.of(to="usd", **choices)).files:
        path.write_bytes(data)
    return Stage(output)


class Stage:
    """`prims`: by display name, bodies and frames; `joints`: by display name."""

    def __init__(self, path: Path) -> None:
        usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
        from pxr import UsdGeom, UsdPhysics

        self.stage = usd.Stage.Open(str(path))
        self.robot = self.stage.GetDefaultPrim()
        inside = list(usd.PrimRange(self.robot))[1:]
        self.joints = {_name(prim): prim for prim in inside if prim.IsA(UsdPhysics.Joint)}
        self.prims = {_name(prim): prim for prim in inside if prim.GetTypeName() == "Xform"}
        self.cache = UsdGeom.XformCache()

    @cached_property
    def faults(self) -> list[str]:
        """What all validators of OpenUSD say against it, as usdchecker does, and errors of its
        composition."""
        from pxr import UsdValidation

        validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
        errors = UsdValidation.ValidationContext(validators).Validate(self.stage)
        return [error.GetMessage() for error in errors] + [
            str(e) for e in self.stage.GetCompositionErrors()
        ]

    def at(self, path: str) -> Any:
        return self.stage.GetPrimAtPath(f"{self.robot.GetPath()}/{path}")

    def value(self, path: str, attribute: str) -> Any:
        """The value of an attribute of a prim below the robot; None where it has none."""
        return self.at(path).GetAttribute(attribute).Get()

    def poses(self, positions: Mapping[str, float]) -> dict[str, F64]:
        """Body or frame -> its place (4, 4) in the robot, in metres. `positions`: joint -> rad or
        m."""
        from pxr import UsdPhysics

        incoming = {
            str(prim.GetRelationship("physics:body1").GetTargets()[0]): prim
            for prim in self.joints.values()
        }
        done = {str(self.robot.GetPath()): np.eye(4)}

        def pose(prim: Any) -> F64:
            path = str(prim.GetPath())
            if path not in done:
                joint = incoming.get(path) if prim.HasAPI(UsdPhysics.RigidBodyAPI) else None
                if joint is not None:
                    first = self.stage.GetPrimAtPath(
                        joint.GetRelationship("physics:body0").GetTargets()[0]
                    )
                    moved = _moved(joint, positions.get(_name(joint), 0.0))
                    done[path] = (
                        pose(first) @ _frame(joint, 0) @ moved @ np.linalg.inv(_frame(joint, 1))
                    )
                elif prim.HasAPI(UsdPhysics.RigidBodyAPI):
                    done[path] = self.place(prim, self.robot)
                else:
                    done[path] = pose(prim.GetParent()) @ self.place(prim, prim.GetParent())
            return done[path]

        return {name: pose(prim) for name, prim in self.prims.items()}

    def place(self, prim: Any, above: Any) -> F64:
        """Where a prim is in one above it, as it is written: (4, 4) in metres."""
        return np.array(self.cache.ComputeRelativeTransform(prim, above)[0]).T

    def inertia(self, name: str) -> tuple[float, F64, F64]:
        """Mass (kg), centre (3,) and inertia (3, 3) about it in the axes of the body."""
        from pxr import UsdPhysics

        mass = UsdPhysics.MassAPI(self.prims[name])
        turn = _matrix((0, 0, 0), mass.GetPrincipalAxesAttr().Get())[:3, :3]
        tensor = turn @ np.diag(mass.GetDiagonalInertiaAttr().Get()) @ turn.T
        return mass.GetMassAttr().Get(), np.array(mass.GetCenterOfMassAttr().Get()), tensor

    def filtered(self) -> set[frozenset[str]]:
        """The pairs of names that never touch."""
        return {
            frozenset((name, _name(self.stage.GetPrimAtPath(target))))
            for name, prim in self.prims.items()
            for target in prim.GetRelationship("physics:filteredPairs").GetTargets()
        }


def _name(prim: Any) -> str:
    return str(prim.GetDisplayName() or prim.GetName())


def _frame(joint: Any, side: int) -> F64:
    attributes = (joint.GetAttribute(f"physics:local{kind}{side}") for kind in ("Pos", "Rot"))
    return _matrix(*(attribute.Get() for attribute in attributes))


def _moved(joint: Any, position: float) -> F64:
    from pxr import Gf

    kind = joint.GetTypeName()
    if kind not in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        return np.eye(4)
    axis = _AXES[joint.GetAttribute("physics:axis").Get()]
    if kind == "PhysicsPrismaticJoint":
        return _matrix(np.multiply(axis, position), Gf.Quatd(1))
    return _matrix((0, 0, 0), Gf.Rotation(Gf.Vec3d(*axis), math.degrees(position)).GetQuat())


def _matrix(position: Any, quaternion: Any) -> F64:
    from pxr import Gf

    matrix = np.eye(4)
    matrix[:3, :3] = np.array(Gf.Matrix3d(Gf.Rotation(Gf.Quatd(quaternion).GetNormalized()))).T
    matrix[:3, 3] = position
    return matrix
