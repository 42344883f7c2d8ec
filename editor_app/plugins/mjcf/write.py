"""A new MJCF: links are bodies, joints are hinges and slides, spheres touch each other where the
mask lets them.

Rotations are URDF's rpy, by `eulerseq="XYZ"`, which turns about fixed axes. MuJoCo leaves out
contacts of parent and child by itself, but for children of what stands still: that is switched off
(`filterparent`), so that the mask alone says which pairs are checked. A body that moves has a mass;
a link without `<inertial>` gets a small one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter, masked_pairs
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.meshes import MeshParts, colour_of, make_plain_name, obj_bytes
from editor_app.core.formats.exchange.sphere_lists import (
    count_spheres_on_links,
    tell_buffers,
    tell_other_group,
)
from editor_app.core.model.counting import format_list
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import (
    ENDLESS_SLIDE,
    ENDLESS_TURN,
    Ball,
    Box,
    Capsule,
    Collision,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    Visual,
)
from editor_app.core.model.xrdf import AddFrame, LinkPair
from editor_app.core.space.geometry.mesh import MeshPart
from editor_app.core.space.kinematics.transforms import link_tensor
from editor_app.core.text.xml.morph import (
    build_piece,
    format_document,
    format_xml_number,
    format_xml_numbers,
)
from editor_app.core.text.xml.splices import NewElement
from editor_app.plugins.mjcf.shapes import WORLD, exclusions, sphere_geom, spheres_class

VISUAL, COLLISION = "visual", "collision"
#: Kilograms and kg m², of a body that moves and whose link says nothing of them.
_MASS, _INERTIA = 1e-3, 1e-6
#: Links that a report names.
_MOST = 6
#: MuJoCo reads no mesh with fewer vertices.
_FEWEST_VERTICES = 4


def mjcf_files(
    robot: RobotDescription, meshes: MeshParts | None, mesh_folder: str
) -> tuple[str, list[tuple[str, bytes]], ConversionReport]:
    """(text, (name relative to the file, content) of each mesh, report). `meshes`: None leaves them
    out."""
    return _Writing(robot, meshes, mesh_folder).files()


@dataclass
class _Writing:
    robot: RobotDescription
    meshes: MeshParts | None
    mesh_folder: str
    out: Reporter = field(init=False)
    #: Name of an asset -> content of its file; (mesh, part) -> name of its asset.
    assets: dict[str, bytes] = field(default_factory=dict)
    placed: dict[tuple[Mesh, int], str] = field(default_factory=dict)
    #: In the order in which MuJoCo counts them.
    joints: list[Joint] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        xrdf = self.robot.xrdf
        self.out = Reporter(f"XRDF {xrdf.format_version}", "MJCF")
        self.graph = KinematicGraph(self.robot.urdf)
        self.links = {link.name: link for link in self.robot.urdf.links}
        self.materials = self.robot.urdf.materials_by_name()
        self.frames: dict[str, list[AddFrame]] = {}
        for frame in xrdf.added_frames:
            self.frames.setdefault(frame.parent_frame_name, []).append(frame)
        self.freed = xrdf.freed_joints
        # MuJoCo calls its own body so, which a root of that name becomes.
        names = {*self.links, *(frame.frame_name for frame in xrdf.added_frames)}
        self.renamed = (
            {WORLD: find_free_name(WORLD, names)}
            if WORLD in names and WORLD not in self.graph.roots
            else {}
        )
        group = xrdf.world_group or xrdf.self_group
        self.spheres = {
            f: [s for s in of if s.radius > 0] for f, of in xrdf.spheres_of(group).items()
        }
        self.spheres = {frame: spheres for frame, spheres in self.spheres.items() if spheres}

    def files(self) -> tuple[str, list[tuple[str, bytes]], ConversionReport]:
        bodies = [self._body(root) for root in self.graph.roots]
        given = {body: name for name, body in self.renamed.items()}
        names = {given.get(name, name) for body in bodies for name in _names_of(body)}
        for name, body in self.renamed.items():
            self.out.translated(f"link {name}", f"the body {body}: MuJoCo reserves the name {name}")
        if self.spheres:
            self.out.taken(
                "geometry", f"{count_spheres_on_links(self.spheres)}, the colliding geoms"
            )
        if strangers := [frame for frame in self.spheres if frame not in names]:
            self.out.lost(
                f"spheres of {', '.join(strangers)}",
                "neither a link of the URDF nor an added frame",
            )
        excluded = masked_pairs(self.robot.xrdf, names, "contact/exclude", self.out)
        excluded += sorted(set(self._pairs_without_spheres(names)).difference(excluded))
        self._tell()
        assets = [
            build_piece("mesh", name=name, file=f"{name}.obj", inertia="shell")
            for name in self.assets
        ]
        sections = (
            build_piece(
                "compiler",
                angle="radian",
                eulerseq="XYZ",
                autolimits="true",
                meshdir=self.mesh_folder,
            ),
            build_piece("option", build_piece("flag", filterparent="disable")),
            build_piece("default", *_classes()),
            *([build_piece("asset", *assets)] if assets else []),
            build_piece("worldbody", *(part for body in bodies for part in _in_the_world(body))),
            *([build_piece("contact", *exclusions(map(self._pair, excluded)))] if excluded else []),
            *self._equality(),
            *self._keyframe(),
        )
        root = build_piece("mujoco", *sections, model=self.robot.urdf.name or "robot")
        files = [(f"{self.mesh_folder}/{name}.obj", data) for name, data in self.assets.items()]
        return format_document(root), files, self.out.report()

    def _pair(self, pair: LinkPair) -> LinkPair:
        return LinkPair.of(*(self.renamed.get(name, name) for name in (pair.first, pair.second)))

    # -- bodies

    def _body(self, root: str) -> NewElement:
        """A link with all that hangs on it. Not by recursion: a chain may be long."""
        order = list(self.graph.below(root))
        for name in order:
            joint = self.graph.incoming.get(name)
            if joint is not None and name != root:
                self.joints += [joint] if joint.is_movable else []
        made: dict[str, NewElement] = {}
        for name in reversed(order):
            link, joint = self.links[name], self.graph.incoming.get(name) if name != root else None
            inner = [
                made[child.child]
                for child in self.graph.outgoing.get(name, ())
                if child.child in made
            ]
            parts = [
                *self._joint(joint),
                *self._inertial(link, joint),
                *self._geoms(link),
                *self._frames_on(name),
            ]
            place = _place(joint.origin) if joint is not None else {}
            made[name] = build_piece(
                "body", *parts, *inner, name=self.renamed.get(name, name), **place
            )
        return made[root]

    def _frames_on(self, parent: str, passed: tuple[str, ...] = ()) -> list[NewElement]:
        tools = self.robot.xrdf.tool_frames or ()
        parts = [build_piece("site", name=parent)] if parent in tools else []
        for frame in self.frames.get(parent, ()):
            if frame.frame_name in self.links or frame.frame_name in passed:
                continue
            pose = frame.fixed_transform
            place = {
                "pos": format_xml_numbers(pose.position),
                "quat": format_xml_numbers(pose.orientation_wxyz),
            }
            spheres = [sphere_geom(sphere) for sphere in self.spheres.get(frame.frame_name, ())]
            inner = self._frames_on(frame.frame_name, (*passed, frame.frame_name))
            name = self.renamed.get(frame.frame_name, frame.frame_name)
            parts.append(build_piece("body", *spheres, *inner, name=name, **place))
            self.out.translated(f"add_frame {frame.frame_name}", f"a body on {parent}")
        return parts

    def _joint(self, joint: Joint | None) -> list[NewElement]:
        if joint is None or joint.type is JointType.FIXED:
            return []
        if not joint.is_movable:
            self.out.lost(f"joint {joint.name}", f"it is {joint.type}: the link is fixed")
            return []
        axis = joint.axis if any(joint.axis) else (1.0, 0.0, 0.0)
        attributes = {
            "name": joint.name,
            "type": "slide" if joint.type is JointType.PRISMATIC else "hinge",
            "axis": format_xml_numbers(axis),
        }
        limit, dynamics = joint.limit, joint.dynamics
        attributes |= self._range(joint)
        if limit is not None and limit.effort and 0 < limit.effort < math.inf:
            attributes["actuatorfrcrange"] = format_xml_numbers((-limit.effort, limit.effort))
        if dynamics is not None and (dynamics.damping or 0) > 0:
            attributes["damping"] = format_xml_number(dynamics.damping or 0)
        if dynamics is not None and (dynamics.friction or 0) > 0:
            attributes["frictionloss"] = format_xml_number(dynamics.friction or 0)
        return [build_piece("joint", **attributes)]

    def _range(self, joint: Joint) -> dict[str, str]:
        limits = joint.position_limits
        if limits is None:
            return {}
        if limits[0] >= limits[1]:
            self.out.lost(f"limits of {joint.name}", "MuJoCo accepts no empty range")
            return {}
        # MuJoCo has no limit on one side alone.
        far = ENDLESS_SLIDE if joint.type is JointType.PRISMATIC else ENDLESS_TURN
        return {"range": format_xml_numbers([min(max(limit, -far), far) for limit in limits])}

    def _inertial(self, link: Link, joint: Joint | None) -> list[NewElement]:
        if link.inertial is not None:
            tensor, kilograms = link_tensor(link.inertial), link.inertial.mass
            place, mass = format_xml_numbers(link.inertial.origin.xyz), format_xml_number(kilograms)
            if kilograms > 0 and _is_of_a_body(tensor):
                six = [tensor[i, k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
                return [
                    build_piece(
                        "inertial", pos=place, mass=mass, fullinertia=format_xml_numbers(six)
                    )
                ]
            if kilograms > 0:
                self.out.lost(
                    f"inertia of {link.name}",
                    "physically impossible: replaced by a ball of its mass",
                )
                ball = format_xml_numbers([kilograms * _INERTIA / _MASS] * 3)
                return [build_piece("inertial", pos=place, mass=mass, diaginertia=ball)]
            self.out.lost(f"inertial of {link.name}", "physically impossible: MuJoCo refuses it")
        if joint is None or not joint.is_movable:
            return []
        self.invented.append(link.name)
        return [
            build_piece(
                "inertial",
                pos="0 0 0",
                mass=format_xml_number(_MASS),
                diaginertia=format_xml_numbers([_INERTIA] * 3),
            )
        ]

    # -- geoms

    def _geoms(self, link: Link) -> list[NewElement]:
        geoms = [geom for visual in link.visuals for geom in self._shapes(visual, VISUAL)]
        if link.name in self.spheres:
            return geoms + [sphere_geom(sphere) for sphere in self.spheres[link.name]]
        return geoms + [
            geom for collision in link.collisions for geom in self._shapes(collision, COLLISION)
        ]

    def _pairs_without_spheres(self, names: Collection[str]) -> Iterable[LinkPair]:
        """The pairs of links that collide by their shapes, which the XRDF compares with nothing,
        and report them."""
        shaped = [
            link.name
            for link in self.robot.urdf.links
            if link.collisions and link.name not in self.spheres
        ]
        if not self.spheres or not shaped:
            return ()
        detail = (
            "no spheres: their shapes collide with the surroundings but no other link, as in the "
            "XRDF"
        )
        self.out.kept(f"collision shapes of {format_list(shaped, _MOST)}", detail)
        solid = {*self.spheres, *shaped}.intersection(names)
        return (LinkPair.of(one, other) for one in shaped for other in solid if one != other)

    def _shapes(self, shape: Visual | Collision, kind: str) -> list[NewElement]:
        place, geometry = _place(shape.origin), shape.geometry
        rgba = colour_of(shape, self.materials) if isinstance(shape, Visual) else None
        colour = {"rgba": format_xml_numbers(rgba)} if rgba is not None else {}
        if not isinstance(geometry, Mesh):
            return [
                build_piece("geom", **{"class": kind}, **_primitive(geometry), **place, **colour)
            ]
        geoms = []
        for index, part in enumerate(self.meshes(geometry) if self.meshes is not None else ()):
            name = self._asset(geometry, index, part)
            of_part = colour or (
                {"rgba": format_xml_numbers(part.rgba)} if part.rgba is not None else {}
            )
            if name is not None:
                geoms.append(
                    build_piece(
                        "geom", **{"class": kind}, type="mesh", mesh=name, **place, **of_part
                    )
                )
        if not geoms:
            self.out.lost(f"mesh {geometry.filename}", "it does not exist or has no surface")
        return geoms

    def _asset(self, mesh: Mesh, index: int, part: MeshPart) -> str | None:
        """The name of the mesh's asset; None for what MuJoCo takes for no mesh."""
        key = (mesh, index)
        if key not in self.placed:
            vertices, faces = part.vertices, part.faces
            if (
                len(np.unique(vertices, axis=0)) < _FEWEST_VERTICES
                or not _area(vertices, faces) > 0
            ):
                return None
            stem = mesh.filename.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or "mesh"
            number = 1
            while (name := f"{make_plain_name(stem)}_{number}") in self.assets:
                number += 1
            self.assets[name] = obj_bytes(vertices, faces)
            self.placed[key] = name
        return self.placed[key]

    # -- the other sections, and what is told

    def _equality(self) -> list[NewElement]:
        followers = []
        for joint in self.joints:
            if joint.mimic is None or joint.name in self.freed:
                continue
            if joint.mimic.joint not in {each.name for each in self.joints}:
                self.out.lost(
                    f"mimic of {joint.name}", f"the joint {joint.mimic.joint} does not exist"
                )
                continue
            polynomial = format_xml_numbers(
                (joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0)
            )
            followers.append(
                build_piece(
                    "joint", joint1=joint.name, joint2=joint.mimic.joint, polycoef=polynomial
                )
            )
            self.out.translated(f"mimic of {joint.name}", "an equality of two joints")
        return [build_piece("equality", *followers)] if followers else []

    def _keyframe(self) -> list[NewElement]:
        if not self.joints:
            return []
        positions = dict(self.robot.xrdf.default_joint_positions or {})
        values = {joint.name: positions.get(joint.name, joint.clamped()) for joint in self.joints}
        for joint in self.joints:
            if (
                joint.mimic is not None
                and joint.name not in self.freed
                and joint.mimic.joint in values
            ):
                values[joint.name] = (
                    joint.mimic.multiplier * values[joint.mimic.joint] + joint.mimic.offset
                )
        self.out.translated("default_joint_positions", "the keyframe default")
        return [
            build_piece(
                "keyframe",
                build_piece("key", name="default", qpos=format_xml_numbers(list(values.values()))),
            )
        ]

    def _tell(self) -> None:
        out, xrdf = self.out, self.robot.xrdf
        if self.invented:
            out.invented(
                f"mass of {', '.join(self.invented)}",
                f"{_MASS:g} kg: the URDF has none, and MuJoCo needs one",
            )
        tell_other_group(xrdf, "a body", out)
        tell_buffers(xrdf, "MJCF", out)
        tell_contact(self.robot.urdf, out.lost, "MuJoCo uses its default friction and stiffness")
        if xrdf.cspace is not None:
            out.lost(
                "cspace",
                "MuJoCo has no acceleration and jerk limits, and drives no joint without actuators",
            )
        out.translated("root", "it is fixed; a robot that walks or drives needs a <freejoint/>")


