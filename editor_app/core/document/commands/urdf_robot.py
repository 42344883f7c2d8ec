"""Edits of a URDF as a whole: its name and version, the world it stands in, and what its linked
bodies ignore."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editor_app.core.document.commands.self_collision import SetMask
from editor_app.core.document.commands.tools import check_finite, check_name
from editor_app.core.document.commands.urdf import limit_problem
from editor_app.core.document.commands.urdf_merging import find_reference
from editor_app.core.document.commands.urdf_parts import replace_urdf
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.references import DOCUMENTS, rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.urdf import BOUNDED, Capsule, Joint, JointType, Link, Urdf, sizes_of
from editor_app.core.model.xrdf import LinkPair

VERSIONS = ("1.0", "1.1", "1.2")


@dataclass(frozen=True, slots=True)
class SetRobot:
    """Another name or version of URDF; None leaves what is there."""

    name: str | None = None
    version: str | None = None

    @property
    def label(self) -> str:
        return "Rename the robot" if self.version is None else f"Set URDF version {self.version}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf = robot.urdf
        if self.version is not None and self.version != urdf.version:
            if self.version not in VERSIONS:
                raise CannotApply(
                    f"The URDF version must be one of {', '.join(VERSIONS)}, not {self.version!r}."
                )
            urdf = _in_version(urdf, self.version)
        if self.name is not None and self.name != urdf.name:
            urdf = replace(urdf, name=check_name(self.name, "A robot"))
        return robot if urdf is robot.urdf else robot.with_urdf(urdf)


def _in_version(urdf: Urdf, version: str) -> Urdf:
    """The same in another version; what its absence meant in the old one is said. Raises
    CannotApply."""
    needed, why = needed_version(urdf)
    down = urdf.version not in VERSIONS or VERSIONS.index(version) < VERSIONS.index(urdf.version)
    if down and VERSIONS.index(version) < VERSIONS.index(needed):
        raise CannotApply(f"{why} needs URDF version {needed}. Remove it first.")
    urdf = replace(urdf, version=version)
    if version != "1.2":
        return urdf
    for link in urdf.links:
        if any(min(sizes_of(shape.geometry), default=1.0) <= 0 for shape in link.shapes):
            raise CannotApply(
                f"{link.name} has a shape with size zero, which URDF 1.2 does not allow."
            )
    joints = tuple(_with_bounds(joint) for joint in urdf.joints)
    for joint in joints:
        reason = limit_problem(joint, version)
        if reason is not None:
            raise CannotApply(reason)
    return replace(urdf, joints=joints)


def _with_bounds(joint: Joint) -> Joint:
    """Before 1.2, a bound that was left out was 0."""
    if joint.limit is None or joint.type not in BOUNDED:
        return joint
    return replace(
        joint,
        limit=replace(joint.limit, lower=joint.limit.lower or 0.0, upper=joint.limit.upper or 0.0),
    )


def needed_version(urdf: Urdf) -> tuple[str, str]:
    """The oldest version that can say all that the URDF says, and what asks for it ("" for 1.0)."""
    needed, why = "1.0", ""
    for link in urdf.links:
        if any(isinstance(shape.geometry, Capsule) for shape in link.shapes):
            needed, why = "1.1", f"The capsule of {link.name}"
        origins = [shape.origin for shape in link.shapes]
        origins += [link.inertial.origin] if link.inertial is not None else []
        if any(o.quat_xyzw is not None for o in origins):
            needed, why = "1.1", f"A quaternion of {link.name}"
    for joint in urdf.joints:
        if joint.origin.quat_xyzw is not None:
            needed, why = "1.1", f"The quaternion of {joint.name}"
    for joint in urdf.joints:
        limit = joint.limit
        if limit is not None and (limit.acceleration, limit.deceleration, limit.jerk) != (
            None,
            None,
            None,
        ):
            return "1.2", f"The limit of {joint.name}"
        if limit is not None and urdf.version == "1.2" and None in (limit.effort, limit.velocity):
            return "1.2", f"A limit of {joint.name} without effort or velocity"
    return needed, why


@dataclass(frozen=True, slots=True)
class AttachToWorld:
    """A new root link, and a fixed joint from it to the present root; `origin` is where the robot
    stands in it."""

    world: str = "world"
    joint: str = "world_joint"
    origin: Origin = IDENTITY
    label = Label("Attach the robot to {world}")

    def root(self, robot: RobotDescription) -> Link:
        """Return the link to attach. Raises CannotApply where it cannot be attached."""
        urdf, root = robot.urdf, find_root_link(robot.urdf)
        if root is None:
            raise CannotApply("The robot has no root link to attach.")
        if root.name == self.world:
            raise CannotApply(f"The root of the robot is already {self.world}.")
        check_name(self.world, "A link")
        check_name(self.joint, "A joint")
        if urdf.link(self.world) is not None:
            raise CannotApply(f"The link {self.world!r} already exists and is not the root.")
        if urdf.joint(self.joint) is not None:
            raise CannotApply(f"The joint {self.joint!r} already exists.")
        for virtual in robot.srdf.virtual_joints if robot.srdf is not None else ():
            if virtual.child_link == root.name:
                raise CannotApply(
                    f"The SRDF attaches {root.name} by its virtual joint {virtual.name!r}. Remove "
                    "that first."
                )
        return root

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf = robot.urdf
        joint = Joint(self.joint, JointType.FIXED, self.world, self.root(robot).name, self.origin)
        return replace_urdf(
            robot, links=(Link(self.world), *urdf.links), joints=(joint, *urdf.joints)
        )


@dataclass(frozen=True, slots=True)
class DetachFromWorld:
    """Takes the root link and its fixed joint away; the one link that hangs on it becomes the
    root."""

    label = "Detach the robot from the world"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        joint = world_joint(robot.urdf)
        if joint is None:
            raise CannotApply(
                "The root is not an empty link with one fixed joint: there is nothing to detach "
                "from."
            )
        root = joint.parent
        reason = find_reference(robot, root, joint.name)
        if reason is not None:
            raise CannotApply(f"{root} is needed: {reason}.")
        urdf = robot.urdf
        links = tuple(link for link in urdf.links if link.name != root)
        robot = replace_urdf(
            robot, links=links, joints=tuple(j for j in urdf.joints if j is not joint)
        )
        # A mask may ignore the pair of the joint.
        return rename_references(robot, Named.LINK, root, None, DOCUMENTS)


def world_joint(urdf: Urdf) -> Joint | None:
    """The fixed joint from an empty root link, when it is the only one there."""
    root = find_root_link(urdf)
    if (
        root is None
        or root.inertial is not None
        or root.visuals
        or root.collisions
        or root.extensions
    ):
        return None
    below = [j for j in urdf.joints if j.parent == root.name]
    return (
        below[0]
        if len(below) == 1 and below[0].type is JointType.FIXED and len(urdf.links) > 1
        else None
    )


def find_root_link(urdf: Urdf) -> Link | None:
    """The first link that no joint leads to."""
    children = {joint.child for joint in urdf.joints if joint.child != joint.parent}
    return next((link for link in urdf.links if link.name not in children), None)


@dataclass(frozen=True, slots=True)
class IgnoreLinkedBodies:
    """Ignores the pairs of links that a joint constrains; bodies that are fixed and have no
    inertial count as one.

    As AGX Dynamics' `disableLinkedBodies`: a floating joint is no constraint, so its links still
    collide.
    """

    label = "Ignore collisions between linked bodies"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        masked = robot.xrdf.ignored_pairs()
        missing = tuple(pair for pair in linked_pairs(robot.urdf) if pair not in masked)
        return SetMask(pairs=missing).apply(robot) if missing else robot


def linked_pairs(urdf: Urdf) -> tuple[LinkPair, ...]:
    """Pairs of links that one joint constrains, directly or by way of links that are part of the
    same body.

    A link without inertial behind a fixed joint is part of the body that carries it.
    """
    carrier: dict[str, str] = {}
    massless = {link.name for link in urdf.links if link.inertial is None}
    for joint in urdf.joints:
        if (
            joint.type is JointType.FIXED
            and joint.child in massless
            and joint.child != joint.parent
        ):
            carrier.setdefault(joint.child, joint.parent)

    def body(name: str) -> str:
        seen = set()
        while name in carrier and name not in seen:
            seen.add(name)
            name = carrier[name]
        return name

    parts: dict[str, list[str]] = {}
    for link in urdf.links:
        parts.setdefault(body(link.name), []).append(link.name)
    pairs: dict[LinkPair, None] = {}
    for members in parts.values():
        pairs.update(
            (LinkPair.of(a, b), None) for i, a in enumerate(members) for b in members[i + 1 :]
        )
    for joint in urdf.joints:
        a, b = body(joint.parent), body(joint.child)
        if a != b and joint.type is not JointType.FLOATING:
            pairs.update(
                (LinkPair.of(x, y), None)
                for x in parts.get(a, (joint.parent,))
                for y in parts.get(b, (joint.child,))
            )
    return tuple(pairs)


def parse_positions(urdf: Urdf, texts: Sequence[str]) -> FrozenDict[str, float]:
    """Initial joint positions from "NAME=VALUE" and from "V1,V2,…", which has a number for each
    joint that moves.

    The second goes through the revolute, continuous and prismatic joints in the order of the file.
    Joints that mimic another joint follow it, so that their numbers are left out. Radians and
    metres. Raises CannotApply for a name that no number moves, or that follows another joint, and
    for a position outside of the limits.
    """
    movable = [j for j in urdf.joints if j.is_movable]
    positions: dict[str, float] = {}
    for text in texts:
        # The value has no such mark; the name may have one.
        name, mark, value = text.rpartition("=")
        name = name.strip() if urdf.joint(name.strip()) is not None else name.strip().rstrip(":")
        if mark:
            joint = urdf.joint(name)
            if joint is None or not joint.is_movable:
                objection = (
                    "does not exist" if joint is None else f"is {joint.type} and has no position"
                )
                raise CannotApply(f"The joint {name!r} {objection}.")
            if joint.mimic is not None:
                raise CannotApply(
                    f"The joint {name!r} mimics {joint.mimic.joint!r} (times "
                    f"{joint.mimic.multiplier:g}, plus "
                    f"{joint.mimic.offset:g}) and has no separate position: set the position of "
                    f"{joint.mimic.joint!r}."
                )
            positions[name] = _within(joint, _number(value, name))
            continue
        pieces = [piece for piece in re.split(r"[,;\s]+", text.strip()) if piece]
        if len(pieces) != len(movable):
            names = ", ".join(j.name for j in movable)
            raise CannotApply(
                f"{format_count(len(pieces), 'position')} for "
                f"{format_count(len(movable), 'joint')} that can "
                f"move: {names}."
            )
        for joint, piece in zip(movable, pieces, strict=True):
            position = _number(piece, joint.name)
            if joint.mimic is None:
                positions[joint.name] = _within(joint, position)
    return FrozenDict(
        (j.name, positions[j.name]) for j in movable if j.name in positions and j.mimic is None
    )


def _within(joint: Joint, position: float) -> float:
    limits = joint.position_limits
    # Digits that were lost on the way are no reason to refuse what a pose shows.
    if (
        limits is not None
        and limits[0] <= limits[1]
        and not limits[0] - 1e-6 <= position <= limits[1] + 1e-6
    ):
        raise CannotApply(
            f"The position {position:g} of {joint.name} is outside its limits {limits[0]:g} to "
            f"{limits[1]:g}."
        )
    return position


def _number(text: str, joint: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise CannotApply(f"The position of {joint} is not a number: {text.strip()!r}.") from None
    return check_finite(value, f"The position of {joint}")
