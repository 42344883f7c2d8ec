"""Edits of what an SRDF has beside groups, states, tools and pairs: effectors, joints, margins, spheres, configs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from editor_app.core.document.commands.tools import (
    add_or_edit,
    check_finite,
    check_name,
    get_joint,
    get_link,
    replace_by_key,
    set_or_remove,
    the_group,
    the_srdf,
    the_srdf_group,
    with_named,
    with_srdf,
)
from editor_app.core.document.commands.urdf_parts import replace_urdf
from editor_app.core.formats.srdf.read import CONFIGS
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.origin import Origin
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.srdf import CollisionMargins, EndEffector, JointProperty, PairMargin, Srdf, VirtualJoint
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
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
class SetEndEffector:
    """Adds an end effector, or replaces that of the name `old`."""

    effector: EndEffector
    old: str | None = None
    label = Label("{old} end effector {effector.name}", old=add_or_edit)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf, new = the_srdf(robot), self.effector
        check_name(new.name, "An end effector")
        the_srdf_group(srdf, new.group)
        if new.parent_group is not None:
            the_srdf_group(srdf, new.parent_group)
        get_link(robot, new.parent_link)
        effectors = with_named(srdf.end_effectors, new, self.old, "end effector")
        return with_srdf(robot, end_effectors=effectors)


@dataclass(frozen=True, slots=True)
class SetVirtualJoint:
    """Adds a virtual joint, or replaces the joint `old`; groups, states and properties follow a new name."""

    joint: VirtualJoint
    old: str | None = None
    label = Label("{old} virtual joint {joint.name}", old=add_or_edit)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf, new = the_srdf(robot), self.joint
        check_name(new.name, "A virtual joint")
        check_name(new.parent_frame, "The parent frame of a virtual joint")
        get_link(robot, new.child_link)
        if new.type not in VIRTUAL_TYPES and all(v.type != new.type for v in srdf.virtual_joints):
            raise CannotApply(
                f"The type of a virtual joint must be one of {', '.join(VIRTUAL_TYPES)}, not {new.type!r}."
            )
        if robot.urdf.joint(new.name) is not None:
            raise CannotApply(f"The URDF already has a joint {new.name!r}. Choose another name.")
        joints = with_named(srdf.virtual_joints, new, self.old, "virtual joint")
        changed = with_srdf(robot, virtual_joints=joints)
        return changed if self.old is None else rename_references(changed, Named.JOINT, self.old, new.name, ("srdf",))


@dataclass(frozen=True, slots=True)
class SetPassiveJoint:
    """Makes a joint passive (nothing drives it), or takes that away."""

    joint: str
    passive: bool = True
    label = Label("Make {joint} {passive}", passive=lambda passive: "passive" if passive else "active")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        if self.passive == (self.joint in srdf.passive_joints):
            return robot
        if not self.passive:
            return with_srdf(robot, passive_joints=tuple(j for j in srdf.passive_joints if j != self.joint))
        return with_srdf(robot, passive_joints=(*srdf.passive_joints, get_joint(robot, self.joint).name))


@dataclass(frozen=True, slots=True)
class SetJointProperty:
    """Gives a joint a property of MoveIt, or takes it away (`value` None)."""

    joint: str
    name: str
    value: str | None
    label = Label("{value} property {name} of {joint}", value=set_or_remove)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        present = srdf.joint_properties
        if self.value is None:
            kept = tuple(p for p in present if (p.joint, p.name) != (self.joint, self.name))
            return with_srdf(robot, joint_properties=kept)
        if robot.urdf.joint(self.joint) is None and all(v.name != self.joint for v in srdf.virtual_joints):
            raise CannotApply(f"The robot has no joint {self.joint!r}.")
        new = JointProperty(self.joint, check_name(self.name, "A property"), self.value)
        return with_srdf(robot, joint_properties=replace_by_key(present, new, lambda p: (p.joint, p.name)))


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
                if key in seen and self.margins.pairs != getattr(robot.srdf and robot.srdf.margins, "pairs", None):
                    raise CannotApply(f"{pair.link1} and {pair.link2} already have a margin.")
                seen.add(key)
        return with_srdf(robot, margins=self.margins)


@dataclass(frozen=True, slots=True)
class SetPairMargin:
    """Gives a pair of links a margin of its own, or takes it away (`margin` None)."""

    pair: LinkPair
    margin: float | None
    label = Label("{margin} margin of {pair.first} and {pair.second}", margin=set_or_remove)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        margins = the_srdf(robot).margins or CollisionMargins()
        first, second = self.pair.first, self.pair.second
        wanted = LinkPair.of(first, second)
        if self.margin is None:
            pairs = tuple(p for p in margins.pairs if p.pair != wanted)
        elif any(p.pair == wanted for p in margins.pairs):
            value = float(self.margin)
            pairs = tuple(replace(p, margin=value) if p.pair == wanted else p for p in margins.pairs)
        else:
            get_link(robot, first)
            get_link(robot, second)
            pairs = (*margins.pairs, PairMargin(first, second, float(self.margin)))
        return SetMargins(replace(margins, pairs=pairs)).apply(robot)


@dataclass(frozen=True, slots=True)
class SetSphereApproximation:
    """Sets the spheres that stand for a link; none takes the link out."""

    link: str
    spheres: tuple[CollisionSphere, ...]
    label = Label("Set {spheres:sphere} of {link} in the SRDF")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = the_srdf(robot).sphere_approximations
        for sphere in self.spheres:
            for value in (*sphere.center, sphere.radius):
                check_finite(value, f"A number of a sphere of {self.link}")
            if sphere.radius < 0:
                raise CannotApply(f"A sphere of {self.link} would have a negative radius.")
        if not self.spheres:
            return with_srdf(robot, sphere_approximations=present.without(self.link))
        get_link(robot, self.link)
        return with_srdf(robot, sphere_approximations=present.set(self.link, self.spheres))


@dataclass(frozen=True, slots=True)
class SpheresFromGroup:
    """Takes the spheres of a geometry group of the XRDF over as the SRDF's approximations, in place of those."""

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
class SetConfig:
    """Names the file of a plugin or calibration config (Tesseract), or takes it out (`filename` None)."""

    tag: str
    filename: str | None
    label = Label("{filename} {tag}", filename=set_or_remove, tag=lambda tag: tag.replace("_", " "))

    def apply(self, robot: RobotDescription) -> RobotDescription:
        configs = the_srdf(robot).configs
        if self.tag not in CONFIGS:
            raise CannotApply(f"{self.tag!r} is not a Tesseract config. Use one of {', '.join(CONFIGS)}.")
        if self.filename is None:
            return with_srdf(robot, configs=configs.without(self.tag))
        return with_srdf(robot, configs=configs.set(self.tag, check_name(self.filename, "A config file")))


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
            replace(j, origin=_fitting(self.origins[j.name], robot.urdf.version)) if j.name in self.origins else j
            for j in robot.urdf.joints
        )
        return replace_urdf(robot, joints=joints)


