"""Numbers of joints that programs read in different ways: axes without unit length, and magnitudes
with a sign."""

from __future__ import annotations

import math
from collections.abc import Iterable

from editor_app.core.document.commands.fields import OfJoint, SetField
from editor_app.core.model.findings import Finding
from editor_app.core.model.urdf import JointType
from editor_app.features.checks.engine.rule import WARNING, CheckContext, flaw, rule

#: Difference from unit length that comes from rounding to two digits.
_ROUNDING = 5e-3
#: (field of the joint, value in it) of magnitudes.
_MAGNITUDES = (
    ("dynamics", "damping"),
    ("dynamics", "friction"),
    ("safety", "k_velocity"),
    ("safety", "k_position"),
)
_TURNED_OR_SLID = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.PLANAR)


@rule(
    "URDF100", "A negative damping, friction or gain", "urdf.joint", "urdf urdf_source", file="urdf"
)
def check_signs(c: CheckContext) -> Iterable[Finding]:
    for joint in c.urdf.joints:
        for part, name in _MAGNITUDES:
            value = getattr(getattr(joint, part), name, None)
            if value is not None and value < 0:
                message = f"the {name} of joint {joint.name!r} is negative ({value:g})"
                fix = SetField(
                    OfJoint(joint.name), f"{part}.{name}", -value, f"Set the {name} to {-value:g}"
                )
                place = (
                    c.urdf_source.joint_location(joint.name) if c.urdf_source is not None else None
                )
                yield flaw(WARNING, message, joints=(joint.name,), fixes=(fix,), location=place)


@rule("URDF101", "An axis without unit length", "urdf.joint", "urdf urdf_source", file="urdf")
def check_axes(c: CheckContext) -> Iterable[Finding]:
    for joint in c.urdf.joints:
        length = math.hypot(*joint.axis)
        if (
            joint.type in _TURNED_OR_SLID
            and 0 < length < math.inf
            and abs(length - 1.0) > _ROUNDING
        ):
            x, y, z = (value / length for value in joint.axis)
            message = (
                f"the axis of joint {joint.name!r} has the length {length:g}, not 1: programs that "
                "do not "
                "normalise it move the joint by a different angle or distance"
            )
            fix = SetField(
                OfJoint(joint.name), "axis", (x, y, z), f"Write the axis {x:g} {y:g} {z:g}"
            )
            place = c.urdf_source.joint_location(joint.name) if c.urdf_source is not None else None
            yield flaw(WARNING, message, joints=(joint.name,), fixes=(fix,), location=place)
