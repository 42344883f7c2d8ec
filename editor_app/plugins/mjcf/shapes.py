"""Geoms of a compiled MJCF as visual and collision shapes of a URDF, and their meshes; spheres and
pairs as geoms."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.meshes import make_plain_name, obj_bytes
from editor_app.core.model.counting import format_count
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Collision,
    Cylinder,
    Geometry,
    Inertial,
    Material,
    Mesh,
    Visual,
)
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.space.geometry.mesh import build_primitive, merge_parts
from editor_app.core.space.kinematics.transforms import Matrix, build_origin
from editor_app.core.text.xml.morph import build_piece, format_xml_number, format_xml_numbers
from editor_app.core.text.xml.splices import NewElement
from editor_app.plugins.mjcf.compiled import CompiledModel, build_pose, shift

#: Class of the geoms that are spheres of the XRDF, and the beginning of the names of its pairs.
SPHERES, MASKED = "planning_spheres", "masked:"
#: The name of MuJoCo's body that does not move.
WORLD = "world"


def sphere_geom(sphere: CollisionSphere) -> NewElement:
    """In metres, in the axes of its body, which are the axes of the link."""
    place = {"pos": format_xml_numbers(sphere.center), "size": format_xml_number(sphere.radius)}
    return NewElement("geom", tuple({"class": SPHERES, **place}.items()))


def spheres_class(*, collide: bool) -> NewElement:
    """The class of all spheres: where they are drawn, and whether they touch anything. They weigh
    nothing."""
    bits = {} if collide else {"contype": "0", "conaffinity": "0"}
    geom = build_piece(
        "geom", type="sphere", group="3", density="0", rgba="0.2 0.6 0.9 0.4", **bits
    )
    return NewElement("default", (("class", SPHERES),), (geom,))


def exclusions(pairs: Iterable[LinkPair]) -> list[NewElement]:
    """The pairs as elements with names of their own, whatever blanks the names of the links
    have."""
    elements: dict[str, NewElement] = {}
    for pair in sorted(pairs):
        name = find_free_name(f"{MASKED} {pair.first} {pair.second}", elements)
        elements[name] = build_piece("exclude", name=name, body1=pair.first, body2=pair.second)
    return list(elements.values())


#: MuJoCo's numbers of geom types.
_PLANE, _HEIGHTS, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH, _SDF = range(9)
#: MuJoCo's viewer shows the geoms of these groups.
_SHOWN = 2
#: What URDF readers read.
_SUFFIXES = (".stl", ".obj")
_BALL = "ellipsoid.obj"
_GREY = (0.5, 0.5, 0.5, 1.0)

#: A shape, and where it is on its link.
Placed = tuple[Geometry, Matrix]


@dataclass
class MjcfShapes:
    """`files`: meshes that are written beside the URDF, by their names. `spheres` are those that
    this editor wrote."""

    source: CompiledModel
    out: Reporter
    folder: str
    files: dict[str, bytes] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model, self.geoms = self.source.model, list(self.source.spec.geoms)
        self.meshes = list(self.source.spec.meshes)
        paired = (self.model.pair_geom1, self.model.pair_geom2)
        self.paired = {int(geom) for geoms in paired for geom in geoms}

    def of_body(self, body: int) -> list[int]:
        first, count = int(self.model.body_geomadr[body]), int(self.model.body_geomnum[body])
        return list(range(first, first + count)) if count else []

    def collides(self, geom: int) -> bool:
        """Return whether it can touch anything: by its bits, or by a pair that names it."""
        return (
            bool(self.model.geom_contype[geom] or self.model.geom_conaffinity[geom])
            or geom in self.paired
        )

    def is_sphere_of_ours(self, geom: int) -> bool:
        """Return whether it is a collision sphere that this editor wrote."""
        kind = self.geoms[geom].classname
        return bool(
            getattr(kind, "name", kind) == SPHERES and self.model.geom_type[geom] == _SPHERE
        )

    def solid(self, body: int) -> list[int]:
        """The geoms that become collision shapes."""
        solid = [
            geom
            for geom in self.of_body(body)
            if self.collides(geom) and not self.is_sphere_of_ours(geom)
        ]
        return [
            geom for geom in solid if self.model.geom_type[geom] not in (_PLANE, _HEIGHTS, _SDF)
        ]

    # -- of one link

    def spheres(self, body: int) -> tuple[CollisionSphere, ...]:
        ours = [geom for geom in self.of_body(body) if self.is_sphere_of_ours(geom)]
        places = [
            (self.model.geom_pos[geom], float(self.model.geom_size[geom][0])) for geom in ours
        ]
        return tuple(
            CollisionSphere((float(p[0]), float(p[1]), float(p[2])), radius) for p, radius in places
        )

    def visuals(self, body: int) -> tuple[Visual, ...]:
        shown = [
            geom
            for geom in self.of_body(body)
            if not self.is_sphere_of_ours(geom) and self._is_shown(geom)
        ]
        return tuple(
            Visual(shape, build_origin(place), self._material(geom))
            for geom in shown
            for shape, place in self._placed(geom)
        )

    def collisions(self, body: int) -> tuple[Collision, ...]:
        return tuple(
            Collision(shape, build_origin(place))
            for geom in self.solid(body)
            for shape, place in self._placed(geom)
        )

    def inertial(self, body: int) -> Inertial | None:
        """About the centre of mass, in the axes of the link: R diag(I) Rᵀ."""
        mass = float(self.model.body_mass[body])
        if mass <= 0:
            return None
        turn = build_pose((0, 0, 0), self.model.body_iquat[body])[:3, :3]
        tensor = turn @ np.diag(self.model.body_inertia[body]) @ turn.T
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = ((float(v) for v in row) for row in tensor)
        return Inertial(
            mass, (xx, xy, xz, yy, yz, zz), build_origin(shift(self.model.body_ipos[body]))
        )

    def _is_shown(self, geom: int) -> bool:
        if self.model.geom_group[geom] <= _SHOWN:
            return True
        if not self.collides(geom):
            self._count("geoms without contacts in a group that MuJoCo does not show")
        return False

    def _material(self, geom: int) -> Material | None:
        model, rgba = self.model, tuple(round(float(v), 6) for v in self.model.geom_rgba[geom])
        number = int(model.geom_matid[geom])
        name = ""
        if number >= 0 and rgba == _GREY:
            rgba = tuple(round(float(v), 6) for v in model.mat_rgba[number])
            name = self.source.name("mat", number)
        red, green, blue, alpha = rgba
        return Material(
            name or "rgba " + " ".join(f"{v:g}" for v in rgba), (red, green, blue, alpha)
        )

    # -- of one geom

    def _placed(self, geom: int) -> Sequence[Placed]:
        kind, size = int(self.model.geom_type[geom]), [float(v) for v in self.model.geom_size[geom]]
        place = build_pose(self.model.geom_pos[geom], self.model.geom_quat[geom])
        if kind == _MESH:
            return [self._mesh(geom, place)]
        if kind == _SPHERE:
            return [(Ball(size[0]), place)]
        if kind == _BOX:
            return [(Box((2 * size[0], 2 * size[1], 2 * size[2])), place)]
        if kind == _CYLINDER:
            return [(Cylinder(size[0], 2 * size[1]), place)]
        if kind == _CAPSULE:
            self._count("capsules: a cylinder and two spheres each")
            ends = [(Ball(size[0]), place @ shift((0, 0, side * size[1]))) for side in (-1, 1)]
            return [(Cylinder(size[0], 2 * size[1]), place), *ends]
        if kind == _ELLIPSOID:
            self._count("ellipsoids: a scaled mesh, inside the surface by up to 1 %")
            name = f"{self.folder}/{_BALL}"
            # A sphere of radius 1 m as OBJ, its vertices on it.
            vertices, faces = merge_parts(build_primitive(Ball(1.0), 48).parts)
            self.files.setdefault(name, obj_bytes(vertices, faces))
            return [(Mesh(name, (size[0], size[1], size[2])), place)]
        self._count("planes, height fields and distance fields, which are not robot parts")
        return []

    def _mesh(self, geom: int, place: Matrix) -> Placed:
        """MuJoCo moves vertices to their centre of mass and main axes; the file's own are meant
        where they can be."""
        number = int(self.model.geom_dataid[geom])
        asset = self.meshes[number]
        path = self._file_of(number)
        scale, turned = [float(v) for v in asset.scale], build_pose((0, 0, 0), asset.refquat)
        is_even = len({abs(v) for v in scale}) == 1 and min(scale) > 0
        if path is None or (not is_even and np.abs(turned - np.eye(4)).max() > 1e-12):
            return Mesh(self._written(number)), place
        centred = np.linalg.inv(
            build_pose(self.model.mesh_pos[number], self.model.mesh_quat[number])
        )
        # Vertices are taken to refpos and refquat, then scaled: S Rᵀ (v - p).
        moved = turned.T @ shift(
            -np.asarray(asset.refpos, dtype=float) * (scale[0] if is_even else np.asarray(scale))
        )
        name = os.path.relpath(path, self.source.path.parent).replace(os.sep, "/")
        return Mesh(name, (scale[0], scale[1], scale[2])), place @ centred @ moved

    def _file_of(self, number: int) -> Path | None:
        """The mesh's file; None for one that is written in the MJCF, or in a format that URDF
        readers do not know."""
        path = self.source.sources.paths.get(self.meshes[number].file)
        return path if path is not None and path.suffix.lower() in _SUFFIXES else None

    def _written(self, number: int) -> str:
        name = f"{self.folder}/{make_plain_name(self.source.name('mesh', number)) or 'mesh'}_{number}.obj"
        if name not in self.files:
            model = self.model
            start, count = int(model.mesh_vertadr[number]), int(model.mesh_vertnum[number])
            first, faces = int(model.mesh_faceadr[number]), int(model.mesh_facenum[number])
            vertices = np.asarray(model.mesh_vert[start : start + count], dtype=float)
            self.files[name] = obj_bytes(
                vertices, np.asarray(model.mesh_face[first : first + faces], dtype=int)
            )
            self._count(
                "meshes written next to the URDF: they are embedded in the MJCF, or a URDF cannot "
                "describe them"
            )
        return name

    def _count(self, what_became: str) -> None:
        self.counts[what_became] = self.counts.get(what_became, 0) + 1

    def tell(self) -> None:
        """Adds to the report."""
        if len(self.meshes):
            self.out.translated("collisions of meshes", "unchanged; MuJoCo uses their convex hulls")
        for sentence, count in self.counts.items():
            says = (
                self.out.lost if sentence.startswith(("planes", "geoms")) else self.out.translated
            )
            says("geom", f"{count} {sentence}")
        if pictures := self.source.sources.left_out["texture"]:
            self.out.lost(
                "texture", f"{format_count(pictures, 'picture')}: only colours are converted"
            )
