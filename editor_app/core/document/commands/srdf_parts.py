"""Edits of what an SRDF has beside groups, states, tools and pairs: effectors, joints, margins,
spheres, configs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.core.document.commands.tools import (
    check_finite,
    the_group,
    the_srdf,
    with_srdf,
)
from editor_app.core.document.commands.urdf_parts import replace_urdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.srdf import CollisionMargins, Srdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.transforms import build_origin_matrix, matrix_to_rpy

#: The types of virtual joints that MoveIt knows.
VIRTUAL_TYPES = ("fixed", "planar", "floating")


@dataclass(frozen=True, slots=True)
class NewSrdf:
    """An SRDF with nothing in it but the robot's name, for a robot that has none."""

    label = "New SRDF"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if robot.srdf is not None:
            raise CannotApply("The robot already has an SRDF.")
        return robot.with_srdf(Srdf(robot.urdf.name))


@dataclass(frozen=True, slots=True)
class SetMargins:
    """Sets the margins of Tesseract's contact checks; None takes the section away."""

    margins: CollisionMargins | None
    label: str = "Set collision margins"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if self.margins is not None:
            check_finite(self.margins.default_margin, "The default margin")
            seen: set[LinkPair] = set()
            for pair in self.margins.pairs:
                check_finite(pair.margin, f"The margin of {pair.link1} and {pair.link2}")
                if pair.link1 == pair.link2:
                    raise CannotApply(f"{pair.link1} cannot have a margin to itself.")
                key = pair.pair
                if key in seen and self.margins.pairs != getattr(
                    robot.srdf and robot.srdf.margins, "pairs", None
                ):
                    raise CannotApply(f"{pair.link1} and {pair.link2} already have a margin.")
                seen.add(key)
        return with_srdf(robot, margins=self.margins)


@dataclass(frozen=True, slots=True)
class SpheresFromGroup:
    """Takes the spheres of a geometry group of the XRDF over as the SRDF's approximations, in place
    of those."""

    group: str
    label = Label("Copy the spheres of {group} to the SRDF")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        the_srdf(robot)
        group = the_group(robot, self.group)
        links = {link.name for link in robot.urdf.links}
        taken = FrozenDict(
            (frame, tuple(s for s in spheres if s.radius >= 0))
            for frame, spheres in group.spheres.items()
            if frame in links and any(s.radius >= 0 for s in spheres)
        )
        if not taken:
            raise CannotApply(f"The group {self.group!r} has no spheres on links of the URDF.")
        return with_srdf(robot, sphere_approximations=taken)


@dataclass(frozen=True, slots=True)
class WriteCalibration:
    """Gives joints of the URDF the origins of a calibration, for good."""

    origins: FrozenDict[str, Origin]
    label = Label("Write {origins:calibrated origin} into the URDF")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        joint_names = {j.name for j in robot.urdf.joints}
        if not any(name in joint_names for name in self.origins):
            raise CannotApply("The calibration names only joints that the URDF does not have.")
        # Roll, pitch, yaw where the file has no quaternion: only URDF 1.1 reads one.
        joints = tuple(
            replace(j, origin=_fitting(self.origins[j.name], robot.urdf.version))
            if j.name in self.origins
            else j
            for j in robot.urdf.joints
        )
        return replace_urdf(robot, joints=joints)


def _fitting(origin: Origin, version: str) -> Origin:
    if origin.quat_xyzw is None or version not in ("1.0",):
        return origin

    roll, pitch, yaw = matrix_to_rpy(build_origin_matrix(origin))
    return Origin(origin.xyz, (float(roll), float(pitch), float(yaw)))
