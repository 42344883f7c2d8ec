"""Parts of MoveIt's settings that other formats have no place for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.ros_settings import SETTINGS_KINDS, SettingsSource
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.ros_settings import InitialPositions, MotionLimit, MotionLimits, Solvers
from editor_app.core.model.urdf import Joint

_MOST = 6
_PLACE = "only MoveIt reads it; it stays in its file"


def settings_losses(
    settings: Mapping[str, SettingsSource[Any]], robot: RobotDescription
) -> Iterator[ConversionReport]:
    """A report for each file that says more than the URDF and the XRDF of `robot`."""
    for kind, source in settings.items():
        out = Reporter(SETTINGS_KINDS[kind][0], "the robot")
        value = source.value
        if isinstance(value, MotionLimits):
            _report_limits(value, robot, out)
        elif isinstance(value, Solvers) and value.groups:
            out.kept("solvers", f"of {format_list(value.groups, _MOST)}: {_PLACE}")
        elif isinstance(value, InitialPositions):
            defaults = robot.xrdf.default_joint_positions or FrozenDict()
            others = [
                name for name, position in value.joints.items() if defaults.get(name) != position
            ]
            if others:
                out.kept(
                    "initial positions",
                    f"of {format_list(others, _MOST)}: the default positions differ",
                )
        if out.entries:
            yield out.report()


def _report_limits(limits: MotionLimits, robot: RobotDescription, out: Reporter) -> None:
    joints = {joint.name: joint for joint in robot.urdf.joints}
    present = {name: limit for name, limit in limits.joints.items() if name in joints}
    narrower = [
        name for name, limit in present.items() if _has_other_positions(limit, joints[name])
    ]
    if narrower:
        out.lost(
            "position limits", f"of {format_list(narrower, _MOST)}: the URDF's limits are used"
        )
    slower = [name for name, limit in present.items() if _has_other_velocity(limit, joints[name])]
    if slower:
        out.lost("velocity limits", f"of {format_list(slower, _MOST)}: the URDF's limits are used")
    factors = (limits.default_velocity_scaling_factor, limits.default_acceleration_scaling_factor)
    if any(factor not in (None, 1.0) for factor in factors):
        out.kept("default scaling factors", _PLACE)


def _has_other_positions(limit: MotionLimit, joint: Joint) -> bool:
    bounds = joint.position_limits
    given = limit.min_position, limit.max_position
    return any(
        value is not None and (bounds is None or value != bounds[end])
        for end, value in enumerate(given)
    )


def _has_other_velocity(limit: MotionLimit, joint: Joint) -> bool:
    return limit.velocity is not None and limit.velocity != (
        joint.limit.velocity if joint.limit is not None else None
    )
