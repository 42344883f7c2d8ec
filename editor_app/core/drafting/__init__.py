"""The first plan for a robot: controlled joints, tool frames, locked joints, each with a reason.

Works on the URDF's and SRDF's values alone, so that readers and writers of files can ask it, too.
"""

from editor_app.core.drafting.control import (
    NOTHING_ASKED,
    ControlPlan,
    ControlRequest,
    LockedJoint,
    ToolChoice,
    plan_control,
    request_text,
)
from editor_app.core.drafting.roles import Role
from editor_app.core.model.robot import CannotApply

__all__ = [
    "NOTHING_ASKED",
    "CannotApply",
    "ControlPlan",
    "ControlRequest",
    "LockedJoint",
    "Role",
    "ToolChoice",
    "plan_control",
    "request_text",
]
