"""What the parts of a joint (limits, dynamics, …) cannot be, and cannot be without, in a version of URDF."""

from __future__ import annotations

from editor_app.model.urdf import Joint, JointType, Limit


def limit_problem(joint: Joint, version: str) -> str | None:
    """Why the limits of a joint cannot be as they are in that version of URDF; None when they can."""
    limit = joint.limit
    if limit is None:
        return None
    if version == "1.2":
        return _limit_problem_1_2(joint, limit)
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC) and lower > upper:
        return _crossed(joint, lower, upper)
    for name in ("effort", "velocity"):
        if getattr(limit, name) is None:
            return f"The limits of {joint.name} need {name}: only URDF 1.2 can do without."
    return None


def _limit_problem_1_2(joint: Joint, limit: Limit) -> str | None:
    lower, upper = limit.lower, limit.upper
    if lower is not None and upper is not None:
        if lower > upper:
            return _crossed(joint, lower, upper)
    elif joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        return f"In URDF 1.2, {joint.name} needs both limits, lower and upper."
    for name in ("effort", "velocity", "acceleration", "deceleration", "jerk"):
        if (getattr(limit, name) or 0.0) < 0:
            return f"The {name} limit of {joint.name} cannot be negative in URDF 1.2."
    return None


def _crossed(joint: Joint, lower: float, upper: float) -> str:
    return f"The lower limit {lower:g} of {joint.name} is above the upper one {upper:g}."


def needs_limits(joint: Joint) -> bool:
    """Whether a joint of its type needs limits and has none."""
    return joint.limit is None and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)


def lost_part(old: Joint, new: Joint) -> str | None:
    """Which attribute that a part of a joint cannot be without was removed from it; None for none."""
    safety, dynamics = new.safety, new.dynamics
    if safety is not None and safety.k_velocity is None and (old.safety is None or old.safety.k_velocity is not None):
        return f"The safety controller of {new.name} needs k_velocity. Remove it as a whole."
    if dynamics is not None and dynamics != old.dynamics and (dynamics.damping, dynamics.friction) == (None, None):
        return f"The dynamics of {new.name} need damping or friction. Remove them as a whole."
    return None
