"""Nodes, geometries, looks and masses."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from editor_app.core.formats.exchange.meshes import colour_of
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.counting import format_count
from editor_app.core.model.origin import Origin
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Inertial,
    JointType,
    Link,
    Mesh,
    Visual,
)
from editor_app.core.space.geometry.mesh import MeshPart, Rgba, build_primitive, merge_parts
from editor_app.core.space.kinematics.transforms import apply, inertia_tensor
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.morph import build_piece, format_xml_number, format_xml_numbers
from editor_app.plugins.collada.documents import MAX_BYTES
from editor_app.plugins.collada.transforms import Matrix, build_pose_matrix, name_for
from editor_app.plugins.collada.writing.kinematics import is_fixed
from editor_app.plugins.collada.writing.state import (
    E,
    Writing,
    openrave_extra,
    own_extra,
    write_pose,
)


class BodyWriter:
    """`bindings` and the libraries are complete when `scene_node` has been called."""

    def __init__(self, state: Writing) -> None:
        self.state = state
        self._links = {link.name: link for link in state.robot.urdf.links}
        self._materials = state.robot.urdf.materials_by_name()
        self.geometries: list[E] = []
        self.bindings: list[E] = []
        self._looks: dict[tuple[object, ...], str] = {}
        self._effects: list[E] = []
        self._images: dict[str, E] = {}
        self._shared: dict[Mesh, tuple[str, list[MeshPart]] | None] = {}
        self._parts_of: dict[Mesh, list[MeshPart]] = {}

    def libraries(self) -> list[E]:
        """<library_images> to <library_geometries>, those that are not empty."""
        materials = tuple(
            build_piece(
                "material", build_piece("instance_effect", url=f"#{name}"), id=f"{name}_material"
            )
            for name in self._looks.values()
        )
        libraries = [
            ("library_images", tuple(self._images.values())),
            ("library_effects", tuple(self._effects)),
            ("library_materials", materials),
            ("library_geometries", tuple(self.geometries)),
        ]
        return [build_piece(tag, *children) for tag, children in libraries if children]

    def scene_node(self) -> E:
        """The node of the root link, with all others in it."""
        node = self._nodes()
        for link in self.state.robot.urdf.links:
            if link.name in self.state.world:
                self._bind(link)
        self._bind_spheres()
        return node

    # -- nodes

    def _nodes(self) -> E:
        """Made from the root on, put together from the leaves: chains may be long."""
        state = self.state
        single_nodes = {name: self._node(name) for name in state.order}
        nodes: dict[str, E] = {}
        for name in reversed(state.order):
            below = tuple(nodes.pop(j.child) for j in state.structure.outgoing.get(name, ()))
            nodes[name] = replace(
                single_nodes[name], children=(*single_nodes[name].children, *below)
            )
        return nodes[state.root]

    def _node(self, name: str) -> E:
        """Without the nodes of other links."""
        state = self.state
        joint = state.structure.incoming.get(name)
        link = self._links.get(name) or Link(name)
        parts: list[E] = []
        if joint is not None:
            parts += write_pose(build_pose_matrix(joint.origin), always=True)
            sid = f"node_{state.joints[joint.name]}_axis0"
            if joint.type == JointType.PRISMATIC and not is_fixed(joint):
                parts.append(build_piece("translate", text="0 0 0", sid=sid))
            else:
                axis = (1.0, 0.0, 0.0) if is_fixed(joint) else joint.axis
                parts.append(build_piece("rotate", text=f"{format_xml_numbers(axis)} 0", sid=sid))
        instances, nodes = [], []
        for number, visual in enumerate(link.visuals):
            instance = self._instance(visual, link.name, number)
            if instance is not None and visual.origin != Origin():
                nodes.append(
                    build_piece("node", *write_pose(build_pose_matrix(visual.origin)), instance)
                )
            elif instance is not None:
                instances.append(instance)
        i = state.number[name]
        return build_piece(
            "node", *parts, *instances, *nodes, id=f"node{i}", sid=f"node{i}", name=name
        )

    def _instance(self, visual: Visual, link: str, number: int) -> E | None:
        identifier, parts = self._visual_geometry(visual.geometry, link, number) or ("", [])
        if not identifier:
            return None
        rgba = colour_of(visual, self._materials)
        bound = []
        for i, part in enumerate(parts):
            texture = None if rgba is not None or part.uv is None else part.texture
            colour = rgba or part.rgba
            if colour is None and texture is None:
                continue
            target = f"#{self._material(colour, texture)}_material"
            uv_input = build_piece(
                "bind_vertex_input", semantic="UV0", input_semantic="TEXCOORD", input_set="0"
            )
            inner = (uv_input,) if texture is not None else ()
            bound.append(build_piece("instance_material", *inner, symbol=f"mat{i}", target=target))
        bind = (
            (build_piece("bind_material", build_piece("technique_common", *bound)),)
            if bound
            else ()
        )
        return build_piece("instance_geometry", *bind, sid=f"visual{number}", url=f"#{identifier}")

    def _visual_geometry(
        self, geometry: Geometry, link: str, number: int
    ) -> tuple[str, list[MeshPart]] | None:
        """Id and parts; a mesh that several visuals show is there once."""
        if not isinstance(geometry, Mesh):
            part = tessellated_of(geometry)
            info = info_of(geometry, np.eye(4))
            return self._add(f"{self.state.links[link]}_visual", link, [part], [info]), [part]
        if geometry not in self._shared:
            parts = self._mesh(geometry)
            stem = PurePosixPath(geometry.filename.replace("\\", "/")).stem or link
            triangles = [
                part if part.texture is not None else replace(part, uv=None) for part in parts
            ]
            name = (
                self._add(f"{self.state.links[link]}_visual", stem, triangles, []) if parts else ""
            )
            self._shared[geometry] = (name, parts) if parts else None
        if self._shared[geometry] is None:
            self._missing(geometry, link, "visual", number)
        return self._shared[geometry]

    def _missing(self, mesh: Mesh, link: str, kind: str, number: int) -> None:
        self.state.unwritten.append((link, kind, number))
        self.state.out.lost(
            f"mesh {mesh.filename}", "it was not found or cannot be read; its path is kept"
        )

    def _mesh(self, mesh: Mesh) -> list[MeshPart]:
        if mesh not in self._parts_of:
            parts = self.state.mesh_parts(mesh) if self.state.mesh_parts is not None else []
            self._parts_of[mesh] = [part for part in parts if len(part.faces)]
        return self._parts_of[mesh]

    def _add(
        self,
        stem: str,
        name: str,
        parts: list[MeshPart],
        extras: list[E | None],
        digits: int | None = None,
    ) -> str:
        """Adds a <geometry>, and gives its id."""
        identifier = f"{stem}_geom{len(self.geometries)}"
        extra = [e for e in extras if e is not None]
        self.geometries.append(
            build_piece(
                "geometry", _mesh(identifier, parts, digits), *extra, id=identifier, name=name
            )
        )
        return identifier

    # -- collision

    def _bind(self, link: Link) -> None:
        for number, collision in enumerate(link.collisions):
            mark = own_extra("slot", build_piece("collision", text=str(number)))
            self._bound(collision, link.name, "environment", number, mark)
        for kept in (
            k for k in self.state.kept if k.where == "self_collision" and k.owner == link.name
        ):
            text = f'<robot name="x" version="1.2"><link name="l">{kept.text}</link></robot>'
            try:
                shapes = read_urdf(SourceText.from_text(text)).value.links[0].collisions
            except (FormatError, IndexError):
                self.state.out.lost(
                    f"self-collision of {link.name}", "its extra in the URDF can no longer be read"
                )
                continue
            for number, collision in enumerate(shapes):
                self._bound(collision, link.name, "self", number, None)

    def _bound(
        self, collision: Collision, link: str, kind: str, number: int, mark: E | None
    ) -> None:
        """A geometry has no place of its own there: what moves it goes into its corners."""
        matrix = build_pose_matrix(collision.origin)
        shape = collision.geometry
        name = link
        use = "collision" if kind == "environment" else "self"
        unmoved = [tessellated_of(shape)] if not isinstance(shape, Mesh) else self._mesh(shape)
        if isinstance(shape, Mesh):
            name = PurePosixPath(shape.filename.replace("\\", "/")).stem or link
            if not unmoved:
                self._missing(shape, link, use, number)
                return
        parts = [MeshPart(apply(matrix, part.vertices), part.faces) for part in unmoved]
        identifier = self._add(
            f"{self.state.links[link]}_{use}", name, parts, [info_of(shape, matrix), mark]
        )
        self._binding(link, kind, identifier)

    def _binding(self, link: str, kind: str, identifier: str) -> None:
        path = self.state.link_path(link)
        self.bindings.append(
            build_piece("bind_instance_geometry", type=kind, link=path, url=f"#{identifier}")
        )

    def _bind_spheres(self) -> None:
        """The spheres of the XRDF for self-collision, as primitives."""
        xrdf = self.state.robot.xrdf
        vertices, faces = small_ball()
        count = 0
        for frame, spheres in xrdf.spheres_of(xrdf.self_group or xrdf.world_group).items():
            for number, sphere in enumerate(spheres):
                if frame not in self.state.world or sphere.radius <= 0:
                    continue
                matrix = build_pose_matrix(Origin(sphere.center))
                mark = own_extra("slot", build_piece("sphere", text=str(number)))
                part = MeshPart(apply(matrix, vertices * sphere.radius), faces)
                info = info_of(Ball(sphere.radius), matrix)
                self._binding(
                    frame,
                    "self",
                    self._add(f"{self.state.links[frame]}_sphere", frame, [part], [info, mark], 7),
                )
                count += 1
        if count:
            detail = (
                f"{format_count(count, 'sphere')} for self-collision, as primitives bound to their "
                "links"
            )
            self.state.out.translated("geometry", detail)

    # -- looks

    def _material(self, rgba: Rgba | None, picture: Path | None) -> str:
        key = (None if rgba is None else tuple(float(v) for v in rgba), picture)
        if key not in self._looks:
            name = f"effect{len(self._looks)}"
            self._looks[key] = name
            params: tuple[E, ...] = ()
            image = self._image(picture) if picture is not None else None
            r, g, b, a = rgba or (1.0, 1.0, 1.0, 1.0)
            seen_through = 0 < a < 1
            if image is not None:
                sampler = build_piece("sampler2D", build_piece("instance_image", url=f"#{image}"))
                params = (build_piece("newparam", sampler, sid=f"{name}_sampler"),)
                diffuse = build_piece("texture", texture=f"{name}_sampler", texcoord="UV0")
            else:
                diffuse = build_piece(
                    "color", text=format_xml_numbers((r, g, b, 1.0 if seen_through else a))
                )
            inner = [build_piece("diffuse", diffuse)]
            if seen_through:
                inner.append(
                    build_piece(
                        "transparent",
                        build_piece("color", text=format_xml_numbers((1.0, 1.0, 1.0, a))),
                        opaque="A_ONE",
                    )
                )
                inner.append(build_piece("transparency", build_piece("float", text="1")))
            shading = build_piece("technique", build_piece("phong", *inner), sid="common")
            profile = build_piece("profile_COMMON", *params, shading)
            self._effects.append(build_piece("effect", profile, id=name))
        return self._looks[key]

    def _image(self, picture: Path) -> str | None:
        try:
            data = read_regular(picture, MAX_BYTES)
        except (OSError, ValueError) as error:
            self.state.out.lost(
                f"picture {picture.name}", str(getattr(error, "strerror", None) or error)
            )
            return None
        name = name_for(self.state.beside, self.state.pictures, picture.name, data)
        self.state.beside[name] = data
        if name not in self._images:
            start = build_piece("init_from", build_piece("ref", text=name))
            self._images[name] = build_piece("image", start, id=f"image{len(self._images)}")
        return dict(self._images[name].attributes)["id"]

    # -- physics

    def physics(self) -> list[E]:
        """<library_physics_models> and <library_physics_scenes>; nothing for a robot without
        masses."""
        state = self.state
        bodies, instances = [], []
        for link in state.robot.urdf.links:
            if link.inertial is None or link.name not in state.world:
                continue
            i = state.number[link.name]
            moments, matrix = _principal(link.inertial)
            common = (
                build_piece("dynamic", text="true"),
                build_piece("mass", text=format_xml_number(link.inertial.mass)),
                build_piece(
                    "mass_frame", *write_pose(state.world[link.name] @ matrix, always=True)
                ),
                build_piece("inertia", text=format_xml_numbers(moments)),
            )
            bodies.append(
                build_piece(
                    "rigid_body",
                    build_piece("technique_common", *common),
                    sid=f"rigid{i}",
                    name=link.name,
                )
            )
            instances.append(
                build_piece("instance_rigid_body", body=f"rigid{i}", target=f"#node{i}")
            )
        if not bodies:
            return []
        model = build_piece(
            "physics_model", *bodies, id="pmodel0", name=state.robot.urdf.name or "robot"
        )
        instance = build_piece(
            "instance_physics_model",
            *instances,
            url="#pmodel0",
            sid="pmodel0_inst",
            parent="#visual0",
        )
        gravity = build_piece("technique_common", build_piece("gravity", text="0 0 -9.81"))
        scene = build_piece("physics_scene", instance, gravity, id="pscene")
        return [
            build_piece("library_physics_models", model, id="pmodels"),
            build_piece("library_physics_scenes", scene, id="pscenes"),
        ]


def _principal(inertial: Inertial) -> tuple[tuple[float, float, float], Matrix]:
    """Principal moments, and the frame of the mass in the link."""
    ixx, ixy, ixz, iyy, iyz, izz = inertial.inertia
    matrix = build_pose_matrix(inertial.origin)
    if not (ixy or ixz or iyz):
        return (ixx, iyy, izz), matrix
    values, vectors = np.linalg.eigh(inertia_tensor(inertial))
    if np.linalg.det(vectors) < 0:
        vectors[:, 0] = -vectors[:, 0]
    turn = np.eye(4)
    turn[:3, :3] = vectors
    a, b, c = (float(v) for v in values)
    return (a, b, c), matrix @ turn


def _mesh(identifier: str, parts: Sequence[MeshPart], digits: int | None) -> E:
    """<mesh> whose parts have the materials `mat0`, `mat1`, …; all digits unless `digits` says
    less."""
    # It has one <vertices>: the corners of all parts, one part after the other.
    place, start = f"{identifier}_0_positions", 0
    sources, blocks = (
        [_source(place, np.concatenate([p.vertices for p in parts]), "XYZ", digits)],
        [],
    )
    positions = build_piece("input", semantic="POSITION", source=f"#{place}")
    vertices = build_piece("vertices", positions, id=f"{identifier}_vertices")
    for number, part in enumerate(parts):
        inputs = [
            build_piece("input", offset="0", semantic="VERTEX", source=f"#{identifier}_vertices")
        ]
        corners = part.faces.ravel()
        rows = corners + start
        start += len(part.vertices)
        if part.uv is not None:
            place = f"{identifier}_{number}_uv"
            sources.append(_source(place, part.uv, "ST", digits))
            inputs.append(
                build_piece("input", offset="1", semantic="TEXCOORD", source=f"#{place}", set="0")
            )
            rows = np.stack([rows, corners], axis=1).ravel()
        indices = build_piece("p", text=" ".join(map(str, rows.tolist())))
        blocks.append(
            build_piece(
                "triangles", *inputs, indices, count=str(len(part.faces)), material=f"mat{number}"
            )
        )
    return build_piece("mesh", *sources, vertices, *blocks)


def _source(identifier: str, values: Any, axes: str, digits: int | None) -> E:
    numbers = values.ravel().tolist()
    text = " ".join(map(repr, numbers) if digits is None else (f"{v:.{digits}g}" for v in numbers))
    params = tuple(build_piece("param", name=n, type="float") for n in axes)
    array = build_piece("float_array", text=text, id=f"{identifier}_array", count=str(len(numbers)))
    counts = {"count": str(len(values)), "stride": str(len(axes))}
    accessor = build_piece("accessor", *params, source=f"#{identifier}_array", **counts)
    return build_piece("source", array, build_piece("technique_common", accessor), id=identifier)


def info_of(geometry: Geometry, matrix: Matrix) -> E | None:
    """OpenRAVE's `geometry_info`: the primitive that the triangles stand for, and where it stands
    among them."""
    if isinstance(geometry, Box):
        shape = build_piece(
            "box",
            build_piece("half_extents", text=format_xml_numbers([v / 2 for v in geometry.size])),
        )
    elif isinstance(geometry, Ball):
        shape = build_piece(
            "sphere", build_piece("radius", text=format_xml_number(geometry.radius))
        )
    elif isinstance(geometry, Cylinder | Capsule):
        radius = format_xml_number(geometry.radius)
        sizes = (
            build_piece("radius", text=radius),
            build_piece("height", text=format_xml_number(geometry.length)),
        )
        shape = build_piece("cylinder" if isinstance(geometry, Cylinder) else "capsule", *sizes)
    else:
        return None
    return openrave_extra("geometry_info", (shape, *write_pose(matrix)))


def tessellated_of(geometry: Geometry) -> MeshPart:
    """A primitive as its convex outline around z, 24 sides."""
    return MeshPart(*merge_parts(build_primitive(geometry, 24).parts))


@functools.cache
def small_ball() -> tuple[Any, Any]:
    """A unit sphere of 42 corners and 80 triangles, for files with thousands of spheres: an
    icosahedron split once."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [
        v
        for a in (-1.0, 1.0)
        for b in (-golden, golden)
        for v in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))
    ]
    points = [np.array(c) / math.hypot(*c) for c in corners]
    edge = min(float(np.linalg.norm(points[0] - p)) for p in points[1:]) * 1.01
    middles: dict[tuple[int, int], int] = {}

    def middle(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middles:
            m = points[a] + points[b]
            points.append(m / np.linalg.norm(m))
            middles[key] = len(points) - 1
        return middles[key]

    faces = []
    for a, b, c in combinations(range(12), 3):
        if max(np.linalg.norm(points[i] - points[j]) for i, j in ((a, b), (b, c), (c, a))) >= edge:
            continue
        if np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a]) < 0:
            b, c = c, b
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        faces += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.array(points), np.array(faces)
