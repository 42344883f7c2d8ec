"""The whole of what is edited: URDF, XRDF, SRDF and MoveIt's settings together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from editor_app.model.ros_settings import InitialPositions, MotionLimits, Settings, Solvers
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import Xrdf


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """One state of the robot. Parts that a change left alone are the same objects: compare them by `is`."""

    urdf: Urdf
    xrdf: Xrdf
    srdf: Srdf | None = None
    #: What MoveIt's settings add, where they were opened along.
    limits: MotionLimits | None = None
    kinematics: Solvers | None = None
    positions: InitialPositions | None = None

    def with_xrdf(self, xrdf: Xrdf) -> RobotDescription:
        return replace(self, xrdf=xrdf)

    def with_urdf(self, urdf: Urdf) -> RobotDescription:
        return replace(self, urdf=urdf)

    def with_settings(self, kind: str, settings: Settings) -> RobotDescription:
        """With other `limits`, `kinematics` or `positions`, whichever `kind` says."""
        changes: dict[str, Any] = {kind: settings}
        return replace(self, **changes)

    def with_srdf(self, srdf: Srdf | None) -> RobotDescription:
        return replace(self, srdf=srdf)
