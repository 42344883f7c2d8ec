"""The whole of what is edited: URDF, XRDF and SRDF together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import Xrdf


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """One state of the robot. Parts that a change left alone are the same objects: compare them by `is`."""

    urdf: Urdf
    xrdf: Xrdf
    srdf: Srdf | None = None

    def with_xrdf(self, xrdf: Xrdf) -> RobotDescription:
        return replace(self, xrdf=xrdf)

    def with_urdf(self, urdf: Urdf) -> RobotDescription:
        return replace(self, urdf=urdf)

    def with_srdf(self, srdf: Srdf | None) -> RobotDescription:
        return replace(self, srdf=srdf)
