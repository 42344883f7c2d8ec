"""What the parts of a joint (limits, dynamics, …) cannot be, and cannot be without, in a version of URDF."""

from __future__ import annotations

from editor_app.model.urdf import Joint, JointType


def limit_problem(joint: Joint, version: str) -> str | None:
    """Why the limits of a joint cannot be as they are in that version of URDF; None when they can."""
    limit = joint.limit
    if limit is None:
        return None
    lower, upper = limit.lower, limit.upper
    bounded = joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    if version == "1.2" and bounded and (lower is None or upper is None):
        return f"In URDF 1.2, {joint.name} needs both limits, lower and upper."
    ordered = bounded or (version == "1.2" and lower is not None and upper is not None)
    if ordered and (lower or 0.0) > (upper or 0.0):
        return f"The lower limit {lower or 0.0:g} of {joint.name} is above the upper one {upper or 0.0:g}."
    if version != "1.2":
        for name in ("effort", "velocity"):
            if getattr(limit, name) is None:
                return f"The limits of {joint.name} need {name}: only URDF 1.2 can do without."
        return None
    for name in ("effort", "velocity", "acceleration", "deceleration", "jerk"):
        if (getattr(limit, name) or 0.0) < 0:
            return f"The {name} limit of {joint.name} cannot be negative in URDF 1.2."
    return None


def lost_part(old: Joint, new: Joint) -> str | None:
    """Which attribute that a part of a joint cannot be without was removed from it; None for none."""
    safety, dynamics = new.safety, new.dynamics
    if safety is not None and safety.k_velocity is None and (old.safety is None or old.safety.k_velocity is not None):
        return f"The safety controller of {new.name} needs k_velocity. Remove it as a whole."
    if dynamics is not None and dynamics != old.dynamics and (dynamics.damping, dynamics.friction) == (None, None):
        return f"The dynamics of {new.name} need damping or friction. Remove them as a whole."
    return None
