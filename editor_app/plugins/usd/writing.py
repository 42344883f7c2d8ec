"""A stage that stands alone: the robot as an articulation of UsdPhysics, with its meshes, colours,
masses and mask.

Links are rigid bodies where all joints are at zero, as importers of URDFs write them. A fixed link
without mass and shapes is a frame: an Xform that rides on the body that carries it. Metres,
kilograms, Z up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter, masked_pairs
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.identifiers import identifier, identifiers
from editor_app.core.formats.exchange.meshes import MeshParts
from editor_app.core.formats.exchange.sphere_lists import (
    count_spheres_on_links,
    spheres_of_links,
    tell_buffers,
    tell_other_group,
)
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Inertial, Joint, JointType, Link
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    build_pose_matrix,
    invert,
    link_tensor,
    quaternion_matrix,
    transform,
)
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.choices import BALLS, TRIANGLES
from editor_app.plugins.usd.writing_joints import Connected, Leader, axis_of, fixed_prim, joint_prim
from editor_app.plugins.usd.writing_prims import (
    MOST_NAMES,
    Prim,
    add_filtered,
    ball_prefix,
    free_scopes,
    inertia_lines,
    layer_lines,
    newton_inertia,
    place_lines,
    principal_moments,
    quoted,
    report_identifiers,
    sphere_prims,
    vector_text,
    with_display_name,
)
from editor_app.plugins.usd.writing_shapes import ShapePrims

#: What collides: hulls of the collision meshes (the default), their triangles, or the spheres of
#: the XRDF. Kilograms and kg m², of a body whose link has no mass.
_MASS, _INERTIA = 1e-3, 1e-6
#: The least moment of inertia of a body as a share of its largest, that of a thin rod about itself.
_LEAST_SHARE = 1e-6


@dataclass(frozen=True)
class StageChoices:
    """`root`: the prim of the robot; `nested`: each link below its parent; `free`: not fixed to the
    world.

    `collision` is None for hulls, TRIANGLES or BALLS; `spheres_collide`: spheres have contacts
    besides the shapes. `touches_itself`: links may touch each other unless the mask ignores the
    pair; else, simulators leave that out.
    """

    root: str
    nested: bool = False
    free: bool = False
    collision: str | None = None
    spheres_collide: bool = False
    touches_itself: bool = True


def stage_text(
    robot: RobotDescription, meshes: MeshParts | None, choices: StageChoices
) -> tuple[str, ConversionReport]:
    """(text, report) of a stage. `meshes`: None leaves them out."""
    return _Stage(robot, meshes, choices).written()


@dataclass
class _Stage:
    robot: RobotDescription
    meshes: MeshParts | None
    choices: StageChoices
    #: Link -> its prim; the path of the prim; the link whose body carries it (itself; None: the
    #: world); its pose (4, 4) in the robot at zero.
    prims: dict[str, Prim] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, str | None] = field(default_factory=dict)
    poses: dict[str, Matrix] = field(default_factory=dict)
    invented: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        xrdf, urdf = self.robot.xrdf, self.robot.urdf
        self.out = Reporter(f"XRDF {xrdf.format_version}", "USD")
        self.graph = KinematicGraph(urdf)
        self.links = {link.name: link for link in urdf.links}
        self.spheres = spheres_of_links(xrdf, urdf, self.out)
        frames = [f for f in xrdf.added_frames if f.frame_name not in self.links]
        self.frames = {frame.frame_name: frame for frame in frames}
        names = [identifier(part) for part in self.choices.root.split("/") if part] or ["robot"]
        self.above, self.top = names[:-1], Prim(names[-1], "Xform")
        self.root = "/" + "/".join(names)
        self.ids = identifiers((*self.links, *self.frames))
        taken = self.ids.values()
        self.shown, self.solid = free_scopes(("visuals", "collisions"), taken)
        joints, materials, library = free_scopes(("joints", "materials", "meshes"), taken)
        self.ball = ball_prefix(taken)
        self.joint_scope = Prim(joints, "Scope")
        self.material_scope, self.mesh_scope = (
            Prim(materials, "Scope"),
            Prim(library, "Scope", "class"),
        )
        approximation = "none" if self.choices.collision == TRIANGLES else "convexHull"
        places = f"{self.root}/{library}", f"{self.root}/{materials}"
        self.shapes = ShapePrims(
            self.meshes, urdf.materials_by_name(), self.out, *places, approximation
        )

    def written(self) -> tuple[str, ConversionReport]:
        for root in self.graph.roots:
            for name in self.graph.below(root):
                self._add_link(name)
        if lost := [name for name in self.links if name not in self.prims]:
            self.out.lost(f"links {format_list(lost, MOST_NAMES)}", "joints connect them in a loop")
        pairs = masked_pairs(self.robot.xrdf, set(self.prims), "physics:filteredPairs", self.out)
        filtered: dict[str, list[str]] = {}
        for pair in pairs:
            filtered.setdefault(pair.first, []).append(self.paths[pair.second])
        for name, targets in filtered.items():
            add_filtered(self.prims[name], targets)
        self._add_joints(set(pairs))
        for frame in self.frames:
            self._add_frame(frame)
        if self.joint_scope.children:
            # Without a mask, links that overlap at joints would push each other away.
            touches = "1" if pairs and self.choices.touches_itself else "0"
            self.top.schemas += [
                "PhysicsArticulationRootAPI",
                "PhysxArticulationAPI",
                "NewtonArticulationRootAPI",
            ]
            self.top.lines.append(f"bool physxArticulation:enabledSelfCollisions = {touches}")
            self.top.lines.append(f"bool newton:selfCollisionEnabled = {touches}")
        self.material_scope.children += self.shapes.material_prims.values()
        self.mesh_scope.children += self.shapes.mesh_prims.values()
        scopes = (self.joint_scope, self.material_scope, self.mesh_scope)
        self.top.children += [scope for scope in scopes if scope.children]
        self.top.metadata.append('kind = "component"')
        prim = with_display_name(self.top, self.robot.urdf.name or self.top.name)
        for name in reversed(self.above):
            prim = Prim(name, "Xform", children=[prim])
        [scene] = free_scopes(("PhysicsScene",), [prim.name])
        gravity = [
            "vector3f physics:gravityDirection = (0, 0, -1)",
            "float physics:gravityMagnitude = 9.81",
        ]
        self._report()
        head = [
            f"defaultPrim = {quoted(prim.name)}",
            "kilogramsPerUnit = 1",
            "metersPerUnit = 1",
            'upAxis = "Z"',
        ]
        text = layer_lines(head, [prim, Prim(scene, "PhysicsScene", lines=gravity)])
        return text, self.out.report()

    # -- links

    def _add_link(self, name: str) -> None:
        """Its parent has been added, if it has one."""
        link, joint = self.links[name], self.graph.incoming.get(name)
        is_body = self._is_body(link, joint)
        origin = build_pose_matrix(joint.origin) if joint is not None else np.eye(4)
        self.poses[name] = (self.poses[joint.parent] if joint is not None else np.eye(4)) @ origin
        carrier = self.bodies[joint.parent] if joint is not None else None
        self.bodies[name] = name if is_body else carrier
        above = (
            joint.parent
            if joint is not None and self.choices.nested
            else None
            if is_body
            else carrier
        )
        prim = with_display_name(Prim(self.ids[name], "Xform"), name)
        self.prims[name] = prim
        self.paths[name] = f"{self.root if above is None else self.paths[above]}/{prim.name}"
        (self.top if above is None else self.prims[above]).children.append(prim)
        relative = (
            self.poses[name] if above is None else invert(self.poses[above]) @ self.poses[name]
        )
        # The origin itself has no noise of a product.
        prim.lines += place_lines(
            origin if joint is not None and above == joint.parent else relative
        )
        if is_body:
            prim.schemas.append("PhysicsRigidBodyAPI")
            self._add_mass(prim, link)
        self._add_shapes(prim, link)

    def _is_body(self, link: Link, joint: Joint | None) -> bool:
        if _mass(link.inertial) > 0 or link.shapes or link.name in self.spheres:
            return True
        if joint is not None:
            return joint.type is not JointType.FIXED
        # One body at most stands on the world: an articulation has one root.
        return self.choices.free or self._count_standing(link.name) > 1

    def _count_standing(self, root: str) -> int:
        """How many bodies stand on a root that is a frame, and on the frames that are fixed to
        it."""
        frames, count = [root], 0
        for frame in frames:
            for joint in self.graph.outgoing.get(frame, ()):
                if joint.type is JointType.FLOATING:
                    continue
                if self._is_body(self.links[joint.child], joint):
                    count += 1
                else:
                    frames.append(joint.child)
        return count

    def _add_mass(self, prim: Prim, link: Link) -> None:
        prim.schemas += ["PhysicsMassAPI", "NewtonMassAPI"]
        inertial, mass = link.inertial, _mass(link.inertial)
        if inertial is None or not mass > 0:
            if inertial is not None and any((inertial.mass, *inertial.inertia)):
                self.out.lost(f"inertial of {link.name}", "its mass is not positive")
            self.invented.append(link.name)
            mass, centre, tensor = _MASS, (0.0, 0.0, 0.0), np.eye(3) * _INERTIA
        else:
            centre, tensor = inertial.origin.xyz, link_tensor(inertial)
        prim.lines += [
            f"point3f physics:centerOfMass = {vector_text(centre)}",
            f"float physics:mass = {format_xml_number(mass)}",
        ]
        if not _is_possible(tensor):
            self.out.lost(
                f"inertia of {link.name}", "physically impossible: replaced by a ball of its mass"
            )
            tensor = np.eye(3) * mass * (_INERTIA / _MASS)
        moments, axes = principal_moments(tensor)
        if moments.min() < moments.max() * _LEAST_SHARE:
            # Simulators take 0 as unknown.
            moments = np.maximum(moments, moments.max() * _LEAST_SHARE)
            tensor = axes @ np.diag(moments) @ axes.T
            detail = f"its moments are at least {_LEAST_SHARE:g} of the largest"
            self.out.translated(f"inertia of {link.name}", detail)
        prim.lines += [*inertia_lines(moments, axes), newton_inertia(tensor)]

    def _add_shapes(self, prim: Prim, link: Link) -> None:
        visuals = [(visual.name or "visual", visual) for visual in link.visuals]
        shown, solid = Prim(self.shown, "Scope"), Prim(self.solid, "Scope")
        for number, (name, visual) in enumerate(visuals):
            shape = self.shapes.visual(visual, f"{identifier(name)}_{number}")
            shown.children += [shape] if shape is not None else []
        is_balls = self.choices.collision == BALLS
        if not (is_balls and link.name in self.spheres):
            for number, collision in enumerate(link.collisions):
                name = f"{identifier(collision.name or 'collision')}_{number}"
                shape = self.shapes.collision(
                    collision.geometry, build_pose_matrix(collision.origin), name
                )
                solid.children += [shape] if shape is not None else []
        prim.children += [scope for scope in (shown, solid) if scope.children]
        collide = is_balls or self.choices.spheres_collide
        prim.children += sphere_prims(self.spheres.get(link.name, ()), self.ball, collide=collide)

    def _add_frame(self, name: str, passed: tuple[str, ...] = ()) -> None:
        """An added frame of the XRDF, inside the prim of what it is fixed to, which is added
        first."""
        if name in self.prims:
            return
        frame = self.frames[name]
        parent, pose = frame.parent_frame_name, frame.fixed_transform
        if parent in self.frames and parent not in passed:
            self._add_frame(parent, (*passed, name))
        if parent not in self.prims:
            self.out.lost(f"add_frame {name}", f"{parent} is no link")
            return
        prim = with_display_name(Prim(self.ids[name], "Xform"), name)
        prim.lines += place_lines(
            transform(quaternion_matrix(pose.orientation_wxyz), pose.position)
        )
        self.prims[name] = prim
        self.prims[parent].children.append(prim)
        self.out.translated(f"add_frame {name}", f"a frame on {parent}")

    # -- joints

    def _add_joints(self, masked: set[LinkPair]) -> None:
        joints = [joint for joint in self.graph.incoming.values() if self._is_written(joint)]
        names = identifiers(joint.name for joint in joints)
        scope = f"{self.root}/{self.joint_scope.name}"
        positions = dict(self.robot.xrdf.default_joint_positions or {})
        leaders = {
            j.name: Leader(f"{scope}/{names[j.name]}", axis_of(j.axis)[0])
            for j in joints
            if j.is_movable
        }
        for root in self.graph.roots:
            if self.bodies[root] == root and not self.choices.free:
                world = free_scopes([f"{self.ids[root]}_to_world"], names.values())[0]
                self.joint_scope.children.append(
                    fixed_prim(world, Connected(self.root, self.paths[root], np.eye(4)))
                )
        for joint in joints:
            link = self._connected(joint, masked)
            leader = None
            if (
                joint.mimic is not None
                and joint.is_movable
                and joint.name not in self.robot.xrdf.freed_joints
            ):
                leader = leaders.get(joint.mimic.joint)
                if leader is None:
                    self.out.lost(
                        f"mimic of {joint.name}", f"the joint {joint.mimic.joint} does not exist"
                    )
                else:
                    self.out.translated(
                        f"mimic of {joint.name}", "NewtonMimicAPI and PhysxMimicJointAPI"
                    )
            limits = joint.position_limits
            if limits is not None and limits[0] > limits[1]:
                self.out.lost(f"limits of {joint.name}", "the lower one is above the upper one")
            target = positions.get(joint.name)
            prim = joint_prim(joint, names[joint.name], link, target=target, leader=leader)
            self.joint_scope.children.append(with_display_name(prim, joint.name))

    def _is_written(self, joint: Joint) -> bool:
        if joint.type is JointType.FLOATING:
            self.out.translated(f"joint {joint.name}", f"none: {joint.child} moves freely")
        is_body = self.bodies.get(joint.child) == joint.child
        return is_body and joint.type is not JointType.FLOATING

    def _connected(self, joint: Joint, masked: set[LinkPair]) -> Connected:
        """Where a joint is on the body that carries its parent."""
        body, frame = self.bodies[joint.parent], build_pose_matrix(joint.origin)
        if body != joint.parent:
            start = invert(self.poses[body]) if body is not None else np.eye(4)
            frame = start @ self.poses[joint.parent] @ frame
        if body is None:
            return Connected(self.root, self.paths[joint.child], frame)
        # UsdPhysics leaves out what a joint connects, unless the joint says otherwise; the mask
        # alone decides here.
        both = body in self.spheres and joint.child in self.spheres
        touches = both and bool(masked) and self.choices.touches_itself
        collide = touches and LinkPair.of(body, joint.child) not in masked
        return Connected(self.paths[body], self.paths[joint.child], frame, collide)

    # -- the report

    def _report(self) -> None:
        out, xrdf, urdf = self.out, self.robot.xrdf, self.robot.urdf
        if self.spheres:
            collide = self.choices.collision == BALLS or self.choices.spheres_collide
            out.taken("geometry", f"{count_spheres_on_links(self.spheres)}: {_use(collide)}")
        changed = [f"{name}: {text}" for name, text in self.ids.items() if name != text]
        report_identifiers(
            changed, out, "USD allows only letters, digits and _; the names are display names"
        )
        if self.invented:
            out.invented(
                f"mass of {format_list(self.invented, MOST_NAMES)}",
                f"{_MASS:g} kg: a body in USD needs one",
            )
        if xrdf.default_joint_positions:
            out.translated(
                "default_joint_positions",
                "targets of the drives; bodies are where all joints are at zero",
            )
        self.shapes.report()
        tell_other_group(xrdf, "USD", out)
        tell_buffers(xrdf, "USD", out)
        tell_contact(urdf, out.lost, "simulators use their default friction and stiffness")
        if xrdf.cspace is not None:
            out.lost(
                "cspace",
                "USD has no acceleration and jerk limits, and its drives have no gains yet",
            )
        kept = sum(
            joint.safety is not None or joint.calibration is not None
            for joint in self.graph.joints.values()
        )
        if kept:
            out.kept(
                "<safety_controller>, <calibration>",
                f"attributes urdf:… of {format_count(kept, 'joint')}",
            )
        _report_count(out, "transmission", len(urdf.transmissions))
        _report_count(out, "sensor", len(urdf.sensors))
        for tag, count in Counter(element.tag for element in urdf.extensions).items():
            _report_count(out, tag, count)
        base = "free: contacts carry the robot" if self.choices.free else "fixed to the world"
        out.translated("root", base)


def _report_count(out: Reporter, tag: str, count: int) -> None:
    if count:
        out.lost(f"<{tag}>", f"{format_count(count, 'element')}: USD has no place for it")


def _is_possible(tensor: Matrix) -> bool:
    """Whether it has no negative moment but for rounding, and a positive one."""
    if not np.isfinite(tensor).all():
        return False
    moments = np.linalg.eigvalsh(tensor)
    return bool(moments[0] > -_LEAST_SHARE * moments[2] and moments[2] > 0)


def _mass(inertial: Inertial | None) -> float:
    return inertial.mass if inertial is not None and np.isfinite(inertial.mass) else 0.0


def _use(collide: bool) -> str:
    return "they collide" if collide else "visible, without contacts"
