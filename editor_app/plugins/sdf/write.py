"""A robot as an SDF 1.11: links and joints where the URDF has them, each pose relative to the
element before it.

A link without mass and shape on a fixed joint becomes two frames, called like joint and link, as
libsdformat reads a URDF. Others need a mass: SDF says 1 kg where none is written.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.meshes import colour_of
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Capsule,
    Collision,
    Extension,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    Urdf,
    Visual,
)
from editor_app.core.space.kinematics.transforms import (
    inertia_tensor,
    link_tensor,
    matrix_to_quaternion,
    quaternion_matrix,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.core.text.xml.morph import (
    build_piece,
    format_document,
    format_xml_number,
    format_xml_numbers,
)
from editor_app.core.text.xml.splices import NewElement
from editor_app.plugins.sdf.frames import WORLD
from editor_app.plugins.sdf.shapes import shape_name

VERSION = "1.11"
#: Kilograms and kg m², of a link whose URDF says nothing of them.
_MASS, _INERTIA = 1e-3, 1e-6
_MOST = 6
_TYPES = {
    JointType.REVOLUTE: "revolute",
    JointType.CONTINUOUS: "continuous",
    JointType.PRISMATIC: "prismatic",
    JointType.FIXED: "fixed",
}
_TENSOR = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))


def sdf_text(urdf: Urdf) -> tuple[str, ConversionReport]:
    """The text of an SDF with one model, and what it cannot store."""
    return _Writing(urdf).text()


@dataclass
class _Writing:
    urdf: Urdf
    out: Reporter = field(default_factory=lambda: Reporter("URDF", f"SDF {VERSION}"))
    #: Name in the URDF -> name in the SDF, of links and of joints.
    links: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    weightless: list[str] = field(default_factory=list)
    #: What cannot be stored -> the links or joints that have it.
    lost: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        urdf = self.urdf
        self.materials = urdf.materials_by_name()
        self.carrying = {joint.child: joint for joint in urdf.joints}
        moving = {
            end
            for joint in urdf.joints
            if joint.type is not JointType.FIXED
            for end in (joint.parent, joint.child)
        }
        bare = {link.name for link in urdf.links if _is_bare(link)}
        self.frames = (bare & self.carrying.keys()) - moving
        is_on_world = WORLD in bare and WORLD not in self.carrying
        self._name_parts({WORLD} if is_on_world else set())

    def _name_parts(self, kept: set[str]) -> None:
        """Name links and joints, each name once, but for the names that are `kept`."""
        taken: set[str] = {WORLD}
        for kind, parts, table in (
            ("link", self.urdf.links, self.links),
            ("joint", self.urdf.joints, self.joints),
        ):
            for name in [part.name for part in parts]:
                is_kept = kind == "link" and name in kept
                table[name] = name if is_kept else find_free_name(_plain(name) or kind, taken)
                taken.add(table[name])
        renamed = [
            f"{n} is {s}" for table in (self.links, self.joints) for n, s in table.items() if n != s
        ]
        if renamed:
            detail = "SDF reserves a name, or uses it once for links and joints"
            self.out.translated("names", f"{format_list(renamed, _MOST)}: {detail}")

    def text(self) -> tuple[str, ConversionReport]:
        urdf = self.urdf
        parts = [part for link in urdf.links for part in self._link(link)]
        parts += [part for joint in urdf.joints for part in self._joint(joint)]
        if not any(part.tag == "link" for part in parts):
            parts.insert(
                0,
                build_piece(
                    "link", *self._inertial(Link("link")), name=find_free_name("link", self.links)
                ),
            )
            self.out.invented("link", "a model of SDF needs one, and the URDF has none")
        model = build_piece("model", *parts, name=_plain(urdf.name) or "robot")
        self._tell()
        return format_document(build_piece("sdf", model, version=VERSION)), self.out.report()

    # -- links

    def _link(self, link: Link) -> Iterator[NewElement]:
        name, joint = self.links[link.name], self.carrying.get(link.name)
        if name == WORLD:
            return
        if link.name in self.frames and joint is not None:
            yield build_piece("frame", name=name, attached_to=self.joints[joint.name])
            return
        place = []
        if joint is not None:
            base = (
                self.joints[joint.name]
                if joint.type in _TYPES or joint.type is JointType.PLANAR
                else ""
            )
            place = (
                [build_piece("pose", relative_to=base)]
                if base
                else [self._pose(joint.origin, joint.parent)]
            )
        parts = [*place, *self._inertial(link)]
        taken: set[str] = set()
        numbers = Counter[str]()
        for shape in link.shapes:
            tag = "visual" if isinstance(shape, Visual) else "collision"
            called = find_free_name(
                _plain(shape.name or "") or shape_name(name, tag, numbers[tag]), taken
            )
            numbers[tag] += 1
            taken.add(called)
            parts.append(self._shape(tag, called, shape))
        yield build_piece("link", *parts, *self._sensors(link), name=name)

    def _inertial(self, link: Link) -> list[NewElement]:
        inertial = link.inertial
        tensor = link_tensor(inertial) if inertial is not None else np.zeros((3, 3))
        origin = inertial.origin if inertial is not None else IDENTITY
        if inertial is None or not 0 < inertial.mass < math.inf:
            self.weightless.append(link.name)
            return [_mass(IDENTITY, _MASS, np.eye(3) * _INERTIA)]
        if not _is_of_a_body(tensor):
            self.out.lost(
                f"inertia of {link.name}", "physically impossible: replaced by a ball of its mass"
            )
            return [_mass(origin, inertial.mass, np.eye(3) * inertial.mass * _INERTIA / _MASS)]
        return [_mass(origin, inertial.mass, inertia_tensor(inertial))]

    def _shape(self, tag: str, name: str, shape: Visual | Collision) -> NewElement:
        parts = [] if shape.origin == IDENTITY else [self._pose(shape.origin)]
        parts.append(build_piece("geometry", _geometry(shape.geometry)))
        if isinstance(shape, Visual):
            rgba = colour_of(shape, self.materials)
            if rgba is not None:
                colours = (
                    build_piece(kind, text=format_xml_numbers(rgba))
                    for kind in ("ambient", "diffuse")
                )
                parts.append(build_piece("material", *colours))
            if shape.material is not None and shape.material.texture is not None:
                self.lost.setdefault("texture", []).append(name)
        return build_piece(tag, *parts, name=name)

    def _sensors(self, link: Link) -> Iterator[NewElement]:
        extensions = [
            *link.extensions,
            *(e for e in self.urdf.extensions if e.reference == link.name),
        ]
        taken: set[str] = set()
        for extension in extensions:
            for sensor in _sensors_in(extension):
                name = find_free_name(sensor.get("name") or "sensor", taken)
                taken.add(name)
                yield _copied(sensor, name)

    # -- joints

    def _joint(self, joint: Joint) -> Iterator[NewElement]:
        name = self.joints[joint.name]
        if joint.parent not in self.links or joint.child not in self.links:
            self.out.lost(f"joint {joint.name}", "a link of it does not exist")
            return
        if self.carrying[joint.child] is not joint:
            self.out.lost(f"joint {joint.name}", f"another joint carries {joint.child}, too")
            return
        pose = self._pose(joint.origin, joint.parent)
        if not joint.is_movable and any((joint.limit, joint.mimic, joint.dynamics)):
            self.lost.setdefault("limit, mimic and dynamics of joints that do not move", []).append(
                joint.name
            )
        if joint.child in self.frames:
            place = [] if joint.origin == IDENTITY else [_pose(joint.origin)]
            yield build_piece("frame", *place, name=name, attached_to=self.links[joint.parent])
            return
        if joint.type is JointType.FLOATING:
            self.out.lost(
                f"joint {joint.name}", "it is floating: the link moves freely, at its place"
            )
            return
        if joint.type is JointType.PLANAR:
            self.out.lost(
                f"joint {joint.name}", "it is planar, which SDF does not have: the link is fixed"
            )
        for part, value in (
            ("safety_controller", joint.safety),
            ("calibration", joint.calibration),
        ):
            if value is not None:
                self.lost.setdefault(part, []).append(joint.name)
        ends = (
            build_piece("parent", text=self.links[joint.parent]),
            build_piece("child", text=self.links[joint.child]),
        )
        axis = [self._axis(joint)] if joint.is_movable else []
        yield build_piece(
            "joint", pose, *ends, *axis, name=name, type=_TYPES.get(joint.type, "fixed")
        )

    def _axis(self, joint: Joint) -> NewElement:
        limit, dynamics, mimic = joint.limit, joint.dynamics, joint.mimic
        axis = joint.axis
        if not any(axis):
            self.out.lost(f"axis of {joint.name}", "it has no direction: 1 0 0 is written")
            axis = (1.0, 0.0, 0.0)
        parts = [build_piece("xyz", text=format_xml_numbers(axis))]
        if mimic is not None and mimic.joint in self.joints and mimic.joint != joint.name:
            numbers = (
                ("multiplier", mimic.multiplier),
                ("offset", mimic.offset),
                ("reference", 0.0),
            )
            inner = (build_piece(tag, text=format_xml_number(value)) for tag, value in numbers)
            parts.append(build_piece("mimic", *inner, joint=self.joints[mimic.joint], axis="axis"))
        bounds = joint.position_limits
        values = [] if bounds is None else [("lower", bounds[0]), ("upper", bounds[1])]
        most = [("effort", limit.effort), ("velocity", limit.velocity)] if limit is not None else []
        values += [
            (tag, value) for tag, value in most if value is not None and 0 <= value < math.inf
        ]
        if limit is not None and any(
            v is not None for v in (limit.acceleration, limit.deceleration, limit.jerk)
        ):
            self.lost.setdefault("limits of acceleration and jerk", []).append(joint.name)
        parts.append(
            build_piece("limit", *(build_piece(tag, text=_number(value)) for tag, value in values))
        )
        if dynamics is not None:
            given = (("damping", dynamics.damping), ("friction", dynamics.friction))
            inner = (
                build_piece(tag, text=format_xml_number(v)) for tag, v in given if v is not None
            )
            parts.append(build_piece("dynamics", *inner))
        return build_piece("axis", *parts)

    def _pose(self, origin: Origin, parent: str | None = None) -> NewElement:
        """`parent`: a link of the URDF that the pose is relative to; None for the element's usual
        frame."""
        if parent is None:
            return _pose(origin)
        base = self.links.get(parent, WORLD)
        return _pose(origin, relative_to="__model__" if base == WORLD else base)

    def _tell(self) -> None:
        urdf, out = self.urdf, self.out
        out.taken(
            "links and joints",
            f"{format_count(len(urdf.links), 'link')}, {format_count(len(urdf.joints), 'joint')}",
        )
        if self.frames:
            out.translated(
                "links without shape", f"frames: {format_list(sorted(self.frames), _MOST)}"
            )
        if self.weightless:
            detail = f"{_MASS:g} kg, because the URDF has none, and SDF needs one"
            out.invented(f"mass of {format_list(self.weightless, _MOST)}", detail)
        for item, names in self.lost.items():
            out.lost(item, f"of {format_list(names, _MOST)}: SDF cannot store it")
        tell_contact(urdf, out.lost, "Gazebo uses its default friction and stiffness")
        others = [e for e in urdf.extensions if not any(True for _ in _sensors_in(e))]
        others += [e for link in urdf.links for e in link.extensions]
        others += [e for joint in urdf.joints for e in joint.extensions]
        if others:
            tags = format_list(dict.fromkeys(extension.tag for extension in others), _MOST)
            out.lost(
                "extensions",
                f"{format_count(len(others), 'element')} that URDF does not define: {tags}",
            )
        if urdf.transmissions:
            out.lost("transmission", format_list([each.name for each in urdf.transmissions], _MOST))
        if urdf.sensors:
            out.lost(
                "sensor",
                f"{format_list([each.name for each in urdf.sensors], _MOST)}: sensors of Gazebo "
                "only",
            )


def _is_bare(link: Link) -> bool:
    return link.inertial is None and not link.shapes and not link.extensions


def _plain(name: str) -> str:
    """The name without what SDF reserves: `::` between models, and underscores at both ends."""
    name = name.replace("::", "_").strip()
    return name.strip("_") if name.startswith("__") and name.endswith("__") else name


def _pose(origin: Origin, **attributes: str) -> NewElement:
    if origin.quat_xyzw is not None:
        try:
            w, x, y, z = matrix_to_quaternion(
                quaternion_matrix((origin.quat_xyzw[3], *origin.quat_xyzw[:3]))
            )
        except ValueError:
            return build_piece(
                "pose", text=format_xml_numbers((*origin.xyz, 0.0, 0.0, 0.0)), **attributes
            )
        numbers = format_xml_numbers((*origin.xyz, x, y, z, w))
        return build_piece("pose", text=numbers, rotation_format="quat_xyzw", **attributes)
    return build_piece("pose", text=format_xml_numbers((*origin.xyz, *origin.rpy)), **attributes)


def _mass(origin: Origin, mass: float, tensor: np.ndarray) -> NewElement:
    """`tensor` (3, 3) kg m² about the centre of mass, in the axes of `origin`."""
    inertia = build_piece(
        "inertia",
        *(build_piece(tag, text=format_xml_number(float(tensor[i, k]))) for tag, i, k in _TENSOR),
    )
    place = [] if origin == IDENTITY else [_pose(origin)]
    return build_piece(
        "inertial", *place, build_piece("mass", text=format_xml_number(mass)), inertia
    )


def _is_of_a_body(tensor: np.ndarray) -> bool:
    """Whether the moments are positive and fulfil A + B ≥ C, as libsdformat asks."""
    if not np.isfinite(tensor).all():
        return False
    small, middle, large = np.linalg.eigvalsh(tensor)
    return bool(small > 0 and small + middle >= large * (1 - 1e-6))


def _geometry(geometry: Geometry) -> NewElement:
    if isinstance(geometry, Box):
        return build_piece("box", build_piece("size", text=format_xml_numbers(geometry.size)))
    if isinstance(geometry, Ball):
        return build_piece("sphere", build_piece("radius", text=format_xml_number(geometry.radius)))
    if isinstance(geometry, Mesh):
        scale = (
            []
            if geometry.scale == (1.0, 1.0, 1.0)
            else [build_piece("scale", text=format_xml_numbers(geometry.scale))]
        )
        return build_piece("mesh", build_piece("uri", text=geometry.filename), *scale)
    sizes = (("radius", geometry.radius), ("length", geometry.length))
    tag = "capsule" if isinstance(geometry, Capsule) else "cylinder"
    return build_piece(
        tag, *(build_piece(name, text=format_xml_number(value)) for name, value in sizes)
    )


def _number(value: float) -> str:
    return format_xml_number(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _sensors_in(extension: Extension) -> Iterable[XmlElement]:
    """The sensors of a <gazebo> element, which are SDF's."""
    if extension.tag != "gazebo" or extension.reference is None:
        return []
    try:
        return parse_xml(SourceText.from_text(extension.text)).root.all("sensor")
    except FormatError:
        return []


def _copied(element: XmlElement, name: str | None = None) -> NewElement:
    attributes = {each.name: each.value for each in element.attributes if ":" not in each.name}
    if name is not None:
        attributes["name"] = name
    children = tuple(_copied(child) for child in element.children if ":" not in child.tag)
    return NewElement(element.tag, tuple(attributes.items()), children, element.text)