def _in_the_world(body: NewElement) -> tuple[NewElement, ...]:
    """The body of a root; what is in it where it is called as MuJoCo calls the world itself."""
    if ("name", WORLD) not in body.attributes:
        return (body,)
    return tuple(part for part in body.children if part.tag != "inertial")


def _names_of(body: NewElement) -> Iterable[str]:
    waiting = [body]
    while waiting:
        element = waiting.pop()
        if element.tag == "body":
            yield dict(element.attributes)["name"]
            waiting += element.children


def _classes() -> Sequence[NewElement]:
    shown = build_piece("geom", contype="0", conaffinity="0", group="2", mass="0")
    solid = build_piece("geom", group="3", density="0")
    return (
        build_piece("default", shown, **{"class": VISUAL}),
        build_piece("default", solid, **{"class": COLLISION}),
        spheres_class(collide=True),
    )


def _place(origin: Origin) -> dict[str, str]:
    if origin == IDENTITY:
        return {}
    if origin.quat_xyzw is not None:
        x, y, z, w = origin.quat_xyzw
        return {"pos": format_xml_numbers(origin.xyz), "quat": format_xml_numbers((w, x, y, z))}
    turned = {"euler": format_xml_numbers(origin.rpy)} if any(origin.rpy) else {}
    return {"pos": format_xml_numbers(origin.xyz), **turned}


def _primitive(geometry: Geometry) -> dict[str, str]:
    """MuJoCo's sizes are halves."""
    if isinstance(geometry, Box):
        return {"type": "box", "size": format_xml_numbers([edge / 2 for edge in geometry.size])}
    if isinstance(geometry, Ball):
        return {"type": "sphere", "size": format_xml_number(geometry.radius)}
    assert not isinstance(geometry, Mesh)
    kind = "capsule" if isinstance(geometry, Capsule) else "cylinder"
    return {"type": kind, "size": format_xml_numbers((geometry.radius, geometry.length / 2))}


def _is_of_a_body(tensor: F64) -> bool:
    """Whether its moments are positive and fulfil A + B ≥ C, as MuJoCo asks."""
    if not np.isfinite(tensor).all():
        return False
    small, middle, large = np.linalg.eigvalsh(tensor)
    return bool(small > 1e-15 and small + middle >= large * (1 - 1e-9))


def _area(vertices: F64, faces: npt.NDArray[np.integer]) -> float:
    corners = vertices[faces]
    return float(
        np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
        ).sum()
    )
