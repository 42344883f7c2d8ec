"""A layer over the stage that a robot came from: the differences between the robot and the stage,
and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.formats.exchange.meshes import MeshParts
from editor_app.core.formats.exchange.sphere_lists import (
    count_spheres_on_links,
    find_carrier,
    moved_by,
    spheres_of_links,
    tell_buffers,
    tell_other_group,
)
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Location
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Inertial, JointType
from editor_app.core.model.xrdf import CollisionSphere, FixedTransform, LinkPair
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    build_pose_matrix,
    link_tensor,
    matrix_to_quaternion,
    quaternion_matrix,
    transform,
)
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.over_names import match_names
from editor_app.plugins.usd.reading.values import LinkPrim, PrimPath, ReadStage
from editor_app.plugins.usd.writing_layer import Overs
from editor_app.plugins.usd.writing_over_joints import JointChanges
from editor_app.plugins.usd.writing_over_places import PlaceChanges
from editor_app.plugins.usd.writing_over_shapes import ShapeChanges
from editor_app.plugins.usd.writing_prims import (
    MOST_NAMES,
    Prim,
    add_filtered,
    asset_text,
    ball_prefix,
    inertia_lines,
    layer_lines,
    newton_inertia,
    place_lines,
    principal_moments,
    quoted,
    sphere_prims,
    transform_lines,
    vector_text,
    with_display_name,
)

#: Shares and metres by which numbers of single precision differ though they mean the same.
_SHARE, _NOISE = 1e-6, 1e-8


#: Properties without which USD computes a mass from the colliders of a body.
_STATED_MASS = frozenset({"physics:mass", "physics:centerOfMass", "physics:diagonalInertia"})


def over_text(
    robot: RobotDescription,
    read: ReadStage,
    *,
    below: str,
    place: Location,
    collide: bool,
    is_guessed: bool = False,
    meshes: MeshParts | None = None,
) -> tuple[str, ConversionReport]:
    """Return the text of a layer over a stage, and the report.

    `below`: the stage as the layer names it; `place`: the stage as errors name it. `collide`:
    spheres have contacts. `is_guessed`: only the URDF is the robot's, the rest is a draft, which
    changes nothing in the stage. `meshes`: None leaves meshes that the stage does not have out.

    Raises FormatError for the stage of another robot.
    """
    return _Over(robot, read, place, collide=collide).written(below, is_guessed, meshes)


class _Over:
    def __init__(
        self, robot: RobotDescription, read: ReadStage, place: Location, *, collide: bool
    ) -> None:
        self.robot, self.read, self.places, self.collide = robot, read, read.places, collide
        self.names = match_names(robot.urdf, read, place)
        self.out = Reporter(f"URDF and XRDF {robot.xrdf.format_version}", "USD layer")
        self.tree = Overs()
        self.opened: list[str] = []
        #: Links with other colliders than in the stage.
        self.reshaped: set[str] = set()
        links = {link.name: link for link in robot.urdf.links}
        #: Link of the robot -> itself, and as the stage has it.
        stated = {link.name: link for link in read.urdf.links}
        self.pairs = {
            name: (links[name], stated[theirs]) for name, theirs in self.names.links.items()
        }
        self.fixed = {
            joint.child: (joint.parent, _fixed_transform(build_pose_matrix(joint.origin)))
            for joint in robot.urdf.joints
            if joint.type is JointType.FIXED
        }
        self.carriers = {
            name for name, theirs in self.names.links.items() if theirs in self.places.bodies
        }

    def written(
        self, below: str, is_guessed: bool, meshes: MeshParts | None
    ) -> tuple[str, ConversionReport]:
        self._report_names()
        shapes = ShapeChanges(self.robot.urdf, self.read, self.names, self.out, self.prim)
        shapes.write(self.tree, meshes)
        self.reshaped.update(shapes.changed)
        changes = JointChanges(self.robot, self.read, self.names, self.out, self.prim)
        changes.write()
        PlaceChanges(self.robot.urdf, self.read, self.names, self.out, self.prim).write()
        if not is_guessed:
            self._change_spheres()
            self._change_pairs()
            changes.write_positions()
            self._add_frames()
            self._report_rest()
        self._change_masses()
        for prim, name, variant in self.places.variants:
            over = self.tree.at(prim)
            over.metadata.append(
                f"variants = {{\n        string {quoted(name)} = {quoted(variant)}\n    }}"
            )
        if self.opened:
            detail = (
                f"{format_list(self.opened, MOST_NAMES)}: no instance in this layer, since USD "
                "changes "
                f"nothing inside one"
            )
            self.out.translated("instances", detail)
        if not self.out.entries:
            self.out.taken("everything", "the robot is as the stage has it")
        head = [*self.places.head, f"subLayers = [{asset_text(below)}]"]
        return layer_lines(head, self.tree.roots), self.out.report()

    def prim(self, place: PrimPath, *, inside: bool = False) -> Prim:
        """Return the over of a prim. `inside`: prims are added below it."""
        for path in place.instances:
            if path not in self.opened and (inside or path != place.path):
                self.opened.append(path)
                self.tree.at(path).metadata.append("instanceable = false")
        return self.tree.at(place.path)

    def _link_prim(self, name: str) -> LinkPrim:
        """The prim of a link of the robot that the stage has."""
        return self.places.links[self.names.links[name]]

    # -- masses

    def _change_masses(self) -> None:
        """Write masses that differ, and those that the stage does not state where the colliders
        change."""
        masses = []
        for name, (link, theirs) in self.pairs.items():
            if self.names.links[name] not in self.places.bodies:
                continue
            is_of_colliders = (
                name in self.reshaped and not self._link_prim(name).stated >= _STATED_MASS
            )
            if not _is_same_inertial(link.inertial, theirs.inertial) or (
                is_of_colliders and link.inertial is not None
            ):
                masses += [name] if self._change_mass(name, link.inertial) else []
        if masses:
            self.out.translated(
                "inertial", f"mass, centre and inertia of {format_list(masses, MOST_NAMES)}"
            )

    def _change_mass(self, name: str, inertial: Inertial | None) -> bool:
        if inertial is None or not inertial.mass > 0:
            self.out.lost(
                f"inertial of {name}",
                "a body in USD needs a positive mass: the stage keeps its own",
            )
            return False
        link = self._link_prim(name)
        over = self.prim(link.prim)
        centre = (link.local @ np.array([*inertial.origin.xyz, 1.0]))[:3]
        tensor = link_tensor(inertial) / (self.places.kilograms * self.places.metres**2)
        over.schemas.append("PhysicsMassAPI")
        over.lines += [
            f"float physics:mass = {format_xml_number(inertial.mass / self.places.kilograms)}",
            f"point3f physics:centerOfMass = {vector_text(centre)}",
        ]
        moments, axes = principal_moments(tensor)
        if not moments.max() > 0 or moments.min() < 0:
            self.out.lost(f"inertia of {name}", "physically impossible: the stage keeps its own")
            return True
        over.lines += inertia_lines(moments, axes)
        if "newton:inertia" in link.stated:
            over.lines.append(newton_inertia(tensor))
        return True

    # -- spheres

    def _change_spheres(self) -> None:
        wanted: dict[str, list[CollisionSphere]] = {}
        for link, spheres in spheres_of_links(self.robot.xrdf, self.robot.urdf, self.out).items():
            carrier, way = find_carrier(link, self.fixed, self.carriers)
            if carrier is None:
                self.out.lost(f"spheres of {link}", "the stage has no such body")
                continue
            if carrier != link:
                self.out.translated(f"spheres of {link}", f"on {carrier}, where that link is fixed")
            wanted.setdefault(carrier, []).extend(
                reduce(moved_by, way, sphere) for sphere in spheres
            )
        changed: dict[str, list[CollisionSphere]] = {}
        removed = 0
        ball = ball_prefix(path.prim.path.rpartition("/")[2] for path in self.places.links.values())
        for name in sorted(self.carriers):
            theirs, spheres = self.names.links[name], wanted.get(name, [])
            if _are_same_spheres(spheres, self.read.spheres.get(theirs, ())):
                continue
            if self.collide:
                self.reshaped.add(name)
            for prim in self.places.spheres.get(theirs, ()):
                self.prim(prim).metadata.append("active = false")
                removed += 1
            if spheres:
                changed[name] = spheres
                self._add_spheres(self.places.links[theirs], spheres, ball)
        if removed:
            self.out.translated(
                "spheres of the stage",
                f"{format_count(removed, 'sphere')} deactivated: the robot has others",
            )
        if changed:
            use = "they collide" if self.collide else "visible, without contacts"
            self.out.taken("geometry", f"{count_spheres_on_links(changed)}: {use}")

    def _add_spheres(self, link: LinkPrim, spheres: Sequence[CollisionSphere], ball: str) -> None:
        scale = float(link.local[0, 0])
        is_even = np.abs(link.local[:3, :3] - scale * np.eye(3)).max() <= _SHARE * abs(scale)
        over = self.prim(link.prim, inside=True)
        first = sum(name.startswith(ball) for name in link.children)
        while any(
            f"{ball}{number}" in link.children for number in range(first, first + len(spheres))
        ):
            first += 1
        if is_even:
            moved = [_in_units(sphere, link.local, scale) for sphere in spheres]
            prims = sphere_prims(moved, ball, collide=self.collide)
        else:
            # Balls in a prim that is scaled unevenly, whose scale they undo.
            unit = [CollisionSphere((0.0, 0.0, 0.0), sphere.radius) for sphere in spheres]
            prims = sphere_prims(unit, ball, collide=self.collide)
            for prim, sphere in zip(prims, spheres, strict=True):
                prim.lines[-2:] = transform_lines(link.local @ transform(None, sphere.center))
        over.children += [
            replace(prim, name=f"{ball}{first + number}") for number, prim in enumerate(prims)
        ]

    # -- pairs

    def _change_pairs(self) -> None:
        xrdf, names = self.robot.xrdf, self.names.links
        if xrdf.self_collision is None:
            return
        bodies = {name: names[name] for name in self.carriers}
        ignored = {
            LinkPair.of(names.get(p.first, p.first), names.get(p.second, p.second))
            for p in xrdf.ignored_pairs()
        }
        mask = {
            pair
            for pair in ignored
            if pair.first in self.places.bodies and pair.second in self.places.bodies
        }
        if len(mask) < len(ignored):
            detail = (
                f"{format_count(len(ignored) - len(mask), 'pair')} of frames that are no bodies of "
                "the stage"
            )
            self.out.kept("self_collision.ignore", detail)
        apart = {LinkPair.of(each.pair.first, each.pair.second) for each in self.read.pairs}
        joined: dict[LinkPair, list[PrimPath]] = {}
        for prim, one, other in self.places.joined:
            joined.setdefault(LinkPair.of(one, other), []).append(prim)
        new = sorted(mask - apart - joined.keys())
        filtered: dict[str, list[str]] = {}
        for pair in new:
            filtered.setdefault(pair.first, []).append(self.places.links[pair.second].prim.path)
        for link, targets in filtered.items():
            add_filtered(self.prim(self.places.links[link].prim), targets)
        if new:
            self.out.translated(
                "self_collision.ignore",
                f"physics:filteredPairs, {format_count(len(new), 'more pair')}",
            )
        # A mask says nothing of links without spheres.
        modelled = {
            bodies[name]
            for name in self.carriers
            if xrdf.spheres_of(xrdf.self_group or xrdf.world_group).get(name)
        }
        checked = sorted(p for p in apart - mask if p.first in modelled and p.second in modelled)
        for pair in checked:
            self._let_touch(pair, joined.get(pair, ()))

    def _let_touch(self, pair: LinkPair, joints: Sequence[PrimPath]) -> None:
        """Undo what keeps two bodies of the stage from touching."""
        filters = [each for each in self.places.filters if LinkPair.of(each[2], each[3]) == pair]
        if not joints and not filters:
            self.out.lost(
                f"check of {pair.first} and {pair.second}",
                "collision groups of the stage keep them apart",
            )
            return
        for prim in joints:
            self.prim(prim).lines.append("bool physics:collisionEnabled = true")
        for prim, target, _, _ in filters:
            self.prim(prim).lines.append(f"delete rel physics:filteredPairs = <{target}>")
        self.out.translated(
            f"check of {pair.first} and {pair.second}", "they touch each other in the layer"
        )

    # -- frames, and what has no place

    def _add_frames(self) -> None:
        for frame in self.robot.xrdf.added_frames:
            carrier = frame.parent_frame_name
            if (
                carrier not in self.names.links
                or self.names.links[carrier] not in self.places.links
            ):
                self.out.lost(f"add_frame {frame.frame_name}", f"the stage has no {carrier}")
                continue
            link, pose = self._link_prim(carrier), frame.fixed_transform
            matrix = transform(quaternion_matrix(pose.orientation_wxyz), pose.position)
            matrix[:3, 3] = (link.local @ matrix)[:3, 3]
            name = find_free_name(identifier(frame.frame_name), set(link.children))
            prim = with_display_name(
                Prim(name, "Xform", lines=place_lines(matrix)), frame.frame_name
            )
            self.prim(link.prim, inside=True).children.append(prim)
            self.out.translated(f"add_frame {frame.frame_name}", f"a frame on {carrier}")

    def _report_names(self) -> None:
        names, out = self.names, self.out
        ours = [link.name for link in self.robot.urdf.links if link.name not in names.links]
        if ours:
            out.lost(f"links {format_list(ours, MOST_NAMES)}", "the stage has no such links")
        theirs = sorted(self.places.bodies.difference(names.links.values()))
        if theirs:
            out.lost(
                f"bodies {format_list(theirs, MOST_NAMES)}",
                "no links of the robot; they stay in the stage",
            )
        renamed = [
            f"{n}: {m}" for pairs in (names.links, names.joints) for n, m in pairs.items() if n != m
        ]
        if renamed:
            out.lost("names", f"the stage keeps its own: {format_list(renamed, MOST_NAMES)}")

    def _report_rest(self) -> None:
        xrdf, out = self.robot.xrdf, self.out
        tell_other_group(xrdf, "USD", out)
        tell_buffers(xrdf, "USD", out)
        tell_contact(self.robot.urdf, out.lost, "the stage keeps its own friction and stiffness")
        if xrdf.cspace is not None:
            out.lost("cspace", "USD has no acceleration and jerk limits")
        if xrdf.tool_frames:
            out.lost("tool_frames", "USD has no place for them")


def _in_units(sphere: CollisionSphere, local: Matrix, scale: float) -> CollisionSphere:
    """A sphere in the units of its prim."""
    x, y, z = (float(v) for v in (local @ np.array([*sphere.center, 1.0]))[:3])
    return CollisionSphere((x, y, z), sphere.radius * abs(scale))


def _fixed_transform(matrix: Matrix) -> FixedTransform:
    x, y, z = matrix[:3, 3].tolist()
    a, b, c, d = matrix_to_quaternion(matrix)
    return FixedTransform((x, y, z), (a, b, c, d))


def _is_same_inertial(one: Inertial | None, other: Inertial | None) -> bool:
    if one is None or other is None:
        return one is other
    tensors = link_tensor(one), link_tensor(other)
    return (
        abs(one.mass - other.mass) <= _SHARE * other.mass
        and bool(np.abs(np.subtract(one.origin.xyz, other.origin.xyz)).max() <= _NOISE)
        and bool(np.abs(tensors[0] - tensors[1]).max() <= _SHARE * np.abs(tensors[1]).max())
    )


def _are_same_spheres(ours: Sequence[CollisionSphere], theirs: Sequence[CollisionSphere]) -> bool:
    def rows(spheres: Sequence[CollisionSphere]) -> Matrix:
        return np.array([[*sphere.center, sphere.radius] for sphere in spheres]).reshape(-1, 4)

    return len(ours) == len(theirs) and bool((np.abs(rows(ours) - rows(theirs)) <= _NOISE).all())
