"""Read and replace one field of anything in the document, by its path.

A path is attributes and places, such as `limit.lower` or `visuals.0.origin.xyz.2`; a part on the
way that the document does not have gets its initial value when a field in it is set.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin, Vector3
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.sensors import Camera, Ray, Scan, Sensor
from editor_app.core.model.srdf import CollisionMargins, Srdf, ToolCenterPoint
from editor_app.core.model.urdf import (
    Calibration,
    Collision,
    Dynamics,
    Hydroelastic,
    Joint,
    JointType,
    Limit,
    Material,
    Proximity,
    SafetyController,
)
from editor_app.core.space.kinematics.transforms import quaternion_to_rpy

#: Attributes and places, as one text with dots or one by one (where a name may have a dot itself).
Path = str | tuple[str | int, ...]


def split_path(path: Path) -> tuple[str | int, ...]:
    """The attributes and places of a path, one by one."""
    if isinstance(path, tuple):
        return path
    return tuple(int(part) if part.isdigit() else part for part in path.split("."))


def get_field(thing: Any, path: Path) -> Any:
    """The value at `path`; None where the document has none."""
    for part in split_path(path):
        thing = None if thing is None else _read(thing, part)
    return thing


def with_field(thing: Any, path: Path, value: Any) -> Any:
    """`thing` with another value at `path`; None takes it out, and a part of which nothing is left.

    Raises CannotApply where there is no such field.
    """
    if not split_path(path):
        raise CannotApply("SetField.path names no field.")
    first, *rest = split_path(path)
    if not rest:
        return _replaced(thing, first, value)
    inner = _read(thing, first)
    if inner is None:
        if value is None:
            return thing
        inner = new_part(thing, str(first))
    changed = with_field(inner, tuple(rest), value)
    if isinstance(changed, _EMPTY_IS_NONE) and all(
        getattr(changed, f.name) is None for f in fields(changed)
    ):
        changed = None
    return _replaced(thing, first, changed)


def rpy_of(posed: Origin | ToolCenterPoint) -> Vector3:
    """Roll, pitch and yaw (radians), also where the rotation stands as a quaternion."""
    if isinstance(posed, ToolCenterPoint):
        wxyz, rpy = posed.wxyz, posed.rpy or (0.0, 0.0, 0.0)
    else:
        quaternion, rpy = posed.quat_xyzw, posed.rpy
        wxyz = (quaternion[3], *quaternion[:3]) if quaternion is not None else None
    if wxyz is None:
        return rpy
    # Four zeros turn nothing; that is for the findings to say.
    return quaternion_to_rpy(wxyz) if math.hypot(*wxyz) > 1e-9 else (0.0, 0.0, 0.0)


def _read(thing: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return thing[part] if isinstance(thing, tuple) and part < len(thing) else None
    if isinstance(thing, FrozenDict):
        return thing.get(part)
    if part == "rpy" and isinstance(thing, Origin | ToolCenterPoint):
        return rpy_of(thing)
    return getattr(thing, part, None)


def _replaced(thing: Any, part: str | int, value: Any) -> Any:
    if isinstance(part, int):
        if not isinstance(thing, tuple):
            raise CannotApply(f"{type(thing).__name__} has names instead of numbers.")
        if part >= len(thing):
            raise CannotApply(f"No number {part + 1} in {len(thing)}.")
        return tuple(value if i == part else old for i, old in enumerate(thing))
    if isinstance(thing, FrozenDict):
        return thing.without(part) if value is None else thing.set(part, value)
    if part == "rpy" and isinstance(thing, Origin):
        # Angles replace the quaternion.
        return replace(thing, rpy=value, quat_xyzw=None)
    if part == "rpy" and isinstance(thing, ToolCenterPoint):
        return replace(thing, rpy=value, wxyz=None)
    if not hasattr(thing, part):
        raise CannotApply(f"{type(thing).__name__} has no {part.replace('_', ' ')}.")
    return replace(thing, **{part: value})


# -- beginnings of parts


def new_limit(joint: Joint) -> Limit:
    """Limits to begin with, None where there are none: half a turn either way, or 10 cm. All of it
    is a placeholder."""
    if joint.type is JointType.PRISMATIC:
        return Limit(0.0, 0.1, 100.0, 0.1)
    turn = math.pi if joint.type is JointType.REVOLUTE else 0.0
    return Limit(-turn, turn, 100.0, 1.0)


def _new_safety(joint: Joint) -> SafetyController:
    bounds = joint.position_limits or (math.inf, math.inf)
    lower, upper = (bound if math.isfinite(bound) else None for bound in bounds)
    return SafetyController(10.0, 15.0, lower, upper)


#: Grey, where a material has no colour yet.
GREY = (0.7, 0.7, 0.7, 1.0)
_NEW: dict[tuple[type, str], Callable[[Any], Any]] = {
    (Joint, "limit"): new_limit,
    (Joint, "dynamics"): lambda _: Dynamics(0.0, 0.0),
    (Joint, "safety"): _new_safety,
    (Joint, "calibration"): lambda _: Calibration(rising=0.0),
    # What Drake asks of a compliant shape; rubber.
    (Collision, "proximity"): lambda _: Proximity(
        Hydroelastic.COMPLIANT, mesh_resolution_hint=0.01, hydroelastic_modulus=1e7
    ),
    (Material, "rgba"): lambda _: GREY,
    (Sensor, "camera"): lambda _: Camera(),
    (Sensor, "ray"): lambda _: Ray(),
    (Ray, "horizontal"): lambda _: Scan(),
    (Ray, "vertical"): lambda _: Scan(),
    (Srdf, "margins"): lambda _: CollisionMargins(),
}
#: Parts of a joint or a shape, which say nothing when they are empty.
_EMPTY_IS_NONE = (Limit, Dynamics, SafetyController, Calibration, Proximity)


def new_part(thing: Any, part: str) -> Any:
    """Return the initial value of a part that `thing` does not have. Raises CannotApply."""
    make = _NEW.get((type(thing), part))
    if make is None:
        raise CannotApply(f"No {part.replace('_', ' ')} is set yet.")
    return make(thing)
