"""`<ros2_control>` in a URDF against the joints that it moves.

URDF095 E a joint that does not exist: the controller manager refuses the robot
URDF096 W a range of commands beyond the limits of the joint
URDF097 W an initial value outside of the limits of the joint
"""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, WARNING, flaw, rule
from editor_app.formats.urdf.ros2_control import CommandRange, controlled_joints
from editor_app.model.findings import Finding
from editor_app.model.near_names import nearest
from editor_app.model.urdf import Joint

#: Limits in decimals may be rounded: rad, m, and per second.
ROUNDING = 1e-3


@rule("URDF095", "ros2_control moves a joint that does not exist", "urdf.texts", "urdf", file="urdf")
def joints(c: CheckContext) -> Iterable[Finding]:
    for joint in controlled_joints(c.urdf):
        if joint.name not in c.urdf_joints:
            near = nearest(joint.name, c.urdf_joints)
            told = f"; did you mean {near!r}?" if near else "."
            yield flaw(ERROR, f"ros2_control {joint.system!r} moves {joint.name!r}, which is not a joint{told}")


@rule("URDF096", "ros2_control's commands reach beyond the limits of a joint", "urdf.texts", "urdf", file="urdf")
def commands(c: CheckContext) -> Iterable[Finding]:
    for controlled in controlled_joints(c.urdf):
        joint = c.urdf_joints.get(controlled.name)
        for command in controlled.commands if joint is not None else ():
            assert joint is not None
            beyond = _beyond(joint, command)
            if beyond:
                message = (
                    f"ros2_control {controlled.system!r} lets {command.interface} of {joint.name!r} go {beyond}, "
                    "beyond the limits of the joint."
                )
                yield flaw(WARNING, message, joints=(joint.name,))


@rule("URDF097", "ros2_control begins outside of the limits of a joint", "urdf.texts", "urdf", file="urdf")
def initial(c: CheckContext) -> Iterable[Finding]:
    for controlled in controlled_joints(c.urdf):
        joint, value = c.urdf_joints.get(controlled.name), controlled.initial
        if joint is not None and value is not None and abs(joint.clamped(value) - value) > ROUNDING:
            message = (
                f"ros2_control {controlled.system!r} begins with {joint.name!r} at {joint.position_text(value)}, "
                "outside of its limits."
            )
            yield flaw(WARNING, message, joints=(joint.name,))


def _beyond(joint: Joint, command: CommandRange) -> str:
    """What a range exceeds, for a sentence; empty where it keeps to the limits, or there are none."""
    span: tuple[float, float] | None = None
    if command.interface == "position":
        span = joint.position_limits
    elif command.interface == "velocity" and joint.limit is not None and joint.limit.velocity:
        span = -joint.limit.velocity, joint.limit.velocity
    if span is None or span[0] >= span[1]:
        return ""
    low = command.lower is not None and command.lower < span[0] - ROUNDING
    high = command.upper is not None and command.upper > span[1] + ROUNDING
    return " and ".join(
        [*([f"down to {command.lower:g}"] if low else []), *([f"up to {command.upper:g}"] if high else [])]
    )
