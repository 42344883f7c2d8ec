"""Links of an SDF as links of a URDF: inertia, visual and collision shapes, sensors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.meshes import make_plain_name, obj_bytes
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Collision,
    Cylinder,
    Extension,
    Geometry,
    Inertial,
    Link,
    Material,
    Mesh,
    Visual,
)
from editor_app.core.space.geometry.mass import (
    SolidProperties,
    compute_primitive_solid,
    compute_solid_properties,
    join_solids,
)
from editor_app.core.space.geometry.mesh import (
    Faces,
    Vertices,
    build_primitive,
    merge_parts,
    revolved,
)
from editor_app.core.space.geometry.paths import (
    has_package_scheme,
    package_option,
    resolve_mesh_path,
    written_name,
)
from editor_app.core.space.kinematics.transforms import Matrix, build_origin, transform
from editor_app.plugins.sdf.models import ModelElement, Models
from editor_app.plugins.sdf.nodes import SdfElement, SdfFile
from editor_app.plugins.sdf.polygons import extruded

#: kg/m³ where an inertia is computed of shapes and no density is named.
_DENSITY = 1000.0
_SEGMENTS = 48
_IDENTITY = ("ixx", "iyy", "izz")
#: Elements of links, visuals and collisions that are read, or say nothing about the robot.
_OF_LINKS = frozenset(
    {
        "pose",
        "inertial",
        "visual",
        "collision",
        "sensor",
        "self_collide",
        "gravity",
        "enable_wind",
        "kinematic",
    }
    | {"must_be_base_link"}
)
_OF_SHAPES = frozenset(
    {"pose", "geometry", "material", "transparency", "density", "max_contacts", "laser_retro"}
)
_OF_MATERIALS = frozenset(
    {"diffuse", "ambient", "specular", "emissive", "lighting", "shininess", "double_sided"}
)
#: What SDF shapes have no place in a URDF, and are no part of a robot.
_SURROUNDINGS = ("plane", "heightmap", "image")

#: A shape, and where it is in the frame of the visual or collision.
_Placed = tuple[Geometry, Matrix]
#: The parts of a mesh in metres (`geometry.mesh.MeshPart`), by its name in the URDF.
LoadMesh = Callable[[Mesh], Sequence[Any]]


@dataclass
class SdfShapes:
    """`files`: meshes that are written beside the URDF, by their names; `folder` is for them."""

    models: Models
    out: Reporter
    load: LoadMesh | None
    folder: str
    files: dict[str, bytes] = field(default_factory=dict)
    sensors: list[Extension] = field(default_factory=list)
    #: What became of shapes -> how many.
    counts: dict[str, int] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)
    unweighed: list[str] = field(default_factory=list)
    #: Names of meshes that were not found, in the order of the file.
    missing: dict[str, None] = field(default_factory=dict)

    def link(self, part: ModelElement) -> Link:
        node = part.node
        for child in node.children():
            if child.tag not in _OF_LINKS:
                self.lost.setdefault(child.tag, []).append(part.name)
        for sensor in node.children("sensor"):
            element = f"<gazebo reference={quoteattr(part.name)}>{sensor.source}</gazebo>"
            self.sensors.append(Extension("gazebo", element, part.name))
        visuals = tuple(
            visual
            for number, child in enumerate(node.children("visual"))
            for visual in self._visuals(part, child, _stated_name(child, node.name, number))
        )
        collisions = tuple(
            Collision(shape, build_origin(place), _stated_name(child, node.name, number))
            for number, child in enumerate(node.children("collision"))
            for shape, place in self._shapes(part, child)
        )
        return Link(part.name, self._inertial(part), visuals, collisions)

    def tell(self) -> None:
        """Add to the report."""
        by_option: dict[str, list[str]] = {}
        for name in self.missing:
            by_option.setdefault(package_option(name), []).append(name)
        for option, names in by_option.items():
            verb = "was" if len(names) == 1 else "were"
            self.out.not_found(
                "mesh",
                f"{format_list(names, 3)} {verb} not found. Name the folder: {option}",
                names[0],
            )
        for sentence, count in self.counts.items():
            self.out.translated("geometry", f"{count} {sentence}")
        for tag, names in self.lost.items():
            self.out.lost(tag, f"of {format_list(dict.fromkeys(names), 8)}: a URDF cannot store it")
        if self.sensors:
            self.out.translated(
                "sensor", f"{format_count(len(self.sensors), 'sensor')} in <gazebo> elements"
            )
        if self.unweighed:
            detail = (
                f"1 kg, as SDF says of links without <inertial>: {format_list(self.unweighed, 8)}"
            )
            self.out.translated("inertial", detail)

    # -- inertia

    def _inertial(self, part: ModelElement) -> Inertial:
        node = part.node.child("inertial")
        if node is None:
            self.unweighed.append(part.name)
            return Inertial(1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
        if node.get("auto").lower() in ("1", "true"):
            return self._computed(part, node)
        for child in node.children():
            if child.tag not in ("mass", "pose", "inertia"):
                self.lost.setdefault(f"inertial/{child.tag}", []).append(part.name)
        numbers = []
        for tag in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
            numbers.append(node.finite(f"inertia/{tag}", 1.0 if tag in _IDENTITY else 0.0))
        xx, xy, xz, yy, yz, zz = numbers
        return Inertial(
            node.finite("mass", 1.0), (xx, xy, xz, yy, yz, zz), build_origin(node.pose())
        )

    def _computed(self, part: ModelElement, inertial: SdfElement) -> Inertial:
        """What `auto="true"` asks for: the collision shapes, filled with a material."""
        solids, mass = [], 0.0
        usual = inertial.finite("density", _DENSITY)
        for node in part.node.children("collision"):
            density = node.finite("density", usual)
            for shape, place in self._shapes(part, node):
                solid = self._solid(shape, place)
                if solid is not None:
                    scaled = SolidProperties(
                        solid.volume * density, solid.centre, solid.inertia * density, True
                    )
                    solids.append(scaled)
                    mass += scaled.volume
        whole = join_solids(solids)
        if whole is None or not mass > 0:
            self.out.unread(
                f"inertial of {part.name}",
                "it is to be computed from collision shapes, which enclose nothing",
            )
            return Inertial(1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
        if inertial.child("mass") is not None and inertial.finite("mass", 1.0) > 0:
            # A mass that is named scales the density of all shapes.
            mass = inertial.finite("mass", 1.0)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (whole.inertia * (mass / whole.volume)).tolist()
        self.out.translated(f"inertial of {part.name}", "computed from its collision shapes")
        return Inertial(mass, (xx, xy, xz, yy, yz, zz), build_origin(transform(None, whole.centre)))

    def _solid(self, shape: Geometry, place: Matrix) -> SolidProperties | None:
        if not isinstance(shape, Mesh):
            return compute_primitive_solid(shape, build_origin(place))
        parts = self.load(shape) if self.load is not None else ()
        if not parts:
            return None
        vertices, faces = merge_parts(tuple(parts))
        return compute_solid_properties(vertices @ place[:3, :3].T + place[:3, 3], faces)

    # -- visuals and collisions

    def _visuals(self, part: ModelElement, node: SdfElement, name: str | None) -> Iterator[Visual]:
        material = self._material(part, node)
        for shape, place in self._shapes(part, node):
            yield Visual(shape, build_origin(place), material, name)

    def _material(self, part: ModelElement, node: SdfElement) -> Material | None:
        material = node.child("material")
        colour = None
        for each in material.children() if material is not None else ():
            if each.tag not in _OF_MATERIALS:
                self.lost.setdefault(f"material/{each.tag}", []).append(part.name)
        if material is not None:
            chosen = material.child("diffuse") or material.child("ambient")
            colour = _colour(chosen) if chosen is not None else None
        opacity = 1.0 - min(max(node.finite("transparency", 0.0), 0.0), 1.0)
        if colour is None:
            return None
        red, green, blue, alpha = colour
        rgba = (red, green, blue, round(alpha * opacity, 6))
        return Material("rgba " + " ".join(f"{v:g}" for v in rgba), rgba)

    def _shapes(self, part: ModelElement, node: SdfElement) -> list[_Placed]:
        """The shapes of a visual or collision, each with its place on the link."""
        for child in node.children():
            if child.tag not in _OF_SHAPES:
                self.lost.setdefault(f"{node.tag}/{child.tag}", []).append(part.name)
        place = node.pose()
        if base := node.pose_base():
            place = self.models.frames.relative(part.scope.full_name(base), part.name, node) @ place
        geometry = node.child("geometry")
        shapes: list[_Placed] = []
        polylines = list(geometry.children("polyline")) if geometry is not None else []
        if polylines:
            shapes += self._polylines(polylines, part)
        for shape in geometry.children() if geometry is not None else ():
            if shape.tag in _SURROUNDINGS:
                self.lost.setdefault(f"{node.tag}/geometry/{shape.tag}", []).append(part.name)
            elif shape.tag not in ("polyline", "empty"):
                shapes += self._shape(shape, part)
        return [(shape, place @ offset) for shape, offset in shapes]

    def _shape(self, node: SdfElement, part: ModelElement) -> list[_Placed]:
        at = np.eye(4)
        if node.tag == "box":
            return [(Box(node.vector("size", (1.0, 1.0, 1.0))), at)]
        if node.tag == "sphere":
            return [(Ball(node.finite("radius", 1.0)), at)]
        if node.tag == "mesh":
            return [(self._mesh(node, part), at)]
        if node.tag == "ellipsoid":
            x, y, z = node.vector("radii", (1.0, 1.0, 1.0))
            self._count("ellipsoids: a scaled mesh, inside the surface by up to 1 %")
            ball = merge_parts(build_primitive(Ball(1.0), _SEGMENTS).parts)
            return [(Mesh(self._add_file("ellipsoid", *ball), (x, y, z)), at)]
        if node.tag not in ("cylinder", "capsule", "cone"):
            self.lost.setdefault(f"geometry/{node.tag}", []).append(part.name)
            return []
        radius, length = node.finite("radius", 1.0), node.finite("length", 1.0)
        if node.tag == "cylinder":
            return [(Cylinder(radius, length), at)]
        if node.tag == "capsule":
            self._count("capsules: a cylinder and two spheres each")
            ends = [(Ball(radius), transform(None, (0, 0, side * length / 2))) for side in (-1, 1)]
            return [(Cylinder(radius, length), at), *ends]
        self._count("cones: a scaled mesh")
        cone = merge_parts(
            revolved([(0.0, -0.5), (1.0, -0.5), (0.0, 0.5)], "cone", _SEGMENTS).parts
        )
        return [(Mesh(self._add_file("cone", *cone), (radius, radius, length)), at)]

    def _polylines(self, nodes: list[SdfElement], part: ModelElement) -> list[_Placed]:
        outlines = [
            np.array([point.numbers(2) for point in node.children("point")]) for node in nodes
        ]
        height = nodes[0].finite("height", 1.0)
        solid = extruded(outlines[0], height) if len(outlines) == 1 else None
        if solid is None:
            reason = "polyline with holes, or that crosses itself"
            self.lost.setdefault(f"geometry/{reason}", []).append(part.name)
            return []
        self._count("polylines: a mesh each")
        return [(Mesh(self._add_file(f"polyline_{len(self.files)}", *solid)), np.eye(4))]

    # -- meshes

    def _mesh(self, node: SdfElement, part: ModelElement) -> Mesh:
        scale = node.vector("scale", (1.0, 1.0, 1.0))
        name = self._mesh_name(node.word("uri"), node.file)
        if not name:
            raise node.error("The <mesh> has no <uri>", "Name its file.")
        submesh = node.child("submesh")
        if submesh is None:
            return Mesh(name, scale)
        wanted = submesh.word("name")
        parts = [
            p for p in (self.load(Mesh(name)) if self.load is not None else ()) if p.name == wanted
        ]
        if not parts:
            self.out.unread(
                f"submesh {wanted} of {part.name}",
                f"{name} has no part of that name: all of it is used",
            )
            return Mesh(name, scale)
        vertices, faces = merge_parts(tuple(parts))
        if submesh.is_on("center"):
            vertices = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2
        self._count("submeshes: a mesh each")
        stem = f"{name.rpartition('/')[2].rpartition('.')[0]}_{wanted}{'_centred' if submesh.is_on('center') else ''}"
        return Mesh(self._add_file(stem, vertices, faces), scale)

    def _mesh_name(self, uri: str, file: SdfFile) -> str:
        """How the URDF calls a mesh: relative where the file is in the folder of the SDF, so that
        it can be copied."""
        name = uri.strip().replace("\\", "/")
        if "://" not in name and file.uri and not name.startswith("/"):
            name = f"{file.uri}/{name}"
        home = self.models.sources.path
        path = resolve_mesh_path(name, home, self.models.sources.packages) if name else None
        if path is None:
            if name:
                self.missing.setdefault(name, None)
            return name
        folder = os.path.abspath(home.parent)
        if os.path.abspath(path).startswith(os.path.join(folder, "")):
            return os.path.relpath(path, folder).replace(os.sep, "/")
        is_portable = has_package_scheme(name) and ".." not in name.split("/")
        return name if is_portable else written_name(path, home)

    def _add_file(self, stem: str, vertices: Vertices, faces: Faces) -> str:
        name = f"{self.folder}/{make_plain_name(stem)}.obj"
        self.files.setdefault(name, obj_bytes(vertices, faces))
        return name

    def _count(self, sentence: str) -> None:
        self.counts[sentence] = self.counts.get(sentence, 0) + 1


def shape_name(link: str, tag: str, number: int) -> str:
    """The name of a visual or collision that has none: SDF needs one."""
    return f"{link}_{tag}_{number}"


def _stated_name(node: SdfElement, link: str, number: int) -> str | None:
    return None if node.name in ("", shape_name(link, node.tag, number)) else node.name


def _colour(node: SdfElement) -> tuple[float, float, float, float] | None:
    """Of three or four numbers; the last is 1 where it is absent."""
    count = len(node.text.split())
    if not count:
        return None
    red, green, blue, *alpha = (
        min(max(v, 0.0), 1.0) for v in node.numbers(count if count in (3, 4) else 4)
    )
    return red, green, blue, alpha[0] if alpha else 1.0