@dataclass(frozen=True, slots=True)
class DeleteSrdfParts:
    """Deletes end effectors, virtual joints, passive joints, properties (joint, name), configs, states or tools."""

    end_effectors: tuple[str, ...] = ()
    virtual_joints: tuple[str, ...] = ()
    passive_joints: tuple[str, ...] = ()
    joint_properties: tuple[tuple[str, str], ...] = ()
    configs: tuple[str, ...] = ()
    sphere_links: tuple[str, ...] = ()
    margins: tuple[LinkPair, ...] = ()

    @property
    def label(self) -> str:
        number = sum(len(getattr(self, f.name)) for f in fields(self))
        for name, part_kind in (
            ("end_effectors", "end effector"),
            ("virtual_joints", "virtual joint"),
            ("passive_joints", "passive joint"),
            ("configs", "config"),
        ):
            gone = getattr(self, name)
            if number == 1 and gone:
                return f"Delete {part_kind} {gone[0]}"
        return f"Delete {format_count(number, 'entry', 'entries')} of the SRDF"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        srdf = the_srdf(robot)
        for joint in self.virtual_joints:
            user = next((g.name for g in srdf.groups if joint in g.joints), None)
            if user is not None:
                raise CannotApply(
                    f"The group {user!r} contains the virtual joint {joint!r}: remove it from the group first."
                )
        margins = srdf.margins
        if margins is not None and self.margins:
            gone = set(self.margins)
            kept = tuple(p for p in margins.pairs if p.pair not in gone)
            margins = replace(margins, pairs=kept)
        return with_srdf(
            robot,
            end_effectors=tuple(e for e in srdf.end_effectors if e.name not in self.end_effectors),
            virtual_joints=tuple(v for v in srdf.virtual_joints if v.name not in self.virtual_joints),
            passive_joints=tuple(p for p in srdf.passive_joints if p not in self.passive_joints),
            joint_properties=tuple(p for p in srdf.joint_properties if (p.joint, p.name) not in self.joint_properties),
            configs=srdf.configs.without(*self.configs),
            sphere_approximations=srdf.sphere_approximations.without(*self.sphere_links),
            margins=margins,
        )


def _fitting(origin: Origin, version: str) -> Origin:
    if origin.quat_xyzw is None or version not in ("1.0",):
        return origin

    roll, pitch, yaw = matrix_to_rpy(build_origin_matrix(origin))
    return Origin(origin.xyz, (float(roll), float(pitch), float(yaw)))
