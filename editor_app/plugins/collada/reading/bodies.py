"""Visuals, collisions and masses of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from editor_app.core.formats.urdf.patch import link_element
from editor_app.core.model.counting import format_count
from editor_app.core.model.urdf import (
    Ball,
    Collision,
    Geometry,
    Inertial,
    Link,
    Material,
    Mesh,
    Origin,
    Visual,
)
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.text.source import FormatError
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.splices import render
from editor_app.plugins.collada.documents import technique
from editor_app.plugins.collada.geometry import (
    Appearance,
    Read,
    TriangleBlock,
    looks,
    read_collada_geometry,
)
from editor_app.plugins.collada.reading.robots import Nodes, find_scene_node, nodes_of_links
from editor_app.plugins.collada.reading.state import ColladaReading, Model
from editor_app.plugins.collada.transforms import (
    MESH_FOLDER,
    OWN_PROFILE,
    RADIAN_WRITERS,
    Kept,
    Matrix,
    build_origin,
    build_pose_matrix,
    each,
    file_name,
    floats_in,
    inner,
    is_rigid,
    name_for,
    product,
)

#: Of nodes and geometries, each as often as it is instantiated.
_MOST_VISITS = 20_000
#: Of all mesh files together: a geometry that is shown in many sizes becomes a file for each.
_MOST_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class StoredShapes:
    """The shapes recorded in an exported file: (link, kind, number) -> origin, and which visuals
    have no material."""

    origins: dict[tuple[str, str, int], Origin] = field(default_factory=dict)
    bare: frozenset[tuple[str, int]] = frozenset()
    #: Whether the file says what is collided with, so that nothing is to be guessed.
    present: bool = False


@dataclass(frozen=True, eq=False)
class BoundGeometry:
    """A geometry for collision, and what turns the axes of its file into the axes of the link's
    file."""

    geometry: XmlElement
    turn: Matrix


class BodyReader:
    """Fills the links of a state."""

    def __init__(
        self, state: ColladaReading, shapes: StoredShapes, nodes: Nodes | None = None
    ) -> None:
        """`nodes` of links that no kinematics names; otherwise they are looked for."""
        self.state = state
        self.documents = state.documents
        self.shapes = shapes
        self._read: dict[int, Read] = {}
        self._meshes: dict[tuple[object, ...], str] = {}
        self._pictures: dict[str, bytes] = {}
        self._visits = 0
        self._bytes = 0
        #: The node that the scene binds each model to, in their order.
        self.tops = [self._top(m) for m in state.models]
        state.unfollow()
        self.nodes = nodes_of_links(state, self.tops) if nodes is None else nodes

    def _top(self, model: Model) -> XmlElement | None:
        self.state.follow(model.route)
        return find_scene_node(self.state, model.keys)[0]

    def fill(self) -> None:
        bindings = self._bindings()
        is_bound = any(kind == "environment" for bound in bindings.values() for kind, _ in bound)
        starts = {id(node) for node, _ in self.nodes.values()}
        for index, link in enumerate(self.state.links):
            # A geometry that is seen and bound to nothing is what is collided with, too.
            is_solid = not is_bound and not self.shapes.present
            self.state.links[index] = self._filled(
                link, bindings.get(link.name, []), starts, is_solid
            )
        self._tell_shapes()

    def _filled(
        self, link: Link, bound: list[tuple[str, BoundGeometry]], starts: set[int], is_solid: bool
    ) -> Link:
        """The link with its shapes; `is_solid`: its visuals are its collisions, too."""
        slots = self.state.slots
        visuals: list[Visual] = []
        slots[link.name, "visual"] = []
        if link.name in self.nodes:
            visuals, slots[link.name, "visual"] = self._visuals(
                *self.nodes[link.name], link.name, starts
            )
        against_world = [geometry for kind, geometry in bound if kind == "environment"]
        collisions, slots[link.name, "collision"] = self._collisions(
            against_world, link.name, "collision"
        )
        if is_solid:
            collisions = [Collision(v.geometry, v.origin) for v in visuals]
            slots[link.name, "collision"] = [None] * len(collisions)
        self._self(link, [geometry for kind, geometry in bound if kind == "self"])
        return replace(link, visuals=tuple(visuals), collisions=tuple(collisions))

    def _tell_shapes(self) -> None:
        state = self.state
        state.files += [(f"{MESH_FOLDER}/{name}", data) for name, data in self._pictures.items()]
        meshes = sum(name.endswith(".obj") for name, _ in state.files)
        if meshes:
            state.out.translated("geometry", format_count(meshes, "mesh file"))
        primitives = sum(
            not isinstance(shape.geometry, Mesh) for link in state.links for shape in link.shapes
        )
        if primitives:
            state.out.taken("geometry_info", format_count(primitives, "primitive"))

    # -- what links look like

    def _visuals(
        self, node: XmlElement, after: int, link: str, others: set[int]
    ) -> tuple[list[Visual], list[int | None]]:
        unit = self.documents.unit(node)
        base = (
            self.state.link_transforms[link] if after < 0 else product(node.children[after:], unit)
        )
        visuals: list[Visual] = []
        slots: list[int | None] = []

        def walk(element: XmlElement, matrix: Matrix, depth: int) -> None:
            for child in element.children:
                if child.tag == "instance_geometry":
                    self._visit(child)
                    geometry = self.documents.find(child.get("url"), child)
                    if geometry is not None:
                        slot = _slot(child.get("sid"), "visual")
                        before = len(visuals)
                        turned = matrix @ self._turn(child, geometry)
                        visuals.extend(
                            self._seen(geometry, turned, link, looks(self.documents, child), slot)
                        )
                        slots.extend([slot] * (len(visuals) - before))
                elif child.tag == "instance_controller":
                    self.state.out.lost(f"instance_controller of {link}", "skins are not read")
                elif child.tag in ("node", "instance_node"):
                    inner = (
                        child
                        if child.tag == "node"
                        else self.documents.find(child.get("url"), child)
                    )
                    if (
                        inner is not None
                        and inner.tag == "node"
                        and id(inner) not in others
                        and depth < 60
                    ):
                        self._visit(child)
                        turned = matrix @ self._turn(child, inner)
                        walk(
                            inner,
                            turned @ product(inner.children, self.documents.unit(inner)),
                            depth + 1,
                        )

        walk(node, base, 0)
        # The schema wants those with a pose behind those without.
        order = sorted(range(len(visuals)), key=lambda i: (slots[i] is None, slots[i] or 0))
        return [visuals[i] for i in order], [slots[i] for i in order]

    def _visit(self, node: XmlElement) -> None:
        """Nodes that show others, which show others, become more than there are atoms."""
        self._visits += 1
        if self._visits > _MOST_VISITS:
            raise FormatError(
                f"The scene shows more than {_MOST_VISITS:,} nodes and geometries: too many for a "
                "robot",
                self.documents.location(node),
            )

    def _seen(
        self,
        geometry: XmlElement,
        matrix: Matrix,
        link: str,
        bound: dict[str, Appearance],
        slot: int | None,
    ) -> list[Visual]:
        read = self._geometry(geometry)
        if read is None or not read.visible:
            return []
        otherwise = next(iter(bound.values())) if len(bound) == 1 else Appearance()
        used = [bound.get(block.symbol or "", otherwise) for block in read.blocks]
        colours = {look.rgba for look in used} or {look.rgba for look in bound.values()}
        plain = len(colours) == 1 and not any(look.picture for look in used)
        bare = slot is not None and (link, slot) in self.shapes.bare
        material = _material(next(iter(colours))) if plain and not bare else None
        coloured = used if not plain or (bare and colours != {None}) else None
        placed = self._placed(geometry, read, matrix, link, "visual", slot, coloured)
        return [Visual(*placed, material)] if placed is not None else []

    # -- what they collide with

    def _bindings(self) -> dict[str, list[tuple[str, BoundGeometry]]]:
        """Link -> (environment or self, geometry)."""
        bindings: dict[str, list[tuple[str, BoundGeometry]]] = {}
        state = self.state
        parents = (
            (m, e)
            for m in state.models
            for e in (m.element, m.kinematics, m.motion)
            if e is not None
        )
        for model, parent in parents:
            state.follow(model.route)
            for bind in each(technique(parent, "collision"), "bind_instance_geometry"):
                link = state.link(bind.get("link"))
                geometry = self.documents.find(bind.get("url"), bind)
                kind = bind.get("type") or "environment"
                if link is None or geometry is None or geometry.tag != "geometry":
                    line = self.documents.location(bind)
                    state.out.lost(
                        "bind_instance_geometry", f"{line}: its link or its geometry does not exist"
                    )
                elif not any(
                    (k, b.geometry) == (kind, geometry) for k, b in bindings.setdefault(link, [])
                ):
                    bindings[link].append(
                        (kind, BoundGeometry(geometry, self._turn(bind, geometry)))
                    )
        state.unfollow()
        return bindings

    def _collisions(
        self, bound: list[BoundGeometry], link: str, folder: str
    ) -> tuple[list[Collision], list[int | None]]:
        collisions: list[Collision] = []
        slots: list[int | None] = []
        for geometry, turn in ((b.geometry, b.turn) for b in bound):
            read = self._geometry(geometry)
            slot = _marked(geometry, "collision")
            placed = None
            if read is not None:
                placed = self._placed(
                    geometry,
                    read,
                    self.state.link_transforms[link] @ turn,
                    link,
                    folder,
                    slot,
                    None,
                )
            if placed is not None:
                collisions.append(Collision(*placed))
                slots.append(slot)
        return collisions, slots

    def _self(self, link: Link, geometries: list[BoundGeometry]) -> None:
        """Spheres become spheres of the XRDF, other shapes are kept as collisions in URDF's
        words."""
        if not geometries:
            return
        state = self.state
        marked = [b for b in geometries if _marked(b.geometry, "sphere") is not None]
        rest = [b for b in geometries if _marked(b.geometry, "sphere") is None]
        reads = [self._geometry(b.geometry) for b in rest]
        if (
            not marked
            and reads
            and all(r is not None and isinstance(r.primitive, Ball) for r in reads)
        ):
            marked, rest = rest, []
        spheres = []
        for bound in marked:
            read = self._geometry(bound.geometry)
            if read is not None and isinstance(read.claimed, Ball) and read.pose is not None:
                x, y, z = (state.link_transforms[link.name] @ bound.turn @ read.pose)[
                    :3, 3
                ].tolist()
                spheres.append(CollisionSphere((x, y, z), read.claimed.radius))
            else:
                rest.append(bound)
        if spheres:
            state.self_spheres[link.name] = tuple(spheres)
            state.out.translated(
                f"self-collision of {link.name}",
                f"{format_count(len(spheres), 'sphere')} of the XRDF",
            )
        collisions, _ = self._collisions(rest, link.name, "self")
        if collisions:
            wanted = link_element(Link("x", collisions=tuple(collisions))).element()
            text = "".join("\n    " + render(c, "    ") for c in wanted.children)
            state.kept.append(Kept("self_collision", f"{text}\n  ", link.name))
            detail = (
                f"{format_count(len(collisions), 'shape')} for self-collision only, as <collision> "
                "in the URDF's extra"
            )
            state.out.kept(f"self-collision of {link.name}", detail)

    # -- shapes

    def _geometry(self, geometry: XmlElement) -> Read | None:
        if id(geometry) not in self._read:
            try:
                read = self._read[id(geometry)] = read_collada_geometry(
                    geometry, self.documents.unit(geometry)
                )
                if read.refused:
                    line = self.documents.location(geometry)
                    self.state.out.lost(f"brep of {geometry.get('id')}", f"{line}: {read.refused}")
                if read.unread:
                    line, lists = (
                        self.documents.location(geometry),
                        format_count(read.unread, "list"),
                    )
                    detail = f"{line}: {lists} of corners with invalid numbers or indices"
                    self.state.out.lost(f"geometry {geometry.get('id')}", detail)
            except (ValueError, OverflowError, IndexError) as error:
                line = self.documents.location(geometry)
                self.state.out.lost(
                    f"geometry {geometry.get('id')}", f"{line}: it cannot be read ({error})"
                )
                return None
        return self._read[id(geometry)]

    def _turn(self, naming_element: XmlElement, element: XmlElement) -> Matrix:
        """From the axes of the file of `element` to the axes of the file of `naming_element`."""
        first, second = self.documents.of(naming_element), self.documents.of(element)
        turn: Matrix = np.eye(4) if first is second else np.linalg.inv(first.up()) @ second.up()
        return turn

    def _placed(
        self,
        geometry: XmlElement,
        read: Read,
        matrix: Matrix,
        link: str,
        kind: str,
        slot: int | None,
        coloured: list[Appearance] | None,
    ) -> tuple[Geometry, Origin] | None:
        """(shape, origin): meshes have the transform in their vertices when it is no rigid one."""
        rigid = is_rigid(matrix)
        if read.primitive is not None and read.pose is not None and rigid:
            return read.primitive, build_origin(matrix @ read.pose)
        blocks = [b for b in read.blocks if len(b.faces)]
        if not blocks:
            return None
        origin, inside = (build_origin(matrix), np.eye(4)) if rigid else (Origin(), matrix)
        stored_origin = self.shapes.origins.get((link, kind, slot)) if slot is not None else None
        if stored_origin is not None:
            # This editor put the origin into the vertices.
            origin, inside = stored_origin, np.linalg.inv(build_pose_matrix(stored_origin)) @ matrix
            inside = np.eye(4) if np.allclose(inside, np.eye(4), atol=1e-12) else inside
        key = (
            id(geometry),
            kind,
            inside.round(12).tobytes(),
            None if coloured is None else tuple(coloured),
        )
        if key not in self._meshes:
            self._meshes[key] = self._mesh_file(geometry, read, inside, link, kind, coloured)
        return Mesh(self._meshes[key]), origin

    def _mesh_file(
        self,
        geometry: XmlElement,
        read: Read,
        inside: Matrix,
        link: str,
        kind: str,
        coloured: list[Appearance] | None,
    ) -> str:
        raw = geometry.get("name") or link
        name = self.state.free(f"{kind}/{file_name(raw) or 'mesh'}", "mesh")
        library = f"{name.rpartition('/')[2]}.mtl" if coloured is not None else None
        blocks = [b for b in read.blocks if len(b.faces)]
        data = obj_text(blocks, inside, library).encode()
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES:
            raise FormatError(
                f"The copies of its geometries take more than {_MOST_BYTES >> 20} MB, too much "
                "for a robot",
                self.documents.location(geometry),
            )
        self.state.files.append((f"{MESH_FOLDER}/{name}.obj", data))
        if coloured is not None:
            pairs = [
                (look, b) for look, b in zip(coloured, read.blocks, strict=True) if len(b.faces)
            ]
            pictures = [self._picture(look, kind) for look, _ in pairs]
            text = mtl_text([look for look, _ in pairs], pictures)
            self.state.files.append((f"{MESH_FOLDER}/{kind}/{library}", text.encode()))
        return f"{MESH_FOLDER}/{name}.obj"

    def _picture(self, look: Appearance, kind: str) -> str | None:
        if look.picture is None:
            return None
        path = name_for(self._pictures, kind, *look.picture)
        self._pictures[path] = look.picture[1]
        return path.removeprefix(f"{kind}/")


def _material(rgba: tuple[float, float, float, float] | None) -> Material | None:
    return None if rgba is None else Material("rgba_" + "_".join(f"{v:g}" for v in rgba), rgba)


def _slot(sid: str | None, kind: str) -> int | None:
    """The number that this editor gave a shape: `visual3`."""
    rest = (sid or "").removeprefix(kind)
    return (
        int(rest)
        if sid is not None and sid.startswith(kind) and rest.isdecimal() and len(rest) < 9
        else None
    )


def _marked(geometry: XmlElement, kind: str) -> int | None:
    mark = inner(technique(geometry, "slot", OWN_PROFILE), kind)
    return _slot(f"{kind}{mark.text}", kind) if mark is not None else None


def obj_text(blocks: Sequence[TriangleBlock], matrix: Matrix, library: str | None = None) -> str:
    """The triangles carried by `matrix`, with the digits of doubles; mirrored ones are turned
    inside in.

    With a `library` each block names its material there: `material0`, `material1`, … in their
    order.
    """
    mirrored = np.linalg.det(matrix[:3, :3]) < 0
    lines = [f"mtllib {library}"] if library else []
    points, textures, normals = 1, 1, 1
    turned = (
        np.linalg.inv(matrix[:3, :3]).T if abs(np.linalg.det(matrix[:3, :3])) > 1e-12 else np.eye(3)
    )
    for number, block in enumerate(blocks):
        if library:
            lines.append(f"usemtl material{number}")
        used, inverse = np.unique(block.faces, return_inverse=True)
        vertices = block.vertices[used] @ matrix[:3, :3].T + matrix[:3, 3]
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        corners = {"v": inverse.reshape(-1, 3) + points}
        points += len(used)
        if block.uv is not None and block.uv_faces is not None:
            used, inverse = np.unique(block.uv_faces, return_inverse=True)
            lines += [f"vt {u!r} {v!r}" for u, v in block.uv[used].tolist()]
            corners["vt"] = inverse.reshape(-1, 3) + textures
            textures += len(used)
        if block.normals is not None and block.normal_faces is not None:
            used, inverse = np.unique(block.normal_faces, return_inverse=True)
            rotated = block.normals[used] @ turned.T
            lines += [f"vn {x:.9g} {y:.9g} {z:.9g}" for x, y, z in rotated.tolist()]
            corners["vn"] = inverse.reshape(-1, 3) + normals
            normals += len(used)
        rows = np.stack(list(corners.values()), axis=2)
        corner = {"v": "%d", "v vt": "%d/%d", "v vn": "%d//%d", "v vt vn": "%d/%d/%d"}[
            " ".join(corners)
        ]
        face = f"f {corner} {corner} {corner}"
        lines += [
            face % tuple(row)
            for row in (rows[:, ::-1] if mirrored else rows).reshape(len(rows), -1).tolist()
        ]
    return "\n".join(lines) + "\n"


def mtl_text(looks: Sequence[Appearance], pictures: Sequence[str | None]) -> str:
    """A library of `material0`, `material1`, …; `pictures` are the names of the files of those that
    have one."""
    lines = []
    for number, (look, picture) in enumerate(zip(looks, pictures, strict=True)):
        lines.append(f"newmtl material{number}")
        if look.rgba is not None:
            r, g, b, a = look.rgba
            lines += [f"Kd {r!r} {g!r} {b!r}", f"d {a!r}"]
        if picture is not None:
            lines.append(f"map_Kd {picture}")
    return "\n".join(lines) + "\n"


#: Elements of physics that become nothing.
_NO_PLACE = ("rigid_constraint", "physics_material", "force_field")


def weigh_links(state: ColladaReading, nodes: Nodes) -> None:
    """Masses and inertias; what an instance of a body says beats what the body says."""
    by_name = {link.name: i for i, link in enumerate(state.links)}
    instances = _instances(state, nodes)
    weighed: set[str] = set()
    shapes = 0
    for body in state.documents.all_of("rigid_body"):
        bound_link, instance = instances.get(body.get("sid") or "", (None, None))
        name = body.get("name") or ""
        link = name if name in by_name else bound_link
        common = body.child("technique_common")
        if link is None or common is None or link in weighed:
            continue
        of_link = (
            instance.child("technique_common")
            if instance is not None and bound_link == link
            else None
        )
        inertial = _inertial(state, common, of_link, link)
        shapes += len(common.all("shape"))
        if inertial is not None:
            weighed.add(link)
            state.links[by_name[link]] = replace(state.links[by_name[link]], inertial=inertial)
    if weighed:
        state.out.translated("rigid_body", f"inertia of {format_count(len(weighed), 'link')}")
    if shapes:
        state.out.lost(
            "shape of rigid_body",
            f"{format_count(shapes, 'shape')}: only bound geometry becomes collision shapes of "
            "the URDF",
        )
    for tag in _NO_PLACE:
        if elements := state.documents.all_of(tag):
            state.out.lost(tag, f"{len(elements)}: a URDF cannot store it")


def _instances(state: ColladaReading, nodes: Nodes) -> dict[str, tuple[str, XmlElement]]:
    """SID of a rigid body -> the link whose node an instance of the body moves, and that
    instance."""
    links = {node.get("id"): link for link, (node, _) in nodes.items() if node.get("id")}
    instances: dict[str, tuple[str, XmlElement]] = {}
    for instance in state.documents.all_of("instance_rigid_body"):
        link = links.get((instance.get("target") or "").rpartition("#")[2])
        if link is not None:
            instances.setdefault((instance.get("body") or "").split("/")[-1], (link, instance))
    return instances


def _inertial(
    state: ColladaReading, common: XmlElement, body_common: XmlElement | None, link: str
) -> Inertial | None:
    mass = state.number(body_common, "mass")
    mass = state.number(common, "mass") if mass is None else mass
    if mass is None:
        return None
    inertia, frame = (
        inner(body_common, tag) or common.child(tag) for tag in ("inertia", "mass_frame")
    )
    values = floats_in(inertia)
    unit = state.documents.unit(common)
    document = state.documents.of(common)
    local = state.link_transforms[link]
    if frame is not None:
        # The writers that exist put the mass frame into the robot's frame at rest, not into the
        # body's.
        matrix = document.up() @ product(frame.children, unit)
        local = np.linalg.inv(state.world[link]) @ matrix
    if document.tool == RADIAN_WRITERS[1]:
        # It writes the principal axes as rows where columns are meant (measured: so the tensors
        # agree to 1e-17).
        local = local.copy()
        local[:3, :3] = local[:3, :3].T.copy()
    a, b, c = (v * unit * unit for v in (values if len(values) == 3 else (0.0, 0.0, 0.0)))
    return Inertial(mass, (a, 0.0, 0.0, b, 0.0, c), build_origin(local))
