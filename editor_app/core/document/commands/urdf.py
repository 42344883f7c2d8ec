"""Edits of the URDF: values of links and joints, and names with every reference to them in URDF,
XRDF and SRDF."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from editor_app.core.document.commands.tools import (
    get_joint,
    get_link,
    refuse_not_finite,
    refuse_taken_names,
)
from editor_app.core.document.commands.urdf_merging import compose_origins
from editor_app.core.document.commands.urdf_parts import replace_urdf, with_joint, with_link
from editor_app.core.document.commands.urdf_tree import connection_problem
from editor_app.core.formats.urdf.embedded import with_names_in_text
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.origin import IDENTITY, Origin, Vector3
from editor_app.core.model.references import change_at, rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.urdf import (
    Capsule,
    Collision,
    Geometry,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Urdf,
    Visual,
    sizes_of,
)


@dataclass(frozen=True, slots=True)
class SetJoint:
    """Replaces the values of a joint: origin, axis, limit, dynamics, mimic, … Names change by
    RenameJoint alone."""

    joint: str
    values: Joint
    title: str = ""

    @property
    def label(self) -> str:
        return self.title or f"Edit joint {self.joint}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = get_joint(robot, self.joint)
        if self.values.name != old.name:
            raise CannotApply(
                "Use RenameJoint to rename a joint, so that its references are updated."
            )
        refuse_not_finite(self.values, old, f"joint {self.joint}")
        reason = self._problem(robot.urdf, old)
        if reason is not None:
            raise CannotApply(reason)
        values = self.values
        if values.type in (JointType.FIXED, JointType.FLOATING):
            # No reader looks for an axis there.
            values = replace(values, axis=(1.0, 0.0, 0.0))
        return with_joint(robot, old, values)

    def _problem(self, urdf: Urdf, old: Joint) -> str | None:
        """Return why the joint cannot have these values; values that were wrong before do not
        prevent a change of others."""
        values = self.values
        if not any(values.axis):
            return f"The axis of {self.joint} would be zero."
        if (values.parent, values.child) != (old.parent, old.child):
            reason = connection_problem(urdf, old, values)
            if reason is not None:
                return reason
        if values.mimic is not None and urdf.joint(values.mimic.joint) is None:
            return f"The joint {values.mimic.joint!r} to mimic does not exist."
        if (values.limit, values.type) != (old.limit, old.type):
            reason = limit_problem(values, urdf.version)
            if reason is not None and reason != limit_problem(old, urdf.version):
                return reason
        if needs_limits(values) and not needs_limits(old):
            return lost_part(old, values) or f"A {values.type} joint needs limits."
        return lost_part(old, values)


@dataclass(frozen=True, slots=True)
class SetLink:
    """Replaces the values of a link: inertial, visuals, collisions. Its name changes by RenameLink
    alone."""

    link: str
    values: Link
    title: str = ""

    @property
    def label(self) -> str:
        return self.title or f"Edit link {self.link}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = get_link(robot, self.link)
        if self.values.name != old.name:
            raise CannotApply(
                "Use RenameLink to rename a link, so that its references are updated."
            )
        refuse_not_finite(self.values, old, f"link {self.link}")
        if self.values.inertial is not None and self.values.inertial.mass < 0:
            raise CannotApply(f"The mass of {self.link} would be negative.")
        old_shapes = {id(shape.geometry) for shape in old.shapes}
        for shape in self.values.shapes:
            if id(shape.geometry) not in old_shapes:
                _refuse_shape(shape.geometry, self.link, robot.urdf.version)
        return with_link(robot, old, self.values)


@dataclass(frozen=True, slots=True)
class SetCollisions:
    """Gives links (name -> shapes) their collision shapes: in the place of what they have, or
    behind it (`add`).

    They touch in Drake as what they replace does.

    `files`: path -> content of the meshes that they name, which are written when the URDF is saved.
    """

    shapes: FrozenDict[str, tuple[Collision, ...]]
    add: bool = False
    files: FrozenDict[str, bytes] = field(default=FrozenDict(), repr=False)
    label = Label("Collision shapes of {shapes:the link}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for name, shapes in self.shapes.items():
            old = get_link(robot, name)
            kept = old.collisions if self.add else ()
            shapes = tuple(
                replace(shape, proximity=shape.proximity or old.proximity) for shape in shapes
            )
            robot = SetLink(name, replace(old, collisions=(*kept, *shapes))).apply(robot)
        return robot


@dataclass(frozen=True, slots=True)
class SetMeshPath:
    """Writes another file name wherever a mesh is used, or on one link alone.

    `scale`: that of the new mesh; None keeps the old one's. `turn`: of the new mesh in the place of
    the old one.
    """

    old: str
    new: str
    link: str | None = None
    scale: Vector3 | None = None
    turn: Origin = IDENTITY

    label = "Set mesh path"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if not self.new.strip():
            raise CannotApply("A mesh needs a file name.")

        def moved(link: Link) -> Link:
            is_meant = self.link is None or link.name == self.link
            return change_at(link, "visuals.* collisions.*", self._moved) if is_meant else link

        links = tuple(map(moved, robot.urdf.links))
        if links == robot.urdf.links:
            raise CannotApply(f"No mesh has the path {self.old!r}.")
        return replace_urdf(robot, links=links)

    def _moved(self, shape: Visual | Collision) -> Visual | Collision:
        mesh = shape.geometry
        if not isinstance(mesh, Mesh) or mesh.filename != self.old:
            return shape
        mesh = replace(mesh, filename=self.new, scale=self.scale or mesh.scale)
        return replace(shape, geometry=mesh, origin=compose_origins(shape.origin, self.turn))


@dataclass(frozen=True, slots=True)
class SetMaterial:
    """Replaces the definitions of a named material, global and inline."""

    material: Material
    label = Label("Edit material {material.name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        new = self.material
        if new.rgba is not None and not all(0 <= v <= 1 for v in new.rgba):
            raise CannotApply("Colour components must be between 0 and 1.")
        if new.rgba is None and new.texture is None:
            raise CannotApply(f"Material {new.name} needs a colour or a texture.")

        def changed(material: Material) -> Material:
            defines = material.rgba is not None or material.texture is not None
            return new if defines and material.name == new.name else material

        urdf = change_at(robot.urdf, "materials.* links.*.visuals.*.material", changed)
        if urdf.material(new.name) != new:
            raise CannotApply(f"The robot has no material {new.name!r}.")
        return robot if urdf == robot.urdf else robot.with_urdf(urdf)


@dataclass(frozen=True, slots=True)
class RenameLink:
    """Renames a link, and follows it through joints, extensions, the XRDF and the SRDF."""

    old: str
    new: str
    label = Label("Rename link to {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        get_link(robot, self.old)
        if self.old == self.new:
            return robot
        refuse_taken_names(robot, self.new, None)
        links = tuple(
            replace(link, name=self.new) if link.name == self.old else link
            for link in robot.urdf.links
        )
        return _with_references(
            robot.with_urdf(replace(robot.urdf, links=links)), robot, Named.LINK, self.old, self.new
        )


@dataclass(frozen=True, slots=True)
class RenameJoint:
    """Renames a joint, and follows it through mimics, transmissions, extensions, the XRDF and the
    SRDF."""

    old: str
    new: str
    label = Label("Rename joint to {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        get_joint(robot, self.old)
        if self.old == self.new:
            return robot
        refuse_taken_names(robot, None, self.new)
        joints = tuple(
            replace(j, name=self.new) if j.name == self.old else j for j in robot.urdf.joints
        )
        return _with_references(
            robot.with_urdf(replace(robot.urdf, joints=joints)),
            robot,
            Named.JOINT,
            self.old,
            self.new,
        )


def _with_references(
    robot: RobotDescription, before: RobotDescription, named: Named, old: str, new: str
) -> RobotDescription:
    """With the new name wherever the old one is referred to, in the texts of extensions and
    transmissions too.

    Set again by a script, these texts do not undo it.
    """
    robot = rename_references(robot, named, old, new)
    extensions = map(with_names_in_text, before.urdf.extensions, robot.urdf.extensions)
    transmissions = map(with_names_in_text, before.urdf.transmissions, robot.urdf.transmissions)
    return replace_urdf(robot, extensions=tuple(extensions), transmissions=tuple(transmissions))


def _refuse_shape(geometry: Geometry, link: str, version: str) -> None:
    """Raises CannotApply for what no program can draw, or what URDF of that version does not
    know."""
    if isinstance(geometry, Mesh):
        if not geometry.filename.strip():
            raise CannotApply("A mesh needs a file name.")
        if 0.0 in geometry.scale:
            raise CannotApply(f"A scale of 0 would make the mesh of {link} flat.")
        return
    if min(sizes_of(geometry)) <= 0:
        raise CannotApply(f"The sizes of a shape of {link} must be positive.")
    if isinstance(geometry, Capsule) and version == "1.0":
        raise CannotApply("Capsules need URDF version 1.1. Set it under Robot.")


def limit_problem(joint: Joint, version: str) -> str | None:
    """Why the limits of a joint cannot be as they are in that version of URDF; None when they
    can."""
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
            return f"The limits of {joint.name} need {name}; only in URDF 1.2 it is optional."
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
    low, high = joint.position_text(lower), joint.position_text(upper)
    return f"The lower limit of {joint.name}, {low}, is above the upper one, {high}."


def needs_limits(joint: Joint) -> bool:
    """Return whether a joint of its type needs limits and has none."""
    return joint.limit is None and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)


def lost_part(old: Joint, new: Joint) -> str | None:
    """Which attribute that a part of a joint cannot be without was removed from it; None for
    none."""
    safety, dynamics = new.safety, new.dynamics
    if (
        safety is not None
        and safety.k_velocity is None
        and (old.safety is None or old.safety.k_velocity is not None)
    ):
        return (
            f"The safety controller of {new.name} needs k_velocity. Set it, or remove the safety "
            "controller."
        )
    if (
        dynamics is not None
        and dynamics != old.dynamics
        and (dynamics.damping, dynamics.friction) == (None, None)
    ):
        return (
            f"The dynamics of {new.name} need damping or friction. Set one, or remove the dynamics."
        )
    return None
